# shellcheck shell=bash disable=SC2016,SC2154  # $value and $comm are for the kernel
# Runs in the machine: arms the targets on stdin one after the other with the options
# "$OPTIONS", while sched_switch and the function tracer record, and does the same work
# with each. Prints TAP. Without OPTIONS, each is armed with the default limits, then without that of
# hits, also with everything else that a watch can do.
#
# A line is a target and optionally a symbol; without that symbol in the kernel the line is
# skipped. A target with another name on another base has a line for each.
set -u
cd /sys/kernel/tracing || exit 1
dmesg -n 1
results=0 failed=0
result() { # ok|not ok, text
	results=$((results + 1))
	printf '%s %d - %s\n' "$1" "$results" "$2"
	[[ $1 == ok ]] || failed=1
}

# Prints the time of the guest in ms.
now() {
	local up
	read -r up _ </proc/uptime
	now=$((10#${up/./} * 10))
}

# Work with forks, execs, task switches on both CPUs, files, pipes, messages and events.
work() {
	local i
	for i in 1 2 3; do
		taskset -c 0 /bin/true
		taskset -c 1 /bin/true
		echo "work $i" >trace_marker
		echo "work $i" >/dev/kmsg
		head -n 5 /proc/stat | grep -c cpu >/dev/null
	done
}

took() {
	local from
	now
	from=$now
	work
	now
	took=$((now - from))
}

echo function >current_tracer
echo 1 >events/sched/sched_switch/enable
work
took
unwatched=$took
# The work must take at least ten steps of the clock.
((unwatched >= 100)) || unwatched=100
most=$((10 * unwatched))
((most <= 5000)) || most=5000
echo "# unwatched $unwatched ms, allowed $most ms"

# Arms the target $1 with the options $2, does the work, and prints how long it took. Sets limited to
# the hits above the limits. Fails if the target is refused.
try() {
	local target=$1 options=$2 hits coverage
	if ! { echo "$target:rw name=hot $options" >ksym_trace_filter; } 2>/dev/null; then
		result 'not ok' "$target $options: refused:$(sed -n 's/.*error: *//p' error_log | tail -n 1)"
		echo >error_log
		return 1
	fi
	took
	read -r hits limited coverage < <(awk '$1 == "hot" { print $2, $11, $NF }' trace_stat/ksym_tracer)
	result "$( ((took <= most)) && echo ok || echo 'not ok')" \
		"$target $options: $took ms, $hits hits, $limited limited, coverage $coverage"
	echo >ksym_trace_filter
}
# What makes a hit expensive, and what drops some of them.
costs='wrote stack ustack args v=$value:x64 c=$comm' drops='every=2 changed' acts='if new != 1 then snapshot'

while read -r target symbol; do
	[[ -n $target && $target != '#'* ]] || continue
	if ! grep -qw "${symbol:-$target}" /proc/kallsyms; then
		echo "# this kernel has no ${symbol:-$target}"
		continue
	fi
	# If this is the last line, the target took the machine down.
	echo "# $target"
	try "$target" "${OPTIONS-}" || continue
	[[ -z ${OPTIONS-} ]] || continue
	# The budget alone must also be sufficient, without the limit of hits, whatever a hit does.
	((limited == 0)) || try "$target" limit=0
	for options in "$costs" "$drops $costs $acts"; do try "$target" "limit=0 $options"; done
done
result "$(grep -qv '^#' ksym_trace_filter && echo 'not ok' || echo ok)" 'no watch is left'
echo "1..$results"
exit $failed

# shellcheck shell=bash disable=SC2154
# Runs in the machine: arms each of the lines on stdin, one after the other, with the
# options "$OPTIONS", while sched_switch and the function tracer record, and does the
# same piece of work under each. Prints TAP.
#
# A line is a target, and after a blank what it needs to be there: a symbol that the
# kernel has. What has another name on another base has a line for each.
set -u
cd /sys/kernel/tracing || exit 1
dmesg -n 1
results=0 failed=0
result() { # ok|not ok, text
	results=$((results + 1))
	printf '%s %d - %s\n' "$1" "$results" "$2"
	[[ $1 == ok ]] || failed=1
}

# The guest's time in ms.
now() {
	local up
	read -r up _ </proc/uptime
	now=$((10#${up/./} * 10))
}

# Forks, execs, task switches on both CPUs, files, pipes, messages, and events.
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
# A measure of less than ten of the clock's steps is none.
((unwatched >= 100)) || unwatched=100
most=$((10 * unwatched))
((most <= 5000)) || most=5000
echo "# unwatched $unwatched ms, allowed $most ms"

# Arms a target with options, works, and says how long it took. Fails where there were
# more hits than its limits let through.
try() {
	local target=$1 options=$2 hits limited coverage
	if ! { echo "$target:rw name=hot $options" >ksym_trace_filter; } 2>/dev/null; then
		result ok "$target: refused:$(sed -n 's/.*error: *//p' error_log | tail -n 1)"
		echo >error_log
		return
	fi
	took
	read -r hits limited coverage < <(awk '$1 == "hot" { print $2, $11, $16 }' trace_stat/ksym_tracer)
	result "$( ((took <= most)) && echo ok || echo 'not ok')" \
		"$target $options: $took ms, $hits hits, $limited limited, coverage $coverage"
	echo >ksym_trace_filter
	((limited == 0))
}

while read -r target symbol; do
	[[ -n $target && $target != '#'* ]] || continue
	if ! grep -qw "${symbol:-$target}" /proc/kallsyms; then
		echo "# this kernel has no ${symbol:-$target}"
		continue
	fi
	# Where this is the last line, it is what the machine died of.
	echo "# $target"
	# What the limit of hits held down, the budget of time alone has to, too.
	try "$target" "${OPTIONS-}" || [[ -n ${OPTIONS-} ]] || try "$target" limit=0
done
result "$(grep -qv '^#' ksym_trace_filter && echo 'not ok' || echo ok)" 'no watch is left'
echo "1..$results"
exit $failed

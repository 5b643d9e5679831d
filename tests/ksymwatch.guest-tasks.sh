#!/bin/bash
# Tests in the machine, with the tracer and on Debian's own kernel: the commands in the section
# TASKS of the man page, as they stand there.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

has_tracer=
[[ ! -e $tracefs/ksym_trace_filter ]] || has_tracer=1
[[ $has_tracer ]] || leftovers() { ls -d ./*.parts-* 2>/dev/null; pgrep -x ksymwatch; }
mkdir -p "/lib/modules/$(uname -r)"
cp /selftests/ksym/ksym_mod/ksym_mod.ko "/lib/modules/$(uname -r)" 2>/dev/null && depmod
few_events
echo 0 >$panic_timeout

# The questions and the commands, a line each.
mapfile -t tasks < <(sed -n '/^\.SH TASKS/,/^\.SH FILES/p' /ksym/ksymwatch.1 |
	sed -nE '/^\.IP/ { n; p }; /^\.nf/ { n; s/\\-/-/g; s/\\\(aq/'\''/g; p }')
is 'the man page has twenty tasks' "${#tasks[@]}" 40

# Runs the command of the task $1 and sets $status, $out and $err. $name is the question; $rows
# are the hits that the command shows, or those in trace.dat, without times and offsets.
run() {
	local command=${tasks[2 * $1 - 1]}
	name="$1. ${tasks[2 * $1 - 2]}"
	rm -f trace.dat
	bash -c "$command" >out 2>err </dev/null
	status=$? out=$(<out) err=$(<err)
	rows=$({ [[ ! -e trace.dat ]] || ksymwatch report; cat out; } |
		sed -nE 's/^ *([^ ]+)-[0-9]+ +\[[0-9]+\] +[0-9.]+  /\1 /p' | sed -E 's/ +/ /g; s/\+0x[0-9a-f]+//g')
}
task() {
	run "$1"
	[[ $status == 0 ]] || not_ok "$name" "status $status: $err"
}

# Runs a task for which Debian's kernel needs what it does not have: succeeds with the tracer,
# and otherwise passes the test if the command is refused with $2.
task_of_tracer() {
	if [[ $has_tracer ]]; then
		task "$1"
		return
	fi
	run "$1"
	contains "$name is refused" "$status $err" "1 ksymwatch: $2"
	return 1
}

task 1
is "$name" "$rows" "sysctl panic_timeout w$width 0x0 -> 0xa $conv"
task 2
contains "$name" "$rows" "sysctl panic_timeout r4 0xa -> 0xa $conv"
task 3
contains "$name" "$rows" 'hostname init_uts_ns_name_nodename w1'
task 4
is "$name" "$rows" "sysctl panic_timeout w4 0xa -> 0x14 $conv"
task 5
is "$name" "$rows" "sysctl panic_timeout w4 0xf -> 0x1e $conv"
task 6
is "$name" "$rows" "sh panic_timeout w4 0xa -> 0xb $conv"
task 7
is "$name" "$(ksymwatch report | grep -c '=> proc_sys_call_handler')" 1
task 8
is "$name" "$(ksymwatch report | grep -c 'user stack')" 1
task 9
is "$name" "$(wc -l <<<"$rows")" 3
task 10
contains "$name" "$rows" 'sysctl init_task_nsproxy_uts_ns_name_domainname w1'
if task_of_tracer 11 'ksym_mod'; then
	contains "$name" "$rows" 'modprobe ksym_mod_var w4 0x0 -> 0x1'
	rmmod ksym_mod
fi
task 12
is "$name" "$(awk '{ print $2 }' <<<"$rows" | xargs)" 'panic_timeout panic_on_oops'
task 13
is "$name" "$(awk '$1 == "panic_timeout" { print $2 }' <<<"$out$err")" 1
task 14
is "$name" "$(awk '{ print $6 }' <<<"$rows" | tail -n 1)" 0xb
task 15
contains "$name" "$out" "$conv"
if task_of_tracer 16 "panic_timeout flexible: at 'flexible': perf keeps a debug register"; then
	# It misses the write if four other watches have the registers at that moment.
	until [[ $status != 0 || $rows == *"sysctl panic_timeout w$width"* ]]; do task 16; done
	contains "$name" "$rows" "sysctl panic_timeout w$width"
fi
if task_of_tracer 17 'follow needs the ksym tracer'; then
	is "$name" "$(grep -qE "$opens" <<<"$rows" && echo found)" found
fi
if task_of_tracer 18 'hunt needs the ksym tracer'; then
	contains "$name" "$rows" do_dentry_open
fi
task 19
contains "$name" "$out" name.nodename
task 20
contains "$name" "$out" sysctl

leaves_nothing 'all of it'
finish_guest

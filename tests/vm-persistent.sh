#!/bin/bash
# Records hits in an instance whose buffer outlives the kernel, lets the kernel panic and
# the machine boot it again, and reads the hits there. The memory is given by memmap=, since
# KASLR keeps the next kernel out of that. It could put it over what reserve_mem= got.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# Makes QEMU exit.
quit_machine() {
	python3 -c 'import socket, sys
with socket.socket(socket.AF_UNIX) as s:
    s.connect(sys.argv[1])
    s.sendall(b"quit\n")
    while s.recv(65536): pass' "$scratch/monitor"
}

# Runs $1 in the first boot and $2 in the one after the panic, and sets "said" to what both
# print.
# The machine ends with "quit", since one that may reset doesn't end by a reset.
boot_twice() {
	local machine
	# The runner must not find the panic.
	# shellcheck disable=SC2016  # memmap='s own dollar
	VM_LOGS=$scratch/logs VM_APPEND='memmap=2M$0x20000000 trace_instance=last@0x20000000:2M' \
		VM_QEMU="-action reboot=reset -monitor unix:$scratch/monitor,server=on,wait=off" \
		CMD="cd /sys/kernel/tracing; last=instances/last
			if ! grep -q comm= \$last/trace; then
				$1
				echo c >/proc/sysrq-trigger
			fi
			$2
			echo the end
			exec tail -f /dev/null" \
		"$KSYM_ROOT/scripts/vm.sh" >"$scratch/said" 2>"$scratch/errors" &
	machine=$!
	until grep -q '^the end' "$scratch/said" || ! kill -0 "$machine" 2>/dev/null; do sleep 0.1; done
	quit_machine || true
	wait "$machine" || true
	said=$(<"$scratch/said")
}

# "wrote" and the stack are recorded, too. Fetch arguments can't be, nor snapshots be taken. The
# machine reboots at once if panic_timeout is negative.
boot_twice "
	echo 'panic_timeout:w len=4 name=who wrote stack' >ksym_trace_filter
	echo 'w:args w@panic_timeout:4 value=\$value' >>dynamic_events
	echo 1 >\$last/events/ksym/who/enable
	echo 1 >\$last/events/wprobes/args/enable
	echo 'print_fatal_signals:w in proc_dointvec len=4 name=win' >>ksym_trace_filter
	echo 1 >\$last/events/ksym/win/enable
	echo 'panic_timeout:w len=4 name=shot off then snapshot' >>ksym_trace_filter
	echo 1 >\$last/events/ksym/shot/enable
	cat \$last/error_log
	sysctl -q kernel.panic=-3
	sysctl -q kernel.panic=-2
	sysctl -q kernel.print-fatal-signals=1
	echo first
	grep -v '^#' \$last/trace
	echo id \$(cat events/ksym/who/id)" "
	echo watches \$(wc -l <ksym_trace_filter)
	echo second
	grep -v '^#' \$last/trace
	echo 'p:other do_sys_openat2' >dynamic_events
	echo id \$(cat events/kprobes/other/id)
	echo third
	grep -v '^#' \$last/trace"

# Prints the lines of "$said" after the line $1 that are of a trace, without the tasks, whose
# names of the first boot only the first boot knows.
trace_after() { sed -n "/^$1\$/,/^[a-z]/{/^[ >]/{s/^ *[^ ]* *\[/[/;p}}" <<<"$said"; }

hits=$(trace_after first)
is 'both hits are recorded' "$(grep -c ': who: w4 panic_timeout+0x0/0x[0-9a-f]* 0x.* by .*+0x.* wrote 0x[0-9a-f]* comm=sysctl$' <<<"$hits")" 2
is 'a hit in a window has its owner' "$(grep -c ': win: w4 print_fatal_signals+0x0.* by .*+0x.* owner=[1-9][0-9]* comm=sysctl$' <<<"$hits")" 1
contains 'and the stacks' "$hits" ' => vfs_write'
contains 'fetch arguments are refused' "$said" "can't have fetch arguments"
contains 'so are snapshots' "$said" "can't take snapshots"
contains 'the second boot has no watch' "$said" 'watches 0'
is 'and prints the same' "$(trace_after second)" "$hits"
is 'another event got the id of the watch' "$(grep -c '^id ' <<<"$said") $(grep '^id ' <<<"$said" | sort -u | wc -l)" '2 1'
is 'and the hits are not printed as its own' "$(trace_after third)" "$hits"
finish

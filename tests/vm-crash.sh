#!/bin/bash
# Tests what is known of the hits after the machine died: the last writers in an oops and in
# a panic.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

module=$KSYM_BUILD/oops
check 'the module with the oops builds' build_modules "${VM_FLAVOUR:-ksym}" "$module" "$KSYM_ROOT"/tests/oops/*

# Prints the console of a machine that runs $1 and dies, without time stamps. The runner
# must not find its splats.
console() {
	VM_LOGS=$scratch/logs VM_EXTRA="$module/ksym_oops.ko:/mnt/ksym_oops.ko" \
		CMD="cd /sys/kernel/tracing; $1" "$KSYM_ROOT/scripts/vm.sh" >/dev/null 2>&1 || true
	sed -E 's/^\[ *[0-9.]*\] //' "$scratch/logs/vm-last.log" | tr -d '\r'
}

# A fork after the watches are made; two writes by one task; a read of a watch; one that is
# not hit, since its filter never passes; one that is removed.
said=$(console 'printf "%s\n" total_forks:w panic_on_warn:rw panic_on_oops:rw panic_timeout:rw total_forks:w\ name=gone \
		"total_forks:w name=never if new == 0" >ksym_trace_filter
	/bin/true
	cat /proc/sys/kernel/panic >/dev/null
	taskset -c 0 bash -c "echo 0 >/proc/sys/kernel/panic_on_warn; echo 0 >/proc/sys/kernel/panic_on_oops"
	echo "!gone" >>ksym_trace_filter
	echo c >/proc/sysrq-trigger')
writer='w 0x[0-9a-f]+ -> 0x[0-9a-f]+ by [a-z_]+\+0x[0-9a-f]+/0x[0-9a-f]+ \(.+-[0-9]+, CPU [0-9], [0-9]+\.[0-9]{3} s ago\)'
names=$(grep -oE "^ksym: [a-z_]+: r?$writer$" <<<"$said" | cut -d' ' -f2)
# A fork may come at any time.
is 'a panic names the last writers' "$(sort <<<"$names" | paste -sd' ')" 'panic_on_oops: panic_on_warn: total_forks:'
is 'the latest first' "$(grep panic_on <<<"$names" | paste -sd' ')" 'panic_on_oops: panic_on_warn:'
contains 'who made a task' "$said" 'by copy_process+'

# Watches of one variable share a register. More than 16 of them would hide the oops.
said=$(console 'printf "total_forks:w name=forks%d\n" {1..20} >ksym_trace_filter
	/bin/true
	echo 1 >/proc/sys/kernel/panic_on_oops
	insmod /mnt/ksym_oops.ko')
is 'an oops names 16 of 20 watches, and its panic none again' "$(grep -c '^ksym: forks[0-9]*: ' <<<"$said")" 16
contains 'after the registers' "$(sed '/^ksym: forks/q' <<<"$said")" 'RIP: 0010:ksym_oops_init'

# An oops that the machine survives is no reason to say nothing in a later panic.
said=$(console 'echo total_forks:w >ksym_trace_filter
	/bin/true
	insmod /mnt/ksym_oops.ko
	echo c >/proc/sysrq-trigger')
is 'a later panic names them again' "$(grep -c '^ksym: total_forks: ' <<<"$said")" 2

# The action panic, with the trace. The machine reboots at once if panic_timeout is negative.
said=$(console 'echo 1 >/proc/sys/kernel/ftrace_dump_on_oops
	echo "panic_timeout:w len=4 if new == 0xfffffff9 then panic" >ksym_trace_filter
	sysctl -q kernel.panic=-6
	echo alive >/dev/kmsg
	sysctl -q kernel.panic=-7
	echo reached >/dev/kmsg')
contains 'panic comes at the first hit that passes' "$(sed '/Kernel panic/q' <<<"$said")" alive
is 'and nothing comes after it' "$(grep -c '^reached' <<<"$said")" 0
is 'it names the access and the values' "$(grep -cE '^Kernel panic - not syncing: ksym: panic_timeout: w4 panic_timeout\+0x0/0x[0-9a-f]+ 0xfffffffa -> 0xfffffff9 by [a-z_]+\+0x[0-9a-f]+/0x[0-9a-f]+$' <<<"$said")" 1
after=$(sed '1,/Kernel panic/d' <<<"$said")
before=$(sed '1,/^alive/d; /Kernel panic/q' <<<"$said")
# It has another name in 7.3.
is 'before it the registers of the culprit' "$(grep -cE 'RIP: 0010:do_proc_(dointvec|int)_conv\+' <<<"$before")" 1
contains 'and its stack' "$before" ' proc_sys_call_handler+'
contains 'the trace has the hit' "$after" ' panic_timeout: w4 panic_timeout+'

# With count=, at the last of them.
said=$(console 'echo "panic_timeout:w len=4 limit=0 count=2 then traceoff,panic" >ksym_trace_filter
	sysctl -q kernel.panic=-6
	echo alive >/dev/kmsg
	sysctl -q kernel.panic=-7')
contains 'count=2: not at the first hit' "$(sed '/Kernel panic/q' <<<"$said")" alive
contains 'count=2: at the second' "$said" 'not syncing: ksym: panic_timeout: w4 panic_timeout+0x0'

said=$(console 'echo total_forks:w >ksym_trace_filter; echo >ksym_trace_filter; echo c >/proc/sysrq-trigger')
is 'without a watch, it says nothing' "$(grep '^ksym: [a-z_]*: ' <<<"$said")" ''
finish

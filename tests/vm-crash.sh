#!/bin/bash
# Tests what is known of the hits after the machine died: the last writers in an oops and in
# a panic.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

module=$KSYM_BUILD/oops
rm -rf "$module"
cp -r "$KSYM_ROOT/tests/oops" "$module"
check 'the module with the oops builds' build_modules "${VM_FLAVOUR:-ksym}" "$module"

# Prints the console of a machine that runs $1 and dies, without time stamps. The runner
# must not find its splats.
console() {
	VM_LOGS=$scratch/logs VM_EXTRA="$module/ksym_oops.ko:/mnt/ksym_oops.ko" \
		CMD="cd /sys/kernel/tracing; $1" "$KSYM_ROOT/scripts/vm.sh" >/dev/null 2>&1 || true
	sed -E 's/^\[ *[0-9.]*\] //' "$scratch/logs/vm-last.log" | tr -d '\r'
}

# A fork after the watches are made; a read of them; a watch that is not hit; one that is
# removed.
said=$(console 'printf "%s\n" total_forks:w nr_threads:rw panic_timeout:rw pid_max:rw total_forks:w\ name=gone \
		>ksym_trace_filter
	/bin/true
	cat /proc/sys/kernel/pid_max >/dev/null
	echo "!gone" >>ksym_trace_filter
	echo c >/proc/sysrq-trigger')
writer='w 0x[0-9a-f]+ -> 0x[0-9a-f]+ by [a-z_]+\+0x[0-9a-f]+/0x[0-9a-f]+ \(.+-[0-9]+, CPU [0-9], 0\.[0-9]{3} s ago\)'
names=$(grep -oE "^ksym: [a-z_]+: r?$writer$" <<<"$said" | cut -d' ' -f2)
is 'a panic names the last writers, the latest first' "$(paste -sd' ' <<<"$names")" 'nr_threads: total_forks:'
contains 'who made a task' "$said" 'by copy_process+'

# Watches of one variable share a register. More than 16 of them would hide the oops.
said=$(console 'printf "total_forks:w name=forks%d\n" {1..20} >ksym_trace_filter
	/bin/true
	insmod /mnt/ksym_oops.ko
	echo c >/proc/sysrq-trigger')
is 'an oops names 16 of 20 watches, and the panic after it none again' "$(grep -c '^ksym: forks[0-9]*: ' <<<"$said")" 16
contains 'after the registers' "$(sed '/^ksym: forks/q' <<<"$said")" 'RIP: 0010:ksym_oops_init'

said=$(console 'echo total_forks:w >ksym_trace_filter; echo >ksym_trace_filter; echo c >/proc/sysrq-trigger')
is 'without a watch, it says nothing' "$(grep '^ksym: ' <<<"$said")" ''
finish

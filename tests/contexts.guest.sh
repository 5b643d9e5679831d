#!/bin/bash
# Runs in the machine: stores a hundred times in every context in which the kernel runs code
# (tests/contexts/), while a watch is armed. Each store must be a hit or a miss with its reason,
# but in an NMI, where the kernel takes all breakpoints out of DR7, and on a CPU that does not run
# tasks yet or any more. Prints TAP; a line has the numbers.
set -u
cd /sys/kernel/tracing || exit
insmod /mnt/ksym_contexts.ko || exit
number=0 failed=0
# A suspend does everything but the sleep.
echo core >/sys/power/pm_test
echo 0 >/sys/module/suspend/parameters/pm_test_delay
# With an option that takes another code path, too.
for option in '' 'changed stack'; do
	while read -r name; do
		number=$((number + 1))
		if [[ $name == suspend && $(uname -r) != 6.* ]]; then
			echo "ok $number - suspend # SKIP 7.3 prints nothing through the port of the machine afterwards"
			continue
		fi
		# The debug kernel has no ACPI.
		if [[ $name == suspend ]] && ! grep -q deep /sys/power/mem_sleep; then
			echo "ok $number - suspend # SKIP this kernel cannot suspend to memory"
			continue
		fi
		echo "ksym_contexts:ksym_contexts_var:w name=stores limit=0 budget=0 $option" >>ksym_trace_filter || exit
		echo "$name" >/sys/kernel/debug/ksym_contexts/run || exit
		read -r hits missed < <(awk '$1 == "stores" { for (i = 7; i <= 15; i++) n += $i; print $2, n }' trace_stat/ksym_tracer)
		records=$(grep -c ' stores: ' trace)
		flags=$(sed -n 's/.*[]] ..\(.\).* stores: .*/\1/p' trace | sort -u)
		echo '!stores' >>ksym_trace_filter || exit
		said=ok wanted=100
		[[ $name != nmi && $name != early_hotplug ]] || wanted=0
		if ((hits + missed != wanted || records != hits || wanted && hits == 0)); then said='not ok' failed=1; fi
		# An int3 counts as an NMI and a hard interrupt.
		if [[ $name == kprobe && $flags != Z ]]; then said='not ok' failed=1; fi
		echo "$said $number - $name${option:+ ($option)}: $hits hits, $missed misses, $records records"
	done </sys/kernel/debug/ksym_contexts/names
done
rmmod ksym_contexts || failed=1
# Ticks count the system time of their CPU (CPUTIME_SYSTEM, 2), wherever in its life a task is. On a
# kernel with KCSAN, what the trap does is compared with what that task does. It has no BTF, and is
# 6.12, where nothing stands before that array.
system='(kernel_cpustat)kernel_cpustat.cpustat[2]:w'
[ -e /sys/kernel/btf/vmlinux ] || system='kernel_cpustat+16:w len=8'
echo "$system name=ticks limit=0 budget=0" >>ksym_trace_filter || exit
tasks=300
[ ! -e /sys/kernel/debug/kcsan ] || tasks=3000
for ((; tasks > 0; tasks--)); do (:); done
# On a busy host there may be none yet. After the hotplug, CPU 1 may have no ticks: QEMU's timer is
# late when the kernel calibrates it. The time limit is that of the machine.
taskset -p 1 $$ >/dev/null
until grep -q -m 1 ' ticks: ' trace; do (:); done
number=$((number + 1))
echo "ok $number - ticks while tasks begin and end"
echo '!ticks' >>ksym_trace_filter || exit
echo "1..$number"
exit $failed

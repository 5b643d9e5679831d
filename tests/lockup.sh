#!/bin/bash
# The kernel's hard lockup detector, with which each CPU checks the timer of the next one,
# must not report anything while a hot watch is armed. It must report a CPU that the
# kernel's module test_lockup locks up.
#
# QEMU has a thread per CPU here. With one thread for both, a busy host could prevent the
# checking CPU from running while the other one spins. With two, a false report would need
# a thread that does not run for 2.4 s.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# The detector checks after three ticks, every 1.2 s per second of watchdog_thresh. test_lockup
# counts loops, whose duration depends on the load of the host when they were calibrated;
# so lockups are repeated until the first report.
# shellcheck disable=SC2016  # the machine's shell reads it
said=$(CMD='set -e
stat_of() { awk -v name="$1" "\$1 == name { print \$2 }" trace_stat/ksym_tracer; }
# Prints the number of reports since the last call.
reports() { dmesg -c | grep -c "detected hard LOCKUP" || true; }
cd /proc/sys/kernel
echo 2 >watchdog_thresh
echo 0 >soft_watchdog
echo 1 >nmi_watchdog
echo 1 >watchdog
cd /sys/kernel/tracing
hot="(pcpu_hot)pcpu_hot.preempt_count"
grep -q " pcpu_hot$" /proc/kallsyms || hot=__preempt_count
echo "hrtimer_interrupts:w name=ticks
$hot:rw name=hot limit=0" >ksym_trace_filter
until [ "$(stat_of ticks)" -ge 18 ]; do (:); done
echo "hits: $([ "$(stat_of hot)" -lt 1000 ] || echo many)"
echo "reports: $(reports)"
# The module works when it is loaded, and loading then fails. This takes less than 10 ms,
# with four hits per page.
modprobe test_lockup disable_irq=1 time_secs=0 alloc_pages_nr=100000 alloc_pages_atomic=1 || true
echo "reports with interrupts off: $(reports)"
echo >ksym_trace_filter
echo 1 >/proc/sys/kernel/watchdog_thresh
until [ "${locked:-0}" -gt 0 ]; do
	modprobe test_lockup disable_irq=1 time_secs=4 || true
	locked=$(reports)
done
echo "a lockup is reported"' "$KSYM_ROOT/scripts/vm.sh" || true)
contains 'there were hits while both CPUs had their timer' "$said" 'hits: many'
contains 'the hot watch causes no report' "$said" 'reports: 0'
contains 'nor with interrupts off' "$said" 'reports with interrupts off: 0'
contains 'a lockup causes one' "$said" 'a lockup is reported'
finish

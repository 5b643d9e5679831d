#!/bin/bash
# The kernel's detector of hard lockups, in which each CPU looks at the next one's timer,
# has nothing to report while a hot watch is armed. It reports a CPU that is locked up,
# which the kernel's module test_lockup does.
#
# With one thread of QEMU for both CPUs, a busy host could keep the CPU that is to look
# from running for as long as the other one spins. With a thread a CPU, it could have one
# stand for long enough only if it kept the thread from running for 2.4 s.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# The detector looks every 1.2 s for each second of watchdog_thresh, when a CPU has had
# three ticks. How long a lockup lasts that counts loops depends on how busy the host was
# when they were measured: so there is one after the other until the first is reported.
# shellcheck disable=SC2016  # the machine's shell reads it
said=$(CMD='set -e
stat_of() { awk -v name="$1" "\$1 == name { print \$2 }" trace_stat/ksym_tracer; }
# Prints how many reports there were since it was asked last.
reports() { dmesg -c | grep -c "detected hard LOCKUP" || true; }
cd /proc/sys/kernel
echo 2 >watchdog_thresh
echo 0 >soft_watchdog
echo 1 >nmi_watchdog
echo 1 >watchdog
cd /sys/kernel/tracing
echo "hrtimer_interrupts:w name=ticks
(pcpu_hot)pcpu_hot.preempt_count:rw name=hot limit=0" >ksym_trace_filter
until [ "$(stat_of ticks)" -ge 18 ]; do (:); done
echo "hits: $([ "$(stat_of hot)" -lt 1000 ] || echo many)"
echo "reports: $(reports)"
# The module does what it is for when it is loaded, and then does not stay. This is less
# than 10 ms of work, with four hits a page.
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
contains 'the hot watch makes no report' "$said" 'reports: 0'
contains 'nor while a CPU works with interrupts off' "$said" 'reports with interrupts off: 0'
contains 'a lockup makes one' "$said" 'a lockup is reported'
finish

#!/bin/bash
# Runs in the machine: events.guest.sh CALLS SEED
#
# A program calls perf_event_open() with random breakpoints (events.c), once as root and once as
# nobody at the same time, while watches come and go. Then all registers must be free. In the
# end it prints the sums. It is an error if less than a fifth was opened, of all or of root, or of
# nobody, who may watch neither the kernel nor a CPU, less than a twentieth.
set -u
cd /sys/kernel/tracing || exit
sysctl -q kernel.perf_event_max_sample_rate=100000 kernel.perf_cpu_time_max_percent=0
mapfile -t addresses < <(awk '$3 ~ /^(nr_threads|max_threads|total_forks|panic_on_oops)$/ { print "0x" $1 }' /proc/kallsyms)

watch() {
	until [[ -e /tmp/ended ]]; do
		echo 'nr_threads:w len=4 flexible name=f' >>ksym_trace_filter && : >/tmp/watched
		echo total_forks:rw >>ksym_trace_filter
		(:)
		cat ksym_slots ksym_trace_filter
		echo "max_threads:rw len=4 pid=$$ inherit" >>ksym_trace_filter
		(:)
		echo '*:---' >>ksym_trace_filter
	done >/dev/null 2>&1
}
watch &
/ksym/events $(($1 / 2)) "$2" "${addresses[@]}" >/tmp/root &
root=$!
chroot --userspec=65534:65534 / /ksym/events $(($1 / 2)) $(($2 + 1000000)) "${addresses[@]}" >/tmp/nobody &
nobody=$!
if ! wait $root || ! wait $nobody; then
	echo 'a program ended early'
	exit 1
fi
: >/tmp/ended
wait
[[ -e /tmp/watched ]] || { echo 'no watch came'; exit 1; }
echo >ksym_trace_filter || exit
taken=$(awk 'NR > 1 && $NF != 4' ksym_slots)
[[ -z $taken ]] || { echo "slots are taken: $taken"; exit 1; }
printf 'nr_threads+%d:w len=1 name=free%d\n' 0 0 1 1 2 2 3 3 >>ksym_trace_filter || exit
awk '{ calls += $1; opened += $3; if ($3 * (NR == 1 ? 5 : 20) < $1) { print FILENAME ": too few were opened: " $0; bad = 1 } }
	END {
		if (opened * 5 < calls) { print "too few were opened"; bad = 1 }
		printf "calls=%d opened=%d\n", calls, opened
		exit bad
	}' /tmp/root /tmp/nobody

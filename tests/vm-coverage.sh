#!/bin/bash
# Checks that each of eight flexible watches in one slot gets an eighth of the time. Time is
# counted in instructions, so that the load of the host does not change the shares.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# Prints the number of turns on CPU 0 and the coverages. A turn that begins and ends between
# two reads is not counted, so the number is a minimum.
# shellcheck disable=SC2016  # the machine's shell reads it
CMD='cd /sys/kernel/tracing
for symbol in panic_timeout panic_on_oops max_threads; do echo "$symbol:w"; done >/tmp/lines
for symbol in nr_threads total_forks console_printk sysctl_panic_on_oom panic_on_warn \
	      randomize_va_space oops_in_progress init_uts_ns; do
	echo "$symbol:w flexible limit=0"
done >>/tmp/lines
cat /tmp/lines >ksym_trace_filter || { cat error_log; exit 1; }
turns=0 last=
while [ $turns -lt 800 ]; do
	while read -r cpu _ _ _ register _; do
		[ "$cpu" != 0 ] || now=$register
	done <ksym_slots
	[ "$now" = "$last" ] || turns=$((turns + 1))
	last=$now
done
echo "turns $turns"
sed -n "s/.*# coverage=\(.*\)%$/\1/p" ksym_trace_filter
' VM_CPUS=1 VM_TIMEOUT=${VM_TIMEOUT:-900} VM_QEMU='-icount shift=0,sleep=off -seed 1' \
	"$KSYM_ROOT/scripts/vm.sh" >"$scratch/coverage"

check 'each has at least a hundred turns' grep -q '^turns 800$' "$scratch/coverage"
is 'there are eight watches' "$(grep -c '^[0-9.]*$' "$scratch/coverage")" 8
is 'each has an eighth of the time, within 10 %' \
	"$(awk '/^[0-9.]*$/ && ($1 < 11.25 || $1 > 13.75)' "$scratch/coverage")" ''
sed 's/^/# /' "$scratch/coverage"
finish

#!/bin/bash
# Eight flexible watches in one slot have an eighth of the time each. The machine counts
# its time in instructions, so that a busy host does not stretch one turn and not
# another.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# Prints the number of turns that CPU 0 was seen to take, and the coverages then. A
# turn that is over between two looks is not counted; so there were at least as many.
# shellcheck disable=SC2016  # the machine's shell reads it
CMD='cd /sys/kernel/tracing
for symbol in pid_max panic_timeout max_threads; do echo "$symbol:w"; done >/tmp/lines
for symbol in nr_threads total_forks console_printk sysctl_panic_on_oom panic_on_oops \
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

check 'a hundred turns of each and more' grep -q '^turns 800$' "$scratch/coverage"
is 'eight watches took part' "$(grep -c '^[0-9.]*$' "$scratch/coverage")" 8
is 'each has an eighth of the time, by a tenth of it more or less' \
	"$(awk '/^[0-9.]*$/ && ($1 < 11.25 || $1 > 13.75)' "$scratch/coverage")" ''
sed 's/^/# /' "$scratch/coverage"
finish

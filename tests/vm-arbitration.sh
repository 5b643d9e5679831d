#!/bin/bash
# Tests who gets a debug register, and the effect on others. The selftest ksym_arbitration
# (tools/testing/selftests/ksym) checks the guarantees. ksym_requests measures the cost of
# breakpoints for others, on our kernel and on Debian's untouched one.
#
# QEMU runs all CPUs in one thread, with which it crashes less often. tsc=reliable: the
# clock must not stand still.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

ours=${VM_FLAVOUR:-ksym}
[[ $ours != pristine ]] || ours=ksym
export VM_FLAVOUR=$ours VM_ACCEL=tcg,thread=single VM_APPEND=tsc=reliable VM_TIMEOUT=${VM_TIMEOUT:-900}

VM_CPUS=4 CMD='/selftests/ksym/ksym_arbitration -F turns' "$KSYM_ROOT/scripts/vm.sh" || failures=1
if has_checkers; then
	skip 'shares of time, and what breakpoints cost others' \
		'checkers take many times as many instructions as the rest of the kernel, so a turn takes too long'
	finish
fi
# Shares of time are shares of instructions, which do not depend on the load of the host.
VM_CPUS=1 VM_ICOUNT=4 CMD='/selftests/ksym/ksym_arbitration -f turns' "$KSYM_ROOT/scripts/vm.sh" || failures=1

# The module of the selftest for the pristine kernel, whose tree does not have it.
module=$KSYM_BUILD/ksym_pmu
echo 'obj-m := ksym_pmu.o' >"$scratch/Makefile"
check 'the module builds for the pristine kernel' build_modules pristine "$module" \
	"$KSYM_ROOT/tools/testing/selftests/ksym/ksym_mod/ksym_pmu.c" "$scratch/Makefile"

# Prints the output of ksym_requests on the flavour $1. The clock counts instructions: on a busy
# host the machine's own interrupts, such as those that wake RCU's thread on another CPU, would
# otherwise fall into each of the attempts.
requests() {
	VM_FLAVOUR=$1 VM_CPUS=4 VM_QEMU='-icount shift=0,sleep=off -seed 1' CMD=/selftests/ksym/ksym_requests "$KSYM_ROOT/scripts/vm.sh" 2>&1 || true
}
requests "$ours" >"$scratch/ours"
program=$KSYM_BUILD/root/selftests-$ours/ksym/ksym_requests
VM_EXTRA="$program:/selftests/ksym/ksym_requests $module/ksym_pmu.ko:/selftests/ksym/ksym_mod/ksym_pmu.ko" \
	requests pristine >"$scratch/pristine"
lines() { grep -c "^$1 " "$2" || true; }
for side in ours pristine; do
	is "$side: the output is complete" "$(lines calls "$scratch/$side") $(lines stat "$scratch/$side")" '9 6'
	sed "s/^/# $side: /" "$scratch/$side"
done

# Passes the test named $1 if the awk expression $2 is true. $a is the line of our kernel
# that begins with $3, $b that of the pristine kernel.
compare() {
	local a b
	a=$(grep "^$3 " "$scratch/ours" || true) b=$(grep "^$3 " "$scratch/pristine" || true)
	if [[ -n $a && -n $b ]] && awk "{ split(\"$b\", b); if (!($2)) exit 1 }" <<<"$a"; then
		ok "$1"
	else
		not_ok "$1" "ours:     $a"$'\n'"pristine: $b"
	fi
}
for request in open fork ptrace; do
	for beside in nothing one all; do
		# shellcheck disable=SC2016  # awk's own
		compare "$request beside $beside: no more interrupts, and none elsewhere" \
			'$4 <= b[4] && $5 == 0' "calls $request $beside"
	done
done
for event in context-switches page-faults pmu-permille; do
	# shellcheck disable=SC2016  # awk's own
	compare "perf stat -a: $event within 2 %" '$3 > 0 && $3 <= 1.02 * b[3] && $3 >= 0.98 * b[3]' "stat $event"
done
# shellcheck disable=SC2016  # awk's own
compare 'perf stat -a: the events of another PMU stay on the CPU' '$3 == b[3]' 'stat pmu-adds'
finish

#!/bin/bash
# Tests CR2 and the debug registers with exceptions and interrupts at the wrong moment, or after
# others: the selftests of patches/fixes pass on our kernel, and each fails on Debian's untouched one.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

ours=${VM_FLAVOUR:-ksym}
[[ $ours != pristine ]] || ours=ksym
modules=$KSYM_BUILD/x86_modules
sources=$KSYM_BUILD/linux-ksym/tools/testing/selftests

selftests=(breakpoint_cr2_test breakpoint_unhandled_test breakpoint_nmi_test.sh)
if [[ $ours == debug ]]; then
	for test in kgdb_late_test.sh 'a breakpoint of kgdb after a CPU came online'; do
		skip "$test" "lockdep reports kgdb's software breakpoints"
	done
else
	selftests+=(kgdb_late_test.sh)
fi
for test in "${selftests[@]}"; do
	check "$test" env VM_FLAVOUR="$ours" CMD="/selftests/breakpoints/$test" "$KSYM_ROOT/scripts/vm.sh"
done
[[ $ours != debug ]] || finish

# The other end of kgdb is a module. The first write to its file registers it.
kgdb=$KSYM_BUILD/kgdb-$ours
check 'the module that uses kgdb builds' build_modules "$ours" "$kgdb" "$KSYM_ROOT"/tests/torture/*
# shellcheck disable=SC2016  # the machine's shell reads it
script='insmod /mnt/ksym_torture.ko
	taskset -p 1 $$ >/dev/null
	cd /sys/kernel/debug/ksym_torture
	cpu=/sys/devices/system/cpu/cpu2/online
	echo 0 >$cpu && echo 1 >kgdb && echo 1 >$cpu && echo 2 >kgdb && echo set twice'
result=$(VM_FLAVOUR=$ours VM_CPUS=3 VM_EXTRA=$kgdb/ksym_torture.ko:/mnt/ksym_torture.ko CMD=$script \
	"$KSYM_ROOT/scripts/vm.sh" 2>&1 || true)
is 'kgdb sets a breakpoint after a CPU came online' "$(tail -n 1 <<<"$result")" 'set twice'

# The modules of the selftests for the pristine kernel, whose tree does not have them.
check 'the modules build for the pristine kernel' build_modules pristine "$modules" \
	"$sources"/breakpoints/x86_modules/{*.c,Makefile}

programs=$KSYM_BUILD/root/selftests-ksym/breakpoints
# The log has warnings of that kernel, so the runner must not search it.
export VM_FLAVOUR=pristine VM_LOGS=$scratch VM_EXTRA="$modules/bp_cr2.ko:/mnt/x86_modules/bp_cr2.ko
$modules/bp_nmi.ko:/mnt/bp_nmi.ko $programs/breakpoint_cr2_test:/mnt/breakpoint_cr2_test"
result=$(CMD=/mnt/breakpoint_cr2_test "$KSYM_ROOT/scripts/vm.sh" || true)
is 'on the pristine kernel, a page fault loses its address' \
	"$(grep -o 'killed by signal 11' <<<"$result")" 'killed by signal 11'
result=$(CMD='insmod /mnt/bp_nmi.ko 2>/dev/null; dmesg | grep -o "bp_nmi: .*"' "$KSYM_ROOT/scripts/vm.sh" || true)
for kind in lost stale; do
	number=$(sed -n "s/.* $kind=\([0-9]*\).*/\1/p" <<<"$result")
	if ((${number:-0} > 0)); then
		ok "on the pristine kernel, $number registers are $kind"
	else
		not_ok "on the pristine kernel, registers are $kind" "$result"
	fi
done
result=$(VM_EXTRA="$modules/bp_unhandled.ko:/mnt/x86_modules/bp_unhandled.ko
$programs/breakpoint_unhandled_test:/mnt/breakpoint_unhandled_test" \
	CMD=/mnt/breakpoint_unhandled_test "$KSYM_ROOT/scripts/vm.sh" || true)
contains 'on the pristine kernel, a breakpoint is handed on after one of ptrace' "$result" 'not ok 2 no notifier'
result=$(VM_EXTRA="$modules/kgdb_late.ko:/mnt/breakpoints/x86_modules/kgdb_late.ko
$sources/breakpoints/kgdb_late_test.sh:/mnt/breakpoints/kgdb_late_test.sh
$sources/kselftest/ktap_helpers.sh:/mnt/kselftest/ktap_helpers.sh" \
	CMD=/mnt/breakpoints/kgdb_late_test.sh "$KSYM_ROOT/scripts/vm.sh" || true)
contains 'on the pristine kernel, kgdb leaves a breakpoint in a register' "$result" 'not ok 1'
finish

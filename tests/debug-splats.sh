#!/bin/bash
# Checks that a debug run finds faults: a module triggers each checker of the debug kernel, or
# KCSAN, and scripts/splats.sh must find each report. In a run without faults it must find
# nothing; on the debug kernel, the log of that boot also has the startup test of the tracer.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

flavour=${VM_FLAVOUR:-debug}
module=$KSYM_BUILD/splat-$flavour
check 'the module with the faults builds' build_modules "$flavour" "$module" "$KSYM_ROOT"/tests/splat/*

# The reports that are expected: of two accesses that race, of one that races with an access that
# KCSAN does not see, and of a barrier that is missing.
words='BUG: KCSAN: data-race in splat_read [ksym_splat] / splat_write [ksym_splat]
BUG: KCSAN: data-race in splat_look
BUG: KCSAN: data-race in splat_consume [ksym_splat] / splat_publish [ksym_splat]'
[[ $flavour == kcsan ]] || words='splat_warning
BUG: KASAN: slab-use-after-free in splat_kasan
UBSAN: shift-out-of-bounds
UBSAN: array-index-out-of-bounds
hw_breakpoint_check
BUG: sleeping function called from invalid context
WARNING: suspicious RCU usage
WARNING: possible circular locking dependency detected
ODEBUG: free active
list_add corruption
BUG: using smp_processor_id() in preemptible
kernel BUG at
new suspected memory leaks'

# The runner must not find these splats.
export VM_LOGS=$scratch/logs
VM_EXTRA="$module/ksym_splat.ko:/mnt/ksym_splat.ko" CMD='insmod /mnt/ksym_splat.ko; echo out' \
	"$KSYM_ROOT/scripts/vm.sh" >"$scratch/out" || true
is 'it runs' "$(tail -n 1 "$scratch/out")" out
# Each report on its own, since splats.sh would find any of them in the whole log.
while IFS= read -r report; do
	grep -iF -- "$report" "$VM_LOGS"/vm-last.log >"$scratch/line" || true
	if "$KSYM_ROOT/scripts/splats.sh" "$scratch/line" >/dev/null; then
		not_ok "found: $report" "$(cat "$scratch/line")"
	else
		ok "found: $report"
	fi
done <<<"$words"

# The tracers of functions are among those that test themselves: all CPUs have one thread
# (CONTRIBUTING.md).
rm -rf "$VM_LOGS"
VM_APPEND=ftrace=none VM_ACCEL=$one_thread VM_TIMEOUT=${VM_TIMEOUT:-900} CMD='dmesg | grep "Testing tracer"; echo out' \
	"$KSYM_ROOT/scripts/vm.sh" >"$scratch/out" || true
is 'it runs without faults' "$(tail -n 1 "$scratch/out")" out
check 'and none in a run without faults' "$KSYM_ROOT/scripts/splats.sh" "$VM_LOGS"/vm-last.log
[[ $flavour == kcsan ]] || contains 'startup test of ksym_tracer' "$(<"$scratch/out")" 'Testing tracer ksym_tracer: PASSED'
finish

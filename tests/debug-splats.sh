#!/bin/bash
# Checks that a debug run finds faults: a module triggers each checker of the debug kernel,
# and scripts/splats.sh must find each report. In a run without faults it must find
# nothing; the log of that boot also has the startup test of the tracer.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

module=$KSYM_BUILD/splat
check 'the module with the faults builds' build_modules debug "$module" "$KSYM_ROOT"/tests/splat/*

# The runner must not find these splats.
export VM_LOGS=$scratch/logs
VM_EXTRA="$module/ksym_splat.ko:/mnt/ksym_splat.ko" CMD='insmod /mnt/ksym_splat.ko && echo in' \
	"$KSYM_ROOT/scripts/vm.sh" >"$scratch/out" || true
is 'it runs' "$(<"$scratch/out")" in
if found=$("$KSYM_ROOT/scripts/splats.sh" "$VM_LOGS"/vm-*.log); then
	not_ok 'the search finds splats'
else
	ok 'the search finds splats'
fi
# Search the whole log, since splats.sh prints only the beginning of a splat.
found+=$(cat "$VM_LOGS"/vm-last.log)
while IFS= read -r words; do
	contains "found: $words" "$found" "$words"
done <<'WORDS'
WARNING: CPU
BUG: KASAN: slab-use-after-free in splat_kasan
UBSAN: shift-out-of-bounds
BUG: sleeping function called from invalid context
WARNING: suspicious RCU usage
WARNING: possible circular locking dependency detected
WORDS

rm -rf "$VM_LOGS"
CMD='dmesg | grep "Testing tracer"' "$KSYM_ROOT/scripts/vm.sh" >"$scratch/out" || true
check 'and none in a run without faults' "$KSYM_ROOT/scripts/splats.sh" "$VM_LOGS"/vm-last.log
# With CONFIG_FTRACE_STARTUP_TEST the tracer tests itself at each boot.
contains 'startup test of ksym_tracer' "$(<"$scratch/out")" 'Testing tracer ksym_tracer: PASSED'
finish

#!/bin/bash
# Proves that a debug run would not be silent: each checker of the debug kernel is given
# something to find, and the search in the logs must find what it says. A run in which
# nothing happens must find nothing; that boot shows the startup test of the tracer, too.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

module=$KSYM_BUILD/splat
rm -rf "$module"
cp -r "$KSYM_ROOT/tests/splat" "$module"
# shellcheck disable=SC2317  # check calls it
build() (
	lock_builds
	kernel_make debug M="$module" modules
)
check 'the module that plants them builds' build

# These splats are wanted, so the runner must not see their log.
export VM_LOGS=$scratch/logs
VM_EXTRA="$module/ksym_splat.ko:/mnt/ksym_splat.ko" CMD='insmod /mnt/ksym_splat.ko && echo in' \
	"$KSYM_ROOT/scripts/vm.sh" >"$scratch/out" || true
is 'it runs' "$(<"$scratch/out")" in
if found=$("$KSYM_ROOT/scripts/splats.sh" "$VM_LOGS"/vm-*.log); then
	not_ok 'the search finds something'
else
	ok 'the search finds something'
fi
# The whole log, since what is shown of a finding is cut.
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
check 'and nothing where nothing was planted' "$KSYM_ROOT/scripts/splats.sh" "$VM_LOGS"/vm-last.log
# With CONFIG_FTRACE_STARTUP_TEST the tracer tests itself at each boot; so at this one.
contains 'startup test of ksym_tracer' "$(<"$scratch/out")" 'Testing tracer ksym_tracer: PASSED'
finish

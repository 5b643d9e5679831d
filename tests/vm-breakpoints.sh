#!/bin/bash
# Runs the kernel's own breakpoint tests: those of its selftests and of perf. Tests that
# fail in QEMU 7.2 with Debian's untouched source too may fail here, and no others
# (VM_FLAVOUR=pristine runs this file there). In QEMU 10 all pass.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

emulation='Test icebp
Test int 3 trap'

CMD='cd /selftests/breakpoints && ./breakpoint_test' "$KSYM_ROOT/scripts/vm.sh" \
	>"$scratch/breakpoints" || true
is 'selftests/breakpoints is complete' \
	"$(grep -c '^\(not \)\?ok ' "$scratch/breakpoints")" 110
is 'selftests/breakpoints fails only where the emulation is wrong' \
	"$(sed -n 's/^not ok [0-9]* //p' "$scratch/breakpoints" | grep -vxF "$emulation" || true)" ''

CMD='perf test Breakpoint; perf test Watchpoint' "$KSYM_ROOT/scripts/vm.sh" \
	>"$scratch/perf" 2>&1
while read -r name; do
	check "perf test: $name" grep -q "$name *: Ok\$" "$scratch/perf"
done <<'NAMES'
Breakpoint overflow signal handler
Breakpoint overflow sampling
Breakpoint accounting
Write Only Watchpoint
Read / Write Watchpoint
Modify Watchpoint
NAMES
finish

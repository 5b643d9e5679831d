#!/bin/bash
# Runs the KUnit suites at boot: ours, and the kernel's own of the breakpoint
# constraints, on four CPUs. The kernel's KTAP parser has the last word on them.
#
# One thread of QEMU runs all four: it is faster so, and with a thread a CPU QEMU 7.2
# crashed in a sixth of the runs, where breakpoints are moved (CONTRIBUTING.md).
#
# The CPU has all instructions that QEMU knows and ksym_access executes, but for fast
# strings, which TCG runs a byte at a time.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

flavour=${VM_FLAVOUR:-ksym}
dmesg=$scratch/dmesg
append=kunit.enable=1
# What goes through all states takes a quarter of an hour with all checks on.
[[ $flavour != debug ]] || append+=' kunit.filter=speed>slow'
cpu=qemu64,+rdrand,+ssse3,+sse4.1,+sse4.2,+popcnt,+aes,+pclmulqdq,+movbe,+cx16
cpu+=,+abm,+bmi1,+bmi2,+clflushopt,+clwb,+xsave,+xsaveopt,+avx,+avx2,+f16c,+fma
VM_ACCEL=${VM_ACCEL:-tcg,thread=single} VM_QEMU="-cpu $cpu ${VM_QEMU:-}" VM_CPUS=4 VM_TIMEOUT=${VM_TIMEOUT:-900} VM_APPEND=$append CMD=dmesg "$KSYM_ROOT/scripts/vm.sh" >"$dmesg"
kunit=$KSYM_BUILD/linux-$flavour/tools/testing/kunit/kunit.py

# The suites' own lines, for the runner to count, and what did not hold.
sed -n 's/^\[ *[0-9.]*\] \( *\(ok\|not ok\|# Subtest\).*\)$/\1/p' "$dmesg"
grep -A 3 -E '(EXPECTATION|ASSERTION) FAILED' "$dmesg" | sed 's/^/# /' || true
tests=2 # the suites' summaries
suites=(ksym ksym_parse ksym_btf ksym_access hw_breakpoint)
suites+=(hw_breakpoint_rules hw_breakpoint_flexible hw_breakpoint_turns hw_breakpoint_move)
for suite in "${suites[@]}"; do
	check "suite $suite ran" grep -q "^\[ *[0-9.]*\] *ok [0-9]* $suite\$" "$dmesg"
done
is "ksym_access skips nothing" "$(grep -c 'this CPU does not have it' "$dmesg")" 0
check "kunit.py finds nothing wrong" python3 "$kunit" parse "$dmesg"
finish

#!/bin/bash
# Runs the KUnit suites at boot on four CPUs: ours, and the kernel's suite for breakpoint
# constraints. The kernel's KTAP parser checks the results.
#
# QEMU runs all CPUs in one thread: that is faster, and with a thread per CPU QEMU 7.2
# crashed in a sixth of the runs, in the tests that move breakpoints.
#
# The CPU has all instructions that ksym_access executes and QEMU supports, except fast
# strings, which TCG runs a byte at a time.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

flavour=${VM_FLAVOUR:-ksym}
dmesg=$scratch/dmesg
append=kunit.enable=1
# With checkers, the tests of all states take a quarter of an hour.
! has_checkers || append+=' kunit.filter=speed>slow kunit.filter_action=skip'
cpu=qemu64,+rdrand,+ssse3,+sse4.1,+sse4.2,+popcnt,+aes,+pclmulqdq,+movbe,+cx16
cpu+=,+abm,+bmi1,+bmi2,+clflushopt,+clwb,+xsave,+xsaveopt,+avx,+avx2,+f16c,+fma
VM_ACCEL=$one_thread VM_QEMU="-cpu $cpu ${VM_QEMU:-}" VM_CPUS=4 VM_TIMEOUT=${VM_TIMEOUT:-900} VM_APPEND=$append CMD=dmesg "$KSYM_ROOT/scripts/vm.sh" >"$dmesg"
kunit=$KSYM_BUILD/linux-$flavour/tools/testing/kunit/kunit.py

# The results of the suites, for the runner, and failed expectations.
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

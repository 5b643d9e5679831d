#!/bin/bash
# Runs all test cases of the tree's own ftracetest on our kernel and on the pristine one. None
# fails on ours, and what passes on the pristine kernel passes there, too.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/ftracetest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ftracetest.sh"

# Prints what ftracetest prints on the flavour $1, after the command $2 if given. What lacks a
# module or a program, and so is unresolved, is skipped.
run_on() {
	VM_FLAVOUR=$1 VM_ACCEL=$one_thread VM_TIMEOUT=${VM_TIMEOUT:-1800} CMD="cd /selftests/ftrace
${2:-}
./ftracetest -K && exit
$ftracetest_logs" "$KSYM_ROOT/scripts/vm.sh" | sed -uE 's/^not ok (.*) # UNRESOLVED/ok \1 # SKIP unresolved/'
}

# Prints the names of the test cases that passed, from the output of ftracetest in stdin.
passed() { sed -nE '/# SKIP/d; s/^ok [0-9]+ //p' | sort -u; }

ours=${VM_FLAVOUR:-ksym}
[[ $ours != pristine ]] || ours=ksym
if [[ $ours == debug ]]; then
	skip "the tree's ftracetest" 'it takes too long on the debug kernel'
	finish
fi
# The test cases have their own numbers.
run_on "$ours" | tee "$scratch/ours" || failures=1
check 'the pristine kernel' "$KSYM_ROOT/scripts/kernel.sh" pristine
# One test case oopses the pristine 6.12; vm-fixes runs it there.
export VM_LOGS=$scratch
run_on pristine "$([[ $KSYM_BASE != 6.12 ]] || echo rm test.d/dynevent/add_remove_tprobe_module.tc)" >"$scratch/pristine" || true
check 'the pristine kernel runs all test cases' grep -q '^# Totals:' "$scratch/pristine"
is 'what passes on the pristine kernel passes on ours' \
	"$(comm -23 <(passed <"$scratch/pristine") <(passed <"$scratch/ours"))" ''
echo "# pristine kernel: $(grep -m 1 -o 'Totals:.*' "$scratch/pristine")"
finish

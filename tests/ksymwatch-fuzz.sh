#!/bin/bash
# Fuzzes the input of ksymwatch under ASan and UBSan, with some thousand inputs per target. For
# longer runs: tests/fuzz/ksymwatch.sh TARGET SECONDS.
set -uo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
set +e

# Runs the fuzzer $1 with $2 inputs, and shows its report if it fails.
fuzz() {
	local output status
	output=$("$KSYM_ROOT/tests/fuzz/ksymwatch.sh" "$1" 0 -runs="$2" -seed=1 2>&1)
	status=$?
	if [[ $status != 0 ]]; then
		not_ok "$1: nothing is found" "$(grep -aE 'ERROR|SUMMARY|    #[0-9]+ |Base64|fuzz:' <<<"$output" | head -n 30)"
		return
	fi
	ok "$1: nothing is found"
	is 'all inputs were run' "$(($(sed -n 's/^stat::number_of_executed_units: *//p' <<<"$output") >= $2))" 1
}
fuzz specs 3000
fuzz symbols 10000
fuzz records 1000
fuzz recordings 1000
finish

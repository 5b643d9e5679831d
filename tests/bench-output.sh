#!/bin/bash
# Tests the speed of ksymwatch with a large recording, beside trace-cmd: that no bound of
# bench/output.sh is exceeded. Prints the table.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$KSYM_ROOT/scripts/tools.sh"
status=0
table=$("$KSYM_ROOT/bench/output.sh" 2>&1) || status=$?
is 'all commands are quick, small and read all' "$status $(grep -cE '^(trace-cmd|ksymwatch) [a-z -]+ [1-9][0-9]*  ' <<<"$table")" '0 6'
printf '%s\n' "$table" | sed 's/^/# /'

# Prints the instructions of a command for a file with $1 hits, each of another object.
instructions() {
	python3 "$KSYM_ROOT/bench/recording.py" objects.dat "$1" 1000 4096 "$1"
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$KSYM_SHARED/tools/ksymwatch" "${@:2}" objects.dat 2>&1 >/dev/null |
		sed -n 's/.*Collected : //p'
}
cd "$scratch"
for command in 'export --perfetto' plot; do
	# shellcheck disable=SC2086  # it is split into words
	few=$(instructions 2000 $command) many=$(instructions 8000 $command)
	check "$command: $few instructions for 2000 objects, and $many for four times as many" test "$many" -lt $((6 * few))
done
finish

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
finish

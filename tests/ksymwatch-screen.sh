#!/bin/bash
# Tests the commands of ksymwatch that show a state: doctor, stat, top and the progress
# line, built with the sanitizers, in the machine (ksymwatch.guest-screen.sh).
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"

ksymwatch=$sanitized/ksymwatch
build_sanitized

run_guest screen "$ksymwatch" | tee "$scratch/guest" || failures=1

# The machine has no JSON parser, so it prints the lines as comments.
sed -n 's/^# json //p' "$scratch/guest" >"$scratch/json"
is 'the JSON output is valid' "$(python3 -c '
import json, sys
for line in open(sys.argv[1]):
    print(sorted(json.loads(line))[0])
' "$scratch/json" 2>&1 | sort | uniq -c | xargs)" "$(grep -q '"advice"' "$scratch/json" && true; sed -n 's/^{"type":"check".*"advice".*/advice/p; t; s/^{"type":"check".*/check/p; t; s/^{"type":"count".*/changes/p' "$scratch/json" | sort | uniq -c | xargs)"
exit $((failures != 0))

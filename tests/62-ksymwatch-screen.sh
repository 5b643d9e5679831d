#!/bin/bash
# Tests what of ksymwatch shows a state: doctor, stat, top and the progress line, built
# with the sanitizers. What needs no kernel is tried here, the rest in the machine
# (ksymwatch.guest-screen.sh).
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"

ksymwatch=$sanitized/ksymwatch
build_sanitized

# --- Here --------------------------------------------------------------------------

while IFS='|' read -r arguments text; do
	status=0
	# shellcheck disable=SC2086  # words they are
	"$ksymwatch" $arguments >"$scratch/out" 2>&1 </dev/null || status=$?
	is "a wrong command line: '$arguments'" "$status $(<"$scratch/out")" \
		"2 ksymwatch: ${arguments%% *}: $text (see ksymwatch ${arguments%% *} --help)"
done <<'END'
doctor x|'x' is too much
doctor --frob|there is no option '--frob', or not in this form
stat x --|the COMMAND behind -- is missing
stat -r|'-r' wants an argument
stat -r 0 x -- true|'0' is no number of runs: 1 to 1000000
stat -r 1x x -- true|'1x' is no number of runs: 1 to 1000000
stat -r 99999999999999999999 x -- true|'99999999999999999999' is no number of runs: 1 to 1000000
stat -r 2 x|--repeat wants -- and a COMMAND
stat --append x -- true|--append wants --output FILE beside it
stat --frob|there is no option '--frob', or not in this form
top -d|'-d' wants an argument
top -d 0|'0' is no delay in seconds: 0.01 to 86400
top -d nan|'nan' is no delay in seconds: 0.01 to 86400
top -d 1e9|'1e9' is no delay in seconds: 0.01 to 86400
top -d 1s|'1s' is no delay in seconds: 0.01 to 86400
top -n 0|'0' is no number of refreshes: 1 or more
top -n x|'x' is no number of refreshes: 1 or more
top -s frob|there is no column 'frob': the heading of one is wanted, as in hits/s
top --frob|there is no option '--frob', or not in this form
record x --|the COMMAND behind -- is missing
END
for command in doctor stat top; do
	status=0
	"$ksymwatch" "$command" --help >"$scratch/out" 2>&1 || status=$?
	contains "ksymwatch $command --help" "$status $(<"$scratch/out")" "0 usage: ksymwatch $command "
done

# --- In the machine ------------------------------------------------------------------

run_guest screen "$ksymwatch" | tee "$scratch/guest" || failures=1

# The machine has nothing that reads JSON; it prints each line of it as a comment.
sed -n 's/^# json //p' "$scratch/guest" >"$scratch/json"
is 'what is to be JSON is' "$(python3 -c '
import json, sys
for line in open(sys.argv[1]):
    print(sorted(json.loads(line))[0])
' "$scratch/json" 2>&1 | sort | uniq -c | xargs)" "$(grep -q '"advice"' "$scratch/json" && true; sed -n 's/^{"type":"check".*"advice".*/advice/p; t; s/^{"type":"check".*/check/p; t; s/^{"type":"count".*/changes/p' "$scratch/json" | sort | uniq -c | xargs)"
exit $((failures != 0))

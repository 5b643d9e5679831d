#!/bin/bash
# Searches kernel logs for what a kernel prints when something went wrong in it:
# scripts/splats.sh LOG…   It prints each finding with a few lines behind it, and ends
# with 1 when there was one, with 0 when there was none.
set -euo pipefail

# What the checkers of scripts/debug.config say, and what every kernel says.
splats=(
	'BUG:' 'WARNING:' 'Kernel panic' 'Oops' 'general protection fault'
	'KASAN:' 'UBSAN:' 'ODEBUG:' 'refcount_t:' 'list_(add|del) corruption'
	'possible (recursive locking|circular locking|irq lock inversion)'
	'inconsistent lock state' 'suspicious RCU usage' 'bad unlock balance' 'held lock freed'
	'lock held when returning to user space' 'still has locks held'
	'sleeping function called from invalid context' 'scheduling while atomic'
	'INFO: task .* blocked' 'self-detected stall' 'detected stalls' 'soft lockup'
	'Invalid wait context' 'turning off the locking correctness validator'
	# A tracer's startup test.
	'Testing tracer .*FAILED' '\.\. no entries found \.\.FAILED'
)
pattern=$(IFS='|' && echo "${splats[*]}")

status=0
for log in "$@"; do
	[[ -f $log ]] || continue
	if grep -qE "$pattern" "$log"; then
		status=1
		printf '# %s:\n' "$log"
		grep -E -A 12 "$pattern" "$log" | head -n 60 | tr -d '\r' | sed 's/^/#   /'
	fi
done
exit "$status"

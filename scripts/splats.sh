#!/bin/bash
# Searches kernel logs for splats: scripts/splats.sh LOG…
#
# It prints each splat with the lines after it. The status is 1 if there is any.
set -euo pipefail

# The messages of every kernel, and of the checkers in scripts/debug.config.
splats=(
	'BUG:' 'WARNING:' 'Kernel panic' 'Oops' 'general protection fault'
	'KASAN:' 'UBSAN:' 'ODEBUG:' 'refcount_t:' 'list_(add|del) corruption'
	'possible (recursive locking|circular locking|irq lock inversion)'
	'inconsistent lock state' 'suspicious RCU usage' 'bad unlock balance' 'held lock freed'
	'lock held when returning to user space' 'still has locks held'
	'sleeping function called from invalid context' 'scheduling while atomic'
	'INFO: task .* blocked' 'self-detected stall' 'detected stalls' 'soft lockup'
	'Invalid wait context' 'turning off the locking correctness validator'
	'kmemleak: [0-9]+ new suspected' '[kK]ernel BUG at'
	# The startup test of a tracer.
	'Testing tracer .*FAILED' '\.\. no entries found \.\.FAILED'
)
pattern=$(IFS='|' && echo "${splats[*]}")

status=0
for log in "$@"; do
	[[ -f $log ]] || continue
	if grep -qE "$pattern" "$log"; then
		status=1
		printf '# %s:\n' "$log"
		grep -E -A 12 "$pattern" "$log" | tr -d '\r' | sed -e 's/^/#   /' -e '61,$d'
	fi
done
exit "$status"

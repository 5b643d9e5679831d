#!/bin/bash
# The manual: its examples run in the machine and print what it says, its list of errors
# is made from the tracer's table, it has each counter of trace_stat, and it is correct
# reST.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

manuals=$KSYM_ROOT/Documentation/trace
manual=$manuals/ksym.rst
examples() { python3 "$KSYM_ROOT/tests/manual_examples.py" "$@"; }

is 'the list of errors is current' "$("$manuals/ksym-errors.sh" -n)" "$(<"$manuals/ksym-errors.txt")"
is 'and has each error' "$(grep -c '^- ' "$manuals/ksym-errors.txt")" \
	"$(grep -c '^KSYM_ERROR(' "$KSYM_ROOT/kernel/trace/ksym/ksym_errors.h")"

missing=$(sed -n 's/^KSYM_COUNT(\(.*\))$/\1/p' "$KSYM_ROOT/kernel/trace/ksym/ksym_counts.h" | while read -r name; do
	grep -q "^\`\`$name\`\`" "$manual" || echo "$name"
done)
is 'the manual describes each counter' "$missing" ''

# docutils knows code-block as code.
for file in "$manual" "$manuals/ksym-design.rst"; do
	if ! command -v rst2html >/dev/null; then
		skip "$(basename "$file") is correct reST" 'python3-docutils is not installed'
	else
		is "$(basename "$file") is correct reST" \
			"$(sed 's/^\.\. code-block::/.. code::/' "$file" | (cd "$manuals" && rst2html --syntax-highlight=none --report=2 - 2>&1 >/dev/null))" ''
	fi
done

if [[ $KSYM_BASE != 6.12 ]]; then
	skip 'the examples print what the manual says' 'they have functions of 6.12'
	finish
fi
# The machine boots with the watches and the instance of the manual's own examples.
words=$(grep -oE '^  (ksym_watch="|memmap=).*' "$manual" | paste -sd' ')
{
	# shellcheck disable=SC2016  # the machine expands it
	echo 'cp /selftests/ksym/ksym_mod/*.ko "/usr/lib/modules/$(uname -r)/kernel/" && depmod'
	examples script "$manual"
} >"$scratch/examples.sh"
VM_APPEND=$words CMD='bash /ksym/examples.sh' VM_EXTRA="$scratch/examples.sh:/ksym/examples.sh" \
	"$KSYM_ROOT/scripts/vm.sh" >"$scratch/output" || not_ok 'the machine runs the examples' "$(tail -n 5 "$scratch/output")"
is 'the examples print what the manual says' "$(examples compare "$manual" "$scratch/output")" ''
is 'and there are some' "$(($(grep -c '^== ' "$scratch/output") > 25))" 1
finish

#!/bin/bash
# The manual must hold each error that the kernel can tell, with its errno, and each
# column of trace_stat; a new one is forgotten there easily.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

manual=$KSYM_ROOT/Documentation/trace/ksym.rst
tracer=$KSYM_ROOT/kernel/trace/ksym

# Prints "ERRNO TEXT" of each error in the table.
errors() { perl -0ne 'print "$1 $2\n" while /^KSYM_ERROR\(\w+,\s*(\w+),\s*"([^"]*)"/mg' "$tracer/ksym_errors.h"; }

missing=$(errors | while read -r errno text; do
	grep -A 1 -F "* - \`\`$text\`\`" "$manual" | grep -q "$errno" || echo "$errno: $text"
done)
is 'each error stands in the manual' "$missing" ''
is 'and there are some' "$(($(errors | wc -l) > 20))" 1

missing=$(sed -n 's/^KSYM_COUNT(\(.*\))$/\1/p' "$tracer/ksym_counts.h" | while read -r name; do
	grep -q "^\`\`$name\`\`" "$manual" || echo "$name"
done)
is 'each column of trace_stat stands in the manual' "$missing" ''
finish

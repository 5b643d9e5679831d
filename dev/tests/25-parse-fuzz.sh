#!/bin/bash
# The parser in user space: a million lines under ASan and UBSan.
set -euo pipefail
# shellcheck source=dev/tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

check 'the parser compiles in user space' gcc -std=gnu11 -Wall -Wextra -Wno-sign-compare \
	-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
	-I "$KSYM_ROOT/dev/fuzz/include" -I "$KSYM_BUILD/linux-ksym/tools/include" \
	-I "$KSYM_ROOT/kernel/trace/ksym" "$KSYM_ROOT/dev/fuzz/parse.c" \
	"$KSYM_BUILD/linux-ksym/tools/lib/"{ctype,vsprintf}.c -o "$scratch/parse"
check 'a million lines are parsed, and written back as they were' "$scratch/parse" 1000000
finish

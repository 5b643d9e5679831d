#!/bin/bash
# Runs the parser in user space with a million lines under ASan and UBSan, and checks that
# they reach every line of ksym_parse.c.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# shellcheck disable=SC2317  # check calls it
compile() {
	gcc -std=gnu11 -Wall -Wextra -Wno-sign-compare -g "$@" \
		-I "$KSYM_ROOT/tools/ksymwatch/spec/include" \
		-I "$KSYM_ROOT/kernel/trace/ksym" "$KSYM_ROOT/tests/fuzz/parse.c"
}

# Prints the lines of ksym_parse.c that were never executed, according to gcov.
unreached() {
	(cd "$scratch" && ./covered 1000000 && gcov -o . covered-parse.gcda >gcov.said)
	[[ -s $scratch/ksym_parse.c.gcov ]] || { echo 'gcov printed nothing'; return; }
	grep '#####:' "$scratch/ksym_parse.c.gcov" || true
}

check 'the parser compiles in user space' compile -O1 \
	-fsanitize=address,undefined -fno-sanitize-recover=all -o "$scratch/parse"
check 'a million lines are parsed and written back' "$scratch/parse" 1000000
check 'the parser compiles for gcov' compile -O0 --coverage -o "$scratch/covered"
is 'every line of ksym_parse.c is reached' "$(unreached)" ''
finish

#!/bin/bash
# Tests how make mutate plants faults (tests/mutate/plant.py): one in each long function, which is
# off until its number is given, and which stays the same when other functions change.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# Prints the function $1 with the statements $2; a comment makes it long.
long_function() {
	printf 'static int %s(int x)\n{\n' "$1"
	printf '\t/* x < 1, if (x) y = 1; return -1; */\n%.0s' {1..11}
	printf '%s\n}\n\n' "$2"
}

# Writes a program of long functions and a short one, and plants faults in it.
plant() {
	mkdir -p "$scratch/tools"
	{
		printf '#include <stdio.h>\n#include <stdlib.h>\n\nstatic int y;\n\n'
		long_function negated $'\tif (x)\n\t\treturn 5;\n\treturn 6;'
		long_function dropped $'\ty = x;\n\treturn y;'
		long_function one_off $'\treturn x <= 3;'
		long_function more $'\treturn x - 1;'
		long_function error $'\tputs("if (x)");\n\treturn -1;'
		long_function cleanup $'\tgoto two;\none:\n\treturn 1;\ntwo:\n\treturn 2;'
		long_function no_case $'\tswitch (x) {\n\tcase 1:\n\t\treturn 5;\n\t}\n\treturn 6;'
		long_function sized $'\tif (x == sizeof(x))\n\t\treturn 3;\n\treturn 4;'
		printf 'static int is_short(int x)\n{\n\tif (x)\n\t\treturn 1;\n\treturn 0;\n}\n\n'
		printf 'int main(void)\n{\n\tprintf("%%d %%d %%d %%d %%d %%d %%d %%d %%d\\n", negated(1), dropped(7), one_off(3), more(3), error(0), cleanup(0), no_case(1), sized(1), is_short(1));\n}\n'
	} | sed "${1:-}" >"$scratch/tools/it.c"
	python3 "$KSYM_ROOT/tests/mutate/plant.py" 1 "$scratch" tools/it.c -- tools/it.c >"$scratch/list"
}

plant
is 'each long function has a fault' "$(cut -f 4 "$scratch/list" | xargs)" 'negated dropped one_off more error cleanup no_case sized'
is 'and no place is in a comment or a string' "$(cut -f 7 "$scratch/list" | grep -c '"\|/\*')" 0
check 'it compiles' gcc -Wall -Wextra -Wno-unused-function -o "$scratch/it" "$scratch/tools/it.c"
is 'without a number nothing changes' "$("$scratch/it" | tail -n 1)" '5 7 1 2 -1 2 5 4 1'
# Prints which of the values differ with the fault $1.
changed() {
	KSYM_MUTANTS=$1 "$scratch/it" | tail -n 1 |
		awk '{ split("5 7 1 2 -1 2 5 4 1", was); for (i = 1; i <= NF; i++) if ($i != was[i]) printf "%d", i }'
}
seen=
while read -r number _; do seen+=" $(changed "$number")"; done <"$scratch/list"
is 'each fault changes its function' "$seen" ' 1 2 3 4 5 6 7 8'
is 'two can be on at a time' "$(changed 1,3)" 13
check 'named.patch fits the sources' patch -s -p1 -F0 --dry-run -d "$KSYM_BUILD/linux-ksym" -i "$KSYM_ROOT/tests/mutate/named.patch"
before=$(cut -f 2,4,6,7 "$scratch/list")
plant '/^static int y/a static int z;'
is 'other lines move no fault' "$(cut -f 2,4,6,7 "$scratch/list")" "$before"
finish

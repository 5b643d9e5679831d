#!/bin/bash
# make tried: the table in the manual has the sums of the records.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# A history of its own, since the one of a clone may be short.
git init -q "$scratch/history"
for name in older newer; do
	git -C "$scratch/history" -c user.name=Test -c user.email=test@localhost commit -q --allow-empty -m "$name"
done
{ read -r newer; read -r older; } < <(git -C "$scratch/history" log --abbrev=12 --format=%h)
export GIT_DIR=$scratch/history/.git
export KSYM_SOURCE_CACHE=$scratch
mkdir "$scratch/rounds"
# record NAME AGE LINE…
record() {
	printf '%s\n' "${@:3}" >"$scratch/rounds/$1"
	touch -d "$2 days ago" "$scratch/rounds/$1"
}
record "torture.6.12.ksym.$newer" 2 '1 61 audits=999' '2 60 audits=1'
record "torture.6.12.ksym.$older" 3 '1 60 audits=5'
record "torture.6.12.debug.$newer" 1 '1 3600 audits=7'
record "torture.6.12.ksym.$newer-changed" 0 '1 60 audits=6'
record torture.6.12.ksym.dddddddddddd 0 '1 60 audits=8'
record "torture.7.3.ksym.$newer" 0 '1 60 audits=1234567'
: >"$scratch/rounds/fuzz-files.6.12.ksym.$newer"
# Of these rows, the debug kernel has a new record.
sed '/^.. Written by "make tried"/,/^.. to here/{
/^[^.]/d
/from here/a \
\
all uses at once       6.12 debug  9999  1 minutes, 1 audits\
all uses at once       6.12 kcsan  8888  2 minutes, 3 audits\
decoder: instructions  6.12        7777  4 minutes, 5 inputs
}' "$KSYM_ROOT/Documentation/trace/ksym.rst" >"$scratch/manual"
check 'the table is written' "$KSYM_ROOT/scripts/tried.sh" "$scratch/manual"
check 'and written again' "$KSYM_ROOT/scripts/tried.sh" "$scratch/manual"
is 'it has the newest commit of each base and kernel, and the rows without a record' \
	"$(sed -n '/^.. Written by "make tried"/,/^.. to here/p' "$scratch/manual" | grep -v '^==\|^planted faults' | tr -s ' ')" \
	".. Written by \"make tried\", from here

what kernel commit how much
all uses at once 6.12 $newer 3 minutes, 1,000 audits
all uses at once 6.12 debug $newer 60 minutes, 7 audits
all uses at once 6.12 kcsan 8888 2 minutes, 3 audits
all uses at once 7.3 $newer 1 minutes, 1,234,567 audits
decoder: instructions 6.12 7777 4 minutes, 5 inputs

.. to here"
contains 'it has the sums of the planted faults' "$(grep '^planted faults: kernel ' "$scratch/manual")" \
	" $(grep -c $'\tseen\t[ak]' "$KSYM_ROOT/tests/mutate/results") seen, "
without_table() { sed '/^.. Written by "make tried"/,/^.. to here/d' "$1"; }
is 'all else is unchanged' "$(without_table "$scratch/manual")" "$(without_table "$KSYM_ROOT/Documentation/trace/ksym.rst")"
finish

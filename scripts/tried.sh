#!/bin/bash
# Writes the section "What was tried" of the manual: scripts/tried.sh [MANUAL]
#
# The figures are the sums of the records that make torture, make fuzz and make check have left in
# ~/.cache/ksym (see scripts/rounds.sh): for each test, base and kernel those of the commit that was
# tried last. Records of changes that are not committed are left out, and those of commits that are
# not in the history (amended ones). A row of the manual stays if this machine has no record of its
# test on its kernel. The sums of make mutate are those of its results in tests/mutate, and the commit
# is theirs.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/rounds.sh
. "$(dirname "${BASH_SOURCE[0]}")/rounds.sh"
# shellcheck source=scripts/faults.sh
. "$(dirname "${BASH_SOURCE[0]}")/faults.sh"
KSYM_NAME=tried

manual=${1:-$KSYM_ROOT/Documentation/trace/ksym.rst}
begin='.. Written by "make tried", from here'

# TEST|WHAT, in the order of the table.
titles='check|all tests
inject|failed calls, allocations
contexts|stores in each context
hot|hot and internal targets
torture|all uses at once
fuzz-parser|parser: watches
fuzz-decoder|decoder: instructions
fuzz-files|tracefs: writes
fuzz-events|perf_event_open()
fuzz-specs|ksymwatch: watches
fuzz-symbols|ksymwatch: symbols
fuzz-records|ksymwatch: records
fuzz-recordings|ksymwatch: recordings
mutate-kernel|planted faults: kernel
mutate-tool|planted faults: ksymwatch'

# Prints "TEST BASE FLAVOUR COMMIT" of the records that are not empty, the newest first.
records() {
	local test base flavour commit
	find "$KSYM_SOURCE_CACHE/rounds" -type f -size +0 ! -name '*-changed' -printf '%T@ %f\n' | sort -rn |
		sed -nE 's/^[^ ]+ ([^.]+)\.([0-9.]+)\.([^.]+)\.([^.]+)$/\1 \2 \3 \4/p' |
		while read -r test base flavour commit; do
			! git -C "$KSYM_ROOT" merge-base --is-ancestor "$commit" HEAD 2>/dev/null ||
				echo "$test $base $flavour $commit"
		done
}

# Prints the sums in stdin as "60 minutes, 1,234 audits", the first four beside the time.
text_of() {
	awk -v RS='[ \n]' -F = '
		$1 == "rounds" || ++n > 5 { next }
		$1 == "seconds" { $1 = "minutes"; $2 = int(($2 + 59) / 60) }
		{
			while (match($2, /[0-9][0-9][0-9][0-9](,|$)/)) $2 = substr($2, 1, RSTART) "," substr($2, RSTART + 1)
			said = said (said ? ", " : "") $2 " " $1
		}
		END { print said }'
}

# Prints the rows of the records: the columns are separated by bars.
new_rows() {
	local what name test base flavour commit sums records
	records=$(records)
	while IFS='|' read -r name what; do
		if [[ $name == mutate-* ]]; then
			sums=$(sums_of_faults "${name#mutate-}")
			commit=$(git -C "$KSYM_ROOT" log -1 --abbrev=12 --format=%h -- "$results")
			[[ $sums == tried=0\ * ]] || printf '%s|6.12|%s|%s\n' "$what" "$commit" "$(text_of <<<"$sums")"
			continue
		fi
		while read -r test base flavour commit; do
			printf '%s|%s%s|%s|%s\n' "$what" "$base" "$([[ $flavour == ksym ]] || echo " $flavour")" "$commit" \
				"$(sums_of "$KSYM_SOURCE_CACHE/rounds/$test.$base.$flavour.$commit" | text_of)"
		done < <(awk -v test="$name" '$1 == test && !seen[$2, $3]++' <<<"$records")
	done <<<"$titles"
}

# Prints the rows of the manual.
old_rows() { sed -n "/^$begin\$/,/^.. to here\$/s/   */|/gp" "$manual" | grep -v '^='; }

# Prints all rows, the first for each test and kernel.
rows() {
	echo 'what|kernel|commit|how much'
	{ new_rows; old_rows; } |
		awk -F '|' 'FILENAME == ARGV[1] { nth[$2] = FNR; next } $1 in nth && !seen[$1, $2]++ { print nth[$1] "|" $0 }' \
			<(echo "$titles") - | LC_ALL=C sort -t '|' -k 1,1n -k 3,3 | cut -d '|' -f 2-
}

# Prints the rows in stdin as a table.
table() {
	awk -F '|' '
		{
			row[NR] = $0
			for (i = 1; i <= NF; i++) if (length($i) > width[i]) width[i] = length($i)
		}
		END {
			for (i = 1; i <= NF; i++) {
				bars = sprintf("%*s", width[i], "")
				gsub(/ /, "=", bars)
				rule = rule (i > 1 ? "  " : "") bars
			}
			print rule
			for (n = 1; n <= NR; n++) {
				split(row[n], cell)
				line = ""
				for (i = 1; i <= NF; i++) line = line sprintf("%-*s  ", width[i], cell[i])
				sub(/ +$/, "", line)
				print line
				if (n == 1) print rule
			}
			print rule
		}'
}

mkdir -p "$KSYM_SOURCE_CACHE/rounds"
rows | table | replace_section "$manual" "$begin"

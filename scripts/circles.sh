#!/bin/bash
# Checks the layers of objects that are linked together: scripts/circles.sh TABLE OBJECT…
#
# An arrow leads from the object that uses a symbol to the object that defines it. A line
# of TABLE is a layer: its rank, its name, and patterns of its objects' names without
# ".o". The first pattern that matches counts. An arrow may stay in a layer or lead to a
# layer of lower rank, and no arrows may form a circle.
#
# Prints a line for each object without a layer, each forbidden arrow and each circle,
# with the symbols that cause it. The status is 1 if there is any.
set -euo pipefail
table=$1
shift
# A line an arrow: from, to, symbols.
arrows=$(nm -A -g -P "$@" | awk '
	{ sub(/\.o:$/, "", $1) }
	$3 ~ /^[Uvw]$/ { users[$2] = users[$2] " " $1; next }
	{ definer[$2] = $1 }
	END {
		for (symbol in definer) {
			n = split(users[symbol], user)
			for (i = 1; i <= n; i++)
				if (user[i] != definer[symbol]) print user[i], definer[symbol], symbol
		}
	}' | LC_ALL=C sort | awk '
	$1 " " $2 == pair { line = line " " $3; next }
	{ if (line) print line; pair = $1 " " $2; line = $0 }
	END { if (line) print line }')

misplaced() {
	awk '
		function place(object, i) { for (i = 1; i <= n && object !~ pattern[i]; i++); return i }
		FILENAME == ARGV[1] && /^[0-9]/ {
			for (i = 3; i <= NF; i++) {
				rank[++n] = $1; layer[n] = $2
				gsub(/\*/, ".*", $i); pattern[n] = "^" $i "$"
			}
		}
		FILENAME == ARGV[1] { next }
		NF == 1 { sub(/\.o$/, ""); if (place($1) > n) print $1 ": in no layer"; next }
		{ from = place($1); to = place($2) }
		from <= n && to <= n && layer[from] != layer[to] && rank[from] <= rank[to] {
			print layer[from] " may not use " layer[to] ": " $1 " -> " $2 symbols($0)
		}
		function symbols(line) { sub(/^[^ ]+ [^ ]+ /, "", line); return " (" line ")" }
	' "$table" <(printf '%s\n' "$@") <(echo "$arrows")
}

# tsort names a circle in a line for its begin and a line for each object in it.
circles() {
	{ cut -d ' ' -f 1,2 <<<"$arrows" | tsort 2>&1 >/dev/null || true; } | awk '
		function report(i) {
			if (n) printf "circle: %s", loop[1]
			for (i = 1; i <= n; i++) printf " -> %s", loop[i % n + 1] symbols[loop[i], loop[i % n + 1]]
			if (n) print ""
			n = 0
		}
		FILENAME == ARGV[1] { pair = $1 SUBSEP $2; $1 = $2 = ""; symbols[pair] = " (" substr($0, 3) ")"; next }
		/contains a loop/ { report(); next }
		{ loop[++n] = $2 }
		END { report() }' <(echo "$arrows") -
}

found=$(misplaced "$@"; circles)
[[ -z $found ]] || { printf '%s\n' "$found"; exit 1; }

#!/bin/bash
# Tests scripts/circles.sh, which make lint runs, on objects compiled here.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

cat >"$scratch/table" <<-END
	# A comment.
	1 base  base
	2 left  left/*
	2 right right/*
	3 top   main*
END

# Compiles objects, each given as NAME:FUNCTION:USED where it defines FUNCTION and calls
# USED, and prints what scripts/circles.sh finds in them.
circles() {
	local object name function used
	local -a objects=()
	for object; do
		IFS=: read -r name function used <<<"$object"
		mkdir -p "$scratch/$(dirname "$name")"
		echo "void $used(void); void $function(void) { $used(); }" |
			gcc -x c -c -o "$scratch/$name.o" -
		objects+=("$name.o")
	done
	(cd "$scratch" && "$KSYM_ROOT/scripts/circles.sh" table "${objects[@]}") || echo "status $?"
}

is 'arrows to lower ranks and within a layer are allowed' \
	"$(circles main:main:m2 main2:m2:l left/l:l:l2 left/l2:l2:b base:b:outside)" ''
is 'an arrow to a higher rank is found' "$(circles main:main:b base:b:l left/l:l:outside)" \
	$'base may not use left: base -> left/l (l)\nstatus 1'
is 'and an arrow between two layers of one rank' "$(circles left/l:l:r right/r:r:outside)" \
	$'left may not use right: left/l -> right/r (r)\nstatus 1'
is 'a circle within a layer is found' "$(circles left/a:a:b left/b:b:c left/c:c:a)" \
	$'circle: left/a -> left/b (b) -> left/c (c) -> left/a (a)\nstatus 1'
is 'two circles are two' "$(circles left/a:a:b left/b:b:a main:m:m2 main2:m2:m | grep -c ^circle)" 2
is 'an object without a layer is found' "$(circles left/a:a:outside new/n:n:a)" \
	$'new/n: in no layer\nstatus 1'
finish

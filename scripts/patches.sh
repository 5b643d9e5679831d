#!/bin/bash
# Writes the whole project, overlay and patches, as series for git am into patches-out in
# the base's build folder: backports/ (on 6.12 only), fixes/ and ksym/. The first is based on
# Debian's source, each other one on the series before it. Each has a cover letter, patches/0000-cover-letter
# or that of the folder. patches/series lists the commits in order; +PART stands for the
# files of the overlay that patches/parts assigns to that part.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/commits.sh
. "$(dirname "${BASH_SOURCE[0]}")/commits.sh"
KSYM_NAME=patches

out=$KSYM_BUILD/patches-out
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes the commits $2 as the series $1, with the cover letter $3.
write_series() {
	local name=$1 range=$2 letter to=$work/out/$1 subject blurb
	[[ $(git_in "$work/repo" rev-list --count "$range") != 0 ]] || return 0
	letter=$(patch_file "$3")
	[[ -f $KSYM_ROOT/$letter ]] || die "the series $name has no cover letter, $letter"
	mkdir -p "$to"
	git_in "$work/repo" format-patch -q --cover-letter --zero-commit --no-signature -o "$to" "$range"
	{
		IFS= read -r subject
		read -r _
		blurb=$(cat)
	} <"$KSYM_ROOT/$letter"
	# Renamed so that *.patch does not match it: git am takes no cover letter.
	mv "$to/0000-cover-letter.patch" "$to/cover-letter.txt"
	SUBJECT=$subject BLURB=$blurb perl -0pi -e \
		's/\*\*\* SUBJECT HERE \*\*\*/$ENV{SUBJECT}/; s/\*\*\* BLURB HERE \*\*\*/$ENV{BLURB}/' "$to/cover-letter.txt"
	say "$(find "$to" -name '*.patch' | wc -l) patches written: git am ${out#"$KSYM_ROOT"/}/$name/*.patch"
}

make_commits "$work/repo"
mkdir "$work/out"
write_series backports base..backports backports/0000-cover-letter
write_series fixes backports..fixes fixes/0000-cover-letter
write_series ksym fixes..main 0000-cover-letter
rm -rf "$out"
mkdir -p "$KSYM_BUILD"
mv "$work/out" "$out"

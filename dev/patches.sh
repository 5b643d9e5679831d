#!/bin/bash
# Writes the whole project, overlay and patches, as one series for git am into
# build/patches-out, with a cover letter. The series is made in a git repository of
# the touched files alone, so what it says of them is what git says of a kernel tree.
#
# Patches that do not name our own files come first; then the overlay, a commit
# for each of its parts; then the patches that hook it in. So the tree builds after
# each step.
set -euo pipefail
# shellcheck source=dev/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=patches

out=$KSYM_BUILD/patches-out
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repo=$work/repo
mapfile -t patches < <(patch_files)
[[ ${#patches[@]} != 0 ]] || die 'patches/series names no patch'

# The parts of the overlay: a name, then a pattern of the files that are in it and
# were in none before. The message of each stands in dev/messages/NAME.
parts=(
	'kunit ^kernel/trace/ksym/.*_test\.c$'
	'constraints ^kernel/events/.*_test(_events\.h|\.c)$'
	'tracer ^(arch|include|kernel)/'
	'selftests ^tools/testing/'
	'docs ^Documentation/'
	'samples ^samples/'
	'tool ^tools/'
)
# The order of the commits: the tracer before its test.
order=(constraints tracer kunit selftests docs samples tool)

git_here() { git -C "$repo" "$@"; }

# A patch hooks the project in when a line that it adds names our folder, or the object
# of a file that we put into another one.
is_hook() { grep -qE '^\+.*\b(ksym|hw_breakpoint_flexible_test)\b' "$1"; }

add_patch() {
	git_here am -q --keep-non-patch "$1" >"$work/said" 2>&1 ||
		{ cat "$work/said" >&2; die "$(basename "$1") is not for git am"; }
}

# Sorts the overlay's files into the lists $work/PART.
sort_overlay() {
	local entry rest=$work/rest
	overlay_files >"$rest"
	for entry in "${parts[@]}"; do
		grep -E "${entry#* }" "$rest" >"$work/${entry%% *}" || true
		grep -vE "${entry#* }" "$rest" >"$rest.new" || true
		mv "$rest.new" "$rest"
	done
	[[ ! -s $rest ]] || die "no part of the series has: $(tr '\n' ' ' <"$rest")"
}

add_overlay() {
	local part
	for part in "${order[@]}"; do
		[[ -s $work/$part ]] || continue
		(cd "$KSYM_ROOT" && xargs -d '\n' cp -a --parents -t "$repo" <"$work/$part")
		git_here add -f --pathspec-from-file="$work/$part"
		git_here commit -q --signoff -F "$KSYM_ROOT/dev/messages/$part"
	done
}

mkdir -p "$repo"
touched_by "${patches[@]}" | unpack_pristine "$repo"
# The patches say who made them and when; the commits of the overlay say the same,
# so that the same project always gives the same series.
author=$(git -C "$repo" mailinfo /dev/null /dev/null <"${patches[0]}")
GIT_AUTHOR_NAME=$(sed -n 's/^Author: //p' <<<"$author")
GIT_AUTHOR_EMAIL=$(sed -n 's/^Email: //p' <<<"$author")
GIT_AUTHOR_DATE=$(sed -n 's/^Date: //p' <<<"$author")
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

git init -q -b main "$repo"
git_here add -A -f
git_here commit -q -m "Debian's $KSYM_SOURCE_PACKAGE $(source_version), the touched files"
git_here tag base
sort_overlay
laid=no
for patch in "${patches[@]}"; do
	if [[ $laid == no ]] && is_hook "$patch"; then
		add_overlay
		laid=yes
	fi
	add_patch "$patch"
done
[[ $laid == yes ]] || add_overlay

rm -rf "$out"
mkdir -p "$out"
git_here format-patch -q --cover-letter --zero-commit --no-signature -o "$out" base..main
{
	IFS= read -r subject
	read -r _
	blurb=$(cat)
} <"$KSYM_ROOT/dev/messages/cover"
# The cover letter gets a name that *.patch leaves out, since git am wants none.
cover=$out/cover-letter.txt
mv "$out/0000-cover-letter.patch" "$cover"
BLURB=$blurb perl -0pi -e 's/\*\*\* SUBJECT HERE \*\*\*/'"$subject"'/; s/\*\*\* BLURB HERE \*\*\*/$ENV{BLURB}/' "$cover"
say "$(find "$out" -name '*.patch' | wc -l) patches are written: git am ${out#"$KSYM_ROOT"/}/*.patch"

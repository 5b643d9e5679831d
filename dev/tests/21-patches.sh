#!/bin/bash
# Tests make patches: git am of the series on Debian's files gives, file for file,
# what make apply gives.
set -euo pipefail
# shellcheck source=dev/tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

applied=$scratch/applied
mailed=$scratch/mailed
mkdir "$applied"
mapfile -t patches < <(patch_files)
{ tree_marks; touched_by "${patches[@]}"; } | unpack_pristine "$applied"
cp -a "$applied" "$mailed"

check 'make patches' "$KSYM_ROOT/dev/patches.sh"
check 'make apply' "$KSYM_ROOT/dev/apply.sh" apply "$applied"
rm -rf "$applied/.ksym-applied"

export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
git -C "$mailed" init -q
git -C "$mailed" add -A -f
git -C "$mailed" commit -q -m pristine
check 'git am takes the series' git -C "$mailed" am -q "$KSYM_BUILD"/patches-out/*.patch
rm -rf "$mailed/.git"
check 'both give the same files' diff -r --no-dereference "$applied" "$mailed"
is 'and the same modes' "$(cd "$mailed" && find . -type f -printf '%m %p\n' | sort)" "$(cd "$applied" && find . -type f -printf '%m %p\n' | sort)"
if grep -rlE '\*\*\* (SUBJECT|BLURB) HERE' "$KSYM_BUILD/patches-out" >/dev/null; then not_ok 'the cover letter is written'; else ok 'the cover letter is written'; fi
finish

#!/bin/bash
# Tests make patches: git am of the two series on Debian's files gives, file for file,
# what make apply gives; and what patches/series may say.
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
check 'git am takes the series fixes' git -C "$mailed" am -q "$KSYM_BUILD"/patches-out/fixes/*.patch
check 'git am takes the series ksym behind it' git -C "$mailed" am -q "$KSYM_BUILD"/patches-out/ksym/*.patch
rm -rf "$mailed/.git"
check 'both give the same files' diff -r --no-dereference "$applied" "$mailed"
is 'and the same modes' "$(cd "$mailed" && find . -type f -printf '%m %p\n' | sort)" "$(cd "$applied" && find . -type f -printf '%m %p\n' | sort)"

for series in fixes ksym; do
	letter=$KSYM_BUILD/patches-out/$series/cover-letter.txt
	if grep -qE '\*\*\* (SUBJECT|BLURB) HERE' "$letter"; then not_ok "the cover letter of $series is written"; else ok "the cover letter of $series is written"; fi
done
is 'the series fixes has nothing of ours' "$(cat "$KSYM_BUILD"/patches-out/fixes/*.patch | grep -icE '^[+].*(ksym_trac|flexible)')" 0

# A small project, whose patches/series says what it may not.
project=$scratch/project

# Makes it: two patches of the file "old", and two parts.
new_project() {
	local number
	rm -rf "$project"
	mkdir -p "$project"/{dev/messages,patches/fixes,kernel,tools} "$scratch/linux"
	cp "$KSYM_ROOT"/dev/{apply,commits,lib,patches}.sh "$project/dev/"
	sed -i "s,^KSYM_SOURCE_TARBALL=.*,KSYM_SOURCE_TARBALL=$scratch/linux.tar," "$project/dev/lib.sh"
	sed -i 's,local top=.*,local top=linux,' "$project/dev/lib.sh"
	seq 20 >"$scratch/linux/old"
	tar -cf "$scratch/linux.tar" -C "$scratch" linux
	echo one >"$project/kernel/one"
	echo two >"$project/tools/two"
	printf 'one ^kernel/\ntwo ^tools/\n' >"$project/dev/parts"
	printf '%s\n' 'Add one' '' 'One.' >"$project/dev/messages/one"
	printf '%s\n' 'Add two' '' 'Two.' >"$project/dev/messages/two"
	printf '%s\n' 'Cover' '' 'Both.' | tee "$project"/dev/messages/cover-{fixes,ksym} >/dev/null
	number=5
	for patch in fixes/0001-a.patch 0001-b.patch; do
		printf '%s\n' 'From: test <test@localhost>' 'Date: Mon, 1 Jan 2024 00:00:00 +0000' "Subject: [PATCH] Change $number" '' \
			"Line $number." '---' 'diff --git a/old b/old' '--- a/old' '+++ b/old' \
			"@@ -$((number - 1)),3 +$((number - 1)),3 @@" " $((number - 1))" "-$number" '+new' " $((number + 1))" >"$project/patches/$patch"
		number=15
	done
	git -C "$project" init -q
}

# Runs make patches in it, with stdin as patches/series.
patches_of() { cat >"$project/patches/series"; "$project/dev/patches.sh" 2>&1 || true; }

new_project
contains 'a part lands where +PART stands' "$(patches_of <<<$'fixes/0001-a.patch\n+two\n0001-b.patch\n+one'; ls "$project/build/patches-out/ksym")" \
	$'0001-Add-two.patch\n0002-Change-15.patch\n0003-Add-one.patch\ncover-letter.txt'
is 'and a series has only its own' "$(ls "$project/build/patches-out/fixes")" $'0001-Change-5.patch\ncover-letter.txt'
once=$(cat "$project"/build/patches-out/*/*)
patches_of <<<$'fixes/0001-a.patch\n+two\n0001-b.patch\n+one' >/dev/null
is 'the same project gives the same series' "$(cat "$project"/build/patches-out/*/*)" "$once"
# Each line: what is wrong, what is said of it, and patches/series, with ; for a line's end.
while IFS='|' read -r what said series; do
	contains "$what is refused" "$(tr ';' '\n' <<<"$series" | patches_of)" "$said"
done <<'END'
a part named twice|names +one twice|fixes/0001-a.patch;+one;0001-b.patch;+two;+one
a patch named twice|names 0001-b.patch twice|0001-b.patch;+one;+two;0001-b.patch
a part that is not named|has no +two|fixes/0001-a.patch;+one;0001-b.patch
a part that there is not|+three, a part without a file|fixes/0001-a.patch;+one;+two;+three
a fix behind the series ksym|fixes come first|+one;+two;fixes/0001-a.patch
a patch that there is not|which is not there|fixes/0002-a.patch;+one;+two
END
rm "$project/dev/messages/two"
contains 'a part without a message is refused' "$(patches_of <<<$'fixes/0001-a.patch\n+one\n+two')" 'has no message, dev/messages/two'
new_project
mkdir "$project/samples"
echo three >"$project/samples/three"
contains 'a file that is in no part is refused' "$(patches_of <<<$'fixes/0001-a.patch\n+one\n+two')" 'no part of the overlay has: samples/three'
finish

#!/bin/bash
# Tests scripts/apply.sh: with a small project on a small tree, including all errors, and
# with this project on Debian's files of each base.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# apply.sh chooses the base by the tree.
unset BASE

project=$scratch/project
tree=$scratch/tree
mkdir -p "$project/scripts" "$project/kernel/new" "$project/patches" "$tree"
cp "$KSYM_ROOT"/scripts/{apply,lib}.sh "$project/scripts/"
git -C "$project" init -q
while IFS= read -r file; do
	mkdir -p "$tree/$(dirname "$file")"
	seq 1 40 >"$tree/$file"
done < <(tree_marks)

apply() { "$project/scripts/apply.sh" "$@" "$tree" 2>&1; }
# Prints everything in the tree that apply may change.
picture() { (cd "$tree" && find . -printf '%y %m %p\n' | sort && find . -type f -exec sha256sum {} + | sort -k 2); }
# Makes the patch $1 in the project: it changes line $3 of the file $2 to $4.
make_patch() {
	local name=$1 file=$2 line=$3 text=$4
	# diff exits with 1, since there is a difference.
	sed "${line}s/.*/$text/" "$tree/$file" |
		{ diff -u --label "a/$file" --label "b/$file" "$tree/$file" - || true; } >"$project/patches/$name"
	printf '%s\n' "$name" >>"$project/patches/series"
}

pristine=$(picture)
echo 'int a;' >"$project/kernel/new/a.c"
echo 'int b;' >"$project/kernel/new/b.c"
echo 'kernel/new/*.o' >"$project/.gitignore"
: >"$project/kernel/new/a.o"
make_patch 1.patch MAINTAINERS 10 one
make_patch 2.patch Kconfig 20 two
sed -i '1a +new' "$project/patches/series"

check 'apply' apply apply
is 'both patches are applied, with other files between them' "$(sed -n 10p "$tree/MAINTAINERS") $(sed -n 20p "$tree/Kconfig")" 'one two'
is 'the overlay is applied, without ignored files' "$(ls "$tree/kernel/new")" $'a.c\nb.c'
once=$(picture)
contains 'apply twice is reported' "$(apply apply)" 'already applied'
is 'and changes nothing' "$(picture)" "$once"

touch -d '2020-01-01' "$tree/kernel/new/a.c" "$tree/MAINTAINERS"
rm "$project/kernel/new/b.c"
echo 'int c;' >"$project/kernel/new/c.c"
sed -i 's/+two/+zwei/' "$project/patches/2.patch"
contains 'a newer version updates' "$(apply apply)" 'updated'
is 'a changed patch, a new file and a removed one' "$(sed -n 20p "$tree/Kconfig"; ls "$tree/kernel/new")" $'zwei\na.c\nc.c'
is 'unchanged files keep their time' \
	"$(stat -c %y "$tree/kernel/new/a.c" "$tree/MAINTAINERS" | cut -c 1-10 | sort -u)" 2020-01-01
echo mine >>"$tree/kernel/new/c.c"
if said=$(apply unapply); then not_ok 'a changed file is not removed' "$said"; else contains 'a changed file is not removed' "$said" 'kernel/new/c.c was changed'; fi
check 'except with FORCE=1' env FORCE=1 "$project/scripts/apply.sh" unapply "$tree"
is 'the tree is restored' "$(picture)" "$pristine"
contains 'unapply twice is reported' "$(apply unapply)" 'not applied'

make_patch 3.patch Makefile 5 three
sed -i '5s/.*/other/' "$tree/Makefile"
broken=$(picture)
if said=$(apply apply); then not_ok 'a patch that does not fit fails' "$said"; else contains 'a patch that does not fit fails' "$said" 3.patch; fi
contains 'the file is named' "$said" Makefile
is 'nothing was written' "$(picture)" "$broken"
sed -i '5s/.*/5/; 4s/.*/other/' "$tree/Makefile"
broken=$(picture)
if said=$(apply apply); then not_ok 'a patch with fuzz fails' "$said"; else contains 'a patch with fuzz fails' "$said" 3.patch; fi
is 'and nothing was written' "$(picture)" "$broken"
seq 1 40 >"$tree/Makefile"

mkdir "$tree/kernel/new"
echo foreign >"$tree/kernel/new/a.c"
foreign=$(picture)
if said=$(apply apply); then not_ok 'a foreign file is refused' "$said"; else contains 'a foreign file is refused' "$said" 'kernel/new/a.c exists'; fi
is 'and not changed' "$(picture)" "$foreign"
rm -r "$tree/kernel/new" "$project/patches/3.patch"
sed -i '/^3.patch$/d' "$project/patches/series"

# A crash after the first file is written.
mkdir "$scratch/bin"
# shellcheck disable=SC2016  # the stub's own words
printf '#!/bin/sh\nPATH=%s install "$@"\nkill -9 $PPID\n' "$PATH" >"$scratch/bin/install"
chmod +x "$scratch/bin/install"
# Without this the shell would report that the job was killed.
{ PATH=$scratch/bin:$PATH apply apply >/dev/null 2>&1; } 2>/dev/null || true
if [[ $(picture) == "$pristine" ]]; then not_ok 'an interrupted apply leaves a part'; else ok 'an interrupted apply leaves a part'; fi
contains 'the next one finishes it' "$(apply apply)" 'finishing'
contains 'completely' "$(apply apply)" 'already applied'
check 'it can be removed' apply unapply
is 'completely' "$(picture)" "$pristine"
contains 'a folder that is not a kernel tree is refused' "$("$project/scripts/apply.sh" apply "$scratch" 2>&1 || true)" 'not a kernel tree'

# The base of a tree. 1.patch has a variant for 7.3, 2.patch is for 6.12, and 3.patch for 7.3.
make_patch 3.patch Kbuild 7 three
sed -i -e 's/^2/6.12: 2/' -e 's/^3/7.3: 3/' "$project/patches/series"
mkdir "$project/patches/7.3"
sed 's/+one/+seven/' "$project/patches/1.patch" >"$project/patches/7.3/1.patch"
# Prints the changed lines of the tree.
changed() { sed -n 10p "$tree/MAINTAINERS"; sed -n 20p "$tree/Kconfig"; sed -n 7p "$tree/Kbuild"; }
# Makes the tree one of the version $1.
version_is() { printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = 1\n' "${1%.*}" "${1#*.}" >"$tree/Makefile"; }
while read -r version wanted; do
	version_is "$version"
	check "apply to Linux $version" apply apply
	is "$version: applies what is for that base" "$(changed | xargs)" "$wanted"
	is "$version: and records it" "$(cd "$tree/.ksym-applied" && xargs <series && cd patches && find . -type f | sort | xargs)" \
		"$(if [[ $version == 6* ]]; then printf '1.patch 2.patch\n./1.patch ./2.patch'; else printf '7.3/1.patch 3.patch\n./3.patch ./7.3/1.patch'; fi)"
	check "$version: it is removed" apply unapply
	is "$version: completely" "$(changed | xargs)" '10 20 7'
done <<'END'
6.12 one zwei 7
6.18 one zwei 7
7.0 seven 20 three
7.4 seven 20 three
END
BASE=6.12 apply apply >/dev/null
is 'BASE prevails over the version of the tree' "$(changed | xargs)" 'one zwei 7'
contains 'another base replaces the first one' "$(BASE=7.3 apply apply)" 'updated'
is 'completely' "$(changed | xargs)" 'seven 20 three'
apply unapply >/dev/null
sed -i '10s/.*/other/' "$tree/MAINTAINERS"
contains 'a patch that does not fit is named' "$(BASE=6.12 apply apply || true)" 'cannot apply 1.patch'
contains 'with the version of the tree if BASE is another' "$(BASE=6.12 apply apply || true)" 'is Linux 7.4, and the patches are for 6.12'
is 'an unknown BASE is refused' "$(BASE=7.4 apply apply || true)" "apply: unknown base '7.4'; use BASE=6.12 or BASE=7.3"

# This project on Debian's files of the base $1.
try_base() {
	local real=$scratch/$1
	local -a patches
	mkdir "$real"
	mapfile -t patches < <(patch_files)
	{ tree_marks; touched_by "${patches[@]}"; } | unpack_pristine "$real"
	cp -a "$real" "$real.before"
	# The tree has the version.
	unset BASE
	check "$1: this project applies" "$KSYM_ROOT/scripts/apply.sh" apply "$real"
	is "$1: with the patches of this base" "$(sed 's,^,patches/,' "$real/.ksym-applied/series" 2>&1)" "$(series_patches | files_of_patches)"
	check "$1: and is removed" "$KSYM_ROOT/scripts/apply.sh" unapply "$real"
	check "$1: and restores the tree" diff -r --no-dereference "$real.before" "$real"
	check "$1: its fixes apply alone" "$KSYM_ROOT/scripts/apply.sh" fixes "$real"
	is "$1: without files of the overlay" "$(cat "$real/.ksym-applied/overlay" 2>&1)" ''
	check "$1: apply replaces them by everything" "$KSYM_ROOT/scripts/apply.sh" apply "$real"
	check "$1: fixes replaces everything by them" "$KSYM_ROOT/scripts/apply.sh" fixes "$real"
	check "$1: and they are removed" "$KSYM_ROOT/scripts/apply.sh" unapply "$real"
	check "$1: and the tree is restored" diff -r --no-dereference "$real.before" "$real"
}
for base in "${KSYM_BASES[@]}"; do
	if use_base "$base"; then try_base "$base"; fi
done
finish

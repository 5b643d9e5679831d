#!/bin/bash
# Tests make patches, for each base: git am of the series on Debian's files gives the same
# files as make apply. Tests the checks of patches/series and what is for one base only, and
# make check-series with commits that fail, in a small project with a fake make and a fake
# QEMU.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost

# Compares both ways for the base $1.
try_base() {
	local applied=$scratch/$1/applied mailed=$scratch/$1/mailed out=$KSYM_BUILD/patches-out series letter
	local -a patches
	mkdir -p "$applied"
	mapfile -t patches < <(patch_files)
	{ tree_marks; touched_by "${patches[@]}"; } | unpack_pristine "$applied"
	cp -a "$applied" "$mailed"
	rm -rf "$out"
	check "$1: make patches" "$KSYM_ROOT/scripts/patches.sh"
	[[ -d $out ]] || return 0
	check "$1: make apply" "$KSYM_ROOT/scripts/apply.sh" apply "$applied"
	rm -rf "$applied/.ksym-applied"
	git -C "$mailed" init -q
	git -C "$mailed" add -A -f
	git -C "$mailed" commit -q -m pristine
	is "$1: it has these series" "$(cd "$out" && ls)" "$(series_lines | sed -nE -e 's,^(backports|fixes)/.*,\1,p' -e '$s/.*/ksym/p' | uniq)"
	for series in backports fixes ksym; do
		[[ -d $out/$series ]] || continue
		check "$1: git am applies the series $series" git -C "$mailed" am -q "$out/$series"/*.patch
		letter=$out/$series/cover-letter.txt
		if grep -qE '\*\*\* (SUBJECT|BLURB) HERE' "$letter"; then not_ok "$1: the cover letter of $series is written"; else ok "$1: the cover letter of $series is written"; fi
	done
	rm -rf "$mailed/.git"
	check "$1: both give the same files" diff -r --no-dereference "$applied" "$mailed"
	is "$1: and the same modes" "$(cd "$mailed" && find . -type f -printf '%m %p\n' | sort)" "$(cd "$applied" && find . -type f -printf '%m %p\n' | sort)"
	# EVENT_FLEXIBLE is mainline's.
	is "$1: the series fixes does not use the tracer" "$(sed 's/\bEVENT_FLEXIBLE\b//g' "$out"/fixes/*.patch | grep -icE '^[+].*(ksym_trac|flexible)')" 0
}
for base in "${KSYM_BASES[@]}"; do
	if use_base "$base"; then try_base "$base"; fi
done
is 'each patch is used on a base' \
	"$(for base in "${KSYM_BASES[@]}"; do set_base "$base"; patch_files; done | sort -u)" "$(find "$KSYM_ROOT/patches" -name '*.patch' | sort)"
export BASE=6.12

# A small project for errors in patches/series.
project=$scratch/project

# Makes its patch $1, which changes line $2 of the file "old" to $3.
make_patch() {
	local patch=$1 line=$2 text=$3
	mkdir -p "$(dirname "$project/patches/$patch")"
	printf '%s\n' 'From: test <test@localhost>' 'Date: Mon, 1 Jan 2024 00:00:00 +0000' \
		"Subject: [PATCH] Change $line" '' 'It is better so.' '---' 'diff --git a/old b/old' '--- a/old' '+++ b/old' \
		"@@ -$((line - 1)),3 +$((line - 1)),3 @@" " $((line - 1))" "-$line" "+$text" " $((line + 1))" >"$project/patches/$patch"
}

# Packs the folder linux as the source of both bases.
export KSYM_SOURCE_CACHE=$scratch/cache
pack_linux() {
	local to=$KSYM_SOURCE_CACHE/linux-source-7.3
	mkdir -p "$to"
	tar -cf "$scratch/linux-source-6.12.tar.xz" -C "$scratch" --transform='s,^linux,linux-source-6.12,' linux
	tar -cf "$to/linux-source.tar.xz" -C "$scratch" --transform='s,^linux,linux-source-7.3,' linux
}

# Makes the project, with two patches and two parts.
new_project() {
	rm -rf "$project"
	mkdir -p "$project"/{scripts,patches/messages,kernel,tools} "$scratch/linux"
	cp "$KSYM_ROOT"/scripts/{apply,commits,lib,patches,series,splats}.sh "$project/scripts/"
	sed -i -e "s,/usr/src/,$scratch/," -e "s,/tmp/ksym-kernel-build.lock,$scratch/lock," "$project/scripts/lib.sh"
	printf '#!/bin/sh\n' >"$project/scripts/setup.sh"
	chmod +x "$project/scripts/setup.sh"
	seq 20 >"$scratch/linux/old"
	pack_linux
	echo one >"$project/kernel/one"
	echo two >"$project/tools/two"
	printf 'one ^kernel/\ntwo ^tools/\n' >"$project/patches/parts"
	printf '%s\n' 'Add one' '' 'One.' >"$project/patches/messages/one"
	printf '%s\n' 'Add two' '' 'Two.' >"$project/patches/messages/two"
	make_patch fixes/0001-a.patch 5 new
	make_patch 0001-b.patch 15 new
	printf '%s\n' 'Cover' '' 'Both.' | tee "$project"/patches/{,fixes/}0000-cover-letter >/dev/null
	git -C "$project" init -q
}

# Runs make patches with stdin as patches/series.
patches_of() { cat >"$project/patches/series"; "$project/scripts/patches.sh" 2>&1 || true; }

new_project
contains 'a part is the commit of +PART' "$(patches_of <<<$'fixes/0001-a.patch\n+two\n0001-b.patch\n+one'; ls "$project/build/patches-out/ksym")" \
	$'0001-Add-two.patch\n0002-Change-15.patch\n0003-Add-one.patch\ncover-letter.txt'
is 'each series has its own commits' "$(ls "$project/build/patches-out/fixes")" $'0001-Change-5.patch\ncover-letter.txt'
once=$(cat "$project"/build/patches-out/*/*)
patches_of <<<$'fixes/0001-a.patch\n+two\n0001-b.patch\n+one' >/dev/null
is 'the same project gives the same series' "$(cat "$project"/build/patches-out/*/*)" "$once"
# Each line: the error, a part of the message, and patches/series with ; as line breaks.
while IFS='|' read -r what said series; do
	contains "$what is refused" "$(tr ';' '\n' <<<"$series" | patches_of)" "$said"
done <<'END'
a duplicate part|has +one twice|fixes/0001-a.patch;+one;0001-b.patch;+two;+one
a duplicate patch|has 0001-b.patch twice|0001-b.patch;+one;+two;0001-b.patch
a missing part|lacks +two|fixes/0001-a.patch;+one;0001-b.patch
an unknown part|+three, a part without files|fixes/0001-a.patch;+one;+two;+three
a fix after the series ksym|fixes/0001-a.patch in the wrong place|+one;+two;fixes/0001-a.patch
an unknown patch|patches/fixes/0002-a.patch does not exist|fixes/0002-a.patch;+one;+two
an unknown base|unknown base 6.11|fixes/0001-a.patch;6.11: 0001-b.patch;+one;+two
a patch of another base only|nothing for 6.12|7.3: 0001-b.patch
END
rm "$project/patches/fixes/0000-cover-letter"
contains 'a series without a cover letter is refused' "$(patches_of <<<$'fixes/0001-a.patch\n+one\n+two')" 'patches/fixes/0000-cover-letter'
rm "$project/patches/messages/two"
contains 'a part without a message is refused' "$(patches_of <<<$'fixes/0001-a.patch\n+one\n+two')" 'has no message, patches/messages/two'
new_project
mkdir "$project/samples"
echo three >"$project/samples/three"
contains 'a file that is in no part is refused' "$(patches_of <<<$'fixes/0001-a.patch\n+one\n+two')" 'files without a part in patches/parts: samples/three'

# What is for one base only: the backport and a line of its own for 6.12, a variant and a line
# for 7.3.
new_project
make_patch 6.12/backports/0001-c.patch 3 old
make_patch 7.3/0001-b.patch 15 newer
make_patch 0002-d.patch 10 new
make_patch 0003-e.patch 18 new
printf '%s\n' 'Cover' '' 'Backports.' >"$project/patches/6.12/backports/0000-cover-letter"
series=$'6.12: backports/0001-c.patch\nfixes/0001-a.patch\n+two\n0001-b.patch\n7.3:   0002-d.patch\n6.12: 0003-e.patch # why\n+one'
# Prints the names of the patches in the build folder $1, and the lines that they add to the
# file "old".
added() { patches_of <<<"$series" >/dev/null; (cd "$1/patches-out" && find . -name '*.patch' | sort && cat ./*/*.patch | grep -E '^\+(new|old)'); }
is '6.12 has backports, patches without a variant, and its lines' "$(added "$project/build")" \
	$'./backports/0001-Change-3.patch\n./fixes/0001-Change-5.patch\n./ksym/0001-Add-two.patch\n./ksym/0002-Change-15.patch\n./ksym/0003-Change-18.patch\n./ksym/0004-Add-one.patch\n+old\n+new\n+new\n+new'
is '7.3 has its variant and its lines' "$(BASE=7.3 added "$project/build/7.3")" \
	$'./fixes/0001-Change-5.patch\n./ksym/0001-Add-two.patch\n./ksym/0002-Change-15.patch\n./ksym/0003-Change-10.patch\n./ksym/0004-Add-one.patch\n+new\n+newer\n+new'
contains 'a series has the cover letter of its folder' "$(<"$project/build/patches-out/backports/cover-letter.txt")" 'Backports.'
contains 'backports in the wrong place are refused' "$(patches_of <<<$'fixes/0001-a.patch\nbackports/0001-c.patch\n+one\n+two')" \
	'backports/0001-c.patch in the wrong place'
contains 'a variant that no line names is refused' "$(BASE=7.3 patches_of <<<$'fixes/0001-a.patch\n6.12: 0001-b.patch\n+one\n+two')" \
	'patches/series lacks 0001-b.patch, which patches/7.3 has'
contains 'an unknown BASE is refused' "$(BASE=7.2 patches_of <<<"$series")" "unknown base '7.2'"

# make check-series. Words in the file "old" of the tree cause failures: the fake make fails
# at "broken" and warns at "odd"; the fake QEMU prints a failed suite at "sick" and ends
# early at "hang"; the fake kernel-doc warns at "vague".
mkdir "$scratch/bin"
cat >"$scratch/bin/make" <<'END'
#!/bin/bash
cd "$2" || exit
for argument; do
	case $argument in
	O=*) out=${argument#O=} ;;
	KCONFIG_ALLCONFIG=*) options=${argument#*=} ;;
	esac
done
if [[ -n $options ]]; then
	cp "$options" "$out/.config"
	echo "$out: $(grep -c KVM "$options")" >>"$STUB_LOG.kvm"
	exit
fi
echo "$out" >>"$STUB_LOG"
if grep -q broken old; then
	echo 'error: broken'
	exit 1
fi
echo '../old:1:1: warning: this was there [-Wold]'
! grep -q odd old || echo '../old:7:1: warning: this is odd [-Wodd]'
mkdir -p "$out/arch/x86/boot"
cp old "$out/arch/x86/boot/bzImage"
END
cat >"$scratch/bin/qemu-system-x86_64" <<'END'
#!/bin/bash
while (($#)); do
	case $1 in
	-kernel) kernel=$2 ;;
	-serial) log=${2#file:} ;;
	esac
	shift
done
exec >"$log"
printf 'KTAP version 1\n1..1\n'
if grep -q sick "$kernel"; then echo 'not ok 1 suite'; else echo 'ok 1 suite'; fi
grep -q hang "$kernel" || printf 'series: traced\nseries: the first process ends\n'
END
chmod +x "$scratch"/bin/*
new_project
mkdir -p "$scratch/linux"/{kernel/configs,arch/x86/configs,scripts} "$project/tools/testing"
# shellcheck disable=SC2016  # make and the other script expand it
{
	echo 'KERNELDOC = $(srctree)/scripts/kernel-doc' >"$scratch/linux/Makefile"
	printf '#!/bin/sh\n! grep -q vague "$2" || echo "$2:1: warning: no description" >&2\n' >"$scratch/linux/scripts/kernel-doc"
}
chmod +x "$scratch/linux/scripts/kernel-doc"
touch "$scratch/linux"/kernel/configs/tiny{-base,}.config "$scratch/linux/arch/x86/configs/tiny.config"
# The first commit changes KVM, and no other.
make_patch fixes/0001-a.patch 5 five
sed -i 's,\([ab]/\)old,\1arch/x86/kvm/old,g' "$project/patches/fixes/0001-a.patch"
mkdir "$scratch/linux/arch/x86/kvm"
cp "$scratch/linux/old" "$scratch/linux/arch/x86/kvm/"
echo CONFIG_KVM=y >"$project/scripts/kvm.config"
pack_linux
mv "$project/tools/two" "$project/tools/testing/"
printf 'config %s\n' NEW DEBUG_HW_BREAKPOINT >"$project/kernel/Kconfig"
echo CONFIG_OLD=y >"$project/scripts/series.config"
echo CONFIG_NEW=y >"$project/Kconfig.fragment"
printf '%s\n' fixes/0001-a.patch +one +two 0001-b.patch >"$project/patches/series"
series_of() { : >"$scratch/made"; STUB_LOG=$scratch/made PATH=$scratch/bin:$PATH "$project/scripts/series.sh" "$@" 2>&1 || echo "status $?"; }
contains 'an unknown commit is refused' "$(series_of 0007)" "patches/series has no commit '0007'"
contains 'and an ambiguous name' "$(series_of 0001)" "'0001' is ambiguous"
rm -f "$scratch/made.kvm"
said=$(series_of)
is 'KVM is built up to the last commit that changes it' "$(<"$scratch/made.kvm")" $'off: 1\noff: 0\non: 0'
contains 'all commits pass' "$said" '4 of 4 commits build and boot, 3 of them built now'
is 'a commit that does not change the kernel passes like the one before' \
	"$(sed -n '/3 of 4, +two/,/4 of 4/p' <<<"$said" | grep -o 'o.*: passed before')" $'off: passed before\non: passed before'
contains 'a commit without an option is built once' "$said" 'on: has no options yet'
is 'six kernels are built' "$(wc -l <"$scratch/made")" 6
contains 'a second run builds nothing' "$(series_of)" '4 of 4 commits build and boot, 0 of them built now'
is 'no kernel at all' "$(wc -l <"$scratch/made")" 0
while IFS='|' read -r word said; do
	make_patch 0001-b.patch 15 "$word"
	contains "$said" "$(series_of)" "0001-b.patch, off: $said"
done <<'END'
broken|does not build; log: build/log/series/0001-b.off.build
odd|has 1 new warnings; log: build/log/series/0001-b.off.build
sick|fails in KUnit; log: build/log/series/0001-b.off.boot
hang|does not get through its first process; log: build/log/series/0001-b.off.boot
END
contains 'a failure sets the status' "$(series_of)" 'status 1'
echo vague >"$project/kernel/one.c"
contains 'kernel-doc is run on the files of a commit' "$(series_of)" '+one, off: has 1 new warnings'
rm "$project/kernel/one.c"
make_patch 0001-b.patch 15 good
said=$(series_of)
contains 'the next run continues after the last good commit' "$said" '4 of 4 commits build and boot, 1 of them built now'
is 'and builds its two kernels' "$(wc -l <"$scratch/made")" 2
contains 'only the given commits are tried' "$(series_of +one)" 'series: 1 of 4 commits build and boot'
make_patch 7.3/0001-b.patch 15 broken
echo CONFIG_NEWER=y >"$project/scripts/series-7.3.config"
contains '7.3 is built in its own folder, with its variants' "$(BASE=7.3 series_of)" \
	'0001-b.patch, off: does not build; log: build/7.3/log/series/0001-b.off.build'
contains 'and with its options' "$(<"$project/build/7.3/linux-series/off/.config")" CONFIG_NEWER
contains 'which 6.12 does not notice' "$(series_of)" '4 of 4 commits build and boot, 0 of them built now'
echo CONFIG_LATE=y >>"$project/Kconfig.fragment"
contains 'an option that no commit has is an error' "$(series_of)" 'no commit has the options: CONFIG_LATE'
finish

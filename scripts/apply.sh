#!/bin/bash
# Lays the project over a kernel tree, or takes it off again:
#
#   scripts/apply.sh apply TREE      overlay files and patches/; an older version of
#                                the project that is applied there is updated
#   scripts/apply.sh fixes TREE      the patches of the series "fixes", and nothing else
#   scripts/apply.sh unapply TREE    leaves TREE as it was before
#
# The result is first worked out whole, on copies in a temporary folder; only
# when every patch fits without fuzz and no foreign file is in the way is
# anything written, and only files that differ are: a kernel build then compiles
# just these again. What was applied is remembered in TREE/.ksym-applied, the
# patches included, so that an older version can be taken off by a newer script.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=apply

usage() { sed -n '4,7s/^# *//p' "$0" >&2; exit 2; }

[[ $# == 2 ]] || usage
[[ -n $2 ]] || die "which tree? make $1 KDIR=TREE"
action=$1
tree=$(cd "$2" 2>/dev/null && pwd) || die "'$2' is not a folder"
state=$tree/.ksym-applied
pending=$tree/.ksym-pending
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check_tree() {
	local part
	while IFS= read -r part; do
		[[ -f $tree/$part ]] || die "$tree is no kernel tree: it has no $part"
	done < <(tree_marks)
	[[ -w $tree ]] || die "$tree can't be written"
}

# Prints the patches that are to be in the tree, relative to patches/.
wanted_series() {
	case $action in
	apply) series_patches ;;
	fixes) fixes_patches ;;
	esac
}

# Prints the absolute names of the patches that are applied now, or that will be.
applied_patches() { [[ ! -f $state/series ]] || sed "s,^,$state/patches/," "$state/series"; }
wanted_patches() { wanted_series | sed "s,^,$KSYM_ROOT/patches/,"; }

# Puts one patch ($2) on the copies, or with -R as $1 takes it off, exactly.
patch_copies() {
	local how=$1 patch=$2 verb=applies
	[[ $how != -R ]] || verb='comes off'
	if ! patch "$how" -p1 -F0 -t -d "$work/tree" --no-backup-if-mismatch -r - -i "$patch" >"$work/said" 2>&1; then
		say "$(basename "$patch") no longer $verb in $tree; nothing was written:"
		sed 's/^/  /' "$work/said" >&2
		exit 1
	fi
}

# Works out, in $work/tree, what the patched files will be, beside what they are
# now in $work/now.
work_out_patches() {
	local file patch
	local -a old new
	mapfile -t old < <(applied_patches)
	mapfile -t new < <(wanted_patches)
	mkdir -p "$work/tree" "$work/now"
	touched_by "${old[@]}" "${new[@]}" | sed '/^\/dev\/null$/d' >"$work/touched"
	while IFS= read -r file; do
		[[ -f $tree/$file ]] || continue
		(cd "$tree" && cp -p --parents "$file" "$work/now" && cp -p --parents "$file" "$work/tree")
	done <"$work/touched"
	if [[ ${#old[@]} != 0 ]]; then
		while IFS= read -r patch; do
			patch_copies -R "$patch"
		done < <(printf '%s\n' "${old[@]}" | tac)
	fi
	for patch in "${new[@]}"; do
		[[ -f $patch ]] || die "patches/series names $(basename "$patch"), which is not there"
		patch_copies -N "$patch"
	done
}

# Prints "MODE HASH NAME" for a file of the folder $1.
identify() { printf '%s %s %s\n' "$(stat -c %a "$1/$2")" "$(sha256sum <"$1/$2" | cut -d' ' -f1)" "$2"; }

# Works out which overlay files to write and which to remove. A file in TREE that
# is not ours, or that was changed there since, is never overwritten or removed.
work_out_overlay() {
	local file hash conflict=0
	local -A ours=() wanted=()
	: >"$work/write"
	: >"$work/remove"
	: >"$work/overlay"
	if [[ -f $state/overlay ]]; then
		while read -r _ hash file; do
			ours[$file]=$hash
			if [[ -f $tree/$file && $(sha256sum <"$tree/$file") != "$hash "* && ${FORCE:-} != 1 ]]; then
				say "$tree/$file was changed there since it was applied"
				conflict=1
			fi
		done <"$state/overlay"
	fi
	if [[ $action == apply ]]; then
		while IFS= read -r file; do
			wanted[$file]=1
			if [[ ! -v ours[$file] && -e $tree/$file ]]; then
				# The very same file was there before us: it stays when we go.
				cmp -s "$KSYM_ROOT/$file" "$tree/$file" && continue
				say "$tree/$file is there already, and is not ours"
				conflict=1
				continue
			fi
			identify "$KSYM_ROOT" "$file" >>"$work/overlay"
			[[ -f $tree/$file && $(identify "$KSYM_ROOT" "$file") == "$(identify "$tree" "$file")" ]] ||
				printf '%s\n' "$file" >>"$work/write"
		done < <(overlay_files)
	fi
	((conflict == 0)) || die "nothing was written (FORCE=1 overwrites changes to our own files)"
	for file in "${!ours[@]}"; do
		[[ -v wanted[$file] ]] || printf '%s\n' "$file" >>"$work/remove"
	done
}

# Removes one file from the tree, and the folders that it leaves empty.
take() {
	rm -f "$tree/$1"
	(cd "$tree" && rmdir -p --ignore-fail-on-non-empty "$(dirname "$1")" 2>/dev/null) || true
}

# Puts together what is to be done: the files to write, those to remove, and what is
# to be remembered. It stands in the tree under its last name only when it is whole.
stage() {
	local file next=$pending.new
	rm -rf "$next"
	mkdir -p "$next/write"
	cp "$work/remove" "$next/remove"
	while IFS= read -r file; do
		if [[ ! -f $work/tree/$file ]]; then
			printf '%s\n' "$file" >>"$next/remove"
		elif ! cmp -s "$work/tree/$file" "$work/now/$file"; then
			(cd "$work/tree" && cp -p --parents "$file" "$next/write")
		fi
	done <"$work/touched"
	(cd "$KSYM_ROOT" && xargs -r -d '\n' cp -p --parents -t "$next/write" <"$work/write")
	if [[ $action != unapply ]]; then
		mkdir -p "$next/state/patches"
		cp "$work/overlay" "$next/state/overlay"
		wanted_series >"$next/state/series"
		(cd "$KSYM_ROOT/patches" && xargs -r -d '\n' cp --parents -t "$next/state/patches") \
			<"$next/state/series"
	fi
	mv "$next" "$pending"
}

# Does what was put together. Each step can be done twice: so when this is interrupted
# the next call begins by doing it again.
carry_out() {
	local file
	while IFS= read -r file; do
		mkdir -p "$tree/$(dirname "$file")"
		# The time becomes that of now, so that make sees the change.
		install -m "$(stat -c %a "$pending/write/$file")" -T "$pending/write/$file" "$tree/$file"
	done < <(cd "$pending/write" && find . -type f -printf '%P\n')
	while IFS= read -r file; do take "$file"; done <"$pending/remove"
	rm -rf "$state"
	[[ ! -d $pending/state ]] || cp -a "$pending/state" "$state"
	rm -rf "$pending"
}

# True when what is applied is what would be.
nothing_to_do() {
	local file
	[[ -d $state && ! -s $work/write && ! -s $work/remove ]] || return 1
	cmp -s <(wanted_series) "$state/series" || return 1
	while IFS= read -r file; do
		cmp -s "$work/tree/$file" "$work/now/$file" || return 1
	done <"$work/touched"
}

check_tree
[[ ! -d $pending ]] || { say "finishing what was interrupted in $tree"; carry_out; }
case $action in
apply | fixes)
	verb=applied
	[[ ! -d $state ]] || verb=updated
	;;
unapply)
	verb='taken off'
	[[ -d $state ]] || { say "the project is not applied in $tree"; exit 0; }
	;;
*) usage ;;
esac
work_out_patches
work_out_overlay
if [[ $action != unapply ]] && nothing_to_do; then
	say "already applied in $tree"
	exit 0
fi
stage
carry_out
say "$verb in $tree: $(wanted_patches | wc -l) patches, $(wc -l <"$work/overlay") files"

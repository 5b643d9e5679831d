#!/bin/bash
# Applies the project to a kernel tree, or removes it again:
#
#   scripts/apply.sh apply TREE      the overlay and patches/; an older version of the
#                                    project that is applied there is updated
#   scripts/apply.sh fixes TREE      only the patches of the series "fixes", and of
#                                    "backports", on which they are based
#   scripts/apply.sh unapply TREE    restores TREE
#
# The patches are those for BASE or, if it is not set, for the version that TREE has: 7.3 if
# it is 7.0 or newer, else 6.12.
#
# The result is prepared on copies in a temporary folder. Nothing is written unless every
# patch applies without fuzz and no foreign file is in the way. Only files that differ are
# written, so that a kernel build compiles only these again. TREE/.ksym-applied records
# what was applied, with the patches, so that a newer script can remove it.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=apply

usage() { sed -n '4,8s/^# *//p' "$0" >&2; exit 2; }

[[ $# == 2 ]] || usage
[[ -n $2 ]] || die "missing tree; use make $1 KDIR=TREE"
action=$1
tree=$(cd "$2" 2>/dev/null && pwd) || die "'$2' is not a folder"
state=$tree/.ksym-applied
pending=$tree/.ksym-pending
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check_tree() {
	local part
	while IFS= read -r part; do
		[[ -f $tree/$part ]] || die "$tree is not a kernel tree: $part not found"
	done < <(tree_marks)
	[[ -w $tree ]] || die "$tree is not writable"
}

# Prints the version that the tree has, such as 6.12, or nothing.
tree_version() { sed -nE 's/^(VERSION|PATCHLEVEL) = ([0-9]+)$/\2/p' "$tree/Makefile" | paste -sd .; }

# Selects the base by the tree, unless BASE is set.
choose_base() {
	local version
	[[ -z ${BASE:-} ]] || return 0
	version=$(tree_version)
	if [[ $version =~ ^([0-9]+)\. ]] && ((BASH_REMATCH[1] >= 7)); then set_base 7.3; else set_base 6.12; fi
}

# Prints the files of the patches to apply, relative to patches/.
wanted_series() {
	case $action in
	apply) series_patches | files_of_patches ;;
	fixes) fixes_patches | files_of_patches ;;
	esac | sed 's,^patches/,,'
}

# Print the absolute paths of the patches that are applied now, and of those to apply.
applied_patches() { [[ ! -f $state/series ]] || sed "s,^,$state/patches/," "$state/series"; }
wanted_patches() { wanted_series | sed "s,^,$KSYM_ROOT/patches/,"; }

# Applies the patch $2 to the copies without fuzz, or reverts it if $1 is -R.
patch_copies() {
	local how=$1 patch=$2 verb=apply version
	[[ $how != -R ]] || verb=revert
	if ! patch "$how" -p1 -F0 -t -d "$work/tree" --no-backup-if-mismatch -r - -i "$patch" >"$work/said" 2>&1; then
		say "cannot $verb $(basename "$patch") in $tree; nothing was written:"
		sed 's/^/  /' "$work/said" >&2
		version=$(tree_version)
		[[ $verb == revert || -z $version || $version == "$KSYM_BASE" ]] ||
			say "$tree is Linux $version, and the patches are for $KSYM_BASE"
		exit 1
	fi
}

# Makes the patched files in $work/tree, and copies of the files as they are in $work/now.
work_out_patches() {
	local file patch
	local -a old new
	mapfile -t old < <(applied_patches)
	mapfile -t new < <(wanted_patches)
	mkdir -p "$work/tree" "$work/now"
	for patch in "${new[@]}"; do
		[[ -f $patch ]] || die "patches/series has $(basename "$patch"), which does not exist"
	done
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
	for patch in "${new[@]}"; do patch_copies -N "$patch"; done
}

# Prints "MODE HASH NAME" for a file of the folder $1.
identify() { printf '%s %s %s\n' "$(stat -c %a "$1/$2")" "$(sha256sum <"$1/$2" | cut -d' ' -f1)" "$2"; }

# Determines which overlay files to write and which to remove. A file in TREE that is not
# ours, or that was changed since it was applied, is never overwritten or removed.
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
				say "$tree/$file was changed since it was applied"
				conflict=1
			fi
		done <"$state/overlay"
	fi
	if [[ $action == apply ]]; then
		while IFS= read -r file; do
			wanted[$file]=1
			if [[ ! -v ours[$file] && -e $tree/$file ]]; then
				# The same file was there before, so it is not ours to remove.
				cmp -s "$KSYM_ROOT/$file" "$tree/$file" && continue
				say "$tree/$file exists and is not ours"
				conflict=1
				continue
			fi
			identify "$KSYM_ROOT" "$file" >>"$work/overlay"
			[[ -f $tree/$file && $(identify "$KSYM_ROOT" "$file") == "$(identify "$tree" "$file")" ]] ||
				printf '%s\n' "$file" >>"$work/write"
		done < <(overlay_files)
	fi
	((conflict == 0)) || die "nothing was written; use FORCE=1 to overwrite changes to our files"
	for file in "${!ours[@]}"; do
		[[ -v wanted[$file] ]] || printf '%s\n' "$file" >>"$work/remove"
	done
}

# Removes the file $1 from the tree, and the folders that are empty then.
take() {
	rm -f "$tree/$1"
	(cd "$tree" && rmdir -p --ignore-fail-on-non-empty "$(dirname "$1")" 2>/dev/null) || true
}

# Collects the files to write, the list of files to remove, and the record of what is
# applied in TREE/.ksym-pending, which gets that name when it is complete.
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

# Carries out what stage() collected. Each step can be repeated, so if this is interrupted,
# the next call starts by repeating it.
carry_out() {
	local file
	while IFS= read -r file; do
		mkdir -p "$tree/$(dirname "$file")"
		# A new modification time, so that make sees the change.
		install -m "$(stat -c %a "$pending/write/$file")" -T "$pending/write/$file" "$tree/$file"
	done < <(cd "$pending/write" && find . -type f -printf '%P\n')
	while IFS= read -r file; do take "$file"; done <"$pending/remove"
	rm -rf "$state"
	[[ ! -d $pending/state ]] || cp -a "$pending/state" "$state"
	rm -rf "$pending"
}

# Succeeds if applying would change nothing.
nothing_to_do() {
	local file
	[[ -d $state && ! -s $work/write && ! -s $work/remove ]] || return 1
	cmp -s <(wanted_series) "$state/series" || return 1
	while IFS= read -r file; do
		cmp -s "$work/tree/$file" "$work/now/$file" || return 1
	done <"$work/touched"
}

check_tree
choose_base
[[ ! -d $pending ]] || { say "finishing an interrupted run in $tree"; carry_out; }
case $action in
apply | fixes)
	verb=applied
	[[ ! -d $state ]] || verb=updated
	;;
unapply)
	[[ -d $state ]] || { say "not applied in $tree"; exit 0; }
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
if [[ $action == unapply ]]; then
	say "removed from $tree"
else
	say "$verb in $tree: $(wanted_patches | wc -l) patches, $(wc -l <"$work/overlay") files"
fi

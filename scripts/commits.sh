# shellcheck shell=bash
# Makes commits of the series, for scripts/patches.sh and series.sh. It is sourced after
# scripts/lib.sh.
#
# The commits are made in a git repository that has only the touched files; git treats
# them as in a whole kernel tree. Author and date come from the patches; parts of the
# overlay have those of the first patch that is no backport, since a backport may have the
# author of mainline's commit. So the same project always gives the same commits.

git_in() { git -C "$1" "${@:2}"; }

# Prints "NAME PATTERN" for the lines of patches/parts.
part_patterns() {
	[[ ! -f $KSYM_ROOT/patches/parts ]] ||
		sed -E -e '/^[[:space:]]*(#.*)?$/d' -e 's/[[:space:]]+/ /' "$KSYM_ROOT/patches/parts"
}

# Writes a list $1/PART of the files of each part of the overlay. The first pattern that
# matches a file decides.
sort_overlay() {
	local lists=$1 name pattern rest=$1/.rest
	mkdir -p "$lists"
	overlay_files >"$rest"
	while read -r name pattern; do
		grep -E -- "$pattern" "$rest" >>"$lists/$name" || true
		grep -vE -- "$pattern" "$rest" >"$rest.new" || true
		mv "$rest.new" "$rest"
	done < <(part_patterns)
	[[ ! -s $rest ]] || die "files without a part in patches/parts: $(xargs <"$rest")"
	rm -f "$rest"
}

# Checks patches/series; $1 is the folder with the lists of the parts.
check_series() {
	local line file lists=$1 at=1
	# The series in their order.
	local -A rank=([backports]=1 [fixes]=2 [ksym]=3) seen=()
	line=$(sed -nE 's/^([0-9.]+):.*/\1/p' "$KSYM_ROOT/patches/series" | grep -vxFf <(printf '%s\n' "${KSYM_BASES[@]}") | head -n 1) || true
	[[ -z $line ]] || die "patches/series has the unknown base $line"
	while IFS= read -r line; do
		[[ ! -v seen[$line] ]] || die "patches/series has $line twice"
		seen[$line]=1
		((rank[$(series_of "$line")] >= at)) ||
			die "patches/series has $line in the wrong place; backports must come first, then fixes"
		at=${rank[$(series_of "$line")]}
		if [[ $line == +* ]]; then
			[[ -s $lists/${line#+} ]] || die "patches/series has $line, a part without files"
			[[ -f $KSYM_ROOT/patches/messages/${line#+} ]] || die "the part $line has no message, patches/messages/${line#+}"
		else
			file=$(patch_file "$line")
			[[ -f $KSYM_ROOT/$file ]] || die "patches/series has $line, but $file does not exist"
		fi
	done < <(series_lines)
	((${#seen[@]})) || die "patches/series has nothing for $KSYM_BASE"
	while IFS= read -r line; do
		[[ ! -s $line || -v seen[+${line##*/}] ]] || die "patches/series lacks +${line##*/}, a part of the overlay"
	done < <(find "$lists" -type f)
	# Otherwise a variant whose line was renamed would be left out without a word.
	while IFS= read -r file; do
		[[ -v seen[$file] ]] || die "patches/series lacks $file, which patches/$KSYM_BASE has"
	done < <(find "$KSYM_ROOT/patches/$KSYM_BASE" -name '*.patch' -printf '%P\n' 2>/dev/null)
}

# Prints the series that the line $1 of patches/series belongs to.
series_of() {
	case $1 in
	backports/* | fixes/*) printf '%s\n' "${1%%/*}" ;;
	*) echo ksym ;;
	esac
}

# Sets the author and committer $1, $2 and the date $3 for git, and disables the settings of
# this machine.
author_is() {
	export GIT_AUTHOR_NAME=$1 GIT_AUTHOR_EMAIL=$2 GIT_AUTHOR_DATE=$3
	export GIT_COMMITTER_NAME=$1 GIT_COMMITTER_EMAIL=$2 GIT_COMMITTER_DATE=$3
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
}

# Commits the part $2 of the overlay, the files in the list $3, in the repository $1.
commit_part() {
	(cd "$KSYM_ROOT" && xargs -d '\n' cp -a --parents -t "$1" <"$3")
	git_in "$1" add -f --pathspec-from-file="$3"
	git_in "$1" commit -q --signoff -F "$KSYM_ROOT/patches/messages/$2"
}

# Makes the repository $1. The tag base is Debian's source, the tags backports and fixes are
# the ends of those series, and the branch main is the end of all. $1/.git/lines has "COMMIT
# LINE" for each line of patches/series.
make_commits() {
	local repo=$1 lists=$1.parts line first said tag
	local -a patches
	need_source
	mapfile -t patches < <(patch_files)
	sort_overlay "$lists"
	check_series "$lists"
	first=$(series_patches | { grep -v '^backports/' || true; } | head -n 1)
	[[ -n $first ]] || die 'patches/series has no patch to take the author from'
	first=$(git mailinfo /dev/null /dev/null <"$KSYM_ROOT/$(patch_file "$first")")
	author_is "$(sed -n 's/^Author: //p' <<<"$first")" "$(sed -n 's/^Email: //p' <<<"$first")" \
		"$(sed -n 's/^Date: //p' <<<"$first")"
	mkdir -p "$repo"
	touched_by "${patches[@]}" | unpack_pristine "$repo"
	git init -q -b main "$repo"
	git_in "$repo" add -A -f
	git_in "$repo" commit -q -m "Debian's $KSYM_SOURCE_PACKAGE $(source_version), the touched files"
	for tag in base backports fixes; do git_in "$repo" tag "$tag"; done
	while IFS= read -r line; do
		if [[ $line == +* ]]; then
			commit_part "$repo" "${line#+}" "$lists/${line#+}"
		else
			said=$(git_in "$repo" am -q --keep-non-patch "$KSYM_ROOT/$(patch_file "$line")" 2>&1) ||
				die "git am cannot apply $(patch_file "$line"): $said"
		fi
		# fixes is based on backports.
		case $(series_of "$line") in
		backports) git_in "$repo" tag -f backports && git_in "$repo" tag -f fixes ;;
		fixes) git_in "$repo" tag -f fixes ;;
		esac >/dev/null
		printf '%s %s\n' "$(git_in "$repo" rev-parse main)" "$line" >>"$repo/.git/lines"
	done < <(series_lines)
}

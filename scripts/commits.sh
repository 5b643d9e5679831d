# shellcheck shell=bash
# Makes commits of the two series, for scripts/patches.sh, series.sh and mainline.sh. It is
# sourced after scripts/lib.sh.
#
# The commits are made in a git repository that has only the touched files; git treats
# them as in a whole kernel tree. Author and date come from the patches; parts of the
# overlay have those of the first patch. So the same project always gives the same
# commits.

git_in() { git -C "$1" "${@:2}"; }

# Prints the parts of the overlay in patches/series, in order.
series_parts() { series_lines | sed -n 's/^+//p'; }

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
	local line lists=$1 ksym=no
	local -A seen=()
	while IFS= read -r line; do
		[[ ! -v seen[$line] ]] || die "patches/series has $line twice"
		seen[$line]=1
		case $line in
		fixes/*) [[ $ksym == no ]] || die "patches/series has $line after the series ksym; fixes must come first" ;;
		*) ksym=yes ;;
		esac
		if [[ $line == +* ]]; then
			[[ -s $lists/${line#+} ]] || die "patches/series has $line, a part without files"
			[[ -f $KSYM_ROOT/patches/messages/${line#+} ]] || die "the part $line has no message, patches/messages/${line#+}"
		else
			[[ -f $KSYM_ROOT/patches/$line ]] || die "patches/series has $line, which does not exist"
		fi
	done < <(series_lines)
	((${#seen[@]})) || die 'patches/series is empty'
	while IFS= read -r line; do
		[[ ! -s $line || -v seen[+${line##*/}] ]] || die "patches/series lacks +${line##*/}, a part of the overlay"
	done < <(find "$lists" -type f)
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

# Makes the repository $1. The tag base is Debian's source, the tag fixes the end of the
# series fixes, the branch main the end of both. $1/.git/lines has "COMMIT LINE" for each
# line of patches/series.
make_commits() {
	local repo=$1 lists=$1.parts line first said
	local -a patches
	mapfile -t patches < <(patch_files)
	sort_overlay "$lists"
	check_series "$lists"
	first=$(git mailinfo /dev/null /dev/null <"${patches[0]:-/dev/null}")
	author_is "$(sed -n 's/^Author: //p' <<<"$first")" "$(sed -n 's/^Email: //p' <<<"$first")" \
		"$(sed -n 's/^Date: //p' <<<"$first")"
	mkdir -p "$repo"
	touched_by "${patches[@]}" | unpack_pristine "$repo"
	git init -q -b main "$repo"
	git_in "$repo" add -A -f
	git_in "$repo" commit -q -m "Debian's $KSYM_SOURCE_PACKAGE $(source_version), the touched files"
	git_in "$repo" tag base
	git_in "$repo" tag fixes
	while IFS= read -r line; do
		if [[ $line == +* ]]; then
			commit_part "$repo" "${line#+}" "$lists/${line#+}"
		else
			said=$(git_in "$repo" am -q --keep-non-patch "$KSYM_ROOT/patches/$line" 2>&1) ||
				die "git am cannot apply $line: $said"
		fi
		[[ $line != fixes/* ]] || git_in "$repo" tag -f fixes >/dev/null
		printf '%s %s\n' "$(git_in "$repo" rev-parse main)" "$line" >>"$repo/.git/lines"
	done < <(series_lines)
}

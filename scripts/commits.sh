# shellcheck shell=bash
# The two series as commits: what scripts/patches.sh writes out, scripts/series.sh builds and
# scripts/mainline.sh tries elsewhere. It is sourced, after scripts/lib.sh.
#
# The commits are made in a git repository of the touched files alone, so what git says
# of them there is what it says of a kernel tree. Who made them and when comes from the
# patches, and the parts of the overlay have it from the first: so the same project
# always gives the same commits.

git_in() { git -C "$1" "${@:2}"; }

# Prints the parts of the overlay that patches/series names, in its order.
series_parts() { series_lines | sed -n 's/^+//p'; }

# Prints "NAME PATTERN" for the lines of patches/parts.
part_patterns() {
	[[ ! -f $KSYM_ROOT/patches/parts ]] ||
		sed -E -e '/^[[:space:]]*(#.*)?$/d' -e 's/[[:space:]]+/ /' "$KSYM_ROOT/patches/parts"
}

# Writes the files of each part of the overlay into the list $1/PART. A file is in the
# part of the first pattern that it matches.
sort_overlay() {
	local lists=$1 name pattern rest=$1/.rest
	mkdir -p "$lists"
	overlay_files >"$rest"
	while read -r name pattern; do
		grep -E -- "$pattern" "$rest" >>"$lists/$name" || true
		grep -vE -- "$pattern" "$rest" >"$rest.new" || true
		mv "$rest.new" "$rest"
	done < <(part_patterns)
	[[ ! -s $rest ]] || die "no part of the overlay has: $(tr '\n' ' ' <"$rest")(patches/parts names them)"
	rm -f "$rest"
}

# Looks whether patches/series can be made into commits; $1 has the lists of the parts.
check_series() {
	local line lists=$1 ksym=no
	local -A seen=()
	while IFS= read -r line; do
		[[ ! -v seen[$line] ]] || die "patches/series names $line twice"
		seen[$line]=1
		case $line in
		fixes/*) [[ $ksym == no ]] || die "patches/series has $line behind the series ksym: fixes come first" ;;
		*) ksym=yes ;;
		esac
		if [[ $line == +* ]]; then
			[[ -s $lists/${line#+} ]] || die "patches/series has $line, a part without a file"
			[[ -f $KSYM_ROOT/patches/messages/${line#+} ]] || die "the part $line has no message, patches/messages/${line#+}"
		else
			[[ -f $KSYM_ROOT/patches/$line ]] || die "patches/series names $line, which is not there"
		fi
	done < <(series_lines)
	((${#seen[@]})) || die 'patches/series names no patch'
	while IFS= read -r line; do
		[[ ! -s $line || -v seen[+${line##*/}] ]] || die "patches/series has no +${line##*/}, a part of the overlay"
	done < <(find "$lists" -type f)
}

# Gives git the author $1, $2 at $3, and nothing of this machine's own settings.
author_is() {
	export GIT_AUTHOR_NAME=$1 GIT_AUTHOR_EMAIL=$2 GIT_AUTHOR_DATE=$3
	export GIT_COMMITTER_NAME=$1 GIT_COMMITTER_EMAIL=$2 GIT_COMMITTER_DATE=$3
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
}

# Commits the part $2 of the overlay, whose files the list $3 names, in $1.
commit_part() {
	(cd "$KSYM_ROOT" && xargs -d '\n' cp -a --parents -t "$1" <"$3")
	git_in "$1" add -f --pathspec-from-file="$3"
	git_in "$1" commit -q --signoff -F "$KSYM_ROOT/patches/messages/$2"
}

# Makes the repository $1: the tag base is Debian's source, the tag fixes the end of the
# series fixes, main that of both. $1/.git/lines has "COMMIT LINE" for each line of
# patches/series.
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
				die "$line is not for git am: $said"
		fi
		[[ $line != fixes/* ]] || git_in "$repo" tag -f fixes >/dev/null
		printf '%s %s\n' "$(git_in "$repo" rev-parse main)" "$line" >>"$repo/.git/lines"
	done < <(series_lines)
}

#!/bin/bash
# Tries the patches on a newer kernel, Debian's linux-source-7.3: scripts/mainline.sh [FILE…]
#
# The package comes from trixie-backports. apt keeps its lists for it below build/apt,
# apart from those of this machine. In a git repository of the touched files of 7.3, each
# commit of the two series is applied, file by file; with FILEs, only the changes of
# those. Changes that apply are kept for the next commit. For each file that a patch
# changes, one of these is printed:
#
#   applies      git apply succeeds, possibly with an offset
#   merges       the context differs, but a three-way merge succeeds
#   fails        with the numbers of the rejected hunks; the others are applied
#   is not there
#
# The last line has the sums. A change that fails needs a variant for 7.3, and one that
# merges must be reviewed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/commits.sh
. "$(dirname "${BASH_SOURCE[0]}")/commits.sh"
KSYM_NAME=mainline

package=linux-source-7.3
suite=trixie-backports
state=$KSYM_BUILD/mainline
tarball=$state/$package.tar.xz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ours=$work/ours
theirs=$work/theirs

# Downloads the package and unpacks the source, unless it was unpacked before.
fetch() {
	local version
	[[ ! -f $tarball || ! -f $state/version ]] || return 0
	mkdir -p "$state"
	say "downloading $package from $suite"
	suite_apt "$suite" apt-get update >"$state/log" 2>&1 || { tail -n 5 "$state/log" >&2; die "cannot fetch the lists of $suite"; }
	version=$(suite_apt "$suite" apt-cache show --no-all-versions "$package" | sed -n 's/^Version: //p')
	[[ -n $version ]] || die "$package not found in $suite"
	(cd "$state" && suite_apt "$suite" apt-get download "$package=$version") >>"$state/log" 2>&1 ||
		{ tail -n 5 "$state/log" >&2; die "cannot download $package"; }
	dpkg-deb --fsys-tarfile "$state/$package"_*.deb | tar -xOf - "./usr/src/$package.tar.xz" >"$tarball.new"
	mv "$tarball.new" "$tarball"
	rm "$state/$package"_*.deb
	printf '%s\n' "$version" >"$state/version"
}

# Prints the numbers of the hunks that git apply --reject rejected.
rejected() { sed -n 's/^Rejected hunk #\([0-9]*\)\.$/\1/p' "$work/said" | tr '\n' ' '; }

# Applies the change $1 to the file $2 and prints the result.
try_file() {
	local change=$1 file=$2 offsets hunks
	if [[ ! -f $theirs/$file ]] && ! grep -q '^new file' "$change"; then
		echo 'is not there'
	elif git_in "$theirs" apply --index -v "$change" >"$work/said" 2>&1; then
		offsets=$(grep -c 'offset' "$work/said" || true)
		((offsets == 0)) && echo applies || echo 'applies, further up or down'
	elif git_in "$theirs" apply --3way "$change" >"$work/said" 2>&1; then
		echo merges
	else
		git_in "$theirs" reset -q --hard
		git_in "$theirs" apply --reject "$change" >"$work/said" 2>&1 || true
		hunks=$(grep -c '^@@' "$change")
		rm -f "$theirs/$file.rej"
		echo "fails: hunk $(rejected)of $hunks"
	fi
	git_in "$theirs" add -A -f
	git_in "$theirs" commit -q --allow-empty -m "$file"
}

fetch
version=$(<"$state/version")
warn_version "$package" "$version"
make_commits "$ours"
mkdir "$theirs"
git_in "$ours" ls-tree -r --name-only base >"$work/files"
KSYM_SOURCE_PACKAGE=$package KSYM_SOURCE_TARBALL=$tarball unpack_pristine "$theirs" <"$work/files"
git init -q -b main "$theirs"
# Three-way merges need the contents of our files.
echo "$ours/.git/objects" >"$theirs/.git/objects/info/alternates"
git_in "$theirs" add -A -f
git_in "$theirs" commit -q -m "$package $version"
declare -A count=()
while read -r commit line <&3; do
	# Parts of the overlay have only new files.
	[[ $line != +* ]] || continue
	mapfile -t files < <(git_in "$ours" diff --name-only "$commit^" "$commit" -- "$@")
	((${#files[@]})) || continue
	echo "$line"
	for file in "${files[@]}"; do
		git_in "$ours" diff --full-index "$commit^" "$commit" -- "$file" >"$work/change"
		result=$(try_file "$work/change" "$file")
		printf '  %-52s %s\n' "$file" "$result"
		kind=${result%%[:,]*}
		count[$kind]=$((${count[$kind]:-0} + 1))
	done
done 3<"$ours/.git/lines"
say "$package $version, changes of a file: $(for kind in "${!count[@]}"; do printf '%s %s, ' "${count[$kind]}" "$kind"; done | sed 's/, $//')"

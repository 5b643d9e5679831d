# shellcheck shell=bash
# Trees of a few Debian packages, for tests on other releases. It is sourced after tap.sh.

# Unpacks the packages "$3…" of the suite $2 into build/trees/$1, unless they are there. Files
# that take room and that no test needs are left out.
make_tree() {
	local tree=$KSYM_SHARED/trees/$1 suite=$2 deb
	shift 2
	[[ ! -f $tree/packages || $(<"$tree/packages") != "$suite $*" ]] || return 0
	rm -rf "$tree" "$tree.new"
	mkdir -p "$tree.new"/{debs,proc,sys,usr/{bin,lib,lib64}}
	(cd "$tree.new/debs" && suite_download "$suite" "$@") >"$tree.new/log" 2>&1 ||
		{ tail -n 5 "$tree.new/log"; return 1; }
	# In Debian 12, some packages still have files in /bin and /lib, which are links.
	ln -s usr/bin usr/lib usr/lib64 "$tree.new/"
	for deb in "$tree.new"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -xf - -C "$tree.new" --keep-directory-symlink --exclude='*/gconv' --exclude='./usr/share'
	done
	rm -r "$tree.new/debs"
	echo "$suite $*" >"$tree.new/packages"
	mv "$tree.new" "$tree"
}

# shellcheck shell=bash
# Trees of a few Debian packages, to run programs of other releases. It is sourced after lib.sh.

# Prints the package $2 of the suite $1 and those that it depends on.
with_dependencies() { suite_get "$1" install -s --no-install-recommends "$2" | awk '/^Inst/ { print $2 }'; }

# Unpacks the packages "$3…" of the suite $2 into build/trees/$1, unless they are there. Files
# that take room and that no test needs are left out; /usr/share has the firmware of QEMU.
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
			tar -xf - -C "$tree.new" --keep-directory-symlink --exclude='*/gconv' --exclude='./usr/share/[!qs]*'
	done
	rm -r "$tree.new/debs"
	echo "$suite $*" >"$tree.new/packages"
	mv "$tree.new" "$tree"
}

# Runs the program $2 with the arguments "$3…" in the tree $1, with the libraries there.
run_in_tree() {
	local libraries=$KSYM_SHARED/trees/$1/usr/lib/x86_64-linux-gnu program=$2
	shift 2
	"$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "${libraries%/lib/*}/bin/$program" "$@"
}

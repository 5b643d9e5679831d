#!/bin/bash
# Makes the virtual machine's root: scripts/rootfs.sh [FLAVOUR]
#
# It prints the names of two cpio archives, which the kernel unpacks one over the
# other: the first has programs of this machine's own Debian packages, with the
# libraries that they load, and is the same for each flavour; the second has what
# belongs to one kernel, its modules and the selftests of its tree, and our tool.
# Both stay uncompressed, since an emulated CPU unpacks slower than it copies, and
# each is made again only when something that goes into it changed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=rootfs

flavour=${1:-ksym}
check_flavour "$flavour"
tree=$KSYM_BUILD/linux-$flavour
out=$KSYM_BUILD/root

# All programs of these packages go in, as far as they are installed. They are not
# left to busybox, since the kernel's test scripts are written for the real ones.
packages=(bash dash coreutils grep sed mawk findutils diffutils procps util-linux
	mount kmod kexec-tools ncurses-bin tmux trace-cmd linux-perf bpftool gdb-minimal)
# Single programs and data of others, as far as the machine has them.
extras=(/usr/lib/x86_64-linux-gnu/traceevent/plugins /usr/lib/locale/C.utf8
	/usr/lib/terminfo/l/linux /usr/lib/terminfo/x/xterm /usr/lib/terminfo/x/xterm-256color
	/usr/lib/terminfo/s/screen /usr/lib/terminfo/t/tmux /usr/lib/terminfo/d/dumb
	/usr/lib/terminfo/s/screen-256color /usr/lib/terminfo/t/tmux-256color)

new_folder() { rm -rf "$1" && mkdir -p "$1"; }

# Copies the files that stdin names into the folder $1, under the names that they
# have here: links in their folders' names are followed (/bin is one on Debian). The
# rest is options for cp. What this machine does not have is left out.
copy_in() {
	local root=$1 file folder
	shift
	while IFS= read -r file; do
		[[ -e $file ]] || continue
		folder=$(readlink -f "$(dirname "$file")")
		mkdir -p "$root$folder"
		cp "$@" -T "$file" "$root$folder/$(basename "$file")"
	done
}

# Adds to the folder $1 the libraries that its programs load. What is no program
# makes ldd fail, which means nothing here.
add_libraries() {
	{ find "$1" -type f \( -perm -100 -o -name '*.so*' \) -print0 | xargs -0 ldd 2>/dev/null || true; } |
		sed -nE 's,^[^/]*(/[^ ]+) \(0x.*,\1,p' | sort -u | copy_in "$1" -L
}

# Packs the folder $1 into the archive $2, the same bytes for the same content.
pack() {
	(cd "$1" && find . -mindepth 1 | LC_ALL=C sort | cpio -o -H newc -R 0:0 --reproducible --quiet) >"$2.new"
	mv "$2.new" "$2"
}

# Runs "$3…", which makes the archive $1, unless it was made for the key $2.
unless_made_for() {
	local archive=$1 key=$2
	shift 2
	[[ -f $archive && -f $archive.key && $(<"$archive.key") == "$key" ]] && return
	say "making ${archive#"$KSYM_ROOT"/}"
	"$@"
	printf '%s\n' "$key" >"$archive.key"
}

make_base() {
	local root=$out/base.d applet
	new_folder "$root"
	mkdir -p "$root"/{dev,proc,sys,tmp,run,root,etc,ksym,mnt,var/log,usr/bin,usr/sbin,usr/lib,usr/lib64}
	for applet in bin sbin lib lib64; do ln -s "usr/$applet" "$root/$applet"; done
	{
		{ dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true; } |
			sed -n 's/^installed //p' | xargs dpkg -L | grep -E '^(/usr)?/s?bin/[^/]+$' | sort -u
		printf '%s\n' "${extras[@]}" /usr/bin/busybox
	} | copy_in "$root" -a
	ln -sf dash "$root/usr/bin/sh"
	ln -sf mawk "$root/usr/bin/awk"
	# busybox fills in the rest, where no real program has the name.
	busybox --list | while IFS= read -r applet; do
		[[ -e $root/usr/bin/$applet || -e $root/usr/sbin/$applet ]] || ln -sf busybox "$root/usr/bin/$applet"
	done
	add_libraries "$root"
	printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n' >"$root/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
	printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
	ln -s /proc/mounts "$root/etc/mtab"
	install -m 755 "$KSYM_ROOT/scripts/guest/init" "$root/init"
	cp "$KSYM_ROOT/scripts/guest/profile" "$root/etc/profile"
	pack "$root" "$out/base.cpio"
	rm -rf "$root"
}

# Installs one suite of the tree's selftests, programs built, as /selftests/SUITE.
add_selftest() {
	local root=$1 suite=$2 log=$KSYM_LOGS/selftests-$flavour-$2.log
	[[ -d $tree/tools/testing/selftests/$suite ]] || return 0
	mkdir -p "$out/selftests-$flavour/$suite" "$root/selftests/$suite"
	# A module's BTF refers to the kernel's by number, and make does not see that it is
	# another kernel now: so modules are linked again.
	find "$tree/tools/testing/selftests/$suite" -name '*.ko' -delete
	env -u MAKEFLAGS -u MAKELEVEL make -C "$tree/tools/testing/selftests/$suite" ARCH=x86 \
		OUTPUT="$out/selftests-$flavour/$suite" INSTALL_PATH="$root/selftests/$suite" all install >"$log" 2>&1 ||
		{ tail -n 20 "$log" >&2; die "the selftests of $suite could not be built"; }
	# A module's debug information is most of it, and is of no use in the machine.
	find "$root/selftests/$suite" -name '*.ko' -exec strip --strip-debug {} +
}

# Debian's kernel has hundreds of modules, packed with xz; a few that load by
# themselves and have variables are all that the machine gets.
stock_modules=(drivers/net/dummy net/ipv4/tcp_bic)

install_stock_modules() {
	local root=$1 release from module to
	release=$(basename "$tree"/lib/modules/*)
	from=$tree/lib/modules/$release to=$root/usr/lib/modules/$release
	for module in "${stock_modules[@]}"; do
		mkdir -p "$to/kernel/$(dirname "$module")"
		xz -dc "$from/kernel/$module.ko.xz" >"$to/kernel/$module.ko"
	done
	cp "$from"/modules.{order,builtin,builtin.modinfo} "$to/"
	depmod -b "$root/usr" "$release"
}

# What belongs to a kernel that was built here: its modules, and the selftests.
install_built() {
	local root=$1 suite
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$tree" INSTALL_MOD_PATH="$root/usr" INSTALL_MOD_STRIP=1 modules_install \
		>"$KSYM_LOGS/modules-$flavour.log" 2>&1 ||
		{ tail -n 20 "$KSYM_LOGS/modules-$flavour.log" >&2; die "the modules could not be installed"; }
	rm -f "$root"/usr/lib/modules/*/{build,source}
	for suite in ftrace breakpoints perf_events kexec ksym; do add_selftest "$root" "$suite"; done
	mkdir -p "$root/selftests"
	cp -r "$tree/tools/testing/selftests/kselftest" "$root/selftests/"
}

make_flavour() {
	local root=$out/$flavour.d
	new_folder "$root"
	mkdir -p "$root/usr/bin"
	if [[ $flavour == stock ]]; then install_stock_modules "$root"; else install_built "$root"; fi
	[[ ! -x $KSYM_BUILD/tools/ksymwatch ]] || cp "$KSYM_BUILD/tools/ksymwatch" "$root/usr/bin/"
	add_libraries "$root"
	pack "$root" "$out/$flavour.cpio"
	rm -rf "$root"
}

mkdir -p "$out" "$KSYM_LOGS"
bzimage=$tree/arch/x86/boot/bzImage
[[ -f $bzimage ]] || die "the kernel of flavour $flavour is not built: make kernel FLAVOUR=$flavour"
# Several machines may start at a time; one of them makes the root.
exec 8>"$out/.lock"
flock 8
base_key=$({ dpkg-query -W; printf '%s\n' scripts/rootfs.sh scripts/guest/{init,profile} | hash_files; } | sha256sum)
flavour_key=$({
	sha256sum <"$bzimage"
	# The tree's copy of our own selftests is newer than its bzImage at times. What is
	# built there, of their modules, is left out: the list has what was applied.
	grep ' tools/testing/selftests/ksym/' "$tree/.ksym-applied/overlay" 2>/dev/null || true
	[[ ! -x $KSYM_BUILD/tools/ksymwatch ]] || sha256sum <"$KSYM_BUILD/tools/ksymwatch"
	echo scripts/rootfs.sh | hash_files
} | sha256sum)
unless_made_for "$out/base.cpio" "$base_key" make_base
unless_made_for "$out/$flavour.cpio" "$flavour_key" make_flavour
printf '%s\n' "$out/base.cpio" "$out/$flavour.cpio"

#!/bin/bash
# Makes the root file system of the virtual machine: scripts/rootfs.sh [FLAVOUR]
#
# It prints the names of two cpio archives, which the kernel unpacks over each other. The
# first has programs of this machine's Debian packages with their libraries and is the
# same for each flavour and base. The second has the modules of one kernel, the selftests of its
# tree, and ksymwatch. They are not compressed, since an emulated CPU copies faster than
# it unpacks. An archive is made again only if something in it changed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=rootfs

flavour=${1:-ksym}
check_flavour "$flavour"
tree=$KSYM_BUILD/linux-$flavour
out=$KSYM_BUILD/root
shared=$KSYM_SHARED/root

# All programs of these packages are copied, if they are installed. busybox does not
# replace them, since the kernel's test scripts need the real programs.
packages=(bash dash coreutils grep sed mawk findutils diffutils procps util-linux
	mount kmod kexec-tools ncurses-bin tmux trace-cmd linux-perf bpftool gdb-minimal gdb)
# Single files of other packages, if they exist. Debian 13 has the terminals in /usr/share.
extras=(/usr/lib/x86_64-linux-gnu/traceevent/plugins /usr/lib/locale/C.utf8
	/usr/{lib,share}/terminfo/{l/linux,x/xterm,x/xterm-256color,s/screen,s/screen-256color}
	/usr/{lib,share}/terminfo/{t/tmux,t/tmux-256color,d/dumb})

new_folder() { rm -rf "$1" && mkdir -p "$1"; }

# Copies the files that stdin lists into the folder $1, with the paths that they have
# here, but with links in the names of folders resolved (/bin is a link on Debian). The
# other arguments are options for cp. Missing files are skipped.
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

# Copies the libraries that programs in the folder $1 load into it. ldd fails for files
# that are not programs.
add_libraries() {
	{ find "$1" -type f \( -perm -100 -o -name '*.so*' \) -print0 | xargs -0 ldd 2>/dev/null || true; } |
		sed -nE 's,^[^/]*(/[^ ]+) \(0x.*,\1,p' | sort -u | copy_in "$1" -L
}

# Packs the folder $1 into the archive $2, reproducibly.
pack() {
	(cd "$1" && find . -mindepth 1 | LC_ALL=C sort | cpio -o -H newc -R 0:0 --reproducible --quiet) >"$2.new"
	mv "$2.new" "$2"
}

# Runs "$3…" to make the archive $1, unless it was made for the key $2.
unless_made_for() {
	local archive=$1 key=$2
	shift 2
	[[ -f $archive && -f $archive.key && $(<"$archive.key") == "$key" ]] && return
	say "making ${archive#"$KSYM_ROOT"/}"
	"$@"
	printf '%s\n' "$key" >"$archive.key"
}

make_base() {
	local root=$shared/base.d applet
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
	# busybox provides the other commands.
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
	pack "$root" "$shared/base.cpio"
	rm -rf "$root"
}

# Builds one suite of the tree's selftests and installs it as /selftests/SUITE.
add_selftest() {
	local root=$1 suite=$2 log=$KSYM_LOGS/selftests-$flavour-$2.log
	[[ -d $tree/tools/testing/selftests/$suite ]] || return 0
	mkdir -p "$out/selftests-$flavour/$suite" "$root/selftests/$suite"
	# The BTF of a module refers to that of the kernel by number. make does not notice
	# that the kernel changed, so modules are linked again.
	find "$tree/tools/testing/selftests/$suite" -name '*.ko' -delete
	env -u MAKEFLAGS -u MAKELEVEL make -C "$tree/tools/testing/selftests/$suite" ARCH=x86 \
		OUTPUT="$out/selftests-$flavour/$suite" INSTALL_PATH="$root/selftests/$suite" all install >"$log" 2>&1 ||
		{ tail -n 20 "$log" >&2; die "cannot build the selftests of $suite"; }
	# Debug information is most of a module, and nothing in the machine reads it.
	find "$root/selftests/$suite" -name '*.ko' -exec strip --strip-debug {} +
}

# Of the hundreds of modules of Debian's kernel, most packed with xz, the machine gets a few
# that need no other module and have variables, and the drivers of its ports.
stock_modules=(drivers/net/dummy net/ipv4/tcp_bic drivers/char/virtio_console
	drivers/virtio/virtio{,_ring,_pci,_pci_legacy_dev,_pci_modern_dev})

install_stock_modules() {
	local root=$1 release from module to
	release=$(basename "$tree"/lib/modules/*)
	from=$tree/lib/modules/$release to=$root/usr/lib/modules/$release
	for module in "${stock_modules[@]}"; do
		mkdir -p "$to/kernel/$(dirname "$module")"
		# In newer kernels the drivers are no modules.
		cp "$from/kernel/$module.ko"* "$to/kernel/$(dirname "$module")/" 2>/dev/null || true
	done
	find "$to" -name '*.ko.xz' -exec xz -d {} +
	# Newer packages leave these to the installation.
	cp "$from"/modules.{order,builtin,builtin.modinfo} "$to/" 2>/dev/null || true
	depmod -b "$root/usr" "$release"
}

# Installs the modules and the selftests of a kernel that was built here.
install_built() {
	local root=$1 suite
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$tree" INSTALL_MOD_PATH="$root/usr" INSTALL_MOD_STRIP=1 modules_install \
		>"$KSYM_LOGS/modules-$flavour.log" 2>&1 ||
		{ tail -n 20 "$KSYM_LOGS/modules-$flavour.log" >&2; die "cannot install the modules"; }
	rm -f "$root"/usr/lib/modules/*/{build,source}
	for suite in ftrace breakpoints perf_events kexec ksym; do add_selftest "$root" "$suite"; done
	mkdir -p "$root/selftests"
	cp -r "$tree/tools/testing/selftests/kselftest" "$root/selftests/"
}

make_flavour() {
	local root=$out/$flavour.d
	new_folder "$root"
	mkdir -p "$root/usr/bin"
	if [[ $flavour == stock* ]]; then install_stock_modules "$root"; else install_built "$root"; fi
	[[ ! -x $KSYM_SHARED/tools/ksymwatch ]] || cp "$KSYM_SHARED/tools/ksymwatch" "$root/usr/bin/"
	add_libraries "$root"
	pack "$root" "$out/$flavour.cpio"
	rm -rf "$root"
}

mkdir -p "$out" "$shared" "$KSYM_LOGS"
bzimage=$tree/arch/x86/boot/bzImage
[[ -f $bzimage ]] || die "the kernel of flavour $flavour is not built: make kernel FLAVOUR=$flavour"
# Machines may start at the same time; one of them makes the root.
exec 8>"$shared/.lock"
flock 8
base_key=$({ dpkg-query -W; printf '%s\n' scripts/rootfs.sh scripts/guest/{init,profile} | hash_files; } | sha256sum)
flavour_key=$({
	sha256sum <"$bzimage"
	# The modules and selftests in the tree may be newer than its bzImage: ours, and those of
	# patches. The list of applied files does not have the modules of selftests, which are built there.
	grep ' tools/testing/selftests/ksym/' "$tree/.ksym-applied/overlay" 2>/dev/null || true
	find "$tree/samples" -name '*.ko' -print0 2>/dev/null | sort -z | xargs -0r cat
	find "$tree/.ksym-applied/patches" -name '*.patch' -print0 2>/dev/null | sort -z | xargs -0r cat
	[[ ! -x $KSYM_SHARED/tools/ksymwatch ]] || sha256sum <"$KSYM_SHARED/tools/ksymwatch"
	echo scripts/rootfs.sh | hash_files
} | sha256sum)
unless_made_for "$shared/base.cpio" "$base_key" make_base
unless_made_for "$out/$flavour.cpio" "$flavour_key" make_flavour
printf '%s\n' "$shared/base.cpio" "$out/$flavour.cpio"

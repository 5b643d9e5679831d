#!/bin/bash
# Builds the package of the kernel from a small configuration, and installs it with that of
# ksymwatch on a disk with this release of Debian. QEMU boots that disk by itself: by its boot
# loader and the initramfs that was made when the package was installed. The drivers of the disk
# and of the file system are modules. A service of systemd runs ksymwatch there.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
trap 'exit 143' TERM INT

# The packages on the disk besides Debian's minimal system and the libraries of ksymwatch.
packages=(systemd-sysv udev initramfs-tools grub-pc)
suite=$(os_release VERSION_CODENAME)
system=$KSYM_SHARED/trees/$suite.tar
disk=$scratch/disk

# Prints the configuration: our kernel's, with what a disk with systemd needs. KUnit and our tests
# are left out.
small_config() {
	cat "$KSYM_BUILD/linux-ksym/.config"
	printf 'CONFIG_%s=y\n' BLOCK BLK_DEV MSDOS_PARTITION RD_GZIP AUTOFS_FS TMPFS_POSIX_ACL SECCOMP DMIID RTC_CLASS
	printf 'CONFIG_%s=m\n' VIRTIO_BLK EXT4_FS
	echo '# CONFIG_KUNIT is not set'
}

# Makes the archive of the system, unless it is there. It is the only step that needs a network.
make_system() {
	local want="$suite ${packages[*]}" new=$system.new
	[[ ! -f $system || ! -f $system.packages || $(<"$system.packages") != "$want" ]] || return 0
	mkdir -p "$(dirname "$system")"
	rm -rf "$new"
	mkdir "$new"
	debootstrap --variant=minbase --include="$(IFS=, && echo "${packages[*]}")" "$suite" "$new/root" \
		http://deb.debian.org/debian >"$new/log" 2>&1 || { tail -n 5 "$new/log"; return 1; }
	rm -rf "$new"/root/var/cache/apt/archives/*.deb
	tar -C "$new/root" --one-file-system -cf "$new/tar" . || return
	mv "$new/tar" "$system"
	echo "$want" >"$system.packages"
	rm -rf "$new"
}

has_loop_devices() {
	local loop
	truncate -s 1M "$scratch/try" && loop=$(losetup -f --show "$scratch/try") && losetup -d "$loop" && unshare -m true
}

# Runs the commands $1 in a shell, in which $root is the root of the disk, with the arguments "$2…".
# They see mounts of their own: however they end, nothing stays mounted, and the loop device
# is detached with the last mount.
on_disk() {
	# shellcheck disable=SC2016  # the shell in there reads it
	unshare -m bash -euc '
		disk=$1 root=$2 commands=$3
		shift 3
		loop=$(losetup -f -P --show "$disk")
		trap "losetup -d $loop 2>/dev/null || true" EXIT
		# For a kernel that cannot read the table of partitions.
		[[ -b ${loop}p1 ]] || partx -a "$loop"
		[[ -n $(blkid -p -s TYPE -o value "${loop}p1") ]] || mkfs.ext4 -q -L ksym "${loop}p1"
		mkdir -p "$root"
		mount "${loop}p1" "$root"
		# It is detached when nothing uses it any more.
		losetup -d "$loop"
		for name in proc sys dev; do
			[[ ! -d $root/$name ]] || mount --rbind "/$name" "$root/$name"
		done
		in_root() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$root" "$@"; }
		eval "$commands"' - "$disk" "$scratch/root" "$@"
}

# Makes the disk, and installs the packages "$@".
make_disk() {
	truncate -s 2G "$disk"
	echo 'start=2048, type=83, bootable' | sfdisk -q --label dos "$disk" || return
	# The loop device has another name in QEMU, so the root is found by its label: the last root=
	# on the command line counts.
	# shellcheck disable=SC2016  # the shell in there reads it
	on_disk '
		tar -xf "$1" -C "$root"
		for name in proc sys dev; do mount --rbind "/$name" "$root/$name"; done
		echo "LABEL=ksym / ext4 errors=remount-ro 0 1" >"$root/etc/fstab"
		echo ksym >"$root/etc/hostname"
		cat >"$root/etc/default/grub" <<-GRUB
			GRUB_TIMEOUT=0
			GRUB_TERMINAL=serial
			GRUB_CMDLINE_LINUX="root=LABEL=ksym console=ttyS0,115200 panic=-1 norandmaps nowatchdog no_timer_check"
		GRUB
		cp "$2" "$root/root/guest.sh"
		cat >"$root/etc/systemd/system/ksym-test.service" <<-UNIT
			[Unit]
			Description=Tests ksymwatch
			SuccessAction=poweroff
			FailureAction=poweroff
			[Service]
			Type=oneshot
			ExecStart=/bin/bash /root/guest.sh
			[Install]
			WantedBy=multi-user.target
		UNIT
		in_root systemctl -q enable ksym-test.service
		cp "${@:3}" "$root/root/"
		# The hook of the boot loader, which the installation of a kernel runs, only updates its menu.
		in_root grub-install --target=i386-pc "$loop"
		in_root update-grub
		in_root sh -c "apt-get install -q -y --no-install-recommends /root/*.deb"' \
		"$system" "$KSYM_ROOT/tests/kernel-deb.guest.sh" "$@"
}

# --- The package ------------------------------------------------------------------------

"$KSYM_ROOT/scripts/setup.sh" deb kernel-deb check
status=0
said=$(KCONFIG=$scratch/none make -s -C "$KSYM_ROOT" kernel-deb 2>&1) || status=$?
is 'a missing configuration is an error' "$status ${said%%$'\n'*}" "2 kernel-deb: KCONFIG=$scratch/none: no such file"
status=0
said=$(KCONFIG=README.md make -s -C "$KSYM_ROOT" kernel-deb 2>&1) || status=$?
is 'a file without options is an error' "$status ${said%%$'\n'*}" '2 kernel-deb: KCONFIG=README.md: not a kernel configuration'

# Only its configuration is needed.
"$KSYM_ROOT/scripts/kernel.sh" --if-missing ksym
small_config >"$scratch/config"
status=0
KCONFIG=$scratch/config make -s -C "$KSYM_ROOT" kernel-deb >"$scratch/packages" || status=$?
is 'make kernel-deb KCONFIG=FILE' "$status" 0
((status == 0)) || finish
mapfile -t debs <"$scratch/packages"
is 'it makes packages of the kernel and its headers, and no others' \
	"$(for deb in "${debs[@]}"; do dpkg-deb -f "$deb" Package | sed -E 's/-[0-9.]+-/-VERSION-/'; done)" \
	$'linux-headers-VERSION-ksym\nlinux-image-VERSION-ksym'
image=$(printf '%s\n' "${debs[@]}" | grep /linux-image-)
package=$(dpkg-deb -f "$image" Package)
release=${package#linux-image-}
for option in KSYM_TRACER=y HW_BREAKPOINT_FLEXIBLE=y EXT4_FS=m VIRTIO_BLK=m; do
	is "the kernel has CONFIG_$option" \
		"$(dpkg-deb --fsys-tarfile "$image" | tar -xOf - "./boot/config-$release" | grep "^CONFIG_${option%=*}=")" "CONFIG_$option"
done

# --- On a machine -----------------------------------------------------------------------

why=
check 'make deb' make -s -C "$KSYM_ROOT" deb
tool=$(ls "$KSYM_SHARED"/deb/ksymwatch_*.deb)
# "libc6 (>= 2.36), libbpf1 (>= 1:0.6.0)" is libc6 and libbpf1.
mapfile -t libraries < <(dpkg-deb -f "$tool" Depends | tr , '\n' | awk '{ print $1 }')
packages+=("${libraries[@]}")
if [[ $(id -u) != 0 ]]; then
	why='this requires root'
elif ! has_loop_devices 2>/dev/null; then
	why='this requires loop devices'
elif ! make_system >"$scratch/made" 2>&1; then
	why="debootstrap: $(tail -n 1 "$scratch/made")"
fi
if [[ -n $why ]]; then
	skip 'a machine boots the installed kernel' "$why"
	finish
fi
status=0
make_disk "$image" "$tool" >"$scratch/made" 2>&1 || status=$?
is 'both packages are installed on a disk' "$status" 0
((status == 0)) || { sed 's/^/# /' "$scratch/made" | tail -n 20; finish; }

logs=${VM_LOGS:-$KSYM_LOGS}
mkdir -p "$logs"
log=$logs/kernel-deb.log
status=0
timeout -k 5 "${VM_TIMEOUT:-600}" qemu-system-x86_64 -accel tcg -cpu qemu64,+rdrand -smp 2,sockets=2 -m 1G \
	-nodefaults -display none -nic none -no-reboot -no-user-config \
	-drive "file=$disk,format=raw,if=virtio,cache=unsafe" -serial "file:$log" </dev/null >"$scratch/qemu" 2>&1 || status=$?
is 'the machine boots from the disk and powers off' "$status" 0
((status == 0)) || { cat "$scratch/qemu"; tail -n 20 "$log"; } | tr -d '\r' | sed 's/^/# /'

mkdir "$scratch/results"
# shellcheck disable=SC2016  # the shell in there reads it
on_disk 'cp "$root"/root/results/* "$1"' "$scratch/results" || true
result() { cat "$scratch/results/$1" 2>/dev/null || echo "no file $1"; }
is 'it runs the kernel of the package' "$(result release)" "$release"
is 'its root is on the disk' "$(result root)" '/dev/vda1 ext4'
is 'the drivers are modules of the package' "$(result modules | grep -oE '^(ext4|virtio_blk) ' | sort | xargs)" 'ext4 virtio_blk'
is 'ksymwatch doctor ends with 0' "$(result said.status)" 0
# Prints the line of the doctor's report about $1.
finding() { result said | sed -nE "s/^([a-zA-Z]+) +$1 +/\1 /p"; }
is 'the doctor names the kernel' "$(finding kernel)" "ok $release x86_64"
is 'all options are there' "$(finding config | sed 's/ .*: / /')" 'ok 10 of 10 options'
is 'the tracer is there' "$(finding tracer)" 'ok the ksym tracer'
is 'the registers are free' "$(finding 'debug registers')" 'ok 4 on each of 2 CPUs, 4 free on each'
is 'the self-test passes' "$(finding self-test | cut -d' ' -f1)" ok
is 'the doctor makes all checks, and none fails' "$(result said | grep -cE '^(ok|warn) ') $(result said | grep ^FAIL)" '17 '
is 'a recording ends with 0' "$(result record.status) $(result record.errors)" '0 '
is 'its hit has the old and the new value' \
	"$(result hits | sed -nE 's/.* (panic_timeout) +w4 +(0x[0-9a-f]+ -> 0x[0-9a-f]+) .*/\1 \2/p')" 'panic_timeout 0xffffffff -> 0x1e'

# shellcheck disable=SC2016  # the shell in there reads it
check 'dpkg -r removes the kernel' on_disk '
	in_root dpkg -r "$1"
	left=$(find "$root/boot" "$root/lib/modules" -name "*$2*"; grep -F "$2" "$root/boot/grub/grub.cfg" || true)
	[[ -z $left ]] || { echo "$left"; exit 1; }' "$package" "$release"
is 'no loop device is left' "$(losetup -n -O BACK-FILE | grep -F "$disk")" ''
finish

#!/bin/bash
# Boots the kernel of one flavour in QEMU and runs $CMD in it with bash; without
# CMD it gives a shell. See "make help" for the VM_ variables.
#
# What the command writes streams to stdout, byte for byte; what the kernel
# writes goes to a log. The exit status is the command's, but for
#
#   124  the time limit passed             VM_TIMEOUT
#   125  the kernel panicked               the console's last lines are shown
#   126  QEMU did not start, or the machine ended without a status
#
# and each of these says so on stderr, in a line that begins with "vm:". So a
# command that exits with 125 by itself is told from a panic by that line.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=vm

flavour=${VM_FLAVOUR:-ksym}
check_flavour "$flavour"
limit=${VM_TIMEOUT:-300}
# Each CPU in a socket of its own, or the table that a kernel without ACPI reads names
# only one.
cpus=${VM_CPUS:-2}
bzimage=$KSYM_BUILD/linux-$flavour/arch/x86/boot/bzImage
work=$(mktemp -d "${TMPDIR:-/tmp}/ksym-vm.XXXXXX")
children=()
# Whatever ends this script ends the machine, restores the terminal and leaves no
# file but the log behind.
terminal=
# shellcheck disable=SC2317  # called by the trap
cleanup() {
	local child
	for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
	[[ -z $terminal ]] || stty "$terminal" || true
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

logs=${VM_LOGS:-$KSYM_LOGS}
mkdir -p "$logs"
log=$(mktemp "$logs/vm-$(date +%H%M%S)-XXXX.log")
ln -sfn "$(basename "$log")" "$logs/vm-last.log"

no_start() { say "$*"; exit 126; }

# Puts the command and the VM_EXTRA files (HOST:GUEST …) into a last small archive.
make_overlay() {
	local root=$work/overlay pair
	mkdir -p "$root/ksym"
	if [[ -n ${CMD:-} ]]; then
		printf '%s\n' "$CMD" >"$root/ksym/cmd"
	else
		printf '%s\n' "${TERM:-linux}" >"$root/ksym/term"
		stty size 2>/dev/null >"$root/ksym/winsize" || rm -f "$root/ksym/winsize"
	fi
	for pair in ${VM_EXTRA:-}; do
		[[ $pair == *:/* ]] || no_start "VM_EXTRA wants HOST:/GUEST pairs, not '$pair'"
		mkdir -p "$root$(dirname "${pair#*:}")"
		cp -a -L -T "${pair%%:*}" "$root${pair#*:}" || no_start "VM_EXTRA: no ${pair%%:*}"
	done
	(cd "$root" && find . -mindepth 1 | cpio -o -H newc -R 0:0 --quiet) >"$work/overlay.cpio"
}

# Archives of an initramfs may stand one behind the other, each padded to four
# bytes, which cpio's own padding to 512 takes care of.
mapfile -t layers < <("$KSYM_ROOT/scripts/rootfs.sh" "$flavour")
[[ ${#layers[@]} == 2 ]] || no_start "the root could not be made"
make_overlay
cat "${layers[@]}" "$work/overlay.cpio" >"$work/initrd"

# qemu64 has no fast string instructions, which TCG would run a byte at a time;
# rdrand spares the guest its wait for entropy. norandmaps: QEMU 7.2 keeps a translation
# for the address that it was made at, so a program that is loaded elsewhere each time is
# translated each time, which was most of what a start of it cost. nowatchdog: the lockup
# detector is on only where a test wants it. no_timer_check: the kernel panics where it sees
# no tick in a moment at the start of the boot, in which a busy host may give it none.
# shellcheck disable=SC2054  # the commas are QEMU's
qemu=(qemu-system-x86_64
	-accel "${VM_ACCEL:-tcg}" -cpu qemu64,+rdrand -smp "$cpus,sockets=$cpus" -m "${VM_MEM:-1G}"
	-nodefaults -display none -nic none -no-reboot -no-user-config
	-kernel "$bzimage" -initrd "$work/initrd"
	-append "console=ttyS0,115200 earlyprintk=ttyS0,115200 panic=-1 rdinit=/init norandmaps nowatchdog no_timer_check ${VM_APPEND:-}"
	-serial "file:$log")
read -r -a more <<<"${VM_QEMU:-}"

if [[ -z ${CMD:-} ]]; then
	terminal=$(stty -g 2>/dev/null || true)
	status=0
	"${qemu[@]}" -chardev stdio,id=tty,mux=on,signal=off -serial chardev:tty "${more[@]}" || status=$?
	echo
	exit "$status"
fi

# The ports write to files, which never make QEMU wait or drop a byte, and without
# an event descriptor the guest's write is done when the call returns: so nothing
# is lost when the machine powers off right behind it.
: >"$work/out"
: >"$work/status"
timeout -k 5 "$limit" "${qemu[@]}" \
	-device virtio-serial-pci,ioeventfd=off \
	-chardev file,id=out,path="$work/out" -device virtserialport,chardev=out,nr=1 \
	-chardev file,id=status,path="$work/status" -device virtserialport,chardev=status,nr=2 \
	"${more[@]}" </dev/null >"$work/qemu" 2>&1 &
machine=$!
children+=("$machine")
tail -c +1 -s 0.1 -f --pid="$machine" "$work/out" &
reader=$!
children+=("$reader")
ended=0
wait "$machine" || ended=$?
wait "$reader" || true
children=()

# The log holds carriage returns and terminal codes of the BIOS.
console_tail() { tail -n 15 "$log" | tr -d '\r' | sed 's/^/  | /' >&2; }

if read -r status <"$work/status"; then
	exit "$status"
elif [[ $ended == 124 || $ended == 137 ]]; then
	say "time limit: the machine did not end within $limit s and was stopped; console: $log"
	console_tail
	exit 124
elif grep -q 'Kernel panic - not syncing' "$log"; then
	say "panic: $(grep -m 1 -o 'Kernel panic - not syncing.*' "$log" | tr -d '\r'); console: $log"
	console_tail
	exit 125
elif [[ $ended != 0 ]]; then
	no_start "QEMU failed (status $ended): $(tail -n 5 "$work/qemu")"
fi
say "the machine ended without a status: $(tail -n 5 "$work/qemu"); console: $log"
console_tail
exit 126

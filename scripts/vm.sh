#!/bin/bash
# Boots the kernel of one flavour in QEMU and runs $CMD in it with bash, or an
# interactive shell without CMD. See "make help" for the VM_ variables.
#
# The output of the command is streamed to stdout, byte for byte; the kernel writes to a
# log. The exit status is that of the command, except for
#
#   124  the time limit was reached        VM_TIMEOUT
#   125  the kernel panicked               the last lines of the console are shown
#   126  QEMU did not start, or the machine ended without a status
#
# In these cases stderr has a line that begins with "vm:", which a command that itself
# exits with 125 does not print.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=vm

flavour=${VM_FLAVOUR:-ksym}
check_flavour "$flavour"
limit=${VM_TIMEOUT:-300}
# Each CPU has its own socket: the table that a kernel without ACPI reads has one CPU per
# socket.
cpus=${VM_CPUS:-2}
bzimage=$KSYM_BUILD/linux-$flavour/arch/x86/boot/bzImage
work=$(mktemp -d "${TMPDIR:-/tmp}/ksym-vm.XXXXXX")
children=()
# However this script ends, the machine is stopped, the terminal is restored, and no file
# is left but the log.
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

# Makes a third, small archive of the command and the VM_EXTRA files (HOST:GUEST …).
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
		[[ $pair == *:/* ]] || no_start "VM_EXTRA takes HOST:/GUEST pairs, not '$pair'"
		mkdir -p "$root$(dirname "${pair#*:}")"
		cp -a -L -T "${pair%%:*}" "$root${pair#*:}" || no_start "VM_EXTRA: cannot copy ${pair%%:*}"
	done
	(cd "$root" && find . -mindepth 1 | cpio -o -H newc -R 0:0 --quiet) >"$work/overlay.cpio"
}

# An initramfs can be several archives in a row, each padded to four bytes; cpio pads to
# 512.
mapfile -t layers < <("$KSYM_ROOT/scripts/rootfs.sh" "$flavour")
[[ ${#layers[@]} == 2 ]] || no_start "cannot make the root file system"
make_overlay
cat "${layers[@]}" "$work/overlay.cpio" >"$work/initrd"

# VM_ICOUNT=N makes QEMU's clock advance by 2^N ns with each instruction, so times are numbers of
# instructions, and the same in each run. The kernel does not trust the time stamp counter of a
# virtual machine and would use a more expensive clock, unlike on nearly all real machines:
# hence tsc=reliable. Waiting becomes slow, and so also the calibration of clocks by waiting:
# hence lpj=. Half of the boot would pass before the kernel finds that the local APIC's timer is
# of no use: hence nolapic_timer.
counting=
[[ -z ${VM_ICOUNT:-} ]] || counting='tsc=reliable nolapic_timer lpj=4000000'

# The kernel's checkers include that each tracer tests itself at boot, which takes minutes. It does
# not if a tracer is started, and the last ftrace= counts. A kernel with checkers may be too slow to
# measure the rate of the time stamp counter, and its clock would then stand still for 4 ms. That is
# the host's counter, and about the rate is enough. With VM_ICOUNT it is QEMU's clock, which the
# kernel measures right.
startup=
[[ $flavour != debug ]] || startup='ftrace=nop'
! VM_FLAVOUR=$flavour has_checkers || [[ -n ${VM_ICOUNT:-} ]] ||
	startup+=" tsc_early_khz=$(awk '/^cpu MHz/ { print int($4 * 1000); exit }' /proc/cpuinfo)"

# qemu64 has no fast string instructions, which TCG would run a byte at a time. rdrand:
# the guest does not have to wait for entropy. norandmaps: QEMU 7.2 caches a translation
# by its address, so a program that is loaded elsewhere each time would be translated each
# time, which was most of the cost of starting it. nowatchdog: tests that need the lockup
# detector switch it on. no_timer_check: on a busy host the kernel may see no tick in the
# short time in which it checks for one, and would panic.
# shellcheck disable=SC2054  # the commas are QEMU's
qemu=(qemu-system-x86_64
	-accel "${VM_ACCEL:-tcg}" -cpu qemu64,+rdrand -smp "$cpus,sockets=$cpus" -m "${VM_MEM:-1G}"
	-nodefaults -display none -nic none -no-reboot -no-user-config
	-kernel "$bzimage" -initrd "$work/initrd"
	-append "console=ttyS0,115200 earlyprintk=ttyS0,115200 panic=-1 rdinit=/init norandmaps nowatchdog no_timer_check $startup $counting ${VM_APPEND:-}"
	-serial "file:$log")
read -r -a more <<<"${VM_QEMU:-}"
[[ -z ${VM_ICOUNT:-} ]] || more+=(-icount "shift=$VM_ICOUNT,sleep=off" -seed 1)

if [[ -z ${CMD:-} ]]; then
	terminal=$(stty -g 2>/dev/null || true)
	status=0
	"${qemu[@]}" -chardev stdio,id=tty,mux=on,signal=off -serial chardev:tty "${more[@]}" || status=$?
	echo
	exit "$status"
fi

# The ports write to files, so QEMU never blocks or drops a byte. Without ioeventfd a
# write of the guest is complete when it returns, so nothing is lost if the machine is
# reset right after it.
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
# A kernel that panics waits as long as panic_timeout says, to which tests write.
{ grep -aq 'Rebooting in [0-9]* seconds' < <(tail -c +1 -s 0.5 -f --pid="$machine" "$log") && kill "$machine"; } 2>/dev/null &
children+=("$!")
ended=0
wait "$machine" || ended=$?
wait "$reader" || true
children=()

# Prints the end of the log, which has carriage returns and terminal codes of the BIOS.
console_tail() { tail -n 15 "$log" | tr -d '\r' | sed 's/^/  | /' >&2; }

if read -r status <"$work/status"; then
	exit "$status"
elif [[ $ended == 124 || $ended == 137 ]]; then
	say "time limit: the machine was stopped after $limit s; console: $log"
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

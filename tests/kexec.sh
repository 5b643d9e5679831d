#!/bin/bash
# Boots another kernel while watches are armed, by kexec -e and by a panic into a crash
# kernel. When it is entered, the debug registers of all CPUs must be clear, including
# offline CPUs: QEMU's monitor shows them with a kernel that only halts
# (selftests/kexec). A real kernel must boot and have its own watches.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

flavour=${VM_FLAVOUR:-ksym}
# The runner must not find the panic that is caused here, so the log of the next kernel is
# searched here.
export VM_LOGS=$scratch/logs VM_CPUS=3
# Make the root file system now, so that its messages are not in the output of a machine.
"$KSYM_ROOT/scripts/rootfs.sh" "$flavour" >"$scratch/layers"

# Makes two watches and takes the last CPU offline. The other registers are used by tasks of
# selftests/kexec on each CPU.
watch='cd /sys/kernel/tracing
printf "panic_timeout\njiffies_64\n" >ksym_trace_filter
echo 0 >/sys/devices/system/cpu/cpu2/online
'

# Runs "$watch $1" in a machine with memory for a crash kernel.
machine() { VM_APPEND=crashkernel=192M CMD="$watch $1" "$KSYM_ROOT/scripts/vm.sh" >"$scratch/said" 2>"$scratch/errors"; }

# Prints the registers of each CPU from QEMU's monitor and makes QEMU exit.
show_registers() {
	python3 - "$scratch/monitor" <<-'END' | tr -d '\r'
		import socket, sys
		with socket.socket(socket.AF_UNIX) as s:
		    s.connect(sys.argv[1])
		    s.sendall(b"info registers -a\nquit\n")
		    while data := s.recv(65536):
		        sys.stdout.buffer.write(data)
	END
}

# Sets "registers" to the contents of the debug registers, a line each, after the machine has
# entered the halting kernel in the way $1.
enter() {
	local machine
	registers=
	rm -rf "$VM_LOGS"
	VM_QEMU="-monitor unix:$scratch/monitor,server=on,wait=off" machine "/selftests/kexec/kexec_debugreg $1" &
	machine=$!
	until grep -q 'kexec_debugreg: entered' "$VM_LOGS/vm-last.log" 2>/dev/null; do
		kill -0 "$machine" 2>/dev/null || break
		sleep 0.1
	done
	if kill -0 "$machine" 2>/dev/null; then
		registers=$(show_registers | awk '
			/^CPU#/ { cpu = $1 }
			/^DR[06]=/ { for (i = 1; i <= NF; i++) if ($i !~ /^DR6/) print cpu, $i }')
	fi
	wait "$machine" || true
}

clear=$(for cpu in 0 1 2; do
	printf "CPU#$cpu DR%d=%016x\n" 0 0 1 0 2 0 3 0 7 0x400
done)
for way in exec crash; do
	enter "$way"
	is "$way: watches and tasks use all registers" "$(<"$scratch/said")" \
		"$(yes 'kexec_debugreg: a task with 2 breakpoints' | head -n 2)"
	is "$way: the next kernel is entered with clear registers" "$registers" "$clear"
done

# A root file system with only busybox, which fits into the memory of the crash kernel.
mkdir -p "$scratch"/root/{bin,dev,proc,tracing}
cp /usr/bin/busybox "$scratch/root/bin/"
cat >"$scratch/root/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
mount -t tracefs tracefs /tracing
until [ -c /dev/vport0p1 ] && [ -c /dev/vport0p2 ]; do sleep 0.02; done
{
	echo "CPUs: $(nproc)"
	[ ! -e /proc/vmcore ] || echo "vmcore: $(head -c 4 /proc/vmcore | tail -c 3)"
	echo panic_timeout >/tracing/ksym_trace_filter
	echo 40000 >/proc/sys/kernel/panic
	echo "hits: $(grep -c ' panic_timeout: ' /tracing/trace)"
} >/dev/vport0p1 2>&1
echo 0 >/dev/vport0p2
echo b >/proc/sysrq-trigger
sleep 60
END
chmod +x "$scratch/root/init"
(cd "$scratch/root" && find . | cpio -o -H newc -R 0:0 --quiet) >"$scratch/root.cpio"
export VM_EXTRA="$scratch/root.cpio:/mnt/root.cpio $KSYM_BUILD/linux-$flavour/arch/x86/boot/bzImage:/mnt/bzImage"

# Loads the next kernel with the options $2 and the words $3 on its command line, boots it
# with the command $4, and expects the output $5. $1 names the test.
boot() {
	rm -rf "$VM_LOGS"
	machine "kexec $2 /mnt/bzImage --initrd=/mnt/root.cpio \
		--command-line='console=ttyS0,115200 panic=-1 rdinit=/init nowatchdog no_timer_check $3' && $4; sleep 60" || true
	is "$1: the next kernel boots, and has watches" "$(cat "$scratch"/{said,errors})" "$5"
	awk '/Linux version/ { kernels++ } kernels == 2' "$VM_LOGS/vm-last.log" >"$scratch/next.log"
	check "$1: its log is clean" "$KSYM_ROOT/scripts/splats.sh" "$scratch/next.log"
}
boot exec -l '' 'kexec -e' $'CPUs: 3\nhits: 1'
# Without -s, kexec -p would need /proc/kcore.
boot crash '-s -p' nr_cpus=1 'echo c >/proc/sysrq-trigger' $'CPUs: 1\nvmcore: ELF\nhits: 1'
# The same by a watch. The console says nothing: the crash kernel starts in the trap.
boot 'then panic' '-s -p' nr_cpus=1 'echo "total_forks:w then panic" >>ksym_trace_filter; (true)' \
	$'CPUs: 1\nvmcore: ELF\nhits: 1'
finish

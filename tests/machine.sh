#!/bin/bash
# Tests scripts/vm.sh: the ways in which a machine can end, and its input and output.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# The runner must not find the panic that is caused here.
export VM_LOGS=$scratch/logs VM_FLAVOUR=${VM_FLAVOUR:-ksym}

# Runs $1 in a machine and sets $out, $err and $status.
vm() {
	status=0
	CMD=$1 "$KSYM_ROOT/scripts/vm.sh" >"$scratch/out" 2>"$scratch/err" || status=$?
	out=$(tr -d '\0' <"$scratch/out") err=$(<"$scratch/err")
}

# Make the root file system now, so that its messages are not in the output of a machine.
"$KSYM_ROOT/scripts/rootfs.sh" "$VM_FLAVOUR" >"$scratch/layers"

# shellcheck disable=SC2016  # the machine's shell reads it
vm 'echo out; echo err >&2; echo "$0 $(echo "a  b") | \n" $((6*7)); exit 3'
is 'the status is that of the command' "$status" 3
is 'the output is that of the command' "$out" $'out\nerr\n/ksym/cmd a  b | \\n 42'
is 'stderr is empty' "$err" ''

# Neither make nor a shell may interpret dollars and quotes in CMD.
# shellcheck disable=SC2016
is 'make vm passes the command on unchanged' \
	"$(make -s -C "$KSYM_ROOT" vm CMD='a="x  y"; echo "$a" | tr x '\''z'\'' # c
echo $((1+1)) %')" $'z  y\n2 %'

head -c 3000000 /dev/urandom >"$scratch/bytes"
VM_EXTRA="$scratch/bytes:/mnt/bytes" vm 'cat /mnt/bytes'
if cmp -s "$scratch/bytes" "$scratch/out"; then ok 'three megabytes of noise go in and out unchanged'; else not_ok 'three megabytes of noise go in and out unchanged' "$err"; fi

VM_CPUS=3 VM_APPEND=ksym.word=1 vm 'nproc; cat /proc/cmdline'
contains 'VM_CPUS' "$out" $'3\n'
contains 'VM_APPEND' "$out" 'ksym.word=1'

vm 'echo before; echo 5000 >/proc/sys/kernel/panic; echo c >/proc/sysrq-trigger; sleep 60'
is 'a panic has a status of its own, however long it waits' "$status" 125
contains 'and a message' "$err" 'vm: panic: Kernel panic - not syncing: sysrq triggered crash'
is 'the output before the panic is not lost' "$out" before
contains 'the last lines of the console are shown' "$err" 'Kernel Offset'

VM_TIMEOUT=6 vm 'sleep 600'
is 'a hang has a status of its own' "$status" 124
contains 'and a message' "$err" 'vm: time limit:'

vm 'echo o >/proc/sysrq-trigger; sleep 60'
is 'a machine that ends without a status has a status of its own' "$status" 126
contains 'and a message' "$err" 'vm: the machine ended without a status'

VM_CPUS=none vm true
is 'so has a QEMU that does not start' "$status" 126
contains 'and a message' "$err" 'vm: QEMU failed'
contains 'with the error of QEMU' "$err" smp.cpus

vm 'exit 125'
is 'a command may exit with 125' "$status" 125
is 'which is not reported as a panic' "$err" ''

CMD='echo one' "$KSYM_ROOT/scripts/vm.sh" >"$scratch/one" 2>&1 &
vm 'echo two'
wait $!
is 'two machines at a time do not mix their output' "$(cat "$scratch/one") $out" 'one two'
finish

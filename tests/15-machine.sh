#!/bin/bash
# Tests scripts/vm.sh: each way in which a machine can end, and the way of the bytes.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# The panic that is wanted here must not be found by the runner.
export VM_LOGS=$scratch/logs VM_FLAVOUR=${VM_FLAVOUR:-ksym}

# Runs $1 in a machine; what came out is in $out and $err then, the status in $status.
vm() {
	status=0
	CMD=$1 "$KSYM_ROOT/scripts/vm.sh" >"$scratch/out" 2>"$scratch/err" || status=$?
	out=$(tr -d '\0' <"$scratch/out") err=$(<"$scratch/err")
}

# Making the root is no part of what a machine says.
"$KSYM_ROOT/scripts/rootfs.sh" "$VM_FLAVOUR" >"$scratch/layers"

# shellcheck disable=SC2016  # the machine's shell reads it
vm 'echo out; echo err >&2; echo "$0 $(echo "a  b") | \n" $((6*7)); exit 3'
is 'the status is the command'\''s' "$status" 3
is 'its output comes through, all of it and nothing else' "$out" $'out\nerr\n/ksym/cmd a  b | \\n 42'
is 'and nothing is said of it' "$err" ''

# make reads dollars, and a shell between would read quotes: neither may.
# shellcheck disable=SC2016
is 'make vm hands the command on as it was typed' \
	"$(make -s -C "$KSYM_ROOT" vm CMD='a="x  y"; echo "$a" | tr x '\''z'\'' # c
echo $((1+1)) %')" $'z  y\n2 %'

head -c 3000000 /dev/urandom >"$scratch/bytes"
VM_EXTRA="$scratch/bytes:/mnt/bytes" vm 'cat /mnt/bytes'
if cmp -s "$scratch/bytes" "$scratch/out"; then ok 'three megabytes of noise go in and out unchanged'; else not_ok 'three megabytes of noise go in and out unchanged' "$err"; fi

VM_CPUS=3 VM_APPEND=ksym.word=1 vm 'nproc; cat /proc/cmdline'
contains 'VM_CPUS' "$out" $'3\n'
contains 'VM_APPEND' "$out" 'ksym.word=1'

vm 'echo before; echo c >/proc/sysrq-trigger; sleep 60'
is 'a panic has a status of its own' "$status" 125
contains 'and is told' "$err" 'vm: panic: Kernel panic - not syncing: sysrq triggered crash'
is 'what was written before is there' "$out" before
contains 'the console'\''s last lines are shown' "$err" 'Kernel Offset'

VM_TIMEOUT=6 vm 'sleep 600'
is 'a hang has a status of its own' "$status" 124
contains 'and is told' "$err" 'vm: time limit:'

vm 'echo o >/proc/sysrq-trigger; sleep 60'
is 'so has an end without a status' "$status" 126
contains 'and it is told' "$err" 'vm: the machine ended without a status'

VM_CPUS=none vm true
is 'and a QEMU that does not start' "$status" 126
contains 'and that is told' "$err" 'vm: QEMU failed'
contains 'with its own words' "$err" smp.cpus

vm 'exit 125'
is 'a command that ends like a panic' "$status" 125
is 'is not taken for one' "$err" ''

# Two machines at a time are two.
CMD='echo one' "$KSYM_ROOT/scripts/vm.sh" >"$scratch/one" 2>&1 &
vm 'echo two'
wait $!
is 'two machines at a time do not meet' "$(cat "$scratch/one") $out" 'one two'
finish

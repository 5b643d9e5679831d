#!/bin/bash
# Tests the decoder of accesses (arch/x86/kernel/ksym_access.c) in user space: compares it
# with Zydis for all instructions of the kernel and for random ones, and with the real
# debug registers of this machine, if it has any. ksymwatch's build of it, with another
# decoder of instructions, must give the same answers. See tests/access/.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

tree=$KSYM_BUILD/linux-ksym
tool=$KSYM_ROOT/tools/ksymwatch

# Makes two kernels, whose tables of alternatives have the two formats, and a program that
# reads their code like ksymwatch.
# shellcheck disable=SC2317
compile_code() {
	local objects option
	for option in '' -DBEFORE_6_3; do
		gcc ${option:+"$option"} -c -o "$scratch/sites.o" "$KSYM_ROOT/tests/access/sites.S"
		ld -Ttext=0xffffffff81000000 -e _text -o "$scratch/vmlinux$option" "$scratch/sites.o"
		nm "$scratch/vmlinux$option" | sed 's/^ffffffff81/ffffffff85/' >"$scratch/kallsyms$option"
	done
	mapfile -t objects < <(find "$scratch/tool" -name '*.o')
	gcc -std=gnu2x -D_GNU_SOURCE -g -Wall -Wextra -I "$tool" -I "$tool/spec/include" -o "$scratch/code" \
		"$KSYM_ROOT/tests/access/code.c" "${objects[@]}" -lZydis -ldw -lelf -lz
}

# Runs it with the option $1, for both.
# shellcheck disable=SC2317
read_code() {
	"$scratch/code" ${1:+"$1"} "$scratch/kallsyms" "$scratch/vmlinux" &&
		"$scratch/code" ${1:+"$1"} "$scratch/kallsyms-DBEFORE_6_3" "$scratch/vmlinux-DBEFORE_6_3"
}

check 'the decoder compiles in user space' "$KSYM_ROOT/tests/access/compile.sh" "$scratch"
check 'Zydis agrees for all operands in the kernel; less than 0.05 % are unknown' \
	"$scratch/differ" text "$tree/vmlinux"
check 'and for a million random instructions' "$scratch/differ" random 2100000 1

check "a made-up kernel's code compiles" compile_code
check 'from the file alone, what the kernel patches is unknown: static keys, alternatives, …' read_code -f
check 'code from /proc/kcore is known unless it has changed since the hit' read_code ''

status=0
output=$(timeout 120 "$scratch/traps" 2>&1) || status=$?
name='real debug registers agree'
case $status in
0) ok "$name" ;;
4) skip "$name" "${output##*$'\n'}" ;;
*) not_ok "$name" "$output" ;;
esac
finish

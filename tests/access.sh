#!/bin/bash
# Tests the decoder of accesses (arch/x86/kernel/ksym_access.c) in user space: compares it
# with Zydis for all instructions of the kernel and for random ones, and with the real
# debug registers of this machine, if it has any. ksymwatch's build of it, with another
# decoder of instructions, must give the same answers. See tests/access/.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

tree=$KSYM_BUILD/linux-ksym
ours=$KSYM_ROOT/arch/x86/kernel
tool=$KSYM_ROOT/tools/ksymwatch
flags=(-std=gnu11 -O2 -g -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter
	-I "$scratch/include" -I "$tree/tools/arch/x86/include"
	-I "$KSYM_ROOT/tests/access" -I "$ours" -I "$tool")

# ksymwatch's files for its decoder and its code.
objects=(backend/perf/{access,code}.o symbols/{debuginfo,symbols}.o lib/{grid,text,util}.o spec/{ksym_parse,spec}.o)

# Kernel headers; access_kernel.h replaces all but a few.
while IFS= read -r header; do
	case $header in
	asm/insn.h | linux/errno.h | linux/hw_breakpoint.h | linux/perf_event.h | linux/swab.h) continue ;;
	esac
	mkdir -p "$scratch/include/$(dirname "$header")"
	: >"$scratch/include/$header"
done < <(sed -n 's/^#include [<"]\(.*\)[>"]$/\1/p' "$ours/ksym_access.c")
sed -nE '/^(void int3_emulate_j(mp|cc)|bool __emulate_cc)\(/,/^}/p' "$tree/arch/x86/include/asm/text-patching.h" \
	>"$scratch/include/linux/text-patching.h"

# shellcheck disable=SC2317  # check calls it
compile() {
	local file
	for file in insn inat; do
		gcc -O2 -I "$tree/tools/arch/x86/include" -I "$tree/tools/include" \
			-I "$tree/arch/x86/lib" -c -o "$scratch/$file.o" "$tree/tools/arch/x86/lib/$file.c"
	done
	# ksymwatch's decoder has functions of the same names.
	mkdir "$scratch/tool"
	make -s -C "$tool" O="$scratch/tool" "${objects[@]/#/$scratch/tool/}"
	printf 'access_%s\n' of stored forget >"$scratch/keep"
	objcopy --keep-global-symbols="$scratch/keep" \
		"$scratch/tool/backend/perf/access.o" "$scratch/access.o"
	gcc "${flags[@]}" -o "$scratch/differ" "$KSYM_ROOT/tests/access/differ.c" \
		"$scratch/"{access,insn,inat}.o "$scratch/tool/lib/"{text,util}.o -lZydis || return
	# Functions are at the addresses of their symbols, and signals use another stack.
	gcc "${flags[@]}" -no-pie -fno-pic -mno-red-zone -fcf-protection=none \
		-o "$scratch/traps" "$KSYM_ROOT/tests/access/traps.c" "$scratch/"{insn,inat}.o
}

# Makes two kernels, whose tables of alternatives have the two formats, and a program that
# reads their code like ksymwatch.
# shellcheck disable=SC2317
compile_code() {
	local option
	for option in '' -DBEFORE_6_3; do
		gcc ${option:+"$option"} -c -o "$scratch/sites.o" "$KSYM_ROOT/tests/access/sites.S"
		ld -Ttext=0xffffffff81000000 -e _text -o "$scratch/vmlinux$option" "$scratch/sites.o"
		nm "$scratch/vmlinux$option" | sed 's/^ffffffff81/ffffffff85/' >"$scratch/kallsyms$option"
	done
	gcc -std=gnu2x -D_GNU_SOURCE -g -Wall -Wextra -I "$tool" -I "$tool/spec/include" -o "$scratch/code" \
		"$KSYM_ROOT/tests/access/code.c" "${objects[@]/#/$scratch/tool/}" -lZydis -ldw -lelf
}

# Runs it with the option $1, for both.
# shellcheck disable=SC2317
read_code() {
	"$scratch/code" ${1:+"$1"} "$scratch/kallsyms" "$scratch/vmlinux" &&
		"$scratch/code" ${1:+"$1"} "$scratch/kallsyms-DBEFORE_6_3" "$scratch/vmlinux-DBEFORE_6_3"
}

check 'the decoder compiles in user space' compile
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

#!/bin/bash
# Tests the decoder of accesses (arch/x86/kernel/ksym_access.c) in user space: compares it
# with Zydis for all instructions of the kernel and for random ones, and with the real
# debug registers of this machine, if it has any. See tests/access/.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

tree=$KSYM_BUILD/linux-ksym
ours=$KSYM_ROOT/arch/x86/kernel
flags=(-std=gnu11 -O2 -g -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter
	-I "$scratch/include" -I "$tree/tools/arch/x86/include"
	-I "$KSYM_ROOT/tests/access" -I "$ours")

# Kernel headers; kernel.h replaces all but a few.
while IFS= read -r header; do
	case $header in
	asm/insn.h | linux/errno.h | linux/hw_breakpoint.h | linux/perf_event.h) continue ;;
	esac
	mkdir -p "$scratch/include/$(dirname "$header")"
	: >"$scratch/include/$header"
done < <(sed -n 's/^#include [<"]\(.*\)[>"]$/\1/p' "$ours/ksym_access.c")
sed -n '/^void int3_emulate_j[mc][pc](/,/^}/p' "$tree/arch/x86/include/asm/text-patching.h" \
	>"$scratch/include/asm/text-patching.h"

# shellcheck disable=SC2317  # check calls it
compile() {
	local file
	for file in insn inat; do
		gcc -O2 -I "$tree/tools/arch/x86/include" -I "$tree/tools/include" \
			-I "$tree/arch/x86/lib" -c -o "$scratch/$file.o" "$tree/tools/arch/x86/lib/$file.c"
	done
	gcc "${flags[@]}" -o "$scratch/differ" "$KSYM_ROOT/tests/access/differ.c" \
		"$scratch/"{insn,inat}.o -lZydis
	# Functions are at the addresses of their symbols, and signals use another stack.
	gcc "${flags[@]}" -no-pie -fno-pic -mno-red-zone -fcf-protection=none \
		-o "$scratch/traps" "$KSYM_ROOT/tests/access/traps.c" "$scratch/"{insn,inat}.o
}

check 'the decoder compiles in user space' compile
check 'Zydis agrees for all operands in the kernel; less than 0.05 % are unknown' \
	"$scratch/differ" text "$tree/vmlinux"
check 'and for a million random instructions' "$scratch/differ" random 2100000 1

status=0
output=$(timeout 120 "$scratch/traps" 2>&1) || status=$?
name='real debug registers agree'
case $status in
0) ok "$name" ;;
4) skip "$name" "${output##*$'\n'}" ;;
*) not_ok "$name" "$output" ;;
esac
finish

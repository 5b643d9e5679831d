#!/bin/bash
# Compiles the decoder of accesses (arch/x86/kernel/ksym_access.c) in user space, and ksymwatch's
# build of it, with the programs that test them: tests/access/compile.sh FOLDER
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

out=$1
tree=$KSYM_BUILD/linux-ksym
ours=$KSYM_ROOT/arch/x86/kernel
tool=$KSYM_ROOT/tools/ksymwatch
flags=(-std=gnu11 -O2 -g -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter
	-I "$out/include" -I "$tree/tools/arch/x86/include"
	-I "$KSYM_ROOT/tests/access" -I "$ours" -I "$tool")

# ksymwatch's files for its decoder and its code.
objects=(backend/perf/{access,code}.o symbols/{debuginfo,symbols}.o lib/{grid,text,util}.o spec/{ksym_parse,spec}.o)

# Kernel headers; access_kernel.h replaces all but a few.
while IFS= read -r header; do
	case $header in
	asm/insn.h | linux/errno.h | linux/hw_breakpoint.h | linux/perf_event.h | linux/swab.h) continue ;;
	esac
	mkdir -p "$out/include/$(dirname "$header")"
	: >"$out/include/$header"
done < <(sed -n 's/^#include [<"]\(.*\)[>"]$/\1/p' "$ours/ksym_access.c")
sed -nE '/^(void int3_emulate_j(mp|cc)|bool __emulate_cc)\(/,/^}/p' "$tree/arch/x86/include/asm/text-patching.h" \
	>"$out/include/linux/text-patching.h"

for file in insn inat; do
	gcc -O2 -I "$tree/tools/arch/x86/include" -I "$tree/tools/include" \
		-I "$tree/arch/x86/lib" -c -o "$out/$file.o" "$tree/tools/arch/x86/lib/$file.c"
done
# ksymwatch's decoder has functions of the same names.
mkdir -p "$out/tool"
make -s -C "$tool" O="$out/tool" "${objects[@]/#/$out/tool/}"
printf 'access_%s\n' of stored forget >"$out/keep"
objcopy --keep-global-symbols="$out/keep" "$out/tool/backend/perf/access.o" "$out/access.o"
gcc "${flags[@]}" -o "$out/differ" "$KSYM_ROOT/tests/access/differ.c" \
	"$out/"{access,insn,inat}.o "$out/tool/lib/"{text,util}.o -lZydis
# Functions are at the addresses of their symbols, and signals use another stack.
gcc "${flags[@]}" -no-pie -fno-pic -mno-red-zone -fcf-protection=none \
	-o "$out/traps" "$KSYM_ROOT/tests/access/traps.c" "$out/"{insn,inat}.o

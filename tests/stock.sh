#!/bin/bash
# Tests ksymwatch on Debian's own kernels 6.12, 6.1 and 7.3 (newest), as they are installed, on 6.12
# locked down, and its backends for such kernels on ours, built with the sanitizers
# and selected by an environment variable (perf): tests/stock.sh [PART…]. With BASE=7.3, neither on
# 6.12 nor on 6.1: that is the same as with BASE=6.12.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"
# shellcheck source=scripts/trees.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/trees.sh"

newest=stock73
[[ $KSYM_BASE == 6.12 ]] || newest=stock

# Gets the kernel of the flavour $1.
get_kernel() {
	local status=0
	"$KSYM_ROOT/scripts/kernel.sh" "$1" >"$scratch/made" 2>&1 || status=$?
	is "Debian's kernel of flavour $1 is there" "$status" 0
}

# Tests on the older kernel of the flavour $1.
test_older() {
	local config
	[[ $KSYM_BASE == 6.12 ]] || return 0
	get_kernel "$1"
	[[ -e $scratch/writer ]] || build_writer "$scratch/writer"
	echo "# $1 kernel"
	config=$(ls "$KSYM_SHARED/linux-$1"/boot/config-*)
	VM_FLAVOUR=$1 run_guest stock '' "$scratch/writer:/ksym/writer" "$config:/boot/${config##*/}" || failures=1
}

test_newest() {
	local static=() status=0 said tree
	get_kernel "$newest"
	echo "# $newest kernel, also with a program that needs libc only"
	said=$(make -s -C "$KSYM_ROOT/tools/ksymwatch" O="$KSYM_SHARED/tools-static" STATIC=1 2>&1) || status=$?
	if [[ $said == *'STATIC=1 needs a libdw.a that has eu_tsearch()'* ]]; then
		skip 'STATIC=1 builds' "this release's libdw.a can't be linked"
	else
		is 'STATIC=1 builds' "$status$said" 0
		is 'it needs libc only' "$(ldd "$KSYM_SHARED/tools-static/ksymwatch" | sed -nE 's/^[^a-z]*([a-z]+)\.so.* => .*/\1/p' | sort | xargs)" 'libc libm'
		check 'a tree of Debian 12' make_tree debian12 bookworm libc6 busybox-static
		check 'a tree of Debian 13' make_tree debian13 trixie libc6 busybox-static
		for tree in debian12 debian13; do tar cf "$scratch/$tree.tar" -C "$KSYM_SHARED/trees/$tree" .; done
		static=("$KSYM_SHARED/tools-static/ksymwatch:/ksym/static"
			"$scratch/debian12.tar:/ksym/debian12.tar" "$scratch/debian13.tar:/ksym/debian13.tar")
	fi
	VM_FLAVOUR=$newest run_guest kernels '' "${static[@]}" || failures=1
}

test_lockdown() {
	[[ $KSYM_BASE == 6.12 ]] || return 0
	get_kernel stock
	echo '# stock kernel, locked down'
	VM_FLAVOUR=stock VM_APPEND='lockdown=confidentiality' run_guest lockdown '' || failures=1
}

test_perf() {
	build_sanitized
	echo "# our kernel, with perf's breakpoints, with the sanitizers"
	# The file of our kernel with its code, and the tables of the places where it is patched.
	objcopy --strip-debug -j '.text*' -j .data -j '.altinstructions' -j '.re*_sites' -j .ibt_endbr_seal -j .notes \
		"$KSYM_BUILD/linux-ksym/vmlinux" "$scratch/vmlinux" 2>/dev/null
	run_guest perf "$sanitized/ksymwatch" "$scratch/vmlinux:/ksym/vmlinux" || failures=1
}

parts=("$@")
(($#)) || parts=(6.12 6.1 newest lockdown perf)
for part in "${parts[@]}"; do
	case $part in
	6.12) test_older stock ;;
	6.1) test_older stock61 ;;
	newest) test_newest ;;
	lockdown) test_lockdown ;;
	perf) test_perf ;;
	*) die "unknown part '$part'; use 6.12, 6.1, newest, lockdown or perf" ;;
	esac
done
exit $((failures != 0))

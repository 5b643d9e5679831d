#!/bin/bash
# Tests that a store is a hit, or a miss, in whatever context it is made (contexts.guest.sh).
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=scripts/rounds.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/rounds.sh"

flavour=${VM_FLAVOUR:-ksym}
module=$KSYM_BUILD/contexts-$flavour
check 'the module builds' build_modules "$flavour" "$module" "$KSYM_ROOT"/tests/contexts/*
VM_EXTRA="$module/ksym_contexts.ko:/mnt/ksym_contexts.ko $KSYM_ROOT/tests/contexts.guest.sh:/ksym/contexts.sh" \
	VM_ACCEL=$one_thread CMD='bash /ksym/contexts.sh' "$KSYM_ROOT/scripts/vm.sh" | tee "$scratch/out" || failures=1
((failures)) || record_once contexts "$(sed -nE 's/^ok .*: ([0-9]+) hits, ([0-9]+) misses.*/\1 \2/p' "$scratch/out" |
	awk '{ hits += $1; missed += $2 } END { printf "contexts=%d hits=%d missed=%d", NR, hits, missed }')"
finish

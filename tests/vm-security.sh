#!/bin/bash
# Tests what the tracer lets nobody do (security.guest.sh): see other tasks with a watch of one,
# read addresses that kptr_restrict hides, use any of it without privileges, and define watches
# while the kernel is locked down.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

tests_folder=$KSYM_ROOT/tests
files="$KSYM_ROOT/scripts/lib.sh:/ksym/scripts/lib.sh $tests_folder/tap.sh:/ksym/tests/tap.sh
	$tests_folder/security.guest.sh:/ksym/tests/security.guest.sh"
for program in tasks open_event; do
	gcc -O2 -Wall -Wextra -pthread -o "$scratch/$program" "$tests_folder/security/$program.c"
	files+=" $scratch/$program:/ksym/$program"
done
VM_CPUS=4 VM_EXTRA=$files CMD='exec bash /ksym/tests/security.guest.sh' "$KSYM_ROOT/scripts/vm.sh"

#!/bin/bash
# Tests perf and bpftrace with the event of a watch (tracers.guest.sh). bpftrace needs LLVM,
# 200 MB, which the root file system of the other machines does not have.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

tests_folder=$KSYM_ROOT/tests
files="$KSYM_ROOT/scripts/lib.sh:/ksym/scripts/lib.sh $tests_folder/tap.sh:/ksym/tests/tap.sh
	$tests_folder/tracers.guest.sh:/ksym/tests/tracers.guest.sh /usr/bin/bpftrace:/usr/bin/bpftrace"
# Libraries have the same path in the machine as here, but with links resolved, since the root
# file system has its own links.
while IFS= read -r library; do
	files+=" $library:$(readlink -f "$(dirname "$library")")/$(basename "$library")"
done < <(ldd /usr/bin/bpftrace | sed -nE 's,^[^/]*(/[^ ]+) \(0x.*,\1,p')

VM_MEM=2G VM_TIMEOUT=${VM_TIMEOUT:-600} VM_EXTRA=$files \
	CMD='bash /ksym/tests/tracers.guest.sh' "$KSYM_ROOT/scripts/vm.sh"

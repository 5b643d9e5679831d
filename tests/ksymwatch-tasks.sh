#!/bin/bash
# Tests the tasks of ksymwatch's man page in the machine, with the tracer and on Debian's own
# kernel (ksymwatch.guest-tasks.sh).
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"

for flavour in ksym stock; do
	"$KSYM_ROOT/scripts/kernel.sh" "$flavour" >"$scratch/made" 2>&1 || cat "$scratch/made"
	echo "# $flavour kernel"
	VM_FLAVOUR=$flavour run_guest tasks '' \
		"$KSYM_ROOT/tools/ksymwatch/ksymwatch.1:/ksym/ksymwatch.1" || failures=1
done
exit $((failures != 0))

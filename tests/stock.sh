#!/bin/bash
# Tests ksymwatch on Debian's own kernel, as it is installed, and its backends for such kernels
# on ours, built with the sanitizers and selected by an environment variable.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"

status=0
"$KSYM_ROOT/scripts/kernel.sh" stock >"$scratch/made" 2>&1 || status=$?
is "Debian's kernel is there" "$status" 0
echo '# stock kernel'
VM_FLAVOUR=stock run_guest stock '' || failures=1
echo '# stock kernel, locked down'
VM_FLAVOUR=stock VM_APPEND='lockdown=confidentiality' run_guest lockdown '' || failures=1

build_sanitized
echo "# our kernel, with perf's breakpoints, with the sanitizers"
run_guest perf "$sanitized/ksymwatch" || failures=1
exit $((failures != 0))

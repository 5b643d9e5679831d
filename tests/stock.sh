#!/bin/bash
# Tests ksymwatch on Debian's own kernels 6.12, 6.1 and 7.3, as they are installed, and its
# backends for such kernels on ours, built with the sanitizers and selected by an environment
# variable.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"

for flavour in stock stock61 stock73; do
	status=0
	"$KSYM_ROOT/scripts/kernel.sh" "$flavour" >"$scratch/made" 2>&1 || status=$?
	is "Debian's kernel of flavour $flavour is there" "$status" 0
done
for flavour in stock stock61; do
	echo "# $flavour kernel"
	VM_FLAVOUR=$flavour run_guest stock '' || failures=1
done
echo '# stock73 kernel'
VM_FLAVOUR=stock73 run_guest kernels '' || failures=1
echo '# stock kernel, locked down'
VM_FLAVOUR=stock VM_APPEND='lockdown=confidentiality' run_guest lockdown '' || failures=1

build_sanitized
echo "# our kernel, with perf's breakpoints, with the sanitizers"
run_guest perf "$sanitized/ksymwatch" || failures=1
exit $((failures != 0))

#!/bin/bash
# Everything at once (tests/stress.guest.sh), on as many CPUs as there are: the runner
# searches the log for what the kernel had to say of it.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# A round takes three seconds with all checks on, beside another test file.
rounds=40
[[ ${VM_FLAVOUR:-} != debug ]] || rounds=12
contains 'watches made, used, read and removed all at once leave nothing behind' \
	"$(CMD="bash /ksym/stress.sh $rounds" VM_CPUS=4 VM_TIMEOUT=${VM_TIMEOUT:-1500} \
		VM_EXTRA="$KSYM_ROOT/tests/stress.guest.sh:/ksym/stress.sh" \
		"$KSYM_ROOT/scripts/vm.sh" 2>&1)" 'everything is gone'
finish

#!/bin/bash
# Does everything at the same time (tests/stress.guest.sh), on all CPUs. The runner searches
# the log for splats.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# A round takes three seconds on the debug kernel, while another test file runs.
rounds=40
[[ ${VM_FLAVOUR:-} != debug ]] || rounds=12
contains 'watches that are made, used, read and removed at the same time leave nothing behind' \
	"$(CMD="bash /ksym/stress.sh $rounds" VM_CPUS=4 VM_TIMEOUT=${VM_TIMEOUT:-1500} \
		VM_EXTRA="$KSYM_ROOT/tests/stress.guest.sh:/ksym/stress.sh" \
		"$KSYM_ROOT/scripts/vm.sh" 2>&1)" 'everything is gone'
finish

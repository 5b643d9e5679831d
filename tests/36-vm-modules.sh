#!/bin/bash
# A module comes and goes a thousand times, with a writer of its watched variable in it.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

rounds=1000
[[ ${VM_FLAVOUR:-} != debug ]] || rounds=100
VM_TIMEOUT=${VM_TIMEOUT:-1300} CMD="KSYM_ROUNDS=$rounds /selftests/ksym/ksym_rounds" \
	"$KSYM_ROOT/scripts/vm.sh"

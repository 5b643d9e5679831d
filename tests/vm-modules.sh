#!/bin/bash
# Loads and unloads a module a thousand times, which writes its watched variable.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

rounds=1000
! has_checkers || rounds=100
VM_TIMEOUT=${VM_TIMEOUT:-1300} CMD="KSYM_ROUNDS=$rounds /selftests/ksym/ksym_rounds" \
	"$KSYM_ROOT/scripts/vm.sh"

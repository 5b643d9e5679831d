#!/bin/bash
# Random lines for the files of tracefs, and random breakpoints for perf_event_open(2): nothing
# breaks, and nothing is left. make fuzz has more of both.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

writes=2000 calls=5000
[[ ${VM_FLAVOUR:-} != debug ]] || writes=1000 calls=1000
export VM_TIMEOUT=${VM_TIMEOUT:-600}
VM_LOGS=${VM_LOGS:-$scratch}/files check "$writes writes to the files of tracefs" "$KSYM_ROOT/scripts/fuzz.sh" files $writes
VM_LOGS=${VM_LOGS:-$scratch}/events check "$calls calls of perf_event_open()" "$KSYM_ROOT/scripts/fuzz.sh" events $calls
finish

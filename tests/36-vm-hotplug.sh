#!/bin/bash
# A CPU goes off and comes back a thousand times, under a writer of a watched variable.
# The test case is one of ftracetest's, which has fewer rounds when all of them run.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

rounds=1000
[[ ${VM_FLAVOUR:-} != debug ]] || rounds=100
# A CPU for the one that writes, one for the one that switches, one that is switched.
VM_CPUS=3 VM_TIMEOUT=${VM_TIMEOUT:-900} CMD="cd /selftests/ksym
KSYM_HOTPLUG_ROUNDS=$rounds ../ftrace/ftracetest -K /selftests/ksym/test.d/hotplug_rounds.tc && exit
tail -n 25 /selftests/ftrace/logs/*/*-log.* | cut -c1-160 | sed 's/^/#   /'
exit 1" "$KSYM_ROOT/scripts/vm.sh"

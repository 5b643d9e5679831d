#!/bin/bash
# Takes a CPU offline and online a thousand times while a watched variable is written. This
# is a test case of vm-ftracetest with more rounds.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

rounds=1000
! has_checkers || rounds=100
# One CPU for the writer, one for the shell, one that is switched.
VM_CPUS=3 VM_TIMEOUT=${VM_TIMEOUT:-900} CMD="cd /selftests/ksym
KSYM_HOTPLUG_ROUNDS=$rounds ../ftrace/ftracetest -K /selftests/ksym/test.d/hotplug_rounds.tc && exit
tail -n 25 /selftests/ftrace/logs/*/*-log.* | cut -c1-160 | sed 's/^/#   /'
exit 1" "$KSYM_ROOT/scripts/vm.sh"

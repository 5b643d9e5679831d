#!/bin/bash
# A module comes and goes a thousand times, with a writer of its watched variable in it.
# The test case is one of ftracetest's, which has fewer rounds when all of them run.
set -euo pipefail
# shellcheck source=dev/tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

VM_TIMEOUT=${VM_TIMEOUT:-1800} CMD="cd /selftests/ksym
KSYM_MODULE_ROUNDS=1000 ../ftrace/ftracetest -K /selftests/ksym/test.d/module_rounds.tc && exit
tail -n 25 /selftests/ftrace/logs/*/*-log.* | cut -c1-160 | sed 's/^/#   /'
exit 1" "$KSYM_ROOT/dev/vm.sh"

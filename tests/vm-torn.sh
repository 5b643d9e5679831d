#!/bin/bash
# Runs the test case torn.tc with the tree's ftracetest. A hit is torn only if two CPUs run at the
# same time, so it can't be in the machine of vm-ftracetest, which has one thread.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/ftracetest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ftracetest.sh"

run_case torn

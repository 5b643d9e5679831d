#!/bin/bash
# Shows the tracer on a bare Debian 12 or 13: installs the missing packages, builds the kernel
# and the tool, boots them and runs scripts/guest/demo.sh in the machine.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$KSYM_ROOT"
scripts/setup.sh demo tool
scripts/kernel.sh ksym
scripts/tools.sh
CMD='bash /ksym/demo.sh' VM_EXTRA="scripts/guest/demo.sh:/ksym/demo.sh" exec scripts/vm.sh

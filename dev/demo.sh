#!/bin/bash
# From a bare Debian 12 to hits on the screen: installs what is missing, builds the
# kernel and the tool, boots them and plays dev/guest/demo.sh in the machine.
set -euo pipefail
# shellcheck source=dev/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$KSYM_ROOT"
dev/setup.sh
dev/kernel.sh ksym
dev/tools.sh
CMD='bash /ksym/demo.sh' VM_EXTRA="dev/guest/demo.sh:/ksym/demo.sh" exec dev/vm.sh

#!/bin/bash
# Builds ksymwatch into build/tools, from where scripts/rootfs.sh copies it.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=tools

tool=$KSYM_ROOT/tools/ksymwatch
"$KSYM_ROOT/scripts/setup.sh" tool
mkdir -p "$KSYM_SHARED/tools"
make -s -C "$tool" O="$KSYM_SHARED/tools"

#!/bin/bash
# The tracer tests itself while a kernel with CONFIG_FTRACE_STARTUP_TEST boots, which
# the debug flavour is.
set -euo pipefail
# shellcheck source=dev/tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

contains 'startup test of ksym_tracer' \
	"$(CMD='dmesg | grep "Testing tracer"' "$KSYM_ROOT/dev/vm.sh")" \
	'Testing tracer ksym_tracer: PASSED'
finish

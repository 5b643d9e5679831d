#!/bin/bash
# Runs the tests of make check-debug on the debug kernel, except those that take long there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset TESTS
# Another test file runs at the same time.
TEST_JOBS=1 VM_FLAVOUR=debug CHECK_NESTED=1 exec scripts/check.sh vm-kunit vm-stress vm-modules debug-splats

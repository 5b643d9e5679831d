#!/bin/bash
# Closes make check with a run on the debug kernel: all that make check-debug runs but
# for the tests that take long there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset TESTS
# Another file runs beside this one.
TEST_JOBS=1 VM_FLAVOUR=debug CHECK_NESTED=1 exec scripts/check.sh '30-*' '35-*' '36-vm-modules' '40-debug-splats'

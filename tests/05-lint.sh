#!/bin/bash
# The style and the warnings of all our files; see scripts/lint.sh.
exec "$(dirname "${BASH_SOURCE[0]}")/../scripts/lint.sh"

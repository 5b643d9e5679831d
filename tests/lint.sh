#!/bin/bash
# Checks the style of all files; see scripts/lint.sh.
exec "$(dirname "${BASH_SOURCE[0]}")/../scripts/lint.sh"

#!/bin/bash
# The style and the warnings of all our files; see dev/lint.sh.
exec "$(dirname "${BASH_SOURCE[0]}")/../lint.sh"

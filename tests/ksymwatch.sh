#!/bin/bash
# Tests ksymwatch in the machine (ksymwatch.guest-*.sh), built with the sanitizers:
# tests/ksymwatch.sh [PART…]. The installed program runs only one part, since all parts would take 4
# minutes more.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"

build_sanitized
build_writer "$scratch/writer"

# One machine at a time, since the runner runs another file.
parts=("$@")
(($#)) || parts=(record live targets save objects)
for part in "${parts[@]}"; do
	echo "# $part, with the sanitizers"
	run_guest "$part" "$sanitized/ksymwatch" "$scratch/writer:/ksym/writer" || failures=1
done
if (($# == 0)); then
	echo "# targets, as it is installed"
	run_guest targets '' "$scratch/writer:/ksym/writer" || failures=1
fi
exit $((failures != 0))

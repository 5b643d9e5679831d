#!/bin/bash
# Tests ksymwatch in the machine (ksymwatch.guest-*.sh), built with the sanitizers. The
# installed program runs only one part, since all parts would take 4 minutes more.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"

build_sanitized
build_writer "$scratch/writer"

# One machine at a time, since the runner runs another file.
for part in record live targets save objects; do
	echo "# $part, with the sanitizers"
	run_guest "$part" "$sanitized/ksymwatch" "$scratch/writer:/ksym/writer" || failures=1
done
echo "# targets, as it is installed"
run_guest targets '' "$scratch/writer:/ksym/writer" || failures=1
exit $((failures != 0))

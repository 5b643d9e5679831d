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
# Not position-independent, with its debug info in a file that is found by its build ID; and one without an ID.
gcc -g -no-pie -pthread -Wl,--build-id -o "$scratch/fixed" "$tests_folder/ksymwatch-writer.c"
id=$(readelf -n "$scratch/fixed" | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug "$scratch/fixed" "$scratch/debug"
objcopy --remove-section=.note.gnu.build-id "$scratch/writer" "$scratch/plain"
files="$scratch/writer:/ksym/writer $scratch/fixed:/ksym/fixed $scratch/plain:/ksym/plain
	$scratch/debug:/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"

# One machine at a time, since the runner runs another file.
parts=("$@")
(($#)) || parts=(record live targets save objects)
for part in "${parts[@]}"; do
	echo "# $part, with the sanitizers"
	run_guest "$part" "$sanitized/ksymwatch" "$files" || failures=1
done
if (($# == 0)); then
	echo "# targets, as it is installed"
	run_guest targets '' "$files" || failures=1
fi
exit $((failures != 0))

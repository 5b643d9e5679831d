#!/bin/bash
# Tests ksymwatch in the machine (ksymwatch.guest-*.sh), built with the sanitizers. What
# is installed is tried with one part of the tests: all of them twice took 4 minutes more.
set -euo pipefail
# shellcheck source=dev/tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

tests_folder=$KSYM_ROOT/dev/tests
sanitized=$KSYM_BUILD/tools-sanitized

# What libtracecmd forgets to free is not ours.
echo 'leak:libtracecmd' >"$scratch/leaks"

# Runs the tests ksymwatch.guest-$2.sh in a machine with the ksymwatch $1.
run_guest() {
	# shellcheck disable=SC2016  # the machine's shell reads it
	CMD='export SANITIZER_LOG=/tmp/sanitizer
		export ASAN_OPTIONS=log_path=$SANITIZER_LOG:allocator_may_return_null=1
		export UBSAN_OPTIONS=log_path=$SANITIZER_LOG:print_stacktrace=1
		export LSAN_OPTIONS=suppressions=/ksym/leaks:print_suppressions=0
		exec bash /ksym/dev/tests/ksymwatch.guest-'"$2.sh" \
		VM_EXTRA="$1:/usr/bin/ksymwatch $scratch/leaks:/ksym/leaks $KSYM_ROOT/dev/lib.sh:/ksym/dev/lib.sh
			$tests_folder/tap.sh:/ksym/dev/tests/tap.sh
			$tests_folder/ksymwatch.guest.sh:/ksym/dev/tests/ksymwatch.guest.sh
			$tests_folder/ksymwatch.guest-$2.sh:/ksym/dev/tests/ksymwatch.guest-$2.sh" \
		VM_TIMEOUT=${VM_TIMEOUT:-1200} "$KSYM_ROOT/dev/vm.sh"
}

# Other test files count a test once, and so do we: this one has no number of its own.
status=0
# Another file builds the same.
mkdir -p "$sanitized"
exec 7>"$sanitized/.lock"
flock 7
make -s -C "$KSYM_ROOT/tools/ksymwatch" O="$sanitized" SANITIZE=1 >"$scratch/made" 2>&1 || status=$?
is 'ksymwatch builds with the sanitizers, without a warning' "$status$(<"$scratch/made")" 0
flock -u 7

# One machine after the other: the runner has another file beside this one.
for part in record live targets save; do
	echo "# $part, with the sanitizers"
	run_guest "$sanitized/ksymwatch" "$part" || failures=1
done
echo "# targets, as it is installed"
run_guest "$KSYM_BUILD/tools/ksymwatch" targets || failures=1
exit $((failures != 0))

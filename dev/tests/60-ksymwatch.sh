#!/bin/bash
# Tests ksymwatch in the machine (ksymwatch.guest.sh), as it is built and once more
# with the sanitizers.
set -euo pipefail
# shellcheck source=dev/tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

tests_folder=$KSYM_ROOT/dev/tests
sanitized=$KSYM_BUILD/tools-sanitized

# What libtracecmd forgets to free is not ours.
echo 'leak:libtracecmd' >"$scratch/leaks"

# Runs the tests in a machine with the ksymwatch $1.
run_guest() {
	# shellcheck disable=SC2016  # the machine's shell reads it
	CMD='export SANITIZER_LOG=/tmp/sanitizer
		export ASAN_OPTIONS=log_path=$SANITIZER_LOG:allocator_may_return_null=1
		export UBSAN_OPTIONS=log_path=$SANITIZER_LOG:print_stacktrace=1
		export LSAN_OPTIONS=suppressions=/ksym/leaks:print_suppressions=0
		exec bash /ksym/dev/tests/ksymwatch.guest.sh' \
		VM_EXTRA="$1:/usr/bin/ksymwatch $scratch/leaks:/ksym/leaks $KSYM_ROOT/dev/lib.sh:/ksym/dev/lib.sh
			$tests_folder/tap.sh:/ksym/dev/tests/tap.sh
			$tests_folder/ksymwatch.guest.sh:/ksym/dev/tests/ksymwatch.guest.sh" \
		VM_TIMEOUT=${VM_TIMEOUT:-600} "$KSYM_ROOT/dev/vm.sh"
}

# Other test files count a test once, and so do we: this one has no number of its own.
status=0
make -s -C "$KSYM_ROOT/tools/ksymwatch" O="$sanitized" SANITIZE=1 >"$scratch/made" 2>&1 || status=$?
is 'ksymwatch builds with the sanitizers, without a warning' "$status$(<"$scratch/made")" 0

# Both at a time, one behind the other to read.
run_guest "$sanitized/ksymwatch" >"$scratch/said" 2>&1 &
run_guest "$KSYM_BUILD/tools/ksymwatch" || failures=1
wait $! || failures=1
echo '# with the sanitizers'
cat "$scratch/said"
exit $((failures != 0))

#!/bin/bash
# Tests ksymwatch on Debian's own kernel, as it is installed; and the same ways, built with
# the sanitizers, on ours, where an environment variable asks for them.
set -euo pipefail
# shellcheck source=dev/tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

tests_folder=$KSYM_ROOT/dev/tests
sanitized=$KSYM_BUILD/tools-sanitized

# Runs the tests ksymwatch.guest-$1.sh in a machine.
run_guest() {
	CMD="${SETUP:-} exec bash /ksym/dev/tests/ksymwatch.guest-$1.sh" \
		VM_EXTRA="$KSYM_ROOT/dev/lib.sh:/ksym/dev/lib.sh
			$tests_folder/tap.sh:/ksym/dev/tests/tap.sh
			$tests_folder/ksymwatch.guest.sh:/ksym/dev/tests/ksymwatch.guest.sh
			$tests_folder/ksymwatch.guest-$1.sh:/ksym/dev/tests/ksymwatch.guest-$1.sh ${EXTRA:-}" \
		VM_TIMEOUT=${VM_TIMEOUT:-600} "$KSYM_ROOT/dev/vm.sh"
}

status=0
"$KSYM_ROOT/dev/kernel.sh" stock >"$scratch/made" 2>&1 || status=$?
is "Debian's kernel is there" "$status" 0
echo '# stock kernel'
VM_FLAVOUR=stock run_guest stock || failures=1
echo '# stock kernel, locked down'
VM_FLAVOUR=stock VM_APPEND='lockdown=confidentiality' run_guest lockdown || failures=1

make -s -C "$KSYM_ROOT/tools/ksymwatch" O="$sanitized" SANITIZE=1 >"$scratch/made" 2>&1 || status=$?
is 'ksymwatch builds with the sanitizers' "$status" 0
# What libtracecmd forgets to free is not ours.
echo 'leak:libtracecmd' >"$scratch/leaks"
echo '# our kernel, by way of perf, with the sanitizers'
# shellcheck disable=SC2016  # the machine's shell reads it
SETUP='export SANITIZER_LOG=/tmp/sanitizer
	export ASAN_OPTIONS=log_path=$SANITIZER_LOG:allocator_may_return_null=1
	export UBSAN_OPTIONS=log_path=$SANITIZER_LOG:print_stacktrace=1
	export LSAN_OPTIONS=suppressions=/ksym/leaks:print_suppressions=0;' \
	EXTRA="$sanitized/ksymwatch:/usr/bin/ksymwatch $scratch/leaks:/ksym/leaks" \
	run_guest perf || failures=1
exit $((failures != 0))

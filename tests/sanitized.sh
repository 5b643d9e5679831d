# shellcheck shell=bash disable=SC2034,SC2154
# What the test files of ksymwatch share: the program, built with the sanitizers, what these
# are told, and the tests ksymwatch.guest-*.sh in a machine. It is sourced after tap.sh.

tests_folder=$KSYM_ROOT/tests
sanitized=$KSYM_BUILD/tools-sanitized
# What libtracecmd forgets to free is not ours.
echo 'leak:libtracecmd' >"$scratch/leaks"

# Builds it into $sanitized, which is a test; another file may do the same at this moment.
build_sanitized() {
	local status=0 made
	mkdir -p "$sanitized"
	made=$(flock "$sanitized/.lock" make -s -C "$KSYM_ROOT/tools/ksymwatch" O="$sanitized" SANITIZE=1 2>&1) ||
		status=$?
	is 'ksymwatch builds with the sanitizers, without a warning' "$status$made" 0
}

# Prints the commands that tell the sanitizers to write into files that begin with $1, and
# that $2 names what they should pass over.
sanitizer_settings() {
	printf 'export SANITIZER_LOG=%s\n' "$1"
	printf 'export ASAN_OPTIONS=log_path=%s:allocator_may_return_null=1\n' "$1"
	printf 'export UBSAN_OPTIONS=log_path=%s:print_stacktrace=1\n' "$1"
	printf 'export LSAN_OPTIONS=suppressions=%s:print_suppressions=0\n' "$2"
}

# Runs the tests ksymwatch.guest-$1.sh in a machine that has the ksymwatch $2, or where that
# is empty the one that is installed there; the rest are more files, as VM_EXTRA wants them.
run_guest() {
	local part=$1 ksymwatch=$2
	shift 2
	CMD="$(sanitizer_settings /tmp/sanitizer /ksym/leaks)
		exec bash /ksym/tests/ksymwatch.guest-$part.sh" \
		VM_EXTRA="${ksymwatch:+$ksymwatch:/usr/bin/ksymwatch} $scratch/leaks:/ksym/leaks
			$KSYM_ROOT/scripts/lib.sh:/ksym/scripts/lib.sh
			$tests_folder/tap.sh:/ksym/tests/tap.sh
			$tests_folder/ksymwatch.guest.sh:/ksym/tests/ksymwatch.guest.sh
			$tests_folder/ksymwatch.guest-$part.sh:/ksym/tests/ksymwatch.guest-$part.sh $*" \
		VM_TIMEOUT=${VM_TIMEOUT:-1200} "$KSYM_ROOT/scripts/vm.sh"
}

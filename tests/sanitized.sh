# shellcheck shell=bash disable=SC2034,SC2154
# Shared by the test files of ksymwatch: it builds the program with the sanitizers and runs
# ksymwatch.guest-*.sh in a machine. It is sourced after tap.sh.

tests_folder=$KSYM_ROOT/tests
sanitized=$KSYM_SHARED/tools-sanitized
# Ignore leaks of libtracecmd, and one of libtracefs 1.8 (Debian 13): a page a CPU in its
# iteration over the events.
printf 'leak:%s\n' libtracecmd tracefs_cpu_flush_buf >"$scratch/leaks"

# Builds ksymwatch into $sanitized, as a test. Another file may do so at the same time.
build_sanitized() {
	local status=0 made
	mkdir -p "$sanitized"
	made=$(flock "$sanitized/.lock" make -s -C "$KSYM_ROOT/tools/ksymwatch" O="$sanitized" SANITIZE=1 2>&1) ||
		status=$?
	is 'ksymwatch builds with the sanitizers, without a warning' "$status$made" 0
}

# Builds the program $1. Without optimization its user stacks are whole.
build_writer() {
	check 'the program that writes panic_timeout builds' gcc -g -pthread -Wl,--build-id -o "$1" \
		"$tests_folder/ksymwatch-writer.c"
}

# Prints commands that make the sanitizers write to files $1.* and read suppressions from $2.
sanitizer_settings() {
	printf 'export SANITIZER_LOG=%s\n' "$1"
	printf 'export ASAN_OPTIONS=log_path=%s:allocator_may_return_null=1\n' "$1"
	printf 'export UBSAN_OPTIONS=log_path=%s:print_stacktrace=1\n' "$1"
	printf 'export LSAN_OPTIONS=suppressions=%s:print_suppressions=0\n' "$2"
}

# Runs ksymwatch.guest-$1.sh in a machine with the ksymwatch $2, or with the installed one if
# $2 is empty. The other arguments are more files for VM_EXTRA.
run_guest() {
	local part=$1 ksymwatch=$2
	shift 2
	CMD="$(sanitizer_settings /tmp/sanitizer /ksym/leaks)
		exec bash /ksym/tests/ksymwatch.guest-$part.sh" \
		VM_EXTRA="${ksymwatch:+$ksymwatch:/usr/bin/ksymwatch} $scratch/leaks:/ksym/leaks
			$KSYM_ROOT/scripts/lib.sh:/ksym/scripts/lib.sh
			$KSYM_ROOT/kernel/trace/ksym/ksym_errors.h:/ksym/kernel/trace/ksym/ksym_errors.h
			$tests_folder/tap.sh:/ksym/tests/tap.sh
			$tests_folder/ksymwatch.guest.sh:/ksym/tests/ksymwatch.guest.sh
			$tests_folder/ksymwatch.guest-$part.sh:/ksym/tests/ksymwatch.guest-$part.sh $*" \
		VM_TIMEOUT=${VM_TIMEOUT:-1200} "$KSYM_ROOT/scripts/vm.sh"
}

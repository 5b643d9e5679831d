#!/bin/bash
# Tests the runner itself: what it counts, and that nothing gets lost in it. It runs
# a copy of the runner, on test files of its own, in a copy of the project's shape.
set -euo pipefail
# shellcheck source=dev/tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# Makes the test file $1 from stdin, and runs it alone.
run() {
	local root=$scratch/project
	rm -rf "$root"
	mkdir -p "$root/dev/tests"
	cp "$KSYM_ROOT"/dev/{check,lib,splats}.sh "$root/dev/"
	for step in setup kernel tools; do printf '#!/bin/sh\n' >"$root/dev/$step.sh"; done
	{ echo '#!/bin/bash'; cat; } >"$root/dev/tests/50-it.sh"
	chmod +x "$root"/dev/*.sh "$root"/dev/tests/*.sh
	env -u TESTS -u CHECK_NESTED -u VM_FLAVOUR "$root/dev/check.sh" 2>&1 | tail -n 1
}

is 'results are added up' "$(run <<<'echo "ok 1 - a"; echo "ok 2 - b"; echo "ok 3 - c # SKIP no"')" '2 passed, 0 failed, 1 skipped'
is 'a failure is counted once, whatever the status' "$(run <<<'echo "ok 1 - a"; echo "not ok 2 - b"; exit 1')" '1 passed, 1 failed'
is 'a status is a failure' "$(run <<<'echo "ok 1 - a"; exit 7')" '1 passed, 1 failed'
is 'no test is a failure' "$(run <<<'echo hello')" '0 passed, 1 failed'
is 'an early end is a failure' "$(run <<<'echo "ok 1 - a"; kill -9 $$')" '1 passed, 1 failed'
is 'a summary of subtests is no test' "$(run <<<'printf "    ok 1 a\n    ok 2 b\nok 1 suite\nok 2 c\n"')" '3 passed, 0 failed'
is 'nor a second failure' "$(run <<<'printf "    ok 1 a\n    not ok 2 b\nnot ok 1 suite\n"')" '1 passed, 1 failed'
is 'a suite that fails by itself is one' "$(run <<<'printf "    ok 1 a\nnot ok 1 suite\n"')" '1 passed, 1 failed'
is 'an expected failure is none' "$(run <<<'printf "not ok 1 a # TODO later\n"')" '1 passed, 0 failed'
# shellcheck disable=SC2016  # the test file's own variable
is 'a splat in the log of a machine is a failure' \
	"$(run <<<'echo "ok 1 - a"; echo "[ 1.0] BUG: KASAN: use-after-free in x" >"$VM_LOGS/vm-1.log"')" '1 passed, 1 failed'
# shellcheck disable=SC2016
is 'a quiet log is none' "$(run <<<'echo "ok 1 - a"; echo "[ 1.0] kasan: initialized" >"$VM_LOGS/vm-1.log"')" '1 passed, 0 failed'
finish

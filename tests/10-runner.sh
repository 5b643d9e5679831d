#!/bin/bash
# Tests the runner itself: what it counts, and that nothing gets lost in it. It runs
# a copy of the runner, on test files of its own, in a copy of the project's shape.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

root=$scratch/project

# Makes the project, without a test file.
new_project() {
	local step
	rm -rf "$root"
	mkdir -p "$root/scripts" "$root/tests"
	cp "$KSYM_ROOT"/scripts/{check,lib,splats}.sh "$root/scripts/"
	for step in setup kernel tools; do printf '#!/bin/sh\n' >"$root/scripts/$step.sh"; done
	chmod +x "$root"/scripts/*.sh
}

# Makes the test file $1 from stdin.
new_test() {
	{ echo '#!/bin/bash'; cat; } >"$root/tests/$1.sh"
	chmod +x "$root/tests/$1.sh"
}

runner() { env -u TESTS -u CHECK_NESTED -u VM_FLAVOUR -u TEST_JOBS "$@" "$root/scripts/check.sh" 2>&1; }

# Makes a test file from stdin, and runs it alone.
run() {
	new_project
	new_test 50-it
	runner | tail -n 1
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

# Fails at the first time, and says $1 then.
crashing() {
	new_project
	new_test 50-one <<-END
		test ! -e again || { echo 'ok 1 - a'; exit; }
		touch again
		echo '$1'; echo 'not ok 1 - a'; exit 1
	END
	new_test 51-two <<<'echo "ok 1 - b"'
	runner | tail -n 1
}
is 'what QEMU crashed in runs once more' "$(crashing 'vm: QEMU failed (status 139): x')" '2 passed, 0 failed'
is 'what QEMU refused does not' "$(crashing 'vm: QEMU failed (status 1): x')" '1 passed, 1 failed'

# Waits in a test file for the file $1 that the other one makes.
# shellcheck disable=SC2016  # the test file's own variable
meet='meet() { timeout 60 sh -c "until test -e $1; do sleep 0.05; done"; }'

# Each of the two is there only while the other one runs.
new_project
new_test 50-one <<-END
	$meet
	echo 'ok 1 - a'; touch one; meet two
	echo 'ok 2 - b'; touch one.again; meet two.again && echo 'ok 3 - c'
END
new_test 51-two <<-END
	$meet
	meet one; echo 'ok 1 - d'; touch two
	meet one.again; echo 'ok 2 - e'; echo 'not ok 3 - f'; touch two.again; exit 1
END
said=$(runner || true)
is 'two files run at a time, and what they say is added up' "$(tail -n 1 <<<"$said")" '5 passed, 1 failed'
# Without the seconds.
blocks=$(sed -e '$d' -e 's/: [0-9]* s$//' <<<"$said")
one=$'# 50-one (ksym)\nok 1 - a\nok 2 - b\nok 3 - c\n# 50-one'
two=$'# 51-two (ksym)\nok 1 - d\nok 2 - e\nnot ok 3 - f\n# 51-two'
if [[ $blocks == "$one"$'\n'"$two" || $blocks == "$two"$'\n'"$one" ]]; then
	ok 'what a file says comes in one piece'
else
	not_ok 'what a file says comes in one piece' "$said"
fi

# The one ends when it was told, twice, that the other one runs.
new_project
new_test 50-one <<<"echo 'ok 1 - a'; timeout 60 sh -c 'until test \$(grep -c running: $scratch/said) -ge 2; do sleep 0.05; done'"
new_test 51-two <<<'echo "ok 1 - b"'
runner CHECK_ALIVE=1 >"$scratch/said"
contains 'while a long file runs there is a sign of life' "$(<"$scratch/said")" 'running: 50-one ('
is 'and that is no end of it' "$(tail -n 1 "$scratch/said")" '2 passed, 0 failed'

# Each has its own status and its own machines' logs.
new_project
# shellcheck disable=SC2016
new_test 50-one <<<'echo "ok 1 - a"; echo "[ 1.0] BUG: KASAN: use-after-free in x" >"$VM_LOGS/vm-1.log"'
new_test 51-two <<<'echo "ok 1 - a"; kill -9 $$'
new_test 52-three <<<'echo "ok 1 - a"'
new_test 90-debug <<<'echo "ok 1 - a"; exit 3'
said=$(runner || true)
is 'each failure is one' "$(tail -n 1 <<<"$said")" '4 passed, 3 failed'
contains 'a splat is told of the file that it is in' "$said" 'complain about in 50-one'
contains 'and a signal of its own' "$said" '51-two ended with status 137'
contains 'and a status' "$said" '90-debug ended with status 3'

# One at a time: nobody begins before the last one has ended.
for jobs in 1 2; do
	new_project
	for name in 50-one 51-two 90-debug; do
		new_test "$name" <<<"echo $name+ >>order; echo 'ok 1 - a'; echo $name- >>order"
	done
	[[ $jobs != 1 ]] || runner TEST_JOBS=1 >"$scratch/said"
	[[ $jobs != 2 ]] || runner >"$scratch/said"
	is "TEST_JOBS=$jobs: all is counted" "$(tail -n 1 "$scratch/said")" '3 passed, 0 failed'
	[[ $jobs != 1 ]] || is 'one after the other' "$(tr '\n' ' ' <"$root/order")" \
		'50-one+ 50-one- 51-two+ 51-two- 90-debug+ 90-debug- '
done
contains 'what is no number of jobs is refused' "$(runner TEST_JOBS=many || true)" 'a number of test files'

# A disk with 100 MB left.
new_project
new_test 50-it <<<'echo "ok 1 - a"'
mkdir "$scratch/bin"
printf '#!/bin/sh\necho Avail\necho 100M\n' >"$scratch/bin/df"
chmod +x "$scratch/bin/df"
is 'a full disk ends a run of all tests before it begins' "$(runner PATH="$scratch/bin:$PATH" || true)" \
	'check: a run of all tests needs 7500 MB of disk in build/; only 100 MB are free'
contains 'but not a run of some' "$(runner PATH="$scratch/bin:$PATH" TESTS='50-*')" '1 passed'

# Whoever ends the runner ends what it started, down to the last process.
for signal in INT TERM; do
	new_project
	for name in 50-one 51-two; do
		new_test "$name" <<<"sleep 1000 & echo \$! >$name.pid.new; mv $name.pid.new $name.pid; wait; echo 'ok 1 - a'"
	done
	# A shell's background job would ignore the signal of Ctrl-C.
	set -m
	runner >"$scratch/said" &
	set +m
	timeout 60 sh -c "until test -e $root/50-one.pid && test -e $root/51-two.pid; do sleep 0.05; done"
	status=0
	kill -s $signal -- -$!
	wait $! 2>/dev/null || status=$?
	left=
	mapfile -t pids < <(cat "$root"/*.pid)
	for pid in "${pids[@]}"; do
		timeout 60 sh -c "while kill -0 $pid 2>/dev/null; do sleep 0.05; done" || left+=" $pid"
	done
	is "SIG$signal ends all that runs" "${#pids[@]}$left" 2
	is 'and the status tells so' "$status" "$((128 + $(kill -l $signal)))"
done
finish

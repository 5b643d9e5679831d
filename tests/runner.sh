#!/bin/bash
# Tests the runner (scripts/check.sh): a copy of it runs test files that are made here, in a
# project that has only these.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

root=$scratch/project

# Makes the project without test files.
new_project() {
	local step
	rm -rf "$root"
	mkdir -p "$root/scripts" "$root/tests"
	cp "$KSYM_ROOT"/scripts/{check,lib,rounds,splats}.sh "$root/scripts/"
	for step in setup kernel tools; do printf '#!/bin/sh\n' >"$root/scripts/$step.sh"; done
	chmod +x "$root"/scripts/*.sh
}

# Makes the test file $1 from stdin.
new_test() {
	{ echo '#!/bin/bash'; cat; } >"$root/tests/$1.sh"
	chmod +x "$root/tests/$1.sh"
}

# Runs the runner on the base 6.12, unless BASE= is given.
runner() { env --default-signal=INT,TERM -u TESTS -u VM_FLAVOUR -u TEST_JOBS BASE=6.12 "$@" "$root/scripts/check.sh" 2>&1; }

# Makes a test file from stdin, runs it alone and prints the last line.
run() {
	new_project
	new_test it
	runner | tail -n 1
}

is 'results are added up' "$(run <<<'echo "ok 1 - a"; echo "ok 2 - b"; echo "ok 3 - c # SKIP no"')" '2 passed, 0 failed, 1 skipped'
is 'a failure is counted once, whatever the status' "$(run <<<'echo "ok 1 - a"; echo "not ok 2 - b"; exit 1')" '1 passed, 1 failed'
is 'a status other than 0 is a failure' "$(run <<<'echo "ok 1 - a"; exit 7')" '1 passed, 1 failed'
is 'a file without results is a failure' "$(run <<<'echo hello')" '0 passed, 1 failed'
is 'a file that is killed is a failure' "$(run <<<'echo "ok 1 - a"; kill -9 $$')" '1 passed, 1 failed'
is 'the summary of subtests is not counted' "$(run <<<'printf "    ok 1 a\n    ok 2 b\nok 1 suite\nok 2 c\n"')" '3 passed, 0 failed'
is 'the summary of a failed subtest is not a second failure' "$(run <<<'printf "    ok 1 a\n    not ok 2 b\nnot ok 1 suite\n"')" '1 passed, 1 failed'
is 'a suite that fails although its subtests passed is a failure' "$(run <<<'printf "    ok 1 a\nnot ok 1 suite\n"')" '1 passed, 1 failed'
is 'an expected failure is not counted as one' "$(run <<<'printf "not ok 1 a # TODO later\n"')" '1 passed, 0 failed'
# shellcheck disable=SC2016  # the test file's own variable
is 'a splat in the log of a machine is a failure' \
	"$(run <<<'echo "ok 1 - a"; echo "[ 1.0] BUG: KASAN: use-after-free in x" >"$VM_LOGS/vm-1.log"')" '1 passed, 1 failed'
# shellcheck disable=SC2016
is 'a log without a splat is not' "$(run <<<'echo "ok 1 - a"; echo "[ 1.0] kasan: initialized" >"$VM_LOGS/vm-1.log"')" '1 passed, 0 failed'

# Prints the result of a test file that fails in its first run, with the output $1.
crashing() {
	new_project
	new_test one <<-END
		test ! -e again || { echo 'ok 1 - a'; exit; }
		touch again
		echo '$1'; echo 'not ok 1 - a'; exit 1
	END
	new_test two <<<'echo "ok 1 - b"'
	runner | tail -n 1
}
is 'a file in which QEMU crashed runs once more' "$(crashing 'vm: QEMU failed (status 139): x')" '2 passed, 0 failed'
is 'a file in which QEMU did not start does not' "$(crashing 'vm: QEMU failed (status 1): x')" '1 passed, 1 failed'

new_project
new_test it <<<'echo "ok 1 - a"'
new_test it.guest-live <<<'echo "not ok 1 - b"'
is 'a part of a test is no test' "$(runner | tail -n 1)" '1 passed, 0 failed'

# For test files: waits until the other one has made the file $1.
# shellcheck disable=SC2016  # the test file's own variable
meet='meet() { timeout 60 sh -c "until test -e $1; do sleep 0.05; done"; }'

# Each waits for the other one twice, so both must run at the same time.
new_project
new_test one <<-END
	$meet
	echo 'ok 1 - a'; touch one; meet two
	echo 'ok 2 - b'; touch one.again; meet two.again && echo 'ok 3 - c'
END
new_test two <<-END
	$meet
	meet one; echo 'ok 1 - d'; touch two
	meet one.again; echo 'ok 2 - e'; echo 'not ok 3 - f'; touch two.again; exit 1
END
said=$(runner || true)
is 'two files run at a time, and their results are added up' "$(tail -n 1 <<<"$said")" '5 passed, 1 failed'
# Without the seconds.
blocks=$(sed -e '/^# base/d' -e '$d' -e 's/: [0-9]* s$//' <<<"$said")
one=$'# one (ksym, 6.12)\nok 1 - a\nok 2 - b\nok 3 - c\n# one'
two=$'# two (ksym, 6.12)\nok 1 - d\nok 2 - e\nnot ok 3 - f\n# two'
if [[ $blocks == "$one"$'\n'"$two" || $blocks == "$two"$'\n'"$one" ]]; then
	ok 'the output of a file is in one piece'
else
	not_ok 'the output of a file is in one piece' "$said"
fi

# The file one ends after the runner has reported it twice as running.
new_project
new_test one <<<"echo 'ok 1 - a'; timeout 60 sh -c 'until test \$(grep -c running: $scratch/said) -ge 2; do sleep 0.05; done'"
new_test two <<<'echo "ok 1 - b"'
runner CHECK_ALIVE=1 >"$scratch/said"
contains 'the running files are reported' "$(<"$scratch/said")" 'running: one ('
is 'and are still counted' "$(tail -n 1 "$scratch/said")" '2 passed, 0 failed'

# Each file has its own status and its own logs.
new_project
# shellcheck disable=SC2016
new_test one <<<'echo "ok 1 - a"; echo "[ 1.0] BUG: KASAN: use-after-free in x" >"$VM_LOGS/vm-1.log"'
new_test two <<<'echo "ok 1 - a"; kill -9 $$'
new_test three <<<'echo "ok 1 - a"'
new_test four <<<'echo "ok 1 - a"; exit 3'
said=$(runner || true)
is 'each failure is counted once' "$(tail -n 1 <<<"$said")" '4 passed, 3 failed'
contains 'a splat is reported with the name of the file' "$said" 'no splat in the kernel logs of one'
contains 'so is a signal' "$said" 'two ended with status 137'
contains 'and a status' "$said" 'four ended with status 3'

# A run of all files leaves a record for make tried.
new_project
new_test one <<<"echo 'ok 1 - a'; echo 'ok 2 - b # SKIP no'; test ! -e fails"
git init -q "$root"
echo '/build/' >"$root/.gitignore"
git -C "$root" add .
git -C "$root" -c user.name=Test -c user.email=test@localhost commit -q -m one
record=$scratch/cache/rounds/check.6.12.ksym.$(git -C "$root" rev-parse --short=12 HEAD)
runner TESTS=one KSYM_SOURCE_CACHE="$scratch/cache" >"$scratch/said"
touch "$root/fails"
runner KSYM_SOURCE_CACHE="$scratch/cache" >"$scratch/said" || true
is 'a run of some files leaves no record, and so does one that fails' "$([[ -e $scratch/cache ]] || echo none)" none
rm "$root/fails"
runner KSYM_SOURCE_CACHE="$scratch/cache" >"$scratch/said"
is 'a run of all files leaves one' "$(cut -d' ' -f 1,3- "$record")" '1 passed=1 skipped=1'

# With TEST_JOBS=1 a file starts after the previous one has ended.
for jobs in 1 2; do
	new_project
	for name in one two three; do
		new_test "$name" <<<"echo $name+ >>order; echo 'ok 1 - a'; echo $name- >>order"
	done
	[[ $jobs != 1 ]] || runner TEST_JOBS=1 >"$scratch/said"
	[[ $jobs != 2 ]] || runner >"$scratch/said"
	is "TEST_JOBS=$jobs: all results are counted" "$(tail -n 1 "$scratch/said")" '3 passed, 0 failed'
	[[ $jobs != 1 ]] || is 'the files run one after the other' "$(tr '\n' ' ' <"$root/order")" \
		'one+ one- three+ three- two+ two- '
done
contains 'TEST_JOBS must be a number' "$(runner TEST_JOBS=many || true)" "TEST_JOBS must be a number, not 'many'"

# The disk has 100 MB left.
new_project
new_test it <<<'echo "ok 1 - a"'
mkdir "$scratch/bin"
printf '#!/bin/sh\necho Avail\necho 100M\n' >"$scratch/bin/df"
chmod +x "$scratch/bin/df"
is 'a run of all tests does not start on a full disk' "$(runner PATH="$scratch/bin:$PATH" || true)" \
	'check: a run of all tests needs 4500 MB of disk in build/; only 100 MB are free'
is 'nor one of both bases' "$(runner CHECK_BOTH=vm-boot BASE= PATH="$scratch/bin:$PATH" || true)" \
	'check: a run of all tests needs 6000 MB of disk in build/; only 100 MB are free'
contains 'a run of some tests does' "$(runner PATH="$scratch/bin:$PATH" TESTS='i*')" '1 passed'

new_project
new_test kernel-deb <<<'echo "ok 1 - a"; echo "ok 2 - b"'
new_test one <<<'echo "ok 1 - a"'
is 'a file that builds a whole kernel does not run by itself' "$(runner | tail -n 1)" '1 passed, 0 failed'
is 'but if a pattern asks for it' "$(runner TESTS='k*' | tail -n 1)" '2 passed, 0 failed'

# The kernels with checkers.
new_project
for name in one vm-boot vm-torture debug-splats; do new_test "$name" <<<'echo "ok 1 - a"'; done
files() { runner TEST_JOBS=1 "$@" | sed -n 's/^# \(.*\) (.*/\1/p' | tr '\n' ' '; }
is 'the debug kernel runs the tests of the kernel' "$(files VM_FLAVOUR=debug)" 'debug-splats vm-boot vm-torture '
is 'the one with KCSAN those that look for races' "$(files VM_FLAVOUR=kcsan)" 'debug-splats vm-torture '
is 'and others if a pattern asks for them' "$(files VM_FLAVOUR=kcsan TESTS='vm-* one')" 'vm-boot vm-torture '

# Both bases. Prints the results of two test files, one of which runs on both bases.
both() {
	new_project
	new_test one <<<'echo "ok 1 - a"'
	# shellcheck disable=SC2016  # the test file's own variables
	new_test vm-boot <<<'echo "ok 1 - $BASE in ${VM_LOGS#"$PWD"/}"'
	# shellcheck disable=SC2016  # the stub's own
	printf '%s\n' '#!/bin/sh' "$1" >"$root/scripts/kernel.sh"
	runner CHECK_BOTH=vm-boot KSYM_SOURCE_CACHE="$scratch/cache" PATH="$scratch/bin:$PATH" "${@:2}" || true
}
# Puts the source of the series $1 into the cache.
cache_source() { rm -rf "$scratch/cache"; mkdir -p "$scratch/cache/linux-source-$1"; touch "$scratch/cache/linux-source-$1/linux-source.tar.xz"; }
printf '#!/bin/sh\necho E: no network\nexit 100\n' >"$scratch/bin/apt-get"
chmod +x "$scratch/bin/apt-get"
rm "$scratch/bin/df"
cache_source 7.3
said=$(both true BASE= TEST_JOBS=1)
is 'both bases are run, the second one with the tests of both' "$(grep '^# .*(' <<<"$said")" \
	$'# one (ksym, 6.12)\n# vm-boot (ksym, 6.12)\n# vm-boot (ksym, 7.3)'
is 'each test has its base and its logs' "$(grep ' in ' <<<"$said")" \
	$'ok 1 - 6.12 in build/log/check-ksym/vm-boot\nok 1 - 7.3 in build/7.3/log/check-ksym/vm-boot'
is 'the results are added up' "$(tail -n 1 <<<"$said")" '3 passed, 0 failed'
is 'with BASE=7.3 all tests run on it' "$(both true BASE=7.3 TEST_JOBS=1 | grep '^# .*(')" $'# one (ksym, 7.3)\n# vm-boot (ksym, 7.3)'
is 'patterns select tests of both' "$(both true BASE= TESTS='vm-*' | tail -n 1)" '2 passed, 0 failed'
is 'tests of the first base only do not need the other' "$(both "test \$BASE != 7.3" BASE= TESTS=one | tail -n 1)" '1 passed, 0 failed'
is 'another kernel has one base' "$(both true BASE= VM_FLAVOUR=pristine | tail -n 1)" '2 passed, 0 failed'
is 'a kernel that does not build is a failure' "$(both "test \$BASE != 7.3" BASE= | tail -n 1)" '2 passed, 1 failed'
is 'a failure of the first base does not keep the other from running' "$(both "test \$BASE = 7.3" BASE= | tail -n 1)" '1 passed, 1 failed'
cache_source 7.4
said=$(both "test \$BASE != 7.3 || { echo 'kernel: 0001-a.patch does not fit'; exit 1; }" BASE=)
contains 'a newer series that does not build is skipped' "$said" $'\nok - base 7.3 # SKIP kernel: 0001-a.patch does not fit\n'
is 'and counted as such' "$(tail -n 1 <<<"$said")" '2 passed, 0 failed, 1 skipped'
is 'one that builds is tested' "$(both true BASE= | tail -n 1)" '3 passed, 0 failed'
rm -r "$scratch/cache"
said=$(both true BASE=)
contains 'a base without source is skipped' "$said" 'ok - base 7.3 # SKIP check: cannot fetch the package lists of trixie-backports'
is 'and the other is not' "$(tail -n 1 <<<"$said")" '2 passed, 0 failed, 1 skipped'

# A signal that ends the runner ends all processes that it started.
for signal in INT TERM; do
	new_project
	for name in one two; do
		new_test "$name" <<<"sleep 1000 & echo \$! >$name.pid.new; mv $name.pid.new $name.pid; wait; echo 'ok 1 - a'"
	done
	# Without job control a background job ignores SIGINT, as this script may.
	set -m
	runner >"$scratch/said" &
	set +m
	timeout 60 sh -c "until test -e $root/one.pid && test -e $root/two.pid; do sleep 0.05; done"
	status=0
	kill -s $signal -- -$!
	wait $! 2>/dev/null || status=$?
	left=
	mapfile -t pids < <(cat "$root"/*.pid)
	for pid in "${pids[@]}"; do
		timeout 60 sh -c "while kill -0 $pid 2>/dev/null; do sleep 0.05; done" || left+=" $pid"
	done
	is "SIG$signal ends all processes" "${#pids[@]}$left" 2
	is 'and is the status' "$status" "$((128 + $(kill -l $signal)))"
done
finish

#!/bin/bash
# Runs the project's tests: scripts/check.sh [PATTERN…]
#
# A test is an executable file tests/NN-NAME.sh that prints TAP or KTAP. Its
# results are added up, and a file that ends with a status other than 0, or without any
# result, is one failure more. A summary line of KTAP, whose subtests were counted, does
# not count again.
#
# Two files run at a time (TEST_JOBS), since an emulated machine keeps little more than
# one core busy. What a file prints comes in one piece when it has ended; meanwhile a
# line now and then says which ones run. One file alone streams, and with TEST_JOBS=1
# all do, in the order of their names.
#
# QEMU 7.2 itself crashes now and then (CONTRIBUTING.md): a file in which that happened, and
# that failed, runs once more, with a line that says so. One that streams does not.
#
# Each file gets a folder of its own for the logs of the machines that it boots, and
# these are searched for splats afterwards. With VM_FLAVOUR=debug only the files
# called NN-vm-… run, those that ask something of the kernel, and those called
# NN-debug-…, which run on no other.
#
# The last line is "N passed, N failed", with ", N skipped" where there were any. The
# status is 1 when something failed. CHECK_NESTED=1 leaves the last line out: for a
# test file that runs others.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KSYM_NAME=check
export VM_FLAVOUR=${VM_FLAVOUR:-ksym}
check_flavour "$VM_FLAVOUR"
# Debian's kernel has no tracer that most tests could try; those that want it boot it.
[[ $VM_FLAVOUR != stock ]] || die "the flavour stock has a test file of its own, TESTS='65-*'"
passed=0 failed=0 skipped=0 fifo=
# What scripts/vm.sh says when QEMU was ended by SIGABRT or SIGSEGV.
qemu_crash='vm: QEMU failed (status 13[49])'
declare -A running=() began=() # by the name of a file: its process, and when

# Counts one result. $1 is "ok" or "not ok", $2 what stands behind it.
count() {
	case $1:${2,,} in
	*:*'# skip'*) skipped=$((skipped + 1)) ;;
	ok:* | *:*'# todo'* | *:*'# xfail'*) passed=$((passed + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
}

# Prints what a test prints and counts its results. KTAP indents subtests and puts
# their summary behind them, less deep: so a result that ends deeper ones is no test
# of its own, unless it failed where none of those did.
read_results() {
	local line depth last=0 deeper_failed=0 results=0
	local result='^( *)(ok|not ok)( +[0-9]+)?( (.*))?$'
	while IFS= read -r line; do
		printf '%s\n' "$line"
		[[ $line =~ $result ]] || continue
		depth=${#BASH_REMATCH[1]}
		results=$((results + 1))
		if ((depth < last)) && [[ ${BASH_REMATCH[2]} == ok || $deeper_failed == 1 ]]; then
			:
		else
			count "${BASH_REMATCH[2]}" "${BASH_REMATCH[5]:-}"
			[[ ${BASH_REMATCH[2]} == ok ]] || deeper_failed=1
		fi
		((depth > 0)) || deeper_failed=0
		last=$depth
	done
	((results > 0))
}

# Starts one test file, whose process becomes the leader of a group of its own: so it
# can be ended with all that it started. When it has ended, its status and its seconds
# stand in a file beside its output, and its name goes to those who wait.
start_file() {
	local file=$1 name
	name=$(basename "$file" .sh)
	export VM_LOGS=$KSYM_LOGS/check-$VM_FLAVOUR/$name
	rm -rf "$VM_LOGS"
	mkdir -p "$VM_LOGS"
	: >"$VM_LOGS/output"
	set -m
	(
		trap - EXIT INT TERM
		cd "$KSYM_ROOT"
		started=$SECONDS status=0
		"$file" </dev/null >"$VM_LOGS/output" 2>&1 3>&- || status=$?
		if [[ $status != 0 && $jobs != 1 ]] && grep -q "$qemu_crash" "$VM_LOGS/output"; then
			again="# $(grep -m 1 -o "$qemu_crash" "$VM_LOGS/output"): once more" status=0
			{ echo "$again" && "$file"; } </dev/null >"$VM_LOGS/output" 2>&1 3>&- || status=$?
		fi
		echo "$status $((SECONDS - started))" >"$VM_LOGS/status"
		echo "$name" >&3
	) &
	set +m
	running[$name]=$! began[$name]=$SECONDS
}

# Prints and counts what one test file said, and searches the logs of its machines.
report_file() {
	local name=$1 logs=$KSYM_LOGS/check-$VM_FLAVOUR/$1 before=$failed found status seconds
	printf '# %s (%s)\n' "$name" "$VM_FLAVOUR"
	# The results are read in this shell, for its counters.
	read_results < <(
		if ((jobs == 1)); then
			exec tail -c +1 -s 0.2 -f --pid="${running[$name]}" "$logs/output"
		else
			exec cat "$logs/output"
		fi
	) || { printf 'not ok - %s ran no test\n' "$name"; failed=$((failed + 1)); }
	wait "${running[$name]}" || true
	read -r status seconds 2>/dev/null <"$logs/status" ||
		status='no status' seconds=$((SECONDS - began[$name]))
	# A file that reported a failure ends with a status, too; that is no second one.
	if [[ $status != 0 && $failed == "$before" ]]; then
		printf 'not ok - %s ended with status %s\n' "$name" "$status"
		failed=$((failed + 1))
	fi
	if ! found=$("$KSYM_ROOT/scripts/splats.sh" "$logs"/*.log); then
		printf 'not ok - the kernel had nothing to complain about in %s\n%s\n' "$name" "$found"
		failed=$((failed + 1))
	fi
	printf '# %s: %d s\n' "$name" "$seconds"
	unset "running[$name]"
}

# Sets "ended" to the name of a file that has ended. Says what runs while there is none,
# each CHECK_ALIVE seconds.
wait_for_file() {
	local name said results
	until read -r -t "${CHECK_ALIVE:-30}" -u 3 ended; do
		said=
		for name in "${!running[@]}"; do
			# Whoever was killed could not say that it ended.
			kill -0 "${running[$name]}" 2>/dev/null || { ended=$name; return; }
			results=$(grep -cE '^ *(not )?ok ' "$KSYM_LOGS/check-$VM_FLAVOUR/$name/output") || true
			said+=", $name ($((SECONDS - began[$name])) s, $results results)"
		done
		say "running: ${said#, }"
	done
}

# Whatever ends this script ends what it started, too.
# shellcheck disable=SC2317  # called by the trap
stop_all() {
	local leader
	for leader in "${running[@]}"; do kill -- "-$leader" 2>/dev/null || true; done
	[[ ${#running[@]} == 0 ]] || wait "${running[@]}" 2>/dev/null || true
	rm -rf "$fifo"
}

# Runs all test files, as many at a time as there are jobs.
run_files() {
	local file ended
	fifo=$(mktemp -d)
	mkfifo "$fifo/ended"
	# Open for both, so that neither side waits for the other.
	exec 3<>"$fifo/ended"
	trap stop_all EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	while [[ ${#files[@]} != 0 || ${#running[@]} != 0 ]]; do
		while [[ ${#files[@]} != 0 && ${#running[@]} -lt $jobs ]]; do
			start_file "${files[0]}"
			[[ $jobs != 1 ]] || report_file "$(basename "${files[0]}" .sh)"
			files=("${files[@]:1}")
		done
		[[ $jobs != 1 ]] || continue
		wait_for_file
		report_file "$ended"
	done
}

# Does one step of the preparation; without it there is nothing to test.
prepare() {
	"$@" || {
		printf 'not ok - %s\n' "$*"
		failed=$((failed + 1))
		finish
	}
}

finish() {
	[[ ${CHECK_NESTED:-} == 1 ]] ||
		printf '%d passed, %d failed%s\n' "$passed" "$failed" "$( ((skipped == 0)) || printf ', %d skipped' "$skipped")"
	exit $((failed != 0))
}

patterns=("$@")
[[ ${#patterns[@]} != 0 ]] || read -r -a patterns <<<"${TESTS:-*}"
files=()
for file in "$KSYM_ROOT"/tests/[0-9][0-9]-*.sh; do
	case $VM_FLAVOUR:$(basename "$file") in
	debug:??-vm-* | debug:??-debug-*) ;;
	debug:* | *:??-debug-*) continue ;;
	esac
	for pattern in "${patterns[@]}"; do
		# shellcheck disable=SC2053  # a pattern is what it is
		[[ $(basename "$file" .sh) != $pattern ]] || { files+=("$file"); break; }
	done
done
[[ ${#files[@]} != 0 ]] || die "no test has a name like ${patterns[*]}"
jobs=${TEST_JOBS:-2}
[[ $jobs =~ ^[1-9][0-9]*$ ]] || die "TEST_JOBS is a number of test files, not '$jobs'"
[[ ${#files[@]} != 1 ]] || jobs=1
# The longest come first, the very longest at the head, or the last one of them would run
# alone. 90-debug and 34-vm-admission, which build a kernel each, are kept apart: there is
# one build at a time, and one would wait for the other one's.
longest=(90-debug 60-ksymwatch 31-vm-ftracetest 36-vm-modules 34-vm-admission 36-vm-hotplug)
if ((jobs > 1)); then
	first=() rest=()
	for name in "${longest[@]}"; do
		for file in "${files[@]}"; do
			[[ $(basename "$file" .sh) != "$name" ]] || first+=("$file")
		done
	done
	for file in "${files[@]}"; do
		[[ " ${longest[*]} " == *" $(basename "$file" .sh) "* ]] || rest+=("$file")
	done
	files=("${first[@]}" "${rest[@]}")
fi

# A whole run builds four kernels, and needs room for its machines and its logs.
if [[ ${patterns[*]} == '*' ]]; then
	room=1500
	for flavour in ksym debug pristine fixes; do
		[[ -d $KSYM_BUILD/linux-$flavour ]] || room=$((room + 1500))
	done
	need_room 'a run of all tests' $room
fi
prepare "$KSYM_ROOT/scripts/setup.sh"
prepare "$KSYM_ROOT/scripts/kernel.sh" "$VM_FLAVOUR"
prepare "$KSYM_ROOT/scripts/tools.sh"
run_files
finish

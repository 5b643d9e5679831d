#!/bin/bash
# Runs the project's tests: scripts/check.sh [PATTERN…]
#
# A test is an executable file tests/NAME.sh that prints TAP or KTAP. A file tests/*.guest*.sh is a
# part of a test, which runs it in an emulated machine. The runner adds up the results. A test that
# exits with a status other than 0, or prints no result, counts as one more failure. A summary line
# of KTAP is not counted, since its subtests were.
#
# Two files run at a time (TEST_JOBS), since an emulated machine uses little more than
# one core. The output of a file is printed when it has ended; until then a line now and
# then names the files that are running. The output of a single file is streamed. With
# TEST_JOBS=1 all files are, in the order of their names.
#
# QEMU 7.2 sometimes crashes. A file that failed and in which that happened is run once
# more, and a line says so. A streamed file is not.
#
# Each file has its own folder for the logs of the machines that it boots. They are
# searched for splats when it has ended. VM_FLAVOUR=debug runs only the files vm-…, which
# test the kernel, and debug-…, which run on the kernels with checkers only. VM_FLAVOUR=kcsan runs
# those of them in which CPUs do different things at the same time (files_of_kcsan).
#
# Without BASE, the files run on the base 6.12, except for files_by_name, and those in
# files_of_both on 7.3 as well. With BASE, or with another VM_FLAVOUR than ksym, all run on one
# base. 7.3 is skipped if its source can be neither found nor downloaded, or if the archive has
# only a newer series that the patches do not fit or that does not build. With 7.3 itself, the
# latter two are failures.
#
# The last line is "N passed, N failed", followed by ", N skipped" if there are any. The
# status is 1 if anything failed. If nothing did, a run of all files on one base is recorded for
# make tried.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/rounds.sh
. "$(dirname "${BASH_SOURCE[0]}")/rounds.sh"
KSYM_NAME=check
export VM_FLAVOUR=${VM_FLAVOUR:-ksym}
check_flavour "$VM_FLAVOUR"
# Most tests need the tracer, which Debian's kernel does not have.
[[ $VM_FLAVOUR != stock* ]] || die "the tests do not run on flavour $VM_FLAVOUR, except TESTS='stock', which boots it itself"
# The time limits of the test files are for kernels without checkers.
! has_checkers || export VM_TIMEOUT=${VM_TIMEOUT:-3600}
passed=0 failed=0 skipped=0
# A run is BASE/NAME, a test file on a base. runs has those that have not begun.
runs=()
declare -A running=() began=() logs_of=() # run → its process, its start, its folder

# The files that run on each base without BASE: those of the kernel that take a minute at most.
# With vm-ftracetest, a run without a compiler cache could take longer than CI allows.
read -r -a files_of_both <<<"${CHECK_BOTH:-vm-kunit vm-boot vm-programs vm-breakpoints}"

# The files that run only if a pattern other than * asks for them, since CI has no time for
# them: kernel-deb and bench-breakpoints build a whole kernel, and vm-ftrace runs 150 test cases on
# each of two.
files_by_name=(kernel-deb bench-breakpoints vm-ftrace)

# The files that look for data races, unless a pattern other than * asks for another one.
files_of_kcsan=(debug-splats vm-arbitration vm-breakpoints vm-contexts vm-hotplug vm-modules vm-programs vm-torture)

bases=("$KSYM_BASE")
[[ -n ${BASE:-} || $VM_FLAVOUR != ksym ]] || bases=("${KSYM_BASES[@]}")

# Prints the output of a test and counts its results. KTAP indents subtests, and their
# summary follows with less indentation. So a result after deeper ones is not counted,
# unless it failed and none of them did.
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
			count_result "${BASH_REMATCH[2]}" "${BASH_REMATCH[5]:-}"
			[[ ${BASH_REMATCH[2]} == ok ]] || deeper_failed=1
		fi
		((depth > 0)) || deeper_failed=0
		last=$depth
	done
	((results > 0))
}

# Starts a test file as the leader of a process group, so that it can be killed with
# everything that it started. When it ends, its status and its duration are written to a
# file beside its output.
start_file() {
	local run=$1 file=$KSYM_ROOT/tests/${1#*/}.sh
	export BASE=${run%/*}
	set_base "$BASE"
	export VM_LOGS=$KSYM_LOGS/check-$VM_FLAVOUR/${run#*/}
	logs_of[$run]=$VM_LOGS
	rm -rf "$VM_LOGS"
	mkdir -p "$VM_LOGS"
	: >"$VM_LOGS/output"
	set -m
	(
		trap - EXIT INT TERM
		cd "$KSYM_ROOT"
		started=$SECONDS status=0
		"$file" </dev/null >"$VM_LOGS/output" 2>&1 || status=$?
		if [[ $status != 0 && $jobs != 1 ]] && grep -q "$qemu_crash" "$VM_LOGS/output"; then
			again="# $(grep -m 1 -o "$qemu_crash" "$VM_LOGS/output"): once more" status=0
			{ echo "$again" && "$file"; } </dev/null >"$VM_LOGS/output" 2>&1 || status=$?
		fi
		echo "$status $((SECONDS - started))" >"$VM_LOGS/status"
	) &
	set +m
	running[$run]=$! began[$run]=$SECONDS
}

# Prints the output of one test file, counts its results and searches the logs of its machines.
report_file() {
	local run=$1 name=${1#*/} logs=${logs_of[$1]} before=$failed found status seconds
	printf '# %s (%s, %s)\n' "$name" "$VM_FLAVOUR" "${run%/*}"
	# Not a pipe: read_results() changes the counters of this shell.
	read_results < <(
		if ((jobs == 1)); then
			exec tail -c +1 -s 0.2 -f --pid="${running[$run]}" "$logs/output"
		else
			exec cat "$logs/output"
		fi
	) || { printf 'not ok - %s ran no test\n' "$name"; failed=$((failed + 1)); }
	wait "${running[$run]}" || true
	read -r status seconds 2>/dev/null <"$logs/status" ||
		status='no status' seconds=$((SECONDS - began[$run]))
	# The status of a file that reported a failure is not a second failure.
	if [[ $status != 0 && $failed == "$before" ]]; then
		printf 'not ok - %s ended with status %s\n' "$name" "$status"
		failed=$((failed + 1))
	fi
	if ! found=$("$KSYM_ROOT/scripts/splats.sh" "$logs"/*.log); then
		printf 'not ok - no splat in the kernel logs of %s\n%s\n' "$name" "$found"
		failed=$((failed + 1))
	fi
	printf '# %s: %d s\n' "$name" "$seconds"
	unset "running[$run]"
}

# Waits for a test file to end and sets "ended" to its run. Meanwhile it prints the
# running files every CHECK_ALIVE seconds.
wait_for_file() {
	local run said results next=$((SECONDS + ${CHECK_ALIVE:-30}))
	while :; do
		for run in "${!running[@]}"; do
			# A file that was killed wrote no status.
			if [[ -e ${logs_of[$run]}/status ]] || ! kill -0 "${running[$run]}" 2>/dev/null; then
				ended=$run
				return
			fi
		done
		sleep 0.5
		((SECONDS >= next)) || continue
		next=$((SECONDS + ${CHECK_ALIVE:-30})) said=
		for run in "${!running[@]}"; do
			results=$(grep -cE '^ *(not )?ok ' "${logs_of[$run]}/output") || true
			said+=", ${run#*/} (${run%/*}, $((SECONDS - began[$run])) s, $results results)"
		done
		say "running: ${said#, }"
	done
}

# Kills everything that was started, however this script ends.
# shellcheck disable=SC2317  # called by the trap
stop_all() {
	local leader
	for leader in "${running[@]}"; do kill -- "-$leader" 2>/dev/null || true; done
	[[ ${#running[@]} == 0 ]] || wait "${running[@]}" 2>/dev/null || true
}

# Sees to it that nothing outlives this script.
prepare_runs() {
	trap stop_all EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# Runs the test files in "runs", $jobs at a time.
run_files() {
	local ended
	while [[ ${#runs[@]} != 0 || ${#running[@]} != 0 ]]; do
		while [[ ${#runs[@]} != 0 && ${#running[@]} -lt $jobs ]]; do
			start_file "${runs[0]}"
			[[ $jobs != 1 ]] || report_file "${runs[0]}"
			runs=("${runs[@]:1}")
		done
		[[ $jobs != 1 ]] || continue
		wait_for_file
		report_file "$ended"
	done
}

# Runs one step of the preparation. If it fails, no test can run.
prepare() {
	"$@" || {
		printf 'not ok - %s\n' "$*"
		failed=$((failed + 1))
		finish
	}
}

# Reports that the base is skipped for the reason in the last line of the file $1.
skip_base() {
	printf 'ok - base %s # SKIP %s\n' "$KSYM_BASE" "$(tail -n 1 "$1")"
	skipped=$((skipped + 1))
}

# Gets the source of the selected base and builds its kernel. If that fails, none of its tests
# can run.
prepare_base() {
	local log=$KSYM_LOGS/check-$VM_FLAVOUR.log
	mkdir -p "$KSYM_LOGS"
	if [[ $KSYM_BASE != 6.12 ]]; then
		if ! (need_source) 2>&1 | tee "$log" >&2; then
			skip_base "$log"
			return 1
		fi
		find_source
	fi
	printf '# base %s: %s %s\n' "$KSYM_BASE" "$KSYM_SOURCE_PACKAGE" "$(source_version)"
	"$KSYM_ROOT/scripts/kernel.sh" "$VM_FLAVOUR" 2>&1 | tee "$log" >&2 && return
	if is_recorded_series; then
		printf 'not ok - kernel %s of base %s\n' "$VM_FLAVOUR" "$KSYM_BASE"
		failed=$((failed + 1))
	else
		skip_base "$log"
	fi
	return 1
}

# Prints the runs of the base $1 that match the patterns.
choose_runs() {
	local file name pattern
	for file in "$KSYM_ROOT"/tests/*.sh; do
		[[ -x $file && $file != *.guest* ]] || continue
		name=$(basename "$file" .sh)
		case $VM_FLAVOUR:$name in
		debug:vm-* | debug:debug-*) ;;
		kcsan:vm-* | kcsan:debug-*)
			[[ ${patterns[*]} != '*' || " ${files_of_kcsan[*]} " == *" $name "* ]] || continue
			;;
		debug:* | kcsan:* | *:debug-*) continue ;;
		esac
		[[ ${patterns[*]} != '*' || " ${files_by_name[*]} " != *" $name "* ]] || continue
		[[ $1 == "${bases[0]}" || " ${files_of_both[*]} " == *" $name "* ]] || continue
		for pattern in "${patterns[@]}"; do
			# shellcheck disable=SC2053  # it is a pattern
			[[ $name != $pattern ]] || { printf '%s/%s\n' "$1" "$name"; break; }
		done
	done
}

# Puts the longest files first, of any base, or the last of them would run alone. vm-admission
# builds the pristine kernel. The order of the others does not matter.
order_runs() {
	local run name first=() rest=()
	local longest=(vm-admission ksymwatch vm-ftracetest bench apply stock lint patches)
	for name in "${longest[@]}"; do
		for run in "${runs[@]}"; do
			[[ ${run#*/} != "$name" ]] || first+=("$run")
		done
	done
	for run in "${runs[@]}"; do
		[[ " ${longest[*]} " == *" ${run#*/} "* ]] || rest+=("$run")
	done
	runs=("${first[@]}" "${rest[@]}")
}

finish() {
	[[ ${patterns[*]} != '*' || ${#bases[@]} != 1 || $failed != 0 ]] ||
		record_once check "passed=$passed" "skipped=$skipped"
	printf '%d passed, %d failed%s\n' "$passed" "$failed" "$( ((skipped == 0)) || printf ', %d skipped' "$skipped")"
	exit $((failed != 0))
}

patterns=("$@")
[[ ${#patterns[@]} != 0 ]] || read -r -a patterns <<<"${TESTS:-*}"
[[ ${TEST_JOBS:-2} =~ ^[1-9][0-9]*$ ]] || die "TEST_JOBS must be a number, not '$TEST_JOBS'"
# The first base has all files.
[[ -n $(choose_runs "${bases[0]}") ]] || die "no test file matches ${patterns[*]}"

# A run of all tests builds two kernels of the first base and one of the other, and needs
# room for machines and logs.
if [[ ${patterns[*]} == '*' ]]; then
	room=1500
	for base in "${bases[@]}"; do
		set_base "$base"
		flavours=(ksym)
		[[ $base != "${bases[0]}" ]] || flavours=(ksym pristine)
		for flavour in "${flavours[@]}"; do
			[[ -d $KSYM_BUILD/linux-$flavour ]] || room=$((room + 1500))
		done
	done
	need_room 'a run of all tests' $room
fi
prepare "$KSYM_ROOT/scripts/setup.sh"
prepare "$KSYM_ROOT/scripts/tools.sh"
prepare_runs
for base in "${bases[@]}"; do
	mapfile -t chosen < <(choose_runs "$base")
	set_base "$base"
	export BASE=$base
	if [[ ${#chosen[@]} != 0 ]] && prepare_base; then runs+=("${chosen[@]}"); fi
done
jobs=${TEST_JOBS:-2}
[[ ${#runs[@]} != 1 ]] || jobs=1
((jobs == 1)) || order_runs
run_files
finish

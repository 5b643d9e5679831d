#!/bin/bash
# Finds which planted faults the tests see: scripts/mutate.sh kernel|tool
#
# tests/mutate/plant.py plants faults by rule in a copy of the project, at least one in each long
# function of the tracer and of ksymwatch, and tests/mutate/named.patch has some that were made by
# hand. The copy is built once with all of them; a number on the kernel's command line or in the
# environment turns one on. Then the tests run:
#
#   1. with each fault: for the kernel the KUnit suites of its file and twenty test cases of
#      ftracetest, for ksymwatch three test files. Those that have seen most faults of this file come
#      first, then those of its folder, or test cases that come to few places, then quick test files, and
#      it stops at the first that fails;
#   2. with the survivors, all test cases and test files, first with groups of GROUP faults (12 for the
#      kernel, 8 for ksymwatch, but at most 4 for the test cases). If a test fails with a group, its
#      halves are tried;
#   3. with those that are left in the kernel, the first step once more on the debug kernel, which is
#      built only then: its checkers see leaks, wrong locks and writes behind an object, and the tracer
#      tests itself at boot.
#
# A test that fails without a fault is left out, and so is one that did not come to the place of the
# fault. Of a machine that ends in another way than usual this is not known, so its test is run. A fault
# with a reason why it can't be seen gets the first step only.
#
# tests/mutate/results has a line for each fault, with tabs between: its key, "seen" or "survived", its
# file and function, and the test that saw it or those that did not. A later run continues there: it
# tries functions that changed, and with AGAIN=1 those faults that survived without a reason.
# tests/mutate/reasons has a key, a tab and the reason, for those that can't be seen; it begins with
# "the same" if the fault changes nothing that anybody may rely on. The last lines name the survivors
# and count all. What a machine said that panicked, hung or had a splat is in build/log/mutate.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/commits.sh
. "$(dirname "${BASH_SOURCE[0]}")/commits.sh"
# shellcheck source=scripts/faults.sh
. "$(dirname "${BASH_SOURCE[0]}")/faults.sh"
KSYM_NAME=mutate

part=${1:-}
copy=$KSYM_BUILD/mutate
list=$copy.list
logs=$KSYM_LOGS/mutate
# Patched files that are mostly ours.
patched=(arch/x86/kernel/hw_breakpoint.c kernel/events/hw_breakpoint.c)
files=$(files_of_part "$part")
# Left out are the test files that need another kernel besides. "ftracetest" has the test cases of
# vm-ftracetest.
case $part in
kernel)
	group=12
	others=(ftracetest vm-torn vm-kunit vm-programs vm-boot vm-breakpoints vm-arbitration vm-hotplug vm-modules vm-security
		vm-contexts vm-crash vm-persistent vm-budget vm-coverage vm-inject vm-torture vm-fuzz vm-hot
		vm-tracers kexec lockup ksymwatch)
	;;
tool)
	group=8
	others=(stock:{lockdown,perf} ksymwatch:targets ksymwatch-screen ksymwatch-cli ksymwatch:{live,save}
		ksymwatch-types stock:newest ksymwatch-output ksymwatch:{objects,record} ksymwatch-tasks stock:6.{12,1})
	;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the files that get faults.
faulty_files() {
	overlay_files | grep -E '^(arch/x86/kernel/ksym|kernel/|tools/ksymwatch/).*\.[ch]$' |
		grep -vE '(_test(_events)?|_cases|_run|_errors|\.bpf)\.[ch]$|/spec/include/'
	printf '%s\n' "${patched[@]}"
}

# Makes the copy, with the faults, and their list. Results of faults that are no more are removed.
plant() {
	local repo=$work/repo new=$work/copy
	local -a chosen overlay
	mapfile -t chosen < <(faulty_files)
	mapfile -t overlay < <(overlay_files)
	make_commits "$repo"
	patch -s -p1 -F0 -d "$repo" --no-backup-if-mismatch <"$KSYM_ROOT/tests/mutate/named.patch"
	python3 "$KSYM_ROOT/tests/mutate/plant.py" "${SEED:-1}" "$repo" kernel/events/hw_breakpoint_rules.c \
		tools/ksymwatch/lib/util.c -- "${chosen[@]}" >"$work/list"
	mkdir -p "$new"
	project_files | (cd "$KSYM_ROOT" && xargs -d '\n' cp -a --parents -t "$new")
	# The results change with each run, and none of the tests that run here asks for these.
	rm -r "$new/tests/mutate" "$new/scripts/mutate.sh"
	(cd "$repo" && cp --parents "${overlay[@]}" "$new")
	git -C "$repo" diff -- . "${overlay[@]/#/:!}" >"$new/patches/9999-faults.patch"
	echo 9999-faults.patch >>"$new/patches/series"
	# There are faults in those checks, too, and where an allocation fails.
	grep -E '^CONFIG_(DEBUG_HW_BREAKPOINT|FAULT_INJECTION.*|FAIL.*)=' "$KSYM_ROOT/scripts/debug.config" >>"$new/Kconfig.fragment"
	# Before other words, which the kernel may act on as it reads them.
	# shellcheck disable=SC2016  # the copy expands it
	sed -i 's/\${VM_APPEND:-}/KSYM_MUTANTS=${KSYM_MUTANTS:-} KSYM_REACHED=\/reached &/' "$new/scripts/vm.sh"
	sed -i -e 's/^ip link.*/truncate -s 4096 \/reached; chmod 666 \/reached\n&/' \
		-e "/^echo \"\\\$status/e cat $KSYM_ROOT/tests/mutate/end.sh" "$new/scripts/guest/init"
	git init -q "$new"
	rsync -a --checksum --delete --exclude /build "$new/" "$copy/"
	mv "$work/list" "$list"
	awk -F '\t' 'FILENAME == ARGV[1] { listed[$2] = 1; next } $1 in listed' "$list" "$results" >"$work/results"
	cp "$work/results" "$results"
}

# Print the field $2 of the fault $1, a number, in the list, and the tests of its result.
field_of() { awk -F '\t' -v number="$1" -v field="$2" '$1 == number { print $field }' "$list"; }
tests_of() { awk -F '\t' -v key="$(field_of "$1" 2)" '$1 == key { print $5 }' "$results"; }

# Prints the numbers of the faults of this part that have no result or, with the test $1, of those
# without a reason that it has not been tried with.
open_faults() {
	awk -F '\t' -v files="$files" -v test="${1:-}" '
		FILENAME == ARGV[1] { state[$1] = $2; tests[$1] = " " $5 " "; reason[$1] = $6; next }
		$3 !~ files || test && reason[$2] != "" { next }
		test ? state[$2] == "survived" && !index(tests[$2], " " test " ") : !($2 in state) { print $1 }
		' <(results_of "$part") "$list"
}

# Records the result $2 of the fault $1, by the tests $3.
record() {
	local key line
	key=$(field_of "$1" 2)
	[[ -n $key ]] || die "there is no fault $1"
	line=$(printf '%s\t%s\t%s\t%s\t%s' "$key" "$2" "$(field_of "$1" 3)" "$(field_of "$1" 4)" "$3")
	(
		flock 6
		{ grep -v "^$key" "$results" || true; printf '%s\n' "$line"; } |
			LC_ALL=C sort -t $'\t' -k 3,4 -k 1,1 >"$work/results"
		cp "$work/results" "$results"
	) 6>"$copy.lock"
	say "$1, $(open_faults "${4:-}" | wc -l) left: $line"
}

# Prints the tests "$2…", those first that have seen most faults of the file, or the folder, $1.
by_success() {
	local file=$1
	shift
	awk -F '\t' -v file="$file" '
		FILENAME == ARGV[1] { seen[$5] += $2 == "seen" && index($3, file) == 1; next }
		{ print seen[$1] + 0, $1 }' "$results" <(printf '%s\n' "$@") | sort -s -k 1,1nr | cut -d' ' -f2
}

# Prints the KUnit suites for the file $1: its own or, together, those of the tracer or of perf.
suites_of() {
	case $(basename "$1") in
	ksym_parse.*) echo ksym_parse ;;
	ksym_btf.*) echo ksym_btf ;;
	ksym_access.c) echo ksym_access ;;
	hw_breakpoint*) echo 'hw_breakpoint*' ;;
	*) echo ksym ;;
	esac
}

# Runs a machine with the faults $1, the KUnit suites $2 and the test cases "$3…". Succeeds if they
# see a fault, and sets "seen_by". QEMU 7.2 crashes now and then, and a busy host may take all
# the time that a machine has.
machine_sees() {
	local faults=$1 suites=$2 out=$work/out status tries seconds=$((60 + 12 * ($# - 2))) cpus=4
	shift 2
	! has_checkers || seconds=$((10 * seconds))
	# The startup tests of the tracers take minutes, and more with more CPUs.
	[[ -z ${startup:-} ]] || cpus=2 seconds=$((2 * seconds))
	for tries in 1 2 3; do
		status=0 seen_by=
		rm -rf "$work/logs"
		KSYM_MUTANTS=$faults VM_APPEND="kunit.enable=1 kunit.filter_glob=$suites ${startup:-}" VM_CPUS=$cpus \
			VM_ACCEL=tcg,thread=single VM_TIMEOUT=$seconds VM_LOGS=$work/logs \
			VM_EXTRA="$KSYM_ROOT/tests/mutate/guest.sh:/ksym/mutate.sh" CMD="bash /ksym/mutate.sh $*" \
			"$copy/scripts/vm.sh" >"$out" 2>&1 || status=$?
		case $status:$(tail -n 1 "$out") in
		0:'all passed')
			"$KSYM_ROOT/scripts/splats.sh" "$work"/logs/*.log >/dev/null || seen_by=splat
			break
			;;
		*:'seen: '*)
			seen_by=$(sed -n '$s/^seen: //p' "$out")
			return
			;;
		esac
		case $status in
		124) seen_by='time limit' ;;
		125) seen_by=panic ;;
		126) ! grep -q 'ended without a status' "$out" || seen_by=reset ;;
		esac
		# A second machine has to hang, too.
		[[ -z $seen_by || $status == 124 && $tries == 1 ]] || break
	done
	[[ $status == 0 || -n $seen_by ]] || { cat "$out" >&2; die "the machine did not run the tests"; }
	[[ -n $seen_by ]] || return 1
	mkdir -p "$logs"
	rm -rf "${logs:?}/$faults"
	mv "$work/logs" "$logs/$faults"
	cp "$out" "$logs/$faults/output"
}

# Counts the results in the file $1 in "passed", "failed" and "skipped".
count_results() {
	local line
	passed=0 failed=0 skipped=0
	while IFS= read -r line; do
		[[ $line =~ ^\ *(ok|not\ ok)(\ .*)?$ ]] || continue
		count_result "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
	done <"$1"
}

# Runs the test $1 with the faults $2 until it fails: a test file, or FILE:ARGUMENT. Succeeds if it
# does, if it takes longer than $3 seconds, or if less than $4 results passed. Sets "passed".
file_fails() {
	local faults=$2 limit=$3 wanted=$4 out=$work/out leader status=0 failed skipped
	local -a test
	IFS=: read -ra test <<<"$1"
	: >"$out"
	head -c 4096 /dev/zero >"$work/reached"
	rm -rf "$work/logs"
	mkdir "$work/logs"
	# A loop that prints ends, too.
	(
		ulimit -f 4000000
		KSYM_MUTANTS=$faults KSYM_REACHED=$work/reached VM_LOGS=$work/logs exec setsid timeout -k 5 "$limit" \
			"$copy/tests/${test[0]}.sh" "${test[@]:1}" </dev/null >"$out" 2>&1
	) &
	leader=$!
	while kill -0 "$leader" 2>/dev/null; do
		count_results "$out"
		if ((failed)); then
			kill -- "-$leader" 2>/dev/null || true
			wait "$leader" || true
			return 0
		fi
		sleep 1
	done
	wait "$leader" || status=$?
	count_results "$out"
	((status || failed || passed < wanted)) || ! "$KSYM_ROOT/scripts/splats.sh" "$work"/logs/*.log >/dev/null
}

# The same, with the limits of $copy.good. If QEMU has crashed, the file is run once more.
file_sees() {
	local limit wanted
	read -r _ limit wanted _ < <(grep "^$1 " "$copy.good")
	file_fails "$1" "$2" "$limit" "$wanted" || return 1
	! grep -q "$qemu_crash" "$work/out" || file_fails "$1" "$2" "$limit" "$wanted"
}

# Prints the numbers of the places that the test which ran last has come to, each with a comma behind
# it, and one before the first, or "*" if it is not known for one of its machines. A test file that
# keeps the logs of its machines to itself leaves none here.
places() {
	local log
	local -a logs
	mapfile -t logs < <(find "$work/logs" -type f -name 'vm-*.log')
	[[ $part == tool ]] || ((${#logs[@]})) || { echo '*'; return; }
	for log in "${logs[@]}"; do
		grep -q 'ksym_reached: all' "$log" || { echo '*'; return; }
	done
	{
		od -An -v -tu1 -w1 "$work/reached" | awk '$1 { print NR - 1 }'
		((${#logs[@]} == 0)) || sed -nE 's/.*ksym_reached: ([0-9]+).*/\1/p' "${logs[@]}"
	} | sort -nu | awk 'BEGIN { printf "," } { printf "%d,", $1 }'
}

# Succeeds if the test $1 may come to the place of the fault $2.
reaches() {
	local numbers
	if [[ $1 == ftracetest ]]; then
		[[ -n $(cases_of "$2") ]]
	else
		numbers=$(awk -v test="$1" '$1 == test { print $NF }' "$copy.good")
		[[ $numbers == '*' || $numbers == *,$2,* ]]
	fi
}

# Succeeds if the test $1 passes without a fault. $copy.good has how long it may take with one,
# how many results it has, and its places.
is_good() {
	local began=$SECONDS passed
	! grep -q "^$1 " "$copy.good" || return 0
	if file_fails "$1" 0 7200 1; then
		say "$1 fails without a fault, and is left out:"
		tail -n 5 "$work/out" >&2
		return 1
	fi
	echo "$1 $((4 * (SECONDS - began) + 60)) $passed $(places)" >>"$copy.good"
}

# Succeeds if the test $1 sees one of the faults $2.
sees() {
	seen_by=$1
	if [[ $1 == ftracetest ]]; then
		# shellcheck disable=SC2046  # a word is a test case
		machine_sees "$2" none $(cases_of "$2")
	else
		file_sees "$1" "$2"
	fi
}

# Tries the fault $1 of the kernel with KUnit and test cases. Succeeds if they see it, and sets "seen_by".
kernel_sees() {
	local file
	local -a cases
	file=$(field_of "$1" 3)
	# shellcheck disable=SC2046  # a word is a test case
	mapfile -t cases < <(by_success "$file" $(cases_of "$1") | head -n 20)
	# KUnit alone, since one that hangs would use the time of the test cases, twice.
	machine_sees "$1" "$(suites_of "$file")" ||
		{ ((${#cases[@]})) && machine_sees "$1" none "${cases[@]}"; }
}

# Tries the fault $1 with the tests of the first step.
try_alone() {
	local file test
	local -a tests tried=()
	if [[ $part == kernel ]]; then
		tried=(kunit)
		if kernel_sees "$1"; then
			record "$1" seen "$seen_by"
			return
		fi
	else
		file=$(field_of "$1" 3)
		# Those that fail without a fault are not in there.
		mapfile -t tests < <(sort -n -k 2,2 "$copy.good" | cut -d' ' -f1)
		mapfile -t tests < <(by_success "${file%/*}/" "${tests[@]}")
		for test in $(by_success "$file" "${tests[@]}"); do
			reaches "$test" "$1" || continue
			tried+=("$test")
			if file_sees "$test" "$1"; then
				record "$1" seen "$test"
				return
			fi
			((${#tried[@]} < 3)) || break
		done
	fi
	record "$1" survived "${tried[*]}"
}

# Tries the fault $1 on the debug kernel. If no test case comes to its place, the startup tests may.
try_checked() {
	local startup=
	export VM_FLAVOUR=debug
	[[ -n $(cases_of "$1") ]] || startup=ftrace=none
	if kernel_sees "$1"; then
		record "$1" seen "debug: $seen_by" debug
	else
		record "$1" survived "$(tests_of "$1") debug" debug
	fi
}

# Tries the survivors on the debug kernel, unless it fails without a fault.
check_survivors() {
	local -a open cases
	mapfile -t open < <(open_faults debug)
	((${#open[@]})) || return 0
	"$copy/scripts/kernel.sh" debug
	# shellcheck disable=SC2046  # a word is a test case
	mapfile -t cases < <(for fault in "${open[@]}"; do cases_of "$fault"; done | sort -u)
	! VM_FLAVOUR=debug machine_sees 0 '*' "${cases[@]}" || die "the debug kernel, without a fault: $seen_by"
	run_each checked "${open[@]}"
}

# Tries the test file $1 with the faults "$2…" together.
try_group() {
	local test=$1 fault
	shift
	if ! sees "$test" "$(IFS=,; echo "$*")"; then
		for fault; do record "$fault" survived "$(tests_of "$fault") $test" "$test"; done
	elif (($# == 1)); then
		record "$1" seen "$seen_by" "$test"
	else
		try_group "$test" "${@:1:$# / 2}"
		try_group "$test" "${@:$# / 2 + 1}"
	fi
}

# Tries the test $1 with the faults that it has not been tried with. A group has faults from
# different files, which hide each other less.
try_test() {
	local test=$1 size=${GROUP:-$group} i j step fault
	local -a open faults=()
	mapfile -t open < <(open_faults "$test")
	for fault in "${open[@]}"; do ! reaches "$test" "$fault" || faults+=("$fault"); done
	[[ $test != ftracetest ]] || ((size <= 4)) || size=4
	step=$(((${#faults[@]} + size - 1) / size))
	for ((i = 0; i < step; i++)); do
		printf '%s' "$test"
		for ((j = i; j < ${#faults[@]}; j += step)); do printf ' %s' "${faults[j]}"; done
		echo
	done | xargs -r -P "${JOBS:-2}" -L 1 "$0" "$part" group
}

# Runs the process $1 with each of "$2…".
run_each() {
	local process=$1
	shift
	(($# == 0)) || printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -n 1 "$0" "$part" "$process"
}

# Finds the test cases of ftracetest that pass without a fault. $copy.cases has each with its
# places, and those of the boot.
find_cases() {
	local cases
	[[ ! -s $copy.cases ]] || return 0
	! machine_sees 0 '*' || die "without a fault: $seen_by"
	# After a suspend, 7.3 does not print through the port of the machine any more. vm-budget and
	# vm-torn run their cases.
	cases=$(cd "$copy/tools/testing/selftests/ksym/test.d" && printf '%s\n' *.tc | sed 's/\.tc$//' | grep -vx 'budget\|suspend\|torn')
	# shellcheck disable=SC2086  # a word is a test case
	while machine_sees 0 none $cases; do
		[[ $'\n'$cases$'\n' == *$'\n'$seen_by$'\n'* ]] || die "without a fault: $seen_by"
		say "$seen_by fails without a fault, and is left out:"
		tail -n 20 "$work/out" >&2
		cases=$(grep -vxF -- "$seen_by" <<<"$cases")
	done
	sed -n 's/^reached //p' "$work/out" >"$copy.cases"
}

# Prints the test cases that come to the place of one of the faults $1, those first that come to few
# other places.
cases_of() {
	awk -v faults="$1" '
		{
			has = 0
			for (i = split(faults, places, ","); i > 0; i--) has = has || index($2, "," places[i] ",")
		}
		$1 == "boot" { all = has; next }
		all || has { print length($2), $1 }' "$copy.cases" | sort -n | cut -d' ' -f2
}

# Prints the survivors of this part, with their reasons.
print_survivors() {
	results_of "$part" | awk -F '\t' '
		$2 == "survived" { print $3 ": " $4 "(): " ($6 != "" ? $6 : $5 != "" ? "not seen by " $5 : "no test comes to it") }'
}

# The other processes of the steps.
if [[ ${2:-} == alone ]]; then
	try_alone "$3"
	exit
elif [[ ${2:-} == checked ]]; then
	try_checked "$3"
	exit
elif [[ ${2:-} == group ]]; then
	try_group "${@:3}"
	exit
elif [[ ${2:-} == good ]]; then
	[[ $3 == ftracetest || -z $(open_faults)$(open_faults "$3") ]] || is_good "$3" || true
	exit
fi
mkdir -p "$KSYM_BUILD"
exec 5>"$copy.running"
flock -n 5 || die 'make mutate is running already'
plant
# What passed without a fault may do so no more when anything has changed.
state=$(cd "$copy" && git ls-files -co --exclude-standard | xargs -d '\n' sha256sum | sha256sum)
if [[ ! -f $copy.state || $(<"$copy.state") != "$state" ]]; then
	: >"$copy.cases"
	: >"$copy.good"
	echo "$state" >"$copy.state"
fi
export KSYM_MUTANTS=0
"$copy/scripts/kernel.sh" ksym
"$copy/scripts/tools.sh"
if [[ $part == kernel ]]; then
	find_cases
else
	run_each good "${others[@]}"
fi
if [[ -n ${AGAIN:-} ]]; then
	results_of "$part" | awk -F '\t' '$2 == "survived" && $6 == ""' | cut -f 1-5 >"$work/again"
	grep -vxFf "$work/again" "$results" >"$work/results" || true
	cp "$work/results" "$results"
fi
mapfile -t open < <(open_faults)
run_each alone "${open[@]}"
[[ $part != kernel ]] || run_each good "${others[@]}"
for test in "${others[@]}"; do try_test "$test"; done
[[ $part != kernel ]] || check_survivors
print_survivors
sums_of_faults "$part"

#!/bin/bash
# Tests the fixes of mainline in patches/fixes, and those that 6.12 has besides, as backports: their
# selftests pass on our kernel, and each fails on Debian's untouched one. Other tests of fixes are in
# vm-debugregs (they need a module), vm-kunit, vm-inject and kexec. The fix of KVM has no test.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

ours=${VM_FLAVOUR:-ksym}
[[ $ours != pristine ]] || ours=ksym
selftests=$KSYM_BUILD/linux-ksym/tools/testing/selftests

# The names of the tests in selftests/.
tests_of_fixes=(
	perf_events/breakpoint_{refused,fork_unpriv,switch,modify_fork}
	perf_events/group_{of_pmus,leader_closed}
	ftrace/test.d/dynevent/{remove_cpu_offline,eprobe_instances}.tc
	ftrace/test.d/trigger/trigger-snapshot-nmi.tc
	ftrace/test.d/event/event-enable-fails.tc
	ftrace/test.d/kprobe/kprobe_args_{fault,symstr,user_kthread}.tc
)
[[ $KSYM_BASE == 6.12 ]] || tests_of_fixes+=(ftrace/test.d/trigger/trigger-hist-common-cpu.tc)
if [[ $ours == debug ]]; then
	skip kgdb_hw_breakpoint_test.sh "lockdep reports kgdb's software breakpoints"
else
	tests_of_fixes+=(breakpoints/kgdb_hw_breakpoint_test.sh)
fi
# It switches the function profiler. With a thread per CPU, QEMU may then execute an old translation
# of the code (CONTRIBUTING.md), but others of these tests need the threads for their races.
profiler=ftrace/test.d/ftrace/func_profile_readers.tc
# These crash an untouched kernel, so each has its own machine. An oops is in the given function.
declare -A oopses=([ftrace/test.d/trigger/inter-event/trigger-snapshot-plain-hist.tc]=cond_snapshot_update)
# A backport mends it.
[[ $KSYM_BASE != 6.12 ]] || oopses[ftrace/test.d/dynevent/add_remove_tprobe_module.tc]=trace_fprobe_release
hang=ftrace/test.d/event/tp_printk_nmi.tc

# Prints a script that runs the tests "$2…" in the folder $1 of the machine and prints the
# name and the result of each. The events of system calls are hidden, since ftracetest
# resets all events between test cases, and most are those.
run_in() {
	local folder=$1
	shift
	# shellcheck disable=SC2016  # the machine's shell reads it
	printf 'folder=%q; set -- %s\n%s\n' "$folder" "$*" '
mkdir /tmp/none
mount --bind /tmp/none /sys/kernel/tracing/events/syscalls
for test; do
	case $test in
	*.tc) (cd /selftests/ftrace && ./ftracetest -K -v "$folder/$test") ;;
	*) "$folder/$test" ;;
	esac >/tmp/said 2>&1
	# The text of an event may contain anything.
	tr -d "\000" </tmp/said | sed "s/^/# /"
	if grep -q "^not ok" /tmp/said; then
		echo "$test: failed"
	elif grep "^ok" /tmp/said | grep -qv "# SKIP"; then
		echo "$test: passed"
	else
		echo "$test: nothing"
	fi
done'
}

# Reports for each of the tests "$4…" whether $3, the output of a machine, has "TEST: $1". $2
# is put before its name.
results() {
	local wanted=$1 prefix=$2 output=$3 test
	shift 3
	for test; do
		if grep -qx "$test: $wanted" <<<"$output"; then
			ok "$prefix$test $wanted"
		else
			not_ok "$prefix$test $wanted" "$(tail -n 60 <<<"$output")"
		fi
	done
}

# Runs the given tests on our kernel.
pass() {
	local result
	result=$(CMD=$(run_in /selftests "$@") VM_FLAVOUR=$ours "$KSYM_ROOT/scripts/vm.sh" 2>&1) || true
	results passed '' "$result" "$@"
}

# Runs the given tests, which fail, on the pristine kernel.
fail_on_pristine() {
	local result
	result=$(CMD=$(run_in /mnt "$@") "$KSYM_ROOT/scripts/vm.sh" 2>&1) || true
	results failed 'on the pristine kernel, ' "$result" "$@"
}

# Prints how many tasks are ready to run on the kernel $1.
count_tasks() {
	VM_FLAVOUR=$1 VM_CPUS=2 VM_EXTRA="$KSYM_ROOT/tests/dl_server.guest.sh:/mnt/count" \
		CMD='taskset -c 0 bash /mnt/count' "$KSYM_ROOT/scripts/vm.sh" 2>&1 | tail -n 1 || true
}

pass "${tests_of_fixes[@]}" "${!oopses[@]}"
VM_ACCEL=$one_thread pass "$profiler"
VM_APPEND=tp_printk pass "$hang"
is 'a deadline server is not a task' "$(count_tasks "$ours")" '3 tasks are ready to run'
[[ $ours != debug ]] || finish

check 'the pristine kernel' "$KSYM_ROOT/scripts/kernel.sh" pristine
# The log has warnings of that kernel, so the runner must not search it.
export VM_FLAVOUR=pristine VM_LOGS=$scratch VM_EXTRA=
for test in "${tests_of_fixes[@]}" "$profiler" "${!oopses[@]}" "$hang"; do
	file=$KSYM_BUILD/root/selftests-ksym/$test
	[[ -x $file ]] || file=$selftests/$test
	VM_EXTRA+=" $file:/mnt/$test"
done
VM_EXTRA+=" $selftests/kselftest/ktap_helpers.sh:/mnt/kselftest/ktap_helpers.sh"

[[ $KSYM_BASE != 6.12 ]] || is 'on the pristine kernel, it is one' "$(count_tasks pristine)" '4 tasks are ready to run'
fail_on_pristine "${tests_of_fixes[@]}"
VM_ACCEL=$one_thread fail_on_pristine "$profiler"
for test in "${!oopses[@]}"; do
	result=$(CMD=$(run_in /mnt "$test") VM_APPEND='oops=panic' "$KSYM_ROOT/scripts/vm.sh" 2>&1) || true
	contains "on the pristine kernel, $test oopses" "$result" "RIP: 0010:${oopses[$test]}"
done
# A run that does not hang takes a few seconds.
result=$(CMD=$(run_in /mnt "$hang") VM_APPEND=tp_printk VM_TIMEOUT=45 "$KSYM_ROOT/scripts/vm.sh" 2>&1) || true
contains "on the pristine kernel, $hang hangs" "$result" 'vm: time limit'
finish

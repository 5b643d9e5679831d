#!/bin/bash
# Runs the test cases of tools/testing/selftests/ksym with the tree's ftracetest: in the
# top instance, and those that support it in a separate instance. vm-budget runs budget.tc,
# and vm-torn torn.tc.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/ftracetest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ftracetest.sh"

# Runs "$1" in the machine, with its remaining arguments as environment.
#
# ftracetest resets all events between test cases. Most events are those of system calls,
# which no test case uses, so they are hidden in the top instance.
in_machine() {
	env "${@:2}" CMD="mkdir /tmp/none
mount --bind /tmp/none /sys/kernel/tracing/events/syscalls
cd /selftests/ksym
$1" "$KSYM_ROOT/scripts/vm.sh"
}

cut=(budget torn)
if has_checkers; then
	# A case takes a minute, and all would take more than an hour. These are the cases in which
	# watches, modules, tasks and CPUs come and go.
	kept=(busy changed context forgotten hotplug_rounds inherit module_moves module_pending module_rounds percpu
		read_watch removals share snapshot task transaction trigger_objects triggers ustack window)
	slow=()
	for file in "$KSYM_ROOT"/tools/testing/selftests/ksym/test.d/*.tc; do
		name=$(basename "$file" .tc)
		[[ " ${kept[*]} ${cut[*]} " == *" $name "* ]] || slow+=("$name")
	done
	skip "the cases ${slow[*]}" 'they take too long on a kernel with checkers'
	cut+=("${slow[@]}")
elif [[ $KSYM_BASE != 6.12 ]]; then
	# After a suspend, the port through which the machine prints is dead. So that case has a
	# machine of its own, and its result comes from the console.
	logs=$scratch/logs
	in_machine '../ftrace/ftracetest -K test.d/suspend.tc >/tmp/out 2>&1
cat /tmp/out >/dev/kmsg
poweroff -f' VM_LOGS="$logs" >/dev/null 2>&1 || true
	sed -nE 's/^\[[^]]*\] ((not )?ok 1 .*)/\1/p' "$logs/vm-last.log" | grep . || not_ok 'suspend runs'
	cut+=(suspend)
fi

in_machine "rm $(printf 'test.d/%s.tc ' "${cut[@]}")
./ksym-ftracetest.sh && exit
$ftracetest_logs" VM_TIMEOUT="${VM_TIMEOUT:-1200}" VM_ACCEL="$one_thread" || failures=1
exit $((failures != 0))

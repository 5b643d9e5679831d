#!/bin/bash
# Runs the test cases of tools/testing/selftests/ksym with the tree's ftracetest: in the
# top instance, and those that support it in a separate instance.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

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

# On 7.3, the port through which the machine prints is dead after a suspend. So that case has
# a machine of its own, and its result comes from the console.
before=
if [[ $KSYM_BASE != 6.12 ]]; then
	before='rm test.d/suspend.tc'
	logs=$scratch/logs
	in_machine '../ftrace/ftracetest -K test.d/suspend.tc >/tmp/out 2>&1
cat /tmp/out >/dev/kmsg
poweroff -f' VM_LOGS="$logs" >/dev/null 2>&1 || true
	sed -nE 's/^\[[^]]*\] ((not )?ok 1 .*)/\1/p' "$logs/vm-last.log" | grep . || not_ok 'suspend runs'
fi

# KTAP has only the result, so the log of a failed test case is printed.
# shellcheck disable=SC2016  # the machine's shell reads it
in_machine "$before
"'./ksym-ftracetest.sh && exit
cd /selftests/ftrace/logs
for log in */*-log.*; do
	if [ -s "$log" ]; then
		echo "# $log"
		# What ftracetest resets after a test case would be all that is left.
		grep -v "reset_trigger\|+ read line\|+ grep -H" "$log" |
			tail -n 40 | cut -c1-160 | sed "s/^/#   /"
	fi
done
exit 1' VM_TIMEOUT="${VM_TIMEOUT:-1200}"

#!/bin/bash
# Runs the test cases of tools/testing/selftests/ksym with the tree's ftracetest, in
# the top instance and, those that can, in an instance of their own.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# Between two test cases ftracetest resets each event there is. No test case touches those
# of the system calls, which are most of them: in the top instance they are hidden.
#
# KTAP says only whether; what a test case did is wanted where it failed.
# shellcheck disable=SC2016  # the machine's shell reads it
CMD='mkdir /tmp/none
mount --bind /tmp/none /sys/kernel/tracing/events/syscalls
cd /selftests/ksym
./ksym-ftracetest.sh && exit
cd /selftests/ftrace/logs
for log in */*-log.*; do
	if [ -s "$log" ]; then
		echo "# $log"
		# What ftracetest resets after a test case would be all that is left.
		grep -v "reset_trigger\|+ read line\|+ grep -H" "$log" |
			tail -n 40 | cut -c1-160 | sed "s/^/#   /"
	fi
done
exit 1' VM_TIMEOUT=${VM_TIMEOUT:-1200} "$KSYM_ROOT/scripts/vm.sh"

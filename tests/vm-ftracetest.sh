#!/bin/bash
# Runs the test cases of tools/testing/selftests/ksym with the tree's ftracetest: in the
# top instance, and those that support it in a separate instance.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# ftracetest resets all events between test cases. Most events are those of system calls,
# which no test case uses, so they are hidden in the top instance.
#
# KTAP has only the result, so the log of a failed test case is printed.
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

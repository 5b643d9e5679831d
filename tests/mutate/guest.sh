#!/bin/bash
# Runs in the machine whose kernel has a fault: looks whether KUnit, which ran at boot, has seen
# it, and then runs the test cases of ftracetest "$@" until one fails. The last line is "seen: WHAT"
# or "all passed".
cd /selftests/ksym || exit
mkdir /tmp/none
mount --bind /tmp/none /sys/kernel/tracing/events/syscalls
dmesg >/tmp/dmesg
suite=$(sed -nE 's/^\[[^]]*\] *not ok [0-9]+ ([a-z_0-9]+).*/\1/p' /tmp/dmesg | tail -n 1)
[[ -z $suite ]] || { echo "seen: kunit $suite"; exit 1; }
for case; do
	echo "# $case"
	timeout 600 ../ftrace/ftracetest -K "test.d/$case.tc" >/tmp/out 2>&1 || { echo "seen: $case"; exit 1; }
done
echo "all passed"

#!/bin/bash
# Runs in the machine whose kernel has a fault: looks whether KUnit, which ran at boot, has seen
# it, and then runs the test cases of ftracetest "$@" until one fails. The last line is "seen: WHAT"
# or "all passed". Without a fault, it also prints what the boot and each of them has come to.
cd /selftests/ksym || exit
mkdir /tmp/none
mount --bind /tmp/none /sys/kernel/tracing/events/syscalls
seconds=100
[ ! -e /sys/kernel/debug/kmemleak ] || seconds=1000
run() { timeout $seconds ../ftrace/ftracetest -l - "test.d/$1.tc" >/tmp/out 2>&1; }
# Prints "reached $1 N,N,…" and begins again.
reached() {
	local blob=/sys/kernel/debug/ksym_reached
	[[ $KSYM_MUTANTS == 0 ]] || return 0
	od -An -v -tu1 -w1 $blob | awk -v name="$1" 'BEGIN { printf "reached %s ,", name } $1 { printf "%d,", NR - 1 } END { print "" }'
	head -c 4096 /dev/zero >$blob
}
dmesg >/tmp/dmesg
suite=$(sed -nE 's/^\[[^]]*\] *not ok [0-9]+ ([a-z_0-9]+).*/\1/p' /tmp/dmesg | tail -n 1)
[[ -z $suite ]] || { echo "seen: kunit $suite"; exit 1; }
reached boot
for case; do
	echo "# $case"
	# A busy host can make a case fail, so it gets a second chance.
	run "$case" || { (($? != 124)) && run "$case"; } || {
		tail -n 20 /tmp/out | cut -c 1-200
		echo "seen: $case"
		exit 1
	}
	reached "$case"
done
echo "all passed"

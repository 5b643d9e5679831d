# shellcheck shell=bash disable=SC2034
# What the tests that run ftracetest share. It is sourced after tap.sh.

# Prints the logs of the failed test cases in the machine, and fails. KTAP has only the result.
# shellcheck disable=SC2016  # the machine's shell reads it
ftracetest_logs='cd /selftests/ftrace/logs
for log in */*-log.*; do
	if [ -s "$log" ]; then
		echo "# $log"
		# What ftracetest resets after a test case would be all that is left.
		grep -v "reset_trigger\|+ read line\|+ grep -H" "$log" |
			tail -n 40 | cut -c1-160 | sed "s/^/#   /"
	fi
done
exit 1'

# Runs the test case $1 of tools/testing/selftests/ksym in a machine of its own.
run_case() {
	CMD="cd /selftests/ksym
../ftrace/ftracetest -K test.d/$1.tc && exit
$ftracetest_logs" "$KSYM_ROOT/scripts/vm.sh"
}

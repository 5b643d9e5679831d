#!/bin/bash
# Tests the cost of our patches for users of perf_event_open(2): the benchmarks of perf on the
# pristine kernel, with the fixes only, and on ours, in instructions (see bench/run.sh).
# Each is run alone, and with a breakpoint of the CPU, which is flexible on ours.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
unset VM_FLAVOUR

# The minimum of several runs has no work left over from the boot. An operation of "thread"
# creates a thread that inherits all breakpoints; one of "enable" disables and enables a
# breakpoint.
# shellcheck disable=SC2016  # the guest's own variables
guest='
	least() {
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			perf bench -r "$1" breakpoint $2 | sed -n "s/^ *\([0-9.]*\) usecs.op$/\1/p"
		done | sort -g | head -n 1
	}
	run() {
		echo "thread-1 $1 $(least 200 "thread -b 1 -p 1 -t 1")"
		echo "thread-3 $1 $(least 200 "thread -b 3 -p 1 -t 4")"
		echo "enable-0 $1 $(least 200 "enable -p 0 -a 0")"
		echo "enable-1 $1 $(least 200 "enable -p 1 -a 0")"
	}
	run alone
	filter=/sys/kernel/tracing/ksym_trace_filter
	if [ -e $filter ]; then
		echo "panic_timeout:w len=4 flexible" >>$filter
	else
		address=$(sed -n "s/ . panic_timeout$//p" /proc/kallsyms)
		perf stat -C 0 -e "mem:0x$address/4:w" -- sleep 1000 >/dev/null 2>&1 &
		# The event is opened before the process is created.
		until pgrep -x sleep >/dev/null; do :; done
	fi
	run beside'

kernels=(pristine fixes ksym)
for flavour in "${kernels[@]}"; do
	check "the kernel of flavour $flavour" "$KSYM_ROOT/scripts/kernel.sh" "$flavour"
	VM_FLAVOUR=$flavour VM_CPUS=1 VM_ACCEL=tcg,thread=single VM_ICOUNT=0 VM_APPEND=nokaslr \
		CMD=$guest "$KSYM_ROOT/scripts/vm.sh" >"$scratch/$flavour" 2>"$scratch/errors" </dev/null || true
	is "$flavour: all was measured" "$(grep -cE '^[a-z]+-[013] (alone|beside) [0-9.]+$' "$scratch/$flavour")" 8
done

# Prints the instructions of one operation of the row $2 on the kernel $1.
cost() { awk -v row="$2" '$1 " " $2 == row { printf "%d", $3 * 1000 }' "$scratch/$1"; }

printf '# %-18s %10s %10s %10s\n' '' "${kernels[@]}"
for row in {thread-1,thread-3,enable-0,enable-1}' '{alone,beside}; do
	fixes=$(cost fixes "$row") ours=$(cost ksym "$row")
	printf '# %-18s %10s %10s %10s\n' "$row" "$(cost pristine "$row")" "$fixes" "$ours"
	percent=2
	[[ $row == *alone ]] || percent=5
	if ((ours > 0 && 100 * ours <= (100 + percent) * fixes)); then
		ok "$row: at most $percent % over the fixes"
	else
		not_ok "$row: at most $percent % over the fixes" "$ours are more than $((100 + percent)) % of $fixes"
	fi
done
finish

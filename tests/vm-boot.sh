#!/bin/bash
# Tests watches on the kernel's command line: the buffer has the early hits, and the log the
# errors (boot.guest.sh).
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

specs='jiffies_64:w name=early limit=0 count=5;nonsense_symbol;panic_timeout:w len=4'
specs+=';max_threads:x; schedule:w ;panic_on_oops size=4;ksym_mod:ksym_mod_var:w len=4 name=var;'
# The option may be repeated. Errors in fetch arguments are reported too.
# shellcheck disable=SC2016  # $comm is the tracer's
args='nr_threads:w name=bad  args x=$comm  @no_such_symbol;'
tests_folder=$KSYM_ROOT/tests
VM_APPEND="ksym_watch=\"$specs\" ksym_watch=total_forks:w ksym_watch=\"$args\"" CMD='bash /ksym/tests/boot.guest.sh' \
	VM_EXTRA="$KSYM_ROOT/scripts/lib.sh:/ksym/scripts/lib.sh $tests_folder/tap.sh:/ksym/tests/tap.sh
		$tests_folder/boot.guest.sh:/ksym/tests/boot.guest.sh" "$KSYM_ROOT/scripts/vm.sh" || failures=1

# The kernel boots without a watch, or with only wrong ones.
for specs in '' ';;' '(((' "$(printf 'x%.0s' {1..600})"; do
	said=$(VM_APPEND="ksym_watch=\"$specs\"" \
		CMD='cat /sys/kernel/tracing/ksym_trace_filter && echo booted' "$KSYM_ROOT/scripts/vm.sh") || true
	is "it boots with '${specs:0:3}'" "$said" booted
done

is 'tp_printk prints hits' "$(VM_APPEND=tp_printk CMD='echo "panic_timeout:w len=4" >>/sys/kernel/tracing/ksym_trace_filter
	echo 40001 >/proc/sys/kernel/panic
	echo 40002 >/proc/sys/kernel/panic
	dmesg | sed -n "s/.*panic_timeout: w4 .* \(0x.* -> 0x.*\) by .*/\1/p"' "$KSYM_ROOT/scripts/vm.sh")" \
	$'0xffffffff -> 0x9c41\n0x9c41 -> 0x9c42'

# Without a watch, the trace clock is the one that the kernel would choose without us.
is 'without ksym_watch= the clock becomes global, even with events in the buffer' \
	"$(VM_APPEND=trace_event=sched:sched_process_fork \
		CMD='grep -o "\[.*]" /sys/kernel/tracing/trace_clock' "$KSYM_ROOT/scripts/vm.sh")" '[global]'
finish

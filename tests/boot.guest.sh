#!/bin/bash
# Runs in the machine of vm-boot.sh, which was booted with watches on the kernel's
# command line.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
cd /sys/kernel/tracing
dmesg >"$scratch/dmesg"

# Prints the time of the first matching line of the log, in microseconds.
log_time() { sed -n "/$1/"'{s/^\[ *\([0-9]*\)\.\([0-9]*\)\].*/\1\2/p;q}' "$scratch/dmesg"; }

hits=$(grep -E ': early: ' trace || true)
is 'a watch of the command line recorded all of its hits' "$(grep -c . <<<"$hits")" 5
is 'its count is used up' "$(grep -c '^jiffies_64:w .*name=early.*# done$' ksym_trace_filter || true)" 1
is 'its hits have values and functions' \
	"$(grep -cE ': early: rw8 jiffies(_64)?\+0x0/[^ ]* 0x[0-9a-f]+ -> 0x[0-9a-f]+ by [a-z_0-9.]+\+0x' <<<"$hits" || true)" 5
last=$(tail -n 1 <<<"$hits" | sed -nE 's/.* ([0-9]+)\.([0-9]{6}): early: .*/\1\2/p')
init=$(log_time 'Run \/init as init process')
check 'all were recorded before the first process' test "${last:-$init}" -lt "$init"

# Without a stable clock, as here, the kernel changes the tracing clock after the boot and
# empties the buffer, unless the buffer has hits.
is 'the clock was not changed, which would have emptied the buffer' \
	"$(grep -o '\[.*]' trace_clock)" '[local]'
check 'which the log reports' grep -q 'Unstable clock detected, but not switched' "$scratch/dmesg"

# Wrong watches do not prevent the others.
is 'the valid watches exist' "$(sed 's/:.*//' ksym_trace_filter | sort | xargs)" \
	'jiffies_64 ksym_mod panic_timeout total_forks'
while read -r name symbol text; do
	is "the log says what is wrong with $name" "$(grep -c "ksym.*$symbol.*$text\|ksym.*$text.*$symbol" "$scratch/dmesg" || true)" 1
done <<-'END'
	nobody nonsense_symbol No.symbol.of.the.kernel
	access max_threads Access.must.be
	function schedule function
	option panic_on_oops option
	argument bad There.is.no.such.symbol
END
is 'with its place' "$(grep -c 'name=bad  .*: There is no such symbol (at "@no_such_symbol")' "$scratch/dmesg" || true)" 1

# From here on they behave like watches that were written to the file.
echo 40001 >/proc/sys/kernel/panic
is 'a watch without a hit yet hits later' "$(grep -c ': panic_timeout: .* -> 0x9c41 by ' trace || true)" 1
insmod /selftests/ksym/ksym_mod/ksym_mod.ko
is 'so does a watch that waited for its module' "$(grep -c ': var: .* 0x0 -> 0x1 by ' trace || true)" 1
rmmod ksym_mod
is 'it has one register on each CPU' "$(grep -v '^CPU' ksym_slots | grep -o ' panic_timeout' | wc -l)" "$(nproc)"
check 'they can be removed' sh -c 'echo "!panic_timeout" >>ksym_trace_filter && echo >ksym_trace_filter'
is 'and no watch is left' "$(<ksym_trace_filter)" ''
is 'and no register is in use' "$(awk 'NR > 1 { print $2, $3, $4, $5, $NF }' ksym_slots | sort -u)" '- - - - 4'

if zcat /proc/config.gz | grep -q '^CONFIG_FTRACE_STARTUP_TEST=y'; then
	is 'the startup tests of the tracers, which reset the buffer, were skipped' \
		"$(grep -c 'Testing tracer' "$scratch/dmesg" || true)" 0
	check 'which the log reports' grep -qi 'startup test is disabled.*ksym' "$scratch/dmesg"
fi
finish

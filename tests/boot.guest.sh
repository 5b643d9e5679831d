#!/bin/bash
# What runs inside the machine of 37-vm-boot.sh, which was booted with watches on the
# kernel's command line.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
cd /sys/kernel/tracing
dmesg >"$scratch/dmesg"

# The time of the first line of the log that matches, in microseconds.
log_time() { sed -n "/$1/"'{s/^\[ *\([0-9]*\)\.\([0-9]*\)\].*/\1\2/p;q}' "$scratch/dmesg"; }

hits=$(grep -E ': early: ' trace || true)
is 'a watch of the command line has had all of its hits' "$(grep -c . <<<"$hits")" 5
is 'it has no more to come' "$(grep -c '^jiffies_64:w .*name=early.*# done$' ksym_trace_filter || true)" 1
is 'its hits have values and functions' \
	"$(grep -cE ': early: rw8 jiffies(_64)?\+0x0/[^ ]* 0x[0-9a-f]+ -> 0x[0-9a-f]+ by [a-z_0-9.]+\+0x' <<<"$hits" || true)" 5
last=$(tail -n 1 <<<"$hits" | sed -nE 's/.* ([0-9]+)\.([0-9]{6}): early: .*/\1\2/p')
init=$(log_time 'Run \/init as init process')
check 'they were all before the first process' test "${last:-$init}" -lt "$init"

# Without a stable clock, as here, the kernel changes the tracing clock when it has
# booted, and empties the buffer for that; it does not where it has hits.
is 'the clock was not changed for one that would have lost them' \
	"$(grep -o '\[.*]' trace_clock)" '[local]'
check 'and the log says so' grep -q 'Unstable clock detected, keeping it' "$scratch/dmesg"

# Those that can't be have not kept the others from being.
is 'the watches are the good ones' "$(sed 's/:.*//' ksym_trace_filter | sort | xargs)" \
	'jiffies_64 ksym_mod pid_max total_forks'
while read -r name symbol text; do
	is "the log says what is wrong with $name" "$(grep -c "ksym.*$symbol.*$text\|ksym.*$text.*$symbol" "$scratch/dmesg" || true)" 1
done <<-'END'
	nobody nonsense_symbol No.symbol.of.the.kernel
	access max_threads Access.must.be
	function schedule function
	option panic_timeout option
	argument bad There.is.no.such.symbol
END
is 'and where' "$(grep -c 'name=bad  .*: There is no such symbol (at "@no_such_symbol")' "$scratch/dmesg" || true)" 1

# The rest is as if they had been written to the file.
echo 40001 >/proc/sys/kernel/pid_max
is 'a watch that nothing touched yet hits later' "$(grep -c ': pid_max: .* -> 0x9c41 by ' trace || true)" 1
insmod /selftests/ksym/ksym_mod/ksym_mod.ko
is 'a watch that waited for its module as well' "$(grep -c ': var: .* 0x0 -> 0x1 by ' trace || true)" 1
rmmod ksym_mod
is 'it has one register on each CPU' "$(grep -v '^CPU' ksym_slots | grep -o ' pid_max' | wc -l)" "$(nproc)"
check 'they are removed like any other' sh -c 'echo "!pid_max" >>ksym_trace_filter && echo >ksym_trace_filter'
is 'and nothing is left' "$(<ksym_trace_filter)" ''
is 'nor in a register' "$(awk 'NR > 1 { print $2, $3, $4, $5, $NF }' ksym_slots | sort -u)" '- - - - 4'

if zcat /proc/config.gz | grep -q '^CONFIG_FTRACE_STARTUP_TEST=y'; then
	is 'the startup tests of the tracers, which reset the buffer, were skipped' \
		"$(grep -c 'Testing tracer' "$scratch/dmesg" || true)" 0
	check 'and the log says so' grep -qi 'startup test is disabled.*ksym' "$scratch/dmesg"
fi
finish

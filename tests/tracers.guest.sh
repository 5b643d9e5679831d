#!/bin/bash
# Runs in the machine of vm-tracers.sh: perf and bpftrace use the event of a watch. Each
# must see every hit once, with its fields.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

cd /sys/kernel/tracing
echo 'panic_timeout:w len=4 limit=0 budget=0' >ksym_trace_filter
echo 40000 >/proc/sys/kernel/panic

# The program that the tracers start: it writes twice (40001 is 0x9c41), and then tries to
# remove the watch while the tracer has the event open.
cat >/tmp/writer <<'END'
#!/bin/bash
echo 40001 >/proc/sys/kernel/panic
echo 40002 >/proc/sys/kernel/panic
echo '!panic_timeout' 2>/dev/null >>/sys/kernel/tracing/ksym_trace_filter && echo removed || echo busy
END
chmod +x /tmp/writer

# Runs "$2…" with the writer and checks that it could not remove the watch. Each round
# begins with the same value.
traced() {
	local name=$1 status=0
	shift
	echo 40000 >/proc/sys/kernel/panic
	"$@" >/tmp/out 2>/tmp/err || status=$?
	if [[ $status == 0 ]]; then ok "$name runs"; else not_ok "$name runs" "status $status: $(</tmp/err)"; fi
	if grep -q '^busy$' /tmp/out; then ok "$name keeps the watch"; else not_ok "$name keeps the watch" "$(</tmp/out)"; fi
}

# The function that writes the variable for its file: do_proc_dointvec_conv in 6.12,
# do_proc_int_conv or a part of it in 7.3.
conv='[a-z0-9_]*int[a-z0-9_]*conv'

# Prints how many lines of stdin match.
count() { grep -cE -- "$1" || true; }

traced 'perf record -a' perf record -q -a -e ksym:panic_timeout -o /tmp/perf.data /tmp/writer
perf script -i /tmp/perf.data >/tmp/script 2>/dev/null
is 'perf record has two hits' "$(count 'ksym:panic_timeout: ' </tmp/script)" 2
is 'the first has its values and its function' \
	"$(count "ksym:panic_timeout: w4 panic_timeout\+0x0 0x9c40 -> 0x9c41 by $conv" </tmp/script)" 1
is 'so has the second' "$(count "0x9c41 -> 0x9c42 by $conv" </tmp/script)" 1
is 'both are by the writer' "$(count '^ *writer ' </tmp/script)" 2

traced 'perf record with a filter' perf record -q -a -e ksym:panic_timeout --filter 'new == 40002' \
	-o /tmp/perf.data /tmp/writer
perf script -i /tmp/perf.data >/tmp/script 2>/dev/null
is 'perf record has the hit that passes the filter' "$(count '-> 0x9c42 by' </tmp/script)" 1
is 'and no other' "$(count 'ksym:panic_timeout: ' </tmp/script)" 1

traced 'perf record -g' perf record -q -a -g -e ksym:panic_timeout -o /tmp/perf.data /tmp/writer
perf script -i /tmp/perf.data >/tmp/script 2>/dev/null
is 'perf record -g has the stack of each access' "$(count ' vfs_write\+' </tmp/script)" 2

traced 'perf stat -a' perf stat -a -x, -e ksym:panic_timeout -o /tmp/stat /tmp/writer
is 'perf stat counts two' "$(count '^2,,ksym:panic_timeout,' </tmp/stat)" 1

traced 'perf trace' perf trace -a -e ksym:panic_timeout -o /tmp/perf.trace /tmp/writer
is 'perf trace shows two' "$(count 'ksym:panic_timeout\(' </tmp/perf.trace)" 2
is 'with the values' "$(count ' writer/.* old: 40001, new: 40002, access: 2, len: 4' </tmp/perf.trace)" 1

# shellcheck disable=SC2016  # the program is bpftrace's
traced bpftrace bpftrace -c '/bin/bash /tmp/writer' -e '
	tracepoint:ksym:panic_timeout {
		printf("hit %d -> %d access %d len %d by %s in %s\n", args->old, args->new,
			args->access, args->len, comm, ksym(args->ip));
		@hits[args->addr == kaddr("panic_timeout")] = count();
	}'
cp /tmp/out /tmp/bpftrace
is 'bpftrace has the first hit' \
	"$(count "^hit 40000 -> 40001 access 2 len 4 by bash in $conv" </tmp/bpftrace)" 1
is 'and the second' "$(count "^hit 40001 -> 40002 access 2 len 4 by bash in $conv" </tmp/bpftrace)" 1
is 'and no third' "$(count '^hit ' </tmp/bpftrace)" 2
is 'and it counts them by address' "$(count '^@hits\[1\]: 2$' </tmp/bpftrace)" 1

# The buffer has the two hits of each of the six tracers, too, and those that have ended do not hold
# the watch.
is 'the trace has all hits' "$(grep -cE ': panic_timeout: .*-> 0x9c4[12] by' trace)" 12
check 'the watch can be removed' sh -c 'echo "!panic_timeout" >>ksym_trace_filter'
is 'and is gone' "$(<ksym_trace_filter)" ''
finish

#!/bin/bash
# The demo that make demo runs in the machine: it watches variables that the kernel
# writes, and shows the ways to read the hits.
set -euo pipefail
cd /sys/kernel/tracing

say() { printf '\n# %s\n' "$*"; }
# Prints a command and runs it.
run() { printf '$ %s\n' "$1"; eval "$1"; }

printf 'Linux %s, booted %s s ago\n' "$(uname -r)" "$(cut -d' ' -f1 /proc/uptime)"

say 'Who writes these variables? Each line adds a watch, which records every write.'
run 'echo ksym_tracer > current_tracer'
run 'echo "total_forks:w len=8" >> ksym_trace_filter'
run 'echo "nr_threads:w len=4" >> ksym_trace_filter'
run 'echo "panic_timeout:w len=4" >> ksym_trace_filter'
run 'cat ksym_trace_filter'

say 'Start processes and set a sysctl.'
run '(true); (true)'
run 'sysctl -q kernel.panic=10'

say 'The hits: task, CPU, variable, size in bytes, old and new value, function.'
run 'cat trace'

say 'The counters of each watch. A hit is a recorded access.'
run 'cut -c 1-80 trace_stat/ksym_tracer'

say 'Each watch is a trace event, so trace-cmd records it ...'
run 'trace-cmd record -q -e ksym:panic_timeout -e ksym:nr_threads -o /tmp/trace.dat sh -c "sysctl -q kernel.panic=20" > /dev/null'
run 'trace-cmd report -i /tmp/trace.dat | grep -v "^cpus="'

say '... with filters, stacks and histograms, like every trace event.'
run 'echo "hist:keys=ip.sym:sort=hitcount" > events/ksym/nr_threads/trigger'
run '(true); (true)'
run 'grep ip: events/ksym/nr_threads/hist'
run 'echo "!hist:keys=ip.sym:sort=hitcount" > events/ksym/nr_threads/trigger'
run 'echo nop > current_tracer; echo > ksym_trace_filter'

say 'The same with ksymwatch, which cleans up after itself.'
run 'ksymwatch record -o /tmp/watch.dat "total_forks:w len=8" "panic_timeout:w len=4" -- sh -c "(true); sysctl -q kernel.panic=30"'
run 'ksymwatch report /tmp/watch.dat'
run 'ksymwatch list'

say 'An error is shown with a caret under its place, and changes nothing.'
run 'echo "(task_struct)init_task.com" >> ksym_trace_filter || tail -n 3 error_log'

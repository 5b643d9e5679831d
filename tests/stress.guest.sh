#!/bin/bash
# Runs in the machine: makes, uses, reads and removes watches in all ways at the same time, a
# fixed number of times. It finds splats and leaks, and does not check results.
set -u
rounds=${1:-40}
T=/sys/kernel/tracing
cd $T || exit
panic_timeout=/proc/sys/kernel/panic
online=/sys/devices/system/cpu/cpu1/online

repeat() { # function
	local i
	for ((i = 0; i < rounds; i++)); do "$1" "$i" >/dev/null 2>&1; done
}
define() {
	printf 'panic_timeout:w len=4 wrote stack ustack\nnr_threads:rw len=4 changed\n' >>ksym_trace_filter
}
remove() { echo '!panic_timeout' >>ksym_trace_filter; echo '-:ksym/nr_threads' >>dynamic_events; }
clear_all() { echo >ksym_trace_filter; echo >dynamic_events; }
write() { echo $((40000 + $1)) >$panic_timeout; (:); }
read_all() { cat trace trace_stat/ksym_tracer dynamic_events ksym_trace_filter events/ksym/*/format; }
table() { echo ksym_tracer >current_tracer; cat trace; echo nop >current_tracer; }
instance() {
	mkdir instances/stress
	echo 1 >instances/stress/events/ksym/enable
	echo snapshot >instances/stress/events/ksym/panic_timeout/trigger
	write 1
	cat instances/stress/trace
	rmdir instances/stress
}
trigger() {
	echo 'hist:keys=ip' >events/ksym/panic_timeout/trigger
	echo 'new > 0' >events/ksym/panic_timeout/filter
	echo '!hist:keys=ip' >events/ksym/panic_timeout/trigger
}
use_perf() { perf stat -e ksym:panic_timeout -- sh -c "echo 39000 >$panic_timeout"; }
use_perf_mem() { perf stat -e "mem:$((0x$(awk '$3 == "total_forks" { print $1 }' /proc/kallsyms))):w" -- true; }
plug() { echo 0 >$online; echo 1 >$online; }

jobs=(define remove clear_all write read_all table instance trigger use_perf use_perf_mem)
[[ ! -w $online ]] || jobs+=(plug)
for job in "${jobs[@]}"; do repeat "$job" & done
wait

# In the end everything can be removed, and the four slots are free.
for dir in . instances/*; do
	[[ -d $dir/events/ksym ]] || continue
	for file in "$dir"/events/ksym/*/trigger; do
		while read -r line; do
			[[ $line == '#'* ]] || echo "!${line% \[*}" >"$file"
		done <"$file"
	done
	echo 0 >"$dir/events/ksym/enable"
done
[[ ! -d instances/stress ]] || rmdir instances/stress
echo >ksym_trace_filter || exit
printf 'panic_timeout+%d:w len=1\n' 0 1 2 3 >>ksym_trace_filter || exit
write 5
[[ $(wc -l <ksym_trace_filter) == 4 ]] || exit
echo >ksym_trace_filter || exit
[[ -z $(cat ksym_trace_filter dynamic_events) ]] || exit
echo "everything is gone"

#!/bin/bash
# Tests in the machine, on our kernel, with perf's breakpoints instead of the tracer. The
# program is built with the sanitizers.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

few_functions
rows() { ksymwatch report "$@" | sed -nE 's/^ *([^ ]+)-[0-9]+ +\[[0-9]+\] +[0-9.]+  /\1 /p' | sed -E 's/ +/ /g; s/\+0x.*//'; }
awk '/ (_text|_sdata|_edata|panic_timeout|total_forks|nr_threads|jiffies_64|init_task|max_threads|runqueues)$/ || /per_cpu_(offset|start|end)$/ ||
	$3 ~ "^('"$known_names"')" || NR % 100 == 0' <(umount /proc/kallsyms; cat /proc/kallsyms) >functions.perf
mount --bind functions.perf /proc/kallsyms

echo 39000 >$panic_timeout
# shellcheck disable=SC2317  # wait_until calls it
shows_or_ends() { has ' panic_timeout ' live || ! is_running "$1"; }
for backend in perf perf-without-bpf; do
	export KSYMWATCH_BACKEND=$backend
	values='0x9858 -> 0x9c40' more=('runqueues[cpu0]' name=rq count=1)
	# Without BPF and /proc/kcore, the copies of a per-CPU symbol cannot be found.
	[[ $backend == perf ]] || values=- more=()
	kw record -o hits.dat panic_timeout stack ustack "${more[@]}" -- sh -c "echo 40000 >$panic_timeout"
	is "$backend: record" "$status $(grep -c '^ksymwatch: watching .*; the ksym tracer is disabled' <<<"$err")" '0 1'
	is "$backend: report" "$(rows hits.dat | grep ' panic_timeout ')" "sh panic_timeout w$width $values $conv"
	is "$backend: stacks" "$(ksymwatch report hits.dat | grep -c 'stack trace>')" 2
	start_live panic_timeout
	echo 39000 >$panic_timeout
	wait_until has ' panic_timeout ' live
	kill $pid
	wait $pid
	is "$backend: live" "$? $(tail -n 1 live)" '0 1 hit'
	kw live -q jiffies_64 count=3
	is "$backend: count= ends live" "$status$err $(tail -n 1 <<<"$out")" '0 3 hits'
	start_live -q panic_timeout count=2
	echo 39000 >$panic_timeout
	wait_until shows_or_ends $pid
	echo 39000 >$panic_timeout
	wait $pid
	is "$backend: and not earlier" "$? $(tail -n 1 live)" '0 2 hits'
	if [[ $backend == perf ]]; then
		kw live -q jiffies_64 'if' 'new != old' 'then' traceoff
		is "$backend: traceoff ends live" "$status$err $(tail -n 1 <<<"$out")" '0 1 hit'
	fi
	kw record @panic_timeout -- true
	fails "$backend: an existing watch" 1 "'@panic_timeout' needs the ksym tracer, whose watches have names and events"
	kw stat panic_timeout --trigger traceoff -- true
	fails "$backend: a trigger" 1 "'--trigger traceoff' needs the ksym tracer, whose watches have names and events"
	kw stat panic_timeout -- sh -c "echo 39000 >$panic_timeout"
	is "$backend: stat" "$status $(awk '$1 == "panic_timeout" { print $2 }' <<<"$out$err")" '0 1'
	kw record panic_timeout total_forks nr_threads jiffies_64 max_threads -- true
	fails "$backend: too many" 1 'max_threads: no free debug register on CPU 0'
	kw record panic_timeout+1 len=32 -- true
	fails "$backend: too long" 1 'more than four debug registers'
done
refused "where the copies are cannot be known" 1 'no BPF, and /proc/kcore: No such file' record runqueues -- true

# This kernel has no /proc/kcore, so the code comes from its file.
KSYMWATCH_BACKEND=perf
refused 'reads alone need the code' 1 'use rw' record panic_timeout:r -- true
kw --vmlinux /ksym/vmlinux record -o access.dat panic_timeout:rw -- sh -c "echo 40001 >$panic_timeout; cat $panic_timeout"
is "the kernel's file has the code" "$status $(rows access.dat | grep ' do_proc_' | cut -d ' ' -f 2-3,7 | xargs)" \
	"0 panic_timeout w$width $conv panic_timeout r$width $conv"
kw --vmlinux /ksym/vmlinux record -o access.dat panic_timeout:r -- sh -c "echo 40002 >$panic_timeout; cat $panic_timeout"
is 'and tells reads from writes' "$(rows access.dat | grep ' do_proc_' | cut -d ' ' -f 3 | xargs)" "r$width"
unset KSYMWATCH_BACKEND
kw list
is 'the tracer recorded nothing' "$status $out" '0 no watches'
finish_guest

#!/bin/bash
# Tests in the machine, on Debian's newer kernels: each feature of watches without the ksym
# tracer once, on a variable that every kernel has.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

leftovers() { ls -d ./*.parts-* 2>/dev/null; pgrep -x ksymwatch; }

panic=/proc/sys/kernel/panic
watch='panic_timeout len=4 name=panic'
# Prints the rows of a report, without times, numbers and functions that vary.
rows() {
	ksymwatch report "$@" |
		sed -nE 's/^ *([^ ]+)-[0-9]+ +\[[0-9]+\] +[0-9.]+  /\1 /p' | sed -E 's/ +/ /g; s/ do_proc_(do)?int[a-z_]*\+0x[0-9a-f]+$/ SYSCTL/'
}

modprobe -a dummy tcp_bic
awk '/ (do_proc_|proc_|read_zero|kstrto|panic_timeout|zero_fops|fast_convergence|runqueues|init_pid_ns)/ ||
	/ (init_task|_[se]data|__(start|end)_rodata|__init_(begin|end))$/ ||
	/per_cpu_(offset|start|end)$/ || / (pcpu_hot|__preempt_count|jiffies_64)$/ || NR % 200 == 0' /proc/kallsyms >functions
mount --bind functions /proc/kallsyms

kw record -o hits.dat "$watch stack ustack" -- sh -c "echo 5 >$panic; echo 6 >$panic"
is 'record counts' "$status $(tail -n 1 <<<"$err")" '0 2 hits'
is 'report has old and new value, task and function' "$(rows hits.dat | grep -v '<')" \
	"$(printf 'sh panic w4 %s SYSCTL\n' '0x0 -> 0x5' '0x5 -> 0x6' | sed 's/0x0/0xffffffff/')"
is 'with kernel stacks' "$(ksymwatch report hits.dat | grep -A 1 '<stack' | grep -c '=> do_proc_')" 2
is 'and user stacks' "$(ksymwatch report hits.dat | grep -c '<user stack')" 2
is 'trace-cmd reads them' "$(trace-cmd report hits.dat 2>/dev/null | grep -c 'panic: .*w4 panic_timeout')" 2
kw record -o changed.dat "$watch changed count=1" -- sh -c "echo 6 >$panic; echo 7 >$panic; echo 8 >$panic"
is 'changed drops the same value, count= ends the watch' "$(rows changed.dat)" 'sh panic w4 0x6 -> 0x7 SYSCTL'
kw record -o read.dat 'panic_timeout:rw len=4 name=panic' -- cat $panic
is 'rw sees reads' "$status $(rows read.dat | cut -d ' ' -f 1,2 | sort -u)" '0 cat panic'
kw record -o percpu.dat '(struct rq)runqueues.nr_running' name=nr cpu=1 -- taskset -c 1 bash -c ': | :'
is 'a member of a per-CPU symbol, on one CPU' \
	"$(ksymwatch report percpu.dat | grep -E ' nr +w4' | grep -o '\[[0-9]*\]' | sort -u)" '[001]'
kw record -o member.dat '(struct pid_namespace)init_pid_ns.pid_allocated' name=member -- sh -c '(true); (true)'
is 'a member by BTF' "$status $(rows member.dat | cut -d ' ' -f 2,3 | sort -u)" '0 member w4'
parameter=/sys/module/tcp_bic/parameters/fast_convergence
echo 1 >$parameter
kw record -o module.dat tcp_bic:fast_convergence name=GRP/bic len=4 -- sh -c "echo 0 >$parameter"
is "a module's symbol" "$(rows module.dat | sed 's/+0x.*//')" 'sh GRP/bic w4 0x1 -> 0x0 kstrtoint'
kw record -o pointer.dat '(struct rq)runqueues.curr->on_cpu' name=on_cpu -- true
is 'a pointer is followed at the start' "$status" 0
leaves_nothing 'recording'

mkfifo go
sh -c 'read -r x <go; (echo 9 >'$panic'); sh -c "echo 10 >'$panic'"' &
task=$!
start_live "$watch pid=$task inherit"
echo 11 >$panic
echo >go
wait $task
wait_until has '0x9 -> 0xa' live
kill $pid
wait $pid
is 'live shows hits of a task and its children' "$(tail -n 1 live)" '2 hits'

zero='(struct file_operations)zero_fops.read:rw name=zero'
# shellcheck disable=SC2016  # the shell of the command reads it
kw record -o storm.dat "$zero" stack -- bash -c \
	'kill -STOP $PPID; taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=10000 2>/dev/null; kill -CONT $PPID'
hits=$(tail -n 1 <<<"$err")
lost=${hits#* hits, } all=$((${hits%% hits*} + ${lost%% lost*}))
is 'no hit of a storm is lost unnoticed' "$((all >= 10000 && all < 10010))" 1
kw stat "$watch changed" -- sh -c "echo 12 >$panic; echo 12 >$panic"
is 'stat' "$(awk '$1 == "panic" { print $2; exit }' <<<"$out$err")" 1

mount -t cgroup2 none /sys/fs/cgroup
kw record -o condition.dat "$watch every=2 if old != new && (new & 1 || comm ~ \"*h\") && cgroup == \"/\" && ip.function != kstrtoint" -- \
	sh -c "for value in 1 1 2 3; do echo \$value >$panic; done"
is 'a condition, and every=' "$(rows condition.dat)" 'sh panic w4 0x1 -> 0x2 SYSCTL'
# shellcheck disable=SC2016  # the other shells read it
kw record -o signal.dat "$watch if new == 41 then signal=10,traceoff" -- \
	sh -c 'trap "echo signal" USR1; for value in 40 41 42; do echo $value >'$panic'; done'
is 'a task gets a signal, and recording ends' "$status $out $(tail -n 1 <<<"$err")" '0 signal 1 hit'
# shellcheck disable=SC2016
kw record -o irq.dat 'jiffies_64 count=3 then signal=9' -- sh -c '
	until [ $((n += 1)) = 20000 ]; do :; done'
is 'but not for an interrupt' "$status $(tail -n 1 <<<"$err")" '0 3 hits'

KSYMWATCH_BACKEND=perf-without-bpf kw record -o nobpf.dat "$watch stack" -- sh -c "echo 13 >$panic"
is 'without BPF there are no values' "$(rows nobpf.dat | grep -v '<')" 'sh panic w4 - SYSCTL'
KSYMWATCH_BACKEND=perf-without-bpf kw record -o kcore.dat '(struct rq)runqueues[cpu1].nr_running' name=one -- taskset -c 1 bash -c ': | :'
is 'and /proc/kcore has the places of per-CPU symbols' "$status $(rows kcore.dat | cut -d ' ' -f 2,3 | sort -u)" '0 one w4'
kw explain "$watch"
contains 'explain counts free registers' "$out" 'registers 1 on each CPU; free: 4 on CPU 0, 4 on CPU 1'
kw doctor
contains 'the self-test of doctor passes' "$(grep self-test <<<"$out")" 'ok    self-test'

# --- Built with STATIC=1 --------------------------------------------------------------------

if [[ -e /ksym/static ]]; then
	/ksym/static record -qo read.dat 'panic_timeout:rw len=4 name=panic' -- cat $panic >/dev/null
	is 'it tells reads from writes if there is the library for it' "$? $(rows read.dat | grep -o ' panic r4')" '0  panic r4'
fi
# Systems of libc and busybox. A program runs with the libc that it was built with, or a newer one.
for tree in debian12 debian13; do
	[[ -e /ksym/static ]] || break
	mkdir $tree
	tar xf /ksym/$tree.tar -C $tree
	cp /ksym/static $tree/usr/bin/ksymwatch
	mount --rbind /proc $tree/proc
	mount --rbind /sys $tree/sys
	in_tree() { chroot $tree busybox env PATH=/usr/bin "$@" 2>&1; }
	if [[ $(in_tree ksymwatch --version) == *"version \`GLIBC_"*"' not found"* ]]; then
		skip "$tree: record needs nothing but libc" 'ksymwatch was built with a newer libc'
		umount -l $tree/proc $tree/sys
		continue
	fi
	echo 5 >$panic
	out=$(in_tree ksymwatch record -o hits.dat "$watch stack" -- busybox sh -c "echo 6 >$panic")
	is "$tree: record needs nothing but libc" "$? $(tail -n 1 <<<"$out")" '0 1 hit'
	contains 'and so does report' "$(in_tree ksymwatch report hits.dat | tr -s ' ')" ' panic w4 0x5 -> 0x6 do_proc_'
	is 'trace-cmd reads that file' "$(trace-cmd report $tree/hits.dat 2>/dev/null | grep -c 'panic: .*w4 panic_timeout')" 1
	trace-cmd record -q -o $tree/foreign.dat -e sched:sched_process_exit true 2>/dev/null
	contains 'a file for which libtracecmd is needed' "$(in_tree ksymwatch report foreign.dat)" 'which this ksymwatch was built without'
	umount -l $tree/proc $tree/sys
done

finish_guest

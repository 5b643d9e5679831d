#!/bin/bash
# Tests in the machine, on Debian's own kernel: watches without the ksym tracer.
# shellcheck source=tests/ksymwatch.guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/ksymwatch.guest.sh"

# There are no watches and instances to leave behind.
leftovers() { ls -d ./*.parts-* 2>/dev/null; pgrep -x ksymwatch; }

# Passes the test named $1 if ksymwatch succeeded with one message, which contains $2.
says_once() {
	if [[ $status == 0 && $(grep -c '^ksymwatch: ' <<<"$err") == 1 && $err == *"$2"* ]]; then
		ok "$1"
	else
		not_ok "$1" "$(printf 'status %s\nstderr: %s' "$status" "$err")"
	fi
}

# Prints the rows of a report, without times and numbers that vary.
rows() {
	ksymwatch report "$@" |
		sed -nE 's/^ *([^ ]+)-[0-9]+ +\[[0-9]+\] +[0-9.]+  /\1 /p' | sed -E 's/ +/ /g; s/\+0x[0-9a-f]+$//'
}
# Prints the distinct addresses in a recording.
addresses() { ksymwatch report --json "$1" | grep -o '"addr":"0x[0-9a-f]*"' | sort -u; }

modprobe -a dummy tcp_bic
parameter=/sys/module/tcp_bic/parameters/fast_convergence
# Like few_functions(), with the symbols that are watched here. copy_process begins in a page of the
# function before it, and goes on in others.
awk '/ copy_process$/ { print last } { last = $0 } / (do_proc_dointvec|read_zero|kstrto|panic_timeout|panic_on_oops|core_pattern|zero_fops|fast_convergence|runqueues|nr_threads|pcpu_hot|__preempt_count)/ ||
	/ (copy_process|__schedule|show_stat|process_counts|_text)$/ ||
	/ (total_forks|jiffies_64|init_task|max_threads|__(start|end)_rodata|__init_(begin|end))$/ ||
	/per_cpu_(offset|start|end)$/ || NR % 200 == 0' /proc/kallsyms >functions
mount --bind functions /proc/kallsyms
# The next symbol may be hidden now.
width=$(default_width)

# --- record, report, trace-cmd ------------------------------------------------------

is 'this kernel has no tracer' "$(ls $tracefs/ksym_trace_filter 2>/dev/null)" ''
echo 39000 >$panic_timeout
kw record -o hits.dat panic_timeout stack -- sh -c "echo 40000 >$panic_timeout; echo 40001 >$panic_timeout"
says_once 'record reports a missing feature once' \
	"this kernel has no ksym tracer: using perf's breakpoints, with BPF for the values"
is 'and counts' "$(tail -n 1 <<<"$err")" '2 hits'
is 'report has old and new value, task and function' "$(rows hits.dat | grep -v '<')" \
	"sh panic_timeout w$width 0x9858 -> 0x9c40 do_proc_dointvec_conv
sh panic_timeout w$width 0x9c40 -> 0x9c41 do_proc_dointvec_conv"
is 'with a stack for each hit' "$(ksymwatch report hits.dat | grep -A 1 '<stack' | grep -c '=> do_proc_dointvec_conv')" 2
is 'it is not known whether another CPU wrote meanwhile' \
	"$(ksymwatch report --json hits.dat | grep -c '"torn":null')" 2
trace=$(trace-cmd report hits.dat 2>&1)
is 'trace-cmd can read the file' "$(grep -oE 'panic_timeout: .*conv' <<<"$trace" | sed -E 's/ +/ /g')" \
	"panic_timeout: w$width panic_timeout+0x0 0x9858 -> 0x9c40 by do_proc_dointvec_conv
panic_timeout: w$width panic_timeout+0x0 0x9c40 -> 0x9c41 by do_proc_dointvec_conv"
is 'with the stacks' "$(grep -c 'kernel_stack:' <<<"$trace")" 2
is 'and the names of the tasks' "$(grep -c '^ *sh-[0-9]* .*panic_timeout:' <<<"$trace")" 2
leaves_nothing record

echo 39000 >$panic_timeout
kw record -o plain.dat 'panic_timeout changed count=1' panic_on_oops:rw len=4 -- sh -c \
	"echo 39000 >$panic_timeout; echo 40000 >$panic_timeout; echo 40001 >$panic_timeout; cat /proc/sys/kernel/panic_on_oops"
is 'changed filters, count ends a watch, rw tells what it was' "$(rows plain.dat | uniq)" \
	"sh panic_timeout w$width 0x9858 -> 0x9c40 do_proc_dointvec_conv
cat panic_on_oops r4 0x0 -> 0x0 do_proc_dointvec_conv"
is 'no hit is lost' "$(grep -c lost <<<"$err")" 0

kw record -o names.dat panic_timeout -- sh names.sh
is 'names of tasks with newlines' "$(rows names.dat | cut -d ' ' -f 1 | xargs)" 'a?b ? bash'

kw record -o twice.dat 'panic_on_oops:rw len=4' 'panic_on_oops:rw len=4 name=again' -- true
is 'two watches of a variable do not show what the start reads' "$status $(ksymwatch report --json twice.dat | grep -c '"type":"hit"')" '0 0'

online=/sys/devices/system/cpu/cpu1/online
echo 0 >$online
kw record -o online.dat panic_on_oops -- sh -c "echo 1 >$online"
is 'a CPU that comes online meanwhile is named' "$status $(grep -c 'CPU 1 came online and was not watched' <<<"$err")" '0 1'

# --- Reads and writes ----------------------------------------------------------------

# Prints the watch, the access and the function of the hits of a recording.
accesses() {
	ksymwatch report --json "$1" | grep -v '"comm":"ksymwatch"' |
		sed -nE 's/.*"watch":"([^"]*)".*"access":"([^"]*)".*"function":"([^"]*)".*/\1 \2 \3/p' | sort -u
}
panic_on_oops=/proc/sys/kernel/panic_on_oops
provoke=(sh -c "echo 40000 >$panic_timeout; cat $panic_timeout $panic_on_oops; (:); cat /proc/stat >/dev/null; echo 3 >$panic_on_oops")
echo -1 >$panic_on_oops
# Tasks that end change process_counts as well, in a function that is not in our symbol table.
kw record -o access.dat panic_timeout:r total_forks:rw 'panic_on_oops:rw len=4 wrote' process_counts:rw -- "${provoke[@]}"
is 'the decoder tells reads from writes, and what was stored; r drops writes' "$(accesses access.dat | grep -v 'process_counts ?')" \
	'panic_on_oops r do_proc_dointvec_conv
panic_on_oops w do_proc_dointvec_conv
panic_timeout r do_proc_dointvec_conv
process_counts rw copy_process
total_forks r show_stat
total_forks rw copy_process'
is 'the value stored' "$(ksymwatch report access.dat | grep -oE 'wrote (0x)?3$' | wc -l)" 1
contains 'trace-cmd shows the same' "$(trace-cmd report access.dat 2>/dev/null)" \
	'panic_on_oops+0x0 0xffffffff -> 0x3 by do_proc_dointvec_conv+'
kw record -o access.dat '(struct rq)runqueues.curr:w wrote' name=curr -- sh -c '(:); (:)'
is 'also in long registers' "$status $(ksymwatch report --json access.dat | sed -nE 's/.*"new":([^,]*),.*"wrote":([^,}]*).*/\1 \2/p' |
	awk '{ print $1 == $2 }' | sort -u)" '0 1'
echo -1 >$panic_on_oops
kw stat --json 'panic_on_oops:rw len=4' panic_timeout -- "${provoke[@]}"
contains 'stat counts reads and writes' "$err" \
	'"watch":"panic_on_oops","runs":1,"hits":2,"reads":1,"writes":1,"unknown":0,"changes":1,"missed":0'
kw stat --json 'panic_on_oops:r len=4' -- "${provoke[@]}"
contains 'and with r the writes that it drops' "$err" \
	'"hits":1,"reads":1,"writes":0,"unknown":0,"changes":0,"missed":1,"missed_by_reason":{"notread":1}'
busybox ifconfig lo 127.0.0.1 up
mkdir there
listen 12345
kw record --to 127.0.0.1:12345 'panic_on_oops:r len=4' -- "${provoke[@]}"
is 'so does record --to' "$status $(tail -n 1 <<<"$err")" '0 1 hit, sent to 127.0.0.1:12345'
kill $listener
wait $listener
# The function tracer patches the function after the hit.
kw record -o access.dat 'panic_on_oops:rw len=4' -- sh -c "cat $panic_on_oops
	echo do_proc_dointvec_conv >$tracefs/set_ftrace_filter; echo function >$tracefs/current_tracer"
is 'code that has changed since a hit is not used' "$(accesses access.dat)" 'panic_on_oops ? do_proc_dointvec_conv'
kw record -o access.dat 'panic_on_oops:rw len=4' -- sh -c "cat $panic_on_oops"
is 'code that had changed before is' "$(accesses access.dat)" 'panic_on_oops r do_proc_dointvec_conv'
echo nop >$tracefs/current_tracer
KSYMWATCH_BACKEND=perf-without-bpf kw record -o access.dat 'panic_on_oops:rw len=4 wrote' -- "${provoke[@]}"
is 'so it does without BPF' "$(accesses access.dat | cut -d ' ' -f 2 | xargs)" 'r w'
# A kernel without CONFIG_PROC_KCORE.
mount --bind /dev/null /proc/kcore
kw record -o access.dat 'panic_on_oops:rw len=4' panic_timeout -- "${provoke[@]}"
is 'without the code, reads are not told from writes' "$(accesses access.dat | cut -d ' ' -f 1-2 | xargs)" \
	'panic_on_oops ? panic_timeout w'
contains 'record says so' "$err" 'hits of :rw may be reads or writes'
refused 'and r is refused' 1 "at 'r': x86 traps no reads alone, and the writes cannot be told: use rw" record panic_timeout:r -- true
refused 'so is wrote' 1 "at 'wrote': what an instruction stored takes the kernel's code, or the ksym tracer" record panic_timeout wrote -- true
umount /proc/kcore

kw_with_mounts 'umount -R /sys/kernel/debug /sys/kernel/tracing || exit 99;' record -o access.dat panic_timeout -- true
says_once 'without tracefs it is not known whether there is a tracer' 'tracefs is not mounted, so the ksym tracer is unavailable: using perf'

# --- Targets -------------------------------------------------------------------------

echo 1 >$parameter
kw record -o module.dat tcp_bic:fast_convergence name=GRP/bic len=4 -- sh -c "echo 0 >$parameter"
is "a module's symbol, in a group of its own" "$(rows module.dat)" 'sh GRP/bic w4 0x1 -> 0x0 kstrtoint'
refused 'an ambiguous symbol' 1 "$(ksym_errors <<<%AMBIGUOUS%)" record fast_convergence -- true
kw record -o second.dat fast_convergence@2 name=bic len=4 -- sh -c "echo 1 >$parameter"
is 'the second symbol' "$(rows second.dat)" 'sh bic w4 0x0 -> 0x1 kstrtoint'
is 'has the same address' "$(addresses second.dat)" "$(addresses module.dat)"
# nr_running changes often, on each CPU separately.
kw record -o percpu.dat '(struct rq)runqueues.nr_running' name=nr cpu=1 \
	'(struct rq)runqueues[cpu1].nr_running' name=one cpu=0-1 -- taskset -c 1 bash -c ': | :'
says_once 'a per-CPU symbol, and a member by its type' 'with BPF'
is 'on one CPU only' "$(ksymwatch report percpu.dat | grep -E ' nr +w4' | grep -o '\[[0-9]*\]' | sort -u)" '[001]'
is 'at the address of that CPU' "$(addresses percpu.dat | wc -l)" 1
kw record -o range.dat core_pattern len=12 -- sh -c 'echo core.of.somebody >/proc/sys/kernel/core_pattern'
is 'a range takes several registers' "$(rows range.dat | cut -d ' ' -f 2,3 | sort -u | xargs)" \
	'core_pattern w4 core_pattern w8'
kw record -o pointer.dat '(struct rq)runqueues.curr->on_cpu' name=on_cpu -- true
is 'a pointer is followed at the start' "$status" 0
leaves_nothing 'all of these'

# Nothing else than its name says what the variable is.
before=$(uptime_by_jiffies)
# shellcheck disable=SC2016  # the other shell reads it
kw record -o jiffies.dat jiffies_64 -- bash -c '
	jiffies() { grep -m 10 ^jiffies: /proc/timer_list; }
	before=$(jiffies)
	while [[ $(jiffies) == "$before" ]]; do :; done'
is 'jiffies are shown as seconds' "$status $(ksymwatch report jiffies.dat |
	sed -nE 's/.* -> ([0-9]+\.[0-9]{3})s .*/\1/p' | awk -v from="$before" -v to="$(uptime_by_jiffies)" '
		$1 < from - 1 || $1 > to + 1 { print "not within", from, to, $0 } END { print (NR > 0) }')" '0 1'

# --- live ----------------------------------------------------------------------------

start_live panic_timeout ustack
kw slots
is 'slots shows the free registers' "$(xargs <<<"$out")" 'CPU FREE 0 3 1 3'
kw explain panic_timeout
contains 'and so does explain' "$out" 'registers 1 on each CPU; free: 3 on CPU 0, 3 on CPU 1'
kw explain --json 'panic_timeout limit=5/ms'
contains 'and refuses options that need the tracer' "$status $out" '"can_be_watched":false,"reason":"at '"'5/ms'"': perf'
echo 41000 >$panic_timeout
wait_until has '0x9c4[01] -> 0xa028' live
is 'live shows a hit as it comes' "$(grep -c "bash-.* panic_timeout  *w$width .* do_proc_dointvec_conv" live)" 1
wait_until has 'user stack' live
# The system call is in a function without a symbol in Debian 13's libc.
wait_until has '=> \(.*write\|0x[0-9a-f]*\) (/.*/libc' live
ok 'a user stack has the function and the library'
kill $pid
wait $pid
is 'and the summary at the end' "$? $(tail -n 1 live)" '0 1 hit'
cp /ksym/writer writer
kw record -q -o user.dat 'panic_timeout:w len=4 ustack' -- sh -c './writer; ./writer thread; exec ./writer'
is 'a recording has the functions of programs that ended' "$status$err $(ksymwatch report user.dat |
	sed -nE "s|^ => ([a-z_]+) \\($PWD/writer\\)|\\1|p" | xargs)" '0 write_panic_timeout main write_panic_timeout begin_thread write_panic_timeout main'
is 'it reported a missing feature once' "$(grep -c '^ksymwatch: ' live.err)" 1
# This one runs before the recording, and is gone when its hit is read.
mkfifo byte
# shellcheck disable=SC2094
./writer each byte <byte &
task=$!
exec 8>byte
wait_until grep -q /writer /proc/$task/maps
echo 39000 >$panic_timeout
kw record -q -o gone.dat 'panic_timeout:w len=4 stack ustack' -- bash -c "
	echo >&8; until grep -q 40000 $panic_timeout; do :; done; kill $task; while [[ -e /proc/$task ]]; do :; done"
exec 8>&-
is 'also of one that ran before, with its name' "$status$err $(rows gone.dat | grep -v '<' | cut -d ' ' -f 1,2) $(ksymwatch report gone.dat |
	sed -nE "s|^ => ([a-z_]+) \\($PWD/writer\\)|\\1|p" | xargs)" '0 writer panic_timeout write_panic_timeout main'
is 'and no others' "$(ksymwatch report gone.dat | sed -n '/<user stack/,$p' | grep -c '=> 0xffff')" 0

wakes_seldom panic_timeout
# The task and its children, and no other task.
mkfifo go
sh -c 'read -r x <go; (echo 42000 >'$panic_timeout'); sh -c "echo 42001 >'$panic_timeout'"' &
task=$!
start_live panic_timeout pid=$task inherit
echo 43000 >$panic_timeout
echo >go
wait $task
kill $pid
wait $pid
# live shows what has come before it ends, so a hit that is missing does not keep it waiting.
is 'pid and inherit' "$(grep -o -- '-> 0x[^ ]*' live | xargs) $(tail -n 1 live)" '-> 0xa410 -> 0xa411 2 hits'

# --- Conditions and actions --------------------------------------------------------------

mkdir -p cgroups
mount -t cgroup2 none cgroups
mkdir -p cgroups/a/b cgroups/c
# A script writes several values to panic_timeout, the last one in another cgroup and by another task.
cat >values.sh <<END
for value in 40000 40001 40001 40002 40003 40004; do echo \$value >$panic_timeout; done
sh -c 'echo \$\$ >cgroups/a/b/cgroup.procs; printf other >/proc/\$\$/comm; echo 40005 >$panic_timeout'
END
while IFS=';' read -r spec values; do
	echo 39000 >$panic_timeout
	kw record -o condition.dat "$spec" -- sh values.sh
	is "$spec" "$status $(rows condition.dat | sed -E 's/.* -> ([^ ]+) .*/\1/' | xargs printf '%d ' | sed 's/4000//g; s/ $//')" "0 $values"
done < <(sed "s/WIDTH/$width/" <<'END'
panic_timeout if old != new;0 1 2 3 4 5
panic_timeout if old == new;1
panic_timeout if new > old && new & 2;2 3
panic_timeout if old < 0x9c41 || new >= 40004;0 1 4 5
panic_timeout if !(new <= 40003) && !new == 40004;5
panic_timeout if new == 40001 || new == 40003 && old == 1;1 1
panic_timeout if (new == 40001 || new == 40003) && old == 40001;1
(int)panic_timeout if new < -1 || new == 40002;2
panic_timeout if addr != ip && len == WIDTH && common_pid > 1 && new == 40000;0
panic_timeout if comm == "other";5
panic_timeout if comm != "other" && new > 40003;4
panic_timeout if comm ~ "*t?e[q-s]" || comm ~ "sh*" && new == 40002;2 5
panic_timeout if comm ~ "!s*";5
panic_timeout if ip.function == do_proc_dointvec_conv && new == 40001;1 1
panic_timeout if ip.function != "do_proc_dointvec_conv" || comm == "other";5
panic_timeout if cpu >= 0 && cpu & CPUS{0-1} && CPU != CPUS{5} && new == 40003;3
panic_timeout if cpu == CPUS{0-1};0
panic_timeout if cgroup == "/a";5
panic_timeout if cgroup != "/a" && cgroup != "/c" && cgroup == "/";0 1 1 2 3 4
panic_timeout every=2;1 2 4
panic_timeout changed every=3 if new > 40000;3
panic_timeout count=2 if new != old && new != 40000;1 2
panic_timeout every=2 count=2 if new > 40000;1 3
panic_timeout if new == 40002 then traceoff;2
panic_timeout count=3 then traceoff;0 1 1
END
)
umount cgroups
# shellcheck disable=SC2016  # the other shell reads it
kw record -o class.dat 'panic_timeout if comm ~ "[!a-z]?"' -- sh -c 'printf "\377\377" >/proc/$$/comm; echo 40000 >'$panic_timeout
is 'the last of all characters' "$status $(tail -n 1 <<<"$err")" '0 1 hit'
kw stat --json 'panic_timeout count=2 every=2 if new > 40000' -- sh -c "for v in 1 2 3 4 5 6 7; do echo 4000\$v >$panic_timeout; done; echo 40000 >$panic_timeout"
contains 'what was dropped is counted by its reason' "$err" \
	'"missed":6,"missed_by_reason":{"filtered":1,"limited":1,"skipped":4}'
# shellcheck disable=SC2016  # the other shells read it
kw record -o signal.dat 'panic_timeout if new == 40001 then signal=10' -- sh -c '
	trap "echo signal" USR1; for value in 40000 40001 40002; do echo $value >'$panic_timeout'; done'
is 'a task gets a signal' "$status $out" '0 signal'
# shellcheck disable=SC2016
kw record -o irq.dat 'jiffies_64 count=3 then signal=9' -- sh -c '
	until [ $((n += 1)) = 20000 ]; do :; done'
is 'but not for an interrupt' "$status $(tail -n 1 <<<"$err")" '0 3 hits'
contains 'which is told' "$err" 'jiffies_64: 3 signals not sent'

# --- Storms ---------------------------------------------------------------------------

zero='(struct file_operations)zero_fops.read:rw name=zero'
# The buffers of two CPUs would have room for the hits.
# shellcheck disable=SC2016  # the shell of the command reads it
kw record -o storm.dat "$zero" stack -- bash -c \
	'kill -STOP $PPID; taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=10000 2>/dev/null; kill -CONT $PPID'
hits=$(tail -n 1 <<<"$err")
lost=${hits#* hits, } all=$((${hits%% hits*} + ${lost%% lost*}))
# Other tasks may add one or two hits.
is 'all hits that the buffer lost are reported' "$((all >= 10000 && all < 10010)) ${lost#* }" \
	'1 lost: the trace buffer was full'
# Reads until the hits after the lost ones fill another part of the buffer.
# shellcheck disable=SC2016
kw record -o storm.dat "$zero" -- bash -c '
	read_zero() { taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=$1 status=none; }
	written() { cat storm.dat.parts-*/cpu* | wc -c; }
	kill -STOP $PPID; read_zero 10000; kill -CONT $PPID
	until [[ $(written) != 0 ]]; do :; done
	until=$(($(written) + 100000))
	# To open it is one more. A busy host reads many times here.
	for ((reads = 10001; $(written) < until; reads += 1001)); do read_zero 1000; done
	echo $reads'
hits=$(tail -n 1 <<<"$err")
lost=${hits#* hits, } all=$((${hits%% hits*} + ${lost%% lost*} - out))
is 'and once, if others follow' "$((all >= 0 && all < 10))" 1
# The buffer loses some of them, whose access is unknown then.
# shellcheck disable=SC2016
kw stat --json "$zero" -- bash -c 'kill -STOP $PPID; dd if=/dev/zero of=/dev/null bs=1 count=10000 status=none; kill -CONT $PPID'
is 'stat counts all hits, and those that it cannot read in the buffer as unknown' "$(
	sed -nE 's/.*"hits":([0-9]+),"reads":([0-9]+),"writes":([0-9]+),"unknown":([0-9]+),.*/\1 \2 \3 \4/p' <<<"$err" |
	awk '{ print ($1 >= 10000 && $1 < 10010), ($2 + $3 + $4 == $1), ($4 > 0) }')" '1 1 1'

(ulimit -f 1000 && exec ksymwatch record -qo limit.dat "$zero" stack -- dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none) 2>err
contains 'a recording that may not be so large is an error' "$? $(<err)" '1 ksymwatch: the recording is incomplete: File too large'
rm -r limit.dat.parts-*

# The first hit comes before its old value is known, which is told, and is no reason to drop it.
taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 status=none &
reader=$!
# It ends when the reader has read. On a busy machine, that may be after the old value was read,
# and then the hit changes nothing and is dropped.
value=
until [[ $value ]]; do
	# shellcheck disable=SC2016  # the shell of the command reads it
	kw record -o first.dat "$zero changed" -- sh -c \
		'old=$(head -n 1 "/proc/$1/io"); while [ "$old" = "$(head -n 1 "/proc/$1/io")" ]; do :; done' sh $reader
	value=$(ksymwatch report --json first.dat | sed -nE 's/.*"old":([^,]*).*/\1/p')
done
kill $reader
wait $reader
is 'an unknown old value is null' "$value" null
is 'and ? in a table' "$(rows first.dat | sed -E 's/zero [r?]8/zero 8/; s/0x[0-9a-f]+.*/X/')" 'dd zero 8 ? -> X'
contains 'trace-cmd shows it, too' "$(trace-cmd report first.dat 2>/dev/null)" ' 0x0? -> 0x'

kw stat 'panic_timeout changed' -- sh -c "echo 50000 >$panic_timeout; echo 50000 >$panic_timeout"
is 'with changed only hits that change the value' "$(awk '$1 == "panic_timeout" { print $2; exit }' <<<"$out$err")" 1

echo 40000 >$panic_timeout
kw stat --json 'panic_timeout changed' -- sh -c "echo 40000 >$panic_timeout; echo 40001 >$panic_timeout"
contains 'in JSON, unknown counters are null; a watch of writes counts these' "$err" \
	'"hits":1,"reads":null,"writes":1,"unknown":null,"changes":null,"missed":1,"missed_by_reason":{"unchanged":1}'

# --- Without BPF ------------------------------------------------------------------------

export KSYMWATCH_BACKEND=perf-without-bpf
kw record -o nobpf.dat panic_timeout stack -- sh -c "echo 40000 >$panic_timeout"
says_once 'record reports that BPF is missing' 'without BPF (disabled); hits have no values'
is 'and shows hits without values' "$(rows nobpf.dat | grep -v '<')" "sh panic_timeout w$width - do_proc_dointvec_conv"
is 'the number of changes is not known' "$(awk '$1 == "panic_timeout" { print $NF }' <<<"$err")" -
contains 'with their stacks' "$(ksymwatch report nobpf.dat)" $'=> do_proc_dointvec_conv\n => '
contains 'trace-cmd shows the same' "$(trace-cmd report nobpf.dat 2>/dev/null | sed -E 's/ +/ /g')" \
	"panic_timeout: w$width panic_timeout+0x0 by do_proc_dointvec_conv"
kw record -o kcore.dat '(struct rq)runqueues[cpu1].nr_running' name=one -- taskset -c 1 bash -c ': | :'
is 'with /proc/kcore a per-CPU symbol has the same address' "$(addresses kcore.dat)" "$(addresses percpu.dat)"
start_live -q "$zero count=3" panic_timeout
dd if=/dev/zero of=/dev/null bs=1 count=3 status=none
# shellcheck disable=SC2317  # wait_until calls it
has_three() { [[ $(grep -c ' zero ' live) == 3 ]]; }
wait_until has_three
wait_until has poll /proc/$pid/wchan
kill -STOP $pid
dd if=/dev/zero of=/dev/null bs=1 count=10000 status=none
kill -CONT $pid
kill $pid
wait $pid
is 'a watch that has its count= leaves the buffer to others' "$? $(tail -n 1 live)" '0 3 hits'
for option in 'if new == 1' 'then signal=9' every=2; do
	kw record "panic_timeout $option" -- true
	fails "without BPF, '$option' is refused" 1 'need'
done
refused 'changed requires BPF' 1 "at 'changed': values need BPF" record panic_timeout changed -- true
refused 'so does a group' 1 "at 'GRP/x': without BPF, a watch has the group ksym only" record panic_timeout name=GRP/x -- true
export KSYMWATCH_BACKEND=tracer
refused 'the backend tracer is missing' 1 'this kernel has no ksym tracer (CONFIG_KSYM_TRACER)' live panic_timeout
export KSYMWATCH_BACKEND=frob
refused 'an unknown backend' 1 "KSYMWATCH_BACKEND: unknown backend 'frob'" live panic_timeout
unset KSYMWATCH_BACKEND

# --- Without CONFIG_KALLSYMS_ALL ---------------------------------------------------------

# Simulated: the kernel shows functions only. The System.map is what it was linked with; KASLR
# has moved the kernel.
map=/boot/System.map-$(uname -r)
mkdir -p /boot
umount /proc/kallsyms
text=$(awk '$3 == "_text" { print $1 }' /proc/kallsyms)
is 'KASLR has moved the kernel' "$((0x$text != 0xffffffff81000000))" 1
awk 'NF == 3 && (/ [^tTwW] / || / (_text|(do_proc_dointvec|kstrto).*)$/)' /proc/kallsyms |
	while read -r address type name; do
		[[ $address != ffffffff* ]] || printf -v address %x $((0x$address - 0x$text + 0xffffffff81000000))
		echo "$address $type $name"
	done >map
awk '/ [tT] / && (/ (_text|(do_proc_dointvec|kstrto).*)$/ || /\[tcp_bic\]/)' /proc/kallsyms >functions
mount --bind functions /proc/kallsyms
refused 'variables are not known' 1 'functions only: use --vmlinux or --kallsyms' record panic_timeout -- true
contains 'doctor says so' "$(ksymwatch doctor | grep ' variables ')" 'warn  variables '
echo 'ffffffffffffffff B The real System.map is in the linux-image-<version>-dbg package' >"$map"
kw record panic_timeout -- true
contains "Debian's stub of a System.map" "$status $err" "1 ksymwatch: $map is not of the running kernel: it is a stub"
# Functions elsewhere, variables elsewhere, and another version.
while IFS='|' read -r change text; do
	awk "$change"' { print }' map >stale
	refused "refused: $text" 1 "stale is not of the running kernel: $text" --kallsyms stale record panic_timeout -- true
done <<'END'
$3 == "do_proc_dointvec_conv" { $1 = substr($1, 1, 15) "1" }|do_proc_dointvec_conv is elsewhere
$3 == "linux_banner" { $1 = substr($1, 1, 13) "000" }|linux_banner is not there
$3 == "init_uts_ns" { $1 = substr($1, 1, 12) "0000" }|init_uts_ns is not there
$3 == "init_uts_ns" { next }|it has no init_uts_ns
$3 == "_text" { next }|it has no symbol _text
END
kw record --kallsyms map -o map.dat panic_timeout -- sh -c "echo 44000 >$panic_timeout"
is 'a System.map that is given' "$status $(rows map.dat | grep -c '0xabe0 do_proc_dointvec')" '0 1'
cp map "$map"
kw record -o map.dat panic_timeout '(struct rq)runqueues.nr_running' -- sh -c "echo 45000 >$panic_timeout"
is 'one in /boot, also for a per-CPU variable' "$status $(rows map.dat | grep -c 'panic_timeout .*0xafc8 do_proc_dointvec')" '0 1'
last=$(awk 'END { print $3 }' map)
kw explain "$last"
contains 'all of its symbols are known, the last one, too' "$out" "$last: can't be watched: $(ksym_errors <<<%NOT_KERNEL%)"
echo 0 >$parameter
kw record -o module.dat 'tcp_bic:fast_convergence len=4' -- sh -c "echo 1 >$parameter"
is "a module's variable, by its file" "$status$(grep -v watching <<<"$err" | grep ksymwatch:) $(rows module.dat)" '0 sh fast_convergence w4 0x0 -> 0x1 kstrtoint'
is 'at the right address' "$(addresses module.dat)" "$(addresses second.dat)"
refused 'a module without such a variable' 1 "$(ksym_errors <<<%NO_SUCH_SYMBOL%)" record tcp_bic:nosuch -- true
is 'doctor names it' "$(ksymwatch doctor | grep ' variables ' | tr -s ' ')" "ok variables in $map"
# Nothing comes after this function.
umount /proc/kallsyms
awk '/ do_proc_dointvec_conv$/ { print; exit } / (_text|do_proc_dointvec.*)$/' /proc/kallsyms >functions
mount --bind functions /proc/kallsyms
kw record -o access.dat 'panic_on_oops:rw len=4' -- cat $panic_on_oops
is 'reads by the last function are told from writes, too' \
	"$status $(ksymwatch report --json access.dat | sed -nE 's/.*"access":"([^"]*)".*/\1/p')" '0 r'
rm "$map"
umount /proc/kallsyms

# --- Errors ------------------------------------------------------------------------------

specs=()
while IFS='|' read -r spec text; do
	kw record "$spec" -- true
	fails "refused: '$spec'" 1 "$text"
	specs+=("$spec")
done < <(ksym_errors <<'END'
panic_timeout:r count=1|at 'r': BPF cannot tell reads from writes: count=, every= and actions take rw
panic_timeout:x|at 'x': %BAD_ACCESS%
panic_timeout flexible|at 'flexible': perf keeps a debug register for each watch
panic_timeout limit=5/ms|at '5/ms': perf's breakpoints have no limit
panic_timeout budget=5%|at '5%': perf's breakpoints have no budget
panic_timeout args $comm|at '$comm': fetch arguments take the ksym tracer
panic_timeout then panic|at 'panic': BPF cannot panic the machine
panic_timeout then traceoff,snapshot|at 'traceoff,snapshot': perf's buffers have no snapshots
panic_timeout if frob == 1|at 'frob': unknown field: use ip, addr, old, new
panic_timeout if access == 1|at 'access': BPF cannot tell reads from writes in the trap
panic_timeout if torn|at 'torn': only the ksym tracer
panic_timeout if new = 1|at 'new': missing one of ~ != ==
panic_timeout if new > && old|at '&&': invalid number
panic_timeout if (new > 1|at '(new': missing closing parenthesis
panic_timeout if new > 1)|at ')': expected && or ||
panic_timeout if comm == sh|at 'sh': comm is a text
panic_timeout if comm < "sh"|at 'comm': a text takes
panic_timeout if comm == "sh|missing closing quote
panic_timeout if new ~ "x"|at '"x"': ~ is for texts
panic_timeout if new == comm|at 'comm': a text cannot be compared
panic_timeout if cpu == CPUS{9-8}|at 'cpu': CPUS{} takes a list
panic_timeout if ip.function == frob|at 'frob': unknown function
panic_timeout if cgroup == "/frob"|at 'cgroup': there is no cgroup '/frob'
panic_timeout frob=1|at 'frob=1': %BAD_OPTION%
panic_timeout len=0|at '0': %BAD_LEN%
panic_timeout cpu=0;1|at '0;1': %BAD_CPUS%
panic_timeout cpu=99|at '99': %NO_CPU%
panic_timeout pid=0|at '0': %BAD_PID%
panic_timeout pid=4194303|%NO_TASK%
panic_timeout inherit|at 'inherit': %INHERIT_PID%
panic_timeout count=0|at '0': %BAD_COUNT%
panic_timeout stack stack|at 'stack': %DUP_OPTION%
panic_timeout len=4 len=8|at 'len=8': %DUP_OPTION%
panic_timeout name=ftrace/print|at 'ftrace/print': the group is the kernel's own
panic_timeout name=a-b|at 'a-b': %BAD_NAME%
panic_timeuot|is it panic_timeout?
do_proc_dointvec_conv|%FUNCTION%
-1|only the ksym tracer
0x10|%USER_ADDRESS%
panic_timeout[cpu0]|%NOT_PERCPU%
init_task.comm|unknown type of 'init_task'
(struct task_struct)init_task.frob|at 'frob': %NO_MEMBER%
init_task+1 len=32|%RANGE%
END
)
kw explain "${specs[@]}"
is 'explain reports the same' "$status $(grep -c "can't be watched: " <<<"$out")" "1 ${#specs[@]}"
kw explain panic_timeout:rw 'runqueues[cpu1].nr_running'
is 'and the free registers for valid targets' "$status $(awk '$1 == "registers"' <<<"$out" | xargs)" \
	'0 registers 1 on each CPU; free: 4 on CPU 0, 4 on CPU 1 registers 1 on each CPU; free: 4 on CPU 0, 4 on CPU 1'
KSYMWATCH_BACKEND=perf-without-bpf kw explain 'panic_timeout changed' 'panic_timeout name=GRP/x' 'panic_timeout changed name=x'
is 'some targets require BPF' "$status $(grep -c "can't be watched: .*BPF" <<<"$out")" '1 3'
refused 'a long condition' 1 'the condition has more than 64 tests and operators' record panic_timeout if "new == 1$(printf ' || new == 1%.0s' {1..32})" -- true
refused 'a negative number' 1 "at '-1': new is unsigned" record panic_timeout if 'new == -1' -- true
refused 'a duplicate name' 1 "$(ksym_errors <<<%WATCH_EXISTS%)" record panic_timeout panic_timeout -- true
refused 'more watches than debug registers' 1 'max_threads: no free debug register on CPU 0; it has four' record panic_timeout total_forks nr_threads jiffies_64 max_threads -- true
start_live -q total_forks nr_threads jiffies_64 max_threads
kw slots
is 'slots shows that none is free' "$status$err $(xargs <<<"$out")" '0 CPU FREE 0 0 1 0'
refused 'the message names who has perf events' 1 "for data and code; others with perf events: ksymwatch (pid $pid)" record panic_timeout -- true
kill $pid
wait $pid
refused 'no SPEC' 1 'missing SPEC' record -- true
for command in 'add panic_timeout' 'rm --all' list 'save file'; do
	# shellcheck disable=SC2086  # it is split into words
	kw $command
	fails "$command" 1 'watches last only as long as ksymwatch live, record, stat or top'
done
# Each task switch writes to the run queue. Its pieces take turns, so not all of that is seen.
cat >switch.sh <<'END'
switches() { awk '/^ctxt/ { print $2 }' /proc/stat; }
end=$(($(switches) + 3000))
until [[ $(switches) -gt $end ]]; do (true); done
exit 7
END
kw profile -q '(rq)runqueues:w' -- bash switch.sh
is 'the pieces of an object take turns' "$status$err $(awk '$1 ~ /^[0-9]+$/ && $6 == $4 && $4 > 0 && $7 + 0 > 0 && $7 + 0 < 100 { n++ }
	END { print (n > 5) }' <<<"$out")" '7 1'
contains 'with functions' "$(grep ' nr_switches ' <<<"$out")" ' __schedule '
# The last two pieces are the offsets of the CPUs, which the entry code reads.
first=$((0x$(awk '$3 == "__per_cpu_offset" { print $1 }' /proc/kallsyms) - 96))
kw profile -qa "$(printf '0x%x:rw' $first)" len=112 -- bash switch.sh
is 'those that x86 refuses have no turn' "$status$err $(awk '$1 ~ /^[0-9]+$/ && $2 == 8 { print $1, ($7 + 0 > 0) }' <<<"$out" | xargs)" \
	"7 $(for ((off = 0; off < 112; off += 8)); do echo "$off $((off < 96))"; done | xargs)"
kw profile -q '(task_struct)init_task.se' pid=99999 -- true
fails 'profile refuses what other commands do' 1 "$(ksym_errors <<<%NO_TASK%)"
for command in 'follow kmem_cache_alloc:ptr' 'hunt vfs_write arg1->f_pos'; do
	# shellcheck disable=SC2086  # it is split into words
	kw $command -- true
	fails "$command" 1 "${command%% *} needs the ksym tracer; perf and BPF point no breakpoint at new objects"
done
chmod 755 "$scratch"
setpriv --reuid 65534 --clear-groups ksymwatch live panic_timeout >out 2>err
status=$? out=$(<out) err=$(<err)
fails 'without root' 1 'run as root'
mkdir -p "/lib/modules/$(uname -r)"
# Where some distributions have it.
mv "/boot/config-$(uname -r)" "/lib/modules/$(uname -r)/config"
kw doctor
is 'doctor counts the registers, and finds the config' "$(sed -nE 's/^[a-zA-Z]+ +(debug registers|config) +//p' <<<"$out")" \
	"/lib/modules/$(uname -r)/config: 8 of 10 options
4, 4 free on each CPU"
contains 'the self-test of doctor passes' "$(grep self-test <<<"$out")" 'a watch on panic_timeout fired'

finish_guest

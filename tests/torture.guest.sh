#!/bin/bash
# shellcheck disable=SC2016  # $value, $comm and $retval are for the kernel
# Runs in the machine: torture.guest.sh AUDITS SEED [debuggers]
#
# Everything that uses watches happens at the same time, over and over, in an order that SEED
# determines as far as the machine does not. Meanwhile three auditors each make AUDITS
# watches of a variable of their own, one after the other, which all CPUs store to
# (tests/torture/ksym_torture.c). Each store that trapped must have been counted as a hit or as a
# miss, with its reason, and each hit must be in the buffer, be overwritten, or have been read.
# All else may fail, but must leave nothing behind.
#
# It prints each audit that does not come out even, then what was audited: the stores that trapped
# (armed), those whose trap the CPU lost, of which there must be none, and those outside, when no
# register watched: because the CPU came or went, because the watch was off, between two windows or
# two triggers, after its count=, over its limit= or its budget=, or in the turn of others.
set -u
audits=$1 seed=$2 debuggers=${3:-}
T=/sys/kernel/tracing
D=/sys/kernel/debug/ksym_torture
panic_timeout=/proc/sys/kernel/panic
cd $T || exit
insmod /mnt/ksym_torture.ko seed="$seed" || exit
mkdir /tmp/audits
# Says on the console how far the test is.
log() { [[ ! -v VERBOSE ]] || echo "torture: $*" >/dev/kmsg; }

# --- The auditors --------------------------------------------------------------------

# Sets the numbers of stores to the variable $1, see tests/torture/ksym_torture.c.
count_stores() {
	local number
	while read -r number trapped lost plugged off other; do [[ $number != "$1" ]] || return 0; done <$D/stores
	return 1
}

# Chooses one of its arguments.
choose() { chosen=${*:RANDOM % $# + 1:1}; }

# Chooses the line of a watch for the variable $1, and why stores are not armed while the watch is
# on; with the reason "none" there must be no such stores.
choose_line() {
	local option
	choose w w w rw r
	access=$chosen
	choose 1 2 4 8 8
	line="len=$chosen name=audit$1"
	choose 'budget=0 limit=0' 'budget=0 limit=0' '' budget=1% 'budget=0 limit=1/ms'
	line+=" $chosen"
	case $chosen in
	'budget=0 limit=0') reason=none ;;
	*limit=*) reason=limit ;;
	*) reason=budget ;;
	esac
	choose '' '' '' flexible
	[[ -z $chosen ]] || { line+=" $chosen" reason=turn; }
	choose '' '' changed every=3 every=~4 count=40 stack ustack wrote 'args v=$value:x64 c=$comm' \
		'if new & 1' 'if old > new' 'if common_cpu == 0'
	option=$chosen
	line+=" $option"
	[[ $option != count=* ]] || reason=count
	# These move the registers of all CPUs.
	case $((RANDOM % 8)) in
	0 | 1)
		reason=window
		line="arg1:$access in ksym_torture_open_$1 until ksym_torture_close_$1(arg1) $line"
		;;
	2)
		reason=retarget
		line="-1:$access $line"
		;;
	*) line="ksym_torture_$1:$access $line" ;;
	esac
	# A stack may have a record of its own.
	[[ $option == *stack* ]] && most=2 || most=1
}

# Does the row say that stores may have been outside for the reason?
is_possible() {
	case $reason in
	window | retarget) ;;
	none) false ;;
	count) ((hits >= 40)) || [[ $coverage != 100.0% ]] ;;
	*) [[ $coverage != 100.0% ]] ;;
	esac
}

# Sets or, with "!", removes triggers that move the watch as a window would.
move() { # variable, its instance, "!" or nothing
	[[ $reason == retarget ]] || return 0
	echo "$3set_wprobe:ksym/audit$1:var" >>"$2/events/torture/open$1/trigger"
	echo "$3clear_wprobe:ksym/audit$1:var" >>"$2/events/torture/close$1/trigger"
}

# Reads the row of the watch $1. Sets hits, missed, coverage, all to the row, and stale to the
# accesses that may have been at an earlier object: STALE, or LIMITED if the limit was exceeded, too.
read_counts() {
	local -a row
	hits=none stale=0 coverage=
	while read -r -a row; do
		[[ ${row[0]} == "$1" ]] || continue
		all=${row[*]} hits=${row[1]} coverage=${row[-1]} stale=$((row[10] + row[11]))
		# From DISABLED to SKIPPED.
		missed=$((row[6] + row[7] + row[8] + row[9] + row[10] + row[11] + row[12] + row[13] + row[14]))
	done <trace_stat/ksym_tracer
}

# Sets recorded to the number of records that were made in the instance $1.
count_records() {
	local file word number rest
	recorded=0
	for file in "$1"/per_cpu/cpu*/stats; do
		while read -r word number rest; do
			case $word in
			entries: | overrun:) recorded=$((recorded + number)) ;;
			read) recorded=$((recorded + rest)) ;;
			esac
		done <"$file"
	done
}

# One of the things that may be done to an audited watch.
disturb() { # variable, its instance
	case $((RANDOM % 6)) in
	0)
		echo 1 >"$D/off$1"
		echo "-audit$1" >>ksym_trace_filter
		echo "+audit$1" >>ksym_trace_filter
		echo 0 >"$D/off$1"
		;;
	1) echo $((RANDOM % 60 + 4)) >"$2/buffer_size_kb" ;;
	2) dd "if=$2/trace_pipe" bs=64k count=1 iflag=nonblock ;;
	# All of a buffer that others fill faster has no end.
	3) head -c 20k "$2/trace" ;;
	4) echo $((RANDOM % 2)) >"$2/tracing_on" ;;
	*) echo $((RANDOM % 2)) >"$2/events/ksym/audit$1/enable" ;;
	esac >/dev/null 2>&1
}

declare -A sum

audit() { # variable
	local line said chosen most reason access hits missed stale coverage all own=0 recorded wanted name
	local trapped lost plugged off other
	local -A before=()
	local instance=instances/audit$1
	mkdir "$instance"
	echo $((RANDOM % 60 + 4)) >"$instance/buffer_size_kb"
	# Lines about storms would count as records.
	echo notrace_printk >"$instance/trace_options"
	choose_line "$1"
	echo 1 >"$D/pause$1"
	count_stores "$1"
	for name in trapped lost plugged off other; do before[$name]=${!name}; done
	# Others may have all slots.
	until said=$({ echo "$line" >>ksym_trace_filter; } 2>&1); do
		[[ $said == *'No space left on device' ]] || { echo "$line: $said"; break; }
		sum[refused]=$((sum[refused] + 1))
	done
	# Hits count for all instances, and records only in this one.
	echo 0 >"events/ksym/audit$1/enable"
	((RANDOM % 8 == 0)) || echo 1 >"$instance/events/ksym/audit$1/enable"
	move "$1" "$instance" ''
	echo 0 >"$D/pause$1"
	for ((wanted = RANDOM % 4; wanted > 0; wanted--)); do disturb "$1" "$instance"; done
	count_stores "$1"
	# Some audits last until the watch is over its budget.
	choose 50 50 50 2000
	wanted=$((trapped + other + off + plugged + chosen))
	while count_stores "$1" && ((trapped + other + off + plugged < wanted)); do disturb "$1" "$instance"; done
	if ((RANDOM % 2)); then
		echo 1 >"$D/off$1"
		echo "-audit$1" >>ksym_trace_filter
	fi
	echo 1 >"$D/pause$1"
	count_stores "$1"
	read_counts "audit$1"
	count_records "$instance"
	for name in trapped lost plugged off other; do printf -v "$name" %d $((${!name} - before[$name])); done
	# The tracer reads an object that a watch is pointed at. That traps if this CPU still watches it from
	# the time before.
	[[ $reason != window && $reason != retarget || $access == w ]] || own=$stale
	if [[ $hits == none ]]; then
		echo "no counts: $line"
		hits=0
	elif ((trapped + own < hits + missed || trapped > hits + missed)); then
		echo "$trapped stores trapped, but $hits hits and $missed misses: $line: $all"
	elif ((recorded < hits || recorded > most * hits)); then
		echo "$hits hits, but $recorded records: $line: $all"
	fi
	((other == 0)) || is_possible || echo "$other stores were not armed: $line: $all"
	((lost == 0)) || echo "$lost armed stores did not trap: $line: $all"
	sum[audits]=$((sum[audits] + 1)) sum[armed]=$((sum[armed] + trapped)) sum[hits]=$((sum[hits] + hits))
	sum[lost]=$((sum[lost] + lost)) sum[outside]=$((sum[outside] + plugged + off + other))
	sum[cpu]=$((sum[cpu] + plugged)) sum[off]=$((sum[off] + off)) sum[$reason]=$((sum[$reason] + other))
	# An instance in which the event is enabled or moved uses the watch.
	move "$1" "$instance" '!'
	rmdir "$instance" || echo "not removed: $instance"
	echo "!audit$1" >>ksym_trace_filter || echo "not removed: $line"
	echo 0 >"$D/off$1"
}

auditor() { # variable
	local i name
	for name in audits armed hits lost outside cpu off window retarget count limit budget turn none refused; do sum[$name]=0; done
	RANDOM=$((seed + $1))
	echo "p:torture/open$1 ksym_torture_open_$1 var=%di" >>kprobe_events
	echo "p:torture/close$1 ksym_torture_close_$1 var=%di" >>kprobe_events
	for ((i = 0; i < audits; i++)); do
		audit "$1"
		log "audit $1 $i"
	done 2>>/tmp/errors
	for name in "${!sum[@]}"; do echo "$name ${sum[$name]}"; done >"/tmp/audits/$1"
}

# --- Everything else ------------------------------------------------------------------

# Flexible watches stay for a while. There is one pinned one at a time, or an event of perf or of a
# debugger, since the auditors need three slots.
random_watch() {
	choose 4 5 6 7
	line="ksym_torture_$chosen:"
	choose w rw r
	line+="$chosen flexible name=chaos/v$((RANDOM % 6)) "
	choose '' '' "pid=$BASHPID" wrote 'if new > 5' 'changed stack' 'then traceoff' 'if old > 9 then snapshot' 'then signal=23'
	echo "$line$chosen" >>ksym_trace_filter
}
take_slot() {
	local status
	mkdir /tmp/slot || return
	choose pinned by_dynamic_events use_perf_mem use_ptrace ${debuggers:+use_gdb use_kgdb}
	try "$chosen" "$1"
	status=$?
	rmdir /tmp/slot
	return $status
}
pinned() {
	choose '' 'cpu=1' "pid=$BASHPID" "pid=$BASHPID inherit" 'limit=1/ms'
	echo "ksym_torture_4:rw name=chaos/pinned $chosen" >>ksym_trace_filter
	(:)
	echo '!chaos/pinned' >>ksym_trace_filter
}
by_dynamic_events() {
	echo 'w:chaos/dynamic w@ksym_torture_7:8' >>dynamic_events
	echo 1 >events/chaos/dynamic/enable
	(:)
	echo 0 >events/chaos/dynamic/enable
	echo -:chaos/dynamic >>dynamic_events
}
use_perf_mem() { perf stat -e "mem:0x$(awk '$3 == "total_forks" { print $1 }' /proc/kallsyms):w" -- true; }
use_ptrace() {
	/mnt/torture_ptrace 3
	case $? in
	0) ;;
	2) return 1 ;;
	*) echo 'a trap of a debugger is missing' >>/tmp/faults ;;
	esac
}
# It stops at each change of a program's variable.
use_gdb() {
	local said changes
	said=$(/mnt/gdb/lib/ld-linux-x86-64.so.2 --library-path /mnt/gdb/lib /mnt/gdb/gdb -batch -nx -ex 'set startup-with-shell off' \
		-ex 'watch *(int *)&counted' -ex run -ex continue -ex continue --args /mnt/torture_ptrace 0 2>&1)
	[[ $said != *'Could not insert hardware watchpoint'* ]] || return 1
	changes=$(grep -c '^New value = ' <<<"$said")
	((changes == 3)) || echo "gdb stopped at $changes changes of 3: ${said//$'\n'/, }" >>/tmp/faults
}
# kgdb stops all CPUs, and displaces a flexible watch. It takes locks that lockdep warns of.
use_kgdb() {
	local said
	[[ ! -e /proc/lockdep ]] || return 0
	said=$({ echo $((40000 + $1)) >$D/kgdb; } 2>&1)
	[[ -z $said || $said == *'No space left on device' ]] || echo "kgdb: $said" >>/tmp/faults
	[[ -z $said ]]
}
remove_some() { echo "!chaos/v$((RANDOM % 6))" >>ksym_trace_filter; }
switch_some() {
	echo "-chaos/v$((RANDOM % 6))" >>ksym_trace_filter
	echo '+chaos/*' >>ksym_trace_filter
}
windows() {
	local until=' until kmem_cache_free(arg2)'
	# With a thread for each CPU, QEMU runs an old translation of what is patched there, as all CPUs
	# run it all the time.
	[[ -z $debuggers ]] || until=
	choose 'panic_timeout:w in proc_dointvec flexible len=4' 'arg1->f_mode in __fput flexible objects=2' \
		"\$retval->f_mode in alloc_empty_file$until objects=1 flexible"
	echo "$chosen name=window/w" >>ksym_trace_filter
	write 7
	echo '!window/w' >>ksym_trace_filter
}
# Paths with pointers, and copies of each CPU.
paths() {
	choose '(task_struct)init_task.nsproxy->uts_ns->name.domainname len=1' '(rq)runqueues.curr->on_cpu:rw' \
		'(rq)runqueues.nr_running' '(task_struct)init_task.comm[3]'
	echo "$chosen flexible name=path/p" >>ksym_trace_filter
	(:)
	echo '!path/p' >>ksym_trace_filter
}
# These stay, so only the first try of one succeeds.
define_panic() { echo 'panic_timeout:w len=4 wrote stack ustack flexible name=chaos/panic' >>ksym_trace_filter; }
define_threads() { echo 'nr_threads:rw len=4 changed flexible name=chaos/threads' >>ksym_trace_filter; }
# Each hit of one watch moves another.
retarget() {
	echo '-1:rw len=4 flexible name=move/m' >>ksym_trace_filter
	choose 'set_wprobe:move/m:addr' 'set_wprobe:move/m:addr:timeout=1ms' 'set_wprobe:move/m:addr:3'
	line=$chosen
	echo "$line" >events/chaos/panic/trigger
	echo 'clear_wprobe:move/m' >events/chaos/threads/trigger
	write 3
	echo '!clear_wprobe:move/m' >events/chaos/threads/trigger
	echo "!$line" >events/chaos/panic/trigger
	echo '!move/m' >>ksym_trace_filter
}
write() { echo $((40000 + $1)) >$panic_timeout; (:); }
read_all() {
	head -c 20k trace
	cat trace_stat/ksym_* dynamic_events ksym_trace_filter ksym_slots events/chaos/*/format
}
# What waits for a record is ended by a signal.
pipe() {
	dd if=trace_pipe bs=4k count=1 iflag=nonblock
	cat trace_pipe &
	(:)
	kill $!
	wait $!
	echo 1 >tracing_on
}
tracers() {
	local status
	choose ksym_tracer ksym_tracer function function_graph
	echo 'proc_do*' >set_ftrace_filter
	echo "$chosen" >current_tracer && write 2 && head -c 20k trace
	status=$?
	echo nop >current_tracer
	return $status
}
instance() {
	mkdir instances/chaos
	echo 1 >instances/chaos/events/chaos/enable
	echo snapshot >instances/chaos/events/chaos/panic/trigger
	write 1
	head -c 20k instances/chaos/trace
	rmdir instances/chaos
}
trigger() {
	echo 'hist:keys=ip' >events/chaos/panic/trigger
	echo 'new > 0' >events/chaos/panic/filter
	echo '!hist:keys=ip' >events/chaos/panic/trigger
}
use_perf() { perf stat -e chaos:panic -- sh -c "echo 39000 >$panic_timeout"; }
storm() {
	local i
	for i in 1 2 3 4 5 6 7 8; do (:) & done
	wait
	for i in 1 2 3 4; do /bin/true; done
}
module() {
	echo 'ksym_mod:ksym_mod_var name=chaos/mod flexible' >>ksym_trace_filter
	insmod /selftests/ksym/ksym_mod/ksym_mod.ko
	rmmod ksym_mod
}
# More stores at a time, or fewer.
burst() { echo $((1 << (RANDOM % 7 + 3))) >/sys/module/ksym_torture/parameters/burst; }
resize() { echo $((RANDOM % 100 + 4)) >buffer_size_kb; }
plug() {
	echo 0 >"/sys/devices/system/cpu/cpu$((RANDOM % 3 + 1))/online"
	echo 1 >"/sys/devices/system/cpu/cpu$((RANDOM % 3 + 1))/online"
}

jobs=(random_watch random_watch take_slot take_slot remove_some switch_some windows paths define_panic define_threads retarget
	write read_all pipe tracers instance trigger use_perf storm module resize burst plug plug)

# Does the job $1 for the worker $2, and notes whether it succeeded.
try() {
	local status=0
	"$1" "$2" >/dev/null 2>&1 || status=$?
	((status)) || echo "$1" >>"/tmp/done$2"
	echo "$1" >>"/tmp/tried$2"
	return $status
}

# Some workers do these in a random order, so that any of them meet, also with themselves. With
# a process for each of them, nobody would get anywhere.
worker() { # its number
	local chosen line
	RANDOM=$((seed + 100 + $1))
	while [[ ! -e /tmp/ended ]]; do
		choose "${jobs[@]}"
		try "$chosen" "$1"
		sleep 0.01
	done
}

[[ -z $debuggers ]] || use_kgdb 0 || exit
for i in 1 2 3 4 5; do worker $i & done
auditors=()
for i in 0 1 2; do
	auditor $i &
	auditors+=($!)
done
for auditor in "${auditors[@]}"; do wait "$auditor" || echo 'an auditor ended early'; done
: >/tmp/ended
log ended
wait
[[ ! -e /tmp/faults ]] || sort -u /tmp/faults
# A job that always fails tests nothing.
sort /tmp/tried* | uniq -c | while read -r number name; do
	succeeded=$(cat /tmp/done* | grep -cx "$name")
	log "$name: $succeeded of $number"
	((number < 10 || succeeded > 0)) || echo "never succeeded: $name"
done

# In the end everything can be removed, and the four slots are free.
for i in 1 2 3; do echo 1 >/sys/devices/system/cpu/cpu$i/online; done 2>/dev/null
for file in events/*/*/trigger; do
	[[ $file != events/chaos/* ]] || while read -r line; do
		[[ $line == '#'* ]] || echo "!${line% \[*}" >"$file"
	done <"$file"
done
[[ ! -d instances/chaos ]] || rmdir instances/chaos
echo >kprobe_events || exit
rmmod ksym_torture || exit
echo >ksym_trace_filter || exit
printf 'panic_timeout+%d:w len=1\n' 0 1 2 3 >>ksym_trace_filter || exit
write 5
[[ $(wc -l <ksym_trace_filter) == 4 ]] || exit
echo >ksym_trace_filter || exit
[[ -z $(cat ksym_trace_filter dynamic_events) ]] || exit
cat /tmp/audits/* | awk '{ sum[$1] += $2 }
	END {
		n = split("audits armed hits lost outside cpu off window retarget count limit budget turn refused", name)
		for (i = 1; i <= n; i++) printf "%s=%d%s", name[i], sum[name[i]], i < n ? " " : "\n"
	}'

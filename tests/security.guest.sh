#!/bin/bash
# Runs in the machine of vm-security.sh.
set -uo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# Most commands must fail here.
set +e
cd /sys/kernel/tracing || exit

fails_with() { # NAME ERROR COMMAND
	local said
	said=$(LC_ALL=C bash -c "$3" 2>&1)
	case $?:$said in
	0:*) not_ok "$1" 'it succeeds' ;;
	*"$2"*) ok "$1" ;;
	*) not_ok "$1" "$said" ;;
	esac
}

# --- A watch of a task does not see another task ---------------------------------------

mkfifo "$scratch/begin"
/ksym/tasks <"$scratch/begin" >"$scratch/ids" &
tasks=$!
exec 7>"$scratch/begin"
until (($(wc -w <"$scratch/ids") == 64)); do sleep 0.05; done
alone=$(awk 'NF == 1 { print $1; exit }' "$scratch/ids")
read -r first second < <(awk 'NF == 2' "$scratch/ids")
for id in $alone $first $second; do
	echo "panic_timeout:w name=task_$id pid=$id limit=0 budget=0" >>ksym_trace_filter
done
exec 7>&-
wait $tasks
is 'the tasks write' $? 0
for id in $alone $first $second; do
	is "a task of 64 is hit by itself only" "$(sed -nE "s/^.*-([0-9]+) +\[.* task_$id: .*/\1/p" trace | sort | uniq -c | xargs)" \
		"100 $id"
done
echo >ksym_trace_filter
echo >trace

# --- Addresses are shown to those who see them in kallsyms -------------------------------

# A watch of each kind that has addresses, and the errors that may have some.
for line in '(task_struct)init_task.nsproxy->count:w name=follows' '(rq)runqueues.curr->on_cpu name=copies flexible' \
	'(rq)runqueues.nr_running name=counts flexible'; do
	echo "$line" >>ksym_trace_filter
done
is 'watches through pointers, and of copies' "$(grep -cE 'name=(follows|copies|counts)' ksym_trace_filter)" 3
cause_errors() {
	echo >error_log
	for line in 'init_task:w len=40' 'state:w' "$banner:w"; do echo "$line" >>ksym_trace_filter; done 2>/dev/null
}
# What the writer of a line gave is not told to others.
addresses() {
	cat ksym_trace_filter ksym_slots trace_stat/ksym_* error_log dynamic_events \
		events/ksym/*/trigger /proc/sys/kernel/hw_breakpoint_flexible |
		grep -v '^ *Command:' | grep -E '0x[0-9a-f]{16}|ffff[0-9a-f]{12}'
}
banner=$(awk '$3 == "linux_banner" { print "0x" $1 }' /proc/kallsyms)
cause_errors
contains 'root sees addresses' "$(addresses)" 0xffff
echo 2 >/proc/sys/kernel/kptr_restrict
cause_errors
is 'with kptr_restrict=2 nobody does' "$(addresses)" ''
echo 0 >/proc/sys/kernel/kptr_restrict

# --- Without privileges ------------------------------------------------------------------

as_nobody() { chroot --userspec=65534:65534 --skip-chdir / "$@" 2>/dev/null; }
mount -o remount,mode=755 /sys/kernel/tracing
for paranoid in 2 1 0; do
	echo $paranoid >/proc/sys/kernel/perf_event_paranoid
	as_nobody /ksym/open_event "$(<events/ksym/follows/id)"
	# EACCES or EPERM
	contains "perf_event_paranoid=$paranoid: nobody can't open the event" ' 1 13 ' " $? "
done
for file in ksym_trace_filter ksym_slots trace_stat/ksym_tracer events/ksym/follows/{enable,filter,format,id,trigger}; do
	[[ -e $file ]] || not_ok "$file is missing"
	as_nobody cat "$file" >"$scratch/out"
	is "nobody can't read $file" "$? $(<"$scratch/out")" '1 '
	as_nobody sh -c "echo 0 >$file"
	is 'nor write it' $? 2
done
as_nobody sh -c 'echo 1 >/proc/sys/kernel/hw_breakpoint_flexible'
is 'nor the sysctl' $? 2

# --- Lockdown ----------------------------------------------------------------------------

# integrity forbids to change the kernel, and leaves tracefs open, also to kprobes.
echo integrity >/sys/kernel/security/lockdown
contains 'the kernel is locked down' "$(</sys/kernel/security/lockdown)" '[integrity]'
echo 'panic_timeout:w' >>ksym_trace_filter
is 'integrity: a watch is defined' "$(grep -c '^panic_timeout:w' ksym_trace_filter)" 1
echo >trace
echo 40000 >/proc/sys/kernel/panic
contains 'and records' "$(<trace)" ' -> 0x9c40 '
echo confidentiality >/sys/kernel/security/lockdown
dmesg -C
for file in ksym_trace_filter dynamic_events; do
	fails_with "confidentiality: $file can't be written" 'Operation not permitted' "echo nr_threads:w >>$file"
done
for file in ksym_trace_filter ksym_slots trace_stat/ksym_tracer trace; do
	fails_with "nor can $file be read" 'Operation not permitted' ": <$file"
done
contains 'the log has the reason' "$(dmesg)" 'use of tracefs is restricted'
finish

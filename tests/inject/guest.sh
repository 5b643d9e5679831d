#!/bin/bash
# Runs in the machine: inject.sh FUNCTION…
#
# Lets each call of the functions fail during a request (inject.c) and, where the kernel can do that,
# each allocation. In the end nothing may be left.
set -u
cd /sys/kernel/tracing || exit

# A histogram has some allocations for each of its elements, and an instance for each event. Without
# memory, the event core goes on without the fields of an event, so that a filter is not accepted
# (EINVAL), and BPF says ELOOP for the types of a module.
cat >/tmp/cases <<END
case define
do write ksym_trace_filter nr_threads:w len=4 name=inject\n
after write ksym_trace_filter !inject\n
case define with everything
errno 22
do write ksym_trace_filter nr_threads:rw len=4 name=inject cpu=0-1 limit=7/ms budget=5% every=3 count=9 changed wrote stack ustack args c=\$comm v=@max_threads:u32 if new > 1 then snapshot\n
after write ksym_trace_filter !inject\n
case define with a condition, without which this program would be killed
errno 22
do write ksym_trace_filter sysctl_oom_dump_tasks:w len=4 name=inject if new > 9 then signal=9\n
after write /proc/sys/vm/oom_dump_tasks 1\n
after write ksym_trace_filter !inject\n
case define of several pieces
do write ksym_trace_filter init_task:rw len=24 name=inject\n
after write ksym_trace_filter !inject\n
case define flexible, of a type
do write ksym_trace_filter (rq)runqueues.curr->on_cpu name=inject flexible\n
after write ksym_trace_filter !inject\n
case define of a task
do write ksym_trace_filter nr_threads:w len=4 name=inject pid=1 inherit\n
after write ksym_trace_filter !inject\n
case define wide
do write ksym_trace_filter init_uts_ns:w len=256 name=inject flexible\n
after write ksym_trace_filter !inject\n
case define for a module that is not there
do write ksym_trace_filter ksym_mod:ksym_mod_var:rw len=4 name=inject\n
after write ksym_trace_filter !inject\n
case define a window
do write ksym_trace_filter arg1->f_mode in __fput name=inject objects=2\n
after write ksym_trace_filter !inject\n
case define a window with an end
do write ksym_trace_filter \$retval->f_mode in alloc_empty_file until __fput(arg1) name=inject timeout=5ms\n
after write ksym_trace_filter !inject\n
case define several
do write ksym_trace_filter nr_threads:w len=4 name=inject\nmax_threads:w len=4 name=other\n
after write ksym_trace_filter !inject\n!other\n
case share
before write ksym_trace_filter nr_threads:w len=4 name=other\n
do write ksym_trace_filter nr_threads:w len=4 name=inject\n
after write ksym_trace_filter !inject\n!other\n
case replace
before write ksym_trace_filter nr_threads:w len=4 name=other\n
do write ksym_trace_filter !other\nmax_threads:w len=4 name=inject\n
after write ksym_trace_filter !inject\n
case remove
before write ksym_trace_filter nr_threads:w len=4 name=inject\n
do write ksym_trace_filter !inject\n
case switch on
before write ksym_trace_filter (task_struct)init_task.nsproxy->count name=inject off\n
do write ksym_trace_filter +inject\n
after write ksym_trace_filter !inject\n
case define in dynamic_events
do write dynamic_events w:ksym/inject w@nr_threads:4 c=\$comm\n
after write dynamic_events -:ksym/inject\n
case enable
before write dynamic_events w:ksym/inject w@nr_threads:4\n
do write events/ksym/inject/enable 1\n
after write events/ksym/inject/enable 0\n
after write dynamic_events -:ksym/inject\n
case filter
before write ksym_trace_filter nr_threads:w len=4 name=inject\n
do write events/ksym/inject/filter new > 3 && comm == "bash"\n
after write events/ksym/inject/filter 0\n
after write ksym_trace_filter !inject\n
case histogram
most 50
before write ksym_trace_filter nr_threads:w len=4 name=inject\n
do write events/ksym/inject/trigger hist:keys=ip:size=128\n
after write events/ksym/inject/trigger !hist:keys=ip:size=128\n
after write ksym_trace_filter !inject\n
case trigger that moves
before write ksym_trace_filter -1:w len=4 name=inject\n
do write events/kmem/kmem_cache_alloc/trigger set_wprobe:ksym/inject:ptr:timeout=5ms if bytes_req == 232\n
after write events/kmem/kmem_cache_alloc/trigger !set_wprobe:ksym/inject:ptr\n
after write ksym_trace_filter !inject\n
case trigger that moves, of a type
before write ksym_trace_filter -1:w len=4 name=inject\n
do write events/kmem/kmem_cache_alloc/trigger set_wprobe:ksym/inject:(task_struct)ptr->exit_code if bytes_req == 232\n
after write events/kmem/kmem_cache_alloc/trigger !set_wprobe:ksym/inject:(task_struct)ptr->exit_code\n
after write ksym_trace_filter !inject\n
case read the slots
before write ksym_trace_filter nr_threads:w len=4 name=inject\n
do read ksym_slots
after write ksym_trace_filter !inject\n
case instance
most 50
before write ksym_trace_filter nr_threads:w len=4 name=inject\n
do mkdir instances/inject
after rmdir instances/inject
after write ksym_trace_filter !inject\n
case module with a watch
errno 40
before write ksym_trace_filter ksym_mod:ksym_mod_var:rw len=4 name=inject\n
do load /selftests/ksym/ksym_mod/ksym_mod.ko
after unload ksym_mod
after write ksym_trace_filter !inject\n
case watch of kernel code
do load $(modinfo -n ksym_sample)
after unload ksym_sample
END

# Lets a CPU come online without $1, which is what fails, as the file $2 says, with the error $3.
hotplug() {
	local online=/sys/devices/system/cpu/cpu1/online name
	printf '%s\n' nr_threads:w\ len=4 total_forks:w\ flexible >ksym_trace_filter
	dmesg --clear
	/ksym/inject "$2" "$3" <<-END
		case hotplug: a CPU comes online without $1
		before write $online 0
		do write $online 1
		after write $online 0
		after write $online 1
	END
	for name in nr_threads total_forks; do
		dmesg | grep -q "ksym: $name: CPU 1 came online and is not covered: error -$3" ||
			echo "hotplug without $1: the log does not name $name"
	done
	echo >ksym_trace_filter
}

# A probe that became a jump can't keep the function from being entered.
echo 0 >/proc/sys/debug/kprobes-optimization
for function; do
	errno=28 returned=-28
	case $function in
	# It returns the number of a type, or none if there is no more.
	register_trace_event) errno=19 returned=0 ;;
	# Other errors mean that the function can't be probed, and are told so.
	register_kretprobe | register_kprobe) errno=12 returned=-12 ;;
	pcpu_alloc_noprof) errno=12 returned=0 ;;
	esac
	insmod /mnt/ksym_fail.ko function="$function" error=$returned || exit
	sed "s/^case /&$function: /" /tmp/cases | /ksym/inject /sys/module/ksym_fail/parameters/nth $errno || exit
	case $function in
	*_kernel_counter | *_reserved_hw_breakpoint) hotplug "$function" /sys/module/ksym_fail/parameters/nth $errno ;;
	esac
	rmmod ksym_fail
done
# A buffer with an armed snapshot can't be mapped.
/selftests/ksym/ksym_mapped per_cpu/cpu0/trace_pipe_raw true || echo "the snapshot is still armed"
[ -e /proc/thread-self/fail-nth ] || exit 0

for kind in failslab fail_page_alloc; do
	# The requests may sleep, and so may the allocations that fail.
	echo N >/sys/kernel/debug/$kind/ignore-gfp-wait
	echo 0 >/sys/kernel/debug/$kind/verbose
done
echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
# Where it gets no memory for a trace event, the event core says ENODEV.
sed 's/^case /&memory: /' /tmp/cases | /ksym/inject /proc/thread-self/fail-nth 12 19 || exit

# The thread of a CPU brings all subsystems up there. Only the tracer's part is to fail.
read -r from to < <(awk '$3 == "ksym_cpu_online" { from = $1; next } from { print from, $1; exit }' /proc/kallsyms)
for kind in failslab fail_page_alloc; do
	echo "0x$from" >/sys/kernel/debug/$kind/require-start
	echo "0x$to" >/sys/kernel/debug/$kind/require-end
done
cpuhp=$(pgrep -x cpuhp/1)
hotplug memory "/proc/$cpuhp/task/$cpuhp/fail-nth" 12

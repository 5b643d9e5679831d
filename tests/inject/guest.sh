#!/bin/bash
# Runs in the machine: inject.sh FUNCTION…
#
# Lets each call of the functions fail during a request (inject.c). In the end nothing may be left.
set -u
cd /sys/kernel/tracing || exit

cat >/tmp/cases <<END
case define
do write ksym_trace_filter nr_threads:w len=4 name=inject\n
after write ksym_trace_filter !inject\n
case define with everything
do write ksym_trace_filter nr_threads:rw len=4 name=inject cpu=0-1 limit=7/ms budget=5% every=3 count=9 changed wrote stack ustack args c=\$comm v=@max_threads:u32 if new > 1 then snapshot\n
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
before write ksym_trace_filter nr_threads:w len=4 name=inject\n
do write events/ksym/inject/trigger hist:keys=ip\n
after write events/ksym/inject/trigger !hist:keys=ip\n
after write ksym_trace_filter !inject\n
case trigger that moves
before write ksym_trace_filter -1:w len=4 name=inject\n
do write events/kmem/kmem_cache_alloc/trigger set_wprobe:ksym/inject:ptr:timeout=5ms if bytes_req == 232\n
after write events/kmem/kmem_cache_alloc/trigger !set_wprobe:ksym/inject:ptr\n
after write ksym_trace_filter !inject\n
case instance
before write ksym_trace_filter nr_threads:w len=4 name=inject\n
do mkdir instances/inject
after rmdir instances/inject
after write ksym_trace_filter !inject\n
case module with a watch
before write ksym_trace_filter ksym_mod:ksym_mod_var:rw len=4 name=inject\n
do load /selftests/ksym/ksym_mod/ksym_mod.ko
after unload ksym_mod
after write ksym_trace_filter !inject\n
case watch of kernel code
do load $(modinfo -n ksym_sample)
after unload ksym_sample
END

# A probe that became a jump can't keep the function from being entered.
echo 0 >/proc/sys/debug/kprobes-optimization
for function; do
	insmod /mnt/ksym_fail.ko function="$function" error=-28 || exit
	sed "s/^case /&$function: /" /tmp/cases | /ksym/inject /sys/module/ksym_fail/parameters/nth || exit
	rmmod ksym_fail
done

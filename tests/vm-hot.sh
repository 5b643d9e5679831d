#!/bin/bash
# No watch may take the machine down. This watches the variables that the kernel accesses
# most, and those of the tracer, the ring buffer and the clocks, one after the other, with
# the default options and with all of them, while sched_switch and the function tracer record. A
# fixed amount of work must take less than ten times as long as without a watch, and less than 5 s.
# Time is counted in instructions, so the load of the host does not matter.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=scripts/rounds.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/rounds.sh"

if has_checkers; then
	skip 'watches on what the kernel accesses most' 'a target takes over a minute with checkers, and a hit more than its budget'
	finish
fi

# HOT=FILE and OPTIONS='limit=0 budget=0' set other targets and options, for example to see
# the effect without a limit.
if [[ -n ${HOT:-} ]]; then
	cp "$HOT" "$scratch/targets"
else
	cat >"$scratch/targets" <<'TARGETS'
# the ring buffer
(trace_array)global_trace.array_buffer.buffer->buffers[0]->commit_page global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[1]->commit_page global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->tail_page global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->head_page global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->reader_page global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->commits global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[1]->commits global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->committing global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[1]->committing global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->entries_bytes global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->current_context global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->nest global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->write_stamp global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->before_stamp global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->event_stamp[0] global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->record_disabled global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->irq_work.full_waiters_pending global_trace
(trace_array)global_trace.array_buffer.buffer->buffers[0]->tail_page->write global_trace
(trace_array)global_trace.array_buffer.buffer->record_disabled global_trace
(trace_array)global_trace.array_buffer.buffer->clock global_trace
# members of global_trace, and other state of tracing
(trace_array)global_trace.trace_flags global_trace
(trace_array)global_trace.buffer_disabled global_trace
(trace_array)global_trace.current_trace global_trace
(trace_array)global_trace.array_buffer.buffer global_trace
(trace_array)global_trace.function_enabled global_trace
(trace_array)global_trace.ops global_trace
trace_buffered_event
trace_buffered_event_cnt
trace_taskinfo_save
ftrace_stack_reserve
ftrace_ops_list
function_trace_op
tracing_disabled
event_mutex
trace_types_lock
dyn_event_list
# per CPU
(pcpu_hot)pcpu_hot.current_task pcpu_hot
(pcpu_hot)pcpu_hot.preempt_count pcpu_hot
(pcpu_hot)pcpu_hot.cpu_number pcpu_hot
(pcpu_hot)pcpu_hot.top_of_stack pcpu_hot
(pcpu_hot)pcpu_hot.hardirq_stack_ptr pcpu_hot
(pcpu_hot)pcpu_hot.softirq_pending pcpu_hot
# separate variables in 7.3
__preempt_count
current_task
cpu_number
cpu_current_top_of_stack
irq_stat
cpu_info
bp_per_reg
hw_breakpoint_traps
# time
jiffies
jiffies_64
tk_core
hrtimer_bases
timer_bases
tick_cpu_sched
tick_next_period
# locks, RCU, printk
tasklist_lock
rcu_state
rcu_data
raised_list
lazy_list
console_printk
oops_in_progress
prb
# the scheduler
(rq)runqueues.nr_running runqueues
(rq)runqueues.curr runqueues
(rq)runqueues.clock runqueues
(rq)runqueues.nr_switches runqueues
kernel_cpustat
(vm_event_state)vm_event_states vm_event_states
total_forks
nr_threads
init_mm
# perf and the tracer
perf_cpu_context
ksym_clock
ksym_all_traps
ksym_parked_var
known_insns
ksym_traps_mutex
dead_traps
TARGETS
fi

VM_CPUS=2 VM_TIMEOUT=${VM_TIMEOUT:-900} VM_ICOUNT=0 \
	VM_EXTRA="$KSYM_ROOT/tests/hot.guest.sh:/hot.sh $scratch/targets:/targets" \
	CMD="OPTIONS='${OPTIONS-}' bash /hot.sh </targets" "$KSYM_ROOT/scripts/vm.sh" | tee "$scratch/out"
[[ -n ${HOT:-}${OPTIONS:-} ]] || record_once hot "$(awk '
	/ hits, .* limited, coverage / { watches++; for (i = 2; i <= NF; i++) if ($i == "hits,") hits += $(i - 1) }
	END { printf "watches=%d hits=%d", watches, hits }' "$scratch/out")"

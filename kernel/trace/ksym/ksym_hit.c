// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hit: what happens in the #DB.
 *
 * The trap comes after the access and is NMI-like: it may stand in any code,
 * under any lock. So nothing here takes a lock, allocates, sleeps or looks a
 * name up. The debug registers are off meanwhile: the reads here do not trap.
 */
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include "ksym.h"

/*
 * Reads what is watched. The memory is there, or the watch would not be; but
 * an address may be given that is not mapped, and a #PF from here is no option.
 * copy_from_kernel_nofault() would ask for each hit whether the address is one
 * of the kernel's, which was asked when the watch was made.
 */
static __always_inline int read_value_nmi(const struct ksym_watch *watch, u64 *val)
{
	const void *addr = (const void *)watch->addr;

	/* Little-endian, so a short value is the low end of a long one. */
	*val = 0;
	pagefault_disable();
	switch (watch->len) {
	case 1:
		__get_kernel_nofault(val, addr, u8, fault);
		break;
	case 2:
		__get_kernel_nofault(val, addr, u16, fault);
		break;
	case 4:
		__get_kernel_nofault(val, addr, u32, fault);
		break;
	default:
		__get_kernel_nofault(val, addr, u64, fault);
	}
	pagefault_enable();
	return 0;
fault:
	pagefault_enable();
	return -EFAULT;
}

/* What every hit passes through is inlined: a call costs more than it does. */
static __always_inline void count_nmi(struct ksym_watch *watch, enum ksym_count count)
{
	this_cpu_inc(watch->counts->n[count]);
}

static __always_inline void count_hit_nmi(struct ksym_watch *watch, const struct ksym_hit *hit)
{
	count_nmi(watch, KSYM_COUNT_HITS);
	if (hit->access & KSYM_READ)
		count_nmi(watch, KSYM_COUNT_READS);
	if (hit->access & KSYM_WRITE)
		count_nmi(watch, KSYM_COUNT_WRITES);
	if (!hit->access)
		count_nmi(watch, KSYM_COUNT_UNKNOWN);
	if (hit->old != hit->new)
		count_nmi(watch, KSYM_COUNT_CHANGES);
}

/**
 * ksym_hit_seed - read the value that the first hit has as its old one
 * @watch: not armed yet
 *
 * Any context.
 *
 * Return: 0, or -EFAULT where the memory can't be read.
 */
int ksym_hit_seed(struct ksym_watch *watch)
{
	u64 val;

	if (read_value_nmi(watch, &val))
		return -EFAULT;
	atomic64_set(&watch->shadow, val);
	return 0;
}

/* Hands the hit to each probe of the watch's tracepoint. */
static __always_inline void call_probes_nmi(struct ksym_hit *hit)
{
	struct ksym_watch *watch = hit->watch;
	struct tracepoint_func *func;

	/* As a tracepoint does: preemption is off, so the array stands. */
	func = rcu_dereference_sched(watch->tp.funcs);
	if (!func) {
		count_nmi(watch, KSYM_COUNT_DISABLED);
		return;
	}
	do {
		((ksym_probe_t)func->func)(func->data, hit);
	} while ((++func)->func);

	if (hit->recorded)
		count_hit_nmi(watch, hit);
	else if (hit->filtered)
		count_nmi(watch, KSYM_COUNT_FILTERED);
	else
		count_nmi(watch, KSYM_COUNT_NOBUFFER);
}

/*
 * A hit of a watch with count=. The one that takes the last of those that are
 * left keeps it until the hit is recorded; so there may be a moment in which
 * there seems to be none left, but there are never more than were asked for.
 */
static noinline void call_probes_counted_nmi(struct ksym_hit *hit,
					     struct ksym_trap *trap)
{
	struct ksym_watch *watch = hit->watch;

	if (atomic64_dec_if_positive(&watch->left) < 0) {
		count_nmi(watch, KSYM_COUNT_LIMITED);
		return;
	}
	call_probes_nmi(hit);
	if (!hit->recorded)
		atomic64_inc(&watch->left);
	else if (ksym_watch_is_done(watch))
		irq_work_queue(&trap->done_irq_work);
}

NOKPROBE_SYMBOL(call_probes_counted_nmi);

static __always_inline void hit_watch_nmi(struct ksym_watch *watch,
					  struct ksym_trap *trap,
					  struct pt_regs *regs)
{
	struct ksym_hit hit = {
		.watch	= watch,
		.regs	= regs,
		/*
		 * A register that traps writes only says that this was one.
		 * One that traps both does not say which it was.
		 */
		.access	= watch->access == KSYM_WRITE ? KSYM_WRITE : 0,
	};

	if (read_value_nmi(watch, &hit.new)) {
		count_nmi(watch, KSYM_COUNT_FAULT);
		return;
	}
	hit.old = atomic64_xchg(&watch->shadow, hit.new);

	if (unlikely(watch->opt.count))
		call_probes_counted_nmi(&hit, trap);
	else
		call_probes_nmi(&hit);
}

/**
 * ksym_hit_nmi - the overflow handler of a trap's perf events
 * @bp: the event of this CPU
 * @data: perf's sample, which nothing here needs
 * @regs: the registers after the access
 *
 * Each watch of the trap has the hit. What has no probe, or is recorded by none
 * of them, or is past a limit, is counted as missed, with the reason.
 *
 * Called in the #DB, NMI-like, with interrupts off.
 */
void ksym_hit_nmi(struct perf_event *bp, struct perf_sample_data *data,
		  struct pt_regs *regs)
{
	struct ksym_trap *trap = bp->overflow_handler_context;
	bool exceeded = trap->limit && ksym_limit_is_exceeded_nmi(trap, bp);
	struct ksym_watch *watch;

	/*
	 * Preemption is off in here anyway; but the probes subtract one from
	 * the count that they record.
	 */
	preempt_disable_notrace();
	list_for_each_entry_rcu(watch, &trap->watches, trap_node,
				rcu_read_lock_sched_held()) {
		if (exceeded)
			count_nmi(watch, KSYM_COUNT_LIMITED);
		else
			hit_watch_nmi(watch, trap, regs);
	}
	preempt_enable_no_resched_notrace();
}

NOKPROBE_SYMBOL(ksym_hit_nmi);

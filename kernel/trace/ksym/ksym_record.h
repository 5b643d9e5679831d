/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of a hit, and how it gets into the ring buffer. The handler inlines this:
 * it is the way of most hits, and passing a hit from function to function costs about
 * as much as recording it.
 */
#ifndef _KERNEL_TRACE_KSYM_RECORD_H
#define _KERNEL_TRACE_KSYM_RECORD_H

#include <linux/irqflags.h>
#include <linux/trace_events.h>

#include <asm/ksym.h>

#include "ksym_hit.h"

/*
 * A record has numbers only. Names are looked up when it is printed. The fields after
 * @len exist only for a watch with the option wrote, @owner only for one with a window,
 * which has room for the fields before it as well. The fetch arguments follow on a
 * boundary of eight bytes.
 */
struct ksym_entry {
	struct trace_entry	ent;
	u64			ip;
	u64			addr;
	u64			old;
	u64			new;
	u8			access;
	u8			torn;
	u16			len;
	u32			has_wrote;
	u64			wrote;
	pid_t			owner;
};

#define KSYM_ENTRY_SIZE	offsetofend(struct ksym_entry, len)

/* The length of the watch's records, without fetch arguments. */
static inline unsigned int ksym_entry_size(const struct ksym_watch *watch)
{
	if (watch->window)
		return offsetofend(struct ksym_entry, owner);
	return watch->opt.wrote ? offsetofend(struct ksym_entry, wrote) : KSYM_ENTRY_SIZE;
}

/*
 * Like tracing_gen_ctx(), for the context that the access was in: the handler's own
 * context is always an NMI. The caller has disabled preemption once, which is not part
 * of the access's context.
 */
static __always_inline unsigned int ksym_access_ctx_nmi(const struct pt_regs *regs)
{
	unsigned int pc = preempt_count() - IS_ENABLED(CONFIG_PREEMPT_COUNT);
	unsigned int flags = 0, migration = 0, soft;

	/* A #DB from user mode is no NMI, and has added nothing. */
	if (likely(pc & NMI_MASK))
		pc -= NMI_OFFSET + HARDIRQ_OFFSET;
	if (irqs_disabled_flags(regs->flags))
		flags |= TRACE_FLAG_IRQS_OFF;
	soft = IS_ENABLED(CONFIG_PREEMPT_RT) ? softirq_count() : pc & SOFTIRQ_MASK;
	if (unlikely(soft | (pc & (NMI_MASK | HARDIRQ_MASK)))) {
		/* An int3 counts as an NMI, too. */
		if (pc & NMI_MASK)
			flags |= TRACE_FLAG_NMI;
		if (pc & HARDIRQ_MASK)
			flags |= TRACE_FLAG_HARDIRQ;
		if (soft & SOFTIRQ_OFFSET)
			flags |= TRACE_FLAG_SOFTIRQ;
		if (soft >> (SOFTIRQ_SHIFT + 1))
			flags |= TRACE_FLAG_BH_OFF;
	}
	if (tif_need_resched())
		flags |= TRACE_FLAG_NEED_RESCHED;
	if (test_preempt_need_resched())
		flags |= TRACE_FLAG_PREEMPT_RESCHED;
#ifdef CONFIG_ARCH_HAS_PREEMPT_LAZY
	if (test_thread_flag(TIF_NEED_RESCHED_LAZY))
		flags |= TRACE_FLAG_NEED_RESCHED_LAZY;
#endif
	/* Four bits each for how deep preemption and migration are disabled. */
#ifdef CONFIG_SMP
	migration = current->migration_disabled;
#endif
	return flags << 16 | min(pc & PREEMPT_MASK, 0xfU) | min(migration, 0xfU) << 4;
}

static __always_inline void ksym_fill_entry_nmi(struct ksym_entry *entry,
						const struct ksym_hit *hit, unsigned long ip)
{
	entry->ip = ip;
	entry->addr = hit->addr;
	entry->old = hit->old;
	entry->new = hit->new;
	entry->access = hit->access;
	entry->torn = hit->torn;
	entry->len = hit->len;
}

/* The same, with the fields that only some watches have. */
static inline void ksym_fill_whole_entry_nmi(struct ksym_entry *entry,
					     const struct ksym_hit *hit)
{
	ksym_fill_entry_nmi(entry, hit, instruction_pointer(hit->regs));
	if (!hit->watch->opt.wrote && !hit->watch->window)
		return;
	entry->has_wrote = hit->has_wrote;
	entry->wrote = hit->has_wrote ? hit->wrote : 0;
	if (hit->watch->window)
		entry->owner = hit->owner;
}

/*
 * Counts a recorded hit of the instruction before @ip, and notes it for an oops. Nothing
 * else counts hits on this CPU meanwhile.
 */
static __always_inline void ksym_count_hit_nmi(const struct ksym_hit *hit, unsigned long ip)
{
	struct ksym_counts *counts = this_cpu_ptr(hit->watch->counts);
	bool changed = hit->old != hit->new || hit->changed_beside;
	unsigned long kind = hit->access + changed * KSYM_KIND_CHANGED;

	/*
	 * Other CPUs read these, for sums and in an oops. The increment is one instruction,
	 * of which WRITE_ONCE() would make three. A reader gets the count before or after.
	 */
	data_race(counts->recorded[kind]++);
	WRITE_ONCE(counts->ip[kind], ip);
	WRITE_ONCE(counts->old[kind], hit->old);
	WRITE_ONCE(counts->new[kind], hit->new);
	arch_ksym_store_cycles(&counts->when[kind]);
	WRITE_ONCE(counts->pid[kind], current->pid);
}

/*
 * Records a hit in the buffer of an event file for which trace_event_file_is_plain().
 * Returns false if the buffer has no room. Otherwise the hit is counted.
 */
static __always_inline bool ksym_record_nmi(struct trace_event_file *file,
					    const struct ksym_hit *hit)
{
	/* The reservation sets all of it, so the compiler need not clear it. */
	struct trace_event_buffer fbuffer __uninitialized;
	struct ksym_entry *entry;
	unsigned long ip;

	if (unlikely(!trace_event_reserve_plain(&fbuffer, file, KSYM_ENTRY_SIZE)))
		return false;
	entry = fbuffer.entry;
	tracing_generic_entry_update(&entry->ent, hit->watch->call.event.type,
				     ksym_access_ctx_nmi(hit->regs));
	ip = instruction_pointer(hit->regs);
	ksym_fill_entry_nmi(entry, hit, ip);
	/* What it notes is still in registers. */
	ksym_count_hit_nmi(hit, ip);
	trace_event_commit_plain(&fbuffer);
	return true;
}

#endif /* _KERNEL_TRACE_KSYM_RECORD_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Actions: what happens after a hit was recorded.
 *
 * The handler may have interrupted code that holds any lock. So tracing is switched off at
 * once, which is a store, and the machine panics at once, as after a fatal NMI. A snapshot
 * is left to an irq_work of its instance, and a signal, like a user stack, to the return
 * of the task to user mode.
 */
#include <linux/kprobes.h>
#include <linux/panic.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched/debug.h>

#include "ksym_action.h"
#include "ksym_return.h"

/* Was the access in an interrupt? The handler itself counts as one or none. */
static nokprobe_inline bool is_in_interrupt_nmi(void)
{
	unsigned int pc = preempt_count();

	if (pc & NMI_MASK)
		pc -= NMI_OFFSET + HARDIRQ_OFFSET;
	return pc & (NMI_MASK | HARDIRQ_MASK) || in_serving_softirq();
}

static nokprobe_inline void ask_task_nmi(struct ksym_watch *watch)
{
	bool is_user = ksym_return_is_user(current);
	bool signal = watch->opt.signal;
	unsigned int wants = 0;

	/* Other tasks have no user stack. */
	if (watch->opt.ustack && is_user)
		wants |= KSYM_WANT_STACK;
	if (signal && is_user && !is_in_interrupt_nmi())
		wants |= KSYM_WANT_SIGNAL;
	if (wants && !ksym_return_want_nmi(watch->on_return, wants)) {
		if (wants & KSYM_WANT_STACK)
			this_cpu_inc(watch->counts->n[KSYM_COUNT_NOUSTACK]);
		wants = 0;
	}
	if (signal && !(wants & KSYM_WANT_SIGNAL))
		this_cpu_inc(watch->counts->n[KSYM_COUNT_NOSIGNAL]);
}

static void act_in_file_nmi(struct trace_event_file *file, void *data)
{
	const struct ksym_watch *watch = data;
	unsigned int actions = watch->opt.actions;

	if (actions & KSYM_TRACEOFF)
		tracer_tracing_off(file->tr);
	if (actions & KSYM_SNAPSHOT)
		tracing_snapshot_instance(file->tr);
}

NOKPROBE_SYMBOL(act_in_file_nmi);

/* panic() prints a stack with some configurations only, and that of the handler. */
static void panic_nmi(const struct ksym_hit *hit)
{
	static char text[KSYM_EVENT_LEN + 512];

	snprintf(text, sizeof(text), "ksym: %s: %s%u %pS %#llx -> %#llx by %pS",
		 hit->watch->name, ksym_access_word(hit->access), hit->len, (void *)hit->addr,
		 ksym_bytes(hit->old, hit->len), ksym_bytes(hit->new, hit->len),
		 (void *)instruction_pointer(hit->regs));
	show_regs(hit->regs);
	nmi_panic(hit->regs, text);
}

NOKPROBE_SYMBOL(panic_nmi);

/**
 * ksym_action_nmi - do what a watch asks for after a hit
 * @hit: a recorded hit
 *
 * Handler context.
 */
void ksym_action_nmi(const struct ksym_hit *hit)
{
	struct ksym_watch *watch = hit->watch;

	if (watch->on_return)
		ask_task_nmi(watch);
	/* Not ->left: a hit that others did not record may have taken the last one. */
	if (!watch->opt.actions ||
	    atomic64_inc_return(&watch->acted) != (watch->opt.count ?: 1))
		return;
	ksym_watch_each_file(watch, act_in_file_nmi, watch);
	if (watch->opt.actions & KSYM_PANIC)
		panic_nmi(hit);
}

NOKPROBE_SYMBOL(ksym_action_nmi);

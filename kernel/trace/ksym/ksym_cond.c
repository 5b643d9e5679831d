// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conditions: which accesses are hits.
 *
 * "if FILTER" is a filter of ftrace, on the record that the hit would have. It is asked
 * before anybody gets the hit. An access that fails is a hit for nobody: no instance,
 * perf, BPF, count=, every= or action.
 *
 * "every=N" counts the accesses that pass, on all CPUs together.
 */
#include <linux/jhash.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ksym_cond.h"
#include "ksym_fetch.h"
#include "ksym_record.h"

/**
 * ksym_cond_passes_nmi - does an access pass the filter of its watch?
 * @hit: the access; the watch has a filter
 *
 * Handler context.
 *
 * Return: true if it does.
 */
bool ksym_cond_passes_nmi(struct ksym_hit *hit)
{
	struct ksym_watch *watch = hit->watch;
	struct ksym_entry entry __uninitialized, *record = &entry;
	unsigned int ctx = 0;

	if (watch->fetch)
		record = ksym_fetch_record_nmi(hit);
	else
		ksym_fill_whole_entry_nmi(&entry, hit);
	if (watch->filter_uses_context) {
		/* As around the probes of a tracepoint. */
		preempt_disable_notrace();
		ctx = ksym_access_ctx_nmi(hit->regs);
		preempt_enable_no_resched_notrace();
	}
	tracing_generic_entry_update(&record->ent, watch->call.event.type, ctx);
	return filter_match_preds(watch->filter, record);
}

NOKPROBE_SYMBOL(ksym_cond_passes_nmi);

/**
 * ksym_cond_is_due_nmi - is an access the one of every=N that counts?
 * @watch: a watch with every=, whose access passed its filter
 *
 * Of each N accesses in a row one is due: the last, or one at a random place. For
 * example, every=~4 may select accesses 2, 8, 9 and 15 of 16.
 *
 * Handler context.
 *
 * Return: true if it is.
 */
bool ksym_cond_is_due_nmi(struct ksym_watch *watch)
{
	u64 round, before = atomic64_inc_return(&watch->passed) - 1;
	u32 every = watch->opt.every, due = every - 1, place;

	round = div_u64_rem(before, every, &place);
	if (watch->opt.every_random)
		due = reciprocal_scale(jhash_2words(round, round >> 32, watch->seed), every);
	return place == due;
}

NOKPROBE_SYMBOL(ksym_cond_is_due_nmi);

/**
 * ksym_cond_create_locked - make the filter of a watch
 * @watch: a watch that is not armed; its event is registered and has its fields
 * @text: the filter, which need not be terminated
 * @len: its length
 * @what: what is wrong with the filter, if anything is
 * @at: and where in it
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: 0, -ENOMEM, or another errno.
 */
int ksym_cond_create_locked(struct ksym_watch *watch, const char *text, size_t len,
			    const char **what, int *at)
{
	char *filter = kmemdup_nul(text, len, GFP_KERNEL);
	int ret;

	lockdep_assert_held(&event_mutex);

	if (!filter)
		return -ENOMEM;
	ret = create_checked_filter(&watch->call, filter, &watch->filter, what, at);
	watch->needs_slow_path = true;
	/* It costs a third of the filter, and most filters do not ask for it. */
	watch->filter_uses_context = strstr(filter, "common_flags") ||
				     strstr(filter, "common_preempt_count");
	/* What the instruction did costs as much. It decides about the hits of r. */
	watch->filter_comes_first = !strstr(filter, "access") && !watch->opt.wrote &&
				    !watch->fetch && watch->access & KSYM_WRITE;
	kfree(filter);
	return ret;
}

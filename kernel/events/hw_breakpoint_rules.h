/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules by which requests for breakpoints are admitted; see
 * hw_breakpoint_rules.c.
 */
#ifndef _KERNEL_EVENTS_HW_BREAKPOINT_RULES_H
#define _KERNEL_EVENTS_HW_BREAKPOINT_RULES_H

#include <linux/types.h>

/**
 * struct bp_counts - the breakpoints of one context that may run on one CPU
 * @pinned: slots that the pinned ones own
 * @flexible: number of flexible ones
 *
 * A context is a CPU or a task.
 */
struct bp_counts {
	unsigned int	pinned;
	unsigned int	flexible;
};

/**
 * bp_rules_need - how many slots does a context need?
 * @counts: its breakpoints
 *
 * Context: any.
 *
 * Return: the number of slots.
 */
static inline unsigned int bp_rules_need(struct bp_counts counts)
{
	return counts.pinned + !!counts.flexible;
}

/**
 * bp_rules_add - the counts of a context with one breakpoint more
 * @counts: its breakpoints
 * @flexible: is the new one flexible?
 * @weight: how many slots the new one takes, if it is pinned
 *
 * Context: any.
 *
 * Return: the counts.
 */
static inline struct bp_counts
bp_rules_add(struct bp_counts counts, bool flexible, unsigned int weight)
{
	if (flexible)
		counts.flexible++;
	else
		counts.pinned += weight;
	return counts;
}

bool bp_rules_fit(struct bp_counts cpu, unsigned int task_need, unsigned int slots);
unsigned int bp_rules_free(struct bp_counts cpu, unsigned int task_need, unsigned int slots);

#endif /* _KERNEL_EVENTS_HW_BREAKPOINT_RULES_H */

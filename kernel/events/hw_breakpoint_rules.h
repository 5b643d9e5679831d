/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules that admit requests for breakpoints; see hw_breakpoint_rules.c.
 */
#ifndef _KERNEL_EVENTS_HW_BREAKPOINT_RULES_H
#define _KERNEL_EVENTS_HW_BREAKPOINT_RULES_H

#include <linux/types.h>

/**
 * struct bp_counts - the breakpoints of one context that may run on one CPU
 * @pinned: number of slots that the pinned breakpoints own
 * @flexible: number of flexible breakpoints
 *
 * A context is a CPU or a task.
 */
struct bp_counts {
	unsigned int	pinned;
	unsigned int	flexible;
};

/**
 * bp_rules_need - how many slots does a context need?
 * @counts: the breakpoints of the context
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
 * bp_rules_add - count one more breakpoint of a context
 * @counts: the breakpoints of the context
 * @flexible: the new breakpoint is flexible
 * @weight: number of slots that the new breakpoint takes if it is pinned
 *
 * Context: any.
 *
 * Return: the new counts.
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

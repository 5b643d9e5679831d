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

unsigned int bp_rules_need(struct bp_counts counts);
struct bp_counts bp_rules_add(struct bp_counts counts, bool flexible, unsigned int weight);
bool bp_rules_fit(struct bp_counts cpu, unsigned int task_need, unsigned int slots);
unsigned int bp_rules_free(struct bp_counts cpu, unsigned int task_need, unsigned int slots);

#endif /* _KERNEL_EVENTS_HW_BREAKPOINT_RULES_H */

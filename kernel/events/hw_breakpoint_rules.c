// SPDX-License-Identifier: GPL-2.0+
/*
 * The rules by which requests for breakpoints are admitted.
 *
 * Pure functions of counts: no lock, no event, no CPU that runs. hw_breakpoint.c
 * keeps the counts and asks.
 *
 * A CPU has a number of slots. A pinned breakpoint owns a slot, of its CPU or of
 * each CPU that its task may run on. Flexible ones of a context take turns in the
 * slots that pinned ones leave. A context, which is a CPU or a task, *needs*
 *
 *	pinned			slots where it has no flexible breakpoint,
 *	pinned + 1		where it has some, however many.
 *
 * Two contexts use the registers of a CPU at a time: the CPU's own and that of the
 * task that runs. The flexible ones of both can share a slot; the pinned ones can
 * not. So there is one rule, for each CPU:
 *
 *	cpu.pinned + max(need of the busiest task, cpu.flexible ? 1 : 0) <= slots
 *
 * A request is admitted if the rule holds afterwards on each CPU that it is for.
 * Before, it held everywhere: so a request for a task has to be looked at with that
 * task's need only, and in a request for a CPU the busiest task stands for all.
 *
 * The rule depends on who is admitted, not on the order in which they came: what
 * fits together is admitted in each order.
 *
 * The table of 2009, from hw_breakpoint.c, has a row for each kind of request. Here
 * is what becomes of each. "max" is over the CPUs that the request is for.
 *
 *  == Non-pinned counter (Considered as pinned for now) ==
 *
 *   - attached to a single CPU:
 *	2009:	flexible || pinned + busiest task < slots
 *	here:	cpu.pinned < slots
 *     A task that sleeps keeps nobody's flexible breakpoint out. While the busiest
 *     task runs there may be no slot left; coverage shows for how long. And to find
 *     a flexible one there already does not help: with "flexible ||", the second one
 *     of two was admitted to nothing where the first had been refused.
 *
 *   - attached to every CPU:
 *	2009:	flexible on one || max(pinned) + busiest task < slots
 *	here:	the same as above, on each CPU
 *
 *   - of a task:
 *	2009:	as one of a CPU
 *	here:	cpu.pinned + task.pinned < slots
 *     with its own task's breakpoints, as pinned ones have been counted since 2010.
 *
 *  == Pinned counter ==
 *
 *   - attached to a single CPU:
 *	2009:	!!flexible + pinned + busiest task < slots
 *	here:	pinned + max(!!flexible, need of the busiest task) < slots
 *     The slot that the CPU's flexible ones keep may be one that a task's pinned
 *     breakpoint takes while that task runs.
 *
 *   - attached to every CPU:
 *	2009:	max(!!flexible) + max(pinned) + busiest task < slots
 *	here:	the same as above, on each CPU: no CPU pays for another one's
 *		flexible breakpoints
 *
 *   - of a task:
 *	2009:	!!flexible + pinned + busiest task < slots
 *	here:	cpu.pinned + need of the task < slots
 *     The CPU's flexible breakpoints are not looked at: a user's debugger gets the
 *     fourth watchpoint, whatever the administrator watches, and what that costs is
 *     time of a flexible breakpoint. The task's own flexible ones keep their slot.
 */

#include <linux/minmax.h>

#include "hw_breakpoint_rules.h"

/* The left side of the rule. */
static unsigned int taken(struct bp_counts cpu, unsigned int task_need)
{
	return cpu.pinned + max(task_need, !!cpu.flexible);
}

/**
 * bp_rules_fit - does what a CPU and a task have fit?
 * @cpu: the breakpoints of the CPU
 * @task_need: what the task needs there
 * @slots: how many slots the CPU has
 *
 * Context: any.
 *
 * Return: true if it does.
 */
bool bp_rules_fit(struct bp_counts cpu, unsigned int task_need, unsigned int slots)
{
	return taken(cpu, task_need) <= slots;
}

/**
 * bp_rules_free - how many more pinned breakpoints of a CPU fit?
 * @cpu: the breakpoints of the CPU
 * @task_need: what the busiest task needs there
 * @slots: how many slots the CPU has
 *
 * Context: any.
 *
 * Return: the number of breakpoints of one slot each.
 */
unsigned int bp_rules_free(struct bp_counts cpu, unsigned int task_need, unsigned int slots)
{
	unsigned int held = taken(cpu, task_need);

	return slots > held ? slots - held : 0;
}

// SPDX-License-Identifier: GPL-2.0+
/*
 * The rules that admit requests for breakpoints.
 *
 * Pure functions of counts: no lock, no event, no running CPU. hw_breakpoint.c keeps
 * the counts and calls them.
 *
 * A CPU has a number of slots. A pinned breakpoint owns a slot on its CPU, or on each
 * CPU that its task may run on. The flexible breakpoints of a context take turns in
 * the slots that pinned ones leave. A context, which is a CPU or a task, *needs*
 *
 *	pinned			slots if it has no flexible breakpoint,
 *	pinned + 1		if it has any number of them.
 *
 * Two contexts use the registers of a CPU at a time: the CPU's own and the running
 * task's. The flexible breakpoints of both can share a slot; pinned ones can not. So
 * there is one rule for each CPU:
 *
 *	cpu.pinned + max(need of the busiest task, cpu.flexible ? 1 : 0) <= slots
 *
 * A request is admitted if the rule holds afterwards on each CPU it applies to. As the
 * rule held everywhere before, a request for a task is checked against the need of that
 * task only; a request for a CPU is checked against the busiest task.
 *
 * The rule depends on which breakpoints are admitted, not on the order of the requests:
 * breakpoints that fit together are admitted in any order.
 *
 * The table of 2009, from hw_breakpoint.c, has a row for each kind of request. This is
 * how each row changes. "max" is over the CPUs of the request.
 *
 *  == Non-pinned counter (Considered as pinned for now) ==
 *
 *   - attached to a single CPU:
 *	2009:	flexible || pinned + busiest task < slots
 *	here:	cpu.pinned < slots
 *     A sleeping task does not keep a flexible breakpoint out. While the busiest task
 *     runs there may be no slot left; coverage shows for how long. An existing flexible
 *     breakpoint no longer admits another: with "flexible ||", a second one was
 *     admitted, without a slot to run in, where a first one was refused.
 *
 *   - attached to every CPU:
 *	2009:	flexible on one || max(pinned) + busiest task < slots
 *	here:	the same as above, on each CPU
 *
 *   - of a task:
 *	2009:	(no row: like one attached to every CPU)
 *	here:	cpu.pinned + task.pinned < slots
 *     Only its own task counts, as for pinned breakpoints since 2010.
 *
 *  == Pinned counter ==
 *
 *   - attached to a single CPU:
 *	2009:	(flexible > 1) + pinned + busiest task < slots
 *	here:	pinned + max(!!flexible, need of the busiest task) < slots
 *     The slot kept for the CPU's flexible breakpoints may be one that a task's pinned
 *     breakpoint takes while the task runs. It is kept for a single one, too.
 *
 *   - attached to every CPU:
 *	2009:	(max(flexible) > 1) + max(pinned) + busiest task < slots
 *	here:	the same as above, on each CPU: no CPU pays for the flexible
 *		breakpoints of another
 *
 *   - of a task:
 *	2009:	(no row: like one attached to every CPU)
 *	here:	cpu.pinned + need of the task < slots
 *     The CPU's flexible breakpoints do not count: a user's debugger gets its fourth
 *     watchpoint, whatever the administrator watches, at the cost of a flexible
 *     breakpoint's time. The task's own flexible breakpoints keep their slot.
 */

#include <linux/minmax.h>

#include "hw_breakpoint_rules.h"

/* The left-hand side of the rule. */
static unsigned int taken(struct bp_counts cpu, unsigned int task_need)
{
	return cpu.pinned + max(task_need, !!cpu.flexible);
}

/**
 * bp_rules_fit - does the rule hold for a CPU and a task?
 * @cpu: the breakpoints of the CPU
 * @task_need: number of slots that the task needs there
 * @slots: number of slots of the CPU
 *
 * Context: any.
 *
 * Return: true if the rule holds.
 */
bool bp_rules_fit(struct bp_counts cpu, unsigned int task_need, unsigned int slots)
{
	return taken(cpu, task_need) <= slots;
}

/**
 * bp_rules_free - how many more pinned breakpoints of a CPU fit?
 * @cpu: the breakpoints of the CPU
 * @task_need: number of slots that the busiest task needs there
 * @slots: number of slots of the CPU
 *
 * Context: any.
 *
 * Return: the number of breakpoints that take one slot each.
 */
unsigned int bp_rules_free(struct bp_counts cpu, unsigned int task_need, unsigned int slots)
{
	unsigned int held = taken(cpu, task_need);

	return slots > held ? slots - held : 0;
}

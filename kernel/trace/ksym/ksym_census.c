// SPDX-License-Identifier: GPL-2.0-only
/*
 * Census: who holds the debug registers and the slots of each CPU.
 *
 * The slots are counted by the constraint rules of hw_breakpoint.c; the registers are
 * what perf has programmed just now.
 */
#include <linux/hw_breakpoint.h>
#include <linux/kallsyms.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "ksym_census.h"
#include "ksym_perf.h"

/* Runs on the CPU with interrupts off. */
static void read_registers(void *data)
{
	struct ksym_register *regs = data;
	struct ksym_piece *piece;
	struct ksym_trap *trap;
	struct perf_event *bp;
	int i;

	for (i = 0; i < HBP_NUM; i++) {
		bp = hw_breakpoint_in_register(i);
		if (!bp)
			continue;
		regs[i].handler = (unsigned long)bp->overflow_handler;
		regs[i].ours = ksym_trap_is_ours(bp);
		regs[i].of_task = bp->hw.target;
		if (!regs[i].ours)
			continue;
		trap = bp->overflow_handler_context;
		piece = list_first_or_null_rcu(&trap->pieces, struct ksym_piece,
					       trap_node);
		if (piece)
			strscpy(regs[i].name, piece->watch->name);
	}
}

/* Names the owner of a breakpoint that is not ours by its handler. */
static void name_owner(char *name, unsigned long handler)
{
	char symbol[KSYM_NAME_LEN];

	if (!handler)
		strscpy(name, "-", KSYM_EVENT_LEN);
	else if (lookup_symbol_name(handler, symbol))
		strscpy(name, "?", KSYM_EVENT_LEN);
	else if (str_has_prefix(symbol, "perf_event_output"))
		strscpy(name, "perf", KSYM_EVENT_LEN);
	else if (!strcmp(symbol, "ptrace_triggered"))
		strscpy(name, "ptrace", KSYM_EVENT_LEN);
	else if (str_has_prefix(symbol, "kgdb_"))
		strscpy(name, "kgdb", KSYM_EVENT_LEN);
	else
		strscpy(name, symbol, KSYM_EVENT_LEN);
}

/**
 * ksym_census_registers - tell who is in the debug registers of a CPU
 * @cpu: the CPU
 * @regs: filled in, %HBP_NUM of them
 *
 * Process context; sleeps.
 *
 * Return: 0, or -ENXIO if the CPU is offline.
 */
int ksym_census_registers(int cpu, struct ksym_register *regs)
{
	int i, ret;

	memset(regs, 0, HBP_NUM * sizeof(*regs));
	ret = smp_call_function_single(cpu, read_registers, regs, 1);
	for (i = 0; i < HBP_NUM; i++) {
		/* The trap of a removed watch may still be in its register. */
		if (!regs[i].name[0] && regs[i].ours)
			strscpy(regs[i].name, "ksym");
		else if (!regs[i].name[0])
			name_owner(regs[i].name, regs[i].handler);
	}
	return ret;
}

/**
 * ksym_census - count who holds the slots of the CPUs
 *
 * Process context; sleeps.
 *
 * Return: an array with an element for each CPU number below nr_cpu_ids, which the
 * caller frees with kfree(), or NULL if there is no memory.
 */
struct hw_breakpoint_census *ksym_census(void)
{
	struct hw_breakpoint_census *census = kzalloc_objs(*census, nr_cpu_ids);

	if (census)
		hw_breakpoint_census(TYPE_DATA, census);
	return census;
}

/*
 * How many slots are left on a CPU for a watch. The CPU's pinned breakpoints limit every
 * watch; those of tasks and flexible ones limit only a pinned watch of the CPU.
 */
static unsigned int room_for(const struct ksym_watch *watch,
			     const struct hw_breakpoint_census *census)
{
	if (watch->opt.pid || watch->opt.flexible)
		return census->slots - census->cpu_pinned;
	return census->free;
}

/* Writes the names of the owners of @held pinned slots of the CPU. */
static int list_owners(char *buf, size_t size, int cpu, unsigned int held)
{
	struct ksym_register regs[HBP_NUM];
	struct ksym_piece *piece;
	struct ksym_trap *trap;
	const char *sep = "";
	unsigned int named = 0;
	int i, len = 0;

	mutex_lock(&ksym_traps_mutex);
	list_for_each_entry(trap, &ksym_trap_list, list) {
		if (trap->flexible || trap->task || !cpumask_test_cpu(cpu, &trap->cpus))
			continue;
		piece = list_first_entry(&trap->users, struct ksym_piece,
					 user_node);
		named++;
		/* Name a watch once, at its first piece. */
		if (piece != piece->watch->piece)
			continue;
		len += scnprintf(buf + len, size - len, "%s%s", sep,
				 piece->watch->name);
		sep = ", ";
	}
	mutex_unlock(&ksym_traps_mutex);

	if (named < held && !ksym_census_registers(cpu, regs)) {
		for (i = 0; i < HBP_NUM && named < held; i++) {
			if (regs[i].ours || regs[i].of_task || !regs[i].handler)
				continue;
			len += scnprintf(buf + len, size - len, "%s%s", sep,
					 regs[i].name);
			sep = ", ";
			named++;
		}
	}
	if (named < held)
		len += scnprintf(buf + len, size - len, "%s%u of others", sep,
				 held - named);
	return len;
}

/**
 * ksym_census_explain - name who holds the slots of the CPU with the fewest left
 * @buf: the text is written here
 * @size: its size
 * @watch: the watch that got no slot
 * @cpus: the CPUs that it is for
 *
 * Process context; sleeps.
 */
void ksym_census_explain(char *buf, size_t size, const struct ksym_watch *watch,
			 const struct cpumask *cpus)
{
	unsigned int wanted = watch->opt.flexible ? 1 : watch->found.nr_ranges;
	unsigned int room, least = UINT_MAX;
	struct hw_breakpoint_census *all __free(kfree) = ksym_census(), *census;
	const char *sep;
	int cpu, fullest = 0, len = 0;

	if (!all)
		return;
	for_each_cpu(cpu, cpus) {
		room = room_for(watch, &all[cpu]);
		if (room < least) {
			least = room;
			fullest = cpu;
		}
	}
	census = &all[fullest];
	/* Slots may have become free since. */
	if (least >= wanted && !watch->opt.pid)
		return;

	len += scnprintf(buf + len, size - len, "CPU %d: ", fullest);
	if (least && least < wanted)
		len += scnprintf(buf + len, size - len, "%u free of %u wanted; ", least, wanted);
	len += list_owners(buf + len, size - len, fullest, census->cpu_pinned);
	sep = census->cpu_pinned ? ", " : "";
	if (watch->opt.pid && least >= wanted)
		len += scnprintf(buf + len, size - len, "%sthose of the task", sep);
	if (watch->opt.pid || watch->opt.flexible)
		return;
	if (census->task)
		scnprintf(buf + len, size - len, "%s%u for a task", sep, census->task);
	else if (census->flexible)
		scnprintf(buf + len, size - len, "%s%u flexible share one", sep,
			  census->flexible);
}

/**
 * ksym_census_flexible_fits - would a watch get its slots if it were flexible?
 * @watch: the watch that got no slot
 * @cpus: the CPUs that it is for
 *
 * Process context; sleeps.
 *
 * Return: true if each CPU has a slot for it. The breakpoints of single tasks are not
 * counted; so for a task the answer is that of the busiest one.
 */
bool ksym_census_flexible_fits(const struct ksym_watch *watch, const struct cpumask *cpus)
{
	struct hw_breakpoint_census *census __free(kfree) = NULL;
	int cpu;

	if (!IS_ENABLED(CONFIG_HW_BREAKPOINT_FLEXIBLE) || watch->opt.flexible)
		return false;
	census = ksym_census();
	if (!census)
		return false;
	for_each_cpu(cpu, cpus)
		if (census[cpu].cpu_pinned + (watch->opt.pid ? census[cpu].task : 0) >=
		    census[cpu].slots)
			return false;
	return true;
}

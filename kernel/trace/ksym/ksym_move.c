// SPDX-License-Identifier: GPL-2.0-only
/*
 * Move: a watch that was made without an address is pointed at one object after
 * the other, from any context.
 *
 * A debug register can be written on its own CPU only, and neither in a #DB nor
 * in an NMI, which put back what the registers had when they began. So whoever
 * moves a watch says where to, in the trap's @target, and an irq_work on this
 * CPU hands that on to one on each CPU. They take what @target is when they run,
 * so moves that follow each other quickly end with the last one on all CPUs. A
 * CPU that traps meanwhile tells the handler which address its register had.
 */
#include <linux/hw_breakpoint.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>

#include "ksym.h"

/* Interrupts are off. */
static void move_part(struct ksym_trap_cpu *part)
{
	unsigned long addr = READ_ONCE(part->trap->target);
	struct perf_event *event = READ_ONCE(part->event);

	/* The work of a CPU that went offline has come here. */
	if (!event || part->cpu != smp_processor_id() || part->addr == addr)
		return;
	/* The address was looked at before it was made the target. */
	if (!WARN_ON_ONCE(hw_breakpoint_move_local(event, addr ?:
						   (unsigned long)&ksym_parking)))
		WRITE_ONCE(part->addr, addr);
}

static void move_work(struct irq_work *work)
{
	move_part(container_of(work, struct ksym_trap_cpu, move_work));
}

static void tell_cpus(struct irq_work *work)
{
	struct ksym_trap *trap = container_of(work, struct ksym_trap, move_irq_work);
	int cpu;

	if (READ_ONCE(trap->dead))
		return;
	/* Interrupts are off, so no CPU can leave the mask meanwhile. */
	for_each_cpu_and(cpu, &trap->cpus, cpu_online_mask) {
		struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);

		if (cpu == smp_processor_id())
			move_part(part);
		else
			irq_work_queue_on(&part->move_work, cpu);
	}
}

/**
 * ksym_move_part - bring this CPU's part of a trap to where it belongs
 * @part: a part of this CPU, on which the caller stays
 *
 * Process context.
 */
void ksym_move_part(struct ksym_trap_cpu *part)
{
	unsigned long flags;

	if (!part->trap->movable)
		return;
	local_irq_save(flags);
	move_part(part);
	local_irq_restore(flags);
}

/**
 * ksym_move_init - prepare a new trap to be moved
 * @trap: without events
 *
 * Any context.
 */
void ksym_move_init(struct ksym_trap *trap)
{
	int cpu;

	trap->move_irq_work = IRQ_WORK_INIT_HARD(tell_cpus);
	for_each_possible_cpu(cpu)
		per_cpu_ptr(trap->percpu, cpu)->move_work = IRQ_WORK_INIT_HARD(move_work);
}

/**
 * ksym_move_stop - wait for moves that are under way
 * @trap: nobody moves it any more
 *
 * Process context; sleeps.
 */
void ksym_move_stop(struct ksym_trap *trap)
{
	int cpu;

	irq_work_sync(&trap->move_irq_work);
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(trap->percpu, cpu)->move_work);
}

/**
 * ksym_trap_lagging - on how many CPUs is a trap not yet where it was pointed at?
 * @trap: a trap; others have none
 *
 * Any context.
 *
 * Return: how many.
 */
unsigned int ksym_trap_lagging(struct ksym_trap *trap)
{
	unsigned int lagging = 0;
	int cpu;

	if (!trap->movable)
		return 0;
	for_each_cpu_and(cpu, &trap->cpus, cpu_online_mask) {
		struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);

		if (READ_ONCE(part->event) &&
		    READ_ONCE(part->addr) != READ_ONCE(trap->target))
			lagging++;
	}
	return lagging;
}

/**
 * ksym_watch_is_movable - can a watch be pointed at objects?
 * @watch: the watch
 *
 * Any context.
 *
 * Return: true if it was made without an address.
 */
bool ksym_watch_is_movable(const struct ksym_watch *watch)
{
	return watch->found.movable;
}

static bool is_watchable_nmi(const struct ksym_watch *watch, unsigned long addr)
{
	struct perf_event_attr attr;

	if (addr < TASK_SIZE_MAX || addr & (watch->found.part.len - 1))
		return false;
	hw_breakpoint_init(&attr);
	attr.bp_addr = addr;
	attr.bp_len = watch->found.part.len;
	attr.bp_type = ksym_watch_traps(watch);
	return !hw_breakpoint_check_address(&attr);
}

NOKPROBE_SYMBOL(is_watchable_nmi);

/*
 * The shadow is seeded before any CPU can trap at the new object, so that the
 * first hit has its old value, and after hits at the last one count no more.
 */
static int set_target_nmi(struct ksym_watch *watch, struct ksym_trap *trap, unsigned long to)
{
	unsigned long from = trap->target;

	WRITE_ONCE(trap->target, KSYM_AT_NOTHING);
	if (to != KSYM_AT_NOTHING && ksym_hit_seed_at_nmi(watch, to)) {
		WRITE_ONCE(trap->target, from);
		return -EINVAL;
	}
	/* The shadow is seen with it. */
	smp_store_release(&trap->target, to);
	return 0;
}

NOKPROBE_SYMBOL(set_target_nmi);

/**
 * ksym_watch_move_nmi - point a watch at another object
 * @watch: a movable watch, which the caller keeps from being removed
 * @from: where it has to point now, for anything to happen: an address,
 *	%KSYM_AT_NOTHING, or %KSYM_ANYWHERE
 * @to: the address to point at, or %KSYM_AT_NOTHING
 *
 * The other CPUs follow shortly, see ksym_trap_lagging(); until they do, what
 * traps at the old address is counted as STALE.
 *
 * Any context, also NMIs.
 *
 * Return: 0; -EAGAIN where it does not point at @from, or points at @to; -EBUSY where somebody
 * else is just moving it; -EINVAL where @to can't be watched: it is a user
 * address, is not aligned, is not mapped, or x86 refuses it.
 */
int ksym_watch_move_nmi(struct ksym_watch *watch, unsigned long from, unsigned long to)
{
	struct ksym_trap *trap = READ_ONCE(watch->piece[0].trap);
	int ret = 0;

	/* Kernel code has ended it, and a trigger has not noticed yet. */
	if (!trap)
		return -EINVAL;
	if (to != KSYM_AT_NOTHING && !is_watchable_nmi(watch, to))
		return -EINVAL;
	if (atomic_cmpxchg_acquire(&watch->moving, 0, 1))
		return -EBUSY;
	if ((from != KSYM_ANYWHERE && from != trap->target) || to == trap->target)
		ret = -EAGAIN;
	else
		ret = set_target_nmi(watch, trap, to);
	atomic_set_release(&watch->moving, 0);
	if (!ret)
		irq_work_queue(&trap->move_irq_work);
	return ret;
}

NOKPROBE_SYMBOL(ksym_watch_move_nmi);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Move: points a trap that has no address of its own at one object after the other,
 * from any context.
 *
 * A debug register can be written on its own CPU only, and neither in a #DB nor in an
 * NMI, since both restore the registers on return. So a move sets the trap's @target,
 * programs the register of this CPU, and queues an irq_work on each other CPU of the
 * trap. An NMI leaves all that to an irq_work:
 *
 *   NMI, #DB           this CPU, or any other context    other CPUs, hard irq
 *   ->target = new --> ->target = new, notify_cpus() --> move_part()
 *
 * The works read @target when they run, so all CPUs end at the last of several quick
 * moves. Until then the register of a CPU may have an older address; the handler
 * compares the two and drops the hit.
 */
#include <linux/hw_breakpoint.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>

#include "ksym_limit.h"
#include "ksym_perf.h"
#include "ksym_wide.h"

/* Interrupts are off. */
static void move_part(struct ksym_trap_cpu *part)
{
	unsigned long addr = READ_ONCE(part->trap->target);
	struct perf_event *event = READ_ONCE(part->event);

	if (part->trap->wide) {
		ksym_wide_start(part);
		return;
	}
	/* The work of a CPU that went offline runs on another one. */
	if (!event || part->cpu != smp_processor_id() || part->addr == addr)
		return;
	/*
	 * The address was checked before it became the target, so this is what
	 * hw_breakpoint_move_local() does after it has checked it.
	 */
	arch_move_hw_breakpoint(event, addr ?: (unsigned long)&ksym_parked_var);
	WRITE_ONCE(part->addr, addr);
}

static void move_work(struct irq_work *work)
{
	struct ksym_trap_cpu *part = container_of(work, struct ksym_trap_cpu, move_work);
	u64 start = ksym_clock_nmi();

	move_part(part);
	if (part->trap->movable)
		ksym_limit_charge_move_nmi(part->trap, start);
}

/* Interrupts are off, so no CPU can leave the mask meanwhile. */
static void notify_cpus(struct ksym_trap *trap)
{
	int cpu, this_cpu = smp_processor_id();
	u64 start = ksym_clock_nmi();

	if (READ_ONCE(trap->dead))
		return;
	for_each_cpu_and(cpu, &trap->cpus, cpu_online_mask) {
		struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);

		if (cpu == this_cpu)
			move_part(part);
		else
			irq_work_queue_on(&part->move_work, cpu);
	}
	if (trap->movable)
		ksym_limit_charge_move_nmi(trap, start);
}

static void notify_work(struct irq_work *work)
{
	notify_cpus(container_of(work, struct ksym_trap, move_irq_work));
}

/**
 * ksym_move_part - point the event of this CPU where its trap points, or start its turns
 * @part: the trap on this CPU, which the caller stays on
 *
 * Process context.
 */
void ksym_move_part(struct ksym_trap_cpu *part)
{
	unsigned long flags;

	if (!part->trap->movable && !part->trap->wide)
		return;
	local_irq_save(flags);
	move_part(part);
	local_irq_restore(flags);
}

/**
 * ksym_move_init - prepare a new trap for moves
 * @trap: a trap without events
 *
 * Any context.
 */
void ksym_move_init(struct ksym_trap *trap)
{
	int cpu;

	trap->move_irq_work = IRQ_WORK_INIT_HARD(notify_work);
	for_each_possible_cpu(cpu)
		per_cpu_ptr(trap->percpu, cpu)->move_work = IRQ_WORK_INIT_HARD(move_work);
}

/**
 * ksym_move_stop - wait for moves in progress
 * @trap: a trap that is not moved any more
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
 * ksym_move_nmi - point a trap at an address, and have all CPUs follow
 * @trap: a movable trap; one caller at a time moves it. The caller has set its target
 *	to %KSYM_ADDR_NONE, so that hits at the old address are stale, and has seeded the
 *	shadow of the new object
 * @to: the address, or %KSYM_ADDR_NONE
 *
 * Outside of NMIs this CPU has followed on return.
 *
 * Any context with interrupts off, also NMIs.
 */
void ksym_move_nmi(struct ksym_trap *trap, unsigned long to)
{
	/* A handler that reads @to sees the new shadow. Pairs with hit_each_nmi(). */
	smp_store_release(&trap->target, to);
	if (in_nmi())
		irq_work_queue(&trap->move_irq_work);
	else
		notify_cpus(trap);
}

NOKPROBE_SYMBOL(ksym_move_nmi);

/**
 * ksym_trap_lagging - count the CPUs that have yet to follow the last move
 * @trap: a trap; one that is not movable has none
 *
 * Any context.
 *
 * Return: the number of online CPUs.
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limit: a variable that is touched all the time must not take the machine down.
 *
 * Each CPU counts the hits of a trap. When there were @limit of them in less
 * than a millisecond, the CPU disarms its perf event, which the handler may only
 * ask for: it happens when interrupts are on again. A timer arms it when the
 * millisecond is over. The clock is read once every @limit hits only.
 *
 * Nothing here takes a lock. The handler, the irq_work and the timer of a CPU
 * all run on that CPU, and interrupt each other in one order only.
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/kprobes.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "ksym.h"

/* A storm that lasts is told once in this time. */
#define NOTE_INTERVAL	NSEC_PER_SEC

static void note_storm(struct ksym_trap_cpu *part, u64 now)
{
	struct ksym_piece *piece;
	char text[KSYM_EVENT_LEN + 96];

	if (part->noted && now - part->noted < NOTE_INTERVAL)
		return;
	part->noted = now;

	rcu_read_lock();
	list_for_each_entry_rcu(piece, &part->trap->pieces, trap_node) {
		snprintf(text, sizeof(text),
			 "ksym: %s: over %u hits/ms on CPU %d: disarmed for the rest of each ms",
			 piece->watch->name, part->trap->limit, part->cpu);
		ksym_event_note(piece->watch, text);
	}
	rcu_read_unlock();
}

/* Interrupts are off; perf's own irq_work disarms the event beside this one. */
static void storm_irq_work(struct irq_work *work)
{
	struct ksym_trap_cpu *part = container_of(work, struct ksym_trap_cpu,
						  storm_work);
	u64 now = ktime_get_mono_fast_ns(), over = part->window + NSEC_PER_MSEC;

	if (READ_ONCE(part->trap->dead))
		return;
	note_storm(part, now);
	hrtimer_start(&part->timer, ns_to_ktime(over > now ? over - now : 1),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static enum hrtimer_restart storm_is_over(struct hrtimer *timer)
{
	struct ksym_trap_cpu *part = container_of(timer, struct ksym_trap_cpu,
						  timer);
	u64 now;

	/*
	 * Whoever takes the event away says so first, and then waits for this
	 * CPU. A timer that has moved here is one of a CPU that went offline.
	 */
	if (READ_ONCE(part->trap->dead) || part->cpu != smp_processor_id() ||
	    !READ_ONCE(part->event))
		return HRTIMER_NORESTART;

	now = ktime_get_mono_fast_ns();
	WRITE_ONCE(part->uncovered, part->uncovered + now - part->disarmed);
	part->window = now;
	part->hits = 0;
	part->stormy = false;
	if (READ_ONCE(part->trap->armed))
		perf_event_enable_local(part->event);
	return HRTIMER_NORESTART;
}

/**
 * ksym_limit_is_exceeded_nmi - count a hit, and disarm where it is one too many
 * @trap: what was hit
 * @bp: its event on this CPU
 *
 * The handler asks only where this CPU has had @limit hits since it looked at
 * the clock; it counts the others itself.
 *
 * Called in the #DB, NMI-like, with interrupts off.
 *
 * Return: true where the hit is not to be recorded.
 */
bool ksym_limit_is_exceeded_nmi(struct ksym_trap *trap, struct perf_event *bp)
{
	struct ksym_trap_cpu *part = this_cpu_ptr(trap->percpu);
	u64 now;

	if (part->stormy)
		return true;
	if (part->hits++ < trap->limit)
		return false;

	now = ktime_get_mono_fast_ns();
	if (now - part->window >= NSEC_PER_MSEC) {
		part->window = now;
		part->hits = 1;
		return false;
	}
	part->stormy = true;
	part->disarmed = now;
	perf_event_disable_inatomic(bp);
	irq_work_queue(&part->storm_work);
	return true;
}

NOKPROBE_SYMBOL(ksym_limit_is_exceeded_nmi);

/**
 * ksym_limit_stop - let nobody arm an event any more
 * @part: its event is disabled and stays so, or is about to be released
 *
 * Process context; sleeps.
 */
void ksym_limit_stop(struct ksym_trap_cpu *part)
{
	irq_work_sync(&part->storm_work);
	hrtimer_cancel(&part->timer);
	if (part->stormy)
		part->uncovered += ktime_get_mono_fast_ns() - part->disarmed;
	part->stormy = false;
	part->hits = 0;
}

/**
 * ksym_limit_init - prepare the limit of a new trap
 * @trap: without events
 *
 * Any context.
 */
void ksym_limit_init(struct ksym_trap *trap)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);

		part->trap = trap;
		part->cpu = cpu;
		part->storm_work = IRQ_WORK_INIT_HARD(storm_irq_work);
		hrtimer_init(&part->timer, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
		part->timer.function = storm_is_over;
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wide: a flexible watch of more pieces than a CPU has debug registers.
 *
 * It has as many traps as other watches have, so perf gets to know no more than
 * four events of it on a CPU, and the cost of a rotation and of a task switch does not
 * depend on the length. A timer of each CPU points the register of each trap at one
 * piece after the other:
 *
 *   pieces   0 1 2 3 4 5 6 7 8 9 10 11
 *   traps    a b c d                       first turn
 *                    a b c d               second turn
 *            b c d           a             only one slot was left, and a had it
 *
 * A register that did not run since its last turn, since perf gave the slots to others,
 * stays where it is. So no piece is left out.
 */
#include <linux/hrtimer.h>
#include <linux/hw_breakpoint.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "ksym_wide.h"

/**
 * ksym_wide_free - free the pieces of a wide watch
 * @wide: the pieces, or NULL
 *
 * Process context.
 */
void ksym_wide_free(struct ksym_wide *wide)
{
	if (!wide)
		return;
	free_percpu(wide->cpu);
	kvfree(wide->shadows);
	kvfree(wide);
}

/**
 * ksym_wide_copy - copy the counts of pieces, for a reader
 * @wide: the pieces, whose counts may change meanwhile
 *
 * Process context; sleeps.
 *
 * Return: the copy, which the caller frees with ksym_wide_free(), or NULL if there is no
 * memory.
 */
struct ksym_wide *ksym_wide_copy(const struct ksym_wide *wide)
{
	struct ksym_wide *copy = kvzalloc(struct_size(wide, piece, wide->nr), GFP_KERNEL);
	unsigned int i;

	if (!copy)
		return NULL;
	copy->nr = wide->nr;
	copy->len = wide->len;
	for (i = 0; i < wide->nr; i++) {
		atomic64_set(&copy->piece[i].hits, atomic64_read(&wide->piece[i].hits));
		atomic64_set(&copy->piece[i].running, atomic64_read(&wide->piece[i].running));
	}
	return copy;
}

/**
 * ksym_wide_prepare - give a watch its pieces, if it is wide
 * @watch: a watch that is not armed
 * @found: where its target is
 *
 * Process context; sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int ksym_wide_prepare(struct ksym_watch *watch, const struct ksym_found *found)
{
	unsigned int copies = found->place.percpu ? nr_cpu_ids : 1;
	struct ksym_wide *wide = NULL;
	unsigned int i;
	int cpu;

	if (found->nr_turns) {
		wide = kvzalloc(struct_size(wide, piece, found->nr_turns), GFP_KERNEL);
		if (!wide)
			return -ENOMEM;
		wide->nr = found->nr_turns;
		wide->len = found->ranges[0].len;
		wide->nr_copies = copies;
		wide->cpu = alloc_percpu(struct ksym_wide_cpu);
		wide->shadows = kvcalloc(copies * wide->nr, sizeof(*wide->shadows), GFP_KERNEL);
		if (!wide->cpu || !wide->shadows) {
			ksym_wide_free(wide);
			return -ENOMEM;
		}
		for_each_possible_cpu(cpu)
			for (i = 0; i < KSYM_MAX_PIECES; i++)
				per_cpu_ptr(wide->cpu, cpu)->at[i] = i;
	}
	/* Its module has come again; what was counted before belongs to other memory. */
	ksym_wide_free(watch->wide);
	watch->wide = wide;
	return 0;
}

/* For how long the event has watched, in ns. */
static u64 time_run(struct ksym_trap_cpu *part, struct perf_event *event)
{
	u64 enabled, running, muted = hw_breakpoint_mute_time(&part->mute);

	perf_event_times_nmi(event, &enabled, &running);
	/* The mute was that of the CPU's earlier events, too. */
	running += part->before.running;
	return running - min(running, muted);
}

/* Is another register of the watch at a piece? Then one access would trap twice. */
static bool is_taken(const struct ksym_wide_cpu *cpu, unsigned int piece)
{
	unsigned int i;

	for (i = 0; i < KSYM_MAX_PIECES; i++)
		if (READ_ONCE(cpu->at[i]) == piece)
			return true;
	return false;
}

/* Points the register of this CPU at the next piece. */
static void go_on(struct ksym_trap_cpu *part, struct perf_event *event)
{
	const struct ksym_trap *trap = part->trap;
	struct ksym_wide_cpu *cpu = this_cpu_ptr(trap->wide->cpu);
	unsigned long base = part->addr - trap->off;
	unsigned int piece;

	/* There are more pieces than registers. */
	do {
		piece = cpu->next;
		WRITE_ONCE(cpu->next, piece + 1 < trap->wide->nr ? piece + 1 : 0);
	} while (is_taken(cpu, piece));
	/* A piece that the CPU refuses is never watched, as its time shows. */
	if (!hw_breakpoint_move_local(event, base + piece * trap->len))
		WRITE_ONCE(cpu->at[trap->nth], piece);
}

static ktime_t interval(const struct perf_event *event)
{
	return ms_to_ktime(max(event->pmu->hrtimer_interval_ms, 1));
}

static enum hrtimer_restart take_turn(struct hrtimer *timer)
{
	struct ksym_trap_cpu *part = container_of(timer, struct ksym_trap_cpu, turn);
	struct perf_event *event = READ_ONCE(part->event);
	struct ksym_trap *trap = part->trap;
	unsigned int at;
	u64 run;

	/* A CPU that goes offline loses its event first. */
	if (!event || !READ_ONCE(trap->armed) || part->cpu != smp_processor_id())
		return HRTIMER_NORESTART;
	run = time_run(part, event);
	if (run > part->run) {
		at = this_cpu_read(trap->wide->cpu->at[trap->nth]);
		atomic64_add(run - part->run, &trap->wide->piece[at].running);
		part->run = run;
		go_on(part, event);
	}
	hrtimer_forward_now(timer, interval(event));
	return HRTIMER_RESTART;
}

/**
 * ksym_wide_init - prepare a new trap for turns
 * @trap: a trap without events
 *
 * Any context.
 */
void ksym_wide_init(struct ksym_trap *trap)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);

		hrtimer_setup(&part->turn, take_turn, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
}

/**
 * ksym_wide_reset - note that the event of a CPU is where the trap begins, or gone
 * @part: the trap on that CPU, whose event was made or pointed, and is disabled; or which
 *	has none any more
 *
 * The piece of an event that is gone is kept free for the next one: when the CPU comes
 * online, the other events take turns before that one is made.
 *
 * Any context.
 */
void ksym_wide_reset(struct ksym_trap_cpu *part)
{
	const struct ksym_trap *trap = part->trap;
	struct ksym_wide_cpu *cpu;

	if (!trap->wide)
		return;
	cpu = per_cpu_ptr(trap->wide->cpu, part->cpu);
	/* On a CPU that comes or goes, the other events take turns in between. */
	WRITE_ONCE(cpu->at[trap->nth], trap->nth);
	WRITE_ONCE(cpu->next, KSYM_MAX_PIECES);
	if (part->event)
		part->run = time_run(part, part->event);
}

/**
 * ksym_wide_start - let the register of this CPU take turns
 * @part: the trap on this CPU
 *
 * Interrupts are off.
 */
void ksym_wide_start(struct ksym_trap_cpu *part)
{
	struct perf_event *event = READ_ONCE(part->event);

	if (event && READ_ONCE(part->trap->armed) && part->cpu == smp_processor_id())
		hrtimer_start(&part->turn, interval(event), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * ksym_wide_stop - let the registers of all CPUs stay where they are
 * @trap: a wide trap, which is not armed any more
 *
 * Process context; sleeps.
 */
void ksym_wide_stop(struct ksym_trap *trap)
{
	int cpu;

	/* These start the timers. */
	irq_work_sync(&trap->move_irq_work);
	for_each_possible_cpu(cpu) {
		struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);

		irq_work_sync(&part->move_work);
		hrtimer_cancel(&part->turn);
	}
}

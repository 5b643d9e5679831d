// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limit: a variable that is accessed all the time must not take the machine down.
 *
 * Each trap has a budget of time on each CPU: a bucket that holds BUCKET_MS of
 * handling time and refills at budget= percent. All traps with a budget share a second
 * bucket of the CPU, which refills at TOTAL_PERCENT. The time of a hit, from the trap to
 * the return from it, is charged to both. With limit= a trap may also have only so many
 * hits a millisecond.
 *
 * A hit that finds a bucket empty, or exceeds limit=, is not recorded, and mutes the
 * trap: the #DB returns without the enable bits of its register, whether interrupts are
 * on or not. perf does not notice; the event keeps its register. A timer ends the mute.
 * The handler can't start the timer, so an irq_work does when interrupts are on.
 *
 *   hit: bucket empty --> muted, irq_work queued --> timer started --> unmuted
 *        (in the #DB)                                (interrupts on)
 *
 * A bucket is refilled when it is found empty, which spares most hits the work. What was
 * left of it remains, so up to twice BUCKET_MS can be spent at once. For example, at
 * budget=10% a trap that was idle has 20 ms at once, then 1 ms in every 10 ms.
 *
 * Pointing a watch at another object is charged on each CPU that follows. While a bucket
 * of one of them is empty, triggers and windows do not move the watch, and count the
 * object as missed.
 *
 * Nothing here takes a lock. The handler, the irq_work and the timer of a CPU all run
 * on that CPU, and interrupt each other in one order only. The handler fills a bucket,
 * and a move does, with interrupts off. A hit in the middle of that may credit the same
 * time again, which is BUCKET_MS at most, and its own price may be lost.
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/hw_breakpoint.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "ksym_limit.h"

/* The handling time that a bucket holds. */
#define BUCKET_MS	20
/* The time that it must hold before its trap is unmuted. */
#define UNMUTE_MS	1
/* The share of a CPU that all traps with a budget may take together. */
#define TOTAL_PERCENT	50
/*
 * The highest price of a hit. One that seems to have taken longer may have been
 * interrupted by the host of a virtual CPU.
 */
#define MAX_HIT_MS	1
/* The price of a hit if there is no cycle counter, or no free register to measure. */
#define FIXED_PRICE_NS	5000
/* A storm that lasts is reported once in this time. */
#define NOTE_INTERVAL	NSEC_PER_SEC

/* Until a cycle counter is known to work, hits have a fixed price and ns are cycles. */
struct ksym_clock ksym_clock __read_mostly = {
	.per_ms	= NSEC_PER_MSEC,
	.trap	= FIXED_PRICE_NS,
	.max	= FIXED_PRICE_NS,
	.fixed	= true,
};

/* What all traps with a budget have left together on this CPU. */
DEFINE_PER_CPU(struct ksym_bucket, ksym_all_traps);

/*
 * What @bucket, of any CPU, holds now that it refilled since ->filled, in cycles. A hit may
 * charge it meanwhile.
 */
static nokprobe_inline s64 level_nmi(const struct ksym_bucket *bucket, unsigned int percent,
				     u64 now)
{
	s64 left = READ_ONCE(bucket->left);
	/* With a debt there is more room than an empty bucket has. */
	s64 room = max(BUCKET_MS * (s64)ksym_clock.per_ms - left, 0);
	u64 since = now - READ_ONCE(bucket->filled);

	return left + (since < room * 100 / percent ? (s64)(since * percent / 100) : room);
}

static nokprobe_inline bool is_spent_nmi(struct ksym_bucket *bucket, unsigned int percent, u64 now)
{
	s64 left;

	if (likely(READ_ONCE(bucket->left) >= 0))
		return false;
	left = level_nmi(bucket, percent, now);
	/* Other CPUs look at it. */
	WRITE_ONCE(bucket->left, left);
	WRITE_ONCE(bucket->filled, now);
	return left < 0;
}

/* After how many cycles will @bucket hold UNMUTE_MS? */
static u64 wait_for(const struct ksym_bucket *bucket, unsigned int percent, u64 now)
{
	s64 missing = UNMUTE_MS * ksym_clock.per_ms - level_nmi(bucket, percent, now);

	return missing > 0 ? missing * 100 / percent : 0;
}

/* Does this hit exceed limit=? There were @hits since the last call. */
static nokprobe_inline bool is_over_limit_nmi(struct ksym_trap_cpu *part, unsigned int limit,
					      unsigned int hits, u64 now)
{
	part->hits += hits;
	if (part->hits <= limit)
		return false;
	if (now - part->window < ksym_clock.per_ms)
		return true;
	part->window = now;
	part->hits = 1;
	return false;
}

/**
 * ksym_limit_is_exceeded_nmi - does a hit exceed a budget or the limit?
 * @trap: the trap, which has a budget or a limit
 * @bp: its event on this CPU
 * @hits: the hits since the last call, this one included
 * @now: ksym_clock_nmi()
 *
 * If it does, the trap is muted on this CPU.
 *
 * Context: the #DB, NMI-like, with interrupts off.
 *
 * Return: true if it does; the hit must not be recorded.
 */
bool ksym_limit_is_exceeded_nmi(struct ksym_trap *trap, struct perf_event *bp,
				unsigned int hits, u64 now)
{
	struct ksym_trap_cpu *part = this_cpu_ptr(trap->percpu);

	if (trap->budget && is_spent_nmi(this_cpu_ptr(&ksym_all_traps), TOTAL_PERCENT, now))
		part->over = KSYM_OVER_TOTAL;
	else if (trap->budget && is_spent_nmi(&part->budget, trap->budget, now))
		part->over = KSYM_OVER_BUDGET;
	else if (trap->limit && is_over_limit_nmi(part, trap->limit, hits, now))
		part->over = KSYM_OVER_LIMIT;
	else
		return false;
	hw_breakpoint_mute(bp);
	irq_work_queue(&part->storm_work);
	return true;
}

NOKPROBE_SYMBOL(ksym_limit_is_exceeded_nmi);

/**
 * ksym_limit_charge_move_nmi - charge this CPU's part of a move
 * @trap: a movable trap
 * @start: ksym_clock_nmi() when it began
 *
 * Any context with interrupts off.
 */
void ksym_limit_charge_move_nmi(struct ksym_trap *trap, u64 start)
{
	if (!trap->budget)
		return;
	is_spent_nmi(this_cpu_ptr(&ksym_all_traps), TOTAL_PERCENT, start);
	is_spent_nmi(&this_cpu_ptr(trap->percpu)->budget, trap->budget, start);
	ksym_budget_charge_nmi(trap, ksym_clock_since_nmi(start));
}

NOKPROBE_SYMBOL(ksym_limit_charge_move_nmi);

/* The same as is_spent_nmi(), for any CPU; the bucket is not filled. */
static nokprobe_inline bool looks_spent_nmi(const struct ksym_bucket *bucket,
					    unsigned int percent, u64 now)
{
	return READ_ONCE(bucket->left) < 0 && level_nmi(bucket, percent, now) < 0;
}

/**
 * ksym_limit_may_move_nmi - may a trap be pointed at another object?
 * @trap: a movable trap
 *
 * Any context with interrupts off, also NMIs.
 *
 * Return: true if all of its CPUs have time left for it.
 */
bool ksym_limit_may_move_nmi(struct ksym_trap *trap)
{
	u64 now;
	int cpu;

	if (!trap->budget)
		return true;
	now = ksym_clock_nmi();
	for_each_cpu_and(cpu, &trap->cpus, cpu_online_mask) {
		if (looks_spent_nmi(per_cpu_ptr(&ksym_all_traps, cpu), TOTAL_PERCENT, now) ||
		    looks_spent_nmi(&per_cpu_ptr(trap->percpu, cpu)->budget, trap->budget, now))
			return false;
	}
	return true;
}

NOKPROBE_SYMBOL(ksym_limit_may_move_nmi);

/**
 * ksym_limit_may_walk_nmi - may the decoder look for an instruction?
 * @trap: the trap
 *
 * The search can take longer than the rest of the hit. It is allowed while half of the
 * trap's budget is left.
 *
 * Context: the #DB, NMI-like, with interrupts off.
 *
 * Return: true if it may.
 */
bool ksym_limit_may_walk_nmi(struct ksym_trap *trap)
{
	const struct ksym_bucket *bucket = this_cpu_ptr(&trap->percpu->budget);
	s64 half = BUCKET_MS * ksym_clock.per_ms / 2;

	return !trap->budget || bucket->left >= half ||
	       level_nmi(bucket, trap->budget, ksym_clock_nmi()) >= half;
}

NOKPROBE_SYMBOL(ksym_limit_may_walk_nmi);

static int format_storm(char *text, size_t size, const struct ksym_trap_cpu *part,
			const char *name)
{
	const struct ksym_trap *trap = part->trap;

	switch (part->over) {
	case KSYM_OVER_LIMIT:
		return snprintf(text, size,
				"ksym: %s: over %u hits/ms on CPU %d: disarmed for the rest of each ms",
				name, trap->limit, part->cpu);
	case KSYM_OVER_TOTAL:
		return snprintf(text, size,
				"ksym: %s: all watches take over %u%% of CPU %d: disarmed until it is less",
				name, TOTAL_PERCENT, part->cpu);
	case KSYM_OVER_BUDGET:
		break;
	}
	return snprintf(text, size,
			"ksym: %s: takes over %u%% of CPU %d: disarmed until it is less",
			name, trap->budget, part->cpu);
}

static void note_storm(struct ksym_trap_cpu *part)
{
	u64 now = ktime_get_mono_fast_ns();
	struct ksym_piece *piece;
	char text[KSYM_EVENT_LEN + 96];

	if (part->noted && now - part->noted < NOTE_INTERVAL)
		return;
	part->noted = now;

	guard(rcu)();
	list_for_each_entry_rcu(piece, &part->trap->pieces, trap_node) {
		format_storm(text, sizeof(text), part, piece->watch->name);
		part->trap->ops->note(piece->watch, text);
	}
}

/* How long a muted trap stays muted, in cycles. */
static u64 mute_time(const struct ksym_trap_cpu *part)
{
	u64 now = ksym_clock_nmi(), wait = 0, since = now - part->window;
	unsigned int budget = part->trap->budget;

	if (budget)
		wait = max(wait_for(&part->budget, budget, now),
			   wait_for(this_cpu_ptr(&ksym_all_traps), TOTAL_PERCENT, now));
	if (part->over == KSYM_OVER_LIMIT && since < ksym_clock.per_ms)
		wait = max(wait, ksym_clock.per_ms - since);
	return wait;
}

static void unmute(struct ksym_trap_cpu *part)
{
	part->window = ksym_clock_nmi();
	part->hits = 0;
	hw_breakpoint_unmute(&part->trap->percpu->mute);
}

/* Interrupts are off. */
static void storm_irq_work(struct irq_work *work)
{
	struct ksym_trap_cpu *part = container_of(work, struct ksym_trap_cpu,
						  storm_work);
	u64 wait;

	if (READ_ONCE(part->trap->dead))
		return;
	/* The work of a CPU that went offline runs on another one. */
	if (part->cpu != smp_processor_id()) {
		WRITE_ONCE(part->mute.on, false);
		return;
	}
	note_storm(part);
	wait = mute_time(part);
	if (wait)
		hrtimer_start(&part->timer,
			      ns_to_ktime(mul_u64_u64_div_u64(wait, NSEC_PER_MSEC,
							      ksym_clock.per_ms)),
			      HRTIMER_MODE_REL_PINNED_HARD);
	else
		unmute(part);
}

static enum hrtimer_restart storm_is_over(struct hrtimer *timer)
{
	struct ksym_trap_cpu *part = container_of(timer, struct ksym_trap_cpu,
						  timer);

	if (READ_ONCE(part->trap->dead))
		return HRTIMER_NORESTART;
	if (part->cpu == smp_processor_id())
		unmute(part);
	else if (cpu_online(part->cpu))
		/* The CPU went offline and came back without its timer. */
		irq_work_queue_on(&part->storm_work, part->cpu);
	else
		WRITE_ONCE(part->mute.on, false);
	return HRTIMER_NORESTART;
}

/**
 * ksym_limit_stop - end the mute of an event
 * @part: the trap on a CPU, whose event is disabled or about to be released
 *
 * On return neither the irq_work nor the timer runs. The bucket is not refilled.
 *
 * Context: process; sleeps.
 */
void ksym_limit_stop(struct ksym_trap_cpu *part)
{
	irq_work_sync(&part->storm_work);
	hrtimer_cancel(&part->timer);
	WRITE_ONCE(part->mute.on, false);
	part->hits = 0;
}

/**
 * ksym_limit_init - prepare the limits of a new trap
 * @trap: a trap without events
 *
 * Context: any.
 */
void ksym_limit_init(struct ksym_trap *trap)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);

		part->trap = trap;
		part->cpu = cpu;
		part->storm_work = IRQ_WORK_INIT_HARD(storm_irq_work);
		hrtimer_setup(&part->timer, storm_is_over, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
}

/* How often an empty trap is measured; the lowest price counts. */
#define ROUNDS	16

static u64 tried;
static unsigned int tries;

static void count_try(struct perf_event *bp, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	tries++;
}

NOKPROBE_SYMBOL(count_try);

/* Measures a store that traps, in cycles. Returns 0 if no register is free. */
static u64 measure_trap(void)
{
	struct perf_event *event;
	struct perf_event_attr attr;
	u64 least = U64_MAX, start;
	unsigned long flags;
	int i;

	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)&tried;
	attr.bp_len = sizeof(tried);
	attr.bp_type = HW_BREAKPOINT_W;
	attr.disabled = 1;
	event = perf_event_create_kernel_counter(&attr, -1, current, count_try, NULL);
	if (IS_ERR(event))
		return 0;
	/* Like the events of traps, without perf's sample. */
	WARN_ON_ONCE(hw_breakpoint_set_direct(event));
	perf_event_enable(event);
	tries = 0;
	for (i = 0; i < ROUNDS; i++) {
		local_irq_save(flags);
		start = arch_ksym_cycles();
		WRITE_ONCE(tried, i);
		least = min(least, arch_ksym_cycles() - start);
		local_irq_restore(flags);
	}
	perf_event_release_kernel(event);
	return tries == ROUNDS ? least : 0;
}

/**
 * ksym_limit_calibrate - measure the price of a trap, before one is reserved
 *
 * If no register is free for that, the next call tries again.
 *
 * Context: process; sleeps; dyn_event_ops_mutex is held, so calls do not race.
 */
void ksym_limit_calibrate(void)
{
	static bool measured;
	u64 per_ms = arch_ksym_cycles_per_ms(), trap;

	if (measured || !per_ms)
		return;
	trap = measure_trap();
	measured = trap;
	/* Handlers may read it, if the first call found no free register. */
	WRITE_ONCE(ksym_clock.trap,
		   trap ?: mul_u64_u64_div_u64(FIXED_PRICE_NS, per_ms, NSEC_PER_MSEC));
	if (!ksym_clock.fixed)
		return;
	/* This comes before the first trap, so no bucket counts in ns yet. */
	ksym_clock.per_ms = per_ms;
	ksym_clock.max = MAX_HIT_MS * per_ms;
	ksym_clock.fixed = false;
}

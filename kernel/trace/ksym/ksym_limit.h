/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limit: the clock and the buckets that hits are charged to; see ksym_limit.c. The
 * handler inlines this.
 */
#ifndef _KERNEL_TRACE_KSYM_LIMIT_H
#define _KERNEL_TRACE_KSYM_LIMIT_H

#include <linux/percpu.h>
#include <linux/timekeeping.h>

#include <asm/ksym.h>

#include "ksym_trap.h"

/**
 * struct ksym_clock - the prices of hits
 * @per_ms: cycles in a millisecond
 * @trap: the price of a trap with an empty handler, in cycles. The others do not change once
 *	there is a trap
 * @max: the highest price of a hit
 * @fixed: there is no cycle counter: a cycle is a nanosecond, and each hit costs @max
 */
struct ksym_clock {
	u64	per_ms;
	u64	trap;
	u64	max;
	bool	fixed;
};

extern struct ksym_clock ksym_clock;
DECLARE_PER_CPU(struct ksym_bucket, ksym_all_traps);

/* Any context. */
static __always_inline u64 ksym_clock_nmi(void)
{
	if (likely(!ksym_clock.fixed))
		return arch_ksym_cycles();
	return ktime_get_mono_fast_ns();
}

/* The price of a hit that began at @start, in cycles. Any context. */
static __always_inline u64 ksym_clock_since_nmi(u64 start)
{
	return min(ksym_clock_nmi() - start + READ_ONCE(ksym_clock.trap), ksym_clock.max);
}

/* Each of the two is one instruction, which a #DB can't interrupt. */
static __always_inline void ksym_budget_charge_nmi(struct ksym_trap *trap, u64 cycles)
{
	this_cpu_sub(trap->percpu->budget.left, cycles);
	this_cpu_sub(ksym_all_traps.left, cycles);
}

/*
 * May @hits more be handled? If a bucket is empty, or limit= is reached, the answer is
 * no, and ksym_limit_is_exceeded_nmi() decides.
 */
static __always_inline bool ksym_budget_allows_nmi(struct ksym_trap *trap,
						   struct ksym_trap_cpu *part,
						   unsigned int hits)
{
	if (trap->budget && (part->budget.left | this_cpu_read(ksym_all_traps.left)) < 0)
		return false;
	if (trap->limit && part->hits + hits > trap->limit)
		return false;
	part->hits += hits;
	return true;
}

void ksym_limit_init(struct ksym_trap *trap);
bool ksym_limit_is_exceeded_nmi(struct ksym_trap *trap, struct perf_event *bp,
				unsigned int hits, u64 now);
bool ksym_limit_may_walk_nmi(struct ksym_trap *trap);
bool ksym_limit_may_move_nmi(struct ksym_trap *trap);
void ksym_limit_charge_move_nmi(struct ksym_trap *trap, u64 start);
void ksym_limit_calibrate(void);
void ksym_limit_stop(struct ksym_trap_cpu *part);

#endif /* _KERNEL_TRACE_KSYM_LIMIT_H */

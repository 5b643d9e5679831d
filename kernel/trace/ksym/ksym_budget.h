/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock and the buckets that hits are charged by; see ksym_limit.c. This is
 * inlined into the handler.
 */
#ifndef _KERNEL_TRACE_KSYM_BUDGET_H
#define _KERNEL_TRACE_KSYM_BUDGET_H

#include <linux/percpu.h>
#include <linux/timekeeping.h>

#ifdef CONFIG_X86
#include <asm/ksym_cycles.h>
#endif

#include "ksym.h"

/**
 * struct ksym_clock - what hits are charged by
 * @per_ms: cycles in a millisecond
 * @trap: what a trap with an empty handler costs
 * @max: what a hit is charged at most
 * @fixed: there is no counter of cycles: a cycle is a nanosecond, and each hit costs
 *	@max
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
#ifdef arch_ksym_cycles
	if (likely(!ksym_clock.fixed))
		return arch_ksym_cycles();
#endif
	return ktime_get_mono_fast_ns();
}

/* What has gone on since @start, in cycles, and at most what a hit may be charged. */
static __always_inline u64 ksym_clock_since_nmi(u64 start)
{
	return min(ksym_clock_nmi() - start + ksym_clock.trap, ksym_clock.max);
}

/* Each is one instruction, which a #DB can't interrupt. */
static __always_inline void ksym_budget_charge_nmi(struct ksym_trap *trap, u64 cycles)
{
	this_cpu_sub(trap->percpu->budget.left, cycles);
	this_cpu_sub(ksym_all_traps.left, cycles);
}

/*
 * May @hits more be handled? Where a bucket is empty, or there were as many as limit=
 * says, that takes a closer look.
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

#endif /* _KERNEL_TRACE_KSYM_BUDGET_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock that the ksym tracer charges its handler by: the time stamp counter.
 * It needs no interrupt to go on, and can be read in any context.
 */
#ifndef _ASM_X86_KSYM_CYCLES_H
#define _ASM_X86_KSYM_CYCLES_H

#include <linux/cpufeature.h>
#include <linux/types.h>
#include <asm/msr.h>
#include <asm/tsc.h>

/* Another architecture has no such header, or defines the same two. */
#define arch_ksym_cycles arch_ksym_cycles
static __always_inline u64 arch_ksym_cycles(void)
{
	return rdtsc();
}

/* Cycles in a millisecond, or 0 where that is not known. */
static inline u64 arch_ksym_cycles_per_ms(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? tsc_khz : 0;
}

#endif /* _ASM_X86_KSYM_CYCLES_H */

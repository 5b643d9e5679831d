/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the ksym tracer asks of the architecture. Another one provides the same
 * functions, and selects HAVE_ARCH_KSYM.
 */
#ifndef _ASM_X86_KSYM_H
#define _ASM_X86_KSYM_H

#include <linux/cpufeature.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <asm/msr.h>
#include <asm/tsc.h>

struct pt_regs;

int arch_ksym_check_address(unsigned long addr);
unsigned int arch_ksym_access_nmi(const struct pt_regs *regs, unsigned long addr,
				  unsigned int len, unsigned int type, bool may_walk);
bool arch_ksym_wrote_nmi(const struct pt_regs *regs, unsigned long addr,
			 unsigned int len, unsigned int type, bool may_walk, u64 *val);
void arch_ksym_flush(void);

/**
 * arch_ksym_number - make a number of bytes from memory
 * @bytes: eight bytes; those after the value are 0
 *
 * Any context.
 *
 * Return: the number.
 */
static __always_inline u64 arch_ksym_number(const u8 *bytes)
{
	return get_unaligned_le64(bytes);
}

/**
 * arch_ksym_cycles - read the clock that hits are charged by: the time stamp counter
 *
 * Any context, also NMIs.
 *
 * Return: cycles.
 */
static __always_inline u64 arch_ksym_cycles(void)
{
	return rdtsc();
}

/**
 * arch_ksym_store_cycles - store arch_ksym_cycles()
 * @to: where to
 *
 * Two halves are one instruction less than a whole.
 *
 * Any context, also NMIs.
 */
static __always_inline void arch_ksym_store_cycles(u64 *to)
{
	asm volatile("rdtsc\n\tmovl %%eax, %0\n\tmovl %%edx, %1"
		     : "=m" (((u32 *)to)[0]), "=m" (((u32 *)to)[1]) : : "eax", "edx");
}

/**
 * arch_ksym_cycles_per_ms - tell how fast arch_ksym_cycles() runs
 *
 * Any context.
 *
 * Return: cycles in a millisecond, or 0 if there is no such clock or its speed is unknown.
 */
static inline u64 arch_ksym_cycles_per_ms(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? tsc_khz : 0;
}

#endif /* _ASM_X86_KSYM_H */

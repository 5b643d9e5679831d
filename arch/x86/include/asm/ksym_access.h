/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an instruction did to the memory that a data breakpoint watches.
 */
#ifndef _ASM_X86_KSYM_ACCESS_H
#define _ASM_X86_KSYM_ACCESS_H

#include <linux/types.h>

struct module;
struct pt_regs;

unsigned int ksym_access_nmi(const struct pt_regs *regs, unsigned long addr,
			     unsigned int len);
bool ksym_access_wrote_nmi(const struct pt_regs *regs, unsigned long addr,
			   unsigned int len, u64 *val);
void ksym_access_flush(void);

#endif /* _ASM_X86_KSYM_ACCESS_H */

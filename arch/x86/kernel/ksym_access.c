// SPDX-License-Identifier: GPL-2.0-only
#include <linux/export.h>
#include <asm/ksym_access.h>

unsigned int ksym_access_nmi(const struct pt_regs *regs, unsigned long addr,
			     unsigned int len)
{
	return 0;
}

bool ksym_access_wrote_nmi(const struct pt_regs *regs, unsigned long addr,
			   unsigned int len, u64 *val)
{
	return false;
}

void ksym_access_flush(void)
{
}

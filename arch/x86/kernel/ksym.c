// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the ksym tracer asks of x86, except for the decoder in ksym_access.c.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <asm/fixmap.h>
#include <asm/ksym.h>
#include <asm/vsyscall.h>
#include <uapi/asm/vsyscall.h>

/**
 * arch_ksym_check_address - can an address hold a variable of the kernel?
 * @addr: a kernel address
 *
 * Process context.
 *
 * Return: 0; -EPERM in the vsyscall page, which only user space reads; -EIO for a device
 * register in the fixmap, as those of the APICs, whose value can't be read without
 * consequences.
 */
int arch_ksym_check_address(unsigned long addr)
{
	unsigned int level;
	pte_t *pte;

	if ((addr & PAGE_MASK) == VSYSCALL_ADDR)
		return -EPERM;
	if (addr < FIXADDR_TOT_START || addr >= FIXADDR_TOP)
		return 0;
	pte = lookup_address(addr, &level);
	return pte && pte_present(*pte) && !page_is_ram(pte_pfn(*pte)) ? -EIO : 0;
}

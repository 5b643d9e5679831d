// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the ksym tracer asks of x86, except for the decoder in ksym_access.c.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/pgtable.h>
#include <asm/ksym.h>
#include <asm/vsyscall.h>
#include <uapi/asm/vsyscall.h>

/**
 * arch_ksym_check_address - can an address hold a variable of the kernel?
 * @addr: a kernel address
 *
 * Device registers are those that are not mapped write-back: by ioremap(), or in the
 * fixmap, as the APICs.
 *
 * Any context, also NMIs. With interrupts off, as for perf's walks of page tables: these are
 * freed after an IPI, if the CPU needs one to flush its TLB.
 *
 * Return: 0, also if nothing is mapped; -EPERM in the vsyscall page, which only user space
 * reads; -EIO for a device register, whose value can't be read without consequences.
 */
int arch_ksym_check_address(unsigned long addr)
{
	unsigned int level;
	pte_t *pte;

	lockdep_assert_irqs_disabled();
	if ((addr & PAGE_MASK) == VSYSCALL_ADDR)
		return -EPERM;
	pte = lookup_address(addr, &level);
	if (!pte || !pte_present(*pte))
		return 0;
	/*
	 * The PAT bit, which large pages have elsewhere, does not matter: all other types
	 * than write-back differ from it in another bit, too.
	 */
	return pte_flags(*pte) & (_PAGE_PWT | _PAGE_PCD) ? -EIO : 0;
}

NOKPROBE_SYMBOL(arch_ksym_check_address);

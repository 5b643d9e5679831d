// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resolve: a spec becomes an address and a length, or a reason why not.
 *
 * Nothing is reserved here, so what is refused here has cost no slot.
 */
#include <linux/cpumask.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/sections.h>

#include "ksym.h"

struct matches {
	unsigned long	addr;
	unsigned int	nr;
};

static int count_match(void *data, unsigned long addr)
{
	struct matches *matches = data;

	/* An alias in the same place is the same variable. */
	if (matches->nr && matches->addr == addr)
		return 0;
	matches->addr = addr;
	matches->nr++;
	return 0;
}

static bool is_percpu(unsigned long addr)
{
	return addr >= (unsigned long)__per_cpu_start &&
	       addr < (unsigned long)__per_cpu_end;
}

/*
 * The symbol table knows where a symbol begins and where the next one does,
 * which is its size and what padding follows it. The longest length that stays
 * in there and is aligned is the best guess without a type.
 */
static u8 default_len(unsigned long addr)
{
	unsigned long size, off, len;

	if (!kallsyms_lookup_size_offset(addr, &size, &off) || off >= size)
		return 1;
	len = min(size - off, SZ_8);
	return min(rounddown_pow_of_two(len), addr ? addr & -addr : len);
}

/**
 * ksym_resolve - find what a spec names
 * @spec: a spec whose action is %KSYM_ADD
 * @target: filled in
 * @error: says what is wrong, after an error
 *
 * Symbols of modules are refused: nothing here follows a module that goes.
 *
 * Process context; walks the symbol table, so it may take a while and may
 * sleep.
 *
 * Return: 0, or -EINVAL with @error set.
 */
int ksym_resolve(const struct ksym_spec *spec, struct ksym_target *target,
		 struct ksym_error *error)
{
	struct matches matches = {};
	unsigned long addr;
	u64 val;
	u8 len;

	kallsyms_on_each_match_symbol(count_match, spec->symbol, &matches);
	if (matches.nr > 1)
		return ksym_fail(error, KSYM_ERR_AMBIGUOUS, spec->symbol_at);
	if (!matches.nr) {
		/* This one asks the modules as well. */
		if (kallsyms_lookup_name(spec->symbol))
			return ksym_fail(error, KSYM_ERR_MODULE_SYMBOL,
					 spec->symbol_at);
		return ksym_fail(error, KSYM_ERR_NO_SUCH_SYMBOL,
				 spec->symbol_at);
	}
	/* A per-CPU symbol's address is an offset, and no address to add to. */
	if (is_percpu(matches.addr))
		return ksym_fail(error, KSYM_ERR_PERCPU_SYMBOL,
				 spec->symbol_at);

	addr = matches.addr + spec->off;
	len = spec->len ?: default_len(addr);
	/*
	 * An offset may lead anywhere. Beyond the image there is memory that
	 * may go while it is watched, and registers that one must not read.
	 */
	if (addr < (unsigned long)_text || addr > (unsigned long)_end - len)
		return ksym_fail(error, KSYM_ERR_NOT_KERNEL, spec->symbol_at);
	if (init_section_intersects((void *)addr, len))
		return ksym_fail(error, KSYM_ERR_INIT_MEMORY, spec->symbol_at);
	if (core_kernel_text(addr))
		return ksym_fail(error, KSYM_ERR_FUNCTION, spec->symbol_at);
	/* The image has holes, where it was given back page by page. */
	if (copy_from_kernel_nofault(&val, (void *)addr, len))
		return ksym_fail(error, KSYM_ERR_NOT_KERNEL, spec->symbol_at);
	if (addr & (len - 1))
		return ksym_fail(error, KSYM_ERR_UNALIGNED, spec->len_at);
	/*
	 * Told before any slot is taken, and told apart from the addresses
	 * that x86 refuses, for which perf has the same errno.
	 */
	if (spec->access == KSYM_READ)
		return ksym_fail(error, KSYM_ERR_READ_ONLY, spec->access_at);

	target->addr = addr;
	target->len = len;
	return 0;
}

/**
 * ksym_resolve_cpus - find the CPUs of a spec
 * @spec: a spec whose action is %KSYM_ADD
 * @cpus: filled in; all possible ones where the spec names none
 * @error: says what is wrong, after an error
 *
 * Process context.
 *
 * Return: 0, or -EINVAL with @error set.
 */
int ksym_resolve_cpus(const struct ksym_spec *spec, struct cpumask *cpus,
		      struct ksym_error *error)
{
	int ret;

	if (!spec->opt.cpus[0]) {
		cpumask_copy(cpus, cpu_possible_mask);
		return 0;
	}
	ret = cpulist_parse(spec->opt.cpus, cpus);
	/* The list is one, but goes beyond what the mask can hold. */
	if (ret == -ERANGE || ret == -EOVERFLOW)
		return ksym_fail(error, KSYM_ERR_NO_CPU, spec->cpus_at);
	if (ret || cpumask_empty(cpus))
		return ksym_fail(error, KSYM_ERR_BAD_CPUS, spec->cpus_at);
	if (!cpumask_subset(cpus, cpu_possible_mask))
		return ksym_fail(error, KSYM_ERR_NO_CPU, spec->cpus_at);
	return 0;
}

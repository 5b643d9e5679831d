// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resolve: from a parsed line to a place in memory, the part of it that is watched, and
 * the ranges that debug registers have to cover; or an error.
 *
 *   (struct rq)runqueues.nr_running -> place { base = runqueues, off = { 4 }, percpu }
 *                                      part { len = 4 }, one range of 4 bytes
 *
 * Nothing is reserved here, so an error costs no slot. A place can be a different
 * address on each CPU, which ksym_place_addr() computes.
 */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/ksym.h>
#include <asm/sections.h>

#include "../trace.h"
#include "ksym_resolve.h"

/* How many symbols of one name SYMBOL@N can select; Linux has some hundred "_rs". */
#define KSYM_MAX_MATCHES	32

/**
 * struct match - a symbol of the wanted name
 * @addr: its address, or its offset in the per-CPU areas
 * @mod: its module, with a reference, or NULL
 * @percpu: each CPU has a copy
 */
struct match {
	unsigned long	addr;
	struct module	*mod;
	bool		percpu;
};

struct matches {
	const char	*name;
	unsigned int	nr;
	unsigned int	nr_all;
	struct match	match[KSYM_MAX_MATCHES];
};

#ifdef CONFIG_MODULES
static bool is_module_loaded(const char *name)
{
	struct module *mod;

	guard(preempt)();
	mod = find_module(name);
	return mod && mod->state != MODULE_STATE_GOING;
}

/* Is a module loaded, and its init still to run? */
static bool is_module_coming(const struct module *mod)
{
	return READ_ONCE(mod->state) == MODULE_STATE_COMING;
}

/* The end of a module's per-CPU variables, or 0 if it has none. */
static unsigned long module_percpu_end(const struct module *mod)
{
#ifdef CONFIG_SMP
	if (mod->percpu_size)
		return (unsigned long)mod->percpu + mod->percpu_size;
#endif
	return 0;
}

static bool is_module_percpu(const struct module *mod, unsigned long addr)
{
#ifdef CONFIG_SMP
	return addr - (unsigned long)mod->percpu < mod->percpu_size;
#else
	return false;
#endif
}

/* Checks an address in a module. Returns the error. */
static enum ksym_err check_module_memory(const struct module *mod, unsigned long addr,
					 u8 access)
{
	if (within_module_mem_type(addr, mod, MOD_TEXT) ||
	    within_module_mem_type(addr, mod, MOD_INIT_TEXT))
		return KSYM_ERR_FUNCTION;
	if (within_module_init(addr, mod))
		return KSYM_ERR_INIT_MEMORY;
	if (!(access & KSYM_READ) &&
	    (within_module_mem_type(addr, mod, MOD_RODATA) ||
	     within_module_mem_type(addr, mod, MOD_RO_AFTER_INIT)))
		return KSYM_ERR_RODATA;
	return KSYM_ERR_NONE;
}

#else
static bool is_module_loaded(const char *name) { return false; }
static bool is_module_coming(const struct module *mod) { return false; }
static unsigned long module_percpu_end(const struct module *mod) { return 0; }
static bool is_module_percpu(const struct module *mod, unsigned long addr) { return false; }
static enum ksym_err check_module_memory(const struct module *mod, unsigned long addr,
					 u8 access)
{
	return KSYM_ERR_NONE;
}
#endif

static bool is_percpu(const struct module *mod, unsigned long addr)
{
	if (mod)
		return is_module_percpu(mod, addr);
	return addr >= (unsigned long)__per_cpu_start &&
	       addr < (unsigned long)__per_cpu_end;
}

static void add_match(struct matches *matches, unsigned long addr,
		      struct module *mod)
{
	struct match *match;
	unsigned int i;

	/* Another symbol with this name at the same address is the same variable. */
	for (i = 0; i < matches->nr; i++)
		if (matches->match[i].addr == addr && matches->match[i].mod == mod)
			return;
	matches->nr_all++;
	if (matches->nr == KSYM_MAX_MATCHES || (mod && !try_module_get(mod)))
		return;
	match = &matches->match[matches->nr++];
	match->addr = addr;
	match->mod = mod;
	match->percpu = is_percpu(mod, addr);
}

static int add_kernel_match(void *data, unsigned long addr)
{
	add_match(data, addr, NULL);
	return 0;
}

static int add_module_match(void *data, const char *name, unsigned long addr)
{
	struct matches *matches = data;
	struct module *mod;

	if (strcmp(name, matches->name))
		return 0;
	/*
	 * The address of a per-CPU symbol does not tell its module. Its name does: it is
	 * in the memory of the module, which can't be unloaded during the walk.
	 */
	guard(preempt)();
	mod = __module_address((unsigned long)name);
	/* A name, and its N, must mean the same after init, when its symbols are gone. */
	if (mod && !within_module_init(addr, mod))
		add_match(matches, addr, mod);
	return 0;
}

static int cmp_matches(const void *a, const void *b)
{
	const struct match *match_a = a, *match_b = b;

	return match_a->addr < match_b->addr ? -1 : match_a->addr > match_b->addr;
}

/* Finds the kernel's symbols first, then each module's, sorted by address. */
static void find_matches(const struct ksym_target *target, struct matches *matches)
{
	unsigned int from, to;

	matches->name = target->symbol;
	if (!target->module[0])
		kallsyms_on_each_match_symbol(add_kernel_match, target->symbol,
					      matches);
	module_kallsyms_on_each_symbol(target->module[0] ? target->module : NULL,
				       add_module_match, matches);
	for (from = 0; from < matches->nr; from = to) {
		for (to = from; to < matches->nr; to++)
			if (matches->match[to].mod != matches->match[from].mod)
				break;
		sort(&matches->match[from], to - from, sizeof(struct match),
		     cmp_matches, NULL);
	}
}

static void put_matches(struct matches *matches)
{
	unsigned int i;

	for (i = 0; i < matches->nr; i++)
		module_put(matches->match[i].mod);
}

static void list_matches(const struct matches *matches, char *more)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < matches->nr && len < KSYM_MORE_LEN - 100; i++) {
		const struct match *match = &matches->match[i];

		len += scnprintf(more + len, KSYM_MORE_LEN - len, "%s@%u %s",
				 i ? ", " : "", i + 1,
				 match->mod ? module_name(match->mod) : "vmlinux");
		if (kallsyms_show_value(current_cred()))
			len += scnprintf(more + len, KSYM_MORE_LEN - len, " 0x%lx", match->addr);
	}
	if (i < matches->nr_all)
		scnprintf(more + len, KSYM_MORE_LEN - len, ", and %u more",
			  matches->nr_all - i);
}

/* For "init_task.comm", which is no symbol: is the part before the dot one? */
static bool is_member_of_symbol(const char *symbol, unsigned int *dot)
{
	char name[KSYM_SYM_MAX];

	*dot = strcspn(symbol, ".");
	if (!*dot || !symbol[*dot])
		return false;
	memcpy(name, symbol, *dot);
	name[*dot] = '\0';
	return kallsyms_lookup_name(name);
}

/* No symbol was found: the module is not loaded, or this is an error. */
static int find_nothing(const struct ksym_spec *spec, struct ksym_found *found,
			struct ksym_error *error)
{
	const struct ksym_target *target = &spec->target;
	unsigned long addr;
	unsigned int dot;

	if (!target->module[0] && is_member_of_symbol(target->symbol, &dot))
		return ksym_fail(error, KSYM_ERR_UNTYPED_PATH, spec->symbol_at + dot);
	if (!target->module[0] || is_module_loaded(target->module))
		return ksym_fail(error, KSYM_ERR_NO_SUCH_SYMBOL, spec->symbol_at);
	/*
	 * "panic_timeout:x" has a wrong access. It is no symbol x of a module panic_timeout. A
	 * module can have the name of a function, such as sha256.
	 */
	addr = kallsyms_lookup_name(target->module);
	if (addr && !kernel_text_address(addr))
		return ksym_fail(error, KSYM_ERR_BAD_ACCESS, spec->symbol_at);
	found->pending = true;
	return 0;
}

/* Picks one of several symbols: the one that leads to @addr if that is not 0, else @N. */
static int pick_match(struct ksym_spec *spec, struct matches *matches,
		      unsigned long addr, struct match *picked,
		      struct ksym_error *error, char *more)
{
	struct ksym_target *target = &spec->target;
	unsigned int i, nth = target->nth;

	for (i = 0; addr && i < matches->nr && matches->nr > 1; i++)
		if (matches->match[i].addr + target->off == addr)
			nth = i + 1;
	target->nth = nth;
	if (matches->nr_all > 1 && !nth) {
		list_matches(matches, more);
		return ksym_fail(error, KSYM_ERR_AMBIGUOUS, spec->symbol_at);
	}
	if (nth > matches->nr) {
		list_matches(matches, more);
		return ksym_fail(error, KSYM_ERR_NO_NTH, spec->nth_at);
	}
	*picked = matches->match[nth ? nth - 1 : 0];
	return 0;
}

/* The N of MODULE:SYMBOL@N, counted within the module; 0 if the name is unique there. */
static unsigned int nth_of_module(const struct matches *matches, const struct match *picked)
{
	unsigned int i, nth = 0, nr = 0;

	for (i = 0; i < matches->nr; i++) {
		if (matches->match[i].mod != picked->mod)
			continue;
		nr++;
		if (matches->match[i].addr == picked->addr)
			nth = nr;
	}
	return nr > 1 ? nth : 0;
}

static int find_symbol(struct ksym_spec *spec, struct ksym_found *found,
		       unsigned long addr, struct ksym_error *error, char *more)
{
	struct ksym_target *target = &spec->target;
	struct ksym_place *place = &found->place;
	struct matches *matches;
	struct match picked;
	int ret;

	matches = kzalloc_obj(*matches);
	if (!matches)
		return -ENOMEM;
	find_matches(target, matches);
	if (!matches->nr) {
		ret = find_nothing(spec, found, error);
		goto out;
	}
	ret = pick_match(spec, matches, addr, &picked, error, more);
	if (ret)
		goto out;

	if (picked.mod && !found->loading && is_module_coming(picked.mod)) {
		strscpy(target->module, module_name(picked.mod));
		target->nth = nth_of_module(matches, &picked);
		found->pending = true;
		goto out;
	}
	if (picked.mod) {
		__module_get(picked.mod);
		found->mod = picked.mod;
		/* The watch is bound to this module, also when it is loaded again. */
		strscpy(target->module, module_name(picked.mod));
		target->nth = nth_of_module(matches, &picked);
	}
	place->base = picked.addr;
	place->percpu = picked.percpu;
out:
	put_matches(matches);
	kfree(matches);
	return ret;
}

/*
 * Turns an address in a module into a symbol and an offset, so that the watch can follow
 * the module when it is loaded again.
 */
static int find_address(struct ksym_spec *spec, struct ksym_found *found,
			struct ksym_error *error, char *more)
{
	struct ksym_target *target = &spec->target;
	unsigned long addr = target->addr + target->off, size, off;
	char symbol[KSYM_NAME_LEN], *modname;
	struct module *mod;
	int ret;

	preempt_disable();
	mod = __module_address(addr);
	if (mod && !try_module_get(mod))
		mod = NULL;
	preempt_enable();
	/* The address of a per-CPU copy does not tell its module. */
	if (!mod && is_module_percpu_address(addr))
		return ksym_fail(error, KSYM_ERR_NO_MODULE_SYMBOL, spec->symbol_at);
	if (!mod) {
		found->place.base = target->addr;
		return 0;
	}
	if (!kallsyms_lookup(addr, &size, &off, &modname, symbol) || !modname) {
		ret = ksym_fail(error, KSYM_ERR_NO_MODULE_SYMBOL, spec->symbol_at);
	} else {
		target->kind = KSYM_AT_SYMBOL;
		strscpy(target->module, modname);
		strscpy(target->symbol, symbol);
		target->off = off;
		target->addr = 0;
		ret = find_symbol(spec, found, addr, error, more);
		/* Nothing could be written back that says so. */
		if (!ret && target->type[0] && off)
			ret = ksym_fail(error, KSYM_ERR_TYPE_OFFSET, spec->symbol_at);
	}
	module_put(mod);
	return ret;
}

/* For the search for the next per-CPU symbol. */
struct next_symbol {
	unsigned long	addr;
	unsigned long	next;
};

static int note_next(void *data, const char *name, unsigned long addr)
{
	struct next_symbol *next = data;

	if (addr > next->addr && addr < next->next)
		next->next = addr;
	return 0;
}

/* kallsyms has no sizes of per-CPU symbols. */
static unsigned long percpu_size(struct module *mod, unsigned long addr)
{
	struct next_symbol next = { .addr = addr };

	if (mod) {
		next.next = module_percpu_end(mod);
		module_kallsyms_on_each_symbol(module_name(mod), note_next, &next);
	} else {
		next.next = (unsigned long)__per_cpu_end;
		kallsyms_on_each_symbol(note_next, &next);
	}
	return next.next - addr;
}

/*
 * Guesses the length of a symbol without a type: the longest one that is aligned and ends
 * before the next symbol. For example, 4 for an int before a symbol 8 bytes later at an
 * address that is a multiple of 4 only.
 */
static unsigned int default_len(const struct ksym_found *found, s64 target_off)
{
	unsigned long addr = found->place.base + target_off;
	unsigned long size, off, len;

	if (found->place.percpu) {
		size = percpu_size(found->mod, addr);
		off = 0;
		/* After the last symbol; check_place() refuses that. */
		if (!size)
			return 1;
	} else if (!kallsyms_lookup_size_offset(addr, &size, &off) || off >= size) {
		return 1;
	}
	len = min(size - off, SZ_8);
	return min(rounddown_pow_of_two(len), addr ? addr & -addr : len);
}

/**
 * ksym_place_addr - compute the address of a place on a CPU
 * @place: the place
 * @cpu: the CPU
 * @addr: filled in
 *
 * Pointers are followed at the time of the call. Any context.
 *
 * Return: 0, or -EFAULT if a pointer can't be read or is no kernel address.
 */
int ksym_place_addr(const struct ksym_place *place, int cpu, unsigned long *addr)
{
	unsigned long at = place->base;
	unsigned int i;

	if (place->percpu)
		at = (unsigned long)per_cpu_ptr((void __percpu *)at, cpu);
	for (i = 0; i < place->nr_derefs; i++) {
		if (copy_from_kernel_nofault(&at, (void *)(at + place->off[i]),
					     sizeof(at)) ||
		    at < TASK_SIZE_MAX)
			return -EFAULT;
	}
	*addr = at + place->off[i];
	return 0;
}

/**
 * ksym_split - split a range into ranges that a debug register can watch
 * @addr: the address
 * @len: the length in bytes
 * @ranges: filled in, up to %KSYM_MAX_PIECES
 *
 * A register watches 1, 2, 4 or 8 bytes, aligned to their length. Together the ranges
 * cover exactly the bytes asked for, since a trap does not tell which byte was accessed.
 * For example, 7 bytes at 0x1002 are 2 bytes at 0x1002, 4 at 0x1004 and 1 at 0x1008.
 *
 * Any context.
 *
 * Return: the number of ranges, which may be more than were filled in.
 */
int ksym_split(unsigned long addr, unsigned int len, struct ksym_range *ranges)
{
	unsigned long off = 0, size;
	int nr = 0;

	while (off < len) {
		size = rounddown_pow_of_two(len - off);
		size = min(size, 8);
		if (addr + off)
			size = min(size, (addr + off) & -(addr + off));
		if (nr < KSYM_MAX_PIECES) {
			ranges[nr].off = off;
			ranges[nr].len = size;
		}
		nr++;
		off += size;
	}
	return nr;
}

/*
 * Splits a range for registers that take turns: into pieces of one length, the longest that
 * divides the address and the length. For example, 100 bytes at 0x1008 are 25 pieces of 4.
 */
static void split_wide(struct ksym_found *found, unsigned long addr)
{
	unsigned long bits = addr | found->part.len | sizeof(u64);
	unsigned int size = bits & -bits, i;

	for (i = 0; i < KSYM_MAX_PIECES; i++)
		found->ranges[i] = (struct ksym_range){ .off = i * size, .len = size };
	found->nr_ranges = KSYM_MAX_PIECES;
	found->nr_turns = found->part.len / size;
}

static int split_range(const struct ksym_spec *spec, struct ksym_found *found,
		       unsigned long addr, struct ksym_error *error, char *more)
{
	int nr = ksym_split(addr, found->part.len, found->ranges);

	if (nr > KSYM_MAX_PIECES && spec->opt.flexible) {
		split_wide(found, addr);
		return 0;
	}
	if (nr > KSYM_MAX_PIECES) {
		snprintf(more, KSYM_MORE_LEN, "%u bytes at this address take %d",
			 found->part.len, nr);
		return ksym_fail(error, KSYM_ERR_RANGE, spec->len_at);
	}
	found->nr_ranges = nr;
	return 0;
}

/* Reads a byte of each page: the image has holes, where pages were freed after boot. */
static bool is_readable(unsigned long addr, unsigned int len)
{
	unsigned long end = addr + len - 1;
	u8 val;

	for (; addr < end; addr = min(end, PAGE_ALIGN(addr + 1)))
		if (copy_from_kernel_nofault(&val, (void *)addr, 1))
			return false;
	return !copy_from_kernel_nofault(&val, (void *)end, 1);
}

/* Can @access of @len bytes at @addr be watched? Returns the error. */
static enum ksym_err check_memory(const struct module *mod, unsigned long addr,
				  unsigned int len, u8 access)
{
	enum ksym_err err;

	if (addr < TASK_SIZE_MAX || addr + len < addr)
		return KSYM_ERR_USER_ADDRESS;
	scoped_guard(irqsave) {
		switch (arch_ksym_check_address(addr)) {
		case -EPERM:
			return KSYM_ERR_VSYSCALL;
		case -EIO:
			return KSYM_ERR_DEVICE;
		}
	}
	if (init_section_intersects((void *)addr, len))
		return KSYM_ERR_INIT_MEMORY;
	/*
	 * No data comes right before text and constants: those of the image follow a hole
	 * and each other, and each part of a module has an area of its own.
	 */
	if (core_kernel_text(addr))
		return KSYM_ERR_FUNCTION;
	/* Only a watch of writes alone can never have a hit there. */
	if (!(access & KSYM_READ) && is_kernel_rodata(addr))
		return KSYM_ERR_RODATA;
	err = mod ? check_module_memory(mod, addr, access) : KSYM_ERR_NONE;
	if (err != KSYM_ERR_NONE)
		return err;
	return is_readable(addr, len) ? KSYM_ERR_NONE : KSYM_ERR_NOT_MAPPED;
}

/*
 * Is the place within the image, the module or the per-CPU area of its symbol? An offset
 * or an index can lead anywhere, but a watch follows only this memory.
 */
static bool is_inside(const struct ksym_found *found)
{
	const struct ksym_place *place = &found->place;
	unsigned long addr = place->base + place->off[0], last = addr + found->part.len - 1;
	const struct module *mod = found->mod;

	if (place->nr_derefs)
		last = addr + sizeof(void *) - 1;
	if (place->percpu)
		return is_percpu(mod, addr) && is_percpu(mod, last);
	if (mod)
		return within_module(addr, mod) && within_module(last, mod);
	return addr >= (unsigned long)_text && last < (unsigned long)_end;
}

/* Is the address in the state of a ring buffer of any instance? */
static bool is_in_ring_buffer(unsigned long addr)
{
	struct trace_array *tr;
	int cpu;

	guard(mutex)(&trace_types_lock);
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		for_each_possible_cpu(cpu)
			if (ring_buffer_owns(tr->array_buffer.buffer, cpu, addr))
				return true;
	}
	return false;
}

/* Checks the place on each CPU, and splits it into ranges. */
static int check_place(const struct ksym_spec *spec, struct ksym_found *found,
		       struct ksym_error *error, char *more)
{
	const struct ksym_place *place = &found->place;
	unsigned long addr, first = 0;
	const struct module *mod;
	enum ksym_err err;
	int cpu;

	/* [cpuN] was checked in measure(), while the place was still per CPU. */
	if (spec->target.kind == KSYM_AT_SYMBOL &&
	    (spec->target.cpu < 0 || place->percpu) && !is_inside(found)) {
		/* An absolute symbol can have any address; check_memory() names the reason. */
		if (!place->off[0] && !place->percpu && !found->mod) {
			err = check_memory(NULL, place->base, found->part.len,
					   spec->access);
			if (err != KSYM_ERR_NONE)
				return ksym_fail(error, err, spec->symbol_at);
		}
		return ksym_fail(error, KSYM_ERR_NOT_KERNEL,
				 place->off[0] ? spec->off_at : spec->symbol_at);
	}
	/* Pointers, and the per-CPU areas, lead out of the module's memory. */
	mod = place->nr_derefs || place->percpu ? NULL : found->mod;
	for_each_online_cpu(cpu) {
		if (ksym_place_addr(place, cpu, &addr)) {
			snprintf(more, KSYM_MORE_LEN, "on CPU %d", cpu);
			return ksym_fail(error, KSYM_ERR_POINTER, spec->path_at);
		}
		err = check_memory(mod, addr, found->part.len, spec->access);
		if (err != KSYM_ERR_NONE)
			return ksym_fail(error, err, place->nr_derefs ?
					 spec->path_at : spec->symbol_at);
		/* The ranges must be the same on each CPU. */
		if (first && (first & 7) != (addr & 7))
			return ksym_fail(error, KSYM_ERR_UNEVEN, spec->path_at);
		first = first ?: addr;
		found->nests |= is_in_ring_buffer(addr);
		if (!place->percpu)
			break;
	}
	return split_range(spec, found, first, error, more);
}

/* Checks [cpuN]: all CPUs watch the copy of one CPU. */
static int take_copy(const struct ksym_spec *spec, struct ksym_found *found,
		     struct ksym_error *error)
{
	struct ksym_place *place = &found->place;
	int cpu = spec->target.cpu;

	if (cpu < 0)
		return 0;
	if (!place->percpu)
		return ksym_fail(error, KSYM_ERR_NOT_PERCPU, spec->cpu_at);
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return ksym_fail(error, KSYM_ERR_NO_CPU, spec->cpu_at);
	return 0;
}

static int measure(struct ksym_spec *spec, struct ksym_found *found,
		   struct ksym_error *error, char *more)
{
	const struct ksym_target *target = &spec->target;
	unsigned int len;
	int ret;

	ret = take_copy(spec, found, error);
	if (ret)
		return ret;
	if (target->type[0]) {
		ret = ksym_btf_resolve(found->mod, spec, &found->place, &found->part,
				       error, more);
		if (ret)
			return ret;
	} else {
		found->place.off[0] = target->off;
	}
	/* With another length than the type's, a bit-field is watched as whole bytes. */
	len = spec->len ?: found->part.len ?: default_len(found, target->off);
	if (len > (spec->opt.flexible ? KSYM_WIDE_MAX : KSYM_LEN_MAX))
		return ksym_fail(error, KSYM_ERR_LONG_TYPE, spec->path_at);
	if (len != found->part.len)
		found->part = (struct ksym_part){};
	found->part.len = len;

	/* Only now, since is_inside() needs the offset in the per-CPU areas. */
	if (target->cpu >= 0 && is_inside(found)) {
		void __percpu *copies = (void __percpu *)found->place.base;

		found->place.base = (unsigned long)per_cpu_ptr(copies, target->cpu);
		found->place.percpu = false;
	}
	return 0;
}

/* Each object that a watch follows at once has a piece of its own. */
static int make_room(const struct ksym_spec *spec, struct ksym_found *found)
{
	unsigned int i;

	found->nr_ranges = max(spec->opt.objects, 1U);
	for (i = 0; i < found->nr_ranges; i++)
		found->ranges[i].len = found->part.len;
	return 0;
}

/* How many debug registers will a target without an address need? */
static int guess_ranges(const struct ksym_spec *spec, struct ksym_found *found,
			struct ksym_error *error, char *more)
{
	/* Assume that it will be aligned to its length. */
	found->part.len = spec->len ?: found->movable ? 8 : 1;
	if (found->movable)
		return make_room(spec, found);
	return split_range(spec, found, 0, error, more);
}

/*
 * Finds the way from a value of a window's function to what is watched. The value itself
 * is the base, which ksym_window.c fills in.
 */
static int find_value(const struct ksym_spec *spec, struct ksym_found *found,
		      struct ksym_error *error, char *more)
{
	const struct ksym_target *target = &spec->target;

	if (target->kind == KSYM_AT_STACK) {
		found->place.off[0] = target->off;
		found->part.len = sizeof(u64);
		return 0;
	}
	if (!target->type[0])
		return ksym_btf_resolve_arg(spec->window.func, target->arg, spec,
					    &found->place, &found->part, error, more);
	return ksym_btf_resolve(NULL, spec, &found->place, &found->part, error, more);
}

/* A window points its watch at the target, so that needs one register. */
static int make_window(const struct ksym_spec *spec, struct ksym_found *found,
		       struct ksym_error *error)
{
	if (found->pending || found->place.percpu || spec->target.module[0])
		return ksym_fail(error, KSYM_ERR_WINDOW_TARGET, spec->symbol_at);
	/* The length of a bit-field is that of its bytes. */
	if (spec->len && spec->len != found->part.len)
		found->part = (struct ksym_part){ .len = spec->len };
	if (!is_power_of_2(found->part.len) || found->part.len > sizeof(u64) ||
	    (!found->movable && found->nr_ranges > 1))
		return ksym_fail(error, KSYM_ERR_WINDOW_LEN,
				 spec->len ? spec->len_at : spec->symbol_at);
	found->movable = true;
	return make_room(spec, found);
}

/**
 * ksym_resolve - find what a spec names
 * @spec: a spec whose action is %KSYM_ADD; the module in which the symbol was found is
 *	added to its target
 * @found: zeroed, except for @loading; filled in; release it with ksym_found_put()
 * @error: after an error: what is wrong, and where
 * @more: %KSYM_MORE_LEN bytes for the details of the error
 *
 * Process context; sleeps; walks the symbol tables and the types.
 *
 * Return: 0, -EINVAL with @error set, or -ENOMEM.
 */
int ksym_resolve(struct ksym_spec *spec, struct ksym_found *found,
		 struct ksym_error *error, char *more)
{
	int ret = 0;

	switch (spec->target.kind) {
	case KSYM_AT_SYMBOL:
		ret = find_symbol(spec, found, 0, error, more);
		break;
	case KSYM_AT_ADDRESS:
		ret = find_address(spec, found, error, more);
		break;
	case KSYM_NOWHERE:
		found->movable = true;
		break;
	default:
		ret = find_value(spec, found, error, more);
		found->movable = true;
	}
	if (ret)
		return ret;

	if (spec->target.kind > KSYM_NOWHERE) {
		/* The rest is known in the call. */
	} else if (found->pending || found->movable) {
		ret = guess_ranges(spec, found, error, more);
	} else {
		ret = measure(spec, found, error, more);
		ret = ret ?: check_place(spec, found, error, more);
	}
	if (!ret && spec->window.func[0])
		ret = make_window(spec, found, error);
	/* One that moves, or takes turns, may come to a ring buffer later. */
	found->nests |= found->movable || found->nr_turns;
	return ret;
}

/**
 * ksym_found_put - release the module reference of a result
 * @found: filled in by ksym_resolve(), also after an error, or zeroed
 *
 * Process context.
 */
void ksym_found_put(struct ksym_found *found)
{
	module_put(found->mod);
	found->mod = NULL;
}

/**
 * ksym_resolve_cpus - find the CPUs of a spec
 * @spec: a spec whose action is %KSYM_ADD
 * @cpus: filled in; all possible CPUs if the spec names none
 * @error: after an error: what is wrong, and where
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
	/* A valid list, with CPU numbers beyond the mask. */
	if (ret == -ERANGE || ret == -EOVERFLOW)
		return ksym_fail(error, KSYM_ERR_NO_CPU, spec->cpus_at);
	if (ret || cpumask_empty(cpus))
		return ksym_fail(error, KSYM_ERR_BAD_CPUS, spec->cpus_at);
	if (!cpumask_subset(cpus, cpu_possible_mask))
		return ksym_fail(error, KSYM_ERR_NO_CPU, spec->cpus_at);
	return 0;
}

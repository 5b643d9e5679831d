/* SPDX-License-Identifier: GPL-2.0-only */
/* Types: what BTF says of a type and a path in it. */
#ifndef _KERNEL_TRACE_KSYM_BTF_H
#define _KERNEL_TRACE_KSYM_BTF_H

#include <linux/types.h>

#include "ksym_parse.h"

struct module;

/* The room for the details that follow an error's text. */
#define KSYM_MORE_LEN	512

/* How many pointers a path may follow. */
#define KSYM_MAX_DEREFS	4

/**
 * struct ksym_place - how to reach an address: a base, then along pointers
 * @base: the address of the symbol, or its offset in the per-CPU areas
 * @off: what is added before each pointer is read, and at the end
 * @percpu: @base is an offset, and each CPU has a copy
 * @nr_derefs: how many pointers are followed
 *
 * For example, (struct rq)runqueues.curr->on_cpu is { base = runqueues,
 * off = { offsetof(struct rq, curr), offsetof(struct task_struct, on_cpu) },
 * percpu = 1, nr_derefs = 1 }.
 *
 * Places with the same bytes lead to the same address, so they are zeroed before
 * they are filled in.
 */
struct ksym_place {
	unsigned long	base;
	s64		off[KSYM_MAX_DEREFS + 1];
	u32		percpu;
	u32		nr_derefs;
};

/**
 * struct ksym_part - which part of the memory at a place is watched
 * @len: its length in bytes, or 0 if unknown
 * @bit: the first bit of a bit-field in the number that these bytes are, or 0
 * @bits: the length of the bit-field in bits, or 0 if it is none
 * @is_signed: it is a signed number of 1, 2, 4 or 8 bytes
 */
struct ksym_part {
	u32	len;
	u8	bit;
	u8	bits;
	bool	is_signed;
};

struct module *ksym_btf_module_of(const char *type);
int ksym_btf_resolve(struct module *mod, const struct ksym_spec *spec,
		     struct ksym_place *place, struct ksym_part *part,
		     struct ksym_error *error, char *more);

int ksym_btf_resolve_arg(const char *func, unsigned int arg, const struct ksym_spec *spec,
			 struct ksym_place *place, struct ksym_part *part,
			 struct ksym_error *error, char *more);

#endif /* _KERNEL_TRACE_KSYM_BTF_H */

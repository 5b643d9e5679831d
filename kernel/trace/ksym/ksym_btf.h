/* SPDX-License-Identifier: GPL-2.0-only */
/* Types: what BTF says of a type and a path in it. */
#ifndef _KERNEL_TRACE_KSYM_BTF_H
#define _KERNEL_TRACE_KSYM_BTF_H

#include <linux/types.h>

#include "ksym_parse.h"

struct module;

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
 */
struct ksym_part {
	u32	len;
	u8	bit;
	u8	bits;
};

/**
 * struct ksym_btf_error - what is wrong with a type or a path
 * @code: which error
 * @in_path: @at is an offset in the path, and not in the type
 * @at: the offset of the culprit in bytes
 * @more: details for the error's text, or ""
 */
struct ksym_btf_error {
	enum ksym_err	code;
	bool		in_path;
	unsigned int	at;
	char		more[192];
};

int ksym_btf_resolve(struct module *mod, const char *type, const char *path,
		     struct ksym_place *place, struct ksym_part *part,
		     struct ksym_btf_error *error);

#endif /* _KERNEL_TRACE_KSYM_BTF_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Resolve: from a parsed line to places in memory. */
#ifndef _KERNEL_TRACE_KSYM_RESOLVE_H
#define _KERNEL_TRACE_KSYM_RESOLVE_H

#include <linux/cpumask.h>
#include <linux/hw_breakpoint.h>
#include <linux/types.h>

#include "ksym_btf.h"
#include "ksym_parse.h"

/* How many debug registers a watch of one object can have on a CPU. */
#define KSYM_MAX_PIECES	HBP_NUM

/**
 * struct ksym_range - what one debug register covers of a target
 * @off: where it begins, from the beginning of the target
 * @len: its length in bytes
 */
struct ksym_range {
	u16	off;
	u16	len;
};

/**
 * struct ksym_found - what was found of a target
 * @place: where it is; unknown if @pending or @movable
 * @part: which part of that is watched
 * @pending: it is in a module that is not loaded
 * @movable: it has no address until it is pointed at an object
 * @nests: it is, or may come to be, in the state of a ring buffer, which changes when a hit is
 *	recorded
 * @nr_ranges: how many debug registers it needs
 * @ranges: what each of them covers; of a wide target, first
 * @nr_turns: how many pieces of this length a wide target has, or 0
 * @mod: the module, with a reference
 * @loading: set by the caller: a module that is still being loaded counts as
 *	loaded. Its loading may still fail, and the reference does not prevent that:
 *	only who holds event_mutex, which our module notifier takes, can rely on the
 *	memory
 */
struct ksym_found {
	struct ksym_place	place;
	struct ksym_part	part;
	bool			pending;
	bool			movable;
	bool			nests;
	unsigned int		nr_ranges;
	struct ksym_range	ranges[KSYM_OBJECTS_MAX];
	unsigned int		nr_turns;
	struct module		*mod;
	bool			loading;
};

/* Fills in an error. Returns -EINVAL. */
static inline int ksym_fail(struct ksym_error *error, enum ksym_err code,
			    unsigned int at)
{
	error->code = code;
	error->at = at;
	return -EINVAL;
}

int ksym_resolve(struct ksym_spec *spec, struct ksym_found *found,
		 struct ksym_error *error, char *more);
void ksym_found_put(struct ksym_found *found);
int ksym_resolve_cpus(const struct ksym_spec *spec, struct cpumask *cpus,
		      struct ksym_error *error);
int ksym_place_addr(const struct ksym_place *place, int cpu, unsigned long *addr);
int ksym_split(unsigned long addr, unsigned int len, struct ksym_range *ranges);

#endif /* _KERNEL_TRACE_KSYM_RESOLVE_H */

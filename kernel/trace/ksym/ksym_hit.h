/* SPDX-License-Identifier: GPL-2.0-only */
/* Hit: an access, from the #DB to those who record it. */
#ifndef _KERNEL_TRACE_KSYM_HIT_H
#define _KERNEL_TRACE_KSYM_HIT_H

#include <linux/bits.h>

#include "ksym.h"

struct perf_event;
struct perf_sample_data;
struct pt_regs;

/**
 * struct ksym_hit - an access, on its way from the handler to the probes
 * @watch: the watch
 * @regs: the registers after the access
 * @addr: the address of the value
 * @old: the shadow before the access
 * @new: the value read after the access
 * @wrote: the value that the instruction stored, if @has_wrote
 * @owner: the task whose window the object is in
 * @access: what the instruction did: %KSYM_READ, %KSYM_WRITE or both; 0 if unknown
 * @torn: a second read, after the value became the shadow, gave another value
 * @has_wrote: @wrote is known
 * @changed_beside: the instruction changed another piece of the watch as well
 * @len: how many bytes the value has
 * @size: the length of the record with its fetch arguments, or 0 until they were
 *	fetched
 * @recorded: set by a probe that recorded it
 * @filtered: set by a probe whose filter or trigger dropped it
 */
struct ksym_hit {
	struct ksym_watch	*watch;
	struct pt_regs		*regs;
	unsigned long		addr;
	u64			old;
	u64			new;
	u64			wrote;
	pid_t			owner;
	u8			access;
	bool			torn;
	bool			has_wrote;
	bool			changed_beside;
	u16			len;
	u16			size;
	bool			recorded;
	bool			filtered;
};

/* A value as it is in memory. Those of signed targets are sign-extended in a hit. */
static inline u64 ksym_bytes(u64 val, unsigned int len)
{
	return len < sizeof(val) ? val & (BIT_ULL(len * BITS_PER_BYTE) - 1) : val;
}

typedef void (*ksym_probe_t)(void *data, struct ksym_hit *hit);

u64 ksym_hit_count_cpu(const struct ksym_watch *watch, enum ksym_count which, int cpu);
u64 ksym_hit_count(const struct ksym_watch *watch, enum ksym_count which);
int ksym_hit_seed(struct ksym_watch *watch);
void ksym_hit_seed_cpu(struct ksym_piece *piece, int cpu);
int ksym_hit_read_nmi(const struct ksym_watch *watch, unsigned long addr, u64 *val);
void ksym_hit_nmi(struct perf_event *bp, struct perf_sample_data *data,
		  struct pt_regs *regs);

#endif /* _KERNEL_TRACE_KSYM_HIT_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Wide: watches of more pieces than a CPU has debug registers. */
#ifndef _KERNEL_TRACE_KSYM_WIDE_H
#define _KERNEL_TRACE_KSYM_WIDE_H

#include "ksym_trap.h"

/**
 * struct ksym_wide_piece - what is known of a piece
 * @hits: the recorded hits
 * @running: for how long registers watched it, summed over the CPUs, in ns
 */
struct ksym_wide_piece {
	atomic64_t		hits;
	atomic64_t		running;
};

/**
 * struct ksym_wide_cpu - the turns of a CPU; changed there, with interrupts off, or when an
 *	event was made, pointed or released
 * @next: the piece to be watched next
 * @at: the piece that each register of the watch is at
 */
struct ksym_wide_cpu {
	unsigned int		next;
	unsigned int		at[KSYM_MAX_PIECES];
};

/**
 * struct ksym_wide - the pieces of a wide watch, which all have the same length
 * @nr: how many
 * @len: the length of each in bytes
 * @nr_copies: how many copies of the target have shadows of their own
 * @cpu: the turns of each CPU
 * @shadows: the last values seen: @nr for each copy
 * @piece: the pieces
 */
struct ksym_wide {
	unsigned int			nr;
	unsigned int			len;
	unsigned int			nr_copies;
	struct ksym_wide_cpu __percpu	*cpu;
	atomic64_t			*shadows;
	struct ksym_wide_piece		piece[] __counted_by(nr);
};

static inline atomic64_t *ksym_wide_shadow(const struct ksym_wide *wide, int cpu,
					   unsigned int piece)
{
	return &wide->shadows[(wide->nr_copies > 1 ? cpu * wide->nr : 0) + piece];
}

/* Which piece is at @addr, where the trap's register of this CPU is? */
static inline unsigned int ksym_wide_at(const struct ksym_trap *trap, unsigned long addr)
{
	return (addr - this_cpu_read(trap->percpu->addr) + trap->off) / trap->len;
}

struct ksym_wide *ksym_wide_copy(const struct ksym_wide *wide);
int ksym_wide_prepare(struct ksym_watch *watch, const struct ksym_found *found);
void ksym_wide_free(struct ksym_wide *wide);
void ksym_wide_init(struct ksym_trap *trap);
void ksym_wide_reset(struct ksym_trap_cpu *part);
void ksym_wide_start(struct ksym_trap_cpu *part);
void ksym_wide_stop(struct ksym_trap *trap);

#endif /* _KERNEL_TRACE_KSYM_WIDE_H */

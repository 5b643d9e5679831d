// SPDX-License-Identifier: GPL-2.0-only
/*
 * What did the instruction of a hit do, and what did it store?
 */
#include <linux/hw_breakpoint.h>
#include <stdlib.h>

#include "backend/perf/access.h"
#include "backend/perf/code.h"
#include "backend/perf/stock.h"

/* The values are the same. */
_Static_assert(KSYM_READ == HW_BREAKPOINT_R && KSYM_WRITE == HW_BREAKPOINT_W, "access");

/**
 * stock_access_open - read the kernel's code
 * @stock: its @code tells whether that worked
 */
void stock_access_open(struct stock *stock)
{
	unsigned long long offset;
	size_t cpu;
	char *why;

	stock->code = code_open(&stock->why_no_code);
	stock->gs = xcalloc(stock->nr_cpus, sizeof(*stock->gs));
	for (cpu = 0; stock->code && cpu < stock->nr_cpus; cpu++) {
		if (stock_percpu_offset(cpu, &offset, &why))
			stock->gs[cpu] = offset;
		free(why);
	}
}

/* Fills in @hit's access and what was stored. */
void stock_access(const struct stock *stock, struct stock_hit *hit)
{
	const struct stock_watch *watch = hit->watch;
	bool reads = watch->spec.access & KSYM_READ;
	const struct access_trap trap = {
		.regs = hit->regs, .addr = hit->addr, .len = hit->piece->len,
		.type = reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W, .cpu = hit->cpu,
		.gs = stock->gs[hit->cpu], .has_memory = stock->bpf, .top = hit->top,
		.word = hit->word,
	};

	hit->access = stock->code && hit->regs ? code_access(&trap, hit->time) : 0;
	/* Nothing else traps there. */
	if (!hit->access && !reads)
		hit->access = KSYM_WRITE;
	if (stock->code && hit->regs && watch->spec.opt.wrote && hit->access & KSYM_WRITE)
		hit->has_wrote = code_stored(&trap, hit->time, &hit->wrote);
	/* The number of a bit-field, as of the other values. */
	if (watch->bits < 64)
		hit->wrote = hit->wrote >> watch->bit & ((1ULL << watch->bits) - 1);
}

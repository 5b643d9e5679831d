/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a trace.dat, version 6; see trace-cmd.dat.v6(5).
 *
 *	tracedat_head(out, &dat);
 *	tracedat_tail(out, &dat, sizes, nr_cpus);
 *	the pages of CPU 0, of CPU 1, ...
 */
#ifndef KSYMWATCH_TRACEDAT_H
#define KSYMWATCH_TRACEDAT_H

#include <stdio.h>
#include <sys/types.h>

#include "lib/util.h"

/* An option of the tail: mappings of user space. */
#define OPTION_PROCMAPS	10

/* What a trace.dat has besides the pages. All are new strings, and NULL stands for an empty one. */
struct tracedat {
	char		*header_page;	/* layout of a page, as in tracefs's events/header_page */
	char		*header_event;	/* layout of a record, as in events/header_event */
	struct strings	group;		/* the group of each event; those of ftrace come first */
	struct strings	format;		/* the format of each event */
	char		*symbols;	/* as in /proc/kallsyms */
	char		*printk;	/* as in printk_formats */
	char		*comms;		/* names of tasks, as in saved_cmdlines */
	char		*clock;		/* as in trace_clock */
	char		*mappings;	/* of user space, see symbols/mappings.h */
};

size_t tracedat_page_size(const struct tracedat *dat);
void tracedat_event(struct tracedat *dat, const char *group, char *format);
void tracedat_head(FILE *out, const struct tracedat *dat);
void tracedat_tail(FILE *out, const struct tracedat *dat, const off_t *sizes, size_t nr_cpus);
void tracedat_free(struct tracedat *dat);

#endif /* KSYMWATCH_TRACEDAT_H */

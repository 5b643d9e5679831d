/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the two parts of the module share: the workload has a target, and a
 * breakpoint on it calls a handler.
 */
#ifndef _KSYM_BENCH_H
#define _KSYM_BENCH_H

#include <linux/perf_event.h>

extern ulong target;

/**
 * struct bench_handler - a breakpoint handler
 * @name: by which "handler" knows it
 * @function: the handler
 * @event: the trace event of this module that it writes to; NULL where it has
 *	none, or knows it without help
 * @prepare: makes the context of a handler that needs one from the file of
 *	@event; NULL where the file is the context
 */
struct bench_handler {
	const char		*name;
	perf_overflow_handler_t	function;
	const char		*event;
	void			*(*prepare)(struct trace_event_file *file);
};

const struct bench_handler *bench_find_handler(const char *name);

#endif /* _KSYM_BENCH_H */

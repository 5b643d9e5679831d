/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the two files of the module: the workload has a target, and a breakpoint on
 * it calls a handler.
 */
#ifndef _KSYM_BENCH_H
#define _KSYM_BENCH_H

#include <linux/perf_event.h>

extern ulong target;

/**
 * struct bench_handler - a breakpoint handler
 * @name: the name to write to "handler"
 * @function: the handler
 * @event: the trace event of this module that the handler writes to; NULL if it writes
 *	to none or finds it by itself
 * @prepare: makes the handler's context from the file of @event; NULL if the file is
 *	the context
 */
struct bench_handler {
	const char		*name;
	perf_overflow_handler_t	function;
	const char		*event;
	void			*(*prepare)(struct trace_event_file *file);
};

const struct bench_handler *bench_find_handler(const char *name);

#endif /* _KSYM_BENCH_H */

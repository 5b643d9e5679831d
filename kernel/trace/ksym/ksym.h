/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ksym tracer's private structures, and what protects them.
 *
 * Locks, outermost first:
 *
 *   dyn_event_ops_mutex	one write to ksym_trace_filter at a time, beside
 *				the definitions in dynamic_events
 *   event_mutex		the list of watches (dyn_event_list), the events'
 *				files, a watch's life
 *   trace_types_lock		taken by the event core under event_mutex
 *   cpus_read_lock		no CPU comes or goes
 *   ksym_slots_mutex		the perf events of all watches
 *   perf's own locks
 *
 * The handler takes none of them. What it reads of a watch is written before
 * the watch is armed and stands until each of its perf events is released;
 * what it writes is atomic (the shadow) or per CPU (the counts).
 */
#ifndef _KERNEL_TRACE_KSYM_H
#define _KERNEL_TRACE_KSYM_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/tracepoint.h>

#include "../trace.h"
#include "../trace_dynevent.h"
#include "ksym_parse.h"

/* The group of the watches' events: events/ksym/NAME. */
#define KSYM_GROUP	"ksym"

#define KSYM_COUNT(name)	KSYM_COUNT_##name,
enum ksym_count {
#include "ksym_counts.h"
	KSYM_NR_COUNTS
};

#undef KSYM_COUNT

struct ksym_counts {
	u64		n[KSYM_NR_COUNTS];
};

/**
 * struct ksym_watch - a named thing to watch
 * @addr: what to watch; this and the next fields are what the handler reads
 * @len: how many bytes of it: 1, 2, 4 or 8
 * @access: what to trap: %KSYM_WRITE, or %KSYM_READ | %KSYM_WRITE
 * @counts: what happened so far
 * @tp: the tracepoint of the event; its probes are the event's users, one for
 *	each buffer that the event is enabled in, one for perf and BPF
 * @shadow: the last value seen. All CPUs exchange it with the value that they
 *	see, so the pairs of all hits form a chain
 * @events: the perf event of each CPU, by ksym_slots_mutex
 * @devent: in dyn_event_list, by event_mutex
 * @call: the trace event
 * @class: its class, which is the watch's own
 * @symbol: the symbol of the target
 * @off: the offset to it
 * @doomed: a write that is under way removes it, by event_mutex
 * @name: the name of the watch and of its event
 */
struct ksym_watch {
	unsigned long			addr;
	u8				len;
	u8				access;
	struct ksym_counts __percpu	*counts;
	struct tracepoint		tp;

	/* Written by each hit, so away from what each hit reads. */
	atomic64_t			shadow ____cacheline_aligned_in_smp;

	struct perf_event * __percpu	*events ____cacheline_aligned_in_smp;
	struct dyn_event		devent;
	struct trace_event_call		call;
	struct trace_event_class	class;
	char				*symbol;
	s64				off;
	bool				doomed;
	char				name[KSYM_EVENT_LEN];
};

/**
 * struct ksym_hit - an access, on its way from the handler to the probes
 * @watch: what was touched
 * @regs: where, by which instruction
 * @old: the shadow before
 * @new: the value read after the access
 * @access: what the instruction did: %KSYM_READ, %KSYM_WRITE, 0 where not known
 * @recorded: set by a probe that recorded it
 * @filtered: set by a probe whose filter or trigger dropped it
 */
struct ksym_hit {
	struct ksym_watch	*watch;
	struct pt_regs		*regs;
	u64			old;
	u64			new;
	u16			access;
	bool			recorded;
	bool			filtered;
};

typedef void (*ksym_probe_t)(void *data, struct ksym_hit *hit);

/* Notes an error for the writer. */
static inline int ksym_fail(struct ksym_error *error, enum ksym_err code,
			    unsigned int at)
{
	error->code = code;
	error->at = at;
	return -EINVAL;
}

/* resolve: ksym_resolve.c */
struct ksym_target {
	unsigned long	addr;
	u8		len;
};

int ksym_resolve(const struct ksym_spec *spec, struct ksym_target *target,
		 struct ksym_error *error);

/* reserve, arm: ksym_slots.c */
int ksym_slots_reserve(struct ksym_watch *watch);
int ksym_slots_arm(struct ksym_watch *watch);
void ksym_slots_release(struct ksym_watch *watch);

/* hit: ksym_hit.c */
int ksym_hit_seed(struct ksym_watch *watch);
void ksym_hit_nmi(struct perf_event *bp, struct perf_sample_data *data,
		  struct pt_regs *regs);

/* event: ksym_event.c */
extern struct trace_event_functions ksym_event_funcs;

void ksym_event_init(struct ksym_watch *watch);
int ksym_event_register_locked(struct ksym_watch *watch);
int ksym_event_enable_locked(struct ksym_watch *watch);
bool ksym_event_is_busy_locked(struct ksym_watch *watch);
int ksym_event_unregister_locked(struct ksym_watch *watch);
enum print_line_t ksym_event_print_row(struct trace_iterator *iter);
void ksym_event_print_header(struct seq_file *m);

/* front: ksym.c */
bool ksym_is_watch(struct dyn_event *devent);
struct ksym_watch *ksym_find_watch_locked(const char *name);
struct ksym_watch *ksym_watch_create(const char *symbol, s64 off,
				     const struct ksym_target *target,
				     u8 access, const char *name);
void ksym_watch_free(struct ksym_watch *watch);
int ksym_run(char *text, struct ksym_error *error);
int ksym_format_watch(char *buf, size_t size, const struct ksym_watch *watch);

static inline struct ksym_watch *to_ksym_watch(struct dyn_event *devent)
{
	return container_of(devent, struct ksym_watch, devent);
}

#endif /* _KERNEL_TRACE_KSYM_H */

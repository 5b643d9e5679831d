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
 *   ksym_slots_mutex		all traps: which watches have which, and the
 *				perf events of those that watch CPUs
 *   perf's own locks
 *
 * and beside them, under dyn_event_ops_mutex or under nothing,
 *
 *   ksym_tasks_mutex		the perf events of the traps that watch tasks
 *   perf's own locks
 *
 * A task's perf events are not touched under event_mutex: when a task forks,
 * perf may take event_mutex under the mutex of the task's events.
 *
 * The callbacks of CPU hotplug take ksym_slots_mutex alone.
 *
 * The handler takes none of them. It finds a trap's watches by RCU. What it
 * reads of a watch is written before the watch is armed and stands until no
 * handler can see it any more; what it writes is atomic (the shadow, what is
 * left of count=) or per CPU (the counts, the limit).
 */
#ifndef _KERNEL_TRACE_KSYM_H
#define _KERNEL_TRACE_KSYM_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/hw_breakpoint.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

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
 * struct ksym_times - how long a watch watched, summed over its CPUs, in ns
 * @enabled: how long it wanted to
 * @running: how long it did
 *
 * The ratio of the two is its coverage.
 */
struct ksym_times {
	u64		enabled;
	u64		running;
};

/**
 * struct ksym_trap_cpu - a CPU's part of a trap
 * @event: the perf event, by ksym_slots_mutex, or by ksym_tasks_mutex
 * @trap: whose part it is
 * @cpu: of which CPU
 * @window: when the hits were counted from, by ktime_get_mono_fast_ns()
 * @hits: how many there were since
 * @stormy: there were too many, and the event is disarmed or about to be
 * @disarmed: since when
 * @noted: when a storm was last told in the trace
 * @uncovered: how long this CPU could not trap, in ns
 * @before: enabled and running time of events that this CPU had before
 * @storm_work: starts the timer, as the handler must not
 * @timer: arms the event again
 *
 * The fields from @window to @noted are this CPU's own. All that changes them
 * runs in the handler or with interrupts off.
 */
struct ksym_trap_cpu {
	struct perf_event	*event;
	struct ksym_trap	*trap;
	int			cpu;
	u64			window;
	u32			hits;
	bool			stormy;
	u64			disarmed;
	u64			noted;
	u64			uncovered;
	struct ksym_times	before;
	struct irq_work		storm_work;
	struct hrtimer		timer;
};

/**
 * struct ksym_trap - what identical watches share: their perf events
 * @addr: the address; with what follows up to @limit it makes watches identical
 * @len: how many bytes
 * @access: what to trap
 * @flexible: takes turns
 * @inherit: what the task starts is watched, too
 * @limit: hits per millisecond on a CPU, or 0
 * @task: the task, or NULL for a trap of CPUs
 * @cpus: the CPUs
 * @watches: those that are armed, by RCU; ksym_slots_mutex changes it
 * @percpu: the part of each CPU
 * @event: the event of a task on any CPU
 * @reservation: the slots of the CPUs that have no event
 * @uncovered: the CPUs that should have an event and could get none
 * @armed: the events are enabled
 * @dead: nobody has the trap any more; its events are on their way out
 * @users: the watches that have it, armed or not, by ksym_slots_mutex
 * @list: all traps, or those to be freed, by ksym_slots_mutex
 * @ref: keeps the memory
 * @done_irq_work: a watch had all of its count=
 * @done_work: looks whether any watch is left
 */
struct ksym_trap {
	unsigned long			addr;
	u8				len;
	u8				access;
	bool				flexible;
	bool				inherit;
	u32				limit;
	struct task_struct		*task;
	struct cpumask			cpus;

	struct list_head		watches;
	struct ksym_trap_cpu __percpu	*percpu;
	struct perf_event		*event;
	struct hw_breakpoint_reservation reservation;
	struct cpumask			uncovered;
	bool				armed;
	bool				dead;
	struct list_head		users;
	struct list_head		list;
	struct kref			ref;
	struct irq_work			done_irq_work;
	struct work_struct		done_work;
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
 * @left: what is left of count=
 * @trap: what traps for it, by ksym_slots_mutex, and for whoever may remove it
 * @trap_node: in the trap's watches, once it is armed
 * @user_node: in the trap's users
 * @opt: the options
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

	struct list_head		trap_node;

	/* Written by each hit, so away from what each hit reads. */
	atomic64_t			shadow ____cacheline_aligned_in_smp;
	atomic64_t			left;

	struct ksym_trap		*trap ____cacheline_aligned_in_smp;
	struct list_head		user_node;
	struct ksym_options		opt;
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

int ksym_resolve_cpus(const struct ksym_spec *spec, struct cpumask *cpus,
		      struct ksym_error *error);

/* Long enough for a line of either syntax. */
#define KSYM_LINE_LEN	(KSYM_TARGET_LEN + KSYM_EVENT_LEN + KSYM_OPTIONS_LEN + 32)

/**
 * struct ksym_view - a copy of a watch, for a reader
 * @next: the next one
 * @trap: its trap, of which the copy has a reference
 * @counts: what it counted
 * @times: how long it watched
 * @done: it had all of its count=
 * @name: its name
 * @line: its line
 */
struct ksym_view {
	struct ksym_view	*next;
	struct ksym_trap	*trap;
	struct ksym_counts	counts;
	struct ksym_times	times;
	bool			done;
	char			name[KSYM_EVENT_LEN];
	char			line[KSYM_LINE_LEN];
};

/**
 * struct ksym_register - who is in a debug register
 * @name: a watch's name, or "perf", "ptrace", "kgdb", or the function that
 *	another kernel user has as its handler, or "-" for nobody
 * @ours: it is a watch
 * @handler: the address of the handler, or 0
 */
struct ksym_register {
	char		name[KSYM_EVENT_LEN];
	bool		ours;
	unsigned long	handler;
};

/* reserve, arm: ksym_slots.c */
int ksym_slots_reserve(struct ksym_watch *watch, struct task_struct *task,
		       const struct cpumask *cpus);
int ksym_slots_arm(struct ksym_watch *watch);
void ksym_slots_release(struct ksym_watch *watch);
void ksym_slots_flush(void);
struct ksym_trap *ksym_trap_get(struct ksym_watch *watch);
void ksym_trap_put(struct ksym_trap *trap);
void ksym_trap_arm_task(struct ksym_trap *trap);
void ksym_trap_times(struct ksym_trap *trap, struct ksym_times *times);
int ksym_slots_read(int cpu, struct ksym_register *regs);
int ksym_slots_explain(char *buf, size_t size, const struct cpumask *cpus);
bool ksym_slots_flexible_fits(const struct cpumask *cpus);

/* limit: ksym_limit.c */
void ksym_limit_init(struct ksym_trap *trap);
bool ksym_limit_is_exceeded_nmi(struct ksym_trap *trap, struct perf_event *bp);
void ksym_limit_stop(struct ksym_trap_cpu *part);

/* show: ksym_show.c */
struct ksym_view *ksym_view_all(void);
void ksym_view_free(struct ksym_view *view);
void ksym_format_coverage(char *buf, size_t size, const struct ksym_times *times);
int ksym_show_filter(struct seq_file *m, void *v);
extern const struct file_operations ksym_slots_fops;

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
void ksym_event_note(struct ksym_watch *watch, const char *text);
enum print_line_t ksym_event_print_row(struct trace_iterator *iter);
void ksym_event_print_header(struct seq_file *m);

/* front: ksym.c */
bool ksym_is_watch(struct dyn_event *devent);
struct ksym_watch *ksym_find_watch_locked(const char *name);
struct ksym_watch *ksym_watch_create(const char *symbol, s64 off,
				     const struct ksym_target *target,
				     u8 access, const struct ksym_options *opt,
				     const char *name);
void ksym_watch_free(struct ksym_watch *watch);
int ksym_run(char *text, struct ksym_error *error);
int ksym_format_watch(char *buf, size_t size, const struct ksym_watch *watch);

/* Has the watch had all of its count=? Any context. */
static inline bool ksym_watch_is_done(const struct ksym_watch *watch)
{
	return watch->opt.count && atomic64_read(&watch->left) <= 0;
}

static inline struct ksym_watch *to_ksym_watch(struct dyn_event *devent)
{
	return container_of(devent, struct ksym_watch, devent);
}

#endif /* _KERNEL_TRACE_KSYM_H */

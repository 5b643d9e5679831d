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
 * The module notifier takes event_mutex and what comes after it, and then, under
 * nothing, ksym_tasks_mutex.
 *
 * The handler takes none of them. It finds a trap's watches by RCU. What it
 * reads of a watch is written before the watch is armed and stands until no
 * handler can see it any more; what it writes is atomic (the shadows, what is
 * left of count=) or per CPU (the counts, the limit). Where a watch is pointed
 * at another object is told by the breakpoint itself.
 */
#ifndef _KERNEL_TRACE_KSYM_H
#define _KERNEL_TRACE_KSYM_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/hw_breakpoint.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "../trace.h"
#include "../trace_dynevent.h"
#include "ksym_parse.h"

/* How many debug registers a watch can have on a CPU. */
#define KSYM_MAX_PIECES	HBP_NUM

/* How many pointers a path may follow. */
#define KSYM_MAX_DEREFS	4

/* What an error adds to its text: who holds the slots, which symbols there are. */
#define KSYM_MORE_LEN	512

/* Where a watch points that points nowhere, and a move from wherever it is. */
#define KSYM_AT_NOTHING	0UL
#define KSYM_ANYWHERE	(~0UL)

#define KSYM_COUNT(name)	KSYM_COUNT_##name,
enum ksym_count {
#include "ksym_counts.h"
	KSYM_NR_COUNTS
};

#undef KSYM_COUNT

/* Which of the kinds of recorded hits below a hit is. */
#define KSYM_KIND_CHANGED	4
#define KSYM_NR_KINDS		8

/**
 * struct ksym_counts - what a CPU counted for a watch
 * @n: how often each thing happened; but for what @recorded tells
 * @recorded: how many hits were recorded, by what the instruction did, from 0 for
 *	unknown to %KSYM_READ | %KSYM_WRITE, and by whether that changed the value.
 *	The columns from HITS to CHANGES are sums of these, so that a hit counts once
 */
struct ksym_counts {
	u64		n[KSYM_NR_COUNTS];
	u64		recorded[KSYM_NR_KINDS];
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
 * struct ksym_place - how to come to an address: from a base, along pointers
 * @base: the address that the symbol has, or its offset in the per-CPU areas
 * @off: what is added before each pointer is read, and at the end
 * @percpu: @base is an offset, and each CPU has a copy
 * @nr_derefs: how many pointers are followed
 *
 * Two that have the same bytes lead to the same address, so they are zeroed
 * before they are filled in.
 */
struct ksym_place {
	unsigned long	base;
	s64		off[KSYM_MAX_DEREFS + 1];
	u32		percpu;
	u32		nr_derefs;
};

/**
 * struct ksym_part - what part of the memory at a place is watched
 * @len: how many bytes, or 0 where that is not known
 * @bit: the first bit of a bit-field in the number that these bytes are, or 0
 * @bits: how many bits the bit-field has, or 0 where it is none
 */
struct ksym_part {
	u32	len;
	u8	bit;
	u8	bits;
};

/**
 * struct ksym_range - what one debug register watches of a watch
 * @off: where it begins, from where the watch begins
 * @len: how many bytes it has
 */
struct ksym_range {
	u16	off;
	u16	len;
};

/**
 * struct ksym_found - what has been found of a target
 * @place: where it is; not where it is @pending or @movable
 * @part: what part of that
 * @pending: it is in a module that is not loaded
 * @movable: it is told later where it is
 * @nests: it is in a ring buffer's own state, which changes when a hit is recorded
 * @nr_ranges: how many debug registers it takes
 * @ranges: what each of them watches
 * @mod: the module, of which the finder has a reference
 * @loading: set by who asks: a module that is just being loaded counts as there.
 *	It may fail to load, and waits for no reference then: only who holds
 *	event_mutex, which our notifier waits for, can be sure of its memory
 */
struct ksym_found {
	struct ksym_place	place;
	struct ksym_part	part;
	bool			pending;
	bool			movable;
	bool			nests;
	unsigned int		nr_ranges;
	struct ksym_range	ranges[KSYM_MAX_PIECES];
	struct module		*mod;
	bool			loading;
};

/**
 * struct ksym_bucket - handling that is still allowed, see ksym_limit.c
 * @left: how much, in cycles; below 0 once it was too much
 * @filled: when it was filled last, by ksym_clock_nmi()
 */
struct ksym_bucket {
	s64	left;
	u64	filled;
};

/* Why a trap was muted. */
enum ksym_over {
	KSYM_OVER_LIMIT,	/* its limit= */
	KSYM_OVER_BUDGET,	/* its budget= */
	KSYM_OVER_TOTAL,	/* what all traps of the CPU may take */
};

/**
 * struct ksym_trap_cpu - a CPU's part of a trap
 * @event: the perf event, by ksym_slots_mutex, or by ksym_tasks_mutex
 * @trap: whose part it is
 * @cpu: of which CPU
 * @addr: which address the event has, or %KSYM_AT_NOTHING
 * @plain: how many hits may go the plain way before one is measured again
 * @batch: what @plain was then
 * @price: what the last hit cost that went the plain way, in cycles
 * @budget: how much handling is left
 * @window: when @hits were counted from, by ksym_clock_nmi()
 * @hits: how many there were since
 * @over: why it was muted last
 * @mute: the event does not trap on this CPU; also where the event is a task's
 * @uncovered_since: since when this CPU has had no event
 * @noted: when a storm was last told in the trace
 * @uncovered: how long this CPU has had no event, in ns
 * @before: enabled and running time of events that this CPU had before
 * @storm_work: starts the timer, as the handler must not
 * @timer: takes the mute away
 * @move_work: points the event at what the trap is pointed at
 *
 * The fields from @plain to @noted, but for @uncovered_since, are this CPU's own. All
 * that changes them runs in the handler or with interrupts off.
 */
struct ksym_trap_cpu {
	struct perf_event		*event;
	struct ksym_trap		*trap;
	int				cpu;
	unsigned long			addr;
	u32				plain;
	u32				batch;
	u64				price;
	struct ksym_bucket		budget;
	u64				window;
	u32				hits;
	enum ksym_over			over;
	struct hw_breakpoint_mute	mute;
	u64				uncovered_since;
	u64				noted;
	u64				uncovered;
	struct ksym_times		before;
	struct irq_work			storm_work;
	struct hrtimer			timer;
	struct irq_work			move_work;
};

/**
 * struct ksym_trap - what identical watches share: their perf events
 * @place: where; with what follows up to @key it makes watches identical
 * @off: what is added to where @place leads
 * @len: how many bytes
 * @access: what to trap
 * @flexible: takes turns
 * @inherit: what the task starts is watched, too
 * @limit: hits per millisecond on a CPU, or 0
 * @budget: the share of a CPU's time that its hits may take, in percent, or 0
 * @task: the task, or NULL for a trap of CPUs
 * @cpus: the CPUs
 * @key: instead of @place and @len, where they change: what was asked for; or
 *	NULL
 * @movable: kernel code or a trigger points it at objects
 * @target: where that is now, or %KSYM_AT_NOTHING
 * @follows: pointers are followed each time that its only watch is armed
 * @placed: @place and @len are known; otherwise the events are parked
 * @settled: what @placed was when a task's events were pointed last
 * @pieces: the pieces of watches that are armed, by RCU; ksym_slots_mutex
 *	changes it
 * @sole: the watch of the only one of these, if it is not odd; likewise
 * @sole_piece: the only one, if its watch has no other and is not movable; likewise
 * @percpu: the part of each CPU
 * @event: the event of a task on any CPU
 * @reservation: the slots of the CPUs that have no event
 * @uncovered: the CPUs that should have an event and could get none
 * @armed: the events are enabled
 * @dead: nobody has the trap any more; its events are on their way out
 * @users: the pieces that have it, armed or not, by ksym_slots_mutex
 * @list: all traps, or those to be freed, by ksym_slots_mutex
 * @ref: keeps the memory
 * @done_irq_work: a watch had all of its count=
 * @done_work: looks whether any watch is left
 * @move_irq_work: tells all CPUs that @target has changed
 */
struct ksym_trap {
	struct ksym_place		place;
	u16				off;
	u16				len;
	u8				access;
	bool				flexible;
	bool				inherit;
	u32				limit;
	u8				budget;
	struct task_struct		*task;
	struct cpumask			cpus;
	char				*key;
	bool				movable;
	unsigned long			target;
	bool				follows;

	bool				placed;
	bool				settled;
	struct list_head		pieces;
	struct ksym_watch		*sole;
	struct ksym_piece		*sole_piece;
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
	struct irq_work			move_irq_work;
};

/**
 * struct ksym_traps - the traps of a watch, with a reference of each
 * @nr: how many
 * @trap: which
 */
struct ksym_traps {
	unsigned int		nr;
	struct ksym_trap	*trap[KSYM_MAX_PIECES];
};

/**
 * struct ksym_piece - what one debug register watches for a watch
 * @watch: whose piece it is
 * @back: the value of a hit begins so many bytes before the piece
 * @len: and has so many bytes
 * @unit: which of the watch's shadows has the value
 * @trap: what traps for it, by ksym_slots_mutex, and for whoever may remove the
 *	watch
 * @trap_node: in the trap's pieces, once it is armed
 * @user_node: in the trap's users
 */
struct ksym_piece {
	struct ksym_watch	*watch;
	u8			back;
	u8			len;
	u8			unit;
	struct list_head	trap_node;
	struct ksym_trap	*trap;
	struct list_head	user_node;
};

/* The last value that was seen of each piece, or in the first one of all. */
struct ksym_shadows {
	atomic64_t		unit[KSYM_MAX_PIECES];
};

struct ksym_fetch;
struct ksym_ustack;

/**
 * struct ksym_watch - a named thing to watch
 * @access: what to record: %KSYM_READ, %KSYM_WRITE or both. This and the next
 *	fields are what the handler reads
 * @odd: the handler has to ask more than for a plain variable of up to 8 bytes
 * @bit: the first bit of a bit-field in its value
 * @bits: how many bits it has, or 0 where all of the value counts
 * @nr_pieces: how many debug registers it has on each of its CPUs
 * @percpu: each CPU has a shadow of its own, in @copies
 * @counts: what happened so far
 * @copies: the shadows of what is a per-CPU target, or may turn out to be one
 * @fetch: the fetch arguments, or NULL
 * @ustack: who waits to have its user stack recorded, or NULL
 * @tp: the tracepoint of the event; its probes are the event's users, one for
 *	each buffer that the event is enabled in, one for perf and BPF
 * @piece: the pieces
 * @shadows: the last values seen. All CPUs exchange them with the value that
 *	they see, so the pairs of all hits form a chain
 * @left: what is left of count=
 * @moving: somebody points the watch at an object
 * @found: where the target is
 * @target: what was asked for
 * @asked: and in which words, before the symbol was found in a module
 * @asked_len: and how many bytes of it, or 0 where that was left open
 * @opt: the options
 * @on: it is to trap, as soon as it can; by event_mutex
 * @armed: it does; by event_mutex
 * @short_of_slots: the module is loaded, and there are not enough; by event_mutex
 * @lazy: it traps only while the event is enabled
 * @nr_users: in how many places it is, for a lazy one; by event_mutex
 * @held: kernel code has it, and nobody else may remove it
 * @owner: the module that this code is in, or NULL
 * @nr_triggers: how many triggers point it at objects, by event_mutex
 * @devent: in dyn_event_list, by event_mutex
 * @call: the trace event
 * @class: its class, which is the watch's own
 * @print_fmt: its format, where that is the watch's own
 * @doomed: a write that is under way removes it, by event_mutex
 * @group: the group of its event
 * @name: the name of the watch and of its event
 */
struct ksym_watch {
	u8				access;
	bool				odd;
	u8				bit;
	u8				bits;
	u8				nr_pieces;
	bool				percpu;
	struct ksym_counts __percpu	*counts;
	struct ksym_shadows __percpu	*copies;
	struct ksym_fetch		*fetch;
	struct ksym_ustack		*ustack;
	struct tracepoint		tp;
	struct ksym_piece		piece[KSYM_MAX_PIECES];

	/* Written by each hit, so away from what each hit reads. */
	struct ksym_shadows		shadows ____cacheline_aligned_in_smp;
	atomic64_t			left;
	atomic_t			moving;

	struct ksym_found		found ____cacheline_aligned_in_smp;
	struct ksym_target		target;
	struct ksym_target		asked;
	u16				asked_len;
	struct ksym_options		opt;
	bool				on;
	bool				armed;
	bool				short_of_slots;
	bool				lazy;
	unsigned int			nr_users;
	bool				held;
	struct module			*owner;
	unsigned int			nr_triggers;
	struct dyn_event		devent;
	struct trace_event_call		call;
	struct trace_event_class	class;
	char				*print_fmt;
	bool				doomed;
	char				group[KSYM_EVENT_LEN];
	char				name[KSYM_EVENT_LEN];
};

/**
 * struct ksym_hit - an access, on its way from the handler to the probes
 * @watch: what was touched
 * @regs: where, by which instruction
 * @addr: where the value is
 * @old: the shadow before
 * @new: the value read after the access
 * @wrote: the value that the instruction stored, where @has_wrote
 * @access: what the instruction did: %KSYM_READ, %KSYM_WRITE, both, or 0 where that
 *	is not known
 * @torn: a second read of the value, after it became the shadow, gave another one
 * @has_wrote: @wrote is known
 * @changed_beside: another piece of the watch changed, which is the same hit
 * @len: how many bytes were watched there
 * @size: how long the record with its fetch arguments is, or 0 as long as nobody
 *	has fetched them
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
	u8			access;
	bool			torn;
	bool			has_wrote;
	bool			changed_beside;
	u16			len;
	u16			size;
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

/* types: ksym_btf.c */

/**
 * struct ksym_btf_error - what is wrong with a type or a path
 * @code: which error
 * @in_path: whether @at is in the path, or in the type
 * @at: the offset of the culprit, in bytes
 * @more: what the error's text does not say, or ""
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

/* resolve: ksym_resolve.c */
int ksym_resolve(struct ksym_spec *spec, struct ksym_found *found,
		 struct ksym_error *error, char *more);
int ksym_resolve_again(const struct ksym_watch *watch, struct ksym_found *found,
		       struct ksym_error *error);
void ksym_found_put(struct ksym_found *found);
int ksym_resolve_cpus(const struct ksym_spec *spec, struct cpumask *cpus,
		      struct ksym_error *error);
int ksym_place_addr(const struct ksym_place *place, int cpu, unsigned long *addr);
int ksym_split(unsigned long addr, unsigned int len, struct ksym_range *ranges);

/* Long enough for a line of either syntax, up to its fetch arguments. */
#define KSYM_LINE_LEN	(KSYM_TARGET_LEN + 2 * KSYM_EVENT_LEN + \
			 KSYM_OPTIONS_LEN + 32)

/**
 * struct ksym_view - a copy of a watch, for a reader
 * @next: the next one
 * @traps: its traps
 * @counts: what it counted
 * @times: how long it watched
 * @done: it had all of its count=
 * @pending: its module is not loaded
 * @short_of_slots: its module is, and there are not enough slots
 * @follows: it has followed a pointer, or is pointed at objects
 * @group: the group of its event
 * @name: its name
 * @line: its line
 */
struct ksym_view {
	struct ksym_view	*next;
	struct ksym_traps	traps;
	u64			counts[KSYM_NR_COUNTS];
	struct ksym_times	times;
	bool			done;
	bool			pending;
	bool			short_of_slots;
	bool			follows;
	char			group[KSYM_EVENT_LEN];
	char			name[KSYM_EVENT_LEN];
	char			*line;
};

/**
 * struct ksym_register - who is in a debug register
 * @name: a watch's name, or "perf", "ptrace", "kgdb", or the function that
 *	another kernel user has as its handler, or "-" for nobody
 * @ours: it is a watch
 * @of_task: it is a task's
 * @handler: the address of the handler, or 0
 */
struct ksym_register {
	char		name[KSYM_EVENT_LEN];
	bool		ours;
	bool		of_task;
	unsigned long	handler;
};

/* reserve, arm: ksym_slots.c */
extern u64 ksym_parking;

void __init ksym_slots_init(void);
int ksym_slots_reserve(struct ksym_watch *watch, struct task_struct *task,
		       const struct cpumask *cpus);
int ksym_slots_aim(struct ksym_watch *watch);
void ksym_slots_arm(struct ksym_watch *watch);
void ksym_slots_disarm(struct ksym_watch *watch);
int ksym_slots_place(struct ksym_watch *watch, const struct ksym_found *found);
void ksym_slots_park(struct ksym_watch *watch);
bool ksym_slots_drop(struct ksym_watch *watch);
void ksym_slots_release(struct ksym_watch *watch);
void ksym_slots_flush(void);
void ksym_traps_get(struct ksym_watch *watch, struct ksym_traps *traps);
void ksym_traps_put(struct ksym_traps *traps);
void ksym_traps_settle(struct ksym_traps *traps);
void ksym_slots_settle_all(void);
void ksym_traps_times(struct ksym_traps *traps, struct ksym_times *times);
unsigned long ksym_trap_addr(const struct ksym_trap *trap, int cpu);
int ksym_traps_format_addr(const struct ksym_traps *traps, char *buf, size_t size);
int ksym_slots_read(int cpu, struct ksym_register *regs);
struct hw_breakpoint_census *ksym_slots_census(void);
int ksym_slots_explain(char *buf, size_t size, const struct ksym_watch *watch,
		       const struct cpumask *cpus);
bool ksym_slots_flexible_fits(const struct ksym_watch *watch, const struct cpumask *cpus);

/* move: ksym_move.c */
bool ksym_watch_is_movable(const struct ksym_watch *watch);
int ksym_watch_move_nmi(struct ksym_watch *watch, unsigned long from, unsigned long to);
void ksym_move_init(struct ksym_trap *trap);
void ksym_move_part(struct ksym_trap_cpu *part);
void ksym_move_stop(struct ksym_trap *trap);
unsigned int ksym_trap_lagging(struct ksym_trap *trap);

/* modules: ksym_module.c */
void __init ksym_module_init(void);
void ksym_module_catch_up_locked(struct ksym_watch *watch);

/* limit: ksym_limit.c */
void ksym_limit_init(struct ksym_trap *trap);
bool ksym_limit_is_exceeded_nmi(struct ksym_trap *trap, struct perf_event *bp,
				unsigned int hits, u64 now);
bool ksym_limit_may_walk_nmi(struct ksym_trap *trap);
void ksym_limit_calibrate(void);
void ksym_limit_stop(struct ksym_trap_cpu *part);

/* show: ksym_show.c */
struct ksym_view *ksym_view_all(void);
#if IS_ENABLED(CONFIG_KUNIT)
struct ksym_view *ksym_make_view_locked(struct ksym_watch *watch);
#endif
void ksym_view_free(struct ksym_view *view);
void ksym_format_coverage(char *buf, size_t size, const struct ksym_times *times);
int ksym_show_filter(struct seq_file *m, void *v);
extern const struct file_operations ksym_slots_fops;

/* user stacks: ksym_ustack.c */
struct ksym_ustack *ksym_ustack_create(struct ksym_watch *watch);
void ksym_ustack_stop(struct ksym_ustack *ustack);
void ksym_ustack_put(struct ksym_ustack *ustack);
bool ksym_ustack_want_nmi(struct ksym_ustack *ustack);

/* hit: ksym_hit.c */
u64 ksym_hit_count(const struct ksym_watch *watch, enum ksym_count which);
int ksym_hit_seed(struct ksym_watch *watch);
int ksym_hit_seed_at_nmi(struct ksym_watch *watch, unsigned long addr);
void ksym_hit_nmi(struct perf_event *bp, struct perf_sample_data *data,
		  struct pt_regs *regs);

/* event: ksym_event.c */
extern struct trace_event_functions ksym_event_funcs;

void ksym_event_probe_nmi(void *data, struct ksym_hit *hit);
int ksym_event_init(struct ksym_watch *watch);
bool ksym_event_has_field(const char *name, size_t len);
void ksym_event_destroy(struct ksym_watch *watch);
int ksym_event_register_locked(struct ksym_watch *watch);
int ksym_event_enable_locked(struct ksym_watch *watch);
void ksym_event_forget_locked(struct ksym_watch *watch);
bool ksym_event_is_busy_locked(struct ksym_watch *watch);
int ksym_event_unregister_locked(struct ksym_watch *watch);
void ksym_event_note(struct ksym_watch *watch, const char *text);
bool ksym_event_user_stack(struct ksym_watch *watch);
enum print_line_t ksym_event_print_row(struct trace_iterator *iter);
void ksym_event_print_header(struct seq_file *m);

/* fetch arguments: ksym_fetch.c */

/**
 * struct ksym_fetch_error - what is wrong with a fetch argument
 * @text: the error's sentence, or NULL
 * @word: which word of the command it is about
 * @at: and where in that word
 */
struct ksym_fetch_error {
	const char	*text;
	int		word;
	int		at;
};

struct ksym_fetch *ksym_fetch_parse(int argc, const char **argv, int first,
				    bool pending, struct ksym_fetch_error *error);
int ksym_fetch_prepare(struct ksym_fetch *fetch, unsigned int head,
		       const char *fmt, const char *args);
void ksym_fetch_free(struct ksym_fetch *fetch);
char *ksym_fetch_print_fmt(struct ksym_fetch *fetch);
int ksym_fetch_define_fields(struct ksym_fetch *fetch,
			     struct trace_event_call *call);
void *ksym_fetch_record_nmi(struct ksym_fetch *fetch);
unsigned int ksym_fetch_store_nmi(struct ksym_fetch *fetch,
				  const struct ksym_hit *hit, void *record);
void ksym_fetch_print(struct ksym_fetch *fetch, struct trace_seq *s,
		      void *record);
int ksym_fetch_format(const struct ksym_fetch *fetch, char *buf, size_t size);
bool ksym_fetch_match(struct ksym_fetch *fetch, int argc, const char **argv);
int ksym_fetch_update(struct ksym_fetch *fetch);
void ksym_fetch_forget(struct ksym_fetch *fetch, const struct module *mod);

/**
 * struct ksym_request - some lines, and who wants what they say
 * @text: the lines, which are cut apart in place
 * @dyn: they are of dynamic_events
 * @hold: the watches are for the kernel code that asks for them
 * @watch: the last watch that was made
 * @arg_error: what is wrong with a fetch argument, or NULL
 * @arg_at: and where in its line
 */
struct ksym_request {
	char			*text;
	bool			dyn;
	bool			hold;
	struct ksym_watch	*watch;
	const char		*arg_error;
	unsigned int		arg_at;
};

/* front: ksym.c */
const char *ksym_error_text(enum ksym_err code);
int ksym_log_error(const char *subsystem, const char *line,
		   const struct ksym_error *error);
bool ksym_is_watch(struct dyn_event *devent);
struct ksym_watch *ksym_find_watch_locked(const char *group, const char *name);
struct ksym_watch *ksym_watch_create(const struct ksym_spec *spec,
				     const struct ksym_found *found);
void ksym_watch_free(struct ksym_watch *watch);
int ksym_watch_start_locked(struct ksym_watch *watch);
void ksym_watch_stop_locked(struct ksym_watch *watch);
int ksym_run_locked(struct ksym_request *request, struct ksym_error *error);
int ksym_run(struct ksym_request *request, struct ksym_error *error);
void ksym_end_watch(struct ksym_watch *watch);
void ksym_end_watches_of(const struct module *mod);
void ksym_watch_hold_locked(struct ksym_watch *watch);
void ksym_watch_drop_locked(struct ksym_watch *watch);
char *ksym_format_watch(const struct ksym_watch *watch);

/* What the register of a watch is to trap: x86 has none that traps reads alone. */
static inline u8 ksym_watch_traps(const struct ksym_watch *watch)
{
	return watch->access & KSYM_READ ? KSYM_READ | KSYM_WRITE : KSYM_WRITE;
}

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

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ksym tracer: what a watch is made of, who protects what, and the states
 * of a watch.
 *
 *   watch		a named thing to watch; its event is events/GRP/NAME
 *     | 1..4, or 1..16 with objects=
 *   piece		what one debug register covers of the watch. Of a wide watch,
 *			a register covers one piece after the other
 *     | n..1
 *   trap		what identical pieces of several watches share: the place,
 *     | 1..n		the access, the limits
 *   perf event		one for each CPU, or one for a task
 *
 * A watch of u64 is one piece; a range of 24 aligned bytes is three. Two watches of
 * jiffies, on the same CPUs and with the same options, have a piece each and share a
 * trap: they cost one register of each CPU.
 *
 * Locks, outermost first:
 *
 *   dyn_event_ops_mutex	one write to ksym_trace_filter or dynamic_events at
 *				a time
 *   event_mutex		the list of watches (dyn_event_list), the events'
 *				files, the state of a watch
 *   trace_types_lock		taken by the event core under event_mutex
 *   cpus_read_lock		no CPU comes or goes
 *   ksym_traps_mutex		all traps: which pieces use which, and the perf
 *				events of the traps of CPUs
 *   perf's own locks
 *
 * The perf events of a task's trap have a lock of their own, which is taken under
 * dyn_event_ops_mutex or under nothing:
 *
 *   ksym_tasks_mutex		the perf events of the traps of tasks
 *   perf's own locks
 *
 * They are never touched under event_mutex: when a task forks, perf may take
 * event_mutex under the mutex of the task's events. So ksym_traps_sync() changes
 * them after event_mutex has been dropped. CPU hotplug takes ksym_traps_mutex alone.
 * The module notifier takes event_mutex and what follows it, then ksym_tasks_mutex.
 *
 * The handler takes no lock. It finds the watches of a trap by RCU. What it reads of
 * a watch is written before the watch is armed, and is not changed while a handler
 * can see the watch. What it writes is atomic (the shadows, ->left) or per CPU (the
 * counts, the budget).
 */
#ifndef _KERNEL_TRACE_KSYM_H
#define _KERNEL_TRACE_KSYM_H

#include <linux/atomic.h>
#include <linux/ksym_trace.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "../trace.h"
#include "../trace_dynevent.h"
#include "ksym_resolve.h"

#define KSYM_COUNT(name)	KSYM_COUNT_##name,
enum ksym_count {
#include "ksym_counts.h"
	KSYM_NR_COUNTS
};

#undef KSYM_COUNT

/*
 * The kinds of recorded hits: what the instruction did, from 0 for unknown to
 * KSYM_READ | KSYM_WRITE, and this bit where it changed the value.
 */
#define KSYM_KIND_CHANGED	4UL
#define KSYM_NR_KINDS		8

/**
 * struct ksym_counts - what one CPU counted for a watch
 * @n: how often each thing happened, except for the columns HITS to CHANGES
 * @recorded: the recorded hits of each kind. The columns HITS to CHANGES are sums of
 *	these, so the handler increments one counter a hit
 * @ip: the instruction after the last hit of each kind. This and the following arrays
 *	are for ksym_last.c; by kind, so that the handler need not ask what to note
 * @old: the value before it
 * @new: the value after it
 * @when: its time by arch_ksym_cycles(); 0 if there was none
 * @pid: its task
 */
struct ksym_counts {
	u64		n[KSYM_NR_COUNTS];
	u64		recorded[KSYM_NR_KINDS];
	unsigned long	ip[KSYM_NR_KINDS];
	u64		old[KSYM_NR_KINDS];
	u64		new[KSYM_NR_KINDS];
	u64		when[KSYM_NR_KINDS];
	long		pid[KSYM_NR_KINDS];
};

/**
 * struct ksym_shadows - the last values seen
 * @unit: of each piece; or, where the whole watch fits one value, of the watch, in
 *	the first one
 */
struct ksym_shadows {
	atomic64_t		unit[KSYM_OBJECTS_MAX];
};

/**
 * struct ksym_piece - what one debug register covers of a watch
 * @watch: the watch
 * @back: the value of a hit begins this many bytes before the piece
 * @len: the length of that value in bytes
 * @unit: which of the watch's shadows has the value
 * @trap_node: in the trap's pieces while the watch is armed; by RCU, changed under
 *	ksym_traps_mutex
 * @trap: the trap; under ksym_traps_mutex, and for whoever could remove the watch
 * @user_node: in the trap's users; under ksym_traps_mutex
 */
struct ksym_piece {
	struct ksym_watch	*watch;
	u8			back;
	u8			len;
	u16			unit;
	struct list_head	trap_node;
	struct ksym_trap	*trap;
	struct list_head	user_node;
};

/**
 * enum ksym_state - the state of a watch
 * @KSYM_PLACED: it has its slots and knows its memory, and does not trap
 * @KSYM_ARMED: it traps
 * @KSYM_PENDING: its module is not loaded; its events are parked in their slots
 * @KSYM_NO_SLOTS: its module is loaded, and there are not enough slots; parked
 * @KSYM_ENDED: it has no slots. Kernel code ended it while its event was in use
 *
 *	            first user, or made in ksym_trace_filter
 *	         +-------------------------------------------+
 *	         |                last user                  v
 *	new --> PLACED <---------------------------------- ARMED
 *	 |       ^  | module goes                            | module goes
 *	 |       |  v                                        |
 *	 +----> PENDING <------------------------------------+
 *	         |  ^
 *	         v  | module goes
 *	        NO_SLOTS			any --> ENDED: ksym_watch_end()
 *
 * When the module comes, a PENDING watch becomes PLACED, and ARMED if it is wanted
 * (see ksym_watch_is_wanted()), or NO_SLOTS. A watch of ksym_trace_filter is wanted from
 * the beginning; one of dynamic_events while its event has a user.
 *
 * Whether somebody holds a watch (->held, ->nr_triggers), and whether a write is
 * about to remove it (->to_remove), are independent of its state.
 */
enum ksym_state {
	KSYM_PLACED,
	KSYM_ARMED,
	KSYM_PENDING,
	KSYM_NO_SLOTS,
	KSYM_ENDED,
};

struct ksym_fetch;
struct ksym_objects;
struct ksym_return;
struct ksym_wide;
struct ksym_window;

/**
 * struct ksym_watch - a named thing to watch
 * @access: what to record: %KSYM_READ, %KSYM_WRITE or both. The handler reads this and
 *	what follows up to @piece
 * @needs_slow_path: it is more than a plain variable of up to 8 bytes, or has an
 *	option that the handler must ask for
 * @is_signed: its values are signed numbers, and recorded as such
 * @bit: the first bit of a bit-field in its value
 * @bits: the length of the bit-field in bits, or 0 where the whole value counts
 * @nr_pieces: how many debug registers it has on each of its CPUs
 * @has_far_shadows: its shadows are in @copies, one set for each CPU, or in @wide
 * @counts: what happened so far
 * @copies: the shadows of a per-CPU target, or of one that may turn out to be per CPU
 * @fetch: the fetch arguments, or NULL
 * @on_return: the tasks that have something to do when they return to user mode, or NULL
 * @filter: the condition of a hit, or NULL
 * @filter_uses_context: @filter asks for the context of the access
 * @filter_comes_first: @filter does not ask what the instruction did
 * @seed: which of every=~N are due
 * @objects: what it is pointed at, if it has no address of its own; or NULL
 * @window: the calls in which it is pointed at them, or NULL
 * @tp: the tracepoint of the event. It has a probe for each instance that records
 *	the event, and one for perf and BPF
 * @piece: the pieces
 * @func: the callback of kernel code, or NULL
 * @data: for the callback
 * @wide: what takes turns, where it has more pieces than registers; or NULL
 * @has_after: there is more to do after a hit: @on_return, actions or @wide
 * @shadows: the last values seen. All CPUs exchange them with the value that they
 *	read, so the pairs of old and new form a chain
 * @left: what is left of count=
 * @passed: with every=: the accesses that passed the condition
 * @acted: with actions: the recorded hits since they were due
 * @found: the target as it was resolved last; not valid while the watch is pending
 * @target: the target, with the module that the symbol was found in
 * @asked: the target as it was written
 * @asked_len: the length as it was written, or 0
 * @opt: the options; @opt.off changes, under event_mutex
 * @state: its state; under event_mutex
 * @lazy: it traps only while its event is enabled: it comes from dynamic_events
 * @nr_users: how often the event of a lazy watch is enabled; under event_mutex
 * @held: kernel code has it, and nobody else may remove it
 * @owner: the module of that kernel code, or NULL
 * @nr_triggers: how many triggers point it at objects; under event_mutex
 * @soft: the instances in which triggers have its hits recorded; by RCU, changed under
 *	event_mutex
 * @devent: in dyn_event_list; under event_mutex
 * @call: the trace event, whose print format belongs to the watch
 * @class: its class, which no other event shares
 * @to_remove: the write in progress removes it; under event_mutex
 * @to_switch: the write in progress switches it, if not %KSYM_NOTHING: %KSYM_SWITCH_OFF
 *	or %KSYM_SWITCH_ON; likewise
 * @last_node: among the watches whose last writers an oops names; by RCU
 * @last_printed: the oops in progress has named it
 * @rcu: to free what an oops may be reading
 * @group: the group of its event
 * @name: the name of the watch and of its event
 * @label: the same with a group that is not the usual one before it, cut where it is long
 */
struct ksym_watch {
	u8				access;
	bool				needs_slow_path;
	bool				is_signed;
	u8				bit;
	u8				bits;
	u8				nr_pieces;
	bool				has_far_shadows;
	bool				has_after;
	struct ksym_counts __percpu	*counts;
	struct ksym_shadows __percpu	*copies;
	struct ksym_fetch		*fetch;
	struct ksym_return		*on_return;
	struct event_filter		*filter;
	bool				filter_uses_context;
	bool				filter_comes_first;
	u32				seed;
	struct ksym_objects		*objects;
	struct ksym_window		*window;
	struct tracepoint		tp;
	struct ksym_piece		piece[KSYM_OBJECTS_MAX];
	struct ksym_wide		*wide;
	ksym_hit_func_t			func;
	void				*data;

	/* Each hit writes these: away from what each hit reads. */
	struct ksym_shadows		shadows ____cacheline_aligned_in_smp;
	atomic64_t			left;
	atomic64_t			passed;
	atomic64_t			acted;

	struct ksym_found		found ____cacheline_aligned_in_smp;
	struct ksym_target		target;
	struct ksym_target		asked;
	u16				asked_len;
	struct ksym_options		opt;
	enum ksym_state			state;
	bool				lazy;
	unsigned int			nr_users;
	bool				held;
	struct module			*owner;
	unsigned int			nr_triggers;
	struct list_head		soft;
	struct dyn_event		devent;
	struct trace_event_call		call;
	struct trace_event_class	class;
	bool				to_remove;
	enum ksym_action		to_switch;
	struct list_head		last_node;
	bool				last_printed;
	struct rcu_head			rcu;
	char				group[KSYM_EVENT_LEN];
	char				name[KSYM_EVENT_LEN];
	char				label[KSYM_EVENT_LEN];
};

static inline struct ksym_watch *to_ksym_watch(struct dyn_event *devent)
{
	return container_of(devent, struct ksym_watch, devent);
}

/* What the register of a watch traps: x86 has none for reads alone. */
static inline u8 ksym_watch_traps(const struct ksym_watch *watch)
{
	return watch->access & KSYM_READ ? KSYM_READ | KSYM_WRITE : KSYM_WRITE;
}

/* Has the watch had all of its count=? Any context. */
static inline bool ksym_watch_is_done(const struct ksym_watch *watch)
{
	return watch->opt.count && atomic64_read(&watch->left) <= 0;
}

/* Does the watch still wait for its module, or for slots? event_mutex is held. */
static inline bool ksym_watch_is_pending(const struct ksym_watch *watch)
{
	return watch->state == KSYM_PENDING || watch->state == KSYM_NO_SLOTS;
}

/* Is the watch to trap as soon as it can? event_mutex is held. */
static inline bool ksym_watch_is_wanted(const struct ksym_watch *watch)
{
	return !watch->opt.off && (!watch->lazy || watch->nr_users);
}

/* Was the watch made without an address, to be pointed at objects? Any context. */
static inline bool ksym_watch_is_movable(const struct ksym_watch *watch)
{
	return watch->found.movable;
}

/**
 * struct ksym_soft - an instance in which a trigger has the hits of a watch recorded
 * @list: among those of the watch; by RCU, changed under event_mutex
 * @file: the event's file in the instance, or NULL while it is not in the list
 */
struct ksym_soft {
	struct list_head	list;
	struct trace_event_file	*file;
};

/**
 * ksym_file_is_soft_nmi - does a trigger have the hits recorded in an instance?
 * @watch: the watch
 * @file: its event's file there, which is SOFT_DISABLED and reads as "0*"
 *
 * The event core discards the records of such events, so the probe commits them itself.
 *
 * Any context, with preemption disabled.
 *
 * Return: true if one does.
 */
static __always_inline bool ksym_file_is_soft_nmi(const struct ksym_watch *watch,
						  const struct trace_event_file *file)
{
	const struct ksym_soft *soft;

	list_for_each_entry_rcu(soft, &watch->soft, list, rcu_read_lock_sched_held()) {
		if (soft->file == file)
			return true;
	}
	return false;
}

typedef void (*ksym_file_func_t)(struct trace_event_file *file, void *data);

/**
 * ksym_watch_each_file - call a function for each instance that records a watch
 * @watch: a watch whose event can't be unregistered meanwhile
 * @func: called with the event's file in the instance, and with @data
 * @data: for @func
 *
 * Any context, with preemption disabled.
 */
static inline void ksym_watch_each_file(struct ksym_watch *watch, ksym_file_func_t func,
					void *data)
{
	const struct tracepoint_func *probe = rcu_dereference_sched(watch->tp.funcs);

	for (; probe && probe->func; probe++) {
		struct trace_event_file *file = probe->data;

		if (probe->func != watch->class.probe)
			continue;
		/* A trigger with enable_event may switch it on later. */
		if (READ_ONCE(file->flags) & EVENT_FILE_FL_SOFT_DISABLED &&
		    !ksym_file_is_soft_nmi(watch, file))
			continue;
		func(file, data);
	}
}

#endif /* _KERNEL_TRACE_KSYM_H */

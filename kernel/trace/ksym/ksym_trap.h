/* SPDX-License-Identifier: GPL-2.0-only */
/* Trap: the perf events that watches share. */
#ifndef _KERNEL_TRACE_KSYM_TRAP_H
#define _KERNEL_TRACE_KSYM_TRAP_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/hw_breakpoint.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>

#include "ksym.h"

/* The address of a trap that points nowhere, and a move from any address. */
#define KSYM_ADDR_NONE	0UL
#define KSYM_ADDR_ANY	(~0UL)

/**
 * struct ksym_trap_ops - what the layers below do for the traps
 * @hit: the overflow handler of the perf events, whose context is the trap.
 *	Called in the #DB, NMI-like, with interrupts off
 * @seed: reads the values that the first hits of a watch have as old. Any context.
 *	Returns 0, or -EFAULT if the memory can't be read
 * @seed_cpu: does so for one of its pieces and the copy of a CPU that comes online. Any
 *	context
 * @note: writes a line into each buffer that records a watch. Any context except
 *	NMIs; the watch is not freed meanwhile
 */
struct ksym_trap_ops {
	perf_overflow_handler_t	hit;
	int			(*seed)(struct ksym_watch *watch);
	void			(*seed_cpu)(struct ksym_piece *piece, int cpu);
	void			(*note)(struct ksym_watch *watch, const char *text);
};

/**
 * struct ksym_times - how long a watch watched, summed over its CPUs, in ns
 * @enabled: how long it was to watch
 * @running: how long it did
 *
 * Its coverage is @running / @enabled.
 */
struct ksym_times {
	u64		enabled;
	u64		running;
};

/**
 * struct ksym_bucket - handling time that is still allowed, see ksym_limit.c
 * @left: how much, in cycles; negative once too much was used
 * @filled: when it was filled last, by ksym_clock_nmi()
 */
struct ksym_bucket {
	s64	left;
	u64	filled;
};

/**
 * enum ksym_over - why a trap was muted
 * @KSYM_OVER_LIMIT: its limit=
 * @KSYM_OVER_BUDGET: its budget=
 * @KSYM_OVER_TOTAL: what all traps of the CPU may take together
 */
enum ksym_over {
	KSYM_OVER_LIMIT,
	KSYM_OVER_BUDGET,
	KSYM_OVER_TOTAL,
};

/**
 * struct ksym_trap_cpu - a trap on one CPU
 * @event: the perf event; under ksym_traps_mutex, or ksym_tasks_mutex for a task's
 * @trap: the trap
 * @cpu: the CPU
 * @addr: the address of the event, or %KSYM_ADDR_NONE
 * @plain: how many hits may still take the plain way before one is measured again
 * @batch: the value that @plain started with
 * @price: what the last measured hit cost that took the plain way, in cycles
 * @budget: how much handling time is left
 * @window: the beginning of the millisecond that @hits counts, by ksym_clock_nmi()
 * @hits: the hits in that millisecond
 * @over: why it was muted last
 * @mute: the event does not trap on this CPU; for a task's event as well
 * @uncovered_since: since when this CPU was to watch and has had no event, or 0
 * @noted: when the last storm was reported in the trace
 * @uncovered: how long this CPU was to watch and had no event until then, in ns
 * @before: enabled and running time of earlier events of this CPU
 * @storm_work: starts the timer, which the handler can't
 * @timer: ends the mute
 * @move_work: points the event where the trap points, or starts @turn
 * @run: for how long the event of a wide trap had watched at its last turn, in ns
 * @turn: lets it take turns
 *
 * The fields from @plain to @noted, except @uncovered_since, belong to this CPU. They
 * are changed only in its handler or with its interrupts off.
 */
struct ksym_trap_cpu {
	struct perf_event		*event;
	struct ksym_trap		*trap;
	int				cpu;
	unsigned long			addr;
	s32				plain;
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
	u64				run;
	struct hrtimer			turn;
};

/**
 * struct ksym_trap - what identical pieces share: their perf events
 * @place: where the target is. This and what follows up to @key makes traps identical
 * @off: what is added to the address that @place leads to
 * @len: the length in bytes
 * @access: what to trap
 * @flexible: takes turns
 * @inherit: children of the task are watched, too
 * @limit: hits per millisecond on a CPU, or 0
 * @budget: the share of a CPU's time that the hits may take, in percent, or 0
 * @task: the task, or NULL for a trap of CPUs
 * @cpus: the CPUs
 * @key: for a target in a module, its text, which takes the part of @place and @len
 *	when traps are compared; or NULL
 * @movable: kernel code or a trigger points it at objects
 * @target: the address of the object, or of a task's only event, or %KSYM_ADDR_NONE
 * @follows: its pointers are followed each time that its watch is armed
 * @wide: the pieces that it goes through, which belong to its only watch; or NULL
 * @nr_turns: how many they are
 * @nth: the piece that it begins with
 * @alone: it is not shared: it is wide, or may be when its module comes
 * @placed: @place, @off and @len are known; otherwise the events are parked. Changed under
 *	ksym_traps_mutex; others read it with ksym_trap_is_placed()
 * @synced: the value of @placed when a task's events were pointed last; likewise
 * @unsynced: a watch was armed or disarmed since a task's events were enabled last
 * @ops: the handler and the other callbacks
 * @pieces: the armed pieces; by RCU, changed under ksym_traps_mutex
 * @only_watch: the watch of the only one of these, if it does not need the slow path;
 *	changed likewise
 * @only_piece: the only one, if its watch has no other piece and does not move;
 *	changed likewise
 * @percpu: the trap on each CPU
 * @event: the one event of a task on all CPUs, or NULL
 * @reservation: the slots of the CPUs that have no event yet
 * @uncovered: the CPUs that should have an event and got none
 * @armed: the events are enabled
 * @dead: no watch uses the trap any more, and its events are being released
 * @users: the pieces that use the trap, armed or not; under ksym_traps_mutex
 * @list: in ksym_trap_list, or in the list of dead traps; under ksym_traps_mutex
 * @ref: keeps the memory
 * @done_irq_work: queues @done_work, for the handler
 * @done_work: disables the events when all watches have had their count=
 * @move_irq_work: makes all CPUs follow @target
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
	struct ksym_wide		*wide;
	unsigned int			nr_turns;
	u8				nth;
	bool				alone;

	bool				placed;
	bool				synced;
	bool				unsynced;
	const struct ksym_trap_ops	*ops;
	struct list_head		pieces;
	struct ksym_watch		*only_watch;
	struct ksym_piece		*only_piece;
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

/* Is the place of a trap known? Any context; ksym_traps_mutex need not be held. */
static inline bool ksym_trap_is_placed(const struct ksym_trap *trap)
{
	/* Pairs with set_place(). */
	return smp_load_acquire(&trap->placed);
}

/**
 * struct ksym_traps - references to the traps of a watch
 * @nr: how many
 * @trap: the traps
 */
struct ksym_traps {
	unsigned int		nr;
	struct ksym_trap	*trap[KSYM_OBJECTS_MAX];
};

/* ksym_trap.c: the traps of a watch */
extern struct list_head ksym_trap_list;

void __init ksym_trap_init(const struct ksym_trap_ops *ops);
int ksym_trap_reserve(struct ksym_watch *watch, struct task_struct *task,
		      const struct cpumask *cpus);
int ksym_trap_aim(struct ksym_watch *watch);
void ksym_trap_arm(struct ksym_watch *watch);
void ksym_trap_disarm(struct ksym_watch *watch);
int ksym_trap_start_locked(struct ksym_watch *watch);
void ksym_trap_stop_locked(struct ksym_watch *watch);
int ksym_trap_place(struct ksym_watch *watch, const struct ksym_found *found);
void ksym_trap_park(struct ksym_watch *watch);
bool ksym_trap_drop(struct ksym_watch *watch);
void ksym_trap_release(struct ksym_watch *watch);
void ksym_trap_flush(void);
void ksym_trap_put(struct ksym_trap *trap);
void ksym_traps_get(struct ksym_watch *watch, struct ksym_traps *traps);
void ksym_traps_put(struct ksym_traps *traps);
void ksym_traps_uncovered(const struct ksym_traps *traps, struct cpumask *cpus);
bool ksym_trap_has_watch_left(struct ksym_trap *trap);
bool ksym_trap_is_ours(const struct perf_event *bp);
unsigned long ksym_trap_addr(const struct ksym_trap *trap, int cpu);

/* ksym_perf.c: their perf events */
void ksym_traps_times(struct ksym_traps *traps, int cpu, struct ksym_times *times);
void ksym_trap_times_nmi(const struct ksym_watch *watch, int cpu, struct ksym_times *times);

/* ksym_task.c: the events of tasks */
void ksym_traps_sync(void);

/* ksym_move.c: traps that are pointed at objects */
void ksym_move_init(struct ksym_trap *trap);
void ksym_move_part(struct ksym_trap_cpu *part);
void ksym_move_stop(struct ksym_trap *trap);
void ksym_move_nmi(struct ksym_trap *trap, unsigned long to);
unsigned int ksym_trap_lagging(struct ksym_trap *trap);

#endif /* _KERNEL_TRACE_KSYM_TRAP_H */

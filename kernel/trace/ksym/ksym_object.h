/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects: what a watch without an address of its own is pointed at. */
#ifndef _KERNEL_TRACE_KSYM_OBJECT_H
#define _KERNEL_TRACE_KSYM_OBJECT_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>

#include "ksym.h"
#include "ksym_trap.h"

/* The counters from MISSED to SUPPRESSED of ksym_counts.h. */
#define KSYM_NR_MOVES	(KSYM_COUNT_SUPPRESSED - KSYM_COUNT_MISSED + 1)

/**
 * struct ksym_moves - what became of the moves that one trigger asked for
 * @n: how many were missed, evicted another object, expired, were suppressed
 */
struct ksym_moves {
	atomic_long_t	n[KSYM_NR_MOVES];
};

/**
 * struct ksym_aim - what a watch is to be pointed at
 * @addr: the address
 * @base: the object that it belongs to, by which it is cleared
 * @owner: the task whose window it is, or 0. Of several the last that came
 * @timeout: after how many ns it is cleared, or 0 for never
 * @moves: the counters of who asks, beside those of the watch; or NULL
 * @replace: it takes the place of another object, as kernel code asks for
 * @share: it may be there already, and is then cleared by the last of its users
 * @nr: filled in: the piece that watches it
 * @seq: filled in: which object of that piece it is
 */
struct ksym_aim {
	unsigned long		addr;
	unsigned long		base;
	pid_t			owner;
	u64			timeout;
	struct ksym_moves	*moves;
	bool			replace;
	bool			share;
	unsigned int		nr;
	u64			seq;
};

/**
 * struct ksym_object - the object that one piece of a watch is pointed at
 * @addr: the address, or %KSYM_ADDR_NONE. This and the other fields are changed under
 *	->lock of struct ksym_objects
 * @base: the object
 * @seq: counts the objects of the watch; the lowest number is the oldest object
 * @users: how many windows it is in
 * @owner: the task whose window it is, or 0
 * @deadline: when it expires, by the monotonic clock, or 0
 * @moves: the counters of who pointed the watch at it, or NULL; by RCU
 * @watch: the watch
 * @timer_work: starts @timer, which an NMI can't
 * @timer: clears it at its deadline
 */
struct ksym_object {
	unsigned long		addr;
	unsigned long		base;
	u64			seq;
	unsigned int		users;
	pid_t			owner;
	u64			deadline;
	struct ksym_moves	*moves;
	struct ksym_watch	*watch;
	struct irq_work		timer_work;
	struct hrtimer		timer;
};

/**
 * struct ksym_objects - the objects of a watch
 * @lock: the number of the CPU that changes them, plus one, or 0
 * @seq: the number of the last object
 * @nr: the length of @object
 * @object: one for each piece of the watch
 */
struct ksym_objects {
	atomic_t		lock;
	u64			seq;
	unsigned int		nr;
	struct ksym_object	object[] __counted_by(nr);
};

/* Returns a task that has object @seq of piece @nr in a window, or 0. */
typedef pid_t (*ksym_next_owner_t)(void *data, unsigned int nr, u64 seq);

struct ksym_objects *ksym_objects_create(struct ksym_watch *watch, unsigned int nr);
void ksym_objects_free(struct ksym_objects *objects);
int ksym_object_set_nmi(struct ksym_watch *watch, struct ksym_aim *aim);
int ksym_object_clear_nmi(struct ksym_watch *watch, unsigned long base,
			  struct ksym_moves *moves);
int ksym_object_put_nmi(struct ksym_watch *watch, unsigned int nr, u64 seq,
			ksym_next_owner_t next, void *data);
int ksym_object_seed(struct ksym_watch *watch);
void ksym_object_miss_nmi(struct ksym_watch *watch, struct ksym_moves *moves);
void ksym_object_forget(struct ksym_watch *watch, struct ksym_moves *moves);

#endif /* _KERNEL_TRACE_KSYM_OBJECT_H */

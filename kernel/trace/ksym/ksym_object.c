// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects: points a watch that has no address of its own at one object after the other,
 * from any context: triggers, windows and kernel code do.
 *
 * A watch with objects=N has N pieces, each with a debug register, and follows as many
 * objects. If all are taken, a new object takes the place of the oldest. Without
 * objects= a watch follows one object until that is cleared; the others are counted as
 * suppressed.
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include <asm/ksym.h>

#include "ksym_hit.h"
#include "ksym_limit.h"
#include "ksym_object.h"

/* How often an NMI tries the lock while another CPU has it, which is for some 1000 cycles. */
#define LOCK_TRIES	10000

static nokprobe_inline void count_move_nmi(struct ksym_watch *watch,
					   struct ksym_moves *moves, enum ksym_count count)
{
	this_cpu_inc(watch->counts->n[count]);
	if (moves)
		atomic_long_inc(&moves->n[count - KSYM_COUNT_MISSED]);
}

/*
 * An NMI may have interrupted this CPU while it has the lock. Another CPU has its
 * interrupts off, so it is waited for; but not for ever by an NMI, since that one may wait
 * for a lock that the interrupted code has.
 */
static nokprobe_inline bool lock_nmi(struct ksym_objects *objects, unsigned long *flags)
{
	int cpu, holder, tries = 0;
	bool nmi = in_nmi();

	if (!nmi)
		local_irq_save(*flags);
	cpu = raw_smp_processor_id() + 1;
	do {
		holder = 0;
		/* Pairs with unlock_nmi(). */
		if (atomic_try_cmpxchg_acquire(&objects->lock, &holder, cpu))
			return true;
		if (holder == cpu)
			break;
		cpu_relax();
	} while (!nmi || ++tries < LOCK_TRIES);
	if (!nmi)
		local_irq_restore(*flags);
	return false;
}

static nokprobe_inline void unlock_nmi(struct ksym_objects *objects, unsigned long flags)
{
	/* Pairs with lock_nmi(). */
	atomic_set_release(&objects->lock, 0);
	if (!in_nmi())
		local_irq_restore(flags);
}

static nokprobe_inline bool is_watchable_nmi(const struct ksym_watch *watch,
					     unsigned long addr)
{
	struct perf_event_attr attr;

	if (addr < TASK_SIZE_MAX || addr & (watch->found.part.len - 1) ||
	    arch_ksym_check_address(addr))
		return false;
	hw_breakpoint_init(&attr);
	attr.bp_addr = addr;
	attr.bp_len = watch->found.part.len;
	attr.bp_type = ksym_watch_traps(watch);
	return !hw_breakpoint_check_address(&attr);
}

/*
 * Points a piece at an address, whose @owner the handler reads. The shadow is seeded while
 * hits at the previous object do not count any more, and before a CPU can trap at the new
 * one. The object is read before that: a move that fails must not touch the target, which
 * a CPU may be following just now.
 */
static nokprobe_inline int point_piece_nmi(struct ksym_watch *watch, unsigned int i,
					   unsigned long to, pid_t owner)
{
	struct ksym_trap *trap = READ_ONCE(watch->piece[i].trap);
	u64 val;

	/* Kernel code has ended the watch, and the trigger is still there. */
	if (!trap)
		return -EINVAL;
	if (to != KSYM_ADDR_NONE && ksym_hit_read_nmi(watch, to, &val))
		return -EINVAL;
	WRITE_ONCE(trap->target, KSYM_ADDR_NONE);
	if (to != KSYM_ADDR_NONE) {
		WRITE_ONCE(watch->objects->object[i].owner, owner);
		atomic64_set(&watch->shadows.unit[watch->piece[i].unit], val);
	}
	ksym_move_nmi(trap, to);
	return 0;
}

/* Lets a piece point nowhere. */
static nokprobe_inline int drop_object_nmi(struct ksym_watch *watch, unsigned int i)
{
	struct ksym_object *object = &watch->objects->object[i];

	object->addr = KSYM_ADDR_NONE;
	object->users = 0;
	return point_piece_nmi(watch, i, KSYM_ADDR_NONE, 0);
}

static nokprobe_inline void set_deadline_nmi(struct ksym_object *object, u64 timeout)
{
	WRITE_ONCE(object->deadline, timeout ? ktime_get_mono_fast_ns() + timeout : 0);
	if (timeout)
		irq_work_queue(&object->timer_work);
}

/*
 * Finds the piece for an object. Returns NULL if a piece has the object already, or if
 * none is free and none may be evicted.
 */
static nokprobe_inline struct ksym_object *
find_room_nmi(struct ksym_watch *watch, struct ksym_aim *aim)
{
	struct ksym_objects *objects = watch->objects;
	struct ksym_object *room = NULL, *oldest = NULL;
	unsigned int i, nr = min(READ_ONCE(watch->nr_pieces), objects->nr);

	for (i = 0; i < nr; i++) {
		struct ksym_object *object = &objects->object[i];

		if (object->addr == KSYM_ADDR_NONE) {
			room = room ?: object;
			continue;
		}
		if (object->addr == aim->addr) {
			if (!aim->share)
				return NULL;
			object->users++;
			WRITE_ONCE(object->owner, aim->owner);
			set_deadline_nmi(object, aim->timeout);
			aim->nr = i;
			aim->seq = object->seq;
			return NULL;
		}
		if (!oldest || object->seq < oldest->seq)
			oldest = object;
	}
	if (room || !oldest || aim->replace)
		return room ?: oldest;
	if (watch->opt.objects)
		return oldest;
	count_move_nmi(watch, aim->moves, KSYM_COUNT_SUPPRESSED);
	return NULL;
}

static nokprobe_inline int set_object_nmi(struct ksym_watch *watch, struct ksym_aim *aim)
{
	struct ksym_objects *objects = watch->objects;
	struct ksym_object *object;
	struct ksym_trap *trap;
	bool evicts;
	int ret;

	aim->seq = 0;
	object = find_room_nmi(watch, aim);
	if (!object)
		return aim->seq ? 0 : READ_ONCE(watch->nr_pieces) ? -EAGAIN : -EINVAL;
	evicts = object->addr != KSYM_ADDR_NONE && !aim->replace;
	trap = READ_ONCE(watch->piece[object - objects->object].trap);
	if (trap && !aim->replace && !ksym_limit_may_move_nmi(trap))
		return -EBUSY;
	aim->nr = object - objects->object;
	ret = point_piece_nmi(watch, aim->nr, aim->addr, aim->owner);
	if (ret)
		return ret;
	object->addr = aim->addr;
	object->base = aim->base;
	object->seq = ++objects->seq;
	object->users = 1;
	WRITE_ONCE(object->moves, aim->moves);
	aim->seq = object->seq;
	if (evicts)
		count_move_nmi(watch, aim->moves, KSYM_COUNT_EVICTED);
	set_deadline_nmi(object, aim->timeout);
	return 0;
}

/**
 * ksym_object_miss_nmi - count an object that a watch could not be pointed at
 * @watch: the watch
 * @moves: the counters of who asked, or NULL
 *
 * Any context, also NMIs.
 */
void ksym_object_miss_nmi(struct ksym_watch *watch, struct ksym_moves *moves)
{
	count_move_nmi(watch, moves, KSYM_COUNT_MISSED);
}

NOKPROBE_SYMBOL(ksym_object_miss_nmi);

/**
 * ksym_object_set_nmi - point a watch at an object
 * @watch: a movable watch, which the caller keeps from being removed
 * @aim: the object
 *
 * CPUs follow when they take an interrupt, this one at once if the context allows it.
 *
 * Any context, also NMIs.
 *
 * Return: 0; -EAGAIN if it is watched already, or no piece is free; -EBUSY if another
 * caller is moving the watch at the same time, or the budget is used up; -EINVAL if the
 * address can't be watched: it is a user address, a device register, not aligned, not
 * mapped, or refused by the architecture.
 */
int ksym_object_set_nmi(struct ksym_watch *watch, struct ksym_aim *aim)
{
	unsigned long flags;
	int ret = -EBUSY;

	if (lock_nmi(watch->objects, &flags)) {
		/* The page tables may be read only while interrupts are off. */
		ret = is_watchable_nmi(watch, aim->addr) ? set_object_nmi(watch, aim) : -EINVAL;
		unlock_nmi(watch->objects, flags);
	}
	if (ret && ret != -EAGAIN)
		ksym_object_miss_nmi(watch, aim->moves);
	return ret;
}

NOKPROBE_SYMBOL(ksym_object_set_nmi);

/**
 * ksym_object_clear_nmi - let a watch point away from an object
 * @watch: a movable watch, which the caller keeps from being removed
 * @base: the object, or %KSYM_ADDR_ANY for all that it points at
 * @moves: the counters of who asks, or NULL
 *
 * Any context, also NMIs.
 *
 * Return: 0; -EAGAIN if it does not point there; -EBUSY if another caller is moving the
 * watch at the same time; -EINVAL if the watch was ended.
 */
int ksym_object_clear_nmi(struct ksym_watch *watch, unsigned long base,
			  struct ksym_moves *moves)
{
	struct ksym_objects *objects = watch->objects;
	unsigned int i, nr = min(READ_ONCE(watch->nr_pieces), objects->nr);
	int ret = -EAGAIN;
	unsigned long flags;

	if (!lock_nmi(objects, &flags)) {
		ksym_object_miss_nmi(watch, moves);
		return -EBUSY;
	}
	for (i = 0; i < nr; i++) {
		const struct ksym_object *object = &objects->object[i];

		if (object->addr != KSYM_ADDR_NONE &&
		    (base == KSYM_ADDR_ANY || object->base == base))
			ret = drop_object_nmi(watch, i);
	}
	unlock_nmi(objects, flags);
	return ret;
}

NOKPROBE_SYMBOL(ksym_object_clear_nmi);

/**
 * ksym_object_put_nmi - end a window of an object, which may be in others
 * @watch: a movable watch
 * @nr: the piece and
 * @seq: the object, from ksym_object_set_nmi() with @share
 * @next: finds another task that has it in a window; called with the lock
 * @data: for @next
 *
 * Any context, also NMIs.
 *
 * Return: 0; -EAGAIN if it was evicted or expired; -EBUSY if another caller is moving
 * the watch at the same time.
 */
int ksym_object_put_nmi(struct ksym_watch *watch, unsigned int nr, u64 seq,
			ksym_next_owner_t next, void *data)
{
	struct ksym_object *object = &watch->objects->object[nr];
	unsigned long flags;
	int ret = -EAGAIN;

	if (!lock_nmi(watch->objects, &flags)) {
		ksym_object_miss_nmi(watch, NULL);
		return -EBUSY;
	}
	if (object->addr != KSYM_ADDR_NONE && object->seq == seq) {
		ret = 0;
		if (!--object->users)
			ret = drop_object_nmi(watch, nr);
		else
			WRITE_ONCE(object->owner, next(data, nr, seq) ?: object->owner);
	}
	unlock_nmi(watch->objects, flags);
	return ret;
}

NOKPROBE_SYMBOL(ksym_object_put_nmi);

/**
 * ksym_object_seed - read the values that the next hits have as old
 * @watch: a movable watch
 *
 * Any context but NMIs.
 *
 * Return: 0. An object that can't be read any more keeps the value of before.
 */
int ksym_object_seed(struct ksym_watch *watch)
{
	unsigned int i, nr = min(READ_ONCE(watch->nr_pieces), watch->objects->nr);
	unsigned long flags;
	u64 val;

	if (!lock_nmi(watch->objects, &flags))
		return 0;
	for (i = 0; i < nr; i++) {
		unsigned long addr = watch->objects->object[i].addr;

		if (addr != KSYM_ADDR_NONE && !ksym_hit_read_nmi(watch, addr, &val))
			atomic64_set(&watch->shadows.unit[watch->piece[i].unit], val);
	}
	unlock_nmi(watch->objects, flags);
	return 0;
}

static void start_timer(struct irq_work *work)
{
	struct ksym_object *object = container_of(work, struct ksym_object, timer_work);
	u64 deadline = READ_ONCE(object->deadline);

	if (deadline)
		hrtimer_start(&object->timer, ns_to_ktime(deadline), HRTIMER_MODE_ABS_HARD);
}

/*
 * The piece may have another object by now, with a later deadline or none. In the former
 * case start_timer() starts the timer again, maybe while this runs; so this does not, but
 * asks for it once more.
 */
static enum hrtimer_restart timer_ended(struct hrtimer *timer)
{
	struct ksym_object *object = container_of(timer, struct ksym_object, timer);
	struct ksym_watch *watch = object->watch;
	unsigned long flags;
	u64 deadline;

	if (!lock_nmi(watch->objects, &flags)) {
		irq_work_queue(&object->timer_work);
		return HRTIMER_NORESTART;
	}
	guard(rcu)();
	/* ksym_objects_free() does not take the lock. */
	deadline = READ_ONCE(object->deadline);
	if (object->addr != KSYM_ADDR_NONE && deadline &&
	    ktime_get_mono_fast_ns() >= deadline) {
		drop_object_nmi(watch, object - watch->objects->object);
		count_move_nmi(watch, READ_ONCE(object->moves), KSYM_COUNT_EXPIRED);
	} else if (object->addr != KSYM_ADDR_NONE && deadline) {
		irq_work_queue(&object->timer_work);
	}
	unlock_nmi(watch->objects, flags);
	return HRTIMER_NORESTART;
}

/**
 * ksym_objects_create - prepare a watch to be pointed at objects
 * @watch: a new watch
 * @nr: how many objects at once
 *
 * Process context; sleeps.
 *
 * Return: the objects, or NULL if there is no memory.
 */
struct ksym_objects *ksym_objects_create(struct ksym_watch *watch, unsigned int nr)
{
	struct ksym_objects *objects = kzalloc_flex(*objects, object, nr);
	unsigned int i;

	if (!objects)
		return NULL;
	objects->nr = nr;
	for (i = 0; i < nr; i++) {
		struct ksym_object *object = &objects->object[i];

		object->watch = watch;
		object->timer_work = IRQ_WORK_INIT_HARD(start_timer);
		hrtimer_setup(&object->timer, timer_ended, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_HARD);
	}
	return objects;
}

/**
 * ksym_objects_free - free the objects of a watch
 * @objects: the objects, which nobody sets any more, or NULL
 *
 * Process context; sleeps.
 */
void ksym_objects_free(struct ksym_objects *objects)
{
	unsigned int i;

	for (i = 0; objects && i < objects->nr; i++) {
		struct ksym_object *object = &objects->object[i];

		/* Each may start the other, but not without a deadline. */
		WRITE_ONCE(object->deadline, 0);
		irq_work_sync(&object->timer_work);
		hrtimer_cancel(&object->timer);
		irq_work_sync(&object->timer_work);
	}
	kfree(objects);
}

/**
 * ksym_object_forget - forget the counters of a trigger
 * @watch: a movable watch
 * @moves: the counters, which the caller frees after an RCU grace period
 *
 * Process context; the trigger does not run any more.
 */
void ksym_object_forget(struct ksym_watch *watch, struct ksym_moves *moves)
{
	unsigned int i;

	for (i = 0; i < watch->objects->nr; i++)
		(void)cmpxchg(&watch->objects->object[i].moves, moves, NULL);
}

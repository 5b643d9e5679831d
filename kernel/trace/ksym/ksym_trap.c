// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trap: what identical pieces of watches share, from its making to its end.
 *
 *   panic_timeout:w             --> piece --+
 *   panic_timeout:w name=second --> piece --+> trap --> an event and a slot on each CPU
 *   panic_timeout:w pid=1       --> piece ----> trap --> an event of task 1
 *
 * A watch reserves its traps first, which takes the slots and may fail. Then it is
 * aimed, which may fail as well, armed, which can't, and disarmed again, any number of
 * times. It keeps its slots until it drops its traps.
 *
 * A target that needs more than one debug register has a trap for each. A target in a
 * module that is not loaded has traps as well, whose events are parked: so the slots
 * are there when the module comes.
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/lockdep.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "ksym_limit.h"
#include "ksym_perf.h"
#include "ksym_wide.h"

/* All traps that are in use; under ksym_traps_mutex. */
LIST_HEAD(ksym_trap_list);

/* Traps that no watch uses any more, until the reaper has freed them; likewise. */
static LIST_HEAD(dead_traps);

static const struct ksym_trap_ops *trap_ops __read_mostly;

/**
 * ksym_trap_has_watch_left - does a watch of a trap still wait for hits?
 * @trap: the trap
 *
 * Any context.
 *
 * Return: false if all its armed watches have had their count=, or none is armed.
 */
bool ksym_trap_has_watch_left(struct ksym_trap *trap)
{
	struct ksym_piece *piece;

	guard(rcu)();
	list_for_each_entry_rcu(piece, &trap->pieces, trap_node) {
		if (!ksym_watch_is_done(piece->watch))
			return true;
	}
	return false;
}

/* A watch that is done is done with all its pieces, not only the one that was hit. */
static void check_other_pieces(struct ksym_trap *trap)
{
	struct ksym_piece *piece;
	unsigned int i;

	guard(mutex)(&ksym_traps_mutex);
	list_for_each_entry(piece, &trap->pieces, trap_node) {
		struct ksym_watch *watch = piece->watch;

		for (i = 0; ksym_watch_is_done(watch) && i < watch->nr_pieces; i++) {
			struct ksym_trap *other = watch->piece[i].trap;

			if (other != trap && READ_ONCE(other->armed) &&
			    !ksym_trap_has_watch_left(other))
				schedule_work(&other->done_work);
		}
	}
}

/* Disables the events if all watches are done. The slots stay taken. */
static void done_work(struct work_struct *work)
{
	struct ksym_trap *trap = container_of(work, struct ksym_trap, done_work);

	ksym_perf_lock(trap);
	if (!READ_ONCE(trap->dead) && trap->armed && !ksym_trap_has_watch_left(trap)) {
		ksym_perf_disable(trap);
		/* A hit that was not recorded in the end was given back. */
		if (ksym_trap_has_watch_left(trap))
			ksym_perf_enable(trap);
	}
	ksym_perf_unlock(trap);
	check_other_pieces(trap);
}

static void queue_done_work(struct irq_work *work)
{
	struct ksym_trap *trap = container_of(work, struct ksym_trap,
					      done_irq_work);

	schedule_work(&trap->done_work);
}

/* making, sharing, freeing */

static void free_trap(struct kref *ref)
{
	struct ksym_trap *trap = container_of(ref, struct ksym_trap, ref);

	if (trap->task)
		put_task_struct(trap->task);
	free_percpu(trap->percpu);
	kfree(trap->key);
	kfree(trap);
}

/**
 * ksym_trap_put - drop a reference to a trap
 * @trap: the trap
 *
 * Process context.
 */
void ksym_trap_put(struct ksym_trap *trap)
{
	kref_put(&trap->ref, free_trap);
}

/**
 * ksym_traps_put - drop the references that ksym_traps_get() took
 * @traps: filled in by ksym_traps_get(), or zeroed
 *
 * Process context.
 */
void ksym_traps_put(struct ksym_traps *traps)
{
	while (traps->nr)
		ksym_trap_put(traps->trap[--traps->nr]);
}

/**
 * ksym_traps_get - take references to the traps of a watch
 * @watch: a watch, which the caller keeps from being removed
 * @traps: filled in
 *
 * The traps' memory stays, their events may go.
 */
void ksym_traps_get(struct ksym_watch *watch, struct ksym_traps *traps)
{
	unsigned int i;

	traps->nr = 0;
	for (i = 0; i < watch->nr_pieces; i++) {
		if (!watch->piece[i].trap)
			continue;
		kref_get(&watch->piece[i].trap->ref);
		traps->trap[traps->nr++] = watch->piece[i].trap;
	}
}

/* Frees the dead traps; the events of tasks are released only now. */
static void reap_traps(struct work_struct *work)
{
	struct ksym_trap *trap, *next;
	LIST_HEAD(reaped);
	int cpu;

	mutex_lock(&ksym_traps_mutex);
	list_splice_init(&dead_traps, &reaped);
	mutex_unlock(&ksym_traps_mutex);
	/* A trigger may still be moving one of them. */
	synchronize_rcu();

	list_for_each_entry_safe(trap, next, &reaped, list) {
		if (trap->task) {
			mutex_lock(&ksym_tasks_mutex);
			ksym_perf_release(trap);
			mutex_unlock(&ksym_tasks_mutex);
		}
		/* No handler runs any more, so nothing queues these again. */
		for_each_possible_cpu(cpu)
			ksym_limit_stop(per_cpu_ptr(trap->percpu, cpu));
		ksym_move_stop(trap);
		irq_work_sync(&trap->done_irq_work);
		cancel_work_sync(&trap->done_work);
		ksym_trap_put(trap);
	}
}

static DECLARE_WORK(reaper, reap_traps);

/**
 * ksym_trap_flush - wait until dropped traps have released their slots
 *
 * Process context; sleeps. Neither event_mutex nor cpus_read_lock is held.
 */
void ksym_trap_flush(void)
{
	flush_work(&reaper);
}

/* A target in a module has no address to be compared while the module is away. */
static char *make_key(const struct ksym_watch *watch, unsigned int i)
{
	char *target = kzalloc(KSYM_TARGET_LEN, GFP_KERNEL), *key = NULL;

	if (target) {
		ksym_format_target(target, KSYM_TARGET_LEN, &watch->target);
		key = kasprintf(GFP_KERNEL, "%s len=%u piece %u", target,
				watch->asked_len, i);
	}
	kfree(target);
	return key;
}

static void set_place(struct ksym_trap *trap, const struct ksym_watch *watch,
		      const struct ksym_found *found, unsigned int i)
{
	trap->wide = watch->wide;
	/* share_among_pieces() reads it without the lock. */
	WRITE_ONCE(trap->nr_turns, found->nr_turns);
	trap->nth = i;
	trap->place = found->place;
	trap->off = found->ranges[i].off;
	trap->len = found->ranges[i].len;
	/* A reader without the lock finds the place. Pairs with ksym_trap_is_placed(). */
	smp_store_release(&trap->placed, !found->pending);
}

static struct ksym_trap *alloc_trap(const struct ksym_watch *watch,
				    const struct ksym_found *found, unsigned int i,
				    struct task_struct *task,
				    const struct cpumask *cpus)
{
	struct ksym_trap *trap = kzalloc_obj(*trap);

	if (!trap)
		return NULL;
	trap->percpu = alloc_percpu(struct ksym_trap_cpu);
	if (watch->target.module[0])
		trap->key = make_key(watch, i);
	kref_init(&trap->ref);
	if (!trap->percpu || (watch->target.module[0] && !trap->key)) {
		ksym_trap_put(trap);
		return NULL;
	}
	set_place(trap, watch, found, i);
	trap->alone = trap->wide || (watch->opt.flexible && trap->key &&
				     (!watch->asked_len || watch->asked_len > sizeof(u64)));
	trap->movable = found->movable;
	/* Whether a path has pointers is unknown until its module is loaded. */
	trap->follows = watch->lazy && (found->place.nr_derefs ||
					(found->pending && watch->target.path[0]));
	trap->synced = trap->placed;
	trap->access = ksym_watch_traps(watch);
	trap->flexible = watch->opt.flexible;
	trap->inherit = watch->opt.inherit;
	trap->limit = watch->opt.limit;
	trap->budget = watch->opt.budget;
	trap->task = task ? get_task_struct(task) : NULL;
	cpumask_copy(&trap->cpus, cpus);
	trap->ops = trap_ops;
	INIT_LIST_HEAD(&trap->pieces);
	INIT_LIST_HEAD(&trap->users);
	INIT_LIST_HEAD(&trap->list);
	trap->done_irq_work = IRQ_WORK_INIT_HARD(queue_done_work);
	INIT_WORK(&trap->done_work, done_work);
	ksym_limit_init(trap);
	ksym_move_init(trap);
	ksym_wide_init(trap);
	return trap;
}

static bool is_same_place(const struct ksym_trap *a, const struct ksym_trap *b)
{
	/* Each of these goes where its own watch points it. */
	if (a->movable || b->movable || a->follows || b->follows || a->alone || b->alone)
		return false;
	/* One of them may have failed to follow when the module came. */
	if (a->key || b->key)
		return a->key && b->key && a->placed == b->placed &&
		       !strcmp(a->key, b->key);
	return !memcmp(&a->place, &b->place, sizeof(a->place)) &&
	       a->off == b->off && a->len == b->len;
}

/* Pointers may lead elsewhere now than when @trap followed them. */
static bool is_same_addr(const struct ksym_trap *trap, struct ksym_trap *wanted)
{
	unsigned long addr;
	int cpu;

	if (!wanted->placed || !wanted->place.nr_derefs)
		return true;
	for_each_cpu_and(cpu, &wanted->cpus, cpu_online_mask) {
		if (ksym_perf_find_addr(wanted, cpu, &addr) ||
		    addr != ksym_trap_addr(trap, cpu))
			return false;
	}
	return true;
}

static bool is_same(const struct ksym_trap *a, struct ksym_trap *b)
{
	return is_same_place(a, b) && a->access == b->access &&
	       a->flexible == b->flexible && a->inherit == b->inherit &&
	       a->limit == b->limit && a->budget == b->budget && a->task == b->task &&
	       cpumask_equal(&a->cpus, &b->cpus) && is_same_addr(a, b);
}

/* Gives the piece an existing trap that is the same as @wanted, if there is one. */
static bool share_trap(struct ksym_piece *piece, struct ksym_trap *wanted)
{
	struct ksym_trap *trap;

	lockdep_assert_held(&ksym_traps_mutex);

	list_for_each_entry(trap, &ksym_trap_list, list) {
		if (!is_same(trap, wanted))
			continue;
		list_add_tail(&piece->user_node, &trap->users);
		piece->trap = trap;
		return true;
	}
	return false;
}

static void add_trap(struct ksym_piece *piece, struct ksym_trap *trap)
{
	lockdep_assert_held(&ksym_traps_mutex);

	list_add_tail(&piece->user_node, &trap->users);
	piece->trap = trap;
	list_add_tail(&trap->list, &ksym_trap_list);
}

static bool share_task_trap(struct ksym_piece *piece, struct ksym_trap *wanted)
{
	guard(mutex)(&ksym_traps_mutex);
	return share_trap(piece, wanted);
}

/* dyn_event_ops_mutex keeps others from adding the same trap between the steps. */
static int reserve_task_piece(struct ksym_piece *piece, struct ksym_trap *trap)
{
	int ret;

	if (share_task_trap(piece, trap))
		return 0;
	mutex_lock(&ksym_tasks_mutex);
	ret = ksym_perf_create(trap);
	mutex_unlock(&ksym_tasks_mutex);
	if (ret)
		return ret;
	guard(mutex)(&ksym_traps_mutex);
	add_trap(piece, trap);
	return 0;
}

static int reserve_cpu_piece(struct ksym_piece *piece, struct ksym_trap *trap)
{
	int ret;

	guard(cpus_read_lock)();
	guard(mutex)(&ksym_traps_mutex);
	if (share_trap(piece, trap))
		return 0;
	ret = ksym_perf_create(trap);
	if (!ret)
		add_trap(piece, trap);
	return ret;
}

static int reserve_piece(struct ksym_watch *watch, const struct ksym_found *found,
			 unsigned int i, struct task_struct *task,
			 const struct cpumask *cpus)
{
	struct ksym_trap *trap = alloc_trap(watch, found, i, task, cpus);
	struct ksym_piece *piece = &watch->piece[i];
	int ret;

	if (!trap)
		return -ENOMEM;
	ret = task ? reserve_task_piece(piece, trap) : reserve_cpu_piece(piece, trap);
	/* It failed, or shares another one. */
	if (piece->trap != trap)
		ksym_trap_put(trap);
	return ret;
}

/* Notes where the value of a hit lies around each piece. */
static void shape_pieces(struct ksym_watch *watch)
{
	const struct ksym_found *found = &watch->found;
	/* A target of up to 8 bytes has one value, whichever piece is hit. */
	bool whole = found->part.len <= sizeof(u64);
	unsigned int i;

	for (i = 0; i < found->nr_ranges; i++) {
		struct ksym_piece *piece = &watch->piece[i];

		piece->back = whole ? found->ranges[i].off : 0;
		piece->len = whole ? found->part.len : found->ranges[i].len;
		piece->unit = whole && !found->movable ? 0 : i;
	}
	watch->bit = found->part.bit;
	watch->bits = found->part.bits;
	watch->has_far_shadows = found->place.percpu || watch->wide;
	watch->has_after = watch->on_return || watch->opt.actions || watch->wide;
	/* The handler asks for this once, instead of for each of them. */
	watch->needs_slow_path =
		watch->has_far_shadows || watch->bits || found->nr_ranges > 1 ||
		found->movable || found->nests || watch->access == KSYM_READ ||
		watch->opt.count || watch->opt.changed || watch->opt.wrote ||
		watch->opt.stack || watch->fetch || watch->on_return ||
		watch->opt.every > 1 || watch->filter || watch->opt.actions ||
		(watch->is_signed && found->part.len < sizeof(u64));
}

/**
 * ksym_trap_reserve - take the debug registers of a watch
 * @watch: a new watch
 * @task: the task of pid=, or NULL
 * @cpus: the CPUs; slots are taken on offline CPUs as well
 *
 * Identical pieces of several watches share one trap. A watch gets all the registers
 * that it needs, or none; with objects=, as many as are free.
 *
 * Process context; sleeps; dyn_event_ops_mutex is held. Neither event_mutex nor
 * cpus_read_lock is held when @task is given.
 *
 * Return: 0; -ENOSPC if a CPU has no slot left; -EINVAL if the architecture refuses the
 * address; -EFAULT if a pointer leads nowhere now; -ESRCH if the task is gone;
 * -ENOMEM; or another error of perf's. After an error nothing is taken.
 */
int ksym_trap_reserve(struct ksym_watch *watch, struct task_struct *task,
		      const struct cpumask *cpus)
{
	int ret;

	ksym_limit_calibrate();
	ret = ksym_wide_prepare(watch, &watch->found);
	if (ret)
		return ret;
	shape_pieces(watch);
	while (watch->nr_pieces < watch->found.nr_ranges) {
		ret = reserve_piece(watch, &watch->found, watch->nr_pieces, task, cpus);
		if (ret)
			break;
		watch->nr_pieces++;
	}
	/* It follows as many objects as it gets registers. */
	if (ret == -ENOSPC && watch->found.movable && watch->nr_pieces) {
		watch->found.nr_ranges = watch->nr_pieces;
		return 0;
	}
	if (ret)
		ksym_trap_release(watch);
	return ret;
}

/* arming */

/* Tells the handler whether the trap has only one watch, as most traps have. */
static void update_only_watch(struct ksym_trap *trap)
{
	struct ksym_watch *watch = NULL;
	struct ksym_piece *piece = NULL;

	lockdep_assert_held(&ksym_traps_mutex);

	if (list_is_singular(&trap->pieces)) {
		piece = list_first_entry(&trap->pieces, struct ksym_piece, trap_node);
		watch = piece->watch;
		if (watch->nr_pieces > 1 || trap->movable)
			piece = NULL;
	}
	WRITE_ONCE(trap->only_watch, watch && !watch->needs_slow_path ? watch : NULL);
	WRITE_ONCE(trap->only_piece, piece);
}

static bool is_armed(const struct ksym_piece *piece)
{
	return !list_empty(&piece->trap_node);
}

/* Creates the event of a CPU that is online and has none. */
static int cover_cpu(struct ksym_trap *trap, int cpu)
{
	struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);
	struct ksym_piece *piece;
	int ret;

	lockdep_assert_held(&ksym_traps_mutex);

	ret = ksym_perf_create_part(part);
	if (!ret) {
		/* Nothing trapped while this CPU was offline, and a pointer may lead elsewhere. */
		list_for_each_entry(piece, &trap->pieces, trap_node)
			trap_ops->seed_cpu(piece, cpu);
		if (trap->armed)
			perf_event_enable(part->event);
	}
	/* The trap may have moved since the address was read. */
	ksym_move_part(part);
	return ret;
}

/* A CPU may have come online while its pointer led nowhere. */
static int cover_again(struct ksym_trap *trap)
{
	int cpu, ret;

	for_each_cpu_and(cpu, &trap->uncovered, cpu_online_mask) {
		ret = cover_cpu(trap, cpu);
		if (ret == -EFAULT)
			return ret;
		if (!ret)
			cpumask_clear_cpu(cpu, &trap->uncovered);
	}
	return 0;
}

/**
 * ksym_trap_aim - do what may fail before a watch is armed
 * @watch: a watch with its slots, not armed
 *
 * Follows the pointers of a lazy watch again, also on CPUs on which they led nowhere when
 * these came online, and seeds the shadows. The events of tasks stay where they are. Nothing
 * traps yet.
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_traps_mutex.
 *
 * Return: 0; -EFAULT if the memory can't be read or a pointer leads nowhere now; -EINVAL
 * if the architecture refuses the address.
 */
int ksym_trap_aim(struct ksym_watch *watch)
{
	unsigned int i;
	int ret = 0;

	guard(cpus_read_lock)();
	guard(mutex)(&ksym_traps_mutex);
	for (i = 0; !ret && i < watch->found.nr_ranges; i++) {
		struct ksym_trap *trap = watch->piece[i].trap;

		if (trap->follows && !trap->task)
			ret = cover_again(trap) ?: ksym_perf_point(trap);
	}
	return ret ?: trap_ops->seed(watch);
}

/**
 * ksym_trap_arm - let a watch trap
 * @watch: a watch after ksym_trap_aim()
 *
 * The shadows are seeded again, as late as possible. The events of tasks are left to
 * ksym_traps_sync().
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_traps_mutex.
 */
void ksym_trap_arm(struct ksym_watch *watch)
{
	unsigned int i;

	guard(cpus_read_lock)();
	guard(mutex)(&ksym_traps_mutex);
	trap_ops->seed(watch);
	for (i = 0; i < watch->found.nr_ranges; i++) {
		struct ksym_piece *piece = &watch->piece[i];

		list_add_tail_rcu(&piece->trap_node, &piece->trap->pieces);
		update_only_watch(piece->trap);
		piece->trap->unsynced = true;
		if (!piece->trap->task)
			ksym_perf_enable(piece->trap);
		/* It may have been done before its module came back. */
		if (ksym_watch_is_done(watch))
			schedule_work(&piece->trap->done_work);
	}
	watch->state = KSYM_ARMED;
}

/*
 * Takes an armed piece from its trap. If no other watch needs the events, they are disabled
 * first: until then each access that traps is counted by this watch, and not by none.
 */
static void disarm_piece(struct ksym_piece *piece)
{
	struct ksym_trap *trap = piece->trap;

	if (list_is_singular(&trap->pieces) && !trap->task)
		ksym_perf_disable(trap);
	list_del_rcu(&piece->trap_node);
	update_only_watch(trap);
}

/**
 * ksym_trap_disarm - let a watch trap no more, and keep its slots
 * @watch: an armed watch
 *
 * On return no handler runs for a watch of CPUs; for a watch of a task, after
 * ksym_traps_sync().
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_traps_mutex.
 */
void ksym_trap_disarm(struct ksym_watch *watch)
{
	unsigned int i;

	cpus_read_lock();
	mutex_lock(&ksym_traps_mutex);
	for (i = 0; i < watch->nr_pieces; i++) {
		struct ksym_piece *piece = &watch->piece[i];

		if (!is_armed(piece))
			continue;
		disarm_piece(piece);
		piece->trap->unsynced = true;
		/* This may have been the only piece that was not done. */
		schedule_work(&piece->trap->done_work);
	}
	watch->state = KSYM_PLACED;
	mutex_unlock(&ksym_traps_mutex);
	cpus_read_unlock();
	synchronize_rcu();
	/* Handlers may have walked over the nodes until now. */
	for (i = 0; i < watch->nr_pieces; i++)
		INIT_LIST_HEAD(&watch->piece[i].trap_node);
}

/**
 * ksym_trap_start_locked - let a watch trap, if its memory is there
 * @watch: a watch that is wanted
 *
 * A pending watch starts when its module comes. The events of tasks are left to
 * ksym_traps_sync().
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: 0, or the error of ksym_trap_aim(); then nothing has trapped.
 */
int ksym_trap_start_locked(struct ksym_watch *watch)
{
	int ret;

	lockdep_assert_held(&event_mutex);

	if (watch->state != KSYM_PLACED)
		return 0;
	ret = ksym_trap_aim(watch);
	if (!ret)
		ksym_trap_arm(watch);
	return ret;
}

/**
 * ksym_trap_stop_locked - let a watch trap no more, until it is started again
 * @watch: the watch, which keeps its slots
 *
 * Process context; sleeps; event_mutex is held.
 */
void ksym_trap_stop_locked(struct ksym_watch *watch)
{
	lockdep_assert_held(&event_mutex);

	if (watch->state == KSYM_ARMED)
		ksym_trap_disarm(watch);
}

/* dropping */

/*
 * Takes the traps from the pieces of a watch, except the first @nr. Returns whether a
 * handler may still find these pieces, until an RCU grace period has passed.
 */
static bool drop_pieces(struct ksym_watch *watch, unsigned int nr)
{
	bool reap = false, wait = false;
	unsigned int i;

	guard(cpus_read_lock)();
	guard(mutex)(&ksym_traps_mutex);
	for (i = nr; i < watch->nr_pieces; i++) {
		struct ksym_piece *piece = &watch->piece[i];
		struct ksym_trap *trap = piece->trap;
		bool last, gone, armed = is_armed(piece);

		if (armed)
			disarm_piece(piece);
		/* Handlers of the other traps look at it. */
		WRITE_ONCE(piece->trap, NULL);
		list_del(&piece->user_node);
		last = list_empty(&trap->users);
		gone = last && !trap->task;
		if (last) {
			WRITE_ONCE(trap->dead, true);
			list_move_tail(&trap->list, &dead_traps);
		}
		if (gone)
			ksym_perf_release(trap);
		/* This may have been the only piece that was not done. */
		if (!last)
			schedule_work(&trap->done_work);
		reap |= last;
		wait |= armed && !gone;
	}
	/* Handlers of tasks and triggers may still read it. */
	WRITE_ONCE(watch->nr_pieces, nr);
	if (reap)
		schedule_work(&reaper);
	return wait;
}

/**
 * ksym_trap_drop - like ksym_trap_release(), without waiting for handlers
 * @watch: a watch in any state
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_traps_mutex.
 *
 * Return: whether a handler may still run for @watch, until an RCU grace period
 * has passed.
 */
bool ksym_trap_drop(struct ksym_watch *watch)
{
	watch->state = KSYM_ENDED;
	return watch->nr_pieces && drop_pieces(watch, 0);
}

/**
 * ksym_trap_release - disarm a watch and give its slots back
 * @watch: a watch in any state
 *
 * On return no handler runs for @watch: perf takes an event off its CPU with an
 * interrupt there, which waits for a #DB in progress. A shared trap goes on for the
 * other watches. The events of tasks are released by a worker, since the caller may
 * hold event_mutex; they do not find the watch any more.
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_traps_mutex.
 */
void ksym_trap_release(struct ksym_watch *watch)
{
	if (ksym_trap_drop(watch))
		synchronize_rcu();
}

/* modules that come and go */

/*
 * The target turned out to need more registers than were reserved. The traps have their place
 * from the beginning, so that the same watch, if it was placed before, shares its own.
 */
static int reserve_more(struct ksym_watch *watch, const struct ksym_found *found)
{
	const struct ksym_trap *first = watch->piece[0].trap;
	unsigned int before = watch->nr_pieces;
	int ret = 0;

	/* The events of a task can't be created under event_mutex. */
	if (first->task && watch->nr_pieces < found->nr_ranges)
		return -ENOSPC;
	while (watch->nr_pieces < found->nr_ranges && !ret) {
		ret = reserve_piece(watch, found, watch->nr_pieces, NULL, &first->cpus);
		if (!ret)
			watch->nr_pieces++;
	}
	if (ret)
		drop_pieces(watch, before);
	return ret;
}

/**
 * ksym_trap_place - point a pending watch at its memory
 * @watch: a pending watch
 * @found: where its target is now
 *
 * The events of tasks are left to ksym_traps_sync().
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_traps_mutex.
 *
 * Return: 0; -ENOSPC if it needs more slots than it has, and those are not free;
 * -EINVAL if the architecture refuses the address. After an error the watch has to be
 * parked.
 */
int ksym_trap_place(struct ksym_watch *watch, const struct ksym_found *found)
{
	unsigned int i;
	int ret, err;

	/* As where the watch was defined: the events of a task take no turns. */
	if (found->nr_turns && watch->piece[0].trap->task)
		return -EOPNOTSUPP;
	ret = reserve_more(watch, found);
	if (ret)
		return ret;

	guard(cpus_read_lock)();
	guard(mutex)(&ksym_traps_mutex);
	/* This frees the old pieces, which a CPU that comes online would use. */
	ret = ksym_wide_prepare(watch, found);
	if (ret)
		return ret;
	/*
	 * reserve_more() has placed its traps already, and those that the new target does not
	 * need stay for the next one.
	 */
	for (i = 0; i < watch->nr_pieces; i++)
		watch->piece[i].trap->wide = watch->wide;
	for (i = 0; i < found->nr_ranges; i++) {
		struct ksym_trap *trap = watch->piece[i].trap;

		/* Another watch that shares it may have pointed it already. */
		if (trap->placed)
			continue;
		set_place(trap, watch, found, i);
		if (trap->task)
			continue;
		err = ksym_perf_point(trap);
		ret = ret ?: err;
	}
	watch->found = *found;
	watch->found.mod = NULL;
	watch->state = KSYM_PLACED;
	shape_pieces(watch);
	return ret;
}

/* Whether another watch that shares the trap is still at the memory. */
static bool is_needed(const struct ksym_trap *trap, const struct ksym_watch *watch)
{
	struct ksym_piece *piece;

	list_for_each_entry(piece, &trap->users, user_node) {
		if (piece->watch != watch && !ksym_watch_is_pending(piece->watch))
			return true;
	}
	return false;
}

/**
 * ksym_trap_park - take a watch off its memory
 * @watch: a watch with its slots, not armed
 *
 * The events of tasks are left to ksym_traps_sync().
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_traps_mutex.
 */
void ksym_trap_park(struct ksym_watch *watch)
{
	unsigned int i;

	guard(cpus_read_lock)();
	guard(mutex)(&ksym_traps_mutex);
	for (i = 0; i < watch->nr_pieces; i++) {
		struct ksym_trap *trap = watch->piece[i].trap;

		/* If their module goes, the last of them parks it. */
		if (is_needed(trap, watch))
			continue;
		/* The place stays, since readers without the lock may be using it. */
		WRITE_ONCE(trap->placed, false);
		if (!trap->task)
			WARN_ON_ONCE(ksym_perf_point(trap));
	}
	watch->state = KSYM_PENDING;
}

/**
 * ksym_trap_addr - find where a trap points
 * @trap: the trap
 * @cpu: the CPU, or -1 for a trap that has the same address on all CPUs
 *
 * Any context.
 *
 * Return: the address, or %KSYM_ADDR_NONE.
 */
unsigned long ksym_trap_addr(const struct ksym_trap *trap, int cpu)
{
	unsigned long addr = KSYM_ADDR_NONE;

	/* ksym_traps_sync() has yet to point the events of this task. */
	if (trap->task && ksym_trap_is_placed(trap) != READ_ONCE(trap->synced))
		return ksym_place_addr(&trap->place, max(cpu, 0), &addr) ?
		       KSYM_ADDR_NONE : addr + trap->off;
	if (trap->movable || READ_ONCE(trap->event))
		return READ_ONCE(trap->target);
	if (cpu >= 0)
		return READ_ONCE(per_cpu_ptr(trap->percpu, cpu)->addr);
	for_each_cpu(cpu, &trap->cpus) {
		addr = READ_ONCE(per_cpu_ptr(trap->percpu, cpu)->addr);
		if (addr)
			return addr;
	}
	/* A CPU has an address with an event. If all are offline, this is where they will look. */
	return ksym_perf_find_addr(trap, 0, &addr) ? KSYM_ADDR_NONE : addr;
}

/**
 * ksym_trap_is_ours - does a breakpoint belong to a trap?
 * @bp: the breakpoint
 *
 * Any context.
 *
 * Return: true if it does; its overflow_handler_context is the trap.
 */
bool ksym_trap_is_ours(const struct perf_event *bp)
{
	return bp->overflow_handler == trap_ops->hit;
}

/* CPU hotplug */

static bool is_on_cpu(const struct ksym_trap *trap, int cpu)
{
	return !trap->task && cpumask_test_cpu(cpu, &trap->cpus);
}

static void note_uncovered(struct ksym_trap *trap, int cpu, int err)
{
	char text[KSYM_EVENT_LEN + 80];
	struct ksym_piece *piece;

	list_for_each_entry(piece, &trap->pieces, trap_node) {
		struct ksym_watch *watch = piece->watch;

		snprintf(text, sizeof(text),
			 "ksym: %s: CPU %d came online and is not covered: error %d",
			 watch->name, cpu, err);
		trap_ops->note(watch, text);
		pr_warn("%s\n", text + strlen("ksym: "));
	}
}

static void cover_new_cpu(struct ksym_trap *trap, int cpu)
{
	int ret = cover_cpu(trap, cpu);

	if (!ret)
		return;
	cpumask_set_cpu(cpu, &trap->uncovered);
	ksym_perf_set_uncovered(per_cpu_ptr(trap->percpu, cpu), trap->armed);
	note_uncovered(trap, cpu, ret);
}

/**
 * ksym_traps_uncovered - find the CPUs on which traps of a watch got no event
 * @traps: the traps
 * @cpus: filled in
 *
 * Process context; sleeps; takes ksym_traps_mutex.
 */
void ksym_traps_uncovered(const struct ksym_traps *traps, struct cpumask *cpus)
{
	unsigned int i;

	guard(mutex)(&ksym_traps_mutex);
	cpumask_clear(cpus);
	for (i = 0; i < traps->nr; i++)
		cpumask_or(cpus, cpus, &traps->trap[i]->uncovered);
}

/* Runs on the CPU before it runs any task. An error does not keep the CPU offline. */
static int ksym_cpu_online(unsigned int cpu)
{
	struct ksym_trap *trap;

	guard(mutex)(&ksym_traps_mutex);
	list_for_each_entry(trap, &ksym_trap_list, list) {
		if (is_on_cpu(trap, cpu) && !per_cpu_ptr(trap->percpu, cpu)->event)
			cover_new_cpu(trap, cpu);
	}
	return 0;
}

static int ksym_cpu_offline(unsigned int cpu)
{
	struct ksym_trap_cpu *part;
	struct ksym_trap *trap;

	guard(mutex)(&ksym_traps_mutex);
	list_for_each_entry(trap, &ksym_trap_list, list) {
		if (!is_on_cpu(trap, cpu))
			continue;
		part = per_cpu_ptr(trap->percpu, cpu);
		/* The slot stays reserved until the CPU comes back. */
		ksym_perf_release_part(part);
		ksym_wide_reset(part);
		cpumask_clear_cpu(cpu, &trap->uncovered);
		ksym_perf_set_uncovered(part, false);
	}
	return 0;
}

/**
 * ksym_trap_init - set the callbacks, and follow CPUs that come online
 * @ops: the callbacks, which stay
 *
 * Called before the first watch is made.
 */
void __init ksym_trap_init(const struct ksym_trap_ops *ops)
{
	int ret;

	trap_ops = ops;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "trace/ksym:online",
				ksym_cpu_online, ksym_cpu_offline);
	if (ret < 0)
		pr_warn("CPUs that come online are not covered: error %d\n", ret);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reserve and arm: the perf events of a watch, one on each CPU, or of a task.
 *
 * Who may have how many of a CPU's debug registers is decided when a slot is asked
 * for; perf programs them when an event is enabled. So the slots of a watch of CPUs
 * are taken in one step, or none is, and all its events are created disabled: no CPU
 * traps before each of them is sure to. The events of a task ask for their slots
 * themselves.
 *
 * The events belong to a trap, which watches that ask for the same share. A
 * trap keeps the reservation of its slots, also for CPUs that are offline: one
 * that comes online finds its slot, and has its event before it runs any task.
 *
 * A range that is longer than a register has several traps. Where the memory of
 * a watch is not there yet, as that of a module, its events exist all the same,
 * disabled, and are parked at a variable that nobody touches; so they hold the
 * slots, and only have to be pointed at the memory when it comes.
 *
 * No other file of the tracer calls perf, but for ksym_limit.c, which disarms
 * from the handler, and ksym_move.c, which moves what is armed.
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hw_breakpoint.h>
#include <linux/kallsyms.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "ksym.h"

/* Protects the lists of traps and watches, and the events of CPUs. */
static DEFINE_MUTEX(ksym_slots_mutex);

/* Protects the events of tasks. Never taken under event_mutex. */
static DEFINE_MUTEX(ksym_tasks_mutex);

static LIST_HEAD(traps);
static LIST_HEAD(dead_traps);

/* What events are parked at. Nobody reads or writes it. */
u64 ksym_parking;

static void assert_events_locked(const struct ksym_trap *trap)
{
	if (trap->task)
		lockdep_assert_held(&ksym_tasks_mutex);
	else
		lockdep_assert_held(&ksym_slots_mutex);
}

/* Takes what protects the events of a trap. */
static void lock_events(const struct ksym_trap *trap)
{
	if (trap->task) {
		mutex_lock(&ksym_tasks_mutex);
	} else {
		cpus_read_lock();
		mutex_lock(&ksym_slots_mutex);
	}
}

static void unlock_events(const struct ksym_trap *trap)
{
	if (trap->task) {
		mutex_unlock(&ksym_tasks_mutex);
	} else {
		mutex_unlock(&ksym_slots_mutex);
		cpus_read_unlock();
	}
}

/* What perf is to be asked for: an event that calls its handler each time. */
static void init_attr(struct perf_event_attr *attr, const struct ksym_trap *trap,
		      unsigned long addr)
{
	BUILD_BUG_ON(KSYM_READ != HW_BREAKPOINT_R);
	BUILD_BUG_ON(KSYM_WRITE != HW_BREAKPOINT_W);

	hw_breakpoint_init(attr);
	attr->bp_addr = addr ?: (unsigned long)&ksym_parking;
	/* A parked one has a length of the parking place's, or its own. */
	attr->bp_len = addr || trap->movable ? trap->len : 1;
	attr->bp_type = trap->access;
	attr->disabled = 1;
	attr->pinned = !trap->flexible;
	attr->inherit = trap->inherit;
}

/* Where the event of a CPU belongs, or %KSYM_AT_NOTHING to be parked. */
static int find_addr(struct ksym_trap *trap, int cpu, unsigned long *addr)
{
	int ret;

	*addr = KSYM_AT_NOTHING;
	if (trap->movable)
		*addr = READ_ONCE(trap->target);
	if (trap->movable || !trap->placed)
		return 0;
	ret = ksym_place_addr(&trap->place, cpu, addr);
	*addr += trap->off;
	return ret;
}

static struct perf_event *create_event(struct ksym_trap *trap, int cpu,
				       unsigned long addr)
{
	struct perf_event_attr attr;
	struct perf_event *event;

	assert_events_locked(trap);

	init_attr(&attr, trap, addr);
	if (trap->task)
		event = perf_event_create_kernel_counter(&attr, cpu, trap->task,
							 ksym_hit_nmi, trap);
	else
		event = register_reserved_hw_breakpoint(&trap->reservation, &attr,
							ksym_hit_nmi, trap, cpu);
	/* It is disabled, and so is what was inherited from it since. */
	if (!IS_ERR(event)) {
		WARN_ON_ONCE(hw_breakpoint_set_direct(event));
		hw_breakpoint_set_mute(event, &trap->percpu->mute);
	}
	return event;
}

static int create_part(struct ksym_trap_cpu *part)
{
	struct ksym_trap *trap = part->trap;
	struct perf_event *event;
	unsigned long addr;
	int ret;

	ret = find_addr(trap, part->cpu, &addr);
	/* An offline CPU has no pointers to follow; a task may run on it later. */
	if (ret && trap->task && !cpu_online(part->cpu))
		return 0;
	if (ret)
		return ret;
	event = create_event(trap, part->cpu, addr);
	if (IS_ERR(event))
		return PTR_ERR(event);
	WRITE_ONCE(part->addr, addr);
	WRITE_ONCE(part->event, event);
	return 0;
}

static void add_event_times(struct perf_event *event, struct ksym_times *times)
{
	u64 enabled, running;

	perf_event_times(event, &enabled, &running);
	times->enabled += enabled;
	times->running += running;
}

/*
 * Takes the event of a CPU away, and keeps its slot for the next one if asked to. The
 * timer of the limit must not find it any more; one that is about to use it runs on the
 * CPU that the disabling waits for.
 */
static void release_part(struct ksym_trap_cpu *part, bool keep_slot)
{
	struct perf_event *event = part->event;

	assert_events_locked(part->trap);

	if (!event)
		return;
	WRITE_ONCE(part->event, NULL);
	perf_event_disable(event);
	ksym_limit_stop(part);
	irq_work_sync(&part->move_work);
	add_event_times(event, &part->before);
	if (keep_slot)
		unregister_reserved_hw_breakpoint(&part->trap->reservation, event);
	else
		perf_event_release_kernel(event);
}

static void release_events(struct ksym_trap *trap)
{
	int cpu;

	assert_events_locked(trap);

	for_each_possible_cpu(cpu)
		release_part(per_cpu_ptr(trap->percpu, cpu), false);
	if (trap->event)
		perf_event_release_kernel(trap->event);
	trap->event = NULL;
	if (!trap->task)
		hw_breakpoint_unreserve_cpus(&trap->reservation);
}

static void enable_events(struct ksym_trap *trap)
{
	struct perf_event *event;
	int cpu;

	assert_events_locked(trap);

	if (trap->armed)
		return;
	WRITE_ONCE(trap->armed, true);
	for_each_possible_cpu(cpu) {
		event = per_cpu_ptr(trap->percpu, cpu)->event;
		if (event)
			perf_event_enable_family(event);
	}
	if (trap->event)
		perf_event_enable_family(trap->event);
}

static void disable_events(struct ksym_trap *trap)
{
	struct ksym_trap_cpu *part;
	int cpu;

	assert_events_locked(trap);

	WRITE_ONCE(trap->armed, false);
	for_each_possible_cpu(cpu) {
		part = per_cpu_ptr(trap->percpu, cpu);
		if (!part->event)
			continue;
		perf_event_disable_family(part->event);
		ksym_limit_stop(part);
	}
	if (trap->event)
		perf_event_disable_family(trap->event);
}

static bool is_watch_left(struct ksym_trap *trap)
{
	struct ksym_piece *piece;
	bool left = false;

	rcu_read_lock();
	list_for_each_entry_rcu(piece, &trap->pieces, trap_node) {
		if (!ksym_watch_is_done(piece->watch))
			left = true;
	}
	rcu_read_unlock();
	return left;
}

/* What is done with one piece is done with the others as well. */
static void tell_other_pieces(struct ksym_trap *trap)
{
	struct ksym_piece *piece;
	unsigned int i;

	mutex_lock(&ksym_slots_mutex);
	list_for_each_entry(piece, &trap->pieces, trap_node) {
		struct ksym_watch *watch = piece->watch;

		for (i = 0; ksym_watch_is_done(watch) && i < watch->nr_pieces; i++) {
			struct ksym_trap *other = watch->piece[i].trap;

			if (other != trap && READ_ONCE(other->armed) &&
			    !is_watch_left(other))
				schedule_work(&other->done_work);
		}
	}
	mutex_unlock(&ksym_slots_mutex);
}

/* A watch is done with. The slots stay taken, for as long as it exists. */
static void trap_is_done(struct work_struct *work)
{
	struct ksym_trap *trap = container_of(work, struct ksym_trap, done_work);

	lock_events(trap);
	if (!trap->dead && trap->armed && !is_watch_left(trap)) {
		disable_events(trap);
		/* A hit that was not recorded in the end was given back. */
		if (is_watch_left(trap))
			enable_events(trap);
	}
	unlock_events(trap);
	tell_other_pieces(trap);
}

static void queue_done_work(struct irq_work *work)
{
	struct ksym_trap *trap = container_of(work, struct ksym_trap,
					      done_irq_work);

	schedule_work(&trap->done_work);
}

static void free_trap(struct kref *ref)
{
	struct ksym_trap *trap = container_of(ref, struct ksym_trap, ref);

	if (trap->task)
		put_task_struct(trap->task);
	free_percpu(trap->percpu);
	kfree(trap->key);
	kfree(trap);
}

static void put_trap(struct ksym_trap *trap)
{
	kref_put(&trap->ref, free_trap);
}

/**
 * ksym_traps_put - the opposite of ksym_traps_get()
 * @traps: what that has filled in, or zeroed
 *
 * Process context.
 */
void ksym_traps_put(struct ksym_traps *traps)
{
	while (traps->nr)
		put_trap(traps->trap[--traps->nr]);
}

/**
 * ksym_traps_get - keep the traps of a watch
 * @watch: a watch; whoever could remove it is kept from that
 * @traps: filled in
 *
 * Their events may go, but not their memory.
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

/* Frees the traps that nobody has any more, and those of tasks from perf. */
static void reap_traps(struct work_struct *work)
{
	struct ksym_trap *trap, *next;
	LIST_HEAD(reaped);
	int cpu;

	mutex_lock(&ksym_slots_mutex);
	list_splice_init(&dead_traps, &reaped);
	mutex_unlock(&ksym_slots_mutex);
	/* A trigger may be just moving one of them. */
	synchronize_rcu();

	list_for_each_entry_safe(trap, next, &reaped, list) {
		if (trap->task) {
			mutex_lock(&ksym_tasks_mutex);
			release_events(trap);
			mutex_unlock(&ksym_tasks_mutex);
		}
		/* No handler runs any more, so nobody queues these again. */
		for_each_possible_cpu(cpu)
			ksym_limit_stop(per_cpu_ptr(trap->percpu, cpu));
		ksym_move_stop(trap);
		irq_work_sync(&trap->done_irq_work);
		cancel_work_sync(&trap->done_work);
		put_trap(trap);
	}
}

static DECLARE_WORK(reaper, reap_traps);

/**
 * ksym_slots_flush - wait until what was released is free
 *
 * Process context; sleeps. Neither event_mutex nor cpus_read_lock is held.
 */
void ksym_slots_flush(void)
{
	flush_work(&reaper);
}

/* What is asked for, where the address comes and goes with a module. */
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

/* Takes over where the piece is. */
static void place_trap(struct ksym_trap *trap, const struct ksym_found *found,
		       unsigned int i)
{
	trap->place = found->place;
	trap->off = found->ranges[i].off;
	trap->len = found->ranges[i].len;
	trap->placed = !found->pending;
}

static struct ksym_trap *alloc_trap(const struct ksym_watch *watch, unsigned int i,
				    struct task_struct *task,
				    const struct cpumask *cpus)
{
	struct ksym_trap *trap = kzalloc(sizeof(*trap), GFP_KERNEL);

	if (!trap)
		return NULL;
	trap->percpu = alloc_percpu(struct ksym_trap_cpu);
	if (watch->target.module[0])
		trap->key = make_key(watch, i);
	if (!trap->percpu || (watch->target.module[0] && !trap->key)) {
		free_percpu(trap->percpu);
		kfree(trap->key);
		kfree(trap);
		return NULL;
	}
	place_trap(trap, &watch->found, i);
	trap->movable = watch->found.movable;
	/* Whether a path has pointers is not known before its module comes. */
	trap->follows = watch->lazy && (watch->found.place.nr_derefs ||
					(watch->found.pending && watch->target.path[0]));
	trap->settled = trap->placed;
	trap->access = ksym_watch_traps(watch);
	trap->flexible = watch->opt.flexible;
	trap->inherit = watch->opt.inherit;
	trap->limit = watch->opt.limit;
	trap->budget = watch->opt.budget;
	trap->task = task ? get_task_struct(task) : NULL;
	cpumask_copy(&trap->cpus, cpus);
	INIT_LIST_HEAD(&trap->pieces);
	INIT_LIST_HEAD(&trap->users);
	INIT_LIST_HEAD(&trap->list);
	kref_init(&trap->ref);
	trap->done_irq_work = IRQ_WORK_INIT_HARD(queue_done_work);
	INIT_WORK(&trap->done_work, trap_is_done);
	ksym_limit_init(trap);
	ksym_move_init(trap);
	return trap;
}

static bool is_same_place(const struct ksym_trap *a, const struct ksym_trap *b)
{
	/* Each is pointed at what its owner wants. */
	if (a->movable || b->movable || a->follows || b->follows)
		return false;
	/* One of them may have stayed behind when the module came. */
	if (a->key || b->key)
		return a->key && b->key && a->placed == b->placed &&
		       !strcmp(a->key, b->key);
	return !memcmp(&a->place, &b->place, sizeof(a->place)) &&
	       a->off == b->off && a->len == b->len;
}

/* The pointers may lead elsewhere than when @trap followed them. */
static bool is_same_addr(const struct ksym_trap *trap, struct ksym_trap *wanted)
{
	unsigned long addr;
	int cpu;

	if (!wanted->placed || !wanted->place.nr_derefs)
		return true;
	for_each_cpu_and(cpu, &wanted->cpus, cpu_online_mask) {
		if (find_addr(wanted, cpu, &addr) || addr != ksym_trap_addr(trap, cpu))
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

/* Gives the piece the trap of others that ask for the same, if there is one. */
static bool share_trap(struct ksym_piece *piece, struct ksym_trap *wanted)
{
	struct ksym_trap *trap;

	lockdep_assert_held(&ksym_slots_mutex);

	list_for_each_entry(trap, &traps, list) {
		if (!is_same(trap, wanted))
			continue;
		list_add_tail(&piece->user_node, &trap->users);
		piece->trap = trap;
		return true;
	}
	return false;
}

static void own_trap(struct ksym_piece *piece, struct ksym_trap *trap)
{
	lockdep_assert_held(&ksym_slots_mutex);

	list_add_tail(&piece->user_node, &trap->users);
	piece->trap = trap;
	list_add_tail(&trap->list, &traps);
}

/* An event on each CPU of the trap that is in @mask; what fails is left to undo. */
static int create_parts(struct ksym_trap *trap, const struct cpumask *mask)
{
	int cpu, ret;

	for_each_cpu_and(cpu, &trap->cpus, mask) {
		ret = create_part(per_cpu_ptr(trap->percpu, cpu));
		if (ret)
			return ret;
	}
	return 0;
}

static int create_cpu_events(struct ksym_trap *trap)
{
	struct perf_event_attr attr;
	unsigned long addr;
	int ret;

	lockdep_assert_cpus_held();
	lockdep_assert_held(&ksym_slots_mutex);

	ret = find_addr(trap, cpumask_any_and(&trap->cpus, cpu_online_mask), &addr);
	if (ret)
		return ret;
	init_attr(&attr, trap, addr);
	ret = hw_breakpoint_reserve_cpus(&trap->reservation, &attr, &trap->cpus);
	if (ret)
		return ret;

	ret = create_parts(trap, cpu_online_mask);
	if (ret)
		release_events(trap);
	return ret;
}

static int create_task_events(struct ksym_trap *trap)
{
	struct perf_event *event;
	unsigned long addr;
	int ret;

	lockdep_assert_held(&ksym_tasks_mutex);

	/*
	 * One event does for all CPUs, where it is sure that they have no
	 * copies of their own.
	 */
	if (trap->placed && !trap->place.percpu &&
	    cpumask_equal(&trap->cpus, cpu_possible_mask)) {
		ret = find_addr(trap, 0, &addr);
		if (ret)
			return ret;
		event = create_event(trap, -1, addr);
		if (IS_ERR(event))
			return PTR_ERR(event);
		trap->event = event;
		trap->target = addr;
		return 0;
	}
	ret = create_parts(trap, cpu_possible_mask);
	if (ret)
		release_events(trap);
	return ret;
}

static int reserve_piece(struct ksym_watch *watch, unsigned int i,
			 struct task_struct *task, const struct cpumask *cpus)
{
	struct ksym_trap *trap = alloc_trap(watch, i, task, cpus);
	struct ksym_piece *piece = &watch->piece[i];
	bool shared;
	int ret;

	if (!trap)
		return -ENOMEM;

	if (task) {
		mutex_lock(&ksym_slots_mutex);
		shared = share_trap(piece, trap);
		mutex_unlock(&ksym_slots_mutex);
		ret = 0;
		if (!shared) {
			/* All who add one hold dyn_event_ops_mutex. */
			mutex_lock(&ksym_tasks_mutex);
			ret = create_task_events(trap);
			mutex_unlock(&ksym_tasks_mutex);
		}
		if (!shared && !ret) {
			mutex_lock(&ksym_slots_mutex);
			own_trap(piece, trap);
			mutex_unlock(&ksym_slots_mutex);
		}
	} else {
		cpus_read_lock();
		mutex_lock(&ksym_slots_mutex);
		shared = share_trap(piece, trap);
		ret = shared ? 0 : create_cpu_events(trap);
		if (!shared && !ret)
			own_trap(piece, trap);
		mutex_unlock(&ksym_slots_mutex);
		cpus_read_unlock();
	}
	if (shared || ret)
		put_trap(trap);
	return ret;
}

/* Says how the value of a hit lies around each piece. */
static void shape_pieces(struct ksym_watch *watch)
{
	const struct ksym_found *found = &watch->found;
	/* What fits a value has one, of all of it, whichever piece is touched. */
	bool whole = found->part.len <= sizeof(u64);
	unsigned int i;

	for (i = 0; i < found->nr_ranges; i++) {
		struct ksym_piece *piece = &watch->piece[i];

		piece->back = whole ? found->ranges[i].off : 0;
		piece->len = whole ? found->part.len : found->ranges[i].len;
		piece->unit = whole ? 0 : i;
	}
	watch->bit = found->part.bit;
	watch->bits = found->part.bits;
	watch->percpu = found->place.percpu;
	/*
	 * Asked once, so that the handler need not ask for each of them. What is
	 * longer than a value has several ranges.
	 */
	watch->odd = watch->percpu || watch->bits || found->nr_ranges > 1 ||
		     found->movable || found->nests ||
		     watch->access == KSYM_READ || watch->opt.count ||
		     watch->opt.changed || watch->opt.wrote || watch->opt.stack ||
		     watch->opt.ustack || watch->fetch;
}

/**
 * ksym_slots_reserve - take the debug registers of a watch
 * @watch: what it is to watch, its access and its options are set
 * @task: the task of pid=, or NULL
 * @cpus: the CPUs; those that are offline are reserved as well
 *
 * Watches that ask for the same share their registers. Those of a range are all
 * taken, or none.
 *
 * Process context; sleeps. Neither event_mutex nor cpus_read_lock is held when
 * @task is given.
 *
 * Return: 0; -ENOSPC where a CPU has no register left; -EINVAL where the
 * architecture refuses the address; -EFAULT where a pointer leads nowhere now;
 * -ESRCH where the task is gone; or another error of perf's. After an error
 * nothing is taken.
 */
int ksym_slots_reserve(struct ksym_watch *watch, struct task_struct *task,
		       const struct cpumask *cpus)
{
	int ret = 0;

	ksym_limit_calibrate();
	shape_pieces(watch);
	while (watch->nr_pieces < watch->found.nr_ranges) {
		ret = reserve_piece(watch, watch->nr_pieces, task, cpus);
		if (ret)
			break;
		watch->nr_pieces++;
	}
	if (ret)
		ksym_slots_release(watch);
	return ret;
}

/* Points one event, which is disabled, to where it belongs. */
static int point_event(struct ksym_trap *trap, struct perf_event *event, int cpu,
		       unsigned long *at)
{
	struct perf_event_attr attr, wanted;
	unsigned long addr;
	int ret, err;

	ret = find_addr(trap, cpu, &addr);
	if (ret)
		addr = KSYM_AT_NOTHING;
	init_attr(&wanted, trap, addr);
	/* Off it stays; what else perf has noted in there must not change. */
	attr = event->attr;
	attr.bp_addr = wanted.bp_addr;
	attr.bp_len = wanted.bp_len;
	attr.disabled = 1;
	err = perf_event_modify_family(event, &attr);
	if (!err)
		WRITE_ONCE(*at, addr);
	return ret ?: err;
}

/* Points all events to where they belong; they are disabled. */
static int point_events(struct ksym_trap *trap)
{
	struct ksym_trap_cpu *part;
	int cpu, ret = 0, err;

	assert_events_locked(trap);

	for_each_possible_cpu(cpu) {
		part = per_cpu_ptr(trap->percpu, cpu);
		if (!part->event)
			continue;
		err = point_event(trap, part->event, cpu, &part->addr);
		ret = ret ?: err;
	}
	if (trap->event) {
		err = point_event(trap, trap->event, 0, &trap->target);
		ret = ret ?: err;
	}
	return ret;
}

/* Tells the handler of the one watch that a trap has in most cases, if it has. */
static void note_sole(struct ksym_trap *trap)
{
	struct ksym_watch *sole = NULL;
	struct ksym_piece *piece = NULL;

	lockdep_assert_held(&ksym_slots_mutex);

	if (list_is_singular(&trap->pieces)) {
		piece = list_first_entry(&trap->pieces, struct ksym_piece, trap_node);
		sole = piece->watch;
		if (sole->nr_pieces > 1 || trap->movable)
			piece = NULL;
	}
	WRITE_ONCE(trap->sole, sole && !sole->odd ? sole : NULL);
	WRITE_ONCE(trap->sole_piece, piece);
}

static bool is_armed(const struct ksym_piece *piece)
{
	return !list_empty(&piece->trap_node);
}

/**
 * ksym_slots_aim - do what may fail before a reserved watch is armed
 * @watch: it has its slots, and is not armed
 *
 * The shadows are seeded, after a lazy watch has followed its pointers anew. A
 * task's events stay where they are. Nothing traps for any of that.
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_slots_mutex.
 *
 * Return: 0; -EFAULT where the memory can't be read, or for a lazy watch, a
 * pointer leads nowhere now; or for that, -EINVAL where the architecture refuses
 * the address.
 */
int ksym_slots_aim(struct ksym_watch *watch)
{
	unsigned int i;
	int ret = 0;

	cpus_read_lock();
	mutex_lock(&ksym_slots_mutex);
	for (i = 0; !ret && i < watch->found.nr_ranges; i++) {
		struct ksym_trap *trap = watch->piece[i].trap;

		if (trap->follows && !trap->task)
			ret = point_events(trap);
	}
	ret = ret ?: ksym_hit_seed(watch);
	mutex_unlock(&ksym_slots_mutex);
	cpus_read_unlock();
	return ret;
}

/**
 * ksym_slots_arm - let a reserved watch trap
 * @watch: after ksym_slots_aim()
 *
 * The shadows are seeded again, as late as can be. A task's events are left to
 * ksym_traps_settle().
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_slots_mutex.
 */
void ksym_slots_arm(struct ksym_watch *watch)
{
	unsigned int i;

	cpus_read_lock();
	mutex_lock(&ksym_slots_mutex);
	ksym_hit_seed(watch);
	for (i = 0; i < watch->found.nr_ranges; i++) {
		struct ksym_piece *piece = &watch->piece[i];

		list_add_tail_rcu(&piece->trap_node, &piece->trap->pieces);
		note_sole(piece->trap);
		if (!piece->trap->task)
			enable_events(piece->trap);
		/* No hit of its own will tell, after a module came back. */
		if (ksym_watch_is_done(watch))
			schedule_work(&piece->trap->done_work);
	}
	mutex_unlock(&ksym_slots_mutex);
	cpus_read_unlock();
}

/**
 * ksym_slots_disarm - let a watch trap no more, and keep its slots
 * @watch: armed or not
 *
 * No handler runs for it on return, where it watches CPUs; where it watches a
 * task, after ksym_traps_settle().
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_slots_mutex.
 */
void ksym_slots_disarm(struct ksym_watch *watch)
{
	unsigned int i;

	cpus_read_lock();
	mutex_lock(&ksym_slots_mutex);
	for (i = 0; i < watch->nr_pieces; i++) {
		struct ksym_piece *piece = &watch->piece[i];

		if (!is_armed(piece))
			continue;
		list_del_rcu(&piece->trap_node);
		note_sole(piece->trap);
		if (list_empty(&piece->trap->pieces) && !piece->trap->task)
			disable_events(piece->trap);
	}
	mutex_unlock(&ksym_slots_mutex);
	cpus_read_unlock();
	synchronize_rcu();
	/* Not before nobody walks over them any more. */
	for (i = 0; i < watch->nr_pieces; i++)
		INIT_LIST_HEAD(&watch->piece[i].trap_node);
}

/*
 * Takes the traps from a watch's pieces, but for the first @nr. Returns whether a
 * handler may still find them, until an RCU grace period has passed.
 */
static bool drop_pieces(struct ksym_watch *watch, unsigned int nr)
{
	bool reap = false, wait = false;
	unsigned int i;

	cpus_read_lock();
	mutex_lock(&ksym_slots_mutex);
	for (i = nr; i < watch->nr_pieces; i++) {
		struct ksym_piece *piece = &watch->piece[i];
		struct ksym_trap *trap = piece->trap;
		bool last, gone, armed = is_armed(piece);

		if (armed) {
			list_del_rcu(&piece->trap_node);
			note_sole(trap);
		}
		piece->trap = NULL;
		list_del(&piece->user_node);
		last = list_empty(&trap->users);
		gone = last && !trap->task;
		if (last) {
			WRITE_ONCE(trap->dead, true);
			list_move_tail(&trap->list, &dead_traps);
		}
		if (gone)
			release_events(trap);
		/* It may have been the only one that was not done. */
		if (!last)
			schedule_work(&trap->done_work);
		reap |= last;
		wait |= armed && !gone;
	}
	watch->nr_pieces = nr;
	mutex_unlock(&ksym_slots_mutex);
	cpus_read_unlock();

	if (reap)
		schedule_work(&reaper);
	return wait;
}

/* The range turned out to be longer than what was reserved: all of it, or none. */
static int reserve_more(struct ksym_watch *watch, unsigned int nr)
{
	const struct ksym_trap *first = watch->piece[0].trap;
	unsigned int before = watch->nr_pieces;
	int ret = 0;

	/* A task's events can't be made under event_mutex. */
	if (first->task && watch->nr_pieces < nr)
		return -ENOSPC;
	while (watch->nr_pieces < nr && !ret) {
		ret = reserve_piece(watch, watch->nr_pieces, NULL, &first->cpus);
		if (!ret)
			watch->nr_pieces++;
	}
	if (ret)
		drop_pieces(watch, before);
	return ret;
}

/**
 * ksym_slots_place - point a parked watch at its memory, which has come
 * @watch: it was pending, and is not armed
 * @found: where it is now
 *
 * A task's events are left to ksym_traps_settle().
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_slots_mutex.
 *
 * Return: 0; -ENOSPC where it takes more slots than it has, and those are not
 * free; -EINVAL where the architecture refuses the address.
 */
int ksym_slots_place(struct ksym_watch *watch, const struct ksym_found *found)
{
	unsigned int i;
	int ret, err;

	ret = reserve_more(watch, found->nr_ranges);
	if (ret)
		return ret;

	cpus_read_lock();
	mutex_lock(&ksym_slots_mutex);
	for (i = 0; i < found->nr_ranges; i++) {
		struct ksym_trap *trap = watch->piece[i].trap;

		/* Another watch that shares it may have done so. */
		if (trap->placed)
			continue;
		place_trap(trap, found, i);
		if (trap->task)
			continue;
		err = point_events(trap);
		ret = ret ?: err;
	}
	mutex_unlock(&ksym_slots_mutex);
	cpus_read_unlock();

	watch->found = *found;
	watch->found.mod = NULL;
	shape_pieces(watch);
	return ret;
}

/**
 * ksym_slots_park - take a watch off its memory, which goes
 * @watch: not armed any more
 *
 * A task's events are left to ksym_traps_settle().
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_slots_mutex.
 */
void ksym_slots_park(struct ksym_watch *watch)
{
	unsigned int i;

	cpus_read_lock();
	mutex_lock(&ksym_slots_mutex);
	for (i = 0; i < watch->nr_pieces; i++) {
		struct ksym_trap *trap = watch->piece[i].trap;

		/* Who shares it is of the same module, and goes as well. */
		if (!list_empty(&trap->pieces))
			continue;
		trap->placed = false;
		if (!trap->task)
			WARN_ON_ONCE(point_events(trap));
	}
	mutex_unlock(&ksym_slots_mutex);
	cpus_read_unlock();
	watch->found.pending = true;
}

static void settle_trap(struct ksym_trap *trap)
{
	bool wanted, moved;

	lockdep_assert_held(&ksym_tasks_mutex);

	mutex_lock(&ksym_slots_mutex);
	wanted = !list_empty(&trap->pieces);
	moved = trap->settled != trap->placed;
	trap->settled = trap->placed;
	mutex_unlock(&ksym_slots_mutex);

	if (READ_ONCE(trap->dead))
		return;
	if (moved || !wanted)
		disable_events(trap);
	/* Where a pointer leads nowhere by now, the event stays parked. */
	if (moved)
		point_events(trap);
	if (wanted)
		enable_events(trap);
	if (wanted && !is_watch_left(trap))
		schedule_work(&trap->done_work);
}

/**
 * ksym_traps_settle - do for the events of tasks what is due
 * @traps: those of a watch that was armed, disarmed, placed or parked, or even
 *	removed since; also of CPUs, where there is nothing left to do
 *
 * Process context; sleeps. Neither event_mutex nor cpus_read_lock is held.
 */
void ksym_traps_settle(struct ksym_traps *traps)
{
	unsigned int i;

	for (i = 0; i < traps->nr; i++) {
		if (!traps->trap[i]->task)
			continue;
		mutex_lock(&ksym_tasks_mutex);
		settle_trap(traps->trap[i]);
		mutex_unlock(&ksym_tasks_mutex);
	}
}

static struct ksym_trap *find_unsettled(void)
{
	struct ksym_trap *trap;

	lockdep_assert_held(&ksym_tasks_mutex);

	mutex_lock(&ksym_slots_mutex);
	list_for_each_entry(trap, &traps, list) {
		if (trap->task && trap->settled != trap->placed) {
			kref_get(&trap->ref);
			goto out;
		}
	}
	trap = NULL;
out:
	mutex_unlock(&ksym_slots_mutex);
	return trap;
}

/**
 * ksym_slots_settle_all - do for the events of all tasks what is due
 *
 * After a module came or went. Process context; sleeps. Neither event_mutex nor
 * cpus_read_lock is held.
 */
void ksym_slots_settle_all(void)
{
	struct ksym_trap *trap;

	mutex_lock(&ksym_tasks_mutex);
	while ((trap = find_unsettled())) {
		settle_trap(trap);
		put_trap(trap);
	}
	mutex_unlock(&ksym_tasks_mutex);
}

/**
 * ksym_slots_drop - like ksym_slots_release(), without waiting for handlers
 * @watch: reserved, armed, or neither
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_slots_mutex.
 *
 * Return: whether a handler may still run for @watch, until an RCU grace period
 * has passed.
 */
bool ksym_slots_drop(struct ksym_watch *watch)
{
	return watch->nr_pieces && drop_pieces(watch, 0);
}

/**
 * ksym_slots_release - disarm a watch and give its slots back
 * @watch: reserved, armed, or neither
 *
 * No handler runs for @watch any more on return. perf takes an event off its
 * CPU with an interrupt on that CPU, which waits for a #DB in progress. What
 * others share goes on trapping for them; and the events of a task are left to a
 * worker, as this may run under event_mutex. The watch is not found from there
 * any more.
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_slots_mutex.
 */
void ksym_slots_release(struct ksym_watch *watch)
{
	if (ksym_slots_drop(watch))
		synchronize_rcu();
}

static void add_trap_times(struct ksym_trap *trap, struct ksym_times *times)
{
	struct ksym_trap_cpu *part;
	u64 muted = 0;
	int cpu;

	lock_events(trap);
	for_each_possible_cpu(cpu) {
		part = per_cpu_ptr(trap->percpu, cpu);
		muted += hw_breakpoint_mute_time(&part->mute);
		times->enabled += part->before.enabled +
				  READ_ONCE(part->uncovered);
		times->running += part->before.running;
		if (part->event)
			add_event_times(part->event, times);
		else if (cpumask_test_cpu(cpu, &trap->uncovered))
			times->enabled += ktime_get_mono_fast_ns() - part->uncovered_since;
	}
	if (trap->event)
		add_event_times(trap->event, times);
	/* In its register, it did not trap. */
	times->running -= min(times->running, muted);
	unlock_events(trap);
}

/**
 * ksym_traps_times - for how long did the traps of a watch work?
 * @traps: the traps
 * @times: filled in
 *
 * The time in which a limit had muted one, or a CPU could not be covered, is time in
 * which it wanted to. No CPU is asked: one that has interrupts off, perhaps because of
 * this very trap, keeps nobody waiting.
 *
 * Process context; sleeps. Neither event_mutex nor cpus_read_lock is held.
 */
void ksym_traps_times(struct ksym_traps *traps, struct ksym_times *times)
{
	unsigned int i;

	memset(times, 0, sizeof(*times));
	for (i = 0; i < traps->nr; i++)
		add_trap_times(traps->trap[i], times);
}

/**
 * ksym_trap_addr - where does a trap watch?
 * @trap: the trap
 * @cpu: on which CPU, or -1 where they have no copies of their own
 *
 * Any context.
 *
 * Return: the address, or %KSYM_AT_NOTHING where it has none now.
 */
unsigned long ksym_trap_addr(const struct ksym_trap *trap, int cpu)
{
	unsigned long addr = KSYM_AT_NOTHING;

	/* A task's events are pointed later, by ksym_traps_settle(). */
	if (trap->task && trap->placed != trap->settled)
		return ksym_place_addr(&trap->place, max(cpu, 0), &addr) ?
		       KSYM_AT_NOTHING : addr + trap->off;
	if (trap->movable || trap->event)
		return READ_ONCE(trap->target);
	if (cpu >= 0)
		return READ_ONCE(per_cpu_ptr(trap->percpu, cpu)->addr);
	/* Those that were never online have none. */
	for_each_cpu(cpu, &trap->cpus) {
		addr = READ_ONCE(per_cpu_ptr(trap->percpu, cpu)->addr);
		if (addr)
			break;
	}
	return addr;
}

/**
 * ksym_traps_format_addr - write which addresses a watch has
 * @traps: its traps
 * @buf: where to
 * @size: its size
 *
 * One address, or that of each CPU that has one of its own. Any context.
 *
 * Return: the length, as scnprintf() does; 0 where it has no address now.
 */
int ksym_traps_format_addr(const struct ksym_traps *traps, char *buf, size_t size)
{
	struct ksym_trap *trap = traps->nr ? traps->trap[0] : NULL;
	unsigned long addr;
	int cpu, len = 0;

	if (!trap || (!trap->placed && !trap->movable))
		return 0;
	if (!trap->place.percpu) {
		addr = ksym_trap_addr(trap, -1);
		return addr ? scnprintf(buf, size, "0x%lx", addr) : 0;
	}
	for_each_cpu_and(cpu, &trap->cpus, cpu_online_mask) {
		addr = READ_ONCE(per_cpu_ptr(trap->percpu, cpu)->addr);
		len += scnprintf(buf + len, size - len, "%scpu%d:0x%lx",
				 len ? "," : "", cpu, addr);
	}
	return len;
}

/* CPU hotplug */

/* Is it a trap of CPUs, and of this one? */
static bool wants_cpu(const struct ksym_trap *trap, int cpu)
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
		ksym_event_note(watch, text);
		pr_warn("%s\n", text + strlen("ksym: "));
	}
}

static void cover_cpu(struct ksym_trap *trap, int cpu)
{
	struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);
	int ret;

	lockdep_assert_held(&ksym_slots_mutex);

	ret = create_part(part);
	if (!ret && trap->armed)
		perf_event_enable(part->event);
	/* It may have been pointed elsewhere since its address was read. */
	ksym_move_part(part);
	if (!ret)
		return;
	cpumask_set_cpu(cpu, &trap->uncovered);
	part->uncovered_since = ktime_get_mono_fast_ns();
	note_uncovered(trap, cpu, ret);
}

/* Runs on the CPU, before the scheduler gives it tasks. It comes up anyway. */
static int ksym_cpu_online(unsigned int cpu)
{
	struct ksym_trap *trap;

	mutex_lock(&ksym_slots_mutex);
	list_for_each_entry(trap, &traps, list) {
		if (wants_cpu(trap, cpu) && !per_cpu_ptr(trap->percpu, cpu)->event)
			cover_cpu(trap, cpu);
	}
	mutex_unlock(&ksym_slots_mutex);
	return 0;
}

static int ksym_cpu_offline(unsigned int cpu)
{
	struct ksym_trap_cpu *part;
	struct ksym_trap *trap;

	mutex_lock(&ksym_slots_mutex);
	list_for_each_entry(trap, &traps, list) {
		if (!wants_cpu(trap, cpu))
			continue;
		part = per_cpu_ptr(trap->percpu, cpu);
		/* The slot goes to the reservation, and waits for the CPU. */
		release_part(part, true);
		if (cpumask_test_and_clear_cpu(cpu, &trap->uncovered))
			part->uncovered += ktime_get_mono_fast_ns() - part->uncovered_since;
	}
	mutex_unlock(&ksym_slots_mutex);
	return 0;
}

/* Who holds the registers */

/* On the CPU, with interrupts off. */
static void read_registers(void *data)
{
	struct ksym_register *regs = data;
	struct ksym_piece *piece;
	struct ksym_trap *trap;
	struct perf_event *bp;
	int i;

	for (i = 0; i < HBP_NUM; i++) {
		bp = hw_breakpoint_in_register(i);
		if (!bp)
			continue;
		regs[i].handler = (unsigned long)bp->overflow_handler;
		regs[i].ours = bp->overflow_handler == ksym_hit_nmi;
		regs[i].of_task = bp->hw.target;
		if (!regs[i].ours)
			continue;
		trap = bp->overflow_handler_context;
		piece = list_first_or_null_rcu(&trap->pieces, struct ksym_piece,
					       trap_node);
		if (piece)
			strscpy(regs[i].name, piece->watch->name);
	}
}

/* Names the owner of a breakpoint that is not ours, after its handler. */
static void name_owner(char *name, unsigned long handler)
{
	char symbol[KSYM_NAME_LEN];

	if (!handler)
		strscpy(name, "-", KSYM_EVENT_LEN);
	else if (lookup_symbol_name(handler, symbol))
		strscpy(name, "?", KSYM_EVENT_LEN);
	else if (str_has_prefix(symbol, "perf_event_output"))
		strscpy(name, "perf", KSYM_EVENT_LEN);
	else if (!strcmp(symbol, "ptrace_triggered"))
		strscpy(name, "ptrace", KSYM_EVENT_LEN);
	else if (str_has_prefix(symbol, "kgdb_"))
		strscpy(name, "kgdb", KSYM_EVENT_LEN);
	else
		strscpy(name, symbol, KSYM_EVENT_LEN);
}

/**
 * ksym_slots_read - who is in the debug registers of a CPU?
 * @cpu: the CPU
 * @regs: filled in, %HBP_NUM of them
 *
 * Process context; sleeps.
 *
 * Return: 0, or -ENXIO where the CPU is offline.
 */
int ksym_slots_read(int cpu, struct ksym_register *regs)
{
	int i, ret;

	memset(regs, 0, HBP_NUM * sizeof(*regs));
	ret = smp_call_function_single(cpu, read_registers, regs, 1);
	for (i = 0; i < HBP_NUM; i++) {
		/* The events of a removed watch may be on their way out. */
		if (!regs[i].name[0] && regs[i].ours)
			strscpy(regs[i].name, "ksym");
		else if (!regs[i].name[0])
			name_owner(regs[i].name, regs[i].handler);
	}
	return ret;
}

/**
 * ksym_slots_census - who holds the slots of the CPUs?
 *
 * Process context; sleeps.
 *
 * Return: an array with an element for each possible CPU, to be freed with kfree(), or
 * NULL where there is no memory.
 */
struct hw_breakpoint_census *ksym_slots_census(void)
{
	struct hw_breakpoint_census *census = kcalloc(nr_cpu_ids, sizeof(*census), GFP_KERNEL);

	if (census)
		hw_breakpoint_census(TYPE_DATA, census);
	return census;
}

/*
 * What is left on a CPU for a watch. The CPU's pinned breakpoints are in anybody's way;
 * those of tasks, and flexible ones, only in that of a pinned watch of the CPU.
 */
static unsigned int room_for(const struct ksym_watch *watch,
			     const struct hw_breakpoint_census *census)
{
	if (watch->opt.pid || watch->opt.flexible)
		return census->slots - census->cpu_pinned;
	return census->free;
}

/* Appends to @buf the names of those who have the slots that the CPU's pinned ones own. */
static int list_owners(char *buf, size_t size, int cpu, unsigned int held)
{
	struct ksym_register regs[HBP_NUM];
	struct ksym_piece *piece;
	struct ksym_trap *trap;
	const char *sep = "";
	unsigned int named = 0;
	int i, len = 0;

	mutex_lock(&ksym_slots_mutex);
	list_for_each_entry(trap, &traps, list) {
		if (trap->flexible || trap->task || !cpumask_test_cpu(cpu, &trap->cpus))
			continue;
		piece = list_first_entry(&trap->users, struct ksym_piece,
					 user_node);
		named++;
		/* A range is named once. */
		if (piece != piece->watch->piece)
			continue;
		len += scnprintf(buf + len, size - len, "%s%s", sep,
				 piece->watch->name);
		sep = ", ";
	}
	mutex_unlock(&ksym_slots_mutex);

	if (named < held && !ksym_slots_read(cpu, regs)) {
		for (i = 0; i < HBP_NUM && named < held; i++) {
			if (regs[i].ours || regs[i].of_task || !regs[i].handler)
				continue;
			len += scnprintf(buf + len, size - len, "%s%s", sep,
					 regs[i].name);
			sep = ", ";
			named++;
		}
	}
	if (named < held)
		len += scnprintf(buf + len, size - len, "%s%u of others", sep,
				 held - named);
	return len;
}

/**
 * ksym_slots_explain - say who holds the slots of a CPU that has too few left
 * @buf: where to
 * @size: its size
 * @watch: what was refused
 * @cpus: the CPUs that it was asked for
 *
 * Process context; sleeps.
 *
 * Return: the length of the text, as scnprintf() does.
 */
int ksym_slots_explain(char *buf, size_t size, const struct ksym_watch *watch,
		       const struct cpumask *cpus)
{
	unsigned int wanted = watch->opt.flexible ? 1 : watch->found.nr_ranges;
	unsigned int room, least = UINT_MAX;
	struct hw_breakpoint_census *all = ksym_slots_census(), census = { };
	const char *sep;
	int cpu, fullest = 0, len = 0;

	if (!all)
		return 0;
	for_each_cpu(cpu, cpus) {
		room = room_for(watch, &all[cpu]);
		if (room < least) {
			least = room;
			fullest = cpu;
		}
	}
	census = all[fullest];
	kfree(all);
	/* Somebody may have gone meanwhile. */
	if (least >= wanted && !watch->opt.pid)
		return 0;

	len += scnprintf(buf + len, size - len, "CPU %d: ", fullest);
	if (least && least < wanted)
		len += scnprintf(buf + len, size - len, "%u free of %u wanted; ", least, wanted);
	len += list_owners(buf + len, size - len, fullest, census.cpu_pinned);
	sep = census.cpu_pinned ? ", " : "";
	if (watch->opt.pid && least >= wanted)
		len += scnprintf(buf + len, size - len, "%sthose of the task", sep);
	if (watch->opt.pid || watch->opt.flexible)
		return len;
	if (census.task)
		len += scnprintf(buf + len, size - len, "%s%u for a task", sep, census.task);
	else if (census.flexible)
		len += scnprintf(buf + len, size - len, "%s%u flexible share one", sep,
				 census.flexible);
	return len;
}

/**
 * ksym_slots_flexible_fits - would a flexible watch be admitted instead of a pinned one?
 * @watch: what was refused
 * @cpus: the CPUs that it was asked for
 *
 * Process context; sleeps.
 *
 * Return: true if there is a slot for it on each of them. What a certain task has nobody
 * counts; so for a task it is true if the busiest one would find a slot.
 */
bool ksym_slots_flexible_fits(const struct ksym_watch *watch, const struct cpumask *cpus)
{
	struct hw_breakpoint_census *census;
	bool fits = true;
	int cpu;

	if (!IS_ENABLED(CONFIG_HW_BREAKPOINT_FLEXIBLE) || watch->opt.flexible)
		return false;
	census = ksym_slots_census();
	if (!census)
		return false;
	for_each_cpu(cpu, cpus)
		fits &= census[cpu].cpu_pinned + (watch->opt.pid ? census[cpu].task : 0) <
			census[cpu].slots;
	kfree(census);
	return fits;
}

/**
 * ksym_slots_init - cover the CPUs that come online
 *
 * Called before there is any watch.
 */
void __init ksym_slots_init(void)
{
	int ret;

	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "trace/ksym:online",
				ksym_cpu_online, ksym_cpu_offline);
	if (ret < 0)
		pr_warn("CPUs that come online are not covered: error %d\n", ret);
}

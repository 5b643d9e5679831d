// SPDX-License-Identifier: GPL-2.0-only
/*
 * Perf: the perf events of a trap.
 *
 * A trap of CPUs has an event for each CPU, and reserves the slots of all its CPUs
 * in one step before it creates them. The reservation keeps the slots of CPUs that
 * are offline. A trap of a task has one event on all CPUs, or one for each CPU if the
 * address differs between CPUs; perf takes their slots when they are created.
 *
 * All events are created disabled, so no CPU traps before all of them exist.
 *
 * The events of a trap whose address is not known yet are parked: they point at a
 * variable that nobody accesses. A parked event holds its slot, and only has to be
 * pointed at the target later.
 *
 * Besides this file, ksym_limit.c mutes events in the handler, and ksym_move.c and
 * ksym_wide.c move events that are armed.
 */
#include <linux/cpu.h>
#include <linux/hw_breakpoint.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/timekeeping.h>

#include "ksym_limit.h"
#include "ksym_perf.h"
#include "ksym_wide.h"

/* Protects the lists of traps and pieces, and the events of CPUs. */
DEFINE_MUTEX(ksym_traps_mutex);

/* Protects the events of tasks. Never taken under event_mutex. */
DEFINE_MUTEX(ksym_tasks_mutex);

/* Parked events point here. Nobody reads or writes it. */
u64 ksym_parked_var;

static void assert_events_locked(const struct ksym_trap *trap)
{
	lockdep_assert_held(trap->task ? &ksym_tasks_mutex : &ksym_traps_mutex);
}

/**
 * ksym_perf_lock - take the lock of a trap's events
 * @trap: the trap
 *
 * Process context; sleeps. Neither event_mutex nor cpus_read_lock is held.
 */
void ksym_perf_lock(const struct ksym_trap *trap)
{
	if (trap->task) {
		mutex_lock(&ksym_tasks_mutex);
	} else {
		cpus_read_lock();
		mutex_lock(&ksym_traps_mutex);
	}
}

/**
 * ksym_perf_unlock - release what ksym_perf_lock() took
 * @trap: the trap
 *
 * Process context.
 */
void ksym_perf_unlock(const struct ksym_trap *trap)
{
	if (trap->task) {
		mutex_unlock(&ksym_tasks_mutex);
	} else {
		mutex_unlock(&ksym_traps_mutex);
		cpus_read_unlock();
	}
}

static void init_attr(struct perf_event_attr *attr, const struct ksym_trap *trap,
		      unsigned long addr)
{
	BUILD_BUG_ON(KSYM_READ != HW_BREAKPOINT_R);
	BUILD_BUG_ON(KSYM_WRITE != HW_BREAKPOINT_W);

	hw_breakpoint_init(attr);
	attr->bp_addr = addr ?: (unsigned long)&ksym_parked_var;
	/* The length of a parked event must fit ksym_parked_var, or not change later. */
	attr->bp_len = addr || trap->movable ? trap->len : 1;
	attr->bp_type = trap->access;
	attr->disabled = 1;
	attr->pinned = !trap->flexible;
	attr->inherit = trap->inherit;
}

/**
 * ksym_perf_find_addr - find where the event of a CPU belongs
 * @trap: the trap
 * @cpu: the CPU
 * @addr: filled in; %KSYM_ADDR_NONE if the event is to be parked
 *
 * Any context.
 *
 * Return: 0, or -EFAULT if a pointer leads nowhere.
 */
int ksym_perf_find_addr(const struct ksym_trap *trap, int cpu, unsigned long *addr)
{
	int ret;

	*addr = KSYM_ADDR_NONE;
	if (trap->movable)
		*addr = READ_ONCE(trap->target);
	if (trap->movable || !ksym_trap_is_placed(trap))
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
							 trap->ops->hit, trap);
	else
		event = register_reserved_hw_breakpoint(&trap->reservation, &attr,
							trap->ops->hit, trap, cpu);
	/* It is disabled, and so is every event that a child has inherited since. */
	if (!IS_ERR(event)) {
		WARN_ON_ONCE(hw_breakpoint_set_direct(event));
		hw_breakpoint_set_mute(event, &trap->percpu->mute);
	}
	return event;
}

/**
 * ksym_perf_create_part - create the event of one CPU
 * @part: the trap on that CPU, which has no event
 *
 * Process context; sleeps. The lock of the trap's events is held.
 *
 * Return: 0, or an error as of ksym_perf_create().
 */
int ksym_perf_create_part(struct ksym_trap_cpu *part)
{
	struct ksym_trap *trap = part->trap;
	struct perf_event *event;
	unsigned long addr;
	int ret;

	ret = ksym_perf_find_addr(trap, part->cpu, &addr);
	/* An offline CPU has no pointers to follow. A task may run on it later, and is not seen. */
	if (ret && trap->task && !cpu_online(part->cpu)) {
		cpumask_set_cpu(part->cpu, &trap->uncovered);
		return 0;
	}
	if (ret)
		return ret;
	event = create_event(trap, part->cpu, addr);
	if (IS_ERR(event))
		return PTR_ERR(event);
	WRITE_ONCE(part->addr, addr);
	WRITE_ONCE(part->event, event);
	ksym_wide_reset(part);
	return 0;
}

/* Creates an event on each CPU of the trap that is in @mask, up to the first error. */
static int create_parts(struct ksym_trap *trap, const struct cpumask *mask)
{
	int cpu, ret;

	for_each_cpu_and(cpu, &trap->cpus, mask) {
		ret = ksym_perf_create_part(per_cpu_ptr(trap->percpu, cpu));
		if (ret)
			return ret;
	}
	return 0;
}

static int create_cpu_events(struct ksym_trap *trap)
{
	int cpu = cpumask_any_and(&trap->cpus, cpu_online_mask), ret;
	struct perf_event_attr attr;
	unsigned long addr;

	lockdep_assert_cpus_held();

	if (cpu >= nr_cpu_ids)
		cpu = cpumask_first(&trap->cpus);
	ret = ksym_perf_find_addr(trap, cpu, &addr);
	/* An offline CPU has no pointers to follow. */
	if (ret && cpu_online(cpu))
		return ret;
	if (ret)
		addr = KSYM_ADDR_NONE;
	init_attr(&attr, trap, addr);
	ret = hw_breakpoint_reserve_cpus(&trap->reservation, &attr, &trap->cpus);
	return ret ?: create_parts(trap, cpu_online_mask);
}

static int create_task_events(struct ksym_trap *trap)
{
	struct perf_event *event;
	unsigned long addr;
	int ret;

	/* The address may differ between CPUs, or is not known yet. */
	if (!trap->placed || trap->place.percpu ||
	    !cpumask_equal(&trap->cpus, cpu_possible_mask))
		return create_parts(trap, cpu_possible_mask);

	ret = ksym_perf_find_addr(trap, 0, &addr);
	if (ret)
		return ret;
	event = create_event(trap, -1, addr);
	if (IS_ERR(event))
		return PTR_ERR(event);
	trap->event = event;
	trap->target = addr;
	return 0;
}

/**
 * ksym_perf_create - create the events of a trap, disabled
 * @trap: the trap, which has none
 *
 * Process context; sleeps. The lock of the trap's events is held, see ksym_perf_lock().
 *
 * Return: 0; -ENOSPC if a CPU has no slot left; -EINVAL if the architecture refuses the
 * address; -EFAULT if a pointer leads nowhere; -ESRCH if the task is gone; or
 * another error of perf's. After an error there are no events and no slots are taken.
 */
int ksym_perf_create(struct ksym_trap *trap)
{
	int ret;

	assert_events_locked(trap);

	ret = trap->task ? create_task_events(trap) : create_cpu_events(trap);
	if (ret)
		ksym_perf_release(trap);
	return ret;
}

typedef void (*read_times_t)(struct perf_event *event, u64 *enabled, u64 *running);

static void add_event_times(struct perf_event *event, read_times_t read,
			    struct ksym_times *times)
{
	u64 enabled, running;

	read(event, &enabled, &running);
	times->enabled += enabled;
	times->running += running;
}

/**
 * ksym_perf_release_part - release the event of one CPU, if it has one
 * @part: the trap on that CPU
 *
 * Its slot returns to the reservation of the trap. A task's events have none.
 *
 * Process context; sleeps. The lock of the trap's events is held.
 */
void ksym_perf_release_part(struct ksym_trap_cpu *part)
{
	struct perf_event *event = part->event;
	struct ksym_times times = {};

	assert_events_locked(part->trap);

	if (!event)
		return;
	/*
	 * Work that moves or unmutes the event must not find it. Work that has found
	 * it runs on its CPU with interrupts off, and perf_event_disable() waits for
	 * an interrupt there.
	 */
	WRITE_ONCE(part->event, NULL);
	perf_event_disable(event);
	ksym_limit_stop(part);
	irq_work_sync(&part->move_work);
	hrtimer_cancel(&part->turn);
	add_event_times(event, perf_event_times, &times);
	/* ksym_trap_times_nmi() reads them without the lock. */
	WRITE_ONCE(part->before.enabled, part->before.enabled + times.enabled);
	WRITE_ONCE(part->before.running, part->before.running + times.running);
	if (part->trap->task)
		perf_event_release_kernel(event);
	else
		unregister_reserved_hw_breakpoint(&part->trap->reservation, event);
	/* It may be another one when the CPU comes back. */
	WRITE_ONCE(part->addr, KSYM_ADDR_NONE);
}

/**
 * ksym_perf_release - release the events and the slots of a trap
 * @trap: the trap; it may have some of its events only
 *
 * Process context; sleeps. The lock of the trap's events is held.
 */
void ksym_perf_release(struct ksym_trap *trap)
{
	int cpu;

	assert_events_locked(trap);

	/*
	 * To release a slot takes a lock that visits all CPUs. So the events of CPUs return
	 * their slots to the reservation, which releases all of them at once.
	 */
	for_each_possible_cpu(cpu)
		ksym_perf_release_part(per_cpu_ptr(trap->percpu, cpu));
	if (trap->event)
		perf_event_release_kernel(trap->event);
	WRITE_ONCE(trap->event, NULL);
	if (!trap->task)
		hw_breakpoint_unreserve_cpus(&trap->reservation);
}

/**
 * ksym_perf_set_uncovered - begin or end the time of a CPU that was to watch without an event
 * @part: the trap on that CPU
 * @on: does it begin?
 *
 * Process context. The lock of the trap's events is held.
 */
void ksym_perf_set_uncovered(struct ksym_trap_cpu *part, bool on)
{
	u64 now = ktime_get_mono_fast_ns(), since = part->uncovered_since;

	assert_events_locked(part->trap);

	/* add_cpu_times() reads them without the lock. */
	if (since)
		WRITE_ONCE(part->uncovered, part->uncovered + now - since);
	WRITE_ONCE(part->uncovered_since, on ? now : 0);
}

/**
 * ksym_perf_enable - enable the events of a trap
 * @trap: the trap
 *
 * Process context; sleeps. The lock of the trap's events is held.
 */
void ksym_perf_enable(struct ksym_trap *trap)
{
	int cpu;

	assert_events_locked(trap);

	if (trap->armed)
		return;
	WRITE_ONCE(trap->armed, true);
	for_each_possible_cpu(cpu) {
		struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);

		if (part->event)
			perf_event_enable_family(part->event);
		else if (!trap->task && cpumask_test_cpu(cpu, &trap->uncovered))
			ksym_perf_set_uncovered(part, true);
	}
	if (trap->event)
		perf_event_enable_family(trap->event);
	if (trap->wide)
		irq_work_queue(&trap->move_irq_work);
}

/**
 * ksym_perf_disable - the opposite of ksym_perf_enable()
 * @trap: the trap
 *
 * On return no handler runs for the trap.
 *
 * Process context; sleeps. The lock of the trap's events is held.
 */
void ksym_perf_disable(struct ksym_trap *trap)
{
	struct ksym_trap_cpu *part;
	int cpu;

	assert_events_locked(trap);

	WRITE_ONCE(trap->armed, false);
	if (trap->wide)
		ksym_wide_stop(trap);
	for_each_possible_cpu(cpu) {
		part = per_cpu_ptr(trap->percpu, cpu);
		ksym_perf_set_uncovered(part, false);
		if (!part->event)
			continue;
		perf_event_disable_family(part->event);
		ksym_limit_stop(part);
	}
	if (trap->event)
		perf_event_disable_family(trap->event);
}

/* Points one event, which is disabled, where it belongs. */
static int point_event(struct ksym_trap *trap, struct perf_event *event, int cpu,
		       unsigned long *at)
{
	struct perf_event_attr attr, wanted;
	unsigned long addr;
	int ret, err;

	ret = ksym_perf_find_addr(trap, cpu, &addr);
	if (ret)
		addr = KSYM_ADDR_NONE;
	init_attr(&wanted, trap, addr);
	/* Keep what perf has changed in the attributes since. */
	attr = event->attr;
	attr.bp_addr = wanted.bp_addr;
	attr.bp_len = wanted.bp_len;
	attr.disabled = 1;
	err = perf_event_modify_family(event, &attr);
	if (!err)
		WRITE_ONCE(*at, addr);
	return ret ?: err;
}

/**
 * ksym_perf_point - point the events of a trap where they belong
 * @trap: the trap, whose events are disabled
 *
 * An event that can't be pointed there is parked.
 *
 * Process context; sleeps. The lock of the trap's events is held.
 *
 * Return: 0, or the first error: -EFAULT if a pointer leads nowhere, -EINVAL if the
 * architecture refuses the address.
 */
int ksym_perf_point(struct ksym_trap *trap)
{
	struct ksym_trap_cpu *part;
	int cpu, ret = 0, err;

	assert_events_locked(trap);

	for_each_possible_cpu(cpu) {
		part = per_cpu_ptr(trap->percpu, cpu);
		if (!part->event)
			continue;
		err = point_event(trap, part->event, cpu, &part->addr);
		ksym_wide_reset(part);
		ret = ret ?: err;
	}
	if (trap->event) {
		err = point_event(trap, trap->event, 0, &trap->target);
		ret = ret ?: err;
	}
	return ret;
}

/* Adds the times of a CPU. Returns for how long its event was muted. */
static u64 add_cpu_times(struct ksym_trap *trap, int cpu, read_times_t read,
			 struct ksym_times *times)
{
	struct ksym_trap_cpu *part = per_cpu_ptr(trap->percpu, cpu);
	struct perf_event *event = READ_ONCE(part->event);
	u64 since = READ_ONCE(part->uncovered_since);

	times->enabled += READ_ONCE(part->before.enabled) + READ_ONCE(part->uncovered);
	times->running += READ_ONCE(part->before.running);
	if (event)
		add_event_times(event, read, times);
	else if (since)
		times->enabled += ktime_get_mono_fast_ns() - since;
	return hw_breakpoint_mute_time(&part->mute);
}

/* Adds the times of a CPU, or of all if @cpu is negative. */
static void add_trap_times(struct ksym_trap *trap, int cpu, read_times_t read,
			   struct ksym_times *times)
{
	struct perf_event *event = READ_ONCE(trap->event);
	struct ksym_times here = {};
	u64 muted = 0;
	int each;

	for_each_cpu(each, cpu < 0 ? cpu_possible_mask : cpumask_of(cpu))
		muted += add_cpu_times(trap, each, read, &here);
	if (event && cpu < 0)
		add_event_times(event, read, &here);
	times->enabled += here.enabled;
	/* A muted event is in its register, but does not trap. */
	times->running += here.running - min(here.running, muted);
}

/*
 * Each piece of a wide watch is to be watched all the time. The times are those of an
 * average piece: the sum of 16,384 pieces would overflow within days.
 */
static void share_among_pieces(const struct ksym_trap *trap, unsigned int nr,
			       struct ksym_times *times)
{
	/* When its module comes, the watch may have other pieces, or be none that takes turns. */
	unsigned int nr_turns = READ_ONCE(trap->nr_turns);

	if (!nr_turns)
		return;
	times->enabled = div_u64(times->enabled, nr);
	times->running = div_u64(times->running, nr_turns);
}

/**
 * ksym_traps_times - sum up for how long the traps of a watch have worked
 * @traps: the traps
 * @cpu: the CPU, or -1 for all. The time of a task's only event is not known by CPU
 * @times: filled in
 *
 * Time in which a trap was muted, or a CPU had no event, counts as enabled and not as
 * running. No CPU is interrupted: a CPU that has interrupts off, perhaps because of
 * this very trap, does not delay the caller.
 *
 * Process context; sleeps. Neither event_mutex nor cpus_read_lock is held.
 */
void ksym_traps_times(struct ksym_traps *traps, int cpu, struct ksym_times *times)
{
	unsigned int i;

	memset(times, 0, sizeof(*times));
	for (i = 0; i < traps->nr; i++) {
		ksym_perf_lock(traps->trap[i]);
		add_trap_times(traps->trap[i], cpu, perf_event_times, times);
		ksym_perf_unlock(traps->trap[i]);
	}
	if (traps->nr)
		share_among_pieces(traps->trap[0], traps->nr, times);
}

/**
 * ksym_trap_times_nmi - ksym_traps_times() of a watch, without locks
 * @watch: a watch, which the caller keeps from being freed
 * @cpu: the CPU, or -1 for all
 * @times: filled in; without the living tasks that inherited the watch
 *
 * Any context.
 */
void ksym_trap_times_nmi(const struct ksym_watch *watch, int cpu, struct ksym_times *times)
{
	struct ksym_trap *trap, *last = NULL;
	unsigned int i;

	memset(times, 0, sizeof(*times));
	/* The reaper frees events and traps after a grace period. */
	guard(rcu)();
	for (i = 0; i < ARRAY_SIZE(watch->piece); i++) {
		trap = READ_ONCE(watch->piece[i].trap);
		if (!trap)
			break;
		add_trap_times(trap, cpu, perf_event_times_nmi, times);
		last = trap;
	}
	if (last)
		share_among_pieces(last, i, times);
}

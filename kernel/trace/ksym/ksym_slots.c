// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reserve and arm: the perf events of a watch, one on each CPU.
 *
 * perf counts who has how many of a CPU's debug registers when an event is
 * created, and programs them when it is enabled. So a watch creates all its
 * events disabled, which takes a slot on each CPU or fails, and no CPU traps
 * before each of them is sure to.
 *
 * No other file of the tracer calls perf.
 */
#include <linux/cpu.h>
#include <linux/hw_breakpoint.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>

#include "ksym.h"

/* Protects ksym_watch.events of all watches. */
static DEFINE_MUTEX(ksym_slots_mutex);

static void release_events_locked(struct ksym_watch *watch)
{
	struct perf_event **slot;
	int cpu;

	lockdep_assert_held(&ksym_slots_mutex);

	for_each_possible_cpu(cpu) {
		slot = per_cpu_ptr(watch->events, cpu);
		if (!*slot)
			continue;
		perf_event_release_kernel(*slot);
		*slot = NULL;
	}
}

/**
 * ksym_slots_reserve - take a debug register on each CPU
 * @watch: its address, length and access are set
 *
 * The CPUs that are online now are covered, and these only.
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_slots_mutex.
 *
 * Return: 0; -ENOSPC where a CPU has no register left; -EINVAL where the
 * architecture refuses the address; or another error of perf's. After an error
 * nothing is taken.
 */
int ksym_slots_reserve(struct ksym_watch *watch)
{
	struct perf_event_attr attr;
	struct perf_event *event;
	int cpu, ret = 0;

	/* Asks for pinned events that call their handler each time. */
	hw_breakpoint_init(&attr);
	attr.bp_addr = watch->addr;
	attr.bp_len = watch->len;
	attr.bp_type = watch->access;
	attr.disabled = 1;

	BUILD_BUG_ON(KSYM_READ != HW_BREAKPOINT_R);
	BUILD_BUG_ON(KSYM_WRITE != HW_BREAKPOINT_W);

	cpus_read_lock();
	mutex_lock(&ksym_slots_mutex);
	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(&attr, cpu, NULL,
							 ksym_hit_nmi, watch);
		if (IS_ERR(event)) {
			ret = PTR_ERR(event);
			release_events_locked(watch);
			break;
		}
		*per_cpu_ptr(watch->events, cpu) = event;
	}
	mutex_unlock(&ksym_slots_mutex);
	cpus_read_unlock();
	return ret;
}

/**
 * ksym_slots_arm - let a reserved watch trap
 * @watch: it has its slots
 *
 * The shadow is seeded here, as late as can be.
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_slots_mutex.
 *
 * Return: 0; -EFAULT where the memory can't be read; -EAGAIN where a CPU went
 * offline and came back since the reservation; or -EBUSY where a CPU could not
 * program its register although its slot is ours. Some CPUs may trap after an
 * error, until ksym_slots_release().
 */
int ksym_slots_arm(struct ksym_watch *watch)
{
	struct perf_event *event;
	int cpu, ret;

	ret = ksym_hit_seed(watch);
	if (ret)
		return ret;

	cpus_read_lock();
	mutex_lock(&ksym_slots_mutex);
	for_each_online_cpu(cpu) {
		event = *per_cpu_ptr(watch->events, cpu);
		/* A CPU that came online since the reservation has none. */
		if (!event)
			continue;
		/* One that went and came back meanwhile has lost its event. */
		if (!(event->attach_state & PERF_ATTACH_CONTEXT)) {
			ret = -EAGAIN;
			break;
		}
		perf_event_enable(event);
		/*
		 * A pinned event that could not be scheduled goes to the
		 * error state and stays there; it would never trap. Its slot
		 * was reserved, so perf or somebody who writes the registers
		 * behind its back is wrong.
		 */
		if (WARN_ON_ONCE(READ_ONCE(event->state) ==
				 PERF_EVENT_STATE_ERROR))
			ret = -EBUSY;
	}
	mutex_unlock(&ksym_slots_mutex);
	cpus_read_unlock();
	return ret;
}

/**
 * ksym_slots_release - disarm a watch and give its slots back
 * @watch: reserved, armed, or neither
 *
 * perf takes an event off its CPU with an interrupt on that CPU, which waits
 * for a #DB in progress. So no handler runs for @watch any more on return.
 *
 * Process context; sleeps. Takes cpus_read_lock and ksym_slots_mutex.
 */
void ksym_slots_release(struct ksym_watch *watch)
{
	cpus_read_lock();
	mutex_lock(&ksym_slots_mutex);
	release_events_locked(watch);
	mutex_unlock(&ksym_slots_mutex);
	cpus_read_unlock();
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Task: brings the perf events of tasks into the state that their traps ask for.
 *
 * These are not touched under event_mutex, see ksym.h. So who arms, disarms, places or
 * parks a watch under event_mutex changes the trap, and calls ksym_traps_sync() later.
 */
#include <linux/list.h>
#include <linux/mutex.h>

#include "ksym_perf.h"

static void sync_task_events(struct ksym_trap *trap)
{
	bool wanted, moved;

	lockdep_assert_held(&ksym_tasks_mutex);

	mutex_lock(&ksym_traps_mutex);
	wanted = !list_empty(&trap->pieces);
	moved = trap->synced != trap->placed;
	/* ksym_trap_addr() reads it without the lock. */
	WRITE_ONCE(trap->synced, trap->placed);
	trap->unsynced = false;
	mutex_unlock(&ksym_traps_mutex);

	if (READ_ONCE(trap->dead))
		return;
	if (moved || !wanted)
		ksym_perf_disable(trap);
	/* An event whose pointer leads nowhere by now stays parked. */
	if (moved)
		ksym_perf_point(trap);
	if (wanted)
		ksym_perf_enable(trap);
	if (wanted && !ksym_trap_has_watch_left(trap))
		schedule_work(&trap->done_work);
}

static struct ksym_trap *find_unsynced(void)
{
	struct ksym_trap *trap;

	lockdep_assert_held(&ksym_tasks_mutex);

	guard(mutex)(&ksym_traps_mutex);
	list_for_each_entry(trap, &ksym_trap_list, list) {
		if (trap->task && (trap->unsynced || trap->synced != trap->placed)) {
			kref_get(&trap->ref);
			return trap;
		}
	}
	return NULL;
}

/**
 * ksym_traps_sync - bring the events of tasks into the state of their traps
 *
 * Called after watches were armed, disarmed, placed or parked.
 *
 * Process context; sleeps. Neither event_mutex nor cpus_read_lock is held.
 */
void ksym_traps_sync(void)
{
	struct ksym_trap *trap;

	guard(mutex)(&ksym_tasks_mutex);
	while ((trap = find_unsynced())) {
		sync_task_events(trap);
		ksym_trap_put(trap);
	}
}

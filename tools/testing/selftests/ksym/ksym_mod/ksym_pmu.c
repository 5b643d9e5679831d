// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU that perf takes for the processor's, for machines without one: its events are in
 * the context of hardware events, and never fail to be scheduled. An event with config=0
 * counts the ns for which it ran, and an event with config=1 counts how often it was
 * scheduled in.
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>

static struct pmu ksym_pmu;

static int ksym_pmu_event_init(struct perf_event *event)
{
	if (event->attr.type != ksym_pmu.type)
		return -ENOENT;
	return is_sampling_event(event) || event->attr.config > 1 ? -EINVAL : 0;
}

static void ksym_pmu_read(struct perf_event *event)
{
	u64 now = local_clock(), before;

	if (event->attr.config)
		return;
	before = local64_xchg(&event->hw.prev_count, now);
	local64_add(now - before, &event->count);
}

static void ksym_pmu_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	local64_set(&event->hw.prev_count, local_clock());
}

static void ksym_pmu_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	ksym_pmu_read(event);
	event->hw.state = PERF_HES_STOPPED;
}

static int ksym_pmu_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
	if (event->attr.config)
		local64_inc(&event->count);
	if (flags & PERF_EF_START)
		ksym_pmu_start(event, flags);
	return 0;
}

static void ksym_pmu_del(struct perf_event *event, int flags)
{
	ksym_pmu_stop(event, flags);
}

static struct pmu ksym_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_hw_context,
	.event_init	= ksym_pmu_event_init,
	.add		= ksym_pmu_add,
	.del		= ksym_pmu_del,
	.start		= ksym_pmu_start,
	.stop		= ksym_pmu_stop,
	.read		= ksym_pmu_read,
};

static int __init ksym_pmu_init(void)
{
	return perf_pmu_register(&ksym_pmu, "ksym_pmu", -1);
}

static void __exit ksym_pmu_exit(void)
{
	perf_pmu_unregister(&ksym_pmu);
}

module_init(ksym_pmu_init);
module_exit(ksym_pmu_exit);
MODULE_DESCRIPTION("A PMU for the tests of breakpoints in groups");
MODULE_LICENSE("GPL");

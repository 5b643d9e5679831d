/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the KUnit tests of breakpoints share: the CPUs, some variables, and real breakpoints
 * on them that end with their case. Each file has its own copy.
 */
#ifndef _KERNEL_EVENTS_HW_BREAKPOINT_TEST_EVENTS_H
#define _KERNEL_EVENTS_HW_BREAKPOINT_TEST_EVENTS_H

#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#define NR_TEST_CPUS	4
#define MIN_TEST_SLOTS	4
#define NR_WATCHED	32
#define EVERY_CPU	(-1)
#define PINNED		false
#define FLEXIBLE	true

static int test_cpu[NR_TEST_CPUS];
static unsigned int slots;
static int watched[NR_WATCHED];
static struct perf_event *test_events[NR_WATCHED];
/* One entry per possible CPU; NULL if the case was skipped. */
static struct hw_breakpoint_census *census;

/* Finds CPUs, or skips the case. To be called by the init function of a suite. */
static inline void test_events_init(struct kunit *test)
{
	int cpu, nr = 0;

	census = NULL;
	slots = hw_breakpoint_slots(TYPE_DATA);
	if (slots < MIN_TEST_SLOTS)
		kunit_skip(test, "needs %d slots, has %u", MIN_TEST_SLOTS, slots);
	/* The tests do not account for breakpoints of others. */
	if (hw_breakpoint_is_used())
		kunit_skip(test, "breakpoints are in use");

	for_each_online_cpu(cpu) {
		if (nr < NR_TEST_CPUS)
			test_cpu[nr++] = cpu;
	}
	if (nr < NR_TEST_CPUS)
		kunit_skip(test, "needs %d CPUs, has %d", NR_TEST_CPUS, nr);

	census = kunit_kcalloc(test, nr_cpu_ids, sizeof(*census), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, census);
}

/* Removes leftover events. The suite's exit function calls it last. */
static inline void test_events_exit(struct kunit *test)
{
	for (int i = 0; i < NR_WATCHED; i++) {
		unregister_hw_breakpoint(test_events[i]);
		test_events[i] = NULL;
	}
	/* After a skipped case, others may use breakpoints. */
	if (census)
		KUNIT_EXPECT_FALSE(test, hw_breakpoint_is_used());
}

/* Removes @bp when the case ends, unless @bp is an error. */
static inline struct perf_event *end_with_case(struct perf_event *bp)
{
	for (int i = 0; i < NR_WATCHED && !IS_ERR(bp); i++) {
		if (!test_events[i]) {
			test_events[i] = bp;
			break;
		}
	}
	return bp;
}

/* From here on, the case itself removes @bp. */
static inline void forget_event(struct perf_event *bp)
{
	for (int i = 0; i < NR_WATCHED; i++) {
		if (test_events[i] == bp)
			test_events[i] = NULL;
	}
}

/* A breakpoint on variable @nr. */
static inline struct perf_event_attr watch_attr(unsigned int nr, bool flexible)
{
	struct perf_event_attr attr;

	hw_breakpoint_init(&attr);
	attr.pinned = !flexible;
	attr.bp_addr = (unsigned long)&watched[nr];
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_W;
	return attr;
}

static inline void write_watched(void *nr)
{
	for (unsigned int i = 0; i < *(unsigned int *)nr; i++)
		WRITE_ONCE(watched[i], watched[i] + 1);
}

/* Writes to the first @nr variables on the first CPU. */
static inline void write_there(unsigned int nr)
{
	smp_call_function_single(test_cpu[0], write_watched, &nr, true);
}

/* @task is the need of the busiest task. */
static inline void expect_census(struct kunit *test, int cpu, unsigned int cpu_pinned,
				 unsigned int task, unsigned int flexible, unsigned int free)
{
	hw_breakpoint_census(TYPE_DATA, census);
	KUNIT_EXPECT_EQ(test, census[cpu].slots, slots);
	KUNIT_EXPECT_EQ(test, census[cpu].cpu_pinned, cpu_pinned);
	KUNIT_EXPECT_EQ(test, census[cpu].task, task);
	KUNIT_EXPECT_EQ(test, census[cpu].flexible, flexible);
	KUNIT_EXPECT_EQ(test, census[cpu].free, free);
}

#endif /* _KERNEL_EVENTS_HW_BREAKPOINT_TEST_EVENTS_H */

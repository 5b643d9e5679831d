// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of breakpoints that take turns on a CPU.
 *
 * The events are real events of a CPU and of a task that runs there. How soon an event has
 * its turn depends on the machine, so the tests wait for it. Meanwhile they check the
 * invariants on the CPU, with interrupts off.
 */

#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/hw_breakpoint.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/time64.h>
#include <linux/tracepoint.h>

#include <trace/events/csd.h>

#include <asm/hw_breakpoint.h>

#include "hw_breakpoint_test_events.h"

/* The events of a case. Event i watches variable i. */
static unsigned int nr_events;
static atomic_t hits[NR_WATCHED];

/* Where the breakpoints of the first CPU take turns, and perf's interval there. */
static struct perf_cpu_pmu_context *turns;
static ktime_t usual_interval;

#define PATIENCE	(60 * HZ)

/* A task bound to the first CPU. It writes to the variables, or sleeps. */
static struct worker {
	struct task_struct *task;
	struct completion stopped;
	unsigned int rounds;
	bool busy;
	/* With an event of its own, it notes rotations, and after how many event 0 is hit. */
	struct perf_event *own;
	u64 rotated;
	unsigned int rotations, turns_of_first;
} worker;

static void on_hit(struct perf_event *bp, struct perf_sample_data *data, struct pt_regs *regs)
{
	atomic_inc((atomic_t *)bp->overflow_handler_context);
}

/* Creates event @nr_events, of the first CPU or of the worker. */
static struct perf_event *watch_next(struct kunit *test, bool flexible, struct task_struct *task,
				     bool disabled)
{
	unsigned int nr = nr_events;
	struct perf_event_attr attr = watch_attr(nr, flexible);
	struct perf_event *bp;

	KUNIT_ASSERT_LT(test, nr, NR_WATCHED);
	attr.disabled = disabled;
	bp = perf_event_create_kernel_counter(&attr, task ? EVERY_CPU : test_cpu[0], task, on_hit,
					      &hits[nr]);
	KUNIT_ASSERT_EQ_MSG(test, PTR_ERR_OR_ZERO(bp), 0, "event %u", nr);
	KUNIT_EXPECT_EQ(test, bp->hw.bp_flexible, flexible);
	end_with_case(bp);
	nr_events++;
	return bp;
}

static void watch_several(struct kunit *test, unsigned int nr, bool flexible,
			  struct task_struct *task)
{
	while (nr--)
		watch_next(test, flexible, task, false);
}

/* ===== The worker ===== */

static void write_all(void)
{
	for (unsigned int i = 0; i < nr_events; i++)
		WRITE_ONCE(watched[i], watched[i] + 1);
}

static u64 last_rotation(struct perf_event *bp)
{
	return bp ? READ_ONCE(bp->pmu_ctx->rotated) : 0;
}

/*
 * The worker does this itself in each round, since another CPU may look late, after the
 * next rotation. perf also notes when the events begin to wait, but then none went first.
 */
static void note_rotation(u64 rotated, bool first_was_hit)
{
	if (rotated == worker.rotated || rotated != last_rotation(worker.own))
		return;
	worker.rotated = rotated;
	if (!worker.own->pmu_ctx->went_first)
		return;
	worker.turns_of_first += first_was_hit;
	WRITE_ONCE(worker.rotations, worker.rotations + 1);
}

static int work(void *unused)
{
	while (!kthread_should_stop()) {
		if (READ_ONCE(worker.busy)) {
			u64 rotated = last_rotation(worker.own);
			int before = atomic_read(&hits[0]);

			write_all();
			note_rotation(rotated, atomic_read(&hits[0]) != before);
			worker.rounds++;
			cond_resched();
			continue;
		}
		complete(&worker.stopped);
		set_current_state(TASK_INTERRUPTIBLE);
		if (!READ_ONCE(worker.busy) && !kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

static void new_worker(struct kunit *test)
{
	struct task_struct *task;

	task = kthread_create_on_cpu(work, NULL, test_cpu[0], "bp-test-worker");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	worker.task = task;
}

/* Lets the worker exit, and waits until it has left the CPU. */
static void end_worker(void)
{
	struct task_struct *task = get_task_struct(worker.task);

	kthread_stop(worker.task);
	worker.task = NULL;
	while (READ_ONCE(task->__state) != TASK_DEAD)
		schedule_timeout_uninterruptible(1);
	wait_task_inactive(task, 0);
	put_task_struct(task);
}

static void start_worker(void)
{
	reinit_completion(&worker.stopped);
	WRITE_ONCE(worker.busy, true);
	wake_up_process(worker.task);
}

static void stop_worker(void)
{
	WRITE_ONCE(worker.busy, false);
	wait_for_completion(&worker.stopped);
	/* Wait until its events are off the CPU, too. */
	wait_task_inactive(worker.task, TASK_INTERRUPTIBLE);
}

/* Waits until the worker, which runs, has written once more. */
static void wait_for_round(void)
{
	unsigned int rounds = READ_ONCE(worker.rounds);

	while (READ_ONCE(worker.rounds) == rounds)
		schedule_timeout_uninterruptible(1);
}

/* Lets the worker run for a round or a few. */
static void run_worker_briefly(void)
{
	start_worker();
	wait_for_round();
	stop_worker();
}

/* @bp is one of the worker's events. */
static void run_worker_until_rotation(struct perf_event *bp)
{
	u64 rotated = last_rotation(bp);
	unsigned long timeout = jiffies + PATIENCE;

	start_worker();
	while (last_rotation(bp) == rotated && time_before(jiffies, timeout))
		schedule_timeout_uninterruptible(1);
	stop_worker();
}

/* Sets the time between rotations on the CPU of @bp, until the end of the case. */
static void rotate_every(struct perf_event *bp, unsigned int ms)
{
	turns = container_of(bp->pmu_ctx, struct perf_cpu_pmu_context, epc);
	usual_interval = turns->hrtimer_interval;
	turns->hrtimer_interval = ms_to_ktime(ms);
}

/* ===== Invariants ===== */

struct check {
	unsigned int without_register;	/* active, but in no register */
	unsigned int without_turn;	/* in a register, but not active */
	unsigned int pinned_out;	/* pinned events of the CPU in no register */
	unsigned int wrong_hits;	/* hit while inactive, or not hit while active */
	unsigned int unprivileged;	/* unprivileged events in registers */
	unsigned int waiting;		/* flexible events of the CPU in no register */
};

static bool is_active_here(struct perf_event *bp)
{
	return bp->state == PERF_EVENT_STATE_ACTIVE && bp->oncpu == smp_processor_id();
}

static bool is_in_register(struct perf_event *bp)
{
	for (unsigned int i = 0; i < slots; i++) {
		if (hw_breakpoint_in_register(i) == bp)
			return true;
	}
	return false;
}

/* Runs on the CPU of the events with interrupts off, so their contexts can't change. */
static void check_here(void *arg)
{
	struct check *check = arg;

	for (unsigned int i = 0; i < nr_events; i++) {
		struct perf_event *bp = test_events[i];
		bool active = is_active_here(bp), owner = is_in_register(bp);
		int before = atomic_read(&hits[i]);

		check->without_register += active && !owner;
		check->without_turn += owner && !active;
		check->pinned_out += !owner && !bp->hw.bp_flexible && !bp->hw.target;
		check->unprivileged += owner && !bp->hw.bp_privileged;
		check->waiting += !owner && bp->hw.bp_flexible && !bp->hw.target;

		WRITE_ONCE(watched[i], watched[i] + 1);
		check->wrong_hits += atomic_read(&hits[i]) - before != active;
	}
}

/* Writes to each event once. */
static void check_cpu(struct kunit *test)
{
	struct check check = { };

	smp_call_function_single(test_cpu[0], check_here, &check, true);
	KUNIT_EXPECT_EQ(test, check.without_register, 0);
	KUNIT_EXPECT_EQ(test, check.without_turn, 0);
	KUNIT_EXPECT_EQ(test, check.pinned_out, 0);
	KUNIT_EXPECT_EQ(test, check.wrong_hits, 0);
	if (check.waiting)
		KUNIT_EXPECT_LE(test, check.unprivileged, 1);
}

static u64 time_running(unsigned int nr)
{
	u64 enabled, running;

	perf_event_read_value(test_events[nr], &enabled, &running);
	return running;
}

/* A pinned event has counted each of @writes, and its times are equal. */
static void expect_missed_nothing(struct kunit *test, unsigned int nr, unsigned int writes)
{
	u64 enabled, running, count;

	count = perf_event_read_value(test_events[nr], &enabled, &running);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&hits[nr]), writes, "event %u", nr);
	KUNIT_EXPECT_EQ_MSG(test, count, writes, "event %u", nr);
	KUNIT_EXPECT_EQ_MSG(test, enabled, running, "event %u", nr);
	KUNIT_EXPECT_GT_MSG(test, enabled, 0, "event %u", nr);
}

/* Waits until each event in [@first, @end) has run; returns the number of writes. */
static unsigned int wait_for_turns(struct kunit *test, unsigned int first, unsigned int end)
{
	unsigned long timeout = jiffies + PATIENCE;
	u64 before[NR_WATCHED];
	unsigned int checks = 0, ran;

	for (unsigned int i = first; i < end; i++)
		before[i] = time_running(i);
	do {
		check_cpu(test);
		checks++;
		schedule_timeout_uninterruptible(1);
		ran = 0;
		for (unsigned int i = first; i < end; i++)
			ran += time_running(i) != before[i];
	} while (ran < end - first && time_before(jiffies, timeout));
	KUNIT_EXPECT_EQ(test, ran, end - first);
	return checks;
}

/* ===== Events of the CPU ===== */

static void pinned_miss_nothing_beside_turns(struct kunit *test)
{
	const unsigned int pinned = slots - 1, flexible = 8;
	struct perf_event_attr late;
	struct perf_event *refused;
	unsigned int writes;

	watch_several(test, pinned, PINNED, NULL);
	watch_several(test, flexible, FLEXIBLE, NULL);
	expect_census(test, test_cpu[0], pinned, 0, flexible, 0);
	late = watch_attr(nr_events, PINNED);
	refused = perf_event_create_kernel_counter(&late, test_cpu[0], NULL, on_hit,
						   &hits[nr_events]);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(end_with_case(refused)), -ENOSPC);

	writes = wait_for_turns(test, pinned, nr_events);
	for (unsigned int i = 0; i < pinned; i++)
		expect_missed_nothing(test, i, writes);
}

/* With room for all events, none waits. */
static void flexible_do_not_wait_if_all_fit(struct kunit *test)
{
	const unsigned int writes = 10;

	watch_several(test, slots, FLEXIBLE, NULL);
	for (int i = 0; i < writes; i++) {
		check_cpu(test);
		schedule_timeout_uninterruptible(1);
	}
	for (unsigned int i = 0; i < nr_events; i++)
		expect_missed_nothing(test, i, writes);
}

/* Five events in two registers: each has two fifths of the time, within a tenth. */
static void turns_are_fair(struct kunit *test)
{
	const unsigned int pinned = slots - 2, flexible = 5;
	unsigned long timeout = jiffies + PATIENCE;
	unsigned int unfair;

	watch_several(test, pinned, PINNED, NULL);
	watch_several(test, flexible, FLEXIBLE, NULL);
	do {
		u64 enabled, running, share;

		wait_for_turns(test, pinned, nr_events);
		unfair = 0;
		for (unsigned int i = pinned; i < nr_events; i++) {
			perf_event_read_value(test_events[i], &enabled, &running);
			share = div_u64(enabled * 2, flexible);
			unfair += enabled < NSEC_PER_SEC || running * 10 < share * 9 ||
				  running * 10 > share * 11;
		}
	} while (unfair && time_before(jiffies, timeout));
	KUNIT_EXPECT_EQ(test, unfair, 0);
}

/* ===== Events of the CPU and of a task that runs there ===== */

/* An event that is always scheduled second still gets its turn. */
static void cpu_and_task_take_turns(struct kunit *test)
{
	watch_several(test, slots + 1, FLEXIBLE, NULL);
	watch_several(test, 2, FLEXIBLE, worker.task);
	start_worker();
	wait_for_turns(test, 0, nr_events);
	stop_worker();
}

static void cpu_fills_registers_beside_a_task(struct kunit *test)
{
	watch_several(test, slots, FLEXIBLE, NULL);
	watch_several(test, slots, FLEXIBLE, worker.task);
	start_worker();
	wait_for_turns(test, 0, nr_events);
	stop_worker();
}

/* Pinned events of both miss nothing, whatever takes turns beside them. */
static void pinned_of_both_miss_nothing(struct kunit *test)
{
	unsigned int first, writes;
	u64 enabled, running;

	watch_next(test, PINNED, NULL, false);
	watch_several(test, slots - 2, PINNED, worker.task);
	first = nr_events;
	watch_several(test, 3, FLEXIBLE, NULL);
	watch_several(test, 3, FLEXIBLE, worker.task);

	start_worker();
	/* One slot is left while the worker runs, which is most of the time. */
	writes = wait_for_turns(test, first, nr_events);
	stop_worker();

	expect_missed_nothing(test, 0, worker.rounds + writes);
	for (unsigned int i = 1; i < first; i++) {
		perf_event_read_value(test_events[i], &enabled, &running);
		KUNIT_EXPECT_EQ(test, enabled, running);
		/* Some of the other writes, too, came while the event ran. */
		KUNIT_EXPECT_GE(test, atomic_read(&hits[i]), worker.rounds);
		KUNIT_EXPECT_LE(test, atomic_read(&hits[i]), worker.rounds + writes);
	}
}

/*
 * A debugger's task takes all registers while it runs. The CPU's older flexible events get
 * them back when the task sleeps, and report the time they missed.
 */
static void task_takes_registers_and_gives_them_back(struct kunit *test)
{
	unsigned int rounds;

	watch_several(test, slots, FLEXIBLE, NULL);
	wait_for_turns(test, 0, slots);
	watch_several(test, slots, PINNED, worker.task);

	for (int i = 0; i < 5; i++) {
		run_worker_briefly();
		rounds = worker.rounds;
		for (unsigned int nr = slots; nr < nr_events; nr++) {
			u64 enabled, running, count;

			count = perf_event_read_value(test_events[nr], &enabled, &running);
			KUNIT_EXPECT_EQ(test, count, rounds);
			KUNIT_EXPECT_EQ(test, enabled, running);
		}
		wait_for_turns(test, 0, slots);
	}
	/* They have missed the task's writes, and their times show that they did not run. */
	for (unsigned int nr = 0; nr < slots; nr++) {
		u64 enabled, running;

		perf_event_read_value(test_events[nr], &enabled, &running);
		KUNIT_EXPECT_LT(test, running, enabled);
	}
}

static void expect_first_active(struct kunit *test, const char *when)
{
	check_cpu(test);
	for (unsigned int nr = 0; nr < slots; nr++)
		KUNIT_EXPECT_EQ_MSG(test, test_events[nr]->state, PERF_EVENT_STATE_ACTIVE,
				    "event %u %s", nr, when);
}

/* The CPU's events are back when the task sleeps or exits, not only at the next rotation. */
static void registers_are_back_without_a_rotation(struct kunit *test)
{
	rotate_every(watch_next(test, FLEXIBLE, NULL, false), 3 * MSEC_PER_SEC);
	watch_several(test, slots - 1, FLEXIBLE, NULL);
	watch_several(test, slots, PINNED, worker.task);

	run_worker_briefly();
	expect_first_active(test, "after it sleeps");
	start_worker();
	wait_for_round();
	end_worker();
	expect_first_active(test, "after its exit");
}

/* Turns are fair, too, if a task with pinned events is there at each rotation. */
static void turns_between_rotations_are_fair(struct kunit *test)
{
	const unsigned int flexible = slots + 1, runs = 4 * flexible;
	unsigned int turns_of[NR_WATCHED] = {};

	rotate_every(watch_next(test, FLEXIBLE, NULL, false), 50);
	watch_several(test, flexible - 1, FLEXIBLE, NULL);
	watch_several(test, slots, PINNED, worker.task);

	for (unsigned int i = 0; i < runs; i++) {
		run_worker_until_rotation(test_events[flexible]);
		check_cpu(test);
		for (unsigned int nr = 0; nr < flexible; nr++)
			turns_of[nr] += test_events[nr]->state == PERF_EVENT_STATE_ACTIVE;
	}
	/* It would be in all but every fifth of four registers. */
	for (unsigned int nr = 0; nr < flexible; nr++)
		KUNIT_EXPECT_GE_MSG(test, turns_of[nr], runs / 2, "event %u", nr);
}

/* A task that sleeps at each rotation has fair turns, too, beside a CPU that needs all slots. */
static void brief_task_has_its_turns(struct kunit *test)
{
	const unsigned int interval = 50, flexible = slots + 1, runs = 4 * flexible;
	unsigned int turns_of[NR_WATCHED] = {};
	int before[NR_WATCHED];

	rotate_every(watch_next(test, FLEXIBLE, NULL, false), interval);
	watch_several(test, slots - 1, FLEXIBLE, NULL);
	watch_several(test, flexible, FLEXIBLE, worker.task);

	for (unsigned int i = 0; i < runs; i++) {
		u64 start = local_clock();

		for (unsigned int nr = 0; nr < nr_events; nr++)
			before[nr] = atomic_read(&hits[nr]);
		run_worker_briefly();
		for (unsigned int nr = 0; nr < nr_events; nr++)
			turns_of[nr] += atomic_read(&hits[nr]) != before[nr];
		check_cpu(test);
		while (local_clock() - start < 2 * interval * NSEC_PER_MSEC)
			schedule_timeout_uninterruptible(1);
	}
	/* Half of them are the task's. */
	for (unsigned int nr = 0; nr < nr_events; nr++)
		KUNIT_EXPECT_GE_MSG(test, turns_of[nr], runs / 4, "event %u", nr);
}

/* The CPU has its turns, too, beside tasks that are there for one rotation each, or a few. */
static void short_lived_tasks_take_turns(struct kunit *test)
{
	const unsigned int runs = 6;

	rotate_every(watch_next(test, FLEXIBLE, NULL, false), 50);
	watch_several(test, slots - 1, FLEXIBLE, NULL);

	for (unsigned int i = 0; i < runs; i++) {
		unsigned int rotations = worker.rotations;
		unsigned long timeout = jiffies + PATIENCE;

		watch_several(test, slots, FLEXIBLE, worker.task);
		worker.own = test_events[nr_events - 1];
		worker.rotated = 0;
		start_worker();
		while (READ_ONCE(worker.rotations) == rotations && time_before(jiffies, timeout))
			schedule_timeout_uninterruptible(1);
		stop_worker();
		end_worker();
		new_worker(test);
	}
	KUNIT_EXPECT_GE(test, worker.rotations, runs);
	KUNIT_EXPECT_GE(test, worker.turns_of_first, worker.rotations / 2);
	KUNIT_EXPECT_LT(test, worker.turns_of_first, worker.rotations);
}

/* Events that their user could open without privileges have one register while others wait. */
static void unprivileged_take_one_register(struct kunit *test)
{
	watch_several(test, slots + 1, FLEXIBLE, NULL);
	for (int i = 0; i < 3; i++) {
		struct perf_event *bp = watch_next(test, FLEXIBLE, worker.task, true);

		bp->hw.bp_privileged = false;
		perf_event_enable(bp);
	}
	start_worker();
	/* Each event has its turn after a few rounds, which may be too few to catch a violation. */
	for (int i = 0; i < 20; i++)
		wait_for_turns(test, 0, nr_events);
	stop_worker();
}

/* ===== Groups ===== */

/* An event of the breakpoint PMU that perf has never seen, in the group of @leader. */
static struct perf_event *init_event(struct kunit *test, struct perf_event *leader, bool flexible)
{
	struct perf_event *any = test_events[0];
	struct perf_event *bp = kunit_kzalloc(test, sizeof(*bp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bp);
	bp->attr = watch_attr(NR_WATCHED - 1, flexible);
	bp->cpu = test_cpu[1];
	bp->group_leader = leader ?: bp;
	bp->pmu = any->pmu;
	bp->overflow_handler = on_hit;
	KUNIT_ASSERT_EQ(test, any->pmu->event_init(bp), 0);
	return bp;
}

static void expect_class(struct kunit *test, struct perf_event *bp, bool flexible)
{
	KUNIT_EXPECT_EQ(test, bp->hw.bp_flexible, flexible);
	/* An event that owns a slot is scheduled before others, and scheduling it never fails. */
	KUNIT_EXPECT_EQ(test, !!(bp->event_caps & PERF_EV_CAP_PINNED), !flexible);
	KUNIT_EXPECT_EQ(test, !!(bp->event_caps & PERF_EV_CAP_SOFTWARE), !flexible);
}

static void groups_have_the_class_of_their_leader(struct kunit *test)
{
	struct perf_event *leader, *sibling, *cycles;

	/* perf refuses siblings with attr.pinned, so all of them ask to be flexible. */
	watch_next(test, PINNED, NULL, false);
	for (int flexible = 0; flexible < 2; flexible++) {
		leader = init_event(test, NULL, flexible);
		expect_class(test, leader, flexible);
		sibling = init_event(test, leader, FLEXIBLE);
		expect_class(test, sibling, flexible);
		expect_census(test, test_cpu[1], flexible ? 0 : 2, 0, flexible ? 2 : 0,
			      flexible ? slots - 1 : slots - 2);
		sibling->destroy(sibling);
		leader->destroy(leader);
	}

	/* A breakpoint in the group of another PMU's event keeps its slot. */
	cycles = kunit_kzalloc(test, sizeof(*cycles), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cycles);
	cycles->attr.type = PERF_TYPE_HARDWARE;
	cycles->group_leader = cycles;
	sibling = init_event(test, cycles, FLEXIBLE);
	expect_class(test, sibling, PINNED);
	expect_census(test, test_cpu[1], 1, 0, 0, slots - 1);
	sibling->destroy(sibling);
}

/* A child's event has the class of its parent's event. */
static void inherited_have_the_class_of_their_parent(struct kunit *test)
{
	watch_next(test, PINNED, NULL, false);
	for (int flexible = 0; flexible < 2; flexible++) {
		struct perf_event *parent = init_event(test, NULL, flexible);
		struct perf_event *child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);

		KUNIT_EXPECT_NOT_NULL(test, child);
		if (child) {
			child->attr = parent->attr;
			/* The child's attr.pinned must not matter. */
			child->attr.pinned = flexible;
			child->cpu = parent->cpu;
			child->group_leader = child;
			child->pmu = parent->pmu;
			child->parent = parent;
			child->overflow_handler = on_hit;
			KUNIT_EXPECT_EQ(test, parent->pmu->event_init(child), 0);
			expect_class(test, child, flexible);
			child->destroy(child);
		}
		parent->destroy(parent);
	}
}

/* attr.exclusive keeps no other event out, whether set on a pinned or a flexible one. */
static void exclusive_shuts_nobody_out(struct kunit *test)
{
	for (int i = 0; i < 2; i++) {
		struct perf_event_attr attr = watch_attr(nr_events, i);
		struct perf_event *bp;

		attr.exclusive = 1;
		bp = perf_event_create_kernel_counter(&attr, test_cpu[0], NULL, on_hit,
						      &hits[nr_events]);
		KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
		end_with_case(bp);
		nr_events++;
		watch_next(test, PINNED, NULL, false);
	}
	watch_several(test, 3, FLEXIBLE, NULL);
	wait_for_turns(test, 0, nr_events);
}

/* ===== Interrupts ===== */

/* Calls of @requester to CPUs other than the worker's. */
static struct task_struct *requester;
static int calls_elsewhere;

static void count_call(void *unused, const unsigned int cpu, unsigned long callsite,
		       smp_call_func_t func, call_single_data_t *csd)
{
	/* Interrupts and other tasks call CPUs at any time, e.g. to wake RCU's thread. */
	if (cpu != test_cpu[0] && in_task() && current == requester)
		calls_elsewhere++;
}

static void count_no_calls(void *unused)
{
	unregister_trace_csd_queue_cpu(count_call, NULL);
	tracepoint_synchronize_unregister();
}

/*
 * Setting or removing a breakpoint of a task interrupts no CPU on which the task is not, beside
 * flexible events of the CPUs. perf itself calls the CPU on which the task ran last. This task
 * may have other reasons for calls, such as a wakeup, but not on each attempt.
 */
static void requests_of_tasks_interrupt_nobody_else(struct kunit *test)
{
	struct perf_event_attr attr = watch_attr(0, FLEXIBLE);
	struct perf_event *bp;
	int least = INT_MAX;

	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		kunit_skip(test, "needs tracepoints");
	requester = current;
	KUNIT_ASSERT_EQ(test, register_trace_csd_queue_cpu(count_call, NULL), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, count_no_calls, NULL), 0);

	/* For its first event, perf patches code on all CPUs. */
	for (int i = 0; i < NR_TEST_CPUS; i++) {
		bp = end_with_case(perf_event_create_kernel_counter(&attr, test_cpu[i], NULL,
								    on_hit, &hits[0]));
		KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
	}

	/* A worker that has never run may be on any CPU. */
	start_worker();
	stop_worker();

	for (int try = 0; try < 50 && least; try++) {
		calls_elsewhere = 0;
		for (int i = 0; i < 2 * slots; i++) {
			attr = watch_attr(1, i & 1);
			bp = perf_event_create_kernel_counter(&attr, EVERY_CPU, worker.task,
							      on_hit, &hits[1]);
			KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
			unregister_hw_breakpoint(bp);
		}
		least = min(least, calls_elsewhere);
	}
	KUNIT_EXPECT_EQ(test, least, 0);
}

static struct kunit_case hw_breakpoint_turns_cases[] = {
	KUNIT_CASE(groups_have_the_class_of_their_leader),
	KUNIT_CASE(inherited_have_the_class_of_their_parent),
	KUNIT_CASE(exclusive_shuts_nobody_out),
	KUNIT_CASE(flexible_do_not_wait_if_all_fit),
	KUNIT_CASE(requests_of_tasks_interrupt_nobody_else),
	KUNIT_CASE_SLOW(pinned_miss_nothing_beside_turns),
	KUNIT_CASE_SLOW(turns_are_fair),
	KUNIT_CASE_SLOW(cpu_and_task_take_turns),
	KUNIT_CASE_SLOW(cpu_fills_registers_beside_a_task),
	KUNIT_CASE_SLOW(pinned_of_both_miss_nothing),
	KUNIT_CASE_SLOW(task_takes_registers_and_gives_them_back),
	KUNIT_CASE_SLOW(registers_are_back_without_a_rotation),
	KUNIT_CASE_SLOW(turns_between_rotations_are_fair),
	KUNIT_CASE_SLOW(brief_task_has_its_turns),
	KUNIT_CASE_SLOW(short_lived_tasks_take_turns),
	KUNIT_CASE_SLOW(unprivileged_take_one_register),
	{},
};

static int hw_breakpoint_turns_init(struct kunit *test)
{
	nr_events = 0;
	turns = NULL;
	memset(hits, 0, sizeof(hits));
	worker = (struct worker){ };
	init_completion(&worker.stopped);
	test_events_init(test);

	/* Run elsewhere, so that the worker runs while its CPU is checked. */
	set_cpus_allowed_ptr(current, cpumask_of(test_cpu[1]));

	new_worker(test);
	return 0;
}

static void hw_breakpoint_turns_exit(struct kunit *test)
{
	WRITE_ONCE(worker.busy, false);
	if (turns)
		turns->hrtimer_interval = usual_interval;
	test_events_exit(test);
	if (worker.task)
		kthread_stop(worker.task);
	worker.task = NULL;
}

static struct kunit_suite hw_breakpoint_turns_suite = {
	.name = "hw_breakpoint_turns",
	.test_cases = hw_breakpoint_turns_cases,
	.init = hw_breakpoint_turns_init,
	.exit = hw_breakpoint_turns_exit,
};

kunit_test_suites(&hw_breakpoint_turns_suite);

MODULE_DESCRIPTION("KUnit tests of hardware breakpoints that take turns");
MODULE_LICENSE("GPL");

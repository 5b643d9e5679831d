// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the arbitration between pinned and flexible breakpoints.
 *
 * All but the last cases ask for slots on behalf of events that perf has never seen: the
 * arbitration looks at an event's CPU, task, type and kind alone, and without registers and
 * IPIs there is time to compare many thousand states with a model. The model is the list of
 * the events that hold something. It keeps no counts; each question is answered by applying
 * the rules to that list.
 */

#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hw_breakpoint.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/sched/task.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <asm/cpu_entry_area.h>
#include <asm/debugreg.h>

#define NR_TEST_CPUS	4
#define EVERY_CPU	(-1)
#define PINNED		false
#define FLEXIBLE	true

/* NOBODY stands for the events of a CPU, which have no task. */
enum { NOBODY, TASK_A, TASK_B, TASK_C, NR_TASKS };

struct request {
	bool flexible;
	int task;
	int cpu;
};

/*
 * An admitted request and the event that it was made with. The model reads the request only,
 * so that it can't be misled by what the code under test writes into the event.
 */
struct claim {
	struct list_head node;
	struct request request;
	struct perf_event bp;
};

static LIST_HEAD(claims);
static struct task_struct *tasks[NR_TASKS];
static int test_cpu[NR_TEST_CPUS];
static unsigned int slots;
/* What the random numbers were made from, 0 where there are none; for the messages. */
static u64 seed;

static int watched[32];
static struct perf_event *real_events[32];

/* ===== The events that ask ===== */

static int ask(bool flexible, int task, int cpu)
{
	struct claim *claim = kzalloc(sizeof(*claim), GFP_KERNEL);
	int ret;

	if (!claim)
		return -ENOMEM;

	claim->request = (struct request){ flexible, task, cpu };
	claim->bp.attr.type = PERF_TYPE_BREAKPOINT;
	claim->bp.attr.bp_type = HW_BREAKPOINT_W;
	claim->bp.cpu = cpu;
	claim->bp.hw.target = tasks[task];
	claim->bp.hw.bp_flexible = flexible;

	ret = reserve_bp_slot(&claim->bp);
	if (ret)
		kfree(claim);
	else
		list_add_tail(&claim->node, &claims);
	return ret;
}

/* Asks until something is refused, but no more than @nr times; returns the last answer. */
static int ask_times(unsigned int nr, bool flexible, int task, int cpu)
{
	int ret = 0;

	while (nr-- && !ret)
		ret = ask(flexible, task, cpu);
	return ret;
}

static struct claim *last_claim(void)
{
	return list_last_entry(&claims, struct claim, node);
}

static void give_back(struct claim *claim)
{
	release_bp_slot(&claim->bp);
	list_del(&claim->node);
	kfree(claim);
}

/* Task NR_TASKS stands for all of them, and for the CPUs' events. */
static void give_back_all(int task)
{
	struct claim *claim, *next;

	list_for_each_entry_safe(claim, next, &claims, node) {
		if (task == NR_TASKS || claim->request.task == task)
			give_back(claim);
	}
}

/* ===== The model ===== */

/* What is to be seen of the events on @cpu. In @pinned, if given, goes each task's share. */
static void model_census(int cpu, struct hw_breakpoint_census *census, unsigned int *pinned)
{
	unsigned int by_task[NR_TASKS] = {}, taken;
	struct claim *claim;

	memset(census, 0, sizeof(*census));
	list_for_each_entry(claim, &claims, node) {
		if (claim->request.cpu != EVERY_CPU && claim->request.cpu != cpu)
			continue;
		if (claim->request.flexible)
			census->flexible++;
		else
			by_task[claim->request.task]++;
	}

	census->slots = slots;
	census->cpu_pinned = by_task[NOBODY];
	for (int task = TASK_A; task < NR_TASKS; task++)
		census->task_pinned = max(census->task_pinned, by_task[task]);
	taken = census->cpu_pinned + census->task_pinned + !!census->flexible;
	census->free = slots - min(taken, slots);
	if (pinned)
		memcpy(pinned, by_task, sizeof(by_task));
}

static bool model_admits(const struct request *request)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hw_breakpoint_census census;
		unsigned int pinned[NR_TASKS], sum;

		if (request->cpu != EVERY_CPU && request->cpu != cpu)
			continue;

		model_census(cpu, &census, pinned);
		sum = census.cpu_pinned;
		sum += request->task == NOBODY ? census.task_pinned : pinned[request->task];
		if (request->flexible ? !census.flexible && sum >= slots :
					sum + !!census.flexible >= slots)
			return false;
	}
	return true;
}

static void show_claims(struct kunit *test)
{
	struct claim *claim;

	kunit_err(test, "seed %llu, events in the order of their admission:", seed);
	list_for_each_entry(claim, &claims, node)
		kunit_err(test, "  %s task %d cpu %d",
			  claim->request.flexible ? "flexible" : "pinned",
			  claim->request.task, claim->request.cpu);
}

/* Both must give the same answer. A claim that was admitted is the last of the list. */
static bool ask_both(struct kunit *test, const struct request *request)
{
	int expected = model_admits(request) ? 0 : -ENOSPC;
	int ret = ask(request->flexible, request->task, request->cpu);

	if (ret != expected) {
		show_claims(test);
		KUNIT_FAIL_AND_ABORT(test, "%s task %d cpu %d: got %d, the model says %d",
				     request->flexible ? "flexible" : "pinned",
				     request->task, request->cpu, ret, expected);
	}
	return !ret;
}

static void compare_census(struct kunit *test)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hw_breakpoint_census census, model;

		model_census(cpu, &model, NULL);
		hw_breakpoint_census(cpu, TYPE_DATA, &census);
		if (!memcmp(&census, &model, sizeof(model)))
			continue;

		show_claims(test);
		KUNIT_FAIL_AND_ABORT(test,
				     "cpu %d: slots %u/%u cpu_pinned %u/%u task_pinned %u/%u flexible %u/%u free %u/%u (got/model)",
				     cpu, census.slots, model.slots,
				     census.cpu_pinned, model.cpu_pinned,
				     census.task_pinned, model.task_pinned,
				     census.flexible, model.flexible, census.free, model.free);
	}
}

/* ===== A case for each rule ===== */

static void expect_census(struct kunit *test, int cpu, unsigned int cpu_pinned,
			  unsigned int task_pinned, unsigned int flexible, unsigned int free)
{
	struct hw_breakpoint_census census;

	hw_breakpoint_census(cpu, TYPE_DATA, &census);
	KUNIT_EXPECT_EQ(test, census.slots, slots);
	KUNIT_EXPECT_EQ(test, census.cpu_pinned, cpu_pinned);
	KUNIT_EXPECT_EQ(test, census.task_pinned, task_pinned);
	KUNIT_EXPECT_EQ(test, census.flexible, flexible);
	KUNIT_EXPECT_EQ(test, census.free, free);
}

static void flexible_events_share_a_slot(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(10, FLEXIBLE, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_B, EVERY_CPU), 0);
	expect_census(test, test_cpu[0], slots - 1, 0, 12, 0);
	expect_census(test, test_cpu[1], 0, 0, 1, slots - 1);
}

static void flexible_is_refused_where_pinned_fill(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[1]), 0);
}

static void pinned_leave_a_slot_to_flexible(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), -ENOSPC);

	/* With the last flexible event goes its claim to a slot. */
	give_back(list_first_entry(&claims, struct claim, node));
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), 0);
}

static void task_flexible_keeps_a_slot_on_its_cpus(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[1]), 0);
	give_back_all(NR_TASKS);

	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), 0);
	for (int i = 0; i < NR_TEST_CPUS; i++) {
		KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[i]), -ENOSPC);
		expect_census(test, test_cpu[i], slots - 1, 0, 1, 0);
	}
}

static void cpu_counts_busiest_task(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_B, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_B, test_cpu[0]), 0);
	expect_census(test, test_cpu[0], 0, 2, 0, slots - 2);
	KUNIT_EXPECT_EQ(test, ask_times(slots - 2, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), -ENOSPC);
}

static void task_counts_its_own(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, TASK_A, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_B, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_B, test_cpu[0]), 0);
}

static void every_cpu_is_the_greatest_sum(struct kunit *test)
{
	/* CPU 0 has many events of its own, CPU 1 many of the task: no CPU has both. */
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, TASK_A, test_cpu[1]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), 0);
	give_back(last_claim());

	/* The slot of the flexible ones belongs to the sum of their CPU alone. */
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[2]), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), 0);
	expect_census(test, test_cpu[0], slots - 1, 1, 0, 0);
	expect_census(test, test_cpu[1], 0, slots, 0, 0);
	expect_census(test, test_cpu[2], 0, 1, 1, slots - 2);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), -ENOSPC);
}

/* One CPU's objection is enough, wherever it is. */
static void every_cpu_has_a_veto(struct kunit *test)
{
	for (int i = 0; i < NR_TEST_CPUS; i++) {
		KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[i]), 0);
		KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), -ENOSPC);
		KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), -ENOSPC);
		give_back_all(NR_TASKS);
	}
}

static void refusal_changes_nothing(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_B, test_cpu[1]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[1]), 0);

	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), -ENOSPC);
	expect_census(test, test_cpu[0], slots - 1, 1, 0, 0);
	expect_census(test, test_cpu[1], 0, 1, 1, slots - 2);
	expect_census(test, test_cpu[2], 0, 1, 0, slots - 1);
	compare_census(test);
}

/* Gives an event another type of the same pool, as a write to a debug register does. */
static int modify(struct claim *claim, u64 type)
{
	int ret = modify_bp_slot(&claim->bp, claim->bp.attr.bp_type, type);

	if (!ret)
		claim->bp.attr.bp_type = type;
	return ret;
}

static void modify_changes_no_count(struct kunit *test)
{
	struct claim *claim;

	/* On CPU 1 a task has all slots, and another task's flexible events are there too. */
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, TASK_A, test_cpu[1]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_B, test_cpu[1]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[1]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), 0);
	list_for_each_entry(claim, &claims, node) {
		KUNIT_EXPECT_EQ(test, modify(claim, HW_BREAKPOINT_RW), 0);
		KUNIT_EXPECT_EQ(test, modify(claim, HW_BREAKPOINT_W), 0);
		/* Where one pool has all types, code can be watched with a data slot. */
		if (TYPE_INST == TYPE_DATA)
			KUNIT_EXPECT_EQ(test, modify(claim, HW_BREAKPOINT_X), 0);
	}
	compare_census(test);
}

static void inherited_flexible_is_not_counted(struct kunit *test)
{
	struct claim *child;

	KUNIT_ASSERT_EQ(test, ask_times(slots, PINNED, TASK_A, EVERY_CPU), 0);
	KUNIT_ASSERT_EQ(test, ask(FLEXIBLE, TASK_B, EVERY_CPU), 0);

	/* No slot is left for the child, but a fork must not fail for want of one. */
	child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, child);
	child->bp.attr = last_claim()->bp.attr;
	child->bp.parent = &last_claim()->bp;
	child->bp.cpu = EVERY_CPU;
	child->bp.hw.target = tasks[TASK_A];
	child->bp.hw.bp_flexible = true;
	KUNIT_EXPECT_EQ(test, reserve_bp_slot(&child->bp), 0);
	compare_census(test);
	release_bp_slot(&child->bp);
	compare_census(test);
}

static void inherited_pinned_needs_a_slot(struct kunit *test)
{
	struct claim *child;

	KUNIT_ASSERT_EQ(test, ask(PINNED, TASK_A, test_cpu[0]), 0);
	child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, child);
	child->bp.attr = last_claim()->bp.attr;
	child->bp.parent = &last_claim()->bp;
	child->bp.cpu = test_cpu[0];
	child->bp.hw.target = tasks[TASK_B];

	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, TASK_B, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, reserve_bp_slot(&child->bp), 0);
	expect_census(test, test_cpu[0], 0, slots, 0, 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_B, test_cpu[0]), -ENOSPC);
	release_bp_slot(&child->bp);

	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_B, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, reserve_bp_slot(&child->bp), -ENOSPC);
	compare_census(test);
}

/* ===== Reservations ===== */

/*
 * Between these cases' begin and end nothing may be asserted: a case that stopped there would
 * leave a reservation in its task.
 */
static int reserve(struct kunit *test, struct hw_breakpoint_reservation **res, bool flexible,
		   const struct cpumask *cpus)
{
	struct perf_event_attr attr;

	*res = kunit_kzalloc(test, sizeof(**res), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, *res);
	hw_breakpoint_init(&attr);
	attr.pinned = !flexible;
	attr.bp_addr = (unsigned long)&watched[0];
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_W;
	return hw_breakpoint_reserve_cpus(*res, &attr, cpus);
}

static void reservation_is_all_or_nothing(struct kunit *test)
{
	struct hw_breakpoint_reservation *res;
	int cpu;

	for (int i = 0; i < NR_TEST_CPUS; i++) {
		KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[i]), 0);
		KUNIT_EXPECT_EQ(test, reserve(test, &res, PINNED, cpu_possible_mask), -ENOSPC);
		KUNIT_EXPECT_EQ(test, reserve(test, &res, FLEXIBLE, cpu_possible_mask), -ENOSPC);
		compare_census(test);
		give_back_all(NR_TASKS);
	}

	KUNIT_ASSERT_EQ(test, reserve(test, &res, PINNED, cpu_possible_mask), 0);
	for_each_possible_cpu(cpu)
		expect_census(test, cpu, 1, 0, 0, slots - 1);
	hw_breakpoint_unreserve_cpus(res);
	compare_census(test);
}

static void reservation_takes_its_mask_only(struct kunit *test)
{
	struct hw_breakpoint_reservation *res;

	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_ASSERT_EQ(test, reserve(test, &res, FLEXIBLE, cpumask_of(test_cpu[1])), 0);
	expect_census(test, test_cpu[0], slots, 0, 0, 0);
	expect_census(test, test_cpu[1], 0, 0, 1, slots - 1);
	expect_census(test, test_cpu[2], 0, 0, 0, slots);
	hw_breakpoint_unreserve_cpus(res);
}

static void reservation_is_consumed_and_refilled(struct kunit *test)
{
	struct hw_breakpoint_reservation *res;

	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_ASSERT_EQ(test, reserve(test, &res, PINNED, cpumask_of(test_cpu[0])), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);

	hw_breakpoint_reservation_begin(res);
	for (int i = 0; i < 2; i++) {
		int ret = ask(PINNED, NOBODY, test_cpu[0]);

		KUNIT_EXPECT_EQ(test, ret, 0);
		KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
		expect_census(test, test_cpu[0], slots, 0, 0, 0);
		if (!ret)
			give_back(last_claim());
		expect_census(test, test_cpu[0], slots, 0, 0, 0);
	}
	hw_breakpoint_reservation_end(res);

	/* The slot is the reservation's again, and it is not open any more. */
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
	hw_breakpoint_unreserve_cpus(res);
	compare_census(test);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), 0);
}

static void reservation_gives_back_its_rest(struct kunit *test)
{
	struct hw_breakpoint_reservation *res;

	for (int flexible = 0; flexible < 2; flexible++) {
		KUNIT_ASSERT_EQ(test, reserve(test, &res, flexible, cpu_possible_mask), 0);
		hw_breakpoint_reservation_begin(res);
		KUNIT_EXPECT_EQ(test, ask(flexible, NOBODY, test_cpu[1]), 0);
		KUNIT_EXPECT_EQ(test, ask(flexible, NOBODY, test_cpu[3]), 0);
		hw_breakpoint_reservation_end(res);
		expect_census(test, test_cpu[0], !flexible, 0, flexible, slots - 1);
		expect_census(test, test_cpu[1], !flexible, 0, flexible, slots - 1);
		hw_breakpoint_unreserve_cpus(res);
		expect_census(test, test_cpu[0], 0, 0, 0, slots);
		compare_census(test);
		give_back_all(NR_TASKS);
	}
}

/* A slot that comes back to a CPU whose slot is still there is free for everybody. */
static void reservation_holds_one_slot_of_a_cpu(struct kunit *test)
{
	struct hw_breakpoint_reservation *res;

	KUNIT_ASSERT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_ASSERT_EQ(test, reserve(test, &res, PINNED, cpumask_of(test_cpu[0])), 0);
	expect_census(test, test_cpu[0], 2, 0, 0, slots - 2);
	hw_breakpoint_reservation_begin(res);
	give_back(last_claim());
	hw_breakpoint_reservation_end(res);
	expect_census(test, test_cpu[0], 1, 0, 0, slots - 1);
	hw_breakpoint_unreserve_cpus(res);
	compare_census(test);
}

/* Events of another kind, CPU or task are counted beside the reservation. */
static void reservation_is_for_its_own_kind(struct kunit *test)
{
	struct hw_breakpoint_reservation *res;

	KUNIT_ASSERT_EQ(test, reserve(test, &res, FLEXIBLE, cpumask_of(test_cpu[0])), 0);
	hw_breakpoint_reservation_begin(res);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), 0);
	expect_census(test, test_cpu[0], 1, 0, 1, slots - 2);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, test_cpu[0]), 0);
	expect_census(test, test_cpu[0], 1, 0, 2, slots - 2);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[1]), 0);
	expect_census(test, test_cpu[1], 0, 0, 1, slots - 1);
	/* Releasing those must not refill it either. */
	give_back_all(NR_TASKS);
	expect_census(test, test_cpu[0], 0, 0, 1, slots - 1);
	expect_census(test, test_cpu[1], 0, 0, 0, slots);

	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), 0);
	expect_census(test, test_cpu[0], 0, 0, 1, slots - 1);
	hw_breakpoint_reservation_end(res);
	hw_breakpoint_unreserve_cpus(res);
	compare_census(test);
}

static void reservation_refuses_a_bad_address(struct kunit *test)
{
	struct hw_breakpoint_reservation *res = kunit_kzalloc(test, sizeof(*res), GFP_KERNEL);
	struct perf_event_attr attr;

	KUNIT_ASSERT_NOT_NULL(test, res);
	hw_breakpoint_init(&attr);
	/* Four bytes from the last one on go past the end of all addresses. */
	attr.bp_addr = ULONG_MAX;
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_W;
	KUNIT_EXPECT_EQ(test, hw_breakpoint_reserve_cpus(res, &attr, cpu_possible_mask), -EINVAL);
	compare_census(test);
}

static void reservation_covers_offline_cpus(struct kunit *test)
{
	struct hw_breakpoint_reservation *res;
	int cpu = test_cpu[NR_TEST_CPUS - 1];
	int ret;

	if (remove_cpu(cpu))
		kunit_skip(test, "can't take CPU %d offline", cpu);

	ret = reserve(test, &res, PINNED, cpu_possible_mask);
	KUNIT_EXPECT_EQ(test, ret, 0);
	expect_census(test, cpu, 1, 0, 0, slots - 1);
	if (!ret)
		hw_breakpoint_unreserve_cpus(res);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	compare_census(test);
}

/* ===== All states ===== */

/* Makes each request, in the name of each CPU and of each task up to @stranger, who holds none. */
static void try_everything(struct kunit *test, int stranger)
{
	struct request request;

	for (int i = EVERY_CPU; i < NR_TEST_CPUS; i++) {
		request.cpu = i < 0 ? EVERY_CPU : test_cpu[i];
		for (request.task = NOBODY; request.task <= stranger; request.task++) {
			if (request.task == NOBODY && i < 0)
				continue;
			for (int flexible = 0; flexible < 2; flexible++) {
				request.flexible = flexible;
				if (ask_both(test, &request))
					give_back(last_claim());
			}
		}
	}
	/* What was refused must have left no trace, and what was given back none either. */
	compare_census(test);
	cond_resched();
}

/*
 * Walks through all states that events of these kinds can be in, each kind any number of
 * times if it is pinned, and not at all or once if it is flexible. The claims are a path in a
 * tree: below an event come only kinds that are not before its own, so that each state is met
 * once, and one event more or less leads to the next one.
 */
static void visit_all_states(struct kunit *test, const struct request *kinds, int nr,
			     int stranger)
{
	unsigned int path[64], depth = 0, states = 1;
	int next = 0;

	try_everything(test, stranger);
	for (;;) {
		if (next == nr) {
			if (!depth)
				break;
			give_back(last_claim());
			next = path[--depth] + 1;
		} else if (depth < ARRAY_SIZE(path) && ask_both(test, &kinds[next])) {
			path[depth++] = next;
			next += kinds[next].flexible;
			states++;
			try_everything(test, stranger);
		} else {
			next++;
		}
	}
	kunit_info(test, "%u states", states);
}

static void skip_if_states_are_too_many(struct kunit *test)
{
	if (slots > 4)
		kunit_skip(test, "%u slots have too many states", slots);
}

/* Each CPU with any number of pinned events, and flexible ones or not; and a task. */
static void all_states_of_cpus(struct kunit *test)
{
	const struct request kinds[] = {
		{ PINNED, TASK_A, EVERY_CPU },
		{ PINNED, NOBODY, test_cpu[0] },
		{ PINNED, NOBODY, test_cpu[1] },
		{ PINNED, NOBODY, test_cpu[2] },
		{ PINNED, NOBODY, test_cpu[3] },
		{ FLEXIBLE, NOBODY, test_cpu[0] },
		{ FLEXIBLE, NOBODY, test_cpu[1] },
		{ FLEXIBLE, NOBODY, test_cpu[2] },
		{ FLEXIBLE, NOBODY, test_cpu[3] },
	};

	skip_if_states_are_too_many(test);
	visit_all_states(test, kinds, ARRAY_SIZE(kinds), TASK_B);
}

/* A task with any number of pinned events on each CPU and on all of them. */
static void all_states_of_a_task(struct kunit *test)
{
	const struct request kinds[] = {
		{ PINNED, TASK_A, EVERY_CPU },
		{ PINNED, TASK_A, test_cpu[0] },
		{ PINNED, TASK_A, test_cpu[1] },
		{ PINNED, TASK_A, test_cpu[2] },
		{ PINNED, TASK_A, test_cpu[3] },
		{ PINNED, NOBODY, test_cpu[0] },
		{ FLEXIBLE, TASK_A, EVERY_CPU },
	};

	skip_if_states_are_too_many(test);
	visit_all_states(test, kinds, ARRAY_SIZE(kinds), TASK_B);
}

/* Two tasks beside each other, with and without a CPU, and flexible events of all sorts. */
static void all_states_of_two_tasks(struct kunit *test)
{
	const struct request kinds[] = {
		{ PINNED, TASK_A, EVERY_CPU },
		{ PINNED, TASK_B, EVERY_CPU },
		{ PINNED, TASK_A, test_cpu[0] },
		{ PINNED, TASK_B, test_cpu[1] },
		{ PINNED, NOBODY, test_cpu[0] },
		{ PINNED, NOBODY, test_cpu[2] },
		{ FLEXIBLE, TASK_A, EVERY_CPU },
		{ FLEXIBLE, TASK_B, test_cpu[0] },
		{ FLEXIBLE, NOBODY, test_cpu[2] },
	};

	skip_if_states_are_too_many(test);
	visit_all_states(test, kinds, ARRAY_SIZE(kinds), TASK_C);
}

/* ===== Random sequences ===== */

#define NR_SEQUENCES	10000
#define SEQUENCE_LEN	16

static u32 below(struct rnd_state *rnd, u32 end)
{
	return prandom_u32_state(rnd) % end;
}

static struct claim *any_claim(struct rnd_state *rnd)
{
	size_t nr = list_count_nodes(&claims);
	struct claim *claim;

	if (!nr)
		return NULL;
	nr = below(rnd, nr);
	list_for_each_entry(claim, &claims, node) {
		if (!nr--)
			break;
	}
	return claim;
}

static void add_any(struct kunit *test, struct rnd_state *rnd)
{
	struct request request = { .flexible = below(rnd, 2), .task = below(rnd, NR_TASKS) };

	if (request.task != NOBODY && below(rnd, 2))
		request.cpu = EVERY_CPU;
	else
		request.cpu = test_cpu[below(rnd, NR_TEST_CPUS)];
	ask_both(test, &request);
}

static void modify_any(struct kunit *test, struct rnd_state *rnd)
{
	static const u64 types[] = { HW_BREAKPOINT_W, HW_BREAKPOINT_RW, HW_BREAKPOINT_X };
	struct claim *claim = any_claim(rnd);
	/* Code can only be watched where its slots are those of data. */
	u64 type = types[below(rnd, TYPE_INST == TYPE_DATA ? 3 : 2)];
	int ret;

	if (!claim)
		return;
	ret = modify(claim, type);
	if (ret) {
		show_claims(test);
		KUNIT_FAIL_AND_ABORT(test, "modify %s task %d cpu %d to type %llu: got %d",
				     claim->request.flexible ? "flexible" : "pinned",
				     claim->request.task, claim->request.cpu, type, ret);
	}
}

static void random_sequences_leave_zero(struct kunit *test)
{
	struct rnd_state rnd;
	struct claim *claim;

	for (int i = 1; i <= NR_SEQUENCES; i++) {
		seed = i;
		prandom_seed_state(&rnd, seed);
		for (int step = 0; step < SEQUENCE_LEN; step++) {
			switch (below(&rnd, 16)) {
			case 0 ... 9:
				add_any(test, &rnd);
				break;
			case 10 ... 12:
				claim = any_claim(&rnd);
				if (claim)
					give_back(claim);
				break;
			case 13 ... 14:
				modify_any(test, &rnd);
				break;
			case 15:
				/* A task that exits takes all its events with it. */
				give_back_all(TASK_A + below(&rnd, NR_TASKS - TASK_A));
				break;
			}
			compare_census(test);
		}
		give_back_all(NR_TASKS);
		compare_census(test);
		KUNIT_ASSERT_FALSE_MSG(test, hw_breakpoint_is_used(), "seed %llu", seed);
		cond_resched();
	}
}

/* ===== Real events ===== */

#define NR_REAL_FLEXIBLE	8

static void on_hit(struct perf_event *bp, struct perf_sample_data *data, struct pt_regs *regs)
{
}

static struct perf_event *watch(unsigned int nr, bool flexible)
{
	struct perf_event_attr attr;

	hw_breakpoint_init(&attr);
	attr.pinned = !flexible;
	attr.bp_addr = (unsigned long)&watched[nr];
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_W;
	return perf_event_create_kernel_counter(&attr, test_cpu[0], NULL, on_hit, NULL);
}

static void write_watched(void *nr)
{
	for (unsigned int i = 0; i < *(unsigned int *)nr; i++)
		WRITE_ONCE(watched[i], watched[i] + 1);
}

/*
 * The pinned events must see each write while the flexible ones take turns beside them, and
 * each flexible event must get a turn. How soon depends on the machine: it is waited for.
 */
static void real_events_take_turns(struct kunit *test)
{
	unsigned int pinned = slots - 1, nr = pinned + NR_REAL_FLEXIBLE, ran, writes = 0;
	unsigned long end = jiffies + 60 * HZ;
	struct perf_event *late;
	u64 enabled, running;

	if (nr >= ARRAY_SIZE(watched))
		kunit_skip(test, "more than %zu variables to watch", ARRAY_SIZE(watched));

	for (unsigned int i = 0; i < nr; i++) {
		struct perf_event *bp = watch(i, i >= pinned);

		KUNIT_ASSERT_EQ_MSG(test, PTR_ERR_OR_ZERO(bp), 0, "event %u", i);
		real_events[i] = bp;
		KUNIT_EXPECT_EQ(test, bp->hw.bp_flexible, i >= pinned);
	}
	expect_census(test, test_cpu[0], pinned, 0, NR_REAL_FLEXIBLE, 0);
	late = watch(nr, PINNED);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(late), -ENOSPC);
	if (!IS_ERR(late))
		real_events[nr] = late;

	do {
		smp_call_function_single(test_cpu[0], write_watched, &pinned, true);
		writes++;
		schedule_timeout_uninterruptible(1);
		ran = 0;
		for (unsigned int i = pinned; i < nr; i++) {
			perf_event_read_value(real_events[i], &enabled, &running);
			ran += !!running;
		}
	} while (ran < NR_REAL_FLEXIBLE && time_before(jiffies, end));
	KUNIT_EXPECT_EQ(test, ran, NR_REAL_FLEXIBLE);

	for (unsigned int i = 0; i < pinned; i++) {
		u64 hits = perf_event_read_value(real_events[i], &enabled, &running);

		KUNIT_EXPECT_EQ(test, hits, writes);
		KUNIT_EXPECT_GT(test, enabled, 0);
		KUNIT_EXPECT_EQ(test, enabled, running);
	}
}

/* ===== Events that are pointed elsewhere ===== */

/* What the handler saw of the hits on each variable. */
static struct sighting {
	atomic_t hits;
	unsigned long trapped;
	unsigned int reg;
} seen[ARRAY_SIZE(watched)];

/* Which variable was hit is what the event says: so the address there must be right, too. */
static void on_sighting(struct perf_event *bp, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	unsigned long nr = (hw_breakpoint_addr(bp) - (unsigned long)watched) / sizeof(watched[0]);
	struct sighting *sighting = &seen[nr];
	unsigned int reg = 0;

	if (nr >= ARRAY_SIZE(seen))
		return;
	while (reg < slots && hw_breakpoint_in_register(reg) != bp)
		reg++;
	sighting->reg = reg;
	sighting->trapped = hw_breakpoint_trapped();
	atomic_inc(&sighting->hits);
}

static int hits(unsigned int nr)
{
	return atomic_read(&seen[nr].hits);
}

static struct perf_event *sight(struct kunit *test, unsigned int nr, bool flexible, bool disabled,
				struct task_struct *task)
{
	struct perf_event *bp;
	struct perf_event_attr attr;

	hw_breakpoint_init(&attr);
	attr.pinned = !flexible;
	attr.disabled = disabled;
	attr.inherit = !!task;
	attr.bp_addr = (unsigned long)&watched[nr];
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_W;
	bp = perf_event_create_kernel_counter(&attr, task ? EVERY_CPU : test_cpu[0], task,
					      on_sighting, NULL);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
	for (int i = 0; i < ARRAY_SIZE(real_events); i++) {
		if (!real_events[i]) {
			real_events[i] = bp;
			break;
		}
	}
	return bp;
}

/* Where a breakpoint is sent, or what is written, on the first CPU with interrupts off. */
struct errand {
	struct perf_event *bp[3];
	unsigned long addr[3];
	int ret[3];
	unsigned int nr;
};

static void move_and_write(void *arg)
{
	struct errand *errand = arg;

	for (int i = 0; i < ARRAY_SIZE(errand->bp) && errand->bp[i]; i++)
		errand->ret[i] = hw_breakpoint_move_local(errand->bp[i], errand->addr[i]);
	write_watched(&errand->nr);
}

static int move(struct perf_event *bp, unsigned long addr)
{
	struct errand errand = { .bp = { bp }, .addr = { addr } };

	smp_call_function_single(test_cpu[0], move_and_write, &errand, true);
	return errand.ret[0];
}

static int move_to(struct perf_event *bp, unsigned int nr)
{
	return move(bp, (unsigned long)&watched[nr]);
}

/* Writes to the first @nr variables. */
static void write_there(unsigned int nr)
{
	smp_call_function_single(test_cpu[0], write_watched, &nr, true);
}

static void move_in_a_register(struct kunit *test)
{
	for (int flexible = 0; flexible < 2; flexible++) {
		struct perf_event *bp = sight(test, 4 * flexible, flexible, false, NULL);
		unsigned int old = 4 * flexible, new = old + 1;

		write_there(8);
		KUNIT_EXPECT_EQ(test, hits(old), 1);
		KUNIT_EXPECT_EQ(test, move_to(bp, new), 0);
		write_there(8);
		write_there(8);
		KUNIT_EXPECT_EQ(test, hits(old), 1);
		KUNIT_EXPECT_EQ(test, hits(new), 2);
		KUNIT_EXPECT_EQ(test, hw_breakpoint_addr(bp), (unsigned long)&watched[new]);

		/* It must leave the register as any other. */
		perf_event_disable(bp);
		write_there(8);
		KUNIT_EXPECT_EQ(test, hits(new), 2);
		perf_event_enable(bp);
		write_there(8);
		KUNIT_EXPECT_EQ(test, hits(old), 1);
		KUNIT_EXPECT_EQ(test, hits(new), 3);
	}
	expect_census(test, test_cpu[0], 1, 0, 1, slots - 2);
}

static void restore_registers(void *unused)
{
	hw_breakpoint_restore();
}

/* The other registers, and what the machine puts back into all of them, stay as they are. */
static void move_leaves_others_alone(struct kunit *test)
{
	struct perf_event *bp[3];

	for (int i = 0; i < 3; i++)
		bp[i] = sight(test, i, PINNED, false, NULL);
	KUNIT_EXPECT_EQ(test, move_to(bp[1], 3), 0);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(0), 1);
	KUNIT_EXPECT_EQ(test, hits(1), 0);
	KUNIT_EXPECT_EQ(test, hits(2), 1);
	KUNIT_EXPECT_EQ(test, hits(3), 1);

	smp_call_function_single(test_cpu[0], restore_registers, NULL, true);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(0), 2);
	KUNIT_EXPECT_EQ(test, hits(1), 0);
	KUNIT_EXPECT_EQ(test, hits(2), 2);
	KUNIT_EXPECT_EQ(test, hits(3), 2);
}

static void move_while_disabled(struct kunit *test)
{
	struct perf_event *bp = sight(test, 0, PINNED, true, NULL);

	KUNIT_EXPECT_EQ(test, move_to(bp, 1), 0);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(0), 0);
	KUNIT_EXPECT_EQ(test, hits(1), 0);

	perf_event_enable(bp);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(0), 0);
	KUNIT_EXPECT_EQ(test, hits(1), 1);
}

/* Two share a register: when both are moved at once, one of them is not in it. */
static void move_while_waiting(struct kunit *test)
{
	struct errand errand = {};
	unsigned long end = jiffies + 60 * HZ;

	for (unsigned int i = 0; i < slots - 1; i++)
		sight(test, i, PINNED, false, NULL);
	for (unsigned int i = 0; i < 2; i++) {
		errand.bp[i] = sight(test, 8 + i, FLEXIBLE, false, NULL);
		errand.addr[i] = (unsigned long)&watched[10 + i];
	}
	expect_census(test, test_cpu[0], slots - 1, 0, 2, 0);

	errand.nr = 12;
	smp_call_function_single(test_cpu[0], move_and_write, &errand, true);
	KUNIT_EXPECT_EQ(test, errand.ret[0], 0);
	KUNIT_EXPECT_EQ(test, errand.ret[1], 0);
	KUNIT_EXPECT_EQ(test, hits(10) + hits(11), 1);

	while ((!hits(10) || !hits(11)) && time_before(jiffies, end)) {
		write_there(12);
		schedule_timeout_uninterruptible(1);
	}
	KUNIT_EXPECT_GT(test, hits(10), 0);
	KUNIT_EXPECT_GT(test, hits(11), 0);
	KUNIT_EXPECT_EQ(test, hits(8) + hits(9), 0);
}

static void bad_address_is_refused(struct kunit *test)
{
	const unsigned long bad[] = {
		(unsigned long)&watched[1] + 1,
		(unsigned long)&watched[1] + 2,
		ULONG_MAX,
		/* What x86 needs to handle a trap. */
		(unsigned long)__per_cpu_offset,
		CPU_ENTRY_AREA_BASE,
	};
	struct perf_event *bp = sight(test, 0, PINNED, false, NULL);
	struct perf_event_attr attr = bp->attr;

	KUNIT_EXPECT_EQ(test, hw_breakpoint_check_address(&attr), 0);
	for (int i = 0; i < ARRAY_SIZE(bad); i++) {
		attr.bp_addr = bad[i];
		KUNIT_EXPECT_EQ_MSG(test, hw_breakpoint_check_address(&attr), -EINVAL, "%lx",
				    bad[i]);
		KUNIT_EXPECT_EQ_MSG(test, move(bp, bad[i]), -EINVAL, "%lx", bad[i]);
	}
	/* A good one, but not for one that was allowed to be in the kernel or not to be. */
	attr.bp_addr = PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, hw_breakpoint_check_address(&attr), 0);
	KUNIT_EXPECT_EQ(test, move(bp, PAGE_SIZE), -EINVAL);
	/* An access that x86 can't watch. */
	attr.bp_type = HW_BREAKPOINT_R;
	KUNIT_EXPECT_EQ(test, hw_breakpoint_check_address(&attr), -EINVAL);

	KUNIT_EXPECT_EQ(test, hw_breakpoint_addr(bp), (unsigned long)&watched[0]);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(0), 1);
	perf_event_disable(bp);
	perf_event_enable(bp);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(0), 2);
	KUNIT_EXPECT_EQ(test, hits(1), 0);
}

static int modify_to(struct perf_event *bp, unsigned int nr, bool disabled)
{
	struct perf_event_attr attr = bp->attr;

	attr.bp_addr = (unsigned long)&watched[nr];
	attr.disabled = disabled;
	return perf_event_modify_family(bp, &attr);
}

static void modify_an_event_of_a_cpu(struct kunit *test)
{
	struct perf_event *bp = sight(test, 0, PINNED, true, NULL);
	struct perf_event_attr attr;

	/* It stays off, and is where it was sent when it is on. */
	KUNIT_EXPECT_EQ(test, modify_to(bp, 1, true), 0);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(0) + hits(1), 0);
	perf_event_enable(bp);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(0), 0);
	KUNIT_EXPECT_EQ(test, hits(1), 1);

	KUNIT_EXPECT_EQ(test, modify_to(bp, 2, false), 0);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(1), 1);
	KUNIT_EXPECT_EQ(test, hits(2), 1);

	/* Refused, it is on where it was. */
	attr = bp->attr;
	attr.bp_addr++;
	KUNIT_EXPECT_EQ(test, perf_event_modify_family(bp, &attr), -EINVAL);
	attr = bp->attr;
	attr.pinned = 0;
	KUNIT_EXPECT_EQ(test, perf_event_modify_family(bp, &attr), -EINVAL);
	attr = bp->attr;
	attr.type = PERF_TYPE_SOFTWARE;
	KUNIT_EXPECT_EQ(test, perf_event_modify_family(bp, &attr), -EINVAL);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(2), 2);

	KUNIT_EXPECT_EQ(test, modify_to(bp, 3, true), 0);
	write_there(4);
	KUNIT_EXPECT_EQ(test, hits(3), 0);
	expect_census(test, test_cpu[0], 1, 0, 0, slots - 1);
}

#define NR_CHILDREN	8

/* A process that is forked by one with an event, and does what it is told. */
static struct child {
	struct completion go, done;
	bool stop;
} child;

static int run_child(void *unused)
{
	for (;;) {
		unsigned int nr = 8;

		wait_for_completion(&child.go);
		if (child.stop)
			break;
		write_watched(&nr);
		complete(&child.done);
	}
	kthread_exit(0);
}

static void child_writes(void)
{
	complete(&child.go);
	wait_for_completion(&child.done);
}

static pid_t fork_thread(int (*func)(void *))
{
	return kernel_thread(func, NULL, "bp-test-child", CLONE_FS | CLONE_FILES | SIGCHLD);
}

static void modify_a_family(struct kunit *test)
{
	unsigned int nr = 8;
	struct perf_event *bp = sight(test, 0, PINNED, true, current);
	struct perf_event_attr attr;
	pid_t pid;

	init_completion(&child.go);
	init_completion(&child.done);
	child.stop = false;
	kernel_sigaction(SIGCHLD, SIG_DFL);
	pid = fork_thread(run_child);
	KUNIT_EXPECT_GT(test, pid, 0);
	if (pid <= 0)
		goto out;
	KUNIT_EXPECT_EQ(test, list_count_nodes(&bp->child_list), 1);
	expect_census(test, test_cpu[0], 0, 1, 0, slots - 1);

	/* Neither watches the old address, nor the new one before they are on. */
	KUNIT_EXPECT_EQ(test, modify_to(bp, 1, true), 0);
	write_watched(&nr);
	child_writes();
	KUNIT_EXPECT_EQ(test, hits(0) + hits(1), 0);
	perf_event_enable_family(bp);
	write_watched(&nr);
	KUNIT_EXPECT_EQ(test, hits(1), 1);
	child_writes();
	KUNIT_EXPECT_EQ(test, hits(1), 2);
	KUNIT_EXPECT_EQ(test, hits(0), 0);
	expect_census(test, test_cpu[0], 0, 1, 0, slots - 1);

	/* On before and after; what is added to a variable is also read. */
	attr = bp->attr;
	attr.bp_addr = (unsigned long)&watched[2];
	attr.bp_len = HW_BREAKPOINT_LEN_2;
	attr.bp_type = HW_BREAKPOINT_RW;
	attr.disabled = false;
	KUNIT_EXPECT_EQ(test, perf_event_modify_family(bp, &attr), 0);
	READ_ONCE(watched[2]);
	KUNIT_EXPECT_EQ(test, hits(2), 1);
	READ_ONCE(((short *)&watched[2])[1]);
	KUNIT_EXPECT_EQ(test, hits(2), 1);
	child_writes();
	KUNIT_EXPECT_GT(test, hits(2), 1);
	KUNIT_EXPECT_EQ(test, hits(1), 2);

	/* Refused, both are as they were. */
	attr.bp_addr++;
	KUNIT_EXPECT_EQ(test, perf_event_modify_family(bp, &attr), -EINVAL);
	attr.bp_addr--;
	attr.sample_period++;
	KUNIT_EXPECT_EQ(test, perf_event_modify_family(bp, &attr), -EINVAL);
	atomic_set(&seen[2].hits, 0);
	READ_ONCE(watched[2]);
	KUNIT_EXPECT_EQ(test, hits(2), 1);
	child_writes();
	KUNIT_EXPECT_GT(test, hits(2), 1);
	KUNIT_EXPECT_EQ(test, hits(3), 0);

	child.stop = true;
	complete(&child.go);
	kernel_wait(pid, NULL);
out:
	kernel_sigaction(SIGCHLD, SIG_IGN);
}

static struct completion grandchildren_end;
static atomic_t forking;

static int run_grandchild(void *unused)
{
	wait_for_completion(&grandchildren_end);
	kthread_exit(0);
}

/* Forks when told to, while nobody keeps it from that: its events are its own. */
static int run_forker(void *unused)
{
	pid_t pids[NR_CHILDREN];

	kernel_sigaction(SIGCHLD, SIG_DFL);
	for (;;) {
		wait_for_completion(&child.go);
		if (child.stop)
			break;
		for (int i = 0; i < NR_CHILDREN; i++)
			pids[i] = fork_thread(run_grandchild);
		atomic_set(&forking, 0);
		wait_for_completion(&child.go);
		complete_all(&grandchildren_end);
		for (int i = 0; i < NR_CHILDREN; i++) {
			if (pids[i] > 0)
				kernel_wait(pids[i], NULL);
		}
		complete(&child.done);
	}
	kthread_exit(0);
}

/* Is each of a family as the first one is? */
static bool family_agrees(struct perf_event *bp)
{
	struct perf_event *member;
	bool agrees = true;

	mutex_lock(&bp->child_mutex);
	list_for_each_entry(member, &bp->child_list, child_list) {
		agrees &= hw_breakpoint_addr(member) == hw_breakpoint_addr(bp);
		agrees &= counter_arch_bp(member)->address == hw_breakpoint_addr(bp);
		agrees &= (member->state <= PERF_EVENT_STATE_OFF) ==
			  (bp->state <= PERF_EVENT_STATE_OFF);
	}
	mutex_unlock(&bp->child_mutex);
	return agrees;
}

/*
 * A child of the task with the event forks while all their events are sent to and fro,
 * switched off and on. Whatever falls together, none is left behind.
 */
static void modify_while_a_child_forks(struct kunit *test)
{
	struct perf_event *bp = sight(test, 0, PINNED, false, current);
	unsigned int round = 0, disagreed = 0, too_few = 0;
	pid_t pid;

	init_completion(&child.go);
	init_completion(&child.done);
	child.stop = false;
	kernel_sigaction(SIGCHLD, SIG_DFL);
	pid = fork_thread(run_forker);
	KUNIT_EXPECT_GT(test, pid, 0);
	if (pid <= 0)
		goto out;

	for (; round < 40; round++) {
		unsigned int step = round;

		init_completion(&grandchildren_end);
		atomic_set(&forking, 1);
		complete(&child.go);
		do {
			modify_to(bp, step++ % 8, false);
			perf_event_disable_family(bp);
			if (step & 1)
				perf_event_enable_family(bp);
		} while (atomic_read(&forking));
		disagreed += !family_agrees(bp);
		too_few += list_count_nodes(&bp->child_list) != 1 + NR_CHILDREN;
		complete(&child.go);
		wait_for_completion(&child.done);
	}
	KUNIT_EXPECT_EQ(test, disagreed, 0);
	KUNIT_EXPECT_EQ(test, too_few, 0);

	child.stop = true;
	complete(&child.go);
	kernel_wait(pid, NULL);
out:
	kernel_sigaction(SIGCHLD, SIG_IGN);
}

/* ===== What a #DB tells of ===== */

static void trap_tells_its_register(struct kunit *test)
{
	unsigned long all = 0;

	for (unsigned int i = 0; i < slots; i++)
		sight(test, i, PINNED, false, NULL);
	write_there(slots);
	for (unsigned int i = 0; i < slots; i++) {
		KUNIT_EXPECT_EQ(test, hits(i), 1);
		KUNIT_EXPECT_LT(test, seen[i].reg, slots);
		KUNIT_EXPECT_EQ(test, seen[i].trapped, BIT(seen[i].reg));
		all |= seen[i].trapped;
	}
	KUNIT_EXPECT_EQ(test, all, BIT(slots) - 1);
	KUNIT_EXPECT_EQ(test, per_cpu(hw_breakpoint_traps, test_cpu[0]), 0);
}

/* As in a #DB from user mode, in whose handler there is one in the kernel. */
static void write_as_in_a_trap(void *trapped)
{
	unsigned int nr = 1;

	this_cpu_write(hw_breakpoint_traps, *(unsigned long *)trapped);
	write_watched(&nr);
	*(unsigned long *)trapped = hw_breakpoint_trapped();
	this_cpu_write(hw_breakpoint_traps, 0);
}

static void trap_leaves_the_outer_one(struct kunit *test)
{
	unsigned long trapped = 0xe;

	sight(test, 0, PINNED, false, NULL);
	smp_call_function_single(test_cpu[0], write_as_in_a_trap, &trapped, true);
	KUNIT_EXPECT_EQ(test, hits(0), 1);
	KUNIT_EXPECT_EQ(test, seen[0].trapped, BIT(seen[0].reg));
	KUNIT_EXPECT_EQ(test, trapped, 0xe);
}

static struct kunit_case hw_breakpoint_flexible_cases[] = {
	KUNIT_CASE(flexible_events_share_a_slot),
	KUNIT_CASE(flexible_is_refused_where_pinned_fill),
	KUNIT_CASE(pinned_leave_a_slot_to_flexible),
	KUNIT_CASE(task_flexible_keeps_a_slot_on_its_cpus),
	KUNIT_CASE(cpu_counts_busiest_task),
	KUNIT_CASE(task_counts_its_own),
	KUNIT_CASE(every_cpu_is_the_greatest_sum),
	KUNIT_CASE(every_cpu_has_a_veto),
	KUNIT_CASE(refusal_changes_nothing),
	KUNIT_CASE(modify_changes_no_count),
	KUNIT_CASE(inherited_flexible_is_not_counted),
	KUNIT_CASE(inherited_pinned_needs_a_slot),
	KUNIT_CASE(reservation_is_all_or_nothing),
	KUNIT_CASE(reservation_takes_its_mask_only),
	KUNIT_CASE(reservation_is_consumed_and_refilled),
	KUNIT_CASE(reservation_gives_back_its_rest),
	KUNIT_CASE(reservation_holds_one_slot_of_a_cpu),
	KUNIT_CASE(reservation_is_for_its_own_kind),
	KUNIT_CASE(reservation_refuses_a_bad_address),
	KUNIT_CASE(reservation_covers_offline_cpus),
	KUNIT_CASE(move_in_a_register),
	KUNIT_CASE(move_leaves_others_alone),
	KUNIT_CASE(move_while_disabled),
	KUNIT_CASE(move_while_waiting),
	KUNIT_CASE(bad_address_is_refused),
	KUNIT_CASE(modify_an_event_of_a_cpu),
	KUNIT_CASE(modify_a_family),
	KUNIT_CASE_SLOW(modify_while_a_child_forks),
	KUNIT_CASE(trap_tells_its_register),
	KUNIT_CASE(trap_leaves_the_outer_one),
	KUNIT_CASE_SLOW(all_states_of_cpus),
	KUNIT_CASE_SLOW(all_states_of_a_task),
	KUNIT_CASE_SLOW(all_states_of_two_tasks),
	KUNIT_CASE_SLOW(random_sequences_leave_zero),
	KUNIT_CASE_SLOW(real_events_take_turns),
	{},
};

/* The tasks only lend their names: none of them is woken before it is stopped. */
static int never_run(void *unused)
{
	return 0;
}

static int hw_breakpoint_flexible_init(struct kunit *test)
{
	int cpu, nr = 0;

	seed = 0;
	memset(seen, 0, sizeof(seen));
	slots = hw_breakpoint_slots(TYPE_DATA);
	if (slots < 3)
		kunit_skip(test, "needs 3 slots, has %u", slots);
	/* What others hold would be missing in the model. */
	if (hw_breakpoint_is_used())
		kunit_skip(test, "breakpoints are in use");

	for_each_online_cpu(cpu) {
		if (nr < NR_TEST_CPUS)
			test_cpu[nr++] = cpu;
	}
	if (nr < NR_TEST_CPUS)
		kunit_skip(test, "needs %d CPUs, has %d", NR_TEST_CPUS, nr);

	for (int i = TASK_A; i < NR_TASKS; i++) {
		struct task_struct *task = kthread_create(never_run, NULL, "bp-test-%d", i);

		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		tasks[i] = task;
	}
	return 0;
}

static void hw_breakpoint_flexible_exit(struct kunit *test)
{
	for (int i = 0; i < ARRAY_SIZE(real_events); i++) {
		if (real_events[i])
			unregister_hw_breakpoint(real_events[i]);
		real_events[i] = NULL;
	}
	give_back_all(NR_TASKS);

	/* Where the case was skipped breakpoints may well be in use. */
	if (tasks[TASK_A])
		KUNIT_EXPECT_FALSE(test, hw_breakpoint_is_used());
	for (int i = TASK_A; i < NR_TASKS; i++) {
		if (tasks[i])
			kthread_stop(tasks[i]);
		tasks[i] = NULL;
	}
}

static struct kunit_suite hw_breakpoint_flexible_suite = {
	.name = "hw_breakpoint_flexible",
	.test_cases = hw_breakpoint_flexible_cases,
	.init = hw_breakpoint_flexible_init,
	.exit = hw_breakpoint_flexible_exit,
};

kunit_test_suites(&hw_breakpoint_flexible_suite);

MODULE_DESCRIPTION("KUnit tests of pinned and flexible hardware breakpoints");
MODULE_LICENSE("GPL");

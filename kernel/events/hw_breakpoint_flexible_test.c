// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the admission of breakpoints and of reservations.
 *
 * Most cases ask for slots for events that perf has never seen: admission looks only at an
 * event's CPU, task, type and kind. This is fast enough for many thousand states. The
 * answers are compared with a model, which is the list of admitted events. It does not use
 * the rules: it puts the events of each CPU, and of each task that may run there, into
 * registers, and checks that each event gets what it was promised.
 */

#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hw_breakpoint.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "hw_breakpoint_test_events.h"

/* NOBODY is the owner of a CPU's events, which have no task. */
enum { NOBODY, TASK_A, TASK_B, TASK_C, NR_TASKS };

struct request {
	bool flexible;
	int task;
	int cpu;
};

/*
 * An admitted request and the event it was made with. The model reads only the request, so
 * that code under test which writes to the event can't mislead it.
 */
struct claim {
	struct list_head node;
	struct request request;
	struct perf_event bp;
};

static LIST_HEAD(claims);
static struct task_struct *tasks[NR_TASKS];
/* The seed of the random numbers, printed in messages; 0 in cases without random numbers. */
static u64 seed;

#define NR_RESERVATIONS	4
static struct hw_breakpoint_reservation reservations[NR_RESERVATIONS];

/* ===== The events that ask ===== */

static int ask(bool flexible, int task, int cpu)
{
	struct claim *claim = kzalloc_obj(*claim);
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

static int ask_for(const struct request *request)
{
	return ask(request->flexible, request->task, request->cpu);
}

/* Asks @nr times, or until a request is refused; returns the last answer. */
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

/* NR_TASKS gives back the events of all tasks and of the CPUs. */
static void give_back_all(int task)
{
	struct claim *claim, *next;

	list_for_each_entry_safe(claim, next, &claims, node) {
		if (task == NR_TASKS || claim->request.task == task)
			give_back(claim);
	}
}

/* ===== The model ===== */

static bool is_on_cpu(const struct claim *claim, int cpu)
{
	return claim->request.cpu == EVERY_CPU || claim->request.cpu == cpu;
}

/*
 * Does each event get what it was promised on @cpu while @task, or NOBODY, runs there?
 *
 * A pinned event has a register. The others take turns in the registers that pinned events
 * leave: a flexible event of the CPU when @task has no pinned events, a flexible event of
 * @task always.
 */
static bool promises_hold_with(int cpu, int task)
{
	bool task_has_pinned = false, promised = false;
	unsigned int left = slots;
	struct claim *claim;

	list_for_each_entry(claim, &claims, node) {
		bool of_task = claim->request.task != NOBODY;

		if (!is_on_cpu(claim, cpu) || claim->request.flexible ||
		    (of_task && claim->request.task != task))
			continue;
		if (!left)
			return false;
		left--;
		task_has_pinned |= of_task;
	}

	list_for_each_entry(claim, &claims, node) {
		if (!is_on_cpu(claim, cpu) || !claim->request.flexible)
			continue;
		if (claim->request.task == NOBODY)
			promised |= !task_has_pinned;
		else
			promised |= claim->request.task == task;
	}
	return left || !promised;
}

static bool promises_hold(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		for (int task = NOBODY; task < NR_TASKS; task++) {
			if (!promises_hold_with(cpu, task))
				return false;
		}
	}
	return true;
}

static bool model_admits(const struct request *request)
{
	static struct claim claim;
	bool holds;

	claim.request = *request;
	list_add_tail(&claim.node, &claims);
	holds = promises_hold();
	list_del(&claim.node);
	return holds;
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

/* The kernel and the model must agree. An admitted claim is added to the end of the list. */
static bool ask_both(struct kunit *test, const struct request *request)
{
	int expected = model_admits(request) ? 0 : -ENOSPC;
	int ret = ask_for(request);

	if (ret != expected) {
		show_claims(test);
		KUNIT_FAIL_AND_ABORT(test, "%s task %d cpu %d: got %d, the model says %d",
				     request->flexible ? "flexible" : "pinned",
				     request->task, request->cpu, ret, expected);
	}
	return !ret;
}

/* Makes a request that must be admitted, whatever else is admitted. */
static void expect_admitted(struct kunit *test, const struct request *request)
{
	int ret = ask_for(request);

	if (ret) {
		show_claims(test);
		KUNIT_FAIL_AND_ABORT(test, "%s task %d cpu %d: got %d",
				     request->flexible ? "flexible" : "pinned",
				     request->task, request->cpu, ret);
	}
}

/* The census must count the admitted events. Other cases check ->free. */
static void compare_census(struct kunit *test)
{
	int cpu;

	KUNIT_ASSERT_EQ(test, hw_breakpoint_is_used(), !list_empty(&claims));
	hw_breakpoint_census(TYPE_DATA, census);
	for_each_possible_cpu(cpu) {
		unsigned int pinned[NR_TASKS] = { }, flexible[NR_TASKS] = { }, need = 0;
		struct claim *claim;

		list_for_each_entry(claim, &claims, node) {
			if (!is_on_cpu(claim, cpu))
				continue;
			if (claim->request.flexible)
				flexible[claim->request.task]++;
			else
				pinned[claim->request.task]++;
		}
		for (int task = TASK_A; task < NR_TASKS; task++)
			need = max(need, pinned[task] + (flexible[task] ? 1 : 0));
		if (census[cpu].slots == slots && census[cpu].cpu_pinned == pinned[NOBODY] &&
		    census[cpu].flexible == flexible[NOBODY] && census[cpu].task == need)
			continue;

		show_claims(test);
		KUNIT_FAIL_AND_ABORT(test,
				     "cpu %d: slots %u/%u cpu_pinned %u/%u flexible %u/%u task %u/%u (got/model)",
				     cpu, census[cpu].slots, slots,
				     census[cpu].cpu_pinned, pinned[NOBODY],
				     census[cpu].flexible, flexible[NOBODY],
				     census[cpu].task, need);
	}
}

/* ===== A case for each promise ===== */

static void flexible_ones_share_a_slot(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(10, FLEXIBLE, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_B, EVERY_CPU), 0);
	expect_census(test, test_cpu[0], slots - 1, 1, 10, 0);
	expect_census(test, test_cpu[1], 0, 1, 0, slots - 1);
}

static void flexible_is_refused_where_pinned_fill(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[1]), 0);
}

/* A debugger gets the slots that it would get without others' flexible events. */
static void debugger_gets_all_slots_beside_flexible(struct kunit *test)
{
	for (int i = 0; i < NR_TEST_CPUS; i++)
		KUNIT_EXPECT_EQ(test, ask_times(2 * slots, FLEXIBLE, NOBODY, test_cpu[i]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots, FLEXIBLE, TASK_B, EVERY_CPU), 0);

	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, TASK_A, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), -ENOSPC);
	expect_census(test, test_cpu[0], 0, slots, 2 * slots, 0);
}

/* A sleeping task keeps no flexible event out. */
static void sleeping_task_keeps_no_flexible_out(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, TASK_A, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask_times(2 * slots, FLEXIBLE, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_B, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
}

static void pinned_of_a_cpu_leave_a_slot_to_its_flexible(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
	/* A task can use that slot while it runs. */
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), -ENOSPC);

	/* When the last flexible event goes, so does its claim to a slot, unless others need it. */
	give_back(list_first_entry(&claims, struct claim, node));
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
	give_back_all(TASK_A);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), 0);
}

static void pinned_of_a_task_leave_a_slot_to_its_flexible(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, TASK_A, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, TASK_A, test_cpu[1]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, TASK_B, test_cpu[0]), 0);
	expect_census(test, test_cpu[0], 0, slots, 0, 0);
}

static void flexible_of_a_task_keeps_a_slot_on_its_cpus(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[1]), 0);
	give_back_all(NR_TASKS);

	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), 0);
	for (int i = 0; i < NR_TEST_CPUS; i++) {
		KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[i]), -ENOSPC);
		expect_census(test, test_cpu[i], slots - 1, 1, 0, 0);
	}
}

static void cpu_counts_the_busiest_task(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_B, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_B, test_cpu[0]), 0);
	expect_census(test, test_cpu[0], 0, 2, 0, slots - 2);
	KUNIT_EXPECT_EQ(test, ask_times(slots - 2, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
}

static void task_counts_its_own(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, TASK_A, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_B, EVERY_CPU), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_B, test_cpu[0]), 0);
}

/* Needs are not added up unless they meet on one CPU. */
static void no_cpu_pays_for_another(struct kunit *test)
{
	/* CPU 0 has many events of its own, CPU 1 many of the task: no CPU has both. */
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, TASK_A, test_cpu[1]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), 0);
	give_back(last_claim());

	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[2]), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), 0);
	expect_census(test, test_cpu[0], slots - 1, 1, 0, 0);
	expect_census(test, test_cpu[1], 0, slots, 0, 0);
	expect_census(test, test_cpu[2], 0, 1, 1, slots - 1);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), -ENOSPC);
}

/* One CPU without room, wherever it is, refuses the request. */
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
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, EVERY_CPU), -ENOSPC);
	expect_census(test, test_cpu[0], slots - 1, 1, 0, 0);
	expect_census(test, test_cpu[1], 0, 1, 1, slots - 1);
	expect_census(test, test_cpu[2], 0, 1, 0, slots - 1);
	compare_census(test);
}

/* Changes the type of an event within its pool, as a write to a debug register does. */
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

	/* On CPU 1, a task has all slots, beside flexible events of others. */
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, TASK_A, test_cpu[1]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_B, test_cpu[1]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[1]), 0);
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), 0);
	list_for_each_entry(claim, &claims, node) {
		KUNIT_EXPECT_EQ(test, modify(claim, HW_BREAKPOINT_RW), 0);
		KUNIT_EXPECT_EQ(test, modify(claim, HW_BREAKPOINT_W), 0);
		KUNIT_EXPECT_EQ(test, modify(claim, HW_BREAKPOINT_EMPTY), -EINVAL);
		KUNIT_EXPECT_EQ(test, modify(claim, HW_BREAKPOINT_INVALID), -EINVAL);
		/* Where all types share one pool, code can be watched with a data slot. */
		if (TYPE_INST == TYPE_DATA)
			KUNIT_EXPECT_EQ(test, modify(claim, HW_BREAKPOINT_X), 0);
	}
	compare_census(test);
}

/* The events of a task fit each of its children, one after another. */
static void children_inherit(struct kunit *test)
{
	const struct request full[] = {
		{ PINNED, NOBODY, test_cpu[0] },
		{ FLEXIBLE, NOBODY, test_cpu[0] },
		{ FLEXIBLE, TASK_A, EVERY_CPU },
		{ PINNED, TASK_A, EVERY_CPU },
		{ PINNED, TASK_A, test_cpu[0] },
		{ PINNED, TASK_A, test_cpu[1] },
		{ FLEXIBLE, TASK_A, test_cpu[1] },
	};
	struct request child;

	for (int i = 0; i < ARRAY_SIZE(full); i++)
		expect_admitted(test, &full[i]);
	for (int task = TASK_B; task < NR_TASKS; task++) {
		for (int i = 0; i < ARRAY_SIZE(full); i++) {
			child = full[i];
			if (child.task != TASK_A)
				continue;
			child.task = task;
			expect_admitted(test, &child);
		}
	}
	compare_census(test);
}

/* ===== The order of requests ===== */

/* Makes the requests of @list that @made does not contain, in all orders. */
static void try_all_orders(struct kunit *test, const struct request *list, unsigned int nr,
			   unsigned long made)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (made & BIT(i))
			continue;
		expect_admitted(test, &list[i]);
		try_all_orders(test, list, nr, made | BIT(i));
		give_back(last_claim());
	}
	cond_resched();
}

static void all_orders_are_admitted(struct kunit *test)
{
	/* On CPU 0, the CPU and task A fill four slots; task B shares task A's flexible slot. */
	const struct request full[] = {
		{ FLEXIBLE, NOBODY, test_cpu[0] },
		{ PINNED, NOBODY, test_cpu[0] },
		{ FLEXIBLE, TASK_A, EVERY_CPU },
		{ PINNED, TASK_A, EVERY_CPU },
		{ PINNED, TASK_A, test_cpu[0] },
		{ PINNED, TASK_B, test_cpu[0] },
		{ FLEXIBLE, TASK_B, test_cpu[0] },
		{ PINNED, NOBODY, test_cpu[1] },
	};
	/* A task with all slots, beside flexible events of CPUs and of another task. */
	const struct request debugger[] = {
		{ FLEXIBLE, NOBODY, test_cpu[0] },
		{ FLEXIBLE, NOBODY, test_cpu[1] },
		{ FLEXIBLE, TASK_B, EVERY_CPU },
		{ PINNED, TASK_A, EVERY_CPU },
		{ PINNED, TASK_A, EVERY_CPU },
		{ PINNED, TASK_A, test_cpu[0] },
		{ PINNED, TASK_A, test_cpu[0] },
		{ PINNED, TASK_B, test_cpu[1] },
	};

	if (slots > 4)
		kunit_skip(test, "%u slots are not full with these", slots);
	try_all_orders(test, full, ARRAY_SIZE(full), 0);
	try_all_orders(test, debugger, ARRAY_SIZE(debugger), 0);
	compare_census(test);
}

/* ===== Reservations ===== */

static void on_hit(struct perf_event *bp, struct perf_sample_data *data, struct pt_regs *regs)
{
}

/* Makes reservation @nr, which the end of the case releases. */
static int reserve(unsigned int nr, bool flexible, const struct cpumask *cpus)
{
	struct perf_event_attr attr = watch_attr(0, flexible);

	return hw_breakpoint_reserve_cpus(&reservations[nr], &attr, cpus);
}

static struct perf_event *register_reserved(unsigned int nr, bool flexible, int cpu)
{
	struct perf_event_attr attr = watch_attr(0, flexible);

	return end_with_case(register_reserved_hw_breakpoint(&reservations[nr], &attr, on_hit,
							     NULL, cpu));
}

static void unregister_reserved(unsigned int nr, struct perf_event *bp)
{
	forget_event(bp);
	unregister_reserved_hw_breakpoint(&reservations[nr], bp);
}

static void reservation_is_all_or_nothing(struct kunit *test)
{
	int cpu;

	for (int i = 0; i < NR_TEST_CPUS; i++) {
		KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[i]), 0);
		KUNIT_EXPECT_EQ(test, reserve(0, PINNED, cpu_possible_mask), -ENOSPC);
		KUNIT_EXPECT_EQ(test, reserve(0, FLEXIBLE, cpu_possible_mask), -ENOSPC);
		compare_census(test);
		give_back_all(NR_TASKS);
	}

	KUNIT_ASSERT_EQ(test, reserve(0, PINNED, cpu_possible_mask), 0);
	for_each_possible_cpu(cpu)
		expect_census(test, cpu, 1, 0, 0, slots - 1);
	hw_breakpoint_unreserve_cpus(&reservations[0]);
	compare_census(test);
}

static void reservation_takes_its_mask_only(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_ASSERT_EQ(test, reserve(0, FLEXIBLE, cpumask_of(test_cpu[1])), 0);
	expect_census(test, test_cpu[0], slots, 0, 0, 0);
	expect_census(test, test_cpu[1], 0, 0, 1, slots - 1);
	expect_census(test, test_cpu[2], 0, 0, 0, slots);
}

static void reservation_is_kept_from_others(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_ASSERT_EQ(test, reserve(0, PINNED, cpumask_of(test_cpu[0])), 0);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ask(PINNED, TASK_A, EVERY_CPU), -ENOSPC);
	KUNIT_EXPECT_EQ(test, reserve(1, PINNED, cpumask_of(test_cpu[0])), -ENOSPC);
}

static void reservation_is_consumed_and_refilled(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask_times(slots - 1, PINNED, NOBODY, test_cpu[0]), 0);
	KUNIT_ASSERT_EQ(test, reserve(0, PINNED, cpumask_of(test_cpu[0])), 0);

	for (int i = 0; i < 2; i++) {
		struct perf_event *bp = register_reserved(0, PINNED, test_cpu[0]);

		KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
		expect_census(test, test_cpu[0], slots, 0, 0, 0);
		/* The only slot is taken, and no other is free. */
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(register_reserved(0, PINNED, test_cpu[0])),
				-ENOSPC);
		unregister_reserved(0, bp);
		expect_census(test, test_cpu[0], slots, 0, 0, 0);
		KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), -ENOSPC);
	}

	hw_breakpoint_unreserve_cpus(&reservations[0]);
	compare_census(test);
	KUNIT_EXPECT_EQ(test, ask(PINNED, NOBODY, test_cpu[0]), 0);
}

/* Breakpoints outlive their reservation, and free their slots when they go. */
static void reservation_frees_its_unused_slots(struct kunit *test)
{
	for (int flexible = 0; flexible < 2; flexible++) {
		struct perf_event *bp[2];

		KUNIT_ASSERT_EQ(test, reserve(0, flexible, cpu_possible_mask), 0);
		bp[0] = register_reserved(0, flexible, test_cpu[1]);
		bp[1] = register_reserved(0, flexible, test_cpu[3]);
		KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp[0]), 0);
		KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp[1]), 0);
		KUNIT_EXPECT_EQ(test, bp[0]->hw.bp_flexible, flexible);
		expect_census(test, test_cpu[0], !flexible, 0, flexible, slots - 1);
		expect_census(test, test_cpu[1], !flexible, 0, flexible, slots - 1);

		hw_breakpoint_unreserve_cpus(&reservations[0]);
		expect_census(test, test_cpu[0], 0, 0, 0, slots);
		expect_census(test, test_cpu[1], !flexible, 0, flexible, slots - 1);
		expect_census(test, test_cpu[3], !flexible, 0, flexible, slots - 1);

		for (int i = 0; i < 2; i++) {
			forget_event(bp[i]);
			unregister_hw_breakpoint(bp[i]);
		}
		compare_census(test);
	}
}

/* A breakpoint that goes without its reservation leaves its slot free for anyone. */
static void unregistered_breakpoint_frees_its_slot(struct kunit *test)
{
	struct perf_event *bp;

	KUNIT_ASSERT_EQ(test, reserve(0, PINNED, cpumask_of(test_cpu[0])), 0);
	bp = register_reserved(0, PINNED, test_cpu[0]);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
	forget_event(bp);
	unregister_hw_breakpoint(bp);
	expect_census(test, test_cpu[0], 0, 0, 0, slots);

	bp = register_reserved(0, PINNED, test_cpu[0]);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
	expect_census(test, test_cpu[0], 1, 0, 0, slots - 1);
	/* The reservation takes over the slot, as from any breakpoint of its kind. */
	unregister_reserved(0, bp);
	expect_census(test, test_cpu[0], 1, 0, 0, slots - 1);
}

/* A reservation keeps one slot per CPU; further slots that come back are free for anyone. */
static void reservation_holds_one_slot_of_a_cpu(struct kunit *test)
{
	struct perf_event *bp[2];

	KUNIT_ASSERT_EQ(test, reserve(0, PINNED, cpumask_of(test_cpu[0])), 0);
	for (int i = 0; i < 2; i++) {
		bp[i] = register_reserved(0, PINNED, test_cpu[0]);
		KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp[i]), 0);
	}
	expect_census(test, test_cpu[0], 2, 0, 0, slots - 2);
	unregister_reserved(0, bp[0]);
	expect_census(test, test_cpu[0], 2, 0, 0, slots - 2);
	unregister_reserved(0, bp[1]);
	expect_census(test, test_cpu[0], 1, 0, 0, slots - 1);
}

/* Each reservation uses only its own slots, even if one task uses both. */
static void reservations_do_not_mix(struct kunit *test)
{
	struct perf_event *bp;

	KUNIT_ASSERT_EQ(test, reserve(0, FLEXIBLE, cpumask_of(test_cpu[0])), 0);
	KUNIT_ASSERT_EQ(test, reserve(1, PINNED, cpumask_of(test_cpu[0])), 0);
	expect_census(test, test_cpu[0], 1, 0, 1, slots - 2);

	bp = register_reserved(1, PINNED, test_cpu[0]);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
	expect_census(test, test_cpu[0], 1, 0, 1, slots - 2);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, NOBODY, test_cpu[0]), 0);
	KUNIT_EXPECT_EQ(test, ask(FLEXIBLE, TASK_A, test_cpu[0]), 0);
	expect_census(test, test_cpu[0], 1, 1, 2, slots - 2);
	give_back_all(NR_TASKS);
	expect_census(test, test_cpu[0], 1, 0, 1, slots - 2);

	hw_breakpoint_unreserve_cpus(&reservations[0]);
	expect_census(test, test_cpu[0], 1, 0, 0, slots - 1);
	hw_breakpoint_unreserve_cpus(&reservations[1]);
	expect_census(test, test_cpu[0], 1, 0, 0, slots - 1);
}

/* A breakpoint that can't be created takes no slot, and loses none. */
static void reservation_refuses_a_bad_address(struct kunit *test)
{
	struct perf_event_attr attr = watch_attr(0, PINNED);
	struct perf_event *bp;

	/* Four bytes from the last address on wrap around. */
	attr.bp_addr = ULONG_MAX;
	KUNIT_EXPECT_EQ(test, hw_breakpoint_reserve_cpus(&reservations[0], &attr,
							 cpu_possible_mask), -EINVAL);
	compare_census(test);

	KUNIT_ASSERT_EQ(test, reserve(0, PINNED, cpumask_of(test_cpu[0])), 0);
	bp = register_reserved_hw_breakpoint(&reservations[0], &attr, on_hit, NULL, test_cpu[0]);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(end_with_case(bp)), -EINVAL);
	expect_census(test, test_cpu[0], 1, 0, 0, slots - 1);
}

/* The breakpoint has the given handler and context, although it came from a reservation. */
static void reserved_breakpoint_has_its_handler(struct kunit *test)
{
	struct perf_event_attr attr = watch_attr(0, PINNED);
	struct perf_event *bp;

	KUNIT_ASSERT_EQ(test, reserve(0, PINNED, cpumask_of(test_cpu[0])), 0);
	bp = end_with_case(register_reserved_hw_breakpoint(&reservations[0], &attr, on_hit, test,
							   test_cpu[0]));
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
	KUNIT_EXPECT_TRUE(test, bp->overflow_handler == on_hit);
	KUNIT_EXPECT_PTR_EQ(test, bp->overflow_handler_context, (void *)test);
	KUNIT_EXPECT_NULL(test, bp->hw.bp_reservation);
}

/* Takes the last CPU offline, or skips the case. */
static int take_cpu_offline(struct kunit *test)
{
	int cpu = test_cpu[NR_TEST_CPUS - 1];

	if (remove_cpu(cpu))
		kunit_skip(test, "can't take CPU %d offline", cpu);
	return cpu;
}

/* A CPU that comes online finds its slot. */
static void reservation_covers_offline_cpus(struct kunit *test)
{
	int cpu = take_cpu_offline(test);
	struct perf_event *bp;

	KUNIT_EXPECT_EQ(test, reserve(0, PINNED, cpu_possible_mask), 0);
	expect_census(test, cpu, 1, 0, 0, slots - 1);
	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, cpu), -ENOSPC);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);

	bp = register_reserved(0, PINNED, cpu);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
	expect_census(test, cpu, slots, 0, 0, 0);
	hw_breakpoint_unreserve_cpus(&reservations[0]);
	expect_census(test, cpu, slots, 0, 0, 0);
}

/* ===== Breakpoints of all CPUs ===== */

static void expect_wide(struct kunit *test, struct perf_event_attr *attr, int expected)
{
	struct perf_event * __percpu *wide = register_wide_hw_breakpoint(attr, on_hit, NULL);
	long err = PTR_ERR_OR_ZERO((void __force *)wide);
	int cpu;

	KUNIT_EXPECT_EQ(test, err, expected);
	if (err) {
		compare_census(test);
		return;
	}

	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, !!per_cpu(*wide, cpu), cpu_online(cpu));
	unregister_wide_hw_breakpoint(wide);
	compare_census(test);
}

static void wide_is_all_or_nothing(struct kunit *test)
{
	struct perf_event_attr attr = watch_attr(0, PINNED);

	expect_wide(test, &attr, 0);
	for (int i = 0; i < NR_TEST_CPUS; i++) {
		KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, test_cpu[i]), 0);
		expect_wide(test, &attr, -ENOSPC);
		give_back_all(NR_TASKS);
	}
	/* perf refuses this event, although it has its slots. */
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	expect_wide(test, &attr, -EOPNOTSUPP);
	attr.sample_type = 0;
	attr.bp_addr = ULONG_MAX;
	expect_wide(test, &attr, -EINVAL);
}

static void wide_leaves_offline_cpus_alone(struct kunit *test)
{
	struct perf_event_attr attr = watch_attr(0, PINNED);
	int cpu = take_cpu_offline(test);

	KUNIT_EXPECT_EQ(test, ask_times(slots, PINNED, NOBODY, cpu), 0);
	expect_wide(test, &attr, 0);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	expect_wide(test, &attr, -ENOSPC);
}

/* Without a handler, perf's own is called, as for other breakpoints of the kernel. */
static void wide_without_a_handler_counts(struct kunit *test)
{
	for (int flexible = PINNED; flexible <= FLEXIBLE; flexible++) {
		struct perf_event_attr attr = watch_attr(0, flexible);
		struct perf_event * __percpu *wide;
		u64 count = 0, enabled, running;
		int cpu;

		wide = register_wide_hw_breakpoint(&attr, NULL, NULL);
		KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO((void __force *)wide), 0);
		WRITE_ONCE(watched[0], watched[0] + 1);
		for_each_online_cpu(cpu) {
			struct perf_event *bp = per_cpu(*wide, cpu);

			KUNIT_EXPECT_EQ(test, bp->hw.bp_flexible, flexible);
			count += perf_event_read_value(bp, &enabled, &running);
		}
		unregister_wide_hw_breakpoint(wide);
		KUNIT_EXPECT_EQ(test, count, 1);
		compare_census(test);
	}
}

/* ===== All states ===== */

/* Makes each request for each CPU and each task up to @stranger, which has no events. */
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
	/* Refused and returned requests must leave no trace. */
	compare_census(test);
	cond_resched();
}

/*
 * Visits all states of events of these kinds: any number of each pinned kind, and at most one
 * event of each flexible kind. The claims are a path in a tree, whose kinds never decrease,
 * so that each state is visited once and differs from its parent by one event.
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

/* A task with any number of pinned events on two CPUs and on all CPUs. */
static void all_states_of_a_task(struct kunit *test)
{
	const struct request kinds[] = {
		{ PINNED, TASK_A, EVERY_CPU },
		{ PINNED, TASK_A, test_cpu[0] },
		{ PINNED, TASK_A, test_cpu[1] },
		{ PINNED, NOBODY, test_cpu[0] },
		{ FLEXIBLE, TASK_A, EVERY_CPU },
		{ FLEXIBLE, TASK_A, test_cpu[1] },
		{ FLEXIBLE, NOBODY, test_cpu[0] },
	};

	skip_if_states_are_too_many(test);
	visit_all_states(test, kinds, ARRAY_SIZE(kinds), TASK_B);
}

/* Two tasks, with and without a CPU, and flexible events of all sorts. */
static void all_states_of_two_tasks(struct kunit *test)
{
	const struct request kinds[] = {
		{ PINNED, TASK_A, EVERY_CPU },
		{ PINNED, TASK_B, EVERY_CPU },
		{ PINNED, TASK_A, test_cpu[0] },
		{ PINNED, NOBODY, test_cpu[0] },
		{ FLEXIBLE, TASK_A, EVERY_CPU },
		{ FLEXIBLE, TASK_B, test_cpu[0] },
		{ FLEXIBLE, NOBODY, test_cpu[0] },
	};

	skip_if_states_are_too_many(test);
	visit_all_states(test, kinds, ARRAY_SIZE(kinds), TASK_C);
}

/* ===== Random sequences ===== */

#define NR_SEQUENCES	2000
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
	/* Code can only be watched where code and data share their slots. */
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

/* A new task C inherits some events of task A. This never fails. */
static void fork_any(struct kunit *test, struct rnd_state *rnd)
{
	struct claim *claim, *last;

	give_back_all(TASK_C);
	if (list_empty(&claims))
		return;
	last = last_claim();
	list_for_each_entry(claim, &claims, node) {
		struct request child = claim->request;

		child.task = TASK_C;
		if (claim->request.task == TASK_A && below(rnd, 4))
			expect_admitted(test, &child);
		/* The child's events are after it. */
		if (claim == last)
			break;
	}
}

/* The same events are admitted in another order. */
static void admit_again_in_any_order(struct kunit *test, struct rnd_state *rnd)
{
	struct request list[4 * SEQUENCE_LEN];
	unsigned int nr = 0;
	struct claim *claim;

	list_for_each_entry(claim, &claims, node) {
		KUNIT_ASSERT_LT(test, nr, ARRAY_SIZE(list));
		list[nr++] = claim->request;
	}
	give_back_all(NR_TASKS);
	for (unsigned int i = nr; i; i--) {
		unsigned int any = below(rnd, i);

		expect_admitted(test, &list[any]);
		list[any] = list[i - 1];
	}
	compare_census(test);
}

/* On each CPU, as many events are admitted as the census reports free, and no more. */
static void take_what_is_free(struct kunit *test)
{
	for (int i = 0; i < NR_TEST_CPUS; i++) {
		const struct request request = { PINNED, NOBODY, test_cpu[i] };
		unsigned int nr;

		hw_breakpoint_census(TYPE_DATA, census);
		for (nr = census[test_cpu[i]].free; nr; nr--)
			expect_admitted(test, &request);
		KUNIT_ASSERT_EQ_MSG(test, ask_for(&request), -ENOSPC, "seed %llu", seed);
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
			case 10 ... 11:
				claim = any_claim(&rnd);
				if (claim)
					give_back(claim);
				break;
			case 12:
				fork_any(test, &rnd);
				break;
			case 13 ... 14:
				modify_any(test, &rnd);
				break;
			case 15:
				/* A task that exits gives back all its events. */
				give_back_all(TASK_A + below(&rnd, NR_TASKS - TASK_A));
				break;
			}
			compare_census(test);
		}
		admit_again_in_any_order(test, &rnd);
		take_what_is_free(test);
		give_back_all(NR_TASKS);
		compare_census(test);
		KUNIT_ASSERT_FALSE_MSG(test, hw_breakpoint_is_used(), "seed %llu", seed);
		cond_resched();
	}
}

static struct kunit_case hw_breakpoint_flexible_cases[] = {
	KUNIT_CASE(flexible_ones_share_a_slot),
	KUNIT_CASE(flexible_is_refused_where_pinned_fill),
	KUNIT_CASE(debugger_gets_all_slots_beside_flexible),
	KUNIT_CASE(sleeping_task_keeps_no_flexible_out),
	KUNIT_CASE(pinned_of_a_cpu_leave_a_slot_to_its_flexible),
	KUNIT_CASE(pinned_of_a_task_leave_a_slot_to_its_flexible),
	KUNIT_CASE(flexible_of_a_task_keeps_a_slot_on_its_cpus),
	KUNIT_CASE(cpu_counts_the_busiest_task),
	KUNIT_CASE(task_counts_its_own),
	KUNIT_CASE(no_cpu_pays_for_another),
	KUNIT_CASE(every_cpu_has_a_veto),
	KUNIT_CASE(refusal_changes_nothing),
	KUNIT_CASE(modify_changes_no_count),
	KUNIT_CASE(children_inherit),
	KUNIT_CASE(reservation_is_all_or_nothing),
	KUNIT_CASE(reservation_takes_its_mask_only),
	KUNIT_CASE(reservation_is_kept_from_others),
	KUNIT_CASE(reservation_is_consumed_and_refilled),
	KUNIT_CASE(reservation_frees_its_unused_slots),
	KUNIT_CASE(unregistered_breakpoint_frees_its_slot),
	KUNIT_CASE(reservation_holds_one_slot_of_a_cpu),
	KUNIT_CASE(reservations_do_not_mix),
	KUNIT_CASE(reservation_refuses_a_bad_address),
	KUNIT_CASE(reserved_breakpoint_has_its_handler),
	KUNIT_CASE(reservation_covers_offline_cpus),
	KUNIT_CASE(wide_is_all_or_nothing),
	KUNIT_CASE(wide_leaves_offline_cpus_alone),
	KUNIT_CASE(wide_without_a_handler_counts),
	KUNIT_CASE_SLOW(all_orders_are_admitted),
	KUNIT_CASE_SLOW(all_states_of_a_task),
	KUNIT_CASE_SLOW(all_states_of_two_tasks),
	KUNIT_CASE_SLOW(random_sequences_leave_zero),
	{},
};

/* The tests only need task structs: the tasks are stopped before they run. */
static int never_run(void *unused)
{
	return 0;
}

static int hw_breakpoint_flexible_init(struct kunit *test)
{
	seed = 0;
	test_events_init(test);
	for (int i = TASK_A; i < NR_TASKS; i++) {
		struct task_struct *task = kthread_create(never_run, NULL, "bp-test-%d", i);

		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		tasks[i] = task;
	}
	return 0;
}

static void hw_breakpoint_flexible_exit(struct kunit *test)
{
	for (int i = 0; i < NR_RESERVATIONS; i++)
		hw_breakpoint_unreserve_cpus(&reservations[i]);
	give_back_all(NR_TASKS);
	test_events_exit(test);

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

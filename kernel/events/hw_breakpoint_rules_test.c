// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the rules that admit requests for breakpoints.
 *
 * The rules are arithmetic on counts, which the tests do not repeat. They put breakpoints
 * into registers, one by one, and check that each breakpoint gets the register it was
 * promised. There is one CPU with a few slots, and two tasks that may run there. The tests
 * go through all states of the counts, up to one breakpoint of each kind more than slots.
 */

#include <kunit/test.h>
#include <linux/array_size.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "hw_breakpoint_rules.h"

#define MAX_SLOTS	4

/* The owners of breakpoints. While no task runs, the CPU has only its own breakpoints. */
enum { CPU, TASK_A, TASK_B, NR_OWNERS };

struct state {
	struct bp_counts of[NR_OWNERS];
};

/* A request for one breakpoint. Its index is twice the owner, plus one if flexible. */
struct request {
	int owner;
	bool flexible;
};

#define NR_KINDS	(2 * NR_OWNERS)

static struct request request_of_kind(unsigned int kind)
{
	return (struct request){ .owner = kind / 2, .flexible = kind % 2 };
}

static unsigned int *count_of_kind(struct state *state, unsigned int kind)
{
	struct bp_counts *counts = &state->of[kind / 2];

	return kind % 2 ? &counts->flexible : &counts->pinned;
}

/*
 * Advances to the next of all states with up to @max breakpoints of each kind. After the
 * last state, returns false and starts again with the empty state.
 */
static bool next_state(struct state *state, unsigned int max)
{
	for (unsigned int kind = 0; kind < NR_KINDS; kind++) {
		unsigned int *count = count_of_kind(state, kind);

		if (++*count <= max)
			return true;
		*count = 0;
	}
	cond_resched();
	return false;
}

/* ===== The rules, called as hw_breakpoint.c calls them ===== */

static unsigned int busiest_need(const struct state *state)
{
	return max(bp_rules_need(state->of[TASK_A]), bp_rules_need(state->of[TASK_B]));
}

static bool admits(const struct state *state, struct request request, unsigned int slots)
{
	struct bp_counts own = bp_rules_add(state->of[request.owner], request.flexible, 1);

	if (request.owner == CPU)
		return bp_rules_fit(own, busiest_need(state), slots);
	return bp_rules_fit(state->of[CPU], bp_rules_need(own), slots);
}

/* ===== Registers ===== */

/* Puts @nr breakpoints into free registers. Returns false if there are too few. */
static bool place(bool *registers, unsigned int slots, unsigned int nr)
{
	for (unsigned int i = 0; i < slots && nr; i++) {
		if (!registers[i]) {
			registers[i] = true;
			nr--;
		}
	}
	return !nr;
}

/*
 * Does each breakpoint get what it was promised while the CPU runs @running, or no task at all?
 *
 * A pinned breakpoint always has a register. A flexible breakpoint of the CPU has its turn
 * in a remaining register when no task with pinned breakpoints runs. A flexible breakpoint
 * of a task has its turn whenever the task runs.
 */
static bool promises_hold_with(const struct state *state, int running, unsigned int slots)
{
	const struct bp_counts none = { }, cpu = state->of[CPU];
	const struct bp_counts task = running == CPU ? none : state->of[running];
	bool registers[MAX_SLOTS] = { };

	if (!place(registers, slots, cpu.pinned) || !place(registers, slots, task.pinned))
		return false;
	/* One of them is in a register; the others take turns in the same register. */
	if (task.flexible || (cpu.flexible && !task.pinned))
		return place(registers, slots, 1);
	return true;
}

static bool promises_hold(const struct state *state, unsigned int slots)
{
	for (int running = CPU; running < NR_OWNERS; running++) {
		if (!promises_hold_with(state, running, slots))
			return false;
	}
	return true;
}

/* @kind is the kind of the request, or of the breakpoint that goes. */
static void expect(struct kunit *test, bool holds, const struct state *state,
		   unsigned int slots, unsigned int kind)
{
	KUNIT_ASSERT_TRUE_MSG(test, holds,
			      "%u slots, CPU %u+%u, task A %u+%u, task B %u+%u (pinned+flexible), kind %u",
			      slots, state->of[CPU].pinned, state->of[CPU].flexible,
			      state->of[TASK_A].pinned, state->of[TASK_A].flexible,
			      state->of[TASK_B].pinned, state->of[TASK_B].flexible, kind);
}

/* ===== All states ===== */

/* What the rules admit is exactly what fits into the registers. */
static void admits_exactly_what_fits(struct kunit *test)
{
	struct state state = { }, after;

	for (unsigned int slots = 1; slots <= MAX_SLOTS; slots++) {
		do {
			if (!promises_hold(&state, slots))
				continue;
			for (unsigned int kind = 0; kind < NR_KINDS; kind++) {
				after = state;
				++*count_of_kind(&after, kind);
				expect(test, admits(&state, request_of_kind(kind), slots) ==
					     promises_hold(&after, slots), &state, slots, kind);
			}
		} while (next_state(&state, slots + 1));
	}
}

/* A breakpoint that goes takes nothing from the others, and can come back. */
static void remaining_ones_still_fit(struct kunit *test)
{
	struct state state = { }, after;

	for (unsigned int slots = 1; slots <= MAX_SLOTS; slots++) {
		do {
			if (!promises_hold(&state, slots))
				continue;
			for (unsigned int kind = 0; kind < NR_KINDS; kind++) {
				after = state;
				if (!*count_of_kind(&after, kind))
					continue;
				--*count_of_kind(&after, kind);
				expect(test, promises_hold(&after, slots), &state, slots, kind);
				expect(test, admits(&after, request_of_kind(kind), slots), &state,
				       slots, kind);
			}
		} while (next_state(&state, slots + 1));
	}
}

/* A task gets its answer as if only it and the CPU's pinned breakpoints existed. */
static void task_ignores_flexible_ones_of_others(struct kunit *test)
{
	struct state state = { }, alone;

	for (unsigned int slots = 1; slots <= MAX_SLOTS; slots++) {
		do {
			for (unsigned int kind = 2 * TASK_A; kind < NR_KINDS; kind++) {
				struct request request = request_of_kind(kind);

				memset(&alone, 0, sizeof(alone));
				alone.of[CPU].pinned = state.of[CPU].pinned;
				alone.of[request.owner] = state.of[request.owner];
				expect(test, admits(&state, request, slots) ==
					     admits(&alone, request, slots), &state, slots, kind);
			}
		} while (next_state(&state, slots + 1));
	}
}

/* For the CPU, a task's flexible breakpoints cost no more than as many pinned ones. */
static void flexible_ones_cost_no_more_than_pinned(struct kunit *test)
{
	struct state state = { }, pinned;

	for (unsigned int slots = 1; slots <= MAX_SLOTS; slots++) {
		do {
			pinned = state;
			pinned.of[TASK_A].pinned += pinned.of[TASK_A].flexible;
			pinned.of[TASK_A].flexible = 0;
			for (unsigned int kind = 0; kind < 2 * TASK_A; kind++) {
				struct request request = request_of_kind(kind);

				if (admits(&pinned, request, slots))
					expect(test, admits(&state, request, slots), &state, slots,
					       kind);
			}
		} while (next_state(&state, slots + 1));
	}
}

/* A context with any number of flexible breakpoints needs one slot more. */
static void flexible_ones_add_one_to_the_need(struct kunit *test)
{
	struct state state = { };

	do {
		struct bp_counts counts = state.of[TASK_A];
		bool registers[2 * MAX_SLOTS] = { };
		unsigned int needs = bp_rules_need(counts);

		KUNIT_ASSERT_TRUE(test, place(registers, needs, counts.pinned));
		KUNIT_ASSERT_EQ(test, place(registers, needs, 1), !!counts.flexible);
		KUNIT_ASSERT_FALSE(test, place(registers, needs, 1));
	} while (next_state(&state, MAX_SLOTS + 1));
}

/* Exactly as many pinned breakpoints as are reported free are admitted. */
static void free_ones_are_admitted(struct kunit *test)
{
	const struct request request = { .owner = CPU };
	struct state state = { };

	for (unsigned int slots = 1; slots <= MAX_SLOTS; slots++) {
		do {
			unsigned int nr = bp_rules_free(state.of[CPU], busiest_need(&state), slots);
			struct state after = state;

			KUNIT_ASSERT_LE(test, nr, slots);
			for (; nr; nr--) {
				expect(test, admits(&after, request, slots), &state, slots, CPU);
				after.of[CPU].pinned++;
			}
			expect(test, !admits(&after, request, slots), &state, slots, CPU);
		} while (next_state(&state, slots + 1));
	}
}

/* A breakpoint of two slots counts as two if it is pinned, and as one if flexible. */
static void weight_counts_for_pinned_ones(struct kunit *test)
{
	const struct bp_counts before = { .pinned = 1, .flexible = 2 };
	struct bp_counts after;

	after = bp_rules_add(before, false, 2);
	KUNIT_EXPECT_EQ(test, after.pinned, 3);
	KUNIT_EXPECT_EQ(test, after.flexible, 2);

	after = bp_rules_add(before, true, 2);
	KUNIT_EXPECT_EQ(test, after.pinned, 1);
	KUNIT_EXPECT_EQ(test, after.flexible, 3);
}

/* ===== The order of requests ===== */

#define NR_REQUESTS	8

/*
 * Makes the requests of @left after those of @state, in all orders. They fit together, so
 * each request must be admitted.
 */
static void try_all_orders(struct kunit *test, struct state *state, struct state *left,
			   unsigned int slots)
{
	for (unsigned int kind = 0; kind < NR_KINDS; kind++) {
		unsigned int *to_come = count_of_kind(left, kind);

		if (!*to_come)
			continue;
		expect(test, admits(state, request_of_kind(kind), slots), state, slots, kind);
		--*to_come;
		++*count_of_kind(state, kind);
		try_all_orders(test, state, left, slots);
		--*count_of_kind(state, kind);
		++*to_come;
	}
}

/* All permutations of any eight requests that fit together. */
static void all_orders_are_admitted(struct kunit *test)
{
	unsigned int nr_lists = 0;
	struct state list = { };

	do {
		struct state state = { }, left = list;
		unsigned int nr = 0;

		for (unsigned int kind = 0; kind < NR_KINDS; kind++)
			nr += *count_of_kind(&list, kind);
		if (nr != NR_REQUESTS || !promises_hold(&list, MAX_SLOTS))
			continue;
		try_all_orders(test, &state, &left, MAX_SLOTS);
		nr_lists++;
		cond_resched();
	} while (next_state(&list, NR_REQUESTS));
	KUNIT_EXPECT_GT(test, nr_lists, 0);
	kunit_info(test, "%u lists of requests", nr_lists);
}

/* ===== Each row of the table, with numbers ===== */

static void rows_of_the_table(struct kunit *test)
{
	static const struct {
		const char *row;
		struct state before;
		struct request request;
		bool admitted;
	} rows[] = {
		/* Four slots. Each state lists the CPU, task A and task B. */
		{ "flexible of a CPU: a sleeping task does not keep it out",
		  { { { 0, 0 }, { 4, 0 } } }, { CPU, true }, true },
		{ "flexible of a CPU: beside three pinned ones",
		  { { { 3, 0 } } }, { CPU, true }, true },
		{ "flexible of a CPU: beside three pinned ones and one of a task",
		  { { { 3, 0 }, { 1, 0 } } }, { CPU, true }, true },
		{ "flexible of a CPU: beside four pinned ones",
		  { { { 4, 0 } } }, { CPU, true }, false },
		{ "flexible of a CPU: any number",
		  { { { 3, 5 }, { 0, 5 } } }, { CPU, true }, true },

		{ "flexible of a task: beside three pinned ones of the CPU",
		  { { { 3, 0 } } }, { TASK_A, true }, true },
		{ "flexible of a task: beside four pinned ones of the CPU",
		  { { { 4, 0 } } }, { TASK_A, true }, false },
		{ "flexible of a task: beside pinned ones of both, with one slot left",
		  { { { 2, 0 }, { 1, 0 } } }, { TASK_A, true }, true },
		{ "flexible of a task: beside pinned ones of both, with no slot left",
		  { { { 2, 0 }, { 2, 0 } } }, { TASK_A, true }, false },
		{ "flexible of a task: beside another task that has all slots",
		  { { { 0, 0 }, { 4, 0 } } }, { TASK_B, true }, true },
		{ "flexible of a task: any number, beside any number of the CPU",
		  { { { 3, 5 }, { 0, 5 } } }, { TASK_A, true }, true },

		{ "pinned of a CPU: the fourth slot",
		  { { { 3, 0 } } }, { CPU, false }, true },
		{ "pinned of a CPU: not the slot kept for its flexible ones",
		  { { { 3, 1 } } }, { CPU, false }, false },
		{ "pinned of a CPU: all but the slot kept for its flexible ones",
		  { { { 2, 9 } } }, { CPU, false }, true },
		{ "pinned of a CPU: beside the busiest task",
		  { { { 1, 0 }, { 1, 0 }, { 2, 0 } } }, { CPU, false }, true },
		{ "pinned of a CPU: not the slot of the busiest task",
		  { { { 2, 0 }, { 1, 0 }, { 2, 0 } } }, { CPU, false }, false },
		{ "pinned of a CPU: flexible ones and a pinned one of a task share a slot",
		  { { { 2, 1 }, { 1, 0 } } }, { CPU, false }, true },
		{ "pinned of a CPU: flexible ones of both share a slot",
		  { { { 2, 1 }, { 0, 1 } } }, { CPU, false }, true },
		{ "pinned of a CPU: not the slot kept for a task's flexible ones",
		  { { { 3, 0 }, { 0, 1 } } }, { CPU, false }, false },

		{ "pinned of a task: the fourth slot",
		  { { { 0, 0 }, { 3, 0 } } }, { TASK_A, false }, true },
		{ "pinned of a task: the fourth slot, beside flexible ones of the CPU",
		  { { { 0, 9 }, { 3, 0 } } }, { TASK_A, false }, true },
		{ "pinned of a task: not the slot of a pinned one of the CPU",
		  { { { 1, 0 }, { 3, 0 } } }, { TASK_A, false }, false },
		{ "pinned of a task: not the slot kept for its flexible ones",
		  { { { 0, 0 }, { 3, 1 } } }, { TASK_A, false }, false },
		{ "pinned of a task: beside another task that has all slots",
		  { { { 0, 0 }, { 4, 0 }, { 3, 0 } } }, { TASK_B, false }, true },
	};

	for (int i = 0; i < ARRAY_SIZE(rows); i++) {
		/* An unreachable state would prove nothing. */
		KUNIT_EXPECT_TRUE_MSG(test, promises_hold(&rows[i].before, 4), "%s", rows[i].row);
		KUNIT_EXPECT_EQ_MSG(test, admits(&rows[i].before, rows[i].request, 4),
				    rows[i].admitted, "%s", rows[i].row);
	}
}

static struct kunit_case hw_breakpoint_rules_cases[] = {
	KUNIT_CASE(rows_of_the_table),
	KUNIT_CASE(flexible_ones_add_one_to_the_need),
	KUNIT_CASE(weight_counts_for_pinned_ones),
	KUNIT_CASE_SLOW(admits_exactly_what_fits),
	KUNIT_CASE_SLOW(remaining_ones_still_fit),
	KUNIT_CASE_SLOW(task_ignores_flexible_ones_of_others),
	KUNIT_CASE_SLOW(flexible_ones_cost_no_more_than_pinned),
	KUNIT_CASE_SLOW(free_ones_are_admitted),
	KUNIT_CASE_SLOW(all_orders_are_admitted),
	{},
};

static struct kunit_suite hw_breakpoint_rules_suite = {
	.name = "hw_breakpoint_rules",
	.test_cases = hw_breakpoint_rules_cases,
};

kunit_test_suites(&hw_breakpoint_rules_suite);

MODULE_DESCRIPTION("KUnit tests of the rules that admit hardware breakpoints");
MODULE_LICENSE("GPL");

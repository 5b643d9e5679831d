// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of breakpoints that move to another address, alone or with the breakpoints
 * inherited from them, and of the registers that a #DB reports.
 */

#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/hw_breakpoint.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/task.h>
#include <linux/signal.h>
#include <linux/smp.h>

#include <asm/cpu_entry_area.h>
#include <asm/debugreg.h>

#include "hw_breakpoint_test_events.h"

/* ===== Moving events ===== */

/* The hits that the handler saw on each variable. */
static struct sighting {
	atomic_t hits;
	unsigned long trapped;
	unsigned int reg;
} seen[ARRAY_SIZE(watched)];

/* The event's address gives the variable, so it must be right, too. */
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
	struct perf_event_attr attr = watch_attr(nr, flexible);
	struct perf_event *bp;

	attr.disabled = disabled;
	attr.inherit = !!task;
	bp = perf_event_create_kernel_counter(&attr, task ? EVERY_CPU : test_cpu[0], task,
					      on_sighting, NULL);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
	return end_with_case(bp);
}

/* Where to move a breakpoint, or what to write, on the first CPU with interrupts off. */
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

		/* It must leave the register like any other event. */
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

/* A move leaves alone the other registers and the saved values of all of them. */
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

/* Two events share a register: when both are moved at once, one is not in the register. */
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
		/* x86 needs this to handle a trap. */
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
	/* A valid address, but a breakpoint can't move between kernel and user space. */
	attr.bp_addr = PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, hw_breakpoint_check_address(&attr), 0);
	KUNIT_EXPECT_EQ(test, move(bp, PAGE_SIZE), -EINVAL);
	/* x86 can't watch reads alone. */
	attr.bp_type = HW_BREAKPOINT_R;
	KUNIT_EXPECT_EQ(test, hw_breakpoint_check_address(&attr), -EINVAL);
	/* Nor three bytes. More than eight are a range, for which few CPUs have a mask. */
	attr = bp->attr;
	attr.bp_len = HW_BREAKPOINT_LEN_3;
	KUNIT_EXPECT_EQ(test, hw_breakpoint_check_address(&attr), -EINVAL);
	attr.bp_len = 2 * HW_BREAKPOINT_LEN_8;
	attr.bp_addr = ALIGN(attr.bp_addr, attr.bp_len);
	KUNIT_EXPECT_EQ(test, hw_breakpoint_check_address(&attr),
			boot_cpu_has(X86_FEATURE_BPEXT) ? 0 : -EOPNOTSUPP);

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

	/* It stays disabled, and is at the new address when enabled. */
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

	/* After a refusal, it is enabled at the old address. */
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

/* A process forked from one that has an event. It does what its parent asks for. */
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

	/* Neither event watches the old address, nor the new one until enabled. */
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

	/* Enabled before and after. An addition to a variable also reads it. */
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

	/* After a refusal, both are as before. */
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

/* Forks when told to. Its events are its own. */
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

/* Does each event of a family match the first one? */
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
 * A child of the task with the event forks while all their events are moved to and fro,
 * disabled and enabled. Every event must follow, whatever the timing.
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

/* ===== The registers that a #DB reports ===== */

static void trap_reports_its_register(struct kunit *test)
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

/* Writes as in a #DB from user mode whose handler takes another #DB in the kernel. */
static void write_as_in_a_trap(void *trapped)
{
	unsigned int nr = 1;

	this_cpu_write(hw_breakpoint_traps, *(unsigned long *)trapped);
	write_watched(&nr);
	*(unsigned long *)trapped = hw_breakpoint_trapped();
	this_cpu_write(hw_breakpoint_traps, 0);
}

static void nested_trap_leaves_the_outer_one(struct kunit *test)
{
	unsigned long trapped = 0xe;

	sight(test, 0, PINNED, false, NULL);
	smp_call_function_single(test_cpu[0], write_as_in_a_trap, &trapped, true);
	KUNIT_EXPECT_EQ(test, hits(0), 1);
	KUNIT_EXPECT_EQ(test, seen[0].trapped, BIT(seen[0].reg));
	KUNIT_EXPECT_EQ(test, trapped, 0xe);
}

static struct kunit_case hw_breakpoint_move_cases[] = {
	KUNIT_CASE(move_in_a_register),
	KUNIT_CASE(move_leaves_others_alone),
	KUNIT_CASE(move_while_disabled),
	KUNIT_CASE(move_while_waiting),
	KUNIT_CASE(bad_address_is_refused),
	KUNIT_CASE(modify_an_event_of_a_cpu),
	KUNIT_CASE(modify_a_family),
	KUNIT_CASE_SLOW(modify_while_a_child_forks),
	KUNIT_CASE(trap_reports_its_register),
	KUNIT_CASE(nested_trap_leaves_the_outer_one),
	{},
};

static int hw_breakpoint_move_init(struct kunit *test)
{
	memset(seen, 0, sizeof(seen));
	test_events_init(test);
	return 0;
}

static void hw_breakpoint_move_exit(struct kunit *test)
{
	test_events_exit(test);
}

static struct kunit_suite hw_breakpoint_move_suite = {
	.name = "hw_breakpoint_move",
	.test_cases = hw_breakpoint_move_cases,
	.init = hw_breakpoint_move_init,
	.exit = hw_breakpoint_move_exit,
};

kunit_test_suites(&hw_breakpoint_move_suite);

MODULE_DESCRIPTION("KUnit tests of hardware breakpoints that are pointed elsewhere");
MODULE_LICENSE("GPL");

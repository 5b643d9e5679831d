// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks that a request for a breakpoint is never refused because of another request
 * that fails itself.
 *
 * CPU 1 is full, and CPU 0 has one slot left. One thread takes this slot and gives it
 * back, again and again. Two others compete for it in vain: one asks for breakpoints on
 * all CPUs, but CPU 1 has no room; the other asks for breakpoints at an address that the
 * architecture refuses. So the first thread must never be refused.
 *
 * Everything happens while the module is loaded. Loading then fails with EAGAIN, so that
 * there is nothing to unload. The result is in the log.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include <asm/cpu_entry_area.h>

#define NR_SLOTS	4

static int attempts = 100000;
module_param(attempts, int, 0444);
MODULE_PARM_DESC(attempts, "number of times the slot is taken");

static bool full = true;
module_param(full, bool, 0444);
MODULE_PARM_DESC(full, "a thread asks for slots on all CPUs, one of which is full");

static bool address = true;
module_param(address, bool, 0444);
MODULE_PARM_DESC(address, "a thread asks for an address that is refused");

/* The watched variables. Nothing writes them. */
static u64 words[NR_SLOTS];

static struct perf_event *held[2][NR_SLOTS];
static DECLARE_COMPLETION(done);
static int refused, unexpected;

static void init_attr(struct perf_event_attr *attr, void *addr)
{
	hw_breakpoint_init(attr);
	attr->bp_addr = (unsigned long)addr;
	attr->bp_len = HW_BREAKPOINT_LEN_8;
	attr->bp_type = HW_BREAKPOINT_W;
}

static struct perf_event *take(int cpu, void *addr)
{
	struct perf_event_attr attr;

	init_attr(&attr, addr);
	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

static int take_and_give_back(void *unused)
{
	struct perf_event *bp;
	int i;

	for (i = 0; i < attempts; i++) {
		bp = take(0, &words[NR_SLOTS - 1]);
		if (!IS_ERR(bp))
			perf_event_release_kernel(bp);
		else if (PTR_ERR(bp) == -ENOSPC)
			refused++;
		else
			unexpected++;
		cond_resched();
	}
	complete(&done);
	return 0;
}

/* A competing thread: its request, the expected error, and how often it failed with it. */
struct contender {
	void			*addr;
	int			error;
	int			failed;
	int			unexpected;
	struct task_struct	*task;
};

static struct contender wide = { .addr = &words[0], .error = -ENOSPC };
static struct contender bad = {
	.addr = (void *)CPU_ENTRY_AREA_BASE, .error = -EINVAL
};

static int ask_for_all_cpus(void *arg)
{
	struct perf_event * __percpu *bps;
	struct contender *me = arg;
	struct perf_event_attr attr;

	init_attr(&attr, me->addr);
	while (!kthread_should_stop()) {
		bps = register_wide_hw_breakpoint(&attr, NULL, NULL);
		if (PTR_ERR((void __force *)bps) == me->error) {
			me->failed++;
		} else {
			me->unexpected++;
			if (!IS_ERR((void __force *)bps))
				unregister_wide_hw_breakpoint(bps);
		}
		cond_resched();
	}
	return 0;
}

static int start(struct contender *me, int cpu)
{
	me->task = kthread_run_on_cpu(ask_for_all_cpus, me, cpu,
				      "bp_stress/%u");
	return PTR_ERR_OR_ZERO(me->task);
}

static void stop(struct contender *me)
{
	if (!IS_ERR_OR_NULL(me->task))
		kthread_stop(me->task);
	unexpected += me->unexpected;
}

static void give_back_held(void)
{
	int cpu, i;

	for (cpu = 0; cpu < 2; cpu++) {
		for (i = 0; i < NR_SLOTS; i++) {
			if (!IS_ERR_OR_NULL(held[cpu][i]))
				perf_event_release_kernel(held[cpu][i]);
		}
	}
}

static int __init bp_stress_init(void)
{
	struct task_struct *task;
	int cpu, i, err;

	for (cpu = 0; cpu < 2; cpu++) {
		for (i = 0; i < (cpu ? NR_SLOTS : NR_SLOTS - 1); i++) {
			held[cpu][i] = take(cpu, &words[i]);
			err = PTR_ERR_OR_ZERO(held[cpu][i]);
			if (err)
				goto out;
		}
	}

	/* Each thread on a CPU of its own, if there are enough. */
	err = full ? start(&wide, num_online_cpus() > 2 ? 2 : 1) : 0;
	if (!err && address)
		err = start(&bad, num_online_cpus() > 3 ? 3 : 1);
	if (err)
		goto out;
	task = kthread_run_on_cpu(take_and_give_back, NULL, 0, "bp_stress/%u");
	err = PTR_ERR_OR_ZERO(task);
	if (err)
		goto out;
	wait_for_completion(&done);
	err = -EAGAIN;
out:
	stop(&wide);
	stop(&bad);
	give_back_held();
	if (err == -EAGAIN)
		pr_info("attempts=%d refused=%d full=%d address=%d odd=%d\n",
			attempts, refused, wide.failed, bad.failed, unexpected);
	return err;
}
module_init(bp_stress_init);

MODULE_DESCRIPTION("A stress test of the admission of hardware breakpoints");
MODULE_LICENSE("GPL");

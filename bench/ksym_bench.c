// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's part of "make bench": the workload, and the breakpoint handlers
 * that the tracer is compared with.
 *
 * In debugfs, ksym_bench/ has three files. Reading "run" stores to the target
 * and gives the ticks of the time stamp counter that this took; in QEMU with
 * -icount shift=0 these are instructions. Writing the name of a handler to
 * "handler" arms a breakpoint on the target that calls it. Reading "taken" gives
 * how often perf saw that breakpoint, which does not need the handler's help:
 * one that counts does not do nothing.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hw_breakpoint.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/debugreg.h>
#include <asm/tsc.h>

#define CREATE_TRACE_POINTS
#include "ksym_bench_trace.h"

/* All rows of the table come from one CPU; the machine has no other. */
#define BENCH_CPU	0

static u64 own_target;

static ulong target = (ulong)&own_target;
module_param(target, ulong, 0444);
MODULE_PARM_DESC(target, "address of an unused u64 to store to (default: the module's own)");

static uint hits = 4000;
module_param(hits, uint, 0444);
MODULE_PARM_DESC(hits, "stores to the target in a run");

/* Protects what is armed. */
static DEFINE_MUTEX(bench_mutex);
static struct perf_event *event;
static bool trap_armed;

/* The value before the last hit; a peer of the tracer has to keep it, too. */
static u64 shadow;

/* What a breakpoint costs before anybody made use of it. */
static void handle_empty(struct perf_event *bp, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
}

static void handle_event(struct perf_event *bp, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	u64 old = shadow, new = READ_ONCE(*(u64 *)target);

	shadow = new;
	trace_ksym_bench_hit(instruction_pointer(regs), target, old, new,
			     HW_BREAKPOINT_W, sizeof(new));
}

static void handle_printk(struct perf_event *bp, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	u64 old = shadow, new = READ_ONCE(*(u64 *)target);

	shadow = new;
	/* This is trace_printk() for a format that has arguments. */
	do_trace_printk("%u%zu %pS %#llx -> %#llx by %pS\n", HW_BREAKPOINT_W,
			sizeof(new), (void *)target, old, new,
			(void *)instruction_pointer(regs));
}

/* By the name that is written to "handler". */
enum { BENCH_NONE, BENCH_TRAP, BENCH_EMPTY, BENCH_EVENT, BENCH_PRINTK };

static const char * const handler_names[] = {
	[BENCH_NONE]	= "none",
	[BENCH_TRAP]	= "trap",
	[BENCH_EMPTY]	= "empty",
	[BENCH_EVENT]	= "event",
	[BENCH_PRINTK]	= "printk",
};

static const perf_overflow_handler_t handlers[] = {
	[BENCH_EMPTY]	= handle_empty,
	[BENCH_EVENT]	= handle_event,
	[BENCH_PRINTK]	= handle_printk,
};

static void disarm_locked(void)
{
	lockdep_assert_held(&bench_mutex);

	if (event)
		perf_event_release_kernel(event);
	event = NULL;
	trap_armed = false;
}

static int arm_locked(int handler)
{
	struct perf_event_attr attr;
	struct perf_event *bp;

	lockdep_assert_held(&bench_mutex);

	disarm_locked();
	if (handler == BENCH_NONE)
		return 0;
	if (handler == BENCH_TRAP) {
		trap_armed = true;
		return 0;
	}

	/* These are the attributes with which the tracer asks, too. */
	hw_breakpoint_init(&attr);
	attr.bp_addr = target;
	attr.bp_len = HW_BREAKPOINT_LEN_8;
	attr.bp_type = HW_BREAKPOINT_W;
	bp = perf_event_create_kernel_counter(&attr, BENCH_CPU, NULL,
					      handlers[handler], NULL);
	if (IS_ERR(bp))
		return PTR_ERR(bp);
	event = bp;
	return 0;
}

static ssize_t handler_write(struct file *file, const char __user *ubuf,
			     size_t len, loff_t *pos)
{
	char name[16];
	int ret;

	if (len >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, ubuf, len))
		return -EFAULT;
	name[len] = '\0';
	ret = match_string(handler_names, ARRAY_SIZE(handler_names),
			   strim(name));
	if (ret < 0)
		return ret;

	mutex_lock(&bench_mutex);
	ret = arm_locked(ret);
	mutex_unlock(&bench_mutex);
	return ret ?: len;
}

static const struct file_operations handler_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= handler_write,
};

static int taken_get(void *data, u64 *val)
{
	u64 enabled, running;
	int ret = 0;

	mutex_lock(&bench_mutex);
	if (event)
		*val = perf_event_read_value(event, &enabled, &running);
	else
		ret = -ENODATA;
	mutex_unlock(&bench_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(taken_fops, taken_get, NULL, "%llu\n");

/* Writes of eight bytes at debug register 0. */
#define TRAP_DR7	(DR_GLOBAL_ENABLE | DR_GLOBAL_SLOWDOWN |	\
			 ((unsigned long)(DR_RW_WRITE | DR_LEN_8) <<	\
			  DR_CONTROL_SHIFT))

/*
 * The part of a breakpoint that is not perf's: a debug register that no event
 * owns. The #DB looks for the owner, finds none, and returns. Interrupts are off
 * meanwhile, so that nobody sees the registers in this state.
 */
static void arm_trap(unsigned long *saved)
{
	*saved = __this_cpu_read(cpu_dr7);
	set_debugreg(target, 0);
	/* In a virtual machine the #DB asks this whether to save the register. */
	__this_cpu_write(cpu_dr7, TRAP_DR7);
	set_debugreg(TRAP_DR7, 7);
}

static void disarm_trap(unsigned long saved)
{
	set_debugreg(saved, 7);
	__this_cpu_write(cpu_dr7, saved);
	set_debugreg(0UL, 0);
}

/* The value is never 0, so that a filter for 0 drops each hit. */
static noinline void store(u64 *p, unsigned int n)
{
	unsigned int i;

	for (i = 1; i <= n; i++)
		WRITE_ONCE(*p, i);
}

/* Interrupts are off in a run: their instructions are nobody's cost. */
static int run_get(void *data, u64 *val)
{
	unsigned long flags, dr7;
	u64 start;

	mutex_lock(&bench_mutex);
	local_irq_save(flags);
	if (trap_armed)
		arm_trap(&dr7);
	start = rdtsc_ordered();
	store((u64 *)target, hits);
	*val = rdtsc_ordered() - start;
	if (trap_armed)
		disarm_trap(dr7);
	local_irq_restore(flags);
	mutex_unlock(&bench_mutex);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(run_fops, run_get, NULL, "%llu\n");

static struct dentry *dir;

static int __init ksym_bench_init(void)
{
	dir = debugfs_create_dir("ksym_bench", NULL);
	debugfs_create_file_unsafe("run", 0400, dir, NULL, &run_fops);
	debugfs_create_file_unsafe("taken", 0400, dir, NULL, &taken_fops);
	debugfs_create_file("handler", 0200, dir, NULL, &handler_fops);
	return 0;
}
module_init(ksym_bench_init);

static void __exit ksym_bench_exit(void)
{
	debugfs_remove(dir);
	mutex_lock(&bench_mutex);
	disarm_locked();
	mutex_unlock(&bench_mutex);
}
module_exit(ksym_bench_exit);

MODULE_DESCRIPTION("Workload and peers for the ksym tracer's benchmark");
MODULE_LICENSE("GPL");

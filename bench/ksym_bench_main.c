// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's part of "make bench": the workload. The breakpoint handlers that the
 * tracer is compared with are in ksym_bench_peers.c.
 *
 * It has these files in debugfs, in ksym_bench/. Reading "run" stores to the target and
 * returns the ticks of the time stamp counter that the stores took; in QEMU with
 * -icount shift=0, ticks are instructions. With 1 in "same", each store is of the current
 * value. Reading "everywhere" stores on all online CPUs at the same time, to the target or,
 * with 1 in "own", each CPU to its copy of ksym_bench_own; the ticks are the instructions
 * of all CPUs, as the emulator runs one of them at a time. Writing a handler's name to
 * "handler" arms a breakpoint on the target with that handler. Reading "taken" returns how
 * often perf saw that breakpoint; it needs no help from the handler, as counting would
 * cost an empty handler time. On a kernel with the tracer there is also "move": writing 1
 * adds a watch that can be moved, and 0 removes it; reading moves the watch and returns
 * the ticks until all CPUs have followed.
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
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>
#include <asm/debugreg.h>
#include <asm/tsc.h>

#include "ksym_bench.h"

#ifdef CONFIG_KSYM_TRACER
#include <linux/ksym_trace.h>
#endif

/* All rows of the table are measured on one CPU, the only one that is online. */
#define BENCH_CPU	0

static u64 own_target;

ulong target = (ulong)&own_target;
module_param(target, ulong, 0444);
MODULE_PARM_DESC(target, "address of an unused u64 to store to (default: the module's own)");

static uint hits = 4000;
module_param(hits, uint, 0644);
MODULE_PARM_DESC(hits, "stores to the target in a run, on each CPU");

/* Memory that nobody accesses, to be watched by many watches. */
static ulong area;
module_param(area, ulong, 0444);
MODULE_PARM_DESC(area, "address of unused memory, filled in by the module");

static uint area_size = 8 * 1024;
module_param(area_size, uint, 0444);
MODULE_PARM_DESC(area_size, "its size in bytes");

/* Protects the armed handler and watch. */
static DEFINE_MUTEX(bench_mutex);
static struct perf_event *event;
static struct trace_event_file *event_file;
static bool trap_armed;
static u32 same;
static u32 own;

static DEFINE_PER_CPU(u64, ksym_bench_own);

static void disarm_locked(void)
{
	lockdep_assert_held(&bench_mutex);

	if (event)
		perf_event_release_kernel(event);
	event = NULL;
	if (event_file)
		trace_put_event_file(event_file);
	event_file = NULL;
	trap_armed = false;
}

/* The file of a handler's trace event while the handler is armed. */
static int get_event_file_locked(const char *name)
{
	struct trace_event_file *file;

	lockdep_assert_held(&bench_mutex);

	file = trace_get_event_file(NULL, "ksym_bench", name);
	if (IS_ERR(file))
		return PTR_ERR(file);
	event_file = file;
	return 0;
}

static int arm_locked(const struct bench_handler *handler)
{
	struct perf_event_attr attr;
	struct perf_event *bp;
	void *context = NULL;
	int ret;

	lockdep_assert_held(&bench_mutex);

	if (handler->event) {
		ret = get_event_file_locked(handler->event);
		if (ret)
			return ret;
		context = handler->prepare ? handler->prepare(event_file) : event_file;
	}
	/* The tracer uses the same attributes. */
	hw_breakpoint_init(&attr);
	attr.bp_addr = target;
	attr.bp_len = HW_BREAKPOINT_LEN_8;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.disabled = 1;
	bp = perf_event_create_kernel_counter(&attr, BENCH_CPU, NULL,
					      handler->function, context);
	if (IS_ERR(bp)) {
		disarm_locked();
		return PTR_ERR(bp);
	}
#ifdef CONFIG_KSYM_TRACER
	/*
	 * The tracer calls hw_breakpoint_set_direct(), which is not exported to modules.
	 * With this, the benchmark compares the handlers and not the paths to them.
	 */
	bp->hw.bp_direct = true;
#endif
	perf_event_enable(bp);
	event = bp;
	return 0;
}

/* Two names have no handler: "none", and "trap", which is a trap without an event. */
static int choose_locked(const char *name)
{
	const struct bench_handler *handler = bench_find_handler(name);

	lockdep_assert_held(&bench_mutex);

	if (!handler && strcmp(name, "none") && strcmp(name, "trap"))
		return -EINVAL;
	disarm_locked();
	if (handler)
		return arm_locked(handler);
	trap_armed = !strcmp(name, "trap");
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

	mutex_lock(&bench_mutex);
	ret = choose_locked(strim(name));
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

/* Writes of eight bytes, in debug register 0. */
#define TRAP_DR7	(DR_GLOBAL_ENABLE | DR_GLOBAL_SLOWDOWN |	\
			 ((unsigned long)(DR_RW_WRITE | DR_LEN_8) <<	\
			  DR_CONTROL_SHIFT))

/*
 * The cost of a breakpoint without perf: the register has no event, so the #DB finds none
 * and returns. Interrupts are off, so that no other code sees the registers in this state.
 */
static void arm_trap(unsigned long *saved)
{
	*saved = __this_cpu_read(cpu_dr7);
	set_debugreg(target, 0);
	/* In a virtual machine, the #DB reads this to decide whether to save the registers. */
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
static noinline void store(u64 *p, unsigned int n, unsigned int step)
{
	unsigned int i;
	u64 value = 1;

	for (i = 0; i < n; i++, value += step)
		WRITE_ONCE(*p, value);
}

/* Interrupts are off during a run, so that their instructions do not count. */
static int run_get(void *data, u64 *val)
{
	unsigned long flags, dr7;
	u64 start;

	mutex_lock(&bench_mutex);
	local_irq_save(flags);
	if (trap_armed)
		arm_trap(&dr7);
	start = rdtsc_ordered();
	store((u64 *)target, hits, !same);
	*val = rdtsc_ordered() - start;
	if (trap_armed)
		disarm_trap(dr7);
	local_irq_restore(flags);
	mutex_unlock(&bench_mutex);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(run_fops, run_get, NULL, "%llu\n");

/* Interrupts are off. */
static void store_here(void *unused)
{
	store(own ? this_cpu_ptr(&ksym_bench_own) : (u64 *)target, hits, !same);
}

static int everywhere_get(void *data, u64 *val)
{
	u64 start;

	mutex_lock(&bench_mutex);
	start = rdtsc_ordered();
	on_each_cpu(store_here, NULL, true);
	*val = rdtsc_ordered() - start;
	mutex_unlock(&bench_mutex);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(everywhere_fops, everywhere_get, NULL, "%llu\n");

#ifdef CONFIG_KSYM_TRACER
static struct ksym_watch *watch;

static int move_set(void *data, u64 val)
{
	int ret = 0;

	mutex_lock(&bench_mutex);
	ksym_watch_end(watch);
	watch = NULL;
	if (val) {
		static const struct ksym_watch_attr attr = {
			.name	= "ksym_bench_move",
			.len	= sizeof(u64),
		};

		watch = ksym_watch_create(&attr);
		ret = PTR_ERR_OR_ZERO(watch);
		if (ret)
			watch = NULL;
	}
	mutex_unlock(&bench_mutex);
	return ret;
}

/*
 * The cost of a move, this CPU's part included. The other CPUs take their interrupts while
 * this one waits. As the emulator runs one CPU at a time, the ticks are the instructions of
 * all CPUs.
 */
static u64 move(const u64 *to, int *ret)
{
	u64 start, ticks;

	preempt_disable();
	start = rdtsc_ordered();
	*ret = ksym_watch_point(watch, to);
	while (!*ret && ksym_watch_lagging(watch))
		cpu_relax();
	ticks = rdtsc_ordered() - start;
	preempt_enable();
	return ticks;
}

static int move_get(void *data, u64 *val)
{
	static u64 objects[2];
	static bool second;
	int ret = -ENODATA;

	mutex_lock(&bench_mutex);
	if (watch) {
		*val = move(&objects[second], &ret);
		second = !second;
	}
	mutex_unlock(&bench_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(move_fops, move_get, move_set, "%llu\n");

static void __init make_move_file(struct dentry *dir)
{
	debugfs_create_file_unsafe("move", 0600, dir, NULL, &move_fops);
}

static void end_moves(void)
{
	move_set(NULL, 0);
}
#else
static void __init make_move_file(struct dentry *dir)
{
}

static void end_moves(void)
{
}
#endif

static struct dentry *dir;

static int __init ksym_bench_init(void)
{
	area = (ulong)kzalloc(area_size, GFP_KERNEL);
	if (!area)
		return -ENOMEM;
	dir = debugfs_create_dir("ksym_bench", NULL);
	debugfs_create_file_unsafe("run", 0400, dir, NULL, &run_fops);
	debugfs_create_file_unsafe("everywhere", 0400, dir, NULL, &everywhere_fops);
	debugfs_create_file_unsafe("taken", 0400, dir, NULL, &taken_fops);
	debugfs_create_file("handler", 0200, dir, NULL, &handler_fops);
	debugfs_create_u32("same", 0600, dir, &same);
	debugfs_create_u32("own", 0600, dir, &own);
	make_move_file(dir);
	return 0;
}
module_init(ksym_bench_init);

static void __exit ksym_bench_exit(void)
{
	debugfs_remove(dir);
	end_moves();
	mutex_lock(&bench_mutex);
	disarm_locked();
	mutex_unlock(&bench_mutex);
	kfree((void *)area);
}
module_exit(ksym_bench_exit);

MODULE_DESCRIPTION("Workload and peers for the ksym tracer's benchmark");
MODULE_LICENSE("GPL");

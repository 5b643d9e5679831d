// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module variables for the tests of ksym, of each kind that can be watched or that must
 * be refused.
 *
 * They change only when a test writes a line to the parameter "write". The write happens
 * on the CPU that the test runs on:
 *
 *	echo 'var 5' > /sys/module/ksym_mod/parameters/write
 *
 * The table of commands below lists the words. Each stores a byte or an aligned word, and
 * touches nothing else.
 *
 * The module also writes ksym_mod_var by itself, as a count of these writes: first the
 * init function, then the writer thread, if there is one, and last the exit function. So
 * the values are 1, 2, 3 and so on, and the last value seen is the number of writes.
 */
#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/bottom_half.h>
#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ksym_trace.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/panic.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timex.h>
#include <linux/workqueue.h>
#include <asm/local.h>

#include "ksym_mod.h"

static bool writer;
module_param(writer, bool, 0444);
MODULE_PARM_DESC(writer, "a thread writes ksym_mod_var from init to exit");

static unsigned int pause;
module_param(pause, uint, 0444);
MODULE_PARM_DESC(pause, "microseconds between two writes of the thread");

static bool fail;
module_param(fail, bool, 0444);
MODULE_PARM_DESC(fail, "the init function fails, after its write");

static bool forget;
module_param(forget, bool, 0444);
MODULE_PARM_DESC(forget, "the module never ends its watches, forgot and forgot_too");

static unsigned long cycles;
module_param(cycles, ulong, 0444);
MODULE_PARM_DESC(cycles, "the duration of the last storm_irqs_off");

static unsigned int writes;
module_param(writes, uint, 0444);
MODULE_PARM_DESC(writes, "how often the module wrote ksym_mod_var by itself");

/* Members of each kind, at offsets that the tests know. */
struct ksym_mod_point {
	u32			x;
	u32			y;
};

struct ksym_mod_object {
	u32			id;
	/* Two bytes: a store to level also stores the first byte. */
	u32			ready : 1;
	u32			kind : 3;
	u32			level : 12;
	struct ksym_mod_point	points[3];
	struct {
		u32		unnamed;
	};
	u16			words[4];
	u8			lead;
	/* At an odd offset, and of a length that no register has. */
	u8			odd[5];
	struct ksym_mod_object	*next;
	/* More than four registers can watch. */
	u64			many[8];
};

/* Aligned, so that an offset determines the alignment of an access. */
static u32 ksym_mod_var __aligned(64);
static u8 ksym_mod_buffer[128] __aligned(64);
/* An object of many fields. */
static u64 ksym_mod_fields[2048] __aligned(64);
/* Eight bytes, accessed by single known instructions. */
static local_t ksym_mod_local __aligned(64);
static struct ksym_mod_object ksym_mod_first __aligned(64);
static struct ksym_mod_object ksym_mod_second, ksym_mod_third;

static int ksym_twin;

static DEFINE_PER_CPU(u32, ksym_mod_percpu);
/* Like a run queue's pointer, it points elsewhere on each CPU. */
static DEFINE_PER_CPU(struct ksym_mod_object, ksym_mod_percpu_object);
static struct ksym_mod_object ksym_mod_of_cpu[NR_CPUS];

static const u32 ksym_mod_const = 0x600d;
static u32 ksym_mod_initdata __initdata;

static struct task_struct *task;

static int write_var(unsigned long value, unsigned long unused)
{
	WRITE_ONCE(ksym_mod_var, value);
	return 0;
}

static int write_twin(unsigned long value, unsigned long unused)
{
	WRITE_ONCE(ksym_twin, value);
	return 0;
}

static int write_other_twin(unsigned long value, unsigned long unused)
{
	ksym_mod_write_other_twin(value);
	return 0;
}

static int write_percpu(unsigned long value, unsigned long unused)
{
	this_cpu_write(ksym_mod_percpu, value);
	return 0;
}

/* Writes another CPU's copy. */
static int write_percpu_of(unsigned long value, unsigned long cpu)
{
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	WRITE_ONCE(per_cpu(ksym_mod_percpu, cpu), value);
	return 0;
}

static int write_byte(unsigned long value, unsigned long i)
{
	if (i >= sizeof(ksym_mod_buffer))
		return -EINVAL;
	WRITE_ONCE(ksym_mod_buffer[i], value);
	return 0;
}

/* Writes eight bytes at once. */
static int write_quad(unsigned long value, unsigned long i)
{
	if (i >= sizeof(ksym_mod_buffer) || i % sizeof(u64))
		return -EINVAL;
	WRITE_ONCE(*(u64 *)&ksym_mod_buffer[i], value);
	return 0;
}

static int write_field(unsigned long value, unsigned long i)
{
	if (i >= ARRAY_SIZE(ksym_mod_fields))
		return -EINVAL;
	WRITE_ONCE(ksym_mod_fields[i], value);
	return 0;
}

/* Each call writes when the calls below it have returned. */
static noinline __noclone void ksym_mod_recurse(struct ksym_mod_object *object,
						unsigned long depth)
{
	if (depth > 1)
		ksym_mod_recurse(object, depth - 1);
	WRITE_ONCE(object->id, depth);
	object->kind = depth;
	barrier();
}

/* An interrupt could push its frame onto the stack that a test case watches. */
static int recurse(unsigned long depth, unsigned long unused)
{
	unsigned long flags;

	if (!depth || depth > 16)
		return -EINVAL;
	local_irq_save(flags);
	ksym_mod_recurse(&ksym_mod_second, depth);
	local_irq_restore(flags);
	return 0;
}

static int write_second(unsigned long value, unsigned long unused)
{
	WRITE_ONCE(ksym_mod_second.id, value);
	return 0;
}

static int write_id(unsigned long value, unsigned long unused)
{
	WRITE_ONCE(ksym_mod_first.id, value);
	return 0;
}

static int write_kind(unsigned long value, unsigned long unused)
{
	ksym_mod_first.kind = value;
	barrier();
	return 0;
}

static int write_level(unsigned long value, unsigned long unused)
{
	ksym_mod_first.level = value;
	barrier();
	return 0;
}

static int write_point(unsigned long value, unsigned long i)
{
	if (i >= ARRAY_SIZE(ksym_mod_first.points))
		return -EINVAL;
	WRITE_ONCE(ksym_mod_first.points[i].y, value);
	return 0;
}

static int write_unnamed(unsigned long value, unsigned long unused)
{
	WRITE_ONCE(ksym_mod_first.unnamed, value);
	return 0;
}

static int write_word(unsigned long value, unsigned long i)
{
	if (i >= ARRAY_SIZE(ksym_mod_first.words))
		return -EINVAL;
	WRITE_ONCE(ksym_mod_first.words[i], value);
	return 0;
}

static int write_lead(unsigned long value, unsigned long unused)
{
	WRITE_ONCE(ksym_mod_first.lead, value);
	return 0;
}

static int write_odd(unsigned long value, unsigned long i)
{
	if (i >= ARRAY_SIZE(ksym_mod_first.odd))
		return -EINVAL;
	WRITE_ONCE(ksym_mod_first.odd[i], value);
	return 0;
}

/* Writes through the pointer, wherever it points now. */
static int write_next(unsigned long value, unsigned long unused)
{
	WRITE_ONCE(READ_ONCE(ksym_mod_first.next)->id, value);
	return 0;
}

static int set_next(unsigned long which, unsigned long unused)
{
	static struct ksym_mod_object *const objects[] = {
		&ksym_mod_second, &ksym_mod_third, NULL,
	};

	if (which >= ARRAY_SIZE(objects))
		return -EINVAL;
	WRITE_ONCE(ksym_mod_first.next, objects[which]);
	return 0;
}

/* The stored value is in a register. */
static int write_local(unsigned long value, unsigned long unused)
{
	local_set(&ksym_mod_local, value);
	return 0;
}

/* The stored value is in the instruction. */
static int write_constant(unsigned long unused, unsigned long unused2)
{
	local_set(&ksym_mod_local, 0x600d);
	return 0;
}

/* The stored value is in neither. */
static int write_inc(unsigned long unused, unsigned long unused2)
{
	local_inc(&ksym_mod_local);
	return 0;
}

/* Stores nothing if the current value is not @old. */
static int write_cmpxchg(unsigned long value, unsigned long old)
{
	local_cmpxchg(&ksym_mod_local, old, value);
	return 0;
}

/* Reads into the register that holds the address. */
static int read_over_base(unsigned long unused, unsigned long unused2)
{
	void *at = &ksym_mod_local;

	asm volatile("mov (%0), %0" : "+r" (at) : : "memory");
	return 0;
}

/* The CPU decides whether a shift by zero writes. */
static int shift_by_nothing(unsigned long unused, unsigned long unused2)
{
	asm volatile("shlq %%cl, %0" : "+m" (ksym_mod_local) : "c" (0) : "cc");
	return 0;
}

static int write_irqs_off(unsigned long value, unsigned long unused)
{
	unsigned long flags;

	local_irq_save(flags);
	local_set(&ksym_mod_local, value);
	local_irq_restore(flags);
	return 0;
}

static int write_bh_off(unsigned long value, unsigned long unused)
{
	local_bh_disable();
	local_set(&ksym_mod_local, value);
	local_bh_enable();
	return 0;
}

/* In a storm, all CPUs run at once, each with this many instructions. */
static unsigned long storm_length;
static void (*storm_write)(unsigned long i);
static atomic_t storm_ready, storm_failed;
static DEFINE_PER_CPU(struct work_struct, storm_work);

static unsigned int failed;
module_param(failed, uint, 0444);
MODULE_PARM_DESC(failed, "how often cmpxchg stored nothing in the last storm");

/*
 * Four bytes within the eight, unaligned: with a thread per CPU, QEMU 7.2 does not trap
 * aligned locked instructions. On a real CPU, alignment makes no difference.
 */
static atomic_t *const storm_word = (void *)&ksym_mod_local + 1;

/* The values are few, and go up and down, so that each occurs often. */
static void write_locked(unsigned long i)
{
	int value = i & 0xfc;

	switch (i % 4) {
	case 0:
		atomic_inc(storm_word);
		break;
	case 1:
		atomic_fetch_add(i % 8 == 1 ? 5 : -3, storm_word);
		break;
	case 2:
		atomic_xchg(storm_word, value);
		break;
	case 3:
		/* Stores unless another CPU has stored since the exchange. */
		if (atomic_cmpxchg(storm_word, value, value + 1) != value)
			atomic_inc(&storm_failed);
		break;
	}
}

/* Each store has a value of its own. */
static void write_stored(unsigned long i)
{
	local_set(&ksym_mod_local, (smp_processor_id() + 1UL) << 32 | i);
}

static void take_part_in_storm(struct work_struct *unused)
{
	unsigned long i;

	atomic_inc(&storm_ready);
	while (atomic_read(&storm_ready) < num_online_cpus())
		cond_resched();
	for (i = 0; i < storm_length; i++) {
		storm_write(i);
		cond_resched();
	}
}

static int run_storm(unsigned long length, void (*write)(unsigned long i))
{
	int cpu;

	storm_length = length;
	storm_write = write;
	atomic_set(&storm_ready, 0);
	atomic_set(&storm_failed, 0);
	/* The CPUs wait for each other, so none may go offline. */
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		INIT_WORK(per_cpu_ptr(&storm_work, cpu), take_part_in_storm);
		schedule_work_on(cpu, per_cpu_ptr(&storm_work, cpu));
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(&storm_work, cpu));
	cpus_read_unlock();
	failed = atomic_read(&storm_failed);
	return 0;
}

static int storm_locked(unsigned long length, unsigned long unused)
{
	return run_storm(length, write_locked);
}

static int storm_stored(unsigned long length, unsigned long unused)
{
	return run_storm(length, write_stored);
}

static int write_percpu_next(unsigned long value, unsigned long unused)
{
	WRITE_ONCE(this_cpu_read(ksym_mod_percpu_object.next)->id, value);
	return 0;
}

/* Points one CPU's pointer at the object of @cpu, which may not exist. */
static int set_percpu_next(unsigned long of, unsigned long cpu)
{
	if (of >= ARRAY_SIZE(ksym_mod_of_cpu) || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	WRITE_ONCE(per_cpu(ksym_mod_percpu_object, cpu).next, &ksym_mod_of_cpu[of]);
	return 0;
}

/* Points one CPU's pointer at an odd address. */
static int set_odd_next(unsigned long cpu, unsigned long unused)
{
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	WRITE_ONCE(per_cpu(ksym_mod_percpu_object, cpu).next, (void *)ksym_mod_of_cpu + 1);
	return 0;
}

/* Does @length stores with interrupts off, and counts the cycles. */
static int storm_irqs_off(unsigned long length, unsigned long unused)
{
	unsigned long flags, i;
	cycles_t start;

	local_irq_save(flags);
	start = get_cycles();
	for (i = 0; i < length; i++)
		WRITE_ONCE(ksym_mod_var, i);
	cycles = get_cycles() - start;
	local_irq_restore(flags);
	return 0;
}

/*
 * Stores with interrupts off until kernel.panic is written, as the module's own parameters
 * are locked meanwhile. Fails after @most stores.
 */
static int hold_cpu(unsigned long most, unsigned long unused)
{
	int before = READ_ONCE(panic_timeout);
	unsigned long flags, i;

	local_irq_save(flags);
	for (i = 0; i < most && READ_ONCE(panic_timeout) == before; i++)
		WRITE_ONCE(ksym_mod_var, i);
	local_irq_restore(flags);
	return i < most ? 0 : -ETIME;
}

static const struct {
	const char	*word;
	int		(*write)(unsigned long value, unsigned long which);
} commands[] = {
	{ "var",		write_var },
	{ "twin",		write_twin },
	{ "other_twin",		write_other_twin },
	{ "percpu",		write_percpu },
	{ "percpu_of",		write_percpu_of },
	{ "byte",		write_byte },
	{ "quad",		write_quad },
	{ "field",		write_field },
	{ "second",		write_second },
	{ "recurse",		recurse },
	{ "id",			write_id },
	{ "kind",		write_kind },
	{ "level",		write_level },
	{ "point",		write_point },
	{ "unnamed",		write_unnamed },
	{ "word",		write_word },
	{ "lead",		write_lead },
	{ "odd",		write_odd },
	{ "next",		write_next },
	{ "set_next",		set_next },
	{ "percpu_next",	write_percpu_next },
	{ "set_percpu_next",	set_percpu_next },
	{ "set_odd_next",	set_odd_next },
	{ "local",		write_local },
	{ "constant",		write_constant },
	{ "inc",		write_inc },
	{ "cmpxchg",		write_cmpxchg },
	{ "over_base",		read_over_base },
	{ "shift",		shift_by_nothing },
	{ "irqs_off",		write_irqs_off },
	{ "bh_off",		write_bh_off },
	{ "storm_locked",	storm_locked },
	{ "storm_stored",	storm_stored },
	{ "storm_irqs_off",	storm_irqs_off },
	{ "hold",		hold_cpu },
};

/* A line is WORD VALUE [WHICH]; WHICH is an index or a CPU. */
static int set_write(const char *line, const struct kernel_param *kp)
{
	unsigned long value, which = 0;
	char word[16];
	int i;

	if (sscanf(line, "%15s %li %li", word, &value, &which) < 2)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(word, commands[i].word))
			return commands[i].write(value, which);
	return -EINVAL;
}

static const struct kernel_param_ops write_ops = {
	.set = set_write,
};
module_param_cb(write, &write_ops, NULL, 0200);
MODULE_PARM_DESC(write, "what to write: WORD VALUE [WHICH]");

/* The module's only read of it, once per read of the parameter. */
static int get_local(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%ld\n", local_read(&ksym_mod_local));
}

static const struct kernel_param_ops local_ops = {
	.get = get_local,
};
module_param_cb(local, &local_ops, NULL, 0444);
MODULE_PARM_DESC(local, "the value of ksym_mod_local");

static void count_write(void)
{
	WRITE_ONCE(ksym_mod_var, ++writes);
}

static int write_on(void *unused)
{
	while (!kthread_should_stop()) {
		count_write();
		if (pause)
			usleep_range(pause, 2 * pause);
		else
			cond_resched();
	}
	return 0;
}

static unsigned int forgotten_hits;
module_param(forgotten_hits, uint, 0444);
MODULE_PARM_DESC(forgotten_hits, "how often the callback of the watch forgot was called");

static void forgotten_hit(struct ksym_watch *watch, const struct ksym_hit_info *hit, void *data)
{
	forgotten_hits++;
}

static int __init ksym_mod_init(void)
{
	int cpu;

	count_write();
	if (forget) {
		static const struct ksym_watch_attr attr = {
			.name	= "forgot",
			.addr	= ksym_mod_buffer,
			.len	= 8,
			.func	= forgotten_hit,
		}, attr_too = {
			.name	= "forgot_too",
		};
		struct ksym_watch *watch;

		watch = ksym_watch_create(&attr_too);
		if (!IS_ERR(watch))
			ksym_watch_point(watch, &ksym_mod_first.next);
		ksym_watch_create(&attr);
	}
	if (fail)
		return -EIO;
	/* Without this use, the compiler would drop the variables. */
	WRITE_ONCE(ksym_mod_initdata, READ_ONCE(ksym_mod_const));
	ksym_mod_first.next = &ksym_mod_second;
	for_each_possible_cpu(cpu)
		per_cpu(ksym_mod_percpu_object, cpu).next = &ksym_mod_of_cpu[cpu];
	if (writer)
		task = kthread_run(write_on, NULL, "ksym_mod");
	return PTR_ERR_OR_ZERO(task);
}
module_init(ksym_mod_init);

static void __exit ksym_mod_exit(void)
{
	if (task)
		kthread_stop(task);
	count_write();
}
module_exit(ksym_mod_exit);

MODULE_DESCRIPTION("Variables for the tests of ksym");
MODULE_LICENSE("GPL");

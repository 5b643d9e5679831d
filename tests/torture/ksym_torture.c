// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stores to variables on all CPUs, and counts the stores that must trap.
 *
 * A thread on each CPU stores with interrupts off, so that no other CPU changes the debug
 * registers of this one meanwhile. Before each store it reads them from the CPU, and not
 * what perf or the tracer believe to be in them. The store is armed if one of them covers
 * the variable. It marks DR6, which the kernel clears in each #DB: a store that was armed
 * and trapped must be a hit of the watch, or a miss. If it was armed and did not trap,
 * the CPU has lost the trap, and no kernel could have seen the store.
 *
 * In debugfs, ksym_torture/ has
 *
 *   stores	a line for each variable: its number, then the stores that
 *		trapped, that were armed and did not trap, and that were not armed: on a CPU
 *		that was going offline or coming online, while offN was 1, for other reasons
 *   offN	1 while the watch of the variable N is being switched off, is off, or is
 *		being switched on
 *   pauseN	1 while nothing stores to the variable N; when a write of 1 returns, no
 *		store is in progress
 *   kgdb	a write of N lets kgdb set a breakpoint at a variable of its own, stores N
 *		there, and lets kgdb remove it: ENOSPC if no register was free, EIO if the
 *		store did not stop in kgdb. kgdb needs a free register, and all CPUs, for the
 *		first one. From then on stores do not mark DR6, since kgdb takes a #DB
 *		with the mark for one of its own: what is armed counts as trapped
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kgdb.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smpboot.h>

#include <asm/debugreg.h>

#define NR_VARS		8
#define NR_REGISTERS	4

/* The bit for accesses to debug registers, which nobody forbids. */
#define DR6_MARK	BIT(13)

/* A burst that seems to take longer was interrupted by the host. */
#define MAX_SPENT_US	10000UL

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "the order in which each CPU stores to the variables");

static unsigned int burst = 32;
module_param(burst, uint, 0644);
MODULE_PARM_DESC(burst, "stores of a CPU between two sleeps of its thread");

/*
 * Not in an array, so that each has a symbol. In a cache line each, since QEMU 7.2 traps twice at
 * neighbours.
 */
#define VARIABLE(n)	u64 ksym_torture_##n ____cacheline_aligned
VARIABLE(0); VARIABLE(1); VARIABLE(2); VARIABLE(3);
VARIABLE(4); VARIABLE(5); VARIABLE(6); VARIABLE(7);

static u64 *const vars[NR_VARS] = {
	&ksym_torture_0, &ksym_torture_1, &ksym_torture_2, &ksym_torture_3,
	&ksym_torture_4, &ksym_torture_5, &ksym_torture_6, &ksym_torture_7,
};

enum outcome { TRAPPED, LOST, PLUGGED, OFF, OTHER, NR_OUTCOMES };

/* What windows of watches open and close at; the calls have no other effect. */
#define WINDOW(n)					\
static noinline void ksym_torture_open_##n(u64 *var)	\
{							\
	asm volatile("# open " #n : : "r" (var));	\
}							\
							\
static noinline void ksym_torture_close_##n(u64 *var)	\
{							\
	asm volatile("# close " #n : : "r" (var));	\
}

WINDOW(0)
WINDOW(1)
WINDOW(2)

static void (*const windows[])(u64 *var) = {
	ksym_torture_open_0, ksym_torture_close_0,
	ksym_torture_open_1, ksym_torture_close_1,
	ksym_torture_open_2, ksym_torture_close_2,
};

struct stores {
	u64 count[NR_VARS][NR_OUTCOMES];
	u64 last;
	u32 random;
};

static DEFINE_PER_CPU(struct stores, stores);
static DEFINE_PER_CPU(struct task_struct *, writer);
static unsigned long paused, off;
static bool has_kgdb, kgdb_runs;
static struct dentry *folder;

/*
 * As get_debugreg(), whose asm is volatile for DR7 only: the compiler may read the others once
 * for many stores, and before interrupts are off.
 */
#define read_debugreg(n)					\
({								\
	unsigned long val;					\
								\
	asm volatile("mov %%db" #n ", %0" : "=r" (val) : : "memory");	\
	val;							\
})

/* Whether a debug register of this CPU would trap a store of eight bytes to @at. */
static bool is_armed(unsigned long at)
{
	static const u8 lengths[] = { 1, 2, 8, 4 };
	unsigned long address[NR_REGISTERS], control;
	unsigned int i, kind, len;

	control = read_debugreg(7);
	if (!(control & DR_GLOBAL_ENABLE_MASK) && !(control & DR_LOCAL_ENABLE_MASK))
		return false;
	address[0] = read_debugreg(0);
	address[1] = read_debugreg(1);
	address[2] = read_debugreg(2);
	address[3] = read_debugreg(3);
	for (i = 0; i < NR_REGISTERS; i++) {
		if (!((control >> (i * DR_ENABLE_SIZE)) & (DR_LOCAL_ENABLE | DR_GLOBAL_ENABLE)))
			continue;
		kind = (control >> (DR_CONTROL_SHIFT + i * DR_CONTROL_SIZE)) & 0xf;
		if ((kind & 3) != DR_RW_WRITE && (kind & 3) != DR_RW_READ)
			continue;
		len = lengths[kind >> 2];
		if (address[i] < at + sizeof(u64) && at < address[i] + len)
			return true;
	}
	return false;
}

/* Stores, and finds out whether that trapped. Interrupts are off. */
static bool store_traps(u64 *var, u64 value)
{
	unsigned long dr6;

	set_debugreg(DR6_RESERVED | DR6_MARK, 6);
	WRITE_ONCE(*var, value);
	dr6 = read_debugreg(6);
	set_debugreg(DR6_RESERVED, 6);
	return !(dr6 & DR6_MARK);
}

static void store(struct stores *mine, unsigned int i)
{
	enum outcome outcome;
	unsigned long flags;
	bool armed, traps;

	local_irq_save(flags);
	if (!test_bit(i, &paused) && !READ_ONCE(kgdb_runs)) {
		armed = is_armed((unsigned long)vars[i]);
		if (READ_ONCE(has_kgdb)) {
			WRITE_ONCE(*vars[i], ++mine->last);
			traps = armed;
		} else {
			traps = store_traps(vars[i], ++mine->last);
		}
		if (traps)
			outcome = TRAPPED;
		else if (armed)
			outcome = LOST;
		else if (!cpu_active(smp_processor_id()))
			outcome = PLUGGED;
		else
			outcome = test_bit(i, &off) ? OFF : OTHER;
		mine->count[i][outcome]++;
	}
	local_irq_restore(flags);
}

/* As C's rand(): good enough, and repeatable. */
static unsigned int draw(struct stores *mine)
{
	mine->random = mine->random * 1103515245 + 12345;
	return mine->random >> 16;
}

static int should_run(unsigned int cpu)
{
	return true;
}

static void run(unsigned int cpu)
{
	struct stores *mine = per_cpu_ptr(&stores, cpu);
	u64 start = ktime_get_ns();
	unsigned long spent;
	unsigned int i;

	for (i = 0; i < READ_ONCE(burst); i++)
		store(mine, draw(mine) % NR_VARS);
	i = draw(mine) % (4 * ARRAY_SIZE(windows));
	if (i < ARRAY_SIZE(windows))
		windows[i](vars[i / 2]);
	/* However long a trap takes, there is time for what the test does with watches. */
	spent = min(div_u64(ktime_get_ns() - start, NSEC_PER_USEC), MAX_SPENT_US);
	usleep_range(500 + 3 * spent, 1500 + 4 * spent);
}

/* Of 20 busy programs, none may keep a CPU from storing. */
static void setup(unsigned int cpu)
{
	sched_set_fifo_low(current);
}

static struct smp_hotplug_thread threads = {
	.store			= &writer,
	.setup			= setup,
	.thread_should_run	= should_run,
	.thread_fn		= run,
	.thread_comm		= "torture/%u",
};

static int stores_show(struct seq_file *m, void *unused)
{
	unsigned int i, outcome;
	int cpu;

	for (i = 0; i < NR_VARS; i++) {
		seq_printf(m, "%u", i);
		for (outcome = 0; outcome < NR_OUTCOMES; outcome++) {
			u64 sum = 0;

			for_each_possible_cpu(cpu)
				sum += READ_ONCE(per_cpu_ptr(&stores, cpu)->count[i][outcome]);
			seq_printf(m, " %llu", sum);
		}
		seq_putc(m, '\n');
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stores);

static int pause_get(void *data, u64 *value)
{
	*value = test_bit((unsigned long)data, &paused);
	return 0;
}

static int pause_set(void *data, u64 value)
{
	unsigned long i = (unsigned long)data;

	if (!value) {
		clear_bit(i, &paused);
		return 0;
	}
	set_bit(i, &paused);
	/* Code with interrupts off is a reader. */
	synchronize_rcu();
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(pause_fops, pause_get, pause_set, "%llu\n");

static int off_get(void *data, u64 *value)
{
	*value = test_bit((unsigned long)data, &off);
	return 0;
}

static int off_set(void *data, u64 value)
{
	assign_bit((unsigned long)data, &off, value);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(off_fops, off_get, off_set, "%llu\n");

/*
 * The other end of kgdb. kgdbts would set software breakpoints as well, which kgdb refuses
 * while another CPU patches code.
 */
static struct {
	u64 var;		/* what is stored to */
	char set[40];		/* the packet that sets the breakpoint */
	char clear[40];		/* the one that removes it */
	const char *next;	/* what kgdb reads next */
	unsigned int step;	/* the number of packets it has read or begun */
	bool is_set;		/* the breakpoint is set */
	char reply;		/* the first byte of its last one, or 0 */
	int left;		/* bytes that end its packet, or -1 */
	unsigned int acks;	/* its packets that are to be acknowledged */
} gdb;

#define CONTINUE	"$c#63"
#define DETACH		"$D#44"

static int gdb_to_kgdb(void)
{
	if (gdb.acks) {
		gdb.acks--;
		return '+';
	}
	if (!*gdb.next) {
		switch (gdb.step++) {
		case 0:
			gdb.next = gdb.set;
			break;
		case 1:
			gdb.is_set = gdb.reply == 'O';
			gdb.next = gdb.is_set ? CONTINUE : DETACH;
			break;
		case 2:
			gdb.next = gdb.clear;
			break;
		default:
			gdb.next = DETACH;
		}
	}
	return *gdb.next++;
}

static void kgdb_to_gdb(u8 byte)
{
	if (byte == '$') {
		gdb.reply = 0;
		gdb.left = -1;
	} else if (byte == '#') {
		gdb.left = 2;
	} else if (gdb.left > 0) {
		gdb.acks += !--gdb.left;
	} else if (gdb.left < 0 && !gdb.reply) {
		gdb.reply = byte;
	}
}

static struct kgdb_io gdb_io = {
	.name		= KBUILD_MODNAME,
	.read_char	= gdb_to_kgdb,
	.write_char	= kgdb_to_gdb,
};

static void make_packet(char *packet, size_t size, char command)
{
	u8 sum = 0;
	size_t i;

	snprintf(packet, size, "$%c2,%lx,8", command, (unsigned long)&gdb.var);
	for (i = 1; packet[i]; i++)
		sum += packet[i];
	snprintf(packet + i, size - i, "#%02x", sum);
}

static int kgdb_set(void *data, u64 value)
{
	int ret;

	make_packet(gdb.set, sizeof(gdb.set), 'Z');
	make_packet(gdb.clear, sizeof(gdb.clear), 'z');
	gdb.next = "";
	gdb.step = 0;
	gdb.is_set = false;
	gdb.left = 0;
	gdb.acks = 0;
	/*
	 * kgdb stops a CPU by an NMI, and writes its debug registers: not between what a store
	 * reads of them and the store. Code with interrupts off is a reader.
	 */
	WRITE_ONCE(kgdb_runs, true);
	synchronize_rcu();
	if (!has_kgdb) {
		WRITE_ONCE(has_kgdb, true);
		ret = kgdb_register_io_module(&gdb_io);
		if (ret) {
			WRITE_ONCE(has_kgdb, false);
			goto out;
		}
	}
	/* kgdb would miss the store on a CPU that comes meanwhile. */
	cpus_read_lock();
	kgdb_breakpoint();
	ret = -ENOSPC;
	if (gdb.is_set) {
		WRITE_ONCE(gdb.var, value);
		/* The trap goes on with the packets. */
		ret = READ_ONCE(gdb.step) == 4 ? 0 : -EIO;
	}
	cpus_read_unlock();
	/* It must be detached. */
	if (ret == -EIO)
		kgdb_breakpoint();
out:
	WRITE_ONCE(kgdb_runs, false);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(kgdb_fops, NULL, kgdb_set, "%llu\n");

static int __init torture_init(void)
{
	unsigned long i;
	char name[16];
	int cpu, ret;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(&stores, cpu)->random = seed * nr_cpu_ids + cpu;
	folder = debugfs_create_dir("ksym_torture", NULL);
	debugfs_create_file("stores", 0444, folder, NULL, &stores_fops);
	for (i = 0; i < NR_VARS; i++) {
		snprintf(name, sizeof(name), "pause%lu", i);
		debugfs_create_file_unsafe(name, 0644, folder, (void *)i, &pause_fops);
		snprintf(name, sizeof(name), "off%lu", i);
		debugfs_create_file_unsafe(name, 0644, folder, (void *)i, &off_fops);
	}
	debugfs_create_file_unsafe("kgdb", 0200, folder, NULL, &kgdb_fops);
	ret = smpboot_register_percpu_thread(&threads);
	if (ret)
		debugfs_remove(folder);
	return ret;
}

static void __exit torture_exit(void)
{
	smpboot_unregister_percpu_thread(&threads);
	debugfs_remove(folder);
	if (has_kgdb)
		kgdb_unregister_io_module(&gdb_io);
}

module_init(torture_init);
module_exit(torture_exit);
MODULE_DESCRIPTION("Stores that watches must see");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contains a fault for each checker of the debug kernel, and for KCSAN, so that a test
 * can check that it is reported and found in the log. Lockdep stops after its first
 * report, except for those of RCU, and after a report of KASAN.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/hw_breakpoint.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/pgtable.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timer.h>

static DEFINE_SPINLOCK(splat_spinlock);
static DEFINE_MUTEX(splat_first);
static DEFINE_MUTEX(splat_second);
static int __rcu *splat_pointer;

/* Hidden from the compiler, which would otherwise detect the faults. */
static int splat_bits = 77;
module_param(splat_bits, int, 0);

static noinline void splat_warning(void)
{
	WARN(1, "planted\n");
}

static noinline void splat_kasan(void)
{
	char *freed = kmalloc(16, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(freed);
	kfree(freed);
	pr_info("freed memory holds %d\n", READ_ONCE(*freed));
}

static noinline void splat_ubsan(void)
{
	/* Memory that KASAN would not report, as it makes only one report. */
	static struct {
		int numbers[4];
		int others[4];
	} array;

	pr_info("an int shifted too far is %d\n", splat_bits << splat_bits);
	pr_info("a number behind an array is %d\n", array.numbers[splat_bits % 8]);
}

static noinline void splat_sleep(void)
{
	spin_lock(&splat_spinlock);
	might_sleep();
	spin_unlock(&splat_spinlock);
}

static noinline void splat_rcu(void)
{
	pr_info("unprotected pointer %p\n", rcu_dereference(splat_pointer));
}

static noinline void splat_lock_order(void)
{
	mutex_lock(&splat_first);
	mutex_lock(&splat_second);
	mutex_unlock(&splat_second);
	mutex_unlock(&splat_first);
	mutex_lock(&splat_second);
	mutex_lock(&splat_first);
	mutex_unlock(&splat_first);
	mutex_unlock(&splat_second);
}

struct splat_object {
	struct timer_list timer;
};

static void splat_nothing(struct timer_list *timer)
{
}

static noinline void splat_object(void)
{
	struct splat_object *object = kzalloc(sizeof(*object), GFP_KERNEL);

	timer_setup(&object->timer, splat_nothing, 0);
	mod_timer(&object->timer, jiffies + 1000 * HZ);
	kfree(object);
}

static noinline void splat_list(void)
{
	LIST_HEAD(head);
	LIST_HEAD(other);
	struct list_head entry;

	head.next = &other;
	list_add(&entry, &head);
}

static noinline void splat_preempt(void)
{
	pr_info("an unstable CPU: %u\n", smp_processor_id());
}

static noinline void splat_leak(void)
{
	char *lost;
	int i;

	/*
	 * A pointer to one or another may be left on a stack. Smaller ones may be left in a sheaf
	 * of their slab.
	 */
	for (i = 0; i < 10; i++) {
		lost = kzalloc(4 * PAGE_SIZE, GFP_KERNEL);
		OPTIMIZER_HIDE_VAR(lost);
	}
}

/* Maps a page that is mapped already once more, without a trace in the page tables. */
static noinline void splat_page_table(void)
{
	unsigned long addr = current->mm->start_stack;
	pte_t none = __pte(0);
	struct page *page;

	if (get_user_pages_fast(addr, 1, FOLL_WRITE, &page) != 1)
		return;
	set_pte_at(current->mm, addr, &none, mk_pte(page, PAGE_SHARED));
	put_page(page);
}

static void splat_hit(struct perf_event *bp, struct perf_sample_data *data, struct pt_regs *regs)
{
}

/* The owner of a register runs on another CPU while perf schedules a flexible breakpoint. */
static noinline void splat_register(void)
{
	struct perf_event *pinned, *flexible;
	struct perf_event_attr attr;
	int cpu;

	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)&splat_bits;
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_W;
	migrate_disable();
	cpu = raw_smp_processor_id();
	pinned = perf_event_create_kernel_counter(&attr, cpu, NULL, splat_hit, NULL);
	if (!IS_ERR(pinned)) {
		WRITE_ONCE(pinned->oncpu, cpu + 1);
		attr.pinned = 0;
		flexible = perf_event_create_kernel_counter(&attr, cpu, NULL, splat_hit, NULL);
		WRITE_ONCE(pinned->oncpu, cpu);
		if (!IS_ERR(flexible))
			perf_event_release_kernel(flexible);
		perf_event_release_kernel(pinned);
	}
	migrate_enable();
}

/* Of these, KCSAN delays one in 50. */
#define SPLAT_ACCESSES	20000

static unsigned long splat_shared;
static unsigned long splat_changing;
static unsigned long splat_data;
static bool splat_ready;

static noinline void splat_write(void)
{
	splat_shared++;
}

static noinline unsigned long splat_read(void)
{
	return splat_shared;
}

/* Like a function in a file that KCSAN does not look at: it finds the change only. */
static noinline __no_kcsan void splat_change(void)
{
	splat_changing++;
}

static noinline unsigned long splat_look(void)
{
	return splat_changing;
}

/* Without a release, the data may be written after the flag. */
static noinline void splat_publish(void)
{
	splat_data++;
	WRITE_ONCE(splat_ready, true);
	while (READ_ONCE(splat_ready) && !kthread_should_stop())
		cpu_relax();
}

static noinline unsigned long splat_consume(void)
{
	unsigned long data;

	/* Pairs with nothing in splat_publish(), which is the fault. */
	while (!smp_load_acquire(&splat_ready))
		cpu_relax();
	data = splat_data;
	/* The racer goes on when it sees this. */
	smp_store_release(&splat_ready, false);
	return data;
}

static int splat_racer(void *unused)
{
	while (!kthread_should_stop()) {
		splat_write();
		splat_publish();
	}
	return 0;
}

static unsigned long splat_access(void)
{
	return splat_read() + splat_consume();
}

/* Nothing here delays this thread, so the value changes whenever KCSAN delays who looks. */
static int splat_changer(void *unused)
{
	while (!kthread_should_stop())
		splat_change();
	return 0;
}

/* Accesses, by @access, what a thread on another CPU, @race, changes. */
static void splat_races(int (*race)(void *), unsigned long (*access)(void))
{
	struct task_struct *racer = kthread_create(race, NULL, "splat_racer");
	unsigned long sum = 0;
	unsigned int i;

	if (IS_ERR(racer))
		return;
	/* Each waits for the other. */
	migrate_disable();
	kthread_bind(racer, cpumask_any_but(cpu_online_mask, raw_smp_processor_id()));
	wake_up_process(racer);
	for (i = 0; i < SPLAT_ACCESSES; i++)
		sum += access();
	migrate_enable();
	kthread_stop(racer);
	pr_info("the sum is %lu\n", sum);
}

static int __init splat_init(void)
{
	/* This kernel has no other checker. */
	if (IS_ENABLED(CONFIG_KCSAN)) {
		splat_races(splat_racer, splat_access);
		splat_races(splat_changer, splat_look);
		return 0;
	}
	splat_object();
	splat_list();
	splat_preempt();
	splat_register();
	splat_leak();
	splat_rcu();
	splat_lock_order();
	splat_sleep();
	splat_ubsan();
	splat_warning();
	splat_kasan();
	/* Its report is an oops. */
	splat_page_table();
	return 0;
}

static void __exit splat_exit(void)
{
}

module_init(splat_init);
module_exit(splat_exit);
MODULE_DESCRIPTION("Plants what the checkers of the kernel must find");
MODULE_LICENSE("GPL");

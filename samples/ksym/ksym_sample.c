// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who scribbles over a list node that was freed?
 *
 * Nodes come from a pool and go back there. Somebody keeps a pointer to a node
 * beyond that, and writes through it: whoever gets the node next wonders where
 * its values come from. The pool's memory is never unmapped, and the write is
 * in nobody's way at the time, so nothing else tells.
 *
 * The watch is prepared while this module may sleep, and points nowhere at
 * first. Then, each time that a node is freed, it is pointed at that node,
 * which takes no lock and does not sleep, so that it can be done under the lock
 * of the list. When the node is handed out again it points nowhere again. What
 * is written in between is a hit:
 *
 *	# modprobe ksym_sample
 *	# grep ksym_sample: /sys/kernel/tracing/trace
 *
 * and the hit names the culprit, ksym_sample_culprit().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/ksym_trace.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

struct ksym_sample_node {
	struct list_head	list;
	/* Ages until nobody needs the node any more. It is what is watched. */
	u64			age;
	struct timer_list	timer;
};

#define KSYM_SAMPLE_NODES	4

static struct ksym_sample_node nodes[KSYM_SAMPLE_NODES];

/* Protects both lists, and where the watch points. */
static DEFINE_SPINLOCK(lock);
static LIST_HEAD(in_use);
static LIST_HEAD(pool);

static struct ksym_watch *watch;

static struct ksym_sample_node *ksym_sample_get(void)
{
	struct ksym_sample_node *node;
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	node = list_first_entry_or_null(&pool, struct ksym_sample_node, list);
	if (node) {
		/* From now on whoever has the node may write to it. */
		ksym_watch_point(watch, NULL);
		node->age = 0;
		list_move(&node->list, &in_use);
	}
	spin_unlock_irqrestore(&lock, flags);

	return node;
}

/*
 * The bug is here: the timer of the node goes on. It should be deleted before
 * the node goes back into the pool.
 */
static void ksym_sample_put(struct ksym_sample_node *node)
{
	unsigned long flags;
	int err;

	spin_lock_irqsave(&lock, flags);
	/* To the end, so that it is not handed out again at once. */
	list_move_tail(&node->list, &pool);
	err = ksym_watch_point(watch, &node->age);
	spin_unlock_irqrestore(&lock, flags);

	/* Nobody else moves the watch, but the CPU may refuse an address. */
	if (err)
		pr_info("a freed node is not watched (error %d)\n", err);
}

static void ksym_sample_culprit(struct timer_list *timer)
{
	struct ksym_sample_node *node = from_timer(node, timer, timer);

	WRITE_ONCE(node->age, node->age + 1);
	mod_timer(timer, jiffies + HZ / 10);
}

static void ksym_sample_stop_timers(void)
{
	int i;

	for (i = 0; i < KSYM_SAMPLE_NODES; i++)
		timer_shutdown_sync(&nodes[i].timer);
}

static int __init ksym_sample_init(void)
{
	struct ksym_sample_node *node;
	int i;

	for (i = 0; i < KSYM_SAMPLE_NODES; i++) {
		timer_setup(&nodes[i].timer, ksym_sample_culprit, 0);
		list_add_tail(&nodes[i].list, &pool);
	}

	/* This reserves a debug register on each CPU, and may sleep. */
	watch = ksym_watch_prepare(sizeof(node->age), HW_BREAKPOINT_W,
				   "ksym_sample");
	if (IS_ERR(watch))
		return PTR_ERR(watch);

	node = ksym_sample_get();
	mod_timer(&node->timer, jiffies + HZ / 10);
	ksym_sample_put(node);

	/* The other CPUs follow as soon as they take interrupts. */
	pr_info("%u CPUs do not watch the freed node yet\n",
		ksym_watch_lagging(watch));

	return 0;
}

static void __exit ksym_sample_exit(void)
{
	ksym_sample_stop_timers();
	ksym_watch_end(watch);
}

module_init(ksym_sample_init);
module_exit(ksym_sample_exit);

MODULE_DESCRIPTION("Find out who writes to a freed list node, with ksym");
MODULE_LICENSE("GPL");

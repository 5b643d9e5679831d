// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out who writes to a list node after it is freed.
 *
 * Nodes come from a pool and go back to it. Some code keeps a pointer to a node
 * for too long and writes through it, so that the next user of the node finds
 * wrong values in it. The pool's memory is never unmapped and the write breaks
 * nothing at the time, so no other tool reports it.
 *
 * The watch is prepared where this module may sleep, and points nowhere at
 * first. Each time a node is freed, the module points the watch at the node.
 * That takes no lock and does not sleep, so it works under the list's lock.
 * When the node is handed out again, the watch points nowhere again. Each write
 * in between is a hit:
 *
 *	# modprobe ksym_sample
 *	# grep ksym_sample: /sys/kernel/tracing/trace
 *
 * The hit names the culprit, ksym_sample_culprit().
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
	/* Ages until the node is freed. This is the watched member. */
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
		/* From here on, the node's user may write to it. */
		ksym_watch_point(watch, NULL);
		node->age = 0;
		list_move(&node->list, &in_use);
	}
	spin_unlock_irqrestore(&lock, flags);

	return node;
}

/*
 * The bug is here: the node's timer is not deleted before the node goes back
 * to the pool.
 */
static void ksym_sample_put(struct ksym_sample_node *node)
{
	unsigned long flags;
	int err;

	spin_lock_irqsave(&lock, flags);
	/* At the end, so that other nodes are handed out first. */
	list_move_tail(&node->list, &pool);
	err = ksym_watch_point(watch, &node->age);
	spin_unlock_irqrestore(&lock, flags);

	/* Only this module moves the watch, but the CPU may refuse an address. */
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

	/* Reserves a debug register on each CPU, and may sleep. */
	watch = ksym_watch_prepare(sizeof(node->age), HW_BREAKPOINT_W,
				   "ksym_sample");
	if (IS_ERR(watch))
		return PTR_ERR(watch);

	node = ksym_sample_get();
	mod_timer(&node->timer, jiffies + HZ / 10);
	ksym_sample_put(node);

	/* The other CPUs follow when they take their interrupts. */
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

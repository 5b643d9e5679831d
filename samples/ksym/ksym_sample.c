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
 * The hit names the culprit, ksym_sample_culprit(). So does the module, whose callback
 * sees each hit in the trap, and it knows how much of the time the watch has watched:
 *
 *	# cat /sys/module/ksym_sample/parameters/found
 *	3 hits, the last by ksym_sample_culprit+0x11/0x30 [ksym_sample]
 *	all: 3 hits, watched 1000000 of 1000000 us
 *	CPU 0: 3 hits, watched 500000 of 500000 us
 *	CPU 1: 0 hits, watched 500000 of 500000 us
 *
 * Between experiments the watch can be disarmed; it keeps its registers and counts:
 *
 *	# echo 0 > /sys/module/ksym_sample/parameters/armed
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/ksym_trace.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>
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

/* What the callback found. */
struct ksym_sample_found {
	atomic_t		hits;
	/* The last instruction that wrote. */
	unsigned long		ip;
};

static struct ksym_sample_found found;

/* Runs in the trap, which may have interrupted any code: no lock, no printk. */
static void ksym_sample_hit(struct ksym_watch *watch, const struct ksym_hit_info *hit,
			    void *data)
{
	struct ksym_sample_found *to = data;

	atomic_inc(&to->hits);
	WRITE_ONCE(to->ip, hit->ip);
}

static int ksym_sample_show(char *buffer, int at, const char *name, u64 hits, u64 enabled,
			    u64 running)
{
	return sysfs_emit_at(buffer, at, "%s: %llu hits, watched %llu of %llu us\n", name,
			     hits, div_u64(running, NSEC_PER_USEC),
			     div_u64(enabled, NSEC_PER_USEC));
}

static int ksym_sample_get_found(char *buffer, const struct kernel_param *kp)
{
	u64 hits, enabled, running;
	char name[16];
	int cpu, at;

	if (IS_ERR_OR_NULL(watch))
		return -ENODEV;
	at = sysfs_emit(buffer, "%d hits, the last by %pS\n", atomic_read(&found.hits),
			(void *)READ_ONCE(found.ip));
	hits = ksym_watch_read(watch, &enabled, &running);
	at += ksym_sample_show(buffer, at, "all", hits, enabled, running);
	for_each_online_cpu(cpu) {
		snprintf(name, sizeof(name), "CPU %d", cpu);
		hits = ksym_watch_read_cpu(watch, cpu, &enabled, &running);
		at += ksym_sample_show(buffer, at, name, hits, enabled, running);
	}
	return at;
}

static const struct kernel_param_ops found_ops = {
	.get = ksym_sample_get_found,
};
module_param_cb(found, &found_ops, NULL, 0444);
MODULE_PARM_DESC(found, "what the watch has found");

static int ksym_sample_set_armed(const char *text, const struct kernel_param *kp)
{
	bool armed;
	int err;

	err = kstrtobool(text, &armed);
	if (err)
		return err;
	if (IS_ERR_OR_NULL(watch))
		return -ENODEV;
	return armed ? ksym_watch_arm(watch) : ksym_watch_disarm(watch);
}

static const struct kernel_param_ops armed_ops = {
	.set = ksym_sample_set_armed,
};
module_param_cb(armed, &armed_ops, NULL, 0200);
MODULE_PARM_DESC(armed, "whether the watch watches");

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
	struct ksym_sample_node *node = container_of(timer, typeof(*node), timer);

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
	static const struct ksym_watch_attr attr = {
		.name	= "ksym_sample",
		.len	= sizeof_field(struct ksym_sample_node, age),
		.access	= HW_BREAKPOINT_W,
		.func	= ksym_sample_hit,
		.data	= &found,
	};
	struct ksym_sample_node *node;
	int i;

	for (i = 0; i < KSYM_SAMPLE_NODES; i++) {
		timer_setup(&nodes[i].timer, ksym_sample_culprit, 0);
		list_add_tail(&nodes[i].list, &pool);
	}

	/*
	 * Reserves a debug register on each CPU, and may sleep. There is no address yet,
	 * so the watch points nowhere.
	 */
	watch = ksym_watch_create(&attr);
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
	struct ksym_watch *ended = watch;

	ksym_sample_stop_timers();
	/* The parameters, which have the lock, can be read until the module is gone. */
	kernel_param_lock(THIS_MODULE);
	watch = NULL;
	kernel_param_unlock(THIS_MODULE);
	ksym_watch_end(ended);
}

module_init(ksym_sample_init);
module_exit(ksym_sample_exit);

MODULE_DESCRIPTION("Find out who writes to a freed list node, with ksym");
MODULE_LICENSE("GPL");

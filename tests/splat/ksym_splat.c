// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contains a fault for each checker of the debug kernel, so that a test can check
 * that it is reported and found in the log. Lockdep stops after its first report,
 * except for those of RCU, and after a report of KASAN.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

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
	pr_info("an int shifted too far is %d\n", splat_bits << splat_bits);
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

static int __init splat_init(void)
{
	splat_rcu();
	splat_lock_order();
	splat_sleep();
	splat_ubsan();
	splat_warning();
	splat_kasan();
	return 0;
}

static void __exit splat_exit(void)
{
}

module_init(splat_init);
module_exit(splat_exit);
MODULE_DESCRIPTION("Plants what the debug kernel's checkers must find");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets the nth call of a function fail, as the kernel's fail-nth does with allocations:
 *
 *	insmod ksym_fail.ko function=NAME error=-ENOSPC
 *	echo 3 > /sys/module/ksym_fail/parameters/nth
 *
 * The function is not entered and returns the error. "nth" is 0 after that.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static char *function;
module_param(function, charp, 0444);

static int error;
module_param(error, int, 0444);

static atomic_t left;

static int set_nth(const char *text, const struct kernel_param *kp)
{
	int nth, ret = kstrtoint(text, 0, &nth);

	if (!ret)
		atomic_set(&left, nth);
	return ret;
}

static int get_nth(char *text, const struct kernel_param *kp)
{
	return sprintf(text, "%d\n", max(atomic_read(&left), 0));
}

static const struct kernel_param_ops nth_ops = { .set = set_nth, .get = get_nth };
module_param_cb(nth, &nth_ops, NULL, 0644);

/* Is called instead, with the function's return address on the stack. */
static noinline long return_error(void)
{
	return error;
}

static int before_call(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&left) != 0)
		return 0;
	regs->ip = (unsigned long)return_error;
	return 1;
}

static struct kprobe probe = { .pre_handler = before_call };

static int __init ksym_fail_init(void)
{
	probe.symbol_name = function;
	return register_kprobe(&probe);
}

static void __exit ksym_fail_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(ksym_fail_init);
module_exit(ksym_fail_exit);
MODULE_DESCRIPTION("Lets a function of the kernel fail");
MODULE_LICENSE("GPL");

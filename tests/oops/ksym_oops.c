// SPDX-License-Identifier: GPL-2.0-only
/* A module whose init function oopses. */
#include <linux/bug.h>
#include <linux/module.h>

static int __init ksym_oops_init(void)
{
	BUG();
	return 0;
}
module_init(ksym_oops_init);

MODULE_DESCRIPTION("An oops");
MODULE_LICENSE("GPL");

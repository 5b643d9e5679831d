// SPDX-License-Identifier: GPL-2.0-only
/* A module whose init function oopses. */
#include <linux/module.h>

static int *nowhere;

static int __init ksym_oops_init(void)
{
	return READ_ONCE(*nowhere);
}
module_init(ksym_oops_init);

MODULE_DESCRIPTION("An oops");
MODULE_LICENSE("GPL");

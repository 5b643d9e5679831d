// SPDX-License-Identifier: GPL-2.0-only
/* A second module, with a variable whose name ksym_mod has twice. */
#include <linux/module.h>
#include <linux/moduleparam.h>

static int ksym_twin;
module_param_named(twin, ksym_twin, int, 0644);
MODULE_PARM_DESC(twin, "the value of ksym_twin");

/* Only this module has this symbol, so a watch on it waits for the module. */
static int ksym_mod2_var;
module_param_named(var, ksym_mod2_var, int, 0644);
MODULE_PARM_DESC(var, "the value of ksym_mod2_var");

MODULE_DESCRIPTION("Another module for the tests of ksym");
MODULE_LICENSE("GPL");

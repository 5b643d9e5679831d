// SPDX-License-Identifier: GPL-2.0-only
/* A second module, with names that ksym_mod has, too: a variable, and a function. */
#include <linux/module.h>
#include <linux/moduleparam.h>

static int ksym_twin;
module_param_named(twin, ksym_twin, int, 0644);
MODULE_PARM_DESC(twin, "the value of ksym_twin");

/* Only this module has this symbol, so a watch on it waits for the module. */
static int ksym_mod2_var;
module_param_named(var, ksym_mod2_var, int, 0644);
MODULE_PARM_DESC(var, "the value of ksym_mod2_var");

struct ksym_mod2_object {
	u64	first;
	u16	only_here;
};

/* ksym_mod has a function of this name with an argument of another type. */
static noinline __noclone void ksym_mod_recurse(struct ksym_mod2_object *object)
{
	WRITE_ONCE(object->only_here, object->only_here + 1);
}

static int set_object(const char *text, const struct kernel_param *kp)
{
	static struct ksym_mod2_object object;

	ksym_mod_recurse(&object);
	return 0;
}

static const struct kernel_param_ops object_ops = {
	.set = set_object,
};
module_param_cb(object, &object_ops, NULL, 0200);
MODULE_PARM_DESC(object, "whatever is written makes it write to its object");

MODULE_DESCRIPTION("Another module for the tests of ksym");
MODULE_LICENSE("GPL");

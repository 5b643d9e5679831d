// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that a test renames to ksym_mod, with a buffer that is not aligned: the names have the
 * same length.
 */
#include <linux/module.h>

static struct {
	u32 before;
	u32 buffer[2];
} ksym_big __aligned(8);

/* A symbol in the middle of a structure. */
asm(".local ksym_big_buffer\n\t"
	".type ksym_big_buffer, @object\n\t"
	".size ksym_big_buffer, 8\n\t"
	".set ksym_big_buffer, ksym_big + 4");

static int __init ksym_big_init(void)
{
	WRITE_ONCE(ksym_big.buffer[0], 0x70);
	WRITE_ONCE(ksym_big.buffer[1], 0x71);
	return 0;
}

static void __exit ksym_big_exit(void)
{
}

module_init(ksym_big_init);
module_exit(ksym_big_exit);
MODULE_DESCRIPTION("Another version of a module for the tests of ksym");
MODULE_LICENSE("GPL");

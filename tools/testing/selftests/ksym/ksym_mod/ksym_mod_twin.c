// SPDX-License-Identifier: GPL-2.0-only
/* The second file of ksym_mod. Its ksym_twin has the same name as the first file's. */
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/types.h>

#include "ksym_mod.h"

static int ksym_twin;

/* While init runs, there are two of this name. The one to watch is the other file's. */
static u8 __used ksym_mod_buffer __initdata;

void ksym_mod_write_other_twin(int value)
{
	WRITE_ONCE(ksym_twin, value);
}

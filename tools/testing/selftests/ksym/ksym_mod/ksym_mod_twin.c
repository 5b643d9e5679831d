// SPDX-License-Identifier: GPL-2.0-only
/* The second file of ksym_mod. Its ksym_twin has the same name as the first file's. */
#include <linux/compiler.h>

#include "ksym_mod.h"

static int ksym_twin;

void ksym_mod_write_other_twin(int value)
{
	WRITE_ONCE(ksym_twin, value);
}

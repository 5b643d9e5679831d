// SPDX-License-Identifier: GPL-2.0-only
/* The second file of ksym_mod: its twin has the name of the first one's. */
#include <linux/compiler.h>

#include "ksym_mod.h"

static int ksym_twin;

void ksym_mod_write_other_twin(int value)
{
	WRITE_ONCE(ksym_twin, value);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions: which accesses are hits. */
#ifndef _KERNEL_TRACE_KSYM_COND_H
#define _KERNEL_TRACE_KSYM_COND_H

#include "ksym_hit.h"

bool ksym_cond_passes_nmi(struct ksym_hit *hit);
bool ksym_cond_is_due_nmi(struct ksym_watch *watch);
int ksym_cond_create_locked(struct ksym_watch *watch, const char *text, size_t len,
			    const char **what, int *at);

#endif /* _KERNEL_TRACE_KSYM_COND_H */

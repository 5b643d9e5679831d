/* SPDX-License-Identifier: GPL-2.0-only */
/* User stacks: recorded when the task returns to user mode. */
#ifndef _KERNEL_TRACE_KSYM_USTACK_H
#define _KERNEL_TRACE_KSYM_USTACK_H

#include "ksym.h"

struct ksym_ustack *ksym_ustack_create(struct ksym_watch *watch);
void ksym_ustack_stop(struct ksym_ustack *ustack);
void ksym_ustack_put(struct ksym_ustack *ustack);
bool ksym_ustack_want_nmi(struct ksym_ustack *ustack);

#endif /* _KERNEL_TRACE_KSYM_USTACK_H */

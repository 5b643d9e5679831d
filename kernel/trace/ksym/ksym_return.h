/* SPDX-License-Identifier: GPL-2.0-only */
/* Return: what follows a hit when its task returns to user mode. */
#ifndef _KERNEL_TRACE_KSYM_RETURN_H
#define _KERNEL_TRACE_KSYM_RETURN_H

#include "ksym.h"

#define KSYM_WANT_STACK		1
#define KSYM_WANT_SIGNAL	2

/* Does the task return to user mode at all? Any context. */
static inline bool ksym_return_is_user(const struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_USER_WORKER)) && task->mm;
}

struct ksym_return *ksym_return_create(struct ksym_watch *watch);
void ksym_return_stop(struct ksym_return *all);
void ksym_return_put(struct ksym_return *all);
bool ksym_return_want_nmi(struct ksym_return *all, unsigned int wants);

#endif /* _KERNEL_TRACE_KSYM_RETURN_H */

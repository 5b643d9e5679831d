/* SPDX-License-Identifier: GPL-2.0-only */
/* Last: who wrote to the watches, in an oops or a panic. */
#ifndef _KERNEL_TRACE_KSYM_LAST_H
#define _KERNEL_TRACE_KSYM_LAST_H

struct ksym_watch;

void ksym_last_add(struct ksym_watch *watch);
void ksym_last_del(struct ksym_watch *watch);
struct ksym_watch *ksym_last_find_nmi(const char *name);

#endif /* _KERNEL_TRACE_KSYM_LAST_H */

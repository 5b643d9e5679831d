/* SPDX-License-Identifier: GPL-2.0-only */
/* Event: hits in an instance whose buffer outlives the kernel. */
#ifndef _KERNEL_TRACE_KSYM_PERSISTENT_H
#define _KERNEL_TRACE_KSYM_PERSISTENT_H

#include "ksym_record.h"

int ksym_persistent_check(const struct ksym_watch *watch, const struct trace_event_file *file);

/* Adds to a record what is lost with the kernel. */
static __always_inline void ksym_persistent_fill_nmi(struct ksym_persistent_entry *entry,
						     const struct ksym_watch *watch)
{
	if (!watch->opt.wrote && !watch->window) {
		entry->has_wrote = 0;
		entry->wrote = 0;
	}
	if (!watch->window)
		entry->owner = 0;
	memcpy(entry->comm, current->comm, sizeof(entry->comm));
	memcpy(entry->name, watch->label, sizeof(entry->name));
}

#endif /* _KERNEL_TRACE_KSYM_PERSISTENT_H */

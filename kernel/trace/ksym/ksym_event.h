/* SPDX-License-Identifier: GPL-2.0-only */
/* Event: the trace event of a watch. */
#ifndef _KERNEL_TRACE_KSYM_EVENT_H
#define _KERNEL_TRACE_KSYM_EVENT_H

#include "ksym.h"

struct ksym_hit;

void ksym_event_probe_nmi(void *data, struct ksym_hit *hit);
int ksym_event_init(struct ksym_watch *watch);
bool ksym_event_has_field(const char *name, size_t len);
int ksym_event_register_locked(struct ksym_watch *watch);
int ksym_event_enable_locked(struct ksym_watch *watch);
void ksym_event_forget_locked(struct ksym_watch *watch);
int ksym_event_enable_soft_locked(struct ksym_watch *watch, struct trace_array *tr,
				  struct ksym_soft *soft);
void ksym_event_disable_soft_locked(struct ksym_soft *soft);
bool ksym_event_is_enabled_locked(struct ksym_watch *watch);
bool ksym_event_is_busy_locked(struct ksym_watch *watch);
int ksym_event_unregister_locked(struct ksym_watch *watch);
void ksym_event_note(struct ksym_watch *watch, const char *text);
enum print_line_t ksym_event_print_row(struct trace_iterator *iter);
void ksym_event_print_header(struct seq_file *m);

#endif /* _KERNEL_TRACE_KSYM_EVENT_H */

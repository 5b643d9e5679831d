/* SPDX-License-Identifier: GPL-2.0-only */
/* Watch: the object, its list, and its errors. */
#ifndef _KERNEL_TRACE_KSYM_WATCH_H
#define _KERNEL_TRACE_KSYM_WATCH_H

#include "ksym.h"

/* ksym_watch.c: the life of a watch */
int __init ksym_watch_init(int (*create)(const char *raw_command));
bool ksym_is_watch(struct dyn_event *devent);
struct ksym_watch *ksym_watch_alloc(const struct ksym_spec *spec,
				    const struct ksym_found *found);
void ksym_watch_free(struct ksym_watch *watch);
int ksym_watch_call(struct ksym_watch *watch, ksym_hit_func_t func, void *data);
struct ksym_watch *ksym_watch_find_locked(const char *group, const char *name);
char *ksym_watch_format(const struct ksym_watch *watch);
void ksym_watch_switch_locked(struct ksym_watch *watch, bool on);
bool ksym_watch_remove_marked_locked(void);
void ksym_watch_end_one(struct ksym_watch *watch);
void ksym_watch_end_all_of(struct module *mod);

/* ksym_api.c: called by BPF programs only */
struct ksym_reading;
int bpf_ksym_watch_read(const char *name__str, int cpu, struct ksym_reading *reading);

/* ksym_error.c: error_log */
const char *ksym_error_text(enum ksym_err code);
int ksym_error_log(const char *subsystem, const char *line,
		   const struct ksym_error *error, const char *more);

#endif /* _KERNEL_TRACE_KSYM_WATCH_H */

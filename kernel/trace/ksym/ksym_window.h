/* SPDX-License-Identifier: GPL-2.0-only */
/* Windows: calls of a function in which a watch looks at an object. */
#ifndef _KERNEL_TRACE_KSYM_WINDOW_H
#define _KERNEL_TRACE_KSYM_WINDOW_H

#include "ksym.h"

struct ksym_window;

int ksym_window_create(struct ksym_watch *watch, const struct ksym_spec *spec,
		       struct ksym_error *error);
void ksym_window_switch(struct ksym_window *window, bool on);
unsigned long ksym_window_missed(const struct ksym_window *window);
bool ksym_window_is_gone(struct ksym_window *window);
void ksym_window_stop(struct ksym_window *window);
void ksym_window_free(struct ksym_window *window);
const struct ksym_window_text *ksym_window_text(const struct ksym_window *window);

#endif /* _KERNEL_TRACE_KSYM_WINDOW_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules: watches follow the module that their target is in. */
#ifndef _KERNEL_TRACE_KSYM_MODULE_H
#define _KERNEL_TRACE_KSYM_MODULE_H

#include "ksym.h"

#ifdef CONFIG_MODULES
void __init ksym_module_init(void);
void ksym_module_catch_up_locked(struct ksym_watch *watch);
#else
static inline void ksym_module_init(void) { }
static inline void ksym_module_catch_up_locked(struct ksym_watch *watch) { }
#endif

#endif /* _KERNEL_TRACE_KSYM_MODULE_H */

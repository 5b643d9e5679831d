/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches of kernel code, with the ksym tracer.
 *
 *	watch = ksym_watch_obj(&obj->state, sizeof(obj->state), HW_BREAKPOINT_W, "state");
 *	...
 *	ksym_watch_end(watch);
 *
 * Such a watch is like one of ksym_trace_filter: it is in the list, and its event,
 * events/ksym/NAME, is enabled in the top instance from the beginning. Only its maker
 * can end it. A watch that a module has not ended is ended when the module is unloaded.
 * See Documentation/trace/ksym.rst.
 */
#ifndef _LINUX_KSYM_TRACE_H
#define _LINUX_KSYM_TRACE_H

#include <linux/compiler_attributes.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/types.h>
#include <uapi/linux/hw_breakpoint.h>

struct ksym_watch;
struct module;

#ifdef CONFIG_KSYM_TRACER

__printf(5, 6)
struct ksym_watch *__ksym_watch_obj(struct module *owner, const void *ptr, size_t len,
				    unsigned int access, const char *fmt, ...);
__printf(4, 5)
struct ksym_watch *__ksym_watch_prepare(struct module *owner, size_t len,
					unsigned int access, const char *fmt, ...);

/* (ptr, len, access, fmt, ...) and (len, access, fmt, ...), see ksym_api.c */
#define ksym_watch_obj(ptr, len, access, ...)		\
	__ksym_watch_obj(THIS_MODULE, ptr, len, access, __VA_ARGS__)
#define ksym_watch_prepare(len, access, ...)		\
	__ksym_watch_prepare(THIS_MODULE, len, access, __VA_ARGS__)

int ksym_watch_point(struct ksym_watch *watch, const void *ptr);
unsigned int ksym_watch_lagging(struct ksym_watch *watch);
void ksym_watch_end(struct ksym_watch *watch);

#else

__printf(4, 5)
static inline struct ksym_watch *ksym_watch_obj(const void *ptr, size_t len,
						unsigned int access,
						const char *fmt, ...)
{
	return ERR_PTR(-EOPNOTSUPP);
}

__printf(3, 4)
static inline struct ksym_watch *ksym_watch_prepare(size_t len, unsigned int access,
						    const char *fmt, ...)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline int ksym_watch_point(struct ksym_watch *watch, const void *ptr)
{
	return -EOPNOTSUPP;
}

static inline unsigned int ksym_watch_lagging(struct ksym_watch *watch)
{
	return 0;
}

static inline void ksym_watch_end(struct ksym_watch *watch)
{
}

#endif

#endif /* _LINUX_KSYM_TRACE_H */

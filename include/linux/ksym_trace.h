/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches of kernel code, with the ksym tracer.
 *
 *	static const struct ksym_watch_attr attr = {
 *		.name	= "state",
 *		.addr	= &object.state,
 *		.len	= sizeof(object.state),
 *	};
 *
 *	watch = ksym_watch_create(&attr);
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

struct cpumask;
struct ksym_watch;
struct module;
struct pt_regs;
struct task_struct;

/**
 * struct ksym_hit_info - an access, for the callback of a watch
 * @ip: the address after the instruction
 * @addr: the address of the value
 * @old: the value at the previous access that trapped, or when the watch was armed
 * @new: the value after the access
 * @access: what the instruction did: %HW_BREAKPOINT_R, %HW_BREAKPOINT_W or both; 0 if that
 *	is unknown
 * @len: how many bytes the value has
 * @regs: the registers after the instruction
 */
struct ksym_hit_info {
	unsigned long	ip;
	unsigned long	addr;
	u64		old;
	u64		new;
	unsigned int	access;
	unsigned int	len;
	struct pt_regs	*regs;
};

/**
 * typedef ksym_hit_func_t - the callback of a watch
 * @watch: the watch. ksym_watch_create() may not have returned it yet
 * @hit: the access; only valid during the call
 * @data: from the attributes of the watch
 *
 * Called for each access that traps and is not dropped by an option of the watch, before
 * the accessing code goes on, whether or not the event is enabled. It may run on several
 * CPUs at once.
 *
 * Context: the #DB, NMI-like: the access may have been made under any lock, with
 * interrupts off, or in an interrupt. The callback must not sleep, allocate, take a lock
 * that others hold while they may be interrupted, or touch memory that may not be mapped.
 * It may write to its own data with atomic operations, queue an irq_work, and call
 * ksym_watch_point() and the functions that read a watch. The debug registers are off
 * meanwhile: accesses of the callback do not trap. It is part of the handling time that
 * the watch's budget limits.
 */
typedef void (*ksym_hit_func_t)(struct ksym_watch *watch, const struct ksym_hit_info *hit,
				void *data);

/**
 * struct ksym_watch_attr - what to watch
 * @name: the name of the watch and of its event, events/ksym/NAME
 * @target: the target as in ksym_trace_filter: "jiffies_64",
 *	"(task_struct)init_task.comm"; or NULL
 * @addr: without a @target: the address of the object. If this is NULL as well,
 *	ksym_watch_point() points the watch at objects
 * @len: the length in bytes, as len= takes it, or 0 for the default
 * @access: what to record: %HW_BREAKPOINT_W, %HW_BREAKPOINT_R or %HW_BREAKPOINT_RW; 0 is
 *	%HW_BREAKPOINT_W
 * @cpus: the CPUs whose accesses are watched, or NULL for all; as a list, such as 0-3,8, it
 *	has up to 127 characters
 * @task: the task whose accesses are watched, or NULL for all
 * @flexible: the watch takes turns with others
 * @budget: the share of a CPU's time that its hits may take, in percent; 0 for the
 *	default, or %KSYM_WATCH_NO_LIMIT
 * @limit: the hits per millisecond and CPU; likewise
 * @func: the callback, or NULL
 * @data: for the callback
 *
 * All of it is copied; a task is referenced.
 */
struct ksym_watch_attr {
	const char		*name;
	const char		*target;
	const void		*addr;
	size_t			len;
	unsigned int		access;
	const struct cpumask	*cpus;
	struct task_struct	*task;
	bool			flexible;
	int			budget;
	int			limit;
	ksym_hit_func_t		func;
	void			*data;
};

#define KSYM_WATCH_NO_LIMIT	(-1)

#ifdef CONFIG_KSYM_TRACER

struct ksym_watch *__ksym_watch_create(const struct ksym_watch_attr *attr,
				       struct module *owner);

/* See __ksym_watch_create(). */
#define ksym_watch_create(attr)	__ksym_watch_create(attr, THIS_MODULE)

int ksym_watch_point(struct ksym_watch *watch, const void *ptr);
unsigned int ksym_watch_lagging(struct ksym_watch *watch);
u64 ksym_watch_read(struct ksym_watch *watch, u64 *enabled, u64 *running);
u64 ksym_watch_read_cpu(struct ksym_watch *watch, int cpu, u64 *enabled, u64 *running);
int ksym_watch_disarm(struct ksym_watch *watch);
int ksym_watch_arm(struct ksym_watch *watch);
void ksym_watch_end(struct ksym_watch *watch);

#else

static inline struct ksym_watch *ksym_watch_create(const struct ksym_watch_attr *attr)
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

static inline u64 ksym_watch_read(struct ksym_watch *watch, u64 *enabled, u64 *running)
{
	*enabled = *running = 0;
	return 0;
}

static inline u64 ksym_watch_read_cpu(struct ksym_watch *watch, int cpu, u64 *enabled,
				      u64 *running)
{
	return ksym_watch_read(watch, enabled, running);
}

static inline int ksym_watch_disarm(struct ksym_watch *watch)
{
	return -EOPNOTSUPP;
}

static inline int ksym_watch_arm(struct ksym_watch *watch)
{
	return -EOPNOTSUPP;
}

static inline void ksym_watch_end(struct ksym_watch *watch)
{
}

#endif

#endif /* _LINUX_KSYM_TRACE_H */

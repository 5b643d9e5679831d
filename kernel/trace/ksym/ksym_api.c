// SPDX-License-Identifier: GPL-2.0-only
/*
 * API: watches of kernel code. They are made from the same lines that users write, so
 * they are the same objects and appear in the same files.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ksym_trace.h>
#include <linux/slab.h>

#include "ksym_request.h"
#include "ksym_trap.h"
#include "ksym_watch.h"

__printf(5, 0)
static struct ksym_watch *make_watch(struct module *owner, const char *target, size_t len,
				     unsigned int access, const char *fmt, va_list args)
{
	struct ksym_request request = { .hold = true };
	struct ksym_error error;
	char *name;
	int ret = -ENOMEM;

	if (!access || access & ~HW_BREAKPOINT_RW)
		return ERR_PTR(-EINVAL);
	name = kvasprintf(GFP_KERNEL, fmt, args);
	if (name)
		request.text = kasprintf(GFP_KERNEL, "%s:%s len=%zu name=%s", target,
					 ksym_access_word(access), len, name);
	if (request.text)
		ret = ksym_run(&request, &error);
	kfree(request.text);
	kfree(name);
	if (ret)
		return ERR_PTR(ret);
	/* The module can't be unloaded before its own code has returned. */
	WRITE_ONCE(request.watch->owner, owner);
	return request.watch;
}

/**
 * __ksym_watch_obj - watch an object
 * @owner: the module that makes the watch; ksym_watch_obj() fills it in
 * @ptr: the object
 * @len: the length in bytes, 1 to 32, for which four debug registers suffice
 * @access: what to record: %HW_BREAKPOINT_W, %HW_BREAKPOINT_R or %HW_BREAKPOINT_RW
 * @fmt: the name of the watch and of its event, events/ksym/NAME
 *
 * The event is enabled in the top instance. The object must outlive the watch:
 * end it with ksym_watch_end() before the memory is freed.
 *
 * Process context; sleeps. Takes the locks of the event core, so it can't be called
 * while they are held, as in a tracepoint's callback.
 *
 * Return: the watch; or ERR_PTR() of -ENOSPC if a CPU has no debug register left; -EBUSY
 * or -EEXIST if the name is taken; -EINVAL if @ptr can't be watched, or @access is
 * invalid; -E2BIG if @len needs more than four registers; -ENOMEM. The reason is also in
 * error_log.
 */
struct ksym_watch *__ksym_watch_obj(struct module *owner, const void *ptr, size_t len,
				    unsigned int access, const char *fmt, ...)
{
	struct ksym_watch *watch;
	char target[32];
	va_list args;

	snprintf(target, sizeof(target), "0x%lx", (unsigned long)ptr);
	va_start(args, fmt);
	watch = make_watch(owner, target, len, access, fmt, args);
	va_end(args);
	return watch;
}
EXPORT_SYMBOL_GPL(__ksym_watch_obj);

/**
 * __ksym_watch_prepare - take the debug registers for later objects
 * @owner: the module that makes the watch; ksym_watch_prepare() fills it in
 * @len: the length of each object in bytes: 1, 2, 4 or 8
 * @access: what to record: %HW_BREAKPOINT_W, %HW_BREAKPOINT_R or %HW_BREAKPOINT_RW
 * @fmt: the name of the watch and of its event, events/ksym/NAME
 *
 * The watch points nowhere until ksym_watch_point() is called.
 *
 * Process context; sleeps; see ksym_watch_obj().
 *
 * Return: as ksym_watch_obj() does.
 */
struct ksym_watch *__ksym_watch_prepare(struct module *owner, size_t len,
					unsigned int access, const char *fmt, ...)
{
	struct ksym_watch *watch;
	va_list args;

	va_start(args, fmt);
	watch = make_watch(owner, "-1", len, access, fmt, args);
	va_end(args);
	return watch;
}
EXPORT_SYMBOL_GPL(__ksym_watch_prepare);

/**
 * ksym_watch_point - point a prepared watch at an object
 * @watch: from ksym_watch_prepare()
 * @ptr: the object, aligned to its length; or NULL for none
 *
 * The previous object is not watched any more. The other CPUs follow when they take an
 * interrupt; so does this one if interrupts are off. ksym_watch_lagging() tells
 * whether all have followed.
 *
 * Any context, also NMIs.
 *
 * Return: 0; -EBUSY if another caller is pointing it at the same time; -EINVAL if @ptr
 * can't be watched, or @watch is from ksym_watch_obj().
 */
int ksym_watch_point(struct ksym_watch *watch, const void *ptr)
{
	int ret;

	if (!ksym_watch_is_movable(watch))
		return -EINVAL;
	ret = ksym_watch_move_nmi(watch, KSYM_ADDR_ANY, (unsigned long)ptr);
	/* It already points there. */
	return ret == -EAGAIN ? 0 : ret;
}
EXPORT_SYMBOL_GPL(ksym_watch_point);

/**
 * ksym_watch_lagging - count the CPUs that have not followed ksym_watch_point() yet
 * @watch: from ksym_watch_prepare(); for others the count is 0
 *
 * Any context.
 *
 * Return: the number of CPUs.
 */
unsigned int ksym_watch_lagging(struct ksym_watch *watch)
{
	return ksym_trap_lagging(watch->piece[0].trap);
}
EXPORT_SYMBOL_GPL(ksym_watch_lagging);

/**
 * ksym_watch_end - end a watch of kernel code
 * @watch: from ksym_watch_obj() or ksym_watch_prepare(), or an error of theirs,
 *	or NULL
 *
 * On return nothing is watched any more and the debug registers are free. The event is
 * removed, and the buffers that it was enabled in are cleared, as for every dynamic
 * event. An event that is in use, in an instance or with perf, stays in
 * ksym_trace_filter, marked as ended, until it is removed there.
 *
 * Process context; sleeps; see ksym_watch_obj().
 */
void ksym_watch_end(struct ksym_watch *watch)
{
	if (!IS_ERR_OR_NULL(watch))
		ksym_watch_end_one(watch);
}
EXPORT_SYMBOL_GPL(ksym_watch_end);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watch: the object, from its making to its removal.
 *
 * A watch is a dynamic event: it is in dyn_event_list, and dynamic_events shows and
 * removes it as ksym_trace_filter does.
 *
 * The records of a removed event could not be printed, so the buffers that it was
 * enabled in are cleared. To do so once for all watches that a write removes, they are
 * marked first, then detached, and freed after one RCU grace period.
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ksym_event.h"
#include "ksym_fetch.h"
#include "ksym_hit.h"
#include "ksym_last.h"
#include "ksym_object.h"
#include "ksym_return.h"
#include "ksym_trap.h"
#include "ksym_watch.h"
#include "ksym_wide.h"
#include "ksym_window.h"

/* Long enough for a line in either syntax, without fetch arguments. */
#define LINE_LEN	(KSYM_TARGET_LEN + 2 * KSYM_EVENT_LEN + KSYM_WINDOW_LEN + \
			 KSYM_OPTIONS_LEN + KSYM_ACTIONS_LEN + 32)

static struct dyn_event_operations ksym_dyn_event_ops;

/* Calls the callback of kernel code. A hit that it gets is not missed. */
static void callback_probe_nmi(void *data, struct ksym_hit *hit)
{
	struct ksym_watch *watch = data;
	const struct ksym_hit_info info = {
		.ip	= instruction_pointer(hit->regs),
		.addr	= hit->addr,
		.old	= hit->old,
		.new	= hit->new,
		.access	= hit->access,
		.len	= hit->len,
		.regs	= hit->regs,
	};

	watch->func(watch, &info, watch->data);
	hit->recorded = true;
}

NOKPROBE_SYMBOL(callback_probe_nmi);

/**
 * ksym_watch_call - have hits call a callback
 * @watch: a new watch, whose event was initialized
 * @func: the callback, or NULL
 * @data: for the callback
 *
 * It is a probe of the watch's tracepoint, like each user of the event.
 *
 * Process context; sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int ksym_watch_call(struct ksym_watch *watch, ksym_hit_func_t func, void *data)
{
	int ret;

	if (!func)
		return 0;
	watch->data = data;
	ret = tracepoint_probe_register(&watch->tp, callback_probe_nmi, watch);
	if (!ret)
		watch->func = func;
	return ret;
}

/* Frees what an oops may have been reading. */
static void free_last(struct rcu_head *rcu)
{
	struct ksym_watch *watch = container_of(rcu, struct ksym_watch, rcu);

	free_percpu(watch->counts);
	kfree(watch);
}

/**
 * ksym_watch_free - free a watch
 * @watch: a watch that has no slots, and whose event is not registered
 *
 * Process context.
 */
void ksym_watch_free(struct ksym_watch *watch)
{
	if (watch->func)
		tracepoint_probe_unregister(&watch->tp, callback_probe_nmi, watch);
	ksym_return_put(watch->on_return);
	free_event_filter(watch->filter);
	kfree(watch->call.print_fmt);
	ksym_fetch_free(watch->fetch);
	free_percpu(watch->copies);
	ksym_wide_free(watch->wide);
	ksym_window_free(watch->window);
	ksym_objects_free(watch->objects);
	ksym_last_del(watch);
	call_rcu(&watch->rcu, free_last);
}

/**
 * ksym_watch_alloc - make a watch, without slots and without an event
 * @spec: the parsed line, which is copied
 * @found: its target, which is copied
 *
 * The caller goes on with ksym_event_init() and ksym_trap_reserve().
 *
 * Process context; sleeps.
 *
 * Return: the watch, or NULL if there is no memory.
 */
struct ksym_watch *ksym_watch_alloc(const struct ksym_spec *spec,
				    const struct ksym_found *found)
{
	struct ksym_watch *watch = kzalloc_obj(*watch);
	/* A module's variable may be per CPU when the module is loaded. */
	bool copies = found->place.percpu || spec->target.module[0];
	bool on_return = spec->opt.ustack || spec->opt.signal;
	unsigned int i;

	if (!watch)
		return NULL;

	watch->access = spec->access;
	watch->target = spec->target;
	watch->asked_len = spec->len;
	watch->opt = spec->opt;
	watch->lazy = spec->lazy;
	watch->found = *found;
	/* The fields of the event can't change when the module comes later. */
	watch->is_signed = found->part.is_signed;
	watch->state = found->pending ? KSYM_PENDING : KSYM_PLACED;
	/* The watch does not keep the module: it follows it. */
	watch->found.mod = NULL;
	atomic64_set(&watch->left, spec->opt.count);
	watch->seed = get_random_u32();
	for (i = 0; i < ARRAY_SIZE(watch->piece); i++) {
		watch->piece[i].watch = watch;
		INIT_LIST_HEAD(&watch->piece[i].trap_node);
		INIT_LIST_HEAD(&watch->piece[i].user_node);
	}
	strscpy(watch->group, spec->group);
	strscpy(watch->name, spec->name);
	if (!strcmp(spec->group, KSYM_GROUP))
		strscpy(watch->label, spec->name);
	else
		scnprintf(watch->label, sizeof(watch->label), "%s/%s", spec->group, spec->name);
	INIT_LIST_HEAD(&watch->soft);
	INIT_LIST_HEAD(&watch->last_node);
	watch->counts = alloc_percpu(struct ksym_counts);
	if (copies)
		watch->copies = alloc_percpu(struct ksym_shadows);
	if (on_return)
		watch->on_return = ksym_return_create(watch);
	if (found->movable)
		watch->objects = ksym_objects_create(watch, found->nr_ranges);
	if (!watch->counts || (copies && !watch->copies) ||
	    (found->movable && !watch->objects) || (on_return && !watch->on_return)) {
		ksym_watch_free(watch);
		return NULL;
	}
	dyn_event_init(&watch->devent, &ksym_dyn_event_ops);
	ksym_last_add(watch);
	return watch;
}

/**
 * ksym_is_watch - is a dynamic event a watch?
 * @devent: the event
 *
 * Any context.
 *
 * Return: true if it is.
 */
bool ksym_is_watch(struct dyn_event *devent)
{
	return devent->ops == &ksym_dyn_event_ops;
}

/**
 * ksym_watch_find_locked - find a watch by its name
 * @group: the group of its event, or "" or NULL for any
 * @name: the name
 *
 * Process context; event_mutex is held.
 *
 * Return: the watch, or NULL.
 */
struct ksym_watch *ksym_watch_find_locked(const char *group, const char *name)
{
	struct dyn_event *devent;

	lockdep_assert_held(&event_mutex);

	for_each_dyn_event(devent) {
		struct ksym_watch *watch;

		if (!ksym_is_watch(devent))
			continue;
		watch = to_ksym_watch(devent);
		if (!strcmp(watch->name, name) &&
		    (!group || !group[0] || !strcmp(watch->group, group)))
			return watch;
	}
	return NULL;
}

/* The length, or 0 if it is unknown. */
static unsigned int watch_len(const struct ksym_watch *watch)
{
	return ksym_watch_is_pending(watch) ? watch->asked_len : watch->found.part.len;
}

/**
 * ksym_watch_format - write a watch as a line of ksym_trace_filter
 * @watch: the watch
 *
 * The line can be written back. A name that is the default for the target is left out.
 *
 * Process context; sleeps.
 *
 * Return: the line, which the caller frees with kvfree(), or NULL if there is no memory.
 */
char *ksym_watch_format(const struct ksym_watch *watch)
{
	const char *filter = watch->filter ? watch->filter->filter_string : NULL;
	size_t size = LINE_LEN + ksym_fetch_format(watch->fetch, NULL, 0) +
		      (filter ? strlen(filter) : 0);
	bool ours = !strcmp(watch->group, KSYM_GROUP);
	char *buf = kvmalloc(size, GFP_KERNEL);
	char name[KSYM_EVENT_LEN];
	int len;

	if (!buf)
		return NULL;
	len = ksym_format_target(buf, size, &watch->target);
	len += scnprintf(buf + len, size - len, ":%s",
			 ksym_access_word(watch->access));
	if (watch->window)
		len += ksym_format_window(buf + len, size - len,
					  ksym_window_text(watch->window));
	if (watch_len(watch))
		len += scnprintf(buf + len, size - len, " len=%u", watch_len(watch));
	len += ksym_format_options(buf + len, size - len, &watch->opt);
	if (!ours || ksym_default_name(name, &watch->target) ||
	    strcmp(name, watch->name))
		len += scnprintf(buf + len, size - len, " name=%s%s%s",
				 ours ? "" : watch->group, ours ? "" : "/",
				 watch->name);
	if (watch->fetch) {
		len += scnprintf(buf + len, size - len, " args");
		len += ksym_fetch_format(watch->fetch, buf + len, size - len);
	}
	if (filter)
		len += scnprintf(buf + len, size - len, " if %s", filter);
	ksym_format_actions(buf + len, size - len, &watch->opt);
	return buf;
}

/**
 * ksym_watch_switch_locked - let a watch trap no more, or let it trap again
 * @watch: a watch in any state
 * @on: let it trap, with all of its count=
 *
 * It keeps its slots and counts. When it traps again, its actions are due again. What may
 * fail has been done with ksym_trap_aim(). The events of tasks are left to
 * ksym_traps_sync().
 *
 * Process context; sleeps; event_mutex is held.
 */
void ksym_watch_switch_locked(struct ksym_watch *watch, bool on)
{
	lockdep_assert_held(&event_mutex);

	watch->opt.off = !on;
	/* A handler may take one from the old count, or give one back, until then. */
	if (!on || watch->opt.count || watch->opt.actions)
		ksym_trap_stop_locked(watch);
	atomic64_set(&watch->left, watch->opt.count);
	atomic64_set(&watch->acted, 0);
	if (ksym_watch_is_wanted(watch) && watch->state == KSYM_PLACED)
		ksym_trap_arm(watch);
	ksym_window_switch(watch->window, on);
}

/* removing */

/*
 * Lets no handler find a watch any more. Returns whether one still may, until an RCU
 * grace period has passed.
 */
static bool detach_watch_locked(struct ksym_watch *watch)
{
	bool wait;

	ksym_window_stop(watch->window);
	wait = ksym_trap_drop(watch);
	if (!watch->on_return)
		return wait;
	/* Now, while the event has the files that user stacks are recorded in. */
	ksym_return_stop(watch->on_return);
	return true;
}

/* Frees a detached watch, when no handler records a hit of it any more. */
static int free_watch_locked(struct ksym_watch *watch)
{
	int ret = ksym_event_unregister_locked(watch);

	/* It was not busy, and only who holds event_mutex could make it so. */
	if (!WARN_ON_ONCE(ret))
		ksym_watch_free(watch);
	return ret;
}

/* The event core resets the buffers. */
static int remove_watch_locked(struct ksym_watch *watch)
{
	lockdep_assert_held(&event_mutex);

	if (ksym_event_is_busy_locked(watch))
		return -EBUSY;
	if (detach_watch_locked(watch))
		synchronize_rcu();
	return free_watch_locked(watch);
}

/**
 * ksym_watch_remove_marked_locked - remove all watches that are marked ->to_remove
 *
 * None of them is busy. The caller resets the buffers, with
 * tracing_reset_all_online_cpus().
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: whether there were any.
 */
bool ksym_watch_remove_marked_locked(void)
{
	struct dyn_event *devent, *next;
	bool wait = false, removed = false;

	lockdep_assert_held(&event_mutex);

	for_each_dyn_event(devent) {
		if (!ksym_is_watch(devent) || !to_ksym_watch(devent)->to_remove)
			continue;
		wait |= detach_watch_locked(to_ksym_watch(devent));
		removed = true;
	}
	if (wait)
		synchronize_rcu();
	for_each_dyn_event_safe(devent, next) {
		if (ksym_is_watch(devent) && to_ksym_watch(devent)->to_remove)
			free_watch_locked(to_ksym_watch(devent));
	}
	return removed;
}

/* Takes a watch from kernel code, and marks it for removal unless it is in use. */
static void end_watch_locked(struct ksym_watch *watch)
{
	watch->held = false;
	WRITE_ONCE(watch->owner, NULL);
	watch->to_remove = !ksym_event_is_busy_locked(watch);
	/* The user of the event may remove the watch later. */
	if (!watch->to_remove)
		ksym_trap_release(watch);
}

/**
 * ksym_watch_end_one - end a watch of kernel code
 * @watch: the watch
 *
 * Process context; sleeps; takes the locks of the event core.
 */
void ksym_watch_end_one(struct ksym_watch *watch)
{
	mutex_lock(&dyn_event_ops_mutex);
	mutex_lock(&event_mutex);
	end_watch_locked(watch);
	if (ksym_watch_remove_marked_locked())
		tracing_reset_all_online_cpus();
	mutex_unlock(&event_mutex);
	mutex_unlock(&dyn_event_ops_mutex);
	ksym_trap_flush();
}

/**
 * ksym_watch_end_all_of - end the watches that a module has not ended itself
 * @mod: the module, whose code does not run any more
 *
 * Process context; sleeps; takes event_mutex.
 */
void ksym_watch_end_all_of(struct module *mod)
{
	struct dyn_event *devent;
	bool any = false;

	mutex_lock(&event_mutex);
	for_each_dyn_event(devent) {
		struct ksym_watch *watch = to_ksym_watch(devent);

		if (!ksym_is_watch(devent) || READ_ONCE(watch->owner) != mod)
			continue;
		pr_warn("%s: module %s goes without ksym_watch_end(), the watch is ended\n",
			watch->name, module_name(mod));
		end_watch_locked(watch);
		any = true;
	}
	if (ksym_watch_remove_marked_locked())
		tracing_reset_all_online_cpus();
	mutex_unlock(&event_mutex);
	if (any)
		ksym_trap_flush();
}

/* dynamic_events */

/* The target and its access in the syntax of dynamic_events. */
static char *format_dyn_spec(const struct ksym_watch *watch)
{
	char *buf = kmalloc(LINE_LEN, GFP_KERNEL);
	int len;

	if (!buf)
		return NULL;
	len = scnprintf(buf, LINE_LEN, "%s@", ksym_access_word(watch->access));
	len += ksym_format_target(buf + len, LINE_LEN - len, &watch->target);
	if (watch_len(watch))
		scnprintf(buf + len, LINE_LEN - len, ":%u", watch_len(watch));
	return buf;
}

static int ksym_dyn_event_show(struct seq_file *m, struct dyn_event *devent)
{
	struct ksym_watch *watch = to_ksym_watch(devent);
	int len = ksym_fetch_format(watch->fetch, NULL, 0);
	char *spec, *args;

	/* The file has no words for a window, so this is a comment there. */
	if (watch->window) {
		char *line __free(kvfree) = ksym_watch_format(watch);

		seq_printf(m, "# w:%s/%s %s\n", watch->group, watch->name, line ?: "");
		return 0;
	}
	spec = format_dyn_spec(watch);
	args = kvzalloc(len + 1, GFP_KERNEL);
	if (spec && args) {
		ksym_fetch_format(watch->fetch, args, len + 1);
		seq_putc(m, 'w');
		if (watch->opt.objects)
			seq_printf(m, "%u", watch->opt.objects);
		seq_printf(m, ":%s/%s %s%s\n", watch->group, watch->name, spec, args);
	}
	kvfree(args);
	kfree(spec);
	return 0;
}

static bool ksym_dyn_event_is_busy(struct dyn_event *devent)
{
	return ksym_event_is_busy_locked(to_ksym_watch(devent));
}

static int ksym_dyn_event_free(struct dyn_event *devent)
{
	return remove_watch_locked(to_ksym_watch(devent));
}

static bool ksym_dyn_event_match(const char *system, const char *event,
				 int argc, const char **argv,
				 struct dyn_event *devent)
{
	struct ksym_watch *watch = to_ksym_watch(devent);
	bool matches;
	char *spec;

	if (event[0] && strcmp(event, watch->name))
		return false;
	if (system && strcmp(system, watch->group))
		return false;
	if (!argc)
		return true;
	spec = format_dyn_spec(watch);
	matches = spec && !strcmp(argv[0], spec) &&
		  ksym_fetch_match(watch->fetch, argc - 1, argv + 1);
	kfree(spec);
	return matches;
}

static struct dyn_event_operations ksym_dyn_event_ops = {
	.show		= ksym_dyn_event_show,
	.is_busy	= ksym_dyn_event_is_busy,
	.free		= ksym_dyn_event_free,
	.match		= ksym_dyn_event_match,
};

/**
 * ksym_watch_init - register the watches as dynamic events
 * @create: makes a watch from a line of dynamic_events. Process context;
 *	dyn_event_ops_mutex is held. Returns 0, or an errno; -ECANCELED if the line is
 *	not a watch
 *
 * Called before the first watch is made.
 *
 * Return: 0, or an error of the event core.
 */
int __init ksym_watch_init(int (*create)(const char *raw_command))
{
	ksym_dyn_event_ops.create = create;
	return dyn_event_register(&ksym_dyn_event_ops);
}

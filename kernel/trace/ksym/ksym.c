// SPDX-License-Identifier: GPL-2.0-only
/*
 * Front: the life of a watch, ksym_trace_filter, and the ksym_tracer tracer.
 *
 * A write to ksym_trace_filter is a transaction of its lines. All of them are
 * parsed, resolved and reserved first, which changes nothing that anybody else
 * could see, and then committed under event_mutex. Whatever fails on the way,
 * the lines before it leave nothing behind.
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "ksym.h"

/* One write(2), so that it needs one page with its terminating zero. */
#define KSYM_WRITE_MAX	4095

static struct {
	int		err;
	const char	*text;
} ksym_errors[] = {
#define KSYM_ERROR(name, err, text)		\
	[KSYM_ERR_##name] = { err, text },
#include "ksym_errors.h"
#undef KSYM_ERROR
};

/**
 * ksym_error_text - the sentence of an error
 * @code: the error
 *
 * Any context.
 *
 * Return: the text that error_log has for it.
 */
const char *ksym_error_text(enum ksym_err code)
{
	return ksym_errors[code].text;
}

/**
 * ksym_log_error - tell an error in error_log, below its line
 * @subsystem: who says so; a constant, as the log keeps the pointer
 * @line: the line
 * @error: the error
 *
 * Process context; sleeps.
 *
 * Return: the errno that the writer gets.
 */
int ksym_log_error(const char *subsystem, const char *line,
		   const struct ksym_error *error)
{
	/* The log keeps a pointer into its caller's table: ours is of one. */
	tracing_log_err(NULL, subsystem, line, &ksym_errors[error->code].text, 0,
			error->at);
	return -ksym_errors[error->code].err;
}

/*
 * As ksym_log_error(), and tells more than the table can. The log keeps pointers
 * to the texts of its last eight errors: with one text more than that, what is
 * overwritten here has left the log.
 */
static int log_error_with(const char *subsystem, const char *line,
			  const struct ksym_error *error, const char *more)
{
	static char texts[9][KSYM_MORE_LEN + 96];
	static const char *table[ARRAY_SIZE(texts)];
	static unsigned int next;
	unsigned int nr = next++ % ARRAY_SIZE(texts);

	lockdep_assert_held(&dyn_event_ops_mutex);

	snprintf(texts[nr], sizeof(texts[nr]), "%s (%s)",
		 ksym_errors[error->code].text, more);
	table[nr] = texts[nr];
	tracing_log_err(NULL, subsystem, line, table, nr, error->at);
	return -ksym_errors[error->code].err;
}

/**
 * struct ksym_line - a line of a write
 * @list: in the write's list of lines
 * @text: the line
 * @spec: what it says
 * @asked: its target, before that was found to be in a module
 * @found: where its target is; keeps that from going until all is committed
 * @watch: the watch that it makes, until that is committed
 * @cpus: the CPUs that it is about
 * @task: the task, or NULL
 * @traps: what traps for @watch, when that is committed
 * @hold: the watch is for the kernel code that asked for it
 * @registered: its event is registered, so undoing has to remove it
 * @more: what the error text does not say
 * @arg_error: what is wrong with a fetch argument, or NULL
 * @arg_at: and where
 */
struct ksym_line {
	struct list_head	list;
	const char		*text;
	struct ksym_spec	spec;
	struct ksym_target	asked;
	struct ksym_found	found;
	struct ksym_watch	*watch;
	struct cpumask		cpus;
	struct task_struct	*task;
	struct ksym_traps	traps;
	bool			hold;
	bool			registered;
	char			more[KSYM_MORE_LEN];
	const char		*arg_error;
	unsigned int		arg_at;
};

/**
 * ksym_watch_free - free a watch that nobody knows any more
 * @watch: without slots and without an event
 *
 * Process context.
 */
void ksym_watch_free(struct ksym_watch *watch)
{
	ksym_ustack_put(watch->ustack);
	ksym_event_destroy(watch);
	ksym_fetch_free(watch->fetch);
	free_percpu(watch->copies);
	free_percpu(watch->counts);
	kfree(watch);
}

static struct dyn_event_operations ksym_dyn_event_ops;

/**
 * ksym_watch_create - make a watch, which has no slots and no event yet
 * @spec: what it is to be; all of it is copied
 * @found: where its target is, which is copied
 *
 * Its event is left to ksym_event_init().
 *
 * Process context; sleeps.
 *
 * Return: the watch, or NULL where there is no memory.
 */
struct ksym_watch *ksym_watch_create(const struct ksym_spec *spec,
				     const struct ksym_found *found)
{
	struct ksym_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL);
	unsigned int i;

	if (!watch)
		return NULL;

	watch->access = spec->access;
	watch->target = spec->target;
	watch->asked_len = spec->len;
	watch->opt = spec->opt;
	watch->lazy = spec->lazy;
	watch->found = *found;
	/* The module may go from now on: the watch follows it. */
	watch->found.mod = NULL;
	atomic64_set(&watch->left, spec->opt.count);
	for (i = 0; i < KSYM_MAX_PIECES; i++) {
		watch->piece[i].watch = watch;
		INIT_LIST_HEAD(&watch->piece[i].trap_node);
		INIT_LIST_HEAD(&watch->piece[i].user_node);
	}
	strscpy(watch->group, spec->group);
	strscpy(watch->name, spec->name);
	watch->counts = alloc_percpu(struct ksym_counts);
	/* A module's variable may turn out to have copies when it comes back. */
	if (found->place.percpu || spec->target.module[0])
		watch->copies = alloc_percpu(struct ksym_shadows);
	if (spec->opt.ustack)
		watch->ustack = ksym_ustack_create(watch);
	if (!watch->counts || (spec->opt.ustack && !watch->ustack) ||
	    ((found->place.percpu || spec->target.module[0]) && !watch->copies)) {
		ksym_watch_free(watch);
		return NULL;
	}
	dyn_event_init(&watch->devent, &ksym_dyn_event_ops);
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
 * ksym_find_watch_locked - find a watch by its name
 * @group: the group of its event, or "" or NULL for any
 * @name: the name
 *
 * Process context; event_mutex is held.
 *
 * Return: the watch, or NULL.
 */
struct ksym_watch *ksym_find_watch_locked(const char *group, const char *name)
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

/* The length, where it is known yet. */
static unsigned int watch_len(const struct ksym_watch *watch)
{
	return watch->found.pending ? watch->asked_len : watch->found.part.len;
}

/**
 * ksym_format_watch - write a watch as a line of ksym_trace_filter
 * @watch: the watch
 *
 * What is written can be written back. The name is left out where it is the
 * one that the target would get.
 *
 * Process context; sleeps.
 *
 * Return: the line, to be freed with kvfree(); or NULL where there is no memory.
 */
char *ksym_format_watch(const struct ksym_watch *watch)
{
	size_t size = KSYM_LINE_LEN + ksym_fetch_format(watch->fetch, NULL, 0);
	bool ours = !strcmp(watch->group, KSYM_GROUP);
	char *buf = kvmalloc(size, GFP_KERNEL);
	char name[KSYM_EVENT_LEN];
	int len;

	if (!buf)
		return NULL;
	len = ksym_format_target(buf, size, &watch->target);
	len += scnprintf(buf + len, size - len, ":%s",
			 ksym_access_word(watch->access));
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
		ksym_fetch_format(watch->fetch, buf + len, size - len);
	}
	return buf;
}

/* The same watch in the syntax of dynamic_events, from its access on. */
static char *format_dyn_spec(const struct ksym_watch *watch)
{
	char *buf = kmalloc(KSYM_LINE_LEN, GFP_KERNEL);
	int len;

	if (!buf)
		return NULL;
	len = scnprintf(buf, KSYM_LINE_LEN, "%s@", ksym_access_word(watch->access));
	len += ksym_format_target(buf + len, KSYM_LINE_LEN - len, &watch->target);
	if (watch_len(watch))
		scnprintf(buf + len, KSYM_LINE_LEN - len, ":%u", watch_len(watch));
	return buf;
}

/**
 * ksym_watch_start_locked - let a watch trap, as soon as it can
 * @watch: it has its slots
 *
 * One that is pending is armed when its module comes. A task's events are left
 * to ksym_traps_settle().
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: 0, or what ksym_slots_aim() says; nothing has trapped then.
 */
int ksym_watch_start_locked(struct ksym_watch *watch)
{
	int ret;

	lockdep_assert_held(&event_mutex);

	watch->on = true;
	if (watch->found.pending || watch->armed)
		return 0;
	ret = ksym_slots_aim(watch);
	if (!ret)
		ksym_slots_arm(watch);
	watch->armed = !ret;
	return ret;
}

/**
 * ksym_watch_stop_locked - let a watch trap no more, until it is started again
 * @watch: the watch, which keeps its slots
 *
 * Process context; sleeps; event_mutex is held.
 */
void ksym_watch_stop_locked(struct ksym_watch *watch)
{
	lockdep_assert_held(&event_mutex);

	if (watch->armed)
		ksym_slots_disarm(watch);
	watch->armed = false;
}

/*
 * Lets nobody find a watch any more who could record a hit of it. Returns whether
 * somebody still may, until an RCU grace period has passed.
 */
static bool detach_watch_locked(struct ksym_watch *watch)
{
	/* Which disarms it, too. */
	bool wait = ksym_slots_drop(watch);

	lockdep_assert_held(&event_mutex);

	watch->armed = false;
	if (!watch->ustack)
		return wait;
	/* While the event's files are there, which user stacks go to. */
	ksym_ustack_stop(watch->ustack);
	return true;
}

/* Frees a watch that was detached, when nobody records a hit of it any more. */
static int free_watch_locked(struct ksym_watch *watch)
{
	int ret = ksym_event_unregister_locked(watch);

	/* All who could make it busy hold event_mutex, and so do we. */
	if (!WARN_ON_ONCE(ret))
		ksym_watch_free(watch);
	return ret;
}

/* Takes a watch away for good; what it recorded is reset by the caller. */
static int remove_watch_locked(struct ksym_watch *watch)
{
	lockdep_assert_held(&event_mutex);

	if (ksym_event_is_busy_locked(watch))
		return -EBUSY;
	if (detach_watch_locked(watch))
		synchronize_rcu();
	return free_watch_locked(watch);
}

/*
 * Takes away all that are doomed, of which none is busy, in one grace period
 * however many they are. Returns whether there were any.
 */
static bool remove_doomed_locked(void)
{
	struct dyn_event *devent, *next;
	bool wait = false, removed = false;

	lockdep_assert_held(&event_mutex);

	for_each_dyn_event(devent) {
		if (!ksym_is_watch(devent) || !to_ksym_watch(devent)->doomed)
			continue;
		wait |= detach_watch_locked(to_ksym_watch(devent));
		removed = true;
	}
	if (wait)
		synchronize_rcu();
	for_each_dyn_event_safe(devent, next) {
		if (ksym_is_watch(devent) && to_ksym_watch(devent)->doomed)
			free_watch_locked(to_ksym_watch(devent));
	}
	return removed;
}

/* Gives back what kernel code has; dooms the watch, unless it is in use. */
static void end_watch_locked(struct ksym_watch *watch)
{
	lockdep_assert_held(&event_mutex);

	watch->held = false;
	WRITE_ONCE(watch->owner, NULL);
	watch->doomed = !ksym_event_is_busy_locked(watch);
	if (watch->doomed)
		return;
	/* Whoever uses the event may remove it when he is done. */
	ksym_slots_release(watch);
	watch->armed = false;
}

/**
 * ksym_end_watch - end a watch of kernel code
 * @watch: the watch
 *
 * Process context; sleeps; takes the locks of the event core.
 */
void ksym_end_watch(struct ksym_watch *watch)
{
	mutex_lock(&dyn_event_ops_mutex);
	mutex_lock(&event_mutex);
	end_watch_locked(watch);
	if (remove_doomed_locked())
		tracing_reset_all_online_cpus();
	mutex_unlock(&event_mutex);
	mutex_unlock(&dyn_event_ops_mutex);
	ksym_slots_flush();
}

/**
 * ksym_end_watches_of - end the watches that a module has forgotten
 * @mod: the module, whose code does not run any more
 *
 * Process context; sleeps; takes event_mutex.
 */
void ksym_end_watches_of(const struct module *mod)
{
	struct dyn_event *devent;
	bool any = false;

	mutex_lock(&event_mutex);
	for_each_dyn_event(devent) {
		struct ksym_watch *watch = to_ksym_watch(devent);

		if (!ksym_is_watch(devent) || READ_ONCE(watch->owner) != mod)
			continue;
		pr_warn("%s: module %s goes without ksym_watch_end(), the watch is ended\n",
			watch->name, mod->name);
		end_watch_locked(watch);
		any = true;
	}
	if (remove_doomed_locked())
		tracing_reset_all_online_cpus();
	mutex_unlock(&event_mutex);
	if (any)
		ksym_slots_flush();
}

/**
 * ksym_watch_hold_locked - keep a watch from being removed
 * @watch: the watch, which a trigger points at objects
 *
 * Process context; event_mutex is held.
 */
void ksym_watch_hold_locked(struct ksym_watch *watch)
{
	lockdep_assert_held(&event_mutex);
	watch->nr_triggers++;
}

/**
 * ksym_watch_drop_locked - the opposite of ksym_watch_hold_locked()
 * @watch: the watch, which goes on watching what it points at
 *
 * Process context; event_mutex is held.
 */
void ksym_watch_drop_locked(struct ksym_watch *watch)
{
	lockdep_assert_held(&event_mutex);
	watch->nr_triggers--;
}

/* A target without a module is meant wherever the symbol was found. */
static bool is_same_target(const struct ksym_target *a, const struct ksym_target *wanted)
{
	return a->kind == wanted->kind && a->nth == wanted->nth &&
	       a->cpu == wanted->cpu && a->addr == wanted->addr &&
	       a->off == wanted->off && !strcmp(a->type, wanted->type) &&
	       !strcmp(a->symbol, wanted->symbol) &&
	       !strcmp(a->path, wanted->path) &&
	       (!wanted->module[0] || !strcmp(a->module, wanted->module));
}

static bool is_target_of(const struct ksym_watch *watch,
			 const struct ksym_spec *spec)
{
	switch (spec->action) {
	case KSYM_REMOVE_ALL:
		/* What kernel code has is nobody else's. */
		return !watch->held;
	case KSYM_REMOVE_NAME:
		return !strcmp(watch->name, spec->name) &&
		       (!spec->group[0] || !strcmp(watch->group, spec->group));
	case KSYM_REMOVE_TARGET:
		return is_same_target(&watch->target, &spec->target) ||
		       is_same_target(&watch->asked, &spec->target);
	default:
		return false;
	}
}

/* Marks what a line removes, or finds out that it can't. */
static int doom_watches_locked(struct ksym_line *line, struct ksym_error *error)
{
	const struct ksym_spec *spec = &line->spec;
	unsigned int at = spec->action == KSYM_REMOVE_NAME ? spec->name_at :
							     spec->symbol_at;
	struct dyn_event *devent;
	bool found = false;

	lockdep_assert_held(&event_mutex);

	for_each_dyn_event(devent) {
		struct ksym_watch *watch = to_ksym_watch(devent);

		if (!ksym_is_watch(devent) || !is_target_of(watch, spec))
			continue;
		if (ksym_event_is_busy_locked(watch))
			return ksym_fail(error, KSYM_ERR_IN_USE, at);
		watch->doomed = true;
		found = true;
	}
	/* That nothing is left of nothing is what "all" asks for. */
	if (!found && spec->action != KSYM_REMOVE_ALL)
		return ksym_fail(error, KSYM_ERR_NO_WATCH, at);
	return 0;
}

static int register_watch_locked(struct ksym_line *line,
				 struct ksym_error *error)
{
	int ret;

	lockdep_assert_held(&event_mutex);

	ret = ksym_event_register_locked(line->watch);
	switch (ret) {
	case 0:
		line->registered = true;
		return 0;
	case -EBUSY:
		return ksym_fail(error, KSYM_ERR_WATCH_EXISTS,
				 line->spec.name_at);
	case -EEXIST:
		return ksym_fail(error, KSYM_ERR_EVENT_EXISTS,
				 line->spec.name_at);
	default:
		return ret;
	}
}

static int prepare_line_locked(struct ksym_line *line, struct ksym_error *error)
{
	lockdep_assert_held(&event_mutex);

	if (line->spec.action == KSYM_ADD)
		return register_watch_locked(line, error);
	return doom_watches_locked(line, error);
}

/* Does what may fail of what lets a watch trap. */
static int aim_line_locked(struct ksym_line *line, struct ksym_error *error)
{
	const struct ksym_spec *spec = &line->spec;
	struct ksym_watch *watch = line->watch;
	int ret;

	lockdep_assert_held(&event_mutex);

	/* Who enables a lazy one starts it. */
	if (spec->action != KSYM_ADD || watch->lazy || watch->found.pending)
		return 0;
	ret = ksym_slots_aim(watch);
	if (ret != -EFAULT)
		return ret;
	return ksym_fail(error, KSYM_ERR_NOT_MAPPED, watch->found.place.nr_derefs ?
			 spec->path_at : spec->symbol_at);
}

/* Enabled before it is armed, so that nothing traps that nobody records. */
static int enable_line_locked(struct ksym_line *line, struct ksym_error *error)
{
	lockdep_assert_held(&event_mutex);

	if (line->spec.action != KSYM_ADD || line->watch->lazy)
		return 0;
	return ksym_event_enable_locked(line->watch);
}

static void arm_line_locked(struct ksym_line *line)
{
	struct ksym_watch *watch = line->watch;

	lockdep_assert_held(&event_mutex);

	if (line->spec.action != KSYM_ADD)
		return;
	watch->on = !watch->lazy;
	watch->armed = watch->on && !watch->found.pending;
	if (watch->armed)
		ksym_slots_arm(watch);
	/* Its module may have come since, when the watch was in no list. */
	ksym_module_catch_up_locked(watch);
}

typedef int (*line_func_t)(struct ksym_line *line, struct ksym_error *error);

static int with_each_line_locked(struct list_head *lines,
				 struct ksym_line **at,
				 struct ksym_error *error, line_func_t func)
{
	struct ksym_line *line;
	int ret;

	lockdep_assert_held(&event_mutex);

	list_for_each_entry(line, lines, list) {
		*at = line;
		ret = func(line, error);
		if (ret)
			return ret;
	}
	return 0;
}

/* Takes back what the lines did so far. */
static void undo_lines_locked(struct list_head *lines)
{
	struct dyn_event *devent;
	struct ksym_line *line;

	lockdep_assert_held(&event_mutex);

	for_each_dyn_event(devent) {
		if (ksym_is_watch(devent))
			to_ksym_watch(devent)->doomed = false;
	}
	list_for_each_entry(line, lines, list) {
		if (!line->registered)
			continue;
		ksym_event_forget_locked(line->watch);
		line->watch->doomed = true;
		line->watch = NULL;
	}
	remove_doomed_locked();
}

/* Removes what is to be removed. Returns whether there was anything. */
static bool finish_lines_locked(struct list_head *lines)
{
	struct ksym_line *line;

	lockdep_assert_held(&event_mutex);

	/* The watches are the list's from here on. */
	list_for_each_entry(line, lines, list) {
		if (line->watch) {
			ksym_traps_get(line->watch, &line->traps);
			line->watch->held = line->hold;
		}
		line->watch = NULL;
	}
	return remove_doomed_locked();
}

/*
 * Does all that the lines want, or nothing. To remove an event that has recorded
 * costs the contents of the buffer, so whatever can fail comes before the first
 * watch is armed.
 */
static int commit_lines_locked(struct list_head *lines, struct ksym_line **at,
			       struct ksym_error *error)
{
	struct ksym_line *line;
	int ret;

	lockdep_assert_held(&event_mutex);

	ret = with_each_line_locked(lines, at, error, prepare_line_locked) ?:
	      with_each_line_locked(lines, at, error, aim_line_locked) ?:
	      with_each_line_locked(lines, at, error, enable_line_locked);
	if (ret) {
		undo_lines_locked(lines);
		return ret;
	}
	list_for_each_entry(line, lines, list)
		arm_line_locked(line);
	/*
	 * As dyn_event_release() does: nobody can print the records now. Not
	 * without need, though: it resets what others left to be reset, too.
	 */
	if (finish_lines_locked(lines))
		tracing_reset_all_online_cpus();
	return 0;
}

/* Finds the CPUs and the task that a line is about. */
static int resolve_who(struct ksym_line *line, struct ksym_error *error)
{
	const struct ksym_spec *spec = &line->spec;

	if (spec->opt.flexible && !IS_ENABLED(CONFIG_HW_BREAKPOINT_FLEXIBLE))
		return ksym_fail(error, KSYM_ERR_NO_FLEXIBLE, spec->kind_at);
	if (spec->opt.pid) {
		line->task = find_get_task_by_vpid(spec->opt.pid);
		/* A zombie is one still, and will never touch anything. */
		if (!line->task || (READ_ONCE(line->task->flags) & PF_EXITING))
			return ksym_fail(error, KSYM_ERR_NO_TASK, spec->pid_at);
	}
	return ksym_resolve_cpus(spec, &line->cpus, error);
}

/* Says who holds the slots, and whether a flexible watch would do with a share. */
static int explain_no_slot(struct ksym_line *line, struct ksym_error *error)
{
	bool fits = ksym_slots_flexible_fits(line->watch, &line->cpus);

	ksym_slots_explain(line->more, sizeof(line->more), line->watch, &line->cpus);
	return ksym_fail(error, fits ? KSYM_ERR_NO_SLOT_FLEXIBLE : KSYM_ERR_NO_SLOT,
			 line->spec.symbol_at);
}

/* Where a word of a text stands in it, or its end where there are not so many. */
static unsigned int word_at(const char *text, int word)
{
	const char *p = skip_spaces(text);

	while (*p && word--) {
		while (*p && !isspace(*p))
			p++;
		p = skip_spaces(p);
	}
	return p - text;
}

/* The fetch arguments of a line, with the rest of it for the carets. */
static int parse_fetch_args(struct ksym_line *line)
{
	struct ksym_fetch_error error = {};
	int argc, first, i;
	char **argv, *args;

	if (!line->spec.args_at)
		return 0;
	args = kstrdup(line->text, GFP_KERNEL);
	if (!args)
		return -ENOMEM;
	/* The words before the first argument are as many as make up its offset. */
	args[line->spec.args_at] = '\0';
	argv = argv_split(GFP_KERNEL, args, &first);
	kfree(args);
	if (!argv)
		return -ENOMEM;
	argv_free(argv);

	argv = argv_split(GFP_KERNEL, line->text, &argc);
	if (!argv)
		return -ENOMEM;
	for (i = first; i < argc; i++)
		if (argv[i][0] == '#')
			break;
	line->watch->fetch = ksym_fetch_parse(i, (const char **)argv, first,
					      line->found.pending, &error);
	argv_free(argv);
	if (!IS_ERR(line->watch->fetch))
		return 0;
	i = PTR_ERR(line->watch->fetch);
	line->watch->fetch = NULL;
	line->arg_error = error.text;
	line->arg_at = word_at(line->text, error.word) + error.at;
	return i;
}

/* Makes the watch of a line, with its slots, and shows it to nobody. */
static int reserve_watch(struct ksym_line *line, struct ksym_error *error)
{
	struct ksym_spec *spec = &line->spec;
	int ret;

	line->asked = spec->target;
	ret = ksym_resolve(spec, &line->found, error, line->more);
	if (!ret)
		ret = resolve_who(line, error);
	if (ret)
		return ret;
	/* A task's event can't be moved from any context. */
	if (line->found.movable && line->task)
		return ksym_fail(error, KSYM_ERR_NOWHERE_PID, spec->pid_at);

	line->watch = ksym_watch_create(spec, &line->found);
	if (!line->watch)
		return -ENOMEM;
	line->watch->asked = line->asked;
	ret = parse_fetch_args(line) ?: ksym_event_init(line->watch);
	if (ret)
		return ret;

	ret = ksym_slots_reserve(line->watch, line->task, &line->cpus);
	switch (ret) {
	case -ENOSPC:
		return explain_no_slot(line, error);
	case -ESRCH:
		return ksym_fail(error, KSYM_ERR_NO_TASK, spec->pid_at);
	case -EINVAL:
		return ksym_fail(error, KSYM_ERR_CPU_REFUSES, spec->symbol_at);
	case -EFAULT:
		return ksym_fail(error, KSYM_ERR_POINTER, spec->path_at);
	case -EPERM:
		return ksym_fail(error, KSYM_ERR_NO_PERMISSION,
				 spec->symbol_at);
	default:
		return ret;
	}
}

/* Splits a text into its lines and parses them. */
static int parse_lines(struct ksym_request *request, struct list_head *lines,
		       struct ksym_line **at, struct ksym_error *error)
{
	char *text = request->text, *one;
	struct ksym_line *line;
	int ret;

	while ((one = strsep(&text, "\n"))) {
		line = kzalloc(sizeof(*line), GFP_KERNEL);
		if (!line)
			return -ENOMEM;
		line->text = one;
		line->hold = request->hold;
		list_add_tail(&line->list, lines);
		*at = line;
		ret = request->dyn ? ksym_parse_dyn(one, &line->spec, error) :
				     ksym_parse(one, &line->spec, error);
		if (ret)
			return ret;
		if (line->spec.action == KSYM_NOTHING) {
			list_del(&line->list);
			kfree(line);
			*at = NULL;
		}
	}
	return 0;
}

/**
 * ksym_run_locked - do what the lines of a text say, all of it or nothing
 * @request: the lines, and who wants it
 * @error: says what is wrong with the text, after an error
 *
 * The error stands in error_log as well, below its line.
 *
 * Process context; sleeps; dyn_event_ops_mutex is held.
 *
 * Return: 0, or the errno of the error; where nothing is wrong with the text,
 * -ENOMEM or what the event core or perf said. What is wrong with a fetch
 * argument is in the log already.
 */
int ksym_run_locked(struct ksym_request *request, struct ksym_error *error)
{
	/* The name that the kernel's selftests look for. */
	const char *subsystem = request->dyn ? "event_probe" : "ksym";
	struct ksym_line *line, *next, *at = NULL;
	LIST_HEAD(lines);
	int ret;

	lockdep_assert_held(&dyn_event_ops_mutex);

	error->code = KSYM_ERR_NONE;
	ret = parse_lines(request, &lines, &at, error);
	if (ret)
		goto out;

	/* What was removed before has given its slots back when this looks. */
	ksym_slots_flush();

	list_for_each_entry(line, &lines, list) {
		if (line->spec.action != KSYM_ADD)
			continue;
		at = line;
		/* The buffer is small until the first event is enabled. */
		ret = tracing_update_buffers(top_trace_array());
		if (!ret)
			ret = reserve_watch(line, error);
		if (ret)
			goto out;
		request->watch = line->watch;
	}

	mutex_lock(&event_mutex);
	ret = commit_lines_locked(&lines, &at, error);
	mutex_unlock(&event_mutex);

	list_for_each_entry(line, &lines, list)
		ksym_traps_settle(&line->traps);
out:
	if (ret && error->code != KSYM_ERR_NONE)
		ret = at->more[0] ? log_error_with(subsystem, at->text, error, at->more) :
				    ksym_log_error(subsystem, at->text, error);
	request->arg_error = ret && at ? at->arg_error : NULL;
	request->arg_at = at ? at->arg_at : 0;
	list_for_each_entry_safe(line, next, &lines, list) {
		if (line->watch) {
			ksym_slots_release(line->watch);
			ksym_watch_free(line->watch);
		}
		ksym_traps_put(&line->traps);
		ksym_found_put(&line->found);
		if (line->task)
			put_task_struct(line->task);
		kfree(line);
	}
	ksym_slots_flush();
	return ret;
}

/**
 * ksym_run - as ksym_run_locked(), for who does not hold dyn_event_ops_mutex
 * @request: the lines, and who wants it
 * @error: says what is wrong with the text, after an error
 *
 * Process context; sleeps; takes dyn_event_ops_mutex.
 *
 * Return: as ksym_run_locked() does.
 */
int ksym_run(struct ksym_request *request, struct ksym_error *error)
{
	int ret;

	mutex_lock(&dyn_event_ops_mutex);
	ret = ksym_run_locked(request, error);
	mutex_unlock(&dyn_event_ops_mutex);
	return ret;
}

/* dynamic_events makes, shows and removes watches. */

static int ksym_dyn_event_create(const char *raw_command)
{
	struct ksym_request request = { .dyn = true };
	struct ksym_error error;
	int ret;

	/* Others have words that begin with a w, or may have them one day. */
	if (raw_command[0] != 'w' ||
	    (raw_command[1] && !strchr(": \t", raw_command[1]) && !isdigit(raw_command[1])))
		return -ECANCELED;
	request.text = kstrdup(raw_command, GFP_KERNEL);
	if (!request.text)
		return -ENOMEM;
	ret = ksym_run_locked(&request, &error);
	kfree(request.text);
	return ret;
}

static int ksym_dyn_event_show(struct seq_file *m, struct dyn_event *devent)
{
	struct ksym_watch *watch = to_ksym_watch(devent);
	int len = ksym_fetch_format(watch->fetch, NULL, 0);
	char *spec = format_dyn_spec(watch);
	char *args = kvzalloc(len + 1, GFP_KERNEL);

	if (spec && args) {
		ksym_fetch_format(watch->fetch, args, len + 1);
		seq_printf(m, "w:%s/%s %s%s\n", watch->group, watch->name, spec, args);
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
	.create		= ksym_dyn_event_create,
	.show		= ksym_dyn_event_show,
	.is_busy	= ksym_dyn_event_is_busy,
	.free		= ksym_dyn_event_free,
	.match		= ksym_dyn_event_match,
};

/* ksym_trace_filter */

static int run_text(char *text)
{
	struct ksym_request request = { .text = text };
	struct ksym_error error;

	return ksym_run(&request, &error);
}

static int filter_open(struct inode *inode, struct file *file)
{
	char remove_all[] = "*:---";
	int ret;

	ret = security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		return ret;
	ret = tracing_check_open_get_tr(NULL);
	if (ret)
		return ret;

	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		ret = run_text(remove_all);
		if (ret)
			return ret;
	}
	return single_open(file, ksym_show_filter, NULL);
}

/* An error that is about the text as a whole, and not about a line of it. */
static int refuse_text(enum ksym_err code)
{
	const struct ksym_error error = { .code = code };

	return ksym_log_error("ksym", "", &error);
}

static ssize_t filter_write(struct file *file, const char __user *ubuf,
			    size_t count, loff_t *ppos)
{
	char *text;
	int ret;

	if (count > KSYM_WRITE_MAX)
		return refuse_text(KSYM_ERR_TOO_LONG);

	text = memdup_user_nul(ubuf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (strlen(text) != count)
		ret = refuse_text(KSYM_ERR_NUL_BYTE);
	else
		ret = run_text(text);
	kfree(text);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static const struct file_operations filter_fops = {
	.open		= filter_open,
	.read		= seq_read,
	.write		= filter_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/*
 * The tracer is a view: it prints the hits that the events recorded as a table,
 * in the top instance and in any other. It starts and stops nothing.
 */

static int ksym_tracer_init(struct trace_array *tr)
{
	return 0;
}

static void ksym_tracer_reset(struct trace_array *tr)
{
}

#ifdef CONFIG_FTRACE_STARTUP_TEST

#define KSYM_SELFTEST_HITS	3

static unsigned int ksym_selftest_var;

struct ksym_selftest {
	unsigned int	nr;
	bool		wrong;
};

static void ksym_selftest_probe(void *data, struct ksym_hit *hit)
{
	struct ksym_selftest *test = data;

	if (hit->old != test->nr || hit->new != test->nr + 1)
		test->wrong = true;
	test->nr++;
	hit->recorded = true;
}

/*
 * Writes to a watched variable, and wants to see each write. The event can't
 * take part: trace_types_lock is held here, and comes after event_mutex.
 */
static int ksym_tracer_selftest(struct tracer *trace, struct trace_array *tr)
{
	const struct ksym_found found = {
		.place.base	= (unsigned long)&ksym_selftest_var,
		.part.len	= sizeof(ksym_selftest_var),
		.nr_ranges	= 1,
		.ranges[0].len	= sizeof(ksym_selftest_var),
	};
	/* No limit and no budget: each hit counts, however slow the machine. */
	static const struct ksym_spec spec = {
		.access	= KSYM_WRITE,
		.name	= "selftest",
	};
	struct ksym_selftest test = {};
	struct ksym_watch *watch;
	unsigned int i;
	int ret;

	watch = ksym_watch_create(&spec, &found);
	if (!watch)
		return -ENOMEM;
	ret = tracepoint_probe_register(&watch->tp, ksym_selftest_probe, &test);
	if (ret)
		goto free;
	ret = ksym_slots_reserve(watch, NULL, cpu_possible_mask);
	if (ret == -ENOSPC) {
		/* A debugger that has them all is no fault of ours. */
		pr_info("skipped, no debug register is free\n");
		ret = 0;
		goto unregister;
	}
	if (ret)
		goto unregister;
	ret = ksym_slots_aim(watch);
	if (!ret) {
		ksym_slots_arm(watch);
		for (i = 1; i <= KSYM_SELFTEST_HITS; i++)
			WRITE_ONCE(ksym_selftest_var, i);
	}
	ksym_slots_release(watch);
	/* Nothing may trap any more. */
	WRITE_ONCE(ksym_selftest_var, 0);

	if (!ret && (test.wrong || test.nr != KSYM_SELFTEST_HITS)) {
		pr_warn("%u hits instead of %u, values %s\n", test.nr,
			KSYM_SELFTEST_HITS, test.wrong ? "wrong" : "right");
		ret = -EIO;
	}
unregister:
	tracepoint_probe_unregister(&watch->tp, ksym_selftest_probe, &test);
	tracepoint_synchronize_unregister();
free:
	ksym_watch_free(watch);
	return ret;
}

#endif /* CONFIG_FTRACE_STARTUP_TEST */

static struct tracer ksym_tracer __read_mostly = {
	.name		= "ksym_tracer",
	.init		= ksym_tracer_init,
	.reset		= ksym_tracer_reset,
#ifdef CONFIG_FTRACE_STARTUP_TEST
	.selftest	= ksym_tracer_selftest,
#endif
	.print_header	= ksym_event_print_header,
	.print_line	= ksym_event_print_row,
	.allow_instances = true,
};

/* ksym_watch= on the command line */

static char ksym_boot_watches[COMMAND_LINE_SIZE] __initdata;

static int __init ksym_boot_setup(char *str)
{
	size_t len = strlen(ksym_boot_watches), room = sizeof(ksym_boot_watches) - len;

	/* Given several times, they add up. */
	if (snprintf(ksym_boot_watches + len, room, "%s%s", len ? ";" : "", str) >= room) {
		ksym_boot_watches[len] = '\0';
		pr_warn("ksym_watch=%s: the watches of the command line are longer than %d bytes\n",
			str, COMMAND_LINE_SIZE - 1);
	}
	/* They write to the trace buffer, and empty it. */
	disable_tracing_selftest("ksym_watch=");
	tracing_keep_boot_events = true;
	return 1;
}
__setup("ksym_watch=", ksym_boot_setup);

/* One that is wrong is told in the log, where error_log can't be read yet. */
static __init void run_boot_watch(char *text)
{
	struct ksym_request request = { .text = kstrdup(text, GFP_KERNEL) };
	struct ksym_error error = { .code = KSYM_ERR_NONE };
	int ret = -ENOMEM;

	if (request.text)
		ret = ksym_run(&request, &error);
	if (ret && request.arg_error)
		error.at = request.arg_at;
	if (ret && (request.arg_error || error.code != KSYM_ERR_NONE))
		pr_warn("ksym_watch=%s: %s (at \"%s\")\n", text,
			request.arg_error ?: ksym_error_text(error.code),
			text + min_t(size_t, error.at, strlen(text)));
	else if (ret)
		pr_warn("ksym_watch=%s: error %d\n", text, ret);
	kfree(request.text);
}

static __init int ksym_init_early(void)
{
	char *watches = ksym_boot_watches, *one;
	int ret;

	ksym_slots_init();
	ksym_module_init();
	ret = dyn_event_register(&ksym_dyn_event_ops);
	if (ret)
		return ret;
	while ((one = strsep(&watches, ";"))) {
		if (*one)
			run_boot_watch(one);
	}
	return 0;
}
core_initcall(ksym_init_early);

static __init int ksym_init(void)
{
	int ret;

	ret = tracing_init_dentry();
	if (ret)
		return ret;
	trace_create_file("ksym_trace_filter", TRACE_MODE_WRITE, NULL, NULL,
			  &filter_fops);
	trace_create_file("ksym_slots", TRACE_MODE_READ, NULL, NULL,
			  &ksym_slots_fops);
	return register_tracer(&ksym_tracer);
}
fs_initcall(ksym_init);

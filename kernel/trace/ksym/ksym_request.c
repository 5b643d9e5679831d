// SPDX-License-Identifier: GPL-2.0-only
/*
 * Request: lines of text that make and remove watches, as a transaction.
 *
 *   parse -> resolve -> make -> reserve      each line; changes nothing that others see
 *   register, mark -> aim -> enable          all lines, under event_mutex; may fail
 *   arm -> switch -> remove                  all lines, under event_mutex; can't fail
 *
 * If a line fails, the lines before it are undone: slots, events, files and buffers are
 * as they were. Removing an event that has recorded clears the buffers, so everything
 * that can fail comes before the first watch is armed or removed.
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/ctype.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ksym_census.h"
#include "ksym_cond.h"
#include "ksym_event.h"
#include "ksym_fetch.h"
#include "ksym_module.h"
#include "ksym_request.h"
#include "ksym_trap.h"
#include "ksym_watch.h"
#include "ksym_window.h"

/**
 * struct ksym_line - a line of a request
 * @list: in the list of lines
 * @text: the line
 * @spec: the parsed line
 * @asked: its target as it was written, without the module that the symbol is in
 * @found: its resolved target; keeps the module until the request is committed
 * @watch: the watch that it makes, until that is committed
 * @cpus: the CPUs
 * @task: the task, or NULL
 * @attr: what kernel code asks for, or NULL
 * @registered: the event of @watch is registered, and has to be removed to undo the line
 * @more: the details of the error, or ""
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
	const struct ksym_watch_attr *attr;
	bool			registered;
	char			more[KSYM_MORE_LEN];
};

/* A wanted target without a module matches in any module. */
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
		/* Only kernel code removes what it holds. */
		return !watch->held;
	case KSYM_REMOVE_NAME:
	case KSYM_SWITCH_OFF:
	case KSYM_SWITCH_ON:
		return (!spec->name[0] || !strcmp(watch->name, spec->name)) &&
		       (!spec->group[0] || !strcmp(watch->group, spec->group));
	case KSYM_REMOVE_TARGET:
		return is_same_target(&watch->target, &spec->target) ||
		       is_same_target(&watch->asked, &spec->target);
	default:
		return false;
	}
}

static bool is_switch(const struct ksym_spec *spec)
{
	return spec->action == KSYM_SWITCH_OFF || spec->action == KSYM_SWITCH_ON;
}

/* Marks the watches that a line removes or switches. Fails if one can't be removed. */
static int mark_watches_locked(struct ksym_line *line, struct ksym_error *error)
{
	const struct ksym_spec *spec = &line->spec;
	unsigned int at = spec->action == KSYM_REMOVE_TARGET ? spec->symbol_at : spec->name_at;
	struct dyn_event *devent;
	bool found = false;

	for_each_dyn_event(devent) {
		struct ksym_watch *watch = to_ksym_watch(devent);

		if (!ksym_is_watch(devent) || !is_target_of(watch, spec))
			continue;
		found = true;
		if (is_switch(spec)) {
			watch->to_switch = spec->action;
			continue;
		}
		if (ksym_event_is_busy_locked(watch))
			return ksym_fail(error, KSYM_ERR_IN_USE, at);
		watch->to_remove = true;
	}
	/* To remove all of none is no error. */
	if (!found && spec->action != KSYM_REMOVE_ALL)
		return ksym_fail(error, KSYM_ERR_NO_WATCH, at);
	return 0;
}

/* Makes the filter, which needs the fields of the event. */
static int make_filter_locked(struct ksym_line *line, struct ksym_error *error)
{
	const struct ksym_spec *spec = &line->spec;
	const char *what = NULL;
	int ret, at = 0;

	if (!spec->filter_at)
		return 0;
	ret = ksym_cond_create_locked(line->watch, line->text + spec->filter_at,
				      spec->filter_len, &what, &at);
	if (!what)
		return ret;
	strscpy(line->more, what);
	return ksym_fail(error, KSYM_ERR_BAD_CONDITION,
			 spec->filter_at + min_t(unsigned int, at, spec->filter_len));
}

static int register_watch_locked(struct ksym_line *line,
				 struct ksym_error *error)
{
	int ret;

	ret = ksym_event_register_locked(line->watch);
	switch (ret) {
	case 0:
		line->registered = true;
		return make_filter_locked(line, error);
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
	if (line->spec.action == KSYM_ADD)
		return register_watch_locked(line, error);
	return mark_watches_locked(line, error);
}

/* Aims the watches that a line switches on. */
static int aim_switched_locked(const struct ksym_spec *spec, struct ksym_error *error)
{
	struct dyn_event *devent;
	int ret = 0;

	for_each_dyn_event(devent) {
		struct ksym_watch *watch = to_ksym_watch(devent);

		if (!ksym_is_watch(devent) || !is_target_of(watch, spec) ||
		    watch->state != KSYM_PLACED || (watch->lazy && !watch->nr_users))
			continue;
		ret = ksym_trap_aim(watch);
		if (ret)
			break;
	}
	return ret == -EFAULT ? ksym_fail(error, KSYM_ERR_NOT_MAPPED, spec->name_at) : ret;
}

/* Does the part of arming that can fail. */
static int aim_line_locked(struct ksym_line *line, struct ksym_error *error)
{
	const struct ksym_spec *spec = &line->spec;
	struct ksym_watch *watch = line->watch;
	int ret;

	if (spec->action == KSYM_SWITCH_ON)
		return aim_switched_locked(spec, error);
	/* The first user of its event starts a lazy watch. */
	if (spec->action != KSYM_ADD || watch->lazy || ksym_watch_is_pending(watch))
		return 0;
	ret = ksym_trap_aim(watch);
	if (ret != -EFAULT)
		return ret;
	return ksym_fail(error, KSYM_ERR_NOT_MAPPED, watch->found.place.nr_derefs ?
			 spec->path_at : spec->symbol_at);
}

/* Enables the event before the watch is armed, so that every hit is recorded. */
static int enable_line_locked(struct ksym_line *line, struct ksym_error *error)
{
	int ret;

	if (line->spec.action != KSYM_ADD || line->watch->lazy)
		return 0;
	ret = ksym_event_enable_locked(line->watch);
	if (ret == -EBUSY && line->spec.opt.actions & KSYM_SNAPSHOT)
		return ksym_fail(error, KSYM_ERR_SNAPSHOT_BUSY, line->spec.then_at);
	return ret;
}

static void arm_line_locked(struct ksym_line *line)
{
	struct ksym_watch *watch = line->watch;

	if (line->spec.action != KSYM_ADD)
		return;
	if (ksym_watch_is_wanted(watch) && watch->state == KSYM_PLACED)
		ksym_trap_arm(watch);
	ksym_window_switch(watch->window, !watch->opt.off);
	/* Modules may have come and gone before the watch was in the list. */
	ksym_module_catch_up_locked(watch);
	ksym_fetch_update(watch->fetch);
}

typedef int (*line_func_t)(struct ksym_line *line, struct ksym_error *error);

static int with_each_line_locked(struct list_head *lines,
				 struct ksym_line **at,
				 struct ksym_error *error, line_func_t func)
{
	struct ksym_line *line;
	int ret;

	list_for_each_entry(line, lines, list) {
		*at = line;
		ret = func(line, error);
		if (ret)
			return ret;
	}
	return 0;
}

/* Undoes what the lines have done so far. */
static void undo_lines_locked(struct list_head *lines)
{
	struct dyn_event *devent;
	struct ksym_line *line;

	for_each_dyn_event(devent) {
		if (!ksym_is_watch(devent))
			continue;
		to_ksym_watch(devent)->to_remove = false;
		to_ksym_watch(devent)->to_switch = KSYM_NOTHING;
	}
	list_for_each_entry(line, lines, list) {
		if (!line->registered)
			continue;
		ksym_event_forget_locked(line->watch);
		line->watch->to_remove = true;
		line->watch = NULL;
	}
	ksym_watch_remove_marked_locked();
}

/* Switches the marked watches: the last line that names one counts. */
static void switch_marked_locked(void)
{
	struct dyn_event *devent;

	for_each_dyn_event(devent) {
		struct ksym_watch *watch = to_ksym_watch(devent);

		if (!ksym_is_watch(devent) || watch->to_switch == KSYM_NOTHING)
			continue;
		ksym_watch_switch_locked(watch, watch->to_switch == KSYM_SWITCH_ON);
		watch->to_switch = KSYM_NOTHING;
	}
}

/* Removes the marked watches. Returns whether there were any. */
static bool finish_lines_locked(struct list_head *lines)
{
	struct ksym_line *line;

	/* From here on the new watches belong to dyn_event_list. */
	list_for_each_entry(line, lines, list) {
		if (line->watch)
			line->watch->held = line->attr;
		line->watch = NULL;
	}
	return ksym_watch_remove_marked_locked();
}

/* Does what all lines ask for, or nothing; see the head of this file. */
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
	switch_marked_locked();
	/*
	 * As in dyn_event_release(): the records can't be printed any more. Only if
	 * needed, since this also resets buffers that others have marked for a reset.
	 */
	if (finish_lines_locked(lines))
		tracing_reset_all_online_cpus();
	return 0;
}

/* Finds the CPUs and the task of a line. */
static int resolve_who(struct ksym_line *line, struct ksym_error *error)
{
	const struct ksym_spec *spec = &line->spec;

	if (spec->opt.flexible && !IS_ENABLED(CONFIG_HW_BREAKPOINT_FLEXIBLE))
		return ksym_fail(error, KSYM_ERR_NO_FLEXIBLE, spec->kind_at);
	if (spec->opt.actions & KSYM_SNAPSHOT && !IS_ENABLED(CONFIG_TRACER_SNAPSHOT))
		return ksym_fail(error, KSYM_ERR_NO_SNAPSHOT, spec->then_at);
	if (spec->opt.pid) {
		/* Kernel code has the task; its number may be of another namespace. */
		line->task = line->attr && line->attr->task ?
			     get_task_struct(line->attr->task) :
			     find_get_task_by_vpid(spec->opt.pid);
		/* A zombie is still found, but accesses nothing any more. */
		if (!line->task || (READ_ONCE(line->task->flags) & PF_EXITING))
			return ksym_fail(error, KSYM_ERR_NO_TASK, spec->pid_at);
	}
	return ksym_resolve_cpus(spec, &line->cpus, error);
}

/* Reports who holds the slots, and whether a flexible watch would fit. */
static int explain_no_slot(struct ksym_line *line, struct ksym_error *error)
{
	bool fits;

	/* The slots of a task that the request has had count until they are released. */
	ksym_trap_flush();
	fits = ksym_census_flexible_fits(line->watch, &line->cpus);
	ksym_census_explain(line->more, sizeof(line->more), line->watch, &line->cpus);
	return ksym_fail(error, fits ? KSYM_ERR_NO_SLOT_FLEXIBLE : KSYM_ERR_NO_SLOT,
			 line->spec.symbol_at);
}

/* The offset of a word in a text; of its end if there are fewer words. */
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

/* Parses the fetch arguments. The parser gets the whole line, for its carets. */
static int parse_fetch_args(struct ksym_line *line, struct ksym_request *request)
{
	unsigned int end = line->spec.args_at + line->spec.args_len;
	struct ksym_fetch_error error = {};
	int argc, first = 0, i;
	char **argv;

	if (!line->spec.args_at)
		return 0;
	while (word_at(line->text, first) < line->spec.args_at)
		first++;
	argv = argv_split(GFP_KERNEL, line->text, &argc);
	if (!argv)
		return -ENOMEM;
	for (i = first; i < argc && word_at(line->text, i) < end; i++)
		if (argv[i][0] == '#')
			break;
	line->watch->fetch = ksym_fetch_parse(i, (const char **)argv, first,
					      line->found.pending,
					      ksym_event_has_field, &error);
	argv_free(argv);
	if (!IS_ERR(line->watch->fetch))
		return 0;
	i = PTR_ERR(line->watch->fetch);
	line->watch->fetch = NULL;
	request->arg_error = error.text;
	request->arg_at = word_at(line->text, error.word) + error.at;
	return i;
}

/* Makes the watch of a line, with its slots, and does not register it yet. */
static int reserve_watch(struct ksym_line *line, struct ksym_request *request,
			 struct ksym_error *error)
{
	struct ksym_spec *spec = &line->spec;
	int ret;

	line->asked = spec->target;
	ret = ksym_resolve(spec, &line->found, error, line->more);
	if (!ret)
		ret = resolve_who(line, error);
	if (ret)
		return ret;
	/* The event of a task can be moved in process context only. */
	if (line->found.movable && line->task)
		return ksym_fail(error, KSYM_ERR_NOWHERE_PID, spec->pid_at);
	if (line->found.nr_turns && line->task)
		return ksym_fail(error, KSYM_ERR_WIDE_PID, spec->pid_at);

	line->watch = ksym_watch_alloc(spec, &line->found);
	if (!line->watch)
		return -ENOMEM;
	line->watch->asked = line->asked;
	ret = ksym_window_create(line->watch, spec, error);
	if (!ret)
		ret = parse_fetch_args(line, request) ?: ksym_event_init(line->watch);
	if (!ret && line->attr)
		ret = ksym_watch_call(line->watch, line->attr->func, line->attr->data);
	if (ret)
		return ret;

	ret = ksym_trap_reserve(line->watch, line->task, &line->cpus);
	switch (ret) {
	case 0:
		if (line->watch->nr_pieces < spec->opt.objects)
			pr_info("%s: follows %u objects at once instead of %u: no more debug registers are free\n",
				spec->name, line->watch->nr_pieces, spec->opt.objects);
		return 0;
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

/* Splits the text into lines and parses them. */
static int parse_lines(struct ksym_request *request, struct list_head *lines,
		       struct ksym_line **at, struct ksym_error *error)
{
	char *text = request->text, *one;
	struct ksym_line *line;
	int ret;

	while ((one = strsep(&text, "\n"))) {
		line = kzalloc_obj(*line);
		if (!line)
			return -ENOMEM;
		line->text = one;
		line->attr = request->attr;
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
 * ksym_run_locked - make and remove watches: all that the lines ask for, or nothing
 * @request: the lines, and who asks
 * @error: after an error: what is wrong with the text, and where
 *
 * The error is logged in error_log, below its line.
 *
 * Process context; sleeps; dyn_event_ops_mutex is held.
 *
 * Return: 0, or the errno of the error; if nothing is wrong with the text, -ENOMEM or
 * an error of the event core or of perf. Errors in fetch arguments are logged by their
 * parser.
 */
int ksym_run_locked(struct ksym_request *request, struct ksym_error *error)
{
	/* The selftests of linux-next's watchpoint probes look for this name. */
	const char *subsystem = request->dyn ? "wprobe" : "ksym";
	struct ksym_line *line, *next, *at = NULL;
	LIST_HEAD(lines);
	int ret;

	lockdep_assert_held(&dyn_event_ops_mutex);

	error->code = KSYM_ERR_NONE;
	ret = parse_lines(request, &lines, &at, error);
	if (ret)
		goto out;

	/* Wait until earlier removals have released their slots. */
	ksym_trap_flush();

	list_for_each_entry(line, &lines, list) {
		if (line->spec.action != KSYM_ADD)
			continue;
		at = line;
		/* The buffer is small until the first event is enabled. */
		ret = tracing_update_buffers(top_trace_array());
		if (!ret)
			ret = reserve_watch(line, request, error);
		if (ret)
			goto out;
		request->watch = line->watch;
	}

	mutex_lock(&event_mutex);
	ret = commit_lines_locked(&lines, &at, error);
	mutex_unlock(&event_mutex);

	ksym_traps_sync();
out:
	if (ret && error->code != KSYM_ERR_NONE)
		ret = ksym_error_log(subsystem, at->text, error, at->more);
	list_for_each_entry_safe(line, next, &lines, list) {
		if (line->watch) {
			ksym_trap_release(line->watch);
			ksym_watch_free(line->watch);
		}
		ksym_found_put(&line->found);
		if (line->task)
			put_task_struct(line->task);
		kfree(line);
	}
	ksym_trap_flush();
	return ret;
}

/**
 * ksym_run - ksym_run_locked() for callers that don't hold dyn_event_ops_mutex
 * @request: the lines, and who asks
 * @error: after an error: what is wrong with the text, and where
 *
 * Process context; sleeps; takes dyn_event_ops_mutex.
 *
 * Return: see ksym_run_locked().
 */
int ksym_run(struct ksym_request *request, struct ksym_error *error)
{
	guard(mutex)(&dyn_event_ops_mutex);
	return ksym_run_locked(request, error);
}

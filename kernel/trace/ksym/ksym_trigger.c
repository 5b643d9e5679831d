// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: set_wprobe and clear_wprobe point a watch at an object, and away from it,
 * when another event is hit.
 *
 *	set_wprobe:[GRP/]NAME:FIELD[+OFF|-OFF][:COUNT] [if FILTER]
 *	clear_wprobe:[GRP/]NAME[:FIELD[+OFF|-OFF]][:COUNT] [if FILTER]
 *
 * The watch is moved in the context of that event, which may be an NMI or the #DB of
 * another watch. The address is a field of the event's record, so any trace event will
 * do, also a kprobe event.
 */
#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>

#include "ksym_trap.h"
#include "ksym_watch.h"

/**
 * struct ksym_trigger - a trigger that moves a watch
 * @watch: the watch
 * @host: the event that the trigger is on
 * @field: the field of @host that has the address of the object, or NULL for any
 *	object
 * @off: what is added to the address
 * @set: it points the watch at the object, and not away from it
 * @limited: it has a COUNT
 * @left: how many moves are left of COUNT
 * @missed: how many moves failed
 *
 * The trigger changes the atomic fields in any context. The others do not change while
 * it can be called.
 */
struct ksym_trigger {
	struct ksym_watch		*watch;
	struct trace_event_call		*host;
	struct ftrace_event_field	*field;
	s64				off;
	bool				set;
	bool				limited;
	atomic_long_t			left;
	atomic_long_t			missed;
};

/*
 * Returns -EAGAIN if there was nothing to do: the watch already points at an object, or
 * does not point at the one to be cleared.
 */
static nokprobe_inline int move_watch_nmi(const struct ksym_trigger *trigger, const void *rec)
{
	unsigned long addr;

	if (!trigger->field)
		return ksym_watch_move_nmi(trigger->watch, KSYM_ADDR_ANY,
					   KSYM_ADDR_NONE);

	/* A probe's arguments are packed. */
	addr = get_unaligned((unsigned long *)(rec + trigger->field->offset));
	addr += trigger->off;

	if (trigger->set) {
		/* Not an object; ksym_watch_move_nmi() would take it as a clear. */
		if (addr == KSYM_ADDR_NONE)
			return -EINVAL;
		return ksym_watch_move_nmi(trigger->watch, KSYM_ADDR_NONE,
					   addr);
	}
	/* Not objects; ksym_watch_move_nmi() would take them otherwise. */
	if (addr == KSYM_ADDR_NONE || addr == KSYM_ADDR_ANY)
		return -EAGAIN;
	return ksym_watch_move_nmi(trigger->watch, addr, KSYM_ADDR_NONE);
}

/*
 * Only successful moves count for COUNT. A trigger takes one from ->left up front and
 * gives it back if it did not move the watch, so CPUs that race never make too many.
 */
static void ksym_trigger_nmi(struct event_trigger_data *data,
			     struct trace_buffer *buffer, void *rec,
			     struct ring_buffer_event *event)
{
	struct ksym_trigger *trigger = data->private_data;
	int ret;

	/* While the trigger is being added or removed, it is called without a record. */
	if (!rec)
		return;
	if (trigger->limited && atomic_long_dec_if_positive(&trigger->left) < 0)
		return;
	ret = move_watch_nmi(trigger, rec);
	if (!ret)
		return;
	if (ret != -EAGAIN)
		atomic_long_inc(&trigger->missed);
	if (trigger->limited)
		atomic_long_inc(&trigger->left);
}

NOKPROBE_SYMBOL(ksym_trigger_nmi);

/*
 * The line can be written back, and removes the trigger with a '!' before it. The
 * number of missed moves is a comment on a line of its own, since a filter extends to
 * the end of its line.
 */
static int ksym_trigger_print(struct seq_file *m,
			      struct event_trigger_data *data)
{
	struct ksym_trigger *trigger = data->private_data;
	long missed = atomic_long_read(&trigger->missed);
	s64 off = trigger->off;

	seq_printf(m, "%s:%s/%s", data->cmd_ops->name,
		   trigger->watch->call.class->system, trigger->watch->name);
	if (trigger->field)
		seq_printf(m, ":%s", trigger->field->name);
	if (off)
		seq_printf(m, "%c0x%llx", off < 0 ? '-' : '+',
			   off < 0 ? -(u64)off : (u64)off);
	if (trigger->limited)
		seq_printf(m, ":count=%ld", atomic_long_read(&trigger->left));
	else
		seq_puts(m, ":unlimited");
	if (data->filter_str)
		seq_printf(m, " if %s", data->filter_str);
	seq_putc(m, '\n');
	if (missed)
		seq_printf(m, "# missed=%ld\n", missed);
	return 0;
}

static void ksym_trigger_free(struct event_trigger_data *data)
{
	struct ksym_trigger *trigger = data->private_data;

	lockdep_assert_held(&event_mutex);

	/* Waits until no CPU is in the trigger. */
	trigger_data_free(data);
	trace_event_put_ref(trigger->host);
	trigger->watch->nr_triggers--;
	kfree(trigger);
}

/* An event can have several of these triggers, but none twice. */
static struct event_trigger_data *
find_trigger_locked(struct trace_event_file *file,
		    const struct event_trigger_data *like)
{
	const struct ksym_trigger *trigger = like->private_data;
	struct event_trigger_data *data;

	list_for_each_entry(data, &file->triggers, list) {
		const struct ksym_trigger *other = data->private_data;

		if (data->cmd_ops == like->cmd_ops &&
		    other->watch == trigger->watch &&
		    other->field == trigger->field &&
		    other->off == trigger->off)
			return data;
	}
	return NULL;
}

static int ksym_trigger_reg(char *glob, struct event_trigger_data *data,
			    struct trace_event_file *file)
{
	int ret;

	lockdep_assert_held(&event_mutex);

	if (find_trigger_locked(file, data))
		return -EEXIST;

	/* At the end: triggers are called in the order of their lines. */
	list_add_tail_rcu(&data->list, &file->triggers);
	update_cond_flag(file);
	ret = trace_event_trigger_enable_disable(file, 1);
	if (ret < 0) {
		/* It counts the user even if it fails. */
		trace_event_trigger_enable_disable(file, 0);
		list_del_rcu(&data->list);
		update_cond_flag(file);
		return ret;
	}
	return 0;
}

static void ksym_trigger_unreg(char *glob, struct event_trigger_data *like,
			       struct trace_event_file *file)
{
	struct event_trigger_data *data;

	lockdep_assert_held(&event_mutex);

	data = find_trigger_locked(file, like);
	if (!data)
		return;
	list_del_rcu(&data->list);
	trace_event_trigger_enable_disable(file, 0);
	update_cond_flag(file);
	ksym_trigger_free(data);
}

/**
 * struct ksym_trigger_text - a parsed command
 * @params: the text after the name of the command and ':'; parsing cuts it apart
 * @params_at: where that begins in the command
 * @remove: it removes a trigger
 * @group: the group of the watch, or NULL
 * @name: the name of the watch
 * @field: the field, or NULL
 * @filter: the filter with its "if", or NULL
 * @trigger: the trigger that it asks for
 * @error: what is wrong, and where
 */
struct ksym_trigger_text {
	char			*params;
	unsigned int		params_at;
	bool			remove;
	char			*group;
	char			*name;
	char			*field;
	char			*filter;
	struct ksym_trigger	trigger;
	struct ksym_error	error;
};

static int fail_at(struct ksym_trigger_text *text, const char *p, enum ksym_err code)
{
	return ksym_fail(&text->error, code, text->params_at + (p - text->params));
}

/* A decimal or 0x number without a sign, as in a target. */
static int parse_number(const char *p, u64 *val)
{
	if (!isdigit(*p))
		return -EINVAL;
	return kstrtou64(p, p[0] == '0' && tolower(p[1]) == 'x' ? 16 : 10, val);
}

static int parse_field(struct ksym_trigger_text *text, char *word)
{
	char *p = strpbrk(word, "+-");
	bool back;
	u64 dist;

	if (!*word || p == word)
		return fail_at(text, word, KSYM_ERR_NO_FIELD);
	text->field = word;
	if (!p)
		return 0;
	back = *p == '-';
	*p++ = '\0';
	/* Together with its sign it must fit an s64. */
	if (parse_number(p, &dist) || dist > S64_MAX)
		return fail_at(text, p, KSYM_ERR_BAD_OFFSET);
	text->trigger.off = back ? -(s64)dist : (s64)dist;
	return 0;
}

/* The name of a field does not begin with a digit, so it is no COUNT. */
static bool is_count(const char *word)
{
	return isdigit(*word) || !strcmp(word, "unlimited") ||
	       strstarts(word, "count=");
}

static int parse_count(struct ksym_trigger_text *text, char *word)
{
	struct event_trigger_data data = {};

	if (!strcmp(word, "unlimited"))
		return 0;
	if (strstarts(word, "count="))
		word += strlen("count=");
	if (event_trigger_parse_num(word, &data) || data.count > LONG_MAX)
		return fail_at(text, word, KSYM_ERR_BAD_TRIGGER_COUNT);
	text->trigger.limited = true;
	atomic_long_set(&text->trigger.left, data.count);
	return 0;
}

static bool is_filter(const char *p)
{
	return strstarts(p, "if") && isspace(p[2]);
}

static int parse_text(struct ksym_trigger_text *text)
{
	char *words, *word, *end, *p;
	bool set = text->trigger.set;
	int ret;

	event_trigger_separate_filter(text->params, &words, &text->filter, true);
	end = words + strlen(words);
	/* A removal may have any filter: no other trigger differs only by it. */
	if (text->filter && !text->remove && !is_filter(text->filter))
		return fail_at(text, text->filter, KSYM_ERR_BAD_FILTER);

	text->name = strsep(&words, ":");
	p = strpbrk(text->name, "/.");
	if (p) {
		*p = '\0';
		text->group = text->name;
		text->name = p + 1;
	}
	if (!*text->name)
		return fail_at(text, text->name, KSYM_ERR_NO_WATCH_NAME);

	word = strsep(&words, ":");
	if (set && !word)
		return fail_at(text, end, KSYM_ERR_NO_FIELD);
	if (word && (set || !is_count(word))) {
		ret = parse_field(text, word);
		if (ret)
			return ret;
		word = strsep(&words, ":");
	}
	ret = word ? parse_count(text, word) : 0;
	if (ret)
		return ret;
	if (words)
		return fail_at(text, words, KSYM_ERR_BAD_FILTER);
	return 0;
}

/* Finds the watch, and the field of the event. */
static int resolve_text_locked(struct ksym_trigger_text *text,
			       struct trace_event_file *file)
{
	const char *name = text->group ?: text->name;
	struct ksym_trigger *trigger = &text->trigger;
	struct ftrace_event_field *field;
	struct ksym_watch *watch;

	watch = ksym_watch_find_locked(text->group, text->name);
	if (!watch)
		return fail_at(text, name, KSYM_ERR_NO_WATCH);
	if (!ksym_watch_is_movable(watch))
		return fail_at(text, name, KSYM_ERR_NOT_MOVABLE);
	if (&watch->call == file->event_call)
		return fail_at(text, name, KSYM_ERR_OWN_EVENT);
	trigger->watch = watch;
	trigger->host = file->event_call;
	if (!text->field)
		return 0;

	field = trace_find_event_field(file->event_call, text->field);
	if (!field)
		return fail_at(text, text->field, KSYM_ERR_NO_SUCH_FIELD);
	/* An array of one long has the right size, too. */
	if (field->size != sizeof(unsigned long) || strchr(field->type, '['))
		return fail_at(text, text->field, KSYM_ERR_NO_POINTER);
	trigger->field = field;
	return 0;
}

static int remove_trigger_locked(struct ksym_trigger_text *text,
				 struct event_command *cmd_ops,
				 struct trace_event_file *file)
{
	struct event_trigger_data like = {
		.cmd_ops	= cmd_ops,
		.private_data	= &text->trigger,
	};

	if (!find_trigger_locked(file, &like))
		return fail_at(text, text->params, KSYM_ERR_NO_TRIGGER);
	event_trigger_unregister(cmd_ops, file, NULL, &like);
	return 0;
}

static int add_trigger_locked(struct ksym_trigger_text *text,
			      struct event_command *cmd_ops,
			      struct trace_event_file *file)
{
	struct event_trigger_data *data;
	struct ksym_trigger *trigger;
	int ret;

	trigger = kmemdup(&text->trigger, sizeof(*trigger), GFP_KERNEL);
	if (!trigger)
		return -ENOMEM;
	data = trigger_data_alloc(cmd_ops, NULL, NULL, trigger);
	if (!data) {
		ret = -ENOMEM;
		goto free_trigger;
	}
	/* This logs its errors itself. */
	ret = event_trigger_set_filter(cmd_ops, file, text->filter, data);
	if (ret < 0)
		goto free_data;
	/* Keeps the module of the event from being unloaded. */
	if (!trace_event_try_get_ref(trigger->host)) {
		ret = -EBUSY;
		goto free_data;
	}
	trigger->watch->nr_triggers++;
	ret = event_trigger_register(cmd_ops, file, NULL, data);
	if (!ret)
		return 0;
	ksym_trigger_free(data);
	return ret == -EEXIST ? fail_at(text, text->params, KSYM_ERR_TRIGGER_EXISTS) : ret;

free_data:
	trigger_data_free(data);
free_trigger:
	kfree(trigger);
	return ret;
}

static int run_command_locked(struct ksym_trigger_text *text,
			      struct event_command *cmd_ops,
			      struct trace_event_file *file)
{
	int ret = parse_text(text) ?: resolve_text_locked(text, file);

	if (ret)
		return ret;
	if (text->remove)
		return remove_trigger_locked(text, cmd_ops, file);
	return add_trigger_locked(text, cmd_ops, file);
}

static struct event_command set_wprobe_cmd;

/* The event core has cut the command after its name, which is @glob. */
static int ksym_trigger_parse(struct event_command *cmd_ops,
			      struct trace_event_file *file, char *glob,
			      char *cmd, char *param_and_filter)
{
	char nothing[] = "";
	struct ksym_trigger_text text = {
		.params		= param_and_filter ?: nothing,
		.params_at	= strlen(glob) + 1,
		.remove		= event_trigger_check_remove(glob),
		.trigger.set	= cmd_ops == &set_wprobe_cmd,
		.error.code	= KSYM_ERR_NONE,
	};
	char *line;
	int ret;

	lockdep_assert_held(&event_mutex);

	line = kasprintf(GFP_KERNEL, "%s:%s", glob, text.params);
	if (!line)
		return -ENOMEM;
	ret = run_command_locked(&text, cmd_ops, file);
	if (ret && text.error.code != KSYM_ERR_NONE)
		ret = ksym_error_log("ksym", line, &text.error, NULL);
	kfree(line);
	return ret;
}

/* No count_func: it would count calls, and not successful moves. */
#define WPROBE_COMMAND(command) {			\
	.name		= command,			\
	.trigger_type	= ETT_EVENT_WPROBE,		\
	.flags		= EVENT_CMD_FL_NEEDS_REC,	\
	.parse		= ksym_trigger_parse,		\
	.reg		= ksym_trigger_reg,		\
	.unreg		= ksym_trigger_unreg,		\
	.set_filter	= set_trigger_filter,		\
	.trigger	= ksym_trigger_nmi,		\
	.print		= ksym_trigger_print,		\
	.free		= ksym_trigger_free,		\
}

static struct event_command set_wprobe_cmd = WPROBE_COMMAND("set_wprobe");
static struct event_command clear_wprobe_cmd = WPROBE_COMMAND("clear_wprobe");

static __init int ksym_trigger_init(void)
{
	return register_event_command(&set_wprobe_cmd) ?:
	       register_event_command(&clear_wprobe_cmd);
}
fs_initcall(ksym_trigger_init);

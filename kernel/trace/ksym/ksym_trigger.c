// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: set_wprobe and clear_wprobe point a watch at an object, and away from it,
 * when another event is hit.
 *
 *	set_wprobe:[GRP/]NAME:FIELD[+OFF|-OFF][:COUNT][:timeout=TIME] [if FILTER]
 *	clear_wprobe:[GRP/]NAME[:FIELD[+OFF|-OFF]][:COUNT] [if FILTER]
 *
 * In place of FIELD[+OFF|-OFF] there can be (STRUCT[,MEMBER])FIELD->MEMBER[.MEMBER...],
 * of which BTF tells the offset.
 *
 * The watch is moved in the context of that event, which may be an NMI or the #DB of
 * another watch. The address is a field of the event's record, so any trace event will
 * do, also a kprobe event.
 *
 * While a set_wprobe trigger stands, its instance records the hits of the watch without
 * its event being enabled there.
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

#include "ksym_event.h"
#include "ksym_object.h"
#include "ksym_watch.h"

/**
 * struct ksym_trigger - a trigger that moves a watch
 * @watch: the watch
 * @host: the event that the trigger is on
 * @field: the field of @host that has the address of the object, or NULL for any
 *	object
 * @way: from that address to the one that is watched
 * @typed: the text of the field, if it has a type; or NULL
 * @set: it points the watch at the object, and not away from it
 * @limited: it has a COUNT
 * @timeout: after how many ns the object is cleared, or 0 for never
 * @left: how many moves are left of COUNT
 * @moves: what became of its moves
 * @soft: lets the instance record the hits, while it points the watch at objects
 * @rcu: to free it, since timers read @moves
 *
 * The trigger changes the atomic fields in any context. The others do not change while
 * it can be called.
 */
struct ksym_trigger {
	struct ksym_watch		*watch;
	struct trace_event_call		*host;
	struct ftrace_event_field	*field;
	struct ksym_place		way;
	char				*typed;
	bool				set;
	bool				limited;
	u64				timeout;
	atomic_long_t			left;
	struct ksym_moves		moves;
	struct ksym_soft		soft;
	struct rcu_head			rcu;
};

/*
 * Returns -EAGAIN if there was nothing to do: the watch already points at an object, or
 * does not point at the one to be cleared.
 */
static nokprobe_inline int move_watch_nmi(struct ksym_trigger *trigger, const void *rec)
{
	struct ksym_place way = trigger->way;
	struct ksym_aim aim = {
		.timeout	= trigger->timeout ?: trigger->watch->opt.timeout,
		.moves		= &trigger->moves,
	};

	if (!trigger->field)
		return ksym_object_clear_nmi(trigger->watch, KSYM_ADDR_ANY,
					     &trigger->moves);

	/* A probe's arguments are packed. */
	way.base = get_unaligned((unsigned long *)(rec + trigger->field->offset));
	/* A pointer on the way may have changed before the object is cleared. */
	aim.base = way.base;
	if ((trigger->set || !way.nr_derefs) && ksym_place_addr(&way, 0, &aim.addr)) {
		ksym_object_miss_nmi(trigger->watch, &trigger->moves);
		return -EFAULT;
	}
	if (!way.nr_derefs)
		aim.base = aim.addr;
	if (trigger->set)
		return ksym_object_set_nmi(trigger->watch, &aim);
	/* Not an object; ksym_object_clear_nmi() would take it as all of them. */
	if (aim.base == KSYM_ADDR_ANY)
		return -EAGAIN;
	return ksym_object_clear_nmi(trigger->watch, aim.base, &trigger->moves);
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

	/* While the trigger is being added or removed, it is called without a record. */
	if (!rec)
		return;
	if (trigger->limited && atomic_long_dec_if_positive(&trigger->left) < 0)
		return;
	if (move_watch_nmi(trigger, rec) && trigger->limited)
		atomic_long_inc(&trigger->left);
}

NOKPROBE_SYMBOL(ksym_trigger_nmi);

/*
 * The counters are a comment on a line of its own, since a filter extends to the end of
 * its line.
 */
static void print_moves(struct seq_file *m, const struct ksym_moves *moves)
{
	static const char * const names[KSYM_NR_MOVES] = {
		"missed", "evicted", "expired", "suppressed",
	};
	const char *before = "# ";
	unsigned int i;

	for (i = 0; i < KSYM_NR_MOVES; i++) {
		long n = atomic_long_read(&moves->n[i]);

		if (!n)
			continue;
		seq_printf(m, "%s%s=%ld", before, names[i], n);
		before = " ";
	}
	if (before[1] == '\0')
		seq_putc(m, '\n');
}

/* The line can be written back, and removes the trigger with a '!' before it. */
static int ksym_trigger_print(struct seq_file *m,
			      struct event_trigger_data *data)
{
	struct ksym_trigger *trigger = data->private_data;
	s64 off = trigger->way.off[0];
	char timeout[24];

	seq_printf(m, "%s:%s/%s", data->cmd_ops->name,
		   trigger->watch->call.class->system, trigger->watch->name);
	if (trigger->typed)
		seq_printf(m, ":%s", trigger->typed);
	else if (trigger->field)
		seq_printf(m, ":%s", trigger->field->name);
	if (off && !trigger->typed)
		seq_printf(m, "%c0x%llx", off < 0 ? '-' : '+',
			   off < 0 ? -(u64)off : (u64)off);
	if (trigger->limited)
		seq_printf(m, ":count=%ld", atomic_long_read(&trigger->left));
	else
		seq_puts(m, ":unlimited");
	if (trigger->timeout) {
		ksym_format_time(timeout, sizeof(timeout), trigger->timeout);
		seq_printf(m, ":timeout=%s", timeout);
	}
	if (data->filter_str)
		seq_printf(m, " if %s", data->filter_str);
	seq_putc(m, '\n');
	print_moves(m, &trigger->moves);
	return 0;
}

static void ksym_trigger_free(struct event_trigger_data *data)
{
	struct ksym_trigger *trigger = data->private_data;

	lockdep_assert_held(&event_mutex);

	trigger_data_free(data);
	/* Since Linux 7.3, that may not wait until no CPU is in the trigger. */
	tracepoint_synchronize_unregister();
	trace_event_put_ref(trigger->host);
	ksym_event_disable_soft_locked(&trigger->soft);
	ksym_object_forget(trigger->watch, &trigger->moves);
	trigger->watch->nr_triggers--;
	kfree(trigger->typed);
	kfree_rcu(trigger, rcu);
}

static bool has_same_way(const struct ksym_trigger *a, const struct ksym_trigger *b)
{
	/* One of them may be from when the type had another layout, or was there. */
	if (a->typed && b->typed && !strcmp(a->typed, b->typed))
		return true;
	return !memcmp(&a->way, &b->way, sizeof(a->way));
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
		    other->field == trigger->field && has_same_way(other, trigger))
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
 * @type: the struct that the field points to, or NULL
 * @inner: the member of that struct that it points to, or NULL
 * @field: the field, or NULL
 * @path: the members after the field, or NULL
 * @filter: the filter with its "if", or NULL
 * @trigger: the trigger that it asks for
 * @unresolved: the error of a type that a removal could not ask for, or 0
 * @error: what is wrong, and where
 * @more: the details of the error, or ""
 */
struct ksym_trigger_text {
	char			*params;
	unsigned int		params_at;
	bool			remove;
	char			*group;
	char			*name;
	char			*type;
	char			*inner;
	char			*field;
	char			*path;
	char			*filter;
	struct ksym_trigger	trigger;
	int			unresolved;
	struct ksym_error	error;
	char			more[KSYM_MORE_LEN];
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

/* Parses (STRUCT[,MEMBER])FIELD->MEMBER[.MEMBER...], of which @typed keeps the text. */
static int parse_typed_field(struct ksym_trigger_text *text, char *word)
{
	char *p = strchr(word, ')'), *arrow = strstr(word, "->");

	if (!p || p == word + 1)
		return fail_at(text, word + 1, KSYM_ERR_TRIGGER_TYPE);
	text->field = p + 1;
	if (!arrow || arrow < p || !arrow[2])
		return fail_at(text, word + strlen(word), KSYM_ERR_TRIGGER_TYPE);
	if (arrow == text->field)
		return fail_at(text, text->field, KSYM_ERR_NO_FIELD);
	text->trigger.typed = kstrdup(word, GFP_KERNEL);
	if (!text->trigger.typed)
		return -ENOMEM;
	text->type = word + 1;
	text->path = arrow + 2;
	*arrow = '\0';
	*p = '\0';
	text->inner = strchr(text->type, ',');
	if (!text->inner)
		return 0;
	*text->inner++ = '\0';
	if (!*text->inner || text->inner[0] == '-' || !*text->type)
		return fail_at(text, text->type, KSYM_ERR_TRIGGER_TYPE);
	return 0;
}

static int parse_field(struct ksym_trigger_text *text, char *word)
{
	char *p = strpbrk(word, "+-");
	bool back;
	u64 dist;

	if (*word == '(')
		return parse_typed_field(text, word);
	if (!*word || p == word)
		return fail_at(text, word, KSYM_ERR_NO_FIELD);
	text->field = word;
	if (!p)
		return 0;
	if (p[0] == '-' && p[1] == '>')
		return fail_at(text, word, KSYM_ERR_TRIGGER_TYPE);
	back = *p == '-';
	*p++ = '\0';
	/* Together with its sign it must fit an s64. */
	if (parse_number(p, &dist) || dist > S64_MAX)
		return fail_at(text, p, KSYM_ERR_BAD_OFFSET);
	text->trigger.way.off[0] = back ? -(s64)dist : (s64)dist;
	return 0;
}

/* The name of a field does not begin with a digit, so it is no COUNT. */
static bool is_count(const char *word)
{
	return isdigit(*word) || !strcmp(word, "unlimited") ||
	       strstarts(word, "count=") || strstarts(word, "timeout=");
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

/* Parses [COUNT] and [timeout=TIME], in any order. */
static int parse_rest(struct ksym_trigger_text *text, char **words, char *word)
{
	bool counted = false;
	int ret;

	for (; word; word = strsep(words, ":")) {
		if (strstarts(word, "timeout=")) {
			word += strlen("timeout=");
			if (!text->trigger.set || text->trigger.timeout)
				return fail_at(text, word, KSYM_ERR_BAD_TRIGGER_TIMEOUT);
			if (ksym_parse_time(word, word + strlen(word),
					    &text->trigger.timeout))
				return fail_at(text, word, KSYM_ERR_BAD_TIME);
			continue;
		}
		if (counted)
			return fail_at(text, word, KSYM_ERR_BAD_FILTER);
		ret = parse_count(text, word);
		if (ret)
			return ret;
		counted = true;
	}
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
	return parse_rest(text, &words, word);
}

/*
 * Asks BTF where a path of members leads in the struct. The path gets a '.' or "->"
 * before it.
 */
static int find_members(struct ksym_trigger_text *text, struct module *mod,
			const char *path, struct ksym_place *way)
{
	struct ksym_spec *spec __free(kfree) = kzalloc_obj(*spec);
	struct ksym_target *target;
	struct ksym_part part;

	if (!spec)
		return -ENOMEM;
	target = &spec->target;
	if (strscpy(target->type, text->type) < 0 ||
	    snprintf(target->path, sizeof(target->path), ".%s", path) >= sizeof(target->path))
		return fail_at(text, text->type, KSYM_ERR_LONG_TARGET);
	spec->type_at = text->params_at + (text->type - text->params);
	spec->path_at = text->params_at + (path - text->params) - 1;
	/* ksym_btf_resolve() takes paths that were parsed. */
	if (!ksym_is_path(target->path))
		return fail_at(text, path, KSYM_ERR_BAD_PATH);
	return ksym_btf_resolve(mod, spec, way, &part, &text->error, text->more);
}

/* Finds the way from the field to the member. */
static int resolve_members(struct ksym_trigger_text *text)
{
	struct ksym_place *way = &text->trigger.way, inner = {};
	struct module *mod = ksym_btf_module_of(text->type);
	int ret = 0;

	if (text->inner) {
		ret = find_members(text, mod, text->inner, &inner);
		if (!ret && inner.nr_derefs)
			ret = fail_at(text, text->inner, KSYM_ERR_BAD_PATH);
	}
	way->off[0] = -inner.off[0];
	if (!ret)
		ret = find_members(text, mod, text->path, way);
	module_put(mod);
	return ret;
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
	if (!ksym_watch_is_movable(watch) || watch->window)
		return fail_at(text, name, KSYM_ERR_NOT_MOVABLE);
	if (&watch->call == file->event_call)
		return fail_at(text, name, KSYM_ERR_OWN_EVENT);
	if (trigger->set && !text->remove && ksym_event_is_enabled_locked(watch))
		return fail_at(text, name, KSYM_ERR_WPROBE_BUSY);
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
	if (!text->type)
		return 0;
	text->unresolved = resolve_members(text);
	if (!text->unresolved || !text->remove)
		return text->unresolved;
	/* The module with the type may have gone, so it is found by its text alone. */
	memset(&trigger->way, 0xff, sizeof(trigger->way));
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
		return text->unresolved ?: fail_at(text, text->params, KSYM_ERR_NO_TRIGGER);
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
	text->trigger.typed = NULL;
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
	if (trigger->set)
		ret = ksym_event_enable_soft_locked(trigger->watch, file->tr,
						    &trigger->soft);
	if (!ret)
		ret = event_trigger_register(cmd_ops, file, NULL, data);
	if (!ret)
		return 0;
	ksym_trigger_free(data);
	return ret == -EEXIST ? fail_at(text, text->params, KSYM_ERR_TRIGGER_EXISTS) : ret;

free_data:
	trigger_data_free(data);
free_trigger:
	kfree(trigger->typed);
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
	struct ksym_trigger_text *text __free(kfree) = kzalloc_obj(*text);
	char *line __free(kfree) = NULL;
	char nothing[] = "";
	int ret;

	lockdep_assert_held(&event_mutex);

	if (!text)
		return -ENOMEM;
	text->params = param_and_filter ?: nothing;
	text->params_at = strlen(glob) + 1;
	text->remove = event_trigger_check_remove(glob);
	text->trigger.set = cmd_ops == &set_wprobe_cmd;
	text->error.code = KSYM_ERR_NONE;
	line = kasprintf(GFP_KERNEL, "%s:%s", glob, text->params);
	if (!line)
		return -ENOMEM;
	ret = run_command_locked(text, cmd_ops, file);
	if (ret && text->error.code != KSYM_ERR_NONE)
		ret = ksym_error_log("wprobe_trigger", line, &text->error, text->more);
	kfree(text->trigger.typed);
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

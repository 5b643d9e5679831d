// SPDX-License-Identifier: GPL-2.0-only
/*
 * The triggers that point a watch at objects and away from them, in the session's instance,
 * and with it they go.
 *
 * What an event does not record is fetched by a probe of our own on its tracepoint: an
 * argument of this name, or the member of this name that one of the arguments points to. In
 * 6.12, kmem_cache_alloc has no field name, but an argument s, so the probe fetches s->name.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <event-parse.h>
#include <tracefs.h>

#include "backend/tracer/follow.h"
#include "backend/tracer/watches.h"
#include "lib/util.h"

#define PROBES_FILE	"dynamic_events"

/* How deep unnamed structs are searched. */
#define MAX_UNNAMED	8

/* --- Events ------------------------------------------------------------------------- */

/* Finds the group of an event if none was given. */
static void find_group(struct follow_event *event)
{
	struct strings names __cleanup(strings_free) = {};
	char **groups = tracefs_event_systems(NULL), **group;
	const char *wanted = event->group;

	for (group = groups; group && *group; group++) {
		if ((wanted && strcmp(wanted, *group)) ||
		    !tracefs_event_file_exists(NULL, *group, event->event, "format"))
			continue;
		strings_add_owned(&names, xasprintf("%s:%s", *group, event->event));
		event->group = event->group ?: xstrdup(*group);
	}
	if (!names.nr)
		die("no event '%s%s%s'; trace-cmd list -e and perf list show the names",
		    event->group ?: "", event->group ? ":" : "", event->event);
	if (names.nr > 1)
		die("several events are called '%s'; use one of %s", event->event,
		    strings_join(&names, ", "));
	tracefs_list_free(groups);
}

/* The length of the name at the beginning of a text. */
static size_t name_len(const char *text)
{
	return strspn(text, NAME_CHARS);
}

/* The name of a field, which may follow a type and precede an offset: a new string. */
static char *field_name(const char *field)
{
	const char *name = *field == '(' && strchr(field, ')') ? strchr(field, ')') + 1 : field;

	return xasprintf("%.*s", (int)name_len(name), name);
}

/* Is this a word of ftrace's filters, or a field of all events? */
static bool is_common(const char *name)
{
	static const char * const words[] = {
		"comm", "COMM", "cpu", "CPU", "CPUS", "stacktrace", "STACKTRACE",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(name, words[i]))
			return true;
	return !strncmp(name, "common_", strlen("common_"));
}

/* The length of ARG[->MEMBER...] at the beginning of a text. */
static size_t path_len(const char *text)
{
	size_t len = name_len(text);

	while (!strncmp(text + len, "->", 2) && name_len(text + len + 2))
		len += 2 + name_len(text + len + 2);
	return len;
}

/* Appends a path as the name of a field: s->name is s_name. Returns the end of the text. */
static char *append_name(char *out, const char *path, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		i += path[i] == '-';
		*out++ = path[i] == '>' ? '_' : path[i];
	}
	*out = '\0';
	return out;
}

/*
 * Collects the fields that a filter names. Returns the filter with ARG->MEMBER replaced by
 * the name that the probe's field has; a new string.
 */
static char *filter_fields(const char *filter, struct strings *fields)
{
	char *text = xcalloc(strlen(filter) + 1, 1), *out = text;
	const char *p = filter;
	size_t len;

	while (*p) {
		char *path __autofree = NULL;

		len = 1;
		if (strchr("\"'", *p) && strchr(p + 1, *p)) {
			len = strchr(p + 1, *p) + 1 - p;
		} else if (isdigit((unsigned char)*p) || (*p == '.' && name_len(p + 1))) {
			/* A number, or what the field is compared as: ip.function. */
			len = 1 + name_len(p + 1);
		} else if (name_len(p)) {
			len = path_len(p);
			path = xasprintf("%.*s", (int)len, p);
			if (!is_common(path) && !strings_have(fields, path))
				strings_add(fields, path);
			out = append_name(out, p, len);
			p += len;
			continue;
		}
		memcpy(out, p, len);
		out += len;
		p += len;
	}
	return text;
}

/* --- Probes ------------------------------------------------------------------------- */

/* A type without const and typedefs. */
static const struct btf_type *strip(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type) || btf_is_type_tag(type)))
		type = btf__type_by_id(btf, type->type);
	return type;
}

/* Is it a string: char * or char []? */
static bool is_string(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = strip(btf, id);

	if (!type || !(btf_is_array(type) || btf_is_ptr(type)))
		return false;
	type = strip(btf, btf_is_array(type) ? btf_array(type)->type : type->type);
	return type && btf_is_int(type) && type->size == 1 &&
	       !strcmp(btf__name_by_offset(btf, type->name_off), "char");
}

/* Finds the type of a member, also in unnamed structs; 0 if there is none. */
static __u32 find_member(const struct btf *btf, const struct btf_type *type, const char *name,
			 size_t len, int depth)
{
	const struct btf_member *member;
	__u32 id = 0;
	int i;

	if (!type || !btf_is_composite(type) || depth > MAX_UNNAMED)
		return 0;
	member = btf_members(type);
	for (i = 0; i < btf_vlen(type) && !id; i++, member++) {
		const char *has = btf__name_by_offset(btf, member->name_off);

		if (*has)
			id = strlen(has) == len && !memcmp(has, name, len) ? member->type : 0;
		else
			id = find_member(btf, strip(btf, member->type), name, len, depth + 1);
	}
	return id;
}

/* What a pointer points to, or the type itself. */
static const struct btf_type *pointed(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = strip(btf, id);

	return type && btf_is_ptr(type) ? strip(btf, type->type) : type;
}

/* Returns the type at the end of the path from one argument, or 0. */
static __u32 find_path(const struct btf *btf, const struct btf_param *param, const char *path)
{
	const char *name = btf__name_by_offset(btf, param->name_off);
	__u32 id = param->type;
	size_t len = name_len(path);

	if (strlen(name) != len || memcmp(name, path, len))
		return 0;
	for (path += len; id && *path; path += len) {
		len = 2 + name_len(path + 2);
		id = find_member(btf, pointed(btf, id), path + 2, len - 2, 0);
	}
	return id;
}

/*
 * Adds the fetch argument that gets a field from the tracepoint's arguments. The first
 * parameter of the prototype is none of them.
 */
static void add_fetch(struct strings *words, const struct btf *btf, const struct btf_type *proto,
		      const char *field, const char *event)
{
	struct strings paths __cleanup(strings_free) = {};
	struct strings args __cleanup(strings_free) = {};
	const struct btf_param *param = btf_params(proto);
	char name[KSYM_EVENT_LEN];
	__u32 id = 0, found;
	int i;

	for (i = 1; i < btf_vlen(proto) && !id; i++) {
		strings_add(&args, btf__name_by_offset(btf, param[i].name_off));
		id = find_path(btf, &param[i], field);
		if (id)
			strings_add(&paths, field);
	}
	for (i = 1; i < btf_vlen(proto) && !strings_have(&paths, field); i++) {
		found = find_member(btf, pointed(btf, param[i].type), field, strlen(field), 0);
		if (found)
			strings_add_owned(&paths, xasprintf("%s->%s", args.text[i - 1], field));
		id = found ?: id;
	}
	if (!paths.nr)
		die("event %s has no field '%s', nor leads an argument (%s) to one",
		    event, field, strings_join(&args, ", "));
	if (paths.nr > 1)
		die("event %s has no field '%s', and the arguments have several: %s", event, field,
		    strings_join(&paths, ", "));
	if (strlen(field) >= sizeof(name))
		die("'%s' is too long for the name of a field", field);
	append_name(name, field, strlen(field));
	strings_add_owned(words, xasprintf("%s=%s%s", name, paths.text[0],
					   is_string(btf, id) ? ":string" : ""));
}

/* Makes a probe on the event's tracepoint that fetches these fields. */
static void make_probe(struct follow_event *event, const struct strings *fields, const char *about,
		       struct tracefs_instance *instance)
{
	char *stub __autofree = xasprintf("__probestub_%s", event->event), *line __autofree = NULL;
	struct strings words __cleanup(strings_free) = {};
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *type = NULL;
	size_t i;

	if (btf)
		type = btf__type_by_id(btf, btf__find_by_name_kind(btf, stub, BTF_KIND_FUNC));
	if (!type || !tracefs_file_exists(NULL, PROBES_FILE))
		die("event %s:%s has no field '%s', and BTF no tracepoint to fetch it from",
		    event->group, event->event, fields->text[0]);
	event->probe = xasprintf("%s/%s_probe", tracefs_instance_get_name(instance),
				 event->event);
	strings_add_owned(&words, xasprintf("t:%s %s", event->probe, event->event));
	for (i = 0; i < fields->nr; i++)
		add_fetch(&words, btf, btf__type_by_id(btf, type->type), fields->text[i],
			  event->event);
	line = strings_join(&words, " ");
	instance_write(NULL, PROBES_FILE, line, about);
	btf__free(btf);
}

/* --- Triggers ----------------------------------------------------------------------- */

/* Does the event lack one of the fields? */
static bool lacks_field(const struct follow_event *event, const struct strings *fields)
{
	char *text __autofree = NULL;
	struct tep_handle *tep = tep_alloc();
	struct tep_event *format;
	bool lacks = false;
	int size;
	size_t i;

	text = tracefs_event_file_read(NULL, event->group, event->event, "format", &size);
	if (!text || tep_parse_event(tep, text, size, event->group) < 0)
		die("the format of event %s:%s cannot be read", event->group, event->event);
	format = tep_get_first_event(tep);
	for (i = 0; i < fields->nr; i++)
		lacks = lacks || !tep_find_any_field(format, fields->text[i]);
	tep_free(tep);
	return lacks;
}

/* Sets a trigger on an event, or on a probe beside it. */
static void set_trigger(struct follow_event *event, const char *filter, const char *command,
			const char *watch, struct tracefs_instance *instance)
{
	char *file __autofree = NULL, *line __autofree = NULL, *about __autofree = NULL;
	struct strings fields __cleanup(strings_free) = {};
	char *condition __autofree = NULL;

	about = xasprintf("%s:%s%s%s%s%s", event->group, event->event, event->field ? ":" : "",
			  event->field ?: "", filter ? " if " : "", filter ?: "");
	if (event->field)
		strings_add_owned(&fields, field_name(event->field));
	if (filter)
		condition = filter_fields(filter, &fields);
	if (lacks_field(event, &fields))
		make_probe(event, &fields, about, instance);
	if (event->probe)
		file = xasprintf("events/%s/trigger", event->probe);
	else
		file = xasprintf("events/%s/%s/trigger", event->group, event->event);
	line = xasprintf("%s:%s%s%s%s%s", command, watch, event->field ? ":" : "",
			 event->field ?: "", filter ? " if " : "", condition ?: "");
	instance_write(instance, file, line, about);
}

/** follow_check - find the events, or die */
void follow_check(struct follow *follow)
{
	find_group(&follow->start);
	if (follow->until.event)
		find_group(&follow->until);
}

/**
 * follow_begin - have the watch @watch, whose target is -1, follow objects, or die. The
 * triggers and the probes end with the session.
 */
void follow_begin(struct follow *follow, struct tracefs_instance *instance, const char *watch)
{
	/* First, so that no object is followed whose end is not seen. */
	if (follow->until.event)
		set_trigger(&follow->until, NULL, "clear_wprobe", watch, instance);
	set_trigger(&follow->start, follow->filter, "set_wprobe", watch, instance);
}

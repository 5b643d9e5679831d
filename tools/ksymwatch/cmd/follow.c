// SPDX-License-Identifier: GPL-2.0-only
/* ksymwatch follow and hunt: watches of objects that come and go. */
#include <stdlib.h>
#include <string.h>

#include "backend/support.h"
#include "backend/tracer/follow.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/run.h"
#include "lib/util.h"
#include "symbols/resolve.h"

static const char *path, *filter, *until;
static bool quiet;

/* Where the first word of a text ends; blanks in parentheses are no end. */
static size_t word_len(const char *text)
{
	size_t len = 0;
	int depth = 0;

	for (; text[len] && (depth || !strchr(BLANKS, text[len])); len++)
		depth += text[len] == '(' ? 1 : text[len] == ')' ? -1 : 0;
	return len;
}

/* The type of (struct file *)ptr as BTF has it: "file". A new string. */
static char *bare_type(const char *text, size_t len)
{
	size_t begin = strncmp(text, "struct ", 7) ? 0 : 7;

	while (len > begin && strchr(" *", text[len - 1]))
		len--;
	return xasprintf("%.*s", (int)(len - begin), text + begin);
}

/* Takes (TYPE[,MEMBER])NAME->PATH apart, and gives the field the words of the triggers. */
static char *take_type(const char *field, struct ksym_target *target, const char *shown)
{
	char *type __autofree = NULL, *text;
	const char *end = strchr(field, ')'), *arrow = end ? strstr(end, "->") : NULL;
	size_t type_len = strcspn(field + 1, ",)");

	if (!arrow || arrow == end + 1 || !arrow[2])
		die("%s: a type needs a member, as in (file)ptr->f_mode", shown);
	type = bare_type(field + 1, type_len);
	text = xasprintf("(%s%s", type, field + 1 + type_len);
	target->kind = KSYM_AT_ADDRESS;
	snprintf(target->type, sizeof(target->type), "%s", type);
	snprintf(target->path, sizeof(target->path), ".%s", arrow + 2);
	return text;
}

/* Takes [GROUP:]EVENT:FIELD apart. The field may be missing. */
static void take_event(struct follow_event *event, struct ksym_target *target, const char *text,
		       bool needs_field)
{
	size_t len = strcspn(text, ":/("), second = strcspn(text + len + !!text[len], ":/(");
	const char *name = text, *rest = text + len + !!text[len];

	/* Two separators, or a slash: the first word is the group. */
	if (text[len] == '/' || (text[len] == ':' && rest[second] == ':')) {
		event->group = xasprintf("%.*s", (int)len, text);
		name = rest;
		len = strcspn(name, ":(");
		rest = name + len + !!name[len];
	}
	if (!len || name[len] == '(' || (*rest ? 0 : needs_field))
		die("'%s' is no event: [GROUP:]EVENT:FIELD is, as in kmem_cache_alloc:ptr", text);
	event->event = xasprintf("%.*s", (int)len, name);
	if (*rest)
		event->field = *rest == '(' ? take_type(rest, target, text) : xstrdup(rest);
}

/* A bare field of the last event gets the offset or the member of the first one's. */
static void complete_until(struct follow *follow)
{
	const char *start = follow->start.field, *end = strpbrk(start, "+-");
	char *field = follow->until.field;

	if (!field || *field == '(' || strpbrk(field, "+-") || !end)
		return;
	/* (TYPE,MEMBER): the field of the last event points to the object itself. */
	follow->until.field = *start == '(' ?
		xasprintf("(%s)%s%s", follow->target.type, field,
			  strstr(strchr(start, ')'), "->")) :
		xasprintf("%s%s", field, end);
	free(field);
}

/* The length of the member that is followed, or 0 if its type is unknown. */
static unsigned int member_len(const struct follow *follow, const char *shown)
{
	struct resolved resolved __cleanup(resolved_free) = {};
	unsigned int len;

	if (!follow->target.type[0])
		return 0;
	resolve(&resolved, &follow->target);
	if (resolved.type_error)
		die("%s: %s", shown, resolved.type_error);
	len = resolved.place.bits ? 0 : resolved.place.size;
	if (len != 1 && len != 2 && len != 4 && len != 8)
		die("%s: one register watches 1, 2, 4 or 8 bytes, not this member; use len=",
		    shown);
	return len;
}

/* Returns the line of the watch: -1[:ACCESS] name=NAME [len=N] OPTIONS. */
static char *make_line(const struct follow *follow, const char *access, const char *options,
		       const char *shown)
{
	char *line __autofree = xasprintf("-1%s%s", access, options);
	char *name __autofree = NULL, *len __autofree = NULL;
	struct ksym_spec spec;
	unsigned int bytes;

	spec_parse_or_die(line, &spec);
	name = spec.name_at ? xstrdup("") : xasprintf(" name=%s", follow->start.event);
	bytes = spec.len_at ? 0 : member_len(follow, shown);
	len = bytes ? xasprintf(" len=%u", bytes) : xstrdup("");
	return xasprintf("-1%s%s%s%s", access, name, len, options);
}

static void need_tracer(const struct command *cmd)
{
	if (backend_is_perf())
		die("%s needs the ksym tracer; perf and BPF point no breakpoint at new objects",
		    cmd->name);
	require_tracer();
}

/* Shows or records the hits of a SPEC. */
static int run(const struct command *cmd, const char *line, char **command)
{
	struct strings specs __cleanup(strings_free) = {};

	strings_add(&specs, line);
	return path ? run_record(path, &specs, command, quiet) :
		      run_live(output_sink(cmd), &specs, command, quiet);
}

static int take_arguments(const struct command *cmd, int argc, char **argv, int *mark, int least,
			  const char *missing)
{
	int first = run_options(cmd, argc, argv, mark);

	if (*mark - first < least)
		die_usage(cmd, "missing %s", missing);
	if (path && output_json)
		die_usage(cmd, "--output and --json exclude each other");
	return first;
}

static int run_follow(const struct command *cmd, int argc, char **argv)
{
	char *start __autofree = NULL, *words __autofree = NULL, *line __autofree = NULL;
	int mark, first = take_arguments(cmd, argc, argv, &mark, 1, "EVENT:FIELD");
	char **command = child_command(argc, argv, mark);
	static const char * const accesses[] = { ":r", ":w", ":rw" };
	const char *access = "", *colon;
	static struct follow follow;
	size_t word, i;

	need_tracer(cmd);
	word = word_len(argv[first]);
	start = xasprintf("%.*s", (int)word, argv[first]);
	words = strings_join(&(struct strings) { argv + first, mark - first }, " ");
	colon = strrchr(start, ':');
	for (i = 0; colon && i < ARRAY_SIZE(accesses); i++) {
		if (strcmp(colon, accesses[i]))
			continue;
		access = accesses[i];
		start[colon - start] = '\0';
		break;
	}
	take_event(&follow.start, &follow.target, start, true);
	follow.filter = filter;
	if (until)
		take_event(&follow.until, &(struct ksym_target) {}, until, false);
	complete_until(&follow);
	follow_check(&follow);
	line = make_line(&follow, access, words + word, start);
	tracer_follow(&follow);
	return run(cmd, line, command);
}

static int run_hunt(const struct command *cmd, int argc, char **argv)
{
	char *words __autofree = NULL, *line __autofree = NULL;
	int mark, first = take_arguments(cmd, argc, argv, &mark, 2, "FUNCTION or TARGET");
	char **command = child_command(argc, argv, mark);
	size_t word;

	need_tracer(cmd);
	word = word_len(argv[first + 1]);
	words = strings_join(&(struct strings) { argv + first + 1, mark - first - 1 }, " ");
	line = xasprintf("%.*s in %s%s%s%s", (int)word, words, argv[first],
			 until ? " until " : "", until ?: "", words + word);
	return run(cmd, line, command);
}

#define OUTPUT_OPTION { \
	'o', "output", "FILE", .text = &path, .help = "record into FILE instead of showing hits" \
}

const struct command cmd_follow = {
	.name = "follow", .run = run_follow,
	.arguments = "EVENT:FIELD... [-- COMMAND...]",
	.summary = "watch objects from an event that makes them on",
	.help =
"Points a watch at the address in the FIELD of each EVENT, any of trace-cmd list -e, and\n"
"away from it at the event of --until. Shows the hits as live does, or records them as\n"
"record does; at the end, it says how many objects could not be watched. For example:\n"
"\n"
"  ksymwatch follow kmem_cache_alloc:ptr --if 'name == \"filp\"' --until kmem_cache_free:ptr\n"
"  ksymwatch follow 'kmem_cache_alloc:(file)ptr->f_flags:rw' objects=3 -- COMMAND\n"
"\n"
"The argument is [GROUP:]EVENT:FIELD[:ACCESS] [OPTION...], with the words of a SPEC below.\n"
"FIELD may be FIELD+OFF, FIELD-OFF, (TYPE)FIELD->MEMBER, or (TYPE,INNER)FIELD->MEMBER if it\n"
"points to the member INNER of TYPE. What the event does not record, but its tracepoint\n"
"knows, is fetched by a probe: an argument, or a member that an argument points to, as\n"
"NAME, ARG or ARG->NAME.\n",
	.options = (const struct command_option[]) {
		{ 0, "if", "FILTER", .text = &filter, .help =
		  "only objects whose event passes, as in trace-cmd record -f" },
		{ 'u', "until", "EVENT", .text = &until, .help =
		  "until this event, EVENT:FIELD for the object there, EVENT for any" },
		OUTPUT_OPTION, JSON_OPTION, QUIET_OPTION, {}
	},
	.more = (const char * const[]) { spec_help, NULL },
};

const struct command cmd_hunt = {
	.name = "hunt", .run = run_hunt,
	.arguments = "FUNCTION TARGET... [-- COMMAND...]",
	.summary = "watch an object during calls of a function",
	.help =
"Takes FUNCTION TARGET[:ACCESS] [OPTION...], with the words of a SPEC below.\n"
"Watches TARGET during each call of FUNCTION, whoever accesses it: a variable, what an\n"
"argument points to (arg1->MEMBER), $stack+OFF, or with --until $retval->MEMBER. Shows the\n"
"hits as live does, or records them as record does; at the end, it says how many objects\n"
"could not be watched. For example:\n"
"\n"
"  ksymwatch hunt vfs_write 'arg1->f_pos' -- COMMAND\n"
"  ksymwatch hunt alloc_empty_file '$retval->f_flags:rw' --until '__fput(arg1)' objects=3\n",
	.options = (const struct command_option[]) {
		{ 'u', "until", "FUNC", .text = &until, .help =
		  "until FUNC(argN) has the object, instead of until the return" },
		OUTPUT_OPTION, JSON_OPTION, QUIET_OPTION, {}
	},
	.more = (const char * const[]) { spec_help, NULL },
};

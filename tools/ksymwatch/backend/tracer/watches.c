// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracer's text files: ksym_trace_filter with the watches, error_log with what was wrong
 * with one, trace_stat/ksym_tracer with the counters, ksym_slots with the debug registers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "backend/session.h"
#include "backend/support.h"
#include "backend/tracer/watches.h"
#include "lib/util.h"
#include "symbols/resolve.h"

#define FILTER_FILE	"ksym_trace_filter"
#define STAT_FILE	"trace_stat/ksym_tracer"
#define SLOTS_FILE	"ksym_slots"

/* The word of a line's comment that says how much of the time a watch was armed. */
#define COVERAGE	"coverage="

/* The word there that says to which addresses the target led. */
#define ADDRESS		"addr="

/* The word in the comment of a line that save wrote: the instances it was enabled in. */
#define ENABLED		"enabled="

/* What precedes the text of an error in error_log. */
#define ERROR_ORIGIN	": error: "

/*
 * Reads one of the tracer's files as a new string, or dies. tracefs_instance_file_read()
 * would take an empty file for an error.
 */
char *tracer_file_read(const char *name)
{
	char *path = tracefs_get_tracing_file(name), *text = read_file(path);

	if (!text && errno != ENODATA)
		die("%s cannot be read: %s", name, strerror(errno));
	tracefs_put_tracing_file(path);
	return text ?: xstrdup("");
}

static bool begins_with(const char *word, const char *key)
{
	return !strncmp(word, key, strlen(key));
}

/* Reads a share of the time as the tracer writes it: "98.7%"; NO_COVERAGE for all else. */
static double parse_coverage(const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	return end > text && !strcmp(end, "%") ? percent / 100 : NO_COVERAGE;
}

/* Notes what the kernel, or save, says in the comment of a line. */
static void parse_comment(struct watch *watch, char *comment)
{
	char *word;

	while ((word = strtok_r(comment, BLANKS, &comment))) {
		if (begins_with(word, ENABLED))
			watch->enabled = watch->enabled ?: xstrdup(word + strlen(ENABLED));
		else if (begins_with(word, COVERAGE))
			watch->coverage = parse_coverage(word + strlen(COVERAGE));
		else if (!begins_with(word, ADDRESS))
			strings_add(&watch->state, word);
	}
}

/*
 * Parses a line of ksym_trace_filter, or of a file of save. Returns what is wrong with it, a
 * new string, or NULL.
 */
char *watch_parse(struct watch *watch, const char *line)
{
	char *copy __autofree = xstrdup(line), *fault = NULL;
	char *comment = cut_comment(copy);
	struct ksym_error error;

	*watch = (struct watch) { .coverage = NO_COVERAGE };
	if (ksym_parse(copy, &watch->spec, &error)) {
		fault = spec_fault(copy, &error);
	} else if (watch->spec.action != KSYM_ADD) {
		fault = xasprintf("'%s' %s watches", copy, spec_is_switch(&watch->spec) ?
				  "switches" : "removes");
	} else {
		spec_name(&watch->spec, watch->name);
		watch->line = xstrdup(copy);
		watch->target = spec_target(&watch->spec.target);
		parse_comment(watch, comment);
	}
	return fault;
}

void watch_free(struct watch *watch)
{
	free(watch->line);
	free(watch->target);
	free(watch->enabled);
	strings_free(&watch->state);
}

/* Reads all watches. */
void watches_read(struct watches *watches)
{
	char *text __autofree = tracer_file_read(FILTER_FILE), *rest = text, *line;
	struct watch watch;

	memset(watches, 0, sizeof(*watches));
	while ((line = strsep(&rest, "\n"))) {
		char *fault __autofree = NULL;

		line += strspn(line, BLANKS);
		if (!*line || *line == '#')
			continue;
		fault = watch_parse(&watch, line);
		if (fault) {
			err(FILTER_FILE ": %s: %s", line, fault);
			continue;
		}
		*array_add(watches->watch, watches->nr) = watch;
	}
}

void watches_free(struct watches *watches)
{
	size_t i;

	for (i = 0; i < watches->nr; i++)
		watch_free(&watches->watch[i]);
	free(watches->watch);
	memset(watches, 0, sizeof(*watches));
}

/* Is this watch meant by NAME or GRP/NAME? A NAME alone means one of any group. */
static bool is_called(const struct watch *watch, const char *name)
{
	char group[KSYM_EVENT_LEN], wanted[KSYM_EVENT_LEN];

	split_event(name, group, wanted);
	return !strcmp(watch->spec.name, wanted) &&
	       (!strchr(name, '/') || !strcmp(watch->spec.group, group));
}

/**
 * watches_find - find the watch called NAME or GRP/NAME, also with @; NULL if there is none.
 * Dies if several groups have a NAME. Those of sessions are meant only if there is no other.
 */
const struct watch *watches_find(const struct watches *watches, const char *name)
{
	const struct watch *found = NULL;
	size_t i;

	name += *name == '@';
	for (i = 0; i < watches->nr; i++) {
		const struct watch *watch = &watches->watch[i];

		if (!is_called(watch, name))
			continue;
		if (found && is_session_name(found->spec.group) ==
			     is_session_name(watch->spec.group))
			die("'%s' is ambiguous; use GROUP/NAME, as in %s", name,
			    strchr(watch->name, '/') ? watch->name : found->name);
		if (!found || is_session_name(found->spec.group))
			found = watch;
	}
	return found;
}

/* The name of a watch with its group: a new string. */
char *full_name(const char *name)
{
	return xasprintf("%s%s", strchr(name, '/') ? "" : KSYM_GROUP "/", name);
}

/* A file of the event of a watch, in an instance or the top one: a new string. */
char *event_file(const char *name, const char *file)
{
	return xasprintf("events/%s%s/%s", strchr(name, '/') ? "" : KSYM_GROUP "/", name, file);
}

/* Is the event of a watch enabled in an instance (NULL: in the top one)? */
static bool is_enabled_in(const char *instance, const char *event)
{
	char *file __autofree = event_file(event, "enable"), *path __autofree = NULL;
	char *state __autofree = NULL;

	path = instance ? xasprintf("instances/%s/%s", instance, file) : xstrdup(file);
	state = tracefs_instance_file_read(NULL, path, NULL);
	/* '*': triggers keep the event enabled as well. */
	return state && (*state == '1' || strchr(state, '*'));
}

/**
 * watch_users - add the names of the instances that have the event of a watch enabled, with
 * "top" for the top one if @top
 */
void watch_users(const char *name, bool top, struct strings *users)
{
	char **instances = tracefs_instances(NULL);
	size_t i;

	if (top && is_enabled_in(NULL, name))
		strings_add(users, "top");
	for (i = 0; instances && instances[i]; i++)
		if (is_enabled_in(instances[i], name))
			strings_add(users, instances[i]);
	tracefs_list_free(instances);
}

/* --- Removing --------------------------------------------------------------------- */

/* The line that removes a watch; without a group the kernel would take that of any. */
char *name_removal(const char *name)
{
	return xasprintf("!%s%s", strchr(name, '/') ? "" : KSYM_GROUP "/", name);
}

/* Does a line of ours remove watches? */
static bool is_removal(const char *line)
{
	static const char end[] = ":---";
	size_t len = strlen(line);

	return *line == '!' || (len >= strlen(end) && !strcmp(line + len - strlen(end), end));
}

/* --- Writing ---------------------------------------------------------------------- */

/*
 * The kernel says that a watch can't be removed because it is in use; here we find out
 * which watch is used where. Perf's and triggers' use can't be seen from outside.
 */
static char *users_of_removed(const char *line)
{
	struct strings found __cleanup(strings_free) = {};
	struct watches watches __cleanup(watches_free) = {};
	size_t i;

	watches_read(&watches);
	for (i = 0; i < watches.nr; i++) {
		struct strings users __cleanup(strings_free) = {};
		char *joined __autofree = NULL;
		const char *name = watches.watch[i].name;

		if (!is_called(&watches.watch[i], line + 1))
			continue;
		watch_users(name, false, &users);
		joined = strings_join(&users, ",");
		if (users.nr)
			strings_add_owned(&found, xasprintf("%s is enabled in %s", name, joined));
	}
	return strings_join(&found, ", ");
}

/*
 * The index of a line, or -1. What reads the fetch arguments may know them only, so
 * a part of a line stands for it as well.
 */
static ssize_t find_line(const struct strings *lines, const char *line)
{
	size_t i;

	for (i = 0; i < lines->nr; i++)
		if (!strcmp(lines->text[i], line))
			return i;
	for (i = 0; *line && i < lines->nr; i++)
		if (strstr(lines->text[i], line))
			return i;
	return -1;
}

/* Which names may be meant by one that no symbol has. */
static char *suggest_name(const struct ksym_target *target)
{
	struct watches watches __cleanup(watches_free) = {};
	size_t i;

	watches_read(&watches);
	for (i = 0; i < watches.nr; i++)
		if (is_called(&watches.watch[i], target->symbol))
			return xasprintf("; for the watch of this name, use @%s", target->symbol);
	return resolve_suggestion(target);
}

/* Says what the kernel refused; and which names may be meant, or what a struct has. */
static void print_refusal(const char *shown, const char *line, size_t at, const char *text)
{
	char *fault __autofree = spec_fault_at(line, at, text), *hint __autofree = NULL;
	struct ksym_error error;
	struct ksym_spec spec;

	if (!ksym_parse(line, &spec, &error) && spec.action == KSYM_ADD) {
		if (!strcmp(text, spec_message(KSYM_ERR_NO_SUCH_SYMBOL)))
			hint = suggest_name(&spec.target);
		else if (!strcmp(text, spec_message(KSYM_ERR_NO_MEMBER)))
			hint = resolve_members(&spec.target);
	}
	err("%s: %s%s", shown, fault, hint ?: "");
}

/*
 * The last entry of error_log has three lines: "[TIME] ORIGIN: error: TEXT", "  Command:
 * LINE" and a caret below the culprit; the origin is ksym, or what reads the fetch
 * arguments. It is printed as one line: the SPEC, the culprit, and what is wrong. Returns
 * false where the entry isn't about the lines.
 */
static bool print_error_log(const struct strings *lines, const struct strings *shown,
			    int error, char *entry)
{
	static const char command[] = "  Command: ";
	char *text, *line, *caret, *users __autofree = NULL;
	ssize_t index;
	size_t at;

	text = strsep(&entry, "\n");
	line = strsep(&entry, "\n");
	caret = strsep(&entry, "\n");
	text = text ? strstr(text, ERROR_ORIGIN) : NULL;
	if (!text || !line || !caret || strncmp(line, command, strlen(command)))
		return false;
	text += strlen(ERROR_ORIGIN);
	line += strlen(command);
	index = find_line(lines, line);
	/* An empty line stands for all that was written. */
	if (index < 0 && *line)
		return false;

	at = strspn(caret, " ");
	at -= at < strlen(command) ? at : strlen(command);
	if (index < 0) {
		err("%s", text);
	} else if (error == EBUSY && is_removal(line)) {
		users = users_of_removed(line);
		err(*users ? "%s: %s (%s)" : "%s: %s%s", shown->text[index], text, users);
	} else {
		print_refusal(shown->text[index], line, is_removal(line) ? 0 : at, text);
	}
	return true;
}

/*
 * Appends to a file of an instance in one write(2). Returns 0 or an errno; @entry gets what
 * error_log says about that, a new string, or NULL. Triggers report errors in the top
 * instance, filters in their own.
 */
static int append(struct tracefs_instance *instance, const char *file, const char *text,
		  char **entry)
{
	struct tracefs_instance *log[] = { NULL, instance };
	char *before[ARRAY_SIZE(log)], *after;
	int error = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(log); i++)
		before[i] = tracefs_error_last(log[i]);
	if (tracefs_instance_file_append(instance, file, text) < 0)
		error = errno;
	*entry = NULL;
	for (i = 0; i < ARRAY_SIZE(log); i++) {
		after = error && !*entry ? tracefs_error_last(log[i]) : NULL;
		/* An entry that stood there before is about something else. */
		if (after && (!before[i] || strcmp(before[i], after)))
			*entry = after;
		else
			free(after);
		free(before[i]);
	}
	return error;
}

/* Appends a line to a file of an instance, or dies; @about is what the user wrote. */
void instance_write(struct tracefs_instance *instance, const char *file, const char *line,
		    const char *about)
{
	char *entry, *text;
	int error = append(instance, file, line, &entry);

	if (!error)
		return;
	text = entry ? strstr(entry, ERROR_ORIGIN) : NULL;
	if (!text)
		die("%s: %s", about, strerror(error));
	text += strlen(ERROR_ORIGIN);
	die("%s: %.*s", about, (int)strcspn(text, "\n"), text);
}

/**
 * filter_write - have the tracer do all of what the lines say, or nothing after a message,
 * with what the user typed for each line. Returns 0 or an errno.
 */
int filter_write(const struct strings *lines, const struct strings *shown)
{
	char *text __autofree = strings_join(lines, "\n"), *entry __autofree = NULL;
	char *all __autofree = strings_join(shown, ", ");
	/* All in one write(2), which is what makes it a transaction. */
	int error = append(NULL, FILTER_FILE, text, &entry);

	if (error && !print_error_log(lines, shown, error, entry))
		err("%s: %s", all, strerror(error));
	return error;
}

/* Returns how many lines from @first on fit into one write; at least one. */
size_t filter_fit(const struct strings *lines, size_t first)
{
	size_t size = 0, i;

	for (i = first; i < lines->nr; i++) {
		size += strlen(lines->text[i]) + 1;
		if (size > FILTER_MAX && i > first)
			break;
	}
	return i - first;
}

/* Removes a watch by its shown name, as filter_write(). */
int filter_remove(const char *name)
{
	struct strings line __cleanup(strings_free) = {};
	struct strings shown __cleanup(strings_free) = {};

	strings_add(&shown, name);
	strings_add_owned(&line, name_removal(name));
	return filter_write(&line, &shown);
}

/*
 * Reads who holds the debug registers: a table with a heading, which is the kernel's
 * to lay out. A new string.
 */
char *slots_read(void)
{
	if (!has_tracer())
		return stock_slots();
	require_tracer();
	if (!tracefs_file_exists(NULL, SLOTS_FILE))
		die("the tracer of this kernel has no ksym_slots");
	return tracer_file_read(SLOTS_FILE);
}

/* --- Counters --------------------------------------------------------------------- */

/* Notes the counter of a column; columns that we don't know are passed over. */
static void note_count(struct counts *counts, const char *heading, const char *value)
{
	int i;

	for (i = 0; i < NR_COUNTS; i++)
		if (!strcmp(heading, count_name(i)))
			counts->nr[i] = strtoull(value, NULL, 10);
	counts->has_kinds = counts->has_kinds || !strcmp(heading, count_name(COUNT_READS));
	if (!strcmp(heading, "COVERAGE"))
		counts->coverage = parse_coverage(value);
}

/* Reads what was counted for a watch; nothing for one that there isn't. */
void watch_counts(const char *event, struct counts *counts)
{
	char *text __autofree = tracer_file_read(STAT_FILE), *rest = text, *headings, *line;
	static const char group[] = KSYM_GROUP "/";
	char *heading, *value;

	*counts = (struct counts) { .coverage = NO_COVERAGE };
	headings = strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n"))) {
		value = strtok_r(line, BLANKS, &line);
		if (value && begins_with(value, group))
			value += strlen(group);
		if (value && !strcmp(value, event))
			break;
	}
	/* The first column is the name. */
	strtok_r(headings, BLANKS, &headings);
	while (line && (heading = strtok_r(headings, BLANKS, &headings)) &&
	       (value = strtok_r(line, BLANKS, &line)))
		note_count(counts, heading, value);
}

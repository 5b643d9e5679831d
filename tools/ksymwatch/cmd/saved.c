// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch save and restore: the watches as a text file.
 *
 * The lines are those of ksym_trace_filter, so the file can be written to it, and restore
 * accepts a copy of it. A comment lists the trace instances in which a watch is enabled.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <tracefs.h>

#include "backend/support.h"
#include "backend/tracer/watches.h"
#include "cmd/commands.h"
#include "cmd/saved.h"
#include "lib/util.h"
#include "lib/newfile.h"
#include "lib/version.h"

/* Much more than the tracer can hold. */
#define MAX_FILE	(4U << 20)

/* --- The file ----------------------------------------------------------- */

/* Takes the next line of a text whose lines all end with a newline. */
static char *take_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*text = end + 1;
	return line;
}

/* Returns the number of the first line with a control character, or 0. */
static unsigned int find_binary(const char *text, size_t size)
{
	unsigned int line = 1;
	size_t i;

	for (i = 0; i < size; i++) {
		if (text[i] == '\n')
			line++;
		else if ((unsigned char)text[i] < ' ' && text[i] != '\t')
			return line;
	}
	return 0;
}

/* Returns what is wrong with the file as a whole, or NULL. A new string. */
static char *check_text(const char *text, size_t size)
{
	unsigned int line = find_binary(text, size);

	if (!size)
		return xstrdup(" is empty");
	if (line)
		return xasprintf(":%u: not a text file", line);
	if (size && text[size - 1] != '\n')
		return xstrdup(" is truncated: its last line has no end");
	return NULL;
}

/* Adds the watch of a line; returns what is wrong with the line, or NULL. */
static char *add_watch(struct saved *saved, char *line, unsigned int number)
{
	struct watches *watches = &saved->watches;
	struct watch watch;
	char *fault, *text;
	size_t i;

	if (strlen(line) > FILTER_MAX)
		return xasprintf(":%u: a line has %d characters at most", number, FILTER_MAX);
	fault = watch_parse(&watch, line);
	if (fault) {
		text = xasprintf(":%u: %s", number, fault);
		free(fault);
		return text;
	}
	for (i = 0; i < watches->nr; i++) {
		if (strcmp(watches->watch[i].name, watch.name))
			continue;
		watch_free(&watch);
		return xasprintf(":%u: the watch of line %u has the same name, %s", number,
				 saved->line[i], watches->watch[i].name);
	}
	watches->watch = xreallocarray(watches->watch, watches->nr + 1, sizeof(watch));
	saved->line = xreallocarray(saved->line, watches->nr + 1, sizeof(*saved->line));
	watches->watch[watches->nr] = watch;
	saved->line[watches->nr++] = number;
	return NULL;
}

void saved_free(struct saved *saved)
{
	watches_free(&saved->watches);
	free(saved->line);
	saved->line = NULL;
}

/**
 * saved_parse - parse a file of watches
 * @saved: the watches; none after an error
 * @text: contents of the file, terminated by a zero
 * @size: length without the zero
 *
 * Return: NULL, or an error message to append to the name of the file; a new string.
 */
char *saved_parse(struct saved *saved, const char *text, size_t size)
{
	char *copy, *rest, *line, *error = check_text(text, size);
	unsigned int number = 0;

	memset(saved, 0, sizeof(*saved));
	if (error)
		return error;
	copy = xstrdup(text);
	rest = copy;
	while (!error && (line = take_line(&rest))) {
		number++;
		line += strspn(line, " \t");
		if (*line && *line != '#')
			error = add_watch(saved, line, number);
	}
	free(copy);
	if (error)
		saved_free(saved);
	return error;
}

static const char *shown_name(const char *path, const char *standard)
{
	return strcmp(path, "-") ? path : standard;
}

/* Reads a whole file and appends a zero; returns NULL after a message. */
static char *read_all(const char *path, const char *name, size_t *size)
{
	char *text = xcalloc(MAX_FILE + 1, 1);
	FILE *file;
	int error;

	errno = 0;
	file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	*size = file ? fread(text, 1, MAX_FILE + 1, file) : 0;
	error = !file || ferror(file) ? errno : 0;
	if (file && file != stdin)
		fclose(file);
	if (error)
		err("%s: %s", name, strerror(error));
	else if (*size > MAX_FILE)
		err("%s is too large: it cannot be a list of watches", name);
	if (error || *size > MAX_FILE) {
		free(text);
		return NULL;
	}
	text[*size] = '\0';
	return text;
}

/* --- save --------------------------------------------------------------- */

/*
 * Returns the instances in which a watch is enabled as a new string; NULL if only in the
 * top one, the default. Names with blanks are left out.
 */
static char *find_enabled(const char *name)
{
	struct strings users = {}, kept = {};
	char *joined = NULL;
	size_t i;

	watch_users(name, true, &users);
	for (i = 0; i < users.nr; i++)
		if (!is_session_name(users.text[i]) && !strpbrk(users.text[i], " \t\n\r\v\f"))
			strings_add(&kept, users.text[i]);
	if (kept.nr != 1 || strcmp(kept.text[0], "top"))
		joined = kept.nr ? strings_join(&kept, ",") : xstrdup("-");
	strings_free(&kept);
	strings_free(&users);
	return joined;
}

/* Returns the number of watches that became comments. */
static size_t write_watches(FILE *file, const struct watches *watches)
{
	struct utsname system;
	size_t comments = 0, i;

	uname(&system);
	fprintf(file, "# ksymwatch " KSYMWATCH_VERSION " save, on %s %s\n", system.sysname,
		system.release);
	for (i = 0; i < watches->nr; i++) {
		const struct watch *watch = &watches->watch[i];
		char *enabled;

		/* It is removed with its session. */
		if (is_session_name(watch->spec.group))
			continue;
		if (watch->spec.opt.pid) {
			fprintf(file, "# of a task: %s\n", watch->line);
			comments++;
			continue;
		}
		enabled = find_enabled(watch->name);
		fprintf(file, enabled ? "%s # enabled=%s\n" : "%s\n", watch->line, enabled);
		free(enabled);
	}
	return comments;
}

/**
 * saved_write - write watches into a file
 * @path: the file; "-" for the standard output
 * @watches: the watches
 *
 * Dies if it can't be written.
 */
void saved_write(const char *path, const struct watches *watches)
{
	struct newfile file;
	size_t comments;

	newfile_open(&file, path);
	comments = write_watches(file.out, watches);
	newfile_close(&file, true);
	if (comments)
		err("%zu watch%s of a task saved as a comment: the pid may be reused",
		    comments, comments == 1 ? "" : "es");
}

static int save(const struct command *cmd, int argc, char **argv)
{
	const char *path = only_file(cmd, argc, argv, NULL);
	struct watches watches;

	require_tracer();
	owner_sweep(NULL);
	watches_read(&watches);
	saved_write(path, &watches);
	watches_free(&watches);
	return STATUS_OK;
}

const struct command cmd_save = {
	.name = "save", .run = save,
	.arguments = "FILE",
	.summary = "write the watches into a file",
	.help =
"Writes all watches, whoever made them, into FILE (- is standard output), as lines that\n"
"restore and ksym_trace_filter accept. A watch of a task becomes a comment, since the pid\n"
"may later be another task's.\n",
};

/* --- restore ------------------------------------------------------------ */

/* The watches to make: lines, their places in the file, names and instances. */
struct plan {
	struct strings	lines;
	struct strings	shown;
	struct strings	names;
	struct strings	enabled;
	size_t		there;
};

/*
 * Is an existing watch the one in the file? The length of a module's symbol may have been
 * unknown when it was saved.
 */
static bool is_same(const struct watch *there, const struct watch *wanted)
{
	char *len, *line, *p;
	bool same;

	if (!strcmp(there->line, wanted->line))
		return true;
	if (wanted->spec.len || !there->spec.len)
		return false;
	len = xasprintf(" len=%u", there->spec.len);
	line = xstrdup(there->line);
	p = strstr(line, len);
	if (p)
		memmove(p, p + strlen(len), strlen(p + strlen(len)) + 1);
	same = !strcmp(line, wanted->line);
	free(line);
	free(len);
	return same;
}

static const struct watch *find_exactly(const struct watches *watches, const char *name)
{
	size_t i;

	for (i = 0; i < watches->nr; i++)
		if (!strcmp(watches->watch[i].name, name))
			return &watches->watch[i];
	return NULL;
}

static void make_plan(struct plan *plan, const char *file, const struct saved *saved,
		      const struct watches *watches)
{
	size_t i;

	memset(plan, 0, sizeof(*plan));
	for (i = 0; i < saved->watches.nr; i++) {
		const struct watch *wanted = &saved->watches.watch[i];
		const struct watch *there = find_exactly(watches, wanted->name);

		if (there && is_same(there, wanted)) {
			plan->there++;
			continue;
		}
		strings_add(&plan->lines, wanted->line);
		strings_add_owned(&plan->shown, xasprintf("%s:%u", file, saved->line[i]));
		strings_add(&plan->names, wanted->name);
		strings_add(&plan->enabled, wanted->enabled ?: "top");
	}
}

/* Makes all watches of the plan, or none. */
static int carry_out(const struct plan *plan)
{
	size_t first = 0, nr;

	for (; first < plan->lines.nr; first += nr) {
		struct strings lines, shown;

		nr = filter_fit(&plan->lines, first);
		lines = (struct strings) { plan->lines.text + first, nr };
		shown = (struct strings) { plan->shown.text + first, nr };
		if (filter_write(&lines, &shown)) {
			while (first--)
				filter_remove(plan->names.text[first]);
			return -1;
		}
	}
	owner_note(&plan->names);
	return 0;
}

/* Enables a new watch where it was enabled; the top instance is the default. */
static void enable_watch(const char *watch, const char *enabled)
{
	char *copy = xstrdup(enabled), *rest = copy, *name;
	char group[KSYM_EVENT_LEN], event[KSYM_EVENT_LEN];
	struct tracefs_instance *instance;
	bool top = false;

	split_event(watch, group, event);
	while ((name = strsep(&rest, ","))) {
		if (!strcmp(name, "top")) {
			top = true;
		} else if (strchr(name, '/') || !tracefs_instance_exists(name)) {
			if (*name && strcmp(name, "-"))
				err("%s was enabled in the instance %s, which does not exist",
				    watch, name);
		} else {
			instance = tracefs_instance_alloc(NULL, name);
			if (!instance || tracefs_event_enable(instance, group, event))
				err("%s cannot be enabled in the instance %s: %s", watch, name,
				    strerror(errno));
			tracefs_instance_free(instance);
		}
	}
	if (!top)
		tracefs_event_disable(NULL, group, event);
	free(copy);
}

static void free_plan(struct plan *plan)
{
	strings_free(&plan->lines);
	strings_free(&plan->shown);
	strings_free(&plan->names);
	strings_free(&plan->enabled);
}

static int restore(const struct command *cmd, int argc, char **argv)
{
	const char *path = only_file(cmd, argc, argv, NULL);
	const char *name = shown_name(path, "the standard input");
	struct watches watches;
	struct saved saved;
	struct plan plan;
	char *text, *wrong;
	size_t size, i;
	int error;

	text = read_all(path, name, &size);
	if (!text)
		return STATUS_FAILED;
	wrong = saved_parse(&saved, text, size);
	free(text);
	if (wrong) {
		err("%s%s", name, wrong);
		free(wrong);
		return STATUS_FAILED;
	}
	require_tracer();
	owner_sweep(NULL);
	watches_read(&watches);
	make_plan(&plan, name, &saved, &watches);
	watches_free(&watches);
	saved_free(&saved);
	error = carry_out(&plan);
	for (i = 0; !error && i < plan.names.nr; i++)
		enable_watch(plan.names.text[i], plan.enabled.text[i]);
	if (!error && plan.there)
		err("%s: %zu of %zu watches %s there already", name, plan.there,
		    plan.there + plan.names.nr, plan.there == 1 ? "was" : "were");
	free_plan(&plan);
	return error ? STATUS_FAILED : STATUS_OK;
}

const struct command cmd_restore = {
	.name = "restore", .run = restore,
	.arguments = "FILE",
	.summary = "make the watches in a file",
	.help =
"Makes the watches that save wrote into FILE (- is standard input), all or none. Existing\n"
"watches stay as they are. Each new watch is enabled in the trace instances in which it\n"
"was enabled, if they exist.\n",
};

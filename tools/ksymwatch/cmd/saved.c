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

/* Returns what is wrong with the file as a whole, or NULL. A new string. */
static char *check_text(const char *text, size_t size)
{
	unsigned int line = 1;
	size_t i;

	if (!size)
		return xstrdup(" is empty");
	for (i = 0; i < size; i++) {
		if (text[i] == '\n')
			line++;
		else if ((unsigned char)text[i] < ' ' && text[i] != '\t')
			return xasprintf(":%u: not a text file", line);
	}
	if (text[size - 1] != '\n')
		return xstrdup(" is truncated: its last line has no end");
	return NULL;
}

static const struct watch *find_exactly(const struct watches *watches, const char *name)
{
	size_t i;

	for (i = 0; i < watches->nr; i++)
		if (!strcmp(watches->watch[i].name, name))
			return &watches->watch[i];
	return NULL;
}

/* Adds the watch of a line; returns what is wrong with the line, or NULL. */
static char *add_watch(struct saved *saved, char *line, unsigned int number)
{
	char *fault __autofree = NULL;
	struct watches *watches = &saved->watches;
	const struct watch *same;
	struct watch watch;

	if (strlen(line) > FILTER_MAX)
		return xasprintf(":%u: a line has %d characters at most", number, FILTER_MAX);
	fault = watch_parse(&watch, line);
	if (fault)
		return xasprintf(":%u: %s", number, fault);
	same = find_exactly(watches, watch.name);
	if (same) {
		watch_free(&watch);
		return xasprintf(":%u: the watch of line %u has the same name, %s", number,
				 saved->line[same - watches->watch], same->name);
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

/*
 * Parses a file of watches, a text of @size bytes and a zero. Returns NULL, or an error
 * message to append to the name of the file, a new string; @saved has no watches then.
 */
char *saved_parse(struct saved *saved, const char *text, size_t size)
{
	char *copy __autofree = NULL, *rest, *line, *error = check_text(text, size);
	unsigned int number = 0;

	memset(saved, 0, sizeof(*saved));
	if (error)
		return error;
	copy = xstrdup(text);
	rest = copy;
	while (!error && (line = strsep(&rest, "\n"))) {
		number++;
		line += strspn(line, " \t");
		if (*line && *line != '#')
			error = add_watch(saved, line, number);
	}
	if (error)
		saved_free(saved);
	return error;
}

/* Reads a whole file and appends a zero. Dies if it can't. */
static const char *read_all(const char *path, const char *name, size_t *size)
{
	static char text[MAX_FILE + 1];
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;

	if (file)
		*size = fread(text, 1, sizeof(text), file);
	if (!file || ferror(file))
		die("%s: %s", name, strerror(errno));
	if (*size > MAX_FILE)
		die("%s is too large: it cannot be a list of watches", name);
	if (file != stdin)
		fclose(file);
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
	struct strings users __cleanup(strings_free) = {}, kept __cleanup(strings_free) = {};
	char *joined = NULL;
	size_t i;

	watch_users(name, true, &users);
	for (i = 0; i < users.nr; i++)
		if (!is_session_name(users.text[i]) && !strpbrk(users.text[i], " \t\n\r\v\f"))
			strings_add(&kept, users.text[i]);
	if (kept.nr != 1 || strcmp(kept.text[0], "top"))
		joined = kept.nr ? strings_join(&kept, ",") : xstrdup("-");
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
		char *enabled __autofree = NULL;
		const struct watch *watch = &watches->watch[i];

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
	}
	return comments;
}

/* Writes watches into a file, "-" for the standard output, or dies. */
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
	struct watches watches __cleanup(watches_free) = {};

	require_tracer();
	owner_sweep(NULL);
	watches_read(&watches);
	saved_write(path, &watches);
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

/*
 * Is an existing watch the one in the file? The length of a module's symbol may have been
 * unknown when it was saved.
 */
static bool is_same(const struct watch *there, const struct watch *wanted)
{
	char *len __autofree = NULL;
	const char *at;
	size_t before;

	if (!strcmp(there->line, wanted->line))
		return true;
	if (wanted->spec.len || !there->spec.len)
		return false;
	len = xasprintf(" len=%u", there->spec.len);
	at = strstr(there->line, len);
	before = at ? at - there->line : 0;
	return at && !strncmp(there->line, wanted->line, before) &&
	       !strcmp(at + strlen(len), wanted->line + before);
}

/* Drops the watches that exist. Returns their number. */
static size_t drop_existing(struct saved *saved, const struct watches *watches)
{
	size_t nr = saved->watches.nr, kept = 0, i;

	for (i = 0; i < nr; i++) {
		struct watch *wanted = &saved->watches.watch[i];
		const struct watch *there = find_exactly(watches, wanted->name);

		if (there && is_same(there, wanted)) {
			watch_free(wanted);
			continue;
		}
		saved->line[kept] = saved->line[i];
		saved->watches.watch[kept++] = *wanted;
	}
	saved->watches.nr = kept;
	return nr - kept;
}

/*
 * Writes lines to ksym_trace_filter; @shown has for each what the user typed. All or none, but
 * for what is too much for one write. Returns the number of lines that succeeded.
 */
size_t lines_write(const struct strings *lines, const struct strings *shown)
{
	size_t done, nr;

	for (done = 0; done < lines->nr; done += nr) {
		nr = filter_fit(lines, done);
		if (filter_write(&(struct strings) { lines->text + done, nr },
				 &(struct strings) { shown->text + done, nr }))
			break;
	}
	return done;
}

/* Makes all watches of the file, or none. Returns whether that worked. */
static bool make_watches(const struct saved *saved, const char *file)
{
	struct strings lines __cleanup(strings_free) = {};
	struct strings shown __cleanup(strings_free) = {};
	struct strings names __cleanup(strings_free) = {};
	bool failed;
	size_t i;

	for (i = 0; i < saved->watches.nr; i++) {
		strings_add(&lines, saved->watches.watch[i].line);
		strings_add_owned(&shown, xasprintf("%s:%u", file, saved->line[i]));
		strings_add(&names, saved->watches.watch[i].name);
	}
	i = lines_write(&lines, &shown);
	failed = i < lines.nr;
	while (failed && i--)
		filter_remove(names.text[i]);
	if (!failed)
		owner_note(&names);
	return !failed;
}

/* Enables a new watch where it was enabled; the top instance is the default. */
static void enable_watch(const char *watch, const char *enabled)
{
	char *copy __autofree = xstrdup(enabled), *rest = copy, *name;
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
}

static int restore(const struct command *cmd, int argc, char **argv)
{
	const char *path = only_file(cmd, argc, argv, NULL), *text;
	const char *name = strcmp(path, "-") ? path : "the standard input";
	struct watches watches __cleanup(watches_free) = {};
	struct saved saved __cleanup(saved_free) = {};
	char *wrong __autofree = NULL;
	size_t size, nr_there, i;
	bool made;

	text = read_all(path, name, &size);
	wrong = saved_parse(&saved, text, size);
	if (wrong) {
		err("%s%s", name, wrong);
		return STATUS_FAILED;
	}
	require_tracer();
	owner_sweep(NULL);
	watches_read(&watches);
	nr_there = drop_existing(&saved, &watches);
	made = make_watches(&saved, name);
	for (i = 0; made && i < saved.watches.nr; i++)
		enable_watch(saved.watches.watch[i].name, saved.watches.watch[i].enabled ?: "top");
	if (made && nr_there)
		err("%s: %zu of %zu watches %s there already", name, nr_there,
		    nr_there + saved.watches.nr, nr_there == 1 ? "was" : "were");
	return made ? STATUS_OK : STATUS_FAILED;
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

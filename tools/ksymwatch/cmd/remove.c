// SPDX-License-Identifier: GPL-2.0-only
/* ksymwatch rm. */
#include <stdlib.h>
#include <string.h>

#include "backend/support.h"
#include "backend/tracer/watches.h"
#include "cmd/commands.h"
#include "cmd/saved.h"
#include "lib/util.h"

/* What to remove; and the names of watches that stay. */
struct removal {
	struct strings	lines;		/* for ksym_trace_filter */
	struct strings	shown;		/* for each what the user typed */
	struct watches	saved;		/* their contents belong to the list of all */
	struct strings	others;		/* others made them */
	struct strings	used;		/* a session uses them */
};

/* Adds the line that removes a watch. */
static void add_watch(struct removal *removal, const struct watch *watch, const char *shown)
{
	strings_add_owned(&removal->lines, name_removal(watch->name));
	strings_add(&removal->shown, shown);
	*array_add(removal->saved.watch, removal->saved.nr) = *watch;
}

/*
 * Adds the lines that remove ksymwatch's watches on a target. Returns whether there are any
 * watches on it.
 */
static bool remove_from_target(struct removal *removal, const struct watches *watches,
			       const char *target)
{
	size_t nr_lines = removal->lines.nr, nr_others = removal->others.nr, i;
	struct strings others;

	for (i = 0; i < watches->nr; i++) {
		const struct watch *watch = &watches->watch[i];

		if (strcmp(watch->target, target))
			continue;
		if (watch->ours)
			add_watch(removal, watch, target);
		else
			strings_add(&removal->others, watch->name);
	}
	others = (struct strings) { removal->others.text + nr_others,
				    removal->others.nr - nr_others };
	if (removal->lines.nr == nr_lines && others.nr)
		die("'%s' is watched only by others; to remove it, ksymwatch rm %s", target,
		    strings_join(&others, " "));
	return removal->lines.nr > nr_lines;
}

static const char *save_path;

/*
 * Adds the lines that remove what the user named: NAME or GRP/NAME, whoever made it; or a
 * target, which stands for ksymwatch's watches on it. Dies if there is no such watch.
 */
static void add_argument(struct removal *removal, const struct watches *watches, const char *arg)
{
	const bool is_name = *arg == '@';
	char *line = xasprintf("%s:---", arg + is_name), *target;
	const struct watch *watch;
	struct ksym_error error;
	struct ksym_spec spec;
	bool found, is_target = !ksym_parse(line, &spec, &error) &&
				spec.action == KSYM_REMOVE_TARGET;

	/* What follows may die; the sanitizer would find a leak. */
	free(line);
	watch = watches_find(watches, arg);
	found = watch;
	if (watch) {
		add_watch(removal, watch, arg);
	} else if (is_target && !is_name) {
		target = spec_target(&spec.target);
		found = remove_from_target(removal, watches, target);
		free(target);
		/*
		 * The target may be another form of one in the list, such as an address. The
		 * kernel would remove all watches on it, so all must be ksymwatch's.
		 */
		if (!found && !save_path && watches->nr_ours == watches->nr &&
		    !is_identifier(arg, strlen(arg))) {
			strings_add_owned(&removal->lines, xasprintf("%s:---", arg));
			strings_add(&removal->shown, arg);
			found = true;
		}
	}
	if (!found)
		die("no watch '%s'; ksymwatch list shows the names", arg);
}

/* Adds all watches that ksymwatch made; notes the others. */
static void add_all(struct removal *removal, const struct watches *watches)
{
	size_t i;

	for (i = 0; i < watches->nr; i++) {
		const struct watch *watch = &watches->watch[i];

		if (watch->ours)
			add_watch(removal, watch, "--all");
		else if (is_session_name(watch->spec.group))
			strings_add(&removal->used, watch->name);
		else
			strings_add(&removal->others, watch->name);
	}
}

/* Reports which watches stay, and how to remove them. */
static void print_others(const struct strings *others, const struct strings *used)
{
	char *other_names __autofree = strings_join(others, " ");
	char *used_names __autofree = strings_join(used, " ");

	if (used->nr)
		err("%zu watch%s of running sessions stay%s until these end: %s", used->nr,
		    used->nr == 1 ? "" : "es", used->nr == 1 ? "s" : "", used_names);
	if (others->nr)
		err("%zu watch%s of others stay%s; to remove %s, ksymwatch rm %s", others->nr,
		    others->nr == 1 ? "" : "es", others->nr == 1 ? "s" : "",
		    others->nr == 1 ? "it" : "them", other_names);
}

static bool all;

static int run_remove(const struct command *cmd, int argc, char **argv)
{
	int first = parse_options(cmd, argc, argv), i;
	struct removal removal = {};
	struct watches watches __cleanup(watches_free) = {};
	bool error;

	if (all && first < argc)
		die_usage(cmd, "--all takes no NAME");
	if (!all && first == argc)
		die_usage(cmd, "missing NAME, TARGET or --all");

	require_tracer();
	owner_sweep(NULL);
	watches_read(&watches);
	owner_read(&watches);
	for (i = first; i < argc; i++)
		add_argument(&removal, &watches, argv[i]);
	if (all)
		add_all(&removal, &watches);
	if (save_path)
		saved_write(save_path, &removal.saved);
	error = lines_write(&removal.lines, &removal.shown) < removal.lines.nr;
	if (removal.lines.nr)
		owner_note(NULL);
	if (!error)
		print_others(&removal.others, &removal.used);
	strings_free(&removal.lines);
	strings_free(&removal.shown);
	strings_free(&removal.others);
	free(removal.saved.watch);
	strings_free(&removal.used);
	return error ? STATUS_FAILED : STATUS_OK;
}

const struct command cmd_remove = {
	.name = "rm", .run = run_remove,
	.arguments = "[NAME|TARGET...]",
	.summary = "remove watches",
	.help =
"Removes the watches of these names, with or without @, whoever made them, or those made on\n"
"these targets; all or none. This empties the trace buffers in which they were enabled:\n"
"read those first.\n",
	.options = (const struct command_option[]) {
		{ 'a', "all", .flag = &all, .help =
		  "remove all watches that ksymwatch made, and name the others" },
		{ 0, "save", "FILE", .text = &save_path, .help =
		  "first write them into FILE (- is standard output), as save does" },
		{}
	},
};

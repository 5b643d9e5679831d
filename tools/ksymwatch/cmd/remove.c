// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch rm.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/support.h"
#include "backend/tracer/owner.h"
#include "cmd/commands.h"
#include "lib/util.h"

/* All that are ours; what others made is for them to remove, or for who names it. */
static void remove_all(struct removal *removal, const struct watches *watches,
		       const struct strings *notes)
{
	size_t i;

	for (i = 0; i < watches->nr; i++) {
		const struct watch *watch = &watches->watch[i];

		if (owner_is_us(notes, watch))
			removal_add(removal, watches, watch, "--all");
		else
			strings_add(&removal->others, watch->name);
	}
}

/* Says which watches stay, and how to remove those as well. */
static void tell_others(const struct strings *others)
{
	char *names = strings_join(others, " ");

	err("%zu watch%s that ksymwatch did not make stay%s: remove %s by name, ksymwatch rm %s",
	    others->nr, others->nr == 1 ? "" : "es", others->nr == 1 ? "s" : "",
	    others->nr == 1 ? "it" : "them", names);
	free(names);
}

static bool all;

static int run_remove(const struct command *cmd, int argc, char **argv)
{
	int first = parse_options(cmd, argc, argv), error = 0, i;
	struct removal removal = {};
	struct watches watches;
	struct strings notes;

	if (all && first < argc)
		die_usage(cmd, "--all takes no NAME");
	if (!all && first == argc)
		die_usage(cmd, "missing NAME, TARGET or --all");

	require_tracer();
	watches_read(&watches);
	owner_read(&notes, &watches);
	for (i = first; i < argc; i++)
		removal_take(&removal, &watches, &notes, argv[i]);
	if (all)
		remove_all(&removal, &watches, &notes);
	if (removal.lines.nr) {
		error = filter_write(&removal.lines, &removal.shown);
		if (!error)
			owner_note(NULL);
	}
	if (!error && removal.others.nr)
		tell_others(&removal.others);
	strings_free(&removal.lines);
	strings_free(&removal.shown);
	strings_free(&removal.others);
	strings_free(&notes);
	watches_free(&watches);
	return error ? STATUS_FAILED : STATUS_OK;
}

const struct command cmd_remove = {
	.name = "rm", .run = run_remove,
	.arguments = "[NAME|TARGET...]",
	.summary = "remove watches",
	.help =
"Removes the watches of these names, whoever made them, or those that ksymwatch made on\n"
"these targets; all or none. This empties the trace buffers in which they were enabled:\n"
"read those first.\n",
	.options = (const struct command_option[]) {
		{ 'a', "all", .flag = &all, .help =
		  "remove all watches that ksymwatch made, and name the others" },
		{}
	},
};

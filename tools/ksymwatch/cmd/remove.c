// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch rm.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "backend/tracer/owner.h"

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

int cmd_rm(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	struct removal removal = {};
	struct watches watches;
	struct strings notes;
	bool all = false;
	int error = 0, i;

	hide_numbers(argc, argv);
	while ((i = next_option(cmd, argc, argv, ":ah", options)) != -1)
		all = all || i == 'a';
	if (all && optind < argc)
		die_usage(cmd, "--all takes no NAME beside it");
	if (!all && optind == argc)
		die_usage(cmd, "a NAME, or --all, is missing");

	require_tracer();
	watches_read(&watches);
	owner_read(&notes, &watches);
	for (i = optind; i < argc; i++)
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

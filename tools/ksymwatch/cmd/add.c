// SPDX-License-Identifier: GPL-2.0-only
/* ksymwatch add: make watches, or show which variables could be watched. */
#include <stdlib.h>

#include "backend/support.h"
#include "backend/tracer/watches.h"
#include "cmd/commands.h"
#include "lib/util.h"
#include "symbols/resolve.h"
#include "symbols/symbols.h"

static bool dry_run;

static int add(const struct command *cmd, int argc, char **argv)
{
	struct strings specs __cleanup(strings_free) = {}, lines __cleanup(strings_free) = {};
	struct strings names __cleanup(strings_free) = {};
	char name[WATCH_NAME_LEN];
	int first = parse_options(cmd, argc, argv), error;
	size_t spec;

	if (first == argc)
		die_usage(cmd, "missing SPEC");
	specs_from_args(&specs, argc - first, argv + first);
	if (dry_run) {
		if (!resolve_symbols())
			exit(STATUS_FAILED);
		symbols_show(resolve_symbols(), &specs);
		return STATUS_OK;
	}
	require_tracer();
	owner_sweep(NULL);
	for (spec = 0; spec < specs.nr; spec++) {
		strings_add_owned(&lines, resolve_line(specs.text[spec], name));
		strings_add(&names, name);
	}
	error = filter_write(&lines, &specs);
	if (!error)
		owner_note(&names);
	return error ? STATUS_FAILED : STATUS_OK;
}

const struct command cmd_add = {
	.name = "add", .run = add,
	.arguments = "SPEC...",
	.summary = "make watches",
	.help = "Makes the watches, all or none. They stay until they are removed.\n",
	.options = (const struct command_option[]) {
		{ 'n', "dry-run", .flag = &dry_run, .help =
		  "add nothing; show the variables that the SPECs name. These may be shell\n"
		  "patterns, as in 'nr_*' or 'ext4:*'" },
		{}
	},
	.more = (const char * const[]) { spec_help, NULL },
};

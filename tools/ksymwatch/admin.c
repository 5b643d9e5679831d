// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch add, list and slots.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "owner.h"
#include "symbols.h"

/* Notes that the watches that were made of SPECs are ours. */
static void note_specs(const struct strings *specs)
{
	char name[KSYM_EVENT_LEN];
	struct strings names = {};
	size_t i;

	for (i = 0; i < specs->nr; i++) {
		spec_name(specs->text[i], name);
		strings_add(&names, name);
	}
	owner_note(&names);
	strings_free(&names);
}

int cmd_add(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "dry-run", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	struct strings specs, targets;
	bool dry_run = false;
	int error, i;

	hide_numbers(argc, argv);
	while ((i = next_option(cmd, argc, argv, ":nh", options)) != -1)
		dry_run = dry_run || i == 'n';
	if (optind == argc)
		die_usage(cmd, "a SPEC is missing");
	specs_from_args(&specs, argc - optind, argv + optind);
	if (dry_run) {
		spec_targets(&targets, &specs);
		symbols_show(&targets);
		strings_free(&targets);
		strings_free(&specs);
		return STATUS_OK;
	}
	refuse_globs(&specs);
	require_tracer();
	error = filter_write(&specs, &specs);
	if (!error)
		note_specs(&specs);
	strings_free(&specs);
	return error ? STATUS_FAILED : STATUS_OK;
}

/* The columns of the list, the last of which is not padded. */
enum {
	NAME, TARGET, ACCESS, LEN, KIND, CPUS, PID, HITS, CHANGES, MISSED, COVERAGE, ESTIMATE,
	STATE, ENABLED, NR_COLUMNS
};

static const struct {
	const char	*heading;
	bool		number;
} columns[NR_COLUMNS] = {
	[NAME]		= { "NAME", false },
	[TARGET]	= { "TARGET", false },
	[ACCESS]	= { "ACCESS", false },
	[LEN]		= { "LEN", true },
	[KIND]		= { "KIND", false },
	[CPUS]		= { "CPUS", false },
	[PID]		= { "PID", true },
	[HITS]		= { "HITS", true },
	[CHANGES]	= { "CHANGES", true },
	[MISSED]	= { "MISSED", true },
	[COVERAGE]	= { "COVERAGE", true },
	[ESTIMATE]	= { "ESTIMATE", true },
	[STATE]		= { "STATE", false },
	[ENABLED]	= { "ENABLED IN", false },
};

/* Makes the cells of a row; they are the caller's to free. */
static void make_row(char *row[NR_COLUMNS], const struct watch *watch)
{
	struct counts counts;

	watch_counts(watch->name, &counts);
	row[NAME] = xstrdup(watch->name);
	row[TARGET] = xstrdup(watch->target);
	row[ACCESS] = xstrdup(watch->access ?: "?");
	row[LEN] = xstrdup(watch->len ?: "?");
	row[KIND] = xstrdup(watch->flexible ? "flexible" : "pinned");
	row[CPUS] = xstrdup(watch->cpus ?: "all");
	/* The plus stands for the tasks that this one starts. */
	row[PID] = xasprintf("%s%s", watch->pid ?: "all", watch->inherit ? "+" : "");
	row[HITS] = xasprintf("%llu", counts.hits);
	row[CHANGES] = xasprintf("%llu", counts.changes);
	row[MISSED] = xasprintf("%llu", counts.disabled + counts.filtered +
				counts.nobuffer + counts.fault + counts.limited +
				counts.stale + counts.notread + counts.unchanged);
	row[COVERAGE] = xstrdup(watch->coverage ?: counts.coverage);
	row[ESTIMATE] = xstrdup(counts.estimate);
	row[STATE] = xstrdup(watch->state ?: "-");
	row[ENABLED] = watch_users(watch->name, true);
}

static void print_row(char *row[NR_COLUMNS], const int width[NR_COLUMNS])
{
	int i;

	for (i = 0; i < NR_COLUMNS - 1; i++)
		printf("%*s  ", columns[i].number ? width[i] : -width[i], row[i]);
	printf("%s\n", row[i]);
}

int cmd_list(const struct command *cmd, int argc, char **argv)
{
	int first = parse_no_options(cmd, argc, argv), width[NR_COLUMNS] = {}, c;
	char *(*rows)[NR_COLUMNS];
	struct watches watches;
	size_t i;

	if (first < argc)
		die_usage(cmd, "'%s' is too much", argv[first]);
	require_tracer();
	watches_read(&watches);
	if (!watches.nr) {
		puts("no watches");
		flush_stdout();
		return STATUS_OK;
	}

	/* Row 0 is the heading. */
	rows = xcalloc(watches.nr + 1, sizeof(*rows));
	for (c = 0; c < NR_COLUMNS; c++)
		rows[0][c] = xstrdup(columns[c].heading);
	for (i = 0; i < watches.nr; i++)
		make_row(rows[i + 1], &watches.watch[i]);
	for (i = 0; i <= watches.nr; i++)
		for (c = 0; c < NR_COLUMNS; c++)
			if ((int)strlen(rows[i][c]) > width[c])
				width[c] = strlen(rows[i][c]);
	for (i = 0; i <= watches.nr; i++) {
		print_row(rows[i], width);
		for (c = 0; c < NR_COLUMNS; c++)
			free(rows[i][c]);
	}
	free(rows);
	watches_free(&watches);
	flush_stdout();
	return STATUS_OK;
}

int cmd_slots(const struct command *cmd, int argc, char **argv)
{
	int first = parse_no_options(cmd, argc, argv);
	char *text;

	if (first < argc)
		die_usage(cmd, "'%s' is too much", argv[first]);
	require_tracer();
	text = slots_read();
	fputs(text, stdout);
	free(text);
	flush_stdout();
	return STATUS_OK;
}

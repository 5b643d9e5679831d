// SPDX-License-Identifier: GPL-2.0-only
/*
 * How live and report show hits: the options that both have, and the sink that these ask for;
 * and what several commands print.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/counts.h"
#include "cli/terminal.h"
#include "cmd/output.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"

bool output_json;
bool output_srcline;

static enum { STYLE_NONE, STYLE_TABLE, STYLE_GDB } style;
static enum colour colour;

void output_take_style(const struct command *cmd, const char *word)
{
	if (!strcmp(word, "table"))
		style = STYLE_TABLE;
	else if (!strcmp(word, "gdb"))
		style = STYLE_GDB;
	else
		die_usage(cmd, "invalid --style '%s': must be one of table, gdb", word);
}

void output_take_colour(const struct command *cmd, const char *word)
{
	if (!strcmp(word, "auto"))
		colour = COLOUR_AUTO;
	else if (!strcmp(word, "always"))
		colour = COLOUR_ALWAYS;
	else if (!strcmp(word, "never"))
		colour = COLOUR_NEVER;
	else
		die_usage(cmd, "invalid --color '%s': must be one of auto, always, never", word);
}

/*
 * Makes a sink that shows hits on the standard output, by the options of @cmd. Call it before
 * pager_start(): after that the standard output is no terminal.
 */
struct sink *output_sink(const struct command *cmd)
{
	bool coloured = colour_wanted(colour, STDOUT_FILENO);

	if (output_json && style)
		die_usage(cmd, "--json and --style exclude each other");
	if (output_json)
		return json_sink(stdout);
	return style == STYLE_GDB ? gdb_sink(stdout, coloured) : table_sink(stdout, coloured);
}

/* Writes the counters from @first up to @end as an object, with or without those that are 0. */
void json_counts(struct json *json, const char *name, const unsigned long long *nr, int first,
		 int end, bool zeros)
{
	char *key;

	json_open(json, name, '{');
	for (; first < end; first++) {
		key = count_key(first);
		if (zeros || nr[first])
			json_unsigned(json, key, nr[first]);
		free(key);
	}
	json_close(json, '}');
}

/* Writes the share of the time a watch was armed, and the hits at full coverage. */
void json_coverage(struct json *json, double hits, double coverage)
{
	unsigned long long estimate = 0;
	bool known = estimate_hits(hits, coverage, &estimate);

	if (coverage == NO_COVERAGE)
		json_null(json, "coverage");
	else
		json_double(json, "coverage", coverage);
	json_number(json, "estimate", known, estimate);
}

/* Adds two cells: the share of the time a watch was armed, and the hits at full coverage. */
void add_coverage(struct strings *cells, double hits, double coverage)
{
	unsigned long long estimate;

	strings_add_owned(cells, coverage == NO_COVERAGE ? xstrdup("-") :
				 xasprintf("%.1f%%", 100 * coverage));
	strings_add_owned(cells, estimate_hits(hits, coverage, &estimate) ?
				 xasprintf("%llu", estimate) : xstrdup("-"));
}

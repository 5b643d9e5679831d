// SPDX-License-Identifier: GPL-2.0-only
/*
 * How live and report show hits: the options that both have, and the sink that these ask for.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "cmd/output.h"
#include "lib/util.h"
#include "out/sinks.h"

bool output_json;

static enum { STYLE_NONE, STYLE_TABLE, STYLE_GDB } style;
static enum colour colour;

/* Returns the number of a word in a list that ends with NULL. */
static int find_word(const struct command *cmd, const char *option, const char *word,
		     const char * const *words)
{
	struct strings known = {};
	int i;

	for (i = 0; words[i]; i++) {
		if (!strcmp(word, words[i])) {
			strings_free(&known);
			return i;
		}
		strings_add(&known, words[i]);
	}
	die_usage(cmd, "invalid %s '%s': must be one of %s", option, word,
		  strings_join(&known, ", "));
}

void output_take_style(const struct command *cmd, const char *word)
{
	static const char * const words[] = { "table", "gdb", NULL };

	style = STYLE_TABLE + find_word(cmd, "--style", word, words);
}

void output_take_colour(const struct command *cmd, const char *word)
{
	static const char * const words[] = { "auto", "always", "never", NULL };

	colour = COLOUR_AUTO + find_word(cmd, "--color", word, words);
}

/**
 * output_sink - make a sink that shows hits on the standard output
 * @cmd: the command whose options were parsed
 *
 * Call it before pager_start(): after that the standard output is no terminal.
 *
 * Return: the sink, for sink_free().
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

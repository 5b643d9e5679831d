// SPDX-License-Identifier: GPL-2.0-only
/* ksymwatch slots: who holds the debug registers. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backend/tracer/watches.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/slots.h"
#include "lib/text.h"

/* Writes a number of the kernel's table, or null if it is none. */
static void write_number(struct json *json, const char *name, const char *text)
{
	char *end;
	long long value = strtoll(text, &end, 0);

	if (end == text || *end)
		json_null(json, name);
	else
		json_signed(json, name, value);
}

static bool is_register(const char *heading)
{
	return !strncmp(heading, "dr", 2);
}

/*
 * Writes a row of the kernel's table as JSON: the columns DR0, DR1 etc. as an array of
 * holders, the other columns as numbers with the names of the columns.
 */
static void write_row(const struct strings *headings, const struct strings *row, void *data)
{
	struct json *json = data;
	size_t i;

	json_open(json, NULL, '{');
	json_text(json, "type", "slots");
	for (i = 0; i < headings->nr && i < row->nr; i++)
		if (!is_register(headings->text[i]))
			write_number(json, headings->text[i], row->text[i]);
	json_open(json, "holders", '[');
	for (i = 0; i < headings->nr && i < row->nr; i++)
		if (is_register(headings->text[i]))
			json_text(json, NULL, strcmp(row->text[i], "-") ? row->text[i] : NULL);
	json_close(json, ']');
	json_close(json, '}');
	json_end_line(json);
}

static void split_words(struct strings *words, char *line)
{
	char *word;

	while ((word = strtok_r(line, " \t", &line)))
		strings_add(words, word);
}

/*
 * Takes a table as in ksym_slots apart, and changes it. Calls @take for each row with the
 * headings, in small letters, and its words: "-" is a free register.
 */
void slots_walk(char *text, slots_take *take, void *data)
{
	char *line = strsep(&text, "\n"), *p;
	struct strings headings __cleanup(strings_free) = {};

	for (p = line; *p; p++)
		*p = tolower((unsigned char)*p);
	split_words(&headings, line);
	while ((line = strsep(&text, "\n"))) {
		struct strings row __cleanup(strings_free) = {};

		split_words(&row, line);
		if (row.nr)
			take(&headings, &row, data);
	}
}

static int slots(const struct command *cmd, int argc, char **argv)
{
	char *text __autofree = NULL;

	no_arguments(cmd, argc, argv);
	text = slots_read();
	if (output_json)
		slots_walk(text, write_row, &(struct json) { .out = stdout });
	else
		fputs(text, stdout);
	return STATUS_OK;
}

const struct command cmd_slots = {
	.name = "slots", .run = slots,
	.arguments = "",
	.summary = "show who holds the debug registers",
	.help =
"For each CPU: who holds its four debug registers (the name of a watch, or others such as\n"
"perf and debuggers), and how many are free.\n",
	.options = (const struct command_option[]) {
		JSON_LINES_OPTION("line"),
		{}
	},
};

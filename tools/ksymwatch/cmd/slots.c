// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch slots: who holds the debug registers.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backend/tracer/watches.h"
#include "cmd/commands.h"
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
 * Writes a line of the kernel's table as JSON: the columns DR0, DR1 etc. as an array of
 * holders, the other columns as numbers with the names of the columns.
 */
static void write_slots(struct json *json, const struct strings *headings, char *line)
{
	struct strings words = {};
	char *rest = line, *word;
	size_t i;

	while ((word = strtok_r(rest, " ", &rest)))
		strings_add(&words, word);
	json_open(json, NULL, '{');
	json_text(json, "type", "slots");
	for (i = 0; i < headings->nr && i < words.nr; i++)
		if (!is_register(headings->text[i]))
			write_number(json, headings->text[i], words.text[i]);
	json_open(json, "holders", '[');
	for (i = 0; i < headings->nr && i < words.nr; i++)
		if (is_register(headings->text[i]))
			json_text(json, NULL, strcmp(words.text[i], "-") ? words.text[i] : NULL);
	json_close(json, ']');
	json_close(json, '}');
	json_end_line(json);
	strings_free(&words);
}

static void slots_as_json(char *text)
{
	struct json json = { .out = stdout };
	struct strings headings = {};
	char *rest = text, *line, *word, *p;

	line = strtok_r(rest, "\n", &rest);
	while (line && (word = strtok_r(line, " ", &line))) {
		for (p = word; *p; p++)
			*p = tolower((unsigned char)*p);
		strings_add(&headings, word);
	}
	while ((line = strtok_r(rest, "\n", &rest)))
		write_slots(&json, &headings, line);
	strings_free(&headings);
}

static bool json_wanted;

static int slots(const struct command *cmd, int argc, char **argv)
{
	char *text;

	no_arguments(cmd, argc, argv);
	text = slots_read();
	if (json_wanted)
		slots_as_json(text);
	else
		fputs(text, stdout);
	free(text);
	flush_stdout();
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
		{ 'j', "json", .flag = &json_wanted, .help = "print JSON, one object per line" },
		{}
	},
};

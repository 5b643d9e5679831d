// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch add, list and slots.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backend/support.h"
#include "backend/tracer/owner.h"
#include "backend/tracer/watches.h"
#include "cmd/commands.h"
#include "lib/text.h"
#include "symbols/resolve.h"
#include "symbols/symbols.h"

static bool dry_run, json_wanted;

/* The option of list and slots. */
static const struct command_option json_options[] = {
	{ 'j', "json", .flag = &json_wanted, .help = "print JSON, one object per line" },
	{}
};

static int add(const struct command *cmd, int argc, char **argv)
{
	struct strings specs, lines = {}, names = {};
	char name[WATCH_NAME_LEN];
	int first = parse_options(cmd, argc, argv), error;
	size_t spec;

	if (first == argc)
		die_usage(cmd, "missing SPEC");
	specs_from_args(&specs, argc - first, argv + first);
	if (dry_run) {
		symbols_show(&specs);
		strings_free(&specs);
		return STATUS_OK;
	}
	require_tracer();
	for (spec = 0; spec < specs.nr; spec++) {
		strings_add_owned(&lines, resolve_line(specs.text[spec], name));
		strings_add(&names, name);
	}
	error = filter_write(&lines, &specs);
	if (!error)
		owner_note(&names);
	strings_free(&names);
	strings_free(&lines);
	strings_free(&specs);
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

/* What was counted for a watch, and how much of the time it was armed. */
static void read_counts(const struct watch *watch, struct counts *counts)
{
	watch_counts(watch->name, counts);
	/* That of the line is of the same moment as its other words. */
	if (watch->coverage)
		counts->coverage = parse_coverage(watch->coverage);
}

/* Makes the cells of a row; they are the caller's to free. */
static void make_row(char *row[NR_COLUMNS], const struct watch *watch)
{
	const struct ksym_options *options = &watch->spec.opt;
	unsigned long long estimate;
	struct counts counts;

	read_counts(watch, &counts);
	row[NAME] = xstrdup(watch->name);
	row[TARGET] = xstrdup(watch->target);
	row[ACCESS] = xstrdup(ksym_access_word(watch->spec.access));
	row[LEN] = watch->spec.len ? xasprintf("%u", watch->spec.len) : xstrdup("?");
	row[KIND] = xstrdup(options->flexible ? "flexible" : "pinned");
	row[CPUS] = xstrdup(options->cpus[0] ? options->cpus : "all");
	/* The plus stands for the tasks that this one starts. */
	row[PID] = options->pid ? xasprintf("%u%s", options->pid, options->inherit ? "+" : "") :
				  xstrdup("all");
	row[HITS] = xasprintf("%llu", counts.nr[COUNT_HITS]);
	row[CHANGES] = xasprintf("%llu", counts.nr[COUNT_CHANGES]);
	row[MISSED] = xasprintf("%llu", counts_missed(&counts));
	row[COVERAGE] = counts.coverage == NO_COVERAGE ? xstrdup("-") :
			xasprintf("%.1f%%", 100 * counts.coverage);
	row[ESTIMATE] = estimate_hits(counts.nr[COUNT_HITS], counts.coverage, &estimate) ?
			xasprintf("%llu", estimate) : xstrdup("-");
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

static void write_counts(struct json *json, const struct counts *counts)
{
	int i;

	json_unsigned(json, "hits", counts->nr[COUNT_HITS]);
	json_unsigned(json, "changes", counts->nr[COUNT_CHANGES]);
	json_open(json, "missed", '{');
	for (i = FIRST_MISSED; i <= LAST_MISSED; i++) {
		char *key = count_key(i);

		json_unsigned(json, key, counts->nr[i]);
		free(key);
	}
	json_close(json, '}');
	json_unsigned(json, "lost_user_stacks", counts->nr[COUNT_NOUSTACK]);
}

/* Writes a text of several with something between them as an array; NULL is an empty one. */
static void write_list(struct json *json, const char *name, const char *text,
		       const char *between)
{
	char *copy = xstrdup(text ?: ""), *rest = copy, *item;

	json_open(json, name, '[');
	while ((item = strsep(&rest, between)))
		if (*item && strcmp(item, "-"))
			json_text(json, NULL, item);
	json_close(json, ']');
	free(copy);
}

/* Writes a number that the kernel wrote, or null where it wrote none. */
static void write_number(struct json *json, const char *name, const char *text)
{
	char *end = NULL;
	long long value = text ? strtoll(text, &end, 0) : 0;

	if (!text || end == text || *end)
		json_null(json, name);
	else
		json_signed(json, name, value);
}

/* Writes a number, or null where it is not known. */
static void json_number(struct json *json, const char *name, bool known, unsigned long long number)
{
	if (known)
		json_unsigned(json, name, number);
	else
		json_null(json, name);
}

static void write_watch(struct json *json, const struct watch *watch)
{
	const struct ksym_options *options = &watch->spec.opt;
	unsigned long long estimate;
	struct counts counts;
	char *users;

	read_counts(watch, &counts);
	users = watch_users(watch->name, true);
	json_open(json, NULL, '{');
	json_text(json, "type", "watch");
	json_text(json, "name", watch->name);
	json_text(json, "target", watch->target);
	json_text(json, "access", ksym_access_word(watch->spec.access));
	json_number(json, "len", watch->spec.len, watch->spec.len);
	json_bool(json, "flexible", options->flexible);
	json_bool(json, "inherit", options->inherit);
	json_text(json, "cpus", options->cpus[0] ? options->cpus : NULL);
	json_number(json, "pid", options->pid, options->pid);
	write_counts(json, &counts);
	if (counts.coverage == NO_COVERAGE)
		json_null(json, "coverage");
	else
		json_double(json, "coverage", counts.coverage);
	json_number(json, "estimate", estimate_hits(counts.nr[COUNT_HITS], counts.coverage,
						    &estimate), estimate);
	write_list(json, "state", watch->state, ";");
	write_list(json, "instances", users, ",");
	json_close(json, '}');
	json_end_line(json);
	free(users);
}

static void list_as_json(const struct watches *watches)
{
	struct json json = { .out = stdout };
	size_t i;

	for (i = 0; i < watches->nr; i++)
		write_watch(&json, &watches->watch[i]);
	flush_stdout();
}

static int list(const struct command *cmd, int argc, char **argv)
{
	int width[NR_COLUMNS] = {}, c;
	char *(*rows)[NR_COLUMNS];
	struct watches watches;
	size_t i;

	no_arguments(cmd, argc, argv);
	require_tracer();
	watches_read(&watches);
	if (json_wanted) {
		list_as_json(&watches);
		watches_free(&watches);
		return STATUS_OK;
	}
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

const struct command cmd_list = {
	.name = "list", .run = list,
	.arguments = "",
	.summary = "show the watches and their counters",
	.help =
"For each watch: kind, CPUs and task; hits, and how many of them changed the value;\n"
"accesses that were not recorded (MISSED); the share of the time it was armed (COVERAGE)\n"
"and the estimated hits at full coverage (ESTIMATE); its state; and the trace instances\n"
"in which it is enabled (top is the top-level one).\n",
	.options = json_options,
};

static bool is_register(const char *heading)
{
	return !strncmp(heading, "dr", 2);
}

/*
 * Writes a line of the kernel's table as JSON: what stands below DR0, DR1 and so on as an
 * array of the holders, the rest as numbers that are called as their columns are.
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
	.options = json_options,
};

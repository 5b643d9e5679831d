// SPDX-License-Identifier: GPL-2.0-only
/* ksymwatch list: the watches and their counters. */
#include "backend/support.h"
#include "backend/tracer/watches.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "lib/grid.h"
#include "lib/text.h"

/* Reads the counters of a watch. */
static void read_counts(const struct watch *watch, struct counts *counts)
{
	watch_counts(watch->name, counts);
	/* Prefer the coverage in the line, which is from the same moment as its state. */
	if (watch->coverage != NO_COVERAGE)
		counts->coverage = watch->coverage;
}

static const char * const headings[] = {
	"NAME", "TARGET", "ACCESS", "LEN", "KIND", "CPUS", "PID", "HITS", "CHANGES", "MISSED",
	"COVERAGE", "ESTIMATE", "STATE", "ENABLED IN",
};

/* LEN, and PID to ESTIMATE. */
#define NUMBERS		0xfc8U

static void add_row(struct strings *cells, const struct watch *watch)
{
	const struct ksym_options *options = &watch->spec.opt;
	struct strings users __cleanup(strings_free) = {};
	struct counts counts;

	read_counts(watch, &counts);
	strings_add(cells, watch->name);
	strings_add(cells, watch->target);
	strings_add(cells, ksym_access_word(watch->spec.access));
	strings_add_owned(cells, watch->spec.len ? xasprintf("%u", watch->spec.len) : xstrdup("?"));
	strings_add(cells, options->flexible ? "flexible" : "pinned");
	strings_add(cells, options->cpus[0] ? options->cpus : "all");
	/* The plus stands for the tasks that this one starts. */
	strings_add_owned(cells, options->pid ? xasprintf("%u%s", options->pid,
							  options->inherit ? "+" : "") :
						xstrdup("all"));
	strings_add_owned(cells, xasprintf("%llu", counts.nr[COUNT_HITS]));
	strings_add_owned(cells, xasprintf("%llu", counts.nr[COUNT_CHANGES]));
	strings_add_owned(cells, xasprintf("%llu", counts_missed(&counts)));
	add_coverage(cells, counts.nr[COUNT_HITS], counts.coverage);
	watch_users(watch->name, true, &users);
	/* There are commas in lists of CPUs. */
	strings_add_owned(cells, watch->state.nr ? strings_join(&watch->state, ";") : xstrdup("-"));
	strings_add_owned(cells, users.nr ? strings_join(&users, ",") : xstrdup("-"));
}

static void print_list(const struct watches *watches)
{
	struct grid grid = { .columns = ARRAY_SIZE(headings), .right = NUMBERS };
	size_t i;

	if (!watches->nr) {
		puts("no watches");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(headings); i++)
		strings_add(&grid.cells, headings[i]);
	for (i = 0; i < watches->nr; i++)
		add_row(&grid.cells, &watches->watch[i]);
	grid_print(&grid, stdout);
}

static void write_watch(struct json *json, const struct watch *watch)
{
	const struct ksym_options *options = &watch->spec.opt;
	struct counts counts;
	struct strings users __cleanup(strings_free) = {};

	read_counts(watch, &counts);
	watch_users(watch->name, true, &users);
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
	json_unsigned(json, "hits", counts.nr[COUNT_HITS]);
	json_unsigned(json, "changes", counts.nr[COUNT_CHANGES]);
	json_counts(json, "missed", counts.nr, FIRST_MISSED, FIRST_FAILED, true);
	json_unsigned(json, "lost_user_stacks", counts.nr[COUNT_NOUSTACK]);
	json_counts(json, "failed", counts.nr, FIRST_FAILED, NR_COUNTS, true);
	json_coverage(json, counts.nr[COUNT_HITS], counts.coverage);
	json_strings(json, "state", &watch->state);
	json_strings(json, "instances", &users);
	json_close(json, '}');
	json_end_line(json);
}

static int list(const struct command *cmd, int argc, char **argv)
{
	struct json json = { .out = stdout };
	struct watches watches __cleanup(watches_free) = {};
	size_t i;

	no_arguments(cmd, argc, argv);
	require_tracer();
	owner_sweep(NULL);
	watches_read(&watches);
	for (i = 0; output_json && i < watches.nr; i++)
		write_watch(&json, &watches.watch[i]);
	if (!output_json)
		print_list(&watches);
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
	.options = (const struct command_option[]) {
		JSON_LINES_OPTION("line"),
		{}
	},
};

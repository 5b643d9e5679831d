// SPDX-License-Identifier: GPL-2.0-only
/* ksymwatch report: the hits of a recording, or of a trace buffer as the kernel prints them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "backend/support.h"
#include "backend/tracer/watches.h"
#include "cli/terminal.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"
#include "spec/spec.h"

static bool no_pager;
static const char *group_by, *sort;
static const char *instance;

/* A file of this name comes first. */
static bool is_watch(const char *name)
{
	struct watches watches __cleanup(watches_free) = {};

	if ((!instance && !access(name, F_OK)) || !has_tracer() || geteuid())
		return false;
	watches_read(&watches);
	return watches_find(&watches, name);
}

/* Returns the CPU of a record's line, "COMM-PID [CPU] FLAGS TIME: EVENT: TEXT", or 0. */
static size_t line_cpu(const char *line)
{
	const char *bracket = line;
	char *end;
	size_t cpu;

	while ((bracket = strstr(bracket, " ["))) {
		bracket += 2;
		cpu = strtoul(bracket, &end, 10);
		if (end > bracket && *end == ']' && cpu < MAX_CPUS)
			return cpu;
	}
	return 0;
}

/*
 * Prints the hits of a watch that a trace buffer has, with their stacks. Only the file trace
 * shows a buffer without taking the records out. Dies if it can't be read.
 */
static void show_buffer(const char *watch)
{
	FILE *file __cleanup(close_file) = NULL;
	char *mark __autofree = NULL, *path __autofree = NULL, *line __autofree = NULL;
	char group[KSYM_EVENT_LEN], name[KSYM_EVENT_LEN];
	static bool is_hit[MAX_CPUS];
	bool shown = false;
	size_t room = 0, cpu;

	if (instance && !tracefs_instance_exists(instance))
		die("no trace instance '%s'", instance);
	split_event(watch, group, name);
	mark = xasprintf(": %s: ", name);
	path = xasprintf("%s%s%s/trace", tracefs_tracing_dir(), instance ? "/instances/" : "",
			 instance ?: "");
	file = fopen(path, "re");
	if (!file)
		die("%s cannot be read: %s", path, strerror(errno));
	while (getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		/* The lines of a stack follow the one that announces it. */
		if (strncmp(line, " => ", 4)) {
			cpu = line_cpu(line);
			if (!strstr(line, "stack trace>"))
				is_hit[cpu] = strstr(line, mark);
			shown = *line == '#' || is_hit[cpu];
		}
		if (!shown)
			continue;
		print_safe(stdout, line);
		putchar('\n');
	}
}

/* Makes the sink that the options ask for. */
static struct sink *make_sink(const struct command *cmd)
{
	struct sink *sink;
	char *fault;

	if (!group_by && !sort)
		return output_sink(cmd);
	sink = groups_sink(stdout, output_json, group_by, sort, &output_srcline, &fault);
	if (fault)
		die_usage(cmd, "%s", fault);
	return sink;
}

static int report(const struct command *cmd, int argc, char **argv)
{
	const char *path = only_file(cmd, argc, argv, "trace.dat");
	struct sink *sink = make_sink(cmd);
	struct recording *recording;
	struct hits *hits;
	int ret;

	if (is_watch(path)) {
		sink_free(sink);
		if (output_json)
			die_usage(cmd, "--json needs a recording, such as extract writes");
		if (!no_pager)
			pager_start();
		show_buffer(path + (*path == '@'));
		return STATUS_OK;
	}
	if (instance)
		die("no watch '%s'; ksymwatch list shows the names", path);
	recording = recording_open(path);
	if (!recording) {
		sink_free(sink);
		return STATUS_FAILED;
	}
	if (!no_pager)
		pager_start();
	hits = hits_new(sink);
	if (output_srcline)
		hits_want_lines(hits, true, false);
	ret = recording_read(recording, hits);
	hits_free(hits);
	sink_free(sink);
	recording_close(recording);
	return ret ? STATUS_FAILED : STATUS_OK;
}

const struct command cmd_report = {
	.name = "report", .run = report,
	.arguments = "[FILE|NAME]",
	.summary = "show a recording, or a trace buffer",
	.help =
"Shows the hits in FILE (trace.dat), written by ksymwatch record or trace-cmd record, then\n"
"who hit what how often. Needs no special rights.\n"
"\n"
"Shows the hits of the watch NAME in the trace buffer, as the kernel prints them, if there\n"
"is no such file. They stay in the buffer.\n",
	.options = (const struct command_option[]) {
		STYLE_OPTION, SRCLINE_OPTION, JSON_OPTION, COLOUR_OPTION,
		BUFFER_OPTION(instance),
		{ 0, "group-by", "KEYS", .text = &group_by, .help =
		  "count hits by function, line, task, value, stack; several keys by commas" },
		{ 0, "sort", "COLUMNS", .text = &sort, .help =
		  "sort groups by hits (the default), reads, writes, unknown, changes,\n"
		  "watch, key; several by commas" },
		{ 0, "no-pager", .flag = &no_pager, .help =
		  "don't run $KSYMWATCH_PAGER, $PAGER or less on a terminal" },
		{}
	},
};

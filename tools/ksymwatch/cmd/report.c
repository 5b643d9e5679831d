// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch report: the hits of a recording.
 */
#include <unistd.h>

#include "backend/support.h"
#include "backend/tracer/watches.h"
#include "cli/terminal.h"
#include "cmd/buffer.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/util.h"
#include "out/sinks.h"

static bool no_pager;
static const char *group_by, *sort;
static const char *instance;

/* A file of this name comes first. */
static bool is_watch(const char *name)
{
	struct watches watches;
	bool found;

	if ((!instance && !access(name, F_OK)) || !has_tracer() || geteuid())
		return false;
	watches_read(&watches);
	found = watches_find(&watches, name);
	watches_free(&watches);
	return found;
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
		buffer_show(path + (*path == '@'), instance);
		flush_stdout();
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
	flush_stdout();
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

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

static bool no_pager;
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

static int report(const struct command *cmd, int argc, char **argv)
{
	const char *path = only_file(cmd, argc, argv, "trace.dat");
	struct sink *sink = output_sink(cmd);
	struct recording *recording;
	struct hits *hits;
	int ret;

	if (is_watch(path)) {
		sink_free(sink);
		if (output_json)
			die_usage(cmd, "--json needs a recording, such as extract writes");
		if (!no_pager)
			pager_start();
		buffer_show(path, instance);
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
		STYLE_OPTION, JSON_OPTION, COLOUR_OPTION,
		BUFFER_OPTION(instance),
		{ 0, "no-pager", .flag = &no_pager, .help =
		  "don't run $KSYMWATCH_PAGER, $PAGER or less on a terminal" },
		{}
	},
};

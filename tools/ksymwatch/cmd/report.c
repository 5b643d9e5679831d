// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch report: the hits of a recording.
 */
#include "cli/terminal.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/util.h"

static bool no_pager;

static int report(const struct command *cmd, int argc, char **argv)
{
	const char *path = only_file(cmd, argc, argv, "trace.dat");
	struct sink *sink = output_sink(cmd);
	struct recording *recording = recording_open(path);
	struct hits *hits;
	int ret;

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
	.arguments = "[FILE]",
	.summary = "show a recording",
	.help =
"Shows the hits in FILE (trace.dat), written by ksymwatch record or trace-cmd record, then\n"
"who hit what how often. Needs no special rights.\n",
	.options = (const struct command_option[]) {
		STYLE_OPTION, JSON_OPTION, COLOUR_OPTION,
		{ 0, "no-pager", .flag = &no_pager, .help =
		  "don't run $KSYMWATCH_PAGER, $PAGER or less on a terminal" },
		{}
	},
};

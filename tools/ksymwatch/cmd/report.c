// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch report: the hits of a recording.
 */
#include <stdlib.h>

#include "cli/output.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/ksymwatch.h"

int cmd_report(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, OPTION_JSON },
		{ "style", required_argument, NULL, OPTION_STYLE },
		{ "color", required_argument, NULL, OPTION_COLOUR },
		{ "no-pager", no_argument, NULL, OPTION_NO_PAGER },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	struct recording *recording;
	struct output output = {};
	struct hits *hits;
	struct sink *sink;
	int option, ret;

	while ((option = next_option(cmd, argc, argv, ":jh", options)) != -1)
		output_option(&output, cmd, option, optarg);
	recording = recording_open(only_file(cmd, argc, argv));
	if (!recording)
		return STATUS_FAILED;
	sink = output_sink(&output);
	if (!output.no_pager)
		pager_start();
	hits = hits_new(sink);
	ret = recording_read(recording, hits);
	hits_free(hits);
	sink_free(sink);
	recording_close(recording);
	flush_stdout();
	return ret ? STATUS_FAILED : STATUS_OK;
}

// SPDX-License-Identifier: GPL-2.0-only
/* ksymwatch report: the hits of a recording, or of a watch in a trace buffer. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/support.h"
#include "backend/tracer/watches.h"
#include "cli/terminal.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/run.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/util.h"
#include "out/sinks.h"
#include "spec/spec.h"

static bool no_pager;
static const char *group_by, *sort;
static const char *instance;

/* Returns the shown name of a watch, or NULL. A file of this name comes first. */
static char *find_watch(const char *name)
{
	struct watches watches __cleanup(watches_free) = {};
	const struct watch *watch;

	if ((!instance && !access(name, F_OK)) || !has_tracer() || geteuid())
		return NULL;
	watches_read(&watches);
	watch = watches_find(&watches, name);
	return watch ? xstrdup(shown_event(watch->name)) : NULL;
}

/* A recording of what a trace buffer has. */
static char *copy;

static void remove_copy(void)
{
	unlink(copy);
}

static struct recording *open_buffer(void)
{
	struct recording *recording;
	/* A signal waits until there is nothing to leave behind. */
	sigset_t before = signals_hold();
	int fd;

	copy = xasprintf("%s/ksymwatch-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	fd = mkstemp(copy);
	if (fd < 0)
		die("%s cannot be written: %s", copy, strerror(errno));
	close(fd);
	atexit(remove_copy);
	recording = run_extract(copy, instance, true) ? NULL : recording_open(copy);
	/* What is open can still be read. */
	remove_copy();
	sigprocmask(SIG_SETMASK, &before, NULL);
	return recording;
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
	char *watch __autofree = NULL;
	const char *path = only_file(cmd, argc, argv, "trace.dat");
	struct sink *sink = make_sink(cmd);
	struct recording *recording;
	struct hits *hits;
	int ret;

	watch = find_watch(path);
	if (instance && !watch)
		die("no watch '%s'; ksymwatch list shows the names", path);
	recording = watch ? open_buffer() : recording_open(path);
	if (!recording) {
		sink_free(sink);
		return STATUS_FAILED;
	}
	if (!no_pager)
		pager_start();
	hits = hits_new(sink);
	if (watch)
		hits_want_only(hits, watch);
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
"Shows the hits of the watch NAME in the trace buffer if there is no such file. They stay in\n"
"the buffer.\n",
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

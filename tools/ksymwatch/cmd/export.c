// SPDX-License-Identifier: GPL-2.0-only
/* ksymwatch export and plot: the hits of a recording, in a form that others read. */
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/newfile.h"
#include "lib/util.h"
#include "out/sinks.h"

/* Would the output replace its input? */
static bool is_same_file(const char *a, const char *b)
{
	struct stat st_a, st_b;

	return !stat(a, &st_a) && !stat(b, &st_b) && st_a.st_dev == st_b.st_dev &&
	       st_a.st_ino == st_b.st_ino;
}

/* The result does not show that hits are missing. */
static void tell_lost(const struct summary *summary)
{
	if (summary->lost)
		err("%llu%s hits were lost: the trace buffer was full", summary->lost,
		    summary->lost_more ? " or more" : "");
	else if (summary->lost_more)
		err("hits were lost: the trace buffer was full");
}

/* Writes the hits of a recording to a file, or to stdout for NULL and "-". */
static int convert(const char *path, const char *to,
		   struct sink *(*make)(FILE *out, const char *path))
{
	struct recording *recording = recording_open(path);
	struct newfile file;
	struct hits *hits;
	struct sink *sink;
	int ret;

	if (!recording)
		return STATUS_FAILED;
	if (to && is_same_file(path, to))
		die("%s is the input; use -o FILE", to);
	newfile_open(&file, to);
	sink = make(file.out, path);
	hits = hits_new(sink);
	ret = recording_read(recording, hits);
	if (!ret)
		tell_lost(hits_summary(hits));
	hits_free(hits);
	sink_free(sink);
	recording_close(recording);
	newfile_close(&file, !ret);
	return ret ? STATUS_FAILED : STATUS_OK;
}

static struct sink *make_csv(FILE *out, const char *path __maybe_unused)
{
	return csv_sink(out);
}

static struct sink *make_perfetto(FILE *out, const char *path __maybe_unused)
{
	return perfetto_sink(out);
}

static bool csv, perfetto;
static const char *output;

static int run_export(const struct command *cmd, int argc, char **argv)
{
	const char *path = only_file(cmd, argc, argv, "trace.dat");

	if (csv == perfetto)
		die_usage(cmd, "give one of --csv and --perfetto");
	if (perfetto && !output && isatty(STDOUT_FILENO))
		die_usage(cmd, "refusing to write a binary format to a terminal; use -o FILE");
	return convert(path, output, csv ? make_csv : make_perfetto);
}

const struct command cmd_export = {
	.name = "export", .run = run_export,
	.arguments = "[FILE]",
	.summary = "turn a recording into CSV, or a trace for Perfetto",
	.help = "Writes the hits in FILE (trace.dat) in another format: --csv or --perfetto.\n",
	.options = (const struct command_option[]) {
		{ 0, "csv", .flag = &csv, .help =
		  "comma-separated values: a line of column names, then one per hit" },
		{ 0, "perfetto", .flag = &perfetto, .help =
		  "a trace for ui.perfetto.dev: values as counters, hits as events of their\n"
		  "tasks" },
		{ 'o', "output", "FILE", .text = &output, .help =
		  "the file to write (standard output)" },
		{}
	},
};

static int plot(const struct command *cmd, int argc, char **argv)
{
	const char *path = only_file(cmd, argc, argv, "trace.dat");

	if (!output && isatty(STDOUT_FILENO))
		die_usage(cmd, "refusing to write HTML to a terminal; use -o FILE");
	return convert(path, output, plot_sink);
}

const struct command cmd_plot = {
	.name = "plot", .run = plot,
	.arguments = "[FILE]",
	.summary = "turn a recording into a page for a browser",
	.help =
"Writes a page that shows the hits in FILE (trace.dat): values over time, and hits by\n"
"function, CPU and task. The page loads nothing, neither from the network nor from files.\n",
	.options = (const struct command_option[]) {
		{ 'o', "output", "FILE", .text = &output, .help =
		  "the file to write (standard output)" },
		{}
	},
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch export and plot: the hits of a recording, in a form that others read.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/util.h"
#include "out/sinks.h"

/**
 * struct target - where the result goes
 * @path: the file, as it was given, or NULL for the standard output
 * @real: the same without links
 * @part: the file beside it that becomes it when it is complete, or NULL
 * @out: what is written to
 */
struct target {
	const char	*path;
	char		*real;
	char		*part;
	FILE		*out;
};

/* The part, for those who end us early. */
static const char *unfinished;

static void remove_part(void)
{
	if (unfinished)
		unlink(unfinished);
}

static void end_by_signal(int number)
{
	remove_part();
	signal(number, SIG_DFL);
	raise(number);
}

static void remove_part_at_end(const char *part)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	size_t i;

	unfinished = part;
	atexit(remove_part);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (signal(signals[i], end_by_signal) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

/* Would the output replace what it is made from? */
static bool is_same_file(const char *a, const char *b)
{
	struct stat st_a, st_b;

	return !stat(a, &st_a) && !stat(b, &st_b) && st_a.st_dev == st_b.st_dev &&
	       st_a.st_ino == st_b.st_ino;
}

/* A file gets its place when all of it is there; a device or a pipe is what it is. */
static void open_target(struct target *target, const char *input)
{
	struct stat st;
	mode_t mask;
	int fd;

	target->out = stdout;
	if (!target->path)
		return;
	if (!*target->path)
		die("the name of the output is empty");
	if (is_same_file(target->path, input))
		die("%s is the input; use -o FILE", target->path);
	if (!stat(target->path, &st) && !S_ISREG(st.st_mode)) {
		target->out = fopen(target->path, "we");
		if (!target->out)
			die("%s cannot be written: %s", target->path, strerror(errno));
		return;
	}
	/* A link stays one: what it points to is replaced. */
	target->real = realpath(target->path, NULL) ?: xstrdup(target->path);
	target->part = xasprintf("%s.part-XXXXXX", target->real);
	fd = mkostemp(target->part, O_CLOEXEC);
	if (fd < 0)
		die("%s cannot be written: %s", target->path, strerror(errno));
	remove_part_at_end(target->part);
	/* A temporary file is for its owner only, which this one need not be. */
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	target->out = fdopen(fd, "w");
	if (!target->out)
		die("out of memory");
}

/* Puts the file in its place, unless it @failed. */
static void close_target(struct target *target, bool failed)
{
	if (!target->path) {
		flush_stdout();
		return;
	}
	errno = 0;
	if (ferror(target->out) | fclose(target->out))
		die("%s cannot be written: %s", target->path,
		    errno ? strerror(errno) : "not all of it was written");
	if (!failed && target->part) {
		if (rename(target->part, target->real))
			die("%s cannot be written: %s", target->path, strerror(errno));
		unfinished = NULL;
	}
	remove_part();
	unfinished = NULL;
	free(target->part);
	free(target->real);
}

/* Hits that are missing would not be seen in the result. */
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
	struct target target = { .path = to && strcmp(to, "-") ? to : NULL };
	struct recording *recording = recording_open(path);
	struct hits *hits;
	struct sink *sink;
	int ret;

	if (!recording)
		return STATUS_FAILED;
	open_target(&target, path);
	sink = make(target.out, path);
	hits = hits_new(sink);
	ret = recording_read(recording, hits);
	if (!ret)
		tell_lost(hits_summary(hits));
	hits_free(hits);
	sink_free(sink);
	recording_close(recording);
	close_target(&target, ret);
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
	return convert(path, output, csv ? make_csv : make_perfetto);
}

const struct command cmd_export = {
	.name = "export", .run = run_export,
	.arguments = "[FILE]",
	.summary = "turn a recording into CSV, or a trace for Perfetto",
	.help = "Writes the hits in FILE (trace.dat) in another format.\n",
	.options = (const struct command_option[]) {
		{ 0, "csv", .flag = &csv, .help =
		  "comma-separated values: a line of column names, then one per hit" },
		{ 0, "perfetto", .flag = &perfetto, .help =
		  "JSON for ui.perfetto.dev and chrome://tracing: values as counters, hits as\n"
		  "events of their tasks" },
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch stat: counts while a command runs.
 *
 * The tracer counts hits exactly, in whatever instance the watch is enabled. So the
 * session's buffer is not read.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/run.h"
#include "lib/grid.h"
#include "lib/newfile.h"
#include "lib/text.h"
#include "lib/util.h"

#define MAX_RUNS	1000000

/* A number measured in one or several runs. */
struct sample {
	unsigned long	nr;
	double		mean;
	double		squares;	/* sum of the squared distances from the mean */
};

/* The numbers of each watch in the table. */
enum figure { HITS, READS, WRITES, UNKNOWN, CHANGES, MISSED, NR_FIGURES };

/* Their counters; MISSED is the sum of several. */
static const enum count figures[] = {
	[HITS] = COUNT_HITS, [READS] = COUNT_READS, [WRITES] = COUNT_WRITES,
	[UNKNOWN] = COUNT_UNKNOWN, [CHANGES] = COUNT_CHANGES,
};

/* The numbers of a watch. */
struct row {
	struct sample		figure[NR_FIGURES];
	unsigned long long	missed[NR_COUNTS];	/* and what else failed, in all runs */
	struct counts		before;			/* the run */
	struct counts		last;			/* after the last run, with the coverage */
};

/* All numbers: a row per watch, and the times of the command in ns. */
struct stat_run {
	struct session		*session;
	struct row		*row;
	struct sample		elapsed;
	struct sample		user;
	struct sample		sys;
};

static unsigned long runs = 1;
static const char *path;
static bool append, quiet;

/* Adds the number of a run, by Welford's algorithm. */
static void sample_add(struct sample *sample, double value)
{
	double distance = value - sample->mean;

	sample->nr++;
	sample->mean += distance / sample->nr;
	sample->squares += distance * (value - sample->mean);
}

/* Returns the standard error of the mean in percent, as perf stat does. */
static double sample_deviation(const struct sample *sample)
{
	if (sample->nr < 2 || sample->mean <= 0)
		return 0;
	return 100 * sqrt(sample->squares / (sample->nr - 1) / sample->nr) / sample->mean;
}

/* Formats a mean, without a fraction if it has none. */
static char *sample_text(const struct sample *sample)
{
	return xasprintf("%.*f", sample->mean == floor(sample->mean) ? 0 : 1, sample->mean);
}

static long long timeval_ns(struct timeval time)
{
	return time.tv_sec * NS_PER_S + time.tv_usec * 1000LL;
}

static void row_end(struct stat_run *run, size_t index)
{
	struct row *row = &run->row[index];
	struct counts now;
	int i;

	run->session->backend->counts(run->session, index, &row->last);
	now = row->last;
	for (i = 0; i < NR_COUNTS; i++)
		now.nr[i] -= row->before.nr[i];
	for (i = FIRST_MISSED; i < NR_COUNTS; i++)
		row->missed[i] += now.nr[i];
	for (i = HITS; i < MISSED; i++)
		sample_add(&row->figure[i], now.nr[figures[i]]);
	sample_add(&row->figure[MISSED], counts_missed(&now));
}

static void counts_end(struct stat_run *run, long long began, const struct rusage *usage)
{
	size_t i;

	for (i = 0; i < run->session->events.nr; i++)
		row_end(run, i);
	sample_add(&run->elapsed, now_ns() - began);
	sample_add(&run->user, timeval_ns(usage->ru_utime));
	sample_add(&run->sys, timeval_ns(usage->ru_stime));
}

/* Counts once, while the command runs. */
static void count(struct stat_run *run, struct run *once)
{
	long long began;
	size_t i;

	/* Without a command, all hits since the start count, or some of count= would be missing. */
	for (i = 0; once->command && i < run->session->events.nr; i++)
		run->session->backend->counts(run->session, i, &run->row[i].before);
	began = now_ns();
	run_start(once);
	while (!run_is_over(once, session_ended(run->session)))
		session_wait(run->session, -1);
	counts_end(run, began, &once->child.usage);
}

/* perf counts hits only, which are writes unless reads are watched, too. */
static bool is_known(const struct row *row, int figure)
{
	return figure == HITS || figure == MISSED || row->last.has_kinds ||
	       (figure == WRITES && row->last.has_writes);
}

/* Adds the cells of a watch's row. */
static void make_cells(struct strings *cells, const struct stat_run *run, size_t i)
{
	const struct row *row = &run->row[i];
	double hits = row->figure[HITS].mean;
	int f;

	strings_add(cells, shown_event(run->session->events.text[i]));
	for (f = 0; f < NR_FIGURES; f++) {
		strings_add_owned(cells, is_known(row, f) ? sample_text(&row->figure[f]) :
				  xstrdup("-"));
		if (f == HITS && run->elapsed.nr > 1)
			strings_add_owned(cells, xasprintf("%.2f%%",
							   sample_deviation(&row->figure[f])));
	}
	strings_add_owned(cells, xasprintf("%.1f", hits * NS_PER_S / run->elapsed.mean));
	add_coverage(cells, hits, row->last.coverage);
}

static void make_headings(struct strings *cells, const struct stat_run *run)
{
	int f;

	strings_add(cells, "WATCH");
	for (f = 0; f < NR_FIGURES; f++) {
		strings_add(cells, f == MISSED ? "MISSED" : count_name(figures[f]));
		if (f == HITS && run->elapsed.nr > 1)
			strings_add(cells, "+-");
	}
	strings_add(cells, "HITS/S");
	strings_add(cells, "COVERAGE");
	strings_add(cells, "ESTIMATE");
}

static void print_table(FILE *out, const struct stat_run *run)
{
	/* All but the first column are numbers. */
	struct grid grid = { .right = ~1U, .indent = " " };
	size_t i;

	make_headings(&grid.cells, run);
	grid.columns = grid.cells.nr;
	for (i = 0; i < run->session->events.nr; i++)
		make_cells(&grid.cells, run, i);
	grid_print(&grid, out);
}

static void print_missed(FILE *out, const struct stat_run *run)
{
	size_t i;
	int r;

	for (i = 0; i < run->session->events.nr; i++)
		for (r = FIRST_MISSED; r < NR_COUNTS; r++)
			if (run->row[i].missed[r])
				fprintf(out, r < FIRST_FAILED ? " %s missed %llu: %s\n" :
							       " %s: %llu %s\n",
					shown_event(run->session->events.text[i]),
					run->row[i].missed[r], count_meaning(r));
}

static void print_time(FILE *out, const struct sample *time, const char *text)
{
	fprintf(out, "%15.9f seconds %s", time->mean / NS_PER_S, text);
	if (time->nr > 1)
		fprintf(out, "  ( +- %.2f%% )", sample_deviation(time));
	putc('\n', out);
}

static void print_counts(FILE *out, const struct stat_run *run, char **argv)
{
	int i;

	fputs("\n Counts ", out);
	for (i = 0; argv && argv[i]; i++) {
		fputs(i ? " " : "for '", out);
		print_safe(out, argv[i]);
	}
	fputs(argv ? "'" : "until Ctrl-C", out);
	if (run->elapsed.nr > 1)
		fprintf(out, " (%lu runs)", run->elapsed.nr);
	fputs(":\n\n", out);
	print_table(out, run);
	print_missed(out, run);
	putc('\n', out);
	print_time(out, &run->elapsed, "time elapsed");
	if (argv) {
		print_time(out, &run->user, "user");
		print_time(out, &run->sys, "sys");
	}
	putc('\n', out);
}

/* Writes an integer if there was one run. */
static void json_sample(struct json *json, const char *name, const struct sample *sample)
{
	if (sample->nr == 1)
		json_unsigned(json, name, sample->mean);
	else
		json_double(json, name, sample->mean);
}

/* Prints a watch as a line of JSON. */
static void print_json(FILE *out, const struct stat_run *run, size_t i, bool command)
{
	const struct row *row = &run->row[i];
	struct json json = { .out = out };
	char *key;
	int f;

	json_open(&json, NULL, '{');
	json_text(&json, "type", "count");
	json_text(&json, "watch", shown_event(run->session->events.text[i]));
	json_unsigned(&json, "runs", run->elapsed.nr);
	for (f = 0; f < NR_FIGURES; f++) {
		key = f == MISSED ? xstrdup("missed") : count_key(figures[f]);
		if (is_known(row, f))
			json_sample(&json, key, &row->figure[f]);
		else
			json_null(&json, key);
		free(key);
	}
	json_counts(&json, "missed_by_reason", row->missed, FIRST_MISSED, FIRST_FAILED, false);
	json_counts(&json, "failed", row->missed, FIRST_FAILED, NR_COUNTS, false);
	json_double(&json, "hits_per_second",
		    row->figure[HITS].mean * NS_PER_S / run->elapsed.mean);
	if (run->elapsed.nr > 1)
		json_double(&json, "hits_deviation_percent", sample_deviation(&row->figure[HITS]));
	json_coverage(&json, row->figure[HITS].mean, row->last.coverage);
	json_unsigned(&json, "elapsed_ns", run->elapsed.mean);
	if (command) {
		json_unsigned(&json, "user_ns", run->user.mean);
		json_unsigned(&json, "sys_ns", run->sys.mean);
	}
	json_close(&json, '}');
	json_end_line(&json);
}

/* Returns the file of --output, or stderr. */
static FILE *open_output(void)
{
	time_t now = time(NULL);
	char text[64];
	FILE *out;

	if (!path)
		return stderr;
	out = newfile_in_place(path, append);
	/* The file may contain several. */
	if (!output_json)
		fprintf(out, "# started on %s", ctime_r(&now, text));
	return out;
}

/* Returns false after a message if it can't be written. */
static bool write_output(FILE *out, const struct stat_run *run, char **argv)
{
	bool failed;
	size_t i;

	for (i = 0; output_json && i < run->session->events.nr; i++)
		print_json(out, run, i, argv);
	if (!output_json)
		print_counts(out, run, argv);
	failed = fflush(out) || ferror(out);
	if (path)
		failed = fclose(out) || failed;
	if (failed && path)
		err("%s cannot be written: %s", path, strerror(errno));
	return !failed;
}

static void take_runs(const struct command *cmd, const char *text)
{
	char *end;

	errno = 0;
	runs = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || !runs || runs > MAX_RUNS)
		die_usage(cmd, "invalid number of runs '%s': must be 1 to %d", text, MAX_RUNS);
}

static int run_stat(const struct command *cmd, int argc, char **argv)
{
	bool written, hushed;
	const struct backend *backend;
	struct stat_run run = {};
	struct strings specs __cleanup(strings_free) = {};
	struct run once;
	FILE *out;

	argv = run_arguments(cmd, argc, argv, &specs);
	if (runs > 1 && !argv)
		die_usage(cmd, "--repeat requires -- COMMAND");
	if (append && !path)
		die_usage(cmd, "--append requires --output FILE");
	/* Readers of JSON expect nothing else. */
	hushed = quiet || (output_json && !path);
	backend = backend_choose();
	run_open(&once, argv);
	run.session = session_open(backend, &specs, once.signals, -1,
				   SESSION_COUNT | (hushed ? SESSION_QUIET : 0));
	out = open_output();
	run.row = xcalloc(run.session->events.nr, sizeof(*run.row));
	session_start(run.session);
	for (;;) {
		count(&run, &once);
		/* A signal that ends the command ends the series. */
		if (run.elapsed.nr == runs || once.child.killed)
			break;
		child_prepare(&once.child, argv);
	}
	written = write_output(out, &run, argv);
	free(run.row);
	session_close();
	return written ? once.status : STATUS_FAILED;
}

const struct command cmd_stat = {
	.name = "stat", .run = run_stat,
	.arguments = "[SPEC...] [-- COMMAND [ARG...]]",
	.summary = "count hits while a command runs, or until Ctrl-C",
	.help =
"Runs the command, then shows on stderr what the watches counted, whoever caused it: hits,\n"
"and how many of them read, wrote, did an unknown access, or changed the value; missed\n"
"accesses, and why; hits per second; the share of the time the watch was armed, and the\n"
"estimated hits at full coverage. The tracer does the counting: the numbers are exact, and\n"
"nothing is recorded. Without a command it counts until Ctrl-C (or SIGTERM, SIGHUP,\n"
"SIGQUIT). The exit status is the command's, as with ksymwatch record.\n",
	.options = (const struct command_option[]) {
		{ 'r', "repeat", "N", .take = take_runs, .help =
		  "run the command N times; show means and their deviation" },
		{ 'o', "output", "FILE", .text = &path, .help =
		  "write to FILE instead of stderr" },
		{ 0, "append", .flag = &append, .help = "append to FILE" },
		JSON_LINES_OPTION("watch"),
		QUIET_OPTION,
		FILTER_OPTION, TRIGGER_OPTION,
		{}
	},
	.more = (const char * const[]) { session_help, spec_help, NULL },
};

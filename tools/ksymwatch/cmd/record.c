// SPDX-License-Identifier: GPL-2.0-only
/* ksymwatch record: a recording for as long as a command runs, or until Ctrl-C. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sideband.h"
#include "backend/support.h"
#include "cli/terminal.h"
#include "cmd/commands.h"
#include "cmd/run.h"
#include "cmd/output.h"
#include "file/recorder.h"
#include "file/recording.h"
#include "file/remote.h"
#include "hits/hits.h"
#include "lib/util.h"

/* How often a connection that takes no more is asked again. */
#define BEHIND_MS	10

static const char *path, *to;
static bool quiet;

static unsigned long long count_hits(struct session *session)
{
	unsigned long long hits = 0;
	struct counts counts;
	size_t i;

	for (i = 0; i < session->events.nr; i++) {
		session->backend->counts(session, i, &counts);
		hits += counts.nr[COUNT_HITS];
	}
	return hits;
}

/* Returns 0, or the first errno, which ends the recording. */
static int move_pages(struct session *session, bool last)
{
	static int error;

	if (error)
		return error;
	if (last || !recorder_is_behind())
		error = session->backend->raw_move(session, last);
	/* recorder_finish() sends the last ones. */
	if (!error && !last)
		error = recorder_sent();
	if (error) {
		progress_end();
		err("the recording is incomplete: %s", strerror(error));
	}
	return error;
}

/*
 * Waits for hits, and writes those that have arrived. The buffers stay full if nothing can be
 * written, so only signals are waited for then. Returns whether more can be written.
 */
static bool record_some(struct session *session, bool can_write)
{
	struct fill fill;

	if (can_write && !recorder_is_behind())
		session_wait(session, progress_timeout());
	else
		session_wait_told(session, can_write ? BEHIND_MS : -1);
	sideband_read();
	if (!can_write || move_pages(session, false))
		return false;
	if (!progress_due())
		return true;
	session->backend->fill(session, &fill);
	progress_update(count_hits(session), fill.lost, recorder_size() + fill.bytes);
	return true;
}

/* Records until it is over. */
static void record_all(struct run *run, struct session *session)
{
	int told = signals_told(run->signals);
	bool can_write = true;

	/* A signal before the start ends the program: nothing was recorded. */
	if (told)
		exit(STATUS_SIGNAL + told);
	session_start(session);
	progress_begin(quiet, !run->command);
	run_start(run);
	while (!run_is_over(run, session_ended(session) || !can_write))
		can_write = record_some(session, can_write);
	session->backend->stop(session);
	progress_end();
}

/*
 * Prints the summary of a recording on another machine: what the watches counted. The
 * functions are known only there.
 */
static void print_sent(struct session *session)
{
	unsigned long long hits = count_hits(session);
	struct counts counts;
	int width = strlen("WATCH");
	struct fill fill;
	size_t i;

	for (i = 0; i < session->events.nr; i++)
		if ((int)strlen(shown_event(session->events.text[i])) > width)
			width = strlen(shown_event(session->events.text[i]));
	fprintf(stderr, "%-*s  %9s %9s\n", width, "WATCH", "HITS", "CHANGES");
	for (i = 0; i < session->events.nr; i++) {
		session->backend->counts(session, i, &counts);
		fprintf(stderr, "%-*s  %9llu ", width, shown_event(session->events.text[i]),
			counts.nr[COUNT_HITS]);
		/* perf counts hits only. */
		if (counts.has_kinds)
			fprintf(stderr, "%9llu\n", counts.nr[COUNT_CHANGES]);
		else
			fprintf(stderr, "%9s\n", "-");
	}
	session->backend->fill(session, &fill);
	hits -= fill.lost < hits ? fill.lost : hits;
	fprintf(stderr, "%llu hit%s, sent to %s\n", hits, hits == 1 ? "" : "s", to);
	if (fill.lost)
		fprintf(stderr, "%llu hit%s lost: the trace buffer was full\n", fill.lost,
			fill.lost == 1 ? "" : "s");
}

/* Prints the summary of the recording that was written. Returns whether that worked. */
static bool print_summary(void)
{
	struct recording *recording = recording_open(path);
	struct hits *hits = hits_new(NULL);
	bool done = recording && !recording_read(recording, hits);

	if (done)
		summary_print(hits_summary(hits), stderr);
	hits_free(hits);
	recording_close(recording);
	return done;
}

/* Has the session's pages written into the recorder's files. */
static void connect(struct session *session)
{
	int *signals = &session->fds[session->nr_fds - 2].fd;
	struct tracedat dat = { .comms = session->backend->raw_comms(session) };

	session->backend->raw_formats(session, &dat);
	/* The listener writes the part of the file that has them. */
	if (session->has_user_stacks && !to)
		*signals = sideband_open(dat.clock, *signals);
	session->backend->raw_open(session, recorder_begin(&dat));
}

/* Returns 0, or -1 after an error message. */
static int finish(struct session *session)
{
	int error = move_pages(session, true);

	return recorder_finish(session->backend->raw_comms(session), sideband_text(), error);
}

/*
 * Records the hits of a session while @command runs, or with NULL until a signal arrives.
 * @file is the file to write, unless --to says where to send them. Returns the exit status.
 */
int run_record(const char *file, const struct strings *specs, char **command, bool is_quiet)
{
	const struct backend *backend = backend_choose();
	struct session *session;
	struct run run;
	bool failed;

	path = file;
	quiet = is_quiet;
	run_open(&run, command);
	if (to)
		recorder_open_remote(to);
	else
		recorder_open(path, true);
	session = session_open(backend, specs, run.signals, -1, quiet ? SESSION_QUIET : 0);
	connect(session);
	record_all(&run, session);
	failed = finish(session);
	if (to && !failed && !quiet)
		print_sent(session);
	/* A watch that others use by now stays, with a message; that is no failure. */
	session_close();
	if (!quiet && !to)
		failed = failed || !print_summary();
	return failed ? STATUS_FAILED : run.status;
}

static int record(const struct command *cmd, int argc, char **argv)
{
	struct strings specs __cleanup(strings_free) = {};
	char **command = run_arguments(cmd, argc, argv, &specs);

	if (to && path)
		die_usage(cmd, "--output and --to exclude each other");
	if (to && !remote_is_address(to))
		die_usage(cmd, "invalid --to '%s': must be HOST:PORT, as in 192.0.2.1:12345", to);
	return run_record(path ?: "trace.dat", &specs, command, quiet);
}

const struct command cmd_record = {
	.name = "record", .run = record,
	.arguments = "[SPEC...] [-- COMMAND [ARG...]]",
	.summary = "record hits while a command runs, or until Ctrl-C",
	.help =
"Runs the command and writes the hits of that time, whoever caused them, into a file for\n"
"trace-cmd, KernelShark and ksymwatch report. At the end, shows on stderr who hit what how\n"
"often. The exit status is the command's; 128+N if signal N ended it; 127 if it was not\n"
"found, 126 if it can't be run, and 1 if the recording failed.\n"
"\n"
"Without a command it records until Ctrl-C (or SIGTERM, SIGHUP, SIGQUIT). On a terminal, a\n"
"line shows the number of hits so far, the number of lost hits, and the size.\n",
	.options = (const struct command_option[]) {
		{ 'o', "output", "FILE", .text = &path, .help = "the file to write (trace.dat)" },
		{ 0, "to", "HOST:PORT", .text = &to, .help =
		  "send the hits to trace-cmd listen there, instead of writing a file" },
		{ 'q', "quiet", .flag = &quiet, .help =
		  "no line at the start, no progress line, and no summary at the end" },
		FILTER_OPTION, TRIGGER_OPTION,
		{}
	},
	.more = (const char * const[]) { session_help, spec_help, NULL },
};

/**
 * run_extract - write what the buffer of a trace instance has into a file
 * @file: the file to write
 * @instance: the instance, or NULL for the top one
 * @keep: it stays in the buffer, too
 *
 * Return: 0, or -1 after an error message.
 */
int run_extract(const char *file, const char *instance, bool keep)
{
	/* What has left the buffer would be in parts of a file that nobody knows of. */
	sigset_t before = signals_hold();
	struct session *session = session_attach(&tracer_backend, instance, keep);
	int failed;

	/* What stays in the buffer is not lost. */
	recorder_open(file, !keep);
	connect(session);
	failed = finish(session);
	session_close();
	sigprocmask(SIG_SETMASK, &before, NULL);
	return failed;
}

static const char *instance;

static int extract(const struct command *cmd, int argc, char **argv)
{
	bool failed;

	no_arguments(cmd, argc, argv);
	path = path ?: "trace.dat";
	require_tracer();
	failed = run_extract(path, instance, false);
	if (!quiet)
		failed = failed || !print_summary();
	return failed ? STATUS_FAILED : STATUS_OK;
}

const struct command cmd_extract = {
	.name = "extract", .run = extract,
	.arguments = "",
	.summary = "write what a trace buffer has recorded into a file",
	.help =
"Takes what is in the trace buffer out of it, such as the hits of the watches that add made,\n"
"and writes it into a file for trace-cmd, KernelShark and ksymwatch report. Nothing is lost:\n"
"recording goes on. Before the watches are removed: that empties the buffer.\n",
	.options = (const struct command_option[]) {
		{ 'o', "output", "FILE", .text = &path, .help = "the file to write (trace.dat)" },
		BUFFER_OPTION(instance),
		{ 'q', "quiet", .flag = &quiet, .help = "no summary at the end" },
		{}
	},
};

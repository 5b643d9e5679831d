// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch record: a recording for as long as a command runs, or until Ctrl-C.
 */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

#include "backend/session.h"
#include "cli/child.h"
#include "cli/progress.h"
#include "file/recording.h"
#include "file/remote.h"
#include "hits/hits.h"

/* The time for a signal is short: there may be nothing left to do. */
static void exit_if_told(int signals)
{
	struct signalfd_siginfo info;

	while (signals_next(signals, &info))
		if (info.ssi_signo != SIGCHLD)
			exit(STATUS_SIGNAL + info.ssi_signo);
}

/* Did a signal come that ends us? */
static bool is_told(int signals)
{
	struct signalfd_siginfo info;
	bool told = false;

	while (signals_next(signals, &info))
		told = told || info.ssi_signo != SIGCHLD;
	return told;
}

/* Waits for hits, and writes those that there are. */
static void record_some(struct session *session)
{
	session_wait(session, progress_timeout());
	recorder_pump();
	progress_update(recorder_size());
}

/* Records until the command ends, and returns its status. */
static int run_command(struct child *child, struct session *session, int signals, bool quiet)
{
	int status;

	exit_if_told(signals);
	session_start(session);
	progress_begin(session, quiet, false);
	child_start(child);
	while (!child_ended(child, &status)) {
		record_some(session);
		child_pass_signals(child, signals);
	}
	session_stop(session);
	progress_end();
	return status;
}

/* Records until a signal says that it is enough. */
static void run_until_told(struct session *session, int signals, bool quiet)
{
	exit_if_told(signals);
	session_start(session);
	progress_begin(session, quiet, true);
	while (!is_told(signals))
		record_some(session);
	session_stop(session);
	progress_end();
}

/*
 * The summary of a recording that is elsewhere: what the watches counted. Which
 * functions it was stands there.
 */
static void tell_sent(struct session *session, const char *to)
{
	unsigned long long hits = 0;
	struct counts counts;
	int width = strlen("WATCH");
	struct fill fill;
	size_t i;

	for (i = 0; i < session->events.nr; i++)
		if ((int)strlen(session->events.text[i]) > width)
			width = strlen(session->events.text[i]);
	fprintf(stderr, "%-*s  %9s %9s\n", width, "WATCH", "HITS", "CHANGES");
	for (i = 0; i < session->events.nr; i++) {
		session_counts(session, i, &counts);
		hits += counts.hits;
		fprintf(stderr, "%-*s  %9llu ", width, session->events.text[i], counts.hits);
		/* Where perf counts, it counts hits only. */
		if (counts.has_kinds)
			fprintf(stderr, "%9llu\n", counts.changes);
		else
			fprintf(stderr, "%9s\n", "-");
	}
	session_fill(session, &fill);
	hits -= fill.lost < hits ? fill.lost : hits;
	fprintf(stderr, "%llu hit%s, sent to %s\n", hits, hits == 1 ? "" : "s", to);
	if (fill.lost)
		fprintf(stderr, "%llu hit%s lost: the trace buffer was full\n", fill.lost,
			fill.lost == 1 ? "" : "s");
}

int cmd_record(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "to", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	const char *path = NULL, *to = NULL;
	struct recording *recording;
	struct session *session;
	struct hits *hits;
	struct child child;
	struct strings specs;
	int mark, option, signals, status = STATUS_OK;
	bool quiet = false, failed;

	mark = child_find_mark(argc, argv);
	hide_numbers(mark, argv);
	while ((option = next_option(cmd, mark, argv, ":o:qh", options)) != -1) {
		if (option == 'q')
			quiet = true;
		else if (option == 't')
			to = optarg;
		else
			path = optarg;
	}
	if (to && path)
		die_usage(cmd, "--output is for a file here, --to for one at the other end");
	if (to && !remote_is_address(to))
		die_usage(cmd, "--to wants HOST:PORT, as in --to 192.0.2.1:12345, and not '%s'",
			  to);
	path = path ?: "trace.dat";
	if (mark + 1 == argc)
		die_usage(cmd, "the COMMAND behind -- is missing");
	specs_from_args(&specs, mark - optind, argv + optind);
	refuse_globs(&specs);
	backend_choose();
	argv = child_command(argc, argv, mark);
	signals = signals_open();
	if (to)
		recorder_open_remote(to);
	else
		recorder_open(path);
	if (argv)
		child_prepare(&child, argv);
	session = session_open(&specs, signals, -1, 0);
	strings_free(&specs);
	recorder_attach(session);
	if (argv)
		status = run_command(&child, session, signals, quiet);
	else
		run_until_told(session, signals, quiet);
	failed = recorder_finish();
	if (to && !failed && !quiet)
		tell_sent(session, to);
	/* A watch that others use by now may stay, which it says; that is no failure. */
	session_close();

	if (quiet || to)
		return failed ? STATUS_FAILED : status;
	recording = failed ? NULL : recording_open(path);
	hits = hits_new(NULL);
	if (recording && !recording_read(recording, hits))
		summary_print(hits_summary(hits), stderr);
	else
		failed = true;
	hits_free(hits);
	recording_close(recording);
	return failed ? STATUS_FAILED : status;
}

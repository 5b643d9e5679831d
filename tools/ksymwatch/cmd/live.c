// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch live: hits as they come.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/session.h"
#include "cli/child.h"
#include "cli/signals.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/run.h"
#include "hits/hits.h"
#include "lib/util.h"

/**
 * struct live - a session that is being shown
 * @session: the session
 * @tep: the events' formats, the functions and the tasks
 * @signals: descriptor of the signals
 * @command: the command that the session lasts for, or NULL
 * @child: its process
 * @status: its exit status
 * @unread: the reader has closed the output
 * @ended: the session has ended by itself
 * @stopped: the session has stopped; the rest of its buffer is read
 * @hits: the hits from the buffer
 */
struct live {
	struct session		*session;
	struct tep_handle	*tep;
	int			signals;
	char			**command;
	struct child		child;
	int			status;
	bool			unread;
	bool			ended;
	bool			stopped;
	struct hits		*hits;
};

/* Has the command ended, or has a signal arrived if there is none? */
static bool is_over(struct live *live)
{
	if (!live->command)
		return signals_told(live->signals) || live->ended;
	child_pass_signals(&live->child, live->signals);
	return child_ended(&live->child, &live->status);
}

/*
 * Also called for each hit: if hits arrive faster than they can be shown, the buffer never
 * gets empty.
 */
static void stop_if_told(struct live *live)
{
	if (live->stopped || !(live->unread || ferror(stdout) || is_over(live)))
		return;
	live->session->backend->stop(live->session);
	live->stopped = true;
}

static void show_hit(struct tep_event *event, struct tep_record *record,
		     int cpu __maybe_unused, void *data)
{
	struct live *live = data;

	stop_if_told(live);
	hits_take(live->hits, 0, event, record);
}

static void read_hits(struct live *live)
{
	live->session->backend->read(live->session, show_hit, live);
}

static void show_hits(struct live *live)
{
	read_hits(live);
	/* The stack of the last hit may not have been written yet. */
	if (hits_are_open(live->hits))
		read_hits(live);
	hits_flush(live->hits);
}

/**
 * run_live - show the hits of a session
 * @sink: what shows them, which is freed
 * @specs: SPECs and names of watches
 * @command: the command that the session lasts for, or NULL for until a signal arrives
 * @is_quiet: do not say what is watched
 *
 * Return: the exit status.
 */
int run_live(struct sink *sink, const struct strings *specs, char **command, bool is_quiet)
{
	struct live live = { .command = command };
	const struct backend *backend = backend_choose();
	int ret;

	live.signals = signals_open();
	live.hits = hits_new(sink);
	hits_want_lines(live.hits, output_srcline, true);
	if (command)
		child_prepare(&live.child, command);
	live.session = session_open(backend, specs, live.signals, STDOUT_FILENO,
				    SESSION_PROMPT | (is_quiet ? SESSION_QUIET : 0));
	/* Needed after session_close(), for the summary. */
	live.tep = session_formats(live.session);
	tep_ref(live.tep);
	session_start(live.session);
	hits_begin(live.hits, live.tep);
	fflush(stdout);
	if (command)
		child_start(&live.child);
	for (stop_if_told(&live); !live.stopped; stop_if_told(&live)) {
		live.unread = !session_wait(live.session, -1);
		show_hits(&live);
		live.ended = session_ended(live.session);
	}
	show_hits(&live);

	ret = session_close();
	/* Does not return if the reader is gone. */
	signals_deliver_pipe();
	hits_end(live.hits);
	hits_free(live.hits);
	sink_free(sink);
	tep_unref(live.tep);
	flush_stdout();
	return ret ? STATUS_FAILED : live.status;
}

static bool quiet;

static int live(const struct command *cmd, int argc, char **argv)
{
	int mark = child_find_mark(cmd, argc, argv), first = parse_options(cmd, mark, argv), status;
	struct sink *sink = output_sink(cmd);
	struct strings specs;

	if (mark + 1 == argc)
		die_usage(cmd, "missing command after --");
	specs_from_args(&specs, mark - first, argv + first);
	status = run_live(sink, &specs, child_command(argc, argv, mark), quiet);
	strings_free(&specs);
	return status;
}

const struct command cmd_live = {
	.name = "live", .run = live,
	.arguments = "[SPEC...] [-- COMMAND [ARG...]]",
	.summary = "show hits as they come",
	.help =
"Shows hits as they come while the command runs, or until Ctrl-C (or SIGTERM, SIGHUP,\n"
"SIGQUIT), then who hit what how often. It has its own trace buffer and takes hits from\n"
"nobody. The exit status is that of record.\n",
	.options = (const struct command_option[]) {
		STYLE_OPTION, SRCLINE_OPTION, JSON_OPTION, COLOUR_OPTION, QUIET_OPTION,
		FILTER_OPTION, TRIGGER_OPTION, {}
	},
	.more = (const char * const[]) { session_help, spec_help, NULL },
};

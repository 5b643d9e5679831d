// SPDX-License-Identifier: GPL-2.0-only
/* ksymwatch live: hits as they come. */
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/run.h"
#include "hits/hits.h"
#include "lib/util.h"

struct live {
	struct session	*session;
	struct run	run;
	struct hits	*hits;
	bool		unread;		/* the reader has closed the output */
	bool		ended;		/* the session has ended by itself */
	bool		stopped;	/* the rest of its buffer is read */
};

/*
 * Also called for each hit: if hits arrive faster than they can be shown, the buffer never
 * gets empty.
 */
static void stop_if_told(struct live *live)
{
	if (live->stopped ||
	    !(live->unread || ferror(stdout) || run_is_over(&live->run, live->ended)))
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

/*
 * Shows the hits of a session while @command runs, or with NULL until a signal arrives. Frees
 * the sink. Returns the exit status.
 */
int run_live(struct sink *sink, const struct strings *specs, char **command, bool is_quiet)
{
	const struct backend *backend = backend_choose();
	struct live live = {};
	struct tep_handle *tep;
	int ret;

	live.hits = hits_new(sink);
	hits_want_lines(live.hits, output_srcline, true);
	run_open(&live.run, command);
	live.session = session_open(backend, specs, live.run.signals, STDOUT_FILENO,
				    SESSION_PROMPT | (is_quiet ? SESSION_QUIET : 0));
	/* Needed after session_close(), for the summary. */
	tep = session_formats(live.session);
	tep_ref(tep);
	session_start(live.session);
	hits_begin(live.hits, tep);
	fflush(stdout);
	run_start(&live.run);
	for (stop_if_told(&live); !live.stopped; stop_if_told(&live)) {
		live.unread = !session_wait(live.session, -1);
		run_read(live.session, live.hits, show_hit, &live);
		live.ended = session_ended(live.session);
	}
	run_read(live.session, live.hits, show_hit, &live);

	ret = session_close();
	/* Does not return if the reader is gone. */
	signals_deliver_pipe();
	hits_end(live.hits);
	hits_free(live.hits);
	sink_free(sink);
	tep_unref(tep);
	return ret ? STATUS_FAILED : live.run.status;
}

static bool quiet;

static int live(const struct command *cmd, int argc, char **argv)
{
	struct strings specs __cleanup(strings_free) = {};
	char **command = run_arguments(cmd, argc, argv, &specs);

	return run_live(output_sink(cmd), &specs, command, quiet);
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

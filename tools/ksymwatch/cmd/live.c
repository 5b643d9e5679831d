// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch live: hits as they come.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/session.h"
#include "cli/signals.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "hits/hits.h"
#include "lib/util.h"

/**
 * struct live - a session that is being shown
 * @session: the session
 * @tep: the events' formats, the functions and the tasks
 * @signals: descriptor of the signals
 * @unread: the reader has closed the output
 * @stopped: the session has stopped; the rest of its buffer is read
 * @hits: the hits from the buffer
 */
struct live {
	struct session		*session;
	struct tep_handle	*tep;
	int			signals;
	bool			unread;
	bool			stopped;
	struct hits		*hits;
};

/*
 * Also called for each hit: if hits arrive faster than they can be shown, the buffer never
 * gets empty.
 */
static void stop_if_told(struct live *live)
{
	if (live->stopped ||
	    !(live->unread || ferror(stdout) || signals_told(live->signals)))
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

static bool quiet;

static int run_live(const struct command *cmd, int argc, char **argv)
{
	int first = parse_options(cmd, argc, argv), ret;
	struct sink *sink = output_sink(cmd);
	struct live live = {};
	const struct backend *backend;
	struct strings specs;

	specs_from_args(&specs, argc - first, argv + first);
	backend = backend_choose();
	live.signals = signals_open();
	live.hits = hits_new(sink);
	live.session = session_open(backend, &specs, live.signals, STDOUT_FILENO,
				    SESSION_PROMPT | (quiet ? SESSION_QUIET : 0));
	strings_free(&specs);
	/* Needed after session_close(), for the summary. */
	live.tep = session_formats(live.session);
	tep_ref(live.tep);
	session_start(live.session);
	hits_begin(live.hits, live.tep);
	fflush(stdout);
	for (stop_if_told(&live); !live.stopped; stop_if_told(&live)) {
		live.unread = !session_wait(live.session, -1);
		show_hits(&live);
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
	return ret ? STATUS_FAILED : STATUS_OK;
}

const struct command cmd_live = {
	.name = "live", .run = run_live,
	.arguments = "[SPEC...]",
	.summary = "show hits as they come",
	.help =
"Shows hits as they come until Ctrl-C (or SIGTERM, SIGHUP, SIGQUIT), then who hit what how\n"
"often. It has its own trace buffer and takes hits from nobody.\n",
	.options = (const struct command_option[]) {
		STYLE_OPTION, JSON_OPTION, COLOUR_OPTION, QUIET_OPTION, {}
	},
	.more = (const char * const[]) { session_help, spec_help, NULL },
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch live: hits as they come.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "session.h"

/**
 * struct live - a session that is being shown
 * @session: the session
 * @signals: where to read signals from
 * @unread: nobody reads what we write any more
 * @stopped: the session records no more, what is left in its buffer is read
 * @summary: what was shown so far
 */
struct live {
	struct session		*session;
	int			signals;
	bool			unread;
	bool			stopped;
	struct summary		*summary;
};

/*
 * Asked in the middle of reading, too: where hits come faster than they can be shown, the
 * buffer is never empty.
 */
static void stop_if_told(struct live *live)
{
	struct signalfd_siginfo info;
	bool told = live->unread || ferror(stdout);

	if (live->stopped)
		return;
	while (signals_next(live->signals, &info))
		told = told || info.ssi_signo != SIGCHLD;
	if (!told)
		return;
	session_stop(live->session);
	live->stopped = true;
}

static void show_hit(struct tep_event *event, struct tep_record *record, int cpu,
		     void *data)
{
	struct live *live = data;

	stop_if_told(live);
	if (record->missed_events) {
		summary_lost(live->summary, record->missed_events);
		hit_print_lost(stdout, cpu, record->missed_events);
	}
	hit_take(live->summary, stdout, event, record);
}

static void show_hits(struct live *live)
{
	session_read(live->session, show_hit, live);
	fflush(stdout);
}

int cmd_live(const struct command *cmd, int argc, char **argv)
{
	struct live live = {};
	struct strings specs;
	int first, ret;

	hide_numbers(argc, argv);
	first = parse_no_options(cmd, argc, argv);
	specs_from_args(&specs, argc - first, argv + first);
	refuse_globs(&specs);
	backend_choose();
	live.signals = signals_open();
	live.summary = summary_new();
	live.session = session_open(&specs, live.signals, STDOUT_FILENO, SESSION_PROMPT);
	strings_free(&specs);
	session_start(live.session);
	hit_print_header(stdout);
	fflush(stdout);
	for (stop_if_told(&live); !live.stopped; stop_if_told(&live)) {
		live.unread = !session_wait(live.session, -1);
		show_hits(&live);
	}
	show_hits(&live);

	ret = session_close();
	/* This ends us where the reader is gone. */
	signals_deliver_pipe();
	putchar('\n');
	summary_print(live.summary, stdout);
	summary_free(live.summary);
	flush_stdout();
	return ret ? STATUS_FAILED : STATUS_OK;
}

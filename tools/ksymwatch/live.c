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

#include "hits.h"
#include "ksymwatch.h"
#include "sinks.h"

/**
 * struct live - a session that is being shown
 * @session: the session
 * @tep: knows the events' formats, the functions and the tasks
 * @signals: where to read signals from
 * @unread: nobody reads what we write any more
 * @stopped: the session records no more, what is left in its buffer is read
 * @hits: what comes out of the buffer
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

/*
 * The kernel notes the names of tasks in a small table, but only when they leave the
 * CPU; one that is still running can be asked itself.
 */
static void learn_comm(struct tep_handle *tep, int pid)
{
	char *file, comm[64] = "";
	FILE *stream;

	if (tep_is_pid_registered(tep, pid))
		return;
	file = xasprintf("/proc/%d/comm", pid);
	stream = fopen(file, "re");
	free(file);
	if (!stream)
		return;
	if (fgets(comm, sizeof(comm), stream)) {
		comm[strcspn(comm, "\n")] = '\0';
		tep_register_comm(tep, comm, pid);
	}
	fclose(stream);
}

static int show_hit(struct tep_event *event, struct tep_record *record,
		    int cpu __maybe_unused, void *data)
{
	struct live *live = data;

	stop_if_told(live);
	learn_comm(live->tep, tep_data_pid(live->tep, record));
	hits_take(live->hits, 0, event, record);
	return 0;
}

static void read_hits(struct live *live)
{
	tracefs_iterate_raw_events(live->tep, live->session->instance, NULL, 0, show_hit,
				   live);
}

static void show_hits(struct live *live)
{
	tracefs_load_cmdlines(NULL, live->tep);
	read_hits(live);
	/* The stack of the last hit may have been on its way. */
	if (hits_are_open(live->hits))
		read_hits(live);
	hits_flush(live->hits);
}

/* Reads the formats of stacks, and of all groups that the session's watches are in. */
static struct tep_handle *read_formats(const struct session *session)
{
	const char **groups = xcalloc(session->events.nr + 2, sizeof(*groups));
	char (*group)[KSYM_NAME_LEN] = xcalloc(session->events.nr, sizeof(*group));
	char name[KSYM_NAME_LEN];
	struct tep_handle *tep;
	size_t nr = 0, i, j;

	groups[nr++] = FTRACE_GROUP;
	for (i = 0; i < session->events.nr; i++) {
		split_event(session->events.text[i], group[i], name);
		for (j = 0; j < nr; j++)
			if (!strcmp(groups[j], group[i]))
				break;
		if (j == nr)
			groups[nr++] = group[i];
	}
	tep = tracefs_local_events_system(NULL, groups);
	if (!tep)
		die("the formats of the watches' events cannot be read: %s",
		    strerror(errno));
	free(groups);
	free(group);
	return tep;
}

int cmd_live(const struct command *cmd, int argc, char **argv)
{
	struct live live = {};
	struct strings specs;
	struct sink *sink;
	int first, ret;

	hide_numbers(argc, argv);
	first = parse_no_options(cmd, argc, argv);
	specs_from_args(&specs, argc - first, argv + first);
	refuse_globs(&specs);
	require_tracer();
	live.signals = signals_open();
	sink = table_sink(stdout, false);
	live.hits = hits_new(sink);
	live.session = session_open(&specs, live.signals, STDOUT_FILENO);
	strings_free(&specs);
	live.tep = read_formats(live.session);
	/* Wake up for each hit, not for half a buffer of them. */
	tracefs_instance_file_write(live.session->instance, "buffer_percent", "0");
	session_start(live.session);
	hits_begin(live.hits);
	fflush(stdout);
	for (stop_if_told(&live); !live.stopped; stop_if_told(&live)) {
		live.unread = !session_wait(live.session);
		show_hits(&live);
	}
	show_hits(&live);

	ret = session_close();
	/* This ends us where the reader is gone. */
	signals_deliver_pipe();
	hits_end(live.hits);
	hits_free(live.hits);
	free(sink);
	tep_free(live.tep);
	flush_stdout();
	return ret ? STATUS_FAILED : STATUS_OK;
}

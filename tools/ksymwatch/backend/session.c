// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session: watches and their hits, for as long as live, record, stat or top run,
 * wherever the hits come from.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/session.h"
#include "lib/ksymwatch.h"

/* There is one at most. */
static struct session current;

static void close_at_exit(void)
{
	session_close();
}

/* All but the last two, which are not ours. */
static void close_fds(void)
{
	size_t i;

	for (i = 0; i + 2 < current.nr_fds; i++)
		if (current.fds[i].fd >= 0)
			close(current.fds[i].fd);
	free(current.fds);
	current.fds = NULL;
	current.nr_fds = 0;
}

/*
 * Has the backend open what each CPU's hits come from. A descriptor is -1 where there is
 * no such CPU; poll(2) passes over those.
 */
static void open_fds(int signals, int output)
{
	size_t nr = sysconf(_SC_NPROCESSORS_CONF), i;

	current.fds = xcalloc(nr + 2, sizeof(*current.fds));
	current.nr_fds = nr + 2;
	for (i = 0; i < nr; i++)
		current.fds[i] = (struct pollfd) { .fd = -1, .events = POLLIN };
	current.fds[nr] = (struct pollfd) { .fd = signals, .events = POLLIN };
	/* Only errors: that there is nobody left to read from it. */
	current.fds[nr + 1] = (struct pollfd) { .fd = output };
	current.backend->open(&current, nr);
}

/* What a task that is running calls itself, as a new string; or NULL. */
char *task_comm(int pid)
{
	char *file = xasprintf("/proc/%d/comm", pid), *comm = read_first_line(file);

	free(file);
	return comm;
}

/**
 * session_open - make the watches of a session, and its buffer
 * @backend: where the hits come from, from backend_choose()
 * @specs: SPECs and names of watches; none for all watches
 * @signals: descriptor of the signals, which session_wait() watches too
 * @output: descriptor that the hits are printed to, or -1
 * @flags: see enum session_flags
 *
 * Nothing is recorded until session_start(). Dies on failure.
 *
 * Return: the session; there is only one.
 */
struct session *session_open(const struct backend *backend, const struct strings *specs,
			     int signals, int output, unsigned int flags)
{
	atexit(close_at_exit);
	current.backend = backend;
	current.flags = flags;
	current.backend->choose(&current, specs);
	open_fds(signals, output);
	return &current;
}

/**
 * session_formats - what is known of the session's events
 * @session: the session
 *
 * Return: a handle with the formats of the watches' events and of stacks, the kernel's
 * functions, and the names of the tasks of all records that were read so far. It goes
 * with the session, so what is wanted later takes a reference (tep_ref()).
 */
struct tep_handle *session_formats(struct session *session)
{
	if (!session->tep)
		session->tep = session->backend->formats(session);
	return session->tep;
}

/**
 * session_wait - wait for hits or signals
 * @session: the session
 * @timeout: milliseconds to wait at most, or -1
 *
 * Return: false when nobody reads the output any more.
 */
bool session_wait(const struct session *session, int timeout)
{
	if (poll(session->fds, session->nr_fds, timeout) < 0 && errno != EINTR)
		die("waiting for hits failed: %s", strerror(errno));
	return !session->fds[session->nr_fds - 1].revents;
}

/** session_start - from here on the session's hits are recorded */
void session_start(struct session *session)
{
	session->backend->start(session);
}

/**
 * session_read - hand over what was recorded and not read yet
 * @session: the session
 * @take: is called for each record: hits of the watches, stacks (ftrace:kernel_stack and
 *	user_stack) and marks (ftrace:print), those of all CPUs in the order of their times
 * @data: for it
 *
 * Does not wait.
 */
void session_read(struct session *session, session_take *take, void *data)
{
	session->backend->read(session, take, data);
}

/**
 * session_mark - put a text into the record, as an event ftrace:print
 * @session: the session; before or after session_start()
 * @text: a line
 */
void session_mark(struct session *session, const char *text)
{
	session->backend->mark(session, text);
}

/**
 * session_stop - record no more hits
 * @session: the session
 *
 * Those that were recorded can still be read. Says which were missed.
 */
void session_stop(struct session *session)
{
	session->backend->stop(session);
}

/**
 * session_counts - what was counted for a watch since session_start()
 * @session: the session, started, and not closed yet
 * @index: of the watch in its events
 * @counts: gets the numbers; what a backend can't count is 0, and the share of the time
 *	"-" where nobody knows it
 *
 * These are exact, whatever a buffer lost.
 */
void session_counts(struct session *session, size_t index, struct counts *counts)
{
	session->backend->counts(session, index, counts);
}

/**
 * session_fill - how full the session's buffers are
 * @session: the session
 * @fill: gets the numbers, which are 0 where the backend can't tell
 */
void session_fill(struct session *session, struct fill *fill)
{
	*fill = (struct fill) {};
	if (session->backend->fill)
		session->backend->fill(session, fill);
}

/**
 * session_raw_folder - where the formats of what is recorded raw are
 * @session: the session
 * @parts: a folder in which to put them, if they have to be made
 *
 * Return: a folder laid out as tracefs is, or NULL for tracefs itself. It is not the
 * caller's to free.
 */
const char *session_raw_folder(struct session *session, const char *parts)
{
	return session->backend->raw_folder(session, parts);
}

/**
 * session_raw_open - record into files, instead of session_read()
 * @session: the session, opened with neither of the flags
 * @fds: a file for each CPU, for pages as trace_pipe_raw has them; they stay the caller's
 * @nr: how many they are
 */
void session_raw_open(struct session *session, const int *fds, size_t nr)
{
	session->backend->raw_open(session, fds, nr);
}

/**
 * session_raw_move - write what there is into the files
 * @session: the session
 * @last: also a page that is not full
 *
 * Does not wait for anything.
 *
 * Return: 0, or the errno of a write that failed.
 */
int session_raw_move(struct session *session, bool last)
{
	return session->backend->raw_move(session, last);
}

/** session_raw_close - the last of session_raw_move() was done */
void session_raw_close(struct session *session)
{
	session->backend->raw_close(session);
}

/**
 * session_close - give back all that the session holds
 *
 * Harmless where there is no session, or none any more.
 *
 * Return: 0, or -1 after saying what stays behind.
 */
int session_close(void)
{
	int ret;

	if (!current.backend)
		return 0;
	close_fds();
	ret = current.backend->close(&current);
	strings_free(&current.events);
	strings_free(&current.made);
	tep_free(current.tep);
	memset(&current, 0, sizeof(current));
	return ret;
}

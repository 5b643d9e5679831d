// SPDX-License-Identifier: GPL-2.0-only
/* A session: what is the same for all backends. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/session.h"
#include "lib/util.h"

/* The only session. */
static struct session current;

static void close_at_exit(void)
{
	session_close();
}

/* Returns the name of a running task as a new string, or NULL. */
char *task_comm(int pid)
{
	char *file __autofree = xasprintf("/proc/%d/comm", pid);

	return read_first_line(file);
}

/* Returns the number of CPUs. */
static size_t begin(const struct backend *backend, unsigned int flags)
{
	size_t nr = sysconf(_SC_NPROCESSORS_CONF), i;

	atexit(close_at_exit);
	current.backend = backend;
	current.flags = flags;
	current.fds = xcalloc(nr + 2, sizeof(*current.fds));
	current.nr_fds = nr + 2;
	/* It stays -1 for a CPU that does not exist, which poll(2) ignores. */
	for (i = 0; i < current.nr_fds; i++)
		current.fds[i] = (struct pollfd) { .fd = -1, .events = POLLIN };
	return nr;
}

/**
 * session_attach - get the raw pages of the buffer of an instance, or with NULL of the top
 * one, which stays; with @keep the pages stay in it, too. Dies if there is no such instance.
 */
struct session *session_attach(const struct backend *backend, const char *instance, bool keep)
{
	begin(backend, 0);
	backend->attach(&current, instance, keep);
	return &current;
}

/*
 * Makes the watches of a session, of which there is only one, and its buffer, or dies. Nothing
 * is recorded until session_start(). @specs: from specs_from_args(); none for all watches.
 * session_wait() also watches @signals, a descriptor; and @output, that the hits are printed
 * to, unless it is -1. @flags: see enum session_flags.
 */
struct session *session_open(const struct backend *backend, const struct strings *specs,
			     int signals, int output, unsigned int flags)
{
	size_t nr = begin(backend, flags), i;

	for (i = 0; i < specs->nr; i++)
		strings_add(&current.shown, specs->text[i]);
	backend->choose(&current, specs);
	current.fds[nr] = (struct pollfd) { .fd = signals, .events = POLLIN };
	/* Only for errors: the reader has closed it. */
	current.fds[nr + 1] = (struct pollfd) { .fd = output };
	backend->open(&current);
	return &current;
}

/**
 * session_formats - return the formats of the watches' events and of stacks, the kernel's
 * functions, and the names of the tasks of all records read so far. session_close() frees the
 * handle unless the caller takes a reference with tep_ref().
 */
struct tep_handle *session_formats(struct session *session)
{
	if (!session->tep)
		session->tep = session->backend->formats(session);
	return session->tep;
}

/** session_start - start recording, and report what is recorded, and where */
void session_start(struct session *session)
{
	char *watches __autofree = NULL, *where __autofree = NULL;
	const struct strings *shown = session->shown.nr ? &session->shown : &session->events;

	session->backend->start(session);
	if (session->flags & SESSION_QUIET)
		return;
	watches = strings_join(shown, ", ");
	where = session->backend->where(session);
	err("watching %s; %s", watches, where);
}

/**
 * session_wait - wait for many hits, signals, or the time to show hits; at most @timeout
 * milliseconds unless it is -1. Returns false if the reader has closed the output.
 */
bool session_wait(const struct session *session, int timeout)
{
	/* No descriptor shows that the session has ended. */
	if ((session->flags & SESSION_PROMPT || session->ends) &&
	    (timeout < 0 || timeout > SESSION_PROMPT_MS))
		timeout = SESSION_PROMPT_MS;
	if (poll(session->fds, session->nr_fds, timeout) < 0 && errno != EINTR)
		die("waiting for hits failed: %s", strerror(errno));
	if (session->flags & SESSION_COUNT && session->backend->settle)
		session->backend->settle(&current);
	return !session->fds[session->nr_fds - 1].revents;
}

/**
 * session_wait_told - wait for signals alone, at most @timeout milliseconds unless it is -1:
 * for a session whose hits can't be taken now
 */
void session_wait_told(const struct session *session, int timeout)
{
	/* No descriptor shows that the session has ended. */
	if (session->ends && (timeout < 0 || timeout > SESSION_PROMPT_MS))
		timeout = SESSION_PROMPT_MS;
	if (poll(session->fds + session->nr_fds - 2, 2, timeout) < 0 && errno != EINTR)
		die("waiting for a signal failed: %s", strerror(errno));
}

/** session_ended - has traceoff or the count= of all watches ended the session? */
bool session_ended(struct session *session)
{
	return session->ends && session->backend->ended(session);
}

/**
 * session_close - release everything that the session holds, if there is one. Returns 0, or
 * -1 after a message about what could not be removed.
 */
int session_close(void)
{
	size_t i;
	int ret;

	if (!current.backend)
		return 0;
	/* The last two belong to the caller of session_open(). */
	for (i = 0; i + 2 < current.nr_fds; i++)
		if (current.fds[i].fd >= 0)
			close(current.fds[i].fd);
	free(current.fds);
	current.fds = NULL;
	current.nr_fds = 0;
	ret = current.backend->close(&current);
	strings_free(&current.shown);
	strings_free(&current.events);
	strings_free(&current.made);
	tep_free(current.tep);
	memset(&current, 0, sizeof(current));
	return ret;
}

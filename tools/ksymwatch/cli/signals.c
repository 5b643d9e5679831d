// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals that end a session. They are blocked and read from a descriptor, so that
 * nothing ever ends between the making of a watch and its removal.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/signals.h"
#include "lib/util.h"

static sigset_t original_mask;

/*
 * Blocks the signals that end a program, and SIGCHLD, and returns a descriptor to
 * read them from. One that was ignored when we began stays ignored, as nohup and a
 * shell's background jobs want it.
 *
 * SIGPIPE is blocked too, but not read: a session whose reader went away sees the
 * error of the write.
 */
int signals_open(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action;
	sigset_t read, blocked;
	size_t i;
	int fd;

	/* Where it is ignored, children vanish without being waited for. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&read);
	sigaddset(&read, SIGCHLD);
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &action) &&
		    action.sa_handler != SIG_IGN)
			sigaddset(&read, ends[i]);
	blocked = read;
	sigaddset(&blocked, SIGPIPE);
	sigprocmask(SIG_BLOCK, &blocked, &original_mask);

	fd = signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die("cannot read signals: %s", strerror(errno));
	return fd;
}

/* Takes the next signal that came in; returns false where there is none. */
bool signals_next(int fd, struct signalfd_siginfo *info)
{
	return read(fd, info, sizeof(*info)) == sizeof(*info);
}

/* The mask that a program that we start for the user should have. */
const sigset_t *signals_original_mask(void)
{
	return &original_mask;
}

/* Ends like any other program whose reader went away, if ours did. */
void signals_deliver_pipe(void)
{
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &pipe, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals that end a session. They are blocked and read from a descriptor, so that a signal
 * never kills the program before it has removed its watches.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/signals.h"
#include "lib/util.h"

/* The signals that end a program and come from outside. */
static const int ends[] = {
	SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU,
};

static sigset_t original_mask;

static void do_nothing(int number __maybe_unused)
{
}

/*
 * Has write() fail with EFBIG if a file would be larger than its limit, instead of a signal that
 * ends the program. Unlike SIG_IGN, a handler is not passed on to programs that are started.
 */
void signals_catch_limit(void)
{
	if (signal(SIGXFSZ, do_nothing) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
}

/*
 * Blocks the signals that end a program, and SIGCHLD, and returns a descriptor to read
 * them from. A signal that was ignored at the start stays ignored, as nohup needs it. But
 * SIGINT ends every session: a shell's script ignores it for its background jobs, and could
 * not end them as the manual says.
 *
 * SIGPIPE is blocked, but not read: write() fails instead if the reader is gone.
 */
int signals_open(void)
{
	struct sigaction action;
	sigset_t read, blocked;
	size_t i;
	int fd;

	/* If it is ignored, wait4() finds no ended child. */
	signal(SIGCHLD, SIG_DFL);
	/* An ignored signal is never pending. The command gets it too, and has to end as well. */
	signal(SIGINT, SIG_DFL);
	sigemptyset(&read);
	sigaddset(&read, SIGCHLD);
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends[i] == SIGINT ||
		    (!sigaction(ends[i], NULL, &action) && action.sa_handler != SIG_IGN))
			sigaddset(&read, ends[i]);
	blocked = read;
	sigaddset(&blocked, SIGPIPE);
	sigprocmask(SIG_BLOCK, &blocked, &original_mask);

	fd = signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die("cannot read signals: %s", strerror(errno));
	return fd;
}

/* Holds back the signals that end the program, and returns the mask to restore. */
sigset_t signals_hold(void)
{
	sigset_t held, before;
	size_t i;

	sigemptyset(&held);
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		sigaddset(&held, ends[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	return before;
}

/* Takes the next pending signal; returns false if there is none. */
bool signals_next(int fd, struct signalfd_siginfo *info)
{
	return read(fd, info, sizeof(*info)) == sizeof(*info);
}

/* Returns a pending signal that ends the session, or 0. */
int signals_told(int fd)
{
	struct signalfd_siginfo info;

	while (signals_next(fd, &info))
		if (info.ssi_signo != SIGCHLD)
			return info.ssi_signo;
	return 0;
}

/* The signal mask for programs started for the user. */
const sigset_t *signals_original_mask(void)
{
	return &original_mask;
}

/* Ends the program by SIGPIPE if the reader is gone, as other programs do. */
void signals_deliver_pipe(void)
{
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &pipe, NULL);
}

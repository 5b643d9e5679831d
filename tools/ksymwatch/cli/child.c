// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command, which is made ready before a session begins and let go when it has.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/signals.h"
#include "lib/util.h"

/* The index of the "--" in front of the command, or argc. */
int child_find_mark(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			break;
	return i;
}

/* The command behind the mark, or NULL; ends the program where there is no such one. */
char **child_command(int argc, char **argv, int mark)
{
	char **command = mark < argc ? argv + mark + 1 : NULL;

	if (command && !program_exists(command[0])) {
		err("%s: command not found", command[0]);
		exit(STATUS_NOT_FOUND);
	}
	return command;
}

/* Waits for a byte, then becomes the command, as if we weren't there. */
[[gnu::noreturn]]
static void become_command(char **argv, int fd)
{
	char go;

	if (read(fd, &go, 1) == 1) {
		sigprocmask(SIG_SETMASK, signals_original_mask(), NULL);
		execvp(argv[0], argv);
		/* Nobody can be told if this fails. */
		if (write(fd, &errno, sizeof(errno)) < 0)
			_exit(STATUS_CANNOT_RUN);
	}
	_exit(STATUS_CANNOT_RUN);
}

/*
 * Makes the process, but does not let it go yet: fork(2) is no part of the command. The
 * first one is made before the session, whose instance can't be removed while anybody has
 * it open: what a session opened closes when a process becomes the command, not before.
 */
void child_prepare(struct child *child, char **argv)
{
	int fds[2];

	*child = (struct child) { .name = argv[0] };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		die("cannot create a socket: %s", strerror(errno));
	child->fd = fds[0];
	child->pid = fork();
	if (child->pid < 0)
		die("cannot create a process: %s", strerror(errno));
	if (!child->pid) {
		/* So that it sees an end of file should we go. */
		close(fds[0]);
		become_command(argv, fds[1]);
	}
	close(fds[1]);
}

/* Lets it go; ends the program where there is nothing to be run. */
void child_start(struct child *child)
{
	int error;

	if (send(child->fd, "", 1, MSG_NOSIGNAL) == 1 &&
	    read(child->fd, &error, sizeof(error)) == sizeof(error)) {
		err("%s: %s", child->name, strerror(error));
		exit(error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
	}
	close(child->fd);
}

/* Has it ended? Then this is its status as a shell has it. */
bool child_ended(struct child *child, int *status)
{
	int wait_status;

	if (wait4(child->pid, &wait_status, WNOHANG, &child->usage) != child->pid)
		return false;
	*status = WIFSIGNALED(wait_status) ? STATUS_SIGNAL + WTERMSIG(wait_status) :
					     WEXITSTATUS(wait_status);
	return true;
}

/*
 * What the terminal sends reaches the command without us. What somebody sends to us
 * with kill(2) is meant for both, so it is passed on; it is the command's end that
 * ends the session.
 */
void child_pass_signals(const struct child *child, int signals)
{
	struct signalfd_siginfo info;

	while (signals_next(signals, &info))
		if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0)
			kill(child->pid, info.ssi_signo);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command of record and stat: forked before the session starts, executed after that.
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

/* Returns the command after the mark, or NULL. Exits if it does not exist. */
char **child_command(int argc, char **argv, int mark)
{
	char **command = mark < argc ? argv + mark + 1 : NULL;

	if (command && !program_exists(command[0])) {
		err("%s: command not found", command[0]);
		exit(STATUS_NOT_FOUND);
	}
	return command;
}

/* Waits for a byte, then executes the command with the original signal mask. */
[[gnu::noreturn]]
static void become_command(char **argv, int fd)
{
	char go;

	if (read(fd, &go, 1) == 1) {
		sigprocmask(SIG_SETMASK, signals_original_mask(), NULL);
		execvp(argv[0], argv);
		/* If this fails, the exit status has to do. */
		if (write(fd, &errno, sizeof(errno)) < 0)
			_exit(STATUS_CANNOT_RUN);
	}
	_exit(STATUS_CANNOT_RUN);
}

/*
 * Creates the process, which waits for child_start(): fork(2) must not count as part of the
 * command. The first process is created before the session, since it would inherit the
 * session's descriptors until it executes the command, and an open trace instance can't be
 * removed.
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
		/* To get an end of file if the parent exits. */
		close(fds[0]);
		become_command(argv, fds[1]);
	}
	close(fds[1]);
}

/* Starts the command; exits if it can't be executed. */
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

/* Has the command ended? Sets @status as a shell would. */
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
 * Signals from the terminal reach the command anyway. A signal sent to ksymwatch with
 * kill(2) is passed on. The session ends when the command ends.
 */
void child_pass_signals(const struct child *child, int signals)
{
	struct signalfd_siginfo info;

	while (signals_next(signals, &info))
		if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0)
			kill(child->pid, info.ssi_signo);
}

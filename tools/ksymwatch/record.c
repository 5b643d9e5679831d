// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch record: a recording for as long as a command runs.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hits.h"
#include "ksymwatch.h"

/* What a shell, env and time end with when a command can't be run, or is not there. */
#define STATUS_CANNOT_RUN	126
#define STATUS_NOT_FOUND	127
#define STATUS_SIGNAL		128

/**
 * struct child - the command's process
 * @pid: of it
 * @fd: a socket to it, which it closes when it becomes the command
 */
struct child {
	pid_t	pid;
	int	fd;
};

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
 * Makes the process, but does not let it go yet: fork(2) is no part of the command. Comes
 * before the session, whose instance can't be removed while anybody has it open.
 */
static void prepare_command(struct child *child, char **argv)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		die("no socket can be made: %s", strerror(errno));
	child->fd = fds[0];
	child->pid = fork();
	if (child->pid < 0)
		die("no process can be made: %s", strerror(errno));
	if (!child->pid) {
		/* So that it sees an end of file should we go. */
		close(fds[0]);
		become_command(argv, fds[1]);
	}
	close(fds[1]);
}

static void start_command(struct child *child, const char *name)
{
	int error;

	if (send(child->fd, "", 1, MSG_NOSIGNAL) == 1 &&
	    read(child->fd, &error, sizeof(error)) == sizeof(error)) {
		err("%s: %s", name, strerror(error));
		exit(error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
	}
	close(child->fd);
}

/*
 * Records until the command ends, and returns its status.
 *
 * What the terminal sends reaches the command without us. What somebody sends to us
 * with kill(2) is meant for both, so it is passed on; it is the command's end that
 * ends the recording.
 */
static int run_command(struct child *child, const char *name,
		       const struct session *session, int signals)
{
	struct signalfd_siginfo info;
	int status;

	/* There may be nothing left to do. */
	while (signals_next(signals, &info))
		if (info.ssi_signo != SIGCHLD)
			exit(STATUS_SIGNAL + info.ssi_signo);

	session_start(session);
	start_command(child, name);
	while (waitpid(child->pid, &status, WNOHANG) != child->pid) {
		session_wait(session);
		recorder_pump();
		while (signals_next(signals, &info))
			if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0)
				kill(child->pid, info.ssi_signo);
	}
	session_stop(session);
	return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

/* The index of the "--" in front of the command, or argc. */
static int find_mark(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			break;
	return i;
}

int cmd_record(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	const char *path = "trace.dat";
	const struct session *session;
	struct hits *hits;
	struct child child;
	struct strings specs;
	int mark, option, signals, status;
	bool failed;

	mark = find_mark(argc, argv);
	hide_numbers(mark, argv);
	while ((option = next_option(cmd, mark, argv, ":o:h", options)) != -1)
		path = optarg;
	if (mark + 1 >= argc)
		die_usage(cmd, "-- and the COMMAND behind it are missing");
	specs_from_args(&specs, mark - optind, argv + optind);
	refuse_globs(&specs);
	argv += mark + 1;

	require_tracer();
	if (!program_exists(argv[0])) {
		err("%s: there is no such command", argv[0]);
		strings_free(&specs);
		return STATUS_NOT_FOUND;
	}
	signals = signals_open();
	recorder_open(path);
	prepare_command(&child, argv);
	session = session_open(&specs, signals, -1);
	strings_free(&specs);
	recorder_attach(session);
	status = run_command(&child, argv[0], session, signals);
	failed = recorder_finish();
	/* A watch that others use by now may stay, which it says; that is no failure. */
	session_close();

	hits = hits_new(NULL);
	if (!failed && !report_file(path, hits))
		summary_print(hits_summary(hits), stderr);
	else
		failed = true;
	hits_free(hits);
	return failed ? STATUS_FAILED : status;
}

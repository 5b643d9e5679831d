// SPDX-License-Identifier: GPL-2.0-only
/* The command of record and stat: forked before the session starts, executed after that. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/command.h"
#include "cli/signals.h"
#include "lib/util.h"
#include "spec/spec.h"
#include "symbols/symbols.h"

/* Is there a variable of this name? Some have the name of a program, such as timeout. */
static bool is_symbol(const char *name)
{
	struct symbols symbols = {};
	bool found = symbols_read(&symbols, SYMBOLS_FILE) || symbols_named(&symbols, name);

	symbols_free(&symbols);
	return found;
}

/* Does the option with this letter, or this long name, take an argument? */
static bool takes_argument(const struct command *cmd, char letter, const char *name)
{
	const struct command_option *option;

	for (option = cmd->options; option && option->name; option++)
		if (name ? !strcmp(name, option->name) : letter == option->letter)
			return option->argument;
	return false;
}

/* Returns the number of words that options take, or 0 if the word is none. */
static int option_words(const struct command *cmd, const char *word)
{
	int i = 1;

	if (*word != '-' || !word[1] || isdigit((unsigned char)word[1]))
		return 0;
	if (word[1] == '-')
		return takes_argument(cmd, 0, word + 2) ? 2 : 1;
	/* In a word of several letters, one that takes an argument has what follows it. */
	while (word[i + 1] && !takes_argument(cmd, word[i], NULL))
		i++;
	return !word[i + 1] && takes_argument(cmd, word[i], NULL) ? 2 : 1;
}

/*
 * Refuses "record panic_timeout sleep 1" before "sleep" and "1" are taken for SPECs. A program
 * comes with a path, or is no symbol and no option of a SPEC.
 */
static void refuse_forgotten_mark(const struct command *cmd, int argc, char **argv)
{
	struct strings words = {};
	int i = 1, nr;

	while (i < argc && ((nr = option_words(cmd, argv[i])) || spec_is_option(argv[i]) ||
			    !program_exists(argv[i]) || is_symbol(argv[i])))
		i += nr ?: 1;
	if (i >= argc)
		return;
	while (i < argc)
		strings_add(&words, argv[i++]);
	die_usage(cmd, "'%s' is a program; did you mean -- %s?", words.text[0],
		  strings_join(&words, " "));
}

/* The index of the "--" in front of the command, or argc. Exits if it was forgotten. */
int child_find_mark(const struct command *cmd, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return i;
	refuse_forgotten_mark(cmd, argc, argv);
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
	child->killed = WIFSIGNALED(wait_status);
	*status = child->killed ? STATUS_SIGNAL + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
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

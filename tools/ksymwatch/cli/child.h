/* SPDX-License-Identifier: GPL-2.0-only */
/* The command that record and stat run. */
#ifndef KSYMWATCH_CHILD_H
#define KSYMWATCH_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Exit statuses of a shell, env and time for a command that can't be run or is not found. */
#define STATUS_CANNOT_RUN	126
#define STATUS_NOT_FOUND	127
#define STATUS_SIGNAL		128

/* The command's process. */
struct child {
	const char	*name;
	pid_t		pid;	/* its pid */
	int		fd;	/* a socket to it, closed by execve() */
	struct rusage	usage;	/* the CPU times, once it has ended */
	bool		killed;	/* by a signal */
};

struct command;

int child_find_mark(const struct command *cmd, int argc, char **argv);
char **child_command(int argc, char **argv, int mark);
void child_prepare(struct child *child, char **argv);
void child_start(struct child *child);
bool child_ended(struct child *child, int *status);
void child_pass_signals(const struct child *child, int signals);

#endif /* KSYMWATCH_CHILD_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* A session from its SPECs to its summary, for the commands that show, record or count hits. */
#ifndef KSYMWATCH_RUN_H
#define KSYMWATCH_RUN_H

#include "backend/session.h"
#include "cli/child.h"
#include "cli/signals.h"

struct hits;
struct sink;

/* The command that a session lasts for, or NULL for until a signal arrives. */
struct run {
	char		**command;
	struct child	child;
	int		signals;
	int		status;
};

int run_options(const struct command *cmd, int argc, char **argv, int *mark);
char **run_arguments(const struct command *cmd, int argc, char **argv, struct strings *specs);
void run_open(struct run *run, char **command);
void run_start(struct run *run);
bool run_is_over(struct run *run, bool ended);
void run_read(struct session *session, struct hits *hits, session_take *take, void *data);

int run_live(struct sink *sink, const struct strings *specs, char **command, bool is_quiet);
int run_record(const char *file, const struct strings *specs, char **command, bool is_quiet);
int run_extract(const char *file, const char *instance, bool keep);

#endif /* KSYMWATCH_RUN_H */

// SPDX-License-Identifier: GPL-2.0-only
/* How long a session lasts: while a command runs, or else until a signal arrives. */
#include "cli/command.h"
#include "cmd/run.h"
#include "hits/hits.h"
#include "spec/spec.h"

/* Parses the options before "--". Returns the index of the first argument after them. */
int run_options(const struct command *cmd, int argc, char **argv, int *mark)
{
	int first;

	*mark = child_find_mark(cmd, argc, argv);
	first = parse_options(cmd, *mark, argv);
	if (*mark + 1 == argc)
		die_usage(cmd, "missing command after --");
	return first;
}

/* Takes [SPEC...] [-- COMMAND...]. Returns the command, or NULL. */
char **run_arguments(const struct command *cmd, int argc, char **argv, struct strings *specs)
{
	int mark, first = run_options(cmd, argc, argv, &mark);

	specs_from_args(specs, mark - first, argv + first);
	return child_command(argc, argv, mark);
}

/* Prepares the command, or takes note of the signals only if it is NULL. */
void run_open(struct run *run, char **command)
{
	*run = (struct run) { .signals = signals_open(), .command = command };
	if (command)
		child_prepare(&run->child, command);
}

void run_start(struct run *run)
{
	if (run->command)
		child_start(&run->child);
}

/* Has the command ended? Without one: has a signal arrived, or the session @ended by itself? */
bool run_is_over(struct run *run, bool ended)
{
	if (!run->command)
		return signals_told(run->signals) || ended;
	child_pass_signals(&run->child, run->signals);
	return child_ended(&run->child, &run->status);
}

static void take_record(struct tep_event *event, struct tep_record *record,
			int cpu __maybe_unused, void *hits)
{
	hits_take(hits, 0, event, record);
}

/* Takes the hits that have arrived: by @take, with @data, or with NULL by hits_take(). */
void run_read(struct session *session, struct hits *hits, session_take *take, void *data)
{
	int again;

	/* The stack of the last hit may not have been written at first. */
	for (again = 0; again < 2 && (!again || hits_are_open(hits)); again++)
		session->backend->read(session, take ?: take_record, take ? data : hits);
	hits_flush(hits);
}

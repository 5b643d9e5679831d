// SPDX-License-Identifier: GPL-2.0-only
/*
 * How hits are to look where they are shown: the options for it, colours, the pager.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/output.h"
#include "hits/hits.h"
#include "lib/ksymwatch.h"
#include "out/sinks.h"

/* The words for an option, in the order of its values. */
static const char * const styles[] = { "table", "gdb" };
static const char * const colours[] = { "auto", "always", "never" };

/* The pager that runs, or 0. */
static pid_t pager;

/* Does the standard error go to it, too? */
static bool stderr_is_paged;

/* Returns which of the words an option has. */
static size_t find_word(const struct command *cmd, const char *option, const char *word,
			const char * const *words, size_t nr)
{
	struct strings known = {};
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(word, words[i])) {
			strings_free(&known);
			return i;
		}
		strings_add(&known, words[i]);
	}
	die_usage(cmd, "%s is one of %s, not '%s'", option, strings_join(&known, ", "), word);
}

/**
 * output_option - take an option in
 * @output: how hits are to look
 * @cmd: whose option it is
 * @option: one of enum output_option
 * @argument: its argument
 */
void output_option(struct output *output, const struct command *cmd, int option,
		   const char *argument)
{
	switch (option) {
	case OPTION_STYLE:
		output->style = find_word(cmd, "--style", argument, styles, ARRAY_SIZE(styles));
		output->is_styled = true;
		break;
	case OPTION_JSON:
		output->is_json = true;
		break;
	case OPTION_COLOUR:
		output->colour = find_word(cmd, "--color", argument, colours,
					   ARRAY_SIZE(colours));
		break;
	case OPTION_NO_PAGER:
		output->no_pager = true;
		break;
	}
	if (output->is_styled && output->is_json)
		die_usage(cmd, "--json takes no --style beside it");
}

/**
 * colour_wanted - may there be colours?
 * @colour: what was asked for
 * @fd: where they would go
 */
bool colour_wanted(enum output_colour colour, int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (colour != COLOUR_AUTO)
		return colour == COLOUR_ALWAYS;
	return isatty(fd) && !(no && *no) && term && *term && strcmp(term, "dumb");
}

/**
 * output_sink - a sink that shows hits on the standard output
 * @output: how they are to look
 *
 * Comes before pager_start(), behind which the standard output is no terminal any more.
 *
 * Return: the sink, for sink_free().
 */
struct sink *output_sink(const struct output *output)
{
	bool colour = colour_wanted(output->colour, STDOUT_FILENO);

	if (output->is_json)
		return json_sink(stdout);
	return output->style == STYLE_GDB ? gdb_sink(stdout, colour) :
					    table_sink(stdout, colour);
}

/**
 * is_json_asked - for a command that has no options but --json and --help
 * @cmd: the command
 * @argc: its arguments
 * @argv: those; optind is where they begin behind the options
 */
bool is_json_asked(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, OPTION_JSON },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	bool json = false;

	while (next_option(cmd, argc, argv, ":jh", options) != -1)
		json = true;
	return json;
}

/* --- The pager -------------------------------------------------------------------- */

/* Returns the command to run, or NULL for none. */
static const char *find_pager(void)
{
	const char *command = getenv("KSYMWATCH_PAGER") ?: getenv("PAGER");

	if (!command)
		command = program_exists("less") ? "less" : "";
	return *command && strcmp(command, "cat") ? command : NULL;
}

/* Is the command's program there? A shell finds out what is no plain word. */
static bool can_run(const char *command)
{
	char *word = strndup(command, strcspn(command, " \t"));
	bool found;

	if (!word)
		die("out of memory");
	found = strpbrk(word, "\"'\\$`=~*?[({<>|&;") || program_exists(word);
	free(word);
	return found;
}

/* The reader may go on reading when all is written. */
static void wait_for_pager(void)
{
	fflush(stdout);
	fflush(stderr);
	/* It sees an end of file only when nobody has the pipe any more. */
	close(STDOUT_FILENO);
	if (stderr_is_paged)
		close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}

[[gnu::noreturn]]
static void become_pager(const char *command, int fds[2])
{
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	close(fds[1]);
	/* Quit if it fits on the screen, leave colours alone, don't clear the screen. */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

/**
 * pager_start - let a pager show what is written to the standard output
 *
 * Does so only where that is a terminal, and the environment does not say otherwise.
 */
void pager_start(void)
{
	const char *command = find_pager();
	int fds[2];

	if (pager || !command || !isatty(STDOUT_FILENO))
		return;
	if (!can_run(command)) {
		err("the pager '%s' is not there: set PAGER, or give --no-pager", command);
		return;
	}
	if (pipe(fds))
		return;
	fflush(stdout);
	pager = fork();
	if (!pager)
		become_pager(command, fds);
	close(fds[0]);
	if (pager < 0) {
		close(fds[1]);
		pager = 0;
		return;
	}
	dup2(fds[1], STDOUT_FILENO);
	/* Else it would stand somewhere on what the pager shows. */
	stderr_is_paged = isatty(STDERR_FILENO);
	if (stderr_is_paged)
		dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	/* Ctrl-C is for the pager; when that ends, writing ends us. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	atexit(wait_for_pager);
}

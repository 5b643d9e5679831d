// SPDX-License-Identifier: GPL-2.0-only
/*
 * The terminal that output goes to: whether it gets colours, and the pager.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "lib/util.h"

/* The pager that runs, or NULL. */
static FILE *pager;

/* Does stderr go to it, too? */
static bool stderr_is_paged;

/** colour_wanted - are colours to be printed to @fd? */
bool colour_wanted(enum colour colour, int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (colour != COLOUR_AUTO)
		return colour == COLOUR_ALWAYS;
	return isatty(fd) && !(no && *no) && term && *term && strcmp(term, "dumb");
}

/* Returns the command to run, or NULL for none. */
static const char *find_pager(void)
{
	const char *command = getenv("KSYMWATCH_PAGER") ?: getenv("PAGER");

	if (!command)
		command = program_exists("less") ? "less" : "";
	return *command && strcmp(command, "cat") ? command : NULL;
}

/* Does the command's program exist? Anything but a plain word is left to the shell. */
static bool can_run(const char *command)
{
	char *word = xasprintf("%.*s", (int)strcspn(command, " \t"), command);
	bool found = strpbrk(word, "\"'\\$`=~*?[({<>|&;") || program_exists(word);

	free(word);
	return found;
}

/* The pager may run longer than the output takes. */
static void wait_for_pager(void)
{
	fflush(stdout);
	fflush(stderr);
	/* It gets an end of file only when the pipe is closed everywhere. */
	close(STDOUT_FILENO);
	if (stderr_is_paged)
		close(STDERR_FILENO);
	pclose(pager);
}

/**
 * pager_start - show the standard output through a pager, if it is a terminal and the
 * environment does not disable the pager
 */
void pager_start(void)
{
	const char *command = find_pager();

	if (pager || !command || !isatty(STDOUT_FILENO))
		return;
	if (!can_run(command)) {
		err("pager '%s' not found; set PAGER or use --no-pager", command);
		return;
	}
	/* Quit if it fits on the screen, leave colours alone, don't clear the screen. */
	setenv("LESS", "FRX", 0);
	fflush(stdout);
	pager = popen(command, "we");
	if (!pager)
		return;
	dup2(fileno(pager), STDOUT_FILENO);
	/* Otherwise messages would appear in the middle of the pager's screen. */
	stderr_is_paged = isatty(STDERR_FILENO);
	if (stderr_is_paged)
		dup2(fileno(pager), STDERR_FILENO);
	/* Ctrl-C is for the pager; when that ends, writing ends us. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	atexit(wait_for_pager);
}

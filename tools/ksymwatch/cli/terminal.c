// SPDX-License-Identifier: GPL-2.0-only
/*
 * The terminal that output goes to: whether it gets colours, the pager, and the progress
 * line of a recording, which is rewritten in place and erased at the end.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
	char *word __autofree = xasprintf("%.*s", (int)strcspn(command, " \t"), command);

	return strpbrk(word, "\"'\\$`=~*?[({<>|&;") || program_exists(word);
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
	/* sudo may permit only this program, and not the shell that "!" in less gives. */
	if (getenv("SUDO_UID"))
		setenv("LESSSECURE", "1", 1);
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

/* --- Progress --------------------------------------------------------------------- */

/* Time between two updates, and the time before the first one of a command. */
#define INTERVAL_MS	500
#define FIRST_MS	1000

/* The line. */
static struct progress {
	bool			shown;		/* there is one */
	/* Ctrl-C ends the recording, not the end of a command */
	bool			endless;
	/* Time of the next update, in ms of CLOCK_MONOTONIC */
	long long		next;
	int			width;		/* number of characters on the terminal */
} progress;

/* In the background the line would disturb the job that owns the terminal. */
static bool has_terminal(void)
{
	return isatty(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static char *size_text(unsigned long long bytes)
{
	static const char * const units[] = { "bytes", "kB", "MB", "GB", "TB" };
	double size = bytes;
	size_t unit = 0;

	while (size >= 1000 && unit + 1 < ARRAY_SIZE(units)) {
		size /= 1000;
		unit++;
	}
	return xasprintf("%.*f %s", unit && size < 100 ? 1 : 0, size, units[unit]);
}

/* One less than the terminal has: some terminals wrap after the last column. */
static int line_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return INT_MAX;
	return size.ws_col - 1;
}

/*
 * Blanks overwrite the rest of the previous line, since not all terminals can erase one.
 * Text longer than the terminal's line is cut: it could not be overwritten.
 */
static void write_line(const char *line)
{
	int room = line_width(), width = strlen(line);

	width = width < room ? width : room;
	fprintf(stderr, "\r%-*.*s", progress.width < room ? progress.width : room, width, line);
	if (!*line)
		fputc('\r', stderr);
	fflush(stderr);
	progress.width = width;
}

/**
 * progress_begin - start to show the progress, unless it is to be quiet or there is no
 * terminal
 */
void progress_begin(bool quiet, bool endless)
{
	progress = (struct progress) { .endless = endless };
	if (quiet || !has_terminal())
		return;
	progress.shown = true;
	progress.next = now_ns() / NS_PER_MS + (endless ? 0 : FIRST_MS);
}

/* Returns the time until the next update in ms; -1 if there is no line. */
int progress_timeout(void)
{
	long long left = progress.next - now_ns() / NS_PER_MS;

	return !progress.shown ? -1 : left > 0 ? left : 0;
}

/* Is it time to call progress_update()? Also starts the next interval. */
bool progress_due(void)
{
	if (progress_timeout())
		return false;
	progress.next = now_ns() / NS_PER_MS + INTERVAL_MS;
	return has_terminal();
}

/** progress_update - write the line */
void progress_update(unsigned long long hits, unsigned long long lost, unsigned long long bytes)
{
	char *size __autofree = size_text(bytes), *line __autofree = NULL;

	line = xasprintf("ksymwatch: %llu hit%s, %llu lost, %s%s", hits, hits == 1 ? "" : "s",
			 lost, size, progress.endless ? " (Ctrl-C to stop)" : "");
	write_line(line);
}

/* Erases the line. */
void progress_end(void)
{
	if (progress.shown && progress.width && has_terminal())
		write_line("");
	progress.shown = false;
}

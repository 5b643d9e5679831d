// SPDX-License-Identifier: GPL-2.0-only
/*
 * The progress line of a recording: rewritten in place on a terminal, and erased at the end.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/progress.h"
#include "lib/util.h"

/* Time between two updates, and the time before the first one of a command. */
#define INTERVAL_MS	500
#define FIRST_MS	1000

/**
 * struct progress - the line
 * @shown: there is one
 * @endless: Ctrl-C ends the recording, not the end of a command
 * @next: time of the next update, in ms of CLOCK_MONOTONIC
 * @width: number of characters on the terminal
 */
static struct progress {
	bool			shown;
	bool			endless;
	long long		next;
	int			width;
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
	char *size = size_text(bytes), *line;

	line = xasprintf("ksymwatch: %llu hit%s, %llu lost, %s%s", hits, hits == 1 ? "" : "s",
			 lost, size, progress.endless ? " (Ctrl-C to stop)" : "");
	write_line(line);
	free(line);
	free(size);
}

/* Erases the line. */
void progress_end(void)
{
	if (progress.shown && progress.width && has_terminal())
		write_line("");
	progress.shown = false;
}

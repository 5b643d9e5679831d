// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line that tells how a recording goes on: on a terminal, over and over again in
 * the same place, and gone at the end.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "backend/session.h"
#include "cli/progress.h"

/* How often it is written anew, and how long a command has to end without any. */
#define INTERVAL_MS	500
#define FIRST_MS	1000

/**
 * struct progress - what is shown
 * @session: what is recorded; NULL where nothing is shown
 * @endless: it is Ctrl-C that ends it, and not the end of a command
 * @next: when to write it again, in ms of the monotonic clock
 * @width: how many characters stand on the terminal
 */
static struct progress {
	struct session		*session;
	bool			endless;
	long long		next;
	int			width;
} progress;

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Another job may have the terminal, and a line of ours in its screen. */
static bool has_terminal(void)
{
	return isatty(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static unsigned long long count_hits(struct session *session)
{
	unsigned long long hits = 0;
	struct counts counts;
	size_t i;

	for (i = 0; i < session->events.nr; i++) {
		session_counts(session, i, &counts);
		hits += counts.hits;
	}
	return hits;
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

/* What goes into a line: in the last column some terminals begin the next one. */
static int line_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return INT_MAX;
	return size.ws_col - 1;
}

/*
 * Blanks go over what the last line has left; not all terminals can clear one. What is
 * longer than a line of the terminal could not be written over.
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
 * progress_begin - show how a session goes on from here
 * @session: the session, which has begun
 * @quiet: show nothing
 * @endless: no command will end it
 */
void progress_begin(struct session *session, bool quiet, bool endless)
{
	progress = (struct progress) { .endless = endless };
	if (quiet || !has_terminal())
		return;
	progress.session = session;
	progress.next = now_ms() + (endless ? 0 : FIRST_MS);
}

/* How long to wait for hits before the line is old, in ms; -1 where there is none. */
int progress_timeout(void)
{
	long long left;

	if (!progress.session)
		return -1;
	left = progress.next - now_ms();
	return left > 0 ? left : 0;
}

/**
 * progress_update - write the line if it is time to
 * @bytes: how much is written, besides what is still in the session's buffer
 */
void progress_update(unsigned long long bytes)
{
	struct fill fill;
	unsigned long long hits;
	char *size, *line;

	if (progress_timeout())
		return;
	progress.next = now_ms() + INTERVAL_MS;
	if (!has_terminal())
		return;
	hits = count_hits(progress.session);
	session_fill(progress.session, &fill);
	size = size_text(bytes + fill.bytes);
	line = xasprintf("ksymwatch: %llu hit%s, %llu lost, %s%s", hits, hits == 1 ? "" : "s",
			 fill.lost, size,
			 progress.endless ? " (Ctrl-C ends it)" : "");
	write_line(line);
	free(line);
	free(size);
}

/* Takes the line away. */
void progress_end(void)
{
	if (progress.session && progress.width && has_terminal())
		write_line("");
	progress.session = NULL;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line that tells how a recording goes on: on a terminal, over and over again in
 * the same place, and gone at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ksymwatch.h"
#include "progress.h"

/* How often it is written anew, and how long a command has to end without any. */
#define INTERVAL_MS	500
#define FIRST_MS	1000

/**
 * struct progress - what is shown
 * @session: what is recorded; NULL where nothing is shown
 * @endless: it is Ctrl-C that ends it, and not the end of a command
 * @before: the hits that the watches had
 * @next: when to write it again, in ms of the monotonic clock
 * @width: how many characters stand on the terminal
 */
static struct progress {
	const struct session	*session;
	bool			endless;
	unsigned long long	before;
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

static unsigned long long count_hits(const struct session *session)
{
	unsigned long long hits = 0;
	struct counts counts;
	size_t i;

	for (i = 0; i < session->events.nr; i++) {
		watch_counts(session->events.text[i], &counts);
		hits += counts.hits;
	}
	return hits;
}

/* What the buffer of one CPU lost: "overrun: N" is a line of its statistics. */
static unsigned long long lost_on(struct tracefs_instance *instance, int cpu)
{
	static const char key[] = "overrun: ";
	char *file = xasprintf("per_cpu/cpu%d/stats", cpu);
	char *text = tracefs_instance_file_read(instance, file, NULL);
	const char *line = text;
	unsigned long long lost = 0;

	/* The first line of this name is not "commit overrun: N". */
	if (line)
		line = strstr(line, key);
	if (line)
		lost = strtoull(line + strlen(key), NULL, 10);
	free(text);
	free(file);
	return lost;
}

static unsigned long long count_lost(const struct session *session)
{
	int nr = sysconf(_SC_NPROCESSORS_CONF), cpu;
	unsigned long long lost = 0;

	for (cpu = 0; cpu < nr; cpu++)
		lost += lost_on(session->instance, cpu);
	return lost;
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

/* Blanks go over what the last line has left; not all terminals can clear one. */
static void write_line(const char *line)
{
	int width = strlen(line);

	fprintf(stderr, "\r%-*s", progress.width, line);
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
void progress_begin(const struct session *session, bool quiet, bool endless)
{
	progress = (struct progress) { .endless = endless };
	if (quiet || !has_terminal())
		return;
	progress.session = session;
	progress.before = count_hits(session);
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
 * @bytes: how much is recorded
 */
void progress_update(unsigned long long bytes)
{
	unsigned long long hits;
	char *size, *line;

	if (progress_timeout())
		return;
	progress.next = now_ms() + INTERVAL_MS;
	if (!has_terminal())
		return;
	hits = count_hits(progress.session) - progress.before;
	size = size_text(bytes);
	line = xasprintf("ksymwatch: %llu hit%s, %llu lost, %s%s", hits, hits == 1 ? "" : "s",
			 count_lost(progress.session), size,
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

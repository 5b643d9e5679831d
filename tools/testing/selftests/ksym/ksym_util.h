/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the C tests of ksym: access to files of tracefs, and a kernel variable that
 * is written only when the test writes it.
 */
#ifndef _KSYM_UTIL_H
#define _KSYM_UTIL_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "ksym_sys.h"

#define TRACEFS		"/sys/kernel/tracing/"
#define PANIC_TIMEOUT	"/proc/sys/kernel/panic"

/* Writes a text in one write(2). Returns 0, or -1 with errno. */
static inline int write_file(const char *path, const char *text, int flags)
{
	ssize_t len = strlen(text);
	int fd = open(path, O_WRONLY | flags);
	ssize_t ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, len);
	close(fd);
	return ret == len ? 0 : -1;
}

/* Reads the value of panic_timeout, to be written back by write_file(). Returns 0, or -1. */
static inline int read_panic_timeout(char value[16])
{
	FILE *file = fopen(PANIC_TIMEOUT, "r");
	char *got;

	if (!file)
		return -1;
	got = fgets(value, 16, file);
	fclose(file);
	return got ? 0 : -1;
}

static inline int ksym_write(const char *line)
{
	return write_file(TRACEFS "ksym_trace_filter", line, O_APPEND);
}

/* Returns a column of trace_stat/ksym_tracer for a watch, or -1. */
static inline long long ksym_stat(const char *name, const char *heading)
{
	char line[512], *word, *save;
	long long value = -1;
	int col = -1, i;
	FILE *file;

	file = fopen(TRACEFS "trace_stat/ksym_tracer", "r");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		i = 0;
		for (word = strtok_r(line, "\n ", &save); word;
		     word = strtok_r(NULL, "\n ", &save), i++) {
			if (col < 0 && !strcmp(word, heading))
				col = i;
			else if (!i && col >= 0 && strcmp(word, name))
				break;
			else if (col > 0 && i == col)
				value = atoll(word);
		}
	}
	fclose(file);
	return value;
}

#endif /* _KSYM_UTIL_H */

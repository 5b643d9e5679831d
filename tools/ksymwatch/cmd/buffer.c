// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch report NAME: the hits of a watch in a trace buffer, as the kernel prints them.
 *
 * Only the file trace shows a buffer without taking the records out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tracefs.h>

#include "cmd/buffer.h"
#include "lib/text.h"
#include "lib/util.h"
#include "spec/spec.h"

/* Returns the CPU of a record's line, "COMM-PID [CPU] FLAGS TIME: EVENT: TEXT", or 0. */
static size_t line_cpu(const char *line)
{
	const char *bracket = line;
	char *end;
	size_t cpu;

	while ((bracket = strstr(bracket, " ["))) {
		bracket += 2;
		cpu = strtoul(bracket, &end, 10);
		if (end > bracket && *end == ']' && cpu < MAX_CPUS)
			return cpu;
	}
	return 0;
}

/**
 * buffer_show - print the hits of a watch that a trace buffer has, with their stacks
 * @watch: the shown name of the watch
 * @instance: the trace instance, or NULL for the top one
 *
 * Takes nothing out of the buffer. Dies if it can't be read.
 */
void buffer_show(const char *watch, const char *instance)
{
	char group[KSYM_EVENT_LEN], name[KSYM_EVENT_LEN], *mark, *path, *line = NULL;
	static bool is_hit[MAX_CPUS];
	bool shown = false;
	size_t room = 0, cpu;
	FILE *file;

	if (instance && !tracefs_instance_exists(instance))
		die("no trace instance '%s'", instance);
	split_event(watch, group, name);
	mark = xasprintf(": %s: ", name);
	path = xasprintf("%s%s%s/trace", tracefs_tracing_dir(), instance ? "/instances/" : "",
			 instance ?: "");
	file = fopen(path, "re");
	if (!file)
		die("%s cannot be read: %s", path, strerror(errno));
	while (getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		/* The lines of a stack follow the one that announces it. */
		if (strncmp(line, " => ", 4)) {
			cpu = line_cpu(line);
			if (!strstr(line, "stack trace>"))
				is_hit[cpu] = strstr(line, mark);
			shown = *line == '#' || is_hit[cpu];
		}
		if (!shown)
			continue;
		print_safe(stdout, line);
		putchar('\n');
	}
	free(line);
	fclose(file);
	free(path);
	free(mark);
}

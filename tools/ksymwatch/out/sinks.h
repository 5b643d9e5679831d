/* SPDX-License-Identifier: GPL-2.0-only */
/* The output formats. Each function returns a sink for sink_free(). */
#ifndef SINKS_H
#define SINKS_H

#include <stdbool.h>
#include <stdio.h>

struct hit;
struct json;
struct sink;
struct summary;

/* The message for lost hits. */
#define LOST_TEXT		"lost here: the trace buffer was full"

struct sink *table_sink(FILE *out, bool colour);
struct sink *gdb_sink(FILE *out, bool colour);	/* as gdb shows watchpoints */
struct sink *json_sink(FILE *out);
void json_summary(struct json *json, struct summary *summary);
struct sink *groups_sink(FILE *out, bool json, const char *group_by, const char *sort,
			 bool *lines, char **fault);
struct sink *csv_sink(FILE *out);
struct sink *perfetto_sink(FILE *out);
struct sink *plot_sink(FILE *out, const char *title);

/* The page in the program, see plot.c. */
extern const char plot_page[];

#endif /* SINKS_H */

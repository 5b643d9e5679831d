/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sinks that there are: what hits may look like.
 *
 * Each is made by a function of its own, and free() frees it once it has ended.
 */
#ifndef SINKS_H
#define SINKS_H

#include <stdbool.h>
#include <stdio.h>

struct hit;
struct sink;
struct stack;

/* What is said where hits were lost. */
#define LOST_TEXT		"lost here: the trace buffer was full"

struct sink *table_sink(FILE *out, bool colour);
struct sink *gdb_sink(FILE *out, bool colour);
struct sink *json_sink(FILE *out);
struct sink *csv_sink(FILE *out);
struct sink *perfetto_sink(FILE *out);
struct sink *plot_sink(FILE *out, const char *title);

/* The page in the program, see plot.c. */
extern const char plot_page[];

struct json;

void json_stack(struct json *json, const char *name, const struct stack *stack);
void json_fields(struct json *json, const char *name, const struct hit *hit);

#endif /* SINKS_H */

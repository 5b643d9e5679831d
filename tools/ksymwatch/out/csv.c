// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits as CSV by RFC 4180: a line of column names, then a line per hit.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"

/* A sink that writes CSV. */
struct csv {
	struct sink	sink;
	bool		comma;	/* a comma precedes the next cell */
};

static struct csv *csv_of(struct sink *sink)
{
	return container_of(sink, struct csv, sink);
}

/* Writes a cell that needs no quotes. */
[[gnu::format(printf, 2, 3)]]
static void write_format(struct csv *csv, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (csv->comma)
		putc(',', csv->sink.out);
	csv->comma = true;
	vfprintf(csv->sink.out, fmt, ap);
	va_end(ap);
}

/* Writes a cell, quoted if necessary; NULL is empty. */
static void write_cell(struct csv *csv, const char *text)
{
	const char *quote = text && strpbrk(text, ",\"\r\n") ? "\"" : "";
	char *copy = xstrdup(text ?: ""), *rest = copy;
	FILE *out = csv->sink.out;

	write_format(csv, "%s", quote);
	print_safe(out, strsep(&rest, "\""));
	/* A quote in the text is doubled. */
	while (rest) {
		fputs("\"\"", out);
		print_safe(out, strsep(&rest, "\""));
	}
	fputs(quote, out);
	free(copy);
}

static void end_line(struct csv *csv)
{
	fputs("\r\n", csv->sink.out);
	csv->comma = false;
}

static void write_header(struct sink *sink)
{
	static const char * const names[] = {
		"time", "cpu", "pid", "comm", "watch", "access", "len", "addr", "symbol", "ip",
		"function", "old", "new", "old_text", "new_text", "torn", "wrote", "args",
		"stack",
	};
	struct csv *csv = csv_of(sink);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		write_cell(csv, names[i]);
	end_line(csv);
}

/* Writes a cell with a new string, and frees it. */
static void write_owned(struct csv *csv, char *text)
{
	write_cell(csv, text);
	free(text);
}

/* Writes NAME+OFFSET, or an empty cell without a name. */
static void write_place(struct csv *csv, const char *name, unsigned long long offset)
{
	write_cell(csv, name);
	if (name)
		fprintf(csv->sink.out, "+0x%llx", offset);
}

/* Writes a value as a number, or an empty cell. */
static void write_value(struct csv *csv, const struct hit *hit, bool known,
			unsigned long long value)
{
	if (known)
		write_format(csv, hit->is_signed ? "%lld" : "%llu", value);
	else
		write_cell(csv, NULL);
}

/* Writes NAME=VALUE pairs, separated by blanks. */
static void write_args(struct csv *csv, const struct hit *hit)
{
	struct strings args = {};
	size_t i;

	for (i = 0; i < hit->nr_fields; i++)
		strings_add_owned(&args, xasprintf("%s=%s", hit->field[i].name,
						   hit->field[i].text));
	write_owned(csv, strings_join(&args, " "));
	strings_free(&args);
}

/* Writes the frames, innermost first, separated by semicolons as for flame graphs. */
static void write_stack(struct csv *csv, const struct stack *stack)
{
	struct strings places = {};
	size_t i;

	for (i = 0; stack && i < stack->nr; i++)
		strings_add_owned(&places, frame_text(&stack->frame[i]));
	write_owned(csv, strings_join(&places, ";"));
	strings_free(&places);
}

static void write_hit(struct sink *sink, const struct hit *hit)
{
	struct csv *csv = csv_of(sink);

	write_format(csv, "%llu", hit->time);
	write_format(csv, "%d", hit->cpu);
	write_format(csv, "%d", hit->pid);
	write_cell(csv, hit->comm);
	write_cell(csv, hit->watch);
	write_cell(csv, access_word(hit->access));
	write_format(csv, "%u", hit->len);
	write_format(csv, "0x%llx", hit->addr);
	write_place(csv, hit->symbol, hit->offset);
	write_format(csv, "0x%llx", hit->ip);
	write_place(csv, hit->function, hit->ip - hit->start);
	write_value(csv, hit, hit->has_old, hit->old);
	write_value(csv, hit, hit->has_values, hit->new);
	write_cell(csv, hit->is_typed && hit->has_old ? hit->old_text : NULL);
	write_cell(csv, hit->is_typed ? hit->new_text : NULL);
	write_cell(csv, !hit->has_torn ? NULL : hit->torn ? "1" : "0");
	write_value(csv, hit, hit->has_wrote, hit->wrote);
	write_args(csv, hit);
	write_stack(csv, hit->stack);
	end_line(csv);
}

static const struct sink_ops ops = {
	.begin = write_header,
	.hit = write_hit,
};

/**
 * csv_sink - write hits as CSV
 * @out: where to
 *
 * Return: the sink.
 */
struct sink *csv_sink(FILE *out)
{
	return sink_new(sizeof(struct csv), &ops, out);
}

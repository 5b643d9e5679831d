// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits as CSV by RFC 4180: a line of column names, then a line per hit.
 *
 * A spreadsheet may take the name of a task for a formula, as "=1+1". Quotes do not prevent
 * that, and a character before it would change the name for all other readers.
 */
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"

static void write_header(struct sink *sink)
{
	fputs("time,cpu,pid,comm,watch,access,len,addr,symbol,ip,function,", sink->out);
	fputs("old,new,old_text,new_text,torn,wrote,args,stack\r\n", sink->out);
}

/* Writes a comma and a cell, quoted if necessary; NULL is empty. */
static void write_cell(FILE *out, const char *text)
{
	char *copy __autofree = xstrdup(text ?: ""), *rest = copy;
	const char *quote = text && strpbrk(text, ",\"\r\n") ? "\"" : "";

	fprintf(out, ",%s", quote);
	print_safe(out, strsep(&rest, "\""));
	/* A quote in the text is doubled. */
	while (rest) {
		fputs("\"\"", out);
		print_safe(out, strsep(&rest, "\""));
	}
	fputs(quote, out);
}

/* Writes the parts as one cell. */
static void write_joined(FILE *out, const struct strings *parts, const char *between)
{
	char *text __autofree = strings_join(parts, between);

	write_cell(out, text);
}

/* Writes NAME+OFFSET, or an empty cell without a name. */
static void write_place(FILE *out, const char *name, unsigned long long offset)
{
	char *text __autofree = name ? xasprintf("%s+0x%llx", name, offset) : NULL;

	write_cell(out, text);
}

/* Writes a value as a number, or an empty cell. */
static void write_value(FILE *out, const struct hit *hit, bool known, unsigned long long value)
{
	putc(',', out);
	if (known)
		fprintf(out, hit->is_signed ? "%lld" : "%llu", value);
}

static void write_hit(struct sink *sink, const struct hit *hit)
{
	struct strings args __cleanup(strings_free) = {}, frames __cleanup(strings_free) = {};
	FILE *out = sink->out;
	size_t i;

	fprintf(out, "%llu,%d,%d", hit->time, hit->cpu, hit->pid);
	write_cell(out, hit->comm);
	write_cell(out, hit->watch);
	write_cell(out, access_word(hit->access));
	fprintf(out, ",%u,0x%llx", hit->len, hit->addr);
	write_place(out, hit->symbol, hit->offset);
	fprintf(out, ",0x%llx", hit->ip);
	write_place(out, hit->function, hit->ip - hit->start);
	write_value(out, hit, hit->has_old, hit->old);
	write_value(out, hit, hit->has_values, hit->new);
	write_cell(out, hit->is_typed && hit->has_old ? hit->old_text : NULL);
	write_cell(out, hit->is_typed ? hit->new_text : NULL);
	write_cell(out, !hit->has_torn ? NULL : hit->torn ? "1" : "0");
	write_value(out, hit, hit->has_wrote, hit->wrote);
	for (i = 0; i < hit->nr_fields; i++)
		strings_add_owned(&args, xasprintf("%s=%s", hit->field[i].name,
						   hit->field[i].text));
	write_joined(out, &args, " ");
	/* Innermost first, separated as for flame graphs. */
	for (i = 0; hit->stack && i < hit->stack->nr; i++)
		strings_add_owned(&frames, frame_text(&hit->stack->frame[i]));
	write_joined(out, &frames, ";");
	fputs("\r\n", out);
}

static const struct sink_ops ops = {
	.begin = write_header,
	.hit = write_hit,
};

struct sink *csv_sink(FILE *out)
{
	return sink_new(sizeof(struct sink), &ops, out);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Hits as JSON, one object per line. */
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"
#include "symbols/lines.h"

/* A sink that writes JSON. */
struct ndjson {
	struct sink	sink;
	struct json	json;
};

static struct json *json_of(struct sink *sink)
{
	return &container_of(sink, struct ndjson, sink)->json;
}

static void write_start(struct json *json, const char *type)
{
	json_open(json, NULL, '{');
	json_text(json, "type", type);
}

static void write_end(struct json *json)
{
	json_close(json, '}');
	json_end_line(json);
}

static void write_task(struct json *json, unsigned long long time, int cpu, int pid,
		       const char *comm)
{
	json_unsigned(json, "time", time);
	json_signed(json, "cpu", cpu);
	json_signed(json, "pid", pid);
	json_text(json, "comm", comm);
}

/* Writes source lines, if they are known; the innermost inlined function comes first. */
static void write_lines(struct json *json, const struct code_lines *lines)
{
	size_t i;

	if (!lines)
		return;
	json_open(json, "source", '[');
	for (i = 0; i < lines->nr; i++) {
		json_open(json, NULL, '{');
		json_text(json, "function", lines->line[i].function);
		json_text(json, "file", lines->line[i].file);
		json_unsigned(json, "line", lines->line[i].line);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Writes a stack as an array of frames. */
static void write_frames(struct json *json, const struct stack *stack)
{
	size_t i;

	json_open(json, "stack", '[');
	for (i = 0; i < stack->nr; i++) {
		const struct frame *frame = &stack->frame[i];

		json_open(json, NULL, '{');
		json_hex(json, "addr", frame->addr);
		json_text(json, "function", frame->function);
		if (frame->function || frame->user)
			json_unsigned(json, "offset", frame->offset);
		if (frame->user) {
			json_text(json, "object", frame->user->object);
			json_text(json, "build_id", frame->user->build_id);
		}
		write_lines(json, frame->lines);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Writes the fetch arguments of a hit. */
static void json_fields(struct json *json, const char *name, const struct hit *hit)
{
	size_t i;

	json_open(json, name, '{');
	for (i = 0; i < hit->nr_fields; i++) {
		const struct hit_field *field = &hit->field[i];

		if (field->is_number)
			json_value(json, field->name, field->value, field->is_signed);
		else
			json_text(json, field->name, field->text);
	}
	json_close(json, '}');
}

static void write_values(struct json *json, const struct hit *hit)
{
	if (!hit->has_values) {
		json_null(json, "old");
		json_null(json, "new");
		return;
	}
	if (hit->has_old)
		json_value(json, "old", hit->old, hit->is_signed);
	else
		json_null(json, "old");
	json_value(json, "new", hit->new, hit->is_signed);
	if (hit->is_typed) {
		json_text(json, "old_text", hit->has_old ? hit->old_text : NULL);
		json_text(json, "new_text", hit->new_text);
	}
}

static void write_hit(struct sink *sink, const struct hit *hit)
{
	struct json *json = json_of(sink);

	write_start(json, "hit");
	json_text(json, "watch", hit->watch);
	write_task(json, hit->time, hit->cpu, hit->pid, hit->comm);
	json_text(json, "access", access_word(hit->access));
	json_unsigned(json, "len", hit->len);
	json_hex(json, "addr", hit->addr);
	json_text(json, "symbol", hit->symbol);
	if (hit->symbol)
		json_unsigned(json, "symbol_offset", hit->offset);
	json_hex(json, "ip", hit->ip);
	json_text(json, "function", hit->function);
	if (hit->function)
		json_unsigned(json, "offset", hit->ip - hit->start);
	write_values(json, hit);
	if (hit->has_torn)
		json_bool(json, "torn", hit->torn);
	else
		json_null(json, "torn");
	if (hit->has_wrote)
		json_value(json, "wrote", hit->wrote, hit->is_signed);
	else if (hit->asked_wrote)
		json_null(json, "wrote");
	if (hit->has_wrote && hit->is_typed)
		json_text(json, "wrote_text", hit->wrote_text);
	if (hit->nr_fields)
		json_fields(json, "args", hit);
	write_lines(json, hit->lines);
	if (hit->stack)
		write_frames(json, hit->stack);
	write_end(json);
}

static void write_stack(struct sink *sink, const struct stack *stack)
{
	struct json *json = json_of(sink);

	write_start(json, stack->user ? "user_stack" : "kernel_stack");
	write_task(json, stack->time, stack->cpu, stack->pid, stack->comm);
	write_frames(json, stack);
	write_end(json);
}

static void write_lost(struct sink *sink, int cpu, unsigned long long lost)
{
	struct json *json = json_of(sink);

	write_start(json, "lost");
	json_signed(json, "cpu", cpu);
	json_number(json, "lost", lost, lost);
	write_end(json);
}

/** json_summary - write the last line: hits by watch and function, and their sum */
void json_summary(struct json *json, struct summary *summary)
{
	size_t i;

	summary_sort(summary);
	write_start(json, "summary");
	json_unsigned(json, "hits", summary->hits);
	json_unsigned(json, "lost", summary->lost);
	/* True if more hits than these may be lost. */
	json_bool(json, "lost_more", summary->lost_more);
	json_open(json, "functions", '[');
	for (i = 0; i < summary->nr; i++) {
		const struct summary_line *line = summary->line[i];

		json_open(json, NULL, '{');
		json_text(json, "watch", line->watch);
		json_text(json, "function", line->function);
		json_unsigned(json, "hits", line->hits);
		json_unsigned(json, "reads", line->reads);
		json_unsigned(json, "writes", line->writes);
		json_unsigned(json, "unknown", line->unknown);
		json_number(json, "changes", line->has_values, line->changes);
		json_close(json, '}');
	}
	json_close(json, ']');
	write_end(json);
}

static void write_summary(struct sink *sink, struct summary *summary)
{
	json_summary(json_of(sink), summary);
}

static const struct sink_ops ops = {
	.prompt = true,
	.hit = write_hit,
	.stack = write_stack,
	.lost = write_lost,
	.end = write_summary,
};

/* Makes a sink that writes hits as JSON, a line each. */
struct sink *json_sink(FILE *out)
{
	struct ndjson *ndjson = sink_new(sizeof(*ndjson), &ops, out);

	ndjson->json.out = out;
	return &ndjson->sink;
}

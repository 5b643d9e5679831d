// SPDX-License-Identifier: GPL-2.0-only
/* Hits as a table: a row per hit, its stack below it, and the summary at the end. */
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"
#include "symbols/lines.h"

/* Least width of the column of watches. */
#define WATCH_WIDTH	20

/* Switches a look on, or all off with LOOK_NONE; does nothing for NULL. */
static void set_look(const struct sink *sink, const char *look)
{
	if (sink->colour && look)
		fputs(look, sink->out);
}

static void print_header(struct sink *sink)
{
	sink->watch_width = sink->watch_width > WATCH_WIDTH ? sink->watch_width : WATCH_WIDTH;
	set_look(sink, LOOK_BOLD);
	fprintf(sink->out, "#%15s-%-7s  %-5s %12s  %-*s %-6s  %-25s  %s", "TASK", "PID", "CPU",
		"TIME", sink->watch_width, "WATCH", "ACCESS", "OLD -> NEW", "FUNCTION");
	set_look(sink, LOOK_NONE);
	putc('\n', sink->out);
}

static void print_blanks(FILE *out, int nr)
{
	fprintf(out, "%*s", nr > 0 ? nr : 0, "");
}

/* Prints the start of a row: task, CPU and time. */
static void print_task(FILE *out, const char *comm, int pid, int cpu, unsigned long long time)
{
	print_blanks(out, 16 - (int)strlen(comm));
	print_safe(out, comm);
	fprintf(out, "-%-7d  [%03d] %5llu.%06llu  ", pid, cpu, time / NS_PER_S,
		time % NS_PER_S / 1000);
}

/* Prints a cell, padded to the width of its column. */
static void print_cell(const struct sink *sink, const char *text, int width, const char *look)
{
	set_look(sink, look);
	print_safe(sink->out, text);
	if (look)
		set_look(sink, LOOK_NONE);
	print_blanks(sink->out, width - (int)strlen(text));
}

/* Prints where the code is in the source, if that is known. */
static void print_place(FILE *out, const struct source_line *line)
{
	putc(' ', out);
	print_safe(out, line->file);
	fprintf(out, ":%d", line->line);
}

/* Prints a frame, after the functions that were inlined into it. */
static void print_frame(FILE *out, const struct frame *frame)
{
	const struct code_lines *lines = frame->lines;
	size_t i;

	for (i = 0; lines && i + 1 < lines->nr; i++) {
		fputs("\n => ", out);
		print_safe(out, lines->line[i].function ?: "?");
		fputs(" (inlined)", out);
		print_place(out, &lines->line[i]);
	}
	fputs("\n => ", out);
	if (frame->function)
		print_safe(out, frame->function);
	else
		fprintf(out, "%#llx", frame->addr);
	if (frame->user && frame->user->object) {
		fputs(" (", out);
		print_safe(out, frame->user->object);
		if (!frame->function)
			fprintf(out, "+0x%llx", frame->offset);
		putc(')', out);
	}
	if (lines)
		print_place(out, &lines->line[i]);
}

/* Prints a stack as the kernel does: a line with the task, then one function per line. */
static void print_stack(struct sink *sink, const struct stack *stack)
{
	FILE *out = sink->out;
	size_t i;

	set_look(sink, LOOK_DIM);
	print_task(out, stack->comm, stack->pid, stack->cpu, stack->time);
	fputs(stack->user ? "<user stack trace>" : "<stack trace>", out);
	for (i = 0; i < stack->nr; i++)
		print_frame(out, &stack->frame[i]);
	set_look(sink, LOOK_NONE);
	putc('\n', out);
}

static void print_values(const struct sink *sink, const struct hit *hit)
{
	char *text __autofree = hit->has_values ?
				xasprintf("%s -> %s", hit->old_text, hit->new_text) : xstrdup("-");

	print_cell(sink, text, 25, hit->has_values && hit->old != hit->new ? LOOK_BOLD : NULL);
}

/* Prints the rest of the line, as the event prints it. */
static void print_more(FILE *out, const struct hit *hit)
{
	size_t i;

	if (hit->torn)
		fputs(" torn", out);
	if (hit->asked_wrote)
		fprintf(out, " wrote %s%s", hit->wrote_text, hit->has_wrote ? "" : "?");
	for (i = 0; i < hit->nr_fields; i++) {
		const char *quote = hit->field[i].is_text ? "\"" : "";

		fprintf(out, " %s=%s", hit->field[i].name, quote);
		print_safe(out, hit->field[i].text);
		fputs(quote, out);
	}
}

static void print_hit(struct sink *sink, const struct hit *hit)
{
	static const char * const looks[] = { NULL, LOOK_GREEN, LOOK_YELLOW, LOOK_MAGENTA };
	FILE *out = sink->out;
	char access[16];
	size_t i;

	print_task(out, hit->comm, hit->pid, hit->cpu, hit->time);
	print_cell(sink, hit->watch, sink->watch_width, NULL);
	snprintf(access, sizeof(access), "%s%u", access_word(hit->access), hit->len);
	putc(' ', out);
	print_cell(sink, access, 6, looks[hit->access]);
	fputs("  ", out);
	print_values(sink, hit);
	fputs("  ", out);
	if (hit->function) {
		print_safe(out, hit->function);
		fprintf(out, "+%#llx", hit->ip - hit->start);
	} else {
		fprintf(out, "%#llx", hit->ip);
	}
	for (i = 0; hit->lines && i < hit->lines->nr; i++)
		print_place(out, &hit->lines->line[i]);
	print_more(out, hit);
	putc('\n', out);
	if (hit->stack)
		print_stack(sink, hit->stack);
}

static void print_lost(struct sink *sink, int cpu, unsigned long long lost)
{
	set_look(sink, LOOK_RED);
	if (lost)
		fprintf(sink->out, "# CPU %d: %llu hits " LOST_TEXT, cpu, lost);
	else
		fprintf(sink->out, "# CPU %d: hits " LOST_TEXT, cpu);
	set_look(sink, LOOK_NONE);
	putc('\n', sink->out);
}

static void end_table(struct sink *sink, struct summary *summary)
{
	FILE *out = sink->out;

	putc('\n', out);
	summary_print(summary, out);
}

static const struct sink_ops ops = {
	.prompt = true,
	.begin = print_header,
	.hit = print_hit,
	.stack = print_stack,
	.lost = print_lost,
	.end = end_table,
};

struct sink *table_sink(FILE *out, bool colour)
{
	struct sink *sink = sink_new(sizeof(*sink), &ops, out);

	sink->colour = colour;
	return sink;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits as a table: a row each, its stack below it, and the summary at the end.
 */
#include <string.h>

#include "hits.h"
#include "ksymwatch.h"
#include "sinks.h"
#include "text.h"

/**
 * struct table - a sink that prints a table
 * @sink: the sink
 * @out: where to
 * @colour: may it have colours?
 */
struct table {
	struct sink	sink;
	FILE		*out;
	bool		colour;
};

static FILE *table_of(struct sink *sink)
{
	return container_of(sink, struct table, sink)->out;
}

static void print_header(struct sink *sink)
{
	fprintf(table_of(sink), "#%15s-%-7s  %-5s %12s  %-20s %-6s  %-25s  %s\n", "TASK",
		"PID", "CPU", "TIME", "WATCH", "ACCESS", "OLD -> NEW", "FUNCTION");
}

/* What each row begins with: who, where and when. */
static void print_task(FILE *out, const char *comm, int pid, int cpu, unsigned long long time)
{
	int width = 16 - (int)strlen(comm);

	fprintf(out, "%*s", width > 0 ? width : 0, "");
	print_safe(out, comm);
	fprintf(out, "-%-7d  [%03d] %5llu.%06llu  ", pid, cpu, time / 1000000000,
		time / 1000 % 1000000);
}

/* Prints a stack as the kernel does, a function a line, below a row that says whose it is. */
static void print_stack(struct sink *sink, const struct stack *stack)
{
	FILE *out = table_of(sink);
	size_t i;

	print_task(out, stack->comm, stack->pid, stack->cpu, stack->time);
	fprintf(out, "%s\n", stack->user ? "<user stack trace>" : "<stack trace>");
	for (i = 0; i < stack->nr; i++) {
		fputs(" => ", out);
		if (stack->frame[i].function)
			print_safe(out, stack->frame[i].function);
		else
			fprintf(out, "%#llx", stack->frame[i].addr);
		putc('\n', out);
	}
}

static void print_hit(struct sink *sink, const struct hit *hit)
{
	char access[16], values[48];
	FILE *out = table_of(sink);

	snprintf(access, sizeof(access), "%s%u", access_word(hit->access), hit->len);
	if (hit->has_values)
		snprintf(values, sizeof(values), "0x%llx -> 0x%llx", hit->old, hit->new);
	else
		snprintf(values, sizeof(values), "-");
	print_task(out, hit->comm, hit->pid, hit->cpu, hit->time);
	print_safe(out, hit->watch);
	fprintf(out, "%*s %-6s  %-25s  ", 20 - (int)strlen(hit->watch) > 0 ?
		20 - (int)strlen(hit->watch) : 0, "", access, values);
	if (hit->function) {
		print_safe(out, hit->function);
		fprintf(out, "+%#llx", hit->ip - hit->start);
	} else {
		fprintf(out, "%#llx", hit->ip);
	}
	if (hit->more)
		print_safe(out, hit->more);
	putc('\n', out);
	if (hit->stack)
		print_stack(sink, hit->stack);
}

static void print_lost(struct sink *sink, int cpu, unsigned long long lost)
{
	FILE *out = table_of(sink);

	if (lost)
		fprintf(out, "# CPU %d: %llu hits lost here: the trace buffer was full\n",
			cpu, lost);
	else
		fprintf(out, "# CPU %d: hits lost here: the trace buffer was full\n",
			cpu);
}

static void flush_table(struct sink *sink)
{
	fflush(table_of(sink));
}

static void end_table(struct sink *sink, struct summary *summary)
{
	FILE *out = table_of(sink);

	putc('\n', out);
	summary_print(summary, out);
}

/**
 * table_sink - show hits as rows of a table
 * @out: where to
 * @colour: may they have colours?
 *
 * Return: the sink, which free() frees.
 */
struct sink *table_sink(FILE *out, bool colour)
{
	struct table *table = xcalloc(1, sizeof(*table));

	table->out = out;
	table->colour = colour;
	table->sink = (struct sink) {
		.begin = print_header,
		.hit = print_hit,
		.stack = print_stack,
		.lost = print_lost,
		.flush = flush_table,
		.end = end_table,
	};
	return &table->sink;
}

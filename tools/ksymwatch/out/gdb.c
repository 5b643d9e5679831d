// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits in the form in which gdb reports watchpoints.
 */
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"

/**
 * struct gdb - a sink that prints as gdb does
 * @sink: the sink
 * @out: where to
 * @colour: may it have colours?
 * @watches: the watches in the order of their first hits, which numbers them
 */
struct gdb {
	struct sink	sink;
	FILE		*out;
	bool		colour;
	struct strings	watches;
};

static struct gdb *gdb_of(struct sink *sink)
{
	return container_of(sink, struct gdb, sink);
}

static size_t find_number(struct gdb *gdb, const char *watch)
{
	size_t i;

	for (i = 0; i < gdb->watches.nr; i++)
		if (!strcmp(gdb->watches.text[i], watch))
			return i + 1;
	strings_add(&gdb->watches, watch);
	return gdb->watches.nr;
}

/* Returns gdb's name of a watchpoint for this access. */
static const char *describe_access(unsigned int access)
{
	switch (access) {
	case ACCESS_READ:
		return "Hardware read watchpoint";
	case ACCESS_WRITE:
		return "Hardware watchpoint";
	default:
		return "Hardware access (read/write) watchpoint";
	}
}

static void print_line(const struct gdb *gdb, const char *name, const char *text)
{
	fprintf(gdb->out, "%s = ", name);
	print_safe(gdb->out, text);
	putc('\n', gdb->out);
}

/* An unchanged value is printed once, unless it was written. */
static void print_values(const struct gdb *gdb, const struct hit *hit)
{
	if (!hit->has_values)
		return;
	putc('\n', gdb->out);
	if (hit->old == hit->new && hit->access != ACCESS_WRITE) {
		print_line(gdb, "Value", hit->new_text);
		return;
	}
	print_line(gdb, "Old value", hit->old_text);
	if (gdb->colour && hit->old != hit->new)
		fputs(LOOK_BOLD, gdb->out);
	print_line(gdb, "New value", hit->new_text);
	if (gdb->colour && hit->old != hit->new)
		fputs(LOOK_NONE, gdb->out);
}

static void print_more(const struct gdb *gdb, const struct hit *hit)
{
	size_t i;

	if (hit->has_wrote)
		fprintf(gdb->out, "Stored value = 0x%llx\n", hit->wrote);
	for (i = 0; i < hit->nr_fields; i++) {
		const struct hit_field *field = &hit->field[i];
		char *text = field->is_text ? xasprintf("\"%s\"", field->text) :
					      xstrdup(field->text);

		print_line(gdb, field->name, text);
		free(text);
	}
}

/* Prints task, CPU and time, for which gdb has no line. */
static void print_task(const struct gdb *gdb, const char *what, const char *comm, int pid,
		       int cpu, unsigned long long time)
{
	fprintf(gdb->out, "[%s", what);
	print_safe(gdb->out, comm);
	fprintf(gdb->out, "-%d, CPU %d, %llu.%06llu]\n", pid, cpu, time / NS_PER_S,
		time % NS_PER_S / 1000);
}

static void print_function(FILE *out, unsigned long long addr, const char *function)
{
	fprintf(out, "0x%016llx in ", addr);
	print_safe(out, function ?: "??");
	fputs(" ()\n", out);
}

static void print_frames(const struct gdb *gdb, const struct stack *stack)
{
	size_t i;

	if (gdb->colour)
		fputs(LOOK_DIM, gdb->out);
	for (i = 0; i < stack->nr; i++) {
		fprintf(gdb->out, "#%-2zu ", i);
		print_function(gdb->out, stack->frame[i].addr, stack->frame[i].function);
	}
	if (gdb->colour)
		fputs(LOOK_NONE, gdb->out);
}

static void print_hit(struct sink *sink, const struct hit *hit)
{
	struct gdb *gdb = gdb_of(sink);

	fprintf(gdb->out, "\n%s %zu: ", describe_access(hit->access),
		find_number(gdb, hit->watch));
	print_safe(gdb->out, hit->watch);
	putc('\n', gdb->out);
	print_values(gdb, hit);
	print_more(gdb, hit);
	/* The first frame is the function. */
	if (hit->stack)
		print_frames(gdb, hit->stack);
	else
		print_function(gdb->out, hit->ip, hit->function);
	print_task(gdb, hit->torn ? "torn by another CPU; " : "", hit->comm, hit->pid,
		   hit->cpu, hit->time);
}

static void print_stack(struct sink *sink, const struct stack *stack)
{
	struct gdb *gdb = gdb_of(sink);

	putc('\n', gdb->out);
	print_task(gdb, stack->user ? "user stack of " : "stack of ", stack->comm, stack->pid,
		   stack->cpu, stack->time);
	print_frames(gdb, stack);
}

static void print_lost(struct sink *sink, int cpu, unsigned long long lost)
{
	FILE *out = gdb_of(sink)->out;

	if (lost)
		fprintf(out, "\n[CPU %d: %llu hits " LOST_TEXT "]\n", cpu, lost);
	else
		fprintf(out, "\n[CPU %d: hits " LOST_TEXT "]\n", cpu);
}

static void flush_gdb(struct sink *sink)
{
	fflush(gdb_of(sink)->out);
}

static void end_gdb(struct sink *sink, struct summary *summary)
{
	struct gdb *gdb = gdb_of(sink);

	putc('\n', gdb->out);
	summary_print(summary, gdb->out);
}

static void free_gdb(struct sink *sink)
{
	strings_free(&gdb_of(sink)->watches);
	free(gdb_of(sink));
}

/**
 * gdb_sink - show hits as gdb shows watchpoints
 * @out: where to
 * @colour: may they have colours?
 *
 * Return: the sink.
 */
struct sink *gdb_sink(FILE *out, bool colour)
{
	struct gdb *gdb = xcalloc(1, sizeof(*gdb));

	gdb->out = out;
	gdb->colour = colour;
	gdb->sink = (struct sink) {
		.hit = print_hit,
		.stack = print_stack,
		.lost = print_lost,
		.flush = flush_gdb,
		.end = end_gdb,
		.free = free_gdb,
	};
	return &gdb->sink;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Hits in the form in which gdb reports watchpoints. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hits/hits.h"
#include "lib/names.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"
#include "symbols/lines.h"

/* A sink that prints as gdb does. */
struct gdb {
	struct sink	sink;
	struct names	watches;	/* by their first hits, which numbers them */
};

static struct gdb *gdb_of(struct sink *sink)
{
	return container_of(sink, struct gdb, sink);
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

static void print_line(FILE *out, const char *name, const char *text)
{
	fprintf(out, "%s = ", name);
	print_safe(out, text);
	putc('\n', out);
}

/* An unchanged value is printed once, unless it was written. */
static void print_values(const struct sink *sink, const struct hit *hit)
{
	if (!hit->has_values)
		return;
	putc('\n', sink->out);
	if (hit->has_old && hit->old == hit->new && hit->access != ACCESS_WRITE) {
		print_line(sink->out, "Value", hit->new_text);
		return;
	}
	print_line(sink->out, "Old value", hit->old_text);
	if (sink->colour && hit->old != hit->new)
		fputs(LOOK_BOLD, sink->out);
	print_line(sink->out, "New value", hit->new_text);
	if (sink->colour && hit->old != hit->new)
		fputs(LOOK_NONE, sink->out);
}

static void print_more(FILE *out, const struct hit *hit)
{
	size_t i;

	if (hit->has_wrote)
		print_line(out, "Stored value", hit->wrote_text);
	for (i = 0; i < hit->nr_fields; i++) {
		char *text __autofree = NULL;
		const struct hit_field *field = &hit->field[i];

		text = field->is_text ? xasprintf("\"%s\"", field->text) : xstrdup(field->text);
		print_line(out, field->name, text);
	}
}

/* Prints task, CPU and time, for which gdb has no line. */
static void print_task(FILE *out, const char *what, const char *comm, int pid, int cpu,
		       unsigned long long time)
{
	fprintf(out, "[%s", what);
	print_safe(out, comm);
	fprintf(out, "-%d, CPU %d, %llu.%06llu]\n", pid, cpu, time / NS_PER_S,
		time % NS_PER_S / 1000);
}

/*
 * Prints a frame, after the functions that were inlined into it. @number counts the frames; it
 * may be NULL.
 */
static void print_frame(FILE *out, size_t *number, const struct frame *frame)
{
	const struct code_lines *lines = frame->lines;
	size_t nr = lines ? lines->nr : 1, i;

	for (i = 0; i < nr; i++) {
		if (number)
			fprintf(out, "#%-2zu ", (*number)++);
		if (!i)
			fprintf(out, "0x%016llx in ", frame->addr);
		print_safe(out, (i + 1 < nr ? lines->line[i].function : frame->function) ?: "??");
		fputs(" ()", out);
		if (lines) {
			fputs(" at ", out);
			print_safe(out, lines->line[i].file);
			fprintf(out, ":%d", lines->line[i].line);
		} else if (frame->user && frame->user->object) {
			fputs(" from ", out);
			print_safe(out, frame->user->object);
		}
		putc('\n', out);
	}
}

static void print_frames(const struct sink *sink, const struct stack *stack)
{
	size_t number = 0, i;

	if (sink->colour)
		fputs(LOOK_DIM, sink->out);
	for (i = 0; i < stack->nr; i++)
		print_frame(sink->out, &number, &stack->frame[i]);
	if (sink->colour)
		fputs(LOOK_NONE, sink->out);
}

/* Opens a file of the source, if it is one: a FIFO would block, and a device has no end. */
static FILE *open_source(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return check_memory(fdopen(fd, "r"));
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* Prints the text of a line, if its file is where it was compiled or below this folder. */
static void print_text_of(FILE *out, const struct source_line *line)
{
	char *text __autofree = NULL;
	FILE *file __cleanup(close_file) = open_source(line->path) ?: open_source(line->file);
	ssize_t len = -1;
	size_t size = 0;
	int i;

	for (i = 0; file && i < line->line; i++)
		len = getline(&text, &size, file);
	if (len > 0) {
		text[strcspn(text, "\n")] = '\0';
		fprintf(out, "%d\t", line->line);
		print_safe(out, text + strspn(text, " \t"));
		putc('\n', out);
	}
}

static void print_hit(struct sink *sink, const struct hit *hit)
{
	FILE *out = sink->out;

	fprintf(out, "\n%s %zu: ", describe_access(hit->access),
		names_find(&gdb_of(sink)->watches, hit->watch) + 1);
	print_safe(out, hit->watch);
	putc('\n', out);
	print_values(sink, hit);
	print_more(out, hit);
	/* The first frame is the function. */
	if (hit->stack)
		print_frames(sink, hit->stack);
	else
		print_frame(out, NULL, &(struct frame) {
			.addr = hit->ip, .function = hit->function, .lines = hit->lines,
		});
	if (hit->lines)
		print_text_of(out, &hit->lines->line[0]);
	print_task(out, hit->torn ? "torn by another CPU; " : "", hit->comm, hit->pid, hit->cpu,
		   hit->time);
}

static void print_stack(struct sink *sink, const struct stack *stack)
{
	putc('\n', sink->out);
	print_task(sink->out, stack->user ? "user stack of " : "stack of ", stack->comm,
		   stack->pid, stack->cpu, stack->time);
	print_frames(sink, stack);
}

static void print_lost(struct sink *sink, int cpu, unsigned long long lost)
{
	FILE *out = sink->out;

	if (lost)
		fprintf(out, "\n[CPU %d: %llu hits " LOST_TEXT "]\n", cpu, lost);
	else
		fprintf(out, "\n[CPU %d: hits " LOST_TEXT "]\n", cpu);
}

static void end_gdb(struct sink *sink, struct summary *summary)
{
	putc('\n', sink->out);
	summary_print(summary, sink->out);
}

static void free_gdb(struct sink *sink)
{
	names_free(&gdb_of(sink)->watches);
}

static const struct sink_ops ops = {
	.prompt = true,
	.hit = print_hit,
	.stack = print_stack,
	.lost = print_lost,
	.end = end_gdb,
	.free = free_gdb,
};

struct sink *gdb_sink(FILE *out, bool colour)
{
	struct gdb *gdb = sink_new(sizeof(*gdb), &ops, out);

	gdb->sink.colour = colour;
	return &gdb->sink;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits as an HTML page: plot.html with the hits inserted.
 *
 * The hits are a block of JSON for the page's script: one array per column, with indices
 * into lists of names. 100,000 hits take a few MB.
 */
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "hits/tracks.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"

/* The page; the hits replace its mark. */
asm(".section .rodata\n"
	"plot_page: .incbin \"out/plot.html\"\n"
	".byte 0\n"
	".previous\n");
static const char mark[] = "@HITS@";

/**
 * struct names - a list of distinct texts
 * @tree: struct names, for tsearch(3)
 * @list: the texts in the order of their numbers
 */
struct names {
	void		*tree;
	struct strings	list;
};

struct name {
	char	*text;
	size_t	number;
};

/* The columns of a hit. Values have a text if their type is known. */
enum { TIME, TRACK, CPU, TASK, FUNCTION, ACCESS, OLD, NEW, OLD_TEXT, NEW_TEXT, NR_COLUMNS };

/**
 * struct plot - a sink that writes a page
 * @sink: the sink
 * @title: title of the page
 * @start: time of the first hit
 * @nr: number of hits
 * @tracks: the variables
 * @tasks: names of the tasks
 * @functions: names of the functions
 * @texts: the values as text
 * @column: the columns as JSON; each is a stream into the text of the same index
 * @text: these texts
 * @size: their sizes
 */
struct plot {
	struct sink		sink;
	char			*title;
	unsigned long long	start;
	size_t			nr;
	struct tracks		tracks;
	struct names		tasks;
	struct names		functions;
	struct names		texts;
	FILE			*column[NR_COLUMNS];
	char			*text[NR_COLUMNS];
	size_t			size[NR_COLUMNS];
};

static struct plot *plot_of(struct sink *sink)
{
	return container_of(sink, struct plot, sink);
}

static int compare_names(const void *a, const void *b)
{
	const struct name *name_a = a, *name_b = b;

	return strcmp(name_a->text, name_b->text);
}

/* Returns the number of a text. */
static size_t find_name(struct names *names, const char *text)
{
	struct name key = { .text = (char *)text }, *name, **found;

	found = tfind(&key, &names->tree, compare_names);
	if (found)
		return (*found)->number;
	name = xcalloc(1, sizeof(*name));
	name->text = xstrdup(text);
	name->number = names->list.nr;
	strings_add_owned(&names->list, name->text);
	if (!tsearch(name, &names->tree, compare_names))
		die("out of memory");
	return name->number;
}

static void free_names(struct names *names)
{
	tdestroy(names->tree, free);
	strings_free(&names->list);
}

[[gnu::format(printf, 3, 4)]]
static void add_cell(struct plot *plot, int column, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (plot->nr)
		putc(',', plot->column[column]);
	vfprintf(plot->column[column], fmt, ap);
	va_end(ap);
}

/* JavaScript has 53 bits; larger numbers are strings. */
static void add_value(struct plot *plot, int column, const struct hit *hit,
		      unsigned long long value)
{
	bool is_negative = hit->is_signed && (long long)value < 0;

	value = is_negative ? -value : value;
	add_cell(plot, column, value >> 53 ? "\"%s0x%llx\"" : "%s%llu", is_negative ? "-" : "",
		 value);
}

static void add_values(struct plot *plot, const struct hit *hit)
{
	if (hit->has_old)
		add_value(plot, OLD, hit, hit->old);
	else
		add_cell(plot, OLD, "null");
	if (hit->has_values)
		add_value(plot, NEW, hit, hit->new);
	else
		add_cell(plot, NEW, "null");
	if (!hit->is_typed) {
		add_cell(plot, OLD_TEXT, "-1");
		add_cell(plot, NEW_TEXT, "-1");
	} else {
		add_cell(plot, OLD_TEXT, "%zu", find_name(&plot->texts, hit->old_text));
		add_cell(plot, NEW_TEXT, "%zu", find_name(&plot->texts, hit->new_text));
	}
}

static void add_hit(struct sink *sink, const struct hit *hit)
{
	struct plot *plot = plot_of(sink);
	char *task = xasprintf("%s-%d", hit->comm, hit->pid);
	char *function = hit->function ? xstrdup(hit->function) : xasprintf("%#llx", hit->ip);

	if (!plot->nr)
		plot->start = hit->time;
	/* Signed: the times of a damaged file may be in any order. */
	add_cell(plot, TIME, "%lld", (long long)(hit->time - plot->start));
	add_cell(plot, TRACK, "%zu", tracks_find(&plot->tracks, hit));
	add_cell(plot, CPU, "%d", hit->cpu);
	add_cell(plot, TASK, "%zu", find_name(&plot->tasks, task));
	add_cell(plot, FUNCTION, "%zu", find_name(&plot->functions, function));
	add_cell(plot, ACCESS, "%u", hit->access);
	add_values(plot, hit);
	plot->nr++;
	free(function);
	free(task);
}

static void write_names(struct json *json, const char *name, const struct names *names)
{
	size_t i;

	json_open(json, name, '[');
	for (i = 0; i < names->list.nr; i++)
		json_text(json, NULL, names->list.text[i]);
	json_close(json, ']');
}

static void write_tracks(struct json *json, const struct tracks *tracks)
{
	size_t i;

	json_open(json, "tracks", '[');
	for (i = 0; i < tracks->nr; i++)
		json_text(json, NULL, tracks->track[i].name);
	json_close(json, ']');
}

static void write_hits(struct plot *plot, const struct summary *summary)
{
	static const char * const names[NR_COLUMNS] = {
		"time", "track", "cpu", "task", "function", "access", "old", "new", "oldText",
		"newText",
	};
	struct json json = { .out = plot->sink.out, .in_page = true };
	int i;

	json_open(&json, NULL, '{');
	json_text(&json, "title", plot->title);
	json_unsigned(&json, "hits", summary->hits);
	json_unsigned(&json, "lost", summary->lost);
	json_bool(&json, "lostMore", summary->lost_more);
	/* A string, to keep all digits. */
	fprintf(plot->sink.out, ",\"start\":\"%llu\"", plot->start);
	write_tracks(&json, &plot->tracks);
	write_names(&json, "tasks", &plot->tasks);
	write_names(&json, "functions", &plot->functions);
	write_names(&json, "texts", &plot->texts);
	for (i = 0; i < NR_COLUMNS; i++) {
		fprintf(plot->sink.out, ",\"%s\":[", names[i]);
		fwrite(plot->text[i], 1, plot->size[i], plot->sink.out);
		putc(']', plot->sink.out);
	}
	json_close(&json, '}');
}

static void write_page(struct sink *sink, struct summary *summary)
{
	const char *place = strstr(plot_page, mark);
	struct plot *plot = plot_of(sink);
	int i;

	for (i = 0; i < NR_COLUMNS; i++)
		if (fflush(plot->column[i]))
			die("out of memory");
	fwrite(plot_page, 1, place - plot_page, plot->sink.out);
	write_hits(plot, summary);
	fputs(place + strlen(mark), plot->sink.out);
}

static void free_plot(struct sink *sink)
{
	struct plot *plot = plot_of(sink);
	int i;

	for (i = 0; i < NR_COLUMNS; i++) {
		fclose(plot->column[i]);
		free(plot->text[i]);
	}
	tracks_free(&plot->tracks);
	free_names(&plot->tasks);
	free_names(&plot->functions);
	free_names(&plot->texts);
	free(plot->title);
}

static const struct sink_ops ops = {
	.hit = add_hit,
	.end = write_page,
	.free = free_plot,
};

/**
 * plot_sink - write hits as a page
 * @out: where to
 * @title: what to call it
 *
 * Return: the sink, which writes at the end.
 */
struct sink *plot_sink(FILE *out, const char *title)
{
	struct plot *plot = sink_new(sizeof(*plot), &ops, out);
	int i;

	plot->title = xstrdup(title);
	for (i = 0; i < NR_COLUMNS; i++) {
		plot->column[i] = open_memstream(&plot->text[i], &plot->size[i]);
		if (!plot->column[i])
			die("out of memory");
	}
	return &plot->sink;
}

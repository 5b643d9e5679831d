// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits as an HTML page: plot.html with the hits inserted.
 *
 * The hits are a block of JSON for the page's script: one array per column, with indices
 * into lists of names. 100,000 hits take a few MB. Where there are more, the page has a few
 * hits of each short time, and counts of the others.
 */
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "lib/names.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"

/* The page; the hits replace its mark. */
asm(".section .rodata\n"
	"plot_page: .incbin \"out/plot.html\"\n"
	".byte 0\n"
	".previous\n");
static const char mark[] = "@HITS@";

/* Pages of more hits are slow, and large: then those of a bucket are counted, see bucket(). */
#define MAX_HITS	100000

/* The numbers that a page has room for, of some digits each; a hit with texts is like 40. */
#define MAX_NUMBERS	2000000
#define NUMBERS_OF_HIT	40

/* A hit; names and texts are numbers. */
enum { TRACK, CPU, TASK, FUNCTION, NR_KEYS };
struct row {
	unsigned long long	time;
	unsigned long long	old;
	unsigned long long	new;
	long long		old_text;	/* text of @old, or -1 for none */
	long long		new_text;	/* text of @new, or -1 for none */
	unsigned int		key[NR_KEYS];	/* its track, CPU, task and function */
	unsigned char		access;		/* what it did */
	bool			has_old;	/* @old is known */
	bool			has_values;	/* @new is known */
	bool			is_signed;
	bool			is_shown;	/* the page has it, not only its bucket's counts */
};

/* A sink that writes a page. */
struct plot {
	struct sink		sink;
	char			*title;
	struct row		*row;
	size_t			nr;
	unsigned long long	width;			/* of a bucket, in nanoseconds */
	unsigned int		nr_keys[NR_KEYS];
	struct tracks		tracks;			/* the variables */
	struct names		tasks;
	struct names		functions;
	struct names		texts;			/* the values as text */
};

static struct plot *plot_of(struct sink *sink)
{
	return container_of(sink, struct plot, sink);
}

static void add_hit(struct sink *sink, const struct hit *hit)
{
	char *task __autofree = xasprintf("%s-%d", hit->comm, hit->pid);
	char *function __autofree = function_text(hit);
	struct plot *plot = plot_of(sink);
	struct row *row = array_add(plot->row, plot->nr);
	int i;

	*row = (struct row) {
		.time = hit->time, .old = hit->old, .new = hit->new, .old_text = -1,
		.new_text = -1, .access = hit->access, .has_old = hit->has_old,
		.has_values = hit->has_values, .is_signed = hit->is_signed, .is_shown = true,
		.key = { tracks_find(&plot->tracks, hit), hit->cpu < 0 ? 0 : hit->cpu,
			 names_find(&plot->tasks, task),
			 names_find(&plot->functions, function) },
	};
	if (hit->has_old && hit->is_typed)
		row->old_text = names_find(&plot->texts, hit->old_text);
	if (hit->has_values && hit->is_typed)
		row->new_text = names_find(&plot->texts, hit->new_text);
	for (i = 0; i < NR_KEYS; i++)
		if (row->key[i] >= plot->nr_keys[i])
			plot->nr_keys[i] = row->key[i] + 1;
}

/* --- Buckets ------------------------------------------------------------------------ */

static bool is_less(const struct row *a, const struct row *b)
{
	return a->is_signed ? (long long)a->new < (long long)b->new : a->new < b->new;
}

/* Returns the bucket of a hit. The times of a damaged file may be in any order. */
static unsigned long long bucket(const struct plot *plot, const struct row *row)
{
	return row->time > plot->row->time ? (row->time - plot->row->time) / plot->width : 0;
}

/* Returns the end of the hits of a bucket. */
static size_t find_end(const struct plot *plot, size_t first)
{
	size_t end = first + 1;

	while (end < plot->nr && bucket(plot, &plot->row[end]) == bucket(plot, &plot->row[first]))
		end++;
	return end;
}

/* Of each track, a bucket shows the hits with the lowest and the highest value, and the last. */
static void choose_shown(struct plot *plot, size_t first, size_t end)
{
	struct row **shown __autofree = NULL;
	enum { LOW, HIGH, LAST, NR };
	size_t nr = NR * plot->tracks.names.nr, i;

	shown = xcalloc(nr, sizeof(*shown));
	for (i = first; i < end; i++) {
		struct row *row = &plot->row[i], **place = &shown[NR * row->key[TRACK]];

		row->is_shown = false;
		if (!place[LOW] || is_less(row, place[LOW]))
			place[LOW] = row;
		if (!place[HIGH] || is_less(place[HIGH], row))
			place[HIGH] = row;
		place[LAST] = row;
	}
	for (i = 0; i < nr; i++)
		if (shown[i])
			shown[i]->is_shown = true;
}

/* The index of a hit's counter: by its key, its access, and whether the value changed. */
static size_t find_count(const struct row *row, int key)
{
	return 8 * row->key[key] + 2 * row->access + (row->old != row->new);
}

/*
 * Counts the hits of each bucket that are not shown. Writes the numbers of the bucket and the
 * key, what was done, and hits, unless @out is NULL. Returns how many numbers these are.
 */
static size_t write_counts(const struct plot *plot, int key, FILE *out)
{
	unsigned int *count __autofree = xcalloc(plot->nr_keys[key], 8 * sizeof(*count));
	size_t first, end, written = 0, i;

	for (first = 0; first < plot->nr; first = end) {
		end = find_end(plot, first);
		for (i = first; i < end; i++)
			count[find_count(&plot->row[i], key)] += !plot->row[i].is_shown;
		for (i = first; i < end; i++) {
			size_t what = find_count(&plot->row[i], key);

			if (count[what] && out)
				fprintf(out, ",%llu,%zu,%zu,%u", bucket(plot, &plot->row[i]),
					what / 8, what % 8, count[what]);
			written += count[what] ? 4 : 0;
			count[what] = 0;
		}
	}
	return written;
}

/* Makes the narrowest buckets that fit into the page. */
static void make_buckets(struct plot *plot)
{
	unsigned long long span = plot->row[plot->nr - 1].time - plot->row->time;
	size_t first, end, numbers;
	int key;

	for (plot->width = span / 16384 + 1;; plot->width *= 2) {
		numbers = 0;
		for (first = 0; first < plot->nr; first = end) {
			end = find_end(plot, first);
			choose_shown(plot, first, end);
		}
		for (first = 0; first < plot->nr; first++)
			numbers += NUMBERS_OF_HIT * plot->row[first].is_shown;
		for (key = 0; key < NR_KEYS; key++)
			numbers += write_counts(plot, key, NULL);
		if (numbers <= MAX_NUMBERS || plot->width > span / 2)
			break;
	}
}

/* --- The page ----------------------------------------------------------------------- */

/* JavaScript has 53 bits; larger numbers are strings. */
static void write_value(FILE *out, const struct row *row, bool known, unsigned long long value)
{
	bool is_negative = row->is_signed && (long long)value < 0;

	value = is_negative ? -value : value;
	if (!known)
		fputs("null", out);
	else
		fprintf(out, value >> 53 ? "\"%s0x%llx\"" : "%s%llu", is_negative ? "-" : "",
			value);
}

/* The columns of a hit. */
enum { TIME = NR_KEYS, ACCESS, OLD, NEW, OLD_TEXT, NEW_TEXT, NR_COLUMNS };
static const char * const column_names[NR_COLUMNS] = {
	"track", "cpu", "task", "function", "time", "access", "old", "new", "oldText", "newText",
};

static void write_column(const struct plot *plot, int column)
{
	FILE *out = plot->sink.out;
	const char *comma = "";
	size_t i;

	fprintf(out, ",\"%s\":[", column_names[column]);
	for (i = 0; i < plot->nr; i++) {
		const struct row *row = &plot->row[i];

		if (!row->is_shown)
			continue;
		fputs(comma, out);
		comma = ",";
		if (column == OLD)
			write_value(out, row, row->has_old, row->old);
		else if (column == NEW)
			write_value(out, row, row->has_values, row->new);
		else
			/* Signed: the times of a damaged file may be in any order. */
			fprintf(out, "%lld",
				column == TIME ? (long long)(row->time - plot->row->time) :
				column == ACCESS ? row->access :
				column == OLD_TEXT ? row->old_text :
				column == NEW_TEXT ? row->new_text : row->key[column]);
	}
	putc(']', out);
}

/* Gives the texts of the shown hits numbers of their own, and writes them. */
static void write_texts(struct plot *plot, struct json *json)
{
	int *number __autofree = xcalloc(plot->texts.list.nr + 1, sizeof(*number)), nr = 0;
	size_t i;

	json_open(json, "texts", '[');
	for (i = 0; i < 2 * plot->nr; i++) {
		struct row *row = &plot->row[i / 2];
		long long *text = i % 2 ? &row->new_text : &row->old_text;

		if (!row->is_shown || *text < 0)
			continue;
		if (!number[*text]) {
			json_text(json, NULL, plot->texts.list.text[*text]);
			number[*text] = ++nr;
		}
		*text = number[*text] - 1;
	}
	json_close(json, ']');
}

static void write_hits(struct plot *plot, const struct summary *summary)
{
	struct json json = { .out = plot->sink.out, .in_page = true };
	int i;

	if (plot->nr > MAX_HITS)
		make_buckets(plot);
	json_open(&json, NULL, '{');
	json_text(&json, "title", plot->title);
	json_unsigned(&json, "hits", summary->hits);
	json_unsigned(&json, "lost", summary->lost);
	json_bool(&json, "lostMore", summary->lost_more);
	/* A string, to keep all digits. */
	json_print(&json, "start", "\"%llu\"", plot->nr ? plot->row->time : 0);
	json_strings(&json, "tracks", &plot->tracks.names);
	json_strings(&json, "tasks", &plot->tasks.list);
	json_strings(&json, "functions", &plot->functions.list);
	write_texts(plot, &json);
	for (i = 0; i < NR_COLUMNS; i++)
		write_column(plot, i);
	json_open(&json, "counts", '{');
	json_unsigned(&json, "width", plot->width);
	for (i = 0; i < NR_KEYS && plot->width; i++) {
		/* The first number is only there for the commas. */
		json_open(&json, column_names[i], '[');
		json_unsigned(&json, NULL, 0);
		write_counts(plot, i, plot->sink.out);
		json_close(&json, ']');
	}
	json_close(&json, '}');
	json_close(&json, '}');
}

static void write_page(struct sink *sink, struct summary *summary)
{
	const char *place = strstr(plot_page, mark);

	fwrite(plot_page, 1, place - plot_page, sink->out);
	write_hits(plot_of(sink), summary);
	fputs(place + strlen(mark), sink->out);
}

static void free_plot(struct sink *sink)
{
	struct plot *plot = plot_of(sink);

	free(plot->row);
	tracks_free(&plot->tracks);
	names_free(&plot->tasks);
	names_free(&plot->functions);
	names_free(&plot->texts);
	free(plot->title);
}

static const struct sink_ops ops = {
	.hit = add_hit,
	.end = write_page,
	.free = free_plot,
};

/* Returns a sink that writes hits as a page with this title, at the end. */
struct sink *plot_sink(FILE *out, const char *title)
{
	struct plot *plot = sink_new(sizeof(*plot), &ops, out);

	plot->title = xstrdup(title);
	return &plot->sink;
}

// SPDX-License-Identifier: GPL-2.0-only
/* A profile as two tables, as JSON, and as a page: profile.html with the JSON inserted. */
#include <stdlib.h>
#include <string.h>

#include "lib/grid.h"
#include "lib/text.h"
#include "out/profile.h"
#include "out/sinks.h"

/* The page; the JSON replaces its mark. */
asm(".section .rodata\n"
	"profile_page: .incbin \"out/profile.html\"\n"
	".byte 0\n"
	".previous\n");
static const char mark[] = "@PROFILE@";

/* So many functions of a field are shown in the table. */
#define MAX_FUNCTIONS	3

static int compare_hits(const void *a, const void *b)
{
	const struct profile_field *field_a = *(struct profile_field * const *)a;
	const struct profile_field *field_b = *(struct profile_field * const *)b;

	if (field_a->summary.hits != field_b->summary.hits)
		return field_a->summary.hits > field_b->summary.hits ? -1 : 1;
	return field_a->off < field_b->off ? -1 : 1;
}

/* The functions that hit a field most, as text. */
static char *functions_text(const struct summary *summary)
{
	struct strings parts __cleanup(strings_free) = {};
	size_t i;

	for (i = 0; i < summary->nr && i < MAX_FUNCTIONS; i++)
		strings_add_owned(&parts, xasprintf("%s %llu", summary->line[i]->function,
						    summary->line[i]->hits));
	if (summary->nr > i)
		strings_add_owned(&parts, xasprintf("+%zu", summary->nr - i));
	return strings_join(&parts, ", ");
}

static void add_number(struct strings *cells, unsigned long long number)
{
	strings_add_owned(cells, xasprintf("%llu", number));
}

static void add_words(struct strings *cells, const char *words)
{
	size_t len;

	for (; *words; words += len + (words[len] == ' ')) {
		len = strcspn(words, " ");
		strings_add_owned(cells, xasprintf("%.*s", (int)len, words));
	}
}

static void print_fields(FILE *out, const struct profile *profile, bool by_hits, bool all)
{
	struct profile_field **field __autofree = xcalloc(profile->nr, sizeof(*field));
	struct grid grid = { .columns = 9, .right = 0xfb };
	size_t i;

	for (i = 0; i < profile->nr; i++)
		field[i] = &profile->field[i];
	if (by_hits)
		qsort(field, profile->nr, sizeof(*field), compare_hits);
	add_words(&grid.cells, "OFFSET SIZE FIELD HITS READS WRITES COVERAGE ESTIMATE FUNCTIONS");
	for (i = 0; i < profile->nr; i++) {
		const struct summary *summary = &field[i]->summary;

		if (!all && !summary->hits)
			continue;
		add_number(&grid.cells, field[i]->off);
		add_number(&grid.cells, field[i]->size);
		strings_add_owned(&grid.cells, profile_name(field[i]));
		add_number(&grid.cells, summary->hits);
		add_number(&grid.cells, field[i]->reads);
		add_number(&grid.cells, field[i]->writes);
		strings_add_owned(&grid.cells, xasprintf("%.2f%%", 100 * field[i]->coverage));
		strings_add_owned(&grid.cells, field[i]->coverage ?
				  xasprintf("%.0f", summary->hits / field[i]->coverage) :
				  xstrdup("-"));
		strings_add_owned(&grid.cells, functions_text(summary));
	}
	grid_print(&grid, out);
}

/* The fields of a cache line that were hit, or all. */
static char *line_fields(const struct profile *profile, const struct profile_line *line, bool all)
{
	struct strings names __cleanup(strings_free) = {};
	size_t i;

	for (i = line->first; i < line->end; i++)
		if (all || profile->field[i].summary.hits)
			strings_add_owned(&names, profile_name(&profile->field[i]));
	return strings_join(&names, ", ");
}

static void print_lines(FILE *out, const struct profile *profile, bool all)
{
	struct grid grid = { .columns = 6, .right = 0x7 };
	unsigned int lead = profile->base % CACHE_LINE;
	struct strings hints __cleanup(strings_free) = {};
	struct profile_line line;
	size_t i;

	add_words(&grid.cells, "LINE OFFSET HITS WRITERS OTHERS FIELDS");
	for (i = 0; i < profile_nr_lines(profile); i++) {
		profile_line(profile, i, &line);
		if (line.hint)
			strings_add_owned(&hints, xasprintf("line %zu: %s", i, line.hint));
		if (all || line.hits) {
			add_number(&grid.cells, i);
			add_number(&grid.cells, i ? i * CACHE_LINE - lead : 0);
			add_number(&grid.cells, line.hits);
			strings_add(&grid.cells, *line.writers ? line.writers : "-");
			strings_add(&grid.cells, *line.others ? line.others : "-");
			strings_add_owned(&grid.cells, line_fields(profile, &line, all));
		}
		profile_line_free(&line);
	}
	putc('\n', out);
	grid_print(&grid, out);
	for (i = 0; i < hints.nr; i++)
		fprintf(out, "%s\n", hints.text[i]);
}

static void sort_functions(const struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr; i++)
		summary_sort(&profile->field[i].summary);
}

/*
 * Prints a profile as two tables: its fields and its cache lines. @by_hits: most hits first,
 * instead of by offset; @all: also what was not hit.
 */
void profile_print(FILE *out, const struct profile *profile, bool by_hits, bool all)
{
	size_t hit = 0, unseen = 0, i;

	sort_functions(profile);
	print_fields(out, profile, by_hits, all);
	print_lines(out, profile, all);
	for (i = 0; i < profile->nr; i++) {
		hit += !!profile->field[i].summary.hits;
		unseen += !profile->field[i].coverage;
	}
	fprintf(out, "\n%llu hits in %zu of %zu fields", profile->all, hit, profile->nr);
	if (unseen)
		fprintf(out, "; %zu had no turn yet", unseen);
	if (profile->lost)
		fprintf(out, "; %llu or more hits lost", profile->lost);
	putc('\n', out);
}

static void write_field(struct json *json, const struct profile_field *field)
{
	size_t i;

	json_open(json, NULL, '{');
	json_text(json, "type", "field");
	json_unsigned(json, "offset", field->off);
	json_unsigned(json, "size", field->size);
	json_strings(json, "names", &field->names);
	json_unsigned(json, "hits", field->summary.hits);
	json_unsigned(json, "reads", field->reads);
	json_unsigned(json, "writes", field->writes);
	json_print(json, "coverage", "%.6f", field->coverage);
	json_open(json, "functions", '[');
	for (i = 0; i < field->summary.nr; i++) {
		json_open(json, NULL, '{');
		json_text(json, "function", field->summary.line[i]->function);
		json_unsigned(json, "hits", field->summary.line[i]->hits);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

static void write_line(struct json *json, const struct profile *profile, size_t index)
{
	struct profile_line line;

	profile_line(profile, index, &line);
	json_open(json, NULL, '{');
	json_text(json, "type", "cache_line");
	json_unsigned(json, "line", index);
	json_unsigned(json, "offset", index ? index * CACHE_LINE - profile->base % CACHE_LINE : 0);
	json_unsigned(json, "hits", line.hits);
	json_text(json, "writers", line.writers);
	json_text(json, "others", line.others);
	json_text(json, "hint", line.hint);
	json_close(json, '}');
	profile_line_free(&line);
}

static void write_all(struct json *json, const struct profile *profile)
{
	size_t i;

	sort_functions(profile);
	for (i = 0; i < profile->nr; i++) {
		write_field(json, &profile->field[i]);
		if (!json->in_page)
			json_end_line(json);
	}
	for (i = 0; i < profile_nr_lines(profile); i++) {
		write_line(json, profile, i);
		if (!json->in_page)
			json_end_line(json);
	}
}

/** profile_json - write a profile as JSON: an object per field and per cache line */
void profile_json(FILE *out, const struct profile *profile)
{
	struct json json = { .out = out };

	write_all(&json, profile);
}

/** profile_page_write - write a profile as a page for a browser */
void profile_page_write(FILE *out, const struct profile *profile, const char *title)
{
	const char *place = strstr(profile_page, mark);
	struct json json = { .out = out, .in_page = true };

	fwrite(profile_page, 1, place - profile_page, out);
	json_open(&json, NULL, '{');
	json_text(&json, "title", title);
	json_unsigned(&json, "hits", profile->all);
	json_unsigned(&json, "lost", profile->lost);
	json_unsigned(&json, "size", profile->size);
	json_unsigned(&json, "lead", profile->base % CACHE_LINE);
	json_open(&json, "rows", '[');
	write_all(&json, profile);
	json_close(&json, ']');
	json_close(&json, '}');
	fputs(place + strlen(mark), out);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The summary: hits by watch and function. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "lib/grid.h"

const char * const count_headings[] = { "HITS", "READS", "WRITES", "UNKNOWN", "CHANGES" };

static int compare_lines(const void *a, const void *b)
{
	const struct summary_line *line_a = a, *line_b = b;

	if (line_a->start != line_b->start)
		return line_a->start < line_b->start ? -1 : 1;
	return strcmp(line_a->watch, line_b->watch);
}

/* Returns the function of a hit, or the address; a new string. */
char *function_text(const struct hit *hit)
{
	return hit->function ? xstrdup(hit->function) : xasprintf("%#llx", hit->ip);
}

static struct summary_line *find_line(struct summary *summary, const struct hit *hit)
{
	struct summary_line key = { .watch = (char *)hit->watch, .start = hit->start };
	struct summary_line *line, **found;
	bool others = false;

	found = tfind(&key, &summary->tree, compare_lines);
	if (!found && summary->max && summary->nr >= summary->max) {
		/* No function has this address. */
		key.start = ~0ULL;
		others = true;
		found = tfind(&key, &summary->tree, compare_lines);
	}
	if (found)
		return *found;

	line = xcalloc(1, summary->line_size ?: sizeof(*line));
	line->watch = xstrdup(hit->watch);
	line->start = key.start;
	line->function = others ? xstrdup("(others)") : function_text(hit);
	check_memory(tsearch(line, &summary->tree, compare_lines));
	*array_add(summary->line, summary->nr) = line;
	return line;
}

/* Counts a hit, and returns its line. */
struct summary_line *summary_add(struct summary *summary, const struct hit *hit)
{
	struct summary_line *line = find_line(summary, hit);

	summary->hits++;
	line->hits++;
	line->reads += !!(hit->access & ACCESS_READ);
	line->writes += !!(hit->access & ACCESS_WRITE);
	line->unknown += !hit->access;
	line->changes += hit->has_old && hit->old != hit->new;
	line->has_values = line->has_values || hit->has_values;
	return line;
}

/* Most hits first, then by name. */
static int compare_hits(const void *a, const void *b)
{
	const struct summary_line *line_a = *(struct summary_line * const *)a;
	const struct summary_line *line_b = *(struct summary_line * const *)b;
	int order;

	if (line_a->hits != line_b->hits)
		return line_a->hits > line_b->hits ? -1 : 1;
	order = strcmp(line_a->watch, line_b->watch);
	return order ?: strcmp(line_a->function, line_b->function);
}

/* Sorts the lines, most hits first. */
void summary_sort(struct summary *summary)
{
	if (summary->nr)
		qsort(summary->line, summary->nr, sizeof(*summary->line), compare_hits);
}

void summary_print(struct summary *summary, FILE *out)
{
	struct grid grid = { .columns = 2 + NR_COUNTED, .right = ~3U };
	size_t i, j;

	summary_sort(summary);
	if (summary->nr) {
		strings_add(&grid.cells, "WATCH");
		strings_add(&grid.cells, "FUNCTION");
	}
	for (j = 0; summary->nr && j < NR_COUNTED; j++)
		strings_add_owned(&grid.cells, xasprintf("%8s", count_headings[j]));
	for (i = 0; i < summary->nr; i++) {
		const struct summary_line *line = summary->line[i];
		size_t known = line->has_values ? NR_COUNTED : NR_COUNTED - 1;

		strings_add(&grid.cells, line->watch);
		strings_add(&grid.cells, line->function);
		for (j = 0; j < known; j++)
			strings_add_owned(&grid.cells, xasprintf("%llu", line->count[j]));
		if (!line->has_values)
			strings_add(&grid.cells, "-");
	}
	grid_print(&grid, out);
	summary_print_sum(summary, out);
}

/* Prints the number of hits, and of those that are lost. */
void summary_print_sum(const struct summary *summary, FILE *out)
{
	fprintf(out, "%llu hit%s", summary->hits, summary->hits == 1 ? "" : "s");
	if (summary->lost)
		fprintf(out, ", %llu%s lost", summary->lost,
			summary->lost_more ? " or more" : "");
	else if (summary->lost_more)
		fputs(", others lost", out);
	fputs(summary->lost || summary->lost_more ? ": the trace buffer was full\n" :
	      "\n", out);
}

static void free_line(void *data)
{
	struct summary_line *line = data;

	free(line->watch);
	free(line->function);
	free(line);
}

/* Frees what the summary contains. */
void summary_free(struct summary *summary)
{
	tdestroy(summary->tree, free_line);
	free(summary->line);
}

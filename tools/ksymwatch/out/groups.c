// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits in groups: a row for those with the same watch, and the same function, source line,
 * task, value or stack.
 */
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "lib/grid.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"
#include "symbols/lines.h"

enum { GROUP_FUNCTION, GROUP_LINE, GROUP_TASK, GROUP_VALUE, GROUP_STACK };

/* The words of --group-by, and their headings. */
static const char * const keys[] = { "function", "line", "task", "value", "stack", NULL };
static const char * const key_headings[] = { "FUNCTION", "LINE", "TASK", "VALUE", "STACK" };
/* The words of --sort, the counters first, as in struct summary_line. */
static const char * const counts[] = {
	"hits", "reads", "writes", "unknown", "changes", "watch", "key", NULL,
};

#define SORT_WATCH	NR_COUNTED

/* Hits that have the same texts. */
struct group {
	struct summary_line	sum;	/* of all texts as one, instead of a watch */
	struct strings		text;	/* name of the watch, then the texts of the keys */
};

/* A sink that prints groups. */
struct groups {
	struct sink	sink;
	bool		json;
	unsigned int	key[8];		/* what the hits are grouped by */
	size_t		nr_keys;
	unsigned int	order[8];	/* what the rows are sorted by */
	size_t		nr_orders;
	struct summary	rows;		/* its lines are groups */
};

static struct groups *groups_of(struct sink *sink)
{
	return container_of(sink, struct groups, sink);
}

static const struct group *group_of(const struct summary_line *line)
{
	return container_of(line, struct group, sum);
}

/* Returns the line of the source; as a new string, like all of these. */
static char *line_text(const struct hit *hit)
{
	return hit->lines ? xasprintf("%s:%d", hit->lines->line[0].file,
				      hit->lines->line[0].line) : xstrdup("?");
}

/* Returns the functions, innermost first. */
static char *stack_text(const struct hit *hit)
{
	struct strings frames __cleanup(strings_free) = {};
	size_t i;

	for (i = 0; hit->stack && i < hit->stack->nr; i++)
		strings_add_owned(&frames, hit->stack->frame[i].function ?
				  xstrdup(hit->stack->frame[i].function) :
				  xasprintf("%#llx", hit->stack->frame[i].addr));
	return frames.nr ? strings_join(&frames, " < ") : xstrdup("?");
}

static char *key_text(unsigned int key, const struct hit *hit)
{
	switch (key) {
	case GROUP_LINE:
		return line_text(hit);
	case GROUP_TASK:
		return xstrdup(hit->comm);
	case GROUP_VALUE:
		return xstrdup(hit->has_values ? hit->new_text : "?");
	case GROUP_STACK:
		return stack_text(hit);
	default:
		return function_text(hit);
	}
}

static void take_hit(struct sink *sink, const struct hit *hit)
{
	char *joined __autofree = NULL;
	struct groups *groups = groups_of(sink);
	struct summary_line *line;
	struct strings text = {};
	struct hit key = *hit;
	size_t i;

	strings_add(&text, hit->watch);
	for (i = 0; i < groups->nr_keys; i++)
		strings_add_owned(&text, key_text(groups->key[i], hit));
	joined = strings_join(&text, "\n");
	key.watch = joined;
	key.start = 0;
	line = summary_add(&groups->rows, &key);
	if (line->hits == 1)
		container_of(line, struct group, sum)->text = text;
	else
		strings_free(&text);
}

/* Compares by the wanted columns; counters fall. */
static int compare_groups(const void *a, const void *b, void *data)
{
	const struct summary_line *line_a = *(struct summary_line * const *)a;
	const struct summary_line *line_b = *(struct summary_line * const *)b;
	const struct groups *groups = data;
	int order = 0;
	size_t i;

	for (i = 0; !order && i < groups->nr_orders; i++) {
		unsigned int by = groups->order[i];

		if (by >= SORT_WATCH)
			order = strcmp(group_of(line_a)->text.text[by - SORT_WATCH],
				       group_of(line_b)->text.text[by - SORT_WATCH]);
		else if (line_a->count[by] != line_b->count[by])
			order = line_a->count[by] > line_b->count[by] ? -1 : 1;
	}
	return order ?: strcmp(line_a->watch, line_b->watch);
}

/* Nothing tells the changes of hits without values. */
static bool is_known(const struct group *group, size_t i)
{
	return group->sum.has_values || &group->sum.count[i] != &group->sum.changes;
}

static void print_json(const struct groups *groups, const struct group *group)
{
	struct json json = { .out = groups->sink.out };
	size_t i;

	json_open(&json, NULL, '{');
	json_text(&json, "type", "group");
	json_text(&json, "watch", group->text.text[0]);
	for (i = 0; i < groups->nr_keys; i++)
		json_text(&json, keys[groups->key[i]], group->text.text[i + 1]);
	for (i = 0; i < NR_COUNTED; i++)
		json_number(&json, counts[i], is_known(group, i), group->sum.count[i]);
	json_close(&json, '}');
	json_end_line(&json);
}

static void add_row(struct strings *cells, const struct groups *groups,
		    const struct group *group)
{
	size_t i;

	for (i = 0; i < NR_COUNTED; i++)
		strings_add_owned(cells, is_known(group, i) ?
					 xasprintf("%llu", group->sum.count[i]) : xstrdup("-"));
	for (i = 0; i <= groups->nr_keys; i++)
		strings_add(cells, group->text.text[i]);
}

static void end_groups(struct sink *sink, struct summary *summary)
{
	struct groups *groups = groups_of(sink);
	struct summary *rows = &groups->rows;
	struct grid grid = {
		.columns = NR_COUNTED + 1 + groups->nr_keys, .right = (1 << NR_COUNTED) - 1,
	};
	size_t i;

	if (rows->nr)
		qsort_r(rows->line, rows->nr, sizeof(*rows->line), compare_groups, groups);
	for (i = 0; groups->json && i < rows->nr; i++)
		print_json(groups, group_of(rows->line[i]));
	if (groups->json) {
		struct json json = { .out = sink->out };

		json_summary(&json, summary);
		return;
	}
	for (i = 0; i < NR_COUNTED; i++)
		strings_add(&grid.cells, count_headings[i]);
	strings_add(&grid.cells, "WATCH");
	for (i = 0; i < groups->nr_keys; i++)
		strings_add(&grid.cells, key_headings[groups->key[i]]);
	for (i = 0; i < rows->nr; i++)
		add_row(&grid.cells, groups, group_of(rows->line[i]));
	grid_print(&grid, sink->out);
	summary_print_sum(summary, sink->out);
}

static void free_groups(struct sink *sink)
{
	struct groups *groups = groups_of(sink);
	size_t i;

	for (i = 0; i < groups->rows.nr; i++)
		strings_free(&container_of(groups->rows.line[i], struct group, sum)->text);
	summary_free(&groups->rows);
}

static const struct sink_ops ops = {
	.hit = take_hit,
	.end = end_groups,
	.free = free_groups,
};

/* Finds the words of a list in a table. Returns their number, or 0 with a message. */
static size_t find_words(const char *option, const char *list, const char * const *words,
			 unsigned int found[8], char **fault)
{
	char *copy __autofree = xstrdup(list), *rest = copy, *word, *joined __autofree = NULL;
	struct strings all __cleanup(strings_free) = {};
	size_t nr = 0, i;

	while ((word = strsep(&rest, ","))) {
		for (i = 0; words[i] && strcmp(words[i], word); i++)
			;
		if (!words[i] || nr == 8)
			break;
		found[nr++] = i;
	}
	if (word && !*fault) {
		for (i = 0; words[i]; i++)
			strings_add(&all, words[i]);
		joined = strings_join(&all, ", ");
		*fault = xasprintf("invalid %s '%s': must be one of %s", option, word, joined);
	}
	return nr;
}

/*
 * Makes a sink that shows hits in groups. @group_by: a list of keys; NULL for the function.
 * @sort: a list of columns; NULL for the number of hits. @lines is set to whether the source
 * lines are needed, @fault to what is wrong with a list, a new string, or NULL.
 */
struct sink *groups_sink(FILE *out, bool json, const char *group_by, const char *sort,
			 bool *lines, char **fault)
{
	struct groups *groups = sink_new(sizeof(*groups), &ops, out);
	size_t i;

	*fault = NULL;
	groups->json = json;
	groups->rows.line_size = sizeof(struct group);
	groups->nr_keys = find_words("--group-by", group_by ?: keys[0], keys, groups->key, fault);
	groups->nr_orders = find_words("--sort", sort ?: counts[0], counts, groups->order, fault);
	for (i = 0; i < groups->nr_keys; i++)
		*lines |= groups->key[i] == GROUP_LINE;
	return &groups->sink;
}

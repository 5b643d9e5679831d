// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch diff: what differs between two recordings.
 *
 * Counts the hits of each function, task and value in both, and compares the hits one by one
 * until the first that differs.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/output.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/grid.h"
#include "lib/names.h"
#include "lib/text.h"
#include "lib/util.h"

/* Rows that are printed of each kind. */
#define MAX_SHOWN	20

enum { A, B, NR_SIDES };

enum kind { FUNCTION, TASK, VALUE, NR_KINDS };

static const char * const kinds[] = { "function", "task", "value" };
static const char * const headings[] = { "FUNCTION", "TASK", "VALUE" };

/* How often something occurred at a watch, in each recording. */
struct row {
	enum kind		kind;
	const char		*name;			/* all three in one, to sort by */
	const char		*watch;
	const char		*what;
	unsigned long long	hits[NR_SIDES];
};

/* Two recordings. */
static struct diff {
	struct sink	sink;			/* counts the hits */
	int		side;			/* whose hits come */
	struct names	names;			/* of the rows */
	struct row	*row;
	size_t		nr;
	size_t		hits[NR_SIDES];
	bool		lost[NR_SIDES];
	struct names	texts;			/* of A's hits */
	size_t		*text_of;		/* each of A's hits */
	bool		differs;
	size_t		first;			/* number of the hit that differs, from 0 */
	const char	*text[NR_SIDES];	/* the hit; NULL after the last one */
} diff;

static void count(enum kind kind, const char *watch, const char *what)
{
	char *name = xasprintf("%d%s\n%s", kind, watch, what);
	size_t nr = names_find(&diff.names, name);

	free(name);
	if (nr == diff.nr) {
		name = diff.names.list.text[nr];
		*array_add(diff.row, diff.nr) = (struct row) {
			.kind = kind, .name = name, .watch = xstrdup(watch),
			.what = strchr(name, '\n') + 1,
		};
	}
	diff.row[nr].hits[diff.side]++;
}

/*
 * Notes the hits of A, and compares those of B with them until one differs. Time, CPU and task
 * are not compared: they vary from run to run.
 */
static void compare_hit(const struct hit *hit)
{
	size_t i = diff.hits[diff.side]++;
	char *text;

	if (diff.differs)
		return;
	text = xasprintf("%s %s%u %s -> %s by %s", hit->watch, access_word(hit->access), hit->len,
			 hit->has_values ? hit->old_text : "?",
			 hit->has_values ? hit->new_text : "?", hit->function ?: "?");
	if (diff.side == A) {
		diff.text_of = array_room(diff.text_of, i, sizeof(*diff.text_of));
		diff.text_of[i] = names_find(&diff.texts, text);
	} else if (i >= diff.hits[A] || strcmp(diff.texts.list.text[diff.text_of[i]], text)) {
		diff.differs = true;
		diff.first = i;
		diff.text[B] = text;
		return;
	}
	free(text);
}

static void take_hit(struct sink *sink __maybe_unused, const struct hit *hit)
{
	char *address __autofree = NULL;

	compare_hit(hit);
	address = hit->function ? NULL : xasprintf("%#llx", hit->ip);
	count(FUNCTION, hit->watch, hit->function ?: address);
	count(TASK, hit->watch, hit->comm);
	if (hit->has_values)
		count(VALUE, hit->watch, hit->new_text);
}

/* Returns 0, or -1 after a message. */
static int read_side(int side, const char *path)
{
	struct recording *recording = recording_open(path);
	struct hits *hits;
	int ret;

	if (!recording)
		return -1;
	diff.side = side;
	hits = hits_new(&diff.sink);
	ret = recording_read(recording, hits);
	diff.lost[side] = hits_summary(hits)->lost || hits_summary(hits)->lost_more;
	hits_free(hits);
	recording_close(recording);
	return ret;
}

static const char *change(const struct row *row)
{
	if (!row->hits[A] || !row->hits[B])
		return row->hits[A] ? "gone" : "new";
	return row->hits[A] < row->hits[B] ? "more" : "less";
}

/* By kind, the greatest differences first, then by name. */
static int compare_changes(const void *a, const void *b)
{
	const struct row *row_a = a, *row_b = b;
	unsigned long long change_a = llabs((long long)(row_a->hits[B] - row_a->hits[A]));
	unsigned long long change_b = llabs((long long)(row_b->hits[B] - row_b->hits[A]));

	if (row_a->kind != row_b->kind || change_a == change_b)
		return strcmp(row_a->name, row_b->name);
	return change_a > change_b ? -1 : 1;
}

static void print_json(void)
{
	struct json json = { .out = stdout };
	size_t i;

	for (i = 0; i < diff.nr; i++) {
		const struct row *row = &diff.row[i];

		if (row->hits[A] == row->hits[B])
			continue;
		json_open(&json, NULL, '{');
		json_text(&json, "type", kinds[row->kind]);
		json_text(&json, "change", change(row));
		json_unsigned(&json, "hits_a", row->hits[A]);
		json_unsigned(&json, "hits_b", row->hits[B]);
		json_text(&json, "watch", row->watch);
		json_text(&json, kinds[row->kind], row->what);
		json_close(&json, '}');
		json_end_line(&json);
	}
	json_open(&json, NULL, '{');
	json_text(&json, "type", "diff");
	json_unsigned(&json, "hits_a", diff.hits[A]);
	json_unsigned(&json, "hits_b", diff.hits[B]);
	json_bool(&json, "lost_a", diff.lost[A]);
	json_bool(&json, "lost_b", diff.lost[B]);
	json_number(&json, "first_difference", diff.differs, diff.first + 1);
	json_text(&json, "first_a", diff.text[A]);
	json_text(&json, "first_b", diff.text[B]);
	json_close(&json, '}');
	json_end_line(&json);
}

static void print_rows(enum kind kind)
{
	struct grid grid = { .columns = 5, .right = 1 << 1 | 1 << 2 };
	size_t i, nr = 0;

	for (i = 0; i < diff.nr; i++) {
		const struct row *row = &diff.row[i];

		if (row->kind != kind || row->hits[A] == row->hits[B] || nr++ >= MAX_SHOWN)
			continue;
		if (nr == 1) {
			putchar('\n');
			strings_add(&grid.cells, "CHANGE");
			strings_add(&grid.cells, "A");
			strings_add(&grid.cells, "B");
			strings_add(&grid.cells, "WATCH");
			strings_add(&grid.cells, headings[kind]);
		}
		strings_add(&grid.cells, change(row));
		strings_add_owned(&grid.cells, xasprintf("%llu", row->hits[A]));
		strings_add_owned(&grid.cells, xasprintf("%llu", row->hits[B]));
		strings_add(&grid.cells, row->watch);
		strings_add(&grid.cells, row->what);
	}
	grid_print(&grid, stdout);
	if (nr > MAX_SHOWN)
		printf("and %zu more\n", nr - MAX_SHOWN);
}

static void print_side(int side, const char *text)
{
	printf("%c  ", "AB"[side]);
	print_safe(stdout, text);
	putchar('\n');
}

static void print_text(char **path)
{
	int side, kind;

	for (side = A; side < NR_SIDES; side++) {
		const char *more = diff.lost[side] ? ", others lost: the trace buffer was full" :
						     "";
		char *text __autofree = xasprintf("%s: %zu hit%s%s", path[side], diff.hits[side],
						  diff.hits[side] == 1 ? "" : "s", more);

		print_side(side, text);
	}
	for (kind = 0; kind < NR_KINDS; kind++)
		print_rows(kind);
	if (!diff.differs) {
		puts("\nno hit differs");
		return;
	}
	printf("\nfirst difference, hit %zu:\n", diff.first + 1);
	for (side = A; side < NR_SIDES; side++)
		print_side(side, diff.text[side] ?: "no further hit");
}

static int run_diff(const struct command *cmd, int argc, char **argv)
{
	static const struct sink_ops ops = { .hit = take_hit };
	int first = parse_options(cmd, argc, argv);
	char **path = argv + first;

	if (argc - first != NR_SIDES)
		die_usage(cmd, argc - first < NR_SIDES ? "missing FILE" :
			  "unexpected argument '%s'", path[NR_SIDES]);
	diff.sink.ops = &ops;
	if (read_side(A, path[A]) || read_side(B, path[B]))
		return STATUS_FAILED;
	if (!diff.differs && diff.hits[A] > diff.hits[B]) {
		diff.differs = true;
		diff.first = diff.hits[B];
	}
	if (diff.differs && diff.first < diff.hits[A])
		diff.text[A] = diff.texts.list.text[diff.text_of[diff.first]];
	if (diff.nr)
		qsort(diff.row, diff.nr, sizeof(*diff.row), compare_changes);
	if (output_json)
		print_json();
	else
		print_text(path);
	return STATUS_OK;
}

const struct command cmd_diff = {
	.name = "diff", .run = run_diff,
	.arguments = "A B",
	.summary = "compare two recordings",
	.help =
"Shows which functions, tasks and values (after hits) are new in the second recording, or\n"
"gone, or have more or less hits than in the first one, with the greatest differences first;\n"
"then the first hit that differs in watch, access, values or function.\n",
	.options = (const struct command_option[]) {
		JSON_LINES_OPTION("line, all rows"),
		{}
	},
};

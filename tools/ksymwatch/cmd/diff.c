// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch diff: what differs between two recordings.
 *
 * Counts the hits of each function, task and value in both, and compares the hits one by one
 * until the first that differs.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/grid.h"
#include "lib/text.h"
#include "lib/util.h"

/* A variable may have any number of values: further ones are counted together. */
#define MAX_ROWS	50000

/* Rows that are printed of each table. */
#define MAX_SHOWN	20

enum { A, B };

enum kind { FUNCTIONS, TASKS, VALUES, NR_KINDS };

static const char * const kind_names[] = { "function", "task", "value" };
static const char * const headings[] = { "FUNCTION", "TASK", "VALUE" };

/**
 * struct row - how often something occurred
 * @watch: the watch
 * @what: a function, a task, or a value after hits
 * @hits: number of hits in each recording
 */
struct row {
	char			*watch;
	char			*what;
	unsigned long long	hits[2];
};

struct table {
	void		*tree;
	struct row	**row;
	size_t		nr;
};

/**
 * struct diff - two recordings
 * @sink: counts the hits
 * @side: A or B, whose hits come
 * @again: A is read once more, for its hit @first
 * @table: the functions, tasks and values
 * @hits: number of hits of each
 * @lost: number of lost hits
 * @hash: the hits of A
 * @room: number of hits that @hash has room for
 * @differs: a hit differs
 * @first: its number, from 0
 * @text: it, in each recording; NULL after the last hit
 */
struct diff {
	struct sink		sink;
	int			side;
	bool			again;
	struct table		table[NR_KINDS];
	size_t			hits[2];
	unsigned long long	lost[2];
	size_t			*hash;
	size_t			room;
	bool			differs;
	size_t			first;
	char			*text[2];
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *row_a = a, *row_b = b;

	return strcmp(row_a->watch, row_b->watch) ?: strcmp(row_a->what, row_b->what);
}

static void count(struct diff *diff, enum kind kind, const struct hit *hit, const char *what)
{
	struct row key = { (char *)hit->watch, (char *)what, {} }, *row, **found;
	struct table *table = &diff->table[kind];

	found = tfind(&key, &table->tree, compare_rows);
	if (!found && table->nr >= MAX_ROWS) {
		key.what = "(others)";
		found = tfind(&key, &table->tree, compare_rows);
	}
	if (!found) {
		row = xcalloc(1, sizeof(*row));
		row->watch = xstrdup(key.watch);
		row->what = xstrdup(key.what);
		table->row = xreallocarray(table->row, table->nr + 1, sizeof(row));
		table->row[table->nr++] = row;
		found = tsearch(row, &table->tree, compare_rows);
		if (!found)
			die("out of memory");
	}
	(*found)->hits[diff->side]++;
}

/* What is compared of a hit: not its time, CPU and task, which vary from run to run. */
static char *hit_text(const struct hit *hit)
{
	return xasprintf("%s %s%u %s -> %s by %s", hit->watch, access_word(hit->access), hit->len,
			 hit->has_values ? hit->old_text : "?",
			 hit->has_values ? hit->new_text : "?", hit->function ?: "?");
}

/* FNV-1a */
static size_t hash_text(const char *text)
{
	size_t hash = 0xcbf29ce484222325;

	while (*text)
		hash = (hash ^ (unsigned char)*text++) * 0x100000001b3;
	return hash;
}

/* Notes the hits of A, and compares those of B with them until one differs. */
static void compare_hit(struct diff *diff, const struct hit *hit)
{
	size_t i = diff->hits[diff->side]++;
	char *text = hit_text(hit);

	if (diff->again ? i == diff->first : diff->side == B && !diff->differs &&
	    (i >= diff->hits[A] || diff->hash[i] != hash_text(text))) {
		diff->differs = true;
		diff->first = i;
		diff->text[diff->side] = text;
		return;
	}
	if (diff->side == A && !diff->again) {
		if (i == diff->room) {
			diff->room = diff->room ? 2 * diff->room : 1024;
			diff->hash = xreallocarray(diff->hash, diff->room, sizeof(*diff->hash));
		}
		diff->hash[i] = hash_text(text);
	}
	free(text);
}

static void take_hit(struct sink *sink, const struct hit *hit)
{
	struct diff *diff = container_of(sink, struct diff, sink);
	char *address;

	compare_hit(diff, hit);
	if (diff->again)
		return;
	address = hit->function ? NULL : xasprintf("%#llx", hit->ip);
	count(diff, FUNCTIONS, hit, hit->function ?: address);
	free(address);
	count(diff, TASKS, hit, hit->comm);
	if (hit->has_values)
		count(diff, VALUES, hit, hit->new_text);
}

/* Returns 0, or -1 after a message. */
static int read_side(struct diff *diff, int side, const char *path)
{
	struct recording *recording = recording_open(path);
	struct hits *hits;
	int ret;

	if (!recording)
		return -1;
	diff->side = side;
	diff->hits[side] = 0;
	hits = hits_new(&diff->sink);
	ret = recording_read(recording, hits);
	diff->lost[side] = hits_summary(hits)->lost + hits_summary(hits)->lost_more;
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

/* The greatest differences first, then by name. */
static int compare_changes(const void *a, const void *b)
{
	const struct row *row_a = *(struct row * const *)a, *row_b = *(struct row * const *)b;
	unsigned long long change_a = llabs((long long)(row_a->hits[B] - row_a->hits[A]));
	unsigned long long change_b = llabs((long long)(row_b->hits[B] - row_b->hits[A]));

	if (change_a != change_b)
		return change_a > change_b ? -1 : 1;
	return compare_rows(row_a, row_b);
}

static void add_row(struct strings *cells, const struct row *row)
{
	int side;

	strings_add(cells, change(row));
	for (side = A; side <= B; side++)
		strings_add_owned(cells, xasprintf("%llu", row->hits[side]));
	strings_add(cells, row->watch);
	strings_add(cells, row->what);
	make_printable(cells->text[cells->nr - 1]);
}

static void print_row_json(const char *kind, const struct row *row)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_text(&json, "type", kind);
	json_text(&json, "change", change(row));
	json_unsigned(&json, "hits_a", row->hits[A]);
	json_unsigned(&json, "hits_b", row->hits[B]);
	json_text(&json, "watch", row->watch);
	json_text(&json, kind, row->what);
	json_close(&json, '}');
	json_end_line(&json);
}

static bool json_wanted;

static void print_table(struct table *table, enum kind kind)
{
	struct grid grid = { .columns = 5, .right = 1 << 1 | 1 << 2 };
	size_t i, nr = 0;

	if (table->nr)
		qsort(table->row, table->nr, sizeof(*table->row), compare_changes);
	strings_add(&grid.cells, "CHANGE");
	strings_add(&grid.cells, "A");
	strings_add(&grid.cells, "B");
	strings_add(&grid.cells, "WATCH");
	strings_add(&grid.cells, headings[kind]);
	/* Those that do not differ are at the end. */
	for (; nr < table->nr && table->row[nr]->hits[A] != table->row[nr]->hits[B]; nr++)
		if (json_wanted)
			print_row_json(kind_names[kind], table->row[nr]);
	for (i = 0; i < nr && i < MAX_SHOWN; i++)
		add_row(&grid.cells, table->row[i]);
	if (nr && !json_wanted) {
		putchar('\n');
		grid_print(&grid, stdout);
	} else {
		strings_free(&grid.cells);
	}
	if (nr > MAX_SHOWN && !json_wanted)
		printf("and %zu more %ss\n", nr - MAX_SHOWN, kind_names[kind]);
}

static void print_first(const struct diff *diff)
{
	struct json json = { .out = stdout };
	int side;

	if (json_wanted) {
		json_open(&json, NULL, '{');
		json_text(&json, "type", "diff");
		json_unsigned(&json, "hits_a", diff->hits[A]);
		json_unsigned(&json, "hits_b", diff->hits[B]);
		json_unsigned(&json, "lost_a", diff->lost[A]);
		json_unsigned(&json, "lost_b", diff->lost[B]);
		json_number(&json, "first_difference", diff->differs, diff->first + 1);
		json_text(&json, "first_a", diff->text[A]);
		json_text(&json, "first_b", diff->text[B]);
		json_close(&json, '}');
		json_end_line(&json);
	} else if (diff->differs) {
		printf("\nfirst difference, hit %zu:\n", diff->first + 1);
		for (side = A; side <= B; side++) {
			fputs(side == A ? "A  " : "B  ", stdout);
			print_safe(stdout, diff->text[side] ?: "no further hit");
			putchar('\n');
		}
	} else {
		puts("\nno hit differs");
	}
}

static void free_nothing(void *row __maybe_unused)
{
}

static void free_table(struct table *table)
{
	tdestroy(table->tree, free_nothing);
	while (table->nr--) {
		free(table->row[table->nr]->watch);
		free(table->row[table->nr]->what);
		free(table->row[table->nr]);
	}
	free(table->row);
}

static int run_diff(const struct command *cmd, int argc, char **argv)
{
	static const struct sink_ops ops = { .hit = take_hit };
	struct diff diff = { .sink.ops = &ops };
	int first = parse_options(cmd, argc, argv), side, kind;
	char **path = argv + first;
	bool failed;

	if (argc - first != 2)
		die_usage(cmd, argc - first < 2 ? "missing FILE" : "unexpected argument '%s'",
			  path[2]);
	failed = read_side(&diff, A, path[A]) || read_side(&diff, B, path[B]);
	if (!failed && !diff.differs && diff.hits[A] > diff.hits[B]) {
		diff.differs = true;
		diff.first = diff.hits[B];
	}
	diff.again = true;
	failed = failed || (diff.differs && diff.first < diff.hits[A] &&
			    read_side(&diff, A, path[A]));
	for (side = A; !failed && !json_wanted && side <= B; side++) {
		printf("%c  %s: %zu hit%s", "AB"[side], path[side], diff.hits[side],
		       diff.hits[side] == 1 ? "" : "s");
		puts(diff.lost[side] ? ", others lost: the trace buffer was full" : "");
	}
	for (kind = 0; kind < NR_KINDS; kind++) {
		if (!failed)
			print_table(&diff.table[kind], kind);
		free_table(&diff.table[kind]);
	}
	if (!failed)
		print_first(&diff);
	free(diff.text[A]);
	free(diff.text[B]);
	free(diff.hash);
	flush_stdout();
	return failed ? STATUS_FAILED : STATUS_OK;
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
		{ 'j', "json", .flag = &json_wanted, .help =
		  "print JSON, one object per line, all rows" },
		{}
	},
};

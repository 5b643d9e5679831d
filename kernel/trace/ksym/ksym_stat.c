// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profile: what each watch has counted since it was made.
 *
 *   trace_stat/ksym_tracer	a table for people, a row a watch
 *   trace_stat/ksym_counts	for programs: tabs between the columns, times in ns, and
 *				rows for each CPU
 *   trace_stat/ksym_pieces	likewise, a row for each piece of a wide watch
 */
#include <linux/init.h>

#include "../trace_stat.h"
#include "ksym_show.h"
#include "ksym_wide.h"

#define KSYM_COUNT(name)		\
	[KSYM_COUNT_##name] = #name,
static const char * const headings[] = {
#include "ksym_counts.h"
};

#undef KSYM_COUNT

static struct tracer_stat ksym_counts;

/*
 * The rows are copies: the reader keeps them while the file is open, and a watch may be
 * removed meanwhile.
 */
static void *ksym_stat_start(struct tracer_stat *trace)
{
	return ksym_view_all(trace == &ksym_counts);
}

static void *ksym_stat_next(void *prev, int idx)
{
	struct ksym_view *view = prev;

	return view->next;
}

static int ksym_stat_cmp(const void *a, const void *b)
{
	const struct ksym_view *view_a = a, *view_b = b;

	u64 hits_a = view_a->counts[KSYM_COUNT_HITS];
	u64 hits_b = view_b->counts[KSYM_COUNT_HITS];

	return hits_a < hits_b ? -1 : hits_a > hits_b;
}

static int ksym_stat_headers(struct seq_file *m)
{
	int i;

	seq_printf(m, "%-24s", "NAME");
	for (i = 0; i < KSYM_NR_COUNTS; i++)
		seq_printf(m, " %10s", headings[i]);
	seq_printf(m, " %8s\n", "COVERAGE");
	return 0;
}

static int ksym_stat_show(struct seq_file *m, void *p)
{
	struct ksym_view *view = p;
	bool ours = !strcmp(view->group, KSYM_GROUP);
	char name[2 * KSYM_EVENT_LEN];
	char coverage[16];
	int i;

	snprintf(name, sizeof(name), "%s%s%s", ours ? "" : view->group,
		 ours ? "" : "/", view->name);
	seq_printf(m, "%-24s", name);
	for (i = 0; i < KSYM_NR_COUNTS; i++)
		seq_printf(m, " %10llu", view->counts[i]);
	ksym_format_coverage(coverage, sizeof(coverage), &view->times);
	seq_printf(m, " %8s\n", coverage);
	return 0;
}

/* Called for each row. */
static void ksym_stat_release(void *row)
{
	ksym_view_free(row);
}

static struct tracer_stat ksym_stat = {
	.name		= "ksym_tracer",
	.stat_start	= ksym_stat_start,
	.stat_next	= ksym_stat_next,
	.stat_cmp	= ksym_stat_cmp,
	.stat_show	= ksym_stat_show,
	.stat_release	= ksym_stat_release,
	.stat_headers	= ksym_stat_headers,
};

static int ksym_counts_headers(struct seq_file *m)
{
	int i;

	seq_puts(m, "WATCH\tCPU\tENABLED\tRUNNING");
	for (i = 0; i < KSYM_NR_COUNTS; i++)
		seq_printf(m, "\t%s", headings[i]);
	seq_putc(m, '\n');
	return 0;
}

static int ksym_counts_show(struct seq_file *m, void *p)
{
	struct ksym_view *view = p;
	int i;

	seq_printf(m, "%s/%s\t", view->group, view->name);
	if (view->cpu < 0)
		seq_puts(m, "all");
	else
		seq_printf(m, "%d", view->cpu);
	if (ksym_view_has_times(view))
		seq_printf(m, "\t%llu\t%llu", view->times.enabled, view->times.running);
	else
		seq_puts(m, "\t-\t-");
	for (i = 0; i < KSYM_NR_COUNTS; i++)
		seq_printf(m, "\t%llu", view->counts[i]);
	seq_putc(m, '\n');
	return 0;
}

static struct tracer_stat ksym_counts = {
	.name		= "ksym_counts",
	.stat_start	= ksym_stat_start,
	.stat_next	= ksym_stat_next,
	.stat_show	= ksym_counts_show,
	.stat_release	= ksym_stat_release,
	.stat_headers	= ksym_counts_headers,
};

static int ksym_pieces_headers(struct seq_file *m)
{
	seq_puts(m, "WATCH\tOFFSET\tLEN\tENABLED\tRUNNING\tHITS\n");
	return 0;
}

/* All pieces are enabled for the same time: that of a register. */
static int ksym_pieces_show(struct seq_file *m, void *p)
{
	const struct ksym_view *view = p;
	const struct ksym_wide *wide = view->wide;
	unsigned int i;

	for (i = 0; wide && i < wide->nr; i++)
		seq_printf(m, "%s/%s\t%u\t%u\t%llu\t%llu\t%llu\n", view->group, view->name,
			   i * wide->len, wide->len, view->times.enabled,
			   (u64)atomic64_read(&wide->piece[i].running),
			   (u64)atomic64_read(&wide->piece[i].hits));
	return 0;
}

static struct tracer_stat ksym_pieces = {
	.name		= "ksym_pieces",
	.stat_start	= ksym_stat_start,
	.stat_next	= ksym_stat_next,
	.stat_show	= ksym_pieces_show,
	.stat_release	= ksym_stat_release,
	.stat_headers	= ksym_pieces_headers,
};

static __init int ksym_stat_init(void)
{
	return register_stat_tracer(&ksym_stat) ?: register_stat_tracer(&ksym_counts) ?:
	       register_stat_tracer(&ksym_pieces);
}
fs_initcall(ksym_stat_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profile: trace_stat/ksym_tracer, what each watch counted since it was made.
 */
#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "../trace_stat.h"
#include "ksym.h"

/*
 * A row is a copy. The reader keeps it for as long as the file is open, and a
 * watch may be removed meanwhile.
 */
struct ksym_row {
	struct ksym_row		*next;
	struct ksym_counts	counts;
	char			name[KSYM_EVENT_LEN];
};

#define KSYM_COUNT(name)		\
	[KSYM_COUNT_##name] = #name,
static const char * const headings[] = {
#include "ksym_counts.h"
};

#undef KSYM_COUNT

static struct ksym_row *make_row(const struct ksym_watch *watch)
{
	struct ksym_row *row = kzalloc(sizeof(*row), GFP_KERNEL);
	int cpu, i;

	if (!row)
		return NULL;
	strscpy(row->name, watch->name);
	/* A CPU that went offline keeps what it counted. */
	for_each_possible_cpu(cpu)
		for (i = 0; i < KSYM_NR_COUNTS; i++)
			row->counts.n[i] += per_cpu_ptr(watch->counts, cpu)->n[i];
	return row;
}

/* All rows are made at once, so that none is left out when a watch goes. */
static void *ksym_stat_start(struct tracer_stat *trace)
{
	struct ksym_row *first = NULL, **end = &first;
	struct dyn_event *devent;

	mutex_lock(&event_mutex);
	for_each_dyn_event(devent) {
		if (!ksym_is_watch(devent))
			continue;
		*end = make_row(to_ksym_watch(devent));
		if (!*end)
			break;
		end = &(*end)->next;
	}
	mutex_unlock(&event_mutex);
	return first;
}

static void *ksym_stat_next(void *prev, int idx)
{
	struct ksym_row *row = prev;

	return row->next;
}

static int ksym_stat_cmp(const void *a, const void *b)
{
	const struct ksym_row *row_a = a, *row_b = b;

	u64 hits_a = row_a->counts.n[KSYM_COUNT_HITS];
	u64 hits_b = row_b->counts.n[KSYM_COUNT_HITS];

	return hits_a < hits_b ? -1 : hits_a > hits_b;
}

static int ksym_stat_headers(struct seq_file *m)
{
	int i;

	seq_printf(m, "%-24s", "NAME");
	for (i = 0; i < KSYM_NR_COUNTS; i++)
		seq_printf(m, " %10s", headings[i]);
	seq_putc(m, '\n');
	return 0;
}

static int ksym_stat_show(struct seq_file *m, void *p)
{
	struct ksym_row *row = p;
	int i;

	seq_printf(m, "%-24s", row->name);
	for (i = 0; i < KSYM_NR_COUNTS; i++)
		seq_printf(m, " %10llu", row->counts.n[i]);
	seq_putc(m, '\n');
	return 0;
}

static void ksym_stat_release(void *row)
{
	kfree(row);
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

static __init int ksym_stat_init(void)
{
	return register_stat_tracer(&ksym_stat);
}
fs_initcall(ksym_stat_init);

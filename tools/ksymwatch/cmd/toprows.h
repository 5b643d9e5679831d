/* SPDX-License-Identifier: GPL-2.0-only */
/* ksymwatch top: the state of the command, its rows and their cells */
#ifndef KSYMWATCH_TOPROWS_H
#define KSYMWATCH_TOPROWS_H

#include "backend/session.h"
#include "hits/hits.h"

/* The columns. */
enum top_column {
	TOP_WATCH, TOP_FUNCTION, TOP_RATE, TOP_HITS, TOP_READS, TOP_WRITES, TOP_CHANGES,
	TOP_VALUE, TOP_TASK, TOP_CPU, NR_TOP_COLUMNS
};

extern const struct top_heading {
	const char	*text;
	bool		number;
	int		least_width;
} top_headings[NR_TOP_COLUMNS];

/* Size of a cell's text, except names of watches and functions. */
#define TOP_CELL_LEN	48

#define TOP_MAX_ROWS	2000

/* A stack of a row. */
struct top_stack {
	unsigned long long	hits;
	size_t			nr;
	unsigned long long	addr[];		/* innermost first */
};

/* The hits of a watch by a function, and the last of them. */
struct top_row {
	struct summary_line	sum;
	unsigned long long	before;		/* number of hits at the last refresh */
	double			rate;		/* hits per second at the last refresh */
	double			new;		/* value as a number; 0 if unknown */
	char			old_text[TOP_CELL_LEN];	/* by its type; empty if unknown */
	char			new_text[TOP_CELL_LEN];
	char			comm[32];
	int			pid;
	int			cpu;
	struct top_stack	**stack;
	size_t			nr_stacks;
	unsigned long long	other_stacks;	/* number of hits whose stacks did not fit */
};

/* A row as it was at the last refresh; it shares the stacks of the row itself. */
struct top_shown {
	struct top_row	now;
	struct top_row	*row;
};

/* The state of ksymwatch top; times are by CLOCK_MONOTONIC. */
struct top {
	struct session		*session;
	struct hits		*hits;
	struct sink		sink;
	int			signals;
	bool			batch;		/* print text instead of using the screen */
	int			delay_ms;	/* between two refreshes */
	long			left;		/* number of refreshes; -1 for no limit */
	long long		next_ms;
	long long		last_ms;
	bool			quit;		/* the user wants to */
	bool			unread;		/* the reader has closed the output */
	bool			stopped;	/* the session has */
	struct summary		rows;		/* each a struct top_row, by first hit */
	size_t			nr_stacks;	/* in all rows */
	unsigned long long	lost;
	struct top_shown	*shown;
	size_t			nr_shown;
	unsigned long long	shown_hits;	/* in all rows */
	double			shown_rate;
	enum top_column		sort;
	bool			reverse;
	const char		*only;		/* show this watch only; or NULL */
};

static inline struct top_row *top_row(const struct top *top, size_t i)
{
	return container_of(top->rows.line[i], struct top_row, sum);
}

void top_count_hit(struct sink *sink, const struct hit *hit);
void top_count_lost(struct sink *sink, int cpu, unsigned long long lost);
void top_free_rows(struct top *top);
void top_sort(struct top *top);
void top_take_shown(struct top *top);
void top_zero(struct top *top);
const char *top_cell(const struct top_row *row, enum top_column column, int width,
		     char text[TOP_CELL_LEN]);
void top_title(const struct top *top, char *text, size_t size);

#endif /* KSYMWATCH_TOPROWS_H */

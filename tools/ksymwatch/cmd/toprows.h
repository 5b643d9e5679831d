/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksymwatch top: the state of the command, its rows and their cells
 */
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
} top_headings[NR_TOP_COLUMNS];

/* Size of a cell's text, except names of watches and functions. */
#define TOP_CELL_LEN	48

#define TOP_MAX_ROWS	2000

/**
 * struct top_stack - a stack of a row, and how often it occurred
 * @hash: hash of the addresses
 * @hits: number of hits with this stack
 * @nr: number of addresses
 * @addr: the addresses, innermost first
 */
struct top_stack {
	uint64_t		hash;
	unsigned long long	hits;
	size_t			nr;
	unsigned long long	addr[];
};

/**
 * struct top_row - the hits of a watch by a function
 * @sum: the names and the numbers
 * @before: number of hits at the last refresh
 * @rate: hits per second at the last refresh
 * @new: value after the last hit, as a number; 0 if unknown
 * @old_text: value before the last hit, formatted by its type; empty if unknown
 * @new_text: value after the last hit
 * @comm: task of the last hit
 * @pid: its pid
 * @cpu: CPU of the last hit
 * @stack: the stacks
 * @nr_stacks: number of different stacks
 * @other_stacks: number of hits whose stacks did not fit
 */
struct top_row {
	struct summary_line	sum;
	unsigned long long	before;
	double			rate;
	unsigned long long	new;
	char			old_text[TOP_CELL_LEN];
	char			new_text[TOP_CELL_LEN];
	char			comm[32];
	int			pid;
	int			cpu;
	struct top_stack	**stack;
	size_t			nr_stacks;
	unsigned long long	other_stacks;
};

/**
 * struct top_shown - a row as it was at the last refresh
 * @now: copy of the row; it shares the stacks of @row
 * @row: the row itself
 */
struct top_shown {
	struct top_row	now;
	struct top_row	*row;
};

/**
 * struct top - the state of ksymwatch top
 * @session: source of the hits
 * @hits: the stream of hits
 * @sink: counts them
 * @signals: descriptor of the signals
 * @batch: print text instead of using the screen
 * @delay_ms: time between two refreshes
 * @left: number of refreshes left; -1 for no limit
 * @next_ms: time of the next refresh, by CLOCK_MONOTONIC
 * @last_ms: time of the last one
 * @quit: the user wants to quit
 * @unread: the reader has closed the output
 * @stopped: the session has stopped
 * @rows: the rows, each a struct top_row, in the order of their first hits
 * @nr_stacks: number of stacks in all rows
 * @lost: number of hits that the buffer lost
 * @shown: the rows on the screen
 * @nr_shown: number of these
 * @shown_hits: sum of their hits
 * @shown_rate: sum of their rates
 * @sort: column to sort by
 * @reverse: sort in reverse order
 * @only: show only the rows of this watch; or NULL
 */
struct top {
	struct session		*session;
	struct hits		*hits;
	struct sink		sink;
	int			signals;
	bool			batch;
	int			delay_ms;
	long			left;
	long long		next_ms;
	long long		last_ms;
	bool			quit;
	bool			unread;
	bool			stopped;
	struct summary		rows;
	size_t			nr_stacks;
	unsigned long long	lost;
	struct top_shown	*shown;
	size_t			nr_shown;
	unsigned long long	shown_hits;
	double			shown_rate;
	enum top_column		sort;
	bool			reverse;
	const char		*only;
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
void top_cell(const struct top_row *row, enum top_column column, int width,
	      char text[TOP_CELL_LEN]);
void top_title(const struct top *top, char *text, size_t size);

#endif /* KSYMWATCH_TOPROWS_H */

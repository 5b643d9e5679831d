/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksymwatch top: its rows (toprows.c), the screen (topscreen.c) and the command (top.c).
 */
#ifndef KSYMWATCH_TOP_H
#define KSYMWATCH_TOP_H

#include "backend/session.h"
#include "hits/hits.h"

/* What is shown of a row, and sorted by. */
enum top_column {
	TOP_WATCH, TOP_FUNCTION, TOP_RATE, TOP_HITS, TOP_READS, TOP_WRITES, TOP_CHANGES,
	TOP_VALUE, TOP_TASK, TOP_CPU, NR_TOP_COLUMNS
};

extern const struct top_heading {
	const char	*text;
	bool		number;
} top_headings[NR_TOP_COLUMNS];

/* A cell's text is not longer than this, but for names of watches and functions. */
#define TOP_CELL_LEN	48

/**
 * struct top_stack - how a function was called, several times
 * @hash: of the addresses
 * @hits: how often
 * @nr: how many addresses there are
 * @addr: the innermost one first
 */
struct top_stack {
	uint64_t		hash;
	unsigned long long	hits;
	size_t			nr;
	unsigned long long	addr[];
};

/**
 * struct top_row - the hits of a watch by a function
 * @watch: the watch
 * @function: the function, or its address
 * @start: where it begins
 * @hits: how many
 * @reads: those of them that read
 * @writes: and that wrote
 * @changes: that left another value behind
 * @before: how many hits there were at the last refresh
 * @rate: hits in a second, up to then
 * @new: the value that the last hit left, as a number; 0 where it is not known
 * @old_text: the value before it by its type; empty where it is not known
 * @new_text: and what it left
 * @comm: who did the last hit
 * @pid: likewise
 * @cpu: and where
 * @stack: the stacks
 * @nr_stacks: how many different ones
 * @other_stacks: hits whose stacks there was no room for
 */
struct top_row {
	char			*watch;
	char			*function;
	unsigned long long	start;
	unsigned long long	hits;
	unsigned long long	reads;
	unsigned long long	writes;
	unsigned long long	changes;
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
 * @now: as it was then; its stacks are those of @row
 * @row: as it is
 */
struct top_shown {
	struct top_row	now;
	struct top_row	*row;
};

/**
 * struct top - what is counted and shown
 * @session: where the hits come from
 * @hits: and how they are read
 * @sink: what they go to
 * @signals: where signals are read from
 * @batch: print text, and not to a terminal's screen
 * @delay_ms: between two refreshes
 * @left: how many refreshes are left; -1 for no end
 * @next_ms: when the next one is, by the monotonic clock
 * @last_ms: when the last one was
 * @quit: it is enough
 * @unread: nobody reads the text any more
 * @stopped: the session records no more
 * @tree: of struct top_row, for tsearch(3)
 * @row: the rows, in the order in which they first came
 * @nr: how many they are
 * @nr_stacks: how many stacks all of them have
 * @lost: how many hits the buffer lost
 * @shown: the rows as they are shown
 * @nr_shown: how many they are
 * @shown_hits: the sum of their hits
 * @shown_rate: and of their rates
 * @sort: by which column
 * @reverse: in the other order
 * @only: the watch whose rows alone are shown, or NULL
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
	void			*tree;
	struct top_row		**row;
	size_t			nr;
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

/* toprows.c */
void top_count_hit(struct sink *sink, const struct hit *hit);
void top_count_lost(struct sink *sink, int cpu, unsigned long long lost);
void top_free_rows(struct top *top);
void top_sort(struct top *top);
void top_take_shown(struct top *top);
void top_zero(struct top *top);
void top_cell(const struct top_row *row, enum top_column column, int width,
	      char text[TOP_CELL_LEN]);
void top_title(const struct top *top, char *text, size_t size);

/* topscreen.c */
void screen_check(void);
void screen_begin(void);
void screen_end(void);
void screen_refresh(struct top *top);
void screen_keys(struct top *top);

#endif /* KSYMWATCH_TOP_H */

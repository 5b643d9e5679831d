// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of ksymwatch top: counting hits, sorting, and the text of the cells.
 *
 * Memory is bounded, however long it runs: there are at most TOP_MAX_ROWS rows and MAX_STACKS
 * stacks. A further function is counted in the row "(others)" of its watch.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/toprows.h"
#include "lib/util.h"

#define MAX_STACKS	10000
#define MAX_ROW_STACKS	50

const struct top_heading top_headings[NR_TOP_COLUMNS] = {
	[TOP_WATCH]	= { "WATCH", false, 14 },
	[TOP_FUNCTION]	= { "FUNCTION", false, 16 },
	[TOP_RATE]	= { "HITS/S", true, 7 },
	[TOP_HITS]	= { "HITS", true, 7 },
	[TOP_READS]	= { "READS", true, 6 },
	[TOP_WRITES]	= { "WRITES", true, 6 },
	[TOP_CHANGES]	= { "CHANGES", true, 7 },
	[TOP_VALUE]	= { "VALUE", true, 10 },
	[TOP_TASK]	= { "TASK", false, 15 },
	[TOP_CPU]	= { "CPU", true, 3 },
};

/*
 * Returns how many innermost frames to skip: those above the function that made the access
 * belong to the tracer.
 */
static size_t frames_above(const struct hit *hit)
{
	size_t i;

	for (i = 0; hit->function && i < hit->stack->nr; i++)
		if (hit->stack->frame[i].function &&
		    !strcmp(hit->stack->frame[i].function, hit->function))
			return i;
	return 0;
}

static bool is_stack(const struct top_stack *stack, const struct frame *frame, size_t nr)
{
	size_t i;

	if (stack->nr != nr)
		return false;
	for (i = 0; i < nr; i++)
		if (stack->addr[i] != frame[i].addr)
			return false;
	return true;
}

static void add_stack(struct top *top, struct top_row *row, const struct frame *frame, size_t nr)
{
	struct top_stack *stack;
	size_t i;

	for (i = 0; i < row->nr_stacks; i++) {
		if (is_stack(row->stack[i], frame, nr)) {
			row->stack[i]->hits++;
			return;
		}
	}
	if (row->nr_stacks >= MAX_ROW_STACKS || top->nr_stacks >= MAX_STACKS) {
		row->other_stacks++;
		return;
	}
	stack = xcalloc(1, sizeof(*stack) + nr * sizeof(*stack->addr));
	stack->hits = 1;
	stack->nr = nr;
	for (i = 0; i < nr; i++)
		stack->addr[i] = frame[i].addr;
	*array_add(row->stack, row->nr_stacks) = stack;
	top->nr_stacks++;
}

/*
 * Copies an untrusted text, as much as fits. Non-ASCII bytes become '?': a character could
 * be cut in the middle, and its width is unknown.
 */
static void copy_safe(char *copy, size_t size, const char *text)
{
	size_t i;

	for (i = 0; i + 1 < size && text[i]; i++)
		copy[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
	copy[i] = '\0';
}

void top_count_hit(struct sink *sink, const struct hit *hit)
{
	struct top *top = container_of(sink, struct top, sink);
	struct summary_line *sum = summary_add(&top->rows, hit);
	struct top_row *row = container_of(sum, struct top_row, sum);
	size_t above;

	row->new = !hit->has_values ? 0 : hit->is_signed ? (double)(long long)hit->new : hit->new;
	copy_safe(row->old_text, sizeof(row->old_text), hit->has_values ? hit->old_text : "");
	copy_safe(row->new_text, sizeof(row->new_text), hit->has_values ? hit->new_text : "");
	copy_safe(row->comm, sizeof(row->comm), hit->comm ?: "?");
	row->pid = hit->pid;
	row->cpu = hit->cpu;
	if (hit->stack) {
		above = frames_above(hit);
		add_stack(top, row, hit->stack->frame + above, hit->stack->nr - above);
	}
}

void top_count_lost(struct sink *sink, int cpu __maybe_unused, unsigned long long lost)
{
	struct top *top = container_of(sink, struct top, sink);

	/* An unknown number counts as one. */
	top->lost += lost ?: 1;
}

static void free_stacks(struct top_row *row)
{
	size_t i;

	for (i = 0; i < row->nr_stacks; i++)
		free(row->stack[i]);
	free(row->stack);
	row->stack = NULL;
	row->nr_stacks = 0;
	row->other_stacks = 0;
}

/* Resets the counts. The rows stay, since the screen may show one of them. */
void top_zero(struct top *top)
{
	size_t i;

	for (i = 0; i < top->rows.nr; i++) {
		struct top_row *row = top_row(top, i);

		free_stacks(row);
		memset(row->sum.count, 0, sizeof(row->sum.count));
		row->before = 0;
		row->rate = 0;
	}
	top->nr_stacks = 0;
	top->lost = 0;
	top_take_shown(top);
}

void top_free_rows(struct top *top)
{
	size_t i;

	for (i = 0; i < top->rows.nr; i++)
		free_stacks(top_row(top, i));
	summary_free(&top->rows);
	free(top->shown);
}

/* Returns the text that a column is sorted by, or NULL for a number. */
static const char *text_of(const struct top_row *row, enum top_column column)
{
	return column == TOP_WATCH ? row->sum.watch : column == TOP_FUNCTION ? row->sum.function :
	       column == TOP_TASK ? row->comm : NULL;
}

static double number_of(const struct top_row *row, enum top_column column)
{
	const double numbers[NR_TOP_COLUMNS] = {
		[TOP_RATE] = row->rate, [TOP_HITS] = row->sum.hits, [TOP_READS] = row->sum.reads,
		[TOP_WRITES] = row->sum.writes, [TOP_CHANGES] = row->sum.changes,
		[TOP_VALUE] = row->new, [TOP_CPU] = row->cpu,
	};

	return numbers[column];
}

/* Texts and CPUs ascend; of other numbers the largest comes first. */
static int compare_column(const struct top_row *a, const struct top_row *b, enum top_column column)
{
	double number_a = number_of(a, column), number_b = number_of(b, column);
	int order = (number_a > number_b) - (number_a < number_b);

	if (text_of(a, column))
		return strcmp(text_of(a, column), text_of(b, column));
	return column == TOP_CPU ? order : -order;
}

/* Rows with equal cells are sorted by hits, then by names. */
static int compare_shown(const void *a, const void *b, void *data)
{
	const struct top_row *row_a = &((const struct top_shown *)a)->now;
	const struct top_row *row_b = &((const struct top_shown *)b)->now;
	const struct top *top = data;
	int order = compare_column(row_a, row_b, top->sort);

	if (top->reverse)
		order = -order;
	if (!order)
		order = compare_column(row_a, row_b, TOP_HITS);
	if (!order)
		order = compare_column(row_a, row_b, TOP_WATCH);
	return order ?: compare_column(row_a, row_b, TOP_FUNCTION);
}

void top_sort(struct top *top)
{
	if (top->nr_shown)
		qsort_r(top->shown, top->nr_shown, sizeof(*top->shown), compare_shown, top);
}

/* Takes a snapshot of the rows, which is shown until the next one. */
void top_take_shown(struct top *top)
{
	size_t i;

	top->shown = xreallocarray(top->shown, top->rows.nr + 1, sizeof(*top->shown));
	top->nr_shown = 0;
	top->shown_hits = 0;
	top->shown_rate = 0;
	for (i = 0; i < top->rows.nr; i++) {
		struct top_row *row = top_row(top, i);

		top->shown_hits += row->sum.hits;
		top->shown_rate += row->rate;
		if (top->only && strcmp(top->only, row->sum.watch))
			continue;
		top->shown[top->nr_shown++] = (struct top_shown) { .now = *row, .row = row };
	}
	top_sort(top);
}

/* Formats a number; one that is too wide is rounded down to thousands, millions etc. */
static void number_text(unsigned long long number, int width, char text[TOP_CELL_LEN])
{
	static const char units[] = "\0kMGTPE";
	size_t unit = 0;

	while (snprintf(text, TOP_CELL_LEN, "%llu%.1s", number, &units[unit]) > width &&
	       width && number >= 1000) {
		number /= 1000;
		unit++;
	}
}

/*
 * Formats a cell into @text, or returns it from elsewhere. @width is the maximum of a number;
 * 0 for any.
 */
const char *top_cell(const struct top_row *row, enum top_column column, int width,
		     char text[TOP_CELL_LEN])
{
	switch (column) {
	case TOP_WATCH:
	case TOP_FUNCTION:
		return text_of(row, column);
	case TOP_VALUE:
		return *row->new_text ? row->new_text : "-";
	case TOP_TASK:
		snprintf(text, TOP_CELL_LEN, "%s-%d", row->comm, row->pid);
		return text;
	case TOP_RATE:
		if (snprintf(text, TOP_CELL_LEN, "%.1f", row->rate) <= width || !width)
			return text;
		break;
	case TOP_CHANGES:
		/* Unknown without values. */
		if (!*row->new_text)
			return "-";
		break;
	default:
		break;
	}
	number_text(number_of(row, column), width, text);
	return text;
}

/* Formats the first line: the time and the sums. */
void top_title(const struct top *top, char *text, size_t size)
{
	time_t now = time(NULL);
	char hour[16] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(hour, sizeof(hour), "%H:%M:%S", &tm);
	snprintf(text, size, "ksymwatch top - %s, %zu watch%s, %llu hits, %.1f/s, %llu lost", hour,
		 top->session->events.nr, top->session->events.nr == 1 ? "" : "es",
		 top->shown_hits, top->shown_rate, top->lost);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The screen of ksymwatch top, with ncurses: the table, the stacks of a row, and the help. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "cmd/topscreen.h"
#include "lib/util.h"

/* Last, since it defines macros such as "lines" and "columns". */
#include <curses.h>
#include <term.h>

/* Colour pairs. */
#define COLOUR_TITLE	1
#define COLOUR_FROZEN	2

/* Lines above the rows (title, state, headings) and below them (the selected row). */
#define ROWS_ABOVE	3
#define ROWS_BELOW	1

/* How long ncurses waits for the rest of an escape sequence, in ms. */
#define ESCAPE_DELAY_MS	25

#define KEY_ESCAPE	27
#define KEY_RETURN	'\r'
#define KEY_CTRL_L	('L' & 0x1f)

enum view { VIEW_TABLE, VIEW_STACKS, VIEW_HELP };

/* The state of the screen. */
static struct screen {
	SCREEN		*term;			/* NULL while the screen is not in use */
	int		stderr_fd;		/* the original stderr */
	int		messages;		/* stderr now: messages would spoil the screen */
	bool		colours;
	enum view	view;
	bool		frozen;			/* the rows are not updated */
	struct top_row	*selected;		/* or NULL */
	size_t		first;			/* of the rows shown */
	struct strings	line;			/* of the stacks view */
	size_t		first_line;		/* of those shown */
} screen;

static const char * const help_lines[] = {
	"Each row shows the hits of one watch by one function.",
	"",
	"  Up Down PgUp PgDn Home End   move; so do k j, and g G",
	"  Enter      the stacks of the row; Esc goes back",
	"  < >        sort by the column to the left, to the right",
	"  1 ... 9 0  sort by WATCH, FUNCTION, HITS/S, HITS, READS, WRITES, CHANGES,",
	"             VALUE, TASK, CPU",
	"  r          reverse the order",
	"  w          only the watch of the row; again: all watches",
	"  space f    freeze the display; hits are still counted; again: continue",
	"  z          reset the counts",
	"  Ctrl-L     redraw the screen",
	"  h ?        this help",
	"  q Ctrl-C   quit",
	"",
	"  HITS/S     hits per second since the last refresh",
	"  VALUE      value after the last hit; task and CPU are below the table",
	"",
	"Any key goes back.",
};

/* Dies unless the terminal can show a table. Call it before watches are made. */
void screen_check(void)
{
	const char *term = getenv("TERM");
	const char *move;
	int error;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		die("top: not a terminal; use -b for text");
	if (!term || setupterm(term, STDOUT_FILENO, &error) != OK)
		die("top: unknown terminal '%s'; set TERM, or use -b for text", term ?: "");
	move = tigetstr("cup");
	del_curterm(cur_term);
	if (!move || move == (char *)-1)
		die("top: terminal '%s' can't show a table; use -b for text", term);
}

/* Takes over the terminal; exit() releases it. */
void screen_begin(void)
{
	atexit(screen_end);
	screen.term = newterm(NULL, stdout, stdin);
	if (!screen.term)
		die("top: cannot use the terminal; use -b for text");
	screen.stderr_fd = dup(STDERR_FILENO);
	screen.messages = memfd_create("messages", MFD_CLOEXEC);
	if (screen.stderr_fd >= 0 && screen.messages >= 0)
		dup2(screen.messages, STDERR_FILENO);
	set_escdelay(ESCAPE_DELAY_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	screen.colours = has_colors() && colour_wanted(COLOUR_AUTO, STDOUT_FILENO);
	if (screen.colours) {
		start_color();
		use_default_colors();
		init_pair(COLOUR_TITLE, COLOR_CYAN, -1);
		init_pair(COLOUR_FROZEN, COLOR_YELLOW, -1);
	}
}

/* Releases the terminal, and shows the messages; may be called twice. */
void screen_end(void)
{
	char text[4096];
	ssize_t size;

	if (!screen.term)
		return;
	endwin();
	delscreen(screen.term);
	screen.term = NULL;
	strings_free(&screen.line);
	if (screen.stderr_fd < 0 || screen.messages < 0)
		return;
	dup2(screen.stderr_fd, STDERR_FILENO);
	close(screen.stderr_fd);
	lseek(screen.messages, 0, SEEK_SET);
	while ((size = read(screen.messages, text, sizeof(text))) > 0)
		fwrite(text, 1, size, stderr);
	close(screen.messages);
}

/* --- Lines ------------------------------------------------------------------ */

/* Writes a text in a field of @width columns; a cut text ends with a plus. */
static void put_cell(int y, int x, int width, const char *text, bool right)
{
	int len = strlen(text);

	if (width <= 0)
		return;
	if (len > width)
		mvprintw(y, x, "%.*s+", width - 1, text);
	else
		mvprintw(y, x, "%*s", right ? width : -width, text);
}

static void put_line(int y, int attributes, const char *text)
{
	if (y < 0 || y >= LINES)
		return;
	attron(attributes);
	put_cell(y, 0, COLS, text, false);
	attroff(attributes);
}

static int look(int colour_pair)
{
	return A_BOLD | (screen.colours ? COLOR_PAIR(colour_pair) : 0);
}

static void draw_title(const struct top *top)
{
	char title[128];

	top_title(top, title, sizeof(title));
	put_line(0, look(COLOUR_TITLE), title);
}

/* --- The table ---------------------------------------------------------------- */

#define VALUE_WIDTH	((int)strlen("0xffffffffffffffff"))

/* Widens a column for its longest cell. Returns what is left of the room. */
static int widen(const struct top *top, enum top_column column, int *width, int left)
{
	int wanted = *width, len;
	char cell[TOP_CELL_LEN];
	size_t i;

	for (i = 0; i < top->nr_shown; i++) {
		len = strlen(top_cell(&top->shown[i].now, column, 0, cell));
		wanted = len > wanted ? len : wanted;
	}
	wanted = wanted > *width + left ? *width + left : wanted;
	left -= wanted - *width;
	*width = wanted;
	return left;
}

/*
 * Distributes the width of the terminal. On a narrow one the last columns are dropped: they
 * have the width 0.
 */
static void lay_out(const struct top *top, int width[NR_TOP_COLUMNS])
{
	int left = COLS + 1, c;

	for (c = 0; c < NR_TOP_COLUMNS; c++) {
		width[c] = top_headings[c].least_width;
		left -= width[c] + 1;
	}
	for (c = NR_TOP_COLUMNS - 1; left < 0 && c > TOP_FUNCTION; c--) {
		left += width[c] + 1;
		width[c] = 0;
	}
	if (left < 0) {
		width[TOP_FUNCTION] += left;
		return;
	}
	left = widen(top, TOP_FUNCTION, &width[TOP_FUNCTION], left);
	left = widen(top, TOP_WATCH, &width[TOP_WATCH], left);
	if (width[TOP_VALUE]) {
		left += width[TOP_VALUE];
		width[TOP_VALUE] = left < VALUE_WIDTH ? left : VALUE_WIDTH;
	}
}

/* Draws a row; or for NULL the headings, that of the column sorted by in bold. */
static void draw_row(int y, const struct top *top, const struct top_row *row,
		     const int width[NR_TOP_COLUMNS])
{
	char cell[TOP_CELL_LEN];
	int x = 0, c;

	for (c = 0; c < NR_TOP_COLUMNS; c++) {
		if (!width[c])
			continue;
		if (!row && c == (int)top->sort)
			attron(A_BOLD);
		put_cell(y, x, width[c],
			 row ? top_cell(row, c, width[c], cell) : top_headings[c].text,
			 top_headings[c].number);
		attroff(A_BOLD);
		x += width[c] + 1;
	}
}

static void draw_state(const struct top *top)
{
	char *text __autofree =
		xasprintf("sorted by %s%s, %s%s  (h: help, q: quit)", top_headings[top->sort].text,
			  top->reverse ? " reversed" : "", top->only ? "only " : "all watches",
			  top->only ?: "");

	put_line(1, A_NORMAL, text);
	if (screen.frozen) {
		attron(look(COLOUR_FROZEN));
		put_cell(1, COLS > 7 ? COLS - 7 : 0, 7, " FROZEN", true);
		attroff(look(COLOUR_FROZEN));
	}
}

/* Shows the selected row in full: names and the last hit. */
static void draw_selected(const struct top_row *row)
{
	char *text __autofree = NULL, task[TOP_CELL_LEN];
	bool known = *row->new_text;

	text = xasprintf("%s %s: %s on CPU %d%s%s%s%s", row->sum.watch, row->sum.function,
			 top_cell(row, TOP_TASK, 0, task), row->cpu, known ? ", " : "",
			 row->old_text, known ? " -> " : "", row->new_text);
	put_line(LINES - 1, A_BOLD, text);
}

/* Returns the index of the selected row; selects the first row if it is not shown. */
static size_t find_selected(const struct top *top)
{
	size_t i;

	for (i = 0; i < top->nr_shown; i++)
		if (top->shown[i].row == screen.selected)
			return i;
	screen.selected = top->nr_shown ? top->shown[0].row : NULL;
	return 0;
}

static size_t table_height(void)
{
	int height = LINES - ROWS_ABOVE - ROWS_BELOW;

	return height > 0 ? height : 0;
}

static void draw_table(const struct top *top)
{
	size_t selected = find_selected(top), height = table_height(), i;
	int width[NR_TOP_COLUMNS];

	/* Scroll so that the selected row is visible. */
	if (selected < screen.first)
		screen.first = selected;
	if (height && selected >= screen.first + height)
		screen.first = selected - height + 1;
	if (screen.first >= top->nr_shown)
		screen.first = 0;
	lay_out(top, width);
	draw_title(top);
	draw_state(top);
	attron(A_REVERSE);
	mvhline(ROWS_ABOVE - 1, 0, ' ', COLS);
	draw_row(ROWS_ABOVE - 1, top, NULL, width);
	attroff(A_REVERSE);
	for (i = 0; i < height && i + screen.first < top->nr_shown; i++) {
		int y = ROWS_ABOVE + i;

		draw_row(y, top, &top->shown[screen.first + i].now, width);
		if (screen.first + i == selected)
			mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
	}
	if (!top->nr_shown)
		put_line(ROWS_ABOVE, A_NORMAL, "no hits yet");
	else
		draw_selected(&top->shown[selected].now);
}

/* --- Stacks ------------------------------------------------------------------- */

static int compare_stacks(const void *a, const void *b)
{
	const struct top_stack *stack_a = *(struct top_stack * const *)a;
	const struct top_stack *stack_b = *(struct top_stack * const *)b;

	return (stack_a->hits < stack_b->hits) - (stack_a->hits > stack_b->hits);
}

/* Formats the stacks of the selected row, the most frequent one first. */
static void take_stacks(struct top *top)
{
	struct top_row *row = screen.selected;
	unsigned long long sum = row->other_stacks;
	size_t i, j;

	strings_free(&screen.line);
	if (row->nr_stacks)
		qsort(row->stack, row->nr_stacks, sizeof(*row->stack), compare_stacks);
	for (i = 0; i < row->nr_stacks; i++)
		sum += row->stack[i]->hits;
	for (i = 0; i < row->nr_stacks; i++) {
		const struct top_stack *stack = row->stack[i];

		strings_add_owned(&screen.line, xasprintf("%8llu  %5.1f%%", stack->hits,
							  100.0 * stack->hits / sum));
		for (j = 0; j < stack->nr; j++) {
			char *place __autofree =
				place_text(session_formats(top->session), stack->addr[j]);

			strings_add_owned(&screen.line, xasprintf("      %s", place));
		}
	}
	if (row->other_stacks)
		strings_add_owned(&screen.line, xasprintf("%8llu  %5.1f%% other stacks",
							  row->other_stacks,
							  100.0 * row->other_stacks / sum));
	if (!sum)
		strings_add(&screen.line, "no stacks were recorded");
}

static void draw_stacks(const struct top *top)
{
	char *text __autofree = NULL;
	const struct top_row *row = screen.selected;
	size_t i;

	text = xasprintf("%zu stack%s of %s by %s  (Esc: back)", row->nr_stacks,
			 row->nr_stacks == 1 ? "" : "s", row->sum.watch, row->sum.function);
	draw_title(top);
	put_line(1, A_BOLD, text);
	if (screen.first_line >= screen.line.nr)
		screen.first_line = screen.line.nr ? screen.line.nr - 1 : 0;
	for (i = screen.first_line; i < screen.line.nr; i++)
		put_line(ROWS_ABOVE - 1 + i - screen.first_line, A_NORMAL, screen.line.text[i]);
	if (screen.frozen)
		put_line(LINES - 1, look(COLOUR_FROZEN), "FROZEN");
}

/* --- All of it ------------------------------------------------------------------ */

static void draw(struct top *top)
{
	size_t i;

	erase();
	if (screen.view == VIEW_TABLE) {
		draw_table(top);
	} else if (screen.view == VIEW_STACKS) {
		draw_stacks(top);
	} else {
		put_line(0, look(COLOUR_TITLE), "ksymwatch top");
		for (i = 0; i < ARRAY_SIZE(help_lines); i++)
			put_line(2 + i, A_NORMAL, help_lines[i]);
	}
	refresh();
}

/* Updates the display, unless it is frozen. */
void screen_refresh(struct top *top)
{
	if (!screen.frozen) {
		top_take_shown(top);
		if (screen.view == VIEW_STACKS)
			take_stacks(top);
	}
	draw(top);
}

/* --- Keys ------------------------------------------------------------------------ */

/*
 * Returns the position that a key moves to from @at, among @nr positions of which @height
 * are visible; @at for any other key.
 */
static size_t move_by_key(int key, size_t at, size_t nr, size_t height)
{
	size_t last = nr ? nr - 1 : 0, page = height > 1 ? height - 1 : 1;

	switch (key) {
	case KEY_UP:
	case 'k':
		return at ? at - 1 : 0;
	case KEY_DOWN:
	case 'j':
		return at < last ? at + 1 : last;
	case KEY_PPAGE:
		return at > page ? at - page : 0;
	case KEY_NPAGE:
		return last - at > page ? at + page : last;
	case KEY_HOME:
	case 'g':
		return 0;
	case KEY_END:
	case 'G':
		return last;
	default:
		return at;
	}
}

static void sort_by(struct top *top, int column)
{
	top->sort = (column + NR_TOP_COLUMNS) % NR_TOP_COLUMNS;
	top_sort(top);
}

static void table_key(struct top *top, int key)
{
	size_t at;

	switch (key) {
	case '<':
		sort_by(top, top->sort - 1);
		break;
	case '>':
		sort_by(top, top->sort + 1);
		break;
	case 'r':
		top->reverse = !top->reverse;
		top_sort(top);
		break;
	case 'w':
		top->only = top->only || !screen.selected ? NULL : screen.selected->sum.watch;
		/* The snapshot may lack rows of the other watches. */
		top_take_shown(top);
		break;
	case KEY_RETURN:
	case KEY_ENTER:
	case KEY_RIGHT:
		if (!screen.selected)
			break;
		screen.view = VIEW_STACKS;
		screen.first_line = 0;
		take_stacks(top);
		break;
	default:
		if (key >= '0' && key <= '9') {
			sort_by(top, key == '0' ? TOP_CPU : key - '1');
			break;
		}
		if (!top->nr_shown)
			break;
		at = move_by_key(key, find_selected(top), top->nr_shown, table_height());
		screen.selected = top->shown[at].row;
	}
}

static void take_key(struct top *top, int key)
{
	if (key == 'q') {
		top->quit = true;
	} else if (key == KEY_RESIZE) {
		return;
	} else if (key == KEY_CTRL_L) {
		clearok(curscr, TRUE);
	} else if (screen.view == VIEW_HELP) {
		screen.view = VIEW_TABLE;
	} else if (key == 'h' || key == '?') {
		screen.view = VIEW_HELP;
	} else if (key == ' ' || key == 'f') {
		screen.frozen = !screen.frozen;
		screen_refresh(top);
	} else if (key == 'z') {
		top_zero(top);
		if (screen.view == VIEW_STACKS)
			take_stacks(top);
	} else if (screen.view == VIEW_TABLE) {
		table_key(top, key);
	} else if (key == KEY_ESCAPE || key == KEY_LEFT || key == KEY_BACKSPACE ||
		   key == KEY_RETURN || key == KEY_ENTER) {
		screen.view = VIEW_TABLE;
	} else {
		screen.first_line = move_by_key(key, screen.first_line, screen.line.nr,
						LINES - ROWS_ABOVE);
	}
}

/* Handles pending keys; does not wait for any. */
void screen_keys(struct top *top)
{
	bool any = false;
	int key;

	while (!top->quit && (key = getch()) != ERR) {
		take_key(top, key);
		any = true;
	}
	if (any && !top->quit)
		draw(top);
}

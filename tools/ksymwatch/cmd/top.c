// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch top: which functions hit which watches how often, live.
 *
 * Hits are counted in rows (toprows.c). With -b the rows are printed as text, otherwise
 * they are shown on the terminal's screen (topscreen.c).
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/run.h"
#include "cmd/toprows.h"
#include "cmd/topscreen.h"
#include "lib/grid.h"
#include "lib/util.h"

/* Check keys and clock after this many hits, in case the buffer never gets empty. */
#define HITS_AT_A_TIME	512

#define DEFAULT_DELAY_MS	2000
#define MIN_DELAY_MS		10
#define MAX_DELAY_MS		86400000

static void print_batch(struct top *top)
{
	struct grid grid = { .columns = NR_TOP_COLUMNS };
	char title[128], text[TOP_CELL_LEN];
	size_t i;
	int c;

	top_title(top, title, sizeof(title));
	puts(title);
	for (c = 0; c < NR_TOP_COLUMNS; c++) {
		strings_add(&grid.cells, top_headings[c].text);
		grid.right |= top_headings[c].number << c;
	}
	for (i = 0; i < top->nr_shown; i++)
		for (c = 0; c < NR_TOP_COLUMNS; c++)
			strings_add(&grid.cells, top_cell(&top->shown[i].now, c, 0, text));
	grid_print(&grid, stdout);
	putchar('\n');
	fflush(stdout);
	top->quit = top->quit || ferror(stdout);
}

/* A rate counts the hits since the last update. */
static void update_rates(struct top *top, long long now)
{
	double seconds = (now - top->last_ms) / 1000.0;
	size_t i;

	for (i = 0; i < top->rows.nr; i++) {
		struct top_row *row = top_row(top, i);

		row->rate = seconds > 0 ? (row->sum.hits - row->before) / seconds : 0;
		row->before = row->sum.hits;
	}
	top->last_ms = now;
}

static void refresh_if_due(struct top *top)
{
	long long now = now_ns() / NS_PER_MS;

	if (now < top->next_ms)
		return;
	update_rates(top, now);
	top->next_ms = now + top->delay_ms;
	if (top->batch) {
		top_take_shown(top);
		print_batch(top);
	} else {
		screen_refresh(top);
	}
	if (top->left > 0 && !--top->left)
		top->quit = true;
}

static void look_around(struct top *top)
{
	if (top->stopped)
		return;
	top->quit = top->quit || signals_told(top->signals);
	if (!top->batch)
		screen_keys(top);
	if (!top->quit)
		refresh_if_due(top);
	if (!top->quit)
		return;
	/* The backend may print messages. */
	if (!top->batch)
		screen_end();
	top->session->backend->stop(top->session);
	top->stopped = true;
}

static void take_record(struct tep_event *event, struct tep_record *record,
			int cpu __maybe_unused, void *data)
{
	static unsigned int nr;
	struct top *top = data;

	if (++nr % HITS_AT_A_TIME == 0)
		look_around(top);
	/* Hits after the stop are not shown. */
	if (!top->stopped)
		hits_take(top->hits, 0, event, record);
}

/* Waits for hits, signals, keys, and the time to refresh. */
static void wait_for_more(struct top *top)
{
	size_t nr = top->session->nr_fds;
	struct pollfd *fds __autofree = xcalloc(nr + 1, sizeof(*fds));
	long long left = top->next_ms - now_ns() / NS_PER_MS;

	memcpy(fds, top->session->fds, nr * sizeof(*fds));
	fds[nr] = (struct pollfd) { .fd = top->batch ? -1 : STDIN_FILENO, .events = POLLIN };
	if (left > 0 && poll(fds, nr + 1, left) < 0 && errno != EINTR)
		die("waiting for hits failed: %s", strerror(errno));
	/* The terminal or the reader is gone. */
	top->unread = fds[nr - 1].revents;
	if ((fds[nr].revents & (POLLHUP | POLLERR | POLLNVAL)) || top->unread)
		top->quit = true;
}

static const struct sink_ops ops = { .hit = top_count_hit, .lost = top_count_lost };

static struct top top = {
	.sink.ops = &ops,
	.rows = { .line_size = sizeof(struct top_row), .max = TOP_MAX_ROWS },
	.delay_ms = DEFAULT_DELAY_MS, .left = -1, .sort = TOP_RATE,
};

static bool no_stacks, quiet;

/* Takes seconds, with or without a fraction. */
static void take_delay(const struct command *cmd, const char *text)
{
	double seconds;
	char *end;

	seconds = strtod(text, &end);
	if (end == text || *end || !(seconds * 1000 >= MIN_DELAY_MS) ||
	    seconds * 1000 > MAX_DELAY_MS)
		die_usage(cmd, "invalid delay '%s': must be 0.01 to 86400 seconds", text);
	top.delay_ms = seconds * 1000;
}

static void take_iterations(const struct command *cmd, const char *text)
{
	char *end;

	errno = 0;
	top.left = strtol(text, &end, 10);
	if (end == text || *end || errno || top.left <= 0)
		die_usage(cmd, "invalid number of refreshes '%s': must be 1 or more", text);
}

static void take_column(const struct command *cmd, const char *text)
{
	for (top.sort = 0; top.sort < NR_TOP_COLUMNS; top.sort++)
		if (!strcasecmp(text, top_headings[top.sort].text))
			return;
	die_usage(cmd, "unknown column '%s': must be a heading, such as hits/s", text);
}

static int run_top(const struct command *cmd, int argc, char **argv)
{
	int first = parse_options(cmd, argc, argv), ret;
	const struct backend *backend;
	struct strings specs __cleanup(strings_free) = {};

	specs_from_args(&specs, argc - first, argv + first);
	if (!top.batch)
		screen_check();
	backend = backend_choose();
	top.signals = signals_open();
	top.hits = hits_new(&top.sink);
	/* -b shows no stacks. */
	top.session = session_open(backend, &specs, top.signals, STDOUT_FILENO,
				   (no_stacks || top.batch ? 0 : SESSION_STACKS) |
				   (quiet ? SESSION_QUIET : 0));
	session_start(top.session);
	top.last_ms = now_ns() / NS_PER_MS;
	top.next_ms = top.last_ms + top.delay_ms;
	if (!top.batch) {
		screen_begin();
		screen_refresh(&top);
	}
	while (!top.stopped) {
		wait_for_more(&top);
		run_read(top.session, top.hits, take_record, &top);
		/* The screen stays to be read. */
		if (top.batch && session_ended(top.session)) {
			top.next_ms = 0;
			top.left = 1;
		}
		look_around(&top);
	}
	ret = session_close();
	/* Do not return if the reader is gone, whether poll() or a write showed that. */
	if (top.batch && top.unread)
		raise(SIGPIPE);
	signals_deliver_pipe();
	hits_free(top.hits);
	top_free_rows(&top);
	return ret ? STATUS_FAILED : STATUS_OK;
}

const struct command cmd_top = {
	.name = "top", .run = run_top,
	.arguments = "[SPEC...]",
	.summary = "show which functions hit which watches how often, live",
	.help =
"Shows a row for each watch and each function that hits it: hits per second, hits in\n"
"total, how many of them read, wrote, and changed the value, and the last value. Keys\n"
"sort, filter and freeze the rows and show the stacks of one; h lists the keys. Ends with q\n"
"or Ctrl-C (or SIGTERM, SIGHUP, SIGQUIT).\n",
	.options = (const struct command_option[]) {
		{ 'd', "delay", "SECONDS", .take = take_delay, .help =
		  "time between two refreshes (2)" },
		{ 's', "sort", "COLUMN", .take = take_column, .help =
		  "sort by this column (hits/s)" },
		{ 'n', "iterations", "N", .take = take_iterations, .help =
		  "end after N refreshes" },
		{ 'b', "batch", .flag = &top.batch, .help =
		  "print text, for a file or a script; without stacks" },
		{ 0, "no-stacks", .flag = &no_stacks, .help = "record no stacks" },
		QUIET_OPTION,
		FILTER_OPTION, TRIGGER_OPTION,
		{}
	},
	.more = (const char * const[]) { session_help, spec_help, NULL },
};

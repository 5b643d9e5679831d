// SPDX-License-Identifier: GPL-2.0-only
/*
 * Long ranges on a stock kernel. perf does not let breakpoints take turns, but it can point one
 * at another address, which takes an interrupt of its CPU. So the pieces of a range take
 * turns in the free debug registers, a turn whenever session_wait() returns.
 *
 * The tracer does the same in the kernel, where each CPU has turns of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/perf/stock.h"
#include "hits/profile.h"
#include "lib/util.h"

/* The turns of the only watch. */
static struct {
	const struct stock	*stock;
	size_t			nr;		/* number of pieces */
	size_t			next;		/* the piece that has the next turn */
	size_t			at[NR_REGISTERS];	/* the piece of each, or SIZE_MAX */
	unsigned long long	*running;	/* how long each was watched, on all CPUs, in ns */
	long long		began;		/* when the first turn began, or 0 */
	long long		since;		/* when the current one began */
} rounds;

/* Divides a watch into pieces, as many at a time as each CPU has free registers. */
void rounds_divide(const struct stock *stock, struct stock_watch *watch)
{
	unsigned int len = register_len(watch->addr[0] | watch->len, REGISTER_LEN);
	unsigned int room = NR_REGISTERS;
	size_t cpu;

	for (cpu = 0; cpu < stock->nr_cpus; cpu++) {
		int left = stock->online[cpu] ? stock_perf_free_slots(cpu) : NR_REGISTERS;

		if (left >= 0 && left < (int)room)
			room = left;
	}
	rounds.stock = stock;
	rounds.nr = watch->len / len;
	rounds.running = xcalloc(rounds.nr, sizeof(*rounds.running));
	/* If none is free, opening the first one says so. */
	while (watch->nr_pieces < (room ?: 1) && rounds.next < rounds.nr) {
		rounds.at[watch->nr_pieces] = rounds.next;
		watch->piece[watch->nr_pieces++] =
			(struct stock_piece) { .off = rounds.next++ * len, .len = len };
	}
}

/* Begins the first turn. */
void rounds_start(void)
{
	rounds.began = now_ns();
	rounds.since = rounds.began;
}

static void end_turn(const struct stock_watch *watch)
{
	long long now = now_ns();
	unsigned int i;

	for (i = 0; i < watch->nr_pieces && rounds.began; i++)
		if (rounds.at[i] != SIZE_MAX)
			rounds.running[rounds.at[i]] += now - rounds.since;
	rounds.since = now;
}

/* Gives the registers to the next pieces. */
void rounds_turn(struct session *session __maybe_unused)
{
	const struct stock *stock = rounds.stock;
	struct stock_watch *watch = &stock->watch[0];
	unsigned int i;
	size_t cpu;

	if (rounds.nr <= watch->nr_pieces || now_ns() - rounds.since < SESSION_TURN_MS * NS_PER_MS)
		return;
	end_turn(watch);
	for (i = 0; i < watch->nr_pieces; i++) {
		struct stock_piece *piece = &watch->piece[i];

		piece->off = rounds.next * piece->len;
		rounds.at[i] = rounds.next;
		rounds.next = (rounds.next + 1) % rounds.nr;
		/* x86 refuses some addresses, which have no turn then. */
		for (cpu = 0; cpu < stock->nr_cpus; cpu++)
			if (piece->fd[cpu] >= 0 && !stock_perf_point(stock, watch, piece, cpu))
				rounds.at[i] = SIZE_MAX;
	}
}

/* Gets what the pieces did; pieces_free() frees it. */
void rounds_pieces(struct session *session __maybe_unused, struct pieces *pieces)
{
	const struct stock_watch *watch = &rounds.stock->watch[0];
	size_t i;

	end_turn(watch);
	*pieces = (struct pieces) { .len = watch->piece[0].len, .nr = rounds.nr };
	pieces->enabled = xcalloc(pieces->nr, sizeof(*pieces->enabled));
	pieces->running = xcalloc(pieces->nr, sizeof(*pieces->running));
	for (i = 0; i < pieces->nr; i++) {
		pieces->enabled[i] = rounds.began ? rounds.since - rounds.began : 0;
		pieces->running[i] = rounds.running[i];
	}
}

void rounds_end(void)
{
	free(rounds.running);
	memset(&rounds, 0, sizeof(rounds));
}

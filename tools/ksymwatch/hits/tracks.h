/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracks: the values of one variable over time.
 */
#ifndef TRACKS_H
#define TRACKS_H

#include <stdbool.h>
#include <stddef.h>

struct hit;

/* The values of a variable. */
struct track {
	char			*watch;
	unsigned long long	addr;	/* each copy of a per-CPU variable has its own track */
	char			*name;
};

struct tracks {
	struct track	*track;
	size_t		nr;
};

size_t tracks_find(struct tracks *tracks, const struct hit *hit);
void tracks_free(struct tracks *tracks);

#endif /* TRACKS_H */

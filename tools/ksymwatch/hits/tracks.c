// SPDX-License-Identifier: GPL-2.0-only
/* Tracks: the values of one variable over time. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"

struct track {
	char			*watch;
	unsigned long long	addr;	/* each copy of a per-CPU variable has its own track */
	size_t			index;
};

static int compare_tracks(const void *a, const void *b)
{
	const struct track *track = a, *other = b;
	int by_watch = strcmp(track->watch, other->watch);

	return by_watch ?: (track->addr > other->addr) - (track->addr < other->addr);
}

/* Finds or adds the track of a hit; returns its index. The first track of a watch has its name. */
size_t tracks_find(struct tracks *tracks, const struct hit *hit)
{
	struct track wanted = { (char *)hit->watch, hit->addr, tracks->names.nr }, *track;
	void *node = tfind(&wanted, &tracks->tree, compare_tracks);
	size_t watches = tracks->watches.list.nr;

	if (node)
		return (*(struct track **)node)->index;
	track = xcalloc(1, sizeof(*track));
	*track = wanted;
	track->watch = xstrdup(hit->watch);
	check_memory(tsearch(track, &tracks->tree, compare_tracks));
	names_find(&tracks->watches, hit->watch);
	strings_add_owned(&tracks->names, tracks->watches.list.nr > watches ? xstrdup(hit->watch) :
			  xasprintf("%s at 0x%llx", hit->watch, hit->addr));
	return track->index;
}

static void free_track(void *node)
{
	struct track *track = node;

	free(track->watch);
	free(track);
}

void tracks_free(struct tracks *tracks)
{
	tdestroy(tracks->tree, free_track);
	names_free(&tracks->watches);
	strings_free(&tracks->names);
}

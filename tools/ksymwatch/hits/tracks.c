// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracks: the values of one variable over time.
 */
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "hits/tracks.h"
#include "lib/util.h"

/**
 * tracks_find - find or add the track of a hit
 * @tracks: the tracks
 * @hit: the hit
 *
 * Return: the index of the track. The first track of a watch has the name of the watch.
 */
size_t tracks_find(struct tracks *tracks, const struct hit *hit)
{
	struct track *track;
	bool first = true;
	size_t i;

	for (i = 0; i < tracks->nr; i++) {
		if (strcmp(tracks->track[i].watch, hit->watch))
			continue;
		if (tracks->track[i].addr == hit->addr)
			return i;
		first = false;
	}
	tracks->track = xreallocarray(tracks->track, tracks->nr + 1, sizeof(*tracks->track));
	track = &tracks->track[tracks->nr];
	track->watch = xstrdup(hit->watch);
	track->addr = hit->addr;
	track->name = first ? xstrdup(hit->watch) :
		      xasprintf("%s at 0x%llx", hit->watch, hit->addr);
	return tracks->nr++;
}

void tracks_free(struct tracks *tracks)
{
	size_t i;

	for (i = 0; i < tracks->nr; i++) {
		free(tracks->track[i].watch);
		free(tracks->track[i].name);
	}
	free(tracks->track);
}

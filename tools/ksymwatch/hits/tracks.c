// SPDX-License-Identifier: GPL-2.0-only
/* Tracks: the values of one variable over time. */
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"

/* Finds or adds the track of a hit; returns its index. The first track of a watch has its name. */
size_t tracks_find(struct tracks *tracks, const struct hit *hit)
{
	size_t nr = tracks->names.nr, i;
	bool first = true;

	for (i = 0; i < nr; i++) {
		if (strcmp(tracks->track[i].watch, hit->watch))
			continue;
		if (tracks->track[i].addr == hit->addr)
			return i;
		first = false;
	}
	tracks->track = xreallocarray(tracks->track, nr + 1, sizeof(*tracks->track));
	tracks->track[nr] = (struct track) { xstrdup(hit->watch), hit->addr };
	strings_add_owned(&tracks->names, first ? xstrdup(hit->watch) :
			  xasprintf("%s at 0x%llx", hit->watch, hit->addr));
	return nr;
}

void tracks_free(struct tracks *tracks)
{
	size_t i;

	for (i = 0; i < tracks->names.nr; i++)
		free(tracks->track[i].watch);
	free(tracks->track);
	strings_free(&tracks->names);
}

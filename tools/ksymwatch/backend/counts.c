// SPDX-License-Identifier: GPL-2.0-only
/* What the tracer, or the perf backend, counts for a watch. */
#include <ctype.h>

#include "backend/counts.h"
#include "lib/util.h"

/** count_name - the heading of a counter in the tracer's profile */
const char *count_name(enum count count)
{
	static const char * const names[] = {
#define KSYM_COUNT(name)		\
	[COUNT_##name] = #name,
#include "../../../kernel/trace/ksym/ksym_counts.h"
#undef KSYM_COUNT
	};

	return names[count];
}

/** count_key - the key of a counter in JSON: a new string */
char *count_key(enum count count)
{
	char *key = xstrdup(count_name(count)), *p;

	for (p = key; *p; p++)
		*p = tolower((unsigned char)*p);
	return key;
}

/** count_meaning - why accesses were no hits; from FIRST_FAILED on: what failed, and why */
const char *count_meaning(enum count count)
{
	static const char * const meanings[NR_COUNTS] = {
		[COUNT_DISABLED] = "while its event was enabled nowhere",
		[COUNT_FILTERED] = "dropped by a filter",
		[COUNT_NOBUFFER] = "no room in the trace buffer",
		[COUNT_FAULT] = "the value could not be read",
		[COUNT_LIMITED] = "above limit=, budget= or count=",
		[COUNT_STALE] = "at the address before it moved",
		[COUNT_NOTREAD] = "only wrote",
		[COUNT_UNCHANGED] = "left the same value",
		[COUNT_SKIPPED] = "not the one of every=",
		[COUNT_NOUSTACK] = "user stacks missing: no room, or another program was run",
		[COUNT_NOSIGNAL] = "signals not sent: the kernel's own access, or no room",
		[COUNT_MISSED] =
			"objects missed: they can't be watched, or the budget was used up",
		[COUNT_EVICTED] = "objects evicted: newer ones took their registers",
		[COUNT_EXPIRED] = "objects expired: their timeout= was over",
		[COUNT_SUPPRESSED] = "objects suppressed: the register was at another one",
	};

	return meanings[count];
}

/* How many accesses were no hits, for any of the reasons. */
unsigned long long counts_missed(const struct counts *counts)
{
	unsigned long long missed = 0;
	int i;

	for (i = FIRST_MISSED; i <= LAST_MISSED; i++)
		missed += counts->nr[i];
	return missed;
}

/**
 * estimate_hits - estimate how many hits there would have been all the time, if they came
 * evenly. Returns false if the coverage is unknown or 0.
 */
bool estimate_hits(double hits, double coverage, unsigned long long *estimate)
{
	if (coverage <= 0)
		return false;
	*estimate = hits / coverage + 0.5;
	return true;
}

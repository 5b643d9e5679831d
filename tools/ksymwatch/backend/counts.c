// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tracer, or the perf backend, counts for a watch.
 */
#include <ctype.h>
#include <stdlib.h>

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
 * estimate_hits - how many hits there would have been all the time, if they came evenly
 * @hits: how many there were
 * @coverage: how much of the time the watch was armed
 * @estimate: filled in
 *
 * Return: false if the coverage is unknown or 0.
 */
bool estimate_hits(double hits, double coverage, unsigned long long *estimate)
{
	if (coverage <= 0)
		return false;
	*estimate = hits / coverage + 0.5;
	return true;
}

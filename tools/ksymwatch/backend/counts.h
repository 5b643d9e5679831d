/* SPDX-License-Identifier: GPL-2.0-only */
/* What is counted for a watch: the tracer's counters, as ksym_counts.h names them. */
#ifndef KSYMWATCH_COUNTS_H
#define KSYMWATCH_COUNTS_H

#include <stdbool.h>

enum count {
#define KSYM_COUNT(name)	COUNT_##name,
#include "../../../kernel/trace/ksym/ksym_counts.h"
#undef KSYM_COUNT
	NR_COUNTS,

	/* The reasons for which an access is missed, and no hit. */
	FIRST_MISSED = COUNT_DISABLED,
	LAST_MISSED = COUNT_SKIPPED,

	/* What else did not happen as asked. */
	FIRST_FAILED = COUNT_NOUSTACK,
};

/* The coverage is unknown. */
#define NO_COVERAGE	(-1.0)

/* What was counted for a watch. */
struct counts {
	unsigned long long	nr[NR_COUNTS];	/* the counters */
	/* Are reads, writes, unknown and changes counted? */
	bool			has_kinds;
	bool			has_writes;	/* are writes counted, if nothing else? */
	/* The share of the time that the watch was armed, from 0 to 1, or NO_COVERAGE */
	double			coverage;
};

const char *count_name(enum count count);
char *count_key(enum count count);
const char *count_meaning(enum count count);
unsigned long long counts_missed(const struct counts *counts);
bool estimate_hits(double hits, double coverage, unsigned long long *estimate);

#endif /* KSYMWATCH_COUNTS_H */

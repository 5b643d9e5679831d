/* SPDX-License-Identifier: GPL-2.0-only */
/* A test that a watch fires. */
#ifndef KSYMWATCH_SELFTEST_H
#define KSYMWATCH_SELFTEST_H

#include "hits/hits.h"

/* The result, and the sink for the hits. */
struct self_test {
	struct sink		sink;
	const char		*symbol;	/* the variable watched */
	unsigned long long	value;		/* which does not change */
	unsigned int		hits;
	unsigned int		reads;
	unsigned int		writes;
	unsigned int		unknown;
	bool			by_sysctl;	/* all hits were by sysctl's functions */
	char			function[64];	/* one of these; empty if it has no name */
	bool			has_values;
	bool			wrong_value;
	unsigned long long	got;		/* that value */
};

void self_test_run(struct self_test *test);

#endif /* KSYMWATCH_SELFTEST_H */

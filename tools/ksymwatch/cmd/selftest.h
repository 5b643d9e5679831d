/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test that a watch fires.
 */
#ifndef KSYMWATCH_SELFTEST_H
#define KSYMWATCH_SELFTEST_H

#include <stdbool.h>

/**
 * struct self_test - the result
 * @symbol: the variable watched
 * @value: its value, which does not change
 * @hits: number of hits
 * @reads: hits known to be reads
 * @writes: hits known to be writes
 * @unknown: hits of unknown access
 * @by_sysctl: all hits were by sysctl's functions
 * @function: one of the functions; empty if it has no name
 * @has_values: the hits had values
 * @wrong_value: one of the values was not @value
 * @got: that value
 */
struct self_test {
	char			symbol[32];
	unsigned long long	value;
	unsigned int		hits;
	unsigned int		reads;
	unsigned int		writes;
	unsigned int		unknown;
	bool			by_sysctl;
	char			function[64];
	bool			has_values;
	bool			wrong_value;
	unsigned long long	got;
};

void self_test_run(struct self_test *test);

#endif /* KSYMWATCH_SELFTEST_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A watch that is made and hit, to see whether that works.
 */
#ifndef KSYMWATCH_SELFTEST_H
#define KSYMWATCH_SELFTEST_H

#include <stdbool.h>

/**
 * struct self_test - what came of it
 * @symbol: the variable that was watched
 * @value: what is in it, before and after
 * @hits: how often the watch fired
 * @reads: hits that are known to have read
 * @writes: hits that are known to have written
 * @unknown: hits of which neither is known
 * @by_sysctl: each of them was done by a function that sysctl has for this
 * @function: one of the functions; empty where it has no name
 * @has_values: values came with the hits
 * @wrong_value: one of them was not @value
 * @got: but this one
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

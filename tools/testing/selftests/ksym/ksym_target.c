// SPDX-License-Identifier: GPL-2.0-only
/*
 * What debuggers are let loose on: it writes a variable as often as its argument
 * says, each time with another value, and nothing near it.
 */
#include <stdio.h>
#include <stdlib.h>

long watched __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	long writes = argc > 1 ? atol(argv[1]) : 1;
	long i;

	for (i = 1; i <= writes; i++)
		__atomic_store_n(&watched, i, __ATOMIC_RELAXED);
	printf("writes=%ld\n", writes);
	return 0;
}

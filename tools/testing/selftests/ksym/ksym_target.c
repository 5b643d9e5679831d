// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program for tests with debuggers. It writes a variable as often as its argument
 * says, each time with another value, and writes nothing near it. A second argument is
 * the number of page faults to cause first.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_PAGES	500

_Alignas(64) long watched;

/* Gives pages back, so that touching them faults them in again. */
static int fault(long faults)
{
	long page = sysconf(_SC_PAGESIZE), i;
	char *area;

	area = mmap(NULL, NR_PAGES * page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return -1;
	madvise(area, NR_PAGES * page, MADV_NOHUGEPAGE);
	for (i = 0; i < faults; i++) {
		if (i % NR_PAGES == 0 && madvise(area, NR_PAGES * page, MADV_DONTNEED))
			return -1;
		area[i % NR_PAGES * page] = 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	long writes = argc > 1 ? atol(argv[1]) : 1;
	long i;

	if (argc > 2 && fault(atol(argv[2]))) {
		perror("fault");
		return 1;
	}

	for (i = 1; i <= writes; i++)
		__atomic_store_n(&watched, i, __ATOMIC_RELAXED);
	printf("writes=%ld\n", writes);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by all C tests of ksym, those of breakpoints without the tracer as well. */
#ifndef _KSYM_SYS_H
#define _KSYM_SYS_H

#include <sched.h>
#include <stdio.h>

/* Returns 0, or -1 with errno. */
static inline int run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* Returns the number that a file begins with, or -1. */
static inline long long read_number(const char *path)
{
	long long number = -1;
	FILE *file = fopen(path, "r");

	if (!file)
		return -1;
	if (fscanf(file, "%lld", &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

#endif /* _KSYM_SYS_H */

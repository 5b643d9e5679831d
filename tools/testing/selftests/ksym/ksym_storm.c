// SPDX-License-Identifier: GPL-2.0-only
/*
 * All CPUs write the watched variable at once, through its sysctl. Each write must be
 * in the buffer once, and the values must form a chain.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "ksym_util.h"

#define WRITES	10000

static pthread_barrier_t start;

struct writer {
	pthread_t	thread;
	int		cpu;
	int		error;
};

static void *write_often(void *arg)
{
	struct writer *writer = arg;
	char value[16];
	int fd, i, len;

	if (run_on(writer->cpu))
		writer->error = errno;
	fd = open(PANIC_TIMEOUT, O_WRONLY);
	if (fd < 0)
		writer->error = errno;

	pthread_barrier_wait(&start);
	for (i = 0; i < WRITES && !writer->error; i++) {
		/* The value identifies the writer. */
		len = snprintf(value, sizeof(value), "%d",
			       100000 * (writer->cpu + 1) + i);
		if (pwrite(fd, value, len, 0) != len)
			writer->error = errno;
	}
	close(fd);
	return NULL;
}

FIXTURE(storm) {
	char	panic_timeout[16];
	int	nr_cpus;
};

FIXTURE_SETUP(storm)
{
	if (access(TRACEFS "ksym_trace_filter", W_OK))
		SKIP(return, "no ksym tracer here, or no permission");

	ASSERT_EQ(0, read_panic_timeout(self->panic_timeout));
	self->nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_EQ(0, ksym_write("0"));
	/* Enough for all records of a CPU, at 52 bytes each. */
	ASSERT_EQ(0, write_file(TRACEFS "buffer_size_kb", "4096", O_TRUNC));
	ASSERT_EQ(0, write_file(TRACEFS "trace", "\n", O_TRUNC));
	ASSERT_EQ(0, ksym_write("panic_timeout:w len=4 limit=0 budget=0"));
}

FIXTURE_TEARDOWN(storm)
{
	ksym_write("0");
	write_file(PANIC_TIMEOUT, self->panic_timeout, 0);
}

/* A busy host may need this long. */
TEST_F_TIMEOUT(storm, each_write_is_a_hit, 300)
{
	struct writer writers[self->nr_cpus];
	long long expected = (long long)WRITES * self->nr_cpus;
	long long records = 0;
	char line[512];
	FILE *trace;
	int i;

	ASSERT_EQ(0, pthread_barrier_init(&start, NULL, self->nr_cpus));
	for (i = 0; i < self->nr_cpus; i++) {
		writers[i] = (struct writer){ .cpu = i };
		ASSERT_EQ(0, pthread_create(&writers[i].thread, NULL,
					    write_often, &writers[i]));
	}
	for (i = 0; i < self->nr_cpus; i++) {
		ASSERT_EQ(0, pthread_join(writers[i].thread, NULL));
		ASSERT_EQ(0, writers[i].error);
	}

	EXPECT_EQ(expected, ksym_stat("panic_timeout", "HITS"));
	EXPECT_EQ(expected, ksym_stat("panic_timeout", "WRITES"));
	EXPECT_EQ(0, ksym_stat("panic_timeout", "NOBUFFER"));
	EXPECT_EQ(0, ksym_stat("panic_timeout", "DISABLED"));

	/*
	 * In a chain, each value is the old value of as many records as it is the new
	 * value of, except for the first and the last.
	 */
	uint64_t sum_old = 0, sum_new = 0, first = 0, last = 0;
	unsigned long long old, new;
	char *values;

	trace = fopen(TRACEFS "trace", "r");
	ASSERT_NE(NULL, trace);
	while (fgets(line, sizeof(line), trace)) {
		if (line[0] == '#')
			continue;
		values = strstr(line, ": panic_timeout: w4 ");
		ASSERT_NE(NULL, values);
		values = strchr(values + strlen(": panic_timeout: w4 "), ' ');
		ASSERT_NE(NULL, values);
		if (sscanf(values, " %llx -> %llx by ", &old, &new) != 2)
			ASSERT_STREQ("0xOLD -> 0xNEW by FUNCTION", values);
		sum_old += old;
		sum_new += new;
		records++;
	}
	fclose(trace);
	EXPECT_EQ(expected, records);

	/*
	 * The first value, which the teardown restores, and the current one. A hit shows the
	 * four bytes of a negative value.
	 */
	first = (uint32_t)atoi(self->panic_timeout);
	ASSERT_EQ(0, read_panic_timeout(line));
	last = (uint32_t)atoi(line);
	EXPECT_EQ(sum_new - last, sum_old - first);
}

TEST_HARNESS_MAIN

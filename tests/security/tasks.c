// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes /proc/sys/kernel/panic from 64 tasks that all change the CPU before each write:
 *
 *   tasks >IDS
 *
 * 16 processes have a thread beside the first one, and 32 are alone; these execute the program
 * again halfway. The IDs of all tasks are printed, a process a line, before they begin. They
 * begin when stdin has ended.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_ALONE	32
#define NR_PAIRS	16
#define WRITES		100

static int begin[2];

static void write_half(int first)
{
	int fd = open("/proc/sys/kernel/panic", O_WRONLY), cpu, i;
	cpu_set_t cpus;

	if (fd < 0)
		err(1, "/proc/sys/kernel/panic");
	for (i = first; i < first + WRITES / 2; i++) {
		char text[16];
		int len = snprintf(text, sizeof(text), "%d\n", 40000 + i);

		cpu = i % (int)sysconf(_SC_NPROCESSORS_ONLN);
		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus))
			err(1, "CPU %d", cpu);
		if (pwrite(fd, text, len, 0) != len)
			err(1, "write");
	}
	close(fd);
}

/* The pipe ends when the parent does. */
static void wait_for_begin(void)
{
	char c;

	if (read(begin[0], &c, 1))
		err(1, "pipe");
}

/* Prints the first task of its process as well. */
static void *thread(void *unused)
{
	(void)unused;
	printf("%d %d\n", getpid(), gettid());
	fflush(stdout);
	wait_for_begin();
	write_half(0);
	write_half(WRITES / 2);
	return NULL;
}

static void run_pair(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, thread, NULL))
		errx(1, "no thread");
	wait_for_begin();
	write_half(0);
	write_half(WRITES / 2);
	pthread_join(other, NULL);
}

static void run_alone(void)
{
	printf("%d\n", getpid());
	fflush(stdout);
	wait_for_begin();
	write_half(0);
	execl("/proc/self/exe", "tasks", "halfway", NULL);
	err(1, "exec");
}

int main(int argc, char **argv)
{
	int i, status, failed = 0;
	char c;

	if (argc > 1 && !strcmp(argv[1], "halfway")) {
		write_half(WRITES / 2);
		return 0;
	}
	if (pipe(begin))
		err(1, "pipe");
	for (i = 0; i < NR_ALONE + NR_PAIRS; i++) {
		pid_t child = fork();

		if (child < 0)
			err(1, "fork");
		if (child)
			continue;
		close(begin[1]);
		if (i < NR_ALONE)
			run_alone();
		run_pair();
		return 0;
	}
	while (read(0, &c, 1) > 0)
		;
	close(begin[1]);
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of "make bench", run in the virtual machine: measures what it costs to define,
 * arm, disarm, move and remove a watch, by the number of CPUs. It needs the module
 * ksym_bench and one online CPU, brings up the others, and prints a line for each number
 * of CPUs, separated by tabs:
 *
 *   control  CPUS  DEFINE  ARM  DISARM  RETARGET  REMOVE
 *
 * A watch of dynamic_events reserves its debug registers when it is defined, and uses
 * them while its event is enabled. A watch stays armed while it is moved; RETARGET lasts
 * until all CPUs have followed. The module uses trace_printk(), so the kernel records
 * tasks' names already, and the first enabled event does not have to start that.
 *
 * The figures are instructions, under -icount. All CPUs share a clock there, which
 * advances by a tick with each instruction of any CPU. So the ticks during which this
 * program's thread is on its CPU are its own instructions, those of interrupts there,
 * and those of other CPUs while the thread spins for their interrupts. Its sleep does
 * not count, and so neither do the RCU grace periods that disarming and removing wait
 * for, nor idle CPUs and kernel threads meanwhile. That would be latency, which can't be
 * measured in a machine that skips idle time.
 *
 * Interrupts come at other times in each round, so a figure is the minimum of several
 * rounds. For arm, disarm and move it is the same in each boot; for define and remove it
 * varies by less than 2 %. The machine has eight CPUs, and the uncounted ones are offline:
 * a loop over all possible CPUs visits eight.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/types.h>

#define TRACEFS	"/sys/kernel/tracing/"
#define EVENT	TRACEFS "events/ksym_bench/control/"
#define MOVE	"/sys/kernel/debug/ksym_bench/move"

#define WATCH	"w:ksym_bench/control w@ksym_test_u64:8\n"

enum step { DEFINE, ARM, DISARM, RETARGET, REMOVE, NR_STEPS };

#define ROUNDS	15

static __u64 now(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time))
		err(1, "the clock of a thread");
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

/* Returns the cost of reading the clock itself. */
static __u64 looking(void)
{
	__u64 start = now();

	return now() - start;
}

static int open_file(const char *path, int mode)
{
	int fd = open(path, mode);

	if (fd < 0)
		err(1, "opening %s", path);
	return fd;
}

/* Returns the cost of writing @text to an open file. */
static __u64 write_file(const char *path, const char *text)
{
	int fd = open_file(path, O_WRONLY | O_APPEND);
	size_t len = strlen(text);
	__u64 start, end;
	ssize_t ret;

	start = now();
	ret = write(fd, text, len);
	end = now();
	if (ret != (ssize_t)len)
		err(1, "writing \"%s\" to %s", text, path);
	close(fd);
	return end - start - looking();
}

/* The kernel itself has measured this. */
static __u64 move(void)
{
	char text[32] = "";
	int fd = open_file(MOVE, O_RDONLY);

	if (read(fd, text, sizeof(text) - 1) <= 0)
		err(1, "reading %s", MOVE);
	close(fd);
	return strtoull(text, NULL, 10);
}

static __u64 least(const __u64 *of)
{
	__u64 ret = of[0];
	int i;

	for (i = 1; i < ROUNDS; i++) {
		if (of[i] < ret)
			ret = of[i];
	}
	return ret;
}

static void one_round(__u64 (*took)[ROUNDS], int round)
{
	took[DEFINE][round] = write_file(TRACEFS "dynamic_events", WATCH);
	took[ARM][round] = write_file(EVENT "enable", "1");
	took[DISARM][round] = write_file(EVENT "enable", "0");
	took[REMOVE][round] = write_file(TRACEFS "dynamic_events",
					 "-:ksym_bench/control\n");
}

static void move_rounds(__u64 *took)
{
	int i;

	write_file(MOVE, "1");
	move();
	for (i = 0; i < ROUNDS; i++)
		took[i] = move();
	write_file(MOVE, "0");
}

static void measure(int cpus)
{
	__u64 took[NR_STEPS][ROUNDS];
	int i;

	/* The first round fills caches. */
	one_round(took, 0);
	for (i = 0; i < ROUNDS; i++)
		one_round(took, i);
	move_rounds(took[RETARGET]);

	printf("control\t%d", cpus);
	for (i = 0; i < NR_STEPS; i++)
		printf("\t%llu", least(took[i]));
	printf("\n");
}

static void add_cpu(int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	write_file(path, "1");
}

int main(void)
{
	static const int numbers[] = { 1, 2, 4, 8 };
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t first;
	size_t i;

	if (cpus != 1)
		errx(1, "%d CPUs are online, not one", cpus);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		err(1, "sched_setaffinity");

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		while (cpus < numbers[i])
			add_cpu(cpus++);
		measure(cpus);
	}
	return 0;
}

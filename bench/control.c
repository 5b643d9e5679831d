// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of "make bench" and "make scale", run in the virtual machine: measures what a watch
 * costs, by the number of CPUs or of other watches:
 *
 *   control cpus N...	on N online CPUs, with one watch
 *   control shared N...	the Nth watch of a variable; all share a debug register
 *   control flexible N...	the Nth flexible watch, each of another variable
 *
 * The numbers ascend. It needs the module ksym_bench and one online CPU, and brings up
 * the others. It prints a line for each figure, separated by tabs:
 *
 *   KIND  N  WHAT  INSTRUCTIONS
 *
 * WHAT is
 *
 *   define		to define the watch, which does not trap yet
 *   arm, disarm	to let it trap, and not any more
 *   retarget		to point another watch at another object, until all CPUs have
 *			followed; that watch stays armed meanwhile
 *   remove		to remove the watch
 *   filter		to read ksym_trace_filter
 *   events		to read dynamic_events
 *   slots		to read ksym_slots
 *   counts		to read trace_stat/ksym_counts
 *   hit		for a recorded hit, while all CPUs write one variable. With "shared",
 *			it is recorded for each watch; with "flexible", it is that of a pinned
 *			watch beside them
 *   own		the same, while each CPU writes its own variable
 *   turn		for a change of the flexible watches that are in the registers
 *
 * With "cpus", the watch is one of dynamic_events: it reserves its debug registers when it
 * is defined, and uses them while its event is enabled. The others are watches of
 * ksym_trace_filter, which have the options that are needed here, and are switched.
 * The module uses trace_printk(), so the kernel records tasks' names already, and the
 * first enabled event does not have to start that.
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
 * varies by less than 2 %. A loop over all possible CPUs visits the offline ones of the
 * machine as well.
 *
 * Hits must prove that they were recorded: if a watch has not counted each store, the
 * program fails.
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
#define MODULE	"/sys/kernel/debug/ksym_bench/"
#define STORES	MODULE "everywhere"
#define PARAM	"/sys/module/ksym_bench/parameters/"
#define FILTER	TRACEFS "ksym_trace_filter"
#define EVENT	TRACEFS "events/ksym_bench/control/"
#define MUX	"/sys/bus/event_source/devices/breakpoint/perf_event_mux_interval_ms"

/* The options of watches that no storm disarms. */
#define OPTIONS	"len=8 limit=0 budget=0"
#define PINNED	"ksym_test_u64:w " OPTIONS
#define OWN	"ksym_bench:ksym_bench_own:w " OPTIONS

/* As much as one write(2) to ksym_trace_filter takes. */
#define WRITE_MAX	4095

/* Of steps, of the files and of hits. */
#define ROUNDS		15
#define FILE_ROUNDS	3
#define HIT_ROUNDS	3

/* The hits of a round on each CPU, divided by the watches that record them. */
#define HITS		1000

/* More flexible watches than these take turns. */
#define REGISTERS	4

/* The instructions of a loop during which flexible watches take turns. */
#define LOOPS		"100000000"

enum kind { CPUS, SHARED, FLEXIBLE, NR_KINDS };

static const char * const kinds[] = { "cpus", "shared", "flexible" };

enum step { DEFINE, ARM, DISARM, REMOVE, NR_STEPS };

static const char * const steps[] = { "define", "arm", "disarm", "remove" };

static enum kind kind;
static int number;

static void figure(const char *what, __u64 ticks)
{
	printf("%s\t%d\t%s\t%llu\n", kinds[kind], number, what, ticks);
}

static __u64 read_clock(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		err(1, "clock_gettime");
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static __u64 now(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
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

/* Returns the cost of opening a file and reading all of it. */
static __u64 read_file(const char *path)
{
	static char text[1 << 16];
	__u64 start = now();
	int fd = open_file(path, O_RDONLY);
	ssize_t len;

	while ((len = read(fd, text, sizeof(text))) > 0)
		;
	if (len < 0)
		err(1, "reading %s", path);
	close(fd);
	return now() - start - looking();
}

static __u64 read_number(const char *path)
{
	char text[32] = "";
	int fd = open_file(path, O_RDONLY);

	if (read(fd, text, sizeof(text) - 1) <= 0)
		err(1, "reading %s", path);
	close(fd);
	return strtoull(text, NULL, 10);
}

static void write_number(const char *path, __u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", value);
	write_file(path, text);
}

/* Returns the least of what @of returns for @what. */
static __u64 least(__u64 (*of)(const char *what), const char *what, int rounds)
{
	__u64 ret, next;

	/* The first round fills caches. */
	of(what);
	for (ret = of(what); --rounds; ret = next < ret ? next : ret)
		next = of(what);
	return ret;
}

/* the steps in the life of a watch */

struct action {
	const char	*path;
	char		text[128];
};

/* Writes the line of the watch number @nr from 0, which ends with its name. */
static int format_watch(char *text, size_t size, int nr, const char *off)
{
	static __u64 area;

	if (kind != FLEXIBLE)
		return snprintf(text, size, PINNED "%s name=b%d\n", off, nr);
	if (!area)
		area = read_number(PARAM "area");
	return snprintf(text, size, "0x%llx:w flexible " OPTIONS "%s name=b%d\n",
			area + 8 * nr, off, nr);
}

static void prepare(struct action *actions)
{
	static const struct action lazy[] = {
		[DEFINE] = { TRACEFS "dynamic_events", "w:ksym_bench/control w@ksym_test_u64:8\n" },
		[ARM] = { EVENT "enable", "1" },
		[DISARM] = { EVENT "enable", "0" },
		[REMOVE] = { TRACEFS "dynamic_events", "-:ksym_bench/control\n" },
	};
	int i;

	memcpy(actions, lazy, sizeof(lazy));
	if (kind == CPUS)
		return;
	format_watch(actions[DEFINE].text, sizeof(actions->text), number - 1, " off");
	for (i = DEFINE; i < NR_STEPS; i++) {
		actions[i].path = FILTER;
		if (i != DEFINE)
			snprintf(actions[i].text, sizeof(actions->text), "%cb%d\n",
				 i == ARM ? '+' : i == DISARM ? '-' : '!', number - 1);
	}
}

static void measure_steps(void)
{
	struct action actions[NR_STEPS];
	__u64 took[NR_STEPS], ticks;
	int round, i;

	prepare(actions);
	/* The first round fills caches. */
	for (round = 0; round <= ROUNDS; round++) {
		for (i = 0; i < NR_STEPS; i++) {
			ticks = write_file(actions[i].path, actions[i].text);
			if (round < 2 || ticks < took[i])
				took[i] = ticks;
		}
	}
	for (i = 0; i < NR_STEPS; i++)
		figure(steps[i], took[i]);
	write_file(MODULE "move", "1");
	/* The module itself measures moves and stores. */
	figure("retarget", least(read_number, MODULE "move", ROUNDS));
	write_file(MODULE "move", "0");
}

/* How many watches exist, which are armed. */
static int filled;

static void fill(int nr)
{
	char text[WRITE_MAX + 1], line[128];
	size_t len = 0, more;

	for (; filled < nr; filled++) {
		more = format_watch(line, sizeof(line), filled, "");
		if (len + more > WRITE_MAX) {
			write_file(FILTER, text);
			len = 0;
		}
		memcpy(text + len, line, more + 1);
		len += more;
	}
	if (len)
		write_file(FILTER, text);
}

static void measure_file(const char *what, const char *path)
{
	figure(what, least(read_file, path, FILE_ROUNDS));
}

static void measure_files(void)
{
	measure_file("filter", FILTER);
	measure_file("events", TRACEFS "dynamic_events");
	measure_file("slots", TRACEFS "ksym_slots");
	measure_file("counts", TRACEFS "trace_stat/ksym_counts");
}

/* hits */

/* Returns the sum of the column HITS. */
static __u64 count_hits(void)
{
	FILE *file = fopen(TRACEFS "trace_stat/ksym_tracer", "r");
	unsigned long long hits;
	char line[4096];
	__u64 sum = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*s %llu", &hits) == 1)
			sum += hits;
	}
	if (!file || fclose(file))
		err(1, "trace_stat/ksym_tracer");
	return sum;
}

/* Prints the cost of a store that @watches record; @idle is that of a round without one. */
static void measure_hit(const char *what, __u64 stores, __u64 idle, int watches)
{
	__u64 before = count_hits(), ticks = least(read_number, STORES, HIT_ROUNDS);
	__u64 got = count_hits() - before;
	__u64 wanted = stores * watches * (HIT_ROUNDS + 1);

	if (got != wanted)
		errx(1, "%s %d: %s: %llu instead of %llu", kinds[kind], number, what,
		     got, wanted);
	figure(what, (ticks - idle) / stores);
}

static void measure_hits(void)
{
	int watches = kind == SHARED ? number : 1;
	__u64 stores = HITS / watches > 4 ? HITS / watches : 4, idle;

	write_number(PARAM "hits", stores);
	stores *= sysconf(_SC_NPROCESSORS_ONLN);
	write_file(MODULE "own", "1");
	idle = least(read_number, STORES, HIT_ROUNDS);
	if (kind == CPUS) {
		write_file(FILTER, OWN " name=hit\n");
		measure_hit("own", stores, idle, 1);
		write_file(FILTER, "!hit\n");
	}
	write_file(MODULE "own", "0");
	if (kind == FLEXIBLE)
		write_file(FILTER, PINNED " name=hit\n");
	measure_hit("hit", stores, idle, watches);
	if (kind == FLEXIBLE)
		write_file(FILTER, "!hit\n");
}

/* turns */

static __u64 loop(const char *count)
{
	__u64 start = read_clock(CLOCK_MONOTONIC);
	unsigned long i;

	for (i = strtoul(count, NULL, 10); i; i--)
		asm volatile("");
	return read_clock(CLOCK_MONOTONIC) - start;
}

/*
 * Prints by how much longer the loop takes with flexible watches, for each interval after
 * which others have their turn.
 */
static void measure_turn(void)
{
	static __u64 without;
	__u64 ticks, turns;

	if (!without) {
		without = least(loop, LOOPS, HIT_ROUNDS);
		return;
	}
	if (number <= REGISTERS)
		return;
	ticks = least(loop, LOOPS, HIT_ROUNDS);
	turns = ticks / (read_number(MUX) * 1000000);
	figure("turn", (ticks - without) / turns);
}

static void measure(void)
{
	if (kind == FLEXIBLE && !filled)
		measure_turn();
	fill(kind == CPUS ? 0 : number - 1);
	measure_steps();
	fill(kind == CPUS ? 1 : number);
	measure_files();
	measure_hits();
	if (kind == FLEXIBLE)
		measure_turn();
	if (kind != CPUS)
		return;
	/* The next steps are those of the only watch. */
	write_file(FILTER, "!b0\n");
	filled = 0;
}

static void add_cpu(int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	write_file(path, "1");
}

int main(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t first;
	int i;

	while (kind < NR_KINDS && (argc < 3 || strcmp(argv[1], kinds[kind])))
		kind++;
	if (kind == NR_KINDS)
		errx(1, "usage: control cpus|shared|flexible N...");
	if (cpus != 1)
		errx(1, "%d CPUs are online, not one", cpus);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		err(1, "sched_setaffinity");

	for (i = 2; i < argc; i++) {
		number = atoi(argv[i]);
		if (number < 1)
			errx(1, "'%s' is no number from 1", argv[i]);
		while (kind == CPUS && cpus < number)
			add_cpu(cpus++);
		measure();
	}
	return 0;
}

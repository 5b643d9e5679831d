// SPDX-License-Identifier: GPL-2.0-only
/*
 * What breakpoints cost others, for comparison between kernels: how many function-call
 * interrupts a request sends, and what "perf stat -a" counts beside watched tasks. Uses
 * only what every kernel has; the CPUs' breakpoints are flexible if the kernel has
 * flexible breakpoints. Prints lines of the form
 *
 *	calls REQUEST BESIDE ALL ELSEWHERE	interrupts of all CPUs, and of others
 *	stat EVENT COUNT
 */
#define _GNU_SOURCE
#include <err.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "ksym_bp.h"

#define SYSCTL	"/proc/sys/kernel/hw_breakpoint_flexible"

static int open_or_die(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = open_event(attr, pid, cpu, -1);

	if (fd < 0) {
		errno = -fd;
		err(1, "perf_event_open");
	}
	return fd;
}

/* Sums up the function-call interrupts of all CPUs, or of all but the first. */
static void read_calls(long *all, long *elsewhere)
{
	char line[4096], *number, *end;
	FILE *file = fopen("/proc/interrupts", "r");
	long calls;

	*all = 0;
	*elsewhere = 0;
	if (!file)
		err(1, "/proc/interrupts");
	while (fgets(line, sizeof(line), file)) {
		number = strstr(line, "CAL:");
		if (!number)
			continue;
		number += strlen("CAL:");
		for (int cpu = 0; ; cpu++, number = end) {
			calls = strtol(number, &end, 10);
			if (end == number)
				break;
			*all += calls;
			*elsewhere += cpu ? calls : 0;
		}
	}
	fclose(file);
}

/* ===== Requests ===== */

static void open_and_close(void)
{
	struct perf_event_attr attr = bp_attr(1);

	close(open_or_die(&attr, 0, -1));
}

static void fork_and_wait(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	if (child < 0 || waitpid(child, NULL, 0) != child)
		err(1, "fork");
}

static pid_t traced;

static void poke(int reg, unsigned long value)
{
	if (ptrace(PTRACE_POKEUSER, traced,
		   offsetof(struct user, u_debugreg[reg]), value))
		err(1, "DR%d", reg);
}

static void set_and_clear(void)
{
	poke(0, (unsigned long)&watched[1]);
	poke(7, 0x90001);
	poke(7, 0);
}

/*
 * The machine has other reasons for calls, but not in each of several attempts. In the
 * first attempts the kernel may still patch its code.
 */
static void count_calls(const char *request, const char *beside, void (*work)(void))
{
	long least = LONG_MAX, least_elsewhere = LONG_MAX;

	for (int attempt = 0; attempt < 20; attempt++) {
		long all, elsewhere, all_after, elsewhere_after;

		read_calls(&all, &elsewhere);
		for (int i = 0; i < 5; i++)
			work();
		read_calls(&all_after, &elsewhere_after);
		all = all_after - all;
		elsewhere = elsewhere_after - elsewhere;
		least = all < least ? all : least;
		least_elsewhere = elsewhere < least_elsewhere ? elsewhere :
				  least_elsewhere;
	}
	printf("calls %s %s %ld %ld\n", request, beside, least, least_elsewhere);
}

static void count_requests(const char *beside)
{
	struct perf_event_attr attr = bp_attr(2);
	int fds[3];

	count_calls("open", beside, open_and_close);

	attr.inherit = 1;
	for (int i = 0; i < 3; i++)
		fds[i] = open_or_die(&attr, 0, -1);
	count_calls("fork", beside, fork_and_wait);
	for (int i = 0; i < 3; i++)
		close(fds[i]);

	traced = fork();
	if (!traced) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(traced, NULL, 0);
	count_calls("ptrace", beside, set_and_clear);
	kill(traced, SIGKILL);
	waitpid(traced, NULL, 0);
}

/* Does nothing on a kernel without the sysctl. */
static void set_sysctl(const char *text)
{
	int fd = open(SYSCTL, O_WRONLY);

	if (fd < 0)
		return;
	if (write(fd, text, 1) != 1)
		err(1, SYSCTL);
	close(fd);
}

static int open_of_cpu(int cpu)
{
	struct perf_event_attr attr = bp_attr(0);
	int fd;

	set_sysctl("1");
	fd = open_or_die(&attr, -1, cpu);
	set_sysctl("0");
	return fd;
}

static void count_all_requests(void)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_DUMMY);
	int last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	int fds[last + 1];

	/* perf patches the kernel for the first event and after the last one: keep one open. */
	open_or_die(&attr, 0, -1);
	for (int cpu = 0; cpu <= last; cpu++)
		fds[cpu] = open_of_cpu(cpu);
	for (int cpu = 0; cpu <= last; cpu++)
		close(fds[cpu]);

	count_requests("nothing");
	fds[last] = open_of_cpu(last);
	count_requests("one");
	for (int cpu = 0; cpu < last; cpu++)
		fds[cpu] = open_of_cpu(cpu);
	count_requests("all");
	for (int cpu = 0; cpu <= last; cpu++)
		close(fds[cpu]);
}

/* ===== Counts of a CPU beside watched tasks ===== */

#define ROUNDS		200
#define ATTEMPTS	20

static char *fresh_page;

static void ping_pong(int to, int from, bool first)
{
	char byte = 0;

	for (int i = 0; i < ROUNDS; i++) {
		if (first && write(to, &byte, 1) != 1)
			err(1, "write");
		if (read(from, &byte, 1) != 1)
			err(1, "read");
		write_watched(1);
		if (!first && write(to, &byte, 1) != 1)
			err(1, "write");
		madvise(fresh_page, 4096, MADV_DONTNEED);
		*fresh_page = 1;
	}
}

static void count_stat(void)
{
	enum { SWITCHES, FAULTS, ADDS, TIME, NR };
	int pmu = load_pmu();
	struct perf_event_attr attr = bp_attr(1), attrs[NR] = {
		[SWITCHES] = event_attr(PERF_TYPE_SOFTWARE,
					PERF_COUNT_SW_CONTEXT_SWITCHES),
		[FAULTS] = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS),
		[ADDS] = event_attr(pmu, 1),
		[TIME] = event_attr(pmu, 0),
	};
	int fds[NR], bps[2][2], to[2], from[2];
	struct event_counts counts[NR];
	long before[NR], least[NR], count;
	pid_t child;

	fresh_page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fresh_page == MAP_FAILED || pmu < 0 || pipe(to) || pipe(from))
		err(1, "mmap, pipe or ksym_pmu");
	child = fork();
	if (!child) {
		for (int attempt = 0; attempt < ATTEMPTS; attempt++)
			ping_pong(from[1], to[0], false);
		_exit(0);
	}
	for (int i = 0; i < 2; i++) {
		bps[0][i] = open_or_die(&attr, child, -1);
		bps[1][i] = open_or_die(&attr, 0, -1);
	}
	for (int i = 0; i < NR; i++) {
		attrs[i].exclude_kernel = 0;
		attrs[i].exclude_hv = 0;
		fds[i] = open_or_die(&attrs[i], -1, 0);
	}
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		for (int i = 0; i < NR; i++)
			before[i] = read_event(fds[i]).count;
		ping_pong(to[1], from[0], true);
		for (int i = 0; i < NR; i++) {
			counts[i] = read_event(fds[i]);
			count = counts[i].count - before[i];
			least[i] = !attempt || count < least[i] ? count : least[i];
		}
	}
	/* Other tasks cause switches, too, so take the attempt with the fewest. */
	printf("stat context-switches %ld\n", least[SWITCHES]);
	printf("stat page-faults %ld\n", least[FAULTS]);
	printf("stat pmu-adds %ld\n", (long)counts[ADDS].count);
	printf("stat pmu-permille %ld\n",
	       (long)(counts[TIME].count * 1000 / counts[TIME].enabled));
	for (int i = 0; i < 2; i++) {
		printf("stat watched%d %llu\n", i,
		       (unsigned long long)read_event(bps[i][0]).count);
	}
	waitpid(child, NULL, 0);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (run_on(0))
		err(1, "CPU 0");
	count_all_requests();
	count_stat();
	return 0;
}

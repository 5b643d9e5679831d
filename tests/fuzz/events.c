// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls perf_event_open() with breakpoints, and what can be done with the files that it
 * returns, at random:
 *
 *	events CALLS SEED ADDRESS…
 *
 * ADDRESS is a variable of the kernel. Half of the attributes are valid, the others have one to
 * three wrong fields, or are random. Events are of this thread, of a child, or of a CPU; some are
 * in groups, inherited, sampled, mapped, modified, or left to the end of a child that has them.
 * It prints the number of calls, and how many opened an event.
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_EVENTS	12
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static struct event {
	int fd;
	void *map;
	size_t size;
} events[MAX_EVENTS];

static uint64_t state;
static unsigned long kernel[16];
static unsigned int nr_kernel;
/* What events of this program watch. */
static uint64_t watched[8];

static uint64_t random64(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state ^ (state >> 29);
}

static unsigned int pick(unsigned int n)
{
	return (random64() >> 33) % n;
}

/* One of the numbers, or now and then any. */
#define ONE_OF(...) ({							\
	const uint64_t numbers[] = { __VA_ARGS__ };			\
	pick(60) ? numbers[pick(ARRAY_SIZE(numbers))] : random64();	\
})

static void touch(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(watched); i++)
		__atomic_add_fetch(&watched[i], 1, __ATOMIC_RELAXED);
}

static void make_valid(struct perf_event_attr *attr)
{
	unsigned int len = 1 << pick(4);

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_BREAKPOINT;
	if (!pick(8)) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = pick(PERF_COUNT_SW_MAX - 1);
		return;
	}
	if (!pick(8)) {
		attr->bp_type = HW_BREAKPOINT_X;
		attr->bp_len = sizeof(long);
		attr->bp_addr = (unsigned long)touch;
	} else {
		attr->bp_type = pick(2) ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
		attr->bp_len = len;
		if (nr_kernel && pick(2))
			attr->bp_addr = kernel[pick(nr_kernel)];
		else
			attr->bp_addr = (unsigned long)&watched[pick(8)];
		attr->bp_addr &= -(unsigned long)len;
	}
	attr->exclude_kernel = attr->bp_addr < ~0ull >> 1;
	attr->sample_period = pick(3) ? 1 : pick(100);
	attr->disabled = pick(2);
	attr->pinned = !pick(4);
	attr->inherit = !pick(4);
	attr->exclude_hv = 1;
	if (!pick(3))
		attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				    PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	if (!pick(3))
		attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->wakeup_events = pick(2);
}

static void damage(struct perf_event_attr *attr)
{
	for (unsigned int nr = 1 + pick(3); nr; nr--) {
		switch (pick(14)) {
		case 0:
			attr->bp_addr = ONE_OF(0, 1, 4096, attr->bp_addr + 1, ~0ull, ~0ull << 47,
					       1ull << 47, 0xffffffff81000000);
			break;
		case 1:
			attr->bp_len = ONE_OF(0, 1, 2, 3, 4, 5, 8, 9, 16);
			break;
		case 2:
			attr->bp_type = ONE_OF(HW_BREAKPOINT_EMPTY, HW_BREAKPOINT_R,
					       HW_BREAKPOINT_X,
					       HW_BREAKPOINT_RW | HW_BREAKPOINT_X, 8);
			break;
		case 3:
			attr->sample_type = ONE_OF(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_IP,
						   PERF_SAMPLE_READ, PERF_SAMPLE_REGS_INTR,
						   PERF_SAMPLE_STACK_USER, PERF_SAMPLE_RAW,
						   PERF_SAMPLE_CGROUP, PERF_SAMPLE_PHYS_ADDR);
			break;
		case 4:
			attr->read_format = ONE_OF(PERF_FORMAT_GROUP, 15, 31, 32,
						   PERF_FORMAT_ID | PERF_FORMAT_LOST);
			break;
		case 5:
			attr->precise_ip = pick(4);
			break;
		case 6:
			attr->inherit_stat = 1, attr->inherit = 1;
			break;
		case 7:
			attr->freq = 1, attr->sample_freq = ONE_OF(0, 1, 1000, 1000000);
			break;
		case 8:
			attr->exclude_user = pick(2), attr->exclude_kernel = pick(2);
			attr->exclude_idle = pick(2);
			break;
		case 9:
			attr->exclusive = pick(2), attr->pinned = pick(2);
			break;
		case 10:
			attr->sigtrap = 1, attr->remove_on_exec = 1, attr->sig_data = random64();
			break;
		case 11:
			attr->size = ONE_OF(0, PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER5, 4096, 1);
			break;
		case 12:
			attr->use_clockid = 1, attr->clockid = ONE_OF(0, 1, 4, 11);
			break;
		default:
			attr->enable_on_exec = pick(2), attr->inherit = pick(2);
			attr->inherit_thread = pick(2);
		}
	}
}

static void make_attr(struct perf_event_attr *attr)
{
	make_valid(attr);
	if (!pick(10)) {
		for (size_t i = 0; i < sizeof(*attr) / 8; i++)
			((uint64_t *)attr)[i] = random64();
		attr->type = PERF_TYPE_BREAKPOINT;
	} else if (!pick(3)) {
		damage(attr);
	}
}

static void close_event(struct event *event)
{
	if (event->map)
		munmap(event->map, event->size);
	if (event->fd >= 0)
		close(event->fd);
	*event = (struct event){ .fd = -1 };
}

static bool open_event(pid_t child, long nr_cpus)
{
	struct event *event = &events[pick(MAX_EVENTS)];
	pid_t pids[] = { 0, 0, 0, child, -1, -1, -1, 1, 99999 };
	struct perf_event_attr attr;
	int group = -1, cpu = -1;
	pid_t pid;

	close_event(event);
	make_attr(&attr);
	pid = pids[pick(pick(10) ? 7 : 9)];
	if (pid < 0 || !pick(6))
		cpu = pick(nr_cpus + !pick(20));
	if (!pick(4))
		group = events[pick(MAX_EVENTS)].fd;
	event->fd = syscall(SYS_perf_event_open, &attr, pid, cpu, group,
			    pick(20) ? PERF_FLAG_FD_CLOEXEC : ONE_OF(0, 1, 2, 4, 8));
	return event->fd >= 0;
}

static void use_event(void)
{
	static char buf[4096];
	struct event *event = &events[pick(MAX_EVENTS)];
	struct perf_event_attr attr;
	uint64_t number;

	if (event->fd < 0)
		return;
	switch (pick(12)) {
	case 0:
		ioctl(event->fd, PERF_EVENT_IOC_ENABLE, pick(2));
		break;
	case 1:
		ioctl(event->fd, PERF_EVENT_IOC_DISABLE, pick(2));
		break;
	case 2:
		ioctl(event->fd, PERF_EVENT_IOC_REFRESH, (int)ONE_OF(0, 1, 5));
		break;
	case 3:
		number = ONE_OF(0, 1, 100, ~0ull);
		ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &number);
		break;
	case 4:
	case 5:
		make_attr(&attr);
		ioctl(event->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);
		break;
	case 6:
		ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT, events[pick(MAX_EVENTS)].fd);
		break;
	case 7:
		ioctl(event->fd, PERF_EVENT_IOC_RESET, pick(2));
		break;
	case 8:
		if (!event->map) {
			event->size = 4096 * (1 + (1 << pick(3)));
			event->map = mmap(NULL, event->size, PROT_READ | PROT_WRITE, MAP_SHARED,
					  event->fd, 0);
			if (event->map == MAP_FAILED)
				event->map = NULL;
		}
		break;
	case 9:
		prctl(pick(2) ? PR_TASK_PERF_EVENTS_ENABLE : PR_TASK_PERF_EVENTS_DISABLE);
		break;
	case 10:
		close_event(event);
		break;
	default:
		(void)!read(event->fd, buf, sizeof(buf));
	}
	touch();
}

static void handle_signal(int signal)
{
	(void)signal;
}

/* A child that sleeps, and dies at random. */
static pid_t new_child(pid_t old)
{
	pid_t pid;

	if (old > 0) {
		kill(old, SIGKILL);
		waitpid(old, NULL, 0);
	}
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		/* Its copies of the files would keep the events. */
		close_range(3, ~0U, 0);
		touch();
		pause();
		_exit(0);
	}
	return pid;
}

/* A child that inherits, opens its own events, and leaves them behind. */
static void short_child(long nr_cpus)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		for (unsigned int i = 0; i < 5; i++) {
			open_event(0, nr_cpus);
			use_event();
		}
		if (pick(2))
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned long calls, opened = 0;
	cpu_set_t cpus;
	pid_t child;

	if (argc < 3)
		errx(1, "usage: events CALLS SEED ADDRESS...");
	calls = strtoul(argv[1], NULL, 0);
	state = strtoul(argv[2], NULL, 0) * 2 + 1;
	for (int i = 3; i < argc && nr_kernel < ARRAY_SIZE(kernel); i++)
		kernel[nr_kernel++] = strtoul(argv[i], NULL, 0);
	for (unsigned int i = 0; i < MAX_EVENTS; i++)
		events[i].fd = -1;
	/* Events with sigtrap send it, and end a program that ignores it. */
	signal(SIGTRAP, handle_signal);
	child = new_child(0);
	for (unsigned long i = 0; i < calls; i++) {
		opened += open_event(child, nr_cpus);
		use_event();
		if (!pick(300))
			child = new_child(child);
		if (!pick(200))
			short_child(nr_cpus);
		if (!pick(50)) {
			CPU_ZERO(&cpus);
			CPU_SET(pick(nr_cpus), &cpus);
			sched_setaffinity(0, sizeof(cpus), &cpus);
		}
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	printf("%lu calls, %lu opened\n", calls, opened);
	return 0;
}

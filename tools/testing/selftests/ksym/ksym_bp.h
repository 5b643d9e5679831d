/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the C tests of ksym that use breakpoints of perf_event_open(2).
 */
#ifndef _KSYM_BP_H
#define _KSYM_BP_H

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ksym_sys.h"

#define NOBODY		65534
#define EVENT_SOURCES	"/sys/bus/event_source/devices/"

/* Event i watches variable i; no event watches the last one. All share a page. */
#define NR_WATCHED	64
_Alignas(512) static long watched[NR_WATCHED];

struct event_counts {
	uint64_t	count;
	uint64_t	enabled;
	uint64_t	running;
};

#define READ_FORMAT	(PERF_FORMAT_TOTAL_TIME_ENABLED |	\
			 PERF_FORMAT_TOTAL_TIME_RUNNING)

/*
 * If the kernel leaves DR7 alone, QEMU 7.2 keeps the bit of the register that trapped until
 * the next store to that page that does not trap: a #DB from user mode would report the
 * registers of earlier traps as well. So the last store goes to an unwatched variable.
 */
static inline void write_watched(unsigned int nr)
{
	__atomic_store_n(&watched[nr], watched[nr] + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&watched[NR_WATCHED - 1], 0, __ATOMIC_RELAXED);
}

/* An event that unprivileged users may open, too. */
static inline struct perf_event_attr event_attr(int type, int config)
{
	return (struct perf_event_attr){
		.type		= type,
		.config		= config,
		.size		= sizeof(struct perf_event_attr),
		.read_format	= READ_FORMAT,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
	};
}

static inline struct perf_event_attr bp_attr(unsigned int nr)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_BREAKPOINT, 0);

	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_len = HW_BREAKPOINT_LEN_8;
	attr.bp_addr = (unsigned long)&watched[nr];
	return attr;
}

/* Returns a file descriptor, or a negative error number. */
static inline int open_event(struct perf_event_attr *attr, pid_t pid, int cpu,
			     int leader)
{
	int fd = syscall(__NR_perf_event_open, attr, pid, cpu, leader,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static inline struct event_counts read_event(int fd)
{
	struct event_counts counts = { };

	if (read(fd, &counts, sizeof(counts)) != sizeof(counts))
		perror("read of an event");
	return counts;
}

/*
 * Loads ksym_pmu, which perf takes for the processor's PMU, from the directory of the
 * program. Returns its type, or -1.
 */
static inline int load_pmu(void)
{
	char program[4096] = "", path[4200];
	int fd;

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		return -1;
	snprintf(path, sizeof(path), "%.*s/ksym_mod/ksym_pmu.ko",
		 (int)(strrchr(program, '/') - program), program);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		syscall(SYS_finit_module, fd, "", 0);
		close(fd);
	}
	return read_number(EVENT_SOURCES "ksym_pmu/type");
}

#endif /* _KSYM_BP_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Root watches a kernel variable for a task and its children. The task has no
 * privileges. It must still be able to fork, and its children are watched, too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "ksym_util.h"

#define NOBODY	65534

/* Returns the address of a kernel variable, or 0. */
static unsigned long long address_of(const char *symbol)
{
	unsigned long long address;
	char line[512], name[256];
	FILE *file;

	file = fopen("/proc/kallsyms", "r");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %*c %255s", &address, name) == 2 &&
		    !strcmp(name, symbol)) {
			fclose(file);
			return address;
		}
	}
	fclose(file);
	return 0;
}

/* Forks a child, which forks one more. Returns 0, fork()'s errno, or 255. */
static int fork_twice(void)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		pid = fork();
		if (!pid)
			_exit(0);
		_exit(pid < 0 ? errno : waitpid(pid, &status, 0) != pid);
	}
	if (pid < 0)
		return errno;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 255;
	return WEXITSTATUS(status);
}

/* The unprivileged task. It forks when the other end of the pipe is closed. */
static void be_nobody(int ready, int go)
{
	char byte = 0;

	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(errno);
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 0)
		_exit(EIO);
	_exit(fork_twice());
}

FIXTURE(inherit) {
	pid_t	task;
	int	go;
};

FIXTURE_SETUP(inherit)
{
	int ready[2], go[2];
	char byte;

	if (geteuid())
		SKIP(return, "only root may watch the kernel for others");
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	self->task = fork();
	ASSERT_LE(0, self->task);
	if (!self->task) {
		close(go[1]);
		be_nobody(ready[1], go[0]);
	}
	close(go[0]);
	close(ready[1]);
	self->go = go[1];
	/* The task has dropped its privileges. */
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	close(ready[0]);
}

/* A task that still waits ends when the test ends, which closes the pipe. */
FIXTURE_TEARDOWN(inherit)
{
}

/* Lets the task go, and returns its exit status. */
static int result_of(pid_t task, int go)
{
	int status;

	close(go);
	if (waitpid(task, &status, 0) != task)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(inherit, perf)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(attr),
		.bp_type	= HW_BREAKPOINT_W,
		.bp_len		= HW_BREAKPOINT_LEN_8,
		.inherit	= 1,
	};
	uint64_t count = 0;
	int fd;

	attr.bp_addr = address_of("total_forks");
	ASSERT_NE(0, attr.bp_addr);
	fd = syscall(__NR_perf_event_open, &attr, self->task, -1, -1,
		     PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, fd);

	/* 0, or the errno of a failed fork(). */
	EXPECT_EQ(0, result_of(self->task, self->go));
	EXPECT_EQ(sizeof(count), read(fd, &count, sizeof(count)));
	EXPECT_EQ(2, count);
	close(fd);
}

/* Watches the forks of the task, with further @options, until the task exits. */
static void watch_forks(struct __test_metadata *_metadata, pid_t task, int go,
			const char *options, int hits)
{
	char line[128];

	ASSERT_EQ(0, ksym_write("0"));
	snprintf(line, sizeof(line),
		 "total_forks:w len=8 name=family pid=%d%s", task, options);
	ASSERT_EQ(0, ksym_write(line));
	EXPECT_EQ(0, result_of(task, go));
	EXPECT_EQ(hits, ksym_stat("family", "HITS"));
	EXPECT_EQ(0, ksym_write("0"));
}

TEST_F(inherit, watch)
{
	if (access(TRACEFS "ksym_trace_filter", W_OK))
		SKIP(return, "no ksym tracer here, or no permission");
	watch_forks(_metadata, self->task, self->go, " inherit", 2);
}

/* Without "inherit" the children are not watched. */
TEST_F(inherit, alone)
{
	if (access(TRACEFS "ksym_trace_filter", W_OK))
		SKIP(return, "no ksym tracer here, or no permission");
	watch_forks(_metadata, self->task, self->go, "", 1);
}

/* Bounces bytes until the other end is closed. */
static void echo_bytes(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
		;
	_exit(0);
}

static uint64_t touched __attribute__((aligned(8)));

/*
 * perf swaps the events of a task and its child, if they match, when one goes to sleep
 * and the other wakes up. Afterwards, the flexible watches must still leave a register
 * to the pinned breakpoints of the running task.
 */
TEST(switched)
{
	static const char * const symbols[] = {
		"panic_on_oops", "max_threads", "panic_timeout", "console_printk",
		"total_forks", "nr_threads",
	};
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(attr),
		.bp_type	= HW_BREAKPOINT_W,
		.bp_addr	= (uintptr_t)&touched,
		.bp_len		= HW_BREAKPOINT_LEN_8,
		.exclude_kernel	= 1,
	};
	int there[2], back[2], fd, status, rounds, i;
	uint64_t count = 0;
	char line[128], byte = 0;
	pid_t child;

	if (access(TRACEFS "ksym_trace_filter", W_OK))
		SKIP(return, "no ksym tracer here, or no permission");
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, ksym_write("0"));
	for (i = 0; i < 6; i++) {
		snprintf(line, sizeof(line), "%s:w flexible inherit pid=%d",
			 symbols[i], getpid());
		ASSERT_EQ(0, ksym_write(line));
	}
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		close(there[1]);
		close(back[0]);
		echo_bytes(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);

	for (rounds = 0; rounds < 4; rounds++) {
		ASSERT_EQ(1, write(there[1], &byte, 1));
		ASSERT_EQ(1, read(back[0], &byte, 1));
		fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1,
			     PERF_FLAG_FD_CLOEXEC);
		ASSERT_LE(0, fd);
		for (i = 0; i < 10000; i++)
			__atomic_store_n(&touched, i, __ATOMIC_RELAXED);
		EXPECT_EQ(sizeof(count), read(fd, &count, sizeof(count)));
		EXPECT_EQ(10000, count);
		close(fd);
	}
	close(there[1]);
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, ksym_write("0"));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers that wait for the hits of a standing watch, and several that read its buffer: by
 * poll(2) on the hist file and on trace_pipe, by two mappings of trace_pipe_raw, and by
 * splice(2).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Newer than the installed headers may be; it needs nothing but types. */
#include "../../../../include/uapi/linux/trace_mmap.h"
#include "ksym_util.h"

#define INSTANCE	TRACEFS "instances/ksym_readers/"
#define EVENT		INSTANCE "events/ksym/ksym_readers/"

/* A reader that polls, and what poll(2) returned. */
struct poller {
	int	fd;
	short	events;
	pid_t	tid;
	int	ret;
	short	revents;
};

static void *poll_on(void *data)
{
	struct poller *poller = data;
	struct pollfd fd = { .fd = poller->fd, .events = poller->events };

	__atomic_store_n(&poller->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	poller->ret = poll(&fd, 1, -1);
	poller->revents = fd.revents;
	return NULL;
}

static bool is_asleep(pid_t tid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state == 'S';
}

/* Waits in poll(2), writes once, and expects that this ends the wait. */
static bool is_woken(const char *path, short events, const char *value)
{
	struct poller poller = { .fd = open(path, O_RDONLY | O_NONBLOCK), .events = events };
	pthread_t thread;
	pid_t tid;

	if (poller.fd < 0 || pthread_create(&thread, NULL, poll_on, &poller))
		return false;
	while (!(tid = __atomic_load_n(&poller.tid, __ATOMIC_ACQUIRE)) || !is_asleep(tid))
		sched_yield();
	if (write_file(PANIC_TIMEOUT, value, 0))
		return false;
	/* The harness ends a test that waits for ever. */
	pthread_join(thread, NULL);
	close(poller.fd);
	return poller.ret == 1 && poller.revents & events;
}

/* Counts the records of an event in a page of the ring buffer. */
static unsigned int count_records(const char *page, int id)
{
	uint64_t committed = *(const uint64_t *)(page + 8) & 0xfffff;
	unsigned int at = 16, end = at + committed, n = 0, len;
	uint32_t type;

	while (at < end) {
		type = *(const uint32_t *)(page + at) & 0x1f;
		if (type == 29)			/* padding */
			break;
		if (type == 30 || type == 31) {	/* time */
			at += 8;
			continue;
		}
		/* The length in words, or in the first word of the data. */
		len = type ? type * 4 : *(const uint32_t *)(page + at + 4);
		n += *(const uint16_t *)(page + at + (type ? 4 : 8)) == id;
		at += 4 + len;
	}
	return n;
}

FIXTURE(watch) {
	char	panic_timeout[16];
	int	id;
};

FIXTURE_SETUP(watch)
{
	if (access(TRACEFS "ksym_trace_filter", W_OK))
		SKIP(return, "no ksym tracer here, or no permission");
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, read_panic_timeout(self->panic_timeout));
	ASSERT_EQ(0, ksym_write("0"));
	ASSERT_EQ(0, ksym_write("panic_timeout:w len=4 name=ksym_readers limit=0 budget=0"));
	ASSERT_EQ(0, mkdir(INSTANCE, 0700));
	ASSERT_EQ(0, write_file(INSTANCE "buffer_size_kb", "64", 0));
	ASSERT_EQ(0, write_file(EVENT "enable", "1", 0));
	self->id = read_number(EVENT "id");
	ASSERT_LT(0, self->id);
}

FIXTURE_TEARDOWN(watch)
{
	EXPECT_EQ(0, rmdir(INSTANCE));
	EXPECT_EQ(0, ksym_write("!ksym_readers"));
	EXPECT_EQ(0, write_file(PANIC_TIMEOUT, self->panic_timeout, 0));
}

/* A histogram of hits wakes who polls it, whether or not the event is recorded. */
TEST_F(watch, poll_on_hist)
{
	ASSERT_EQ(0, write_file(EVENT "trigger", "hist:keys=ip", O_APPEND));
	EXPECT_TRUE(is_woken(EVENT "hist", POLLPRI, "52001"));
	EXPECT_TRUE(is_woken(EVENT "hist", POLLPRI, "52001"));
	EXPECT_EQ(0, write_file(EVENT "trigger", "!hist:keys=ip", O_APPEND));
}

TEST_F(watch, poll_on_trace_pipe)
{
	char line[4096];
	ssize_t len;
	int fd;

	EXPECT_TRUE(is_woken(INSTANCE "trace_pipe", POLLIN, "52002"));
	/* The reader that polled took nothing. */
	fd = open(INSTANCE "trace_pipe", O_RDONLY | O_NONBLOCK);
	len = read(fd, line, sizeof(line) - 1);
	ASSERT_LT(0, len);
	line[len] = 0;
	EXPECT_NE(NULL, strstr(line, ": ksym_readers: "));
	close(fd);
}

/* With buffer_percent, a reader of a CPU is woken when there is enough to read. */
TEST_F(watch, poll_on_trace_pipe_raw)
{
	ASSERT_EQ(0, write_file(INSTANCE "buffer_percent", "0", 0));
	EXPECT_TRUE(is_woken(INSTANCE "per_cpu/cpu0/trace_pipe_raw", POLLIN, "52003"));
}

/* Two readers have the buffer mapped at once, and see the same hits. */
TEST_F(watch, two_mappings)
{
	size_t meta_len[2], data_len[2];
	struct trace_buffer_meta *meta[2];
	char *data[2];
	int fd[2], i;

	for (i = 0; i < 2; i++) {
		fd[i] = open(INSTANCE "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
		ASSERT_LE(0, fd[i]);
		meta[i] = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd[i], 0);
		ASSERT_NE(MAP_FAILED, meta[i]);
		meta_len[i] = meta[i]->meta_page_size;
		data_len[i] = (size_t)meta[i]->subbuf_size * meta[i]->nr_subbufs;
		data[i] = mmap(NULL, data_len[i], PROT_READ, MAP_SHARED, fd[i], meta_len[i]);
		ASSERT_NE(MAP_FAILED, data[i]);
	}
	/* Nobody can write through a mapping. */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED,
				   fd[0], 0));
	EXPECT_EQ(-1, write_file(INSTANCE "buffer_size_kb", "128", 0));
	EXPECT_EQ(EBUSY, errno);

	ASSERT_EQ(0, write_file(PANIC_TIMEOUT, "52004", 0));
	ASSERT_EQ(0, write_file(PANIC_TIMEOUT, "52005", 0));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ioctl(fd[i], TRACE_MMAP_IOCTL_GET_READER));
		EXPECT_EQ(2, count_records(data[i] + (size_t)meta[i]->reader.id *
					   meta[i]->subbuf_size, self->id));
	}
	for (i = 0; i < 2; i++) {
		munmap(data[i], data_len[i]);
		munmap(meta[i], getpagesize());
		close(fd[i]);
	}
}

/* Full pages can be spliced into a pipe or file without a copy. */
TEST_F(watch, splice)
{
	unsigned int n = 0, read_n = 0, written = 0;
	char page[4096];
	char value[16];
	int fd, pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	fd = open(INSTANCE "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	/* A record takes some 50 bytes; more than one page of them. */
	for (written = 0; written < 150; written++) {
		snprintf(value, sizeof(value), "%u", 52010 + written);
		ASSERT_EQ(0, write_file(PANIC_TIMEOUT, value, 0));
	}
	while (splice(fd, NULL, pipes[1], NULL, sizeof(page), SPLICE_F_NONBLOCK) > 0) {
		ASSERT_EQ(sizeof(page), read(pipes[0], page, sizeof(page)));
		n += count_records(page, self->id);
	}
	EXPECT_LT(0, n);
	EXPECT_LT(n, written);
	/* The page that is not full yet has to be read. */
	while (read(fd, page, sizeof(page)) > 0)
		read_n += count_records(page, self->id);
	EXPECT_EQ(written, n + read_n);
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
}

TEST_HARNESS_MAIN

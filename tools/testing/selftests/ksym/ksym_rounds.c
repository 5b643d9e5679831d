// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module is loaded and unloaded many times, while a thread of it writes its watched
 * variable. Each write is a hit, from the init function's to the exit function's. After
 * each unload, the watch waits for the module again and is in no register. KSYM_ROUNDS
 * in the environment sets the number of rounds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <time.h>

#include "ksym_util.h"

#define ROUNDS	1000
#define MODULE	"ksym_mod"
#define WRITES	"/sys/module/" MODULE "/parameters/writes"
/* Larger than any file read here: some watches, some CPUs, the hits of a round. */
#define TEXT	(1024 * 1024)

static char before[TEXT], pending[TEXT], text[TEXT];

enum phase { LOAD, RUN, UNLOAD, TRACE, STATE, NR_PHASES };

static const char * const phase_names[NR_PHASES] = {
	[LOAD]		= "finit_module",
	[RUN]		= "wait for writes",
	[UNLOAD]	= "delete_module",
	[TRACE]		= "read trace_pipe",
	[STATE]		= "read ksym_slots and ksym_trace_filter",
};

static struct timespec phase_began;
static double phase_seconds[NR_PHASES];

/* Adds the time since the last phase ended to this phase. */
static void phase_ends(enum phase phase)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	phase_seconds[phase] += now.tv_sec - phase_began.tv_sec +
				(now.tv_nsec - phase_began.tv_nsec) / 1e9;
	phase_began = now;
}

static void print_phases(int rounds)
{
	double sum = 0;
	int i;

	for (i = 0; i < NR_PHASES; i++) {
		sum += phase_seconds[i];
		printf("# %8.1f ms a round: %s\n",
		       1000 * phase_seconds[i] / rounds, phase_names[i]);
	}
	printf("# %d rounds in %.1f s, %.1f a second\n", rounds, sum,
	       rounds / sum);
}

/* Reads to the end of the file, up to TEXT bytes. Returns 0, or -1 with errno. */
static int read_all(int fd, char *to)
{
	size_t done = 0;
	ssize_t len;

	while ((len = read(fd, to + done, TEXT - 1 - done)) > 0)
		done += len;
	to[done] = '\0';
	if (done == TEXT - 1)
		errno = EFBIG;
	else if (!len || errno == EAGAIN)
		return 0;
	return -1;
}

static int read_file(const char *path, char *to)
{
	int fd = open(path, O_RDONLY);
	int ret;

	if (fd < 0)
		return -1;
	ret = read_all(fd, to);
	close(fd);
	return ret;
}

/* Returns how often the module has written its variable, or -1. */
static long writes_now(void)
{
	return read_file(WRITES, text) ? -1 : atol(text);
}

static int load(int fd, const char *parameters)
{
	return syscall(SYS_finit_module, fd, parameters, 0);
}

static int unload(void)
{
	return syscall(SYS_delete_module, MODULE, O_NONBLOCK);
}

/* The number of registers of a watch, on all CPUs. */
static int count_registers(char *slots, const char *name)
{
	char *line, *word, *lines, *words;
	int col, n = 0;

	for (line = strtok_r(slots, "\n", &lines); line;
	     line = strtok_r(NULL, "\n", &lines)) {
		col = 0;
		for (word = strtok_r(line, " \t", &words); word && col <= 4;
		     word = strtok_r(NULL, " \t", &words), col++)
			n += col && !strcmp(word, name);
	}
	return n;
}

/*
 * Counts the hits of var in the trace. Returns the greatest value stored, which is the
 * number of writes.
 */
static long long greatest_value(const char *trace, long long *hits)
{
	long long new, max = 0;
	const char *hit, *arrow;

	*hits = 0;
	for (hit = strstr(trace, ": var: w4 "); hit;
	     hit = strstr(hit + 1, ": var: w4 ")) {
		(*hits)++;
		arrow = strstr(hit, " -> ");
		new = arrow ? strtoll(arrow + strlen(" -> "), NULL, 16) : 0;
		if (new > max)
			max = new;
	}
	return max;
}

FIXTURE(rounds) {
	char		panic_timeout[16];
	int		module;
	int		pipe;
	int		rounds;
};

FIXTURE_SETUP(rounds)
{
	const char *rounds = getenv("KSYM_ROUNDS");
	char program[PATH_MAX] = "", path[PATH_MAX + 32];

	if (access(TRACEFS "ksym_trace_filter", W_OK))
		SKIP(return, "no ksym tracer here, or no permission");

	/* The module is in the directory of this program. */
	ASSERT_LT(0, readlink("/proc/self/exe", program, sizeof(program) - 1));
	snprintf(path, sizeof(path), "%.*s/" MODULE "/" MODULE ".ko",
		 (int)(strrchr(program, '/') - program), program);
	self->module = open(path, O_RDONLY | O_CLOEXEC);
	if (self->module < 0)
		SKIP(return, "the module " MODULE " is not built");

	self->rounds = rounds ? atoi(rounds) : ROUNDS;
	ASSERT_LT(0, self->rounds);
	ASSERT_EQ(0, read_panic_timeout(self->panic_timeout));

	unload();
	ASSERT_EQ(0, ksym_write("0"));
	ASSERT_EQ(0, read_file(TRACEFS "ksym_slots", before));
	/*
	 * Reading consumes the records; clearing the buffer through "trace" would take
	 * two RCU grace periods in each round.
	 */
	self->pipe = open(TRACEFS "trace_pipe", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, self->pipe);
	ASSERT_EQ(0, read_all(self->pipe, text));
	clock_gettime(CLOCK_MONOTONIC, &phase_began);
}

FIXTURE_TEARDOWN(rounds)
{
	unload();
	ksym_write("0");
	write_file(PANIC_TIMEOUT, self->panic_timeout, 0);
	close(self->pipe);
	close(self->module);
}

TEST_F_TIMEOUT(rounds, each_write_is_a_hit, 600)
{
	long long writes, hits, total = 0;
	long now;
	int i;

	ASSERT_EQ(0, ksym_write("ksym_mod:ksym_mod_var:w len=4 name=var limit=0 budget=0"));
	ASSERT_EQ(0, read_file(TRACEFS "ksym_slots", pending));
	ASSERT_NE(0, strcmp(before, pending));
	phase_ends(STATE);

	for (i = 0; i < self->rounds; i++) {
		ASSERT_EQ(0, load(self->module, "writer=1 pause=100")) {
			TH_LOG("round %d: %m", i);
		}
		phase_ends(LOAD);

		do {
			now = writes_now();
			ASSERT_LE(0, now);
		} while (now < 10);
		phase_ends(RUN);
		ASSERT_EQ(0, unload()) {
			TH_LOG("round %d: %m", i);
		}
		phase_ends(UNLOAD);

		ASSERT_EQ(0, read_all(self->pipe, text));
		writes = greatest_value(text, &hits);
		/* The writes that the test waited for, and the exit function's. */
		ASSERT_LE(11, hits);
		ASSERT_EQ(writes, hits) {
			TH_LOG("round %d:\n%s", i, text);
		}
		phase_ends(TRACE);

		ASSERT_EQ(0, read_file(TRACEFS "ksym_slots", text));
		ASSERT_STREQ(pending, text) {
			TH_LOG("round %d: not disarmed", i);
		}
		ASSERT_EQ(0, read_file(TRACEFS "ksym_trace_filter", text));
		ASSERT_NE(NULL, strstr(text, "pending")) {
			TH_LOG("round %d: not pending: %s", i, text);
		}
		total += hits;
		phase_ends(STATE);
	}
	print_phases(i);

	EXPECT_EQ(total, ksym_stat("var", "HITS"));
	EXPECT_EQ(0, ksym_stat("var", "NOBUFFER"));
	EXPECT_EQ(0, ksym_stat("var", "FAULT"));
	EXPECT_EQ(100, ksym_stat("var", "COVERAGE"));
	EXPECT_EQ(0, ksym_write("0"));
	EXPECT_EQ(0, read_file(TRACEFS "ksym_slots", text));
	EXPECT_STREQ(before, text);
}

/* The writer never pauses, so that the limit disarms its watch as well. */
TEST_F_TIMEOUT(rounds, a_limit_holds_down_the_writer, 600)
{
	int rounds = self->rounds / 10 + 1;
	char value[16];
	long now;
	int i;

	ASSERT_EQ(0, ksym_write("ksym_mod:ksym_mod_var:rw len=4 name=var"));
	ASSERT_EQ(0, ksym_write("panic_timeout:w len=4 limit=0 budget=0"));
	phase_ends(STATE);

	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, load(self->module, "writer=1"));
		phase_ends(LOAD);
		do {
			now = writes_now();
			ASSERT_LE(0, now);
		} while (now < 1000);
		phase_ends(RUN);
		/* The other watch misses nothing. */
		snprintf(value, sizeof(value), "%d", 40001 + i % 100);
		ASSERT_EQ(0, write_file(PANIC_TIMEOUT, value, 0));
		phase_ends(STATE);
		ASSERT_EQ(0, unload());
		phase_ends(UNLOAD);
		/* The other watch may have moved to another register. */
		ASSERT_EQ(0, read_file(TRACEFS "ksym_slots", text));
		ASSERT_EQ(0, count_registers(text, "var")) {
			TH_LOG("round %d: not disarmed", i);
		}
		phase_ends(STATE);
	}
	print_phases(i);

	EXPECT_EQ(rounds, ksym_stat("panic_timeout", "HITS"));
	EXPECT_EQ(0, ksym_write("0"));
	EXPECT_EQ(0, read_file(TRACEFS "ksym_slots", text));
	EXPECT_STREQ(before, text);
}

TEST_HARNESS_MAIN

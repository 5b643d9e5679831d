// SPDX-License-Identifier: GPL-2.0-only
/*
 * The promises made to breakpoints, tested with real ones: pinned breakpoints miss
 * nothing, flexible breakpoints get their turn and report when they had it, and
 * flexible breakpoints cost others nothing but time.
 *
 * When an event has its turn depends on the machine, so the tests wait for it and
 * check the event's counts meanwhile: an event that ran all the time has counted each
 * write, and an event that did not run has counted none.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "ksym_bp.h"
#include "ksym_util.h"

#define SYSCTL		"/proc/sys/kernel/hw_breakpoint_flexible"
#define INTERVAL	EVENT_SOURCES "breakpoint/perf_event_mux_interval_ms"

/* x86 has four registers. */
#define SLOTS		4
#define MAX_CPUS	64

enum kind { PINNED, FLEXIBLE };

/* The flexible events of each CPU watch the first variables. */
#define NR_CPU_FLEXIBLE	4
/* The tests use the variables from here on. */
#define FIRST		8

/* ===== Events ===== */

/* With the sysctl off, events of user space are pinned, whatever they ask for. */
static int set_sysctl(int on)
{
	return write_file(SYSCTL, on ? "1" : "0", O_TRUNC);
}

/* With the sysctl on, the event is of the kind it asks for. */
static int open_kind(unsigned int nr, enum kind kind, pid_t pid, int cpu)
{
	struct perf_event_attr attr = bp_attr(nr);

	attr.pinned = kind == PINNED;
	return open_event(&attr, pid, cpu, -1);
}

/* Root's flexible event of a CPU, whatever the sysctl. */
static int open_cpu_flexible(unsigned int nr, int cpu)
{
	int before = read_number(SYSCTL), fd;

	if (set_sysctl(1))
		return -errno;
	fd = open_kind(nr, FLEXIBLE, -1, cpu);
	set_sysctl(before);
	return fd;
}

static void close_all(int *fds, int nr)
{
	while (nr--) {
		if (fds[nr] >= 0)
			close(fds[nr]);
	}
}

/* ===== An event's own counts ===== */

/* An event, and the numbers of time windows in which it was observed. */
struct watch {
	int			fd;
	unsigned int		nr;
	struct event_counts	before;
	int			all;	/* windows in which it ran all the time */
	int			none;	/* windows in which it did not run */
	int			lies;	/* windows of both kinds with a wrong count */
};

static struct watch watch_of(int fd, unsigned int nr)
{
	return (struct watch){ .fd = fd, .nr = nr };
}

/* Few enough for a window to fit between two turns often. */
#define WRITES	5

static void observe(struct watch *watches, int nr)
{
	for (int i = 0; i < nr; i++)
		watches[i].before = read_event(watches[i].fd);
	for (int write = 0; write < WRITES; write++) {
		for (int i = 0; i < nr; i++)
			write_watched(watches[i].nr);
	}
	for (int i = 0; i < nr; i++) {
		struct watch *watch = &watches[i];
		struct event_counts now = read_event(watch->fd);
		uint64_t count = now.count - watch->before.count;
		uint64_t enabled = now.enabled - watch->before.enabled;
		uint64_t running = now.running - watch->before.running;

		if (!enabled)
			continue;
		if (running == enabled) {
			watch->all++;
			watch->lies += count != WRITES;
		} else if (!running) {
			watch->none++;
			watch->lies += count != 0;
		}
	}
}

#define PATIENCE	10	/* seconds; only a failing test takes as long */
#define TURNS		3

/* Observes until each event has had some turns. Returns the number of windows, or -1. */
static int observe_turns(struct watch *watches, int nr)
{
	time_t start = time(NULL);
	int windows = 0, ready;

	do {
		observe(watches, nr);
		windows++;
		ready = 0;
		for (int i = 0; i < nr; i++)
			ready += watches[i].all >= TURNS;
		if (time(NULL) - start > PATIENCE)
			return -1;
	} while (ready < nr);
	return windows;
}

/* The fraction of the time since @before in which an event ran. */
static double share_since(int fd, struct event_counts before)
{
	struct event_counts now = read_event(fd);

	if (now.enabled == before.enabled)
		return 0;
	return (double)(now.running - before.running) /
	       (now.enabled - before.enabled);
}

/* ===== Other processes ===== */

/* A process on this one's CPU that does something for each byte it receives. */
struct helper {
	pid_t	pid;
	int	to;
	int	from;
};

static void start_helper(struct helper *helper, int (*work)(void *arg), void *arg)
{
	int to[2], from[2];
	char byte;

	if (pipe(to) || pipe(from))
		exit(KSFT_FAIL);
	helper->pid = fork();
	if (!helper->pid) {
		close(to[1]);
		close(from[0]);
		while (read(to[0], &byte, 1) == 1) {
			byte = work(arg);
			if (write(from[1], &byte, 1) != 1)
				break;
		}
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	helper->to = to[1];
	helper->from = from[0];
}

/* Makes the helper work once. Returns the number of errors that it found. */
static int ask_helper(struct helper *helper)
{
	char byte = 0;

	if (write(helper->to, &byte, 1) != 1 ||
	    read(helper->from, &byte, 1) != 1)
		return -1;
	return byte;
}

static void stop_helper(struct helper *helper)
{
	close(helper->to);
	close(helper->from);
	waitpid(helper->pid, NULL, 0);
}

/* ===== The fixture ===== */

FIXTURE(arbitration) {
	int		nr_cpus;
	int		kmsg;
	int		flexible[MAX_CPUS][NR_CPU_FLEXIBLE];
	/* The flexible events of the CPU on which the test runs. */
	struct watch	here[NR_CPU_FLEXIBLE];
};

FIXTURE_VARIANT(arbitration) {
	int		sysctl;
	int		uid;
};

FIXTURE_VARIANT_ADD(arbitration, root_off) {
};

FIXTURE_VARIANT_ADD(arbitration, root_on) {
	.sysctl = 1,
};

FIXTURE_VARIANT_ADD(arbitration, nobody_off) {
	.uid = NOBODY,
};

FIXTURE_VARIANT_ADD(arbitration, nobody_on) {
	.sysctl = 1,
	.uid = NOBODY,
};

FIXTURE_SETUP(arbitration)
{
	if (geteuid() || access(SYSCTL, W_OK))
		SKIP(return, "no flexible breakpoints here, or no permission");

	self->nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_GE(MAX_CPUS, self->nr_cpus);
	ASSERT_EQ(0, run_on(0));
	self->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, self->kmsg);
	ASSERT_LE(0, lseek(self->kmsg, 0, SEEK_END));

	for (int cpu = 0; cpu < self->nr_cpus; cpu++) {
		for (int i = 0; i < NR_CPU_FLEXIBLE; i++) {
			self->flexible[cpu][i] = open_cpu_flexible(i, cpu);
			ASSERT_LE(0, self->flexible[cpu][i]);
		}
	}
	for (int i = 0; i < NR_CPU_FLEXIBLE; i++)
		self->here[i] = watch_of(self->flexible[0][i], i);

	ASSERT_EQ(0, set_sysctl(variant->sysctl));
	ASSERT_EQ(0, seteuid(variant->uid));
}

FIXTURE_TEARDOWN(arbitration)
{
	int fds[SLOTS];
	char line[1024];
	ssize_t len;

	if (seteuid(0) || !self->nr_cpus)
		return;
	for (int cpu = 0; cpu < self->nr_cpus; cpu++)
		close_all(self->flexible[cpu], NR_CPU_FLEXIBLE);
	EXPECT_EQ(0, set_sysctl(0));

	/* All registers are free again. */
	for (int cpu = 0; cpu < self->nr_cpus; cpu++) {
		for (int i = 0; i < SLOTS; i++) {
			fds[i] = open_kind(i, PINNED, -1, cpu);
			EXPECT_LE(0, fds[i]) {
				TH_LOG("CPU %d, slot %d: %s", cpu, i,
				       strerror(-fds[i]));
			}
		}
		close_all(fds, SLOTS);
	}

	while ((len = read(self->kmsg, line, sizeof(line) - 1)) > 0) {
		line[len] = '\0';
		EXPECT_EQ(NULL, strstr(line, "WARNING:")) {
			TH_LOG("%s", line);
		}
	}
}

/* ===== Groups ===== */

/* The event has been in a register at all times since @since. */
static void expect_missed_nothing(struct __test_metadata *_metadata,
				  struct watch *watch, int windows,
				  struct event_counts since)
{
	struct event_counts now = read_event(watch->fd);

	EXPECT_EQ(0, watch->none);
	EXPECT_EQ(0, watch->lies);
	EXPECT_EQ(windows * WRITES, (int)(now.count - since.count));
	EXPECT_EQ(now.enabled - since.enabled, now.running - since.running);
}

/* The events get their turns, and report them. */
static void expect_turns(struct __test_metadata *_metadata,
			 struct watch *watches, int nr)
{
	ASSERT_LT(0, observe_turns(watches, nr));
	for (int i = 0; i < nr; i++)
		EXPECT_EQ(0, watches[i].lies);
}

enum sort {
	PMU_LEADS,
	CLOCK_LEADS,
	LEADS_PMU,
	LEADS_BREAKPOINTS,
	EXCLUSIVE,
	NR_SORTS,
};

static const char * const sort_names[NR_SORTS] = {
	[PMU_LEADS]		= "another PMU's event leads",
	[CLOCK_LEADS]		= "cpu-clock leads",
	[LEADS_PMU]		= "a breakpoint leads another PMU's event",
	[LEADS_BREAKPOINTS]	= "a pinned breakpoint leads breakpoints",
	[EXCLUSIVE]		= "exclusive ones",
};

/* Opens breakpoint @i of three, and the event of another PMU beside it in @other. */
static int open_in_group(enum sort sort, int i, int first, int pmu, int *other)
{
	struct perf_event_attr clock = event_attr(PERF_TYPE_SOFTWARE,
						  PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr hardware = event_attr(pmu, 0);
	struct perf_event_attr attr = bp_attr(FIRST + i);
	int leader = -1, fd;

	*other = -1;
	if (sort == PMU_LEADS)
		*other = open_event(&hardware, 0, -1, -1);
	if (sort == CLOCK_LEADS)
		*other = open_event(&clock, 0, -1, -1);
	if (sort == LEADS_BREAKPOINTS && i)
		leader = first;
	if (*other >= 0)
		leader = *other;
	/* perf refuses attr.pinned for siblings, and for leaders of @pmu's events. */
	attr.pinned = leader < 0 && sort != LEADS_PMU;
	attr.exclusive = sort == EXCLUSIVE;
	fd = open_event(&attr, 0, -1, leader);
	if (sort == LEADS_PMU)
		*other = open_event(&hardware, 0, -1, fd);
	return fd;
}

/*
 * Three breakpoints of this task in groups of each sort, all of them pinned. The CPU's
 * flexible ones take turns in the remaining register.
 */
TEST_F(arbitration, pinned_in_groups_miss_nothing)
{
	int pmu, fds[3], others[3], windows;

	/* Only root can load a module. */
	ASSERT_EQ(0, seteuid(0));
	pmu = load_pmu();
	ASSERT_EQ(0, seteuid(variant->uid));

	for (enum sort sort = 0; sort < NR_SORTS; sort++) {
		struct watch watches[3 + NR_CPU_FLEXIBLE];
		struct event_counts since[3];

		if (pmu < 0 && (sort == PMU_LEADS || sort == LEADS_PMU)) {
			TH_LOG("no ksym_pmu, skipping: %s", sort_names[sort]);
			continue;
		}
		/* The leader would be flexible, and refused. */
		if (sort == LEADS_PMU && variant->sysctl)
			continue;

		for (int i = 0; i < 3; i++) {
			fds[i] = open_in_group(sort, i, fds[0], pmu, &others[i]);
			ASSERT_LE(0, fds[i]) {
				TH_LOG("%s: %s", sort_names[sort], strerror(-fds[i]));
			}
			if (sort <= LEADS_PMU)
				ASSERT_LE(0, others[i]);
			watches[i] = watch_of(fds[i], FIRST + i);
		}
		memcpy(watches + 3, self->here, sizeof(self->here));
		for (int i = 0; i < 3; i++)
			since[i] = read_event(fds[i]);
		windows = observe_turns(watches, 3 + NR_CPU_FLEXIBLE);
		ASSERT_LT(0, windows) {
			TH_LOG("%s: an event has no turn", sort_names[sort]);
		}
		for (int i = 0; i < 3; i++)
			expect_missed_nothing(_metadata, &watches[i], windows, since[i]);
		for (int i = 0; i < NR_CPU_FLEXIBLE; i++)
			EXPECT_EQ(0, watches[3 + i].lies);
		close_all(fds, 3);
		close_all(others, 3);
	}
}

/*
 * A flexible breakpoint can't lead an event of another PMU, and such groups must not
 * keep an unrelated event waiting.
 */
TEST_F(arbitration, flexible_ones_lead_breakpoints_only)
{
	struct perf_event_attr clock = event_attr(PERF_TYPE_SOFTWARE,
						  PERF_COUNT_SW_CPU_CLOCK);
	int leaders[8], siblings[8], lone = -1, nr, pmu, wanted;
	struct watch watches[8 + NR_CPU_FLEXIBLE];
	struct perf_event_attr attr;

	ASSERT_EQ(0, seteuid(0));
	pmu = load_pmu();
	ASSERT_EQ(0, seteuid(variant->uid));

	nr = variant->sysctl ? 8 : SLOTS - 1;
	wanted = variant->sysctl ? -EINVAL : 0;
	for (int i = 0; i < nr; i++) {
		leaders[i] = open_kind(FIRST + i, FLEXIBLE, 0, -1);
		ASSERT_LE(0, leaders[i]);
		watches[i] = watch_of(leaders[i], FIRST + i);
		attr = event_attr(pmu, 0);
		siblings[i] = open_event(pmu < 0 ? &clock : &attr, 0, -1, leaders[i]);
		EXPECT_EQ(wanted, siblings[i] < 0 ? siblings[i] : 0);
		if (pmu >= 0 && variant->sysctl)
			EXPECT_EQ(-EINVAL, open_event(&clock, 0, -1, leaders[i]));
	}
	if (pmu >= 0) {
		lone = open_event(&attr, 0, -1, -1);
		ASSERT_LE(0, lone);
	}

	memcpy(watches + nr, self->here, sizeof(self->here));
	expect_turns(_metadata, watches, nr + NR_CPU_FLEXIBLE);
	if (pmu >= 0) {
		struct event_counts counts = read_event(lone);

		EXPECT_NE(0UL, counts.enabled);
		EXPECT_EQ(counts.enabled, counts.running);
	}
	close_all(siblings, nr);
	close_all(leaders, nr);
	close(lone);
}

/*
 * A flexible group that needs more registers than the pinned events leave never runs. It
 * must not stop the others, whether it is the task's, the task's on one CPU, or the CPU's.
 */
TEST_F(arbitration, group_that_never_fits)
{
	/* Otherwise the group is pinned, and refused. */
	if (!variant->sysctl)
		return;

	/* Only root has events of CPUs. */
	for (int i = 0; i < (variant->uid ? 2 : 3); i++) {
		pid_t pid = i == 2 ? -1 : 0;
		int cpu = i == 2 ? 0 : -1, group_cpu = i ? 0 : -1;
		struct watch watches[1 + NR_CPU_FLEXIBLE];
		int pinned[SLOTS - 1], group[2], alone;
		struct perf_event_attr attr;
		uint64_t running;

		for (int j = 0; j < SLOTS - 1; j++) {
			pinned[j] = open_kind(FIRST + j, PINNED, pid, cpu);
			ASSERT_LE(0, pinned[j]);
		}
		for (int j = 0; j < 2; j++) {
			attr = bp_attr(FIRST + SLOTS + j);
			group[j] = open_event(&attr, pid, group_cpu, j ? group[0] : -1);
			ASSERT_LE(0, group[j]);
		}
		/* The leader may have run alone. */
		running = read_event(group[0]).running;
		alone = open_kind(FIRST + SLOTS + 2, FLEXIBLE, pid, cpu);
		ASSERT_LE(0, alone);

		watches[0] = watch_of(alone, FIRST + SLOTS + 2);
		memcpy(watches + 1, self->here, sizeof(self->here));
		expect_turns(_metadata, watches, 1 + NR_CPU_FLEXIBLE);
		EXPECT_EQ(running, read_event(group[0]).running);
		close(alone);
		close_all(group, 2);
		close_all(pinned, SLOTS - 1);
	}
}

/* With attr.exclusive, a flexible event must not shut out all others during its turn. */
TEST_F(arbitration, exclusive_shuts_nobody_out)
{
	struct watch watches[3 + NR_CPU_FLEXIBLE];
	int fds[3];

	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = bp_attr(FIRST + i);

		attr.exclusive = 1;
		fds[i] = open_event(&attr, 0, -1, -1);
		ASSERT_LE(0, fds[i]);
		watches[i] = watch_of(fds[i], FIRST + i);
	}
	memcpy(watches + 3, self->here, sizeof(self->here));
	expect_turns(_metadata, watches, 3 + NR_CPU_FLEXIBLE);
	close_all(fds, 3);
}

/* ===== Costs to others ===== */

static int poke_user(pid_t pid, int reg, unsigned long value)
{
	return ptrace(PTRACE_POKEUSER, pid,
		      offsetof(struct user, u_debugreg[reg]), value);
}

static unsigned long peek_user(pid_t pid, int reg)
{
	return ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, u_debugreg[reg]), NULL);
}

static void exec_writer(void)
{
	/* An exec with different real and effective users drops the events. */
	if (setresuid(geteuid(), geteuid(), geteuid()))
		_exit(126);
	execl("/proc/self/exe", "ksym_arbitration", "write", NULL);
	_exit(127);
}

/* A debugger has all watchpoints until the next exec, while others have flexible breakpoints. */
TEST_F(arbitration, debugger_gets_four)
{
	unsigned long dr7 = 0;
	int fds[SLOTS], status;
	pid_t task;

	/* With the sysctl on, any user can open these. */
	for (int i = 0; i < SLOTS; i++) {
		fds[i] = variant->sysctl ?
			 open_kind(FIRST + i, FLEXIBLE, 0, -1) : -1;
		if (variant->sysctl)
			ASSERT_LE(0, fds[i]);
	}

	task = fork();
	if (!task) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		for (int i = 0; i < SLOTS; i++)
			write_watched(16 + i);
		exec_writer();
	}
	ASSERT_EQ(task, waitpid(task, &status, 0));
	for (int i = 0; i < SLOTS; i++) {
		EXPECT_EQ(0, poke_user(task, i, (unsigned long)&watched[16 + i])) {
			TH_LOG("DR%d: %m", i);
		}
		/* Enabled, eight bytes, writes. */
		dr7 |= 1UL << 2 * i | 9UL << (16 + 4 * i);
	}
	EXPECT_EQ(0, poke_user(task, 7, dr7)) {
		TH_LOG("DR7: %m");
	}
	for (int i = 0; i < SLOTS; i++) {
		ASSERT_EQ(0, ptrace(PTRACE_CONT, task, NULL, NULL));
		ASSERT_EQ(task, waitpid(task, &status, 0));
		ASSERT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP) {
			TH_LOG("watchpoint %d: status %#x", i, status);
		}
		EXPECT_EQ(1UL << i, peek_user(task, 6) & 15);
	}
	ASSERT_EQ(0, ptrace(PTRACE_CONT, task, NULL, NULL));
	ASSERT_EQ(task, waitpid(task, &status, 0));
	ASSERT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP) {
		TH_LOG("exec: status %#x", status);
	}
	for (int i = 0; i < SLOTS; i++)
		EXPECT_EQ(0, peek_user(task, i));
	EXPECT_EQ(0, peek_user(task, 7));
	EXPECT_EQ(0, poke_user(task, 0, (unsigned long)&watched[16]));
	EXPECT_EQ(0, poke_user(task, 7, dr7 & 0xf0003));
	ASSERT_EQ(0, ptrace(PTRACE_CONT, task, NULL, NULL));
	ASSERT_EQ(task, waitpid(task, &status, 0));
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	close_all(fds, SLOTS);
}

struct holder {
	int	nr;
	int	fds[SLOTS];
};

/* Opens pinned events first; then writes, and checks. Returns the number of errors. */
static int hold_pinned(void *arg)
{
	struct holder *holder = arg;
	int wrong = 0;

	for (int i = 0; i < holder->nr; i++) {
		struct event_counts before, now;

		if (holder->fds[i] < 0) {
			holder->fds[i] = open_kind(FIRST + i, PINNED, 0, -1);
			wrong += holder->fds[i] < 0;
			continue;
		}
		before = read_event(holder->fds[i]);
		write_watched(FIRST + i);
		now = read_event(holder->fds[i]);
		wrong += now.count != before.count + 1;
		wrong += now.running != now.enabled;
	}
	return wrong;
}

/*
 * The number of registers that events share while each has its turns. The events are read
 * one after the other: if the host stops the CPU in between, their times are not those of
 * one interval.
 */
static double share_of_turns(struct __test_metadata *_metadata, struct watch *watches, int nr)
{
	struct event_counts before[nr];
	double share = 0;

	for (int i = 0; i < nr; i++) {
		before[i] = read_event(watches[i].fd);
		watches[i].all = 0;
	}
	expect_turns(_metadata, watches, nr);
	for (int i = 0; i < nr; i++)
		share += share_since(watches[i].fd, before[i]);
	return share;
}

/*
 * While a task with three or four pinned breakpoints sleeps, the flexible breakpoints
 * of the CPUs have all registers, however late they are opened.
 */
TEST_F(arbitration, sleeping_task_keeps_nobody_out)
{
	for (int nr = SLOTS - 1; nr <= SLOTS; nr++) {
		struct holder holder = { .nr = nr, .fds = { -1, -1, -1, -1 } };
		struct watch watches[2 * NR_CPU_FLEXIBLE];
		struct helper helper;
		int late[MAX_CPUS][NR_CPU_FLEXIBLE], own = -1;
		double share = 0;

		start_helper(&helper, hold_pinned, &holder);
		ASSERT_EQ(0, ask_helper(&helper));

		/* Another task's flexible breakpoints make no difference. */
		ASSERT_EQ(0, seteuid(0));
		ASSERT_EQ(0, set_sysctl(1));
		own = open_kind(FIRST + 4, FLEXIBLE, getppid(), -1);
		ASSERT_LE(0, own);
		for (int cpu = 0; cpu < self->nr_cpus; cpu++) {
			for (int i = 0; i < NR_CPU_FLEXIBLE; i++) {
				late[cpu][i] = open_cpu_flexible(NR_CPU_FLEXIBLE + i, cpu);
				EXPECT_LE(0, late[cpu][i]) {
					TH_LOG("CPU %d: %s", cpu, strerror(-late[cpu][i]));
				}
			}
		}
		ASSERT_EQ(0, set_sysctl(variant->sysctl));
		ASSERT_EQ(0, seteuid(variant->uid));

		for (int cpu = 0; cpu < self->nr_cpus; cpu++) {
			ASSERT_EQ(0, run_on(cpu));
			for (int i = 0; i < NR_CPU_FLEXIBLE; i++) {
				watches[i] = watch_of(self->flexible[cpu][i], i);
				watches[NR_CPU_FLEXIBLE + i] =
					watch_of(late[cpu][i], NR_CPU_FLEXIBLE + i);
			}
			/* The task may only just have gone to sleep. */
			expect_turns(_metadata, watches, 2 * NR_CPU_FLEXIBLE);
			share = 0;
			for (int attempt = 0; attempt < 10 && share <= SLOTS - 0.1; attempt++)
				share = share_of_turns(_metadata, watches, 2 * NR_CPU_FLEXIBLE);
			EXPECT_LT(SLOTS - 0.1, share) {
				TH_LOG("%d pinned: CPU %d's flexible events have %.3f registers",
				       nr, cpu, share);
			}
		}
		ASSERT_EQ(0, run_on(0));
		/* The sleeping task misses nothing, though. */
		for (int i = 0; i < 20; i++)
			EXPECT_EQ(0, ask_helper(&helper));

		close(own);
		for (int cpu = 0; cpu < self->nr_cpus; cpu++)
			close_all(late[cpu], NR_CPU_FLEXIBLE);
		stop_helper(&helper);
	}
}

/* ===== Tasks that fork, exec and move ===== */

static void open_inherited(struct __test_metadata *_metadata, int *fds, pid_t pid)
{
	for (int i = 0; i < SLOTS; i++) {
		struct perf_event_attr attr = bp_attr(FIRST + i);

		attr.inherit = 1;
		attr.pinned = 1;
		fds[i] = open_event(&attr, pid, -1, -1);
		ASSERT_LE(0, fds[i]);
	}
}

static void write_inherited(void)
{
	for (int write = 0; write < WRITES; write++) {
		for (int i = 0; i < SLOTS; i++)
			write_watched(FIRST + i);
	}
}

/* All registers, inherited by many children at a time, each of which forks and execs. */
TEST_F_TIMEOUT(arbitration, fork_storm_misses_nothing, 300)
{
	const int children = 40;
	int fds[SLOTS], status;

	open_inherited(_metadata, fds, 0);
	for (int i = 0; i < children; i++) {
		pid_t child = fork();

		ASSERT_LE(0, child);
		if (child)
			continue;
		run_on(i % self->nr_cpus);
		write_inherited();
		child = fork();
		if (!child)
			exec_writer();
		_exit(child < 0 || waitpid(child, &status, 0) != child ||
		      status ? KSFT_FAIL : KSFT_PASS);
	}
	for (int i = 0; i < children; i++) {
		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	for (int i = 0; i < SLOTS; i++) {
		struct event_counts counts = read_event(fds[i]);

		EXPECT_EQ(2 * children * WRITES, (int)counts.count);
		EXPECT_EQ(counts.enabled, counts.running);
	}
	close_all(fds, SLOTS);
}

static int write_and_exec(void *unused)
{
	(void)unused;
	write_inherited();
	exec_writer();
	return 0;
}

TEST_F(arbitration, exec_misses_nothing)
{
	struct helper helper;
	int fds[SLOTS], status;

	start_helper(&helper, write_and_exec, NULL);
	/* Only a user who may trace a process can watch it. */
	ASSERT_EQ(0, seteuid(0));
	open_inherited(_metadata, fds, helper.pid);
	ASSERT_EQ(0, seteuid(variant->uid));
	/* The helper exits without an answer. */
	ask_helper(&helper);
	ASSERT_EQ(helper.pid, waitpid(helper.pid, &status, 0));
	ASSERT_EQ(0, status);
	for (int i = 0; i < SLOTS; i++) {
		struct event_counts counts = read_event(fds[i]);

		EXPECT_EQ(2 * WRITES, (int)counts.count);
		EXPECT_EQ(counts.enabled, counts.running);
	}
	close_all(fds, SLOTS);
}

/* Two per CPU and two of a task fill the registers, wherever the task goes. */
TEST_F(arbitration, migration_misses_nothing)
{
	int cpu_fds[MAX_CPUS][2], fds[2], windows = 0;
	const struct event_counts zero = { };
	const int rounds = 200;
	struct watch watches[2];

	ASSERT_EQ(0, seteuid(0));
	for (int cpu = 0; cpu < self->nr_cpus; cpu++) {
		for (int i = 0; i < 2; i++) {
			cpu_fds[cpu][i] = open_kind(FIRST + i, PINNED, -1, cpu);
			ASSERT_LE(0, cpu_fds[cpu][i]);
		}
	}
	ASSERT_EQ(0, seteuid(variant->uid));
	for (int i = 0; i < 2; i++) {
		fds[i] = open_kind(FIRST + 2 + i, PINNED, 0, -1);
		ASSERT_LE(0, fds[i]);
		watches[i] = watch_of(fds[i], FIRST + 2 + i);
	}
	/* A third one of the task does not fit. */
	EXPECT_EQ(-ENOSPC, open_kind(FIRST + 4, PINNED, 0, -1));
	EXPECT_EQ(-ENOSPC, open_kind(FIRST + 4, FLEXIBLE, 0, -1));

	srand(1);
	while (windows < rounds) {
		ASSERT_EQ(0, run_on(rand() % self->nr_cpus));
		write_watched(FIRST);
		write_watched(FIRST + 1);
		for (int i = 0; i < NR_CPU_FLEXIBLE; i++)
			write_watched(i);
		observe(watches, 2);
		windows++;
	}
	for (int i = 0; i < 2; i++) {
		int count = 0;

		expect_missed_nothing(_metadata, &watches[i], rounds, zero);
		for (int cpu = 0; cpu < self->nr_cpus; cpu++) {
			struct event_counts counts = read_event(cpu_fds[cpu][i]);

			count += counts.count;
			EXPECT_EQ(counts.enabled, counts.running);
		}
		EXPECT_EQ(rounds, count);
	}
	/* The flexible events had no register on the writer's CPU. */
	for (int cpu = 0; cpu < self->nr_cpus; cpu++) {
		for (int i = 0; i < NR_CPU_FLEXIBLE; i++)
			EXPECT_EQ(0UL, read_event(self->flexible[cpu][i]).count);
		close_all(cpu_fds[cpu], 2);
	}
	close_all(fds, 2);
}

/* Flexible events of a task that moves get their turns on each CPU, and report them. */
TEST_F(arbitration, flexible_ones_move_with_their_task)
{
	struct watch watches[3 + NR_CPU_FLEXIBLE];
	int fds[3];

	for (int i = 0; i < 3; i++) {
		fds[i] = open_kind(FIRST + i, FLEXIBLE, 0, -1);
		ASSERT_LE(0, fds[i]);
	}
	for (int round = 0; round < 3; round++) {
		for (int cpu = 0; cpu < self->nr_cpus; cpu++) {
			ASSERT_EQ(0, run_on(cpu));
			for (int i = 0; i < 3; i++)
				watches[i] = watch_of(fds[i], FIRST + i);
			for (int i = 0; i < NR_CPU_FLEXIBLE; i++)
				watches[3 + i] = watch_of(self->flexible[cpu][i], i);
			expect_turns(_metadata, watches, 3 + NR_CPU_FLEXIBLE);
		}
	}
	close_all(fds, 3);
}

/* ===== Fair turns ===== */

/*
 * Shares of time, as perf counts them, of a task that always runs. They are exact if
 * the clock counts instructions (qemu -icount).
 */
FIXTURE(turns) {
	int	flexible[5];
	int	fds[5];
};

FIXTURE_SETUP(turns)
{
	if (geteuid() || access(SYSCTL, W_OK))
		SKIP(return, "no flexible breakpoints here, or no permission");

	memset(self, -1, sizeof(*self));
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, set_sysctl(1));
}

FIXTURE_TEARDOWN(turns)
{
	close_all(self->flexible, 5);
	close_all(self->fds, 5);
	set_sysctl(0);
}

/* Opens flexible events of CPU 0, or of this task. */
static void open_turns(struct __test_metadata *_metadata, int *fds, int nr,
		       unsigned int first, bool of_cpu)
{
	for (int i = 0; i < nr; i++) {
		fds[i] = open_kind(first + i, FLEXIBLE, of_cpu ? -1 : 0,
				   of_cpu ? 0 : -1);
		ASSERT_LE(0, fds[i]);
	}
}

#define SECONDS		10

/* Runs for SECONDS of CPU time. */
static void run_long(void)
{
	struct timespec start, now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec - start.tv_sec < SECONDS ||
		 (now.tv_sec - start.tv_sec == SECONDS &&
		  now.tv_nsec < start.tv_nsec));
}

/* Returns the sum of the events' shares, and the smallest and the largest share. */
static double sum_shares(struct __test_metadata *_metadata, int *fds, int nr,
			 double *least, double *most)
{
	const struct event_counts zero = { };
	double sum = 0;

	*least = SLOTS;
	*most = 0;
	for (int i = 0; i < nr; i++) {
		double share = share_since(fds[i], zero);

		TH_LOG("event %d: %.4f of %.3f s", i, share,
		       read_event(fds[i]).enabled / 1e9);
		sum += share;
		*least = share < *least ? share : *least;
		*most = share > *most ? share : *most;
	}
	return sum;
}

static void expect_fair(struct __test_metadata *_metadata, double least,
			double most, double share)
{
	EXPECT_LT(0.9 * share, least);
	EXPECT_GT(1.1 * share, most);
}

TEST_F_TIMEOUT(turns, five_of_a_cpu_in_four_registers, 300)
{
	double sum, least, most;

	open_turns(_metadata, self->flexible, 5, 0, true);
	run_long();
	sum = sum_shares(_metadata, self->flexible, 5, &least, &most);
	expect_fair(_metadata, least, most, 4.0 / 5);
	EXPECT_LT(3.99, sum);
}

TEST_F_TIMEOUT(turns, five_of_a_task_in_four_registers, 300)
{
	double sum, least, most;

	open_turns(_metadata, self->fds, 5, 0, false);
	run_long();
	sum = sum_shares(_metadata, self->fds, 5, &least, &most);
	expect_fair(_metadata, least, most, 4.0 / 5);
	EXPECT_LT(3.99, sum);
}

TEST_F_TIMEOUT(turns, five_of_a_task_in_two_registers, 300)
{
	double sum, least, most;

	for (int i = 0; i < 2; i++) {
		self->flexible[i] = open_kind(FIRST + i, PINNED, i ? 0 : -1, i ? -1 : 0);
		ASSERT_LE(0, self->flexible[i]);
	}
	open_turns(_metadata, self->fds, 5, 0, false);
	run_long();
	sum = sum_shares(_metadata, self->fds, 5, &least, &most);
	expect_fair(_metadata, least, most, 2.0 / 5);
	EXPECT_LT(1.99, sum);
}

/* An event that always came second would never have a turn. */
TEST_F_TIMEOUT(turns, a_task_beside_four_of_its_cpu, 300)
{
	double sum, least, most;

	open_turns(_metadata, self->flexible, 4, 0, true);
	open_turns(_metadata, self->fds, 1, FIRST, false);
	run_long();
	sum = sum_shares(_metadata, self->flexible, 4, &least, &most);
	/* The task has the last register at every other rotation. */
	expect_fair(_metadata, least, most, 3.5 / 4);
	sum += sum_shares(_metadata, self->fds, 1, &least, &most);
	EXPECT_LT(0.1, least);
	EXPECT_LT(3.99, sum);
}

/* Events that any user can open take one register while the CPU's own wait. */
TEST_F_TIMEOUT(turns, unprivileged_ones_share_a_register, 300)
{
	double sum, least, most;

	open_turns(_metadata, self->flexible, 5, 0, true);
	ASSERT_EQ(0, seteuid(NOBODY));
	open_turns(_metadata, self->fds, 4, FIRST, false);
	ASSERT_EQ(0, seteuid(0));
	run_long();
	sum = sum_shares(_metadata, self->flexible, 5, &least, &most);
	EXPECT_LT(2.97, sum);
	EXPECT_LT(0.1, least);
	sum = sum_shares(_metadata, self->fds, 4, &least, &most);
	EXPECT_GT(1.03, sum);
	EXPECT_LT(0.01, least);
}

/* An event that made room for a task is back within an interval after the task sleeps. */
TEST_F_TIMEOUT(turns, who_yields_is_back_in_time, 300)
{
	struct holder holder = { .nr = SLOTS, .fds = { -1, -1, -1, -1 } };
	uint64_t interval = read_number(INTERVAL) * 1000000ull, worst = 0;
	struct helper helper;

	ASSERT_NE(0UL, interval);
	open_turns(_metadata, self->flexible, 4, 0, true);
	start_helper(&helper, hold_pinned, &holder);
	ASSERT_EQ(0, ask_helper(&helper));
	for (int round = 0; round < 100; round++) {
		struct event_counts before[4], now;
		time_t start = time(NULL);

		ASSERT_EQ(0, ask_helper(&helper));
		for (int i = 0; i < 4; i++)
			before[i] = read_event(self->flexible[i]);
		for (int i = 0; i < 4; i++) {
			do {
				now = read_event(self->flexible[i]);
			} while (now.running == before[i].running &&
				 time(NULL) - start < PATIENCE);
			ASSERT_LT(before[i].running, now.running);
			now.enabled -= before[i].enabled;
			worst = now.enabled > worst ? now.enabled : worst;
		}
	}
	stop_helper(&helper);
	TH_LOG("back after at most %.3f ms", worst / 1e6);
	EXPECT_GE(interval, worst);
}

int main(int argc, char **argv)
{
	/* exec_writer() executes this. */
	if (argc == 2 && !strcmp(argv[1], "write")) {
		write_inherited();
		return 0;
	}
	return test_harness_run(argc, argv);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the ksym tracer: each step of a watch, then whole watches.
 *
 * They need all four debug registers of each CPU.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <kunit/test-bug.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hw_breakpoint.h>
#include <linux/kallsyms.h>
#include <linux/ksym_trace.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <asm/debugreg.h>

#include <asm/apicdef.h>
#include <asm/fixmap.h>
#include <asm/io_apic.h>

#include "ksym_event.h"
#include "ksym_hit.h"
#include "ksym_limit.h"
#include "ksym_object.h"
#include "ksym_record.h"
#include "ksym_request.h"
#include "ksym_show.h"
#include "ksym_trap.h"
#include "ksym_watch.h"

/* The watched variables. The tests refer to them by name, as a user does. */
static u8 ksym_test_u8[8] __aligned(8);
static u16 ksym_test_u16[4] __aligned(8);
static u32 ksym_test_u32[4] __aligned(8);
static u64 ksym_test_u64[8] __aligned(64);
static atomic_t ksym_test_atomic __aligned(8);
static DEFINE_PER_CPU(u64, ksym_test_percpu);

static struct {
	u8	before;
	u8	low : 3;
	u8	mid : 4;
	u8	high : 1;
	u8	after;
} ksym_test_bits __aligned(8);

/* resolve */

struct resolve_case {
	const char	*line;
	const void	*addr;
	u16		len;
	u8		nr_ranges;
	u16		nr_turns;
	enum ksym_err	code;
	unsigned int	at;
};

static const struct resolve_case resolve_cases[] = {
	{ "ksym_test_u64:w", ksym_test_u64, 8, 1 },
	{ "ksym_test_u64+8:rw", &ksym_test_u64[1], 8, 1 },
	{ "ksym_test_u64+4", (char *)ksym_test_u64 + 4, 4, 1 },
	{ "ksym_test_u64+2", (char *)ksym_test_u64 + 2, 2, 1 },
	{ "ksym_test_u64+7", (char *)ksym_test_u64 + 7, 1, 1 },
	{ "ksym_test_u64+8 len=2", &ksym_test_u64[1], 2, 1 },
	{ "ksym_test_u64+60", (char *)ksym_test_u64 + 60, 4, 1 },
	{ "ksym_test_u64+63", (char *)ksym_test_u64 + 63, 1, 1 },
	{ "ksym_test_u64+1:w len=2", (char *)ksym_test_u64 + 1, 2, 2 },
	{ "ksym_test_u64+4:w len=8", (char *)ksym_test_u64 + 4, 8, 2 },
	{ "ksym_test_u64+1:w len=8", (char *)ksym_test_u64 + 1, 8, 4 },
	{ "ksym_test_u64:w len=3", ksym_test_u64, 3, 2 },
	{ "ksym_test_u64:w len=32", ksym_test_u64, 32, 4 },
	{ "ksym_test_u64+4:w len=32", .code = KSYM_ERR_RANGE, .at = 22 },
	{ "ksym_test_u64+1:w len=24", .code = KSYM_ERR_RANGE, .at = 22 },
	{ "ksym_test_u64+4:w len=32 flexible", (char *)ksym_test_u64 + 4, 32, 4, .nr_turns = 8 },
	{ "ksym_test_u64:w len=40 flexible", ksym_test_u64, 40, 4, .nr_turns = 5 },
	{ "ksym_test_u64:w len=32 flexible", ksym_test_u64, 32, 4 },
	{ "ksym_test_u64+1:w len=33 flexible", (char *)ksym_test_u64 + 1, 33, 4, .nr_turns = 33 },
	{ "ksym_test_no_such_symbol:w", .code = KSYM_ERR_NO_SUCH_SYMBOL },
	{ "ksym_test_u64:no_access", .code = KSYM_ERR_BAD_ACCESS, .at = 14 },
	{ "ksym_test_u64@2", .code = KSYM_ERR_NO_NTH, .at = 14 },
	{ "ksym_test_u64[cpu0]", .code = KSYM_ERR_NOT_PERCPU, .at = 17 },
	{ "ksym_test_percpu[cpu99999]", .code = KSYM_ERR_NO_CPU, .at = 20 },
	{ "ksym_parse:w", .code = KSYM_ERR_FUNCTION },
	{ "ksym_parse+4:rw", .code = KSYM_ERR_FUNCTION },
	{ "boot_command_line:w", .code = KSYM_ERR_INIT_MEMORY },
	{ "linux_banner:w", .code = KSYM_ERR_RODATA },
	{ "_end-1:w len=2", .code = KSYM_ERR_NOT_KERNEL, .at = 4 },
	{ "linux_banner:r len=8", linux_banner, 8, 1 },
	{ "linux_banner:rw len=8", linux_banner, 8, 1 },
	{ "0xffffffffff600000:w", .code = KSYM_ERR_VSYSCALL },
	{ "0x400000:w", .code = KSYM_ERR_USER_ADDRESS },
	{ "0xffff000000000000:w", .code = KSYM_ERR_NOT_MAPPED },
	/* A hole in the address space, a user address, the direct map. */
	{ "ksym_test_u64-0x7fffffffffff0000", .code = KSYM_ERR_NOT_KERNEL, .at = 13 },
	{ "ksym_test_u64+0x7fffffff", .code = KSYM_ERR_NOT_KERNEL, .at = 13 },
	{ "ksym_test_u64-0x40000000", .code = KSYM_ERR_NOT_KERNEL, .at = 13 },
	{ "ksym_test_percpu+0x7fffffff", .code = KSYM_ERR_NOT_KERNEL, .at = 16 },
	{ "ksym_test_u64:r", ksym_test_u64, 8, 1 },
};

/* What ksym_resolve() fills in; too large for the stack. */
struct resolving {
	struct ksym_spec	spec;
	struct ksym_found	found;
	struct ksym_error	error;
	char			more[KSYM_MORE_LEN];
};

static int resolve(struct kunit *test, struct resolving *r, const char *line)
{
	memset(r, 0, sizeof(*r));
	KUNIT_ASSERT_EQ_MSG(test, ksym_parse(line, &r->spec, &r->error), 0,
			    "\"%s\"", line);
	return ksym_resolve(&r->spec, &r->found, &r->error, r->more);
}

static void test_resolve(struct kunit *test)
{
	struct resolving *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	unsigned long addr;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	for (i = 0; i < ARRAY_SIZE(resolve_cases); i++) {
		const struct resolve_case *c = &resolve_cases[i];
		int ret = resolve(test, r, c->line);

		if (c->addr) {
			KUNIT_EXPECT_EQ_MSG(test, ret, 0, "\"%s\"", c->line);
			KUNIT_EXPECT_EQ_MSG(test, r->found.nr_turns, c->nr_turns, "\"%s\"",
					    c->line);
			KUNIT_EXPECT_EQ(test, ksym_place_addr(&r->found.place, 0, &addr),
					0);
			KUNIT_EXPECT_EQ_MSG(test, addr, (unsigned long)c->addr,
					    "\"%s\"", c->line);
			KUNIT_EXPECT_EQ_MSG(test, r->found.part.len, c->len,
					    "\"%s\"", c->line);
			KUNIT_EXPECT_EQ_MSG(test, r->found.nr_ranges, c->nr_ranges,
					    "\"%s\"", c->line);
		} else {
			KUNIT_EXPECT_EQ_MSG(test, ret, -EINVAL, "\"%s\"", c->line);
			KUNIT_EXPECT_EQ_MSG(test, r->error.code, c->code, "\"%s\"",
					    c->line);
			KUNIT_EXPECT_EQ_MSG(test, r->error.at, c->at, "\"%s\"",
					    c->line);
		}
		ksym_found_put(&r->found);
	}
}

static void expect_refused(struct kunit *test, unsigned long addr, const char *rest,
			   enum ksym_err code)
{
	struct resolving *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	char line[40];

	KUNIT_ASSERT_NOT_NULL(test, r);
	snprintf(line, sizeof(line), "0x%lx%s", addr, rest);
	KUNIT_EXPECT_EQ_MSG(test, resolve(test, r, line), -EINVAL, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, r->error.code, code, "\"%s\"", line);
	ksym_found_put(&r->found);
}

/* Programs have all addresses up to the last one of theirs. */
static void test_user_end(struct kunit *test)
{
	expect_refused(test, TASK_SIZE_MAX - 1, ":w len=1", KSYM_ERR_USER_ADDRESS);
	expect_refused(test, TASK_SIZE_MAX, ":w len=1", KSYM_ERR_NOT_MAPPED);
}

/* APIC registers are device memory, like memory from ioremap(). */
static void test_apic(struct kunit *test)
{
	if (!boot_cpu_has(X86_FEATURE_APIC) || boot_cpu_has(X86_FEATURE_X2APIC))
		kunit_skip(test, "the APIC of this CPU is not memory-mapped");
	expect_refused(test, fix_to_virt(FIX_APIC_BASE) + APIC_ID, ":rw len=4", KSYM_ERR_DEVICE);
	if (nr_ioapics)
		expect_refused(test, fix_to_virt(FIX_IO_APIC_BASE_0), ":w len=4", KSYM_ERR_DEVICE);
}

/* A per-CPU symbol has one copy per CPU, and [cpuN] picks one. */
static void test_resolve_percpu(struct kunit *test)
{
	struct resolving *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	unsigned long addr;
	char line[40];
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_ASSERT_EQ(test, resolve(test, r, "ksym_test_percpu"), 0);
	KUNIT_EXPECT_EQ(test, r->found.part.len, sizeof(u64));
	for_each_possible_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, ksym_place_addr(&r->found.place, cpu, &addr), 0);
		KUNIT_EXPECT_EQ(test, addr,
				(unsigned long)per_cpu_ptr(&ksym_test_percpu, cpu));
	}
	for_each_possible_cpu(cpu) {
		snprintf(line, sizeof(line), "ksym_test_percpu[cpu%d]", cpu);
		KUNIT_ASSERT_EQ(test, resolve(test, r, line), 0);
		KUNIT_EXPECT_FALSE(test, r->found.place.percpu);
		KUNIT_EXPECT_EQ(test, r->found.place.base,
				(unsigned long)per_cpu_ptr(&ksym_test_percpu, cpu));
	}
}

/* The pieces cover each byte of the range exactly once, and no other byte. */
static void test_split(struct kunit *test)
{
	struct ksym_range ranges[KSYM_MAX_PIECES];
	unsigned long addr, end;
	unsigned int len;
	int i, nr;

	for (addr = 0x1000; addr < 0x1020; addr++) {
		for (len = 1; len <= 96; len++) {
			nr = ksym_split(addr, len, ranges);
			KUNIT_ASSERT_GT(test, nr, 0);
			end = addr;
			for (i = 0; i < min(nr, KSYM_MAX_PIECES); i++) {
				KUNIT_EXPECT_EQ(test, addr + ranges[i].off, end);
				KUNIT_EXPECT_TRUE(test, is_power_of_2(ranges[i].len));
				KUNIT_EXPECT_EQ(test, end % ranges[i].len, 0);
				KUNIT_EXPECT_LE(test, ranges[i].len, 8);
				end += ranges[i].len;
			}
			if (nr <= KSYM_MAX_PIECES)
				KUNIT_EXPECT_EQ(test, end, addr + len);
		}
	}
	KUNIT_EXPECT_EQ(test, ksym_split(0x1000, KSYM_LEN_MAX, ranges), KSYM_MAX_PIECES);
	KUNIT_EXPECT_EQ(test, ksym_split(0x1004, 8, ranges), 2);
	KUNIT_EXPECT_EQ(test, ksym_split(0x1001, 7, ranges), 3);
}

/* the life of a watch */

/* Runs lines like a write to ksym_trace_filter. */
static int run(const char *text, struct ksym_error *error)
{
	struct ksym_request request = { .text = kstrdup(text, GFP_KERNEL) };
	struct ksym_error ignored;
	int ret;

	if (!request.text)
		return -ENOMEM;
	ret = ksym_run(&request, error ?: &ignored);
	kfree(request.text);
	return ret;
}

static struct ksym_watch *find(const char *name)
{
	struct ksym_watch *watch;

	mutex_lock(&event_mutex);
	watch = ksym_watch_find_locked(NULL, name);
	mutex_unlock(&event_mutex);
	return watch;
}

/* Yields. Returns false if KUnit's timeout has come, and waits for the test to end. */
static bool is_in_time(void)
{
	cond_resched();
	return !kthread_should_stop();
}

/* Waits for the work of a watch that has had its count=. */
static void wait_until_disarmed(struct ksym_watch *watch)
{
	while (READ_ONCE(watch->piece[0].trap->armed) && is_in_time())
		;
}

/* Waits until time has passed for perf. With an unstable TSC, it may not until the next tick. */
static void wait_for_clock(void)
{
	u64 start = local_clock();

	while (local_clock() == start)
		cond_resched();
}

#define MAX_SEEN 32

struct seen {
	atomic_t	nr;
	struct {
		unsigned long	ip;
		unsigned long	addr;
		u64		old;
		u64		new;
		u16		access;
		u16		len;
	} hits[MAX_SEEN];
};

/* A second probe of the event, besides the top instance's buffer. */
static void see_hit(void *data, struct ksym_hit *hit)
{
	struct seen *seen = data;
	unsigned int nr = atomic_fetch_inc(&seen->nr);

	if (nr >= MAX_SEEN)
		return;
	seen->hits[nr].ip = instruction_pointer(hit->regs);
	seen->hits[nr].addr = hit->addr;
	seen->hits[nr].len = hit->len;
	seen->hits[nr].old = hit->old;
	seen->hits[nr].new = hit->new;
	seen->hits[nr].access = hit->access;
}

static void look(struct kunit *test, struct ksym_watch *watch,
		 struct seen *seen)
{
	atomic_set(&seen->nr, 0);
	KUNIT_ASSERT_EQ(test, 0, tracepoint_probe_register(&watch->tp, see_hit,
							   seen));
}

/* Adds the watch @line, which gets the name @name, and collects its hits in @seen. */
static struct ksym_watch *make_and_look(struct kunit *test, const char *line,
					const char *name, struct seen *seen)
{
	struct ksym_watch *watch;

	KUNIT_ASSERT_EQ(test, run(line, NULL), 0);
	watch = find(name);
	KUNIT_ASSERT_NOT_NULL(test, watch);
	look(test, watch, seen);
	return watch;
}

static void look_away(struct ksym_watch *watch, struct seen *seen)
{
	tracepoint_probe_unregister(&watch->tp, see_hit, seen);
	tracepoint_synchronize_unregister();
}

/* A function of its own, so that a test can check that a hit's ip lies in it. */
static noinline __noclone void store_u32(u32 *p, u32 val)
{
	WRITE_ONCE(*p, val);
	/* The store must not end the function. */
	barrier();
}

static void test_life(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	unsigned long start = (unsigned long)store_u32, ip, size, off;
	struct ksym_watch *watch;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	store_u32(&ksym_test_u32[0], 100);

	watch = make_and_look(test, "ksym_test_u32:w len=4", "ksym_test_u32", seen);

	for (i = 1; i <= 10; i++)
		store_u32(&ksym_test_u32[0], 100 + i);
	/* A write of the same value, a write to the next variable, and a read. */
	store_u32(&ksym_test_u32[0], 110);
	store_u32(&ksym_test_u32[1], 1);
	KUNIT_EXPECT_EQ(test, READ_ONCE(ksym_test_u32[0]), 110);

	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 11);
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, seen->hits[i].old, 100 + i);
		KUNIT_EXPECT_EQ(test, seen->hits[i].new, 101 + i);
		KUNIT_EXPECT_EQ(test, seen->hits[i].access, KSYM_WRITE);
		ip = seen->hits[i].ip;
		KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(ip, &size,
								    &off));
		KUNIT_EXPECT_EQ(test, ip - off, start);
	}
	KUNIT_EXPECT_EQ(test, seen->hits[10].old, 110);
	KUNIT_EXPECT_EQ(test, seen->hits[10].new, 110);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 11);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_WRITES), 11);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_READS), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_CHANGES), 10);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_DISABLED), 0);

	look_away(watch, seen);
	KUNIT_EXPECT_EQ(test, run("!ksym_test_u32", NULL), 0);
	KUNIT_EXPECT_NULL(test, find("ksym_test_u32"));
	store_u32(&ksym_test_u32[0], 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 11);
}

/* An rw watch traps reads too, and distinguishes reads from writes. */
static void test_read_write(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	struct ksym_watch *watch;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	ksym_test_u64[0] = 1;
	watch = make_and_look(test, "ksym_test_u64:rw", "ksym_test_u64", seen);

	WRITE_ONCE(ksym_test_u64[0], 0x1122334455667788ull);
	(void)READ_ONCE(ksym_test_u64[0]);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 2);
	KUNIT_EXPECT_EQ(test, seen->hits[0].old, 1);
	KUNIT_EXPECT_EQ(test, seen->hits[0].new, 0x1122334455667788ull);
	KUNIT_EXPECT_EQ(test, seen->hits[1].old, 0x1122334455667788ull);
	KUNIT_EXPECT_EQ(test, seen->hits[1].new, 0x1122334455667788ull);
	KUNIT_EXPECT_EQ(test, seen->hits[0].access, KSYM_WRITE);
	KUNIT_EXPECT_EQ(test, seen->hits[1].access, KSYM_READ);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_READS), 1);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_WRITES), 1);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_UNKNOWN), 0);

	look_away(watch, seen);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u64:---", NULL), 0);
}

/* A hit that an option drops is counted, and still updates the next hit's old value. */
static void test_dropped(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	struct ksym_watch *watch;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	ksym_test_u64[0] = 1;
	watch = make_and_look(test, "ksym_test_u64:r", "ksym_test_u64", seen);
	WRITE_ONCE(ksym_test_u64[0], 2);
	WRITE_ONCE(ksym_test_u64[0], 3);
	(void)READ_ONCE(ksym_test_u64[0]);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 1);
	KUNIT_EXPECT_EQ(test, seen->hits[0].access, KSYM_READ);
	KUNIT_EXPECT_EQ(test, seen->hits[0].old, 3);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_NOTREAD), 2);
	look_away(watch, seen);
	KUNIT_EXPECT_EQ(test, run("!ksym_test_u64", NULL), 0);

	watch = make_and_look(test, "ksym_test_u64:rw changed", "ksym_test_u64", seen);
	WRITE_ONCE(ksym_test_u64[0], 3);
	(void)READ_ONCE(ksym_test_u64[0]);
	WRITE_ONCE(ksym_test_u64[0], 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 1);
	KUNIT_EXPECT_EQ(test, seen->hits[0].old, 3);
	KUNIT_EXPECT_EQ(test, seen->hits[0].new, 4);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_UNCHANGED), 2);
	look_away(watch, seen);
	KUNIT_EXPECT_EQ(test, run("!ksym_test_u64", NULL), 0);
}

/* A watch of each length is hit by its own bytes only. */
static void test_lengths(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	static const char * const lines[] = {
		"ksym_test_u8+2:w len=1", "ksym_test_u16+2:w len=2",
		"ksym_test_u32+4:w len=4", "ksym_test_u64+8:w len=8",
	};
	static const char * const names[] = {
		"ksym_test_u8_0x2", "ksym_test_u16_0x2",
		"ksym_test_u32_0x4", "ksym_test_u64_0x8",
	};
	static const u64 values[] = {
		0xa2, 0xb1b1, 0xc1c1c1c1, 0xd1d1d1d1d1d1d1d1,
	};
	int i;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		struct ksym_watch *watch;

		memset(ksym_test_u8, 0, sizeof(ksym_test_u8));
		memset(ksym_test_u16, 0, sizeof(ksym_test_u16));
		memset(ksym_test_u32, 0, sizeof(ksym_test_u32));
		memset(ksym_test_u64, 0, sizeof(ksym_test_u64));
		watch = make_and_look(test, lines[i], names[i], seen);

		WRITE_ONCE(ksym_test_u8[1], 0xa1);
		WRITE_ONCE(ksym_test_u8[2], 0xa2);
		WRITE_ONCE(ksym_test_u8[3], 0xa3);
		WRITE_ONCE(ksym_test_u16[0], 0xb0b0);
		WRITE_ONCE(ksym_test_u16[1], 0xb1b1);
		WRITE_ONCE(ksym_test_u16[2], 0xb2b2);
		WRITE_ONCE(ksym_test_u32[0], 0xc0c0c0c0);
		WRITE_ONCE(ksym_test_u32[1], 0xc1c1c1c1);
		WRITE_ONCE(ksym_test_u32[2], 0xc2c2c2c2);
		WRITE_ONCE(ksym_test_u64[0], 0xd0d0d0d0d0d0d0d0);
		WRITE_ONCE(ksym_test_u64[1], 0xd1d1d1d1d1d1d1d1);
		WRITE_ONCE(ksym_test_u64[2], 0xd2d2d2d2d2d2d2d2);

		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&seen->nr), 1, "\"%s\"", lines[i]);
		KUNIT_EXPECT_EQ_MSG(test, seen->hits[0].old, 0, "\"%s\"",
				    lines[i]);
		KUNIT_EXPECT_EQ_MSG(test, seen->hits[0].new, values[i],
				    "\"%s\"", lines[i]);
		look_away(watch, seen);
		KUNIT_ASSERT_EQ(test, run("0", NULL), 0);
	}
}

/* A write takes effect as a whole, or not at all. */
static void test_transaction(struct kunit *test)
{
	struct ksym_error error;
	struct ksym_watch *watch;

	KUNIT_ASSERT_EQ(test, run("ksym_test_u8:w name=a\n"
				  "\n# nothing\n"
				  "ksym_test_u16:w name=b\n", NULL), 0);
	KUNIT_EXPECT_NOT_NULL(test, find("a"));
	KUNIT_EXPECT_NOT_NULL(test, find("b"));

	/* An error in each step, after valid lines. */
	KUNIT_EXPECT_EQ(test, run("!a\nksym_test_u32:w name=c\nx:x", &error),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_BAD_ACCESS);
	KUNIT_EXPECT_EQ(test, run("!a\nksym_test_u32:w name=c\n"
				  "no_such_symbol", &error), -ENOENT);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_NO_SUCH_SYMBOL);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u32:w name=c\n"
				  "cpu_tss_rw:w len=8", &error), -EINVAL);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_CPU_REFUSES);
	KUNIT_EXPECT_EQ(test, run("!a\nksym_test_u32:w name=c\n"
				  "ksym_test_u64:w name=b", &error), -EBUSY);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_WATCH_EXISTS);
	KUNIT_EXPECT_EQ(test, error.at, 21);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u32:w name=c\n"
				  "ksym_test_u64:w name=c", &error), -EBUSY);
	KUNIT_EXPECT_EQ(test, run("!a\n!c", &error), -ENOENT);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_NO_WATCH);

	/* The old watches are still there and work; the slots are free again. */
	KUNIT_EXPECT_NULL(test, find("c"));
	watch = find("a");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_EXPECT_FALSE(test, watch->to_remove);
	WRITE_ONCE(ksym_test_u8[0], 1);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u32:w name=c\n"
				  "ksym_test_u64:w name=d", NULL), 0);

	KUNIT_EXPECT_EQ(test, run("*:---", NULL), 0);
	KUNIT_EXPECT_NULL(test, find("a"));
	KUNIT_EXPECT_NULL(test, find("d"));
}

/* Memory that went away while a watch was off is not watched. */
static void test_lost_memory(struct kunit *test)
{
	void *memory = vmalloc(PAGE_SIZE);
	struct ksym_error error;
	char line[64];

	KUNIT_ASSERT_NOT_NULL(test, memory);
	snprintf(line, sizeof(line), "0x%lx:w len=8 name=lost off", (unsigned long)memory);
	KUNIT_EXPECT_EQ(test, run(line, NULL), 0);
	KUNIT_EXPECT_EQ(test, run("+lost", NULL), 0);
	KUNIT_EXPECT_EQ(test, run("-lost", NULL), 0);
	vfree(memory);
	/* Also from the TLBs. */
	vm_unmap_aliases();
	KUNIT_EXPECT_EQ(test, run("+lost", &error), -EFAULT);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_NOT_MAPPED);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

static int enable_but_last(struct ksym_watch *watch)
{
	struct kunit *test = kunit_get_current_test();
	int ret;

	if (!strcmp(watch->name, "last"))
		return -ENOMEM;
	kunit_deactivate_static_stub(test, ksym_event_enable_locked);
	ret = ksym_event_enable_locked(watch);
	kunit_activate_static_stub(test, ksym_event_enable_locked, enable_but_last);
	return ret;
}

/* A write that fails at the last possible point leaves the buffer as it was. */
static void test_buffer_is_kept(struct kunit *test)
{
	struct trace_buffer *buffer = top_trace_array()->array_buffer.buffer;
	unsigned long before;

	KUNIT_ASSERT_EQ(test, run("ksym_test_u8:w name=a", NULL), 0);
	WRITE_ONCE(ksym_test_u8[0], 2);
	before = ring_buffer_entries(buffer);
	KUNIT_EXPECT_GT(test, before, 0);

	kunit_activate_static_stub(test, ksym_event_enable_locked, enable_but_last);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u16:w name=first\n"
				  "ksym_test_u32:w name=last", NULL), -ENOMEM);
	kunit_deactivate_static_stub(test, ksym_event_enable_locked);
	KUNIT_EXPECT_NULL(test, find("first"));
	/* Nor does it leave a reset pending for the next removal. */
	tracing_reset_all_online_cpus();
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), before);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 0);
}

/* The fifth watch gets no register; the other four keep working. */
static void test_fifth(struct kunit *test)
{
	struct ksym_watch *watch;
	struct ksym_error error;
	int round;

	for (round = 0; round < 2; round++) {
		KUNIT_ASSERT_EQ(test, run("ksym_test_u64:w name=w0\n"
					  "ksym_test_u64+8:w name=w1\n"
					  "ksym_test_u64+16:w name=w2", NULL),
				0);
		/* Each of the two fits alone, but not both. */
		KUNIT_EXPECT_EQ(test, run("ksym_test_u64+24:w name=w3\n"
					  "ksym_test_u64+32:w name=w4", &error),
				-ENOSPC);
		KUNIT_EXPECT_NULL(test, find("w3"));
		KUNIT_EXPECT_EQ(test, run("ksym_test_u64+24:w name=w3", NULL),
				0);
		KUNIT_EXPECT_EQ(test, run("ksym_test_u64+32:w name=w4", &error),
				-ENOSPC);
		KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_NO_SLOT);

		WRITE_ONCE(ksym_test_u64[0], round);
		WRITE_ONCE(ksym_test_u64[3], round);
		WRITE_ONCE(ksym_test_u64[4], round);
		watch = find("w0");
		KUNIT_ASSERT_NOT_NULL(test, watch);
		KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1);
		watch = find("w3");
		KUNIT_ASSERT_NOT_NULL(test, watch);
		KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1);
		KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
	}
}

#define STORM_WRITES 10000

static void storm(struct work_struct *work)
{
	int i;

	for (i = 0; i < STORM_WRITES; i++)
		atomic_inc(&ksym_test_atomic);
}

/*
 * All CPUs write at once, and each write is exactly one hit. The buffer overwrites its
 * oldest records, so it has room for each.
 */
static void test_storm(struct kunit *test)
{
	struct ksym_watch *watch;

	KUNIT_ASSERT_EQ(test, run("ksym_test_atomic:w len=4 limit=0 budget=0", NULL), 0);
	watch = find("ksym_test_atomic");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_ASSERT_EQ(test, schedule_on_each_cpu(storm), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS),
			(u64)STORM_WRITES * num_online_cpus());
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_NOBUFFER), 0);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/* limit= disarms the watch during a storm, and the watch works again afterwards. */
static void test_limit(struct kunit *test)
{
	struct ksym_watch *watch;
	u64 hits, limited;

	KUNIT_ASSERT_EQ(test, run("ksym_test_atomic:w len=4 limit=1/ms", NULL), 0);
	watch = find("ksym_test_atomic");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_ASSERT_EQ(test, schedule_on_each_cpu(storm), 0);
	hits = ksym_hit_count(watch, KSYM_COUNT_HITS);
	limited = ksym_hit_count(watch, KSYM_COUNT_LIMITED);
	KUNIT_EXPECT_GT(test, hits, 0);
	KUNIT_EXPECT_GT(test, limited, 0);
	KUNIT_EXPECT_LT(test, hits + limited, (u64)STORM_WRITES * num_online_cpus());

	while (ksym_hit_count(watch, KSYM_COUNT_HITS) == hits && is_in_time())
		atomic_inc(&ksym_test_atomic);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/*
 * A handler that exceeds its budget is muted on its CPU, within the trap. Arming the trap
 * again does not renew the budget.
 */
static void test_budget(struct kunit *test)
{
	struct ksym_trap_cpu *part;
	struct ksym_watch *watch;
	u64 hits, limited;
	int cpu;

	KUNIT_ASSERT_EQ(test, run("ksym_test_atomic:w len=4 limit=0 budget=1%", NULL), 0);
	watch = find("ksym_test_atomic");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	cpu = get_cpu();
	part = this_cpu_ptr(watch->piece[0].trap->percpu);
	/* With interrupts off, no interrupt can mute it. */
	local_irq_disable();
	do {
		atomic_inc(&ksym_test_atomic);
	} while (!ksym_hit_count(watch, KSYM_COUNT_LIMITED));
	hits = ksym_hit_count(watch, KSYM_COUNT_HITS);
	limited = ksym_hit_count(watch, KSYM_COUNT_LIMITED);
	storm(NULL);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), hits);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_LIMITED), limited);
	KUNIT_EXPECT_LT(test, part->budget.left, 0);
	local_irq_enable();
	put_cpu();

	ksym_trap_disarm(watch);
	KUNIT_EXPECT_EQ(test, ksym_trap_aim(watch), 0);
	ksym_trap_arm(watch);
	KUNIT_EXPECT_LT(test, per_cpu_ptr(watch->piece[0].trap->percpu, cpu)->budget.left, 0);

	while (ksym_hit_count(watch, KSYM_COUNT_HITS) == hits && is_in_time())
		atomic_inc(&ksym_test_atomic);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/* A watch that was idle for longer than its debt takes records the next hit. */
static void test_debt(struct kunit *test)
{
	struct ksym_trap_cpu *part;
	struct ksym_watch *watch;
	u64 idle_since;
	int i;

	KUNIT_ASSERT_EQ(test, run("ksym_test_u32:w len=4 budget=10%", NULL), 0);
	watch = find("ksym_test_u32");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	local_irq_disable();
	part = this_cpu_ptr(watch->piece[0].trap->percpu);
	/* 64 ms of handling, as of a batch of the dearest hits, are earned in 640 ms. */
	for (i = 0; i < 64; i++)
		ksym_budget_charge_nmi(part->trap, ksym_clock.per_ms);
	idle_since = ksym_clock_nmi() - MSEC_PER_SEC * ksym_clock.per_ms;
	part->budget.filled = idle_since;
	this_cpu_write(ksym_all_traps.filled, idle_since);
	WRITE_ONCE(ksym_test_u32[0], 1);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_LIMITED), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/* A muted breakpoint stays muted on its CPU, whatever happens to its register. */
static void test_mute(struct kunit *test)
{
	struct ksym_trap_cpu *part;
	struct ksym_watch *watch;
	u64 muted;

	KUNIT_ASSERT_EQ(test, run("ksym_test_u32:w limit=0 budget=0", NULL), 0);
	watch = find("ksym_test_u32");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	migrate_disable();
	part = this_cpu_ptr(watch->piece[0].trap->percpu);

	local_irq_disable();
	hw_breakpoint_mute(part->event);
	WRITE_ONCE(ksym_test_u32[0], 1);
	hw_breakpoint_restore();
	WRITE_ONCE(ksym_test_u32[0], 2);
	local_irq_enable();
	perf_event_disable(part->event);
	WRITE_ONCE(ksym_test_u32[0], 3);
	/* What is in no register is not muted there. */
	muted = hw_breakpoint_mute_time(&part->mute);
	wait_for_clock();
	KUNIT_EXPECT_EQ(test, hw_breakpoint_mute_time(&part->mute), muted);
	perf_event_enable(part->event);
	WRITE_ONCE(ksym_test_u32[0], 4);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 0);
	KUNIT_EXPECT_EQ(test, READ_ONCE(part->event->state), PERF_EVENT_STATE_ACTIVE);

	wait_for_clock();
	local_irq_disable();
	hw_breakpoint_unmute(&watch->piece[0].trap->percpu->mute);
	WRITE_ONCE(ksym_test_u32[0], 5);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1);
	KUNIT_EXPECT_GT(test, hw_breakpoint_mute_time(&part->mute), 0);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/* count= is exact, however many CPUs write at once. */
static void test_count(struct kunit *test)
{
	struct ksym_watch *watch;

	KUNIT_ASSERT_EQ(test, run("ksym_test_atomic:w len=4 limit=0 budget=0 count=1000", NULL), 0);
	watch = find("ksym_test_atomic");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_ASSERT_EQ(test, schedule_on_each_cpu(storm), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1000);
	KUNIT_EXPECT_TRUE(test, ksym_watch_is_done(watch));
	wait_until_disarmed(watch);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/* Watches that ask for the same share a trap; others do not. */
static void test_share(struct kunit *test)
{
	struct ksym_watch *a, *b;

	KUNIT_ASSERT_EQ(test, run("ksym_test_u64:w name=a\n"
				  "ksym_test_u64:w name=b\n"
				  "ksym_test_u64:w name=c flexible\n"
				  "ksym_test_u64:rw name=d\n"
				  "ksym_test_u64:w name=e cpu=0", NULL), 0);
	a = find("a");
	b = find("b");
	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_ASSERT_NOT_NULL(test, b);
	KUNIT_EXPECT_PTR_EQ(test, a->piece[0].trap, b->piece[0].trap);
	KUNIT_EXPECT_PTR_NE(test, a->piece[0].trap, find("c")->piece[0].trap);
	KUNIT_EXPECT_PTR_NE(test, a->piece[0].trap, find("d")->piece[0].trap);
	KUNIT_EXPECT_PTR_NE(test, a->piece[0].trap, find("e")->piece[0].trap);
	KUNIT_EXPECT_EQ(test, run("!a\n!c\n!d\n!e", NULL), 0);
	WRITE_ONCE(ksym_test_u64[0], 1);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(b, KSYM_COUNT_HITS), 1);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/* A range in several registers is one watch; up to eight bytes, it has one value. */
static void test_range(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	u8 *byte = (u8 *)ksym_test_u64;
	struct ksym_watch *watch;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	memset(ksym_test_u64, 0, sizeof(ksym_test_u64));
	watch = make_and_look(test, "ksym_test_u64+2:w len=7 limit=0", "ksym_test_u64_0x2", seen);
	for (i = 0; i < 16; i++)
		WRITE_ONCE(byte[i], i + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 7);
	for (i = 0; i < 7; i++) {
		KUNIT_EXPECT_EQ(test, seen->hits[i].addr, (unsigned long)byte + 2);
		KUNIT_EXPECT_EQ(test, seen->hits[i].len, 7);
		KUNIT_EXPECT_EQ(test, seen->hits[i].new, seen->hits[i].old +
				((u64)(i + 3) << (8 * i)));
	}
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 7);
	look_away(watch, seen);
	KUNIT_ASSERT_EQ(test, run("0", NULL), 0);

	/* In a longer range, a hit has the value of the piece that was touched. */
	watch = make_and_look(test, "ksym_test_u64+8:w len=24 limit=0", "ksym_test_u64_0x8", seen);
	for (i = 0; i < 6; i++)
		WRITE_ONCE(ksym_test_u64[i], 100 + i);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 3);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, seen->hits[i].addr,
				(unsigned long)&ksym_test_u64[i + 1]);
		KUNIT_EXPECT_EQ(test, seen->hits[i].len, 8);
		KUNIT_EXPECT_EQ(test, seen->hits[i].new, 101 + i);
	}
	look_away(watch, seen);
	KUNIT_ASSERT_EQ(test, run("0", NULL), 0);
}

/* The debug register of the piece on this CPU, or HBP_NUM. Interrupts are off. */
static unsigned int register_of(const struct ksym_piece *piece)
{
	struct perf_event *bp = this_cpu_ptr(piece->trap->percpu)->event;
	unsigned int reg;

	for (reg = 0; reg < HBP_NUM && hw_breakpoint_in_register(reg) != bp; reg++)
		;
	return reg;
}

/*
 * Calls the handlers as a #DB for all of @pieces would. QEMU never raises such a #DB.
 * Interrupts are off.
 */
static void trap_pieces(struct ksym_watch *watch, unsigned long pieces)
{
	unsigned long traps = 0, reg, i;
	struct pt_regs regs = {};

	for_each_set_bit(i, &pieces, KSYM_MAX_PIECES)
		traps |= BIT(register_of(&watch->piece[i]));
	this_cpu_write(hw_breakpoint_traps, traps);
	for_each_set_bit(reg, &traps, HBP_NUM)
		ksym_hit_nmi(hw_breakpoint_in_register(reg), NULL, &regs);
	this_cpu_write(hw_breakpoint_traps, 0);
}

/* One #DB for several pieces is one hit, whichever register each CPU uses for a piece. */
static void test_two_pieces(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	struct ksym_watch *watch;
	unsigned long flags;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	memset(ksym_test_u64, 0, sizeof(ksym_test_u64));
	watch = make_and_look(test, "ksym_test_u64:w len=24 limit=0", "ksym_test_u64", seen);

	/* The first two together, then the third alone, then the second alone. */
	local_irq_save(flags);
	trap_pieces(watch, BIT(0) | BIT(1));
	trap_pieces(watch, BIT(2));
	trap_pieces(watch, BIT(1));
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 3);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 3);
	KUNIT_EXPECT_EQ(test, seen->hits[1].addr, (unsigned long)&ksym_test_u64[2]);
	KUNIT_EXPECT_EQ(test, seen->hits[2].addr, (unsigned long)&ksym_test_u64[1]);
	look_away(watch, seen);
	KUNIT_ASSERT_EQ(test, run("0", NULL), 0);
}

/* Also where the turns have brought the first piece into the last register. */
static void test_swapped_pieces(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	unsigned int first, second, found = 0;
	struct ksym_watch *watch;
	unsigned long flags;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	/* Either piece may have the only register first. */
	while (!found && is_in_time()) {
		KUNIT_ASSERT_EQ(test, run("ksym_test_u8:w name=a\nksym_test_u16:w name=b\n"
					  "ksym_test_u32:w name=c", NULL), 0);
		watch = make_and_look(test, "ksym_test_u64:w len=16 limit=0 flexible",
				      "ksym_test_u64", seen);
		do {
			local_irq_save(flags);
			first = register_of(&watch->piece[0]);
			local_irq_restore(flags);
		} while (first == HBP_NUM && is_in_time());
		KUNIT_ASSERT_EQ(test, run("!a", NULL), 0);
		do {
			local_irq_save(flags);
			first = register_of(&watch->piece[0]);
			second = register_of(&watch->piece[1]);
			if (second < first && first < HBP_NUM) {
				trap_pieces(watch, BIT(0) | BIT(1));
				found = 1;
			}
			local_irq_restore(flags);
		} while ((first == HBP_NUM || second == HBP_NUM) && is_in_time());
		KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), found);
		look_away(watch, seen);
		KUNIT_ASSERT_EQ(test, run("0", NULL), 0);
	}
}

/* A hit that covers several pieces is a change if any of them changed. */
static void test_changed_piece(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	struct ksym_watch *watch;
	unsigned long flags, dr7;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	memset(ksym_test_u64, 0, sizeof(ksym_test_u64));
	watch = make_and_look(test, "ksym_test_u64:w len=16 limit=0 changed", "ksym_test_u64",
			      seen);

	local_irq_save(flags);
	trap_pieces(watch, BIT(0) | BIT(1));
	/* Changes the second piece without a trap, like the other half of an access to both. */
	dr7 = local_db_save();
	WRITE_ONCE(ksym_test_u64[1], 7);
	local_db_restore(dr7);
	trap_pieces(watch, BIT(0) | BIT(1));
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 1);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_UNCHANGED), 1);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_CHANGES), 1);
	look_away(watch, seen);
	KUNIT_ASSERT_EQ(test, run("0", NULL), 0);
}

/* A range gets registers for all its pieces, or none. */
static void test_range_fits(struct kunit *test)
{
	struct ksym_error error;

	KUNIT_ASSERT_EQ(test, run("ksym_test_u16:w name=a", NULL), 0);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u64:w len=32", &error), -ENOSPC);
	KUNIT_EXPECT_NULL(test, find("ksym_test_u64"));
	/* The refused watch holds no slot: three are free. */
	KUNIT_EXPECT_EQ(test, run("ksym_test_u64:w len=24", NULL), 0);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u8:w", &error), -ENOSPC);
	KUNIT_ASSERT_EQ(test, run("0", NULL), 0);
}

/*
 * Makes a watch from what @r found and the test changed, and collects its hits in @seen.
 * The watch has no event in tracefs.
 */
static struct ksym_watch *make_by_hand(struct kunit *test, struct resolving *r,
				       struct seen *seen)
{
	struct ksym_watch *watch = ksym_watch_alloc(&r->spec, &r->found);

	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_ASSERT_EQ(test, ksym_event_init(watch), 0);
	KUNIT_ASSERT_EQ(test, ksym_trap_reserve(watch, NULL, cpu_possible_mask), 0);
	look(test, watch, seen);
	KUNIT_ASSERT_EQ(test, ksym_trap_aim(watch), 0);
	ksym_trap_arm(watch);
	return watch;
}

static void free_by_hand(struct ksym_watch *watch, struct seen *seen)
{
	look_away(watch, seen);
	ksym_trap_release(watch);
	ksym_watch_free(watch);
}

/* Old and new are the bit-field's own, so a write to its neighbours changes nothing. */
static void test_bit_field(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	struct ksym_watch *watch;
	struct resolving *r;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r);
	memset(&ksym_test_bits, 0, sizeof(ksym_test_bits));
	/* BTF does not know this type, so the test sets the bits itself. */
	KUNIT_ASSERT_EQ(test, resolve(test, r, "ksym_test_bits+1:w len=1 name=bits"), 0);
	r->found.part.bit = 3;
	r->found.part.bits = 4;
	watch = make_by_hand(test, r, seen);

	ksym_test_bits.mid = 9;
	barrier();
	ksym_test_bits.low = 7;
	barrier();
	ksym_test_bits.mid = 5;
	barrier();
	ksym_test_bits.before = 1;
	ksym_test_bits.after = 1;
	barrier();

	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 3);
	KUNIT_EXPECT_EQ(test, seen->hits[0].old, 0);
	KUNIT_EXPECT_EQ(test, seen->hits[0].new, 9);
	KUNIT_EXPECT_EQ(test, seen->hits[1].old, 9);
	KUNIT_EXPECT_EQ(test, seen->hits[1].new, 9);
	KUNIT_EXPECT_EQ(test, seen->hits[2].old, 9);
	KUNIT_EXPECT_EQ(test, seen->hits[2].new, 5);
	free_by_hand(watch, seen);
}

static void write_percpu(struct work_struct *work)
{
	this_cpu_write(ksym_test_percpu, smp_processor_id() + 1);
}

/* Each CPU watches its own copy, or all CPUs watch the same one. */
static void test_percpu(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	struct ksym_watch *watch;
	unsigned int i;
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	for_each_possible_cpu(cpu)
		per_cpu(ksym_test_percpu, cpu) = 0;
	watch = make_and_look(test, "ksym_test_percpu:w", "ksym_test_percpu", seen);
	KUNIT_ASSERT_EQ(test, schedule_on_each_cpu(write_percpu), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), num_online_cpus());
	for (i = 0; i < min(atomic_read(&seen->nr), MAX_SEEN); i++) {
		KUNIT_EXPECT_EQ(test, seen->hits[i].old, 0);
		cpu = seen->hits[i].new - 1;
		KUNIT_ASSERT_TRUE(test, cpu >= 0 && cpu < nr_cpu_ids);
		KUNIT_EXPECT_EQ(test, seen->hits[i].addr,
				(unsigned long)per_cpu_ptr(&ksym_test_percpu, cpu));
	}
	look_away(watch, seen);
	KUNIT_ASSERT_EQ(test, run("0\nksym_test_percpu[cpu0]:w", NULL), 0);
	watch = find("ksym_test_percpu_cpu0");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_ASSERT_EQ(test, schedule_on_each_cpu(write_percpu), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1);
	KUNIT_ASSERT_EQ(test, run("0", NULL), 0);
}

static void write_first(struct work_struct *work)
{
	wait_for_clock();
	WRITE_ONCE(ksym_test_u64[0], 1);
}

static void write_word(struct work_struct *work)
{
	wait_for_clock();
	WRITE_ONCE(*(u32 *)&ksym_test_u64[1], 7);
}

static void write_second(struct work_struct *work)
{
	WRITE_ONCE(ksym_test_u64[1], 1);
}

/* A watch of kernel code that points nowhere yet. */
static struct ksym_watch *prepare(const char *name, ksym_hit_func_t func, void *data)
{
	const struct ksym_watch_attr attr = {
		.name	= name,
		.len	= 8,
		.limit	= KSYM_WATCH_NO_LIMIT,
		.budget	= KSYM_WATCH_NO_LIMIT,
		.func	= func,
		.data	= data,
	};

	return ksym_watch_create(&attr);
}

static void wait_for_move(struct ksym_watch *watch)
{
	while (ksym_watch_lagging(watch) && is_in_time())
		;
}

/* Kernel code points a watch at objects, and all CPUs follow. */
static void test_move(struct kunit *test)
{
	struct ksym_watch *watch = prepare("kunit_obj", NULL, NULL);
	struct ksym_aim first = {
		.addr	= (unsigned long)ksym_test_u64,
		.base	= (unsigned long)ksym_test_u64,
	};
	const u64 cpus = num_online_cpus();
	struct ksym_error error;

	KUNIT_ASSERT_FALSE(test, IS_ERR(watch));
	KUNIT_EXPECT_PTR_EQ(test, find("kunit_obj"), watch);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_first), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 0);

	KUNIT_EXPECT_EQ(test, ksym_watch_point(watch, &ksym_test_u64[0]), 0);
	wait_for_move(watch);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_first), 0);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_second), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), cpus);

	KUNIT_EXPECT_EQ(test, ksym_watch_point(watch, &ksym_test_u64[1]), 0);
	wait_for_move(watch);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_first), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), cpus);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_second), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 2 * cpus);

	/* A refused address changes nothing. */
	KUNIT_EXPECT_EQ(test, ksym_watch_point(watch, (void *)0x400000), -EINVAL);
	KUNIT_EXPECT_EQ(test, ksym_watch_point(watch, (u8 *)ksym_test_u64 + 4), -EINVAL);
	KUNIT_EXPECT_EQ(test, ksym_watch_point(watch, per_cpu_ptr(&cpu_tss_rw, 0)), -EINVAL);
	KUNIT_EXPECT_EQ(test, ksym_object_set_nmi(watch, &first), -EAGAIN);
	KUNIT_EXPECT_EQ(test, ksym_object_clear_nmi(watch, first.base, NULL), -EAGAIN);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_MISSED), 3);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_SUPPRESSED), 1);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_second), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 3 * cpus);

	/* Only its maker can remove the watch. NULL parks the watch and does not end it. */
	KUNIT_EXPECT_EQ(test, run("!kunit_obj", &error), -EBUSY);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_IN_USE);
	KUNIT_EXPECT_EQ(test, ksym_watch_point(watch, NULL), 0);
	wait_for_move(watch);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_second), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 3 * cpus);

	ksym_watch_end(watch);
	KUNIT_EXPECT_NULL(test, find("kunit_obj"));
}

/* Each depth writes before and after the deeper calls. */
static noinline void ksym_test_recurse(unsigned int depth)
{
	WRITE_ONCE(ksym_test_u64[0], depth);
	if (depth)
		ksym_test_recurse(depth - 1);
	WRITE_ONCE(ksym_test_u64[0], depth);
}

/* A window ends with the outermost of the calls that opened it. */
static void test_window(struct kunit *test)
{
	const char *line = "ksym_test_u64 in ksym_test_recurse len=8 limit=0 name=kunit_win";
	struct ksym_error error;
	struct ksym_watch *watch;

	KUNIT_ASSERT_EQ(test, run(line, &error), 0);
	watch = find("kunit_win");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	WRITE_ONCE(ksym_test_u64[0], 1);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 0);
	ksym_test_recurse(9);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 20);
	WRITE_ONCE(ksym_test_u64[0], 1);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 20);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_MISSED), 0);
	KUNIT_EXPECT_EQ(test, run("!kunit_win", &error), 0);
	ksym_test_recurse(1);
	KUNIT_EXPECT_FALSE(test, hw_breakpoint_is_used());
}

/* A hit takes from count= what it may give back. Calls in between are not left out uncounted. */
static void test_window_count(struct kunit *test)
{
	const char *line = "ksym_test_u64 in ksym_test_recurse len=8 limit=0 count=2 name=win";
	struct ksym_watch *watch;

	KUNIT_ASSERT_EQ(test, run(line, NULL), 0);
	watch = find("win");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	/* As while both are taken by hits that a filter drops in the end. */
	atomic64_set(&watch->left, 0);
	ksym_test_recurse(0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_LIMITED), 2);
	atomic64_set(&watch->left, 2);
	ksym_test_recurse(0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 2);
	/* Now it is done, and opens none. */
	wait_until_disarmed(watch);
	ksym_test_recurse(0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_LIMITED), 2);
	KUNIT_EXPECT_EQ(test, run("!win", NULL), 0);
}

static u64 test_objects[KSYM_OBJECTS_MAX];

static int set_object(struct ksym_watch *watch, unsigned int nr)
{
	struct ksym_aim aim = {
		.addr	= (unsigned long)&test_objects[nr],
		.base	= (unsigned long)&test_objects[nr],
	};

	return ksym_object_set_nmi(watch, &aim);
}

/* Two objects at once, of which the oldest makes room for a third. */
static void test_objects_evict(struct kunit *test)
{
	struct ksym_error error;
	struct ksym_watch *watch;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, run("-1 objects=2 name=kunit_two", &error), 0);
	watch = find("kunit_two");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_EXPECT_EQ(test, watch->nr_pieces, 2);
	KUNIT_EXPECT_EQ(test, set_object(watch, 0), 0);
	KUNIT_EXPECT_EQ(test, set_object(watch, 1), 0);
	KUNIT_EXPECT_EQ(test, set_object(watch, 1), -EAGAIN);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_EVICTED), 0);
	KUNIT_EXPECT_EQ(test, set_object(watch, 2), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_EVICTED), 1);
	for (i = 0; i < 3; i++)
		WRITE_ONCE(test_objects[i], i);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 2);
	/* Each has a shadow of its own. */
	KUNIT_EXPECT_EQ(test, atomic64_read(&watch->shadows.unit[0]), 2);
	KUNIT_EXPECT_EQ(test, atomic64_read(&watch->shadows.unit[1]), 1);
	KUNIT_EXPECT_EQ(test, ksym_object_clear_nmi(watch, (unsigned long)&test_objects[1],
						    NULL), 0);
	for (i = 0; i < 3; i++)
		WRITE_ONCE(test_objects[i], i);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 3);
	KUNIT_EXPECT_EQ(test, set_object(watch, 0), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_EVICTED), 1);
	KUNIT_EXPECT_EQ(test, run("!kunit_two", &error), 0);
}

static bool is_view_made;

/* Memory suffices for one view only. */
static struct ksym_view *make_one_view(struct ksym_watch *watch, int cpu)
{
	struct kunit *test = kunit_get_current_test();
	struct ksym_view *view;

	if (is_view_made)
		return NULL;
	is_view_made = true;
	kunit_deactivate_static_stub(test, ksym_make_view_locked);
	view = ksym_make_view_locked(watch, cpu);
	kunit_activate_static_stub(test, ksym_make_view_locked, make_one_view);
	return view;
}

/* Readers get all watches, or an error that leaves no reference. */
static void test_views(struct kunit *test)
{
	struct ksym_error error;
	struct ksym_view *view;
	struct kref *ref;

	KUNIT_ASSERT_EQ(test, run("ksym_test_u64 name=kunit_a\n"
				  "ksym_test_u64 name=kunit_b\n"
				  "ksym_test_u64 name=kunit_c", &error), 0);
	/* The three watches share a trap. */
	ref = &find("kunit_a")->piece[0].trap->ref;
	KUNIT_EXPECT_EQ(test, kref_read(ref), 1);

	is_view_made = false;
	kunit_activate_static_stub(test, ksym_make_view_locked, make_one_view);
	view = ksym_view_all(false);
	KUNIT_EXPECT_PTR_EQ(test, view, ERR_PTR(-ENOMEM));
	KUNIT_EXPECT_EQ(test, kref_read(ref), 1);
	kunit_deactivate_static_stub(test, ksym_make_view_locked);

	view = ksym_view_all(false);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(view));
	KUNIT_EXPECT_EQ(test, kref_read(ref), 4);
	while (view) {
		struct ksym_view *next = view->next;

		ksym_view_free(view);
		view = next;
	}
	KUNIT_EXPECT_EQ(test, kref_read(ref), 1);
	KUNIT_EXPECT_EQ(test, run("*:---", &error), 0);
}

/*
 * Until a CPU has followed a move by an NMI, its hits are on the old object and count as
 * stale. Outside of NMIs it follows at once.
 */
static void test_lagging(struct kunit *test)
{
	struct ksym_watch *watch = prepare("kunit_lag", NULL, NULL);
	unsigned long flags;
	unsigned int lagging;

	KUNIT_ASSERT_FALSE(test, IS_ERR(watch));
	KUNIT_EXPECT_EQ(test, ksym_watch_point(watch, &ksym_test_u64[0]), 0);
	wait_for_move(watch);

	local_irq_save(flags);
	preempt_count_add(NMI_OFFSET);
	ksym_watch_point(watch, &ksym_test_u64[1]);
	preempt_count_sub(NMI_OFFSET);
	lagging = ksym_watch_lagging(watch);
	WRITE_ONCE(ksym_test_u64[0], 2);
	local_irq_restore(flags);

	KUNIT_EXPECT_GT(test, lagging, 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 0);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_STALE), 1);
	wait_for_move(watch);
	WRITE_ONCE(ksym_test_u64[1], 2);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1);

	local_irq_save(flags);
	ksym_watch_point(watch, &ksym_test_u64[0]);
	WRITE_ONCE(ksym_test_u64[0], 3);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 2);
	ksym_watch_end(watch);
}

/* Kernel code watches an object, and can end the watch even while the event is in use. */
static void test_object(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	u64 *object = kunit_kzalloc(test, 2 * sizeof(*object), GFP_KERNEL);
	struct ksym_watch_attr attr = { .name = "kunit_object", .len = sizeof(*object) };
	struct ksym_watch *watch;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	KUNIT_ASSERT_NOT_NULL(test, object);
	attr.addr = object;
	watch = ksym_watch_create(&attr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(watch));
	look(test, watch, seen);
	WRITE_ONCE(object[0], 1);
	WRITE_ONCE(object[1], 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 1);
	KUNIT_EXPECT_EQ(test, seen->hits[0].addr, (unsigned long)object);
	KUNIT_EXPECT_EQ(test, ksym_watch_point(watch, &object[1]), -EINVAL);
	look_away(watch, seen);
	ksym_watch_end(watch);
	WRITE_ONCE(object[0], 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen->nr), 1);
	KUNIT_EXPECT_FALSE(test, hw_breakpoint_is_used());

	ksym_watch_end(ERR_PTR(-EINVAL));
	ksym_watch_end(NULL);
}

/* What is wrong with the attributes of kernel code, and the errno. */
static const struct {
	struct ksym_watch_attr	attr;
	int			err;
} wrong_attrs[] = {
	{ { .addr = ksym_test_u64 }, -EINVAL },
	{ { .name = "a-b", .addr = ksym_test_u64 }, -EINVAL },
	{ { .name = "x", .addr = ksym_test_u64, .access = HW_BREAKPOINT_X }, -EINVAL },
	{ { .name = "x", .addr = ksym_test_u64, .target = "ksym_test_u64" }, -EINVAL },
	{ { .name = "x", .target = "0\nksym_test_u64" }, -EINVAL },
	{ { .name = "x", .target = "0 #" }, -EINVAL },
	{ { .name = "x", .target = "#" }, -EINVAL },
	{ { .name = "x", .target = "ksym_test_nothing" }, -ENOENT },
	{ { .name = "x", .addr = (void *)8 }, -EINVAL },
	{ { .name = "x", .addr = ksym_test_u64, .len = 33 }, -E2BIG },
	{ { .name = "x", .addr = ksym_test_u64, .budget = 91 }, -EINVAL },
	{ { .name = "x", .addr = ksym_test_u64, .cpus = cpu_none_mask }, -EINVAL },
	{ { .name = "x", .len = 3 }, -EINVAL },
};

static void test_wrong_attrs(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong_attrs); i++)
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(ksym_watch_create(&wrong_attrs[i].attr)),
				    wrong_attrs[i].err, "row %u", i);
	KUNIT_EXPECT_FALSE(test, hw_breakpoint_is_used());
}

/* A limit and a budget have the units of a line. */
static void test_limits(struct kunit *test)
{
	const struct ksym_watch_attr attr = {
		.name	= "kunit_limits",
		.addr	= ksym_test_u64,
		.budget	= 20,
		.limit	= 50,
	};
	struct ksym_watch *watch = ksym_watch_create(&attr);

	KUNIT_ASSERT_FALSE(test, IS_ERR(watch));
	KUNIT_EXPECT_EQ(test, watch->opt.budget, 20);
	KUNIT_EXPECT_EQ(test, watch->opt.limit, 50);
	ksym_watch_end(watch);
}

/* A record has the same flags and counts as the record of another event there. */
static void test_context(struct kunit *test)
{
	unsigned int ours[2], others[2];
	struct pt_regs regs = {};

	local_irq_disable();
	regs.flags = native_save_fl();
	/* The function takes off what the handler has added. */
	preempt_disable();
	ours[0] = ksym_access_ctx_nmi(&regs);
	others[0] = tracing_gen_ctx_dec();
	set_tsk_need_resched(current);
#ifdef CONFIG_ARCH_HAS_PREEMPT_LAZY
	set_tsk_thread_flag(current, TIF_NEED_RESCHED_LAZY);
#endif
	ours[1] = ksym_access_ctx_nmi(&regs);
	others[1] = tracing_gen_ctx_dec();
	preempt_enable_no_resched();
	local_irq_enable();
	/* This clears the flags. */
	schedule();

	KUNIT_EXPECT_EQ(test, ours[0], others[0]);
	KUNIT_EXPECT_EQ(test, ours[1], others[1]);
	KUNIT_EXPECT_NE(test, ours[0], ours[1]);
}

/* What the callback of a watch saw. */
struct called {
	struct ksym_watch	*watch;
	struct ksym_hit_info	last;
	unsigned int		nr;
	u64			hits;
	u64			enabled;
	u64			running;
};

static void on_hit(struct ksym_watch *watch, const struct ksym_hit_info *hit, void *data)
{
	struct called *called = data;

	called->watch = watch;
	called->last = *hit;
	called->nr++;
	called->hits = ksym_watch_read_cpu(watch, raw_smp_processor_id(), &called->enabled,
					   &called->running);
}

/* The callback is called in the trap, whether or not somebody records the event. */
static void test_callback(struct kunit *test)
{
	struct called called = {};
	const struct ksym_watch_attr attr = {
		.name	= "kunit_called",
		.target	= "ksym_test_u64+8",
		.len	= 4,
		.access	= HW_BREAKPOINT_RW,
		.cpus	= cpumask_of(0),
		.limit	= KSYM_WATCH_NO_LIMIT,
		.func	= on_hit,
		.data	= &called,
	};
	u32 *word = (u32 *)&ksym_test_u64[1];
	struct ksym_watch *watch;
	unsigned long size, off;
	char *line;

	WRITE_ONCE(*word, 5);
	watch = ksym_watch_create(&attr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(watch));
	line = ksym_watch_format(watch);
	KUNIT_EXPECT_STREQ(test, line,
			   "ksym_test_u64+0x8:rw len=4 cpu=0 limit=0 name=kunit_called");
	kvfree(line);

	migrate_disable();
	if (!raw_smp_processor_id()) {
		WRITE_ONCE(*word, 6);
		KUNIT_EXPECT_EQ(test, READ_ONCE(called.nr), 1);
	}
	migrate_enable();
	called.nr = 0;
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_word), 0);
	KUNIT_EXPECT_EQ(test, called.nr, 1);
	KUNIT_EXPECT_PTR_EQ(test, called.watch, watch);
	KUNIT_EXPECT_EQ(test, called.last.addr, (unsigned long)word);
	KUNIT_EXPECT_EQ(test, called.last.new, 7);
	KUNIT_EXPECT_EQ(test, called.last.access, HW_BREAKPOINT_W);
	KUNIT_EXPECT_EQ(test, called.last.len, 4);
	KUNIT_EXPECT_EQ(test, called.last.ip, instruction_pointer(called.last.regs));
	KUNIT_EXPECT_TRUE(test, kallsyms_lookup_size_offset(called.last.ip, &size, &off));
	KUNIT_EXPECT_EQ(test, called.last.ip - off, (unsigned long)write_word);
	KUNIT_EXPECT_GT(test, called.running, 0);

	/* The callback does not need the event. */
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("ksym", "kunit_called", 0), 0);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_word), 0);
	KUNIT_EXPECT_EQ(test, called.nr, 2);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_DISABLED), 0);
	ksym_watch_end(watch);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_word), 0);
	KUNIT_EXPECT_EQ(test, called.nr, 2);
}

/* The parts of the CPUs add up, and a disarmed watch counts no time and no hit. */
static void test_read(struct kunit *test)
{
	u64 enabled, running, again, part_enabled, part_running, sum = 0, sum_running = 0;
	struct ksym_watch *watch = prepare("kunit_read", NULL, NULL);
	const u64 cpus = num_online_cpus();
	u64 hits = 0;
	int cpu;

	KUNIT_ASSERT_FALSE(test, IS_ERR(watch));
	KUNIT_EXPECT_EQ(test, ksym_watch_point(watch, &ksym_test_u64[0]), 0);
	wait_for_move(watch);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_first), 0);
	KUNIT_EXPECT_EQ(test, ksym_watch_disarm(watch), 0);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_first), 0);

	KUNIT_EXPECT_EQ(test, ksym_watch_read(watch, &enabled, &running), cpus);
	KUNIT_EXPECT_GT(test, enabled, 0);
	KUNIT_EXPECT_EQ(test, running, enabled);
	for_each_possible_cpu(cpu) {
		hits += ksym_watch_read_cpu(watch, cpu, &part_enabled, &part_running);
		sum += part_enabled;
		sum_running += part_running;
	}
	KUNIT_EXPECT_EQ(test, hits, cpus);
	KUNIT_EXPECT_EQ(test, sum, enabled);
	KUNIT_EXPECT_EQ(test, sum_running, running);
	ksym_watch_read(watch, &again, &running);
	KUNIT_EXPECT_EQ(test, again, enabled);

	KUNIT_EXPECT_EQ(test, ksym_watch_arm(watch), 0);
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_first), 0);
	KUNIT_EXPECT_EQ(test, ksym_watch_read(watch, &again, &running), 2 * cpus);
	KUNIT_EXPECT_GT(test, again, enabled);
	ksym_watch_end(watch);
}

/* Four of the eight pieces of a wide watch are in registers at any time. */
static void test_read_wide(struct kunit *test)
{
	u64 enabled, running;
	struct ksym_watch *watch;

	KUNIT_ASSERT_EQ(test, run("ksym_test_u64:w len=64 flexible", NULL), 0);
	watch = find("ksym_test_u64");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_ASSERT_EQ(test, watch->found.nr_turns, 8);
	do {
		ksym_watch_read(watch, &enabled, &running);
	} while (enabled < 100 * NSEC_PER_MSEC && is_in_time());
	KUNIT_EXPECT_GT(test, running, enabled / 16 * 7);
	KUNIT_EXPECT_LT(test, running, enabled / 16 * 9);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/* Each object's time is in the sum, whoever reads it. */
static void test_read_objects(struct kunit *test)
{
	u64 enabled, running;
	struct ksym_traps traps;
	struct ksym_watch *watch;
	struct ksym_times times;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, run("-1 objects=16 flexible name=kunit_many", NULL), 0);
	watch = find("kunit_many");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	for (i = 0; i < ARRAY_SIZE(test_objects); i++)
		KUNIT_EXPECT_EQ(test, set_object(watch, i), 0);
	/* They take turns. */
	do {
		ksym_watch_read(watch, &enabled, &running);
	} while (running < 100 * NSEC_PER_MSEC && is_in_time());
	KUNIT_EXPECT_EQ(test, run("-kunit_many", NULL), 0);
	ksym_watch_read(watch, &enabled, &running);
	ksym_traps_get(watch, &traps);
	KUNIT_EXPECT_EQ(test, traps.nr, ARRAY_SIZE(test_objects));
	ksym_traps_times(&traps, -1, &times);
	ksym_traps_put(&traps);
	KUNIT_EXPECT_GE(test, running, 100 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, enabled, times.enabled);
	KUNIT_EXPECT_EQ(test, running, times.running);
	KUNIT_EXPECT_EQ(test, run("!kunit_many", NULL), 0);
}

/* A watch of a task sees what this task does. */
static void test_task(struct kunit *test)
{
	const struct ksym_watch_attr attr = {
		.name	= "kunit_task",
		.addr	= ksym_test_u64,
		.len	= 8,
		.task	= current,
		.flexible = IS_ENABLED(CONFIG_HW_BREAKPOINT_FLEXIBLE),
		.limit	= KSYM_WATCH_NO_LIMIT,
		.budget	= KSYM_WATCH_NO_LIMIT,
	};
	struct ksym_watch *watch = ksym_watch_create(&attr);
	u64 enabled, running;

	KUNIT_ASSERT_FALSE(test, IS_ERR(watch));
	KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(write_first), 0);
	/* Its hits are counted on the CPU of each. */
	migrate_disable();
	wait_for_clock();
	WRITE_ONCE(ksym_test_u64[0], 3);
	KUNIT_EXPECT_EQ(test, ksym_watch_read(watch, &enabled, &running), 1);
	KUNIT_EXPECT_GT(test, running, 0);
	KUNIT_EXPECT_EQ(test, ksym_watch_read_cpu(watch, raw_smp_processor_id(), &enabled,
						  &running), 1);
	KUNIT_EXPECT_EQ(test, enabled, 0);
	migrate_enable();
	ksym_watch_end(watch);
}

static void write_u64(struct work_struct *work)
{
	WRITE_ONCE(ksym_test_u64[0], 1);
}

static void write_on(int cpu)
{
	struct work_struct work;

	INIT_WORK_ONSTACK(&work, write_u64);
	schedule_work_on(cpu, &work);
	flush_work(&work);
	destroy_work_on_stack(&work);
}

/*
 * A CPU that comes back online gets the slot reserved for it. If the test steals the
 * reservation and all slots of the CPU are taken meanwhile, the CPU comes up without the
 * watch and is marked uncovered.
 */
static void test_hotplug(struct kunit *test)
{
	const unsigned int cpu = num_possible_cpus() - 1;
	struct hw_breakpoint_reservation *thieves;
	struct perf_event_attr attr;
	struct ksym_watch *watch;
	int i;

	if (!cpu || !cpu_online(cpu))
		kunit_skip(test, "needs two CPUs");
	thieves = kunit_kcalloc(test, HBP_NUM, sizeof(*thieves), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, thieves);

	KUNIT_ASSERT_EQ(test, run("ksym_test_u64:w", NULL), 0);
	watch = find("ksym_test_u64");
	KUNIT_ASSERT_NOT_NULL(test, watch);

	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(cpu, &watch->piece[0].trap->uncovered));
	write_on(cpu);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1);

	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	hw_breakpoint_unreserve_cpus(&watch->piece[0].trap->reservation);
	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)ksym_test_u16;
	attr.bp_len = 2;
	attr.bp_type = HW_BREAKPOINT_W;
	for (i = 0; i < HBP_NUM; i++)
		KUNIT_EXPECT_EQ(test, hw_breakpoint_reserve_cpus(&thieves[i], &attr,
								 cpumask_of(cpu)), 0);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(cpu, &watch->piece[0].trap->uncovered));
	write_on(cpu);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 1);

	/* The CPU is covered again the next time it comes online with a free slot. */
	for (i = 0; i < HBP_NUM; i++)
		hw_breakpoint_unreserve_cpus(&thieves[i]);
	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(cpu, &watch->piece[0].trap->uncovered));
	write_on(cpu);
	KUNIT_EXPECT_EQ(test, ksym_hit_count(watch, KSYM_COUNT_HITS), 2);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
	KUNIT_EXPECT_FALSE(test, hw_breakpoint_is_used());
}

static int ksym_test_init(struct kunit *test)
{
	/* A test removes all watches, so it does not run beside those of others. */
	struct dyn_event *devent;
	int nr = 0;

	mutex_lock(&event_mutex);
	for_each_dyn_event(devent)
		nr += ksym_is_watch(devent);
	mutex_unlock(&event_mutex);
	if (nr)
		kunit_skip(test, "%d watches exist already", nr);
	return 0;
}

static void ksym_test_exit(struct kunit *test)
{
	/* A failed assertion may leave watches. */
	run("0", NULL);
}

static struct kunit_case ksym_test_cases[] = {
	KUNIT_CASE(test_resolve),
	KUNIT_CASE(test_user_end),
	KUNIT_CASE(test_apic),
	KUNIT_CASE(test_resolve_percpu),
	KUNIT_CASE(test_split),
	KUNIT_CASE(test_life),
	KUNIT_CASE(test_read_write),
	KUNIT_CASE(test_dropped),
	KUNIT_CASE(test_lengths),
	KUNIT_CASE(test_transaction),
	KUNIT_CASE(test_lost_memory),
	KUNIT_CASE(test_buffer_is_kept),
	KUNIT_CASE(test_fifth),
	KUNIT_CASE(test_share),
	KUNIT_CASE(test_range),
	KUNIT_CASE(test_two_pieces),
	KUNIT_CASE(test_swapped_pieces),
	KUNIT_CASE(test_changed_piece),
	KUNIT_CASE(test_range_fits),
	KUNIT_CASE(test_bit_field),
	KUNIT_CASE(test_percpu),
	KUNIT_CASE(test_move),
	KUNIT_CASE(test_views),
	KUNIT_CASE(test_lagging),
	KUNIT_CASE(test_window),
	KUNIT_CASE(test_window_count),
	KUNIT_CASE(test_objects_evict),
	KUNIT_CASE(test_object),
	KUNIT_CASE(test_wrong_attrs),
	KUNIT_CASE(test_limits),
	KUNIT_CASE(test_context),
	KUNIT_CASE(test_callback),
	KUNIT_CASE(test_read),
	KUNIT_CASE(test_read_wide),
	KUNIT_CASE(test_read_objects),
	KUNIT_CASE(test_task),
	KUNIT_CASE(test_hotplug),
	KUNIT_CASE_SLOW(test_storm),
	KUNIT_CASE_SLOW(test_limit),
	KUNIT_CASE_SLOW(test_budget),
	KUNIT_CASE(test_debt),
	KUNIT_CASE(test_mute),
	KUNIT_CASE_SLOW(test_count),
	{},
};

static struct kunit_suite ksym_test_suite = {
	.name		= "ksym",
	.init		= ksym_test_init,
	.exit		= ksym_test_exit,
	.test_cases	= ksym_test_cases,
};

kunit_test_suites(&ksym_test_suite);

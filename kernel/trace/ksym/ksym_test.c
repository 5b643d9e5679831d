// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the ksym tracer, step by step and as a whole.
 *
 * They need the four debug registers of each CPU for themselves.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hw_breakpoint.h>
#include <linux/kallsyms.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "ksym.h"

/* What is watched. The tests name them as a user would. */
static u8 ksym_test_u8[8] __aligned(8);
static u16 ksym_test_u16[4] __aligned(8);
static u32 ksym_test_u32[4] __aligned(8);
static u64 ksym_test_u64[8] __aligned(64);
static atomic_t ksym_test_atomic __aligned(8);

/* parse */

struct good_line {
	const char		*line;
	enum ksym_action	action;
	const char		*symbol;
	s64			off;
	u8			access;
	u8			len;
	const char		*name;
};

static const struct good_line good_lines[] = {
	{ "", KSYM_NOTHING },
	{ " \t", KSYM_NOTHING },
	{ "# pid_max:w", KSYM_NOTHING },
	{ "  # a comment", KSYM_NOTHING },
	{ "0", KSYM_REMOVE_ALL },
	{ " 0 ", KSYM_REMOVE_ALL },
	{ "*:---", KSYM_REMOVE_ALL },
	{ "pid_max", KSYM_ADD, "pid_max", 0, 2, 0, "pid_max" },
	{ "  pid_max\t", KSYM_ADD, "pid_max", 0, 2, 0, "pid_max" },
	{ "pid_max:r", KSYM_ADD, "pid_max", 0, 1, 0, "pid_max" },
	{ "pid_max:w", KSYM_ADD, "pid_max", 0, 2, 0, "pid_max" },
	{ "pid_max:rw", KSYM_ADD, "pid_max", 0, 3, 0, "pid_max" },
	{ "pid_max:r--", KSYM_ADD, "pid_max", 0, 1, 0, "pid_max" },
	{ "pid_max:-w-", KSYM_ADD, "pid_max", 0, 2, 0, "pid_max" },
	{ "pid_max:rw-", KSYM_ADD, "pid_max", 0, 3, 0, "pid_max" },
	{ "a:w", KSYM_ADD, "a", 0, 2, 0, "a" },
	{ "w", KSYM_ADD, "w", 0, 2, 0, "w" },
	{ "rw:rw", KSYM_ADD, "rw", 0, 3, 0, "rw" },
	{ "a+8", KSYM_ADD, "a", 8, 2, 0, "a_0x8" },
	{ "a+0x10:rw", KSYM_ADD, "a", 16, 3, 0, "a_0x10" },
	{ "a-4:w len=4", KSYM_ADD, "a", -4, 2, 4, "a_0x4" },
	{ "a+010:w len=08", KSYM_ADD, "a", 10, 2, 8, "a_0xa" },
	{ "a+0X10", KSYM_ADD, "a", 16, 2, 0, "a_0x10" },
	{ "a+0", KSYM_ADD, "a", 0, 2, 0, "a" },
	{ "a+0x7fffffffffffffff", KSYM_ADD, "a", S64_MAX, 2, 0,
	  "a_0x7fffffffffffffff" },
	{ "a len=1", KSYM_ADD, "a", 0, 2, 1, "a" },
	{ "a len=2", KSYM_ADD, "a", 0, 2, 2, "a" },
	{ "a:rw len=0x8 name=b", KSYM_ADD, "a", 0, 3, 8, "b" },
	{ "a name=b_1 len=4", KSYM_ADD, "a", 0, 2, 4, "b_1" },
	{ "a.isra.0", KSYM_ADD, "a.isra.0", 0, 2, 0, "a_isra_0" },
	{ "__a$b", KSYM_ADD, "__a$b", 0, 2, 0, "__a_b" },
	{ "pid_max:---", KSYM_REMOVE_TARGET, "pid_max", 0 },
	{ "a+8:--- ", KSYM_REMOVE_TARGET, "a", 8 },
	{ "!pid_max", KSYM_REMOVE_NAME, .name = "pid_max" },
	{ " !b_1 ", KSYM_REMOVE_NAME, .name = "b_1" },
	{ "0 # all of them", KSYM_REMOVE_ALL },
	{ "*:--- #", KSYM_REMOVE_ALL },
	{ "a:w # len=3", KSYM_ADD, "a", 0, 2, 0, "a" },
	{ "a:rw len=4 #name=b", KSYM_ADD, "a", 0, 3, 4, "a" },
	{ "a:--- # gone", KSYM_REMOVE_TARGET, "a", 0 },
	{ "!a\t#", KSYM_REMOVE_NAME, .name = "a" },
};

static void test_parse_good(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct ksym_error error;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	for (i = 0; i < ARRAY_SIZE(good_lines); i++) {
		const struct good_line *good = &good_lines[i];

		KUNIT_ASSERT_EQ_MSG(test, ksym_parse(good->line, spec, &error),
				    0, "\"%s\"", good->line);
		KUNIT_EXPECT_EQ_MSG(test, spec->action, good->action, "\"%s\"",
				    good->line);
		KUNIT_EXPECT_EQ_MSG(test, spec->off, good->off, "\"%s\"",
				    good->line);
		if (good->symbol)
			KUNIT_EXPECT_STREQ(test, spec->symbol, good->symbol);
		if (good->name)
			KUNIT_EXPECT_STREQ(test, spec->name, good->name);
		if (good->action != KSYM_ADD)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, spec->access, good->access, "\"%s\"",
				    good->line);
		KUNIT_EXPECT_EQ_MSG(test, spec->len, good->len, "\"%s\"",
				    good->line);
	}
}

struct option_line {
	const char		*line;
	/* As they are written back. */
	const char		*text;
	struct ksym_options	opt;
};

#define CPUS_127 \
	"00000000,00000000,00000000,00000000,00000000,00000000,00000000," \
	"00000000,00000000,00000000,00000000,00000000,00000000,00000000,0"

static const struct option_line option_lines[] = {
	{ "a", "", { .limit = KSYM_LIMIT_DEFAULT } },
	{ "a:w pinned", "", { .limit = KSYM_LIMIT_DEFAULT } },
	{ "a:w flexible", " flexible",
	  { .flexible = true, .limit = KSYM_LIMIT_DEFAULT } },
	{ "a flexible len=4 # coverage=12.5%", " flexible",
	  { .flexible = true, .limit = KSYM_LIMIT_DEFAULT } },
	{ "a cpu=0,2-3", " cpu=0,2-3",
	  { .cpus = "0,2-3", .limit = KSYM_LIMIT_DEFAULT } },
	{ "a cpu=0-31:2/8,all", " cpu=0-31:2/8,all",
	  { .cpus = "0-31:2/8,all", .limit = KSYM_LIMIT_DEFAULT } },
	{ "a cpu=" CPUS_127, " cpu=" CPUS_127,
	  { .cpus = CPUS_127, .limit = KSYM_LIMIT_DEFAULT } },
	{ "a pid=1", " pid=1", { .pid = 1 } },
	{ "a pid=0x7fffffff", " pid=2147483647", { .pid = S32_MAX } },
	{ "a inherit pid=7", " pid=7 inherit", { .pid = 7, .inherit = true } },
	{ "a pid=7 cpu=1", " cpu=1 pid=7", { .pid = 7, .cpus = "1" } },
	{ "a limit=0", " limit=0", { .has_limit = true } },
	{ "a limit=1/ms", " limit=1/ms", { .has_limit = true, .limit = 1 } },
	/* A default that is given stays, whatever the default will be. */
	{ "a limit=100/ms", " limit=100/ms",
	  { .has_limit = true, .limit = 100 } },
	{ "a limit=0xffffffff/ms", " limit=4294967295/ms",
	  { .has_limit = true, .limit = U32_MAX } },
	{ "a count=1", " count=1",
	  { .count = 1, .limit = KSYM_LIMIT_DEFAULT } },
	{ "a count=18446744073709551615", " count=18446744073709551615",
	  { .count = U64_MAX, .limit = KSYM_LIMIT_DEFAULT } },
	{ "a count=3 limit=0 name=b flexible len=4 cpu=0-1",
	  " flexible cpu=0-1 limit=0 count=3",
	  { .flexible = true, .has_limit = true, .count = 3, .cpus = "0-1" } },
	{ "a count=3 inherit pinned pid=9 cpu=N",
	  " cpu=N pid=9 inherit count=3",
	  { .inherit = true, .pid = 9, .count = 3, .cpus = "N" } },
};

static void expect_options(struct kunit *test, const char *line,
			   const struct ksym_options *opt,
			   const struct ksym_options *wanted)
{
	KUNIT_EXPECT_EQ_MSG(test, opt->flexible, wanted->flexible, "\"%s\"",
			    line);
	KUNIT_EXPECT_EQ_MSG(test, opt->inherit, wanted->inherit, "\"%s\"",
			    line);
	KUNIT_EXPECT_EQ_MSG(test, opt->has_limit, wanted->has_limit, "\"%s\"",
			    line);
	KUNIT_EXPECT_EQ_MSG(test, opt->pid, wanted->pid, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->limit, wanted->limit, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->count, wanted->count, "\"%s\"", line);
	KUNIT_EXPECT_STREQ_MSG(test, opt->cpus, wanted->cpus, "\"%s\"", line);
}

/* Options mean what they say, and still do when they are written back. */
static void test_parse_options(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	char *line = kunit_kzalloc(test, KSYM_OPTIONS_LEN + 1, GFP_KERNEL);
	struct ksym_error error;
	int i, len;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_ASSERT_NOT_NULL(test, line);
	for (i = 0; i < ARRAY_SIZE(option_lines); i++) {
		const struct option_line *good = &option_lines[i];

		KUNIT_ASSERT_EQ_MSG(test, ksym_parse(good->line, spec, &error),
				    0, "\"%s\"", good->line);
		expect_options(test, good->line, &spec->opt, &good->opt);

		strscpy(line, "a", KSYM_OPTIONS_LEN + 1);
		len = ksym_format_options(line + 1, KSYM_OPTIONS_LEN,
					  &spec->opt);
		KUNIT_EXPECT_EQ(test, len, strlen(good->text));
		KUNIT_EXPECT_STREQ(test, line + 1, good->text);
		KUNIT_ASSERT_EQ_MSG(test, ksym_parse(line, spec, &error), 0,
				    "\"%s\"", line);
		expect_options(test, line, &spec->opt, &good->opt);
	}
}

/* A caret can be put under each of them, and under the symbol if need be. */
static void test_parse_carets(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct ksym_error error;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_ASSERT_EQ(test, 0, ksym_parse("  a:rw", spec, &error));
	KUNIT_EXPECT_EQ(test, spec->symbol_at, 2);
	KUNIT_EXPECT_EQ(test, spec->access_at, 4);
	KUNIT_EXPECT_EQ(test, spec->len_at, 2);
	KUNIT_EXPECT_EQ(test, spec->name_at, 2);
	KUNIT_EXPECT_EQ(test, spec->kind_at, 2);
	KUNIT_EXPECT_EQ(test, spec->cpus_at, 2);
	KUNIT_EXPECT_EQ(test, spec->pid_at, 2);
	KUNIT_EXPECT_EQ(test, spec->limit_at, 2);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse("a flexible cpu=0 limit=0 count=1",
					    spec, &error));
	KUNIT_EXPECT_EQ(test, spec->kind_at, 2);
	KUNIT_EXPECT_EQ(test, spec->cpus_at, 15);
	KUNIT_EXPECT_EQ(test, spec->limit_at, 23);
	KUNIT_EXPECT_EQ(test, spec->count_at, 31);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse("a pinned inherit pid=1 len=4 name=b",
					    spec, &error));
	KUNIT_EXPECT_EQ(test, spec->kind_at, 2);
	KUNIT_EXPECT_EQ(test, spec->inherit_at, 9);
	KUNIT_EXPECT_EQ(test, spec->pid_at, 21);
	KUNIT_EXPECT_EQ(test, spec->len_at, 27);
	KUNIT_EXPECT_EQ(test, spec->name_at, 34);
}

#define NAME_63	"n23456789012345678901234567890123456789012345678901234567890123"

struct bad_line {
	const char	*line;
	enum ksym_err	code;
	unsigned int	at;
};

static const struct bad_line bad_lines[] = {
	{ ":w", KSYM_ERR_NO_SYMBOL, 0 },
	{ "+8", KSYM_ERR_NO_SYMBOL, 0 },
	{ " -8:w", KSYM_ERR_NO_SYMBOL, 1 },
	{ "1a", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "0x1000", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "00", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "a,b", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "a=4", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "a\xe9", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "\xe9", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "a\xa0len=4", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "a:w\xa0len=4", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a\vlen=4", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "*", KSYM_ERR_GLOB, 0 },
	{ "*:w", KSYM_ERR_GLOB, 0 },
	{ "pid_*:w", KSYM_ERR_GLOB, 4 },
	{ "pid_ma?", KSYM_ERR_GLOB, 6 },
	{ "a+", KSYM_ERR_BAD_OFFSET, 2 },
	{ "a+:w", KSYM_ERR_BAD_OFFSET, 2 },
	{ "a+x", KSYM_ERR_BAD_OFFSET, 2 },
	{ "a+0x", KSYM_ERR_BAD_OFFSET, 2 },
	{ "a+1f", KSYM_ERR_BAD_OFFSET, 2 },
	{ "a+-8", KSYM_ERR_BAD_OFFSET, 2 },
	{ "a+8x:w", KSYM_ERR_BAD_OFFSET, 2 },
	{ "a+0x8000000000000000", KSYM_ERR_BAD_OFFSET, 2 },
	{ "a+99999999999999999999", KSYM_ERR_BAD_OFFSET, 2 },
	{ "a+000000000000000000000000008", KSYM_ERR_BAD_OFFSET, 2 },
	{ "a:", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a:x", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a:wr", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a:rwx", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a:w:w", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a: w", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a :w", KSYM_ERR_BAD_OPTION, 2 },
	{ "a w", KSYM_ERR_BAD_OPTION, 2 },
	{ "a:w len", KSYM_ERR_BAD_OPTION, 4 },
	{ "a:w len=", KSYM_ERR_BAD_LEN, 8 },
	{ "a:w len=3", KSYM_ERR_BAD_LEN, 8 },
	{ "a:w len=16", KSYM_ERR_BAD_LEN, 8 },
	{ "a:w len=-4", KSYM_ERR_BAD_LEN, 8 },
	{ "a:w len=4 len=4", KSYM_ERR_DUP_OPTION, 10 },
	{ "a:w name=b name=b", KSYM_ERR_DUP_OPTION, 11 },
	{ "a:w name=", KSYM_ERR_BAD_NAME, 9 },
	{ "a:w name=1b", KSYM_ERR_BAD_NAME, 9 },
	{ "a:w name=b-c", KSYM_ERR_BAD_NAME, 9 },
	{ "a:w name=" NAME_63 "4", KSYM_ERR_BAD_NAME, 9 },
	{ "a:w name=enable", KSYM_ERR_RESERVED_NAME, 9 },
	{ "filter", KSYM_ERR_RESERVED_NAME, 0 },
	{ NAME_63 "4", KSYM_ERR_LONG_NAME, 0 },
	{ NAME_63 "+1:w", KSYM_ERR_LONG_NAME, 0 },
	{ "a pinned=1", KSYM_ERR_BAD_OPTION, 2 },
	{ "a flexibl", KSYM_ERR_BAD_OPTION, 2 },
	{ "a cpu", KSYM_ERR_BAD_OPTION, 2 },
	{ "a# b", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "a:w#", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a len=4#", KSYM_ERR_BAD_LEN, 6 },
	{ "a pinned pinned", KSYM_ERR_DUP_OPTION, 9 },
	{ "a flexible flexible", KSYM_ERR_DUP_OPTION, 11 },
	{ "a cpu=0 cpu=1", KSYM_ERR_DUP_OPTION, 8 },
	{ "a pid=1 pid=1", KSYM_ERR_DUP_OPTION, 8 },
	{ "a inherit pid=1 inherit", KSYM_ERR_DUP_OPTION, 16 },
	{ "a limit=0 limit=0", KSYM_ERR_DUP_OPTION, 10 },
	{ "a count=1 count=2", KSYM_ERR_DUP_OPTION, 10 },
	{ "a pinned flexible", KSYM_ERR_BOTH_KINDS, 9 },
	{ "a flexible len=4 pinned", KSYM_ERR_BOTH_KINDS, 17 },
	{ "a cpu=", KSYM_ERR_BAD_CPUS, 6 },
	{ "a cpu=0;1", KSYM_ERR_BAD_CPUS, 6 },
	{ "a cpu=0\xe9", KSYM_ERR_BAD_CPUS, 6 },
	{ "a cpu=" CPUS_127 "0", KSYM_ERR_BAD_CPUS, 6 },
	{ "a pid=", KSYM_ERR_BAD_PID, 6 },
	{ "a pid=0", KSYM_ERR_BAD_PID, 6 },
	{ "a pid=-1", KSYM_ERR_BAD_PID, 6 },
	{ "a pid=self", KSYM_ERR_BAD_PID, 6 },
	{ "a pid=0x80000000", KSYM_ERR_BAD_PID, 6 },
	{ "a pid=4294967297", KSYM_ERR_BAD_PID, 6 },
	{ "a inherit", KSYM_ERR_INHERIT_PID, 2 },
	{ "a cpu=0 inherit", KSYM_ERR_INHERIT_PID, 8 },
	{ "a limit=", KSYM_ERR_BAD_LIMIT, 8 },
	{ "a limit=5", KSYM_ERR_BAD_LIMIT, 8 },
	{ "a limit=/ms", KSYM_ERR_BAD_LIMIT, 8 },
	{ "a limit=0/ms", KSYM_ERR_BAD_LIMIT, 8 },
	{ "a limit=5/s", KSYM_ERR_BAD_LIMIT, 8 },
	{ "a limit=5/msx", KSYM_ERR_BAD_LIMIT, 8 },
	{ "a limit=0x100000000/ms", KSYM_ERR_BAD_LIMIT, 8 },
	{ "a limit=0 pid=1", KSYM_ERR_TASK_LIMIT, 8 },
	{ "a pid=1 limit=5/ms", KSYM_ERR_TASK_LIMIT, 14 },
	{ "a count=", KSYM_ERR_BAD_COUNT, 8 },
	{ "a count=0", KSYM_ERR_BAD_COUNT, 8 },
	{ "a count=18446744073709551616", KSYM_ERR_BAD_COUNT, 8 },
	{ "a:--- pinned # b", KSYM_ERR_REMOVE_OPTION, 6 },
	{ "a:--- len=4", KSYM_ERR_REMOVE_OPTION, 6 },
	{ "0 a", KSYM_ERR_REMOVE_OPTION, 2 },
	{ "*:--- a", KSYM_ERR_REMOVE_OPTION, 6 },
	{ "!a b", KSYM_ERR_REMOVE_OPTION, 3 },
	{ "!", KSYM_ERR_BAD_NAME, 1 },
	{ "! a", KSYM_ERR_BAD_NAME, 1 },
	{ "!a:w", KSYM_ERR_BAD_NAME, 1 },
};

static void test_parse_bad(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct ksym_error error;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	for (i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		const struct bad_line *bad = &bad_lines[i];

		KUNIT_ASSERT_EQ_MSG(test, ksym_parse(bad->line, spec, &error),
				    -EINVAL, "\"%s\"", bad->line);
		KUNIT_EXPECT_EQ_MSG(test, error.code, bad->code, "\"%s\"",
				    bad->line);
		KUNIT_EXPECT_EQ_MSG(test, error.at, bad->at, "\"%s\"",
				    bad->line);
	}
}

/* The edges of what fits: a name of 63 characters, a symbol of 511. */
static void test_parse_limits(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	char *line = kunit_kzalloc(test, KSYM_SYM_MAX + 32, GFP_KERNEL);
	struct ksym_error error;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_ASSERT_NOT_NULL(test, line);

	KUNIT_EXPECT_EQ(test, ksym_parse(NAME_63 ":w", spec, &error), 0);
	KUNIT_EXPECT_STREQ(test, spec->name, NAME_63);

	memset(line, 's', KSYM_SYM_MAX - 1);
	sprintf(line + KSYM_SYM_MAX - 1, ":w name=x");
	KUNIT_EXPECT_EQ(test, ksym_parse(line, spec, &error), 0);
	KUNIT_EXPECT_EQ(test, strlen(spec->symbol), KSYM_SYM_MAX - 1);

	memset(line, 's', KSYM_SYM_MAX);
	sprintf(line + KSYM_SYM_MAX, ":w name=x");
	KUNIT_EXPECT_EQ(test, ksym_parse(line, spec, &error), -EINVAL);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_SYMBOL_LEN);
}

/* resolve */

struct resolve_case {
	const char	*line;
	const void	*addr;
	u8		len;
	enum ksym_err	code;
	unsigned int	at;
};

static const struct resolve_case resolve_cases[] = {
	{ "ksym_test_u64:w", ksym_test_u64, 8 },
	{ "ksym_test_u64+8:rw", &ksym_test_u64[1], 8 },
	{ "ksym_test_u64+4", (char *)ksym_test_u64 + 4, 4 },
	{ "ksym_test_u64+2", (char *)ksym_test_u64 + 2, 2 },
	{ "ksym_test_u64+7", (char *)ksym_test_u64 + 7, 1 },
	{ "ksym_test_u64+8 len=2", &ksym_test_u64[1], 2 },
	{ "ksym_test_u64+60", (char *)ksym_test_u64 + 60, 4 },
	{ "ksym_test_no_such_symbol:w", .code = KSYM_ERR_NO_SUCH_SYMBOL },
	{ "ksym_parse:w", .code = KSYM_ERR_FUNCTION },
	{ "ksym_parse+4:rw", .code = KSYM_ERR_FUNCTION },
	{ "boot_command_line:w", .code = KSYM_ERR_INIT_MEMORY },
	{ "runqueues:w", .code = KSYM_ERR_PERCPU_SYMBOL },
	{ "ksym_test_u64+1:w len=2", .code = KSYM_ERR_UNALIGNED, .at = 22 },
	{ "ksym_test_u64+4:w len=8", .code = KSYM_ERR_UNALIGNED, .at = 22 },
	/* A hole in the address space, a user address, the direct map. */
	{ "ksym_test_u64-0x7fffffffffff0000", .code = KSYM_ERR_NOT_KERNEL },
	{ "ksym_test_u64+0x7fffffff", .code = KSYM_ERR_NOT_KERNEL },
	{ "ksym_test_u64-0x40000000", .code = KSYM_ERR_NOT_KERNEL },
	{ "ksym_test_u64:r", .code = KSYM_ERR_READ_ONLY, .at = 14 },
};

static void test_resolve(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	for (i = 0; i < ARRAY_SIZE(resolve_cases); i++) {
		const struct resolve_case *c = &resolve_cases[i];
		struct ksym_target target = {};
		struct ksym_error error = {};

		KUNIT_ASSERT_EQ_MSG(test, ksym_parse(c->line, spec, &error), 0,
				    "\"%s\"", c->line);
		if (c->addr) {
			KUNIT_EXPECT_EQ_MSG(test,
					    ksym_resolve(spec, &target, &error),
					    0, "\"%s\"", c->line);
			KUNIT_EXPECT_EQ_MSG(test, target.addr,
					    (unsigned long)c->addr, "\"%s\"",
					    c->line);
			KUNIT_EXPECT_EQ_MSG(test, target.len, c->len, "\"%s\"",
					    c->line);
			continue;
		}
		KUNIT_EXPECT_EQ_MSG(test, ksym_resolve(spec, &target, &error),
				    -EINVAL, "\"%s\"", c->line);
		KUNIT_EXPECT_EQ_MSG(test, error.code, c->code, "\"%s\"",
				    c->line);
		KUNIT_EXPECT_EQ_MSG(test, error.at, c->at, "\"%s\"", c->line);
	}
}

/* the life of a watch */

/* Runs lines as a write to ksym_trace_filter would. */
static int run(const char *text, struct ksym_error *error)
{
	struct ksym_error ignored;
	char *copy = kstrdup(text, GFP_KERNEL);
	int ret;

	if (!copy)
		return -ENOMEM;
	mutex_lock(&dyn_event_ops_mutex);
	ret = ksym_run(copy, error ?: &ignored);
	mutex_unlock(&dyn_event_ops_mutex);
	kfree(copy);
	return ret;
}

static struct ksym_watch *find(const char *name)
{
	struct ksym_watch *watch;

	mutex_lock(&event_mutex);
	watch = ksym_find_watch_locked(name);
	mutex_unlock(&event_mutex);
	return watch;
}

static u64 count(struct ksym_watch *watch, enum ksym_count which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(watch->counts, cpu)->n[which];
	return sum;
}

#define MAX_SEEN 32

struct seen {
	unsigned int	nr;
	struct {
		unsigned long	ip;
		u64		old;
		u64		new;
		u16		access;
	} hits[MAX_SEEN];
};

/* A further user of the event, beside the top instance's buffer. */
static void see_hit(void *data, struct ksym_hit *hit)
{
	struct seen *seen = data;
	unsigned int nr = seen->nr++;

	if (nr >= MAX_SEEN)
		return;
	seen->hits[nr].ip = instruction_pointer(hit->regs);
	seen->hits[nr].old = hit->old;
	seen->hits[nr].new = hit->new;
	seen->hits[nr].access = hit->access;
}

static void look(struct kunit *test, struct ksym_watch *watch,
		 struct seen *seen)
{
	seen->nr = 0;
	KUNIT_ASSERT_EQ(test, 0, tracepoint_probe_register(&watch->tp, see_hit,
							   seen));
}

static void look_away(struct ksym_watch *watch, struct seen *seen)
{
	tracepoint_probe_unregister(&watch->tp, see_hit, seen);
	tracepoint_synchronize_unregister();
}

/* Its own function, so that a hit's ip can be told to lie in it. */
static noinline __noclone void store_u32(u32 *p, u32 val)
{
	WRITE_ONCE(*p, val);
	/* Keeps the store from being a tail of the function. */
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

	KUNIT_ASSERT_EQ(test, run("ksym_test_u32:w len=4", NULL), 0);
	watch = find("ksym_test_u32");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	look(test, watch, seen);

	for (i = 1; i <= 10; i++)
		store_u32(&ksym_test_u32[0], 100 + i);
	/* A write of the same value, one beside it, and a read. */
	store_u32(&ksym_test_u32[0], 110);
	store_u32(&ksym_test_u32[1], 1);
	KUNIT_EXPECT_EQ(test, READ_ONCE(ksym_test_u32[0]), 110);

	KUNIT_EXPECT_EQ(test, seen->nr, 11);
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
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_HITS), 11);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_WRITES), 11);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_READS), 0);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_CHANGES), 10);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_DISABLED), 0);

	look_away(watch, seen);
	KUNIT_EXPECT_EQ(test, run("!ksym_test_u32", NULL), 0);
	KUNIT_EXPECT_NULL(test, find("ksym_test_u32"));
	store_u32(&ksym_test_u32[0], 0);
	KUNIT_EXPECT_EQ(test, seen->nr, 11);
}

/* An rw watch traps reads as well, and does not claim to know which is which. */
static void test_read_write(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	struct ksym_watch *watch;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	ksym_test_u64[0] = 1;
	KUNIT_ASSERT_EQ(test, run("ksym_test_u64:rw", NULL), 0);
	watch = find("ksym_test_u64");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	look(test, watch, seen);

	WRITE_ONCE(ksym_test_u64[0], 0x1122334455667788ull);
	(void)READ_ONCE(ksym_test_u64[0]);
	KUNIT_EXPECT_EQ(test, seen->nr, 2);
	KUNIT_EXPECT_EQ(test, seen->hits[0].old, 1);
	KUNIT_EXPECT_EQ(test, seen->hits[0].new, 0x1122334455667788ull);
	KUNIT_EXPECT_EQ(test, seen->hits[1].old, 0x1122334455667788ull);
	KUNIT_EXPECT_EQ(test, seen->hits[1].new, 0x1122334455667788ull);
	KUNIT_EXPECT_EQ(test, seen->hits[1].access, 0);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_UNKNOWN), 2);

	look_away(watch, seen);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u64:---", NULL), 0);
}

/* Each length sees its own bytes and no others. */
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
		KUNIT_ASSERT_EQ(test, run(lines[i], NULL), 0);
		watch = find(names[i]);
		KUNIT_ASSERT_NOT_NULL(test, watch);
		look(test, watch, seen);

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

		KUNIT_EXPECT_EQ_MSG(test, seen->nr, 1, "\"%s\"", lines[i]);
		KUNIT_EXPECT_EQ_MSG(test, seen->hits[0].old, 0, "\"%s\"",
				    lines[i]);
		KUNIT_EXPECT_EQ_MSG(test, seen->hits[0].new, values[i],
				    "\"%s\"", lines[i]);
		look_away(watch, seen);
		KUNIT_ASSERT_EQ(test, run("0", NULL), 0);
	}
}

/* A text is done as a whole or not at all. */
static void test_transaction(struct kunit *test)
{
	struct ksym_error error;
	struct ksym_watch *watch;

	KUNIT_ASSERT_EQ(test, run("ksym_test_u8:w name=a\n"
				  "\n# nothing\n"
				  "ksym_test_u16:w name=b\n", NULL), 0);
	KUNIT_EXPECT_NOT_NULL(test, find("a"));
	KUNIT_EXPECT_NOT_NULL(test, find("b"));

	/* An error of each step, behind lines that are right. */
	KUNIT_EXPECT_EQ(test, run("!a\nksym_test_u32:w name=c\nx:y", &error),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_BAD_ACCESS);
	KUNIT_EXPECT_EQ(test, run("!a\nksym_test_u32:w name=c\n"
				  "no_such_symbol", &error), -ENOENT);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_NO_SUCH_SYMBOL);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u32:w name=c\n"
				  "__per_cpu_offset:w", &error), -EINVAL);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_CPU_REFUSES);
	KUNIT_EXPECT_EQ(test, run("!a\nksym_test_u32:w name=c\n"
				  "ksym_test_u64:w name=b", &error), -EBUSY);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_WATCH_EXISTS);
	KUNIT_EXPECT_EQ(test, error.at, 21);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u32:w name=c\n"
				  "ksym_test_u64:w name=c", &error), -EBUSY);
	KUNIT_EXPECT_EQ(test, run("!a\n!c", &error), -ENOENT);
	KUNIT_EXPECT_EQ(test, error.code, KSYM_ERR_NO_WATCH);

	/* What was there is there, and works; the slots are free again. */
	KUNIT_EXPECT_NULL(test, find("c"));
	watch = find("a");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_EXPECT_FALSE(test, watch->doomed);
	WRITE_ONCE(ksym_test_u8[0], 1);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_HITS), 1);
	KUNIT_EXPECT_EQ(test, run("ksym_test_u32:w name=c\n"
				  "ksym_test_u64:w name=d", NULL), 0);

	KUNIT_EXPECT_EQ(test, run("*:---", NULL), 0);
	KUNIT_EXPECT_NULL(test, find("a"));
	KUNIT_EXPECT_NULL(test, find("d"));
}

/* The fifth watch finds no register, and the other four do not notice. */
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
		/* Both fit alone, and do not fit together. */
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
		KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_HITS), 1);
		watch = find("w3");
		KUNIT_ASSERT_NOT_NULL(test, watch);
		KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_HITS), 1);
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
 * All CPUs write at once, and each write is counted once, as a hit or as one
 * that the buffer did not take: the buffer keeps the last ones, so it has room.
 */
static void test_storm(struct kunit *test)
{
	struct ksym_watch *watch;

	KUNIT_ASSERT_EQ(test, run("ksym_test_atomic:w len=4 limit=0", NULL), 0);
	watch = find("ksym_test_atomic");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_ASSERT_EQ(test, schedule_on_each_cpu(storm), 0);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_HITS),
			(u64)STORM_WRITES * num_online_cpus());
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_NOBUFFER), 0);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/* A storm past the limit is held down, and the watch goes on after it. */
static void test_limit(struct kunit *test)
{
	struct ksym_watch *watch;
	u64 hits, limited;

	KUNIT_ASSERT_EQ(test, run("ksym_test_atomic:w len=4 limit=1/ms", NULL), 0);
	watch = find("ksym_test_atomic");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_ASSERT_EQ(test, schedule_on_each_cpu(storm), 0);
	hits = count(watch, KSYM_COUNT_HITS);
	limited = count(watch, KSYM_COUNT_LIMITED);
	KUNIT_EXPECT_GT(test, hits, 0);
	KUNIT_EXPECT_GT(test, limited, 0);
	KUNIT_EXPECT_LT(test, hits + limited, (u64)STORM_WRITES * num_online_cpus());

	/* Bounded by KUnit's own time limit. */
	while (count(watch, KSYM_COUNT_HITS) == hits) {
		atomic_inc(&ksym_test_atomic);
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/* However many CPUs write at once, there are no more hits than count= says. */
static void test_count(struct kunit *test)
{
	struct ksym_watch *watch;

	KUNIT_ASSERT_EQ(test, run("ksym_test_atomic:w len=4 limit=0 count=1000", NULL), 0);
	watch = find("ksym_test_atomic");
	KUNIT_ASSERT_NOT_NULL(test, watch);
	KUNIT_ASSERT_EQ(test, schedule_on_each_cpu(storm), 0);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_HITS), 1000);
	KUNIT_EXPECT_TRUE(test, ksym_watch_is_done(watch));
	while (READ_ONCE(watch->trap->armed))
		cond_resched();
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
}

/* What is the same shares, and what is not does not. */
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
	KUNIT_EXPECT_PTR_EQ(test, a->trap, b->trap);
	KUNIT_EXPECT_PTR_NE(test, a->trap, find("c")->trap);
	KUNIT_EXPECT_PTR_NE(test, a->trap, find("d")->trap);
	KUNIT_EXPECT_PTR_NE(test, a->trap, find("e")->trap);
	KUNIT_EXPECT_EQ(test, run("!a\n!c\n!d\n!e", NULL), 0);
	WRITE_ONCE(ksym_test_u64[0], 1);
	KUNIT_EXPECT_EQ(test, count(b, KSYM_COUNT_HITS), 1);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
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
 * A CPU comes back and finds its slot; and one whose slots were all taken
 * meanwhile, which only somebody who robs the reservation can do, comes up
 * uncovered and is said to be.
 */
static void test_hotplug(struct kunit *test)
{
	const unsigned int cpu = num_possible_cpus() - 1;
	struct hw_breakpoint_reservation *thieves;
	struct perf_event_attr attr;
	struct ksym_watch *watch;
	int i;

	if (!cpu || !cpu_online(cpu))
		kunit_skip(test, "there is one CPU");
	thieves = kunit_kcalloc(test, HBP_NUM, sizeof(*thieves), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, thieves);

	KUNIT_ASSERT_EQ(test, run("ksym_test_u64:w", NULL), 0);
	watch = find("ksym_test_u64");
	KUNIT_ASSERT_NOT_NULL(test, watch);

	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(cpu, &watch->trap->uncovered));
	write_on(cpu);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_HITS), 1);

	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	hw_breakpoint_unreserve_cpus(&watch->trap->reservation);
	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)ksym_test_u16;
	attr.bp_len = 2;
	attr.bp_type = HW_BREAKPOINT_W;
	for (i = 0; i < HBP_NUM; i++)
		KUNIT_EXPECT_EQ(test, hw_breakpoint_reserve_cpus(&thieves[i], &attr,
								 cpumask_of(cpu)), 0);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(cpu, &watch->trap->uncovered));
	write_on(cpu);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_HITS), 1);

	/* It is covered when it comes the next time and there is a slot. */
	for (i = 0; i < HBP_NUM; i++)
		hw_breakpoint_unreserve_cpus(&thieves[i]);
	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(cpu, &watch->trap->uncovered));
	write_on(cpu);
	KUNIT_EXPECT_EQ(test, count(watch, KSYM_COUNT_HITS), 2);
	KUNIT_EXPECT_EQ(test, run("0", NULL), 0);
	KUNIT_EXPECT_FALSE(test, hw_breakpoint_is_used());
}

static int ksym_test_init(struct kunit *test)
{
	/* Somebody's watches must not be removed by a test. */
	struct dyn_event *devent;
	int nr = 0;

	mutex_lock(&event_mutex);
	for_each_dyn_event(devent)
		nr += ksym_is_watch(devent);
	mutex_unlock(&event_mutex);
	if (nr)
		kunit_skip(test, "there are %d watches already", nr);
	return 0;
}

static void ksym_test_exit(struct kunit *test)
{
	/* After a failed assertion there may be watches left. */
	run("0", NULL);
}

static struct kunit_case ksym_test_cases[] = {
	KUNIT_CASE(test_parse_good),
	KUNIT_CASE(test_parse_options),
	KUNIT_CASE(test_parse_carets),
	KUNIT_CASE(test_parse_bad),
	KUNIT_CASE(test_parse_limits),
	KUNIT_CASE(test_resolve),
	KUNIT_CASE(test_life),
	KUNIT_CASE(test_read_write),
	KUNIT_CASE(test_lengths),
	KUNIT_CASE(test_transaction),
	KUNIT_CASE(test_fifth),
	KUNIT_CASE(test_share),
	KUNIT_CASE(test_hotplug),
	KUNIT_CASE_SLOW(test_storm),
	KUNIT_CASE_SLOW(test_limit),
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

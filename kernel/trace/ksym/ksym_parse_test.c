// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the ksym tracer's parser. They create no watch.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "ksym_parse.h"

struct good_line {
	const char		*line;
	enum ksym_action	action;
	/* The canonical text. */
	const char		*target;
	u8			access;
	u16			len;
	const char		*name;
	/* NULL for "ksym". */
	const char		*group;
};

#define NOWHERE_NAME	"w_0xffffffffffffffff"

static const struct good_line good_lines[] = {
	{ "", KSYM_NOTHING },
	{ " \t", KSYM_NOTHING },
	{ "# panic_timeout:w", KSYM_NOTHING },
	{ "  # a comment", KSYM_NOTHING },
	{ "0", KSYM_REMOVE_ALL },
	{ " 0 ", KSYM_REMOVE_ALL },
	{ "*:---", KSYM_REMOVE_ALL },
	{ "panic_timeout", KSYM_ADD, "panic_timeout", 2, 0, "panic_timeout" },
	{ "  panic_timeout\t", KSYM_ADD, "panic_timeout", 2, 0, "panic_timeout" },
	{ "panic_timeout:r", KSYM_ADD, "panic_timeout", 1, 0, "panic_timeout" },
	{ "panic_timeout:w", KSYM_ADD, "panic_timeout", 2, 0, "panic_timeout" },
	{ "panic_timeout:rw", KSYM_ADD, "panic_timeout", 3, 0, "panic_timeout" },
	{ "panic_timeout:r--", KSYM_ADD, "panic_timeout", 1, 0, "panic_timeout" },
	{ "panic_timeout:-w-", KSYM_ADD, "panic_timeout", 2, 0, "panic_timeout" },
	{ "panic_timeout:rw-", KSYM_ADD, "panic_timeout", 3, 0, "panic_timeout" },
	{ "a:w", KSYM_ADD, "a", 2, 0, "a" },
	{ "w", KSYM_ADD, "w", 2, 0, "w" },
	{ "args", KSYM_ADD, "args", 2, 0, "args" },
	{ "rw:rw", KSYM_ADD, "rw", 3, 0, "rw" },
	{ "a+8", KSYM_ADD, "a+0x8", 2, 0, "a_0x8" },
	{ "a+0x10:rw", KSYM_ADD, "a+0x10", 3, 0, "a_0x10" },
	{ "a-4:w len=4", KSYM_ADD, "a-0x4", 2, 4, "a_0x4" },
	{ "a+010:w len=08", KSYM_ADD, "a+0xa", 2, 8, "a_0xa" },
	{ "a+0X10", KSYM_ADD, "a+0x10", 2, 0, "a_0x10" },
	{ "a+0", KSYM_ADD, "a", 2, 0, "a" },
	{ "a+0x7fffffffffffffff", KSYM_ADD, "a+0x7fffffffffffffff", 2, 0,
	  "a_0x7fffffffffffffff" },
	{ "a-9223372036854775807", KSYM_ADD, "a-0x7fffffffffffffff", 2, 0,
	  "a_0x7fffffffffffffff" },
	{ "a len=1", KSYM_ADD, "a", 2, 1, "a" },
	{ "a len=3", KSYM_ADD, "a", 2, 3, "a" },
	{ "a len=32", KSYM_ADD, "a", 2, 32, "a" },
	{ "a:rw len=0x8 name=b", KSYM_ADD, "a", 3, 8, "b" },
	{ "a name=b_1 len=4", KSYM_ADD, "a", 2, 4, "b_1" },
	{ "a name=g/b", KSYM_ADD, "a", 2, 0, "b", "g" },
	{ "a.isra.0", KSYM_ADD, "a.isra.0", 2, 0, "a_isra_0" },
	{ "__a$b", KSYM_ADD, "__a$b", 2, 0, "__a_b" },
	{ "a$$b_.", KSYM_ADD, "a$$b_.", 2, 0, "a_b_" },
	{ "$", KSYM_ADD, "$", 2, 0, "_" },
	{ ".a", KSYM_ADD, ".a", 2, 0, "_a" },

	/* A word after ':' is a module's symbol or an access. */
	{ "ext4:foo", KSYM_ADD, "ext4:foo", 2, 0, "foo" },
	{ "ext4:foo+8:rw", KSYM_ADD, "ext4:foo+0x8", 3, 0, "foo_0x8" },
	{ "mod:r:w", KSYM_ADD, "mod:r", 2, 0, "r" },
	{ "mod:rwx:r", KSYM_ADD, "mod:rwx", 1, 0, "rwx" },
	{ "mod:rwxw", KSYM_ADD, "mod:rwxw", 2, 0, "rwxw" },
	{ "mod:w@2", KSYM_ADD, "mod:w@2", 2, 0, "w_2" },
	{ "mod:r+8", KSYM_ADD, "mod:r+0x8", 2, 0, "r_0x8" },
	{ "8021q:vlan_id:w", KSYM_ADD, "8021q:vlan_id", 2, 0, "vlan_id" },
	{ "w:w:w", KSYM_ADD, "w:w", 2, 0, "w" },

	/* One of several symbols or copies. */
	{ "a@2", KSYM_ADD, "a@2", 2, 0, "a_2" },
	{ "a@0x10+8:r", KSYM_ADD, "a@16+0x8", 1, 0, "a_16_0x8" },
	{ "a[cpu3]", KSYM_ADD, "a[cpu3]", 2, 0, "a_cpu3" },
	{ "m:a@4294967295[cpu2147483647]-1", KSYM_ADD,
	  "m:a@4294967295[cpu2147483647]-0x1", 2, 0,
	  "a_4294967295_cpu2147483647_0x1" },

	/* Addresses. */
	{ "0x1000", KSYM_ADD, "0x1000", 2, 0, "w_0x1000" },
	{ "0X00FFff:r len=2", KSYM_ADD, "0xffff", 1, 2, "w_0xffff" },
	{ "0xffffffffffffffff", KSYM_ADD, "0xffffffffffffffff", 2, 0,
	  NOWHERE_NAME },
	{ "0x1000-8:rw", KSYM_ADD, "0x1000-0x8", 3, 0, "w_0x1000_0x8" },
	{ "-1", KSYM_ADD, "-1", 2, 8, NOWHERE_NAME },
	{ "-1:rw len=4 name=g/x", KSYM_ADD, "-1", 3, 4, "x", "g" },

	/* Types. */
	{ "(u32)a", KSYM_ADD, "(u32)a", 2, 0, "a" },
	{ "(task_struct)init_task.comm", KSYM_ADD,
	  "(task_struct)init_task.comm", 2, 0, "init_task_comm" },
	{ "( struct \t rq )runqueues[cpu3].curr->on_cpu:rw", KSYM_ADD,
	  "(struct rq)runqueues[cpu3].curr->on_cpu", 3, 0,
	  "runqueues_cpu3_curr_on_cpu" },
	{ "(unsigned long)a[0x10][2].b[3] len=4", KSYM_ADD,
	  "(unsigned long)a[16][2].b[3]", 2, 4, "a_16_2_b_3" },
	{ "(list_head* *\t*)a->next:r", KSYM_ADD, "(list_head ***)a->next", 1,
	  0, "a_next" },
	{ "(t)m:a@2.b:w", KSYM_ADD, "(t)m:a@2.b", 2, 0, "a_2_b" },
	{ "(t)m:r.b", KSYM_ADD, "(t)m:r.b", 2, 0, "r_b" },
	{ "(t)m:r:w", KSYM_ADD, "(t)m:r", 2, 0, "r" },
	{ "(t)m:r", KSYM_ADD, "(t)m", 1, 0, "m" },
	{ "(t)a.57.b", KSYM_ADD, "(t)a.57.b", 2, 0, "a_57_b" },
	{ "(task_struct)0xffff1234.comm", KSYM_ADD,
	  "(task_struct)0xffff1234.comm", 2, 0, "w_0xffff1234_comm" },
	{ "(t)a[4294967295]", KSYM_ADD, "(t)a[4294967295]", 2, 0,
	  "a_4294967295" },

	{ "panic_timeout:---", KSYM_REMOVE_TARGET, "panic_timeout" },
	{ "a+8:--- ", KSYM_REMOVE_TARGET, "a+0x8" },
	{ "m:a:---", KSYM_REMOVE_TARGET, "m:a" },
	{ "(struct  t)a.b:---", KSYM_REMOVE_TARGET, "(struct t)a.b" },
	{ "-1:---", KSYM_REMOVE_TARGET, "-1" },
	{ "!panic_timeout", KSYM_REMOVE_NAME, .name = "panic_timeout", .group = "" },
	{ " !b_1 ", KSYM_REMOVE_NAME, .name = "b_1", .group = "" },
	{ "!g/b", KSYM_REMOVE_NAME, .name = "b", .group = "g" },
	{ "!g/*", KSYM_REMOVE_NAME, .name = "", .group = "g" },
	{ "-panic_timeout", KSYM_SWITCH_OFF, .name = "panic_timeout", .group = "" },
	{ "  -_1", KSYM_SWITCH_OFF, .name = "_1", .group = "" },
	{ "-g/b # c", KSYM_SWITCH_OFF, .name = "b", .group = "g" },
	{ "+g/* ", KSYM_SWITCH_ON, .name = "", .group = "g" },
	{ "+b", KSYM_SWITCH_ON, .name = "b", .group = "" },
	{ "0 # all of them", KSYM_REMOVE_ALL },
	{ "*:--- #", KSYM_REMOVE_ALL },
	{ "a:w # len=3", KSYM_ADD, "a", 2, 0, "a" },
	{ "a:rw len=4 #name=b", KSYM_ADD, "a", 3, 4, "a" },
	{ "a:--- # gone", KSYM_REMOVE_TARGET, "a" },
	{ "!a\t#", KSYM_REMOVE_NAME, .name = "a", .group = "" },
};

static void expect_target(struct kunit *test, const char *line,
			  const struct ksym_target *target,
			  const struct ksym_target *wanted)
{
	KUNIT_EXPECT_EQ_MSG(test, target->kind, wanted->kind, "\"%s\"", line);
	KUNIT_EXPECT_STREQ_MSG(test, target->type, wanted->type, "\"%s\"",
			       line);
	KUNIT_EXPECT_STREQ_MSG(test, target->module, wanted->module, "\"%s\"",
			       line);
	KUNIT_EXPECT_STREQ_MSG(test, target->symbol, wanted->symbol, "\"%s\"",
			       line);
	KUNIT_EXPECT_EQ_MSG(test, target->nth, wanted->nth, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, target->cpu, wanted->cpu, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, target->addr, wanted->addr, "\"%s\"", line);
	KUNIT_EXPECT_STREQ_MSG(test, target->path, wanted->path, "\"%s\"",
			       line);
	KUNIT_EXPECT_EQ_MSG(test, target->off, wanted->off, "\"%s\"", line);
}

/* The target is formatted as @text, and @text is parsed into the same target. */
static void expect_text(struct kunit *test, const char *line,
			const struct ksym_spec *spec, const char *text)
{
	struct ksym_spec *again = kunit_kzalloc(test, sizeof(*again), GFP_KERNEL);
	char *buf = kunit_kzalloc(test, KSYM_TARGET_LEN + 4, GFP_KERNEL);
	struct ksym_error error;
	int len;

	KUNIT_ASSERT_NOT_NULL(test, again);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	len = ksym_format_target(buf, KSYM_TARGET_LEN, &spec->target);
	KUNIT_EXPECT_EQ_MSG(test, len, strlen(text), "\"%s\"", line);
	KUNIT_ASSERT_STREQ_MSG(test, buf, text, "\"%s\"", line);

	sprintf(buf + len, ":r");
	KUNIT_ASSERT_EQ_MSG(test, ksym_parse(buf, again, &error), 0, "\"%s\"",
			    line);
	expect_target(test, line, &again->target, &spec->target);

	sprintf(buf, "w @%s", text);
	KUNIT_ASSERT_EQ_MSG(test, ksym_parse_dyn(buf, again, &error), 0,
			    "\"%s\"", line);
	expect_target(test, line, &again->target, &spec->target);
	kunit_kfree(test, buf);
	kunit_kfree(test, again);
}

static void test_good(struct kunit *test)
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
		KUNIT_EXPECT_FALSE_MSG(test, spec->lazy, "\"%s\"", good->line);
		if (good->target)
			expect_text(test, good->line, spec, good->target);
		if (good->name) {
			KUNIT_EXPECT_STREQ_MSG(test, spec->name, good->name,
					       "\"%s\"", good->line);
			KUNIT_EXPECT_STREQ_MSG(test, spec->group,
					       good->group ?: KSYM_GROUP,
					       "\"%s\"", good->line);
		}
		if (good->action != KSYM_ADD)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, spec->access, good->access, "\"%s\"",
				    good->line);
		KUNIT_EXPECT_EQ_MSG(test, spec->len, good->len, "\"%s\"",
				    good->line);
		KUNIT_EXPECT_EQ_MSG(test, spec->args_at, 0, "\"%s\"",
				    good->line);
	}
}

static const struct {
	const char		*line;
	struct ksym_target	target;
} targets[] = {
	{ "panic_timeout", { .symbol = "panic_timeout", .cpu = -1 } },
	{ "ext4:a@2[cpu3]-8",
	  { .module = "ext4", .symbol = "a", .nth = 2, .cpu = 3, .off = -8 } },
	{ "a[cpu0]", { .symbol = "a", .cpu = 0 } },
	{ "(struct  rq *)m:a.1@7[cpu0].b->c[0x2]",
	  { .type = "struct rq *", .module = "m", .symbol = "a.1", .nth = 7,
	    .cpu = 0, .path = ".b->c[2]" } },
	{ "0xffffffff81000000+16",
	  { .kind = KSYM_AT_ADDRESS, .addr = 0xffffffff81000000, .cpu = -1,
	    .off = 16 } },
	{ "(t)0x10->a",
	  { .kind = KSYM_AT_ADDRESS, .type = "t", .addr = 16, .cpu = -1,
	    .path = "->a" } },
	{ "-1", { .kind = KSYM_NOWHERE, .cpu = -1 } },
	{ "a:---", { .symbol = "a", .cpu = -1 } },
};

/* Each part of a target is parsed into its own field. */
static void test_targets(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct ksym_error error;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		KUNIT_ASSERT_EQ_MSG(test, ksym_parse(targets[i].line, spec,
						     &error), 0, "\"%s\"",
				    targets[i].line);
		expect_target(test, targets[i].line, &spec->target,
			      &targets[i].target);
	}
}

struct option_line {
	const char		*line;
	/* The canonical text. */
	const char		*text;
	struct ksym_options	opt;
};

#define CPUS_127 \
	"00000000,00000000,00000000,00000000,00000000,00000000,00000000," \
	"00000000,00000000,00000000,00000000,00000000,00000000,00000000,0"

static const struct option_line option_lines[] = {
	{ "a", "", { } },
	{ "a:w pinned", "", { } },
	{ "a:w flexible", " flexible",
	  { .flexible = true } },
	{ "a flexible len=4 # coverage=12.5%", " flexible",
	  { .flexible = true } },
	{ "a cpu=0,2-3", " cpu=0,2-3",
	  { .cpus = "0,2-3" } },
	{ "a cpu=0-31:2/8,all", " cpu=0-31:2/8,all",
	  { .cpus = "0-31:2/8,all" } },
	{ "a cpu=" CPUS_127, " cpu=" CPUS_127,
	  { .cpus = CPUS_127 } },
	{ "a pid=1", " pid=1", { .pid = 1 } },
	{ "a pid=0x7fffffff", " pid=2147483647", { .pid = S32_MAX } },
	{ "a inherit pid=7", " pid=7 inherit", { .pid = 7, .inherit = true } },
	{ "a pid=7 cpu=1", " cpu=1 pid=7", { .pid = 7, .cpus = "1" } },
	{ "a limit=0", " limit=0", { .has_limit = true } },
	{ "a limit=1/ms", " limit=1/ms", { .has_limit = true, .limit = 1 } },
	/* A given limit is kept even if it is the default, as the default may change. */
	{ "a limit=100/ms", " limit=100/ms",
	  { .has_limit = true, .limit = 100 } },
	{ "a limit=0xffffffff/ms", " limit=4294967295/ms",
	  { .has_limit = true, .limit = U32_MAX } },
	{ "a pid=1 limit=5/ms", " pid=1 limit=5/ms",
	  { .pid = 1, .has_limit = true, .limit = 5 } },
	{ "a budget=0", " budget=0", { .has_budget = true } },
	{ "a budget=1%", " budget=1%", { .has_budget = true, .budget = 1 } },
	{ "a pid=3 budget=0x5a% limit=0", " pid=3 limit=0 budget=90%",
	  { .pid = 3, .has_limit = true, .has_budget = true, .budget = 90 } },
	{ "-1 objects=16 timeout=90s", " objects=16 timeout=90s",
	  { .objects = 16, .timeout = 90000000000 } },
	{ "-1 timeout=1500ms", " timeout=1500ms", { .timeout = 1500000000 } },
	{ "-1 timeout=2000us", " timeout=2ms", { .timeout = 2000000 } },
	{ "-1 timeout=7ns", " timeout=7ns", { .timeout = 7 } },
	{ "a count=1", " count=1",
	  { .count = 1 } },
	{ "a count=9223372036854775807", " count=9223372036854775807",
	  { .count = S64_MAX } },
	{ "a count=3 limit=0 name=b flexible len=4 cpu=0-1",
	  " flexible cpu=0-1 limit=0 count=3",
	  { .flexible = true, .has_limit = true, .count = 3, .cpus = "0-1" } },
	{ "a count=3 inherit pinned pid=9 cpu=N",
	  " cpu=N pid=9 inherit count=3",
	  { .inherit = true, .pid = 9, .count = 3, .cpus = "N" } },
	{ "a changed", " changed",
	  { .changed = true } },
	{ "a:w wrote", " wrote",
	  { .wrote = true } },
	{ "a:r stack # b", " stack",
	  { .stack = true } },
	{ "a:rw ustack", " ustack",
	  { .ustack = true } },
	{ "a off count=1", " count=1 off", { .count = 1, .off = true } },
	{ "a every=1", " every=1", { .every = 1 } },
	{ "a every=~0x10 count=2", " count=2 every=~16",
	  { .every = 16, .every_random = true, .count = 2 } },
	{ "a every=4294967295", " every=4294967295", { .every = U32_MAX } },
	{ "a ustack stack pid=1 wrote count=2 changed flexible",
	  " flexible pid=1 count=2 changed wrote stack ustack",
	  { .flexible = true, .changed = true, .wrote = true, .stack = true,
	    .ustack = true, .pid = 1, .count = 2 } },
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
	KUNIT_EXPECT_EQ_MSG(test, opt->changed, wanted->changed, "\"%s\"",
			    line);
	KUNIT_EXPECT_EQ_MSG(test, opt->wrote, wanted->wrote, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->objects, wanted->objects, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->timeout, wanted->timeout, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->stack, wanted->stack, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->ustack, wanted->ustack, "\"%s\"",
			    line);
	KUNIT_EXPECT_EQ_MSG(test, opt->every, wanted->every, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->every_random, wanted->every_random, "\"%s\"",
			    line);
	KUNIT_EXPECT_EQ_MSG(test, opt->off, wanted->off, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->pid, wanted->pid, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->has_budget, wanted->has_budget, "\"%s\"",
			    line);
	KUNIT_EXPECT_EQ_MSG(test, opt->limit, wanted->has_limit ?
			    wanted->limit : KSYM_LIMIT_DEFAULT, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->budget, wanted->has_budget ?
			    wanted->budget : KSYM_BUDGET_DEFAULT, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, opt->count, wanted->count, "\"%s\"", line);
	KUNIT_EXPECT_STREQ_MSG(test, opt->cpus, wanted->cpus, "\"%s\"", line);
}

/* Options are parsed, and their formatted text is parsed into the same options. */
static void test_options(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	char *line = kunit_kzalloc(test, KSYM_OPTIONS_LEN + 4, GFP_KERNEL);
	struct ksym_error error;
	int i, len, target_len;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_ASSERT_NOT_NULL(test, line);
	for (i = 0; i < ARRAY_SIZE(option_lines); i++) {
		const struct option_line *good = &option_lines[i];

		KUNIT_ASSERT_EQ_MSG(test, ksym_parse(good->line, spec, &error),
				    0, "\"%s\"", good->line);
		expect_options(test, good->line, &spec->opt, &good->opt);

		target_len = ksym_format_target(line, 4, &spec->target);
		len = ksym_format_options(line + target_len, KSYM_OPTIONS_LEN,
					  &spec->opt);
		KUNIT_EXPECT_EQ(test, len, strlen(good->text));
		KUNIT_EXPECT_STREQ(test, line + target_len, good->text);
		KUNIT_ASSERT_EQ_MSG(test, ksym_parse(line, spec, &error), 0,
				    "\"%s\"", line);
		expect_options(test, line, &spec->opt, &good->opt);
	}
}

static const struct {
	const char	*line;
	/* What follows the words; NULL where a word is missing. */
	const char	*args;
	const char	*filter;
	/* The canonical text. */
	const char	*actions;
} clause_lines[] = {
	{ "a len=4", NULL, NULL, "" },
	{ "a args $comm b=@c", "$comm b=@c", NULL, "" },
	{ "a args  $comm \t # if", "$comm", NULL, "" },
	{ "a if new > 1", NULL, "new > 1", "" },
	{ "a len=4 if  new>1 ||  old == 2 # then", NULL, "new>1 ||  old == 2", "" },
	{ "a args $comm if b then panic", "$comm", "b", " then panic" },
	{ "a then signal=9", NULL, NULL, " then signal=9" },
	{ "a then panic , traceoff", NULL, NULL, " then traceoff,panic" },
	{ "a then signal=64,\tsnapshot,traceoff # x", NULL, NULL,
	  " then traceoff,snapshot,signal=64" },
	{ "a args b=if:u8 c=then", "b=if:u8 c=then", NULL, "" },
	/* Between quotes, the words are text. */
	{ "a if comm == \"x if then args # y\" && new # z", NULL,
	  "comm == \"x if then args # y\" && new", "" },
	{ "a if comm == ' then ' then traceoff", NULL, "comm == ' then '", " then traceoff" },
	{ "a if comm == \"'\" then panic", NULL, "comm == \"'\"", " then panic" },
	{ "a if comm == \"then panic ", NULL, "comm == \"then panic", "" },
	{ "a args \\\"b\" if c", "\\\"b\"", "c", "" },
	/* The first word is the target. */
	{ "if then panic", NULL, NULL, " then panic" },
	{ "then if new", NULL, "new", "" },
};

static void expect_clause(struct kunit *test, const char *line, unsigned int at,
			  unsigned int len, const char *wanted)
{
	KUNIT_EXPECT_EQ_MSG(test, !at, !wanted, "\"%s\"", line);
	KUNIT_EXPECT_EQ_MSG(test, len, wanted ? strlen(wanted) : 0, "\"%s\"", line);
	if (wanted)
		KUNIT_EXPECT_MEMEQ_MSG(test, line + at, wanted, len, "\"%s\"", line);
}

/* Clauses end where the next one or a comment begins. */
static void test_clauses(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	char text[KSYM_ACTIONS_LEN];
	struct ksym_error error;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	for (i = 0; i < ARRAY_SIZE(clause_lines); i++) {
		const char *line = clause_lines[i].line;

		KUNIT_ASSERT_EQ_MSG(test, ksym_parse(line, spec, &error), 0, "\"%s\"", line);
		expect_clause(test, line, spec->args_at, spec->args_len,
			      clause_lines[i].args);
		expect_clause(test, line, spec->filter_at, spec->filter_len,
			      clause_lines[i].filter);
		KUNIT_EXPECT_EQ(test, ksym_format_actions(text, sizeof(text), &spec->opt),
				strlen(clause_lines[i].actions));
		KUNIT_EXPECT_STREQ_MSG(test, text, clause_lines[i].actions, "\"%s\"", line);
		KUNIT_EXPECT_EQ_MSG(test, !spec->then_at, !clause_lines[i].actions[0],
				    "\"%s\"", line);
	}
}

/* Each part has a position for a caret; a missing part has the target's. */
static void test_carets(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct ksym_error error;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_ASSERT_EQ(test, 0, ksym_parse("  a:rw", spec, &error));
	KUNIT_EXPECT_EQ(test, spec->symbol_at, 2);
	KUNIT_EXPECT_EQ(test, spec->access_at, 4);
	KUNIT_EXPECT_EQ(test, spec->type_at, 2);
	KUNIT_EXPECT_EQ(test, spec->module_at, 2);
	KUNIT_EXPECT_EQ(test, spec->nth_at, 2);
	KUNIT_EXPECT_EQ(test, spec->cpu_at, 2);
	KUNIT_EXPECT_EQ(test, spec->path_at, 2);
	KUNIT_EXPECT_EQ(test, spec->off_at, 2);
	KUNIT_EXPECT_EQ(test, spec->len_at, 2);
	KUNIT_EXPECT_EQ(test, spec->name_at, 2);
	KUNIT_EXPECT_EQ(test, spec->kind_at, 2);
	KUNIT_EXPECT_EQ(test, spec->cpus_at, 2);
	KUNIT_EXPECT_EQ(test, spec->pid_at, 2);
	KUNIT_EXPECT_EQ(test, spec->inherit_at, 2);
	KUNIT_EXPECT_EQ(test, spec->limit_at, 2);
	KUNIT_EXPECT_EQ(test, spec->count_at, 2);
	KUNIT_EXPECT_EQ(test, spec->every_at, 2);
	KUNIT_EXPECT_EQ(test, spec->changed_at, 2);
	KUNIT_EXPECT_EQ(test, spec->wrote_at, 2);
	KUNIT_EXPECT_EQ(test, spec->stack_at, 2);
	KUNIT_EXPECT_EQ(test, spec->ustack_at, 2);
	KUNIT_EXPECT_EQ(test, spec->off_option_at, 2);
	KUNIT_EXPECT_EQ(test, spec->args_at, 0);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse(" ( t)m:a@2[cpu3].b:r", spec, &error));
	KUNIT_EXPECT_EQ(test, spec->type_at, 3);
	KUNIT_EXPECT_EQ(test, spec->module_at, 5);
	KUNIT_EXPECT_EQ(test, spec->symbol_at, 7);
	KUNIT_EXPECT_EQ(test, spec->nth_at, 9);
	KUNIT_EXPECT_EQ(test, spec->cpu_at, 14);
	KUNIT_EXPECT_EQ(test, spec->path_at, 16);
	KUNIT_EXPECT_EQ(test, spec->access_at, 19);
	KUNIT_EXPECT_EQ(test, spec->off_at, 1);
	KUNIT_EXPECT_EQ(test, spec->len_at, 1);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse("(t)a:r", spec, &error));
	KUNIT_EXPECT_EQ(test, spec->symbol_at, 3);
	KUNIT_EXPECT_EQ(test, spec->module_at, 0);
	KUNIT_EXPECT_EQ(test, spec->path_at, 0);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse(" 0x10+8", spec, &error));
	KUNIT_EXPECT_EQ(test, spec->symbol_at, 1);
	KUNIT_EXPECT_EQ(test, spec->off_at, 5);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse("a flexible cpu=0 limit=0 count=1",
					    spec, &error));
	KUNIT_EXPECT_EQ(test, spec->kind_at, 2);
	KUNIT_EXPECT_EQ(test, spec->cpus_at, 15);
	KUNIT_EXPECT_EQ(test, spec->limit_at, 23);
	KUNIT_EXPECT_EQ(test, spec->count_at, 31);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse("a pinned inherit pid=1 len=4 name=g/b",
					    spec, &error));
	KUNIT_EXPECT_EQ(test, spec->kind_at, 2);
	KUNIT_EXPECT_EQ(test, spec->inherit_at, 9);
	KUNIT_EXPECT_EQ(test, spec->pid_at, 21);
	KUNIT_EXPECT_EQ(test, spec->len_at, 27);
	KUNIT_EXPECT_EQ(test, spec->name_at, 34);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse("a ustack changed stack wrote", spec,
					    &error));
	KUNIT_EXPECT_EQ(test, spec->ustack_at, 2);
	KUNIT_EXPECT_EQ(test, spec->changed_at, 9);
	KUNIT_EXPECT_EQ(test, spec->stack_at, 17);
	KUNIT_EXPECT_EQ(test, spec->wrote_at, 23);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse("a changed off every=~2", spec, &error));
	KUNIT_EXPECT_EQ(test, spec->off_option_at, 10);
	KUNIT_EXPECT_EQ(test, spec->every_at, 20);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse("!g/b", spec, &error));
	KUNIT_EXPECT_EQ(test, spec->name_at, 1);
	KUNIT_ASSERT_EQ(test, 0, ksym_parse(" -g/*", spec, &error));
	KUNIT_EXPECT_EQ(test, spec->name_at, 2);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse("a len=4 args  $comm b=@c # d",
					    spec, &error));
	KUNIT_EXPECT_EQ(test, spec->args_at, 14);
	/* Words after "args" are not options. */
	KUNIT_ASSERT_EQ(test, 0, ksym_parse("a args len=4", spec, &error));
	KUNIT_EXPECT_EQ(test, spec->args_at, 7);
	KUNIT_EXPECT_EQ(test, spec->len, 0);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse_dyn("w:g/b r@m:a+8:2 $comm", spec,
						&error));
	KUNIT_EXPECT_EQ(test, spec->name_at, 2);
	KUNIT_EXPECT_EQ(test, spec->access_at, 6);
	KUNIT_EXPECT_EQ(test, spec->module_at, 8);
	KUNIT_EXPECT_EQ(test, spec->symbol_at, 10);
	KUNIT_EXPECT_EQ(test, spec->off_at, 11);
	KUNIT_EXPECT_EQ(test, spec->len_at, 14);
	KUNIT_EXPECT_EQ(test, spec->args_at, 16);
	KUNIT_EXPECT_EQ(test, spec->type_at, 8);

	KUNIT_ASSERT_EQ(test, 0, ksym_parse_dyn(" w @a", spec, &error));
	KUNIT_EXPECT_EQ(test, spec->name_at, 4);
	KUNIT_EXPECT_EQ(test, spec->access_at, 4);
	KUNIT_EXPECT_EQ(test, spec->len_at, 4);
	KUNIT_EXPECT_EQ(test, spec->args_at, 0);
}

#define NAME_63	"n23456789012345678901234567890123456789012345678901234567890123"

#define MODULE_55	"m234567890123456789012345678901234567890123456789012345"

struct bad_line {
	const char	*line;
	enum ksym_err	code;
	unsigned int	at;
};

static const struct bad_line bad_lines[] = {
	{ ":w", KSYM_ERR_NO_SYMBOL, 0 },
	{ "+8", KSYM_ERR_NO_SYMBOL, 0 },
	{ " -8:w", KSYM_ERR_NO_SYMBOL, 1 },
	{ "-", KSYM_ERR_NO_SYMBOL, 0 },
	{ "+ a", KSYM_ERR_NO_SYMBOL, 0 },
	{ "-1a", KSYM_ERR_NO_SYMBOL, 0 },
	{ "-:g/b", KSYM_ERR_DYN_REMOVAL, 0 },
	{ "-*", KSYM_ERR_BAD_NAME, 1 },
	{ "+a:w", KSYM_ERR_BAD_NAME, 1 },
	{ "-g/", KSYM_ERR_BAD_NAME, 3 },
	{ "+g/a*", KSYM_ERR_BAD_NAME, 3 },
	{ "!/*", KSYM_ERR_BAD_GROUP, 1 },
	{ "-g-/*", KSYM_ERR_BAD_GROUP, 1 },
	{ "-g/* b", KSYM_ERR_REMOVE_OPTION, 5 },
	{ "+b len=4", KSYM_ERR_REMOVE_OPTION, 3 },
	{ "a off off", KSYM_ERR_DUP_OPTION, 6 },
	{ "a every=", KSYM_ERR_BAD_EVERY, 8 },
	{ "a every=0", KSYM_ERR_BAD_EVERY, 8 },
	{ "a every=~", KSYM_ERR_BAD_EVERY, 8 },
	{ "a every=~0", KSYM_ERR_BAD_EVERY, 8 },
	{ "a every=-1", KSYM_ERR_BAD_EVERY, 8 },
	{ "a every=4294967296", KSYM_ERR_BAD_EVERY, 8 },
	{ "a if", KSYM_ERR_NO_FILTER, 4 },
	{ "a if # b", KSYM_ERR_NO_FILTER, 5 },
	{ "a if then panic", KSYM_ERR_NO_FILTER, 5 },
	{ "a args if b", KSYM_ERR_NO_ARGS, 7 },
	{ "a if b args c", KSYM_ERR_CLAUSE_ORDER, 7 },
	{ "a then panic if b", KSYM_ERR_CLAUSE_ORDER, 13 },
	{ "a if b if c", KSYM_ERR_CLAUSE_ORDER, 7 },
	{ "a then", KSYM_ERR_BAD_ACTION, 6 },
	{ "a then # b", KSYM_ERR_BAD_ACTION, 7 },
	{ "a then panic,", KSYM_ERR_BAD_ACTION, 13 },
	{ "a then ,panic", KSYM_ERR_BAD_ACTION, 7 },
	{ "a then panic,,", KSYM_ERR_BAD_ACTION, 13 },
	{ "a then panics", KSYM_ERR_BAD_ACTION, 7 },
	{ "a then panic traceoff", KSYM_ERR_BAD_ACTION, 13 },
	{ "a then panic, traceoff len=4", KSYM_ERR_BAD_ACTION, 23 },
	{ "a then panic,panic", KSYM_ERR_DUP_ACTION, 13 },
	{ "a then signal=1,signal=1", KSYM_ERR_DUP_ACTION, 16 },
	{ "a then signal=", KSYM_ERR_BAD_SIGNAL, 14 },
	{ "a then signal=0", KSYM_ERR_BAD_SIGNAL, 14 },
	{ "a then traceoff,signal=65", KSYM_ERR_BAD_SIGNAL, 23 },
	{ "a then signal=KILL", KSYM_ERR_BAD_SIGNAL, 14 },
	{ "a then traceoff,panic,snapshot", KSYM_ERR_PANIC_ALONE, 7 },
	{ "a then signal=9,panic", KSYM_ERR_PANIC_ALONE, 7 },
	{ "a:--- if b", KSYM_ERR_REMOVE_OPTION, 6 },
	{ "1a", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "00", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "a,b", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "a=4", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "a\xe9", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "\xe9", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "a\xa0len=4", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "a:w\xa0len=4", KSYM_ERR_BAD_SYMBOL, 3 },
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
	{ "a:w:", KSYM_ERR_BAD_ACCESS, 4 },
	{ "a:w:x", KSYM_ERR_BAD_ACCESS, 4 },
	{ "m:a:foo", KSYM_ERR_BAD_ACCESS, 4 },
	{ "m:a:w:w", KSYM_ERR_BAD_ACCESS, 4 },
	{ "a.b:foo", KSYM_ERR_BAD_ACCESS, 4 },
	{ "a@1:foo", KSYM_ERR_BAD_ACCESS, 4 },
	{ "a+8:foo", KSYM_ERR_BAD_ACCESS, 4 },
	{ "(t)a.b:foo", KSYM_ERR_BAD_ACCESS, 7 },
	{ "0x10:foo", KSYM_ERR_BAD_ACCESS, 5 },
	{ "-1:foo", KSYM_ERR_BAD_ACCESS, 3 },
	{ "a:-", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a:r-x", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a: w", KSYM_ERR_BAD_ACCESS, 2 },
	{ "a :w", KSYM_ERR_BAD_OPTION, 2 },
	{ "a w", KSYM_ERR_BAD_OPTION, 2 },
	{ "a:w len", KSYM_ERR_BAD_OPTION, 4 },
	{ "a:w len=", KSYM_ERR_BAD_LEN, 8 },
	{ "a:w len=0", KSYM_ERR_BAD_LEN, 8 },
	{ "a:w len=33", KSYM_ERR_WIDE, 8 },
	{ "a:w len=16384 changed", KSYM_ERR_WIDE, 8 },
	{ "a:w flexible len=16385", KSYM_ERR_BAD_LEN, 17 },
	{ "a:w len=65537", KSYM_ERR_BAD_LEN, 8 },
	{ "a:w len=-4", KSYM_ERR_BAD_LEN, 8 },
	{ "a:w len=4 len=4", KSYM_ERR_DUP_OPTION, 10 },
	{ "a:w name=b name=b", KSYM_ERR_DUP_OPTION, 11 },
	{ "a:w name=", KSYM_ERR_BAD_NAME, 9 },
	{ "a:w name=1b", KSYM_ERR_BAD_NAME, 9 },
	{ "a:w name=b-c", KSYM_ERR_BAD_NAME, 9 },
	{ "a:w name=" NAME_63 "4", KSYM_ERR_BAD_NAME, 9 },
	{ "a:w name=enable", KSYM_ERR_RESERVED_NAME, 9 },
	{ "filter", KSYM_ERR_RESERVED_NAME, 0 },
	{ "a:w name=enable/b", KSYM_ERR_RESERVED_NAME, 9 },
	{ "a:w name=header_page/b", KSYM_ERR_RESERVED_NAME, 9 },
	{ "a:w name=header_event/b", KSYM_ERR_RESERVED_NAME, 9 },
	{ NAME_63 "4", KSYM_ERR_LONG_NAME, 0 },
	{ NAME_63 "+1:w", KSYM_ERR_LONG_NAME, 0 },
	{ "a:w name=/b", KSYM_ERR_BAD_GROUP, 9 },
	{ "a:w name=1/b", KSYM_ERR_BAD_GROUP, 9 },
	{ "a:w name=" NAME_63 "4/b", KSYM_ERR_BAD_GROUP, 9 },
	{ "a:w name=g/", KSYM_ERR_BAD_NAME, 11 },
	{ "a:w name=g/1", KSYM_ERR_BAD_NAME, 11 },
	{ "a:w name=g/b/c", KSYM_ERR_BAD_NAME, 11 },
	{ "a:w name=g/filter", KSYM_ERR_RESERVED_NAME, 9 },
	{ "(t)filter", KSYM_ERR_RESERVED_NAME, 0 },
	{ "(t)" NAME_63 ".b", KSYM_ERR_LONG_NAME, 0 },
	{ "a pinned=1", KSYM_ERR_BAD_OPTION, 2 },
	{ "a flexibl", KSYM_ERR_BAD_OPTION, 2 },
	{ "a cpu", KSYM_ERR_BAD_OPTION, 2 },
	{ "a# b", KSYM_ERR_BAD_SYMBOL, 1 },
	{ "a:w#", KSYM_ERR_BAD_SYMBOL, 3 },
	{ "a:rw:w#", KSYM_ERR_BAD_ACCESS, 5 },
	{ "a len=4#", KSYM_ERR_BAD_LEN, 6 },
	{ "a pinned pinned", KSYM_ERR_DUP_OPTION, 9 },
	{ "a flexible flexible", KSYM_ERR_DUP_OPTION, 11 },
	{ "a cpu=0 cpu=1", KSYM_ERR_DUP_OPTION, 8 },
	{ "a pid=1 pid=1", KSYM_ERR_DUP_OPTION, 8 },
	{ "a inherit pid=1 inherit", KSYM_ERR_DUP_OPTION, 16 },
	{ "a limit=0 limit=0", KSYM_ERR_DUP_OPTION, 10 },
	{ "a count=1 count=2", KSYM_ERR_DUP_OPTION, 10 },
	{ "a changed changed", KSYM_ERR_DUP_OPTION, 10 },
	{ "a wrote changed wrote", KSYM_ERR_DUP_OPTION, 16 },
	{ "a stack stack", KSYM_ERR_DUP_OPTION, 8 },
	{ "a ustack stack ustack", KSYM_ERR_DUP_OPTION, 15 },
	{ "a change", KSYM_ERR_BAD_OPTION, 2 },
	{ "a changed=1", KSYM_ERR_BAD_OPTION, 2 },
	{ "a wrote=", KSYM_ERR_BAD_OPTION, 2 },
	{ "a stacks", KSYM_ERR_BAD_OPTION, 2 },
	{ "a:--- stack", KSYM_ERR_REMOVE_OPTION, 6 },
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
	{ "a budget=", KSYM_ERR_BAD_BUDGET, 9 },
	{ "a budget=%", KSYM_ERR_BAD_BUDGET, 9 },
	{ "a budget=10", KSYM_ERR_BAD_BUDGET, 9 },
	{ "a budget=0%", KSYM_ERR_BAD_BUDGET, 9 },
	{ "a budget=91%", KSYM_ERR_BAD_BUDGET, 9 },
	{ "a budget=5%%", KSYM_ERR_BAD_BUDGET, 9 },
	{ "a budget=-5%", KSYM_ERR_BAD_BUDGET, 9 },
	{ "a budget=0x10000000000000001%", KSYM_ERR_BAD_BUDGET, 9 },
	{ "a budget=5% pid=1 budget=5%", KSYM_ERR_DUP_OPTION, 18 },
	{ "a objects=2", KSYM_ERR_NO_OBJECTS, 10 },
	{ "a timeout=1s", KSYM_ERR_NO_OBJECTS, 10 },
	{ "-1 objects=0", KSYM_ERR_BAD_OBJECTS, 11 },
	{ "-1 objects=17", KSYM_ERR_BAD_OBJECTS, 11 },
	{ "-1 timeout=", KSYM_ERR_BAD_TIME, 11 },
	{ "-1 timeout=5", KSYM_ERR_BAD_TIME, 11 },
	{ "-1 timeout=ms", KSYM_ERR_BAD_TIME, 11 },
	{ "-1 timeout=0ms", KSYM_ERR_BAD_TIME, 11 },
	{ "-1 timeout=1m", KSYM_ERR_BAD_TIME, 11 },
	{ "-1 timeout=9223372037s", KSYM_ERR_BAD_TIME, 11 },
	{ "a count=", KSYM_ERR_BAD_COUNT, 8 },
	{ "a count=0", KSYM_ERR_BAD_COUNT, 8 },
	{ "a count=9223372036854775808", KSYM_ERR_BAD_COUNT, 8 },
	{ "a count=18446744073709551616", KSYM_ERR_BAD_COUNT, 8 },
	{ "a:--- pinned # b", KSYM_ERR_REMOVE_OPTION, 6 },
	{ "a:--- len=4", KSYM_ERR_REMOVE_OPTION, 6 },
	{ "0 a", KSYM_ERR_REMOVE_OPTION, 2 },
	{ "*:--- a", KSYM_ERR_REMOVE_OPTION, 6 },
	{ "!a b", KSYM_ERR_REMOVE_OPTION, 3 },
	{ "a:--- args b", KSYM_ERR_REMOVE_OPTION, 6 },
	{ "!g/1", KSYM_ERR_BAD_NAME, 3 },
	{ "!1/a", KSYM_ERR_BAD_GROUP, 1 },
	{ "a args", KSYM_ERR_NO_ARGS, 6 },
	{ "a args # b", KSYM_ERR_NO_ARGS, 7 },
	{ "a args=b", KSYM_ERR_BAD_OPTION, 2 },

	{ "1:w", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "m:", KSYM_ERR_BAD_ACCESS, 2 },
	{ "m::w", KSYM_ERR_NO_SYMBOL, 2 },
	{ "m:---:w", KSYM_ERR_NO_SYMBOL, 2 },
	{ "m:-1", KSYM_ERR_NO_SYMBOL, 2 },
	{ "m:1a", KSYM_ERR_BAD_SYMBOL, 2 },
	{ "m:0x10", KSYM_ERR_BAD_SYMBOL, 2 },
	{ "m:foo_*", KSYM_ERR_GLOB, 6 },
	{ "m-n:foo", KSYM_ERR_BAD_OFFSET, 2 },
	{ MODULE_55 "6:foo", KSYM_ERR_BAD_MODULE, 0 },
	{ "a@", KSYM_ERR_BAD_NTH, 2 },
	{ "a@0", KSYM_ERR_BAD_NTH, 2 },
	{ "a@x", KSYM_ERR_BAD_NTH, 2 },
	{ "a@2x:w", KSYM_ERR_BAD_NTH, 2 },
	{ "a@4294967296", KSYM_ERR_BAD_NTH, 2 },
	{ "a@2?", KSYM_ERR_GLOB, 3 },
	{ "a@2@3", KSYM_ERR_BAD_SYMBOL, 3 },
	{ "a[cpu]", KSYM_ERR_BAD_COPY, 5 },
	{ "a[cpu3", KSYM_ERR_BAD_COPY, 5 },
	{ "a[cpu-1]", KSYM_ERR_BAD_COPY, 5 },
	{ "a[cpu2147483648]", KSYM_ERR_BAD_COPY, 5 },
	{ "a[cpu1]@2", KSYM_ERR_BAD_SYMBOL, 7 },
	{ "a[cpu1][cpu2]", KSYM_ERR_GLOB, 7 },
	{ "a[b-d]", KSYM_ERR_GLOB, 1 },
	{ "a[0-9]:w", KSYM_ERR_GLOB, 1 },
	{ "a[3", KSYM_ERR_GLOB, 1 },
	{ "[ab]c", KSYM_ERR_GLOB, 0 },
	{ "a->b", KSYM_ERR_UNTYPED_PATH, 1 },
	{ "a[3]", KSYM_ERR_UNTYPED_PATH, 1 },
	{ "a[0x3]:w", KSYM_ERR_UNTYPED_PATH, 1 },
	{ "a[cpu1].b", KSYM_ERR_UNTYPED_PATH, 7 },
	{ "a@2.b", KSYM_ERR_UNTYPED_PATH, 3 },
	{ "0x10.b", KSYM_ERR_UNTYPED_PATH, 4 },
	{ "0x", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "0xg", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "0x10g", KSYM_ERR_BAD_SYMBOL, 4 },
	{ "0x10@2", KSYM_ERR_BAD_SYMBOL, 4 },
	{ "0x00000000000000001", KSYM_ERR_BAD_SYMBOL, 0 },
	{ "0x10+x", KSYM_ERR_BAD_OFFSET, 5 },
	{ "-1+8", KSYM_ERR_NOWHERE, 2 },
	{ "-1[cpu3]", KSYM_ERR_NOWHERE, 2 },
	{ "(t)-1", KSYM_ERR_NOWHERE, 3 },
	{ "-12", KSYM_ERR_NO_SYMBOL, 0 },
	{ "-1 len=3", KSYM_ERR_BAD_WIDTH, 7 },
	{ "-1 len=16", KSYM_ERR_BAD_WIDTH, 7 },

	{ "()a", KSYM_ERR_BAD_TYPE, 1 },
	{ "(*)a", KSYM_ERR_BAD_TYPE, 1 },
	{ "(1)a", KSYM_ERR_BAD_TYPE, 1 },
	{ "(t", KSYM_ERR_BAD_TYPE, 2 },
	{ "(t 1)a", KSYM_ERR_BAD_TYPE, 3 },
	{ "(t* u)a", KSYM_ERR_BAD_TYPE, 4 },
	{ "(t[3])a", KSYM_ERR_BAD_TYPE, 2 },
	{ "(t)", KSYM_ERR_NO_SYMBOL, 3 },
	{ "(t) a", KSYM_ERR_NO_SYMBOL, 3 },
	{ "(t).b", KSYM_ERR_NO_SYMBOL, 3 },
	{ "(t)*a", KSYM_ERR_GLOB, 3 },
	{ "(t)a*", KSYM_ERR_GLOB, 4 },
	{ "(t)(u)a", KSYM_ERR_BAD_SYMBOL, 3 },
	{ "(t)a,b", KSYM_ERR_BAD_SYMBOL, 4 },
	{ "(t)a+8", KSYM_ERR_TYPE_OFFSET, 4 },
	{ "(t)a-8", KSYM_ERR_TYPE_OFFSET, 4 },
	{ "(t)a.b+8:w", KSYM_ERR_TYPE_OFFSET, 6 },
	{ "(t)a.b-8", KSYM_ERR_TYPE_OFFSET, 6 },
	{ "(t)a.", KSYM_ERR_BAD_PATH, 5 },
	{ "(t)a.:w", KSYM_ERR_BAD_PATH, 5 },
	{ "(t)a->", KSYM_ERR_BAD_PATH, 6 },
	{ "(t)a..b", KSYM_ERR_BAD_PATH, 5 },
	{ "(t)a.b.1", KSYM_ERR_BAD_PATH, 7 },
	{ "(t)a->1", KSYM_ERR_BAD_PATH, 6 },
	{ "(t)a[", KSYM_ERR_BAD_PATH, 5 },
	{ "(t)a[]", KSYM_ERR_BAD_PATH, 5 },
	{ "(t)a[i]", KSYM_ERR_BAD_PATH, 5 },
	{ "(t)a[-1]", KSYM_ERR_BAD_PATH, 5 },
	{ "(t)a[1", KSYM_ERR_BAD_PATH, 5 },
	{ "(t)a[4294967296]", KSYM_ERR_BAD_PATH, 5 },
	{ "(t)a[0][cpu3]", KSYM_ERR_BAD_PATH, 8 },
	{ "(t)a.b@2", KSYM_ERR_BAD_PATH, 6 },
	{ "(t)a.b*", KSYM_ERR_GLOB, 6 },

	{ "!", KSYM_ERR_BAD_NAME, 1 },
	{ "! a", KSYM_ERR_BAD_NAME, 1 },
	{ "!a:w", KSYM_ERR_BAD_NAME, 1 },
};

static void expect_error(struct kunit *test, const struct bad_line *bad,
			 int ret, const struct ksym_error *error)
{
	KUNIT_ASSERT_EQ_MSG(test, ret, -EINVAL, "\"%s\"", bad->line);
	KUNIT_EXPECT_EQ_MSG(test, error->code, bad->code, "\"%s\"", bad->line);
	KUNIT_EXPECT_EQ_MSG(test, error->at, bad->at, "\"%s\"", bad->line);
}

static void test_bad(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct ksym_error error;
	int i, ret;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	for (i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		ret = ksym_parse(bad_lines[i].line, spec, &error);
		expect_error(test, &bad_lines[i], ret, &error);
	}
}

struct dyn_line {
	const char	*line;
	const char	*target;
	u8		access;
	u16		len;
	const char	*group;
	const char	*name;
};

static const struct dyn_line dyn_lines[] = {
	{ "w @jiffies", "jiffies", 3, 4, "wprobes", "jiffies" },
	{ "w:my w@jiffies:8", "jiffies", 2, 8, "wprobes", "my" },
	{ "w:g/my r@jiffies", "jiffies", 1, 4, "g", "my" },
	{ "w:g.my rw@jiffies:1", "jiffies", 3, 1, "g", "my" },
	{ "w:g/ rw@jiffies:0x2", "jiffies", 3, 2, "g", "jiffies" },
	{ "w:g. @jiffies", "jiffies", 3, 4, "g", "jiffies" },
	{ "  w\tw@jiffies  # why", "jiffies", 2, 4, "wprobes", "jiffies" },
	{ "w w@a.b$c+8", "a.b$c+0x8", 2, 4, "wprobes", "a_b_c" },
	{ "w w@a-8:8", "a-0x8", 2, 8, "wprobes", "a" },
	{ "w w@0xffff1000+0x10:8", "0xffff1000+0x10", 2, 8, "wprobes",
	  "w_0xffff1000" },
	{ "w w@-1", "-1", 2, 4, "wprobes", NOWHERE_NAME },
	{ "w rw@-1:8 $addr", "-1", 3, 8, "wprobes", NOWHERE_NAME },
	{ "w w@m:a", "m:a", 2, 4, "wprobes", "a" },
	{ "w w@m:w:8", "m:w", 2, 8, "wprobes", "w" },
	{ "w w@m:r", "m:r", 2, 4, "wprobes", "r" },
	{ "w w@a@2:8", "a@2", 2, 8, "wprobes", "a_2" },
	{ "w @a@2", "a@2", 3, 4, "wprobes", "a_2" },
	{ "w w@a[cpu1]:8", "a[cpu1]", 2, 8, "wprobes", "a_cpu1" },
	{ "w w@(task_struct)init_task.flags", "(task_struct)init_task.flags", 2,
	  0, "wprobes", "init_task_flags" },
	{ "w w@(struct rq)a.b:4 $comm", "(struct rq)a.b", 2, 4, "wprobes",
	  "a_b" },
};

static void test_dyn(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct ksym_error error;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	for (i = 0; i < ARRAY_SIZE(dyn_lines); i++) {
		const struct dyn_line *good = &dyn_lines[i];

		KUNIT_ASSERT_EQ_MSG(test, ksym_parse_dyn(good->line, spec,
							 &error), 0, "\"%s\"",
				    good->line);
		KUNIT_EXPECT_EQ_MSG(test, spec->action, KSYM_ADD, "\"%s\"",
				    good->line);
		KUNIT_EXPECT_TRUE_MSG(test, spec->lazy, "\"%s\"", good->line);
		expect_text(test, good->line, spec, good->target);
		KUNIT_EXPECT_EQ_MSG(test, spec->access, good->access, "\"%s\"",
				    good->line);
		KUNIT_EXPECT_EQ_MSG(test, spec->len, good->len, "\"%s\"",
				    good->line);
		KUNIT_EXPECT_STREQ_MSG(test, spec->group, good->group, "\"%s\"",
				       good->line);
		KUNIT_EXPECT_STREQ_MSG(test, spec->name, good->name, "\"%s\"",
				       good->line);
		KUNIT_EXPECT_EQ_MSG(test, spec->opt.limit, KSYM_LIMIT_DEFAULT,
				    "\"%s\"", good->line);
		KUNIT_EXPECT_EQ_MSG(test, spec->opt.budget, KSYM_BUDGET_DEFAULT,
				    "\"%s\"", good->line);
	}

	/* Other kinds of dynamic events parse these lines. */
	KUNIT_EXPECT_EQ(test, ksym_parse_dyn("p:g/my vfs_read", spec, &error),
			-ECANCELED);
	KUNIT_EXPECT_EQ(test, ksym_parse_dyn("-:g/my", spec, &error),
			-ECANCELED);
	KUNIT_EXPECT_EQ(test, ksym_parse_dyn("", spec, &error), -ECANCELED);
}

static const struct bad_line bad_dyn_lines[] = {
	{ "w", KSYM_ERR_NO_SPEC, 0 },
	{ "w  # a", KSYM_ERR_NO_SPEC, 0 },
	{ "w:my", KSYM_ERR_NO_SPEC, 4 },
	{ "w2 w@a", KSYM_ERR_NO_OBJECTS, 1 },
	{ "w2:my w@a", KSYM_ERR_NO_OBJECTS, 1 },
	{ "w0 w@-1", KSYM_ERR_BAD_OBJECTS, 1 },
	{ "w17 w@-1", KSYM_ERR_BAD_OBJECTS, 1 },
	{ "w2a w@-1", KSYM_ERR_BAD_EVENT, 2 },
	{ "watch w@a", KSYM_ERR_BAD_EVENT, 1 },
	{ "w: w@a", KSYM_ERR_BAD_NAME, 2 },
	{ "w:1a w@a", KSYM_ERR_BAD_NAME, 2 },
	{ "w:g/b.1 w@a", KSYM_ERR_BAD_NAME, 4 },
	{ "w:g/" NAME_63 "4 w@a", KSYM_ERR_BAD_NAME, 4 },
	{ "w:/b w@a", KSYM_ERR_BAD_GROUP, 2 },
	{ "w:g.1/b w@a", KSYM_ERR_BAD_GROUP, 2 },
	{ "w:" NAME_63 "4/b w@a", KSYM_ERR_BAD_GROUP, 2 },
	{ "w:g/enable w@a", KSYM_ERR_RESERVED_NAME, 2 },
	{ "w w@filter", KSYM_ERR_RESERVED_NAME, 4 },
	{ "w w@" NAME_63 "4", KSYM_ERR_LONG_NAME, 4 },
	{ "w symbol", KSYM_ERR_NO_AT, 2 },
	{ "w a@symbol", KSYM_ERR_DYN_ACCESS, 2 },
	{ "w r--@symbol", KSYM_ERR_DYN_ACCESS, 2 },
	{ "w ---@symbol", KSYM_ERR_DYN_ACCESS, 2 },
	{ "w wr@symbol", KSYM_ERR_DYN_ACCESS, 2 },
	{ "w w@", KSYM_ERR_NO_SYMBOL, 4 },
	{ "w w@ a", KSYM_ERR_NO_SYMBOL, 4 },
	{ "w w@jiffies+offset", KSYM_ERR_BAD_OFFSET, 11 },
	{ "w w@jiffies-:4", KSYM_ERR_BAD_OFFSET, 11 },
	{ "w w@jiffies:", KSYM_ERR_BAD_LEN, 12 },
	{ "w w@jiffies:0", KSYM_ERR_BAD_LEN, 12 },
	{ "w w@jiffies:4097", KSYM_ERR_WIDE, 12 },
	{ "w w@jiffies:16385", KSYM_ERR_BAD_LEN, 12 },
	{ "w w@jiffies:4x", KSYM_ERR_BAD_LEN, 12 },
	{ "w w@jiffies:4:4", KSYM_ERR_BAD_LEN, 12 },
	{ "w w@jiffies+8:w", KSYM_ERR_BAD_LEN, 14 },
	{ "w w@m:a:w", KSYM_ERR_BAD_LEN, 8 },
	{ "w w@m::4", KSYM_ERR_NO_SYMBOL, 6 },
	{ "w w@-1:16", KSYM_ERR_BAD_WIDTH, 7 },
	{ "w w@1a", KSYM_ERR_BAD_SYMBOL, 4 },
	{ "w w@a->b", KSYM_ERR_UNTYPED_PATH, 5 },
	{ "w w@nr_*", KSYM_ERR_GLOB, 7 },
};

static void test_bad_dyn(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct ksym_error error;
	int i, ret;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	for (i = 0; i < ARRAY_SIZE(bad_dyn_lines); i++) {
		ret = ksym_parse_dyn(bad_dyn_lines[i].line, spec, &error);
		expect_error(test, &bad_dyn_lines[i], ret, &error);
	}
}

struct limit {
	const char	*before;
	size_t		max;
	const char	*after;
	enum ksym_err	code;
	unsigned int	at;
};

/* How many characters fit between ->before and ->after. */
static const struct limit limits[] = {
	{ "", KSYM_SYM_MAX - 1, ":w name=x", KSYM_ERR_SYMBOL_LEN, 0 },
	{ "", KSYM_MODULE_LEN - 1, ":foo", KSYM_ERR_BAD_MODULE, 0 },
	{ "(", KSYM_TYPE_LEN - 1, ")foo", KSYM_ERR_LONG_TARGET, 1 },
	{ "(", KSYM_TYPE_LEN - 3, "*)foo", KSYM_ERR_LONG_TARGET, 127 },
	{ "(", KSYM_TYPE_LEN - 3, " s)foo", KSYM_ERR_LONG_TARGET, 128 },
	{ "(t)a->b.", KSYM_PATH_LEN - 5, " name=x", KSYM_ERR_LONG_TARGET, 7 },
	{ "(t)a.", KSYM_PATH_LEN - 5, "[1] name=x", KSYM_ERR_LONG_TARGET, 257 },
	{ "a name=", KSYM_EVENT_LEN - 1, "", KSYM_ERR_BAD_NAME, 7 },
	{ "a name=", KSYM_EVENT_LEN - 1, "/b", KSYM_ERR_BAD_GROUP, 7 },
};

/* The longest text that fits is accepted; one more character is refused. */
static void test_limits(struct kunit *test)
{
	struct ksym_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	char *line = kunit_kzalloc(test, KSYM_SYM_MAX + 32, GFP_KERNEL);
	struct ksym_error error;
	size_t len;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_ASSERT_NOT_NULL(test, line);
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		const struct limit *limit = &limits[i];

		len = sprintf(line, "%s", limit->before);
		memset(line + len, 's', limit->max);
		sprintf(line + len + limit->max, "%s", limit->after);
		KUNIT_EXPECT_EQ_MSG(test, ksym_parse(line, spec, &error), 0,
				    "\"%s\"", line);

		memset(line + len, 's', limit->max + 1);
		sprintf(line + len + limit->max + 1, "%s", limit->after);
		KUNIT_ASSERT_EQ_MSG(test, ksym_parse(line, spec, &error),
				    -EINVAL, "\"%s\"", line);
		KUNIT_EXPECT_EQ_MSG(test, error.code, limit->code, "\"%s\"",
				    line);
		KUNIT_EXPECT_EQ_MSG(test, error.at, limit->at, "\"%s\"", line);
	}
}

/* The text of the longest possible target fits. */
static void test_longest(struct kunit *test)
{
	struct ksym_target *target = kunit_kzalloc(test, sizeof(*target),
						   GFP_KERNEL);
	char *buf = kunit_kzalloc(test, KSYM_TARGET_LEN, GFP_KERNEL);
	char name[KSYM_EVENT_LEN];

	KUNIT_ASSERT_NOT_NULL(test, target);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	memset(target->type, 't', KSYM_TYPE_LEN - 1);
	memset(target->module, 'm', KSYM_MODULE_LEN - 1);
	memset(target->symbol, 's', KSYM_SYM_MAX - 1);
	memset(target->path, 'p', KSYM_PATH_LEN - 1);
	target->nth = U32_MAX;
	target->cpu = S32_MAX;
	target->off = -S64_MAX;
	KUNIT_EXPECT_LT(test, ksym_format_target(buf, KSYM_TARGET_LEN, target),
			KSYM_TARGET_LEN);
	KUNIT_EXPECT_EQ(test, ksym_default_name(name, target), -ENAMETOOLONG);
}

static struct kunit_case ksym_parse_test_cases[] = {
	KUNIT_CASE(test_good),
	KUNIT_CASE(test_targets),
	KUNIT_CASE(test_options),
	KUNIT_CASE(test_clauses),
	KUNIT_CASE(test_carets),
	KUNIT_CASE(test_bad),
	KUNIT_CASE(test_dyn),
	KUNIT_CASE(test_bad_dyn),
	KUNIT_CASE(test_limits),
	KUNIT_CASE(test_longest),
	{},
};

static struct kunit_suite ksym_parse_test_suite = {
	.name		= "ksym_parse",
	.test_cases	= ksym_parse_test_cases,
};

kunit_test_suites(&ksym_parse_test_suite);

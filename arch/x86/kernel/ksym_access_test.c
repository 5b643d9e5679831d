// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of what an instruction is said to have done to watched memory.
 *
 * Each case executes the instruction on a watched variable, with a breakpoint of its
 * own, and compares. An answer may be "unknown", but those that are stand here as such:
 * this is the list of what stays unknown.
 */
#include <kunit/test.h>
#include <linux/execmem.h>
#include <linux/hw_breakpoint.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/objtool.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/set_memory.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/cpufeature.h>
#include <asm/desc.h>
#include <asm/fpu/api.h>
#include <asm/ksym_access.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#define R	HW_BREAKPOINT_R
#define W	HW_BREAKPOINT_W
#define RW	HW_BREAKPOINT_RW
#define UNKNOWN	0
/* It must not trap. */
#define SILENT	(-1)
/* Whether it traps is up to the CPU; if it does, nothing was read or written. */
#define QUIET	(-2)

/* What is in the registers; see ksym_access_cases.h. */
#define A	0x8877665544332211UL
#define B	0xb1b2b3b4b5b6b7b8UL
#define D	0xd1d2d3d4d5d6d7d8UL
/* And in the memory. */
#define PATTERN	0x0102030405060708UL

/* The middle page is watched. The instructions know it by name as well. */
static u8 ksym_access_area[3 * PAGE_SIZE] __aligned(PAGE_SIZE) __used;
static u8 ksym_access_other[PAGE_SIZE] __aligned(PAGE_SIZE);
static DEFINE_PER_CPU(u64, ksym_access_percpu);

#define AREA	"ksym_access_area+4096"

/* Calls go here. */
static noinline notrace __used void ksym_access_target(void)
{
	barrier();
}

struct access_case {
	const char	*name;
	void		(*run)(u8 *at);
	/* Fills in what the memory has in the beginning, in place of the pattern. */
	void		(*prepare)(u8 *at);
	u64		fill;
	u64		val;
	s16		needs;
	u16		off;
	u8		len;		/* 0 stands for 8 */
	s8		access;
	u8		type;		/* 0 stands for RW */
	bool		wrote;
	bool		filled;
	bool		fpu;
};

#define WROTE(v)	.wrote = true, .val = (v)
#define FILL(v)		.filled = true, .fill = (v)
#define NEEDS(f)	.needs = X86_FEATURE_##f
#define RUN_NAME(line)	__PASTE(run_line_, line)
#define NON_STANDARD(f)	STACK_FRAME_NON_STANDARD(f)

static void prepare_jump(u8 *at)
{
	asm volatile("leaq .Lksym_access_jumped(%%rip), %%rax\n"
		     "movq %%rax, (%0)" : : "r" (at) : "rax", "memory");
}

static void prepare_return(u8 *at)
{
	asm volatile("leaq .Lksym_access_returned(%%rip), %%rax\n"
		     "movq %%rax, (%0)" : : "r" (at) : "rax", "memory");
}

static void prepare_gdt(u8 *at)
{
	store_gdt((struct desc_ptr *)at);
}

static void prepare_idt(u8 *at)
{
	store_idt((struct desc_ptr *)at);
}

/* The functions. */
#define RUN(text)							\
{									\
	unsigned long a = A, b = B, c = 3, d = D, to = (unsigned long)at; \
	unsigned long from = (unsigned long)at;				\
	register unsigned long r8 asm("r8") = (unsigned long)ksym_access_other; \
	register unsigned long r9 asm("r9") = (unsigned long)at;	\
	register unsigned long r10 asm("r10") = 0;			\
	register unsigned long r11 asm("r11") = (unsigned long)at + 16; \
	register unsigned long r12 asm("r12") = 0;			\
	register unsigned long r13 asm("r13") = (unsigned long)at + 4096; \
	register unsigned long r14 asm("r14") = (unsigned long)at;	\
									\
	asm volatile(text						\
		     : "+a" (a), "+b" (b), "+c" (c), "+d" (d), "+S" (from), \
		       "+D" (to), "+r" (r8), "+r" (r9), "+r" (r10), "+r" (r11), \
		       "+r" (r12), "+r" (r13), "+r" (r14)		\
		     : : "r15", "memory", "cc");			\
}

#define CASE(_name, _text, _access, ...)				\
	static noinline notrace __noclone void RUN_NAME(__LINE__)(u8 *at) \
	RUN(_text)
#define STACK_CASE(_name, _text, _access, ...)				\
	static noinline notrace __noclone void RUN_NAME(__LINE__)(u8 *at) \
	RUN("movq %%rsp, %%r15\n" _text "\nmovq %%r15, %%rsp")		\
	NON_STANDARD(RUN_NAME(__LINE__));
#include "ksym_access_cases.h"
#undef CASE
#undef STACK_CASE

/* The table. */
#define CASE(_name, _text, _access, ...)				\
	{ .name = _name, .run = RUN_NAME(__LINE__), .access = _access, ##__VA_ARGS__ },
#define STACK_CASE(...)	CASE(__VA_ARGS__)
static const struct access_case access_cases[] = {
#include "ksym_access_cases.h"
};

#undef CASE
#undef STACK_CASE

/* What the handler saw. It looks only while an instruction of ours runs. */
static struct {
	unsigned long	addr;
	unsigned int	len;
	bool		live;
	unsigned int	hits;
	int		access;
	bool		differs;	/* from hit to hit */
	bool		elsewhere;	/* an answer about memory that was not touched */
	bool		wrote;
	u64		val;
} seen;

static void handler(struct perf_event *bp, struct perf_sample_data *data,
		    struct pt_regs *regs)
{
	unsigned int access;

	if (!READ_ONCE(seen.live))
		return;
	access = ksym_access_nmi(regs, seen.addr, seen.len);
	if (seen.hits++ && access != seen.access)
		seen.differs = true;
	seen.access = access;
	seen.wrote = ksym_access_wrote_nmi(regs, seen.addr, seen.len, &seen.val);
	seen.elsewhere |= ksym_access_nmi(regs, (unsigned long)&seen, 8);
}

/* Watches memory on this CPU, which the caller is bound to. */
static struct perf_event *watch(struct kunit *test, void *addr, unsigned int len,
				unsigned int type)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(attr),
		.bp_addr	= (unsigned long)addr,
		.bp_len		= len,
		.bp_type	= type,
		.sample_period	= 1,
		.pinned		= 1,
	};
	struct perf_event *bp;

	seen.addr = (unsigned long)addr;
	seen.len = len;
	bp = perf_event_create_kernel_counter(&attr, smp_processor_id(), NULL, handler,
					      NULL);
	return bp;
}

static void begin(void)
{
	seen.hits = 0;
	seen.access = UNKNOWN;
	seen.differs = false;
	seen.elsewhere = false;
	seen.wrote = false;
	seen.val = 0;
	WRITE_ONCE(seen.live, true);
	barrier();
}

static void end(void)
{
	barrier();
	WRITE_ONCE(seen.live, false);
}

static void fill(const struct access_case *c, u8 *at)
{
	unsigned int i;

	if (c->filled) {
		memset(ksym_access_area, 0, sizeof(ksym_access_area));
		memcpy(at, &c->fill, sizeof(c->fill));
		/* For what is taken from a place behind what is watched. */
		memcpy(at + 64, &c->fill, sizeof(c->fill));
	} else {
		for (i = 0; i < sizeof(ksym_access_area); i += 8)
			*(u64 *)(ksym_access_area + i) = PATTERN;
	}
	for (i = 0; i < sizeof(ksym_access_other); i += 8)
		*(u64 *)(ksym_access_other + i) = PATTERN;
	if (c->prepare)
		c->prepare(at);
}

static void run(const struct access_case *c, u8 *at)
{
	unsigned long flags;

	if (c->fpu)
		kernel_fpu_begin();
	local_irq_save(flags);
	begin();
	c->run(at);
	end();
	local_irq_restore(flags);
	if (c->fpu)
		kernel_fpu_end();
}

static void check(struct kunit *test, const struct access_case *c, const char *when)
{
	KUNIT_EXPECT_FALSE_MSG(test, seen.elsewhere, "%s: memory elsewhere", when);
	if (c->access == SILENT) {
		KUNIT_EXPECT_EQ_MSG(test, seen.hits, 0, "%s", when);
		return;
	}
	if (c->access == QUIET) {
		KUNIT_EXPECT_EQ_MSG(test, seen.access, UNKNOWN, "%s", when);
		return;
	}
	KUNIT_EXPECT_GT_MSG(test, seen.hits, 0, "%s", when);
	KUNIT_EXPECT_FALSE_MSG(test, seen.differs, "%s: hits differ", when);
	KUNIT_EXPECT_EQ_MSG(test, seen.access, c->access, "%s", when);
	KUNIT_EXPECT_EQ_MSG(test, seen.wrote, c->wrote, "%s", when);
	if (c->wrote)
		KUNIT_EXPECT_EQ_MSG(test, seen.val, c->val, "%s", when);
}

static void access_case_name(const struct access_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(access_case, access_cases, access_case_name);

static void test_instruction(struct kunit *test)
{
	const struct access_case *c = test->param_value;
	u8 *at = ksym_access_area + PAGE_SIZE;
	struct perf_event *bp;

	if (c->needs && !boot_cpu_has(c->needs))
		kunit_skip(test, "this CPU does not have it");
	migrate_disable();
	bp = watch(test, at + c->off, c->len ?: 8, c->type ?: HW_BREAKPOINT_RW);
	if (!IS_ERR(bp)) {
		ksym_access_flush();
		fill(c, at);
		run(c, at);
		check(test, c, "first");
		fill(c, at);
		run(c, at);
		check(test, c, "again");
		perf_event_release_kernel(bp);
	}
	migrate_enable();
	KUNIT_EXPECT_FALSE(test, IS_ERR(bp));
}

static struct kunit_case access_test_cases[] = {
	KUNIT_CASE_PARAM(test_instruction, access_case_gen_params),
	{}
};

static struct kunit_suite access_test_suite = {
	.name		= "ksym_access",
	.test_cases	= access_test_cases,
};

kunit_test_suite(access_test_suite);

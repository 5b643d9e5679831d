// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the decoder that reports what an instruction did to watched memory.
 *
 * Each case executes an instruction on a watched variable, with a breakpoint of its own,
 * and compares the answer. An answer may be "unknown", but the case has to say so: this is
 * the complete list of unknown answers.
 */
#include <kunit/test.h>
#include <linux/cpufeature.h>
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
#include <linux/sync_core.h>
#include <linux/text-patching.h>
#include <linux/uaccess.h>

#include <asm/desc.h>
#include <asm/fpu/api.h>
#include <asm/ksym.h>
#include <asm/nospec-branch.h>

/* The middle page is watched. Some instructions refer to the area by its symbol. */
static u8 ksym_access_area[3 * PAGE_SIZE] __aligned(PAGE_SIZE) __used;
static u8 ksym_access_other[PAGE_SIZE] __aligned(PAGE_SIZE);
static DEFINE_PER_CPU(u64, ksym_access_percpu);

/*
 * QEMU 7.2 computes flags lazily, when an instruction needs them, and a breakpoint of that
 * instruction corrupts some of them. This computes the flags beforehand.
 */
#define FLAGS_AGAIN	"pushfq; popfq; "

/* The target of calls. */
static noinline notrace __used void ksym_access_target(void)
{
	barrier();
}

#define NEEDS(f)	.needs = X86_FEATURE_##f
#define NON_STANDARD(f)	STACK_FRAME_NON_STANDARD(f)

static void prepare_gdt(u8 *at)
{
	native_store_gdt((struct desc_ptr *)at);
}

static void prepare_idt(u8 *at)
{
	store_idt((struct desc_ptr *)at);
}

#include "ksym_access_run.h"

#define FLAGS_MASK	(GENMASK(21, 0) & ~(BIT(3) | BIT(5) | BIT(15)))

/* What the handler saw. It is active only while an instruction under test runs. */
static struct {
	unsigned long	addr;
	unsigned int	len;
	unsigned int	type;
	bool		live;
	unsigned int	hits;
	int		access;
	bool		differs;	/* the hits got different answers */
	bool		elsewhere;	/* got an answer about untouched memory */
	unsigned long	invalid_flags;	/* flags that no CPU sets: an emulation bug */
	bool		wrote;
	u64		val;
	unsigned long	di;		/* of the last hit */
} seen;

static void handler(struct perf_event *bp, struct perf_sample_data *data,
		    struct pt_regs *regs)
{
	unsigned int access;

	if (!READ_ONCE(seen.live))
		return;
	seen.invalid_flags |= regs->flags & ~FLAGS_MASK;
	seen.di = regs->di;
	access = arch_ksym_access_nmi(regs, seen.addr, seen.len, seen.type, true);
	if (seen.hits++ && access != seen.access)
		seen.differs = true;
	seen.access = access;
	seen.wrote = arch_ksym_wrote_nmi(regs, seen.addr, seen.len, seen.type, true,
					 &seen.val);
	seen.elsewhere |= arch_ksym_access_nmi(regs, (unsigned long)&seen, 8, seen.type, true);
}

/* Watches memory on this CPU. The caller is bound to it. */
static struct perf_event *watch(void *addr, unsigned int len, unsigned int type)
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
	seen.type = type;
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
	seen.invalid_flags = 0;
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

/*
 * Does a string instruction with REP stop at the trap? The manuals allow it to complete a
 * group of at most 64 bytes; QEMU 10 completes up to 65,536 iterations.
 */
static bool string_stops(void)
{
	u8 *at = ksym_access_area + PAGE_SIZE;
	unsigned long to = (unsigned long)at, count = 256;
	struct perf_event *bp;
	bool stops = true;

	migrate_disable();
	bp = watch(at, 1, HW_BREAKPOINT_W);
	if (!IS_ERR(bp)) {
		begin();
		asm volatile("rep stosb" : "+D" (to), "+c" (count) : "a" (0) : "memory");
		end();
		stops = seen.hits && seen.di <= (unsigned long)at + 64;
		perf_event_release_kernel(bp);
	}
	migrate_enable();
	return stops;
}

static void need_string_stops(struct kunit *test)
{
	if (!string_stops())
		kunit_skip(test, "this CPU does not stop a string instruction at the trap");
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
	KUNIT_EXPECT_EQ_MSG(test, seen.elsewhere, c->lost, "%s: %s: memory elsewhere", when,
			    c->text);
	KUNIT_EXPECT_EQ_MSG(test, seen.invalid_flags, 0, "%s: %s", when, c->text);
	if (c->access == SILENT) {
		KUNIT_EXPECT_EQ_MSG(test, seen.hits, 0, "%s: %s", when, c->text);
		return;
	}
	if (c->access == QUIET) {
		KUNIT_EXPECT_EQ_MSG(test, seen.access, seen.hits ? R : UNKNOWN, "%s: %s", when,
				    c->text);
		return;
	}
	KUNIT_EXPECT_GT_MSG(test, seen.hits, 0, "%s: %s", when, c->text);
	KUNIT_EXPECT_FALSE_MSG(test, seen.differs, "%s: %s: hits differ", when, c->text);
	KUNIT_EXPECT_EQ_MSG(test, seen.access, c->access, "%s: %s", when, c->text);
	KUNIT_EXPECT_EQ_MSG(test, seen.wrote, c->wrote, "%s: %s", when, c->text);
	if (c->wrote) {
		u64 stored = 0;

		KUNIT_EXPECT_EQ_MSG(test, seen.val, c->val, "%s: %s", when, c->text);
		memcpy(&stored, (void *)seen.addr, seen.len);
		KUNIT_EXPECT_EQ_MSG(test, seen.val, stored, "%s: %s", when, c->text);
	}
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
	if (c->stops)
		need_string_stops(test);
	migrate_disable();
	bp = watch(at + c->off, c->len ?: 8, c->type ?: HW_BREAKPOINT_RW);
	if (!IS_ERR(bp)) {
		arch_ksym_flush();
		prepare_memory(c, at);
		run(c, at);
		check(test, c, "first");
		prepare_memory(c, at);
		run(c, at);
		check(test, c, "again");
		perf_event_release_kernel(bp);
	}
	migrate_enable();
	KUNIT_EXPECT_FALSE(test, IS_ERR(bp));
}

/* %gs gives access to a per-CPU variable. */
static void test_percpu(struct kunit *test)
{
	struct perf_event *bp;
	u64 *var, val;

	migrate_disable();
	var = this_cpu_ptr(&ksym_access_percpu);
	bp = watch(var, 8, HW_BREAKPOINT_RW);
	if (!IS_ERR(bp)) {
		arch_ksym_flush();
		begin();
		this_cpu_write(ksym_access_percpu, 0x123456789UL);
		end();
		KUNIT_EXPECT_EQ(test, seen.hits, 1);
		KUNIT_EXPECT_EQ(test, seen.access, W);
		KUNIT_EXPECT_TRUE(test, seen.wrote);
		KUNIT_EXPECT_EQ(test, seen.val, 0x123456789UL);
		begin();
		this_cpu_inc(ksym_access_percpu);
		end();
		KUNIT_EXPECT_EQ(test, seen.access, RW);
		KUNIT_EXPECT_FALSE(test, seen.wrote);
		begin();
		val = this_cpu_read(ksym_access_percpu);
		end();
		KUNIT_EXPECT_EQ(test, seen.access, R);
		KUNIT_EXPECT_EQ(test, val, 0x12345678aUL);
		perf_event_release_kernel(bp);
	}
	migrate_enable();
	KUNIT_EXPECT_FALSE(test, IS_ERR(bp));
}

/* A function whose code the tests overwrite. */
#define SCRATCH_NOPS	16
static noinline notrace __noclone void scratch(void *at)
{
	asm volatile(".Lksym_access_scratch: .skip 16, 0x90"
		     : : "D" (at), "a" (A) : "memory");
}

static u8 *scratch_text(void)
{
	u8 *text;

	asm("leaq .Lksym_access_scratch(%%rip), %0" : "=r" (text));
	return text;
}

static void sync_this_core(void *unused)
{
	sync_core();
}

static void write_text(const char *bytes, unsigned int len)
{
	u8 buf[SCRATCH_NOPS];

	memset(buf, 0x90, sizeof(buf));
	memcpy(buf, bytes, len);
	mutex_lock(&text_mutex);
	text_poke(scratch_text(), buf, sizeof(buf));
	on_each_cpu(sync_this_core, NULL, 1);
	mutex_unlock(&text_mutex);
}

static void expect(struct kunit *test, int access, u64 val)
{
	begin();
	scratch(ksym_access_area + PAGE_SIZE);
	end();
	KUNIT_EXPECT_EQ(test, seen.hits, 1);
	KUNIT_EXPECT_EQ(test, seen.access, access);
	KUNIT_EXPECT_EQ(test, seen.wrote, !!val);
	if (val)
		KUNIT_EXPECT_EQ(test, seen.val, val);
}

/* The answer remembered for an instruction is valid while the instruction is unchanged. */
static void test_changed_text(struct kunit *test)
{
	struct perf_event *bp;

	migrate_disable();
	bp = watch(ksym_access_area + PAGE_SIZE, 4, HW_BREAKPOINT_RW);
	if (!IS_ERR(bp)) {
		write_text("\x89\x07", 2);	/* mov %eax,(%rdi) */
		expect(test, W, 0x44332211);
		expect(test, W, 0x44332211);
		write_text("\x8b\x07", 2);	/* mov (%rdi),%eax */
		expect(test, R, 0);
		write_text("\x01\x07", 2);	/* add %eax,(%rdi) */
		expect(test, RW, 0);
		write_text("\x8b\x3f", 2);	/* mov (%rdi),%edi */
		expect(test, R, 0);
		write_text("\x89\x07", 2);
		expect(test, W, 0x44332211);
		/* A longer instruction with the same last bytes: movl $0x00000789,(%rdi) */
		write_text("\x90\x90\x90\x90\x89\x07\x00\x00", 8);
		write_text("\xc7\x07\x89\x07\x00\x00", 6);
		expect(test, W, 0x789);
		write_text("", 0);
		perf_event_release_kernel(bp);
	}
	migrate_enable();
	KUNIT_EXPECT_FALSE(test, IS_ERR(bp));
}

/*
 * Without a flush, an instruction can't be told from a longer one with the same last bytes,
 * which another module may have in its place. There may be no answer then, but no wrong one.
 */
static void test_flush(struct kunit *test)
{
	struct perf_event *bp;

	migrate_disable();
	bp = watch(ksym_access_area + PAGE_SIZE + 4, 4, HW_BREAKPOINT_RW);
	if (!IS_ERR(bp)) {
		arch_ksym_flush();
		write_text("\x90\x89\x47\x04", 4);	/* nop, mov %eax,4(%rdi) */
		expect(test, W, 0x44332211);
		write_text("\x48\x89\x47\xfc", 4);	/* mov %rax,-4(%rdi) */
		begin();
		scratch(ksym_access_area + PAGE_SIZE + 4);
		end();
		KUNIT_EXPECT_EQ(test, seen.access, W);
		/* The same bytes as two instructions, and as one. */
		write_text("\x90\x89\x07", 3);		/* nop, mov %eax,(%rdi) */
		begin();
		scratch(ksym_access_area + PAGE_SIZE + 4);
		end();
		KUNIT_EXPECT_EQ(test, seen.access, W);
		write_text("\x48\x89\x07", 3);		/* mov %rax,(%rdi) */
		expect(test, UNKNOWN, 0);
		arch_ksym_flush();
		expect(test, W, A >> 32);
		write_text("", 0);
		perf_event_release_kernel(bp);
	}
	migrate_enable();
	KUNIT_EXPECT_FALSE(test, IS_ERR(bp));
}

/* kallsyms does not know this code, so the start of its instructions is unknown. */
static void test_unlisted_code(struct kunit *test)
{
	static const u8 code[] = { 0x89, 0x07, 0xc3 };	/* mov %eax,(%rdi), ret */
	void *page = execmem_alloc(EXECMEM_KPROBES, PAGE_SIZE);
	struct perf_event *bp;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, set_memory_rox((unsigned long)page, 1), 0);
	text_poke_copy(page, code, sizeof(code));
	migrate_disable();
	bp = watch(ksym_access_area, 4, HW_BREAKPOINT_RW);
	if (!IS_ERR(bp)) {
		for (i = 0; i < 2; i++) {
			begin();
			asm volatile(ANNOTATE_RETPOLINE_SAFE "\n"
				     "call *%1"
				     : ASM_CALL_CONSTRAINT
				     : "r" (page), "D" (ksym_access_area) : "memory");
			end();
			KUNIT_EXPECT_EQ(test, seen.hits, 1);
			KUNIT_EXPECT_EQ(test, seen.access, UNKNOWN);
			KUNIT_EXPECT_FALSE(test, seen.wrote);
		}
		perf_event_release_kernel(bp);
	}
	migrate_enable();
	execmem_free(page);
	KUNIT_EXPECT_FALSE(test, IS_ERR(bp));
}

#ifdef CONFIG_KPROBES
static int probed;

static int __kprobes pre_handler(struct kprobe *kp, struct pt_regs *regs)
{
	probed++;
	return 0;
}

/*
 * Probes change the text. A probe before the access must not cause a wrong answer. With a
 * probe on the access, the instruction executes elsewhere, and the answer is unknown.
 *
 * A probe is an int3 at first. Some ticks later, or at once for who waits, the optimizer
 * replaces it by a jump, and as late after its removal by the text.
 */
static void test_probed(struct kunit *test)
{
	/* mov $5,%ecx, mov %rax,(%rdi) */
	static const char code[] = "\xb9\x05\x00\x00\x00\x48\x89\x07";
	struct kprobe before = { .pre_handler = pre_handler };
	struct kprobe at = { .pre_handler = pre_handler };
	struct perf_event *bp;

	probed = 0;
	migrate_disable();
	bp = watch(ksym_access_area + PAGE_SIZE, 8, HW_BREAKPOINT_RW);
	if (!IS_ERR(bp)) {
		write_text(code, 8);
		arch_ksym_flush();
		expect(test, W, A);

		before.addr = scratch_text();
		KUNIT_EXPECT_EQ(test, register_kprobe(&before), 0);
		expect(test, W, A);
		arch_ksym_flush();
		expect(test, W, A);
		wait_for_kprobe_optimizer();
		arch_ksym_flush();
		expect(test, W, A);
		KUNIT_EXPECT_EQ(test, probed, 3);

		at.addr = scratch_text() + 5;
		KUNIT_EXPECT_EQ(test, register_kprobe(&at), 0);
		arch_ksym_flush();
		expect(test, UNKNOWN, 0);
		expect(test, UNKNOWN, 0);
		wait_for_kprobe_optimizer();
		arch_ksym_flush();
		expect(test, UNKNOWN, 0);
		KUNIT_EXPECT_EQ(test, probed, 9);
		unregister_kprobe(&at);
		unregister_kprobe(&before);
		wait_for_kprobe_optimizer();
		expect(test, W, A);

		write_text("", 0);
		perf_event_release_kernel(bp);
	}
	migrate_enable();
	KUNIT_EXPECT_FALSE(test, IS_ERR(bp));
}
#endif

struct copy_case {
	unsigned int	len;
	unsigned int	off;		/* of the watched bytes */
	unsigned int	watched;
};

/* The kernel's copies from and to user space, which do not call memcpy(). */
static void user_copies(struct kunit *test, const struct copy_case *cases, unsigned int nr)
{
	u8 *at = ksym_access_area + PAGE_SIZE;
	unsigned long user;
	unsigned int i;

	user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE_MSG(test, user, 0, "no user memory");
	KUNIT_ASSERT_LT_MSG(test, user, (unsigned long)TASK_SIZE, "no user memory");
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)user, at, 256), 0);

	for (i = 0; i < nr; i++) {
		const struct copy_case *c = &cases[i];
		unsigned long left = 0;
		struct perf_event *bp;

		migrate_disable();
		bp = watch(at + c->off, c->watched, HW_BREAKPOINT_RW);
		if (!IS_ERR(bp)) {
			begin();
			left |= copy_to_user((void __user *)user, at, c->len);
			end();
			KUNIT_EXPECT_GT_MSG(test, seen.hits, 0, "case %u", i);
			KUNIT_EXPECT_FALSE_MSG(test, seen.differs, "case %u", i);
			KUNIT_EXPECT_EQ_MSG(test, seen.access, R, "case %u", i);
			begin();
			left |= copy_from_user(at, (void __user *)user, c->len);
			end();
			KUNIT_EXPECT_GT_MSG(test, seen.hits, 0, "case %u", i);
			KUNIT_EXPECT_FALSE_MSG(test, seen.differs, "case %u", i);
			KUNIT_EXPECT_EQ_MSG(test, seen.access, W, "case %u", i);
			perf_event_release_kernel(bp);
		}
		migrate_enable();
		KUNIT_EXPECT_FALSE(test, IS_ERR(bp));
		KUNIT_EXPECT_EQ(test, left, 0);
	}
}

/* By byte and by word. */
static void test_user_copy(struct kunit *test)
{
	static const struct copy_case cases[] = {
		{ 3, 0, 1 }, { 8, 0, 8 }, { 40, 32, 8 }, { 43, 42, 1 },
	};

	user_copies(test, cases, ARRAY_SIZE(cases));
}

/* With a string instruction. */
static void test_long_user_copy(struct kunit *test)
{
	static const struct copy_case cases[] = {
		{ 256, 0, 8 }, { 256, 128, 8 }, { 256, 132, 4 }, { 255, 254, 1 },
	};

	need_string_stops(test);
	user_copies(test, cases, ARRAY_SIZE(cases));
}

/*
 * These are not executed, and the test makes up the registers after them: instructions that
 * the emulated CPUs of the tests lack, instructions that touch other memory, and adcx and
 * adox, after which QEMU 7.2 traps with invalid flags.
 */
#define END(nr)	"\n.Lksym_access_end" #nr ":\n"
asm(".pushsection .text, \"ax\"\n"
	".type ksym_access_rare, @function\n"
	"ksym_access_rare:\n"
	"movq %rax, 64(%rdi)" END(0)
	"movq %rax, %fs:64(%rdi)" END(1)
	"movl %eax, 64(%edi)" END(2)
	"xsavec (%rdi)" END(3)
	"adcxq (%rdi), %rax" END(4)
	"adoxl (%rdi), %eax" END(5)
	ASM_RET
	".size ksym_access_rare, . - ksym_access_rare\n"
	".popsection\n"
	".pushsection .rodata, \"a\"\n"
	".balign 8\n"
	"ksym_access_rare_ends:\n"
	".irp nr, 0, 1, 2, 3, 4, 5\n"
	".quad .Lksym_access_end\\nr\n"
	".endr\n"
	".popsection\n");

static const struct rare_case {
	u16	off;
	u8	access;
	bool	wrote;
} rare_cases[] = {
	{ 64, W, true }, { 64, UNKNOWN }, { 64, UNKNOWN }, { 512, W }, { 0, R }, { 0, R },
};

static void test_not_executed(struct kunit *test)
{
	struct pt_regs regs = {
		.ax = A, .cs = __KERNEL_CS, .flags = X86_EFLAGS_FIXED,
		.di = (unsigned long)ksym_access_area,
		.sp = (unsigned long)&regs,
	};
	unsigned long *ends, flags;
	unsigned int access;
	bool wrote;
	u64 val;
	int i;

	asm("leaq ksym_access_rare_ends(%%rip), %0" : "=r" (ends));
	local_irq_save(flags);
	for (i = 0; i < ARRAY_SIZE(rare_cases); i++) {
		const struct rare_case *c = &rare_cases[i];
		unsigned long addr = regs.di + c->off;

		val = 0;
		regs.ip = ends[i];
		access = arch_ksym_access_nmi(&regs, addr, 8, RW, true);
		wrote = arch_ksym_wrote_nmi(&regs, addr, 8, RW, true, &val);
		KUNIT_EXPECT_EQ_MSG(test, access, c->access, "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, wrote, c->wrote, "case %d", i);
		if (wrote)
			KUNIT_EXPECT_EQ_MSG(test, val, A, "case %d", i);
		/* Neither the bytes before the operand nor the bytes after it. */
		KUNIT_EXPECT_EQ_MSG(test, arch_ksym_access_nmi(&regs, regs.di - 8, 8, RW, true),
				    UNKNOWN, "case %d", i);
	}
	/* There is no answer about user code. */
	regs.ip = ends[0];
	regs.cs = __USER_CS;
	KUNIT_EXPECT_EQ(test, arch_ksym_access_nmi(&regs, regs.di + 64, 8, RW, true), UNKNOWN);
	local_irq_restore(flags);
}

/* With walk=false, only instructions that this CPU remembers are known. */
static void test_no_walk(struct kunit *test)
{
	struct pt_regs regs = {
		.ax = A, .cs = __KERNEL_CS, .flags = X86_EFLAGS_FIXED,
		.di = (unsigned long)ksym_access_area,
		.sp = (unsigned long)&regs,
	};
	unsigned long *ends, flags, addr = regs.di + 64;
	u64 val;

	asm("leaq ksym_access_rare_ends(%%rip), %0" : "=r" (ends));
	regs.ip = ends[0];
	local_irq_save(flags);
	arch_ksym_flush();
	KUNIT_EXPECT_EQ(test, arch_ksym_access_nmi(&regs, addr, 8, RW, false), UNKNOWN);
	KUNIT_EXPECT_FALSE(test, arch_ksym_wrote_nmi(&regs, addr, 8, RW, false, &val));
	KUNIT_EXPECT_EQ(test, arch_ksym_access_nmi(&regs, addr, 8, RW, true), W);
	KUNIT_EXPECT_EQ(test, arch_ksym_access_nmi(&regs, addr, 8, RW, false), W);
	KUNIT_EXPECT_TRUE(test, arch_ksym_wrote_nmi(&regs, addr, 8, RW, false, &val));
	local_irq_restore(flags);
}

static struct kunit_case access_test_cases[] = {
	KUNIT_CASE_PARAM(test_instruction, access_case_gen_params),
	KUNIT_CASE(test_percpu),
	KUNIT_CASE(test_changed_text),
	KUNIT_CASE(test_flush),
	KUNIT_CASE(test_unlisted_code),
#ifdef CONFIG_KPROBES
	KUNIT_CASE(test_probed),
#endif
	KUNIT_CASE(test_user_copy),
	KUNIT_CASE(test_long_user_copy),
	KUNIT_CASE(test_not_executed),
	KUNIT_CASE(test_no_walk),
	{}
};

static struct kunit_suite access_test_suite = {
	.name		= "ksym_access",
	.test_cases	= access_test_cases,
};

kunit_test_suite(access_test_suite);

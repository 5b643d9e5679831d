// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executes the cases of ksym_access_cases.h on real debug registers: perf_event_open()
 * watches a user address, and its SIGTRAP has the registers after the access.
 *
 * The answer of ksym_access.c must match the case. A second register traps writes only: it
 * must see a write if the answer has one, and none otherwise. This checks the answer
 * against the CPU. Cases that user space can't execute, or that this CPU lacks, are counted.
 *
 * Exits with 4, like the kernel's selftests, if there are no debug registers.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <asm/insn.h>

#include "backend/perf/access_kernel.h"
#include "symbols.h"
#include "ksym_access.c"

/* The tables define macros of these names. */
#undef R
#undef W
#undef RW
#define PAGE_SIZE	4096
/* Named as in ksym_access_test.c, as some instructions refer to these symbols. */
static u8 ksym_access_area[3 * PAGE_SIZE] __aligned(PAGE_SIZE) __attribute__((used));
static u8 ksym_access_other[PAGE_SIZE] __aligned(PAGE_SIZE);

#define __noclone	__attribute__((noclone))
#define FLAGS_AGAIN	""
#define REAL_CPU
#define ANNOTATE_RETPOLINE_SAFE	""

static noinline __attribute__((used)) void ksym_access_target(void)
{
	asm volatile("");
}

#define NEEDS(f)	.needs = true
#define NON_STANDARD(f)

static void prepare_gdt(u8 *at)
{
	(void)at;
}

static void prepare_idt(u8 *at)
{
	(void)at;
}

#include "ksym_access_run.h"

/* What the handler saw. */
static struct {
	unsigned long	addr;
	unsigned int	len, type, hits;
	volatile bool	live;
	int		access;
	bool		differs, wrote;
	u64		val;
} seen;

static sigjmp_buf out;
static unsigned int failures;

static long copy_from_kernel_nofault(void *to, const void *from, size_t len)
{
	struct iovec here = { to, len }, there = { (void *)from, len };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)len ? 0 : -EFAULT;
}

static void handle_trap(int nr, siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct pt_regs regs = {
		.ax = g[REG_RAX], .bx = g[REG_RBX], .cx = g[REG_RCX], .dx = g[REG_RDX],
		.si = g[REG_RSI], .di = g[REG_RDI], .bp = g[REG_RBP], .sp = g[REG_RSP],
		.r8 = g[REG_R8], .r9 = g[REG_R9], .r10 = g[REG_R10], .r11 = g[REG_R11],
		.r12 = g[REG_R12], .r13 = g[REG_R13], .r14 = g[REG_R14],
		.r15 = g[REG_R15], .ip = g[REG_RIP], .flags = g[REG_EFL],
	};
	int access;

	(void)nr;
	(void)info;
	if (!seen.live)
		return;
	access = arch_ksym_access_nmi(&regs, seen.addr, seen.len, seen.type, true);
	if (seen.hits++ && access != seen.access)
		seen.differs = true;
	seen.access = access;
	seen.wrote = arch_ksym_wrote_nmi(&regs, seen.addr, seen.len, seen.type, true,
					 &seen.val);
}

static void handle_fault(int nr)
{
	if (!seen.live) {
		signal(nr, SIG_DFL);
		return;
	}
	siglongjmp(out, 1);
}

static int watch(unsigned long addr, unsigned int len, unsigned int type, bool traps)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(attr),
		.bp_addr	= addr,
		.bp_len		= len,
		.bp_type	= type,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
		.disabled	= 1,
		.pinned		= 1,
	};

	if (traps) {
		attr.sample_period = 1;
		attr.sigtrap = 1;
		attr.remove_on_exec = 1;
	}
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void fail(const struct access_case *c, const char *what)
{
	failures++;
	printf("%s: %s: %s (%u hits, access %d, should be %d)\n", c->name, c->text, what,
	       seen.hits, seen.access, c->access);
}

/* The kernel emulates these for user space, so they do not trap here. */
static bool is_emulated(const struct access_case *c)
{
	static const char *const names[] = { "sgdt", "sidt", "sldt", "str", "smsw" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(c->name, names[i]))
			return true;
	}
	return false;
}

static void check(const struct access_case *c, bool has_written)
{
	u64 stored = 0;

	if (c->access == SILENT) {
		if (seen.hits)
			fail(c, "traps");
		return;
	}
	if (c->access == QUIET) {
		if (seen.hits && (seen.access != R || has_written))
			fail(c, "is not a read");
		return;
	}
	if (!seen.hits) {
		fail(c, "does not trap");
		return;
	}
	if (seen.differs)
		fail(c, "hits differ");
	if (seen.access != c->access)
		fail(c, "has another access");
	/* A failed compare and exchange writes the old value back. */
	if (seen.access && has_written != !!(seen.access & W) && strncmp(c->name, "cmpxchg", 7))
		fail(c, has_written ? "the CPU wrote" : "the CPU did not write");
	memcpy(&stored, (void *)seen.addr, seen.len);
	if (seen.wrote != c->wrote || (c->wrote && (seen.val != c->val || seen.val != stored)))
		fail(c, "stored another value");
}

int main(void)
{
	u8 *at = ksym_access_area + PAGE_SIZE;
	struct sigaction trap = {
		.sa_sigaction = handle_trap,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	struct sigaction fault = {
		.sa_handler = handle_fault,
		.sa_flags = SA_ONSTACK | SA_NODEFER,
	};
	stack_t stack = { .ss_sp = malloc(1 << 18), .ss_size = 1 << 18 };
	const Elf64_Shdr *code = load_symbols("/proc/self/exe");
	volatile unsigned int nr_run = 0, nr_faults = 0;
	volatile size_t i;

	text.addr = code->sh_addr;
	text.size = code->sh_size;
	text.bytes = (const u8 *)code->sh_addr;
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGTRAP, &trap, NULL);
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGILL, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);

	for (i = 0; i < ARRAY_SIZE(access_cases); i++) {
		const struct access_case *c = &access_cases[i];
		volatile int traps, writes;
		u64 nr_writes = 0;

		if (is_emulated(c))
			continue;
		memset(&seen, 0, sizeof(seen));
		seen.addr = (unsigned long)at + c->off;
		seen.len = c->len ?: 8;
		seen.type = c->type ?: RW;
		traps = watch(seen.addr, seen.len, seen.type, true);
		writes = watch(seen.addr, seen.len, W, false);
		if (traps < 0 || writes < 0) {
			printf("no breakpoint on a user address: %s\n", strerror(errno));
			return 4;
		}
		arch_ksym_flush();
		prepare_memory(c, at);
		ioctl(writes, PERF_EVENT_IOC_ENABLE, 0);
		ioctl(traps, PERF_EVENT_IOC_ENABLE, 0);
		if (!sigsetjmp(out, 1)) {
			seen.live = true;
			c->run(at);
			seen.live = false;
			if (!i && !seen.hits) {
				printf("a breakpoint on a user address does not trap\n");
				return 4;
			}
			ioctl(traps, PERF_EVENT_IOC_DISABLE, 0);
			if (read(writes, &nr_writes, sizeof(nr_writes)) != sizeof(nr_writes))
				perror("read");
			ioctl(writes, PERF_EVENT_IOC_DISABLE, 0);
			check(c, nr_writes);
			nr_run++;
		} else {
			seen.live = false;
			asm volatile("cld" : : : "cc");
			nr_faults++;
		}
		close(traps);
		close(writes);
	}
	printf("%u cases on real debug registers, %u can't be executed here, %u failures\n",
	       nr_run, nr_faults, failures);
	return !!failures;
}

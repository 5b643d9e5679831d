/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the cases of ksym_access_cases.h are executed: a function a case, and their table.
 * For the KUnit tests and for tests in user space.
 *
 * The includer defines before: ksym_access_area and ksym_access_other, of which the middle
 * page and the whole are used; ksym_access_target(); prepare_gdt() and prepare_idt();
 * FLAGS_AGAIN, NEEDS(feature) and NON_STANDARD(function).
 */
#ifndef _KSYM_ACCESS_RUN_H
#define _KSYM_ACCESS_RUN_H

#define R	HW_BREAKPOINT_R
#define W	HW_BREAKPOINT_W
#define RW	HW_BREAKPOINT_RW
#define UNKNOWN	0
/* The instruction must not trap. */
#define SILENT	(-1)
/* The CPU decides whether it traps; if it does, it is a read. */
#define QUIET	(-2)

/* The contents of registers; see ksym_access_cases.h. */
#define A	0x8877665544332211UL
#define B	0xb1b2b3b4b5b6b7b8UL
#define D	0xd1d2d3d4d5d6d7d8UL
/* The contents of the memory. */
#define PATTERN	0x0102030405060708UL

#define AREA		"ksym_access_area+4096"
#define AREA_ADDR	((unsigned long)ksym_access_area + PAGE_SIZE)

struct access_case {
	const char	*name;
	const char	*text;
	void		(*run)(u8 *at);
	/* Sets the initial contents of the memory, instead of PATTERN. */
	void		(*prepare)(u8 *at);
	u64		fill;
	u64		val;
	s16		needs;
	u16		off;
	u8		len;		/* 0 means 8 */
	signed char	access;
	u8		type;		/* 0 means RW */
	bool		wrote;
	bool		filled;
	bool		fpu;
	bool		lost;		/* same answer, whatever trapped */
	bool		stops;		/* its string instruction stops at the trap */
};

#define WROTE(v)	.wrote = true, .val = (v)
#define FILL(v)		.filled = true, .fill = (v)
#define FILL_TARGET	FILL((unsigned long)ksym_access_target)
#define RUN_PASTE(line)	run_line_##line
#define RUN_LINE(line)	RUN_PASTE(line)
#define RUN_NAME(line)	RUN_LINE(line)

static void prepare_jump(u8 *at)
{
	asm volatile("leaq .Lksym_access_jumped(%%rip), %%rax\n"
		     "movq %%rax, (%0)" : : "r" (at) : "rax", "memory");
}

static void prepare_after_store(u8 *at)
{
	asm volatile("leaq .Lksym_access_after_store(%%rip), %%rax\n"
		     "movq %%rax, (%0)" : : "r" (at) : "rax", "memory");
}

static void prepare_return(u8 *at)
{
	asm volatile("leaq .Lksym_access_returned(%%rip), %%rax\n"
		     "movq %%rax, (%0)" : : "r" (at) : "rax", "memory");
}

/* Gives the memory its contents before the case is executed. */
static void prepare_memory(const struct access_case *c, u8 *at)
{
	unsigned int i;

	if (c->filled) {
		memset(ksym_access_area, 0, sizeof(ksym_access_area));
		memcpy(at, &c->fill, sizeof(c->fill));
		/* For instructions that load from beyond the watched bytes. */
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

#define EXECUTE(_text, ...)						\
	static noinline notrace __noclone void RUN_NAME(__LINE__)(u8 *at) \
	RUN(_text)
#define EXECUTE_STACKED(_text, ...)					\
	static void RUN_NAME(__LINE__)(u8 *at);				\
	NON_STANDARD(RUN_NAME(__LINE__));				\
	static noinline notrace __noclone void RUN_NAME(__LINE__)(u8 *at) \
	RUN("movq %%rsp, %%r15; " _text "; movq %%r15, %%rsp")
#include "ksym_access_cases.h"
#undef EXECUTE
#undef EXECUTE_STACKED

/* The table. */
#define EXECUTE(_text, _name, _access, ...)				\
	{								\
		.name = _name, .text = _text, .run = RUN_NAME(__LINE__), \
		.access = _access, ##__VA_ARGS__			\
	},
#define EXECUTE_STACKED(...)	EXECUTE(__VA_ARGS__)
static const struct access_case access_cases[] = {
#include "ksym_access_cases.h"
};

#undef EXECUTE
#undef EXECUTE_STACKED

#endif /* _KSYM_ACCESS_RUN_H */

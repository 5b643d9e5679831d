/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the kernel that arch/x86/kernel/ksym_access.c uses, for user space: access.c,
 * and the programs of tests/access/. To be included before it, after struct insn, instead of
 * its own headers. Who includes this provides the text and its symbols.
 */
#ifndef KSYMWATCH_ACCESS_KERNEL_H
#define KSYMWATCH_ACCESS_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/hw_breakpoint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define SZ_16K			0x4000
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#endif
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(t, a, b)		min((t)(a), (t)(b))
#define round_down(x, y)	((x) & ~((__typeof__(x))(y) - 1))
#define offset_in_page(p)	((unsigned long)(p) & 4095)
#define swab64(x)		__builtin_bswap64(x)

#define notrace
#define noinline		__attribute__((noinline))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define __aligned(n)		__attribute__((aligned(n)))
#define likely(x)		(x)
#define unlikely(x)		(x)
#undef static_assert
#define static_assert(x)	_Static_assert(x, #x)
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, v)	((x) = (v))
#define data_race(x)		(x)
#define offsetofend(t, m)	(offsetof(t, m) + sizeof(((t *)0)->m))
#define memset_after(p, v, m)	\
	memset_from(p, v, offsetofend(__typeof__(*(p)), m), sizeof(*(p)))
#define NOKPROBE_SYMBOL(x)	struct pt_regs
#define nokprobe_inline		__always_inline

static inline void memset_from(void *p, int v, size_t from, size_t size)
{
	memset((char *)p + from, v, size - from);
}

/* One CPU. */
#define DEFINE_PER_CPU(t, name)	t name
#define DEFINE_PER_CPU_ALIGNED(t, name)	t name __aligned(64)
#define this_cpu_ptr(p)		(p)
#define this_cpu_inc_return(x)	(++(x))
#define per_cpu(x, cpu)		(*((void)(cpu), &(x)))
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)

#define INT3_INSN_OPCODE	0xcc
#define JMP32_INSN_OPCODE	0xe9
#define JMP32_INSN_SIZE		5
#define X86_EFLAGS_CF		BIT(0)
#define X86_EFLAGS_PF		BIT(2)
#define X86_EFLAGS_ZF		BIT(6)
#define X86_EFLAGS_SF_BIT	7
#define X86_EFLAGS_SF		BIT(X86_EFLAGS_SF_BIT)
#define X86_EFLAGS_DF		BIT(10)
#define X86_EFLAGS_OF_BIT	11
#define X86_EFLAGS_OF		BIT(X86_EFLAGS_OF_BIT)
#define INSN_MODE_KERN		INSN_MODE_64

struct pt_regs {
	unsigned long	r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long	orig_ax, ip, cs, flags, sp, ss;
};

static unsigned long gs_base;

#define raw_smp_processor_id()		0
#define cpu_kernelmode_gs_base(cpu)	((void)(cpu), gs_base)

/* Where text may be: anywhere, unless the includer says otherwise. */
#ifndef __START_KERNEL_map
#define __START_KERNEL_map	0UL
#endif
#define user_mode(regs)		false
#define __module_text_address(addr)	false

static bool core_kernel_text(unsigned long addr);
static int kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size,
				       unsigned long *offset);
static long copy_from_kernel_nofault(void *to, const void *from, size_t len);

#define __get_kernel_nofault(to, from, t, label)			\
do {									\
	if (copy_from_kernel_nofault(to, from, sizeof(t)))		\
		goto label;						\
} while (0)

#define _ASM_EXTABLE_TYPE(from, to, type)	""

#endif /* KSYMWATCH_ACCESS_KERNEL_H */

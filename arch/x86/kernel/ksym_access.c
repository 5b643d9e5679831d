// SPDX-License-Identifier: GPL-2.0-only
/*
 * What did the instruction that trapped do to the watched memory?
 *
 * A data breakpoint traps after the access. The registers have the values after the
 * instruction, and %rip points to the next one, or still to a string instruction that
 * repeats. The debug registers do not tell reads from writes. So this file finds the
 * instruction and compares its operand with the watched memory. It may be
 *
 *  - the instruction before %rip,
 *  - a string instruction with a REP prefix at %rip,
 *  - the call whose return address is on top of the stack, if it leads to %rip.
 *
 * An answer counts only if the address of the operand, computed from the registers,
 * overlaps the watched memory, and if the debug register traps such an access: one that
 * traps writes has no hit of a load. If two candidates disagree, the answer is
 * "unknown". It is never a guess. For example,
 *
 *	mov    0x10(%rdi),%eax		reads 4 bytes at %rdi + 0x10
 *	lock xadd %eax,total_forks	reads and writes 4 bytes at total_forks
 *	mov    (%rax),%rax		has overwritten its own address, see below
 *
 * If the instruction has overwritten a register of its address, the opcode alone may
 * decide. What trapped has led to %rip: that is the instruction before it, a string
 * instruction at it, or a transfer, which reads its target from memory; a call also
 * writes to the top of the stack. So if there is no string instruction, and the top of
 * the stack is not watched, a load has read: every other candidate would have read, too.
 * If the register traps writes only, there was no transfer, and a store has written.
 *
 * The quick way makes one exception: a plain instruction that is in the cache is the
 * only candidate. It is wrong if that instruction writes to the watched bytes, and a
 * jump or call has read these as its target, which is the address after the
 * instruction. The hit then counts as a write, until arch_ksym_wrote_nmi() is asked. It
 * is also wrong if a call to that address pushes its return address over the watched
 * bytes, and the instruction has their address without a base or index. Only assembly
 * can have such code.
 *
 * x86 code can be decoded forwards only, so the instruction before %rip is found from
 * the start of its function. That is far too slow for each hit, so each CPU has a small
 * cache of instructions.
 *
 * asm/insn-eval.h can't be used: it computes addresses from the registers *before* an
 * instruction, takes mmap_lock and the mutex of the LDT to look up segments, has no
 * table of which operands are read and written, and decodes at an address, while here
 * the instruction ends at one.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/processor.h>
#include <linux/ptrace.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/swab.h>
#include <linux/text-patching.h>
#include <linux/uaccess.h>

#include <asm/insn.h>
#include <asm/ksym.h>
#include <asm/page.h>
#include <asm/processor-flags.h>
#include <asm/sections.h>

#include "kprobes/common.h"

#define ACCESS_R	HW_BREAKPOINT_R
#define ACCESS_W	HW_BREAKPOINT_W
#define ACCESS_RW	HW_BREAKPOINT_RW
#define ACCESS_UNKNOWN	0
/* Some other instruction made the access. */
#define ACCESS_NONE	(-1)
/* It made one, and its address is lost. */
#define ACCESS_LOST	(-2)

/* The size of a CPU's cache of instructions: a power of two. */
#define NR_CACHED	64
/* How far a function is decoded at most, since that happens in the #DB. */
#define MAX_WALK	SZ_16K
/* How many bytes a fast string instruction may access before a trap is taken. */
#define STRING_CHUNK	64

/* Nearly all instructions have one operand in memory or none. The others all differ. */
enum insn_kind {
	INSN_PLAIN,		/* one operand in memory, or none */
	INSN_GROUP,		/* depends on the reg field; in the tables only */
	INSN_UNKNOWN,
	INSN_NONE,		/* no access before the next instruction */
	INSN_CALL,
	INSN_CALL_REL,
	INSN_CALL_REG,
	INSN_PUSH,
	INSN_PUSH_IMM,
	INSN_PUSH_MEM,
	INSN_POP,
	INSN_POP_REG,
	INSN_POP_MEM,
	INSN_ENTER,
	INSN_STRING,
	INSN_MOFFS,		/* the address is in the instruction */
	INSN_MOV_IMM,
	INSN_SETCC,
	INSN_CMPXCHG,
	INSN_CMPXCHG_PAIR,
	INSN_BT,		/* its address depends on the number of the bit */
	INSN_SHIFT_IMM,
	INSN_SHIFT_CL,
	INSN_MULDIV,		/* writes %rax and %rdx */
	INSN_FXSAVE,
	INSN_XSAVE,
	INSN_XSAVEC,
	INSN_XRSTOR,
	INSN_LOST,		/* plain, but has overwritten its own address */
};

/* Where the stored value can be read after the instruction. */
enum insn_src {
	SRC_NONE,
	SRC_REG,
	SRC_SWAPPED,		/* a register, with its bytes reversed */
	SRC_IMM,
	SRC_CC,			/* a condition of the flags */
	SRC_PAIR,		/* two registers, of cmpxchg8b and cmpxchg16b */
	SRC_STRING,		/* %rax, repeated */
};

/* What the quick way has to check of a plain instruction. */
#define INSN_F_LONG	BIT(0)	/* is longer than eight bytes */
#define INSN_F_BASE	BIT(1)
#define INSN_F_INDEX	BIT(2)
#define INSN_F_ZF	BIT(3)	/* writes only if it left the zero flag set */

/*
 * An instruction in the cache. Its key is the address after it, if the quick way may use
 * it, or the complement of that.
 */
struct known_insn {
	unsigned long	key;
	/* The bytes of the instruction, right-aligned in two words, and their masks. */
	u64		tail;
	u64		tail_mask;
	/*
	 * The constant part of the address of the operand's last byte, with %rip and
	 * this CPU's %gs. Or the target of a call.
	 */
	unsigned long	last;
	u64		head;
	u64		head_mask;
	s32		imm;
	u16		size;
	u8		flags;
	u8		access;
	u8		kind;
	/* Registers are offsets into struct pt_regs. */
	u8		base;
	u8		index;
	union {
		u8	shift;		/* of the index */
		u8	access_si;	/* of a string instruction; access is %rdi's */
	};
	u8		src;
	u8		src_reg;
	u8		len;
	u8		rep : 1;	/* a string instruction that repeats */
	u8		entry : 1;	/* a function begins after it */
} __aligned(64);

static_assert(sizeof(struct known_insn) == 64);

static DEFINE_PER_CPU_ALIGNED(struct known_insn, known_insns[NR_CACHED]);
/* Which of its two places the next instruction gets. */
static DEFINE_PER_CPU(u8, next_place);

/*
 * The tables of opcodes. An entry of 0 is an unknown opcode. The others have KNOWN set
 * and, if there is an operand in memory, the access and the size.
 */
#define KNOWN		BIT(2)
#define SIZE(s)		((s) << 3)
/* The register of the reg field is written, or stored. */
#define DST		BIT(8)
#define SRC		BIT(9)
#define KIND(k)		((k) << 11)

#define OP_ACCESS(op)	((op) & 3)
#define OP_SIZE(op)	((op) >> 3 & 31)
#define OP_KIND(op)	((op) >> 11)

enum op_size {
	S_0,
	S_1,
	S_2,
	S_4,
	S_8,
	S_10,
	S_512,
	S_576,
	S_V,	/* the operand size: 2, 4 or 8 */
	S_DQ,	/* 4, or 8 with REX.W */
};

#define NONE		KNOWN
#define R(s)		(KNOWN | ACCESS_R | SIZE(S_##s))
#define W(s)		(KNOWN | ACCESS_W | SIZE(S_##s))
#define RW(s)		(KNOWN | ACCESS_RW | SIZE(S_##s))
#define IS(k)		(KNOWN | KIND(INSN_##k))
#define GROUP(g)	(IS(GROUP) | SIZE(GROUP_##g))
/* What is done at %rdi, and at %rsi; the size is that of the operands. */
#define STRING(di, si)	(IS(STRING) | (di) | SIZE(si))
/* Does not go on with the next instruction. */
#define AWAY		IS(NONE)

enum op_group {
	GROUP_1B, GROUP_1V, GROUP_3B, GROUP_3V, GROUP_4, GROUP_5, GROUP_8F,
	GROUP_11B, GROUP_11V, GROUP_SREG, GROUP_6, GROUP_7, GROUP_8, GROUP_9, GROUP_15,
	GROUP_DB,
};

static const u16 op_groups[][8] = {
	[GROUP_1B]	= { [0 ... 6] = RW(1), R(1) },
	[GROUP_1V]	= { [0 ... 6] = RW(V), R(V) },
	[GROUP_3B]	= { R(1), R(1), RW(1), RW(1),
			    [4 ... 7] = R(1) | IS(MULDIV) },
	[GROUP_3V]	= { R(V), R(V), RW(V), RW(V),
			    [4 ... 7] = R(V) | IS(MULDIV) },
	[GROUP_4]	= { RW(1), RW(1) },
	[GROUP_5]	= { RW(V), RW(V), R(8) | IS(CALL), 0, AWAY, 0,
			    R(V) | IS(PUSH_MEM) },
	[GROUP_8F]	= { W(V) | IS(POP_MEM) },
	[GROUP_11B]	= { W(1) | IS(MOV_IMM) },
	[GROUP_11V]	= { W(V) | IS(MOV_IMM) },
	/* Not %ss: a load of it delays the trap until after the next instruction. */
	[GROUP_SREG]	= { R(2), R(2), 0, R(2), R(2), R(2) },
	[GROUP_6]	= { W(2), W(2), R(2), R(2), R(2), R(2) },
	[GROUP_7]	= { W(10), W(10), R(10), R(10), W(2), 0, R(2), NONE },
	[GROUP_8]	= { [4] = R(V), RW(V), RW(V), RW(V) },
	[GROUP_9]	= { [1] = RW(8) | IS(CMPXCHG_PAIR), [3] = R(576) | IS(XRSTOR),
			    RW(576) | IS(XSAVEC), RW(576) | IS(XSAVEC) },
	[GROUP_15]	= { W(512) | IS(FXSAVE), R(512) | IS(FXSAVE), R(4), W(4),
			    RW(576) | IS(XSAVE), R(576) | IS(XRSTOR),
			    RW(576) | IS(XSAVE), R(1) },
	[GROUP_DB]	= { R(4) },
};

/* One byte. find_op() computes the eight arithmetic instructions of 00 to 3f. */
static const u16 op_map_1byte[256] = {
	[0x50 ... 0x57]	= W(V) | IS(PUSH),
	[0x58 ... 0x5f]	= R(V) | IS(POP_REG),
	[0x63]		= R(4) | DST,
	[0x68]		= W(V) | IS(PUSH_IMM),
	[0x69]		= R(V) | DST,
	[0x6a]		= W(V) | IS(PUSH_IMM),
	[0x6b]		= R(V) | DST,
	[0x6c ... 0x6d]	= STRING(ACCESS_W, 0),
	[0x6e ... 0x6f]	= STRING(0, ACCESS_R),
	[0x70 ... 0x7f]	= NONE,
	[0x80]		= GROUP(1B),
	[0x81]		= GROUP(1V),
	[0x83]		= GROUP(1V),
	[0x84]		= R(1),
	[0x85]		= R(V),
	[0x86]		= RW(1) | DST,
	[0x87]		= RW(V) | DST,
	[0x88]		= W(1) | SRC,
	[0x89]		= W(V) | SRC,
	[0x8a]		= R(1) | DST,
	[0x8b]		= R(V) | DST,
	[0x8c]		= W(2),
	[0x8d]		= NONE,
	[0x8e]		= GROUP(SREG),
	[0x8f]		= GROUP(8F),
	[0x90 ... 0x99]	= NONE,
	[0x9b]		= NONE,
	[0x9c]		= W(V) | IS(PUSH_MEM),
	[0x9d]		= R(V) | IS(POP),
	[0x9e ... 0x9f]	= NONE,
	[0xa0]		= R(1) | IS(MOFFS),
	[0xa1]		= R(V) | IS(MOFFS),
	[0xa2]		= W(1) | IS(MOFFS),
	[0xa3]		= W(V) | IS(MOFFS),
	[0xa4 ... 0xa5]	= STRING(ACCESS_W, ACCESS_R),
	[0xa6 ... 0xa7]	= STRING(ACCESS_R, ACCESS_R),
	[0xa8 ... 0xa9]	= NONE,
	[0xaa ... 0xab]	= STRING(ACCESS_W, 0),
	[0xac ... 0xad]	= STRING(0, ACCESS_R),
	[0xae ... 0xaf]	= STRING(ACCESS_R, 0),
	[0xb0 ... 0xbf]	= NONE,
	[0xc0]		= RW(1) | IS(SHIFT_IMM),
	[0xc1]		= RW(V) | IS(SHIFT_IMM),
	[0xc2 ... 0xc3]	= AWAY,
	[0xc6]		= GROUP(11B),
	[0xc7]		= GROUP(11V),
	[0xc8]		= W(8) | IS(ENTER),
	[0xc9]		= R(8) | IS(POP),
	[0xca ... 0xcc]	= AWAY,
	[0xcf]		= AWAY,
	[0xd0]		= RW(1),
	[0xd1]		= RW(V),
	[0xd2]		= RW(1) | IS(SHIFT_CL),
	[0xd3]		= RW(V) | IS(SHIFT_CL),
	[0xdb]		= GROUP(DB),
	[0xe0 ... 0xe7]	= NONE,
	[0xe8]		= W(8) | IS(CALL_REL),
	[0xe9]		= AWAY,
	[0xeb]		= AWAY,
	[0xec ... 0xef]	= NONE,
	[0xf4 ... 0xf5]	= NONE,
	[0xf6]		= GROUP(3B),
	[0xf7]		= GROUP(3V),
	[0xf8 ... 0xfd]	= NONE,
	[0xfe]		= GROUP(4),
	[0xff]		= GROUP(5),
};

/*
 * 0F. See op_0f() for opcodes with which a prefix changes more than the size. Vector
 * instructions are left out, as are VEX and EVEX: the kernel does not use them on its
 * variables.
 */
static const u16 op_map_0f[256] = {
	[0x00]		= GROUP(6),
	[0x01]		= GROUP(7),
	[0x02 ... 0x03]	= R(2) | DST,
	[0x06]		= NONE,
	[0x08 ... 0x09]	= NONE,
	[0x0b]		= AWAY,
	[0x0d]		= NONE,
	[0x18 ... 0x19]	= NONE,
	[0x1c ... 0x1f]	= NONE,
	[0x20 ... 0x23]	= NONE,
	[0x30 ... 0x33]	= NONE,
	[0x40 ... 0x4f]	= R(V) | DST,
	[0x80 ... 0x8f]	= NONE,
	[0x90 ... 0x9f]	= W(1) | IS(SETCC),
	[0xa0]		= W(V) | IS(PUSH_MEM),
	[0xa1]		= R(V) | IS(POP),
	[0xa2]		= NONE,
	[0xa3]		= R(V) | IS(BT),
	[0xa4]		= RW(V) | IS(SHIFT_IMM),
	[0xa5]		= RW(V) | IS(SHIFT_CL),
	[0xa8]		= W(V) | IS(PUSH_MEM),
	[0xa9]		= R(V) | IS(POP),
	[0xab]		= RW(V) | IS(BT),
	[0xac]		= RW(V) | IS(SHIFT_IMM),
	[0xad]		= RW(V) | IS(SHIFT_CL),
	[0xae]		= GROUP(15),
	[0xaf]		= R(V) | DST,
	[0xb0]		= RW(1) | IS(CMPXCHG),
	[0xb1]		= RW(V) | IS(CMPXCHG),
	[0xb3]		= RW(V) | IS(BT),
	[0xb6]		= R(1) | DST,
	[0xb7]		= R(2) | DST,
	[0xb9]		= AWAY,
	[0xba]		= GROUP(8),
	[0xbb]		= RW(V) | IS(BT),
	[0xbc ... 0xbd]	= R(V) | DST,
	[0xbe]		= R(1) | DST,
	[0xbf]		= R(2) | DST,
	[0xc0]		= RW(1) | DST,
	[0xc1]		= RW(V) | DST,
	[0xc3]		= W(DQ) | SRC,
	[0xc7]		= GROUP(9),
	[0xc8 ... 0xcf]	= NONE,
	[0xff]		= AWAY,
};

#define REG(r)	offsetof(struct pt_regs, r)

/* By the number of the register in instructions. */
static const u8 reg_offset[16] = {
	REG(ax), REG(cx), REG(dx), REG(bx), REG(sp), REG(bp), REG(si), REG(di),
	REG(r8), REG(r9), REG(r10), REG(r11), REG(r12), REG(r13), REG(r14), REG(r15),
};

enum reg_number { AX, CX, DX, BX, SP, BP, SI, DI };

/* The state while a known_insn is filled in. */
struct decoding {
	struct insn	*insn;
	unsigned long	next;		/* the address of the next instruction */
	u16		op;
	u16		written;	/* general registers, by their bits */
	u8		opcode;		/* its last byte */
	u8		map;		/* 0 to 3: one byte, 0F, 0F38, 0F3A */
	u8		reg;
	u8		mod;
	u8		rex;
	bool		opnd16;		/* 66 */
	u8		rep;		/* the last of F2 and F3, or 0 */
	u8		seg;
};

/* Opcodes of 0F that depend on the prefix. */
static nokprobe_inline u16 op_0f(const struct decoding *d)
{
	switch (d->opcode) {
	case 0x01:
		/* mwait, clac, stac, xgetbv, xsetbv, rdpkru, wrpkru, swapgs, rdtscp */
		if (d->mod != 3)
			break;
		switch (d->insn->modrm.bytes[0]) {
		case 0xc9 ... 0xcb:
		case 0xd0 ... 0xd1:
		case 0xee ... 0xef:
		case 0xf8 ... 0xf9:
			return NONE;
		}
		return 0;
	case 0xae:
		if (!d->opnd16 && !d->rep)
			break;
		/* clwb and clflushopt; and those that read or write %fs and %gs */
		if (d->mod != 3)
			return d->opnd16 && !d->rep && d->reg >= 6 ? R(1) : 0;
		return d->rep == 0xf3 && d->reg < 4 ? NONE : 0;
	case 0xb8:
		return d->rep == 0xf3 ? R(V) | DST : 0;
	case 0xc7:
		/* rdrand, rdseed, rdpid */
		if (d->mod == 3)
			return d->reg >= 6 ? NONE : 0;
		return d->rep || d->opnd16 ? 0 : op_map_0f[0xc7];
	}
	return op_map_0f[d->opcode];
}

static nokprobe_inline u16 op_0f38(const struct decoding *d)
{
	switch (d->opcode) {
	/* movbe, and crc32 */
	case 0xf0:
		return d->rep == 0xf2 ? R(1) | DST : R(V) | DST;
	case 0xf1:
		return d->rep == 0xf2 ? R(V) | DST : W(V) | SRC;
	/* adcx and adox */
	case 0xf6:
		return d->opnd16 || d->rep == 0xf3 ? R(DQ) | DST : 0;
	}
	return 0;
}

/* The entry for this reg field, if @op is a group. */
static nokprobe_inline u16 in_group(u16 op, u8 reg)
{
	return OP_KIND(op) == INSN_GROUP ? op_groups[OP_SIZE(op)][reg] : op;
}

static nokprobe_inline u16 find_op(const struct decoding *d)
{
	switch (d->map) {
	case 0:
		/* add, or, adc, sbb, and, sub, xor, cmp */
		if (d->opcode < 0x40 && (d->opcode & 7) < 6) {
			bool wide = d->opcode & 1, cmp = d->opcode >> 3 == 7;
			u16 op = KNOWN | SIZE(wide ? S_V : S_1);

			switch (d->opcode & 6) {
			case 0:
				return op | (cmp ? ACCESS_R : ACCESS_RW);
			case 2:
				return op | ACCESS_R | (cmp ? 0 : DST);
			}
			return NONE;
		}
		return in_group(op_map_1byte[d->opcode], d->reg);
	case 1:
		return in_group(op_0f(d), d->reg);
	case 2:
		return op_0f38(d);
	}
	return 0;
}

/* The sizes that do not depend on prefixes. */
static const u16 fixed_sizes[] = {
	[S_1] = 1, [S_2] = 2, [S_4] = 4, [S_8] = 8, [S_10] = 10, [S_512] = 512, [S_576] = 576,
};

static nokprobe_inline unsigned int size_of(const struct decoding *d)
{
	switch (OP_SIZE(d->op)) {
	case S_0 ... S_576:
		return fixed_sizes[OP_SIZE(d->op)];
	case S_V:
		return d->insn->opnd_bytes;
	case S_DQ:
		return X86_REX_W(d->rex) ? 8 : 4;
	}
	return 0;
}

/* Notes how the address of the operand is computed. Fails if it can't be any more. */
static nokprobe_inline bool find_address(struct known_insn *known, struct decoding *d)
{
	struct insn *insn = d->insn;
	unsigned int rm = X86_MODRM_RM(insn->modrm.bytes[0]);
	long disp = insn->displacement.value;
	unsigned int base, index;
	u16 used = 0;

	if (insn->addr_bytes != 8)
		return false;
	if (insn->sib.nbytes) {
		base = X86_SIB_BASE(insn->sib.bytes[0]);
		index = X86_SIB_INDEX(insn->sib.bytes[0]) | (X86_REX_X(d->rex) ? 8 : 0);
		if (index != SP) {
			known->flags |= INSN_F_INDEX;
			known->index = reg_offset[index];
			known->shift = X86_SIB_SCALE(insn->sib.bytes[0]);
			used |= BIT(index);
		}
		if (base == BP && !d->mod)
			base = ~0;
	} else if (rm == BP && !d->mod) {
		disp += d->next;
		base = ~0;
	} else {
		base = rm;
	}
	if (base != ~0) {
		base |= X86_REX_B(d->rex) ? 8 : 0;
		known->flags |= INSN_F_BASE;
		known->base = reg_offset[base];
		used |= BIT(base);
	}
	if (d->seg == 0x64)
		return false;
	/* In the kernel, %gs of a CPU never changes. */
	if (d->seg == 0x65)
		disp += cpu_kernelmode_gs_base(raw_smp_processor_id());
	known->last = disp + known->size - 1;
	return !(used & d->written);
}

static notrace bool describe_string(struct known_insn *known, u8 opcode, unsigned int size,
				    u8 rep)
{
	u16 op = op_map_1byte[opcode];

	if (OP_KIND(op) != INSN_STRING)
		return false;
	/* Ports are four bytes wide at most. */
	if (opcode < 0x70)
		size = min(size, 4U);
	known->kind = INSN_STRING;
	known->size = opcode & 1 ? size : 1;
	known->rep = !!rep;
	known->access = OP_ACCESS(op);
	known->access_si = OP_SIZE(op);
	known->src = SRC_NONE;
	if (opcode == 0xaa || opcode == 0xab) {
		known->src = SRC_STRING;
		known->src_reg = REG(ax);
	}
	return true;
}

NOKPROBE_SYMBOL(describe_string);

/*
 * The kernel's decoder keeps up to four different prefixes, without their order. The CPU
 * takes the last of F2 and F3, and the last segment that has an effect.
 */
static nokprobe_inline void find_prefixes(struct decoding *d)
{
	struct insn *insn = d->insn;
	int i;

	for (i = 0; i < insn->prefixes.nbytes; i++) {
		switch (insn->kaddr[i]) {
		case 0x64 ... 0x65:
			d->seg = insn->kaddr[i];
			break;
		case 0x66:
			d->opnd16 = true;
			break;
		case 0xf2 ... 0xf3:
			d->rep = insn->kaddr[i];
			break;
		}
	}
	d->rex = insn->rex_prefix.nbytes ? insn->rex_prefix.bytes[0] : 0;
	d->opcode = insn->opcode.bytes[insn->opcode.nbytes - 1];
	if (insn->opcode.bytes[0] != 0x0f)
		d->map = 0;
	else if (insn->opcode.nbytes == 2)
		d->map = 1;
	else
		d->map = insn->opcode.bytes[1] == 0x38 ? 2 : 3;
}

/* A register as a source. Without REX, 4 to 7 are %ah to %bh if the size is a byte. */
static nokprobe_inline u8 source_reg(const struct decoding *d, unsigned int reg, unsigned int size)
{
	if (size == 1 && reg >= 4 && !d->insn->rex_prefix.nbytes)
		return reg_offset[reg - 4] + 1;
	return reg_offset[reg | (X86_REX_R(d->rex) ? 8 : 0)];
}

/* The size of a push or pop. The kernel's decoder says 8 with any prefix. */
static nokprobe_inline unsigned int stack_size(const struct decoding *d)
{
	return d->opnd16 && !X86_REX_W(d->rex) ? 2 : 8;
}

/* Notes which registers the instruction writes, and which one it stores. */
static nokprobe_inline void describe_regs(struct known_insn *known, struct decoding *d)
{
	if (d->op & DST) {
		/* %ah to %bh are parts of the first four; movzx has no such target. */
		if (known->size == 1 && source_reg(d, d->reg, 1) & 1 &&
		    (!d->map || d->opcode == 0xc0))
			d->written |= BIT(d->reg - 4);
		else
			d->written |= BIT(d->reg | (X86_REX_R(d->rex) ? 8 : 0));
	}
	if (d->op & SRC) {
		known->src = SRC_REG;
		known->src_reg = source_reg(d, d->reg, known->size);
	}
}

/*
 * Describes a call, push or pop. Returns whether that is all: otherwise the operand in
 * memory is still to be described.
 */
static nokprobe_inline bool describe_stack(struct known_insn *known, const struct decoding *d,
					   unsigned int kind)
{
	unsigned int rm_reg = X86_MODRM_RM(d->insn->modrm.bytes[0]) |
			      (X86_REX_B(d->rex) ? 8 : 0);

	if (kind != INSN_CALL && kind != INSN_CALL_REL && kind != INSN_ENTER)
		known->size = stack_size(d);
	switch (kind) {
	case INSN_CALL_REL:
		known->kind = INSN_CALL_REL;
		known->last = d->next + known->imm;
		return true;
	case INSN_CALL:
		if (d->mod != 3)
			return false;
		known->kind = INSN_CALL_REG;
		known->base = reg_offset[rm_reg];
		return true;
	case INSN_PUSH:
		known->kind = INSN_PUSH;
		known->src = SRC_REG;
		known->src_reg = reg_offset[(d->opcode & 7) | (X86_REX_B(d->rex) ? 8 : 0)];
		return true;
	case INSN_PUSH_IMM:
		known->kind = INSN_PUSH;
		known->src = SRC_IMM;
		return true;
	case INSN_PUSH_MEM:
		/* Not ff: the flags or a segment register. */
		if (d->opcode == 0xff && d->mod != 3)
			return false;
		known->kind = INSN_PUSH;
		if (d->opcode == 0xff) {
			known->src = SRC_REG;
			known->src_reg = reg_offset[rm_reg];
		}
		return true;
	case INSN_POP_REG:
		/* pop %rsp overwrites the address that it has popped from. */
		known->kind = d->opcode == 0x5c && !X86_REX_B(d->rex) ? INSN_LOST : INSN_POP;
		return true;
	case INSN_POP:
		known->kind = INSN_POP;
		return true;
	case INSN_POP_MEM:
		if (d->mod != 3)
			return false;
		if (rm_reg != SP)
			known->kind = INSN_POP;
		return true;
	case INSN_ENTER:
		/* A nested one reads the frames around it as well. */
		if (!d->insn->immediate2.value && !d->opnd16)
			known->kind = INSN_ENTER;
		return true;
	}
	return true;
}

/* Describes a move between %rax and an address that is in the instruction. */
static nokprobe_inline void describe_moffs(struct known_insn *known, const struct decoding *d)
{
	const struct insn *insn = d->insn;

	if (d->seg == 0x64 || insn->addr_bytes != 8)
		return;
	known->last = (u32)insn->moffset1.value | (u64)insn->moffset2.value << 32;
	known->last += known->size - 1;
	if (d->seg)
		known->last += cpu_kernelmode_gs_base(raw_smp_processor_id());
	if (known->access == ACCESS_W) {
		known->src = SRC_REG;
		known->src_reg = REG(ax);
	}
	known->kind = INSN_PLAIN;
}

/*
 * Notes what an instruction with an operand in memory stores there, and what else sets
 * it apart. Returns its kind, or INSN_UNKNOWN.
 */
static nokprobe_inline unsigned int describe_source(struct known_insn *known, struct decoding *d)
{
	switch (OP_KIND(d->op)) {
	case INSN_PLAIN:
		/* movbe */
		if (d->map == 2 && d->opcode == 0xf1 && d->op & SRC)
			known->src = SRC_SWAPPED;
		return INSN_PLAIN;
	case INSN_MOV_IMM:
		known->src = SRC_IMM;
		return INSN_PLAIN;
	case INSN_SETCC:
		known->src = SRC_CC;
		known->src_reg = d->opcode & 15;
		return INSN_PLAIN;
	case INSN_CMPXCHG:
		known->src = SRC_REG;
		known->src_reg = source_reg(d, d->reg, known->size);
		known->flags |= INSN_F_ZF;
		return INSN_PLAIN;
	case INSN_CMPXCHG_PAIR:
		known->size = X86_REX_W(d->rex) ? 16 : 8;
		known->src = SRC_PAIR;
		known->flags |= INSN_F_ZF;
		return INSN_PLAIN;
	case INSN_BT:
		known->src_reg = source_reg(d, d->reg, known->size);
		return INSN_BT;
	case INSN_SHIFT_IMM:
		/* CPUs differ in whether a shift by 0 writes. */
		if (d->mod != 3 && !(known->imm & (known->size == 8 ? 63 : 31)))
			return INSN_UNKNOWN;
		return INSN_PLAIN;
	case INSN_MULDIV:
		d->written |= BIT(AX);
		if (known->size > 1)
			d->written |= BIT(DX);
		return INSN_PLAIN;
	}
	return OP_KIND(d->op);
}

static nokprobe_inline bool uses_reg(const struct known_insn *known, unsigned int reg)
{
	return (known->flags & INSN_F_BASE && known->base == reg) ||
	       (known->flags & INSN_F_INDEX && known->index == reg);
}

/* Describes the operand in memory of an instruction of this kind. */
static nokprobe_inline void describe_operand(struct known_insn *known, struct decoding *d,
					     unsigned int kind)
{
	if (!d->insn->modrm.nbytes || d->mod == 3 || !known->access) {
		known->kind = INSN_NONE;
		return;
	}
	if (!find_address(known, d)) {
		known->src = SRC_NONE;
		known->kind = kind == INSN_PLAIN ? INSN_LOST : INSN_UNKNOWN;
		return;
	}
	/* A cmpxchg that fails overwrites %rax; cmpxchg8b and cmpxchg16b %rdx as well. */
	if (known->flags & INSN_F_ZF && (uses_reg(known, REG(ax)) || uses_reg(known, REG(dx))))
		kind = known->src == SRC_PAIR ? INSN_CMPXCHG_PAIR : INSN_CMPXCHG;
	known->kind = kind;
}

/* A VEX, EVEX or XOP prefix; the helper for it has another name in each kernel. */
static nokprobe_inline bool has_vex(const struct insn *insn)
{
	return insn->vex_prefix.value;
}

/*
 * Fills in what the instruction before @next does. The kind is INSN_UNKNOWN if the
 * tables do not know it, or if its address can't be computed any more.
 */
static nokprobe_inline void describe(struct known_insn *known, struct insn *insn,
				     unsigned long next)
{
	struct decoding d = { .insn = insn, .next = next };
	unsigned int kind;

	known->kind = INSN_UNKNOWN;
	known->src = SRC_NONE;
	known->imm = insn->immediate.value;
	if (has_vex(insn) || insn_is_rex2(insn) || insn_has_emulate_prefix(insn))
		return;
	d.reg = X86_MODRM_REG(insn->modrm.bytes[0]);
	d.mod = X86_MODRM_MOD(insn->modrm.bytes[0]);
	find_prefixes(&d);
	d.op = find_op(&d);
	if (!d.op)
		return;

	known->access = OP_ACCESS(d.op);
	known->size = size_of(&d);
	describe_regs(known, &d);

	kind = OP_KIND(d.op);
	switch (kind) {
	case INSN_NONE:
		known->kind = INSN_NONE;
		return;
	case INSN_CALL ... INSN_ENTER:
		if (describe_stack(known, &d, kind))
			return;
		break;
	case INSN_STRING:
		if (d.seg || insn->addr_bytes != 8 ||
		    !describe_string(known, d.opcode, insn->opnd_bytes, d.rep))
			known->kind = INSN_UNKNOWN;
		return;
	case INSN_MOFFS:
		describe_moffs(known, &d);
		return;
	default:
		kind = describe_source(known, &d);
		if (kind == INSN_UNKNOWN)
			return;
	}
	describe_operand(known, &d, kind);
}

#ifdef CONFIG_KPROBES
/*
 * The text without a probe. recover_probed_instruction() needs preemption off, takes no
 * lock and reads with nofault, so it can be called here.
 */
static nokprobe_inline const u8 *unprobed(u8 *buf, unsigned long addr)
{
	unsigned long at = recover_probed_instruction(buf, addr);

	return at == addr ? buf : (const u8 *)at;
}
#else
static nokprobe_inline const u8 *unprobed(u8 *buf, unsigned long addr)
{
	return buf;
}
#endif

/* Does the next instruction never follow this one? */
static nokprobe_inline bool ends_flow(struct insn *insn)
{
	const u8 *opcode = insn->opcode.bytes;
	u16 op;

	if (has_vex(insn))
		return false;
	/* Retpolines call over an int3 that is never executed. */
	if (opcode[0] == 0xe8)
		return insn->immediate.value == 1;
	op = opcode[0] == 0x0f ? op_map_0f[opcode[1]] : op_map_1byte[opcode[0]];
	return OP_KIND(in_group(op, X86_MODRM_REG(insn->modrm.bytes[0]))) == INSN_NONE;
}

/*
 * Is this int3 padding? The linker pads functions to 16 bytes. A function that ends with
 * a call that does not return has at least one int3 after it.
 */
static nokprobe_inline bool is_padding(const u8 *text, unsigned long addr, unsigned int len)
{
	unsigned int i, room = 16 - addr % 16;

	if (room == 1 || len < min(room, MAX_INSN_SIZE))
		return false;
	for (i = 0; i < min(room, MAX_INSN_SIZE); i++) {
		if (text[i] != INT3_INSN_OPCODE)
			return false;
	}
	return true;
}

/* The kernel's decoder makes push $imm16 two bytes too long. */
static nokprobe_inline bool is_push_imm16(struct insn *insn)
{
	return !has_vex(insn) && insn->opcode.bytes[0] == 0x68 && insn->opnd_bytes == 2;
}

struct walk {
	struct insn	insn;
	u8		buf[MAX_INSN_SIZE];	/* what @insn was decoded from */
	u8		text[MAX_INSN_SIZE];	/* the text, with a probe */
	bool		entry;			/* a function begins after it */
};

/*
 * Finds the instruction that ends at @ip, from the start of its function. kallsyms knows
 * that: the lookup of size and offset takes no lock, neither for the kernel (a binary
 * search in constant tables) nor for modules (a latched tree, under RCU).
 *
 * BPF programs are left out. The cache is not told when they are loaded and freed, and
 * the same bytes may then be the end of another instruction.
 *
 * Returns 0, -ENOENT if it can't be found, or -EAGAIN if it can't be found now.
 */
static noinline notrace int walk_to(unsigned long ip, struct walk *walk)
{
	unsigned long size, offset, addr, end, patched = 0;
	struct insn *insn = &walk->insn;
	u8 *buf = walk->buf;
	bool ended = true;
	const u8 *text;
	size_t len;

	if (!core_kernel_text(ip - 1) && !__module_text_address(ip - 1))
		return -ENOENT;
	if (!kallsyms_lookup_size_offset(ip - 1, &size, &offset) || offset >= MAX_WALK)
		return -ENOENT;

	addr = ip - 1 - offset;
	end = addr + size;
	walk->entry = end == ip;
	while (addr < ip) {
		len = min_t(unsigned long, end - addr, MAX_INSN_SIZE);
		if (copy_from_kernel_nofault(buf, (void *)addr, len))
			return -ENOENT;

		memcpy(walk->text, buf, len);
		text = buf;
		/* A probe is an int3, or a jump over the bytes that follow. */
		if (buf[0] == INT3_INSN_OPCODE || buf[0] == JMP32_INSN_OPCODE)
			patched = addr + JMP32_INSN_SIZE;
		if (addr < patched) {
			text = unprobed(buf, addr);
			if (!text)
				return -ENOENT;
		}
		/*
		 * An int3 without a probe is padding, or the text is being changed. In
		 * that case the length of the instruction below it is unknown.
		 */
		if (text[0] == INT3_INSN_OPCODE && !ended && !is_padding(text, addr, len))
			return -EAGAIN;
		if (insn_decode(insn, text, len, INSN_MODE_KERN) || is_push_imm16(insn))
			return -ENOENT;
		ended = ends_flow(insn);
		addr += insn->length;
	}
	return addr == ip ? 0 : -ENOENT;
}

NOKPROBE_SYMBOL(walk_to);

static nokprobe_inline struct known_insn *place_of(unsigned long ip, unsigned int nr)
{
	return this_cpu_ptr(&known_insns[(ip ^ nr) % NR_CACHED]);
}

static nokprobe_inline bool is_known_as(const struct known_insn *known, unsigned long ip)
{
	unsigned long key = READ_ONCE(known->key);

	return key == ip || key == ~ip;
}

/* Is the text unchanged? An instruction that was not found has no length. */
static nokprobe_inline bool still_stands(const struct known_insn *known, unsigned long ip)
{
	u64 words[2] = {};
	u8 *text = (u8 *)words + sizeof(words) - known->len;

	if (!known->len)
		return true;
	/* Read these bytes only: others may not be mapped. */
	if (copy_from_kernel_nofault(text, (void *)(ip - known->len), known->len))
		return false;
	return words[0] == known->head && words[1] == known->tail;
}

/*
 * Is there a string instruction with REP at @ip? An instruction starts at @ip, so it can
 * be decoded there: it is prefixes and one byte. The kind is INSN_UNKNOWN if its
 * addresses are not those in the registers.
 */
static notrace bool string_at(unsigned long ip, struct known_insn *known)
{
	bool probed = false, opnd16 = false, wide = false, other = false;
	u8 buf[MAX_INSN_SIZE], rep = 0;
	unsigned int i;

	for (i = 0; i < sizeof(buf); i++) {
		if (!probed)
			__get_kernel_nofault(&buf[i], (u8 *)ip + i, u8, fault);
		if (!i && buf[0] == INT3_INSN_OPCODE) {
			if (!unprobed(buf, ip))
				return false;
			probed = true;
		}
		switch (buf[i]) {
		case 0x40 ... 0x4f:
			wide = buf[i] & 8;
			continue;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
			/* Segments whose base is 0. */
			break;
		case 0x64 ... 0x65:
		case 0x67:
			other = true;
			break;
		case 0x66:
			opnd16 = true;
			break;
		case 0xf2 ... 0xf3:
			rep = buf[i];
			break;
		default:
			if (!rep || !describe_string(known, buf[i],
						     wide ? 8 : opnd16 ? 2 : 4, rep))
				return false;
			if (other)
				known->kind = INSN_UNKNOWN;
			return true;
		}
		/* REX has an effect only right before the opcode. */
		wide = false;
	}
fault:
	return false;
}

NOKPROBE_SYMBOL(string_at);

static noinline notrace struct known_insn *learn(unsigned long ip)
{
	struct known_insn *known = place_of(ip, 0), *second = place_of(ip, 1);
	struct known_insn string;
	unsigned int room;
	u64 words[2] = {};
	struct walk walk;
	int ret;

	ret = walk_to(ip, &walk);
	if (ret == -EAGAIN)
		return NULL;

	/*
	 * Each instruction has two places, so that two instructions that are hit in turn
	 * do not replace each other. If neither is free, they are taken in turn.
	 */
	if (READ_ONCE(known->key) && !is_known_as(known, ip) &&
	    (!READ_ONCE(second->key) || this_cpu_inc_return(next_place) & 1))
		known = second;

	/* arch_ksym_flush() on another CPU writes to the key only. */
	WRITE_ONCE(known->key, 0);
	memset_after(known, 0, key);
	known->kind = INSN_UNKNOWN;
	if (!ret) {
		known->len = walk.insn.length;
		memcpy((u8 *)words + sizeof(words) - known->len, walk.text, known->len);
		known->head = words[0];
		known->tail = words[1];
		if (known->len > 8) {
			known->flags = INSN_F_LONG;
			known->tail_mask = ~0ULL;
			known->head_mask = ~0ULL << 8 * (16 - known->len);
		} else {
			known->tail_mask = ~0ULL << 8 * (8 - known->len);
		}
		describe(known, &walk.insn, ip);
		known->entry = walk.entry;
	}
	/*
	 * The quick way reads one or two words before @ip, so they must be in the page
	 * that the instruction ends in. It considers no other candidate.
	 */
	room = known->flags & INSN_F_LONG ? 16 : 8;
	if (known->kind == INSN_PLAIN && offset_in_page(ip - 1) >= room - 1 &&
	    !known->entry && !string_at(ip, &string))
		WRITE_ONCE(known->key, ip);
	else
		WRITE_ONCE(known->key, ~ip);
	return known;
}

NOKPROBE_SYMBOL(learn);

/*
 * Returns the instruction before @ip, or NULL if it is not in the cache and must not be
 * searched for, or can't be found now.
 */
static notrace struct known_insn *find_known(unsigned long ip, bool may_walk)
{
	struct known_insn *known;
	unsigned int nr;

	/* Text of the kernel and of modules only. */
	if (ip <= __START_KERNEL_map)
		return NULL;
	for (nr = 0; nr < 2; nr++) {
		known = place_of(ip, nr);
		if (!is_known_as(known, ip))
			continue;
		if (still_stands(known, ip))
			return known;
		WRITE_ONCE(known->key, 0);
	}
	return may_walk ? learn(ip) : NULL;
}

NOKPROBE_SYMBOL(find_known);

static __always_inline unsigned long get_reg(const struct pt_regs *regs, unsigned int reg)
{
	return *(const unsigned long *)((const u8 *)regs + reg);
}

/* Do the @size bytes up to @last overlap the @len bytes from @addr on? */
static __always_inline bool reaches(unsigned long last, unsigned int size,
				    unsigned long addr, unsigned int len)
{
	return last - addr < size - 1 + len;
}

static __always_inline bool overlaps(unsigned long operand, unsigned int size,
				     unsigned long addr, unsigned int len)
{
	return reaches(operand + size - 1, size, addr, len);
}

static __always_inline unsigned long address_of(const struct known_insn *known,
						const struct pt_regs *regs)
{
	unsigned long addr = known->last - (known->size - 1);

	if (known->flags & INSN_F_BASE)
		addr += get_reg(regs, known->base);
	if (known->flags & INSN_F_INDEX)
		addr += get_reg(regs, known->index) << known->shift;
	return addr;
}

/* A push with a %rsp-based operand reads it before it changes %rsp. */
static nokprobe_inline unsigned long
address_before_push(const struct known_insn *known, const struct pt_regs *regs, unsigned int size)
{
	unsigned long addr = address_of(known, regs);

	if (known->flags & INSN_F_BASE && known->base == REG(sp))
		addr += size;
	return addr;
}

/*
 * A string instruction leaves its pointers after the last element, in its direction.
 * With REP it may have accessed up to STRING_CHUNK bytes since the last trap. So the
 * last element was accessed for sure, and those before it maybe. The answer is certain
 * if only one operand can have accessed the watched bytes, or both did for sure.
 */
static nokprobe_inline int judge_string(const struct known_insn *known, const struct pt_regs *regs,
					unsigned long addr, unsigned int len)
{
	const u8 access[2] = { known->access, known->access_si };
	const unsigned long pointer[2] = { regs->di, regs->si };
	unsigned int size = known->size, chunk, nr_sure = 0, nr_maybe = 0, i;
	unsigned int done = known->rep ? STRING_CHUNK : size;
	int ret = 0;

	for (i = 0; i < 2; i++) {
		unsigned long last, first;

		if (!access[i])
			continue;
		chunk = max(done, size);
		if (regs->flags & X86_EFLAGS_DF) {
			last = pointer[i] + size;
			first = last;
		} else {
			last = pointer[i] - size;
			first = pointer[i] - chunk;
		}
		if (!overlaps(first, chunk, addr, len))
			continue;
		ret |= access[i];
		nr_maybe++;
		nr_sure += overlaps(last, size, addr, len);
	}
	if (!nr_maybe)
		return ACCESS_NONE;
	if (nr_maybe == 1 || nr_sure == 2 || access[0] == access[1])
		return ret;
	return ACCESS_UNKNOWN;
}

/*
 * The area of fxsave and xsave. %eax tells which components are accessed, and only the
 * x87 and SSE components have the same place on all CPUs. The answer is unknown for
 * bytes that may or may not have been accessed.
 */
static nokprobe_inline int judge_area(const struct known_insn *known, unsigned long area,
				      const struct pt_regs *regs, unsigned long addr,
				      unsigned int len)
{
	bool read = known->access == ACCESS_R;
	long off = addr - area, end = off + len;

	if (end <= 0)
		return ACCESS_NONE;
	/* CPUs differ in their use of the bytes from 416 to 511. */
	if (off >= 0 && end <= 416) {
		if (known->kind != INSN_FXSAVE && (regs->ax & 3) != 3)
			return ACCESS_UNKNOWN;
		return read ? ACCESS_R : ACCESS_W;
	}
	/* The header is at 512: XSTATE_BV, then XCOMP_BV, then zeroes. */
	if (known->kind != INSN_FXSAVE && off >= 512 && end <= 520) {
		if (read)
			return ACCESS_R;
		return known->kind == INSN_XSAVEC ? ACCESS_W : ACCESS_RW;
	}
	/* The other components follow, if this CPU has any. */
	if (off >= (known->kind == INSN_FXSAVE ? 512 : SZ_16K))
		return ACCESS_NONE;
	return ACCESS_UNKNOWN;
}

/* An instruction with one operand, whose address is computed from registers. */
static nokprobe_inline int judge_operand(const struct known_insn *known, const struct pt_regs *regs,
					 unsigned long addr, unsigned int len)
{
	bool failed = known->flags & INSN_F_ZF && !(regs->flags & X86_EFLAGS_ZF);

	/* A cmpxchg that failed has overwritten the registers that it compares. */
	if (failed && (uses_reg(known, REG(ax)) ||
		       (known->src == SRC_PAIR && uses_reg(known, REG(dx)))))
		return ACCESS_LOST;
	if (!overlaps(address_of(known, regs), known->size, addr, len))
		return ACCESS_NONE;
	/* The CPU then writes the old value back, which stores nothing. */
	return failed ? ACCESS_R : known->access;
}

/* A push or a pop, which accesses the stack, and may have an operand beside it. */
static nokprobe_inline int judge_stack(const struct known_insn *known, const struct pt_regs *regs,
				       unsigned long addr, unsigned int len)
{
	bool pops = known->kind == INSN_POP || known->kind == INSN_POP_MEM;
	unsigned long stack = pops ? regs->sp - known->size : regs->sp;
	int ret = 0;

	if (known->kind == INSN_ENTER)
		stack = regs->bp;
	if (overlaps(stack, known->size, addr, len))
		ret = pops ? ACCESS_R : ACCESS_W;
	if (known->kind == INSN_PUSH_MEM &&
	    overlaps(address_before_push(known, regs, known->size), known->size, addr, len))
		ret |= ACCESS_R;
	if (known->kind == INSN_POP_MEM &&
	    overlaps(address_of(known, regs), known->size, addr, len))
		ret |= ACCESS_W;
	return ret ?: ACCESS_NONE;
}

/*
 * bt and the like: the number of the bit is signed, and counts from the operand. For
 * example, btl with bit -33 accesses the four bytes at the operand - 8.
 */
static nokprobe_inline int judge_bt(const struct known_insn *known, const struct pt_regs *regs,
				    unsigned long addr, unsigned int len)
{
	long bit = get_reg(regs, known->src_reg);
	unsigned long operand;

	if (known->size == 2)
		bit = (s16)bit;
	else if (known->size == 4)
		bit = (s32)bit;
	operand = address_of(known, regs) +
		  (bit >> (known->size == 8 ? 6 : known->size == 4 ? 5 : 4)) * known->size;
	return overlaps(operand, known->size, addr, len) ? known->access : ACCESS_NONE;
}

/*
 * What did this instruction do to the watched bytes? ACCESS_NONE if it did not access
 * them, ACCESS_UNKNOWN if it may have, ACCESS_LOST if it may have and its address is
 * lost.
 */
static notrace int judge(const struct known_insn *known, const struct pt_regs *regs,
			 unsigned long addr, unsigned int len)
{
	switch (known->kind) {
	case INSN_NONE:
	case INSN_CALL:
	case INSN_CALL_REL:
	case INSN_CALL_REG:
		return ACCESS_NONE;
	case INSN_PLAIN:
	case INSN_CMPXCHG:
	case INSN_CMPXCHG_PAIR:
		return judge_operand(known, regs, addr, len);
	case INSN_PUSH:
	case INSN_POP:
	case INSN_ENTER:
	case INSN_PUSH_MEM:
	case INSN_POP_MEM:
		return judge_stack(known, regs, addr, len);
	case INSN_STRING:
		return judge_string(known, regs, addr, len);
	case INSN_BT:
		return judge_bt(known, regs, addr, len);
	case INSN_SHIFT_CL:
		if (!overlaps(address_of(known, regs), known->size, addr, len))
			return ACCESS_NONE;
		/* CPUs differ in whether a shift by 0 writes. */
		return regs->cx & (known->size == 8 ? 63 : 31) ? known->access : ACCESS_UNKNOWN;
	case INSN_FXSAVE:
	case INSN_XSAVE:
	case INSN_XSAVEC:
	case INSN_XRSTOR:
		return judge_area(known, address_of(known, regs), regs, addr, len);
	case INSN_LOST:
		return ACCESS_LOST;
	}
	return ACCESS_UNKNOWN;
}

NOKPROBE_SYMBOL(judge);

/*
 * If @regs are at the first instruction of a function, a call has just pushed the return
 * address, and may have read its target from memory. It is certainly this call only if
 * it leads here: a jump to here leaves no trace.
 */
static nokprobe_inline int judge_caller(const struct pt_regs *regs, unsigned long addr,
					unsigned int len, bool may_walk)
{
	unsigned long ret_addr, operand, target;
	const struct known_insn *known;
	int ret = 0;

	__get_kernel_nofault(&ret_addr, (unsigned long *)regs->sp, unsigned long, fault);
	known = find_known(ret_addr, may_walk);
	/* Data is no return address. */
	if (!known)
		return ret_addr > __START_KERNEL_map ? ACCESS_UNKNOWN : ACCESS_NONE;

	switch (known->kind) {
	case INSN_CALL_REL:
		target = known->last;
		break;
	case INSN_CALL_REG:
		target = get_reg(regs, known->base);
		break;
	case INSN_CALL:
		operand = address_before_push(known, regs, sizeof(long));
		/* Another CPU may have changed it since. */
		__get_kernel_nofault(&target, (unsigned long *)operand, unsigned long, fault);
		if (overlaps(operand, known->size, addr, len))
			ret = ACCESS_R;
		break;
	default:
		return ACCESS_NONE;
	}
	if (target != regs->ip)
		return ACCESS_NONE;
	if (overlaps(regs->sp, sizeof(long), addr, len))
		ret |= ACCESS_W;
	return ret ?: ACCESS_NONE;
fault:
	return ACCESS_NONE;
}

/*
 * Do the words with the watched bytes contain @ip? Then a jump or call through memory
 * may have read its target there.
 */
static nokprobe_inline bool leads_to(unsigned long ip, unsigned long addr, unsigned int len)
{
	unsigned long at = round_down(addr, sizeof(long)), target;

	for (; at < addr + len; at += sizeof(long)) {
		__get_kernel_nofault(&target, (unsigned long *)at, unsigned long, fault);
		if (target == ip)
			return true;
	}
fault:
	return false;
}

/* The quick way must not be used: a transfer to @ip was seen. */
static nokprobe_inline void refuse_quick_way(unsigned long ip)
{
	struct known_insn *known;
	unsigned int nr;

	for (nr = 0; nr < 2; nr++) {
		known = place_of(ip, nr);
		if (READ_ONCE(known->key) == ip)
			WRITE_ONCE(known->key, ~ip);
	}
}

/* Would a call to @regs->ip have pushed its return address there? */
static __always_inline bool is_stack_top(const struct pt_regs *regs, unsigned long addr,
					 unsigned int len)
{
	return overlaps(regs->sp, sizeof(long), addr, len);
}

/* A debug register that traps writes has no hit of a read. */
static __always_inline int trapped(int access, unsigned int type)
{
	return access == ACCESS_R && !(type & ACCESS_R) ? ACCESS_NONE : access;
}

/* The instruction before %rip, whose address may be lost: see the first comment. */
static nokprobe_inline int judge_before(const struct known_insn *known, const struct pt_regs *regs,
					unsigned long addr, unsigned int len, unsigned int type)
{
	bool failed = known->flags & INSN_F_ZF && !(regs->flags & X86_EFLAGS_ZF);
	int access = judge(known, regs, addr, len);
	bool lost = access == ACCESS_LOST;

	if (lost)
		access = failed ? ACCESS_R : known->access;
	/* A cmpxchg that failed is a read for us, but the debug register traps a write. */
	if (!failed)
		access = trapped(access, type);
	if (!lost || access == ACCESS_NONE)
		return access;
	if (is_stack_top(regs, addr, len) || (type & ACCESS_R && access != ACCESS_R))
		return ACCESS_UNKNOWN;
	return access;
}

/*
 * Considers all three candidates. @who, if not NULL, becomes a copy of the instruction
 * that made the access, unless that is a call.
 */
static noinline notrace unsigned int find_access(const struct pt_regs *regs, unsigned long addr,
						 unsigned int len, unsigned int type,
						 bool may_walk, struct known_insn *who)
{
	struct known_insn string, *known;
	int before, at, caller = ACCESS_NONE;
	bool entry;

	if (user_mode((struct pt_regs *)regs))
		return ACCESS_UNKNOWN;
	known = find_known(regs->ip, may_walk);
	if (!known)
		return ACCESS_UNKNOWN;
	before = judge_before(known, regs, addr, len, type);
	if (before == ACCESS_UNKNOWN)
		return ACCESS_UNKNOWN;
	if (who)
		/* Nobody asks the copy for its key. */
		*who = data_race(*known);
	/* Now, since learn() may replace @known below. */
	entry = known->entry;

	at = ACCESS_NONE;
	if (string_at(regs->ip, &string))
		at = trapped(judge(&string, regs, addr, len), type);
	/* In assembly, calls may lead to other places than the start of a function. */
	if (entry || (before == ACCESS_NONE && at == ACCESS_NONE) ||
	    is_stack_top(regs, addr, len))
		caller = trapped(judge_caller(regs, addr, len, may_walk), type);

	if (who && before == ACCESS_NONE && at > 0)
		*who = string;
	if (who && (caller > 0 || (before > 0 && at > 0)))
		who->src = SRC_NONE;

	if (before == ACCESS_NONE)
		before = at;
	else if (at != ACCESS_NONE && at != before)
		return ACCESS_UNKNOWN;
	if (before == ACCESS_NONE)
		before = caller;
	else if (caller != ACCESS_NONE && caller != before)
		return ACCESS_UNKNOWN;
	if (before <= 0)
		return ACCESS_UNKNOWN;
	if (type & ACCESS_R && caller == ACCESS_NONE && before & ACCESS_W &&
	    leads_to(regs->ip, addr, len)) {
		refuse_quick_way(regs->ip);
		return ACCESS_UNKNOWN;
	}
	return before;
}

NOKPROBE_SYMBOL(find_access);

/* Reads text; 0 if it is not mapped any more, which no instruction in the cache is. */
static __always_inline u64 read_word(unsigned long addr)
{
	u64 word;

	asm volatile("1:	movq %1, %0\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_ZERO_REG | EX_DATA_REG(0))
		     : "=a" (word)
		     : "m" (*(const u64 *)addr));
	return word;
}

/* The rarer part of arch_ksym_access_nmi(), out of line since it needs more registers. */
static noinline notrace unsigned int judge_plain(const struct pt_regs *regs,
						 unsigned long addr, unsigned int len,
						 unsigned int type, bool may_walk,
						 const struct known_insn *known)
{
	unsigned int access = known->access, flags = known->flags;
	unsigned long last = known->last;

	if (flags & INSN_F_LONG &&
	    (read_word(regs->ip - 16) ^ known->head) & known->head_mask)
		goto slow;
	if (flags & INSN_F_BASE)
		last += get_reg(regs, known->base);
	if (flags & INSN_F_INDEX)
		last += get_reg(regs, known->index) << known->shift;
	if (flags & INSN_F_ZF && !(regs->flags & X86_EFLAGS_ZF))
		access = ACCESS_R;
	if (likely(reaches(last, known->size, addr, len)) && !is_stack_top(regs, addr, len))
		return access;
slow:
	return find_access(regs, addr, len, type, may_walk, NULL);
}

NOKPROBE_SYMBOL(judge_plain);

/**
 * arch_ksym_access_nmi - tell what the instruction that trapped did to watched memory
 * @regs: the registers of the #DB, which are those after the instruction
 * @addr: the address of the first watched byte
 * @len: the number of watched bytes, at least 1
 * @type: what the debug register traps: HW_BREAKPOINT_W or HW_BREAKPOINT_RW
 * @may_walk: search for an instruction that is not in the cache; this decodes up to
 *	MAX_WALK bytes. Otherwise the answer is unknown
 *
 * The answer is certain, or unknown: for instructions that are not in the tables, for
 * those that overwrote their own address while there are other candidates, and if the
 * access may have been made by an instruction that can't be found, such as a jump through
 * memory. A compare and exchange that failed is a read.
 *
 * Called in the #DB, NMI-like, with interrupts off. Takes no lock and does not fault.
 *
 * Return: HW_BREAKPOINT_R, HW_BREAKPOINT_W, both, or 0 if unknown.
 */
unsigned int notrace arch_ksym_access_nmi(const struct pt_regs *regs, unsigned long addr,
					  unsigned int len, unsigned int type, bool may_walk)
{
	unsigned long ip = regs->ip, last, place = ip % NR_CACHED;
	const struct known_insn *known = this_cpu_ptr(&known_insns[place]);

	/* Another CPU may only clear the key. */
	if (unlikely(data_race(known->key) != ip))
		goto slow;
	if (unlikely((read_word(ip - 8) ^ known->tail) & known->tail_mask))
		goto slow;

	last = known->last;
	if (known->flags) {
		if (unlikely(known->flags & ~INSN_F_BASE))
			return judge_plain(regs, addr, len, type, may_walk, known);
		last += get_reg(regs, known->base);
		/* With a base register, the operand may be on the stack. */
		if (unlikely(is_stack_top(regs, addr, len)))
			goto slow;
	}
	if (likely(reaches(last, known->size, addr, len)))
		return known->access;
slow:
	return find_access(regs, addr, len, type, may_walk, NULL);
}

NOKPROBE_SYMBOL(arch_ksym_access_nmi);

/* Is the condition with this number met, as in setcc? */
static nokprobe_inline bool is_condition(unsigned int cc, unsigned long flags)
{
	struct pt_regs regs = { .flags = flags };

	/* The conditional jump from 0 to 1. */
	int3_emulate_jcc(&regs, cc, 0, 1);
	return regs.ip;
}

/* Reads from the registers what the instruction stored. Fails if they do not tell. */
static notrace bool get_stored(const struct known_insn *known, const struct pt_regs *regs,
			       unsigned long addr, unsigned int len, u64 *val)
{
	unsigned int size = known->size, shift;
	u64 stored[2] = {}, value;
	unsigned long to;

	to = known->kind == INSN_PUSH ? regs->sp : address_of(known, regs);
	switch (known->src) {
	case SRC_REG:
		stored[0] = get_reg(regs, known->src_reg);
		/* push %rsp stores the value from before the push. */
		if (known->kind == INSN_PUSH && known->src_reg == REG(sp))
			stored[0] += size;
		break;
	case SRC_SWAPPED:
		stored[0] = swab64(get_reg(regs, known->src_reg)) >> 8 * (8 - size);
		break;
	case SRC_IMM:
		stored[0] = (s64)known->imm;
		break;
	case SRC_CC:
		stored[0] = is_condition(known->src_reg, regs->flags);
		break;
	case SRC_PAIR:
		stored[0] = regs->bx;
		stored[1] = regs->cx;
		if (size == 8)
			stored[0] = (u32)regs->bx | regs->cx << 32;
		break;
	case SRC_STRING:
		/*
		 * It is unknown which element trapped. But each one is stored whole, so
		 * it is the one that has all watched bytes.
		 */
		to = addr - ((addr - regs->di) & (size - 1));
		stored[0] = regs->ax;
		break;
	default:
		return false;
	}

	if (addr < to || addr + len > to + size)
		return false;
	/* Only SRC_PAIR has a second word. */
	shift = (addr - to) % 8 * 8;
	value = stored[(addr - to) / 8] >> shift;
	if (shift + len * 8 > 64)
		value |= stored[1] << (64 - shift);
	*val = len < 8 ? value & (BIT_ULL(len * 8) - 1) : value;
	return true;
}

NOKPROBE_SYMBOL(get_stored);

/* Finds the instruction first. */
static noinline notrace bool find_stored(const struct pt_regs *regs, unsigned long addr,
					 unsigned int len, unsigned int type, bool may_walk,
					 u64 *val)
{
	struct known_insn known;

	return find_access(regs, addr, len, type, may_walk, &known) & ACCESS_W &&
	       get_stored(&known, regs, addr, len, val);
}

NOKPROBE_SYMBOL(find_stored);

/**
 * arch_ksym_wrote_nmi - tell what the instruction that trapped stored
 * @regs: the registers of the #DB
 * @addr: the address of the first watched byte
 * @len: the number of watched bytes
 * @type: what the debug register traps
 * @may_walk: as for arch_ksym_access_nmi()
 * @val: the value, if it is known
 *
 * The value comes from the register, the immediate or the condition that the instruction
 * stored, so writes of other CPUs do not change it. It is unknown if the instruction
 * computed it (add, inc) or overwrote the register (xchg, xadd), for vectors, and if not
 * all watched bytes were stored.
 *
 * Called in the #DB after arch_ksym_access_nmi() for the same hit.
 *
 * Return: whether the value is known.
 */
bool notrace arch_ksym_wrote_nmi(const struct pt_regs *regs, unsigned long addr,
				 unsigned int len, unsigned int type, bool may_walk,
				 u64 *val)
{
	const struct known_insn *known;

	if (!len || len > sizeof(*val) || user_mode((struct pt_regs *)regs))
		return false;
	known = find_known(regs->ip, may_walk);
	if (!known)
		return false;
	/* The instruction of the quick way made the access. */
	if (READ_ONCE(known->key) == regs->ip && known->access == ACCESS_W &&
	    overlaps(address_of(known, regs), known->size, addr, len))
		return get_stored(known, regs, addr, len, val);
	return find_stored(regs, addr, len, type, may_walk, val);
}

NOKPROBE_SYMBOL(arch_ksym_wrote_nmi);

/**
 * arch_ksym_flush - empty the caches of instructions
 *
 * Called before a module's code runs and after it was unloaded: another module may be
 * loaded at the same addresses, with bytes that look alike. A CPU that adds an
 * instruction meanwhile runs text that stays.
 *
 * Any context.
 */
void arch_ksym_flush(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < NR_CACHED; i++)
			WRITE_ONCE(per_cpu(known_insns[i], cpu).key, 0);
	}
}

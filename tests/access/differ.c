// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the answers of ksym_access.c about instructions with those of Zydis about their
 * operands, for the text of a kernel or for random instructions.
 *
 * Each instruction is put into a page of its own, with random registers. From these and
 * Zydis's operands follow the memory that it touches and the registers that it leaves. Then
 * arch_ksym_access_nmi() is asked about memory in, beside and far from each operand, for a
 * register that traps all accesses and for one that traps writes. If the instruction touches
 * the memory, the answer must be right or "unknown", which is counted. If it does not, any
 * answer but "unknown" is an error, except for loads that lose their address: whatever
 * trapped there, only they can have done it.
 *
 * ksymwatch's own build of ksym_access.c (tools/ksymwatch/backend/perf/access.c), which has
 * another decoder of instructions, gets each question, too, and must give the same answer.
 * Of the text, it also gets questions about instructions where they are.
 *
 *	differ text VMLINUX	all of .text: at most 0.05 % of the operands may be
 *				unknown, and the walk must reach the end of each function
 *	differ random N SEED	N random byte strings
 *	differ bytes HEX	one instruction, with each answer
 *
 * Zydis can't check these rules:
 *  - how much of a rep movs or stos is done when it traps (STRING_CHUNK): traps.c runs real
 *    ones, as each CPU implements them;
 *  - which parts of the areas of fxsave and xsave are written: they are not compared, but
 *    traps.c has some;
 *  - shifts by zero: unknown to us, while Zydis lists them as writes and AMD CPUs trap them;
 *  - a cmpxchg that fails: a read to us, while the CPU writes the old value back;
 *  - whether a jump or a call has read the memory, as they end elsewhere: KUnit and traps.c
 *    test leads_to() and judge_caller();
 *  - traps of instructions without a memory operand: prefetches, cldemote, monitor, invlpg;
 *  - that after a load that lost its address the access can only be a read, except in the
 *    cases that find_access() checks. No case contradicts this, and none can prove it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <Zydis/Zydis.h>

#include <asm/insn.h>

#include "backend/perf/access.h"
#include "backend/perf/access_kernel.h"
#include "symbols.h"
#include "ksym_access.c"

#define MAX_OPS		4
/* The decoder does not know the kernel's FS base, and leaves such instructions out. */
#define FS_BASE		0x7f1234560000UL

/* Memory that an instruction touches. */
struct touched {
	unsigned long	addr;
	unsigned int	size;
	int		access;
};

/* Zydis's answers about an instruction that ran with certain registers. */
struct expected {
	struct touched	ops[MAX_OPS];
	unsigned int	nr;
	struct pt_regs	regs;		/* after the instruction */
	bool		is_explicit;
	bool		lost;		/* the address is no longer known */
	bool		repeats;
	bool		partial;	/* a mask or gather: may touch less */
	bool		zero_shift;
	bool		skip;
};

static u8 *page;
static ZydisDecoder decoder;
static ZydisFormatter formatter;
static bool verbose;

static struct {
	unsigned long	insns, operands, unknown, writers, unknown_writers, errors, skipped;
	unsigned long	vectors;	/* operands of MMX, SSE or AVX */
	unsigned long	in_place, told, told_otherwise, told_unknown;
} count;

static long copy_from_kernel_nofault(void *to, const void *from, size_t len)
{
	unsigned long off = (unsigned long)from - text.addr;

	if (off >= text.size || len > text.size - off)
		return -EFAULT;
	memcpy(to, text.bytes + off, len);
	return 0;
}

static u64 random_state;

static u64 random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1dULL;
}

/* --- Zydis's answers ---------------------------------------------------------------- */

static unsigned long *reg_of(struct pt_regs *regs, ZydisRegister reg)
{
	reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	if (reg < ZYDIS_REGISTER_RAX || reg > ZYDIS_REGISTER_R15)
		return NULL;
	return (unsigned long *)((u8 *)regs + reg_offset[reg - ZYDIS_REGISTER_RAX]);
}

/* Changes the bits of a register that the instruction writes. */
static void overwrite(struct pt_regs *regs, ZydisRegister reg)
{
	unsigned long *r = reg_of(regs, reg), mask = ~0UL;

	if (!r)
		return;
	switch (ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg)) {
	case 8:
		mask = reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH ? 0xff00 : 0xff;
		break;
	case 16:
		mask = 0xffff;
		break;
	case 32:
		*r = (u32)*r;
		mask = (u32)~0;
		break;
	}
	*r ^= (random64() & mask) | (mask & -mask);
}

/* These are not decoded, and a kernel with cryptography has them. */
static bool uses_vector(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops)
{
	unsigned int i;

	for (i = 0; i < insn->operand_count; i++) {
		if (ops[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		switch (ZydisRegisterGetClass(ops[i].reg.value)) {
		case ZYDIS_REGCLASS_MMX:
		case ZYDIS_REGCLASS_XMM:
		case ZYDIS_REGCLASS_YMM:
		case ZYDIS_REGCLASS_ZMM:
			return true;
		default:
			break;
		}
	}
	return false;
}

static bool is_transfer(const ZydisDecodedInstruction *insn)
{
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
		return true;
	default:
		return insn->mnemonic == ZYDIS_MNEMONIC_RSM ||
		       insn->mnemonic == ZYDIS_MNEMONIC_UIRET;
	}
}

/* The instruction has a memory operand, and does not touch it. */
static bool touches_nothing(const ZydisDecodedInstruction *insn)
{
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
		return true;
	default:
		break;
	}
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_CLDEMOTE:
	case ZYDIS_MNEMONIC_INVLPG:
	case ZYDIS_MNEMONIC_INVLPGA:
	case ZYDIS_MNEMONIC_PREFETCH:
	case ZYDIS_MNEMONIC_PREFETCHW:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_MONITOR:
	case ZYDIS_MNEMONIC_MONITORX:
	case ZYDIS_MNEMONIC_UMONITOR:
	case ZYDIS_MNEMONIC_CLZERO:
		return true;
	default:
		return false;
	}
}

static bool is_flush(const ZydisDecodedInstruction *insn)
{
	return insn->mnemonic == ZYDIS_MNEMONIC_CLFLUSH ||
	       insn->mnemonic == ZYDIS_MNEMONIC_CLFLUSHOPT ||
	       insn->mnemonic == ZYDIS_MNEMONIC_CLWB;
}

static bool is_area(const ZydisDecodedInstruction *insn)
{
	return insn->meta.category == ZYDIS_CATEGORY_XSAVE ||
	       insn->meta.category == ZYDIS_CATEGORY_XSAVEOPT ||
	       insn->mnemonic == ZYDIS_MNEMONIC_FXSAVE ||
	       insn->mnemonic == ZYDIS_MNEMONIC_FXSAVE64 ||
	       insn->mnemonic == ZYDIS_MNEMONIC_FXRSTOR ||
	       insn->mnemonic == ZYDIS_MNEMONIC_FXRSTOR64;
}

static bool is_cmpxchg(const ZydisDecodedInstruction *insn)
{
	return insn->mnemonic == ZYDIS_MNEMONIC_CMPXCHG ||
	       insn->mnemonic == ZYDIS_MNEMONIC_CMPXCHG8B ||
	       insn->mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B;
}

static bool is_string(const ZydisDecodedInstruction *insn)
{
	return insn->meta.category == ZYDIS_CATEGORY_STRINGOP ||
	       insn->meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

static bool has_mask(const ZydisDecodedInstruction *insn)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
		return true;
	default:
		return insn->meta.category == ZYDIS_CATEGORY_COMPRESS ||
		       insn->meta.category == ZYDIS_CATEGORY_EXPAND ||
		       (insn->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
			insn->avx.mask.mode > ZYDIS_MASK_MODE_DISABLED);
	}
}

static bool is_shift(const ZydisDecodedInstruction *insn)
{
	return insn->meta.category == ZYDIS_CATEGORY_SHIFT ||
	       insn->meta.category == ZYDIS_CATEGORY_ROTATE ||
	       insn->mnemonic == ZYDIS_MNEMONIC_SHLD || insn->mnemonic == ZYDIS_MNEMONIC_SHRD;
}

/* Bit tests with a bit number in a register reach beyond their operand. */
static long bit_offset(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops,
		       struct pt_regs *regs)
{
	unsigned int size = ops[0].size / 8;
	long bit;

	if (insn->meta.category != ZYDIS_CATEGORY_BITBYTE ||
	    ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    !(insn->mnemonic == ZYDIS_MNEMONIC_BT || insn->mnemonic == ZYDIS_MNEMONIC_BTS ||
	      insn->mnemonic == ZYDIS_MNEMONIC_BTR || insn->mnemonic == ZYDIS_MNEMONIC_BTC))
		return 0;
	bit = *reg_of(regs, ops[1].reg.value);
	bit = size == 2 ? (s16)bit : size == 4 ? (s32)bit : bit;
	return (bit >> (size == 8 ? 6 : size == 4 ? 5 : 4)) * size;
}

static unsigned long address_from(const ZydisDecodedInstruction *insn,
				  const ZydisDecodedOperand *op, struct pt_regs *regs)
{
	unsigned long addr = op->mem.disp.has_displacement ? op->mem.disp.value : 0;

	if (op->mem.base == ZYDIS_REGISTER_RIP || op->mem.base == ZYDIS_REGISTER_EIP)
		addr += regs->ip;
	else if (op->mem.base != ZYDIS_REGISTER_NONE)
		addr += *reg_of(regs, op->mem.base);
	if (op->mem.index == ZYDIS_REGISTER_AL)
		addr += (u8)regs->ax;
	else if (op->mem.index != ZYDIS_REGISTER_NONE)
		addr += *reg_of(regs, op->mem.index) * op->mem.scale;
	if (insn->address_width == 32)
		addr = (u32)addr;
	if (op->mem.segment == ZYDIS_REGISTER_GS)
		addr += gs_base;
	if (op->mem.segment == ZYDIS_REGISTER_FS)
		addr += FS_BASE;
	return addr;
}

/* Did a register of the address change? */
static bool has_lost(const ZydisDecodedOperand *op, struct pt_regs *before,
		     struct pt_regs *after)
{
	ZydisRegister used[] = { op->mem.base, op->mem.index };
	int i;

	for (i = 0; i < 2; i++) {
		unsigned long *reg = reg_of(before, used[i]);

		if (reg && *reg != *reg_of(after, used[i]))
			return true;
	}
	return false;
}

/*
 * Runs the instruction, as far as its operands describe it. Its addresses come from @before,
 * whose ip is already the next instruction's.
 */
static void expect(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops,
		   struct pt_regs *before, struct expected *e)
{
	bool zero = random64() & 1, moved_sp = false;
	int i;

	memset(e, 0, sizeof(*e));
	e->regs = *before;
	e->regs.flags = (before->flags & X86_EFLAGS_DF) | (random64() & 0x895) |
			(zero ? X86_EFLAGS_ZF : 0) | 2;
	e->repeats = is_string(insn) &&
		     insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
					 ZYDIS_ATTRIB_HAS_REPNE);
	e->partial = has_mask(insn);

	for (i = 0; i < insn->operand_count; i++) {
		const ZydisDecodedOperand *op = &ops[i];
		struct touched t = { .size = op->size / 8 };
		bool hidden = op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

		if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    op->mem.type == ZYDIS_MEMOP_TYPE_AGEN || touches_nothing(insn)) {
			/* Except for operands that are read to flush them. */
			if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || !is_flush(insn))
				continue;
		}
		if (op->mem.type == ZYDIS_MEMOP_TYPE_MIB || is_area(insn)) {
			e->skip = true;
			continue;
		}
		if (op->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
			e->partial = true;
			continue;
		}
		if (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			t.access |= ACCESS_R;
		if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			t.access |= ACCESS_W;
		if (is_cmpxchg(insn))
			t.access = zero ? ACCESS_RW : ACCESS_R;
		if (is_flush(insn)) {
			t.access = ACCESS_R;
			t.size = 1;
		}
		if (hidden && op->mem.base == ZYDIS_REGISTER_RSP) {
			t.addr = t.access == ACCESS_W ? before->sp - t.size : before->sp;
			e->regs.sp = t.access == ACCESS_W ? t.addr : before->sp + t.size;
			if (insn->mnemonic == ZYDIS_MNEMONIC_ENTER) {
				e->regs.bp = before->sp - 8;
				e->regs.sp = e->regs.bp - (u16)insn->raw.imm[0].value.u;
				/* A nested enter touches more. */
				e->skip |= insn->raw.imm[1].value.u || t.size != 8;
			}
			moved_sp = true;
		} else if (hidden && insn->mnemonic == ZYDIS_MNEMONIC_LEAVE) {
			t.addr = before->bp;
			e->regs.sp = before->bp + t.size;
			moved_sp = true;
		} else {
			e->is_explicit = true;
			t.addr = address_from(insn, op, before) + bit_offset(insn, ops, before);
			/* pop increments %rsp before it computes the address. */
			if (insn->mnemonic == ZYDIS_MNEMONIC_POP &&
			    op->mem.base == ZYDIS_REGISTER_RSP)
				t.addr += insn->operand_width / 8;
			/* Zydis does not list the registers of some of these. */
			if (is_string(insn))
				*reg_of(&e->regs, op->mem.base) +=
					before->flags & X86_EFLAGS_DF ? -(long)t.size : t.size;
			e->lost |= insn->address_width == 32 ||
				   op->mem.segment == ZYDIS_REGISTER_FS;
		}
		if (!t.access || !t.size || e->nr == MAX_OPS)
			e->skip = true;
		else
			e->ops[e->nr++] = t;
	}

	for (i = 0; i < insn->operand_count; i++) {
		const ZydisDecodedOperand *op = &ops[i];
		bool is_explicit = op->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
		ZydisRegister reg;

		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, op->reg.value);
		/* pop %rsp */
		e->lost |= moved_sp && reg == ZYDIS_REGISTER_RSP && is_explicit;
		if ((moved_sp && reg == ZYDIS_REGISTER_RSP && !is_explicit) ||
		    insn->mnemonic == ZYDIS_MNEMONIC_ENTER)
			continue;
		/* The accumulator is overwritten only if it differs. */
		if (is_cmpxchg(insn) && zero && !is_explicit)
			continue;
		if (!is_string(insn) || (reg != ZYDIS_REGISTER_RSI && reg != ZYDIS_REGISTER_RDI))
			overwrite(&e->regs, op->reg.value);
	}
	for (i = 0; i < insn->operand_count; i++) {
		const ZydisDecodedOperand *op = &ops[i];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && !is_string(insn) &&
		    op->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
		    !(moved_sp && op->mem.base == ZYDIS_REGISTER_RSP))
			e->lost |= has_lost(op, before, &e->regs);
		if (is_shift(insn)) {
			unsigned int mask = insn->operand_width == 64 ? 63 : 31;

			if (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
				e->zero_shift |= !(op->imm.value.u & mask);
			if (op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			    op->reg.value == ZYDIS_REGISTER_CL)
				e->zero_shift |= !(before->cx & mask);
		}
	}
}

/* --- The decoder's answers ---------------------------------------------------------- */

static void describe_error(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops,
			   const char *what)
{
	char buf[160];
	int i;

	if (count.errors++ >= 40 && !verbose)
		return;
	for (i = 0; i < insn->length; i++)
		printf("%02x", page[256 + i]);
	ZydisFormatterFormatInstruction(&formatter, insn, ops, insn->operand_count_visible, buf,
					sizeof(buf), (u64)page + 256, NULL);
	printf(" %s: %s\n", buf, what);
}

static int touched_at(const struct expected *e, unsigned long addr, unsigned int len)
{
	int access = 0;
	unsigned int i;

	for (i = 0; i < e->nr; i++) {
		if (overlaps(e->ops[i].addr, e->ops[i].size, addr, len))
			access |= e->ops[i].access;
	}
	return access;
}

/* What a repeating instruction may have touched since the last trap, as in ksym_access.c. */
static int maybe_touched_at(const struct expected *e, unsigned long addr, unsigned int len)
{
	int access = 0;
	unsigned int i;

	for (i = 0; i < e->nr; i++) {
		const struct touched *t = &e->ops[i];
		unsigned long first = t->addr;

		if (!(e->regs.flags & X86_EFLAGS_DF))
			first -= STRING_CHUNK - (long)t->size;
		if (overlaps(first, STRING_CHUNK, addr, len))
			access |= t->access;
	}
	return access;
}

static bool find_function(unsigned long addr, unsigned long *start, unsigned long *size)
{
	unsigned long off;

	/* Jumps lead to .altinstr_aux, too, until the kernel patches them. */
	if (!core_kernel_text(addr)) {
		*start = addr;
		*size = 1;
		return nr_symbols;
	}
	if (!kallsyms_lookup_size_offset(addr, size, &off))
		return false;
	*start = addr - off;
	return true;
}

static bool read_code(unsigned long addr, void *to, size_t len)
{
	return !copy_from_kernel_nofault(to, (const void *)addr, len);
}

/* Does ksymwatch give the same answer? */
static bool is_told_alike(const struct pt_regs *regs, unsigned long addr, unsigned int len,
			  unsigned int type)
{
	static const struct access_source source = { .find = find_function, .read = read_code };
	const uint64_t words[NR_ACCESS_REGS] = {
		regs->ax, regs->bx, regs->cx, regs->dx, regs->si, regs->di, regs->bp, regs->sp,
		regs->ip, regs->flags, regs->r8, regs->r9, regs->r10, regs->r11, regs->r12,
		regs->r13, regs->r14, regs->r15,
	};
	const struct access_trap trap = {
		.regs = words, .addr = addr, .len = len, .type = type, .gs = gs_base,
		.has_memory = true,
	};
	unsigned int answer = find_access(regs, addr, len, type, true, NULL), told;
	u64 val = 0, told_val = 0;

	count.told++;
	count.in_place += answer && nr_symbols;
	told = access_of(&source, &trap);
	/* Zydis 4.0 does not know lkgs, and nothing behind it in its function. */
	if (answer && !told && nr_symbols) {
		count.told_unknown++;
		return true;
	}
	return told == answer &&
	       find_stored(regs, addr, len, type, true, &val) ==
	       access_stored(&source, &trap, &told_val) && val == told_val;
}

/* Asks about one place. Returns true if it was touched and the answer is "unknown". */
static bool ask(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops,
		const struct expected *e, unsigned long addr, unsigned int len,
		unsigned int type)
{
	int right = touched_at(e, addr, len), answer;
	char what[120];

	/* This register can't have trapped. */
	if (right && !(right & type))
		right = 0;
	answer = arch_ksym_access_nmi(&e->regs, addr, len, type, true);
	if (!is_told_alike(&e->regs, addr, len, type)) {
		count.told_otherwise++;
		describe_error(insn, ops, "ksymwatch differs");
	}
	if (verbose)
		printf("  %+ld, %u bytes, type %u: %d, should be %d\n",
		       (long)(addr - e->ops[0].addr), len, type, answer, right);
	if (answer == right || !answer)
		return answer != right;
	/* The fast path does not check what the register can trap. */
	if (answer == touched_at(e, addr, len))
		return false;
	if (!right && e->lost && e->nr && answer == e->ops[0].access)
		return false;
	if (e->repeats && answer == maybe_touched_at(e, addr, len))
		return false;
	snprintf(what, sizeof(what), "at %+ld, %u bytes, type %u: %d, should be %d",
		 (long)(addr - e->ops[0].addr), len, type, answer, right);
	describe_error(insn, ops, what);
	return false;
}

static unsigned int len_of(const u8 *bytes, unsigned int size)
{
	struct insn insn;

	if (insn_decode(&insn, bytes, size, INSN_MODE_64) || is_push_imm16(&insn))
		return 0;
	return insn.length;
}

static void compare(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops,
		    const u8 *bytes)
{
	struct pt_regs before;
	struct expected e;
	bool unknown = false, unknown_write = false, writes = false;
	unsigned int i, len, type;
	size_t word;

	count.insns++;
	/* nops before and after it. */
	memset(page, 0x90, 4096);
	memcpy(page + 256, bytes, insn->length);
	len = len_of(bytes, 15);
	if (len != insn->length) {
		if (len)
			count.skipped++;
		return;
	}
	text.addr = (unsigned long)page + 256;
	text.bytes = page + 256;
	text.size = 1024;
	arch_ksym_flush();
	access_forget();

	for (word = 0; word < sizeof(before) / 8; word++)
		((u64 *)&before)[word] = random64();
	before.flags = random64() & X86_EFLAGS_DF;
	before.ip = text.addr + insn->length;
	expect(insn, ops, &before, &e);
	if (e.skip || is_transfer(insn)) {
		count.skipped++;
		return;
	}
	if (e.partial) {
		/* It is unknown which part it touches, so expect no access in particular. */
		e.lost = true;
		e.nr = 0;
	}
	for (type = HW_BREAKPOINT_W; type <= HW_BREAKPOINT_RW; type++) {
		ask(insn, ops, &e, random64(), 8, type);
		for (i = 0; i < e.nr; i++) {
			const struct touched *t = &e.ops[i];

			/* The same operand relative to the other segment. */
			ask(insn, ops, &e, t->addr - FS_BASE + gs_base, 8, type);
			ask(insn, ops, &e, t->addr - gs_base, 8, type);
			for (len = 1; len <= 8; len *= 2) {
				bool u;

				ask(insn, ops, &e, t->addr - len, len, type);
				ask(insn, ops, &e, t->addr + t->size, len, type);
				u = ask(insn, ops, &e, t->addr + 1 - len, len, type);
				u |= ask(insn, ops, &e, t->addr, len, type);
				u |= ask(insn, ops, &e, t->addr + t->size - 1, len, type);
				u |= ask(insn, ops, &e, t->addr + random64() % t->size, len,
					 type);
				if (type == HW_BREAKPOINT_RW)
					unknown |= u;
				else
					unknown_write |= u;
			}
			writes |= t->access & ACCESS_W;
		}
	}
	if (e.is_explicit && e.nr && uses_vector(insn, ops)) {
		count.vectors++;
	} else if (e.is_explicit && e.nr) {
		count.operands++;
		count.unknown += unknown;
		count.writers += writes;
		count.unknown_writers += unknown_write && writes;
		if (verbose && (unknown || (unknown_write && writes)))
			printf("  unknown\n");
	}
}

/* Asks ksymwatch about an instruction of the text, which it finds from its function's start. */
static void compare_in_place(const u8 *bytes, unsigned long addr)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	struct pt_regs before;
	struct expected e;
	size_t word;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, 15, &insn, ops)))
		return;
	for (word = 0; word < sizeof(before) / 8; word++)
		((u64 *)&before)[word] = random64();
	before.ip = addr + insn.length;
	expect(&insn, ops, &before, &e);
	if (e.skip || !e.nr || is_transfer(&insn) ||
	    (is_told_alike(&e.regs, e.ops[0].addr, 8, HW_BREAKPOINT_RW) &&
	     is_told_alike(&e.regs, e.ops[0].addr, 8, HW_BREAKPOINT_W)))
		return;
	count.told_otherwise++;
	memcpy(page + 256, bytes, insn.length);
	describe_error(&insn, ops, "ksymwatch differs in place");
}

/* --- The instructions --------------------------------------------------------------- */

static void decode(const u8 *bytes, size_t room, unsigned int *len)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;

	*len = 0;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, min(room, 15), &insn, ops)))
		return;
	*len = insn.length;
	compare(&insn, ops, bytes);
}

/*
 * The walk must reach the end of each function. A few functions have an int3 of their own,
 * such as kgdb_breakpoint(), which looks like a change of the text.
 */
#define MAX_NOT_WALKED	10

static void walk_all(unsigned long addr, unsigned long size, const u8 *bytes)
{
	unsigned long lost[2] = {}, far = 0;
	struct walk walk;
	size_t i;

	text.addr = addr;
	text.size = size;
	text.bytes = bytes;
	for (i = 0; i + 1 < nr_symbols; i++) {
		unsigned long len = symbols[i + 1] - symbols[i];
		int ret = walk_to(symbols[i + 1], &walk);

		if (!ret)
			continue;
		if (len > MAX_WALK) {
			far++;
			continue;
		}
		lost[ret == -EAGAIN]++;
		printf("the function at %lx, of %lu bytes, is not walked: %s\n", symbols[i], len,
		       strerror(-ret));
	}
	printf("walked %zu functions; %lu have more than %d bytes, %lu fail, %lu seem to change\n",
	       nr_symbols - 1, far, MAX_WALK, lost[0], lost[1]);
	if (lost[0] + lost[1] > MAX_NOT_WALKED)
		count.errors++;
}

static void compare_text(const char *name)
{
	const Elf64_Shdr *code = load_symbols(name);
	const u8 *bytes = file_bytes + code->sh_offset;
	unsigned int len;
	size_t off, nr = nr_symbols;

	/* The page has no symbols. */
	nr_symbols = 0;
	for (off = 0; off < code->sh_size; off += len ?: 1)
		decode(bytes + off, code->sh_size - off, &len);
	nr_symbols = nr;
	walk_all(code->sh_addr, code->sh_size, bytes);
	arch_ksym_flush();
	access_forget();
	/* Each takes a walk: one of a hundred will do. */
	for (off = nr = 0; off + 15 < code->sh_size; off += len ?: 1, nr++) {
		len = len_of(bytes + off, 15);
		if (nr % 101 == 0)
			compare_in_place(bytes + off, code->sh_addr + off);
	}
}

static u8 pick(const u8 *from, unsigned int nr)
{
	return from[random64() % nr];
}

/* Random bytes are mostly short, common instructions, so prepend prefixes and maps. */
static void make_random(u8 *bytes)
{
	static const u8 prefixes[] = {
		0x66, 0xf2, 0xf3, 0x65, 0x64, 0x2e, 0x3e, 0x26, 0x36, 0xf0, 0x67, 0x66, 0xf2,
		0xf3, 0x65,
	};
	/* Opcodes of 0F and 0F38 that prefixes turn into others. */
	static const u8 depend[] = { 0xae, 0xb8, 0xbc, 0xbd, 0xc7, 0x2b };
	static const u8 depend38[] = { 0xf0, 0xf1, 0xf6, 0xf8, 0xdc };
	unsigned int i, n = 0, nr = random64() % 3 ? random64() % 6 : 0;

	for (i = 0; i < 24; i++)
		bytes[i] = random64();
	for (i = 0; i < nr; i++)
		bytes[n++] = pick(prefixes, sizeof(prefixes));
	if (random64() & 1)
		bytes[n++] = 0x40 | (random64() & 15);
	switch (random64() % 9) {
	case 0 ... 2:
		break;
	case 8:
		bytes[n++] = 0x0f;
		if (random64() & 1) {
			bytes[n++] = pick(depend, sizeof(depend));
		} else {
			bytes[n++] = 0x38;
			bytes[n++] = pick(depend38, sizeof(depend38));
		}
		break;
	case 3 ... 4:
		bytes[n++] = 0x0f;
		break;
	case 5:
		bytes[n++] = 0x0f;
		bytes[n++] = random64() & 1 ? 0x38 : 0x3a;
		break;
	case 6:
		/* VEX of two or three bytes, mostly with neither prefix nor second source. */
		if (random64() & 7)
			n = 0;
		bytes[n++] = random64() & 1 ? 0xc4 : 0xc5;
		if (bytes[n - 1] == 0xc4)
			bytes[n++] = (random64() & 0xe0) | (1 + random64() % 3);
		bytes[n] |= random64() & 1 ? 0x78 : 0;
		break;
	case 7:
		n = 0;
		bytes[n++] = 0x62;
		bytes[n++] = (random64() & 0xf0) | (1 + random64() % 3);
		bytes[n++] |= random64() & 1 ? 0x7c : 4;
		bytes[n++] &= random64() & 1 ? 0xe8 : 0xff;
		break;
	}
}

int main(int argc, char **argv)
{
	u8 bytes[24] = {};
	unsigned int len, i;
	unsigned long n;
	const char *hex;

	setvbuf(stdout, NULL, _IOLBF, 0);
	random_state = 0x9e3779b97f4a7c15ULL;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	gs_base = 0xffff888812340000UL;

	if (argc == 3 && !strcmp(argv[1], "text")) {
		compare_text(argv[2]);
		/* At most one in 2,000. */
		if (count.operands < 100000 || count.unknown * 2000 > count.operands ||
		    count.unknown_writers * 2000 > count.writers ||
		    count.told_unknown * 2000 > count.in_place) {
			printf("too many unknown operands, or nothing compared\n");
			count.errors++;
		}
	} else if (argc == 4 && !strcmp(argv[1], "random")) {
		random_state ^= strtoul(argv[3], NULL, 0) * 0x9e3779b97f4a7c15ULL + 1;
		for (n = strtoul(argv[2], NULL, 0); n; n--) {
			make_random(bytes);
			decode(bytes, 15, &len);
		}
	} else if (argc == 3 && !strcmp(argv[1], "bytes")) {
		verbose = true;
		hex = argv[2];
		for (i = 0; i < 15 && sscanf(hex, "%2hhx", &bytes[i]) == 1; i++)
			hex += 2;
		decode(bytes, 15, &len);
	} else {
		fprintf(stderr, "usage: differ text VMLINUX | random N SEED | bytes HEX\n");
		return 2;
	}
	printf("%lu instructions, %lu not compared; %lu operands, %lu unknown;\n",
	       count.insns, count.skipped, count.operands, count.unknown);
	printf("%lu of them write, %lu unknown to a w watch\n", count.writers,
	       count.unknown_writers);
	printf("%lu operands of MMX, SSE or AVX, which are not counted\n", count.vectors);
	printf("%lu questions to ksymwatch, %lu other answers;\n", count.told,
	       count.told_otherwise);
	printf("%lu answers in place, %lu unknown there\n", count.in_place, count.told_unknown);
	printf("%lu errors\n", count.errors);
	return !!count.errors;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's decoder of accesses as it is. Zydis replaces the kernel's decoder of
 * instructions, and access_kernel.h its headers. tests/access.sh compares the two.
 *
 * The quick way, arch_ksym_access_nmi(), reads code where it is, so it can't be used here.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include <Zydis/Zydis.h>

#include "backend/perf/access.h"
#include "lib/util.h"

/* The kernel is not built with these warnings. */
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define MAX_INSN_SIZE		ZYDIS_MAX_INSTRUCTION_LENGTH
#define X86_MODRM_MOD(modrm)	((modrm) >> 6)
#define X86_MODRM_REG(modrm)	((modrm) >> 3 & 7)
#define X86_MODRM_RM(modrm)	((modrm) & 7)
#define X86_SIB_SCALE(sib)	((sib) >> 6)
#define X86_SIB_INDEX(sib)	((sib) >> 3 & 7)
#define X86_SIB_BASE(sib)	((sib) & 7)
#define X86_REX_W(rex)		((rex) & 8)
#define X86_REX_R(rex)		((rex) & 4)
#define X86_REX_X(rex)		((rex) & 2)
#define X86_REX_B(rex)		((rex) & 1)
#define INSN_MODE_64		0

typedef unsigned char insn_byte_t;

/* As in the kernel's asm/insn.h, what ksym_access.c looks at. */
struct insn_field {
	long		value;
	insn_byte_t	bytes[4];
	unsigned char	nbytes;
};

struct insn {
	struct insn_field	prefixes, rex_prefix, vex_prefix, opcode, modrm, sib, displacement;
	struct insn_field	immediate, immediate2, moffset1, moffset2;
	unsigned char		opnd_bytes, addr_bytes, length;
	bool			is_emulated;
	const insn_byte_t	*kaddr;
};

#define insn_is_rex2(insn)		false
#define insn_has_emulate_prefix(insn)	((insn)->is_emulated)

static const struct access_source *source;
static const struct access_trap *trap;
static struct pt_regs *trapped_regs;
/* Memory was asked for that is not known; and that was code, which may be known later. */
static bool is_missing;
static bool is_code_missing;

#define __START_KERNEL_map	(source->start)
/* For the text below a probe. */
#define CONFIG_KPROBES

static unsigned long recover_probed_instruction(unsigned char *buf, unsigned long addr);
static void int3_emulate_jcc(struct pt_regs *regs, unsigned int cc, unsigned long ip,
			     unsigned long disp);
static int insn_decode(struct insn *insn, const void *text, int len, int mode);

#include "backend/perf/access_kernel.h"
/* Made by the Makefile: ksym_access.c without its #include lines. */
#include "ksym_access.inc"

static void set_byte(struct insn_field *field, unsigned char byte)
{
	field->bytes[field->nbytes++] = byte;
}

/* Sets the fields with the opcode. */
static void set_opcode(struct insn *insn, const ZydisDecodedInstruction *from)
{
	if (from->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		set_byte(&insn->opcode, 0x0f);
	if (from->opcode_map == ZYDIS_OPCODE_MAP_0F38)
		set_byte(&insn->opcode, 0x38);
	if (from->opcode_map == ZYDIS_OPCODE_MAP_0F3A)
		set_byte(&insn->opcode, 0x3a);
	set_byte(&insn->opcode, from->opcode);
}

/* The bytes ud2, "xen" or ud2, "kvm" make a hypervisor emulate the instruction after them. */
static bool has_emulate_prefix(const char *text, int len)
{
	return len > 5 && (!memcmp(text, "\x0f\x0bxen", 5) || !memcmp(text, "\x0f\x0bkvm", 5));
}

/* Debian has Zydis only as a shared library, so a static program loads it if it is there. */
static struct {
	__typeof__(ZydisDecoderInit)			*init;
	__typeof__(ZydisDecoderEnableMode)		*enable_mode;
	__typeof__(ZydisDecoderDecodeInstruction)	*decode;
} zydis = {
#ifndef LOAD_ZYDIS
	ZydisDecoderInit, ZydisDecoderEnableMode, ZydisDecoderDecodeInstruction
#endif
};

/* Gets ready to decode, or sets @why: a new string. */
bool access_open(char **why)
{
	char *name __autofree = xasprintf("libZydis.so.%u.%u",
					  (unsigned int)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION),
					  (unsigned int)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
	void *library = zydis.decode ? NULL : dlopen(name, RTLD_NOW);

	if (library) {
		zydis.init = dlsym(library, "ZydisDecoderInit");
		zydis.enable_mode = dlsym(library, "ZydisDecoderEnableMode");
		zydis.decode = dlsym(library, "ZydisDecoderDecodeInstruction");
	}
	*why = zydis.decode ? NULL : xasprintf("%s not found", name);
	return !*why;
}

static int insn_decode(struct insn *insn, const void *text, int len, int mode)
{
	static ZydisDecoder decoder;
	ZydisDecodedInstruction from;
	const insn_byte_t *bytes = text;
	int skip = has_emulate_prefix(text, len) ? 5 : 0;

	if (!decoder.stack_width) {
		zydis.init(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		zydis.enable_mode(&decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
	}
	memset(insn, 0, sizeof(*insn));
	if (!ZYAN_SUCCESS(zydis.decode(&decoder, NULL, bytes + skip, len - skip, &from)))
		return -EINVAL;
	bytes += skip;
	insn->kaddr = bytes;
	insn->length = from.length + skip;
	insn->is_emulated = skip;
	insn->vex_prefix.value = from.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY;
	if (insn->vex_prefix.value)
		return 0;
	insn->prefixes.nbytes = from.raw.prefix_count;
	/* REX, which is the last prefix, has a field of its own. */
	if (from.raw.prefix_count && (bytes[from.raw.prefix_count - 1] & 0xf0) == 0x40)
		set_byte(&insn->rex_prefix, bytes[--insn->prefixes.nbytes]);
	set_opcode(insn, &from);
	if (from.raw.modrm.offset)
		set_byte(&insn->modrm, bytes[from.raw.modrm.offset]);
	if (from.raw.sib.offset)
		set_byte(&insn->sib, bytes[from.raw.sib.offset]);
	/* Moves between %rax and memory have their address as a displacement. */
	insn->displacement.value = from.raw.disp.value;
	insn->moffset1.value = (u32)from.raw.disp.value;
	insn->moffset2.value = (u64)from.raw.disp.value >> 32;
	insn->immediate.value = from.raw.imm[0].value.s;
	insn->immediate2.value = from.raw.imm[1].value.s;
	insn->opnd_bytes = 4;
	if (memchr(bytes, 0x66, insn->prefixes.nbytes))
		insn->opnd_bytes = 2;
	if (X86_REX_W(insn->rex_prefix.bytes[0]))
		insn->opnd_bytes = 8;
	insn->addr_bytes = from.address_width / 8;
	return 0;
}

/* Returns the length of an instruction, or 0 if it is none. */
unsigned int access_insn_len(const void *text, size_t size)
{
	struct insn insn;

	return insn_decode(&insn, text, size, INSN_MODE_64) ? 0 : insn.length;
}

/* A conditional jump with the condition @cc. */
static void int3_emulate_jcc(struct pt_regs *regs, unsigned int cc, unsigned long ip,
			     unsigned long disp)
{
	unsigned long flags = regs->flags;
	bool less = !(flags & X86_EFLAGS_SF) != !(flags & X86_EFLAGS_OF);
	const bool is_met[] = {
		flags & X86_EFLAGS_OF, flags & X86_EFLAGS_CF, flags & X86_EFLAGS_ZF,
		flags & (X86_EFLAGS_CF | X86_EFLAGS_ZF), flags & X86_EFLAGS_SF,
		flags & X86_EFLAGS_PF, less, less || flags & X86_EFLAGS_ZF,
	};

	/* Every second condition is the opposite of the one before it. */
	regs->ip = ip + (is_met[cc >> 1] != (cc & 1) ? disp : 0);
}

/*
 * The kernel knows what a probe has replaced, and this does not. An int3 is recognised. A jump
 * of an optimised probe, which may end within an instruction, leads out of all functions.
 */
static unsigned long recover_probed_instruction(unsigned char *buf, unsigned long addr)
{
	s32 to;

	if (buf[0] != JMP32_INSN_OPCODE)
		return addr;
	memcpy(&to, buf + 1, sizeof(to));
	return core_kernel_text(addr + JMP32_INSN_SIZE + to) ? addr : 0;
}

static bool core_kernel_text(unsigned long addr)
{
	unsigned long start, size;

	return source->find(addr, &start, &size);
}

static int kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size,
				       unsigned long *offset)
{
	unsigned long start;

	if (!source->find(addr, &start, size))
		return 0;
	*offset = addr - start;
	return 1;
}

/* Reads code, the top of the stack or the watched word. */
static long copy_from_kernel_nofault(void *to, const void *from, size_t len)
{
	unsigned long addr = (unsigned long)from;

	if (trap->has_memory && addr == trapped_regs->sp && len == sizeof(trap->top)) {
		memcpy(to, &trap->top, len);
		return 0;
	}
	/* Without BPF it is unknown; it is hardly a pointer to this code, see the quick way. */
	if (addr >= round_down(trap->addr, 8) && addr < trap->addr + trap->len &&
	    len == sizeof(trap->word)) {
		memcpy(to, &trap->word, len);
		return 0;
	}
	if (source->read(addr, to, len))
		return 0;
	is_missing = true;
	is_code_missing = is_code_missing || core_kernel_text(addr);
	return -EFAULT;
}

/* The cache of each CPU: what is in it has the addresses of the CPU's variables. */
static struct known_insn (*caches)[NR_CACHED];
static unsigned int nr_caches;

/* Empties the caches, after code has changed. */
void access_forget(void)
{
	arch_ksym_flush();
	free(caches);
	caches = NULL;
	nr_caches = 0;
}

/* Takes the registers of a hit, and the cache of its CPU. */
static void begin(const struct access_source *from, const struct access_trap *hit,
		  struct pt_regs *regs)
{
	static unsigned int cpu;
	const uint64_t *r = hit->regs;

	*regs = (struct pt_regs) {
		.ax = r[REG_AX], .bx = r[REG_BX], .cx = r[REG_CX], .dx = r[REG_DX],
		.si = r[REG_SI], .di = r[REG_DI], .bp = r[REG_BP], .sp = r[REG_SP],
		.r8 = r[REG_R8], .r9 = r[REG_R8 + 1], .r10 = r[REG_R8 + 2],
		.r11 = r[REG_R8 + 3], .r12 = r[REG_R8 + 4], .r13 = r[REG_R8 + 5],
		.r14 = r[REG_R8 + 6], .r15 = r[REG_R15], .ip = r[REG_IP],
		.flags = r[REG_FLAGS],
	};
	source = from;
	trap = hit;
	trapped_regs = regs;
	is_missing = false;
	is_code_missing = false;
	if (hit->cpu == cpu && hit->gs == gs_base)
		return;
	if (hit->cpu >= nr_caches || cpu >= nr_caches) {
		unsigned int nr = 2 * max(hit->cpu, cpu) + 1;

		caches = xreallocarray(caches, nr, sizeof(*caches));
		memset(caches + nr_caches, 0, (nr - nr_caches) * sizeof(*caches));
		nr_caches = nr;
	}
	memcpy(caches[cpu], known_insns, sizeof(*caches));
	memcpy(known_insns, caches[hit->cpu], sizeof(*caches));
	cpu = hit->cpu;
	gs_base = hit->gs;
}

/* Returns HW_BREAKPOINT_R, HW_BREAKPOINT_W, both, or 0 if the access is unknown. */
unsigned int access_of(const struct access_source *from, const struct access_trap *hit)
{
	struct pt_regs regs;
	unsigned int access;

	begin(from, hit, &regs);
	access = find_access(&regs, hit->addr, hit->len, hit->type, true, NULL);
	if (is_code_missing)
		access_forget();
	return is_missing ? 0 : access;
}

/* Gets the value that was stored, if it is known. */
bool access_stored(const struct access_source *from, const struct access_trap *hit,
		   uint64_t *value)
{
	struct pt_regs regs;
	u64 stored;

	begin(from, hit, &regs);
	if (!find_stored(&regs, hit->addr, hit->len, hit->type, true, &stored) || is_missing)
		return false;
	*value = stored;
	return true;
}

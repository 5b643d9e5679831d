/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What did the instruction that trapped do to the watched memory? The answer of the kernel's
 * own decoder (arch/x86/kernel/ksym_access.c), from what perf and BPF recorded of a hit.
 */
#ifndef KSYMWATCH_ACCESS_H
#define KSYMWATCH_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* perf's general registers and flags, in the order of a sample's words. */
#define ACCESS_REGS	0xff03ffULL
enum access_reg {
	REG_AX, REG_BX, REG_CX, REG_DX, REG_SI, REG_DI, REG_BP, REG_SP, REG_IP, REG_FLAGS,
	REG_R8, REG_R15 = REG_R8 + 7, NR_ACCESS_REGS,
};

/* Where the code comes from. */
struct access_source {
	unsigned long	start;		/* no code is at this address or below */
	/* Finds the function at an address. */
	bool (*find)(unsigned long addr, unsigned long *start, unsigned long *size);
	/* Reads code; the access is unknown if that fails. */
	bool (*read)(unsigned long addr, void *to, size_t len);
};

/* A hit. */
struct access_trap {
	const uint64_t	*regs;		/* after the access, see enum access_reg */
	uint64_t	addr;		/* of the first watched byte */
	unsigned int	len;		/* 1 to 8 watched bytes */
	unsigned int	type;		/* HW_BREAKPOINT_W or HW_BREAKPOINT_RW */
	unsigned int	cpu;
	uint64_t	gs;		/* where its per-CPU variables begin; 0 if unknown */
	bool		has_memory;	/* the next two are known */
	uint64_t	top;		/* the word at the top of the stack */
	uint64_t	word;		/* the aligned word with the bytes, after the access */
};

bool access_open(char **why);
unsigned int access_insn_len(const void *text, size_t size);
unsigned int access_of(const struct access_source *source, const struct access_trap *trap);
bool access_stored(const struct access_source *source, const struct access_trap *trap,
		   uint64_t *value);
void access_forget(void);

#endif /* KSYMWATCH_ACCESS_H */

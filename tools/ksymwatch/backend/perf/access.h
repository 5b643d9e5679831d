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

/**
 * struct access_source - where the code comes from
 * @start: no code is at this address or below
 * @find: find the function at an address, its start and its size
 * @read: read code; the answer is "unknown" if that fails
 */
struct access_source {
	unsigned long	start;
	bool (*find)(unsigned long addr, unsigned long *start, unsigned long *size);
	bool (*read)(unsigned long addr, void *to, size_t len);
};

/**
 * struct access_trap - a hit
 * @regs: the registers after the access, see enum access_reg
 * @addr: the address of the first watched byte
 * @len: the number of watched bytes, 1 to 8
 * @type: what the debug register traps: HW_BREAKPOINT_W or HW_BREAKPOINT_RW
 * @cpu: the CPU
 * @gs: where its per-CPU variables begin; 0 if that is unknown
 * @has_memory: the next two are known
 * @top: the word at the top of the stack
 * @word: the aligned word with the watched bytes, after the access
 */
struct access_trap {
	const uint64_t	*regs;
	uint64_t	addr;
	unsigned int	len;
	unsigned int	type;
	unsigned int	cpu;
	uint64_t	gs;
	bool		has_memory;
	uint64_t	top;
	uint64_t	word;
};

bool access_open(char **why);
unsigned int access_of(const struct access_source *source, const struct access_trap *trap);
bool access_stored(const struct access_source *source, const struct access_trap *trap,
		   uint64_t *value);
void access_forget(void);

#endif /* KSYMWATCH_ACCESS_H */

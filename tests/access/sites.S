/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Like a kernel, the parts of it that tools/ksymwatch/backend/perf/code.c reads: functions
 * with places that a kernel patches, and the tables of these. Each place has a load of
 * (%rdi) in the file, to show whether the decoder believes it. The labels are those of code.c
 * in this folder; a hit is at the address after its instruction.
 */
	.text
	.globl _text
_text:
plain:
	movl	(%rdi), %eax
plain_hit:
	movl	%eax, (%rdi)
plain_store:
	ret

/* A place of the length of a jump or call, between two that are not patched. */
.macro SITE name, bytes:vararg
	.balign	16
\name:
	movl	(%rdi), %eax
\name\()_before:
	.byte	\bytes
\name\()_hit:
	movl	%eax, (%rdi)
\name\()_after:
	ret
.endm

	/* movzbl 0(%rdi,%riz), %eax */
	SITE	key, 0x0f, 0xb6, 0x44, 0x27, 0x00
	SITE	call, 0x0f, 0xb6, 0x44, 0x27, 0x00
	SITE	ftrace, 0x0f, 0xb6, 0x44, 0x27, 0x00
	SITE	retpoline, 0x0f, 0xb6, 0x44, 0x27, 0x00
	SITE	return, 0x0f, 0xb6, 0x44, 0x27, 0x00
	/* movq 0(%rdi), %rax */
	SITE	endbr, 0x48, 0x8b, 0x47, 0x00
	SITE	alternative, 0x48, 0x8b, 0x47, 0x00
	/* The function above ends here. */
	.balign	4096
end:
	ret

	.data
	.globl _sdata
_sdata:
	.globl __start___jump_table, __stop___jump_table
__start___jump_table:
	.long	key_before - ., 0
	.quad	0
__stop___jump_table:
	.globl __start_static_call_sites, __stop_static_call_sites
__start_static_call_sites:
	.long	call_before - ., 0
__stop_static_call_sites:
	.globl __start_mcount_loc, __stop_mcount_loc
__start_mcount_loc:
	.quad	ftrace_before
__stop_mcount_loc:
	.globl __retpoline_sites, __retpoline_sites_end
__retpoline_sites:
	.long	retpoline_before - .
__retpoline_sites_end:
	.globl __return_sites, __return_sites_end
__return_sites:
	.long	return_before - .
__return_sites_end:
	.globl __ibt_endbr_seal, __ibt_endbr_seal_end
__ibt_endbr_seal:
	.long	endbr_before - .
__ibt_endbr_seal_end:
	.globl __alt_instructions, __alt_instructions_end
__alt_instructions:
	.long	alternative_before - ., 0
#ifdef BEFORE_6_3
	.word	0
#else
	.long	0
#endif
	.byte	4, 4
__alt_instructions_end:

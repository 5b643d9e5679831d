/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What instructions do to watched memory. ksym_access_test.c includes this file twice: for
 * the functions and for the table.
 *
 * EXECUTE(text, name, access, ...): the rest are initializers of struct access_case, where
 * the case differs from a watch of the eight bytes to which %rdi and %rsi point.
 * EXECUTE_STACKED() is for an instruction that moves %rsp, which %r15 restores, or that jumps
 * in a way that objtool does not understand.
 *
 * %rax, %rbx, %rcx and %rdx are A, B, 3 and D. %r8 points to memory that is not watched, %r9
 * and %r14 equal %rdi, %r11 is %rdi + 16, %r13 is %rdi + 4096. %r10 and %r12 are free.
 */

/* Moves. */
EXECUTE("movb %%al, (%%rdi)", "mov r8 to mem", W, .len = 1, WROTE(0x11))
EXECUTE("movb %%ah, (%%rdi)", "mov ah to mem", W, .len = 1, WROTE(0x22))
EXECUTE("movb %%bh, (%%rdi)", "mov bh to mem", W, .len = 1, WROTE(0xb7))
EXECUTE("movb %%dh, (%%rdi)", "mov dh to mem", W, .len = 1, WROTE(0xd7))
EXECUTE("movw %%ax, (%%rdi)", "mov r16 to mem", W, .len = 2, WROTE(0x2211))
EXECUTE("movl %%eax, (%%rdi)", "mov r32 to mem", W, .len = 4, WROTE(0x44332211))
EXECUTE("movq %%rax, (%%rdi)", "mov r64 to mem", W, WROTE(A))
EXECUTE("movq %%rbx, %%r10; movq %%r10, (%%rdi)", "mov r10 to mem", W, WROTE(B))
EXECUTE("movl $0x5a, %%esi; movb %%sil, (%%rdi)",
	"mov sil to mem", W, .len = 1, WROTE(0x5a))
EXECUTE("movq %%rax, (%%rdi)", "mov r64 to a part", W, .off = 2, .len = 2, WROTE(0x4433))
EXECUTE("movl %%eax, (%%rdi)", "mov r32 to a half", W)
EXECUTE("movb %%al, 3(%%rdi)", "mov r8 to byte 3 of 8", W)
EXECUTE("movq %%rax, 4(%%rdi)", "mov across the end", W)
EXECUTE("movq %%rax, -4(%%rdi)", "mov across the start", W)
EXECUTE("movb (%%rdi), %%al", "mov from mem r8", R, .len = 1)
EXECUTE("movq (%%rdi), %%rax", "mov from mem r64", R)
EXECUTE("movb 3(%%rdi), %%al", "mov byte 3 of 8 from mem", R)
EXECUTE("movq %%rax, " AREA "(%%rip)", "mov rip store", W, WROTE(A))
EXECUTE("movq " AREA "(%%rip), %%rax", "mov rip load", R)
EXECUTE("movq %%rax, -16(%%r11)", "mov disp8", W, WROTE(A))
EXECUTE("movq %%rax, -4096(%%r13)", "mov disp32 base", W, WROTE(A))
EXECUTE("movq %%rax, -24(%%rdi,%%rcx,8)", "mov base index scale", W, WROTE(A))
EXECUTE("leaq " AREA "(%%rip), %%rdx; shrq $3, %%rdx; movl $7, %%r10d; movq 0(,%%rdx,8), %%rax",
	"mov index without base", R)
EXECUTE("movq %%rdi, %%r12; movq (%%r12), %%rax", "mov r12 base", R)
EXECUTE_STACKED("movq %%rdi, %%rsp; movq (%%rsp), %%rax", "mov rsp base", R)
EXECUTE("movq (%%rdi), %%rdi", "mov over its base", R, .lost = true)
EXECUTE("movq %%rdi, %%rdx; movb (%%rdx), %%dl", "mov over a part of its base", R,
	.lost = true)
EXECUTE("movq %%rdi, %%rdx; movb (%%rdx), %%dh", "mov over its base, high half", R,
	.lost = true)
EXECUTE("movl $1, %%edx; movq -8(%%rdi,%%rdx,8), %%rdx", "mov over its index", R,
	.lost = true)
EXECUTE("movb $0x5a, (%%rdi)", "mov imm8", W, .len = 1, WROTE(0x5a))
EXECUTE("movw $0x5aa5, (%%rdi)", "mov imm16", W, .len = 2, WROTE(0x5aa5))
EXECUTE("movl $0x12345678, (%%rdi)", "mov imm32", W, .len = 4, WROTE(0x12345678))
EXECUTE("movq $-2, (%%rdi)", "mov imm32 to 64", W, WROTE(0xfffffffffffffffe))
EXECUTE("movq $0x1234, " AREA "(%%rip)", "mov imm rip, long", W, WROTE(0x1234))
EXECUTE("movw $0x1234, " AREA "(%%rip)", "mov imm16, long", W, .len = 2, WROTE(0x1234))
EXECUTE("movabsq %%rax, " AREA, "mov moffs store", W, WROTE(A))
EXECUTE("movabsb %%al, " AREA, "mov moffs8 store", W, .len = 1, WROTE(0x11))
EXECUTE("movabsq " AREA ", %%rax", "mov moffs load", R)
EXECUTE("movw %%ds, (%%rdi)", "mov sreg to mem", W, .len = 2)
EXECUTE("movw (%%rdi), %%ds", "mov mem to sreg", R, .len = 2, FILL(0))
EXECUTE("movzbl (%%rdi), %%eax", "movzx 8", R, .len = 1)
EXECUTE("movzwl (%%rdi), %%eax", "movzx 16", R, .len = 2)
EXECUTE("movzbl (%%rdi), %%esi", "movzx to ebp's like", R, .len = 1)
EXECUTE("movq %%rdi, %%rcx; movzbl (%%rcx), %%ecx",
	"movzx over its base", R, .len = 1, .lost = true)
EXECUTE_STACKED("movq %%rdi, %%rsp; movq (%%rdi), %%rdi", "mov over its base, on top of the stack",
		UNKNOWN, .lost = true)
EXECUTE("movl $8, %%ecx; movq %%rdi, %%rdx; movq 64(%%rdx), %%rdx; rep stosb",
	"mov over its base before a string instruction", UNKNOWN, .off = 1, .len = 1,
	.lost = true, .stops = true)
EXECUTE("movl $8, %%ecx; movq %%rdi, %%rdx; movq 64(%%rdx), %%rdx; rep stosb",
	"the same, watched for writes", W, .off = 1, .len = 1, .type = HW_BREAKPOINT_W,
	WROTE(0x11))
EXECUTE("movsbq (%%rdi), %%rax", "movsx 8", R, .len = 1)
EXECUTE("movswl (%%rdi), %%eax", "movsx 16", R, .len = 2)
EXECUTE("movslq (%%rdi), %%rax", "movsxd", R, .len = 4)
/* Arithmetic. */
EXECUTE("addq %%rax, (%%rdi)", "add reg to mem", RW)
EXECUTE("addl (%%rdi), %%eax", "add mem to reg", R, .len = 4)
EXECUTE("addw $0x1234, (%%rdi)", "add imm to mem", RW, .len = 2)
EXECUTE("orq %%rax, (%%rdi)", "or reg to mem", RW)
EXECUTE("orl (%%rdi), %%eax", "or mem to reg", R, .len = 4)
EXECUTE("orw $0x1234, (%%rdi)", "or imm to mem", RW, .len = 2)
EXECUTE("adcq %%rax, (%%rdi)", "adc reg to mem", RW)
EXECUTE("adcl (%%rdi), %%eax", "adc mem to reg", R, .len = 4)
EXECUTE("adcw $0x1234, (%%rdi)", "adc imm to mem", RW, .len = 2)
EXECUTE("sbbq %%rax, (%%rdi)", "sbb reg to mem", RW)
EXECUTE("sbbl (%%rdi), %%eax", "sbb mem to reg", R, .len = 4)
EXECUTE("sbbw $0x1234, (%%rdi)", "sbb imm to mem", RW, .len = 2)
EXECUTE("andq %%rax, (%%rdi)", "and reg to mem", RW)
EXECUTE("andl (%%rdi), %%eax", "and mem to reg", R, .len = 4)
EXECUTE("andw $0x1234, (%%rdi)", "and imm to mem", RW, .len = 2)
EXECUTE("subq %%rax, (%%rdi)", "sub reg to mem", RW)
EXECUTE("subl (%%rdi), %%eax", "sub mem to reg", R, .len = 4)
EXECUTE("subw $0x1234, (%%rdi)", "sub imm to mem", RW, .len = 2)
EXECUTE("xorq %%rax, (%%rdi)", "xor reg to mem", RW)
EXECUTE("xorl (%%rdi), %%eax", "xor mem to reg", R, .len = 4)
EXECUTE("xorw $0x1234, (%%rdi)", "xor imm to mem", RW, .len = 2)
EXECUTE("addq $1, (%%rdi)", "add imm8", RW)
EXECUTE("lock addl $1, (%%rdi)", "lock add", RW, .len = 4)
EXECUTE("lock orb $1, (%%rdi)", "lock or byte", RW, .len = 1)
EXECUTE("cmpq %%rax, (%%rdi)", "cmp reg, mem", R)
EXECUTE("cmpb (%%rdi), %%al", "cmp mem, reg", R, .len = 1)
EXECUTE("cmpq (%%rdi), %%rdi", "cmp mem, its base", R)
EXECUTE("cmpl $5, (%%rdi)", "cmp imm", R, .len = 4)
EXECUTE("cmpb $5, (%%rdi)", "cmp imm8", R, .len = 1)
EXECUTE("testq %%rax, (%%rdi)", "test reg", R)
EXECUTE("testb %%al, (%%rdi)", "test byte", R, .len = 1)
EXECUTE("testl $5, (%%rdi)", "test imm", R, .len = 4)
EXECUTE("testb $5, (%%rdi)", "test imm8", R, .len = 1)
EXECUTE("incl (%%rdi)", "inc", RW, .len = 4)
EXECUTE("decb (%%rdi)", "dec byte", RW, .len = 1)
EXECUTE("lock incq (%%rdi)", "lock inc", RW)
EXECUTE("notq (%%rdi)", "not", RW)
EXECUTE("negb (%%rdi)", "neg byte", RW, .len = 1)
EXECUTE("mulq (%%rdi)", "mul", R)
EXECUTE("movq %%rdi, %%rax; mulq (%%rax)", "mul through rax", R, .lost = true)
EXECUTE("movq %%rdi, %%rdx; mulq (%%rdx)", "mul through rdx", R, .lost = true)
EXECUTE("movq %%rdi, %%rdx; mulb (%%rdx)", "mul byte through rdx", R, .len = 1)
EXECUTE("imull (%%rdi)", "imul", R, .len = 4)
EXECUTE("imulq (%%rdi), %%rax", "imul reg", R)
EXECUTE("imulq $3, (%%rdi), %%rax", "imul imm", R)
EXECUTE("imull $0x12345, (%%rdi), %%eax", "imul imm32", R, .len = 4)
EXECUTE("xorl %%edx, %%edx; divl (%%rdi)", "div", R, .len = 4, FILL(0x7fffffff7fffffff))
EXECUTE("movl $100, %%eax; idivb (%%rdi)",
	"idiv byte", R, .len = 1, FILL(0x6060606060606060))
EXECUTE("rolq (%%rdi)", "rol 1", RW)
EXECUTE("rorq (%%rdi)", "ror 1", RW)
EXECUTE("rclq (%%rdi)", "rcl 1", RW)
EXECUTE("rcrq (%%rdi)", "rcr 1", RW)
EXECUTE("shlq (%%rdi)", "shl 1", RW)
EXECUTE("shrq (%%rdi)", "shr 1", RW)
EXECUTE("sarq (%%rdi)", "sar 1", RW)
EXECUTE("shlq $3, (%%rdi)", "shl imm", RW)
EXECUTE("shlb $3, (%%rdi)", "shl imm byte", RW, .len = 1)
EXECUTE("shll %%cl, (%%rdi)", "shl cl", RW, .len = 4)
EXECUTE("xorl %%ecx, %%ecx; shlb %%cl, (%%rdi)", "shl by nothing", UNKNOWN, .len = 1)
EXECUTE(".byte 0xc1, 0x27, 0x00", "shl by imm 0", UNKNOWN, .len = 4)
EXECUTE("movl $32, %%ecx; shll %%cl, (%%rdi)", "shl by 32 of 32", UNKNOWN, .len = 4)
EXECUTE("movl $32, %%ecx; shlq %%cl, (%%rdi)", "shl by 32 of 64", RW)
EXECUTE("shldq $3, %%rax, (%%rdi)", "shld imm", RW)
EXECUTE("shldl %%cl, %%eax, (%%rdi)", "shld cl", RW, .len = 4)
EXECUTE("shrdq $3, %%rax, (%%rdi)", "shrd imm", RW)
EXECUTE("shrdq %%cl, %%rax, (%%rdi)", "shrd cl", RW)
/* Atomics. */
EXECUTE("xchgq %%rax, (%%rdi)", "xchg", RW)
EXECUTE("xchgb %%al, (%%rdi)", "xchg byte", RW, .len = 1)
EXECUTE("xchgq %%rdi, (%%rdi)", "xchg over its base", UNKNOWN)
EXECUTE("xchgq %%rdi, (%%rdi)", "xchg over its base, watched for writes", RW,
	.type = HW_BREAKPOINT_W, .lost = true)
EXECUTE("xaddq %%rax, (%%rdi)", "xadd", RW)
EXECUTE("lock xaddl %%eax, (%%rdi)", "lock xadd", RW, .len = 4)
EXECUTE("movq %%rdi, %%rax; lock xaddq %%rax, (%%rax)", "xadd over its base", UNKNOWN)
EXECUTE("movq %%rdi, %%rax; lock xaddq %%rax, (%%rax)",
	"xadd over its base, watched for writes", RW, .type = HW_BREAKPOINT_W, .lost = true)
EXECUTE("movabsq $0x0102030405060708, %%rax; lock cmpxchgq %%rbx, (%%rdi)",
	"cmpxchg succeeds", RW, WROTE(B))
EXECUTE("lock cmpxchgq %%rbx, (%%rdi)", "cmpxchg fails", R)
EXECUTE("movb $8, %%al; cmpxchgb %%bh, (%%rdi)",
	"cmpxchg byte succeeds", RW, .len = 1, WROTE(0xb7))
EXECUTE("movq %%rdi, %%rdx; movabsq $0x0102030405060708, %%rax; lock cmpxchgq %%rbx, (%%rdx)",
	"cmpxchg succeeds, base rdx", RW, WROTE(B))
EXECUTE("movq %%rdi, %%rdx; lock cmpxchgq %%rbx, (%%rdx)", "cmpxchg fails, base rdx", R)
EXECUTE("movq %%rdi, %%rax; lock cmpxchgq %%rbx, (%%rax)",
	"cmpxchg fails through rax", R, .lost = true)
EXECUTE("movq %%rdi, %%rax; lock cmpxchgq %%rbx, (%%rax)",
	"cmpxchg fails through rax, watched for writes", R, .type = HW_BREAKPOINT_W,
	.lost = true)
EXECUTE("movq %%rdi, %%rax; lock cmpxchgq %%rbx, (%%rax)",
	"cmpxchg succeeds through rax", RW, WROTE(B), FILL(AREA_ADDR))
EXECUTE("movl $0x05060708, %%eax; movl $0x01020304, %%edx; lock cmpxchg8b (%%rdi)",
	"cmpxchg8b succeeds", RW, WROTE(0x3b5b6b7b8))
EXECUTE("lock cmpxchg8b (%%rdi)", "cmpxchg8b fails", R)
EXECUTE("movq %%rdi, %%rdx; lock cmpxchg8b (%%rdx)", "cmpxchg8b fails through rdx", R,
	.lost = true)
EXECUTE("movabsq $0x0102030405060708, %%rax; movq %%rax, %%rdx; lock cmpxchg16b (%%rdi)",
	"cmpxchg16b succeeds", RW, WROTE(B), NEEDS(CX16))
EXECUTE("movabsq $0x0102030405060708, %%rax; movq %%rax, %%rdx; lock cmpxchg16b (%%rdi)",
	"cmpxchg16b succeeds, upper half", RW, .off = 8, WROTE(0x3), NEEDS(CX16))
EXECUTE("lock cmpxchg16b (%%rdi)", "cmpxchg16b fails", R, NEEDS(CX16))
/* Bits. */
EXECUTE("btq $5, (%%rdi)", "bt imm", R)
EXECUTE("btsq $5, (%%rdi)", "bts imm", RW)
EXECUTE("lock btrl $5, (%%rdi)", "btr imm", RW, .len = 4)
EXECUTE("btcw $5, (%%rdi)", "btc imm", RW, .len = 2)
EXECUTE("btq %%rcx, (%%rdi)", "bt reg", R)
EXECUTE("lock btsq %%rcx, (%%rdi)", "bts reg", RW)
EXECUTE("btrl %%ecx, (%%rdi)", "btr reg", RW, .len = 4)
EXECUTE("btcq %%rcx, (%%rdi)", "btc reg", RW)
EXECUTE("movl $1000, %%ecx; btq %%rcx, -120(%%rdi)", "bt reg, far above", R)
EXECUTE("movq $-600, %%rcx; btsq %%rcx, 80(%%rdi)", "bts reg, far below", RW)
EXECUTE("movl $-600, %%ecx; btrl %%ecx, 76(%%rdi)", "btr 32, far below", RW, .len = 4)
EXECUTE("movl $0x1fff0, %%ecx; btw %%cx, 2(%%rdi)", "bt 16, far below", R, .len = 2)
/* Conditions, counts, and byte order. */
EXECUTE("cmpb $0x80, %%al; " FLAGS_AGAIN "seto (%%rdi)", "seto", W, .len = 1, WROTE(0x1))
EXECUTE("cmpb $0x80, %%al; " FLAGS_AGAIN "setno (%%rdi)", "setno", W, .len = 1, WROTE(0x0))
EXECUTE("cmpb $0x80, %%al; setb (%%rdi)", "setb", W, .len = 1, WROTE(0x1))
EXECUTE("cmpb $0x80, %%al; setae (%%rdi)", "setae", W, .len = 1, WROTE(0x0))
EXECUTE("cmpb $0x80, %%al; sete (%%rdi)", "sete", W, .len = 1, WROTE(0x0))
EXECUTE("cmpb $0x80, %%al; setne (%%rdi)", "setne", W, .len = 1, WROTE(0x1))
EXECUTE("cmpb $0x80, %%al; setbe (%%rdi)", "setbe", W, .len = 1, WROTE(0x1))
EXECUTE("cmpb $0x80, %%al; seta (%%rdi)", "seta", W, .len = 1, WROTE(0x0))
EXECUTE("cmpb $0x80, %%al; sets (%%rdi)", "sets", W, .len = 1, WROTE(0x1))
EXECUTE("cmpb $0x80, %%al; setns (%%rdi)", "setns", W, .len = 1, WROTE(0x0))
EXECUTE("cmpb $0x80, %%al; " FLAGS_AGAIN "setp (%%rdi)", "setp", W, .len = 1, WROTE(0x0))
EXECUTE("cmpb $0x80, %%al; " FLAGS_AGAIN "setnp (%%rdi)", "setnp", W, .len = 1, WROTE(0x1))
EXECUTE("cmpb $0x80, %%al; setl (%%rdi)", "setl", W, .len = 1, WROTE(0x0))
EXECUTE("cmpb $0x80, %%al; setge (%%rdi)", "setge", W, .len = 1, WROTE(0x1))
EXECUTE("cmpb $0x80, %%al; setle (%%rdi)", "setle", W, .len = 1, WROTE(0x0))
EXECUTE("cmpb $0x80, %%al; setg (%%rdi)", "setg", W, .len = 1, WROTE(0x1))
EXECUTE("cmpq %%rax, %%rax; cmoveq (%%rdi), %%rbx", "cmov taken", R)
EXECUTE("cmpq %%rax, %%rax; cmovneq (%%rdi), %%rbx", "cmov not taken", R)
EXECUTE("cmpq %%rax, %%rax; cmovneq (%%rdi), %%rdi", "cmov over its base", R,
	.lost = true)
EXECUTE("bsfq (%%rdi), %%rax", "bsf", R)
EXECUTE("bsrl (%%rdi), %%eax", "bsr", R, .len = 4)
EXECUTE("popcntq (%%rdi), %%rax", "popcnt", R, NEEDS(POPCNT))
EXECUTE("tzcntq (%%rdi), %%rax", "tzcnt", R, NEEDS(BMI1))
EXECUTE("lzcntq (%%rdi), %%rax", "lzcnt", R, NEEDS(ABM))
EXECUTE("movntiq %%rax, (%%rdi)", "movnti", W, WROTE(A))
EXECUTE("movntil %%eax, (%%rdi)", "movnti 32", W, .len = 4, WROTE(0x44332211))
EXECUTE("movbeq %%rax, (%%rdi)", "movbe store", W, WROTE(0x1122334455667788), NEEDS(MOVBE))
EXECUTE("movbel %%eax, (%%rdi)",
	"movbe store 32", W, .len = 4, WROTE(0x11223344), NEEDS(MOVBE))
EXECUTE("movbew %%ax, (%%rdi)", "movbe store 16", W, .len = 2, WROTE(0x1122), NEEDS(MOVBE))
EXECUTE("movbeq %%rax, (%%rdi)",
	"movbe store, a part", W, .off = 4, .len = 2, WROTE(0x3344), NEEDS(MOVBE))
EXECUTE("movbeq (%%rdi), %%rax", "movbe load", R, NEEDS(MOVBE))
EXECUTE("crc32b (%%rdi), %%eax", "crc32 byte", R, .len = 1, NEEDS(XMM4_2))
EXECUTE("crc32q (%%rdi), %%rax", "crc32", R, NEEDS(XMM4_2))
/* Strings. */
EXECUTE("lodsb", "lodsb", R, .len = 1)
EXECUTE("lodsq", "lodsq", R)
EXECUTE("stosb", "stosb", W, .len = 1, WROTE(0x11))
EXECUTE("stosw", "stosw", W, .len = 2, WROTE(0x2211))
EXECUTE("stosq", "stosq", W, WROTE(A))
EXECUTE("stosq", "stosq, a part", W, .off = 3, .len = 1, WROTE(0x44))
EXECUTE("std; stosq; cld", "stosq down", W, WROTE(A))
EXECUTE("scasb", "scasb", R, .len = 1)
EXECUTE("scasq", "scasq", R)
EXECUTE("movq %%r8, %%rdi; cmpsb", "cmpsb, rsi", R, .len = 1)
EXECUTE("movq %%r8, %%rsi; cmpsq", "cmpsq, rdi", R)
EXECUTE("movq %%r8, %%rsi; movsb", "movsb, to", W, .len = 1)
EXECUTE("movq %%r8, %%rsi; movsq", "movsq, to", W)
EXECUTE("movq %%r8, %%rdi; movsq", "movsq, from", R)
EXECUTE("movq %%r8, %%rdi; std; movsq; cld", "movsq down, from", R)
EXECUTE("movsq", "movsq, both", RW)
EXECUTE("movl $64, %%ecx; rep stosb", "rep stosb", W, .off = 32, .len = 1, WROTE(0x11))
EXECUTE("movl $64, %%ecx; rep stosb", "rep stosb, eight", W, .off = 32)
EXECUTE(".byte 0xf3, 0x3e, 0xaa", "rep stosb, ds", W,
	.off = 1, .len = 1, WROTE(0x11))
EXECUTE("movb -1(%%rdi), %%al; .byte 0xf3, 0x3e, 0xaa", "rep stosb, ds, after a load", W,
	.off = 1, .len = 1, .type = HW_BREAKPOINT_W, WROTE(0x1))
EXECUTE("movb -1(%%rdi), %%al; .byte 0xf3, 0x64, 0xaa", "rep stosb, fs, after a load", UNKNOWN,
	.off = 1, .len = 1, .type = HW_BREAKPOINT_W)
EXECUTE("movl $16, %%ecx; rep stosl",
	"rep stosl", W, .off = 32, .len = 4, WROTE(0x44332211))
EXECUTE("movl $16, %%ecx; rep stosq", "rep stosq", W, .off = 32, WROTE(A),
	.stops = true)
EXECUTE("movl $16, %%ecx; rep stosq",
	"rep stosq, a part", W, .off = 36, .len = 4, WROTE(0x88776655), .stops = true)
EXECUTE("movl $4, %%ecx; rep stosq", "rep stosq, the last", W, .off = 24, WROTE(A))
EXECUTE("movl $4, %%ecx; rep stosq", "rep stosq, the first", W, WROTE(A))
EXECUTE("movl $1, %%ecx; rep stosq", "rep stosq, the only one", W, WROTE(A))
EXECUTE("leaq 4(%%rdi), %%rdi; movl $4, %%ecx; rep stosq",
	"rep stosq, not aligned", W, .off = 8)
EXECUTE("leaq 64(%%rdi), %%rdi; movl $9, %%ecx; std; rep stosq; cld",
	"rep stosq down", W, .off = 32, WROTE(A))
EXECUTE("xorl %%ecx, %%ecx; rep stosq", "rep stosq, none", SILENT)
EXECUTE("movq %%r8, %%rsi; movl $64, %%ecx; rep movsb", "rep movsb, to", W, .off = 32)
EXECUTE("movq %%r8, %%rdi; movl $64, %%ecx; rep movsb", "rep movsb, from", R, .off = 32)
EXECUTE("movq %%r8, %%rsi; movl $8, %%ecx; rep movsq", "rep movsq, to", W, .off = 32)
EXECUTE("movq %%r8, %%rdi; movl $8, %%ecx; rep movsq", "rep movsq, from", R, .off = 56)
EXECUTE("movl $8, %%ecx; rep movsb", "rep movsb to itself", RW)
EXECUTE("leaq 16(%%rdi), %%rdi; movl $64, %%ecx; rep movsb",
	"rep movsb, near by", W, .off = 48, .len = 1, .type = HW_BREAKPOINT_W, .stops = true)
EXECUTE("leaq 16(%%rsi), %%rsi; movl $64, %%ecx; rep movsb",
	"rep movsb, near by the other way", UNKNOWN, .off = 48, .len = 1, .type = HW_BREAKPOINT_W)
EXECUTE("movl $64, %%ecx; rep lodsb", "rep lodsb", R, .off = 32)
EXECUTE("movq %%r8, %%rdi; movl $64, %%ecx; repe cmpsb", "repe cmpsb", R)
EXECUTE("leaq 16(%%rdi), %%rdi; movl $64, %%ecx; repe cmpsb",
	"repe cmpsb, near by", R, .off = 32)
EXECUTE("movl $64, %%ecx; xorl %%eax, %%eax; repne scasb",
	"repne scasb", R, .off = 32, .len = 1)
EXECUTE("movl $0x80, %%edx; insb", "insb", W, .len = 1)
EXECUTE("movl $0x80, %%edx; movl $8, %%ecx; rep insb", "rep insb", W, .len = 1)
EXECUTE("movl $0x80, %%edx; outsb", "outsb", R, .len = 1)
EXECUTE("movq %%rdi, %%rbx; movb $2, %%al; xlatb", "xlat", UNKNOWN)
/* The stack. */
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; pushq %%rax", "push reg", W, WROTE(A))
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; movq %%rbx, %%r10; pushq %%r10",
		"push r10", W, WROTE(B))
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; pushq %%rsp", "push rsp", W, WROTE(AREA_ADDR + 8))
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; pushq $-3",
		"push imm8", W, WROTE(0xfffffffffffffffd))
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; pushq $0x12345678",
		"push imm32", W, WROTE(0x12345678))
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; pushq $0x12345678",
		"push imm, a part", W, .off = 2, .len = 2, WROTE(0x1234))
EXECUTE_STACKED("leaq 2(%%rdi), %%rsp; pushw %%ax", "push 16", W)
EXECUTE_STACKED("leaq 2(%%rdi), %%rsp; pushw %%ax",
		"push 16, the value", W, .len = 2, WROTE(0x2211))
EXECUTE_STACKED("leaq 2(%%rdi), %%rsp; pushw %%sp", "push sp 16", W)
EXECUTE_STACKED("leaq 2(%%rdi), %%rsp; pushw $0x5a", "push imm8 16", W)
EXECUTE_STACKED("leaq 2(%%rdi), %%rsp; pushw 4(%%rdi)", "push mem 16, from", R,
		.off = 4, .len = 2)
EXECUTE_STACKED("pushw $0x1234; nop; nop; movq (%%rdi), %%rax", "after push imm16", UNKNOWN)
EXECUTE_STACKED("leaq 6(%%rdi), %%rsp; popw %%bx; rep stosb", "pop 16 before rep stosb", W,
		.off = 1, .len = 1, .type = HW_BREAKPOINT_W, WROTE(0x11))
EXECUTE_STACKED("leaq 6(%%rdi), %%rsp; popw (%%rdi)", "pop mem 16, to", W, .len = 2)
EXECUTE_STACKED("leaq 128(%%rdi), %%rsp; pushq (%%rdi)", "push mem, from", R)
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; pushq (%%r8)", "push mem, to", W)
EXECUTE_STACKED("leaq -16(%%rdi), %%rsp; pushq 16(%%rsp)", "push mem through rsp", R)
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; pushq -8(%%rsp)", "push mem, both", RW)
EXECUTE_STACKED("movq %%rdi, %%rsp; popq %%rax", "pop reg", R)
EXECUTE_STACKED("movq %%rdi, %%rsp; popq %%rsp", "pop rsp", R, .lost = true)
EXECUTE_STACKED("leaq 64(%%rdi), %%rsp; popq (%%rdi)", "pop mem, to", W)
EXECUTE_STACKED("movq %%rdi, %%rsp; popq (%%r8)", "pop mem, from", R)
EXECUTE_STACKED("leaq -16(%%rdi), %%rsp; popq 8(%%rsp)", "pop mem through rsp", W)
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; pushfq", "pushf", W)
EXECUTE_STACKED("movq %%rdi, %%rsp; popfq", "popf", R, FILL(2))
EXECUTE_STACKED("movq %%rbp, %%rdx; leaq 8(%%rdi), %%rsp; enter $16, $0; movq %%rdx, %%rbp",
		"enter", W)
EXECUTE_STACKED("movq %%rbp, %%rdx; movq %%rdi, %%rbp; leave; movq %%rdx, %%rbp",
		"leave", R)
/* The FPU. */
EXECUTE("fildl (%%rdi); fstp %%st(0)", "fild", R, .len = 4, .fpu = true)
EXECUTE("ldmxcsr (%%rdi); movl $0x1f80, (%%r8); ldmxcsr (%%r8)",
	"ldmxcsr", R, .len = 4, .fpu = true, FILL(0x1f80))
EXECUTE("stmxcsr (%%rdi)", "stmxcsr", W, .len = 4, .fpu = true)
EXECUTE("fxsave64 (%%rdi)", "fxsave", W, .fpu = true)
EXECUTE("fxsave64 (%%rdi)", "fxsave, xmm", W, .off = 160, .fpu = true)
EXECUTE("fxsave64 (%%rdi)", "fxsave, last xmm", W, .off = 408, .fpu = true)
EXECUTE("fxrstor64 (%%rdi); fninit", "fxrstor", R, .fpu = true, FILL(0x37f))
/* Vectors are not decoded. */
EXECUTE("movups (%%rdi), %%xmm0", "movups load", UNKNOWN, .fpu = true)
EXECUTE("movq %%mm0, (%%rdi); emms", "mmx movq store", UNKNOWN, .fpu = true)
EXECUTE("vmovdqu %%ymm0, (%%rdi)", "vmovdqu store", UNKNOWN, NEEDS(AVX), .fpu = true)
/* The state of the FPU, by component. */
EXECUTE("movl $7, %%eax; xorl %%edx, %%edx; xsave64 (%%rdi)",
	"xsave, x87", W, NEEDS(XSAVE), .fpu = true, FILL(0))
EXECUTE("movl $7, %%eax; xorl %%edx, %%edx; xsave64 (%%rdi)",
	"xsave, xmm", W, .off = 160, NEEDS(XSAVE), .fpu = true, FILL(0))
EXECUTE("movl $7, %%eax; xorl %%edx, %%edx; xsave64 (%%rdi)",
	"xsave, header", RW, .off = 512, NEEDS(XSAVE), .fpu = true, FILL(0))
EXECUTE("movl $7, %%eax; xorl %%edx, %%edx; vpcmpeqb %%ymm0, %%ymm0, %%ymm0; xsave64 (%%rdi)",
	"xsave, ymm", UNKNOWN, .off = 576, NEEDS(AVX2), .fpu = true, FILL(0))
EXECUTE("movl $1, %%eax; xorl %%edx, %%edx; xsave64 (%%rdi)",
	"xsave of x87 alone", UNKNOWN, NEEDS(XSAVE), .fpu = true, FILL(0))
EXECUTE("movl $7, %%eax; xorl %%edx, %%edx; xsaveopt64 (%%rdi)",
	"xsaveopt, header", RW, .off = 512, NEEDS(XSAVEOPT), .fpu = true, FILL(0))
EXECUTE("movl $7, %%eax; xorl %%edx, %%edx; xrstor64 (%%rdi)",
	"xrstor, header", R, .off = 512, NEEDS(XSAVE), .fpu = true, FILL(0))
/* System registers. */
EXECUTE("sgdt (%%rdi)", "sgdt", W, .len = 2)
EXECUTE("sidt (%%rdi)", "sidt", W)
EXECUTE("sldt (%%rdi)", "sldt", W, .len = 2)
EXECUTE("str (%%rdi)", "str", W, .len = 2)
EXECUTE("smsw (%%rdi)", "smsw", W, .len = 2)
EXECUTE("lgdt (%%rdi)", "lgdt", R, .prepare = prepare_gdt)
EXECUTE("lidt (%%rdi)", "lidt", R, .prepare = prepare_idt)
EXECUTE("verw (%%rdi)", "verw", R, .len = 2)
EXECUTE("verr (%%rdi)", "verr", R, .len = 2)
EXECUTE("lar (%%rdi), %%eax", "lar", R, .len = 2)
EXECUTE("lsl (%%rdi), %%eax", "lsl", R, .len = 2)
/* Instructions that touch no memory, or other memory. */
EXECUTE("leaq (%%rdi), %%rax", "lea", SILENT)
EXECUTE("nopl (%%rdi)", "nop", SILENT)
EXECUTE("nopw 0(%%rdi,%%rax,1)", "nopw", SILENT)
EXECUTE("prefetcht0 (%%rdi)", "prefetcht0", SILENT)
EXECUTE("prefetchnta (%%rdi)", "prefetchnta", SILENT)
EXECUTE("prefetchw (%%rdi)", "prefetchw", SILENT)
EXECUTE("invlpg (%%rdi)", "invlpg", SILENT)
EXECUTE("clflush (%%rdi)", "clflush", QUIET, NEEDS(CLFLUSH))
EXECUTE("clflushopt (%%rdi)", "clflushopt", QUIET, NEEDS(CLFLUSHOPT))
EXECUTE("clwb (%%rdi)", "clwb", QUIET, NEEDS(CLWB))
EXECUTE("lock btsq $3, 8(%%rdi)", "lock bts beyond", SILENT)
EXECUTE("movq %%rax, 8(%%rdi)", "mov beyond", SILENT)
EXECUTE("movl $64, %%ecx; btq %%rcx, (%%rdi)", "bt beyond", SILENT)
/* Jumps and calls. */
EXECUTE_STACKED(ANNOTATE_RETPOLINE_SAFE "\ncall *(%%rdi)",
		"call through mem", R, FILL_TARGET)
EXECUTE_STACKED("movq %%rdi, %%rax\n" ANNOTATE_RETPOLINE_SAFE "\ncall *(%%rax)",
		"call through mem, base rax", R, FILL_TARGET)
EXECUTE_STACKED("movq %%rdi, %%rsp\n" ANNOTATE_RETPOLINE_SAFE "\ncall *(%%rsp)",
		"call through mem, base rsp", R, FILL_TARGET)
/* As in a retpoline, the int3 is never executed. */
EXECUTE_STACKED("call 1f; int3; 1: movq %%rax, (%%rdi)", "mov after a call over int3", W,
		WROTE(A))
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; call ksym_access_target",
		"call pushes", W, .type = HW_BREAKPOINT_W)
EXECUTE_STACKED("leaq ksym_access_target(%%rip), %%rax; leaq 8(%%rdi), %%rsp\n"
		ANNOTATE_RETPOLINE_SAFE "\ncall *%%rax",
		"call reg pushes", W, .type = HW_BREAKPOINT_W)
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp\n" ANNOTATE_RETPOLINE_SAFE "\ncall *64(%%rdi)",
		"call through mem pushes", W, .type = HW_BREAKPOINT_W, FILL_TARGET)
EXECUTE_STACKED(ANNOTATE_RETPOLINE_SAFE "\njmp *(%%rdi); int3\n.Lksym_access_jumped:; nop",
		"jmp through mem", UNKNOWN, .prepare = prepare_jump)
EXECUTE_STACKED(ANNOTATE_RETPOLINE_SAFE "\n"
		"jmp *(%%rdi); movq %%rax, (%%rdi)\n.Lksym_access_after_store:; nop",
		"jmp through mem after a store", UNKNOWN, .prepare = prepare_after_store)
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; jmp 2f; movq (%%rsp), %%rax; 1: jmp 3f; 2: call 1b; 3:",
		"call after a load", W, .type = HW_BREAKPOINT_W)
EXECUTE_STACKED("leaq 8(%%rdi), %%rsp; jmp 2f; movq (%%r12,%%r14), %%rax; 1: jmp 3f\n"
		"2: call 1b; 3:",
		"call after a load with an index", W, .type = HW_BREAKPOINT_W)
EXECUTE_STACKED("movq %%rdi, %%rsp; ret; int3\n.Lksym_access_returned:; nop",
		"ret", UNKNOWN, .prepare = prepare_return)

/* The position of the instruction. */
EXECUTE_STACKED("jmp 1f; .p2align 12; .skip 4092, 0x90; 1: movq $0x5a, " AREA "(%%rip)",
		"over the end of a page", W, WROTE(0x5a))
EXECUTE_STACKED("jmp 1f; .p2align 12; 1: movq %%rax, (%%rdi)",
		"at the start of a page", W, WROTE(A))
EXECUTE_STACKED("jmp 1f; .skip 16384, 0x90; 1: movq %%rax, (%%rdi)",
		"far into a function", UNKNOWN)
EXECUTE("testl %%ecx, %%ecx; jnz 1f; int3; nop; 1: movq %%rax, (%%rdi)",
	"after an int3 that is not padding", UNKNOWN)
EXECUTE("movl $8, %%ecx; movq %%rax, (%%rdi); rep lodsb",
	"before a string instruction", W, .type = HW_BREAKPOINT_W, WROTE(A))
EXECUTE(".rept 200; movq %%rax, (%%rdi); .endr", "more than a CPU remembers", W, WROTE(A))

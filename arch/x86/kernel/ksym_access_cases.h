/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What instructions do to watched memory, for ksym_access_test.c, which includes this
 * once for the functions and once for the table.
 *
 * CASE(name, text, access, ...): what else differs from a watch of eight bytes at the
 * place that %rdi and %rsi have is an initializer of struct access_case. STACK_CASE()
 * is one that moves %rsp, and gets it back from %r15, or jumps where objtool wonders.
 *
 * %rax, %rbx, %rcx and %rdx are A, B, 3 and D. %r8 is memory that is not watched, %r9
 * and %r14 are %rdi, %r11 is 16 more, %r13 4096 more. %r10 and %r12 are free.
 */

/* Moves. */
CASE("mov r8 to mem", "movb %%al, (%%rdi)", W, .len = 1, WROTE(0x11))
CASE("mov ah to mem", "movb %%ah, (%%rdi)", W, .len = 1, WROTE(0x22))
CASE("mov bh to mem", "movb %%bh, (%%rdi)", W, .len = 1, WROTE(0xb7))
CASE("mov dh to mem", "movb %%dh, (%%rdi)", W, .len = 1, WROTE(0xd7))
CASE("mov r16 to mem", "movw %%ax, (%%rdi)", W, .len = 2, WROTE(0x2211))
CASE("mov r32 to mem", "movl %%eax, (%%rdi)", W, .len = 4, WROTE(0x44332211))
CASE("mov r64 to mem", "movq %%rax, (%%rdi)", W, WROTE(0x8877665544332211))
CASE("mov r10 to mem",
     "movq %%rbx, %%r10\n" "movq %%r10, (%%rdi)", W, WROTE(0xb1b2b3b4b5b6b7b8))
CASE("mov sil to mem",
     "movl $0x5a, %%esi\n" "movb %%sil, (%%rdi)", W, .len = 1, WROTE(0x5a))
CASE("mov r64 to a part", "movq %%rax, (%%rdi)", W, .off = 2, .len = 2, WROTE(0x4433))
CASE("mov r32 to a half", "movl %%eax, (%%rdi)", W)
CASE("mov r8 to byte 3 of 8", "movb %%al, 3(%%rdi)", W)
CASE("mov across the end", "movq %%rax, 4(%%rdi)", W)
CASE("mov across the start", "movq %%rax, -4(%%rdi)", W)
CASE("mov from mem r8", "movb (%%rdi), %%al", R, .len = 1)
CASE("mov from mem r64", "movq (%%rdi), %%rax", R)
CASE("mov byte 3 of 8 from mem", "movb 3(%%rdi), %%al", R)
CASE("mov rip store", "movq %%rax, " AREA "(%%rip)", W, WROTE(0x8877665544332211))
CASE("mov rip load", "movq " AREA "(%%rip), %%rax", R)
CASE("mov disp8", "movq %%rax, -16(%%r11)", W, WROTE(0x8877665544332211))
CASE("mov disp32 base", "movq %%rax, -4096(%%r13)", W, WROTE(0x8877665544332211))
CASE("mov base index scale",
     "movq %%rax, -24(%%rdi,%%rcx,8)", W, WROTE(0x8877665544332211))
CASE("mov index without base",
     "leaq " AREA "(%%rip), %%rdx\n" "shrq $3, %%rdx\n" "movl $7, %%r10d\n"
     "movq 0(,%%rdx,8), %%rax", R)
CASE("mov r12 base", "movq %%rdi, %%r12\n" "movq (%%r12), %%rax", R)
STACK_CASE("mov rsp base", "movq %%rdi, %%rsp\n" "movq (%%rsp), %%rax", R)
CASE("mov over its base", "movq (%%rdi), %%rdi", UNKNOWN)
CASE("mov over a part of its base", "movq %%rdi, %%rdx\n" "movb (%%rdx), %%dl", UNKNOWN)
CASE("mov over its base, high half", "movq %%rdi, %%rdx\n" "movb (%%rdx), %%dh", UNKNOWN)
CASE("mov over its index", "movl $1, %%edx\n" "movq -8(%%rdi,%%rdx,8), %%rdx", UNKNOWN)
CASE("mov imm8", "movb $0x5a, (%%rdi)", W, .len = 1, WROTE(0x5a))
CASE("mov imm16", "movw $0x5aa5, (%%rdi)", W, .len = 2, WROTE(0x5aa5))
CASE("mov imm32", "movl $0x12345678, (%%rdi)", W, .len = 4, WROTE(0x12345678))
CASE("mov imm32 to 64", "movq $-2, (%%rdi)", W, WROTE(0xfffffffffffffffe))
CASE("mov imm rip, long", "movq $0x1234, " AREA "(%%rip)", W, WROTE(0x1234))
CASE("mov imm16, long", "movw $0x1234, " AREA "(%%rip)", W, .len = 2, WROTE(0x1234))
CASE("mov moffs store", "movabsq %%rax, " AREA, W, WROTE(0x8877665544332211))
CASE("mov moffs8 store", "movabsb %%al, " AREA, W, .len = 1, WROTE(0x11))
CASE("mov moffs load", "movabsq " AREA ", %%rax", R)
CASE("mov sreg to mem", "movw %%ds, (%%rdi)", W, .len = 2)
CASE("mov mem to sreg", "movw (%%rdi), %%ds", R, .len = 2, FILL(0))
CASE("movzx 8", "movzbl (%%rdi), %%eax", R, .len = 1)
CASE("movzx 16", "movzwl (%%rdi), %%eax", R, .len = 2)
CASE("movzx to ebp's like", "movzbl (%%rdi), %%esi", R, .len = 1)
CASE("movzx over its base",
     "movq %%rdi, %%rcx\n" "movzbl (%%rcx), %%ecx", UNKNOWN, .len = 1)
CASE("movsx 8", "movsbq (%%rdi), %%rax", R, .len = 1)
CASE("movsx 16", "movswl (%%rdi), %%eax", R, .len = 2)
CASE("movsxd", "movslq (%%rdi), %%rax", R, .len = 4)
/* Arithmetic. */
CASE("add reg to mem", "addq %%rax, (%%rdi)", RW)
CASE("add mem to reg", "addl (%%rdi), %%eax", R, .len = 4)
CASE("add imm to mem", "addw $0x1234, (%%rdi)", RW, .len = 2)
CASE("or reg to mem", "orq %%rax, (%%rdi)", RW)
CASE("or mem to reg", "orl (%%rdi), %%eax", R, .len = 4)
CASE("or imm to mem", "orw $0x1234, (%%rdi)", RW, .len = 2)
CASE("adc reg to mem", "adcq %%rax, (%%rdi)", RW)
CASE("adc mem to reg", "adcl (%%rdi), %%eax", R, .len = 4)
CASE("adc imm to mem", "adcw $0x1234, (%%rdi)", RW, .len = 2)
CASE("sbb reg to mem", "sbbq %%rax, (%%rdi)", RW)
CASE("sbb mem to reg", "sbbl (%%rdi), %%eax", R, .len = 4)
CASE("sbb imm to mem", "sbbw $0x1234, (%%rdi)", RW, .len = 2)
CASE("and reg to mem", "andq %%rax, (%%rdi)", RW)
CASE("and mem to reg", "andl (%%rdi), %%eax", R, .len = 4)
CASE("and imm to mem", "andw $0x1234, (%%rdi)", RW, .len = 2)
CASE("sub reg to mem", "subq %%rax, (%%rdi)", RW)
CASE("sub mem to reg", "subl (%%rdi), %%eax", R, .len = 4)
CASE("sub imm to mem", "subw $0x1234, (%%rdi)", RW, .len = 2)
CASE("xor reg to mem", "xorq %%rax, (%%rdi)", RW)
CASE("xor mem to reg", "xorl (%%rdi), %%eax", R, .len = 4)
CASE("xor imm to mem", "xorw $0x1234, (%%rdi)", RW, .len = 2)
CASE("add imm8", "addq $1, (%%rdi)", RW)
CASE("lock add", "lock addl $1, (%%rdi)", RW, .len = 4)
CASE("lock or byte", "lock orb $1, (%%rdi)", RW, .len = 1)
CASE("cmp reg, mem", "cmpq %%rax, (%%rdi)", R)
CASE("cmp mem, reg", "cmpb (%%rdi), %%al", R, .len = 1)
CASE("cmp mem, its base", "cmpq (%%rdi), %%rdi", R)
CASE("cmp imm", "cmpl $5, (%%rdi)", R, .len = 4)
CASE("cmp imm8", "cmpb $5, (%%rdi)", R, .len = 1)
CASE("test reg", "testq %%rax, (%%rdi)", R)
CASE("test byte", "testb %%al, (%%rdi)", R, .len = 1)
CASE("test imm", "testl $5, (%%rdi)", R, .len = 4)
CASE("test imm8", "testb $5, (%%rdi)", R, .len = 1)
CASE("inc", "incl (%%rdi)", RW, .len = 4)
CASE("dec byte", "decb (%%rdi)", RW, .len = 1)
CASE("lock inc", "lock incq (%%rdi)", RW)
CASE("not", "notq (%%rdi)", RW)
CASE("neg byte", "negb (%%rdi)", RW, .len = 1)
CASE("mul", "mulq (%%rdi)", R)
CASE("mul through rax", "movq %%rdi, %%rax\n" "mulq (%%rax)", UNKNOWN)
CASE("mul through rdx", "movq %%rdi, %%rdx\n" "mulq (%%rdx)", UNKNOWN)
CASE("mul byte through rdx", "movq %%rdi, %%rdx\n" "mulb (%%rdx)", R, .len = 1)
CASE("imul", "imull (%%rdi)", R, .len = 4)
CASE("imul reg", "imulq (%%rdi), %%rax", R)
CASE("imul imm", "imulq $3, (%%rdi), %%rax", R)
CASE("imul imm32", "imull $0x12345, (%%rdi), %%eax", R, .len = 4)
CASE("div", "xorl %%edx, %%edx\n" "divl (%%rdi)", R, .len = 4, FILL(0x7fffffff7fffffff))
CASE("idiv byte",
     "movl $100, %%eax\n" "idivb (%%rdi)", R, .len = 1, FILL(0x6060606060606060))
CASE("rol 1", "rolq (%%rdi)", RW)
CASE("ror 1", "rorq (%%rdi)", RW)
CASE("rcl 1", "rclq (%%rdi)", RW)
CASE("rcr 1", "rcrq (%%rdi)", RW)
CASE("shl 1", "shlq (%%rdi)", RW)
CASE("shr 1", "shrq (%%rdi)", RW)
CASE("sar 1", "sarq (%%rdi)", RW)
CASE("shl imm", "shlq $3, (%%rdi)", RW)
CASE("shl imm byte", "shlb $3, (%%rdi)", RW, .len = 1)
CASE("shl cl", "shll %%cl, (%%rdi)", RW, .len = 4)
CASE("shl by nothing", "xorl %%ecx, %%ecx\n" "shlb %%cl, (%%rdi)", UNKNOWN, .len = 1)
CASE("shl by imm 0", ".byte 0xc1, 0x27, 0x00", UNKNOWN, .len = 4)
CASE("shl by 32 of 32", "movl $32, %%ecx\n" "shll %%cl, (%%rdi)", UNKNOWN, .len = 4)
CASE("shl by 32 of 64", "movl $32, %%ecx\n" "shlq %%cl, (%%rdi)", RW)
CASE("shld imm", "shldq $3, %%rax, (%%rdi)", RW)
CASE("shld cl", "shldl %%cl, %%eax, (%%rdi)", RW, .len = 4)
CASE("shrd imm", "shrdq $3, %%rax, (%%rdi)", RW)
CASE("shrd cl", "shrdq %%cl, %%rax, (%%rdi)", RW)
/* Atomics. */
CASE("xchg", "xchgq %%rax, (%%rdi)", RW)
CASE("xchg byte", "xchgb %%al, (%%rdi)", RW, .len = 1)
CASE("xchg over its base", "xchgq %%rdi, (%%rdi)", UNKNOWN)
CASE("xadd", "xaddq %%rax, (%%rdi)", RW)
CASE("lock xadd", "lock xaddl %%eax, (%%rdi)", RW, .len = 4)
CASE("xadd over its base", "movq %%rdi, %%rax\n" "lock xaddq %%rax, (%%rax)", UNKNOWN)
CASE("cmpxchg succeeds",
     "movabsq $0x0102030405060708, %%rax\n" "lock cmpxchgq %%rbx, (%%rdi)", RW,
     WROTE(0xb1b2b3b4b5b6b7b8))
CASE("cmpxchg fails", "lock cmpxchgq %%rbx, (%%rdi)", R)
CASE("cmpxchg byte succeeds",
     "movb $8, %%al\n" "cmpxchgb %%bh, (%%rdi)", RW, .len = 1, WROTE(0xb7))
CASE("cmpxchg succeeds, base rdx",
     "movq %%rdi, %%rdx\n" "movabsq $0x0102030405060708, %%rax\n"
     "lock cmpxchgq %%rbx, (%%rdx)", RW, WROTE(0xb1b2b3b4b5b6b7b8))
CASE("cmpxchg fails, base rdx", "movq %%rdi, %%rdx\n" "lock cmpxchgq %%rbx, (%%rdx)", R)
CASE("cmpxchg fails through rax",
     "movq %%rdi, %%rax\n" "lock cmpxchgq %%rbx, (%%rax)", UNKNOWN)
CASE("cmpxchg succeeds through rax",
     "movq %%rdi, %%rax\n" "lock cmpxchgq %%rbx, (%%rax)", RW,
     WROTE(0xb1b2b3b4b5b6b7b8), FILL((unsigned long)ksym_access_area + 4096))
CASE("cmpxchg8b succeeds",
     "movl $0x05060708, %%eax\n" "movl $0x01020304, %%edx\n" "lock cmpxchg8b (%%rdi)", RW,
     WROTE(0x3b5b6b7b8))
CASE("cmpxchg8b fails", "lock cmpxchg8b (%%rdi)", R)
CASE("cmpxchg8b fails through rdx",
     "movq %%rdi, %%rdx\n" "lock cmpxchg8b (%%rdx)", UNKNOWN)
CASE("cmpxchg16b succeeds",
     "movabsq $0x0102030405060708, %%rax\n" "movq %%rax, %%rdx\n"
     "lock cmpxchg16b (%%rdi)", RW, WROTE(0xb1b2b3b4b5b6b7b8), NEEDS(CX16))
CASE("cmpxchg16b succeeds, upper half",
     "movabsq $0x0102030405060708, %%rax\n" "movq %%rax, %%rdx\n"
     "lock cmpxchg16b (%%rdi)", RW, .off = 8, WROTE(0x3), NEEDS(CX16))
CASE("cmpxchg16b fails", "lock cmpxchg16b (%%rdi)", R, NEEDS(CX16))
/* Bits. */
CASE("bt imm", "btq $5, (%%rdi)", R)
CASE("bts imm", "btsq $5, (%%rdi)", RW)
CASE("btr imm", "lock btrl $5, (%%rdi)", RW, .len = 4)
CASE("btc imm", "btcw $5, (%%rdi)", RW, .len = 2)
CASE("bt reg", "btq %%rcx, (%%rdi)", R)
CASE("bts reg", "lock btsq %%rcx, (%%rdi)", RW)
CASE("btr reg", "btrl %%ecx, (%%rdi)", RW, .len = 4)
CASE("btc reg", "btcq %%rcx, (%%rdi)", RW)
CASE("bt reg, far above", "movl $1000, %%ecx\n" "btq %%rcx, -120(%%rdi)", R)
CASE("bts reg, far below", "movq $-600, %%rcx\n" "btsq %%rcx, 80(%%rdi)", RW)
CASE("btr 32, far below", "movl $-600, %%ecx\n" "btrl %%ecx, 76(%%rdi)", RW, .len = 4)
CASE("bt 16, far below", "movl $0x1fff0, %%ecx\n" "btw %%cx, 2(%%rdi)", R, .len = 2)
/* Conditions, counts, and what changes the order of bytes. */
CASE("seto",
     "cmpb $0x80, %%al\n" FLAGS_AGAIN "seto (%%rdi)", W, .len = 1, WROTE(0x1))
CASE("setno",
     "cmpb $0x80, %%al\n" FLAGS_AGAIN "setno (%%rdi)", W, .len = 1, WROTE(0x0))
CASE("setb", "cmpb $0x80, %%al\n" "setb (%%rdi)", W, .len = 1, WROTE(0x1))
CASE("setae", "cmpb $0x80, %%al\n" "setae (%%rdi)", W, .len = 1, WROTE(0x0))
CASE("sete", "cmpb $0x80, %%al\n" "sete (%%rdi)", W, .len = 1, WROTE(0x0))
CASE("setne", "cmpb $0x80, %%al\n" "setne (%%rdi)", W, .len = 1, WROTE(0x1))
CASE("setbe", "cmpb $0x80, %%al\n" "setbe (%%rdi)", W, .len = 1, WROTE(0x1))
CASE("seta", "cmpb $0x80, %%al\n" "seta (%%rdi)", W, .len = 1, WROTE(0x0))
CASE("sets", "cmpb $0x80, %%al\n" "sets (%%rdi)", W, .len = 1, WROTE(0x1))
CASE("setns", "cmpb $0x80, %%al\n" "setns (%%rdi)", W, .len = 1, WROTE(0x0))
CASE("setp",
     "cmpb $0x80, %%al\n" FLAGS_AGAIN "setp (%%rdi)", W, .len = 1, WROTE(0x0))
CASE("setnp",
     "cmpb $0x80, %%al\n" FLAGS_AGAIN "setnp (%%rdi)", W, .len = 1, WROTE(0x1))
CASE("setl", "cmpb $0x80, %%al\n" "setl (%%rdi)", W, .len = 1, WROTE(0x0))
CASE("setge", "cmpb $0x80, %%al\n" "setge (%%rdi)", W, .len = 1, WROTE(0x1))
CASE("setle", "cmpb $0x80, %%al\n" "setle (%%rdi)", W, .len = 1, WROTE(0x0))
CASE("setg", "cmpb $0x80, %%al\n" "setg (%%rdi)", W, .len = 1, WROTE(0x1))
CASE("cmov taken", "cmpq %%rax, %%rax\n" "cmoveq (%%rdi), %%rbx", R)
CASE("cmov not taken", "cmpq %%rax, %%rax\n" "cmovneq (%%rdi), %%rbx", R)
CASE("cmov over its base", "cmpq %%rax, %%rax\n" "cmovneq (%%rdi), %%rdi", UNKNOWN)
CASE("bsf", "bsfq (%%rdi), %%rax", R)
CASE("bsr", "bsrl (%%rdi), %%eax", R, .len = 4)
CASE("popcnt", "popcntq (%%rdi), %%rax", R, NEEDS(POPCNT))
CASE("tzcnt", "tzcntq (%%rdi), %%rax", R, NEEDS(BMI1))
CASE("lzcnt", "lzcntq (%%rdi), %%rax", R, NEEDS(ABM))
CASE("movnti", "movntiq %%rax, (%%rdi)", W, WROTE(0x8877665544332211))
CASE("movnti 32", "movntil %%eax, (%%rdi)", W, .len = 4, WROTE(0x44332211))
CASE("movbe store", "movbeq %%rax, (%%rdi)", W, WROTE(0x1122334455667788), NEEDS(MOVBE))
CASE("movbe store 32",
     "movbel %%eax, (%%rdi)", W, .len = 4, WROTE(0x11223344), NEEDS(MOVBE))
CASE("movbe store 16", "movbew %%ax, (%%rdi)", W, .len = 2, WROTE(0x1122), NEEDS(MOVBE))
CASE("movbe store, a part",
     "movbeq %%rax, (%%rdi)", W, .off = 4, .len = 2, WROTE(0x3344), NEEDS(MOVBE))
CASE("movbe load", "movbeq (%%rdi), %%rax", R, NEEDS(MOVBE))
CASE("crc32 byte", "crc32b (%%rdi), %%eax", R, .len = 1, NEEDS(XMM4_2))
CASE("crc32", "crc32q (%%rdi), %%rax", R, NEEDS(XMM4_2))
CASE("adcx", "adcxq (%%rdi), %%rax", R, NEEDS(ADX))
CASE("adox", "adoxl (%%rdi), %%eax", R, .len = 4, NEEDS(ADX))
CASE("andn", "andnq (%%rdi), %%rax, %%rbx", R, NEEDS(BMI1))
CASE("bextr", "bextrq %%rax, (%%rdi), %%rbx", R, NEEDS(BMI1))
CASE("blsr", "blsrq (%%rdi), %%rax", R, NEEDS(BMI1))
CASE("blsi over its base", "blsiq (%%rdi), %%rdi", UNKNOWN, NEEDS(BMI1))
CASE("bzhi", "bzhiq %%rax, (%%rdi), %%rbx", R, NEEDS(BMI2))
CASE("pdep", "pdepq (%%rdi), %%rax, %%rbx", R, NEEDS(BMI2))
CASE("pext over its base", "pextq (%%rdi), %%rax, %%rdi", UNKNOWN, NEEDS(BMI2))
CASE("mulx", "mulxq (%%rdi), %%rax, %%rbx", R, NEEDS(BMI2))
CASE("mulx over its base", "mulxq (%%rdi), %%rdi, %%rbx", UNKNOWN, NEEDS(BMI2))
CASE("rorx", "rorxq $3, (%%rdi), %%rax", R, NEEDS(BMI2))
CASE("shlx", "shlxq %%rax, (%%rdi), %%rbx", R, NEEDS(BMI2))
CASE("sarx 32", "sarxl %%eax, (%%r14), %%r10d", R, .len = 4, NEEDS(BMI2))
/* Strings. */
CASE("lodsb", "lodsb", R, .len = 1)
CASE("lodsq", "lodsq", R)
CASE("stosb", "stosb", W, .len = 1, WROTE(0x11))
CASE("stosw", "stosw", W, .len = 2, WROTE(0x2211))
CASE("stosq", "stosq", W, WROTE(0x8877665544332211))
CASE("stosq, a part", "stosq", W, .off = 3, .len = 1, WROTE(0x44))
CASE("stosq down", "std\n" "stosq\n" "cld", W, WROTE(0x8877665544332211))
CASE("scasb", "scasb", R, .len = 1)
CASE("scasq", "scasq", R)
CASE("cmpsb, rsi", "movq %%r8, %%rdi\n" "cmpsb", R, .len = 1)
CASE("cmpsq, rdi", "movq %%r8, %%rsi\n" "cmpsq", R)
CASE("movsb, to", "movq %%r8, %%rsi\n" "movsb", W, .len = 1)
CASE("movsq, to", "movq %%r8, %%rsi\n" "movsq", W)
CASE("movsq, from", "movq %%r8, %%rdi\n" "movsq", R)
CASE("movsq down, from", "movq %%r8, %%rdi\n" "std\n" "movsq\n" "cld", R)
CASE("movsq, both", "movsq", RW)
CASE("rep stosb", "movl $64, %%ecx\n" "rep stosb", W, .off = 32, .len = 1, WROTE(0x11))
CASE("rep stosb, eight", "movl $64, %%ecx\n" "rep stosb", W, .off = 32)
CASE("rep stosl",
     "movl $16, %%ecx\n" "rep stosl", W, .off = 32, .len = 4, WROTE(0x44332211))
CASE("rep stosq",
     "movl $16, %%ecx\n" "rep stosq", W, .off = 32, WROTE(0x8877665544332211))
CASE("rep stosq, a part",
     "movl $16, %%ecx\n" "rep stosq", W, .off = 36, .len = 4, WROTE(0x88776655))
CASE("rep stosq, the last",
     "movl $4, %%ecx\n" "rep stosq", W, .off = 24, WROTE(0x8877665544332211))
CASE("rep stosq, the first", "movl $4, %%ecx\n" "rep stosq", W, WROTE(0x8877665544332211))
CASE("rep stosq, the only one",
     "movl $1, %%ecx\n" "rep stosq", W, WROTE(0x8877665544332211))
CASE("rep stosq, not aligned",
     "leaq 4(%%rdi), %%rdi\n" "movl $4, %%ecx\n" "rep stosq", W, .off = 8)
CASE("rep stosq down",
     "leaq 64(%%rdi), %%rdi\n" "movl $9, %%ecx\n" "std\n" "rep stosq\n" "cld", W,
     .off = 32, WROTE(0x8877665544332211))
CASE("rep stosq, none", "xorl %%ecx, %%ecx\n" "rep stosq", SILENT)
CASE("rep movsb, to", "movq %%r8, %%rsi\n" "movl $64, %%ecx\n" "rep movsb", W, .off = 32)
CASE("rep movsb, from",
     "movq %%r8, %%rdi\n" "movl $64, %%ecx\n" "rep movsb", R, .off = 32)
CASE("rep movsq, to", "movq %%r8, %%rsi\n" "movl $8, %%ecx\n" "rep movsq", W, .off = 32)
CASE("rep movsq, from", "movq %%r8, %%rdi\n" "movl $8, %%ecx\n" "rep movsq", R, .off = 56)
CASE("rep movsb to itself", "movl $8, %%ecx\n" "rep movsb", RW)
CASE("rep movsb, near by",
     "leaq 16(%%rdi), %%rdi\n" "movl $64, %%ecx\n" "rep movsb", W,
     .off = 48, .len = 1, .type = HW_BREAKPOINT_W)
CASE("rep lodsb", "movl $64, %%ecx\n" "rep lodsb", R, .off = 32)
CASE("repe cmpsb", "movq %%r8, %%rdi\n" "movl $64, %%ecx\n" "repe cmpsb", R)
CASE("repne scasb",
     "movl $64, %%ecx\n" "xorl %%eax, %%eax\n" "repne scasb", R, .off = 32, .len = 1)
CASE("insb", "movl $0x80, %%edx\n" "insb", W, .len = 1)
CASE("rep insb", "movl $0x80, %%edx\n" "movl $8, %%ecx\n" "rep insb", W, .len = 1)
CASE("outsb", "movl $0x80, %%edx\n" "outsb", R, .len = 1)
CASE("xlat", "movq %%rdi, %%rbx\n" "movb $2, %%al\n" "xlatb", UNKNOWN)
/* The stack. */
STACK_CASE("push reg",
	   "leaq 8(%%rdi), %%rsp\n" "pushq %%rax", W, WROTE(0x8877665544332211))
STACK_CASE("push r10",
	   "leaq 8(%%rdi), %%rsp\n" "movq %%rbx, %%r10\n" "pushq %%r10", W,
	   WROTE(0xb1b2b3b4b5b6b7b8))
STACK_CASE("push rsp",
	   "leaq 8(%%rdi), %%rsp\n" "pushq %%rsp", W,
	   WROTE((unsigned long)ksym_access_area + 4096 + 8))
STACK_CASE("push imm8",
	   "leaq 8(%%rdi), %%rsp\n" "pushq $-3", W, WROTE(0xfffffffffffffffd))
STACK_CASE("push imm32",
	   "leaq 8(%%rdi), %%rsp\n" "pushq $0x12345678", W, WROTE(0x12345678))
STACK_CASE("push imm, a part",
	   "leaq 8(%%rdi), %%rsp\n" "pushq $0x12345678", W,
	   .off = 2, .len = 2, WROTE(0x1234))
STACK_CASE("push 16", "leaq 2(%%rdi), %%rsp\n" "pushw %%ax", W, .len = 2, WROTE(0x2211))
STACK_CASE("push mem, from", "leaq 128(%%rdi), %%rsp\n" "pushq (%%rdi)", R)
STACK_CASE("push mem, to", "leaq 8(%%rdi), %%rsp\n" "pushq (%%r8)", W)
STACK_CASE("push mem through rsp", "leaq -16(%%rdi), %%rsp\n" "pushq 16(%%rsp)", R)
STACK_CASE("push mem, both", "leaq 8(%%rdi), %%rsp\n" "pushq -8(%%rsp)", RW)
STACK_CASE("pop reg", "movq %%rdi, %%rsp\n" "popq %%rax", R)
STACK_CASE("pop rsp", "movq %%rdi, %%rsp\n" "popq %%rsp", UNKNOWN)
STACK_CASE("pop mem, to", "leaq 64(%%rdi), %%rsp\n" "popq (%%rdi)", W)
STACK_CASE("pop mem, from", "movq %%rdi, %%rsp\n" "popq (%%r8)", R)
STACK_CASE("pop mem through rsp", "leaq -16(%%rdi), %%rsp\n" "popq 8(%%rsp)", W)
STACK_CASE("pushf", "leaq 8(%%rdi), %%rsp\n" "pushfq", W)
STACK_CASE("popf", "movq %%rdi, %%rsp\n" "popfq", R, FILL(2))
STACK_CASE("enter",
	   "movq %%rbp, %%rdx\n" "leaq 8(%%rdi), %%rsp\n" "enter $16, $0\n"
	   "movq %%rdx, %%rbp", W)
STACK_CASE("leave",
	   "movq %%rbp, %%rdx\n" "movq %%rdi, %%rbp\n" "leave\n" "movq %%rdx, %%rbp", R)
/* The FPU. */
CASE("fld m32", "flds (%%rdi)\n" "fstp %%st(0)", R, .len = 4, .fpu = true)
CASE("fld m64", "fldl (%%rdi)\n" "fstp %%st(0)", R, .fpu = true)
CASE("fld m80", "fldt (%%rdi)\n" "fstp %%st(0)", R, .fpu = true)
CASE("fst m32", "fld1\n" "fsts (%%rdi)\n" "fstp %%st(0)", W, .len = 4, .fpu = true)
CASE("fstp m64", "fld1\n" "fstpl (%%rdi)", W, .fpu = true)
CASE("fstp m80", "fld1\n" "fstpt (%%rdi)", W, .fpu = true)
CASE("fild", "fildl (%%rdi)\n" "fstp %%st(0)", R, .len = 4, .fpu = true)
CASE("fild m64", "fildll (%%rdi)\n" "fstp %%st(0)", R, .fpu = true)
CASE("fistp m16", "fld1\n" "fistps (%%rdi)", W, .len = 2, .fpu = true)
CASE("fistp m64", "fld1\n" "fistpll (%%rdi)", W, .fpu = true)
CASE("fbld", "fbld (%%rdi)\n" "fstp %%st(0)", R, .fpu = true)
CASE("fbstp", "fld1\n" "fbstp (%%rdi)", W, .fpu = true)
CASE("fadd m64", "fld1\n" "faddl (%%rdi)\n" "fstp %%st(0)", R, .fpu = true)
CASE("fiadd m16", "fld1\n" "fiadds (%%rdi)\n" "fstp %%st(0)", R, .len = 2, .fpu = true)
CASE("fnstcw", "fnstcw (%%rdi)", W, .len = 2, .fpu = true)
CASE("fnstsw", "fnstsw (%%rdi)", W, .len = 2, .fpu = true)
CASE("fnstenv", "fnstenv (%%rdi)\n" "fninit", W, .fpu = true)
CASE("fldcw", "fldcw (%%rdi)\n" "fninit", R, .len = 2, .fpu = true, FILL(0x37f))
CASE("fldenv", "fldenv (%%rdi)\n" "fninit", R, .len = 2, .fpu = true, FILL(0x37f))
CASE("fnsave", "fnsave (%%rdi)", W, .off = 96, .fpu = true)
CASE("fisttp", "fld1\n" "fisttpl (%%rdi)", W, .len = 4, NEEDS(XMM3), .fpu = true)
CASE("ldmxcsr",
     "ldmxcsr (%%rdi)\n" "movl $0x1f80, (%%r8)\n" "ldmxcsr (%%r8)", R,
     .len = 4, .fpu = true, FILL(0x1f80))
CASE("stmxcsr", "stmxcsr (%%rdi)", W, .len = 4, .fpu = true)
CASE("fxsave", "fxsave64 (%%rdi)", W, .fpu = true)
CASE("fxsave, xmm", "fxsave64 (%%rdi)", W, .off = 160, .fpu = true)
CASE("fxrstor", "fxrstor64 (%%rdi)\n" "fninit", R, .fpu = true, FILL(0x37f))
/* MMX, SSE, AVX. */
CASE("movss load", "movss (%%rdi), %%xmm0", R, .len = 4, .fpu = true)
CASE("movss store", "movss %%xmm0, (%%rdi)", W, .len = 4, .fpu = true)
CASE("movsd load", "movsd (%%rdi), %%xmm0", R, .fpu = true)
CASE("movsd store", "movsd %%xmm0, (%%rdi)", W, .fpu = true)
CASE("movups load", "movups (%%rdi), %%xmm0", R, .fpu = true)
CASE("movups store", "movups %%xmm0, (%%rdi)", W, .fpu = true)
CASE("movaps load", "movaps (%%rdi), %%xmm0", R, .fpu = true)
CASE("movaps store", "movaps %%xmm0, (%%rdi)", W, .fpu = true)
CASE("movntps", "movntps %%xmm0, (%%rdi)", W, .fpu = true)
CASE("movlps load", "movlps (%%rdi), %%xmm0", R, .fpu = true)
CASE("movlps store", "movlps %%xmm0, (%%rdi)", W, .fpu = true)
CASE("movhps load", "movhps (%%rdi), %%xmm0", R, .fpu = true)
CASE("movhpd store", "movhpd %%xmm0, (%%rdi)", W, .fpu = true)
CASE("movd load", "movd (%%rdi), %%xmm0", R, .len = 4, .fpu = true)
CASE("movd store", "movd %%xmm0, (%%rdi)", W, .len = 4, .fpu = true)
CASE("movq load", "movq (%%rdi), %%xmm0", R, .fpu = true)
CASE("movq store", "movq %%xmm0, (%%rdi)", W, .fpu = true)
CASE("movdqa load", "movdqa (%%rdi), %%xmm0", R, .fpu = true)
CASE("movdqa store", "movdqa %%xmm0, (%%rdi)", W, .fpu = true)
CASE("movdqu load", "movdqu (%%rdi), %%xmm0", R, .fpu = true)
CASE("movdqu store", "movdqu %%xmm0, (%%rdi)", W, .fpu = true)
CASE("movntdq", "movntdq %%xmm0, (%%rdi)", W, .fpu = true)
CASE("mmx movq load", "movq (%%rdi), %%mm0\n" "emms", R, .fpu = true)
CASE("mmx movq store", "movq %%mm0, (%%rdi)\n" "emms", W, .fpu = true)
CASE("mmx movntq", "movntq %%mm0, (%%rdi)\n" "emms", W, .fpu = true)
CASE("mmx movd store", "movd %%mm0, (%%rdi)\n" "emms", W, .len = 4, .fpu = true)
CASE("mmx paddb", "paddb (%%rdi), %%mm0\n" "emms", R, .fpu = true)
CASE("mmx punpckl", "punpcklbw (%%rdi), %%mm0\n" "emms", R, .len = 4, .fpu = true)
CASE("addps", "addps (%%rdi), %%xmm0", R, .fpu = true)
CASE("addss", "addss (%%rdi), %%xmm0", R, .len = 4, .fpu = true)
CASE("addsd", "addsd (%%rdi), %%xmm0", R, .fpu = true)
CASE("ucomisd", "ucomisd (%%rdi), %%xmm0", R, .fpu = true)
CASE("comiss", "comiss (%%rdi), %%xmm0", R, .len = 4, .fpu = true)
CASE("cvtsi2sd", "cvtsi2sdq (%%rdi), %%xmm0", R, .fpu = true)
CASE("cvttss2si", "cvttss2si (%%rdi), %%eax", R, .len = 4, .fpu = true)
CASE("cvttsd2si over its base", "cvttsd2si (%%rdi), %%rdi", UNKNOWN, .fpu = true)
CASE("cvtps2pd", "cvtps2pd (%%rdi), %%xmm0", R, .fpu = true)
CASE("cvtss2sd", "cvtss2sd (%%rdi), %%xmm0", R, .len = 4, .fpu = true)
CASE("cvtdq2pd", "cvtdq2pd (%%rdi), %%xmm0", R, .fpu = true)
CASE("pxor", "pxor (%%rdi), %%xmm0", R, .fpu = true)
CASE("pshufd", "pshufd $3, (%%rdi), %%xmm0", R, .fpu = true)
CASE("psrlq", "psrlq (%%rdi), %%xmm0", R, .fpu = true)
CASE("pinsrw", "pinsrw $1, (%%rdi), %%xmm0", R, .len = 2, .fpu = true)
CASE("shufps", "shufps $3, (%%rdi), %%xmm0", R, .fpu = true)
CASE("cmpps", "cmpltps (%%rdi), %%xmm0", R, .fpu = true)
CASE("maskmovdqu",
     "pcmpeqb %%xmm1, %%xmm1\n" "maskmovdqu %%xmm1, %%xmm0", UNKNOWN, .fpu = true)
CASE("movups store, upper half", "movups %%xmm0, (%%rdi)", W, .off = 8, .fpu = true)
CASE("lddqu", "lddqu (%%rdi), %%xmm0", R, NEEDS(XMM3), .fpu = true)
CASE("movddup", "movddup (%%rdi), %%xmm0", R, NEEDS(XMM3), .fpu = true)
CASE("pshufb", "pshufb (%%rdi), %%xmm0", R, NEEDS(SSSE3), .fpu = true)
CASE("pextrb", "pextrb $1, %%xmm0, (%%rdi)", W, .len = 1, NEEDS(XMM4_1), .fpu = true)
CASE("pextrw", "pextrw $1, %%xmm0, (%%rdi)", W, .len = 2, NEEDS(XMM4_1), .fpu = true)
CASE("pextrd", "pextrd $1, %%xmm0, (%%rdi)", W, .len = 4, NEEDS(XMM4_1), .fpu = true)
CASE("pextrq", "pextrq $1, %%xmm0, (%%rdi)", W, NEEDS(XMM4_1), .fpu = true)
CASE("extractps",
     "extractps $1, %%xmm0, (%%rdi)", W, .len = 4, NEEDS(XMM4_1), .fpu = true)
CASE("pinsrb", "pinsrb $1, (%%rdi), %%xmm0", R, .len = 1, NEEDS(XMM4_1), .fpu = true)
CASE("pinsrq", "pinsrq $1, (%%rdi), %%xmm0", R, NEEDS(XMM4_1), .fpu = true)
CASE("pmovzxbw", "pmovzxbw (%%rdi), %%xmm0", R, NEEDS(XMM4_1), .fpu = true)
CASE("pmovzxbq", "pmovzxbq (%%rdi), %%xmm0", R, .len = 2, NEEDS(XMM4_1), .fpu = true)
CASE("movntdqa", "movntdqa (%%rdi), %%xmm0", R, NEEDS(XMM4_1), .fpu = true)
CASE("pcmpistri", "pcmpistri $0, (%%rdi), %%xmm0", R, NEEDS(XMM4_2), .fpu = true)
CASE("pcmpistri through rcx",
     "movq %%rdi, %%rcx\n" "pcmpistri $0, (%%rcx), %%xmm0", UNKNOWN,
     NEEDS(XMM4_2), .fpu = true)
CASE("aesenc", "aesenc (%%rdi), %%xmm0", R, NEEDS(AES), .fpu = true)
CASE("pclmulqdq", "pclmulqdq $0, (%%rdi), %%xmm0", R, NEEDS(PCLMULQDQ), .fpu = true)
CASE("vmovdqu load", "vmovdqu (%%rdi), %%ymm0", R, NEEDS(AVX), .fpu = true)
CASE("vmovups store 128", "vmovups %%xmm0, (%%rdi)", W, NEEDS(AVX), .fpu = true)
CASE("vmovss store", "vmovss %%xmm0, (%%rdi)", W, .len = 4, NEEDS(AVX), .fpu = true)
CASE("vbroadcastss", "vbroadcastss (%%rdi), %%ymm0", R, .len = 4, NEEDS(AVX), .fpu = true)
CASE("vinsertf128", "vinsertf128 $1, (%%rdi), %%ymm0, %%ymm0", R, NEEDS(AVX), .fpu = true)
CASE("vmaskmovps",
     "vpcmpeqd %%xmm1, %%xmm1, %%xmm1\n" "vmaskmovps %%xmm0, %%xmm1, (%%rdi)", UNKNOWN,
     NEEDS(AVX), .fpu = true)
CASE("vaddpd", "vaddpd (%%rdi), %%ymm0, %%ymm0", R, NEEDS(AVX), .fpu = true)
CASE("vmovq store", "vmovq %%xmm0, (%%r14)", W, NEEDS(AVX), .fpu = true)
CASE("vmovdqu base r13", "vmovdqu %%ymm0, -4096(%%r13)", W, NEEDS(AVX), .fpu = true)
CASE("vldmxcsr", "vldmxcsr (%%rdi)", R, .len = 4, NEEDS(AVX), .fpu = true, FILL(0x1f80))
CASE("vpxor", "vpxor (%%rdi), %%ymm0, %%ymm0", R, NEEDS(AVX2), .fpu = true)
CASE("vpbroadcastb",
     "vpbroadcastb (%%rdi), %%ymm0", R, .len = 1, NEEDS(AVX2), .fpu = true)
CASE("vpmovzxbw", "vpmovzxbw (%%rdi), %%ymm0", R, NEEDS(AVX2), .fpu = true)
CASE("vpgatherdd",
     "vpxor %%xmm1, %%xmm1, %%xmm1\n" "vpcmpeqd %%xmm2, %%xmm2, %%xmm2\n"
     "vpgatherdd %%xmm2, (%%rdi,%%xmm1,4), %%xmm0", UNKNOWN,
     .len = 4, NEEDS(AVX2), .fpu = true)
CASE("vfmadd", "vfmadd231ps (%%rdi), %%ymm0, %%ymm0", R, NEEDS(FMA), .fpu = true)
CASE("vfmadd scalar", "vfmadd231sd (%%rdi), %%xmm0, %%xmm0", R, NEEDS(FMA), .fpu = true)
CASE("vcvtph2ps", "vcvtph2ps (%%rdi), %%ymm0", R, NEEDS(F16C), .fpu = true)
CASE("vcvtps2ph", "vcvtps2ph $0, %%ymm0, (%%rdi)", W, NEEDS(F16C), .fpu = true)
CASE("vmovdqu store, last part",
     "vmovdqu %%ymm0, (%%rdi)", W, .off = 24, NEEDS(AVX), .fpu = true)
CASE("vmovaps store", "vmovaps %%ymm0, (%%rdi)", W, .off = 8, NEEDS(AVX), .fpu = true)
CASE("vmovntdq", "vmovntdq %%ymm0, (%%rdi)", W, .off = 16, NEEDS(AVX), .fpu = true)
CASE("vextracti128",
     "vextracti128 $1, %%ymm0, (%%rdi)", W, .off = 8, NEEDS(AVX2), .fpu = true)
/* The state of the FPU, by its components. */
CASE("xsave, x87",
     "movl $7, %%eax\n" "xorl %%edx, %%edx\n" "xsave64 (%%rdi)", W,
     NEEDS(XSAVE), .fpu = true, FILL(0))
CASE("xsave, xmm",
     "movl $7, %%eax\n" "xorl %%edx, %%edx\n" "xsave64 (%%rdi)", W,
     .off = 160, NEEDS(XSAVE), .fpu = true, FILL(0))
CASE("xsave, header",
     "movl $7, %%eax\n" "xorl %%edx, %%edx\n" "xsave64 (%%rdi)", RW,
     .off = 512, NEEDS(XSAVE), .fpu = true, FILL(0))
CASE("xsave, ymm",
     "movl $7, %%eax\n" "xorl %%edx, %%edx\n" "vpcmpeqb %%ymm0, %%ymm0, %%ymm0\n"
     "xsave64 (%%rdi)", UNKNOWN, .off = 576, NEEDS(AVX2), .fpu = true, FILL(0))
CASE("xsave of x87 alone",
     "movl $1, %%eax\n" "xorl %%edx, %%edx\n" "xsave64 (%%rdi)", UNKNOWN,
     NEEDS(XSAVE), .fpu = true, FILL(0))
CASE("xsaveopt, header",
     "movl $7, %%eax\n" "xorl %%edx, %%edx\n" "xsaveopt64 (%%rdi)", RW,
     .off = 512, NEEDS(XSAVEOPT), .fpu = true, FILL(0))
CASE("xrstor, header",
     "movl $7, %%eax\n" "xorl %%edx, %%edx\n" "xrstor64 (%%rdi)", R,
     .off = 512, NEEDS(XSAVE), .fpu = true, FILL(0))
/* Registers of the system. */
CASE("sgdt", "sgdt (%%rdi)", W, .len = 2)
CASE("sidt", "sidt (%%rdi)", W)
CASE("sldt", "sldt (%%rdi)", W, .len = 2)
CASE("str", "str (%%rdi)", W, .len = 2)
CASE("smsw", "smsw (%%rdi)", W, .len = 2)
CASE("lgdt", "lgdt (%%rdi)", R, .prepare = prepare_gdt)
CASE("lidt", "lidt (%%rdi)", R, .prepare = prepare_idt)
CASE("verw", "verw (%%rdi)", R, .len = 2)
CASE("verr", "verr (%%rdi)", R, .len = 2)
CASE("lar", "lar (%%rdi), %%eax", R, .len = 2)
CASE("lsl", "lsl (%%rdi), %%eax", R, .len = 2)
/* What touches nothing, or not this. */
CASE("lea", "leaq (%%rdi), %%rax", SILENT)
CASE("nop", "nopl (%%rdi)", SILENT)
CASE("nopw", "nopw 0(%%rdi,%%rax,1)", SILENT)
CASE("prefetcht0", "prefetcht0 (%%rdi)", SILENT)
CASE("prefetchnta", "prefetchnta (%%rdi)", SILENT)
CASE("prefetchw", "prefetchw (%%rdi)", SILENT)
CASE("invlpg", "invlpg (%%rdi)", SILENT)
CASE("clflush", "clflush (%%rdi)", QUIET, NEEDS(CLFLUSH))
CASE("clflushopt", "clflushopt (%%rdi)", QUIET, NEEDS(CLFLUSHOPT))
CASE("clwb", "clwb (%%rdi)", QUIET, NEEDS(CLWB))
CASE("lock bts behind", "lock btsq $3, 8(%%rdi)", SILENT)
CASE("mov behind", "movq %%rax, 8(%%rdi)", SILENT)
CASE("bt behind", "movl $64, %%ecx\n" "btq %%rcx, (%%rdi)", SILENT)
/* What goes elsewhere. */
STACK_CASE("call through mem",
	   ANNOTATE_RETPOLINE_SAFE "call *(%%rdi)", R,
	   FILL((unsigned long)ksym_access_target))
STACK_CASE("call through mem, base rax",
	   "movq %%rdi, %%rax\n" ANNOTATE_RETPOLINE_SAFE "call *(%%rax)", R,
	   FILL((unsigned long)ksym_access_target))
STACK_CASE("call through mem, base rsp",
	   "movq %%rdi, %%rsp\n" ANNOTATE_RETPOLINE_SAFE "call *(%%rsp)", R,
	   FILL((unsigned long)ksym_access_target))
STACK_CASE("call pushes",
	   "leaq 8(%%rdi), %%rsp\n" "call ksym_access_target", W, .type = HW_BREAKPOINT_W)
STACK_CASE("call reg pushes",
	   "leaq ksym_access_target(%%rip), %%rax\n" "leaq 8(%%rdi), %%rsp\n"
	   ANNOTATE_RETPOLINE_SAFE "call *%%rax", W, .type = HW_BREAKPOINT_W)
STACK_CASE("call through mem pushes",
	   "leaq 8(%%rdi), %%rsp\n" ANNOTATE_RETPOLINE_SAFE "call *64(%%rdi)", W,
	   .type = HW_BREAKPOINT_W, FILL((unsigned long)ksym_access_target))
STACK_CASE("jmp through mem",
	   ANNOTATE_RETPOLINE_SAFE "jmp *(%%rdi)\n" "int3\n.Lksym_access_jumped:\n"
	   "nop", UNKNOWN, .prepare = prepare_jump)
STACK_CASE("ret",
	   "movq %%rdi, %%rsp\n" "ret\n" "int3\n.Lksym_access_returned:\n" "nop", UNKNOWN,
	   .prepare = prepare_return)

/* Where the instruction stands. */
STACK_CASE("over the end of a page",
	   "jmp 1f\n" ".p2align 12\n" ".skip 4092, 0x90\n" "1: movq $0x5a, " AREA "(%%rip)",
	   W, WROTE(0x5a))
STACK_CASE("at the start of a page",
	   "jmp 1f\n" ".p2align 12\n" "1: movq %%rax, (%%rdi)", W, WROTE(0x8877665544332211))
STACK_CASE("far into a function",
	   "jmp 1f\n" ".skip 16384, 0x90\n" "1: movq %%rax, (%%rdi)", UNKNOWN)
CASE("behind an int3 that is not padding",
     "testl %%ecx, %%ecx\n" "jnz 1f\n" "int3\n" "nop\n" "1: movq %%rax, (%%rdi)", UNKNOWN)
CASE("before a string instruction",
     "movl $8, %%ecx\n" "movq %%rax, (%%rdi)\n" "rep lodsb", W, .type = HW_BREAKPOINT_W,
     WROTE(0x8877665544332211))

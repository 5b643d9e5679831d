// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests where ksymwatch gets code from (tools/ksymwatch/backend/perf/code.c), on the made-up
 * kernel of sites.S, which KASLR has moved.
 *
 *	code KALLSYMS VMLINUX	with /proc/kcore, whose code changes
 *	code -f KALLSYMS VMLINUX	from the file alone
 *
 * It prints the answers that are wrong, and exits with 1 if there are any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/perf/access.h"
#include "backend/perf/code.h"
#include "backend/support.h"
#include "lib/util.h"
#include "symbols/debuginfo.h"
#include "symbols/kcore.h"
#include "symbols/resolve.h"

#define WATCHED	0xffff888000001000ULL

static struct symbols symbols;
static const char *vmlinux;
static unsigned char memory[8192];
static bool has_kcore;
static bool failed;

/* --- What code.c uses ----------------------------------------------------------- */

struct symbols *resolve_symbols(void)
{
	return &symbols;
}

struct debuginfo *types_debuginfo(const char *module __maybe_unused)
{
	return debuginfo_open(vmlinux);
}

bool is_locked_down(void)
{
	return false;
}

bool kcore_read(unsigned long long addr, void *data, size_t len, char **why)
{
	unsigned long long start = symbols_named(&symbols, "_text")->addr;

	*why = NULL;
	if (has_kcore && addr - start < sizeof(memory) && len <= sizeof(memory) - (addr - start)) {
		memcpy(data, memory + (addr - start), len);
		return true;
	}
	*why = xstrdup("no /proc/kcore");
	return false;
}

/* --- The tests -------------------------------------------------------------------- */

static unsigned long long address_of_label(const char *name)
{
	const struct symbol *symbol = symbols_named(&symbols, name);

	if (!symbol)
		die("no symbol %s", name);
	return symbol->addr;
}

/* Checks the answer about a hit at a label, at a time. */
static void expect(const char *label, uint64_t time, unsigned int wanted)
{
	uint64_t regs[NR_ACCESS_REGS] = {
		[REG_DI] = WATCHED, [REG_SP] = 0xffffc90000001000,
		[REG_IP] = address_of_label(label),
	};
	struct access_trap trap = {
		.regs = regs, .addr = WATCHED, .len = 4, .type = 3, .has_memory = true,
	};
	unsigned int access = code_access(&trap, time);

	if (access == wanted)
		return;
	printf("%s: %u, should be %u\n", label, access, wanted);
	failed = true;
}

/* What is patched is unknown; what is before and after it is not. */
static void expect_site(const char *name, bool known)
{
	char label[64];

	snprintf(label, sizeof(label), "%s_before", name);
	/* An alternative may be a string instruction, which repeats at this address. */
	expect(label, 1, strcmp(name, "alternative") || known ? 1 : 0);
	snprintf(label, sizeof(label), "%s_hit", name);
	expect(label, 1, known ? 1 : 0);
	snprintf(label, sizeof(label), "%s_after", name);
	expect(label, 1, 2);
}

/* The page changes: a load becomes a store. */
static void change_code(void)
{
	uint64_t before = now_ns();
	char *why;

	code_turn();
	expect("plain_hit", before, 1);
	memory[0] = 0x89;
	/* In this turn, the page was read already. */
	expect("plain_hit", before, 1);
	code_turn();
	expect("plain_hit", before, 0);
	/* It is in the same page. */
	expect("plain_store", before, 0);
	expect("plain_hit", now_ns(), 2);
	expect("plain_hit", before, 0);
	code_turn();
	expect("plain_hit", now_ns(), 2);
	has_kcore = false;
	code_turn();
	expect("plain_hit", now_ns(), 0);
	code_close();
	code_open(&why);
	free(why);
}

int main(int argc, char **argv)
{
	static const char * const sites[] = {
		"key", "call", "ftrace", "retpoline", "return", "endbr", "alternative",
	};
	struct debuginfo *info;
	GElf_Addr bias;
	GElf_Shdr header;
	Elf_Scn *section = NULL;
	Elf *elf;
	char *why;
	size_t i;

	has_kcore = strcmp(argv[1], "-f");
	vmlinux = argv[argc - 1];
	if (symbols_read(&symbols, argv[argc - 2]))
		return 1;
	info = debuginfo_open(vmlinux);
	elf = info ? dwfl_module_getelf(info->module, &bias) : NULL;
	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR)
			memcpy(memory, elf_rawdata(section, NULL)->d_buf, header.sh_size);
	if (!code_open(&why))
		die("no code: %s", why);
	expect("plain_hit", 1, 1);
	expect("plain_store", 1, 2);
	for (i = 0; i < ARRAY_SIZE(sites); i++)
		expect_site(sites[i], has_kcore);
	if (has_kcore)
		change_code();
	code_close();
	debuginfo_close(info);
	symbols_free(&symbols);
	return failed;
}

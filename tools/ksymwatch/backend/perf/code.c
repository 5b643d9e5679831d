// SPDX-License-Identifier: GPL-2.0-only
/*
 * The running kernel's code, for the decoder of accesses.
 *
 * It is read from /proc/kcore at the start, and again, page by page, when hits are decoded. If
 * a page has changed, it is unknown which of the two the hits so far have executed, so their
 * access is unknown; later ones have executed the new code. Code that was loaded since the
 * start is left out.
 *
 * Without /proc/kcore, the kernel's file (vmlinux) has the code, except where the kernel
 * patches it. There, each byte becomes an instruction of one byte that the decoder does not
 * know. So the answer is "unknown" there, and other instructions are still found.
 * The file knows neither modules nor the relocations of KASLR: instructions with an absolute
 * address are unknown as well.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/perf/access.h"
#include "backend/perf/code.h"
#include "backend/support.h"
#include "lib/util.h"
#include "symbols/debuginfo.h"
#include "symbols/kcore.h"
#include "symbols/resolve.h"

#define PAGE		4096UL
/* The decoder looks no further into a function, and at no longer instruction. */
#define MAX_CODE	(16384 + 16)
/* int1 for alternatives, which may be any instruction, and xlat for jumps, calls and nops. */
#define PATCHED		0xf1
#define PATCHED_JUMP	0xd7

/* Addresses, of a function for one. */
struct span {
	unsigned long	start;
	unsigned long	end;
};

/* What is known of a page of code. */
struct page {
	unsigned int	turn;		/* in which it was compared last */
	uint64_t	since;		/* when it became as it is; 0 for the start */
};

/* Pages of code. */
struct range {
	struct span	span;
	unsigned char	*bytes;		/* the code, or NULL if it can't be read */
	struct page	*page;
};

static struct {
	struct span	*function;
	size_t		nr_functions;
	struct range	*range;
	size_t		nr_ranges;
	bool		from_file;
	unsigned int	turn;
	uint64_t	time;		/* of the hit */
	Elf		*elf;		/* the kernel's file */
	uint64_t	slide;		/* KASLR's offset from it */
} code;

/* --- Functions and ranges -------------------------------------------------------- */

static unsigned long lower(unsigned long a, unsigned long b)
{
	return a < b ? a : b;
}

static int compare_starts(const void *a, const void *b)
{
	const struct span *span_a = a, *span_b = b;

	return (span_a->start > span_b->start) - (span_a->start < span_b->start);
}

/* Not BPF programs, trampolines and slots of probes: they come and go. */
static bool is_kept(const struct symbol *symbol)
{
	const char *module = symbol->module ?: "";

	return symbol->addr & KERNEL_BIT && symbol_is_function(symbol) &&
	       strcmp(module, "bpf") && strncmp(module, "__builtin__", 11);
}

static void list_functions(const struct symbols *symbols)
{
	size_t i, nr = 0;

	code.function = xcalloc(symbols->nr, sizeof(*code.function));
	for (i = 0; i < symbols->nr; i++) {
		const struct symbol *symbol = &symbols->symbol[i];
		unsigned long start = symbol->addr;
		/* The last of a module extends to some place in its page. */
		unsigned long size = symbol->size ?: PAGE - start % PAGE;

		if (is_kept(symbol))
			code.function[nr++] = (struct span) { start, start + size };
	}
	qsort(code.function, nr, sizeof(*code.function), compare_starts);
	for (i = 0; i < nr; i++)
		if (!i || code.function[i].start != code.function[code.nr_functions - 1].start)
			code.function[code.nr_functions++] = code.function[i];
}

/* Makes ranges of the pages that functions are in. */
static void make_ranges(void)
{
	struct span *last = NULL;
	size_t i;

	for (i = 0; i < code.nr_functions; i++) {
		const struct span *function = &code.function[i];
		unsigned long start = function->start & -PAGE;
		unsigned long end = lower(function->end, function->start + MAX_CODE);

		end = (end + PAGE - 1) & -PAGE;
		if (last && start <= last->end) {
			last->end = end > last->end ? end : last->end;
			continue;
		}
		code.range = xreallocarray(code.range, code.nr_ranges + 1, sizeof(*code.range));
		code.range[code.nr_ranges] = (struct range) { .span = { start, end } };
		last = &code.range[code.nr_ranges++].span;
	}
}

static int compare_span(const void *key, const void *element)
{
	const unsigned long *addr = key;
	const struct span *span = element;

	return *addr < span->start ? -1 : *addr >= span->end;
}

static struct range *find_range(unsigned long addr)
{
	return bsearch(&addr, code.range, code.nr_ranges, sizeof(*code.range), compare_span);
}

/* --- From a file ----------------------------------------------------------------- */

/* What is patched at an entry of a table. */
enum patched { JUMP, ENDBR, ALTERNATIVE, PARAVIRT };

/*
 * Tables of the places that the kernel patches: pairs of symbols, and the size of an entry.
 * Addresses are relative to their own place, and four bytes, unless the table has pointers.
 */
static const struct patch_table {
	const char	*edge[2];
	unsigned int	size;
	enum patched	what;
	bool		pointers;
} patch_tables[] = {
	{ { "__start___jump_table", "__stop___jump_table" }, .size = 16 },
	{ { "__start_static_call_sites", "__stop_static_call_sites" }, .size = 8 },
	{ { "__start_mcount_loc", "__stop_mcount_loc" }, .size = 8, .pointers = true },
	{ { "__retpoline_sites", "__retpoline_sites_end" }, .size = 4 },
	{ { "__return_sites", "__return_sites_end" }, .size = 4 },
	{ { "__call_sites", "__call_sites_end" }, .size = 4 },
	{ { "__ibt_endbr_seal", "__ibt_endbr_seal_end" }, .size = 4, .what = ENDBR },
	{ { "__parainstructions", "__parainstructions_end" }, .size = 16, .what = PARAVIRT,
	  .pointers = true },
	/* The flags were two bytes until Linux 6.3. */
	{ { "__alt_instructions", "__alt_instructions_end" }, .size = 14, .what = ALTERNATIVE },
};

/* Copies what the file has of the running kernel's memory. Returns the number of bytes. */
static size_t copy_from_file(unsigned long addr, unsigned char *to, size_t len)
{
	Elf_Scn *section = NULL;
	size_t copied = 0;
	GElf_Shdr header;
	Elf_Data *data;

	addr -= code.slide;
	while ((section = elf_nextscn(code.elf, section))) {
		unsigned long first, last;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
		    header.sh_type == SHT_NOBITS)
			continue;
		first = addr > header.sh_addr ? addr : header.sh_addr;
		last = lower(addr + len, header.sh_addr + header.sh_size);
		data = first < last ? elf_rawdata(section, NULL) : NULL;
		if (!data || data->d_size < header.sh_size)
			continue;
		memcpy(to + (first - addr), (char *)data->d_buf + (first - header.sh_addr),
		       last - first);
		copied += last - first;
	}
	return copied;
}

/* Marks what is patched at an address. Returns false if there is no code. */
static bool mark_patched(unsigned long addr, size_t len, unsigned char mark)
{
	struct range *range = find_range(addr);
	unsigned char *bytes;

	if (!range || !range->bytes)
		return false;
	bytes = range->bytes + (addr - range->span.start);
	len = len ?: access_insn_len(bytes, range->span.end - addr);
	if (len > range->span.end - addr)
		return false;
	memset(bytes, mark, len);
	return true;
}

/* Marks the place that an entry of a table names. */
static bool mark_entry(const struct patch_table *table, unsigned int size,
		       const unsigned char *entry, unsigned long at)
{
	unsigned int len = 0;
	uint64_t addr;
	int32_t off;

	if (table->pointers) {
		memcpy(&addr, entry, sizeof(addr));
		addr += code.slide;
	} else {
		memcpy(&off, entry, sizeof(off));
		addr = at + off;
	}
	if (table->what == ENDBR)
		len = 4;
	else if (table->what == ALTERNATIVE)
		len = entry[size - 2];
	else if (table->what == PARAVIRT)
		len = entry[9];
	return mark_patched(addr, len, table->what == ALTERNATIVE ? PATCHED : PATCHED_JUMP);
}

/*
 * Marks all places of a table. What was dropped after boot has no code, but most must have
 * some: otherwise, the entries have another size.
 */
static bool mark_table(const struct patch_table *table, unsigned int size,
		       const unsigned long *edge)
{
	unsigned char *entries __autofree = xcalloc(edge[1] - edge[0], 1);
	size_t len = edge[1] - edge[0], marked = 0, i;

	if (copy_from_file(edge[0], entries, len) != len || len % size)
		return false;
	for (i = 0; i < len; i += size)
		marked += mark_entry(table, size, entries + i, edge[0] + i);
	return marked >= len / size / 2;
}

/* Finds the edges of the tables among the file's symbols, as running addresses. */
static void find_edges(const struct debuginfo *info, unsigned long (*edge)[2])
{
	int nr = dwfl_module_getsymtab(info->module), i;
	size_t table, side;
	GElf_Addr addr;
	GElf_Sym sym;

	for (i = 0; i < nr; i++) {
		const char *name = dwfl_module_getsym_info(info->module, i, &sym, &addr, NULL,
							   NULL, NULL);

		for (table = 0; name && table < ARRAY_SIZE(patch_tables); table++)
			for (side = 0; side < 2; side++)
				if (!strcmp(name, patch_tables[table].edge[side]))
					edge[table][side] = addr + code.slide;
	}
}

/* Reads the code from the kernel's file. */
static bool read_file_code(const struct debuginfo *info, const struct symbols *symbols)
{
	unsigned long edge[ARRAY_SIZE(patch_tables)][2] = {};
	GElf_Addr bias;
	size_t i;

	code.elf = info ? dwfl_module_getelf(info->module, &bias) : NULL;
	if (!code.elf || !debuginfo_slide(info, symbols, &code.slide))
		return false;
	for (i = 0; i < code.nr_ranges; i++) {
		struct range *range = &code.range[i];
		size_t size = range->span.end - range->span.start;

		range->bytes = xcalloc(size, 1);
		memset(range->bytes, PATCHED, size);
		copy_from_file(range->span.start, range->bytes, size);
	}
	find_edges(info, edge);
	for (i = 0; i < ARRAY_SIZE(patch_tables); i++) {
		const struct patch_table *table = &patch_tables[i];

		if (edge[i][0] < edge[i][1] && !mark_table(table, table->size, edge[i]) &&
		    (table->what != ALTERNATIVE || !mark_table(table, table->size - 2, edge[i])))
			return false;
	}
	return true;
}

/* --- The source of the decoder ---------------------------------------------------- */

static bool function_at(unsigned long addr, unsigned long *start, unsigned long *size)
{
	const struct span *function = bsearch(&addr, code.function, code.nr_functions,
					      sizeof(*code.function), compare_span);

	if (!function)
		return false;
	*start = function->start;
	*size = function->end - function->start;
	return true;
}

/* Compares a page with what it is now. */
static void compare_page(struct range *range, size_t nr)
{
	char *why __autofree = NULL;
	unsigned char now[PAGE], *bytes = range->bytes + nr * PAGE;

	range->page[nr].turn = code.turn;
	if (!kcore_read(range->span.start + nr * PAGE, now, sizeof(now), &why)) {
		range->page[nr].since = UINT64_MAX;
	} else if (memcmp(now, bytes, sizeof(now))) {
		memcpy(bytes, now, sizeof(now));
		range->page[nr].since = now_ns();
	}
}

/* Reads code, unless it has changed since the hit. */
static bool read_code(unsigned long addr, void *to, size_t len)
{
	struct range *range = find_range(addr);
	size_t nr;

	if (!range || !range->bytes || len > range->span.end - addr)
		return false;
	for (nr = (addr - range->span.start) / PAGE;
	     !code.from_file && nr * PAGE < addr + len - range->span.start; nr++) {
		if (range->page[nr].turn != code.turn)
			compare_page(range, nr);
		if (range->page[nr].since > code.time)
			return false;
	}
	memcpy(to, range->bytes + (addr - range->span.start), len);
	return true;
}

static const struct access_source source = {
	/* Where the kernel's own code starts; modules follow. */
	.start = 0xffffffff80000000, .find = function_at, .read = read_code,
};

/* Is there an alternative after the access? It may be a string instruction that repeats. */
static bool is_patched(unsigned long ip)
{
	unsigned char byte;

	return code.from_file && (!read_code(ip, &byte, 1) || byte == PATCHED);
}

/* As access_of(), for a hit at a time. */
unsigned int code_access(const struct access_trap *trap, uint64_t time)
{
	code.time = time;
	return is_patched(trap->regs[REG_IP]) ? 0 : access_of(&source, trap);
}

/* As access_stored(). Patched numbers and addresses in the code of a file are wrong. */
bool code_stored(const struct access_trap *trap, uint64_t time, uint64_t *value)
{
	code.time = time;
	return !code.from_file && access_stored(&source, trap, value);
}

/* The code may have changed: it is compared before it is used again. */
void code_turn(void)
{
	code.turn++;
}

/* --- Begin and end ------------------------------------------------------------------ */

/* Reads all code from /proc/kcore. What can't be read remains unknown. */
static bool read_running_code(char **why)
{
	char *reason = NULL;
	bool some = false;
	size_t i;

	*why = NULL;
	for (i = 0; i < code.nr_ranges; i++) {
		struct range *range = &code.range[i];
		size_t size = range->span.end - range->span.start;

		range->bytes = xcalloc(size, 1);
		range->page = xcalloc(size / PAGE, sizeof(*range->page));
		if (kcore_read(range->span.start, range->bytes, size, &reason)) {
			some = true;
			continue;
		}
		free(range->bytes);
		range->bytes = NULL;
		free(*why);
		*why = reason;
	}
	if (some) {
		free(*why);
		*why = NULL;
	}
	return some;
}

/* Reads the kernel's code; on failure @why is the reason, a new string. */
bool code_open(char **why)
{
	const struct symbols *symbols = resolve_symbols();

	*why = NULL;
	if (code.nr_ranges)
		return true;
	/* Then perf records no registers, either. */
	if (is_locked_down())
		*why = xstrdup("the kernel is locked down");
	else if (access_open(why) && !symbols)
		*why = xstrdup("no symbols");
	if (*why)
		return false;
	list_functions(symbols);
	make_ranges();
	if (read_running_code(why))
		return true;
	code.from_file = true;
	if (read_file_code(types_debuginfo(NULL), symbols)) {
		free(*why);
		*why = NULL;
		return true;
	}
	code_close();
	return false;
}

void code_close(void)
{
	size_t i;

	for (i = 0; i < code.nr_ranges; i++) {
		free(code.range[i].bytes);
		free(code.range[i].page);
	}
	free(code.range);
	free(code.function);
	memset(&code, 0, sizeof(code));
	access_forget();
}

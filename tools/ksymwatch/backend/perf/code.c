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

/**
 * struct function - a function
 * @start: its address
 * @size: its size
 */
struct function {
	unsigned long	start;
	unsigned long	size;
};

/**
 * struct page - what is known of a page of code
 * @turn: the turn in which it was compared last
 * @since: the time since which it is as it is; 0 for the start
 */
struct page {
	unsigned int	turn;
	uint64_t	since;
};

/**
 * struct range - pages of code
 * @start: address of the first
 * @end: address after the last
 * @bytes: the code, or NULL if it can't be read
 * @page: the pages
 */
struct range {
	unsigned long	start;
	unsigned long	end;
	unsigned char	*bytes;
	struct page	*page;
};

static struct {
	struct function	*function;
	size_t		nr_functions;
	struct range	*range;
	size_t		nr_ranges;
	bool		from_file;
	unsigned int	turn;
	/* Of the hit. */
	uint64_t	time;
} code;

/* --- Functions and ranges -------------------------------------------------------- */

static int compare_functions(const void *a, const void *b)
{
	const struct function *function_a = a, *function_b = b;

	return (function_a->start > function_b->start) - (function_a->start < function_b->start);
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

		/* The last of a module extends to some place in its page. */
		if (is_kept(symbol))
			code.function[nr++] = (struct function) {
				.start = symbol->addr,
				.size = symbol->size ?: PAGE - symbol->addr % PAGE,
			};
	}
	qsort(code.function, nr, sizeof(*code.function), compare_functions);
	for (i = 0; i < nr; i++)
		if (!i || code.function[i].start != code.function[code.nr_functions - 1].start)
			code.function[code.nr_functions++] = code.function[i];
}

/* Makes ranges of the pages that functions are in. */
static void make_ranges(void)
{
	struct range *last = NULL;
	size_t i;

	for (i = 0; i < code.nr_functions; i++) {
		const struct function *function = &code.function[i];
		unsigned long size = function->size < MAX_CODE ? function->size : MAX_CODE;
		unsigned long start = function->start & -PAGE;
		unsigned long end = (function->start + size + PAGE - 1) & -PAGE;

		if (last && start <= last->end) {
			last->end = end > last->end ? end : last->end;
			continue;
		}
		code.range = xreallocarray(code.range, code.nr_ranges + 1, sizeof(*code.range));
		last = &code.range[code.nr_ranges++];
		*last = (struct range) { .start = start, .end = end };
	}
}

static int compare_range(const void *key, const void *element)
{
	const unsigned long *addr = key;
	const struct range *range = element;

	return *addr < range->start ? -1 : *addr >= range->end;
}

static struct range *find_range(unsigned long addr)
{
	return bsearch(&addr, code.range, code.nr_ranges, sizeof(*code.range), compare_range);
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

/**
 * struct file - a kernel's file
 * @elf: it
 * @bias: libdwfl's offset of addresses
 * @slide: KASLR's offset
 */
struct file {
	Elf		*elf;
	uint64_t	bias;
	uint64_t	slide;
};

/* Copies what the file has at an address of the running kernel. */
static bool file_read(const struct file *file, unsigned long addr, void *to, size_t len)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;

	addr -= file->slide;
	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
		    header.sh_type == SHT_NOBITS || addr - header.sh_addr >= header.sh_size ||
		    len > header.sh_size - (addr - header.sh_addr))
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || data->d_size < header.sh_size)
			return false;
		memcpy(to, (char *)data->d_buf + (addr - header.sh_addr), len);
		return true;
	}
	return false;
}

/* Copies what the file has of a range. */
static void copy_code(const struct file *file, struct range *range)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;

	while ((section = elf_nextscn(file->elf, section))) {
		unsigned long start, end, first, last;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
		    header.sh_type == SHT_NOBITS)
			continue;
		start = header.sh_addr + file->slide;
		end = start + header.sh_size;
		first = start > range->start ? start : range->start;
		last = end < range->end ? end : range->end;
		data = elf_rawdata(section, NULL);
		if (first < last && data && data->d_size >= header.sh_size)
			memcpy(range->bytes + (first - range->start),
			       (char *)data->d_buf + (first - start), last - first);
	}
}

/* How long is the jump, call, or nop for one? */
static unsigned int site_len(const unsigned char *site)
{
	switch (site[0]) {
	case 0x0f:
		/* A conditional jump, or a nop. */
		return site[1] >> 4 == 8 ? 6 : 5;
	case 0x2e:
		return 6;
	case 0x66:
	case 0x70 ... 0x7f:
	case 0xeb:
		return 2;
	}
	return 5;
}

/* Marks what is patched at an address. Returns false if there is no code. */
static bool mark_patched(unsigned long addr, unsigned int len, unsigned char mark)
{
	struct range *range = find_range(addr);

	if (!range || !range->bytes)
		return false;
	if (!len)
		len = site_len(range->bytes + (addr - range->start));
	if (len > range->end - addr)
		return false;
	memset(range->bytes + (addr - range->start), mark, len);
	return true;
}

/* Marks the place that an entry of a table names. */
static bool mark_entry(const struct file *file, const struct patch_table *table,
		       unsigned int size, const unsigned char *entry, unsigned long at)
{
	unsigned int len = 0;
	uint64_t addr;
	int32_t off;

	if (table->pointers) {
		memcpy(&addr, entry, sizeof(addr));
		addr += file->slide;
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
static bool mark_table(const struct file *file, const struct patch_table *table,
		       unsigned int size, unsigned long start, unsigned long end)
{
	unsigned char *entries = xcalloc(end - start, 1);
	size_t nr = (end - start) / size, i, marked = 0;
	bool done = file_read(file, start, entries, end - start) && (end - start) % size == 0;

	for (i = 0; done && i < nr; i++)
		marked += mark_entry(file, table, size, entries + i * size, start + i * size);
	free(entries);
	return done && marked >= nr / 2;
}

/* Finds the edges of the tables among the file's symbols, as running addresses. */
static void find_edges(const struct file *file, const struct debuginfo *info,
		       unsigned long (*edge)[2])
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
					edge[table][side] = addr + file->slide;
	}
}

/* Reads the code from the kernel's file. */
static bool read_file_code(const struct debuginfo *info, const struct symbols *symbols)
{
	unsigned long edge[ARRAY_SIZE(patch_tables)][2] = {};
	struct file file;
	size_t i;

	file.elf = info ? dwfl_module_getelf(info->module, &file.bias) : NULL;
	if (!file.elf || !debuginfo_slide(info, symbols, &file.slide))
		return false;
	for (i = 0; i < code.nr_ranges; i++) {
		struct range *range = &code.range[i];

		range->bytes = xcalloc(range->end - range->start, 1);
		memset(range->bytes, PATCHED, range->end - range->start);
		copy_code(&file, range);
	}
	find_edges(&file, info, edge);
	for (i = 0; i < ARRAY_SIZE(patch_tables); i++) {
		const struct patch_table *table = &patch_tables[i];

		if (edge[i][0] < edge[i][1] &&
		    !mark_table(&file, table, table->size, edge[i][0], edge[i][1]) &&
		    (table->what != ALTERNATIVE ||
		     !mark_table(&file, table, table->size - 2, edge[i][0], edge[i][1])))
			return false;
	}
	return true;
}

/* --- The source of the decoder ---------------------------------------------------- */

static bool function_at(unsigned long addr, unsigned long *start, unsigned long *size)
{
	size_t low = 0, high = code.nr_functions;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (code.function[middle].start <= addr)
			low = middle;
		else
			high = middle;
	}
	if (low == high || addr - code.function[low].start >= code.function[low].size)
		return false;
	*start = code.function[low].start;
	*size = code.function[low].size;
	return true;
}

/* Compares a page with what it is now. */
static void compare_page(struct range *range, size_t nr)
{
	unsigned char now[PAGE], *bytes = range->bytes + nr * PAGE;
	char *why = NULL;

	range->page[nr].turn = code.turn;
	if (!kcore_read(range->start + nr * PAGE, now, sizeof(now), &why)) {
		free(why);
		range->page[nr].since = UINT64_MAX;
	} else if (memcmp(now, bytes, sizeof(now))) {
		memcpy(bytes, now, sizeof(now));
		range->page[nr].since = now_ns();
		access_forget();
	}
}

/* Reads code, unless it has changed since the hit. */
static bool read_code(unsigned long addr, void *to, size_t len)
{
	struct range *range = find_range(addr);
	size_t nr;

	if (!range || !range->bytes || len > range->end - addr)
		return false;
	for (nr = (addr - range->start) / PAGE;
	     !code.from_file && nr * PAGE < addr + len - range->start; nr++) {
		if (range->page[nr].turn != code.turn)
			compare_page(range, nr);
		if (range->page[nr].since > code.time)
			return false;
	}
	memcpy(to, range->bytes + (addr - range->start), len);
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

/**
 * code_access - tell what the instruction that trapped did
 * @trap: the hit
 * @time: its time
 *
 * Return: as access_of().
 */
unsigned int code_access(const struct access_trap *trap, uint64_t time)
{
	code.time = time;
	return is_patched(trap->regs[REG_IP]) ? 0 : access_of(&source, trap);
}

/* What did it store? Patched numbers and addresses in the code of a file are wrong. */
bool code_stored(const struct access_trap *trap, uint64_t time, uint64_t *value)
{
	code.time = time;
	return !code.from_file && access_stored(&source, trap, value);
}

/** code_turn - the code may have changed: compare it before it is used again */
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
		size_t size = range->end - range->start;

		range->bytes = xcalloc(size, 1);
		range->page = xcalloc(size / PAGE, sizeof(*range->page));
		if (kcore_read(range->start, range->bytes, size, &reason)) {
			some = true;
			continue;
		}
		free(range->bytes);
		range->bytes = NULL;
		free(*why);
		*why = reason;
	}
	if (!some)
		return false;
	free(*why);
	*why = NULL;
	return true;
}

/**
 * code_open - read the kernel's code
 * @why: set to the reason on failure; a new string
 */
bool code_open(char **why)
{
	const struct symbols *symbols = resolve_symbols();

	*why = NULL;
	if (code.nr_ranges)
		return true;
	/* Then perf records no registers, either. */
	if (is_locked_down()) {
		*why = xstrdup("the kernel is locked down");
		return false;
	}
	if (!access_open(why))
		return false;
	if (!symbols) {
		*why = xstrdup("no symbols");
		return false;
	}
	list_functions(symbols);
	make_ranges();
	if (read_running_code(why))
		return true;
	code.from_file = true;
	if (read_file_code(resolve_vmlinux(), symbols)) {
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

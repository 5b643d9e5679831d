// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's symbols, as /proc/kallsyms has them: which variables a target or a
 * pattern names, without asking the tracer, and without making a watch.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "ksymwatch.h"

#define SYMBOLS_FILE	"/proc/kallsyms"

/* Addresses of the kernel have the highest bit; those of per-CPU symbols are offsets. */
#define KERNEL_BIT	0x8000000000000000ULL

/**
 * struct symbol - a line of the symbol table
 * @addr: where it is; of a per-CPU symbol the offset in each CPU's own part
 * @size: the way to the next symbol, as the kernel counts; 0 where there is none
 * @type: the letter that tells its kind, as nm(1) has it
 * @name: its name
 * @module: the module that it is in, or NULL
 * @module_nr: 0 for the kernel's own, then the modules in the order of their list
 * @nth: which of those of this name it is, from 1; aliases in one place are one
 * @same: how many there are of this name
 * @alias: one of the same name in the same place came before
 * @chosen: something asked for it
 */
struct symbol {
	unsigned long long	addr;
	unsigned long long	size;
	char			type;
	char			*name;
	char			*module;
	unsigned int		module_nr;
	unsigned int		nth;
	unsigned int		same;
	bool			alias;
	bool			chosen;
};

/**
 * struct symbols - the symbol table
 * @symbol: the symbols, the kernel's own first, by address
 * @nr: how many they are
 * @percpu: where the kernel's per-CPU symbols begin and end
 * @rodata: where what is never written begins and ends
 * @init: where what is freed after boot begins and ends
 */
struct symbols {
	struct symbol		*symbol;
	size_t			nr;
	unsigned long long	percpu[2];
	unsigned long long	rodata[2];
	unsigned long long	init[2];
};

/**
 * struct pattern - what a target says of a symbol
 * @module: a pattern for its module, or NULL for any and none
 * @name: a pattern for its name, or NULL where @addr says which one
 * @nth: the N of SYMBOL@N, or 0
 * @addr: an address in it
 */
struct pattern {
	char			*module;
	char			*name;
	unsigned long		nth;
	unsigned long long	addr;
};

/* The kinds that lie in parts of a module of their own. */
enum kind { KIND_TEXT, KIND_RODATA, KIND_DATA, KIND_PERCPU, NR_KINDS };

static enum kind symbol_kind(const struct symbol *symbol)
{
	if (!(symbol->addr & KERNEL_BIT))
		return KIND_PERCPU;
	if (strchr("tTwW", symbol->type))
		return KIND_TEXT;
	return strchr("rR", symbol->type) ? KIND_RODATA : KIND_DATA;
}

static int compare_places(const void *a, const void *b)
{
	const struct symbol *symbol_a = a, *symbol_b = b;

	if (symbol_a->module_nr != symbol_b->module_nr)
		return symbol_a->module_nr < symbol_b->module_nr ? -1 : 1;
	if (symbol_a->addr != symbol_b->addr)
		return symbol_a->addr < symbol_b->addr ? -1 : 1;
	return strcmp(symbol_a->name, symbol_b->name);
}

static int compare_names(const void *a, const void *b)
{
	const struct symbol *symbol_a = *(struct symbol * const *)a;
	const struct symbol *symbol_b = *(struct symbol * const *)b;

	return strcmp(symbol_a->name, symbol_b->name) ?: compare_places(symbol_a, symbol_b);
}

/*
 * The way to the next symbol in a higher place. In a module that is one of the same
 * kind, since its parts lie anywhere; where the last part ends nobody says.
 */
static void measure_symbols(struct symbols *symbols)
{
	struct { unsigned long long here, next; } edge[NR_KINDS];
	unsigned int module_nr = -1;
	size_t i;

	for (i = symbols->nr; i--;) {
		struct symbol *symbol = &symbols->symbol[i];
		enum kind kind = symbol->module ? symbol_kind(symbol) : 0;

		if (symbol->module_nr != module_nr)
			memset(edge, 0, sizeof(edge));
		module_nr = symbol->module_nr;
		if (edge[kind].here != symbol->addr) {
			edge[kind].next = edge[kind].here;
			edge[kind].here = symbol->addr;
		}
		if (edge[kind].next)
			symbol->size = edge[kind].next - symbol->addr;
	}
}

/* Returns the symbols by their names, in an array that is the caller's to free. */
static struct symbol **sort_by_name(struct symbols *symbols)
{
	struct symbol **sorted = xcalloc(symbols->nr, sizeof(*sorted));
	size_t i;

	for (i = 0; i < symbols->nr; i++)
		sorted[i] = &symbols->symbol[i];
	qsort(sorted, symbols->nr, sizeof(*sorted), compare_names);
	return sorted;
}

/* Numbers those of the same name as SYMBOL@N does. */
static void number_symbols(struct symbols *symbols)
{
	struct symbol **sorted = sort_by_name(symbols);
	size_t i, first = 0, last;

	for (; first < symbols->nr; first = last) {
		unsigned int nr = 0;

		for (last = first; last < symbols->nr &&
		     !strcmp(sorted[last]->name, sorted[first]->name); last++) {
			sorted[last]->alias = last > first &&
				sorted[last]->addr == sorted[last - 1]->addr;
			nr += !sorted[last]->alias;
			sorted[last]->nth = nr;
		}
		for (i = first; i < last; i++)
			sorted[i]->same = nr;
	}
	free(sorted);
}

/* Notes where a part of the kernel begins or ends, where a symbol tells that. */
static void note_edge(struct symbols *symbols, const struct symbol *symbol)
{
	const struct {
		const char		*name;
		unsigned long long	*edge;
	} edges[] = {
		{ "__per_cpu_start",	&symbols->percpu[0] },
		{ "__per_cpu_end",	&symbols->percpu[1] },
		{ "__start_rodata",	&symbols->rodata[0] },
		{ "__end_rodata",	&symbols->rodata[1] },
		{ "__init_begin",	&symbols->init[0] },
		{ "__init_end",		&symbols->init[1] },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		if (!strcmp(symbol->name, edges[i].name))
			*edges[i].edge = symbol->addr;
}

/* A line is "ADDRESS TYPE NAME", and for a module's "\t[MODULE]" behind it. */
static bool parse_symbol(struct symbol *symbol, char *line)
{
	char *p, *module;

	line[strcspn(line, "\n")] = '\0';
	*symbol = (struct symbol) {};
	errno = 0;
	symbol->addr = strtoull(line, &p, 16);
	if (errno || p == line || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return false;
	symbol->type = p[1];
	p += 3;
	module = strstr(p, "\t[");
	if (module) {
		*module = '\0';
		module += 2;
		module[strcspn(module, "]")] = '\0';
		symbol->module = xstrdup(module);
	}
	symbol->name = xstrdup(p);
	return true;
}

static void read_symbols(struct symbols *symbols)
{
	const char *module = NULL;
	unsigned int module_nr = 0;
	bool hidden = true;
	size_t size = 0, room = 0;
	char *line = NULL;
	FILE *file;

	memset(symbols, 0, sizeof(*symbols));
	file = fopen(SYMBOLS_FILE, "re");
	if (!file)
		die(SYMBOLS_FILE " cannot be read: %s", strerror(errno));
	while (getline(&line, &size, file) > 0) {
		struct symbol symbol;

		if (!parse_symbol(&symbol, line))
			continue;
		if (symbol.module && (!module || strcmp(module, symbol.module)))
			module_nr++;
		module = symbol.module;
		symbol.module_nr = module ? module_nr : 0;
		if (!module)
			note_edge(symbols, &symbol);
		hidden = hidden && !symbol.addr;
		if (symbols->nr == room) {
			room = room ? 2 * room : 4096;
			symbols->symbol = xreallocarray(symbols->symbol, room, sizeof(symbol));
		}
		symbols->symbol[symbols->nr++] = symbol;
	}
	free(line);
	fclose(file);
	if (!symbols->nr)
		die(SYMBOLS_FILE " holds no symbols");
	if (hidden)
		die("the kernel hides its addresses: be root, with kernel.kptr_restrict 0 or 1");

	qsort(symbols->symbol, symbols->nr, sizeof(*symbols->symbol), compare_places);
	measure_symbols(symbols);
	number_symbols(symbols);
}

static void free_symbols(struct symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->nr; i++) {
		free(symbols->symbol[i].name);
		free(symbols->symbol[i].module);
	}
	free(symbols->symbol);
}

static bool is_within(unsigned long long addr, const unsigned long long edge[2])
{
	return addr >= edge[0] && addr < edge[1];
}

/* The section that a variable is in, or NULL for what is no variable. */
static const char *find_section(const struct symbols *symbols, const struct symbol *symbol)
{
	if (strchr("tTwWuUnN", symbol->type))
		return NULL;
	/* The letter of a per-CPU symbol may be that of an absolute one. */
	if (symbol->module ? symbol_kind(symbol) == KIND_PERCPU :
			     is_within(symbol->addr, symbols->percpu))
		return ".data..percpu";
	if (!(symbol->addr & KERNEL_BIT) || strchr("aA", symbol->type))
		return NULL;
	if (!symbol->module && is_within(symbol->addr, symbols->init))
		return ".init.data";
	/* The letters of what is never written are often those of other data. */
	if (strchr("rR", symbol->type) ||
	    (!symbol->module && is_within(symbol->addr, symbols->rodata)))
		return ".rodata";
	return strchr("bB", symbol->type) ? ".bss" : ".data";
}

/*
 * What stands in brackets is a pattern, but for the number of an element or a CPU; and
 * a type may have a star.
 */
bool target_is_glob(const char *target)
{
	const char *p, *rest;

	if (*target == '(')
		return false;
	for (p = target; *p; p++) {
		if (strchr("*?", *p))
			return true;
		if (*p != '[')
			continue;
		rest = p + 1;
		if (!strncmp(rest, "cpu", 3))
			rest += 3;
		rest += strspn(rest, "0123456789");
		if (*rest != ']')
			return true;
	}
	return false;
}

static void parse_pattern(struct pattern *pattern, const char *target)
{
	const char *p = target, *end, *colon, *ends = "@[+-";
	bool typed = *p == '(';

	*pattern = (struct pattern) {};
	if (!strncasecmp(p, "0x", 2)) {
		pattern->addr = strtoull(p, NULL, 16);
		return;
	}
	if (typed) {
		p += strcspn(p, ")");
		p += *p == ')';
		ends = "@[+-.";
	}
	colon = strchr(p, ':');
	if (colon) {
		pattern->module = xasprintf("%.*s", (int)(colon - p), p);
		p = colon + 1;
	}
	if (target_is_glob(target)) {
		pattern->name = xstrdup(p);
		return;
	}
	end = p + strcspn(p, ends);
	/* With a type, a member follows a dot, but not one that a compiler put there. */
	while (typed && *end == '.' && isdigit((unsigned char)end[1]))
		end += 1 + strcspn(end + 1, ends);
	pattern->name = xasprintf("%.*s", (int)(end - p), p);
	if (*end == '@')
		pattern->nth = strtoul(end + 1, NULL, 10);
}

static bool matches(const struct pattern *pattern, const struct symbol *symbol)
{
	if (!pattern->name)
		return symbol->addr & KERNEL_BIT && pattern->addr >= symbol->addr &&
		       pattern->addr - symbol->addr < (symbol->size ?: 1);
	if (pattern->module && (!symbol->module || fnmatch(pattern->module, symbol->module, 0)))
		return false;
	return !fnmatch(pattern->name, symbol->name, 0);
}

/* Chooses what a target names. Returns whether there was anything. */
static bool choose_symbols(struct symbols *symbols, const char *target)
{
	unsigned long nth = 0;
	struct pattern pattern;
	bool found = false;
	size_t i;

	parse_pattern(&pattern, target);
	for (i = 0; i < symbols->nr; i++) {
		struct symbol *symbol = &symbols->symbol[i];

		if (symbol->alias || !matches(&pattern, symbol))
			continue;
		/* With a module before it, N counts within that. */
		nth++;
		if ((pattern.nth && nth != pattern.nth) || !find_section(symbols, symbol))
			continue;
		symbol->chosen = true;
		found = true;
	}
	free(pattern.module);
	free(pattern.name);
	return found;
}

/* The columns of the table, the last of which is not padded. */
enum { NAME, SIZE, SECTION, MODULE, ADDRESS, NR_COLUMNS };

static void make_row(char *row[NR_COLUMNS], const struct symbols *symbols,
		     const struct symbol *symbol)
{
	row[NAME] = symbol->same > 1 ? xasprintf("%s@%u", symbol->name, symbol->nth) :
				       xstrdup(symbol->name);
	row[SIZE] = symbol->size ? xasprintf("%llu", symbol->size) : xstrdup("-");
	row[SECTION] = xstrdup(find_section(symbols, symbol));
	row[MODULE] = xstrdup(symbol->module ?: "-");
	row[ADDRESS] = xasprintf("%#llx", symbol->addr);
}

/* Prints what is chosen; returns how many rows that took. */
static size_t print_chosen(struct symbols *symbols)
{
	static const char * const headings[NR_COLUMNS] = {
		[NAME] = "NAME", [SIZE] = "SIZE", [SECTION] = "SECTION", [MODULE] = "MODULE",
		[ADDRESS] = "ADDRESS",
	};
	struct symbol **sorted = sort_by_name(symbols);
	char *(*rows)[NR_COLUMNS] = NULL;
	int width[NR_COLUMNS], c;
	size_t nr = 0, i;

	for (c = 0; c < NR_COLUMNS; c++)
		width[c] = strlen(headings[c]);
	for (i = 0; i < symbols->nr; i++) {
		if (!sorted[i]->chosen)
			continue;
		rows = xreallocarray(rows, nr + 1, sizeof(*rows));
		make_row(rows[nr], symbols, sorted[i]);
		for (c = 0; c < NR_COLUMNS; c++)
			if ((int)strlen(rows[nr][c]) > width[c])
				width[c] = strlen(rows[nr][c]);
		nr++;
	}
	free(sorted);

	printf("%-*s  %*s  %-*s  %-*s  %s\n", width[NAME], headings[NAME],
	       width[SIZE], headings[SIZE], width[SECTION], headings[SECTION],
	       width[MODULE], headings[MODULE], headings[ADDRESS]);
	for (i = 0; i < nr; i++) {
		printf("%-*s  %*s  %-*s  %-*s  %s\n", width[NAME], rows[i][NAME],
		       width[SIZE], rows[i][SIZE], width[SECTION], rows[i][SECTION],
		       width[MODULE], rows[i][MODULE], rows[i][ADDRESS]);
		for (c = 0; c < NR_COLUMNS; c++)
			free(rows[i][c]);
	}
	free(rows);
	return nr;
}

/**
 * symbols_show - show which variables there are
 * @targets: targets without their access, in which the symbol may be a shell pattern
 *
 * Ends the program where one of them names nothing.
 */
void symbols_show(const struct strings *targets)
{
	struct symbols symbols;
	size_t nr, i;

	read_symbols(&symbols);
	for (i = 0; i < targets->nr; i++)
		if (!choose_symbols(&symbols, targets->text[i]))
			die("'%s' matches no variable in " SYMBOLS_FILE, targets->text[i]);
	nr = print_chosen(&symbols);
	printf("%zu variable%s, nothing was added\n", nr, nr == 1 ? "" : "s");
	free_symbols(&symbols);
	flush_stdout();
}

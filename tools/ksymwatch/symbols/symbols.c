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
#include <sys/param.h>

#include "lib/grid.h"
#include "lib/util.h"
#include "spec/spec.h"
#include "symbols/symbols.h"

/* The kinds that lie in parts of a module of their own. */
enum kind { KIND_TEXT, KIND_RODATA, KIND_DATA, KIND_PERCPU, NR_KINDS };

/* Is it code? */
bool symbol_is_function(const struct symbol *symbol)
{
	return strchr("tTwW", symbol->type);
}

static enum kind symbol_kind(const struct symbol *symbol)
{
	if (!(symbol->addr & KERNEL_BIT))
		return KIND_PERCPU;
	if (symbol_is_function(symbol))
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
 * Sets each size to the distance to the next higher symbol. In a module, that is one of
 * the same kind, since its sections lie anywhere; the end of the last section is unknown.
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
	struct symbol **sorted __autofree = sort_by_name(symbols);
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
}

/* Notes where a section of the kernel begins or ends, if this symbol marks it. */
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
		{ "_sdata",		&symbols->data[0] },
		{ "_edata",		&symbols->data[1] },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		if (!strcmp(symbol->name, edges[i].name))
			*edges[i].edge = symbol->addr;
}

static bool is_within(unsigned long long addr, const unsigned long long edge[2])
{
	return addr >= edge[0] && addr < edge[1];
}

/* In 7.3 there is code in the section of data, so its symbols have the letter of functions. */
static void correct_letters(struct symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->nr; i++) {
		struct symbol *symbol = &symbols->symbol[i];

		if (!symbol->module && strchr("tT", symbol->type) &&
		    is_within(symbol->addr, symbols->data))
			symbol->type = symbol->type == 't' ? 'd' : 'D';
	}
}

/* A line is "ADDRESS TYPE NAME", followed by "\t[MODULE]" in modules. */
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

/* Adds a symbol, whose strings it takes. */
void symbols_add(struct symbols *symbols, const struct symbol *symbol)
{
	*array_add(symbols->symbol, symbols->nr) = *symbol;
	if (!symbol->module)
		note_edge(symbols, symbol);
}

/* Sorts the symbols, and measures them. */
void symbols_sort(struct symbols *symbols)
{
	qsort(symbols->symbol, symbols->nr, sizeof(*symbols->symbol), compare_places);
	correct_letters(symbols);
	measure_symbols(symbols);
	number_symbols(symbols);
}

/*
 * Reads a symbol table, from a file that looks like SYMBOLS_FILE; NULL for that. Returns 0, or
 * -1 after saying why there are none.
 */
int symbols_read(struct symbols *symbols, const char *path)
{
	FILE *file __cleanup(close_file) = NULL;
	char *line __autofree = NULL;
	const char *module = NULL;
	unsigned int module_nr = 0;
	bool hidden = true;
	size_t size = 0;
	int error;

	memset(symbols, 0, sizeof(*symbols));
	path = path ?: SYMBOLS_FILE;
	errno = 0;
	file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0) {
		struct symbol symbol;

		if (!parse_symbol(&symbol, line))
			continue;
		if (symbol.module && (!module || strcmp(module, symbol.module)))
			module_nr++;
		module = symbol.module;
		symbol.module_nr = module ? module_nr : 0;
		hidden = hidden && !symbol.addr;
		symbols->has_variables |= !module && strchr("dDbB", symbol.type);
		symbols_add(symbols, &symbol);
		errno = 0;
	}
	error = !file || ferror(file) ? errno : 0;
	if (error)
		err("%s cannot be read: %s", path, strerror(error));
	else if (!symbols->nr)
		err("%s contains no symbols", path);
	else if (hidden)
		err("%s has no addresses: only root sees them, unless kernel.kptr_restrict is 2",
		    path);
	if (error || !symbols->nr || hidden) {
		symbols_free(symbols);
		return -1;
	}
	symbols_sort(symbols);
	return 0;
}

void symbols_free(struct symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->nr; i++) {
		free(symbols->symbol[i].name);
		free(symbols->symbol[i].module);
	}
	free(symbols->symbol);
	memset(symbols, 0, sizeof(*symbols));
}

/* Does each CPU have a copy of it? Its address is an offset then. */
bool symbol_is_percpu(const struct symbols *symbols, const struct symbol *symbol)
{
	/* The letter of a per-CPU symbol may be that of an absolute one. */
	return symbol->module ? symbol_kind(symbol) == KIND_PERCPU :
				is_within(symbol->addr, symbols->percpu);
}

/* The section of a variable, or NULL if the symbol is not a variable. */
const char *symbol_section(const struct symbols *symbols, const struct symbol *symbol)
{
	if (strchr("tTwWuUnN", symbol->type))
		return NULL;
	if (symbol_is_percpu(symbols, symbol))
		return ".data..percpu";
	if (!(symbol->addr & KERNEL_BIT) || strchr("aA", symbol->type))
		return NULL;
	if (!symbol->module && is_within(symbol->addr, symbols->init))
		return ".init.data";
	/* Read-only data often has the letter of other data. */
	if (strchr("rR", symbol->type) ||
	    (!symbol->module && is_within(symbol->addr, symbols->rodata)))
		return ".rodata";
	return strchr("bB", symbol->type) ? ".bss" : ".data";
}

/* What x86 has no breakpoints on, since its own debug trap needs it. */
static bool is_of_debug_trap(const char *name)
{
	static const char * const names[] = {
		"__per_cpu_offset", "gdt_page", "cpu_tss_rw", "cpu_tlbstate", "cpu_dr7",
		"x86_spec_ctrl_current", "x86_pred_cmd", "__x86_call_depth", "__stack_chk_guard",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/*
 * Why a symbol can't be watched for KSYM_READ, KSYM_WRITE or both, in the kernel's words; NULL
 * where it can.
 */
const char *symbol_fault(const struct symbols *symbols, const struct symbol *symbol,
			 unsigned int access)
{
	const char *section = symbol_section(symbols, symbol);

	if (symbol_is_function(symbol))
		return spec_message(KSYM_ERR_FUNCTION);
	if (!section)
		return spec_message(KSYM_ERR_NOT_KERNEL);
	if (!strcmp(section, ".init.data"))
		return spec_message(KSYM_ERR_INIT_MEMORY);
	if (!strcmp(section, ".rodata") && !(access & KSYM_READ))
		return spec_message(KSYM_ERR_RODATA);
	if (is_of_debug_trap(symbol->name))
		return spec_message(KSYM_ERR_CPU_REFUSES);
	return NULL;
}

/*
 * The symbol that an address is in: the last one that begins there or before, and of several
 * in one place the first by name. NULL where there is none, or where that is known to have
 * ended.
 */
const struct symbol *symbols_at(const struct symbols *symbols, unsigned long long addr)
{
	const struct symbol *found = NULL;
	size_t i;

	for (i = 0; i < symbols->nr; i++) {
		const struct symbol *symbol = &symbols->symbol[i];

		if (!(symbol->addr & KERNEL_BIT) || symbol->addr > addr)
			continue;
		if (!found || symbol->addr > found->addr ||
		    (symbol->addr == found->addr && strcmp(symbol->name, found->name) < 0))
			found = symbol;
	}
	return found && addr - found->addr < (found->size ?: 1) ? found : NULL;
}

/* The first symbol of the kernel itself of this name, or NULL. */
const struct symbol *symbols_named(const struct symbols *symbols, const char *name)
{
	size_t i;

	for (i = 0; i < symbols->nr && !symbols->symbol[i].module; i++)
		if (!strcmp(symbols->symbol[i].name, name))
			return &symbols->symbol[i];
	return NULL;
}

/* The symbol from which KASLR's offset is measured, or NULL. */
const struct symbol *symbols_text(const struct symbols *symbols)
{
	return symbols_named(symbols, "_text") ?: symbols_named(symbols, "_stext");
}

/* Is a module meant by a name? It is called with '_' where its file may have '-'. */
bool is_module(const char *module, const char *name)
{
	for (; *module && *name; module++, name++)
		if (*module != *name && (*module != '_' || *name != '-'))
			return false;
	return *module == *name;
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[");
}

/* Is it the symbol of a target, but for its N? Its names may be patterns. */
static bool is_meant(const struct symbol *symbol, const struct ksym_target *target)
{
	const char *module = target->module;

	if (symbol->alias)
		return false;
	if (target->kind == KSYM_AT_ADDRESS)
		return symbol->addr & KERNEL_BIT && target->addr >= symbol->addr &&
		       target->addr - symbol->addr < (symbol->size ?: 1);
	if (is_glob(target->symbol) ? fnmatch(target->symbol, symbol->name, 0) :
				      strcmp(target->symbol, symbol->name))
		return false;
	if (!*module)
		return true;
	return symbol->module && (is_glob(module) ? !fnmatch(module, symbol->module, 0) :
						    is_module(symbol->module, module));
}

/*
 * Finds the symbols that a target may mean, by its module, its symbol and its @N, or its
 * address. Returns their number; free() the array of @matches, which may be NULL.
 */
size_t symbols_find(const struct symbols *symbols, const struct ksym_target *target,
		    struct symbol_matches *matches)
{
	struct symbol_matches found = {};
	unsigned long nth = 0;
	size_t i;

	for (i = 0; i < symbols->nr; i++) {
		const struct symbol *symbol = &symbols->symbol[i];

		if (!is_meant(symbol, target))
			continue;
		/* With a module before it, N counts within that. */
		nth++;
		if (target->nth && nth != target->nth)
			continue;
		*array_add(found.symbol, found.nr) = symbol;
	}
	if (matches)
		*matches = found;
	else
		free(found.symbol);
	return found.nr;
}

/* How many near names are worth a look, and how long they may be. */
#define NR_NEAR		4
#define NEAR_LEN	63

/* What has fewer letters is a part of anything. */
#define MIN_PART	4

/*
 * How many letters must be added, dropped or changed to make one name of the other, or more
 * than @far where that is more.
 */
static unsigned int edit_distance(const char *a, const char *b, unsigned int far)
{
	unsigned int cost[NEAR_LEN + 1][NEAR_LEN + 1];
	size_t a_len = strlen(a), b_len = strlen(b), i, j;

	if (a_len > NEAR_LEN || b_len > NEAR_LEN || a_len > b_len + far || b_len > a_len + far)
		return far + 1;
	for (i = 0; i <= a_len; i++) {
		cost[i][0] = i;
		for (j = 1; j <= b_len; j++) {
			cost[i][j] = i ? MIN(cost[i - 1][j], cost[i][j - 1]) + 1 : j;
			if (i)
				cost[i][j] = MIN(cost[i][j],
						 cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
		}
	}
	return cost[a_len][b_len];
}

/* Adds variables with names like one that there is not, the nearest first. */
void symbols_near(const struct symbols *symbols, const char *name, struct strings *near)
{
	const struct symbol *best[NR_NEAR];
	size_t len = strlen(name), i, at, nr = 0;
	unsigned int score[NR_NEAR], far, d;

	far = len < 6 ? 1 : len < 9 ? 2 : 3;
	for (i = 0; i < symbols->nr; i++) {
		const struct symbol *symbol = &symbols->symbol[i];

		if (symbol->nth != 1 || symbol->alias || !symbol_section(symbols, symbol))
			continue;
		d = edit_distance(name, symbol->name, far);
		/* Beside names with a few wrong letters, those that hold the wanted one. */
		if (d > far && len >= MIN_PART && strstr(symbol->name, name))
			d = strlen(symbol->name) - len;
		else if (d > far)
			continue;
		for (at = nr; at && score[at - 1] > d; at--)
			;
		if (at == NR_NEAR)
			continue;
		nr = MIN(nr + 1, NR_NEAR);
		memmove(&best[at + 1], &best[at], (nr - at - 1) * sizeof(*best));
		memmove(&score[at + 1], &score[at], (nr - at - 1) * sizeof(*score));
		best[at] = symbol;
		score[at] = d;
	}
	for (i = 0; i < nr; i++)
		strings_add(near, best[i]->name);
}

/* The length of an element's number or a CPU's, in brackets; 0 where it is a pattern. */
static size_t index_len(const char *p)
{
	const char *end = p + 1;

	if (!strncmp(end, "cpu", 3))
		end += 3;
	end += strspn(end, "0123456789");
	return *end == ']' ? end + 1 - p : 0;
}

/* Returns the line with letters in place of its pattern characters, a new string. */
static char *mask_pattern(const char *line)
{
	/* No letter of an access. */
	static const char letter = 'o';
	char *masked = xstrdup(line), *p = masked + (*line == '(' ? strcspn(line, ")") : 0);
	bool inside = false;

	for (; *p && !strchr(BLANKS, *p); p++) {
		if (*p == '[' && !inside && index_len(p)) {
			p += index_len(p) - 1;
			continue;
		}
		if (*p == '[')
			inside = true;
		if (*p == ']')
			inside = false;
		if (inside || strchr("*?]", *p))
			*p = letter;
	}
	return masked;
}

/*
 * Parses the target of a SPEC, whose names may be patterns. @dotted: without a cast, a dot
 * belongs to the symbol's name.
 */
static struct ksym_target parse_pattern(const char *line, bool dotted)
{
	char *masked __autofree = mask_pattern(line);
	struct ksym_error error, masked_error;
	struct ksym_spec spec;
	int ret = dotted ? ksym_parse(line, &spec, &error) : spec_parse(line, &spec, &error);

	if (ret && error.code == KSYM_ERR_UNTYPED_PATH)
		ret = spec_parse(line, &spec, &error);
	if (ret && (error.code != KSYM_ERR_GLOB || ksym_parse(masked, &spec, &masked_error)))
		die("%s: %s", line, spec_fault(line, &error));
	memcpy(spec.target.module, line + spec.module_at, strlen(spec.target.module));
	memcpy(spec.target.symbol, line + spec.symbol_at, strlen(spec.target.symbol));
	return spec.target;
}

/* Chooses what a SPEC names, by parse_pattern(). Returns whether there was anything. */
static bool choose_symbols(struct symbols *symbols, const char *line, bool dotted)
{
	struct ksym_target target = parse_pattern(line, dotted);
	struct symbol_matches matches;
	bool found = false;
	size_t i;

	symbols_find(symbols, &target, &matches);
	for (i = 0; i < matches.nr; i++) {
		if (!symbol_section(symbols, matches.symbol[i]))
			continue;
		symbols->symbol[matches.symbol[i] - symbols->symbol].chosen = true;
		found = true;
	}
	free(matches.symbol);
	return found;
}

static void add_row(struct strings *cells, const struct symbols *symbols,
		    const struct symbol *symbol)
{
	strings_add_owned(cells, symbol->same > 1 ? xasprintf("%s@%u", symbol->name, symbol->nth) :
						    xstrdup(symbol->name));
	strings_add_owned(cells, symbol->size ? xasprintf("%llu", symbol->size) : xstrdup("-"));
	strings_add(cells, symbol_section(symbols, symbol));
	strings_add(cells, symbol->module ?: "-");
	strings_add_owned(cells, xasprintf("%#llx", symbol->addr));
}

/* Prints the chosen symbols by name; returns their number. */
static size_t print_chosen(struct symbols *symbols)
{
	static const char * const headings[] = { "NAME", "SIZE", "SECTION", "MODULE", "ADDRESS" };
	struct grid grid = { .columns = ARRAY_SIZE(headings), .right = 1 << 1 };
	struct symbol **sorted __autofree = sort_by_name(symbols);
	size_t nr = 0, i;

	for (i = 0; i < ARRAY_SIZE(headings); i++)
		strings_add(&grid.cells, headings[i]);
	for (i = 0; i < symbols->nr; i++) {
		if (!sorted[i]->chosen)
			continue;
		add_row(&grid.cells, symbols, sorted[i]);
		nr++;
	}
	grid_print(&grid, stdout);
	return nr;
}

/*
 * Shows which variables the SPECs name, in which the symbol may be a shell pattern. Ends the
 * program where one of them names nothing.
 */
void symbols_show(struct symbols *symbols, const struct strings *specs)
{
	size_t nr, i;

	for (i = 0; i < specs->nr; i++)
		if (!choose_symbols(symbols, specs->text[i], true) &&
		    !choose_symbols(symbols, specs->text[i], false))
			die("'%s' matches no variable in " SYMBOLS_FILE, specs->text[i]);
	nr = print_chosen(symbols);
	printf("%zu variable%s, nothing was added\n", nr, nr == 1 ? "" : "s");
}

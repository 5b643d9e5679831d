// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tracer would make of a SPEC: the addresses of a watch, and its options. What
 * takes the tracer is refused with the reason.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "stock.h"
#include "target.h"

#define BLANKS		" \t\r\v\f"

/* Addresses of the kernel have the highest bit; those of per-CPU symbols are offsets. */
#define KERNEL_BIT	0x8000000000000000ULL

#define MAX_LEN		4096

/* Reads a whole word as a number from 1 to @max. Returns false where it is none. */
static bool parse_number(const char *text, unsigned long long max, unsigned long long *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 0);
	return !errno && !*end && *number >= 1 && *number <= max;
}

/**
 * parse_cpus - take a list of CPUs apart, as in 0,2-3
 * @list: the list; a newline may end it
 * @nr: how many CPUs there can be
 *
 * Return: for each CPU whether it is in the list, which is the caller's to free; NULL
 * where it is no such list.
 */
bool *parse_cpus(const char *list, size_t nr)
{
	bool *cpus = xcalloc(nr, sizeof(*cpus));
	const char *p = list;
	unsigned long first, last;
	char *end;

	for (;;) {
		if (!isdigit((unsigned char)*p))
			break;
		first = strtoul(p, &end, 10);
		last = first;
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (last < first || last >= nr)
			break;
		while (first <= last)
			cpus[first++] = true;
		if (!*end || *end == '\n')
			return cpus;
		if (*end != ',')
			break;
		p = end + 1;
	}
	free(cpus);
	return NULL;
}

/* Where it stands that an option can't be had without the tracer, and why. */
static const char *find_reason(const char *word)
{
	static const struct {
		const char *word;
		const char *reason;
	} refused[] = {
		{ "flexible", "perf on this kernel keeps a debug register for each watch, so none takes turns" },
		{ "wrote", "what an instruction stored is known to the ksym tracer only" },
		{ "args", "fetch arguments take the ksym tracer" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		if (!strcmp(word, refused[i].word))
			return refused[i].reason;
	if (!strncmp(word, "limit=", strlen("limit=")))
		return "perf's breakpoints have no limit: leave it out, or use the ksym tracer";
	return NULL;
}

[[gnu::noreturn]]
static void die_of_word(const struct stock_watch *watch, const char *word, const char *text)
{
	die("%s: at '%s': %s", watch->spec, word, text);
}

/* What follows @key in a word that begins with it, or NULL. */
static const char *value_of(const char *word, const char *key)
{
	return strncmp(word, key, strlen(key)) ? NULL : word + strlen(key);
}

/* Takes an option, but for name=, which watch.c knows of. */
static void parse_option(const struct stock *stock, struct stock_watch *watch, const char *word)
{
	const struct {
		const char	*word;
		bool		*option;
	} words[] = {
		{ "inherit", &watch->inherit },
		{ "changed", &watch->changed },
		{ "stack", &watch->stack },
		{ "ustack", &watch->ustack },
	};
	const char *reason = find_reason(word), *value;
	unsigned long long number;
	size_t i;

	value = value_of(word, "limit=");
	if (value && !strcmp(value, "0"))
		return;
	if (reason)
		die_of_word(watch, word, reason);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(word, words[i].word))
			continue;
		if (*words[i].option)
			die_of_word(watch, word, "The option is given twice");
		*words[i].option = true;
		return;
	}
	if ((value = value_of(word, "len="))) {
		if (!parse_number(value, MAX_LEN, &number))
			die_of_word(watch, value, "len must be a number of bytes from 1 to 4096");
		watch->len = number;
	} else if ((value = value_of(word, "cpu="))) {
		free(watch->cpus);
		watch->cpus = parse_cpus(value, stock->nr_cpus);
		if (!watch->cpus)
			die_of_word(watch, value, "cpu must be a list of CPUs that this machine has, as in cpu=0,2-3");
	} else if ((value = value_of(word, "pid="))) {
		if (!parse_number(value, INT_MAX, &number))
			die_of_word(watch, value, "pid must be the number of a task, as in pid=1");
		watch->pid = number;
	} else if ((value = value_of(word, "count="))) {
		if (!parse_number(value, ULLONG_MAX, &number))
			die_of_word(watch, value, "count must be a number of hits from 1 on");
		watch->count = number;
	} else if (strcmp(word, "pinned") && !value_of(word, "name=")) {
		die_of_word(watch, word, "Unknown option");
	}
}

static void parse_options(const struct stock *stock, struct stock_watch *watch, char *options)
{
	char *word;

	while ((word = strtok_r(options, BLANKS, &options)))
		parse_option(stock, watch, word);
	if (watch->inherit && watch->pid < 0)
		die_of_word(watch, "inherit", "inherit is for what a task starts: name the task with pid=N");
	if (watch->changed && !stock->bpf)
		die_of_word(watch, "changed", "without BPF nobody knows the values");
}

static bool is_identifier(const char *text)
{
	const char *p;

	for (p = text; *p; p++)
		if (*p != '_' && !isalnum((unsigned char)*p))
			return false;
	return *text && !isdigit((unsigned char)*text);
}

/* The name, and the group, are those of an event. */
static void check_name(const struct stock_watch *watch)
{
	char group[KSYM_NAME_LEN], name[KSYM_NAME_LEN];

	split_event(watch->name, group, name);
	if (!is_identifier(name))
		die_of_word(watch, name, "A name is a C identifier of 1 to 63 characters");
	if (!is_identifier(group))
		die_of_word(watch, group, "A group is a C identifier of 1 to 63 characters");
}

static void parse_access(struct stock_watch *watch, const char *access)
{
	if (!access || !strcmp(access, "w"))
		return;
	if (!strcmp(access, "r"))
		die("%s: x86 has no debug register for reads alone, and only the ksym tracer drops writes: use rw",
		    watch->spec);
	if (strcmp(access, "rw"))
		die_of_word(watch, access, "Access must be w or rw");
	watch->read = true;
}

/* Finds the symbol that a target names, which must be a variable. */
static const struct symbol *find_symbol(const struct stock *stock, const struct stock_watch *watch,
					const struct target *target)
{
	struct symbol_matches matches;
	const struct symbol *symbol;
	const char *section;

	symbols_find(&stock->symbols, target, &matches);
	if (!matches.nr) {
		struct strings near = {};
		char *names;

		symbols_near(&stock->symbols, target->symbol, &near);
		names = strings_join(&near, ", ");
		die(near.nr ? "%s: No symbol of the kernel has this name: is it %s?" :
			      "%s: No symbol of the kernel has this name%s", watch->spec, names);
	}
	if (matches.nr > 1)
		die("%s: Several symbols have this name: pick one of them with SYMBOL@N, N from 1 to %zu",
		    watch->spec, matches.nr);
	symbol = matches.symbol[0];
	free(matches.symbol);
	if (symbol_is_function(symbol))
		die("%s: The symbol is a function, not data: use a kprobe or the function tracer",
		    watch->spec);
	section = symbol_section(&stock->symbols, symbol);
	if (!section)
		die("%s: The symbol is no variable", watch->spec);
	if (!strcmp(section, ".init.data"))
		die("%s: The symbol is in init memory, which is freed after boot", watch->spec);
	return symbol;
}

/* How far each CPU's part of the per-CPU variables is from the addresses of their symbols. */
static unsigned long long percpu_offset(const struct stock *stock, const struct stock_watch *watch,
					size_t cpu)
{
	const struct symbol *table = symbols_named(&stock->symbols, "__per_cpu_offset");
	unsigned long long offset;
	char *why;

	if (!table)
		die("%s: %s has no __per_cpu_offset, which tells where each CPU's copy is",
		    watch->spec, SYMBOLS_FILE);
	if (!stock_peek(table->addr + cpu * sizeof(offset), &offset, sizeof(offset), &why))
		die("%s: where each CPU's copy is cannot be read: %s", watch->spec, why);
	return offset;
}

/* The addresses of a symbol, on each CPU. */
static void place_symbol(const struct stock *stock, struct stock_watch *watch,
			 const struct target *target, const struct symbol *symbol)
{
	unsigned long long here;
	size_t cpu;

	if (!symbol_is_percpu(&stock->symbols, symbol)) {
		if (target->cpu >= 0)
			die("%s: The symbol is no per-CPU variable: leave out [cpu%d]",
			    watch->spec, target->cpu);
		for (cpu = 0; cpu < stock->nr_cpus; cpu++)
			watch->addr[cpu] = symbol->addr;
		return;
	}
	if (target->cpu >= 0) {
		if ((size_t)target->cpu >= stock->nr_cpus)
			die("%s: This machine has no CPU %d", watch->spec, target->cpu);
		here = symbol->addr + percpu_offset(stock, watch, target->cpu);
		for (cpu = 0; cpu < stock->nr_cpus; cpu++)
			watch->addr[cpu] = here;
		return;
	}
	watch->percpu = true;
	for (cpu = 0; cpu < stock->nr_cpus; cpu++)
		watch->addr[cpu] = symbol->addr + percpu_offset(stock, watch, cpu);
}

/* How many bytes one debug register can watch at an address: no more than @most. */
static unsigned int register_len(unsigned long long addr, unsigned long long most)
{
	unsigned int len = 8;

	while (len > 1 && (addr % len || len > most))
		len /= 2;
	return len;
}

/*
 * Sets the length where none was given, and divides the watch into what debug registers
 * can watch. Each CPU has the same pieces, or it would have other hits.
 */
static void make_pieces(const struct stock *stock, struct stock_watch *watch,
			unsigned long long size)
{
	unsigned int off = 0, len;
	size_t cpu;

	if (!watch->len)
		watch->len = register_len(watch->addr[0], size ?: 1);
	for (cpu = 1; cpu < stock->nr_cpus; cpu++)
		if ((watch->addr[cpu] ^ watch->addr[0]) % 8)
			die("%s: The pointers of the CPUs lead to addresses that are aligned differently",
			    watch->spec);
	while (off < watch->len) {
		len = register_len(watch->addr[0] + off, watch->len - off);
		if (watch->nr_pieces == NR_SLOTS)
			die("%s: %u bytes at %#llx take more debug registers than the four that a CPU has",
			    watch->spec, watch->len, watch->addr[0]);
		watch->piece[watch->nr_pieces++] = (struct stock_piece) { .off = off, .len = len };
		off += len;
	}
}

/* Finds out where a target is, and how many bytes are there at least. */
static unsigned long long place_target(struct stock *stock, struct stock_watch *watch,
				       const struct target *target)
{
	const struct symbol *symbol;
	unsigned long long size;
	size_t cpu;

	if (target->nowhere)
		die("%s: only the ksym tracer has watches that get their address later", watch->spec);
	if (target->cast || *target->path)
		die("%s: types are not known here", watch->spec);
	if (target->symbol) {
		symbol = find_symbol(stock, watch, target);
		place_symbol(stock, watch, target, symbol);
		size = symbol->size;
		if (target->off < 0)
			size = 0;
		else if (size)
			size = (unsigned long long)target->off < size ? size - target->off : 0;
		for (cpu = 0; cpu < stock->nr_cpus; cpu++)
			watch->addr[cpu] += target->off;
	} else {
		symbol = symbols_at(&stock->symbols, target->addr + target->off);
		for (cpu = 0; cpu < stock->nr_cpus; cpu++)
			watch->addr[cpu] = target->addr + target->off;
		size = symbol ? symbol->addr + symbol->size - watch->addr[0] : 0;
	}
	for (cpu = 0; cpu < stock->nr_cpus; cpu++)
		if (!(watch->addr[cpu] & KERNEL_BIT))
			die("%s: %#llx is no address of the kernel", watch->spec, watch->addr[cpu]);
	return size;
}

/**
 * stock_spec - make a watch of a SPEC
 * @stock: the other watches, and the symbols
 * @watch: filled in, but for its events
 * @spec: the SPEC
 *
 * Ends the program where that can't be.
 */
void stock_spec(struct stock *stock, struct stock_watch *watch, const char *spec)
{
	char *target_text, *access, *options, *error;
	struct target target;
	unsigned long long size;
	unsigned int nr;
	size_t cpu;

	*watch = (struct stock_watch) { .spec = xstrdup(spec), .pid = -1 };
	spec_split(spec, &target_text, &access, &options);
	spec_name(spec, watch->name);
	if (!watch->name[0])
		die("'%s' makes no name for its watch: give one with name=NAME", spec);
	check_name(watch);
	parse_access(watch, access);
	parse_options(stock, watch, options);
	if (!watch->cpus) {
		watch->cpus = xcalloc(stock->nr_cpus, sizeof(*watch->cpus));
		memcpy(watch->cpus, stock->online, stock->nr_cpus * sizeof(*watch->cpus));
	}
	if (!target_parse(&target, target_text, &error))
		die("%s: %s", spec, error);
	watch->addr = xcalloc(stock->nr_cpus, sizeof(*watch->addr));
	size = place_target(stock, watch, &target);
	make_pieces(stock, watch, size);
	for (nr = 0; nr < watch->nr_pieces; nr++) {
		watch->piece[nr].fd = xcalloc(stock->nr_cpus, sizeof(int));
		watch->piece[nr].id = xcalloc(stock->nr_cpus, sizeof(uint64_t));
		for (cpu = 0; cpu < stock->nr_cpus; cpu++)
			watch->piece[nr].fd[cpu] = -1;
	}
	target_free(&target);
	free(target_text);
	free(access);
	free(options);
}

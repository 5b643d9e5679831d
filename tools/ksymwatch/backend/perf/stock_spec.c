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

#include "backend/perf/stock.h"
#include "lib/ksymwatch.h"
#include "symbols/resolve.h"

#define BLANKS		" \t\r\v\f"

/* Addresses of the kernel have the highest bit; those of per-CPU symbols are offsets. */
#define KERNEL_BIT	0x8000000000000000ULL

#define MAX_LEN		32

/* Reads a whole word as a number from 1 to @max. Returns false where it is none. */
bool parse_number(const char *text, unsigned long long max, unsigned long long *number)
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

/**
 * stock_refusal - why an option can't be had without the tracer
 * @word: the option
 *
 * Return: the reason, or NULL where it can be had, or is none.
 */
const char *stock_refusal(const char *word)
{
	static const struct {
		const char *word;
		const char *reason;
	} refused[] = {
		{ "flexible", "perf keeps a debug register for each watch, so none takes turns" },
		{ "wrote", "what an instruction stored is known to the ksym tracer only" },
		{ "args", "fetch arguments take the ksym tracer" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		if (!strcmp(word, refused[i].word))
			return refused[i].reason;
	if (!strncmp(word, "limit=", strlen("limit=")) && strcmp(word, "limit=0"))
		return "perf's breakpoints have no limit: leave it out, or use the ksym tracer";
	if (!strncmp(word, "budget=", strlen("budget=")) && strcmp(word, "budget=0"))
		return "perf's breakpoints have no budget: leave it out, or use the ksym tracer";
	/* The recording has events of this group, with which it could not be read. */
	if (!strncmp(word, "name=" FTRACE_GROUP "/", strlen("name=" FTRACE_GROUP "/")))
		return "the group is the kernel's own: give another one";
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

static void parse_len(const struct stock *stock __maybe_unused, struct stock_watch *watch,
		      const char *value)
{
	unsigned long long number;

	if (!parse_number(value, MAX_LEN, &number))
		die_of_word(watch, value, "len must be a number of bytes from 1 to 32");
	watch->len = number;
}

static void parse_cpu(const struct stock *stock, struct stock_watch *watch, const char *value)
{
	free(watch->cpus);
	watch->cpus = parse_cpus(value, stock->nr_cpus);
	if (!watch->cpus)
		die_of_word(watch, value,
			    "cpu must be a list of CPUs that there are, as in cpu=0,2-3");
}

static void parse_pid(const struct stock *stock __maybe_unused, struct stock_watch *watch,
		      const char *value)
{
	unsigned long long number;

	if (!parse_number(value, INT_MAX, &number))
		die_of_word(watch, value, "pid must be the number of a task, as in pid=1");
	watch->pid = number;
}

static void parse_count(const struct stock *stock __maybe_unused, struct stock_watch *watch,
			const char *value)
{
	if (!parse_number(value, LLONG_MAX, &watch->count))
		die_of_word(watch, value, "count must be a number of hits from 1 on");
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
	static const struct {
		const char *key;
		void (*parse)(const struct stock *stock, struct stock_watch *watch,
			      const char *value);
	} keys[] = {
		{ "len=", parse_len },
		{ "cpu=", parse_cpu },
		{ "pid=", parse_pid },
		{ "count=", parse_count },
	};
	const char *reason = stock_refusal(word), *value;
	size_t i;

	if (reason)
		die_of_word(watch, word, reason);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(word, words[i].word))
			continue;
		*words[i].option = true;
		return;
	}
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		value = value_of(word, keys[i].key);
		if (!value)
			continue;
		keys[i].parse(stock, watch, value);
		return;
	}
	/* Three that change nothing here, and the name. */
	if (strcmp(word, "pinned") && strcmp(word, "limit=0") && strcmp(word, "budget=0") &&
	    !value_of(word, "name="))
		die_of_word(watch, word, "Unknown option");
}

/* How long an option is up to its value. */
static size_t key_len(const char *word)
{
	return strcspn(word, "=");
}

static void parse_options(const struct stock *stock, struct stock_watch *watch, char *options)
{
	struct strings words = {};
	char *word;
	size_t i;

	while ((word = strtok_r(options, BLANKS, &options))) {
		for (i = 0; i < words.nr; i++)
			if (key_len(words.text[i]) == key_len(word) &&
			    !strncmp(words.text[i], word, key_len(word)))
				die_of_word(watch, word, "The option is given twice");
		strings_add(&words, word);
		parse_option(stock, watch, word);
	}
	strings_free(&words);
	if (watch->inherit && watch->pid < 0)
		die_of_word(watch, "inherit",
			    "inherit is for what a task starts: name the task with pid=N");
	if (watch->changed && !stock->bpf)
		die_of_word(watch, "changed", "without BPF nobody knows the values");
}

/* The name, and the group, are those of an event. */
static void check_name(const struct stock_watch *watch)
{
	char group[KSYM_NAME_LEN], name[KSYM_NAME_LEN];

	split_event(watch->name, group, name);
	if (!is_identifier(name, strlen(name)))
		die_of_word(watch, name, "A name is a C identifier of 1 to 63 characters");
	if (!is_identifier(group, strlen(group)))
		die_of_word(watch, group, "A group is a C identifier of 1 to 63 characters");
}

static void parse_access(struct stock_watch *watch, const char *access)
{
	if (!access || !strcmp(access, "w"))
		return;
	if (!strcmp(access, "r"))
		die("%s: x86 traps no reads alone, only the ksym tracer drops the writes: use rw",
		    watch->spec);
	if (strcmp(access, "rw"))
		die_of_word(watch, access, "Access must be w or rw");
	watch->read = true;
}

/* Says why a target is on no variable, where it names a symbol. */
static void check_symbol(const struct stock_watch *watch, const struct resolved *resolved)
{
	const struct symbols *symbols = resolve_symbols();
	struct strings near = {};
	const char *section;

	if (!resolved->matches.nr) {
		symbols_near(symbols, resolved->target.symbol, &near);
		if (!near.nr)
			die("%s: No symbol of the kernel has this name", watch->spec);
		die("%s: No symbol of the kernel has this name: is it %s?", watch->spec,
		    strings_join(&near, ", "));
	}
	if (!resolved->symbol)
		die("%s: Several symbols have this name: pick one with SYMBOL@N, N up to %zu",
		    watch->spec, resolved->matches.nr);
	if (symbol_is_function(resolved->symbol))
		die("%s: The symbol is a function, not data: use a kprobe or the function tracer",
		    watch->spec);
	section = symbol_section(symbols, resolved->symbol);
	if (!section)
		die("%s: The symbol is no variable", watch->spec);
	if (!strcmp(section, ".init.data"))
		die("%s: The symbol is in init memory, which is freed after boot", watch->spec);
}

/* Says what is wrong with a path, or with a type, that leads nowhere. */
static void check_type(const struct stock_watch *watch, const struct resolved *resolved)
{
	const struct target *target = &resolved->target;

	if (resolved->variable || (!target->cast && !*target->path))
		return;
	if (resolved->type_error)
		die("%s: %s", watch->spec, resolved->type_error);
	die("%s: no debug info tells the type of '%s': write (TYPE)%s%s", watch->spec,
	    target->symbol ?: "this", target->symbol ?: "0xADDR", target->path);
}

/* How far each CPU's part of the per-CPU variables is from the addresses of their symbols. */
static unsigned long long percpu_offset(const struct stock_watch *watch, size_t cpu)
{
	const struct symbol *table = symbols_named(resolve_symbols(), "__per_cpu_offset");
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

	if (!symbol_is_percpu(resolve_symbols(), symbol)) {
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
		here = symbol->addr + percpu_offset(watch, target->cpu);
		for (cpu = 0; cpu < stock->nr_cpus; cpu++)
			watch->addr[cpu] = here;
		return;
	}
	for (cpu = 0; cpu < stock->nr_cpus; cpu++)
		watch->addr[cpu] = symbol->addr + percpu_offset(watch, cpu);
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
		if (stock->online[cpu] && (watch->addr[cpu] ^ watch->addr[0]) % 8)
			die("%s: On each CPU the pointer leads to another alignment",
			    watch->spec);
	while (off < watch->len) {
		len = register_len(watch->addr[0] + off, watch->len - off);
		if (watch->nr_pieces == NR_SLOTS)
			die("%s: %u bytes at %#llx take more debug registers than the four",
			    watch->spec, watch->len, watch->addr[0]);
		watch->piece[watch->nr_pieces++] = (struct stock_piece) { .off = off, .len = len };
		off += len;
	}
}

/* Follows a path with its pointers, on each CPU. */
static void follow_path(const struct stock *stock, struct stock_watch *watch,
			const struct type_place *place)
{
	unsigned long long next;
	unsigned int i;
	size_t cpu;
	char *why;

	for (cpu = 0; cpu < stock->nr_cpus; cpu++) {
		watch->addr[cpu] += place->off[0];
		/* Nobody has set up what an offline CPU points to. */
		for (i = 1; stock->online[cpu] && i <= place->nr_pointers; i++) {
			if (!stock_peek(watch->addr[cpu], &next, sizeof(next), &why))
				die("%s: a pointer cannot be followed: %s", watch->spec, why);
			watch->addr[cpu] = next + place->off[i];
		}
	}
}

/* How many bytes there are at least from the target on, as the symbols tell. */
static unsigned long long size_behind(const struct resolved *resolved)
{
	const struct symbol *symbol = resolved->symbol;
	long long off = resolved->target.off;

	if (!symbol || off < 0 || (unsigned long long)off >= symbol->size)
		return 0;
	return symbol->size - off;
}

/* Finds out where a target is. Returns how many bytes are there at least. */
static unsigned long long place_target(struct stock *stock, struct stock_watch *watch,
				       const struct resolved *resolved)
{
	const struct target *target = &resolved->target;
	size_t cpu, first = 0;

	while (!stock->online[first])
		first++;
	if (target->nowhere)
		die("%s: only the ksym tracer has watches that get their address later",
		    watch->spec);
	if (target->symbol)
		check_symbol(watch, resolved);
	check_type(watch, resolved);
	if (target->symbol)
		place_symbol(stock, watch, target, resolved->symbol);
	for (cpu = 0; cpu < stock->nr_cpus; cpu++)
		watch->addr[cpu] += target->off + (target->symbol ? 0 : target->addr);
	if (resolved->variable)
		follow_path(stock, watch, &resolved->place);
	for (cpu = 0; cpu < stock->nr_cpus; cpu++) {
		if (!stock->online[cpu])
			continue;
		if (!(watch->addr[cpu] & KERNEL_BIT))
			die("%s: %#llx is no address of the kernel", watch->spec,
			    watch->addr[cpu]);
		watch->percpu = watch->percpu || watch->addr[cpu] != watch->addr[first];
	}
	/* All of what was named, or of a variable that one register can watch. */
	if (resolved->variable && !target->off && !watch->len &&
	    (target->cast || *target->path || resolved->place.size <= 8))
		watch->len = resolved->place.size;
	return size_behind(resolved);
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
	char *access, *options, *error;
	struct resolved resolved;
	unsigned long long size;
	unsigned int nr;
	size_t cpu;

	*watch = (struct stock_watch) { .spec = xstrdup(spec), .pid = -1 };
	spec_split(spec, &watch->target, &access, &options);
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
	if (!resolve(&resolved, watch->target, &error))
		die("%s: %s", spec, error);
	watch->addr = xcalloc(stock->nr_cpus, sizeof(*watch->addr));
	size = place_target(stock, watch, &resolved);
	make_pieces(stock, watch, size);
	for (nr = 0; nr < watch->nr_pieces; nr++) {
		watch->piece[nr].fd = xcalloc(stock->nr_cpus, sizeof(int));
		watch->piece[nr].id = xcalloc(stock->nr_cpus, sizeof(uint64_t));
		for (cpu = 0; cpu < stock->nr_cpus; cpu++)
			watch->piece[nr].fd[cpu] = -1;
	}
	resolved_free(&resolved);
	free(access);
	free(options);
}

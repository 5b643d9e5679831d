// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksymwatch explain: what a target is, what would be watched, and whether it can be.
 *
 * It makes no watch for that: it knows the tracer's rules, and reads the free debug registers
 * in ksym_slots.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "backend/perf/code.h"
#include "backend/perf/stock.h"
#include "backend/support.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/slots.h"
#include "lib/text.h"
#include "lib/util.h"
#include "symbols/resolve.h"

/* Two numbers, the second of which is shown first. */
struct pair {
	unsigned long long	key;	/* offset of a part of the watch, or a CPU */
	/* Length of that part; or the address, or the number of free registers, on that CPU */
	unsigned long long	value;
};

struct pairs {
	struct pair	*pair;
	size_t		nr;
};

/* What is known of a SPEC. */
struct explanation {
	const char		*text;		/* as typed */
	struct ksym_spec	spec;
	char			*target;	/* as typed */
	struct resolved		resolved;
	char			*refusal;	/* why it can't be watched, or NULL */
	struct strings		others;		/* similar names, or symbols of the same name */
	bool			pending;	/* the watch would wait for its module */
	const char		*section;
	bool			percpu;
	bool			has_addr;
	unsigned long long	addr;		/* for a per-CPU variable an offset */
	struct pairs		copies;		/* where it is, or the pointers lead, on a CPU */
	unsigned long long	len;
	struct pairs		ranges;		/* in a debug register each */
	unsigned int		nr_ranges;	/* all that are needed; there are fewer registers */
	unsigned int		nr_turns;	/* pieces that take turns in that many, or 0 */
	struct pairs		rooms;		/* free registers of the CPUs, if known */
	char			*line;		/* for ksym_trace_filter */
};

static void add_pair(struct pairs *pairs, unsigned long long key, unsigned long long value)
{
	*array_add(pairs->pair, pairs->nr) = (struct pair) { key, value };
}

/* Sets the reason why it can't be watched, unless there is one already. */
[[gnu::format(printf, 2, 3)]]
static void refuse(struct explanation *ex, const char *fmt, ...)
{
	va_list ap;

	if (ex->refusal)
		return;
	va_start(ap, fmt);
	ex->refusal = xvasprintf(fmt, ap);
	va_end(ap);
}

/* Same, with a new string, or NULL for no reason. */
static void refuse_as(struct explanation *ex, char *fault)
{
	if (fault)
		refuse(ex, "%s", fault);
	free(fault);
}

static void refuse_for(struct explanation *ex, enum ksym_err code)
{
	refuse(ex, "%s", spec_message(code));
}

/* --- What it is ------------------------------------------------------------- */

static bool is_loaded(const struct symbols *symbols, const char *module)
{
	size_t i;

	for (i = symbols->nr; i-- && symbols->symbol[i].module;)
		if (is_module(symbols->symbol[i].module, module))
			return true;
	return false;
}

/* There is no symbol, or several: explains that, and lists the alternatives. */
static void explain_matches(struct explanation *ex, const struct symbols *symbols)
{
	const struct symbol_matches *matches = &ex->resolved.matches;
	const struct ksym_target *target = &ex->resolved.target;
	struct ksym_target any = *target;
	struct symbol_matches all;
	size_t i;

	if (!matches->nr && target->module[0] && !is_loaded(symbols, target->module)) {
		ex->pending = true;
		/* As in panic_timeout:write, which names no module. */
		if (symbols_named(symbols, target->module))
			refuse(ex, "at '%s': %s", target->symbol,
			       spec_message(KSYM_ERR_BAD_ACCESS));
		if (target->path[0] && !target->type[0])
			refuse(ex,
			       "'%s' is not loaded, so its types are unknown: cast it, (TYPE)%s:%s%s",
			       target->module, target->module, target->symbol, target->path);
		return;
	}
	any.nth = 0;
	symbols_find(symbols, &any, &all);
	for (i = 0; i < all.nr; i++) {
		const struct symbol *symbol = all.symbol[i];
		const char *section = symbol_section(symbols, symbol);

		strings_add_owned(&ex->others,
				  xasprintf("%s@%zu %s %s %#llx", symbol->name, i + 1,
					    symbol->module ?: "-", section ?: "-", symbol->addr));
	}
	refuse_as(ex, resolved_fault(&ex->resolved));
	if (!all.nr)
		symbols_near(symbols, target->symbol, &ex->others);
	free(all.symbol);
}

/* Reads a pointer in the kernel, from /proc/kcore or by BPF. */
static bool peek(unsigned long long addr, unsigned long long *value)
{
	static bool tried;
	char *why;
	bool done = stock_peek(addr, value, sizeof(*value), &why);

	if (!done && !tried) {
		free(why);
		/* BPF takes more time and rights, so it comes second. */
		if (stock_bpf_start(&why))
			done = stock_peek(addr, value, sizeof(*value), &why);
		tried = true;
	}
	free(why);
	return done;
}

/* Is there memory at an address? True if memory can't be read at all. */
static bool is_memory(const struct symbols *symbols, unsigned long long addr)
{
	const struct symbol *known = symbols_named(symbols, "_text");
	unsigned long long value;

	return sources.foreign || !known || !peek(known->addr, &value) ||
	       peek(addr & ~7ULL, &value);
}

/* Checks that the memory exists and can be written. */
static void explain_memory(struct explanation *ex, struct symbols *symbols)
{
	const struct symbol *symbol = ex->resolved.symbol;
	const struct symbol *end = symbols_named(symbols, "_end");
	unsigned long long addr = ex->addr;
	const char *fault;

	/* With an offset it may be another variable. */
	if (ex->has_addr && !ex->percpu) {
		if (!(addr & KERNEL_BIT)) {
			refuse_for(ex, KSYM_ERR_USER_ADDRESS);
			return;
		}
		if (!symbol || addr != symbol->addr)
			symbol = symbols_at(symbols, addr);
		if (!symbol && !ex->resolved.symbol && !is_memory(symbols, addr))
			refuse(ex, "no memory at %#llx", addr);
		else if (ex->resolved.symbol &&
			 (!symbol || (end && !symbol->module && addr >= end->addr)))
			refuse_for(ex, KSYM_ERR_NOT_KERNEL);
	}
	if (!symbol)
		return;
	ex->section = symbol_section(symbols, symbol);
	fault = symbol_fault(symbols, symbol, ex->spec.access);
	if (fault)
		refuse(ex, "%s", fault);
}

/* Finds the variable of a CPU, and follows its pointers, as far as memory can be read. */
static void explain_copy(struct explanation *ex, const struct symbols *symbols, unsigned int cpu)
{
	const struct symbol *offsets = symbols_named(symbols, "__per_cpu_offset");
	const struct type_place *place = &ex->resolved.place;
	const struct symbol *symbol = ex->resolved.symbol;
	unsigned long long addr, offset = 0;
	unsigned int i;

	if (ex->percpu && (!offsets || !peek(offsets->addr + cpu * sizeof(offset), &offset)))
		return;
	addr = (symbol ? symbol->addr : ex->resolved.target.addr) + offset +
	       ex->resolved.target.off;
	for (i = 0; i < place->nr_pointers; i++) {
		if (!peek(addr + place->off[i], &addr))
			return;
		if (!(addr & KERNEL_BIT)) {
			refuse(ex,
			       "a pointer is %#llx on CPU %u, which is not in the kernel's memory",
			       addr, cpu);
			return;
		}
	}
	add_pair(&ex->copies, cpu, addr + place->off[place->nr_pointers]);
}

static void explain_copies(struct explanation *ex, const struct symbols *symbols)
{
	int chosen = ex->resolved.target.cpu, cpu;

	if (sources.foreign)
		return;
	if (!ex->percpu || chosen >= 0) {
		explain_copy(ex, symbols, chosen >= 0 ? chosen : 0);
		return;
	}
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		explain_copy(ex, symbols, cpu);
}

static void explain_place(struct explanation *ex, struct symbols *symbols)
{
	const struct resolved *resolved = &ex->resolved;
	const struct ksym_target *target = &resolved->target;
	const struct symbol *symbol = resolved->symbol;

	if (target->kind == KSYM_NOWHERE)
		return;
	if (target->kind == KSYM_AT_SYMBOL && !symbol) {
		explain_matches(ex, symbols);
		return;
	}
	refuse_as(ex, resolved_fault(resolved));
	ex->percpu = symbol && symbol_is_percpu(symbols, symbol);
	if (!ex->refusal && (ex->percpu || resolved->place.nr_pointers))
		explain_copies(ex, symbols);
	/* The target of a pointer can be anywhere. */
	if (resolved->place.nr_pointers) {
		if (symbol)
			ex->section = symbol_section(symbols, symbol);
		return;
	}
	ex->has_addr = true;
	ex->addr = (symbol ? symbol->addr : target->addr) + target->off + resolved->place.off[0];
	explain_memory(ex, symbols);
}

/* --- How much of it ----------------------------------------------------------- */

/* Without a type: as much as a register can watch, but not beyond the next symbol. */
static unsigned long long guess_len(const struct explanation *ex, struct symbols *symbols)
{
	const struct symbol *symbol = ex->resolved.symbol;
	unsigned long long addr = ex->addr;

	if (!ex->percpu)
		symbol = symbols_at(symbols, addr);
	if (!symbol || addr - symbol->addr >= symbol->size)
		return 1;
	return register_len(addr, symbol->size - (addr - symbol->addr));
}

/* Splits the watch as the tracer does: each part is aligned to its length. */
static void split(struct explanation *ex)
{
	const struct type_place *place = &ex->resolved.place;
	unsigned long long off, len, addr = ex->addr;

	/* If unknown, assume that the target of a pointer is aligned. */
	if (!ex->has_addr)
		addr = ex->copies.nr ? ex->copies.pair->value :
		       (unsigned long long)place->off[place->nr_pointers];
	for (off = 0; off < ex->len; off += len) {
		len = register_len(addr + off, ex->len - off);
		if (ex->nr_ranges++ < NR_REGISTERS)
			add_pair(&ex->ranges, off, len);
	}
}

/* Divides a long range as the tracer does, into pieces of one length. */
static void take_turns(struct explanation *ex)
{
	/* The first part is the longest one that the address allows. */
	unsigned long long bits = ex->ranges.pair[0].value | ex->len, len = bits & -bits;
	unsigned int i;

	for (i = 0; i < NR_REGISTERS; i++)
		ex->ranges.pair[i] = (struct pair) { i * len, len };
	ex->nr_ranges = NR_REGISTERS;
	ex->nr_turns = ex->len / len;
}

static void explain_len(struct explanation *ex, struct symbols *symbols)
{
	const struct resolved *resolved = &ex->resolved;
	const struct ksym_target *target = &resolved->target;
	unsigned long long len = ex->spec.len;

	if (!len && resolved->variable && (target->path[0] || target->type[0] ||
					   (type_is_scalar(resolved->variable) && !target->off)))
		len = resolved->place.size;
	else if (!len && ex->has_addr)
		len = guess_len(ex, symbols);
	if (len > (ex->spec.opt.flexible ? KSYM_WIDE_MAX : KSYM_LEN_MAX)) {
		refuse_for(ex, KSYM_ERR_LONG_TYPE);
		return;
	}
	ex->len = len;
	split(ex);
	if (ex->nr_ranges > NR_REGISTERS && ex->spec.opt.flexible)
		take_turns(ex);
	else if (ex->nr_ranges > NR_REGISTERS)
		refuse_for(ex, KSYM_ERR_RANGE);
}

/* --- Is there room? -------------------------------------------------------------- */

static void add_room(struct explanation *ex, unsigned long cpu, unsigned int nr_free)
{
	bool *cpus __autofree = parse_cpus(ex->spec.opt.cpus, MAX_CPUS);

	if (!*ex->spec.opt.cpus || (cpus && cpu < MAX_CPUS && cpus[cpu]))
		add_pair(&ex->rooms, cpu, nr_free);
}

/* On a kernel without the tracer, ask perf, which needs root. */
static void probe_rooms(struct explanation *ex)
{
	int cpu, nr;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		nr = stock_perf_free_slots(cpu);
		if (nr >= 0)
			add_room(ex, cpu, nr);
	}
}

/*
 * Takes a row of ksym_slots. FREE is the room for pinned watches of a CPU. Watches of a task
 * and flexible ones fit into what the CPU's pinned ones leave; the watches that the task
 * already has are not considered.
 */
static void take_room(const struct strings *headings, const struct strings *row, void *data)
{
	struct explanation *ex = data;
	bool beside_pinned = ex->spec.opt.flexible || ex->spec.opt.pid;
	const char *wanted = beside_pinned ? "pinned" : "free";
	unsigned long nr = 0;
	size_t i;

	for (i = 0; i < row->nr && i < headings->nr; i++)
		if (!strcmp(headings->text[i], wanted))
			nr = strtoul(row->text[i], NULL, 10);
	add_room(ex, strtoul(row->text[0], NULL, 10), beside_pinned ? NR_REGISTERS - nr : nr);
}

static void explain_room(struct explanation *ex)
{
	char *text __autofree = NULL;
	unsigned int needed = ex->spec.opt.flexible ? 1 : ex->nr_ranges;
	size_t i;

	if (sources.foreign)
		return;
	text = tracefs_instance_file_read(NULL, "ksym_slots", NULL);
	if (text)
		slots_walk(text, take_room, ex);
	else
		probe_rooms(ex);
	for (i = 0; i < ex->rooms.nr; i++)
		if (ex->rooms.pair[i].value < needed)
			refuse(ex,
			       "it needs %u register%s, but CPU %llu has %llu free; see ksymwatch slots",
			       needed, needed == 1 ? "" : "s", ex->rooms.pair[i].key,
			       ex->rooms.pair[i].value);
}

/* Returns what is wrong with the options, for the tracer or else for perf. */
static char *options_fault(const struct explanation *ex)
{
	const struct ksym_spec *spec = &ex->spec;
	char *fault = NULL, *why = NULL;
	bool bpf = true, no_code;

	if (!sources.foreign && backend_is_perf()) {
		if (spec->opt.changed || strcmp(spec->group, KSYM_GROUP))
			bpf = !backend_asked(BACKEND_PLAIN_PERF) && stock_bpf_start(&why);
		free(why);
		why = NULL;
		no_code = (spec->access == KSYM_READ || spec->opt.wrote) && !code_open(&why);
		free(why);
		fault = stock_fault(spec, ex->text, bpf, no_code);
	}
	return fault ?: spec_machine_fault(spec, ex->text,
					   sources.foreign ? 0 : sysconf(_SC_NPROCESSORS_CONF));
}

/* Returns the target as typed, without its access. */
static char *typed_target(const char *text, const struct ksym_spec *spec)
{
	size_t begin = *text == '(' ? strcspn(text, ")") : 0;
	size_t len = begin + strcspn(text + begin, BLANKS);

	/* The type may contain blanks. */
	if (spec->access_at > begin && spec->access_at <= len)
		len = spec->access_at - 1;
	return xasprintf("%.*s", (int)len, text);
}

static void explain(struct explanation *ex, const char *text)
{
	struct symbols *symbols = resolve_symbols();
	struct ksym_error error;
	struct ksym_spec spec;

	if (!symbols)
		exit(STATUS_FAILED);
	*ex = (struct explanation) { .text = text };
	if (spec_parse(text, &ex->spec, &error)) {
		ex->spec.access = 0;
		refuse_as(ex, spec_fault(text, &error));
	}
	ex->target = typed_target(text, &ex->spec);
	if (!ex->refusal) {
		resolve(&ex->resolved, &ex->spec.target);
		explain_place(ex, symbols);
		refuse_as(ex, options_fault(ex));
	}
	if (!ex->refusal)
		explain_len(ex, symbols);
	if (!ex->refusal)
		explain_room(ex);
	if (ex->refusal)
		return;
	/* The line that ksym_trace_filter would show, as far as known. */
	resolve_spec(&spec, text);
	spec.len = spec.len ?: ex->len;
	ex->line = spec_format(&spec, text);
}

static void free_explanation(struct explanation *ex)
{
	free(ex->target);
	resolved_free(&ex->resolved);
	free(ex->refusal);
	strings_free(&ex->others);
	free(ex->copies.pair);
	free(ex->ranges.pair);
	free(ex->rooms.pair);
	free(ex->line);
}

/* --- Output ------------------------------------------------------------------------ */

/* By access, from KSYM_READ on. */
static const char * const access_texts[] = {
	[KSYM_READ] = "reads of", [KSYM_WRITE] = "writes to",
	[KSYM_READ | KSYM_WRITE] = "reads of and writes to",
};

/* Returns the pairs by a format for their values and keys. */
static char *pairs_text(const struct pairs *pairs, const char *fmt)
{
	struct strings texts __cleanup(strings_free) = {};
	size_t i;

	for (i = 0; i < pairs->nr; i++)
		strings_add_owned(&texts, xasprintf(fmt, pairs->pair[i].value, pairs->pair[i].key));
	return strings_join(&texts, ", ");
}

/* Returns the type of the watched bytes in C, or NULL. */
static char *place_type(const struct explanation *ex)
{
	const struct resolved *resolved = &ex->resolved;
	char *type, *field;

	if (!resolved->variable)
		return NULL;
	type = type_declaration(resolved->place.type);
	if (!resolved->place.bits)
		return type;
	field = xasprintf("%s : %u", type, resolved->place.bits);
	free(type);
	return field;
}

/* Returns the members in the watched bytes if the target does not name them; or NULL. */
static char *held_members(const struct explanation *ex)
{
	const struct resolved *resolved = &ex->resolved;

	if (!resolved->variable || resolved->target.off < 0 || !ex->len)
		return NULL;
	return type_members(resolved->place.type, resolved->target.off, ex->len);
}

[[gnu::format(printf, 2, 3)]]
static void print_row(const char *label, const char *fmt, ...)
{
	char *text __autofree = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	printf("  %-9s ", label);
	print_safe(stdout, text);
	putchar('\n');
}

static void print_symbol(const struct explanation *ex)
{
	const struct symbol *symbol = ex->resolved.symbol;
	char *type;

	if (!symbol)
		return;
	print_row("symbol", symbol->same > 1 ? "%s, number %u of %u of this name" : "%s",
		  symbol->name, symbol->nth, symbol->same);
	print_row("module", "%s", symbol->module ?: "- (the kernel itself)");
	if (ex->section)
		print_row("section", "%s", ex->section);
	if (symbol->size)
		print_row("size", "%llu bytes up to the next symbol", symbol->size);
	if (!ex->resolved.target.type[0] && ex->resolved.variable) {
		type = type_declaration(ex->resolved.variable);
		print_row("is", "%s, of %llu bytes", type,
			  (unsigned long long)ex->resolved.variable->size);
		free(type);
	}
}

static void print_place(const struct explanation *ex)
{
	char *type __autofree = place_type(ex), *members __autofree = held_members(ex);
	char *copies __autofree =
		pairs_text(&ex->copies, ex->percpu ? "%#llx on CPU %llu" : "%#llx");
	const struct type_place *place = &ex->resolved.place;

	if (ex->copies.nr)
		print_row("address", "%s%s", copies,
			  place->nr_pointers ? ", where the pointers lead now" : "");
	else if (ex->has_addr && ex->percpu)
		print_row("address", "%#llx in each CPU's part", ex->addr);
	else if (ex->has_addr)
		print_row("address", "%#llx", ex->addr);
	else if (place->nr_pointers)
		print_row("address", "where the pointer%s",
			  place->nr_pointers > 1 ? "s lead" : " leads");
	else if (ex->pending)
		print_row("address", "known when the module is loaded: the watch waits for it");
	else
		print_row("address", "none: a trigger or kernel code sets it");
	if (type)
		print_row("type", "%s (by %s)", type, ex->resolved.variable->source->name);
	else if (!ex->refusal)
		print_row("type", "not known");
	if (members)
		print_row("members", "%s", members);
}

static void print_registers(const struct explanation *ex)
{
	char *free_ones __autofree = pairs_text(&ex->rooms, "%llu on CPU %llu");
	char *parts __autofree = ex->nr_turns ?
		xasprintf("%u pieces of %llu take turns", ex->nr_turns, ex->ranges.pair->value) :
		pairs_text(&ex->ranges, "%llu at +%llu");
	bool is_split = ex->nr_ranges > 1 && ex->nr_ranges <= NR_REGISTERS;

	print_row("watches", "%s %llu byte%s%s%s", access_texts[ex->spec.access], ex->len,
		  ex->len == 1 ? "" : "s", is_split ? ": " : "", is_split ? parts : "");
	print_row("registers", "%u on each CPU%s%s", ex->nr_ranges,
		  ex->rooms.nr ? "; free: " : "", free_ones);
}

static void print_explanation(const struct explanation *ex)
{
	size_t i;

	print_safe(stdout, ex->target);
	printf(ex->refusal ? ": can't be watched: " : ": can be watched\n");
	if (ex->refusal) {
		print_safe(stdout, ex->refusal);
		putchar('\n');
	}
	if (ex->refusal && !ex->resolved.symbol) {
		for (i = 0; i < ex->others.nr; i++)
			print_row(i ? "" : "there is", "%s", ex->others.text[i]);
		return;
	}
	print_symbol(ex);
	if (!ex->refusal || ex->has_addr)
		print_place(ex);
	if (ex->nr_ranges)
		print_registers(ex);
	if (ex->line)
		print_row("line", "%s", ex->line);
}

/* Writes an array of objects with the two numbers under these names. */
static void json_pairs(struct json *json, const char *name, const struct pairs *pairs,
		       const char *key, const char *value)
{
	size_t i;

	json_open(json, name, '[');
	for (i = 0; i < pairs->nr; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, key, pairs->pair[i].key);
		if (!strcmp(value, "addr"))
			json_hex(json, value, pairs->pair[i].value);
		else
			json_unsigned(json, value, pairs->pair[i].value);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_explanation(const struct explanation *ex)
{
	char *type __autofree = place_type(ex), *members __autofree = held_members(ex);
	const struct resolved *resolved = &ex->resolved;
	struct json json = { .out = stdout };
	const struct symbol *symbol = resolved->symbol;

	json_open(&json, NULL, '{');
	json_text(&json, "type", "target");
	json_text(&json, "target", ex->target);
	json_bool(&json, "can_be_watched", !ex->refusal);
	json_text(&json, "reason", ex->refusal);
	json_text(&json, "symbol", symbol ? symbol->name : NULL);
	json_text(&json, "module", symbol ? symbol->module : NULL);
	json_text(&json, "section", ex->section);
	json_bool(&json, "percpu", ex->percpu);
	json_number(&json, "size", symbol && symbol->size, symbol ? symbol->size : 0);
	if (ex->has_addr)
		json_hex(&json, "addr", ex->addr);
	else
		json_null(&json, "addr");
	json_pairs(&json, "copies", &ex->copies, "cpu", "addr");
	json_unsigned(&json, "pointers", resolved->place.nr_pointers);
	json_text(&json, "ctype", type);
	json_text(&json, "ctype_from",
		  resolved->variable ? resolved->variable->source->name : NULL);
	json_text(&json, "members", members);
	json_text(&json, "access", ex->spec.access ? ksym_access_word(ex->spec.access) : NULL);
	json_unsigned(&json, "len", ex->len);
	json_pairs(&json, "registers", &ex->ranges, "offset", "len");
	json_pairs(&json, "cpus", &ex->rooms, "cpu", "free");
	json_text(&json, "line", ex->line);
	json_strings(&json, "others", &ex->others);
	json_close(&json, '}');
	json_end_line(&json);
}

static const char *foreign_symbols;

static int run_explain(const struct command *cmd, int argc, char **argv)
{
	struct explanation ex;
	struct strings specs __cleanup(strings_free) = {};
	bool refused = false;
	int first;
	size_t i;

	first = parse_options(cmd, argc, argv);
	if (first == argc)
		die_usage(cmd, "missing SPEC");
	/* The symbol table may be that of another kernel. */
	if (foreign_symbols) {
		sources.kallsyms = foreign_symbols;
		sources.foreign = true;
	}
	specs_from_args(&specs, argc - first, argv + first);
	for (i = 0; i < specs.nr; i++) {
		explain(&ex, specs.text[i]);
		if (output_json)
			json_explanation(&ex);
		else
			print_explanation(&ex);
		refused = refused || ex.refusal;
		free_explanation(&ex);
	}
	stock_bpf_end();
	return refused ? STATUS_FAILED : STATUS_OK;
}

const struct command cmd_explain = {
	.name = "explain", .run = run_explain,
	.arguments = "SPEC...",
	.summary = "show what a target is, and whether it can be watched",
	.help =
"Shows the symbol, its section, address and type, what would be watched, how many debug\n"
"registers that needs and whether they are free, and the line for ksym_trace_filter; or\n"
"why it can't be watched. Makes no watch. The exit status is 0 if all SPECs can be\n"
"watched, otherwise 1.\n",
	.options = (const struct command_option[]) {
		JSON_LINES_OPTION("line"),
		{ 0, "vmlinux", "FILE", .text = &sources.vmlinux, .help =
		  "the kernel's debug info (DWARF)" },
		{ 0, "btf", "FILE", .text = &sources.btf, .help =
		  "the kernel's BTF, instead of /sys/kernel/btf/vmlinux" },
		{ 0, "kallsyms", "FILE", .text = &foreign_symbols, .help =
		  "symbols of any kernel, instead of /proc/kallsyms" },
		{}
	},
	.more = (const char * const[]) { spec_help, NULL },
};

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
#include "lib/text.h"
#include "lib/util.h"
#include "symbols/resolve.h"

/* The part of a watch in one debug register. */
struct range {
	unsigned long long	off;
	unsigned long long	len;
};

/* The number of debug registers that a CPU has for the watch. */
struct room {
	unsigned int	cpu;
	unsigned int	free;
};

/* The address of the watch on a CPU. */
struct copy {
	unsigned int		cpu;
	unsigned long long	addr;
};

/**
 * struct explanation - what is known of a SPEC
 * @text: the SPEC as typed
 * @spec: the parsed SPEC
 * @target: its target as typed
 * @resolved: its symbol and type
 * @refusal: why it can't be watched, or NULL
 * @others: alternatives: similar names, or all symbols of the same name
 * @pending: its module is not loaded, so the watch would wait for it
 * @section: the section of the symbol, or NULL
 * @percpu: each CPU has a copy
 * @has_addr: @addr is known
 * @addr: address of the watch; for a per-CPU variable an offset
 * @copy: address on each CPU, or where the pointers lead; as far as known
 * @nr_copies: number of these
 * @len: number of bytes
 * @range: the parts, at most one per debug register
 * @nr_ranges: number of parts needed
 * @nr_turns: number of pieces that take turns in that many registers, or 0
 * @room: free registers of each CPU that would watch, if known
 * @nr_rooms: number of these CPUs
 * @line: line for ksym_trace_filter
 */
struct explanation {
	const char		*text;
	struct ksym_spec	spec;
	char			*target;
	struct resolved		resolved;
	char			*refusal;
	struct strings		others;
	bool			pending;
	const char		*section;
	bool			percpu;
	bool			has_addr;
	unsigned long long	addr;
	struct copy		*copy;
	size_t			nr_copies;
	unsigned long long	len;
	struct range		range[NR_REGISTERS];
	unsigned int		nr_ranges;
	unsigned int		nr_turns;
	struct room		*room;
	size_t			nr_rooms;
	char			*line;
};

/* Sets the reason why it can't be watched, unless there is one already. */
[[gnu::format(printf, 2, 3)]]
static void refuse(struct explanation *explanation, const char *fmt, ...)
{
	va_list ap;

	if (explanation->refusal)
		return;
	va_start(ap, fmt);
	explanation->refusal = xvasprintf(fmt, ap);
	va_end(ap);
}

/* Same, with a new string, or NULL for no reason. */
static void refuse_as(struct explanation *explanation, char *fault)
{
	if (fault)
		refuse(explanation, "%s", fault);
	free(fault);
}

static void refuse_for(struct explanation *explanation, enum ksym_err code)
{
	refuse(explanation, "%s", spec_message(code));
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
static void explain_matches(struct explanation *explanation, const struct symbols *symbols)
{
	const struct symbol_matches *matches = &explanation->resolved.matches;
	const struct ksym_target *target = &explanation->resolved.target;
	struct ksym_target any = *target;
	struct symbol_matches all;
	size_t i;

	if (!matches->nr && target->module[0] && !is_loaded(symbols, target->module)) {
		explanation->pending = true;
		/* As in pid_max:write, which names no module. */
		if (symbols_named(symbols, target->module))
			refuse(explanation, "at '%s': %s", target->symbol,
			       spec_message(KSYM_ERR_BAD_ACCESS));
		if (target->path[0] && !target->type[0])
			refuse(explanation,
			       "'%s' is not loaded, so its types are unknown: cast it, (TYPE)%s:%s%s",
			       target->module, target->module, target->symbol, target->path);
		return;
	}
	any.nth = 0;
	symbols_find(symbols, &any, &all);
	for (i = 0; i < all.nr; i++) {
		const struct symbol *symbol = all.symbol[i];
		const char *section = symbol_section(symbols, symbol);

		strings_add_owned(&explanation->others,
				  xasprintf("%s@%zu %s %s %#llx", symbol->name, i + 1,
					    symbol->module ?: "-", section ?: "-", symbol->addr));
	}
	refuse_as(explanation, resolved_fault(&explanation->resolved));
	if (!all.nr)
		symbols_near(symbols, target->symbol, &explanation->others);
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

	return sources.foreign || !known ||
	       !peek(known->addr, &value) || peek(addr & ~7ULL, &value);
}

/* Checks that the memory exists and can be written. */
static void explain_memory(struct explanation *explanation, struct symbols *symbols)
{
	const struct symbol *symbol = explanation->resolved.symbol;
	const struct symbol *end = symbols_named(symbols, "_end");
	unsigned long long addr = explanation->addr;
	const char *fault;

	/* With an offset it may be another variable. */
	if (explanation->has_addr && !explanation->percpu) {
		if (!(addr & KERNEL_BIT)) {
			refuse_for(explanation, KSYM_ERR_USER_ADDRESS);
			return;
		}
		if (!symbol || addr != symbol->addr)
			symbol = symbols_at(symbols, addr);
		if (!symbol && !explanation->resolved.symbol && !is_memory(symbols, addr))
			refuse(explanation, "no memory at %#llx", addr);
		else if (explanation->resolved.symbol &&
			 (!symbol || (end && !symbol->module && addr >= end->addr)))
			refuse_for(explanation, KSYM_ERR_NOT_KERNEL);
	}
	if (!symbol)
		return;
	explanation->section = symbol_section(symbols, symbol);
	fault = symbol_fault(symbols, symbol, explanation->spec.access);
	if (fault)
		refuse(explanation, "%s", fault);
}

/* Finds the address of the variable on a CPU. Returns false if it is unknown. */
static bool find_base(const struct explanation *explanation, const struct symbols *symbols,
		      unsigned int cpu, unsigned long long *addr)
{
	const struct symbol *symbol = explanation->resolved.symbol;
	const struct symbol *offsets = symbols_named(symbols, "__per_cpu_offset");
	unsigned long long offset = 0;

	*addr = symbol ? symbol->addr : explanation->resolved.target.addr;
	if (!explanation->percpu)
		return true;
	if (!offsets || !peek(offsets->addr + cpu * sizeof(offset), &offset))
		return false;
	*addr += offset;
	return true;
}

/* Follows the pointers on a CPU. */
static void explain_copy(struct explanation *explanation, const struct symbols *symbols,
			 unsigned int cpu)
{
	const struct type_place *place = &explanation->resolved.place;
	unsigned long long addr;
	unsigned int i;

	if (!find_base(explanation, symbols, cpu, &addr))
		return;
	addr += explanation->resolved.target.off;
	for (i = 0; i < place->nr_pointers; i++) {
		if (!peek(addr + place->off[i], &addr))
			return;
		if (!(addr & KERNEL_BIT)) {
			refuse(explanation,
			       "a pointer is %#llx on CPU %u, which is not in the kernel's memory",
			       addr, cpu);
			return;
		}
	}
	explanation->copy = xreallocarray(explanation->copy, explanation->nr_copies + 1,
					  sizeof(*explanation->copy));
	explanation->copy[explanation->nr_copies++] =
		(struct copy) { cpu, addr + place->off[place->nr_pointers] };
}

static void explain_copies(struct explanation *explanation, const struct symbols *symbols)
{
	int chosen = explanation->resolved.target.cpu, cpu;

	if (sources.foreign)
		return;
	if (!explanation->percpu || chosen >= 0) {
		explain_copy(explanation, symbols, chosen >= 0 ? chosen : 0);
		return;
	}
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		explain_copy(explanation, symbols, cpu);
}

static void explain_place(struct explanation *explanation, struct symbols *symbols)
{
	const struct resolved *resolved = &explanation->resolved;
	const struct ksym_target *target = &resolved->target;
	const struct symbol *symbol = resolved->symbol;

	if (target->kind == KSYM_NOWHERE)
		return;
	if (target->kind == KSYM_AT_SYMBOL && !symbol) {
		explain_matches(explanation, symbols);
		return;
	}
	refuse_as(explanation, resolved_fault(resolved));
	explanation->percpu = symbol && symbol_is_percpu(symbols, symbol);
	if (!explanation->refusal && (explanation->percpu || resolved->place.nr_pointers))
		explain_copies(explanation, symbols);
	/* The target of a pointer can be anywhere. */
	if (resolved->place.nr_pointers) {
		if (symbol)
			explanation->section = symbol_section(symbols, symbol);
		return;
	}
	explanation->has_addr = true;
	explanation->addr = (symbol ? symbol->addr : target->addr) + target->off +
			    resolved->place.off[0];
	explain_memory(explanation, symbols);
}

/* --- How much of it ----------------------------------------------------------- */

/* Without a type: as much as a register can watch, but not beyond the next symbol. */
static unsigned long long guess_len(const struct explanation *explanation, struct symbols *symbols)
{
	const struct symbol *symbol = explanation->resolved.symbol;
	unsigned long long addr = explanation->addr;

	if (!explanation->percpu)
		symbol = symbols_at(symbols, addr);
	if (!symbol || addr - symbol->addr >= symbol->size)
		return 1;
	return register_len(addr, symbol->size - (addr - symbol->addr));
}

static bool is_number(struct type *type)
{
	type = type_strip(type);
	return type->kind != TYPE_STRUCT && type->kind != TYPE_UNION && type->kind != TYPE_ARRAY &&
	       type->size && type->size <= REGISTER_LEN;
}

/* Splits the watch as the tracer does: each part is aligned to its length. */
static void split(struct explanation *explanation)
{
	unsigned long long off, len, addr = explanation->addr;

	/* If unknown, assume that the target of a pointer is aligned. */
	if (!explanation->has_addr)
		addr = explanation->nr_copies ? explanation->copy->addr :
		       (unsigned long long)
		       explanation->resolved.place.off[explanation->resolved.place.nr_pointers];
	for (off = 0; off < explanation->len; off += len) {
		len = register_len(addr + off, explanation->len - off);
		if (explanation->nr_ranges < NR_REGISTERS)
			explanation->range[explanation->nr_ranges] = (struct range) { off, len };
		explanation->nr_ranges++;
	}
}

/* Divides a long range as the tracer does, into pieces of one length. */
static void take_turns(struct explanation *explanation)
{
	unsigned long long bits = explanation->range[0].len | explanation->len, len;
	unsigned int i;

	/* The first part is the longest one that the address allows. */
	len = bits & -bits;
	for (i = 0; i < NR_REGISTERS; i++)
		explanation->range[i] = (struct range) { i * len, len };
	explanation->nr_ranges = NR_REGISTERS;
	explanation->nr_turns = explanation->len / len;
}

static void explain_len(struct explanation *explanation, struct symbols *symbols)
{
	const struct resolved *resolved = &explanation->resolved;
	const struct ksym_target *target = &resolved->target;
	unsigned long long len = explanation->spec.len;

	if (!len && resolved->variable && (target->path[0] || target->type[0] ||
					   (is_number(resolved->variable) && !target->off)))
		len = resolved->place.size;
	else if (!len && explanation->has_addr)
		len = guess_len(explanation, symbols);
	if (len > (explanation->spec.opt.flexible ? KSYM_WIDE_MAX : KSYM_LEN_MAX)) {
		refuse_for(explanation, KSYM_ERR_LONG_TYPE);
		return;
	}
	explanation->len = len;
	split(explanation);
	if (explanation->nr_ranges > NR_REGISTERS && explanation->spec.opt.flexible)
		take_turns(explanation);
	else if (explanation->nr_ranges > NR_REGISTERS)
		refuse_for(explanation, KSYM_ERR_RANGE);
}

/* --- Is there room? -------------------------------------------------------------- */

static void add_room(struct explanation *explanation, const struct room *room)
{
	const char *list = explanation->spec.opt.cpus;
	bool *cpus = parse_cpus(list, MAX_CPUS);

	if (!*list || (cpus && room->cpu < MAX_CPUS && cpus[room->cpu])) {
		explanation->room = xreallocarray(explanation->room, explanation->nr_rooms + 1,
						  sizeof(*explanation->room));
		explanation->room[explanation->nr_rooms++] = *room;
	}
	free(cpus);
}

/* On a kernel without the tracer, ask perf, which needs root. */
static void probe_rooms(struct explanation *explanation)
{
	int cpu, nr;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		nr = stock_perf_free_slots(cpu);
		if (nr >= 0)
			add_room(explanation, &(struct room) { .cpu = cpu, .free = nr });
	}
}

/*
 * Reads the table of ksym_slots. FREE is the room for pinned watches of a CPU. Watches of a
 * task and flexible ones fit into what the CPU's pinned ones leave; the watches that the
 * task already has are not considered.
 */
static void read_rooms(struct explanation *explanation, char *text, bool ask_pinned)
{
	char *line, *word, *rest = text, *row;
	const char *wanted = ask_pinned ? "PINNED" : "FREE";
	int column = -1, at;
	bool heading = true;

	while ((line = strtok_r(rest, "\n", &rest))) {
		struct room room = {};

		for (at = 0, row = line; (word = strtok_r(row, " ", &row)); at++) {
			if (heading)
				column = strcmp(word, wanted) ? column : at;
			else if (!at)
				room.cpu = strtoul(word, NULL, 10);
			else if (at == column)
				room.free = strtoul(word, NULL, 10);
		}
		if (ask_pinned)
			room.free = NR_REGISTERS - room.free;
		if (!heading)
			add_room(explanation, &room);
		heading = false;
	}
}

static void explain_room(struct explanation *explanation)
{
	const struct ksym_options *opt = &explanation->spec.opt;
	char *text = sources.foreign ? NULL :
		     tracefs_instance_file_read(NULL, "ksym_slots", NULL);
	unsigned int needed = opt->flexible ? 1 : explanation->nr_ranges;
	size_t i;

	if (text)
		read_rooms(explanation, text, opt->flexible || opt->pid);
	else if (!sources.foreign)
		probe_rooms(explanation);
	free(text);
	for (i = 0; i < explanation->nr_rooms; i++) {
		const struct room *room = &explanation->room[i];

		if (room->free < needed)
			refuse(explanation,
			       "it needs %u register%s, but CPU %u has %u free; see ksymwatch slots",
			       needed, needed == 1 ? "" : "s", room->cpu, room->free);
	}
}

/* Makes the line that ksym_trace_filter would show, as far as known. */
static void explain_line(struct explanation *explanation)
{
	struct ksym_spec spec;

	resolve_spec(&spec, explanation->text);
	if (!spec.len)
		spec.len = explanation->len;
	explanation->line = spec_format(&spec, explanation->text);
}

/* Returns what is wrong with the options, for the tracer or else for perf. */
static char *options_fault(const struct explanation *explanation)
{
	const struct ksym_spec *spec = &explanation->spec;
	bool foreign = sources.foreign, bpf = true, no_code;
	char *fault = NULL, *why = NULL;

	if (!foreign && backend_is_perf()) {
		if (spec->opt.changed || strcmp(spec->group, KSYM_GROUP))
			bpf = !backend_asked(BACKEND_PLAIN_PERF) && stock_bpf_start(&why);
		free(why);
		why = NULL;
		no_code = (spec->access == KSYM_READ || spec->opt.wrote) && !code_open(&why);
		free(why);
		fault = stock_fault(spec, explanation->text, bpf, no_code);
	}
	return fault ?: spec_machine_fault(spec, explanation->text,
					   foreign ? 0 : sysconf(_SC_NPROCESSORS_CONF));
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

static void explain(struct explanation *explanation, const char *text)
{
	struct symbols *symbols = resolve_symbols();
	struct ksym_error error;

	if (!symbols)
		exit(STATUS_FAILED);
	*explanation = (struct explanation) { .text = text };
	if (spec_parse(text, &explanation->spec, &error)) {
		explanation->spec.access = 0;
		refuse_as(explanation, spec_fault(text, &error));
	}
	explanation->target = typed_target(text, &explanation->spec);
	if (!explanation->refusal) {
		resolve(&explanation->resolved, &explanation->spec.target);
		explain_place(explanation, symbols);
		refuse_as(explanation, options_fault(explanation));
	}
	if (!explanation->refusal)
		explain_len(explanation, symbols);
	if (!explanation->refusal)
		explain_room(explanation);
	if (!explanation->refusal)
		explain_line(explanation);
}

static void free_explanation(struct explanation *explanation)
{
	free(explanation->target);
	resolved_free(&explanation->resolved);
	free(explanation->refusal);
	strings_free(&explanation->others);
	free(explanation->copy);
	free(explanation->room);
	free(explanation->line);
}

/* --- Output ------------------------------------------------------------------------ */

static const char *access_text(unsigned int access)
{
	static const char * const texts[] = {
		[KSYM_READ] = "reads of", [KSYM_WRITE] = "writes to",
		[KSYM_READ | KSYM_WRITE] = "reads of and writes to",
	};

	return texts[access];
}

/* Returns the type of the watched bytes in C, or NULL. */
static char *place_type(const struct explanation *explanation)
{
	const struct resolved *resolved = &explanation->resolved;
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
static char *held_members(const struct explanation *explanation)
{
	const struct resolved *resolved = &explanation->resolved;

	if (!resolved->variable || resolved->target.off < 0 || !explanation->len)
		return NULL;
	return type_members(resolved->place.type, resolved->target.off, explanation->len);
}

[[gnu::format(printf, 2, 3)]]
static void print_row(const char *label, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	printf("  %-9s ", label);
	print_safe(stdout, text);
	putchar('\n');
	free(text);
}

static void print_symbol(const struct explanation *explanation)
{
	const struct symbol *symbol = explanation->resolved.symbol;
	char *type;

	if (!symbol)
		return;
	if (symbol->same > 1)
		print_row("symbol", "%s, number %u of %u of this name", symbol->name, symbol->nth,
			  symbol->same);
	else
		print_row("symbol", "%s", symbol->name);
	print_row("module", "%s", symbol->module ?: "- (the kernel itself)");
	if (explanation->section)
		print_row("section", "%s", explanation->section);
	if (symbol->size)
		print_row("size", "%llu bytes up to the next symbol", symbol->size);
	if (!explanation->resolved.target.type[0] && explanation->resolved.variable) {
		type = type_declaration(explanation->resolved.variable);
		print_row("is", "%s, of %llu bytes", type,
			  (unsigned long long)explanation->resolved.variable->size);
		free(type);
	}
}

static void print_copies(const struct explanation *explanation)
{
	struct strings texts = {};
	char *joined;
	size_t i;

	for (i = 0; i < explanation->nr_copies; i++) {
		if (explanation->percpu)
			strings_add_owned(&texts, xasprintf("%#llx on CPU %u",
							    explanation->copy[i].addr,
							    explanation->copy[i].cpu));
		else
			strings_add_owned(&texts, xasprintf("%#llx", explanation->copy[i].addr));
	}
	joined = strings_join(&texts, ", ");
	print_row("address", explanation->resolved.place.nr_pointers ?
		  "%s, where the pointers lead now" : "%s", joined);
	free(joined);
	strings_free(&texts);
}

static void print_place(const struct explanation *explanation)
{
	const struct type_place *place = &explanation->resolved.place;
	char *type = place_type(explanation), *members = held_members(explanation);

	if (explanation->nr_copies)
		print_copies(explanation);
	else if (explanation->has_addr && explanation->percpu)
		print_row("address", "%#llx in each CPU's part", explanation->addr);
	else if (explanation->has_addr)
		print_row("address", "%#llx", explanation->addr);
	else if (place->nr_pointers)
		print_row("address", "where the pointer%s",
			  place->nr_pointers > 1 ? "s lead" : " leads");
	else if (explanation->pending)
		print_row("address", "known when the module is loaded: the watch waits for it");
	else
		print_row("address", "none: a trigger or kernel code sets it");
	if (type)
		print_row("type", "%s (by %s)", type,
			  explanation->resolved.variable->source->name);
	else if (!explanation->refusal)
		print_row("type", "not known");
	if (members)
		print_row("members", "%s", members);
	free(members);
	free(type);
}

static void print_ranges(const struct explanation *explanation)
{
	bool is_split = explanation->nr_ranges > 1 && explanation->nr_ranges <= NR_REGISTERS;
	struct strings texts = {};
	char *joined;
	unsigned int i;

	if (explanation->nr_turns)
		strings_add_owned(&texts, xasprintf("%u pieces of %llu take turns",
						    explanation->nr_turns,
						    explanation->range[0].len));
	for (i = 0; !explanation->nr_turns && i < explanation->nr_ranges && i < NR_REGISTERS; i++)
		strings_add_owned(&texts, xasprintf("%llu at +%llu", explanation->range[i].len,
						    explanation->range[i].off));
	joined = strings_join(&texts, ", ");
	print_row("watches", "%s %llu byte%s%s%s", access_text(explanation->spec.access),
		  explanation->len, explanation->len == 1 ? "" : "s",
		  is_split ? ": " : "", is_split ? joined : "");
	free(joined);
	strings_free(&texts);
}

static void print_rooms(const struct explanation *explanation)
{
	struct strings texts = {};
	char *joined;
	size_t i;

	for (i = 0; i < explanation->nr_rooms; i++)
		strings_add_owned(&texts, xasprintf("%u on CPU %u", explanation->room[i].free,
						    explanation->room[i].cpu));
	joined = strings_join(&texts, ", ");
	print_row("registers", "%u on each CPU%s%s", explanation->nr_ranges,
		  explanation->nr_rooms ? "; free: " : "", joined);
	free(joined);
	strings_free(&texts);
}

static void print_explanation(const struct explanation *explanation)
{
	size_t i;

	print_safe(stdout, explanation->target);
	printf(explanation->refusal ? ": can't be watched: " : ": can be watched\n");
	if (explanation->refusal) {
		print_safe(stdout, explanation->refusal);
		putchar('\n');
	}
	if (explanation->refusal && !explanation->resolved.symbol) {
		for (i = 0; i < explanation->others.nr; i++)
			print_row(i ? "" : "there is", "%s", explanation->others.text[i]);
		return;
	}
	print_symbol(explanation);
	if (!explanation->refusal || explanation->has_addr)
		print_place(explanation);
	if (explanation->nr_ranges) {
		print_ranges(explanation);
		print_rooms(explanation);
	}
	if (explanation->line)
		print_row("line", "%s", explanation->line);
}

static void json_watched(struct json *json, const struct explanation *explanation)
{
	size_t i;

	json_open(json, "registers", '[');
	for (i = 0; i < explanation->nr_ranges && i < NR_REGISTERS; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "offset", explanation->range[i].off);
		json_unsigned(json, "len", explanation->range[i].len);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_open(json, "cpus", '[');
	for (i = 0; i < explanation->nr_rooms; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "cpu", explanation->room[i].cpu);
		json_unsigned(json, "free", explanation->room[i].free);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_explanation(const struct explanation *explanation)
{
	const struct resolved *resolved = &explanation->resolved;
	char *type = place_type(explanation), *members = held_members(explanation);
	struct json json = { .out = stdout };
	unsigned long long size;
	size_t i;

	json_open(&json, NULL, '{');
	json_text(&json, "type", "target");
	json_text(&json, "target", explanation->target);
	json_bool(&json, "can_be_watched", !explanation->refusal);
	json_text(&json, "reason", explanation->refusal);
	json_text(&json, "symbol", resolved->symbol ? resolved->symbol->name : NULL);
	json_text(&json, "module", resolved->symbol ? resolved->symbol->module : NULL);
	json_text(&json, "section", explanation->section);
	json_bool(&json, "percpu", explanation->percpu);
	size = resolved->symbol ? resolved->symbol->size : 0;
	json_number(&json, "size", size, size);
	if (explanation->has_addr)
		json_hex(&json, "addr", explanation->addr);
	else
		json_null(&json, "addr");
	json_open(&json, "copies", '[');
	for (i = 0; i < explanation->nr_copies; i++) {
		json_open(&json, NULL, '{');
		json_unsigned(&json, "cpu", explanation->copy[i].cpu);
		json_hex(&json, "addr", explanation->copy[i].addr);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_unsigned(&json, "pointers", resolved->place.nr_pointers);
	json_text(&json, "ctype", type);
	json_text(&json, "ctype_from", resolved->variable ? resolved->variable->source->name :
							    NULL);
	json_text(&json, "members", members);
	json_text(&json, "access", explanation->spec.access ?
		  ksym_access_word(explanation->spec.access) : NULL);
	json_unsigned(&json, "len", explanation->len);
	json_watched(&json, explanation);
	json_text(&json, "line", explanation->line);
	json_open(&json, "others", '[');
	for (i = 0; i < explanation->others.nr; i++)
		json_text(&json, NULL, explanation->others.text[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	json_end_line(&json);
	free(members);
	free(type);
}

static bool json_wanted;
static const char *foreign_symbols;

static int run_explain(const struct command *cmd, int argc, char **argv)
{
	struct explanation explanation;
	struct strings specs;
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
		explain(&explanation, specs.text[i]);
		if (json_wanted)
			json_explanation(&explanation);
		else
			print_explanation(&explanation);
		refused = refused || explanation.refusal;
		free_explanation(&explanation);
	}
	strings_free(&specs);
	stock_bpf_end();
	flush_stdout();
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
		{ 'j', "json", .flag = &json_wanted, .help = "print JSON, one object per line" },
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

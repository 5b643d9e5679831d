// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets with their symbols and types. The tracer knows a symbol's place and the types
 * of BTF, but not which type a symbol has: what DWARF says is translated here into words
 * that the tracer takes, so that init_task.comm needs no cast.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "symbols/kcore.h"
#include "symbols/resolve.h"

/* One symbol table per run, which is read when it is needed. */
static struct symbols symbols;
static bool has_symbols;
/* The file with the variables that SYMBOLS_FILE does not have. */
static char *unlisted_from;

/* The symbol table, or NULL after saying why it can't be read. */
struct symbols *resolve_symbols(void)
{
	if (has_symbols)
		return &symbols;
	if (symbols_read(&symbols, sources.foreign ? sources.kallsyms : NULL))
		return NULL;
	has_symbols = true;
	if (!sources.foreign && (sources.kallsyms || !symbols.has_variables))
		unlisted_from = unlisted_add(&symbols, sources.kallsyms ? NULL :
					     types_debuginfo(NULL), sources.kallsyms);
	return &symbols;
}

/* Where the variables come from: SYMBOLS_FILE, another file, or NULL for nowhere. */
const char *resolve_variables_from(void)
{
	if (!resolve_symbols())
		return NULL;
	return unlisted_from ?: symbols.has_variables ? SYMBOLS_FILE : NULL;
}

/*
 * Does the kernel know its variables by their names? Reads no more than needed: the first
 * symbols are per-CPU variables, or the functions come first.
 */
static bool kernel_knows_variables(void)
{
	FILE *file __cleanup(close_file) = has_symbols ? NULL : fopen(SYMBOLS_FILE, "re");
	bool known = has_symbols ? symbols.has_variables : !file;
	char line[512], type;

	while (!known && file && fgets(line, sizeof(line), file))
		known = sscanf(line, "%*x %c", &type) == 1 && strchr("aAbBdD", type);
	return known;
}

/* An address in a variable is that variable, and an offset. */
static void name_address(struct ksym_target *target)
{
	const struct symbol *symbol = symbols_at(&symbols, target->addr + target->off);

	if (!symbol || symbol_is_function(symbol))
		return;
	target->kind = KSYM_AT_SYMBOL;
	snprintf(target->symbol, sizeof(target->symbol), "%s", symbol->name);
	snprintf(target->module, sizeof(target->module), "%s", symbol->module ?: "");
	target->off += target->addr - symbol->addr;
	target->addr = 0;
}

/* A compiler may make symbols with a dot in them, which is no member then. */
static void take_dotted_symbol(struct resolved *resolved)
{
	struct ksym_target *target = &resolved->target, dotted = *target;
	size_t begin = strlen(target->symbol), len = strcspn(target->path, "-[");

	if (target->type[0] || target->path[0] != '.' || begin + len >= sizeof(target->symbol))
		return;
	memcpy(dotted.symbol + begin, target->path, len);
	dotted.symbol[begin + len] = '\0';
	snprintf(dotted.path, sizeof(dotted.path), "%s", target->path + len);
	if (symbols_find(&symbols, &dotted, NULL))
		*target = dotted;
}

/* The module that a target names, or NULL. */
static const char *module_of(const struct ksym_target *target)
{
	return target->module[0] ? target->module : NULL;
}

/* Finds the type, and where the path leads. */
static void find_type(struct resolved *resolved)
{
	const struct ksym_target *target = &resolved->target;
	const struct symbol *symbol = resolved->symbol;
	const char *module = symbol ? symbol->module : module_of(target);

	if (target->type[0]) {
		if (types_cast(module, target->type, target->path, &resolved->place,
			       &resolved->type_error))
			resolved->variable = resolved->place.type;
		resolved->typed = resolved->variable;
		return;
	}
	if (symbol)
		resolved->variable = types_variable(&symbols, symbol);
	if (!resolved->variable)
		return;
	resolved->typed = true;
	if (!type_walk(&resolved->place, resolved->variable, target->path, false,
		       &resolved->type_error))
		resolved->variable = NULL;
}

/*
 * Finds out what a target is, which may be on nothing that there is. resolved_free() frees
 * what is in @resolved. Ends the program where there is no symbol table.
 */
void resolve(struct resolved *resolved, const struct ksym_target *target)
{
	*resolved = (struct resolved) { .target = *target };
	if (target->kind == KSYM_NOWHERE)
		return;
	if (!resolve_symbols())
		exit(STATUS_FAILED);
	if (target->module[0] && !symbols.has_variables && !sources.foreign)
		unlisted_add_module(&symbols, target->module);
	if (target->kind == KSYM_AT_ADDRESS && !target->type[0])
		name_address(&resolved->target);
	if (resolved->target.kind == KSYM_AT_SYMBOL) {
		take_dotted_symbol(resolved);
		symbols_find(&symbols, &resolved->target, &resolved->matches);
		if (resolved->matches.nr == 1)
			resolved->symbol = resolved->matches.symbol[0];
	}
	find_type(resolved);
}

void resolved_free(struct resolved *resolved)
{
	free(resolved->matches.symbol);
	free(resolved->type_error);
	memset(resolved, 0, sizeof(*resolved));
}

/* --- What the tracer takes -------------------------------------------------------- */

/*
 * The cast that leads to the same place, or NULL where BTF has no such type, or knows
 * it otherwise.
 */
static char *find_cast(const struct resolved *resolved, struct type *variable)
{
	const struct ksym_target *target = &resolved->target;
	struct type_place place;
	char *cast, *error __autofree = NULL;
	bool same = false;

	/* An array is what the tracer takes a symbol for that an [N] follows. */
	if (*target->path == '[' && type_strip(variable)->kind == TYPE_ARRAY) {
		variable = type_strip(variable);
		type_open(variable);
		variable = variable->target;
	}
	cast = type_declaration(variable);
	if (!strpbrk(cast, "[](){}") && strlen(cast) < KSYM_TYPE_LEN &&
	    types_cast(resolved->symbol->module, cast, target->path, &place, &error))
		same = type_place_is_same(&place, &resolved->place);
	if (same)
		return cast;
	free(cast);
	return NULL;
}

/* Gives a target with a path the tracer's words for it: a cast, or an offset. */
static void rewrite_path(struct ksym_target *target, const char *line,
			 const struct resolved *resolved)
{
	char *cast __autofree = find_cast(resolved, resolved->variable);
	const struct type_place *place = &resolved->place;

	if (!cast && (place->nr_pointers || place->bits))
		die("%s: the kernel's BTF has no such type, which is needed %s", line,
		    place->bits ? "for a bit-field" : "to follow a pointer");
	*target = resolved->target;
	if (cast) {
		snprintf(target->type, sizeof(target->type), "%s", cast);
	} else {
		target->off = place->off[0];
		target->path[0] = '\0';
	}
}

/* There is no symbol, or there are several. */
static enum ksym_err symbol_error(const struct resolved *resolved)
{
	struct ksym_target any = resolved->target;

	any.nth = 0;
	if (!symbols_find(&symbols, &any, NULL))
		return KSYM_ERR_NO_SUCH_SYMBOL;
	return resolved->target.nth ? KSYM_ERR_NO_NTH : KSYM_ERR_AMBIGUOUS;
}

/*
 * Which symbols may be meant by the target's name, that there is not: text to append to a
 * message, a new string.
 */
char *resolve_suggestion(const struct ksym_target *target)
{
	struct strings near __cleanup(strings_free) = {};
	char *names __autofree = NULL;

	if (target->kind == KSYM_AT_SYMBOL && resolve_symbols() &&
	    !symbols_find(&symbols, target, NULL))
		symbols_near(&symbols, target->symbol, &near);
	names = strings_join(&near, ", ");
	return near.nr ? xasprintf(": is it %s?", names) :
	       has_symbols && !resolve_variables_from() ?
	       xstrdup(": " SYMBOLS_FILE " has functions only: use --vmlinux or --kallsyms") :
	       xstrdup("");
}

/*
 * Which members there are where a target names one that there is not: text to append to that
 * of KSYM_ERR_NO_MEMBER, a new string; or NULL.
 */
char *resolve_members(const struct ksym_target *target)
{
	const char *message = spec_message(KSYM_ERR_NO_MEMBER), *found = NULL;
	struct resolved resolved __cleanup(resolved_free) = {};

	if (!resolve_symbols())
		return NULL;
	resolve(&resolved, target);
	if (resolved.type_error)
		found = strstr(resolved.type_error, message);
	return found ? xstrdup(found + strlen(message)) : NULL;
}

/*
 * Why a target's symbol or path leads nowhere, a new string; or NULL where they lead
 * somewhere, or no type is needed.
 */
char *resolved_fault(const struct resolved *resolved)
{
	const struct ksym_target *target = &resolved->target;

	if (target->kind == KSYM_AT_SYMBOL && !resolved->symbol)
		return xstrdup(spec_message(symbol_error(resolved)));
	if (target->cpu >= 0 && !symbol_is_percpu(&symbols, resolved->symbol))
		return xstrdup(spec_message(KSYM_ERR_NOT_PERCPU));
	if (resolved->type_error)
		return xstrdup(resolved->type_error);
	if (resolved->variable || !target->path[0])
		return NULL;
	return xasprintf("unknown type of '%s': install linux-image-%s-dbg, or cast it: (TYPE)%s%s",
			 target->symbol, running_release() ?: "VERSION", target->symbol,
			 target->path);
}

/* Gives a variable that the kernel does not know by its name as an address. */
static void rewrite_symbol(struct ksym_spec *spec, const char *line,
			   const struct resolved *resolved)
{
	const struct symbol *symbol = resolved->symbol, *table;
	struct ksym_target *target = &spec->target;
	const char *fault = symbol_fault(&symbols, symbol, spec->access);
	unsigned long long offset = 0;
	char *why;

	if (fault)
		die("%s: %s", line, fault);
	if (symbol_is_percpu(&symbols, symbol)) {
		table = symbols_named(&symbols, "__per_cpu_offset");
		if (target->cpu < 0 || !table)
			die("%s: without CONFIG_KALLSYMS_ALL, name a CPU, as in %s[cpu0]", line,
			    symbol->name);
		if (!kcore_read(table->addr + target->cpu * sizeof(offset), &offset,
				sizeof(offset), &why))
			die("%s: where CPU %d's copy is cannot be read: %s", line, target->cpu,
			    why);
	}
	if (!spec->len && !target->type[0])
		spec->len = register_len(symbol->addr + target->off, symbol->size ?: 1);
	target->kind = KSYM_AT_ADDRESS;
	target->addr = symbol->addr + offset + target->off;
	target->off = 0;
	target->cpu = -1;
	target->nth = 0;
	target->symbol[0] = '\0';
}

/* Gives a SPEC the words that the tracer takes, and the length of a number's type. */
static void rewrite(struct ksym_spec *spec, const char *line)
{
	struct ksym_target *target = &spec->target;
	struct resolved resolved __cleanup(resolved_free) = {};
	char *fault = NULL;

	if (target->kind != KSYM_AT_SYMBOL)
		return;
	if (kernel_knows_variables() &&
	    (target->type[0] || (!target->path[0] && (spec->len || target->off ||
				 !types_may_know(module_of(target), target->symbol)))))
		return;
	resolve(&resolved, target);
	if (resolved.target.path[0] && !target->type[0]) {
		fault = resolved_fault(&resolved);
		if (fault)
			die("%s: %s%s", line, fault, resolve_suggestion(&resolved.target));
		rewrite_path(target, line, &resolved);
		/* With a cast it has the length of its type. */
		if (!spec->len && !target->type[0])
			spec->len = resolved.place.size;
	} else {
		*target = resolved.target;
		if (!spec->len && !target->type[0] && resolved.variable &&
		    type_is_scalar(resolved.variable))
			spec->len = resolved.place.size;
	}
	if (resolved.symbol && resolved.symbol->unlisted)
		rewrite_symbol(spec, line, &resolved);
}

/*
 * A write that leaves a bit-field alone was to its neighbours in the same bytes, and is
 * dropped. With another length the bytes are watched, not the bit-field.
 */
static void drop_neighbours(struct ksym_spec *spec)
{
	struct resolved resolved __cleanup(resolved_free) = {};

	if (spec->access != KSYM_WRITE || spec->opt.changed || !spec->target.path[0] ||
	    (spec->target.kind != KSYM_AT_SYMBOL && spec->target.kind != KSYM_AT_ADDRESS))
		return;
	resolve(&resolved, &spec->target);
	spec->opt.changed = resolved.variable && resolved.place.bits &&
			    (!spec->len || spec->len == resolved.place.size);
}

/*
 * Parses a SPEC as somebody typed it, into words that the tracer takes, or dies. A member of a
 * variable gets the cast that the tracer wants, or becomes an offset; a number without len=
 * gets the length of its type; a bit-field gets changed.
 */
void resolve_spec(struct ksym_spec *spec, const char *line)
{
	spec_parse_or_die(line, spec);
	rewrite(spec, line);
	drop_neighbours(spec);
}

/*
 * The line that makes the watch of a SPEC as somebody typed it, a new string; @name gets its
 * shown name.
 */
char *resolve_line(const char *line, char name[WATCH_NAME_LEN])
{
	struct ksym_spec spec;

	resolve_spec(&spec, line);
	spec_name(&spec, name);
	return spec_format(&spec, line);
}

/* May anything know the type of a target? Opens as few files as possible. */
bool resolve_may_have_type(const struct ksym_target *target)
{
	return target->kind != KSYM_NOWHERE &&
	       (target->type[0] || types_may_know(module_of(target),
						  target->symbol)) &&
	       resolve_symbols();
}

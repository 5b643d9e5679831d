// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets with their symbols and types. The tracer knows a symbol's place and the types
 * of BTF, but not which type a symbol has: what DWARF tells of that is put here into words
 * that the tracer takes, so that init_task.comm needs no cast.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/ksymwatch.h"
#include "symbols/resolve.h"

/* A file with the kernel's debug info, for those who have it elsewhere. */
#define VMLINUX_VARIABLE	"KSYMWATCH_VMLINUX"

/* There is one machine, and one place to look for each. Both are made when needed. */
static struct resolve_options options;
static struct symbols symbols;
static bool has_symbols;
static struct types *types;

static void forget_all(void)
{
	if (has_symbols)
		symbols_free(&symbols);
	has_symbols = false;
	types_close(types);
	types = NULL;
}

/* Says where the symbols and types come from; comes before any of them is looked for. */
void resolve_set_options(const struct resolve_options *chosen)
{
	options = *chosen;
}

const struct resolve_options *resolve_get_options(void)
{
	return &options;
}

static struct types *get_types(void)
{
	const char *vmlinux = getenv(VMLINUX_VARIABLE);

	if (types)
		return types;
	if (!options.types.vmlinux && vmlinux && *vmlinux)
		options.types.vmlinux = vmlinux;
	types = types_open(&options.types);
	if (!has_symbols)
		atexit(forget_all);
	return types;
}

/* The symbol table, or NULL after saying why it can't be read. */
struct symbols *resolve_symbols(void)
{
	if (has_symbols)
		return &symbols;
	if (symbols_read(&symbols, options.kallsyms))
		return NULL;
	has_symbols = true;
	if (!types)
		atexit(forget_all);
	return &symbols;
}

/* An address in a variable is that variable, and an offset. */
static void name_address(struct target *target)
{
	const struct symbol *symbol = symbols_at(&symbols, target->addr + target->off);

	if (!symbol || symbol_is_function(symbol))
		return;
	target->symbol = xstrdup(symbol->name);
	target->module = symbol->module ? xstrdup(symbol->module) : NULL;
	target->off += target->addr - symbol->addr;
	target->addr = 0;
}

/* A compiler may make symbols with a dot in them, which is no member then. */
static void take_dotted_symbol(struct resolved *resolved)
{
	struct target *target = &resolved->target;
	size_t len = strcspn(target->path, "-[");
	struct symbol_matches matches;
	char *symbol;

	if (target->cast || *target->path != '.')
		return;
	symbol = target->symbol;
	target->symbol = xasprintf("%s%.*s", symbol, (int)len, target->path);
	symbols_find(&symbols, target, &matches);
	if (matches.nr) {
		free(symbol);
		memmove(target->path, target->path + len, strlen(target->path + len) + 1);
	} else {
		free(target->symbol);
		target->symbol = symbol;
	}
	free(matches.symbol);
}

/* Finds the type, and where the path leads. */
static void find_type(struct resolved *resolved)
{
	struct target *target = &resolved->target;
	const struct symbol *symbol = resolved->symbol;
	const char *module = symbol ? symbol->module : target->module;

	if (target->cast) {
		if (types_cast(get_types(), module, target->cast, target->path, &resolved->place,
			       &resolved->type_error))
			resolved->variable = resolved->place.type;
		resolved->typed = resolved->variable;
		return;
	}
	if (symbol)
		resolved->variable = types_variable(get_types(), &symbols, symbol);
	if (!resolved->variable)
		return;
	resolved->typed = true;
	if (!type_walk(&resolved->place, resolved->variable, target->path, false,
		       &resolved->type_error))
		resolved->variable = NULL;
}

/**
 * resolve - find out what a target is
 * @resolved: filled in; resolved_free() takes what is in it, also after a failure
 * @text: the target, without its access
 * @error: what is wrong with it, a new string
 *
 * Ends the program where there is no symbol table.
 *
 * Return: whether it is a target. It may be on nothing that there is.
 */
bool resolve(struct resolved *resolved, const char *text, char **error)
{
	struct target *target = &resolved->target;

	memset(resolved, 0, sizeof(*resolved));
	if (!target_parse(target, text, error))
		return false;
	if (target->nowhere)
		return true;
	if (!resolve_symbols())
		exit(STATUS_FAILED);
	if (!target->symbol && !target->cast)
		name_address(target);
	if (target->symbol) {
		take_dotted_symbol(resolved);
		symbols_find(&symbols, target, &resolved->matches);
		if (resolved->matches.nr == 1)
			resolved->symbol = resolved->matches.symbol[0];
	}
	find_type(resolved);
	return true;
}

void resolved_free(struct resolved *resolved)
{
	target_free(&resolved->target);
	free(resolved->matches.symbol);
	free(resolved->type_error);
	memset(resolved, 0, sizeof(*resolved));
}

/**
 * resolved_type_text - what is needed to print what is watched
 * @resolved: what it is
 * @len: how many bytes of it are watched
 *
 * Return: a new string as type_to_text() makes it, or NULL.
 */
char *resolved_type_text(const struct resolved *resolved, unsigned int len)
{
	const struct type_place *place = &resolved->place;

	if (!resolved->variable || resolved->target.off < 0)
		return NULL;
	/* The tracer takes the number out of the bytes that a bit-field is in. */
	if (place->bits)
		return len == place->size ? type_to_text(place->type, 0, len, 0, place->bits) :
					    NULL;
	return type_to_text(place->type, resolved->target.off, len, 0, 0);
}

/* --- What the tracer takes -------------------------------------------------------- */

/*
 * The cast that leads to the same place, or NULL where BTF has no such type, or knows
 * it otherwise.
 */
static char *find_cast(const struct resolved *resolved, struct type *variable)
{
	const struct target *target = &resolved->target;
	struct type_place place;
	char *cast, *error = NULL;
	bool same = false;

	/* An array is what the tracer takes a symbol for that an [N] follows. */
	if (*target->path == '[' && type_strip(variable)->kind == TYPE_ARRAY) {
		variable = type_strip(variable);
		type_open(variable);
		variable = variable->target;
	}
	cast = type_declaration(variable);
	if (!strpbrk(cast, "[](){}") && types_cast(get_types(), resolved->symbol->module, cast,
						   target->path, &place, &error))
		same = type_place_is_same(&place, &resolved->place);
	free(error);
	if (same)
		return cast;
	free(cast);
	return NULL;
}

/* The target in the tracer's words, which takes a path only behind a cast. */
static char *rewrite_path(const char *text, const struct resolved *resolved, struct type *variable)
{
	const struct type_place *place = &resolved->place;
	char *where = target_place(&resolved->target), *cast = find_cast(resolved, variable);
	char *rewritten;

	if (!cast && place->nr_pointers)
		die("%s: the kernel's BTF has no such type, without which no pointer is followed",
		    text);
	rewritten = cast ? xasprintf("(%s)%s%s", cast, where, resolved->target.path) :
			   xasprintf("%s+%#llx", where, place->off[0]);
	free(cast);
	free(where);
	return rewritten;
}

/* Says why a member can't be found without a cast, and what to do about it. */
[[gnu::noreturn]]
static void die_of_path(const char *text, const struct resolved *resolved)
{
	const struct target *target = &resolved->target;
	struct utsname name;

	if (!resolved->matches.nr)
		die("%s: no symbol of the kernel is called '%s'%s", text, target->symbol,
		    target->module ? " in this module, or it is not loaded" : "");
	if (!resolved->symbol)
		die("%s: several symbols are called '%s': pick one of them with %s@N", text,
		    target->symbol, target->symbol);
	if (resolved->typed)
		die("%s: %s", text, resolved->type_error);
	die("%s: nothing tells the type of '%s': install linux-image-%s-dbg, or write (TYPE)%s%s",
	    text, target->symbol, uname(&name) ? "VERSION" : name.release,
	    target->symbol, target->path);
}

/* Is this what one register watches, and prints as one value? */
static bool is_scalar(struct type *type)
{
	type = type_strip(type);
	switch (type->kind) {
	case TYPE_INT:
	case TYPE_CHAR:
	case TYPE_BOOL:
	case TYPE_ENUM:
	case TYPE_POINTER:
		return type->size <= 8;
	default:
		return false;
	}
}

/* A spec with another target and some options more: a new string. */
static char *replace_target(const char *spec, const char *text, const char *rewritten,
			    uint64_t len)
{
	char name[KSYM_EVENT_LEN], len_option[32] = "", *name_option, *given, *whole;

	given = spec_option(spec, "len=");
	if (len && !given)
		snprintf(len_option, sizeof(len_option), " len=%llu", (unsigned long long)len);
	free(given);
	/* The name is made from what was typed. */
	given = spec_option(spec, "name=");
	spec_name(spec, name);
	name_option = given || !name[0] || !strcmp(text, rewritten) ? xstrdup("") :
		      xasprintf(" name=%s", name);
	whole = xasprintf("%s%.*s%s%s%s", rewritten,
			  (int)(spec_target_len(spec) - strlen(text)), spec + strlen(text),
			  len_option, name_option, spec + spec_target_len(spec));
	free(name_option);
	free(given);
	return whole;
}

/**
 * resolve_spec - a spec in words that the tracer takes
 * @spec: the spec, as somebody typed it
 *
 * A member of a variable gets the cast that the tracer wants, or becomes an offset; a
 * number gets the length of its type where nobody gave one. All else stays as it is,
 * also what is wrong, of which the tracer tells. Ends the program where a member is not
 * to be found.
 *
 * Return: a new string.
 */
char *resolve_spec(const char *spec)
{
	char *text = spec_target(spec), *len = spec_option(spec, "len="), *error, *rewritten;
	struct resolved resolved = {};
	struct target target;
	bool wanted = false;
	uint64_t size = 0;

	if (target_parse(&target, text, &error) && target.symbol && !target.cast)
		wanted = *target.path || (!len && !target.off &&
			 types_may_know(get_types(), target.module, target.symbol));
	free(error);
	target_free(&target);
	rewritten = xstrdup(text);
	if (wanted && resolve(&resolved, text, &error)) {
		if (*resolved.target.path) {
			if (!resolved.variable)
				die_of_path(text, &resolved);
			free(rewritten);
			rewritten = rewrite_path(text, &resolved, resolved.variable);
			/* Behind a cast it has the length of its type. */
			if (*rewritten != '(')
				size = resolved.place.size;
		} else if (resolved.variable && is_scalar(resolved.variable)) {
			size = resolved.place.size;
		}
	}
	free(len);
	len = replace_target(spec, text, rewritten, size);
	free(rewritten);
	free(text);
	resolved_free(&resolved);
	return len;
}

/* --- The types of watches ------------------------------------------------------- */

/* Does anything tell the type of what a watch is on? Asks for no more than it must. */
static bool may_have_type(const char *text)
{
	struct target target;
	bool may = false;
	char *error;

	if (target_parse(&target, text, &error) && !target.nowhere)
		may = target.cast || types_may_know(get_types(), target.module,
						    target.symbol ?: "");
	free(error);
	target_free(&target);
	return may && resolve_symbols();
}

/**
 * resolve_marker - the marker that says of which type a watch is
 * @event: what the watch is called
 * @text: its target, as the tracer shows it
 * @len: its length
 *
 * Return: a new string, for the trace; or NULL where the type is not known.
 */
char *resolve_marker(const char *event, const char *text, unsigned int len)
{
	struct resolved resolved = {};
	char *error = NULL, *type = NULL, *marker = NULL;
	unsigned long long addr = 0;
	bool placed;

	if (len && may_have_type(text) && resolve(&resolved, text, &error))
		type = resolved_type_text(&resolved, len);
	if (type) {
		placed = resolved.symbol && !resolved.place.nr_pointers;
		if (placed)
			addr = resolved.symbol->addr + resolved.target.off +
			       resolved.place.off[0];
		marker = type_marker(event, placed ? &addr : NULL, type);
	}
	free(type);
	free(error);
	resolved_free(&resolved);
	return marker;
}

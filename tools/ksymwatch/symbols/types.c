// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is known of types on this machine: which files tell them, whether these are of
 * the running kernel, and where a path like .MEMBER->MEMBER[N] leads.
 *
 * Files are opened when something asks for what may be in them, and once.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util.h"
#include "spec/spec.h"
#include "symbols/symbols.h"
#include "symbols/type.h"

#define KERNEL_BTF	"/sys/kernel/btf/vmlinux"
#define MODULE_BTF	"/sys/kernel/btf/%s"

/* How many types of a name are tried. */
#define MAX_NAMED	32

/* What is known of the kernel's own types, or of those of a module. */
struct types_of {
	struct types_of		*next;		/* the next module */
	char			*module;	/* its name, or NULL for the kernel */
	struct debuginfo	*info;		/* its file, or NULL */
	struct type_source	*dwarf;		/* its debug info, or NULL */
	struct type_source	*btf;		/* its BTF, or NULL */
	bool			info_asked;	/* @info was looked for */
	bool			dwarf_asked;	/* likewise */
	bool			btf_asked;	/* likewise */
};

/* What is known of a module's types, or with NULL of the kernel's own; as long as we run. */
static struct types_of *types_of(const char *module)
{
	static struct types_of kernel;
	struct types_of *of;

	if (!module)
		return &kernel;
	for (of = kernel.next; of; of = of->next)
		if (!strcmp(of->module, module))
			return of;
	of = xcalloc(1, sizeof(*of));
	of->module = xstrdup(module);
	of->next = kernel.next;
	kernel.next = of;
	return of;
}

/* --- Sources ---------------------------------------------------------------------- */

/*
 * The file of the kernel, or of a module; or NULL. Its build ID is that of what runs, unless
 * symbols of any kernel were asked for.
 */
struct debuginfo *types_debuginfo(const char *module)
{
	struct types_of *of = types_of(module);

	if (!of->info_asked)
		of->info = debuginfo_find(module);
	of->info_asked = true;
	return of->info;
}

static struct type_source *get_dwarf(const char *module)
{
	struct types_of *of = types_of(module);
	struct debuginfo *info;

	if (of->dwarf_asked)
		return of->dwarf;
	of->dwarf_asked = true;
	info = types_debuginfo(module);
	of->dwarf = info ? dwarf_open(info) : NULL;
	/* For the running kernel, symbols alone are useful. */
	if (!of->dwarf && !module && sources.vmlinux && (sources.foreign || !info))
		die("%s has no debug info of %s kernel", sources.vmlinux,
		    sources.foreign ? "a" : "the running");
	return of->dwarf;
}

static struct type_source *get_btf(const char *module)
{
	char *path __autofree = NULL;
	struct types_of *of = types_of(module);
	struct type_source *base;

	if (of->btf_asked)
		return of->btf;
	of->btf_asked = true;
	if (!module) {
		of->btf = btf_open(sources.btf ?: KERNEL_BTF, NULL);
		if (!of->btf && sources.btf)
			die("%s has no BTF", sources.btf);
		return of->btf;
	}
	base = get_btf(NULL);
	if (!base || sources.btf)
		return NULL;
	path = xasprintf(MODULE_BTF, module);
	of->btf = access(path, R_OK) ? NULL : btf_open(path, base);
	return of->btf;
}

/* Returns the type of a variable, or NULL if no debug info has it. */
struct type *types_variable(const struct symbols *symbols, const struct symbol *symbol)
{
	struct type_source *source;
	struct type *type = NULL;

	/* Cheap, and enough for most per-CPU variables. */
	if (symbol_is_percpu(symbols, symbol) &&
	    (!sources.vmlinux || !get_dwarf(symbol->module))) {
		source = get_btf(symbol->module);
		type = source ? btf_variable(source, symbol) : NULL;
	}
	if (type)
		return type;
	source = get_dwarf(symbol->module);
	return source ? dwarf_variable(source, symbols, symbol) : NULL;
}

/* May any debug info have the type of a variable of this name? */
bool types_may_know(const char *module, const char *name)
{
	const struct symbol symbol = { .name = (char *)name, .same = 1 };
	struct type_source *source = get_btf(module);

	return (source && btf_variable(source, &symbol)) || get_dwarf(module);
}

/* --- Paths ------------------------------------------------------------------------- */

/* Finds a member, also in unnamed structs. Adds to @bit where it begins. */
static const struct type_member *find_member(struct type *type, const char *name, size_t len,
					     uint64_t *bit, int depth)
{
	const struct type_member *member, *found = NULL;
	uint64_t i;

	type = type_strip(type);
	if (depth == MAX_UNNAMED || !type_has_members(type))
		return NULL;
	type_open(type);
	for (i = 0; !found && i < type->nr; i++) {
		member = &type->member[i];
		if (strlen(member->name) == len && !memcmp(member->name, name, len))
			found = member;
		else if (!*member->name)
			found = find_member(member->type, name, len, bit, depth + 1);
		if (found)
			*bit += member->bit;
	}
	return found;
}

/* The members that begin as the wanted one does, or all, as many as fit in a line. */
static char *list_members(struct type *type, const char *name, size_t len)
{
	char *joined __autofree = NULL;
	struct strings names __cleanup(strings_free) = {};
	size_t size = 0, same;
	uint64_t i;

	for (same = len; !names.nr; same /= 2) {
		for (i = 0; i < type->nr && size < 200; i++) {
			if (!*type->member[i].name ||
			    strncmp(type->member[i].name, name, same))
				continue;
			size += strlen(type->member[i].name) + 2;
			strings_add(&names, type->member[i].name);
		}
		if (!same)
			break;
	}
	joined = strings_join(&names, ", ");
	return names.nr ? xasprintf(": it has %s%s", joined, size >= 200 ? ", ..." : "") :
			  xstrdup("");
}

/* What is wrong at a part of a path, which begins at @p and has @len characters. */
static bool fail(char **error, struct type *type, enum ksym_err code, const char *p, size_t len)
{
	char *is __autofree = type_declaration(type);

	*error = xasprintf("at '%.*s': %s: it is of the type %s", (int)len, p,
			   spec_message(code), is);
	return false;
}

/* The length of a part of a path, with what stands before its name. */
static size_t part_len(const char *p)
{
	size_t begin = *p == '[' ? 0 : strspn(p, ".->");

	return *p == '[' ? strcspn(p, "]") + 1 : begin + strcspn(p + begin, ".-[");
}

static bool follow_pointer(struct type_place *place, struct type *type, const char *p,
			   char **error)
{
	type_open(type);
	if (place->nr_pointers == MAX_POINTERS)
		return fail(error, type, KSYM_ERR_TOO_MANY_DEREFS, p, part_len(p));
	place->off[++place->nr_pointers] = 0;
	place->type = type->target;
	return true;
}

static bool step_member(struct type_place *place, const char *name, char **error)
{
	struct type *type = type_strip(place->type);
	const struct type_member *member;
	size_t len = part_len(name);
	uint64_t bit = 0;
	char *has;

	if (!type_has_members(type))
		return fail(error, type, KSYM_ERR_NOT_STRUCT, name, len);
	member = find_member(type, name, len, &bit, 0);
	if (!member && type->incomplete)
		return fail(error, type, KSYM_ERR_INCOMPLETE_TYPE, name, len);
	if (!member) {
		has = list_members(type, name, len);
		*error = xasprintf("at '%.*s': %s%s", (int)len, name,
				   spec_message(KSYM_ERR_NO_MEMBER), has);
		free(has);
		return false;
	}
	if (__builtin_add_overflow(place->off[place->nr_pointers], bit / 8,
				   &place->off[place->nr_pointers]))
		return fail(error, type, KSYM_ERR_NOT_KERNEL, name, len);
	place->bit = member->bits ? bit % 8 : 0;
	place->bits = member->bits;
	place->type = member->type;
	return true;
}

static bool step_index(struct type_place *place, const char *p, bool first, char **error)
{
	struct type *type = type_strip(place->type);
	unsigned long long index, off;
	size_t len = part_len(p);

	/* It fits in 32 bits. */
	index = strtoull(p + 1, NULL, 10);
	/* Behind a cast, the symbol is taken for an array of that type. */
	if (!first) {
		if (type->kind != TYPE_ARRAY && type->kind != TYPE_POINTER)
			return fail(error, type, KSYM_ERR_NOT_ARRAY, p, len);
		if (type->kind == TYPE_ARRAY && type->nr && index >= type->nr)
			return fail(error, type, KSYM_ERR_INDEX_RANGE, p, len);
		if (type->kind == TYPE_POINTER && !follow_pointer(place, type, p, error))
			return false;
		if (type->kind == TYPE_ARRAY) {
			type_open(type);
			place->type = type->target;
		}
	}
	type = place->type;
	if (!type->size)
		return fail(error, type, KSYM_ERR_NO_SIZE, p, len);
	if (__builtin_mul_overflow(index, type->size, &off) ||
	    __builtin_add_overflow(place->off[place->nr_pointers], off,
				   &place->off[place->nr_pointers]))
		return fail(error, type, KSYM_ERR_INDEX_RANGE, p, len);
	return true;
}

/* Takes the part of a path at @p. */
static bool step(struct type_place *place, const char *p, bool first, char **error)
{
	struct type *type = type_strip(place->type);

	if (place->bits)
		return fail(error, place->type, *p == '[' ? KSYM_ERR_NOT_ARRAY :
			    KSYM_ERR_NOT_STRUCT, p, part_len(p));
	if (*p == '[')
		return step_index(place, p, first, error);
	if (*p == '.')
		return step_member(place, p + 1, error);
	if (type->kind != TYPE_POINTER)
		return fail(error, type, KSYM_ERR_NOT_POINTER, p, part_len(p));
	return follow_pointer(place, type, p, error) && step_member(place, p + 2, error);
}

/*
 * Follows a path, as in struct ksym_target, from a type to @place. Returns whether it leads
 * anywhere; @error is what is wrong, a new string. @cast: somebody said that it begins at this
 * type: then the first [N] is for an array of it. Reads no memory: pointers on the way are
 * only noted.
 */
bool type_walk(struct type_place *place, struct type *type, const char *path, bool cast,
	       char **error)
{
	const char *p;
	struct type *whole;

	*place = (struct type_place) { .type = type };
	*error = NULL;
	for (p = path; *p; p += part_len(p))
		if (!step(place, p, cast && p == path, error))
			return false;
	/* Once more, as a type that has a name only may have been completed meanwhile. */
	whole = type_strip(place->type);
	type_open(whole);
	place->size = place->bits ? (place->bit + place->bits + 7) / 8 : whole->size;
	if (!place->size)
		return fail(error, place->type, KSYM_ERR_NO_SIZE, path, strlen(path));
	return true;
}

/*
 * Follows a path from a type that somebody named in parentheses, of the types of @module
 * first, or NULL. Several types may have the name: the path must lead to the same place in all
 * of them in which it leads anywhere. Returns whether it does; @error is what is wrong, a new
 * string.
 */
bool types_cast(const char *module, const char *cast, const char *path,
		struct type_place *place, char **error)
{
	struct type_source *source = get_btf(module);
	struct type *named[MAX_NAMED];
	bool found = false;
	size_t nr = 0, i;

	*error = NULL;
	if (source)
		nr = btf_named(source, cast, named, MAX_NAMED);
	if (!nr && module) {
		source = get_btf(NULL);
		nr = source ? btf_named(source, cast, named, MAX_NAMED) : 0;
	}
	if (!source)
		*error = xstrdup(spec_message(KSYM_ERR_NO_BTF));
	else if (!nr)
		*error = xasprintf("at '%s': %s", cast, spec_message(KSYM_ERR_NO_TYPE));
	for (i = 0; i < nr && i < MAX_NAMED; i++) {
		struct type_place other;
		char *text;

		if (!type_walk(&other, named[i], path, true, &text)) {
			if (*error)
				free(text);
			else
				*error = text;
			continue;
		}
		if (found && !type_place_is_same(place, &other)) {
			free(*error);
			*error = xasprintf("at '%s': %s", cast,
					   spec_message(KSYM_ERR_AMBIGUOUS_TYPE));
			return false;
		}
		if (!found)
			*place = other;
		found = true;
	}
	if (found) {
		free(*error);
		*error = NULL;
	}
	return found;
}

/* Do two paths lead to the same place, and of the same length? */
bool type_place_is_same(const struct type_place *a, const struct type_place *b)
{
	unsigned int i;

	if (a->nr_pointers != b->nr_pointers || a->size != b->size || a->bit != b->bit ||
	    a->bits != b->bits)
		return false;
	for (i = 0; i <= a->nr_pointers; i++)
		if (a->off[i] != b->off[i])
			return false;
	return true;
}

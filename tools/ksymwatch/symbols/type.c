// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of C as nodes, whichever debug info they are from: they are made once, filled
 * when something asks for them, and last as long as the program.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "spec/spec.h"
#include "symbols/type.h"

/* Damaged debug info may go in circles: no type of C is deeper. */
#define MAX_DEPTH	64

/* As many names as a line has room for. */
#define MAX_NAMES	32

static int compare_types(const void *a, const void *b)
{
	const struct type *type_a = a, *type_b = b;

	if (type_a->id != type_b->id)
		return type_a->id < type_b->id ? -1 : 1;
	return 0;
}

/* The node of the type with this id in its source. What can't be read is void. */
struct type *type_get(struct type_source *source, uint64_t id)
{
	struct type key = { .id = id }, *type, **found;

	found = tfind(&key, &source->types, compare_types);
	if (found)
		return *found;
	type = xcalloc(1, sizeof(*type));
	type->id = id;
	type->source = source;
	check_memory(tsearch(type, &source->types, compare_types));
	/* It is found from here on, also by what it is made of. */
	if (id != TYPE_ID_VOID && ++source->depth <= MAX_DEPTH)
		source->ops->fill(type);
	source->depth -= id != TYPE_ID_VOID;
	if (!type->name)
		type->name = xstrdup("");
	return type;
}

/* Fills in the target, the members or the enumerators of a type. */
void type_open(struct type *type)
{
	struct type *whole = NULL;

	if (type->opened)
		return;
	type->opened = true;
	if (type->incomplete)
		whole = type->source->ops->complete(type);
	if (whole && whole != type && !whole->incomplete && whole->kind == type->kind) {
		type_open(whole);
		type->incomplete = false;
		type->size = whole->size;
		type->is_signed = whole->is_signed;
		type->nr = whole->nr;
		type->member = whole->member;
		type->enumerator = whole->enumerator;
	} else if (type->id != TYPE_ID_VOID) {
		type->source->ops->open(type);
	}
}

/* The type without its typedefs. */
struct type *type_strip(struct type *type)
{
	int depth;

	for (depth = 0; type->kind == TYPE_TYPEDEF && depth < MAX_DEPTH; depth++) {
		type_open(type);
		type = type->target;
	}
	return type->kind == TYPE_TYPEDEF ? type_get(type->source, TYPE_ID_VOID) : type;
}

bool type_has_members(const struct type *type)
{
	return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}

/* Is this what one register watches, and prints as one value? */
bool type_is_scalar(struct type *type)
{
	type = type_strip(type);
	return type->size <= REGISTER_LEN &&
	       (type->kind == TYPE_INT || type->kind == TYPE_CHAR || type->kind == TYPE_BOOL ||
		type->kind == TYPE_ENUM || type->kind == TYPE_POINTER);
}

/* What a file calls something, as a new string that is harmless on a terminal. */
char *type_text(const char *text)
{
	char *copy = xstrdup(text ?: ""), *p;

	for (p = copy; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			*p = '?';
	return copy;
}

void type_add_member(struct type *type, const char *name, struct type_member member)
{
	member.name = type_text(name);
	*array_add(type->member, type->nr) = member;
}

void type_add_enumerator(struct type *type, const char *name, int64_t value)
{
	*array_add(type->enumerator, type->nr) =
		(struct type_enumerator) { type_text(name), value };
}

/*
 * A type as one writes it in C, a new string. What follows a name in a declaration follows the
 * type here, as in "char [16]".
 */
char *type_declaration(struct type *type)
{
	static const char * const words[] = {
		[TYPE_STRUCT] = "struct ", [TYPE_UNION] = "union ", [TYPE_ENUM] = "enum ",
		[TYPE_VOID] = "void", [TYPE_FUNCTION] = "function", [TYPE_TYPEDEF] = NULL,
	};
	char *around __autofree = xstrdup(""), *inner;
	const char *word, *name;
	int depth;

	for (depth = 0; depth < MAX_DEPTH; depth++) {
		if (type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY)
			break;
		type_open(type);
		inner = around;
		/* A pointer to an array needs parentheses, or it is an array of pointers. */
		if (type->kind == TYPE_POINTER)
			around = xasprintf("*%s", inner);
		else if (type->nr)
			around = xasprintf(*inner == '*' ? "(%s)[%ju]" : "%s[%ju]", inner,
					   (uintmax_t)type->nr);
		else
			around = xasprintf(*inner == '*' ? "(%s)[]" : "%s[]", inner);
		free(inner);
		type = type->target;
	}
	word = words[type->kind] ?: "";
	name = type->kind == TYPE_VOID || type->kind == TYPE_FUNCTION ? "" :
	       *type->name ? type->name : "{...}";
	return xasprintf("%s%s%s%s", word, name, *around ? " " : "", around);
}

static void add_members(struct strings *names, struct type *type, const char *before,
			unsigned long long base, unsigned long long off, unsigned long long len,
			int depth)
{
	uint64_t i;

	type = type_strip(type);
	if (depth > MAX_UNNAMED || !type_has_members(type))
		return;
	type_open(type);
	for (i = 0; i < type->nr && names->nr < MAX_NAMES; i++) {
		char *name __autofree = NULL;
		const struct type_member *member = &type->member[i];
		unsigned long long begin = base + member->bit / 8, size;
		struct type *inner = type_strip(member->type);

		size = member->bits ? (member->bit % 8 + member->bits + 7) / 8 : inner->size;
		if (begin >= off + len || begin + size <= off)
			continue;
		name = *member->name ? xasprintf("%s.%s", before, member->name) : xstrdup(before);
		/* A member that is covered entirely is listed by its name. */
		if ((begin < off || begin + size > off + len || !*member->name) &&
		    type_has_members(inner))
			add_members(names, inner, name, begin, off, len, depth + 1);
		else
			strings_add(names, name);
	}
}

/*
 * The names of the members that @len bytes at @off are, with a comma between them: a new
 * string, or NULL where there are none.
 */
char *type_members(struct type *type, unsigned long long off, unsigned long long len)
{
	struct strings names __cleanup(strings_free) = {};

	add_members(&names, type, "", 0, off, len, 0);
	return names.nr ? strings_join(&names, ", ") : NULL;
}

void type_source_init(struct type_source *source, const struct type_source_ops *ops,
		      const char *name)
{
	source->ops = ops;
	source->name = xstrdup(name);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of C as nodes, whichever debug info they are from: they are made once, filled
 * when something asks for them, and gone with their source.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "symbols/type.h"

/* Damaged debug info may go in circles: no type of C is deeper. */
#define MAX_DEPTH	64

/* As many names as a line has room for, and how deep they are looked for. */
#define MAX_NAMES	32
#define MAX_UNNAMED	16

static int compare_types(const void *a, const void *b)
{
	const struct type *type_a = a, *type_b = b;

	if (type_a->id != type_b->id)
		return type_a->id < type_b->id ? -1 : 1;
	return 0;
}

/**
 * type_get - the node of a type
 * @source: where it comes from
 * @id: which one it is there
 *
 * Return: the node, which belongs to the source. What can't be read is void.
 */
struct type *type_get(struct type_source *source, uint64_t id)
{
	struct type key = { .id = id }, *type, **found;

	found = tfind(&key, &source->types, compare_types);
	if (found)
		return *found;
	type = xcalloc(1, sizeof(*type));
	type->id = id;
	type->source = source;
	if (!tsearch(type, &source->types, compare_types))
		die("out of memory");
	/* It is found from here on, also by what it is made of. */
	if (++source->depth <= MAX_DEPTH)
		source->ops->fill(source, type);
	source->depth--;
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
	if (type->incomplete && type->source->ops->complete)
		whole = type->source->ops->complete(type->source, type);
	if (whole && whole != type && !whole->incomplete && whole->kind == type->kind) {
		type_open(whole);
		type->incomplete = false;
		type->size = whole->size;
		type->is_signed = whole->is_signed;
		type->nr = whole->nr;
		type->member = whole->member;
		type->enumerator = whole->enumerator;
		type->borrowed = true;
		return;
	}
	switch (type->kind) {
	case TYPE_POINTER:
	case TYPE_ARRAY:
	case TYPE_TYPEDEF:
		/* Callers rely on a target; void stands for an unknown one. */
		type->target = type->source->ops->target(type->source, type) ?:
			       type_get(type->source, UINT64_MAX);
		break;
	case TYPE_STRUCT:
	case TYPE_UNION:
	case TYPE_ENUM:
		type->source->ops->open(type->source, type);
		break;
	default:
		break;
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
	return type->kind == TYPE_TYPEDEF ? type_get(type->source, UINT64_MAX) : type;
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

/**
 * type_declaration - a type as one writes it in C
 * @type: the type
 *
 * What follows a name in a declaration follows the type here, as in
 * "char [16]".
 *
 * Return: a new string.
 */
char *type_declaration(struct type *type)
{
	char *stars = xstrdup(""), *behind = xstrdup(""), *longer, *text;
	const char *word = "", *name;
	bool after_star = false;
	int depth;

	for (depth = 0; depth < MAX_DEPTH; depth++) {
		if (type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY)
			break;
		type_open(type);
		if (type->kind == TYPE_POINTER) {
			longer = xasprintf("*%s", stars);
			free(stars);
			stars = longer;
		} else {
			/* A pointer to an array, which is not an array of pointers. */
			if (after_star) {
				longer = xasprintf("(%s)", stars);
				free(stars);
				stars = longer;
			}
			longer = type->nr ? xasprintf("%s[%llu]", behind,
						      (unsigned long long)type->nr) :
					    xasprintf("%s[]", behind);
			free(behind);
			behind = longer;
		}
		after_star = type->kind == TYPE_POINTER;
		type = type->target;
	}
	name = type->name;
	switch (type->kind) {
	case TYPE_STRUCT:
		word = "struct ";
		break;
	case TYPE_UNION:
		word = "union ";
		break;
	case TYPE_ENUM:
		word = "enum ";
		break;
	case TYPE_VOID:
		name = "void";
		break;
	case TYPE_FUNCTION:
		name = "function";
		break;
	default:
		break;
	}
	text = xasprintf("%s%s%s%s%s", word, *name ? name : "{...}",
			 *stars || *behind ? " " : "", stars, behind);
	free(stars);
	free(behind);
	return text;
}

static void add_members(struct strings *names, struct type *type, const char *before,
			unsigned long long base, unsigned long long off, unsigned long long len,
			int depth)
{
	uint64_t i;

	type = type_strip(type);
	if (depth > MAX_UNNAMED || (type->kind != TYPE_STRUCT && type->kind != TYPE_UNION))
		return;
	type_open(type);
	for (i = 0; i < type->nr && names->nr < MAX_NAMES; i++) {
		const struct type_member *member = &type->member[i];
		unsigned long long begin = base + member->bit / 8, size;
		struct type *inner = type_strip(member->type);
		char *name;

		size = member->bits ? (member->bit % 8 + member->bits + 7) / 8 : inner->size;
		if (begin >= off + len || begin + size <= off)
			continue;
		name = *member->name ? xasprintf("%s.%s", before, member->name) : xstrdup(before);
		/* A member that is covered entirely is listed by its name. */
		if ((begin < off || begin + size > off + len || !*member->name) &&
		    (inner->kind == TYPE_STRUCT || inner->kind == TYPE_UNION))
			add_members(names, inner, name, begin, off, len, depth + 1);
		else
			strings_add(names, name);
		free(name);
	}
}

/**
 * type_members - which members some bytes are
 * @type: the type that they are a part of
 * @off: where they begin
 * @len: how many they are
 *
 * Return: their names as in C, with a comma between them, or NULL where there are none.
 */
char *type_members(struct type *type, unsigned long long off, unsigned long long len)
{
	struct strings names = {};
	char *joined = NULL;

	add_members(&names, type, "", 0, off, len, 0);
	if (names.nr)
		joined = strings_join(&names, ", ");
	strings_free(&names);
	return joined;
}

void type_source_init(struct type_source *source, const struct type_source_ops *ops,
		      const char *name)
{
	source->ops = ops;
	source->name = xstrdup(name);
	source->types = NULL;
}

static void free_type(void *data)
{
	struct type *type = data;
	uint64_t i;

	if (!type->borrowed) {
		for (i = 0; type->member && i < type->nr; i++)
			free(type->member[i].name);
		for (i = 0; type->enumerator && i < type->nr; i++)
			free(type->enumerator[i].name);
		free(type->member);
		free(type->enumerator);
	}
	free(type->name);
	free(type);
}

/* Frees a source with all of its types. */
void type_source_close(struct type_source *source)
{
	if (!source)
		return;
	tdestroy(source->types, free_type);
	if (source->ops->close)
		source->ops->close(source);
	free(source->name);
	free(source);
}

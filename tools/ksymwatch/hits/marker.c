// SPDX-License-Identifier: GPL-2.0-only
/* Markers: the type of a watch as text, for those who read its hits without debug info. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "hits/marker.h"
#include "hits/value.h"
#include "lib/util.h"
#include "symbols/debuginfo.h"
#include "symbols/resolve.h"

/* The names of an enum and the members of a struct are cut where a text gets longer. */
#define TEXT_LEN	3600
#define ENUM_LEN	1500
#define MAX_MEMBERS	4096

/*
 * Are these flags? Each is one bit, or none. One of 4 or more among them makes the
 * difference to names that are counted.
 */
static bool is_flags(const struct type *type)
{
	bool high = false;
	uint64_t i;

	for (i = 0; i < type->nr; i++) {
		uint64_t value = type->enumerator[i].value;

		if (value & (value - 1))
			return false;
		high = high || value >= 4;
	}
	return high;
}

static char *enum_text(struct type *type)
{
	char *joined __autofree = NULL;
	struct strings names __cleanup(strings_free) = {};
	size_t len = 0;
	char kind;
	uint64_t i;

	type_open(type);
	kind = is_flags(type) ? VALUE_FLAGS : type->is_signed ? VALUE_SIGNED_ENUM : VALUE_ENUM;
	for (i = 0; i < type->nr; i++) {
		const struct type_enumerator *enumerator = &type->enumerator[i];

		if (!is_identifier(enumerator->name, strlen(enumerator->name)))
			continue;
		len += strlen(enumerator->name) + 24;
		if (len > ENUM_LEN) {
			strings_add(&names, "...");
			break;
		}
		strings_add_owned(&names, xasprintf("%s=%lld", enumerator->name,
						    (long long)enumerator->value));
	}
	joined = strings_join(&names, ",");
	return xasprintf("%c%u(%s)", kind, (unsigned int)type->size, joined);
}

/*
 * How many jiffies a second has, or 0 if unknown. Their number and the time since boot do not tell
 * it: of a slow boot, jiffies miss seconds.
 */
static unsigned int find_hz(void)
{
	char line[256], path[PATH_MAX];
	gzFile config = open_running_config(path);
	unsigned int hz = 0;

	while (config && !hz && gzgets(config, line, sizeof(line)))
		sscanf(line, "CONFIG_HZ=%u", &hz);
	if (config)
		gzclose(config);
	return hz;
}

/*
 * Replaces the text of a variable's or member's type if its name says that it counts jiffies,
 * which have no type of their own.
 */
static char *name_type(char *text, struct type *type, const char *name)
{
	static int hz = -1;

	if (!text || strcmp(text, "u8"))
		return text;
	/* A timer's; others are of the type u64. */
	if (!strstr(name, "jiffies") && (strcmp(name, "expires") ||
					 strstr(type_strip(type)->name, "long long")))
		return text;
	if (hz < 0)
		hz = find_hz();
	if (!hz)
		return text;
	free(text);
	return xasprintf("%c8(%d)", VALUE_JIFFIES, hz);
}

static char *part_text(struct type *type, unsigned long long off, unsigned long long len,
		       unsigned int depth);

/* A member as a text, or NULL where it is outside of the @len bytes from @off on. */
static char *member_text(const struct type_member *member, unsigned long long base,
			 unsigned long long off, unsigned long long len, unsigned int depth)
{
	char field[32] = "", *text __autofree = NULL;
	unsigned long long begin = base + member->bit / 8, size, end;
	struct type *type = type_strip(member->type);
	unsigned int bit = member->bit % 8;

	size = member->bits ? (bit + member->bits + 7) / 8 : type->size;
	end = begin + size;
	if (!size || end < begin || begin < off || end > off + len)
		return NULL;
	if (!is_identifier(member->name, strlen(member->name)))
		return NULL;
	if (member->bits)
		snprintf(field, sizeof(field), ".%u:%u", bit, member->bits);
	text = part_text(member->type, 0, type->size, depth + 1);
	text = name_type(text, type, member->name);
	return text ? xasprintf("%s@%llu%s%s;", member->name, begin - off, field, text) : NULL;
}

/*
 * The elements of an array that are wholly in the @len bytes from @off on, as a member
 * that is called by the first of them; or NULL where there is none.
 */
static char *elements_text(const struct type_member *member, unsigned long long begin,
			   unsigned long long off, unsigned long long len, unsigned int depth)
{
	char *text __autofree = NULL;
	struct type *type = type_strip(member->type), *item;
	unsigned long long first = 0, last, end = off + len;

	type_open(type);
	item = type_strip(type->target);
	if (!item->size || !is_identifier(member->name, strlen(member->name)))
		return NULL;
	if (begin < off)
		first = (off - begin + item->size - 1) / item->size;
	last = end > begin ? (end - begin) / item->size : 0;
	last = last > type->nr ? type->nr : last;
	if (first >= last)
		return NULL;
	text = part_text(type->target, 0, item->size, depth + 1);
	if (!text)
		return NULL;
	begin += first * item->size;
	return last - first == 1 ?
	       xasprintf("%s[%llu]@%llu%s;", member->name, first, begin - off, text) :
	       xasprintf("%s[%llu]@%llu[%llu]%s;", member->name, first, begin - off,
			 last - first, text);
}

/*
 * Adds the members that are wholly in the @len bytes from @off on, those of unnamed
 * structs as well, as C does. What is partly in there is looked into.
 */
static size_t add_members(struct strings *texts, struct type *type, unsigned long long base,
			  unsigned long long off, unsigned long long len, unsigned int depth)
{
	size_t size = 0;
	uint64_t i;

	type_open(type);
	for (i = 0; depth < VALUE_MAX_DEPTH && i < type->nr && texts->nr < MAX_MEMBERS; i++) {
		const struct type_member *member = &type->member[i];
		struct type *inner = type_strip(member->type);
		unsigned long long begin = base + member->bit / 8;
		char *text = member_text(member, base, off, len, depth);

		if (!text && inner->kind == TYPE_ARRAY && !member->bits)
			text = elements_text(member, begin, off, len, depth);
		if (text) {
			size += strlen(text);
			strings_add_owned(texts, text);
		} else if ((inner->kind == TYPE_STRUCT || inner->kind == TYPE_UNION) &&
			   begin < off + len && begin + inner->size > off) {
			size += add_members(texts, inner, begin, off, len, depth + 1);
		}
	}
	return size;
}

static char *struct_text(struct type *type, unsigned long long off, unsigned long long len,
			 unsigned int depth)
{
	char *joined __autofree = NULL;
	struct strings texts __cleanup(strings_free) = {};

	if (add_members(&texts, type, 0, off, len, depth) >= TEXT_LEN || !texts.nr)
		return NULL;
	joined = strings_join(&texts, "");
	return xasprintf("{%s}%llu", joined, len);
}

/* A part of an array, from the beginning of an element to the end of one. */
static char *array_text(struct type *type, unsigned long long off, unsigned long long len,
			unsigned int depth)
{
	char *text __autofree = NULL;
	struct type *item;

	type_open(type);
	item = type_strip(type->target);
	if (!item->size)
		return NULL;
	off %= item->size;
	if (len <= item->size - off && (off || len < item->size))
		return part_text(type->target, off, len, depth + 1);
	if (off || len % item->size)
		return NULL;
	text = part_text(type->target, 0, item->size, depth + 1);
	return text ? xasprintf("[%llu]%s", len / item->size, text) : NULL;
}

/* What a typedef makes of an integer, or 0. */
static char typedef_kind(struct type *type)
{
	int depth;

	for (depth = 0; type->kind == TYPE_TYPEDEF && depth < VALUE_MAX_DEPTH; depth++) {
		if (!strcmp(type->name, "ktime_t"))
			return VALUE_TIME;
		if (!strcmp(type->name, "pid_t"))
			return VALUE_PID;
		type_open(type);
		type = type->target;
	}
	return 0;
}

/* The @len bytes of a type from @off on as text, or NULL where that has no type. */
static char *part_text(struct type *type, unsigned long long off, unsigned long long len,
		       unsigned int depth)
{
	static const char kinds[TYPE_TYPEDEF + 1] = {
		[TYPE_CHAR] = VALUE_CHAR, [TYPE_BOOL] = VALUE_BOOL, [TYPE_POINTER] = VALUE_POINTER,
	};
	char kind = typedef_kind(type);

	type = type_strip(type);
	if (depth > VALUE_MAX_DEPTH || !len || len > VALUE_MAX_SIZE || off + len > type->size)
		return NULL;
	if (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION)
		return struct_text(type, off, len, depth);
	if (type->kind == TYPE_ARRAY)
		return array_text(type, off, len, depth);
	if (off || len != type->size)
		return NULL;
	if (type->kind == TYPE_ENUM)
		return enum_text(type);
	if (type->kind != TYPE_INT)
		kind = kinds[type->kind] ?: VALUE_HEX;
	else if (!kind)
		kind = type->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED;
	return xasprintf("%c%llu", kind, len);
}

/* Returns the type of the watched bytes as a new string, or NULL if unknown. */
static char *resolved_text(const struct resolved *resolved, unsigned int len)
{
	char *text __autofree = NULL;
	const struct type_place *place = &resolved->place;
	const char *name = resolved->target.path, *end;

	if (!resolved->variable || resolved->target.off < 0)
		return NULL;
	/* The tracer extracts the number of a bit-field from the bytes that contain it. */
	if (place->bits) {
		text = len == place->size ? part_text(place->type, 0,
						      type_strip(place->type)->size, 0) : NULL;
		return text ? xasprintf(".0:%u%s", place->bits, text) : NULL;
	}
	/* The last member of the path. */
	while ((end = strpbrk(name, ".>")))
		name = end + 1;
	return name_type(part_text(place->type, resolved->target.off, len, 0), place->type,
			 *name ? name : resolved->target.symbol);
}

/* Are these the kernel's jiffies? Their type is known without debug info. */
static bool are_jiffies(const struct ksym_target *target, unsigned int len)
{
	return (!strcmp(target->symbol, "jiffies") || !strcmp(target->symbol, "jiffies_64")) &&
	       !*target->module && !*target->type && !*target->path && !target->off && len == 8;
}

/*
 * Makes the marker with the type of the watch that is shown as @watch; @len is 0 if unknown. A
 * new string, or NULL if the type is unknown or too long.
 */
char *make_marker(const char *watch, const struct ksym_target *target, unsigned int len)
{
	char *type __autofree = NULL, *marker = NULL, at[32] = "";
	struct resolved resolved __cleanup(resolved_free) = {};
	unsigned long long addr;

	if (are_jiffies(target, len)) {
		type = name_type(xstrdup("u8"), NULL, target->symbol);
	} else if (len && resolve_may_have_type(target)) {
		resolve(&resolved, target);
		type = resolved_text(&resolved, len);
	}
	if (type && resolved.symbol && !resolved.place.nr_pointers) {
		addr = resolved.symbol->addr + resolved.target.off + resolved.place.off[0];
		snprintf(at, sizeof(at), "at=%llu ", addr & VALUE_AT_MASK);
	}
	if (type)
		marker = xasprintf(TYPE_MARKER "%s %s%s", watch, at, type);
	if (marker && strlen(marker) > MARKER_LEN) {
		free(marker);
		marker = NULL;
	}
	return marker;
}

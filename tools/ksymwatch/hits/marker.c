// SPDX-License-Identifier: GPL-2.0-only
/*
 * Markers: the type of a watch as text, for those who read its hits without debug info.
 */
#include <stdlib.h>
#include <string.h>

#include "hits/marker.h"
#include "hits/value.h"
#include "lib/util.h"
#include "symbols/resolve.h"

/* Returns the type of the watched bytes as a new string, or NULL if unknown. */
static char *type_text_of(const struct resolved *resolved, unsigned int len)
{
	const struct type_place *place = &resolved->place;
	const char *name = resolved->target.path, *end;

	if (!resolved->variable || resolved->target.off < 0)
		return NULL;
	/* The tracer extracts the number of a bit-field from the bytes that contain it. */
	if (place->bits)
		return len == place->size ? type_to_text(place->type, 0, len, 0, place->bits) :
					    NULL;
	/* The last member of the path. */
	while ((end = strpbrk(name, ".>")))
		name = end + 1;
	return type_text_named(type_to_text(place->type, resolved->target.off, len, 0, 0),
			       place->type, *name ? name : resolved->target.symbol);
}

/* Are these the kernel's jiffies? Their type is known without debug info. */
static bool are_jiffies(const struct ksym_target *target, unsigned int len)
{
	return (!strcmp(target->symbol, "jiffies") || !strcmp(target->symbol, "jiffies_64")) &&
	       !*target->module && !*target->type && !*target->path && !target->off && len == 8;
}

/**
 * make_marker - make the marker with the type of a watch
 * @watch: the shown name of the watch
 * @target: its target
 * @len: its length, or 0 if unknown
 *
 * Return: a new string, or NULL if the type is unknown.
 */
char *make_marker(const char *watch, const struct ksym_target *target, unsigned int len)
{
	char *type = NULL, *marker = NULL;
	struct resolved resolved = {};
	unsigned long long addr = 0;
	bool placed;

	if (are_jiffies(target, len)) {
		type = type_text_named(xstrdup("u8"), NULL, target->symbol);
	} else if (len && resolve_may_have_type(target)) {
		resolve(&resolved, target);
		type = type_text_of(&resolved, len);
	}
	if (type) {
		placed = resolved.symbol && !resolved.place.nr_pointers;
		if (placed)
			addr = resolved.symbol->addr + resolved.target.off +
			       resolved.place.off[0];
		marker = type_marker(watch, placed ? &addr : NULL, type);
	}
	free(type);
	resolved_free(&resolved);
	return marker;
}

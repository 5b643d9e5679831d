// SPDX-License-Identifier: GPL-2.0-only
/* Distinct texts with numbers. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "lib/names.h"

struct name {
	char	*text;
	size_t	number;
};

static int compare_names(const void *a, const void *b)
{
	const struct name *name_a = a, *name_b = b;

	return strcmp(name_a->text, name_b->text);
}

/**
 * names_find - return the number of a text, which is added if it is new: the number of those
 * before
 */
size_t names_find(struct names *names, const char *text)
{
	struct name key = { .text = (char *)text }, *name, **found;

	found = tfind(&key, &names->tree, compare_names);
	if (found)
		return (*found)->number;
	name = xcalloc(1, sizeof(*name));
	name->text = xstrdup(text);
	name->number = names->list.nr;
	strings_add_owned(&names->list, name->text);
	check_memory(tsearch(name, &names->tree, compare_names));
	return name->number;
}

void names_free(struct names *names)
{
	tdestroy(names->tree, free);
	strings_free(&names->list);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Distinct texts with numbers. */
#ifndef NAMES_H
#define NAMES_H

#include "lib/util.h"

/* A list of distinct texts. */
struct names {
	void		*tree;	/* the texts, for tsearch(3) */
	struct strings	list;	/* the texts in the order of their numbers, from 0 */
};

size_t names_find(struct names *names, const char *text);
void names_free(struct names *names);

#endif /* NAMES_H */

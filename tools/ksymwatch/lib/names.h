/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distinct texts with numbers.
 */
#ifndef NAMES_H
#define NAMES_H

#include "lib/util.h"

/**
 * struct names - a list of distinct texts
 * @tree: the texts, for tsearch(3)
 * @list: the texts in the order of their numbers, from 0
 */
struct names {
	void		*tree;
	struct strings	list;
};

size_t names_find(struct names *names, const char *text);
void names_free(struct names *names);

#endif /* NAMES_H */

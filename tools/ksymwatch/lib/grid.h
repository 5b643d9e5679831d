/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text in aligned columns.
 */
#ifndef KSYMWATCH_GRID_H
#define KSYMWATCH_GRID_H

#include "lib/util.h"

/**
 * struct grid - rows of cells
 * @columns: number of columns
 * @right: bitmap of the right-aligned columns
 * @indent: what each row starts with, or NULL
 * @cells: the cells, row by row; add to it
 */
struct grid {
	size_t		columns;
	unsigned int	right;
	const char	*indent;
	struct strings	cells;
};

void grid_print(struct grid *grid, FILE *out);

#endif /* KSYMWATCH_GRID_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in aligned columns. */
#ifndef KSYMWATCH_GRID_H
#define KSYMWATCH_GRID_H

#include "lib/util.h"

/* Rows of cells. */
struct grid {
	size_t		columns;	/* number of columns */
	unsigned int	right;		/* bitmap of the right-aligned columns */
	const char	*indent;	/* what each row starts with, or NULL */
	struct strings	cells;		/* the cells, row by row; add to it */
};

void grid_print(struct grid *grid, FILE *out);

#endif /* KSYMWATCH_GRID_H */

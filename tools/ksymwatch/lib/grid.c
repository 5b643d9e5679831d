// SPDX-License-Identifier: GPL-2.0-only
/* Text in aligned columns. */
#include <stdlib.h>
#include <string.h>

#include "lib/grid.h"
#include "lib/text.h"

/* Prints the rows, with two blanks between the columns, and frees the cells. */
void grid_print(struct grid *grid, FILE *out)
{
	int *width __autofree = xcalloc(grid->columns, sizeof(*width)), len;
	size_t i, column;

	for (i = 0; i < grid->cells.nr; i++) {
		len = strlen(grid->cells.text[i]);
		column = i % grid->columns;
		width[column] = len > width[column] ? len : width[column];
	}
	for (i = 0; i < grid->cells.nr; i++) {
		bool last;

		column = i % grid->columns;
		last = column + 1 == grid->columns;
		fputs(column ? "  " : grid->indent ?: "", out);
		len = width[column] - strlen(grid->cells.text[i]);
		if (grid->right >> column & 1)
			fprintf(out, "%*s", len, "");
		print_safe(out, grid->cells.text[i]);
		if (last)
			putc('\n', out);
		else if (!(grid->right >> column & 1))
			fprintf(out, "%*s", len, "");
	}
	strings_free(&grid->cells);
}

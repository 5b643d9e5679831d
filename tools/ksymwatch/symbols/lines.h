/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines of addresses in the kernel and its modules, and of user space.
 *
 * The build IDs of the kernel and its modules and where they are travel in the trace as
 * markers, so lines are right on another machine, and wrong debug info is not used.
 */
#ifndef KSYMWATCH_LINES_H
#define KSYMWATCH_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strings;

/**
 * struct source_line - a line of the source
 * @function: the function that has it: an inlined one, or the function itself
 * @path: the file as the compiler found it, which may be elsewhere now
 * @file: the end of @path, without the folder of the build
 * @line: number of the line
 */
struct source_line {
	const char	*function;
	const char	*path;
	const char	*file;
	int		line;
};

/**
 * struct code_lines - the lines of an address
 * @addr: the address
 * @line: the lines: that of the instruction, in the innermost inlined function, then those
 *	of the calls that were inlined
 * @nr: number of lines, at least one
 */
struct code_lines {
	unsigned long long	addr;
	struct source_line	*line;
	size_t			nr;
};

struct line_table *line_table_new(void);
void line_table_free(struct line_table *table);
void lines_markers(struct strings *markers);
void lines_note(struct line_table *table, const char *marker);
const struct code_lines *lines_at(struct line_table *table, unsigned long long addr);

#endif /* KSYMWATCH_LINES_H */

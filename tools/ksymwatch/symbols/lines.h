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
 * @line: the lines: that of the instruction, in the innermost inlined function, then those
 *	of the calls that were inlined
 * @nr: number of lines, at least one
 */
struct code_lines {
	struct source_line	*line;
	size_t			nr;
};

/**
 * struct user_code - what is at an address in a task's user space
 * @pid: the task; in lines.c, 0 stands for the kernel
 * @addr: the address
 * @function: the function, or NULL if unknown
 * @offset: offset of @addr in the function
 * @object: the program or library, or NULL if unknown
 * @build_id: its build ID in hexadecimal, or NULL
 * @lines: the source lines, if they are wanted; none if @lines.nr is 0
 */
struct user_code {
	int			pid;
	unsigned long long	addr;
	char			*function;
	unsigned long long	offset;
	char			*object;
	char			*build_id;
	struct code_lines	lines;
};

struct line_table *line_table_new(void);
void line_table_free(struct line_table *table);
void lines_markers(struct strings *markers);
void lines_note(struct line_table *table, const char *marker);
const struct user_code *lines_user(struct line_table *table, int pid, unsigned long long addr,
				   bool lines);
const struct code_lines *lines_at(struct line_table *table, unsigned long long addr);

#endif /* KSYMWATCH_LINES_H */

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

/* A line of the source. Its strings outlive the debug info, which a task takes with it. */
struct source_line {
	/* The function that has it: an inlined one, or the function itself; or NULL */
	char		*function;
	/* The file as the compiler found it, which may be elsewhere now */
	char		*path;
	const char	*file;		/* the end of @path, without the folder of the build */
	int		line;		/* number of the line */
};

/* The lines of an address. */
struct code_lines {
	/*
	 * The lines: that of the instruction, in the innermost inlined function, then those of
	 * the calls that were inlined
	 */
	struct source_line	*line;
	size_t			nr;	/* number of lines, at least one */
};

/* What is at an address in a task's user space. */
struct user_code {
	/* The task; in lines.c, 0 stands for the kernel, and -N for the recorded file N */
	int			pid;
	unsigned long long	addr;		/* the address, or the offset in that file */
	char			*function;	/* the function, or NULL if unknown */
	unsigned long long	offset;		/* offset of @addr in the function, or in @object */
	char			*object;	/* the program or library, or NULL if unknown */
	char			*build_id;	/* its build ID in hexadecimal, or NULL */
	/* The source lines, if they are wanted; none if @lines.nr is 0 */
	struct code_lines	lines;
};

struct line_table *line_table_new(void);
void line_table_free(struct line_table *table);
void lines_markers(struct strings *markers);
void lines_note(struct line_table *table, const char *marker);
void lines_take_mappings(struct line_table *table, const char *text, size_t size);
const struct user_code *lines_user(struct line_table *table, int pid, unsigned long long time,
				   unsigned long long addr, bool lines);
const struct code_lines *lines_at(struct line_table *table, unsigned long long addr);

#endif /* KSYMWATCH_LINES_H */

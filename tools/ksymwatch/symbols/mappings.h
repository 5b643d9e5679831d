/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tasks had mapped while a trace was recorded, for user stacks.
 *
 * It is a text in trace.dat's option of mappings, each line with a task and a time, in any
 * order. To trace-cmd, which reads the first line alone, it is the empty list of a task.
 */
#ifndef KSYMWATCH_MAPPINGS_H
#define KSYMWATCH_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

/* Task, number of mappings and program, for trace-cmd */
#define MAPPING_HEAD	"0 0 ksymwatch\n"
/* A process maps a program or a library: start, end, offset in the file, build ID and path */
#define MAPPING_FORMAT	"m %d %llu %llx %llx %llx %s %s\n"
/* It becomes another program: all mappings before are gone */
#define MAPPING_EXEC	"e %d %llu\n"
/* It begins as a copy of another one, or a thread as part of one */
#define MAPPING_FORK	"f %d %llu %d\n"
#define MAPPING_THREAD	"t %d %llu %d\n"
#define MAPPING_NO_ID	"-"

struct debuginfo;

/* A program or library. */
struct mapped {
	const char		*path;	/* its file, where it was recorded */
	const char		*id;	/* its build ID in hexadecimal, or NULL if unknown */
	struct debuginfo	*info;	/* the file with this build ID, or NULL if not here */
	int			number;	/* its number, from 1 */
};

struct mappings *mappings_new(const char *text, size_t size);
void mappings_free(struct mappings *mappings);
const struct mapped *mappings_find(struct mappings *mappings, int pid, unsigned long long time,
				   unsigned long long addr, unsigned long long *offset);
uint64_t mapped_address(const struct mapped *mapped, unsigned long long offset);

#endif /* KSYMWATCH_MAPPINGS_H */

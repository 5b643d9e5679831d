/* SPDX-License-Identifier: GPL-2.0-only */
/* Show: copies of the watches, for those who read them. */
#ifndef _KERNEL_TRACE_KSYM_SHOW_H
#define _KERNEL_TRACE_KSYM_SHOW_H

#include "ksym_trap.h"

/**
 * struct ksym_view - a copy of a watch, or of what a CPU knows of it, for a reader
 * @next: the next one
 * @cpu: the CPU, or -1 for all
 * @traps: its traps
 * @counts: what it counted
 * @times: how long it watched
 * @state: its state
 * @done: it had all of its count=
 * @follows: it follows a pointer, or is pointed at objects
 * @gone: a function of its window has left with its module
 * @group: the group of its event
 * @name: its name
 * @wide: the pieces of a wide watch, with their counts and nothing else, or NULL; also NULL
 *	in a copy of a CPU
 * @line: its line in ksym_trace_filter; NULL in a copy of a CPU
 */
struct ksym_view {
	struct ksym_view	*next;
	int			cpu;
	struct ksym_traps	traps;
	u64			counts[KSYM_NR_COUNTS];
	struct ksym_times	times;
	enum ksym_state		state;
	bool			done;
	bool			follows;
	bool			gone;
	char			group[KSYM_EVENT_LEN];
	char			name[KSYM_EVENT_LEN];
	struct ksym_wide	*wide;
	char			*line;
};

struct ksym_view *ksym_view_all(bool by_cpu);
#if IS_ENABLED(CONFIG_KUNIT)
struct ksym_view *ksym_make_view_locked(struct ksym_watch *watch, int cpu);
#endif
void ksym_view_free(struct ksym_view *view);
void ksym_format_coverage(char *buf, size_t size, const struct ksym_times *times);
bool ksym_view_has_times(const struct ksym_view *view);
int ksym_show_filter(struct seq_file *m, void *v);
size_t ksym_filter_size(void);
extern const struct file_operations ksym_slots_fops;

#endif /* _KERNEL_TRACE_KSYM_SHOW_H */

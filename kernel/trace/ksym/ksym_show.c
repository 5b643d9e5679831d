// SPDX-License-Identifier: GPL-2.0-only
/*
 * Show: what the readers of ksym_trace_filter, trace_stat and ksym_slots see.
 *
 * The times of a task's perf events can't be asked for under event_mutex. So the
 * watches are copied first, and their times are added when it is dropped; the
 * copies are what is printed.
 */
#include <linux/fs.h>
#include <linux/hw_breakpoint.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "ksym.h"

static struct ksym_view *make_view_locked(struct ksym_watch *watch)
{
	struct ksym_view *view = kzalloc(sizeof(*view), GFP_KERNEL);
	int cpu, i;

	lockdep_assert_held(&event_mutex);

	if (!view)
		return NULL;
	view->trap = ksym_trap_get(watch);
	view->done = ksym_watch_is_done(watch);
	strscpy(view->name, watch->name);
	ksym_format_watch(view->line, sizeof(view->line), watch);
	/* A CPU that went offline keeps what it counted. */
	for_each_possible_cpu(cpu)
		for (i = 0; i < KSYM_NR_COUNTS; i++)
			view->counts.n[i] += per_cpu_ptr(watch->counts, cpu)->n[i];
	return view;
}

/**
 * ksym_view_free - free a copy of a watch
 * @view: the copy; the next one is left alone
 *
 * Process context.
 */
void ksym_view_free(struct ksym_view *view)
{
	ksym_trap_put(view->trap);
	kfree(view);
}

/**
 * ksym_view_all - copy all watches, in the order in which they were made
 *
 * What there is no memory for is left out.
 *
 * Process context; sleeps; takes event_mutex.
 *
 * Return: the first copy, or NULL.
 */
struct ksym_view *ksym_view_all(void)
{
	struct ksym_view *first = NULL, **end = &first, *view;
	struct dyn_event *devent;

	mutex_lock(&event_mutex);
	for_each_dyn_event(devent) {
		if (!ksym_is_watch(devent))
			continue;
		*end = make_view_locked(to_ksym_watch(devent));
		if (!*end)
			break;
		end = &(*end)->next;
	}
	mutex_unlock(&event_mutex);

	for (view = first; view; view = view->next)
		ksym_trap_times(view->trap, &view->times);
	return first;
}

/**
 * ksym_format_coverage - write a coverage as a percentage
 * @buf: where to
 * @size: its size; 8 are enough
 * @times: what it is the coverage of; a task that has not run yet has 0
 *
 * Any context.
 */
void ksym_format_coverage(char *buf, size_t size, const struct ksym_times *times)
{
	unsigned int permille = 0;

	if (times->enabled)
		permille = mul_u64_u64_div_u64(times->running, 1000, times->enabled);
	snprintf(buf, size, "%u.%u%%", permille / 10, permille % 10);
}

static bool is_exited(const struct ksym_trap *trap)
{
	return trap->task && (READ_ONCE(trap->task->flags) & PF_EXITING);
}

static void show_line(struct seq_file *m, const struct ksym_view *view)
{
	const struct ksym_trap *trap = view->trap;
	const char *sep = " #";
	char coverage[16];

	seq_puts(m, view->line);
	if (trap->flexible) {
		ksym_format_coverage(coverage, sizeof(coverage), &view->times);
		seq_printf(m, "%s coverage=%s", sep, coverage);
		sep = "";
	}
	/* The mask changes with a CPU that comes or goes, and is as good as that. */
	if (!cpumask_empty(&trap->uncovered)) {
		seq_printf(m, "%s uncovered=%*pbl", sep,
			   cpumask_pr_args(&trap->uncovered));
		sep = "";
	}
	if (view->done) {
		seq_printf(m, "%s done", sep);
		sep = "";
	}
	if (is_exited(trap))
		seq_printf(m, "%s exited", sep);
	seq_putc(m, '\n');
}

/**
 * ksym_show_filter - print the watches as ksym_trace_filter has them
 * @m: the file
 * @v: unused
 *
 * Process context; sleeps.
 *
 * Return: 0.
 */
int ksym_show_filter(struct seq_file *m, void *v)
{
	struct ksym_view *view = ksym_view_all(), *next;

	for (; view; view = next) {
		next = view->next;
		show_line(m, view);
		ksym_view_free(view);
	}
	return 0;
}

/* ksym_slots: a row a CPU */

static void show_cpu(struct seq_file *m, int cpu)
{
	struct ksym_register regs[HBP_NUM];
	struct hw_breakpoint_census census;
	bool online = !ksym_slots_read(cpu, regs);
	int i;

	hw_breakpoint_census(cpu, TYPE_DATA, &census);
	seq_printf(m, "%-4d", cpu);
	for (i = 0; i < HBP_NUM; i++)
		seq_printf(m, " %-20s", online ? regs[i].name : "offline");
	seq_printf(m, " %6u %6u %8u %6u\n", census.cpu_pinned, census.task_pinned,
		   census.flexible, census.free);
}

static int slots_show(struct seq_file *m, void *v)
{
	int cpu;

	seq_printf(m, "%-4s", "CPU");
	for (cpu = 0; cpu < HBP_NUM; cpu++)
		seq_printf(m, " DR%-18d", cpu);
	seq_printf(m, " %6s %6s %8s %6s\n", "PINNED", "TASK", "FLEXIBLE", "FREE");
	for_each_possible_cpu(cpu)
		show_cpu(m, cpu);
	return 0;
}

static int slots_open(struct inode *inode, struct file *file)
{
	int ret = tracing_check_open_get_tr(NULL);

	return ret ?: single_open(file, slots_show, NULL);
}

const struct file_operations ksym_slots_fops = {
	.open		= slots_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

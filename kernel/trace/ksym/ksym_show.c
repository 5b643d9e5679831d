// SPDX-License-Identifier: GPL-2.0-only
/*
 * Show: what readers of ksym_trace_filter, trace_stat and ksym_slots see.
 *
 * The times of a task's perf events can't be read under event_mutex. So the watches are
 * copied under it first, their times are added to the copies, and the copies are
 * printed.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hw_breakpoint.h>
#include <linux/kallsyms.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "ksym_census.h"
#include "ksym_hit.h"
#include "ksym_show.h"
#include "ksym_watch.h"
#include "ksym_wide.h"
#include "ksym_window.h"

VISIBLE_IF_KUNIT struct ksym_view *ksym_make_view_locked(struct ksym_watch *watch, int cpu)
{
	struct ksym_view *view;
	int i;

	KUNIT_STATIC_STUB_REDIRECT(ksym_make_view_locked, watch, cpu);
	lockdep_assert_held(&event_mutex);

	view = kzalloc_obj(*view);

	if (!view)
		return NULL;
	view->cpu = cpu;
	ksym_traps_get(watch, &view->traps);
	view->done = ksym_watch_is_done(watch);
	view->state = watch->state;
	view->follows = watch->found.place.nr_derefs || watch->found.movable;
	view->gone = ksym_window_is_gone(watch->window);
	strscpy(view->group, watch->group);
	strscpy(view->name, watch->name);
	for (i = 0; i < KSYM_NR_COUNTS; i++)
		view->counts[i] = cpu < 0 ? ksym_hit_count(watch, i) :
					    ksym_hit_count_cpu(watch, i, cpu);
	if (cpu >= 0)
		return view;
	view->counts[KSYM_COUNT_MISSED] += ksym_window_missed(watch->window);
	view->line = ksym_watch_format(watch);
	if (watch->wide)
		view->wide = ksym_wide_copy(watch->wide);
	if (view->line && !watch->wide == !view->wide)
		return view;
	ksym_view_free(view);
	return NULL;
}

/**
 * ksym_view_free - free a copy of a watch
 * @view: the copy; the next one is not freed
 *
 * Process context.
 */
void ksym_view_free(struct ksym_view *view)
{
	ksym_traps_put(&view->traps);
	ksym_wide_free(view->wide);
	kvfree(view->line);
	kfree(view);
}

static void free_views(struct ksym_view *view)
{
	struct ksym_view *next;

	for (; view; view = next) {
		next = view->next;
		ksym_view_free(view);
	}
}

/* The next CPU of a watch after @cpu, or nr_cpu_ids. */
static int next_cpu(const struct ksym_watch *watch, int cpu)
{
	const struct ksym_trap *trap = watch->piece[0].trap;

	return trap ? cpumask_next(cpu, &trap->cpus) : nr_cpu_ids;
}

/* Appends the copies of a watch. Returns false if there is no memory. */
static bool view_watch_locked(struct ksym_watch *watch, bool by_cpu, struct ksym_view ***end)
{
	int cpu = -1;

	do {
		**end = ksym_make_view_locked(watch, cpu);
		if (!**end)
			return false;
		*end = &(**end)->next;
		cpu = next_cpu(watch, cpu);
	} while (by_cpu && cpu < nr_cpu_ids);
	return true;
}

/**
 * ksym_view_all - copy all watches, in the order in which they were made
 * @by_cpu: after the copy of a watch, one for each of its CPUs follows
 *
 * Process context; sleeps; takes event_mutex.
 *
 * Return: the first copy; NULL if there are no watches; or ERR_PTR(-ENOMEM).
 */
struct ksym_view *ksym_view_all(bool by_cpu)
{
	struct ksym_view *first = NULL, **end = &first, *view;
	struct dyn_event *devent;
	bool complete = true;

	mutex_lock(&event_mutex);
	for_each_dyn_event(devent) {
		if (ksym_is_watch(devent))
			complete = view_watch_locked(to_ksym_watch(devent), by_cpu, &end);
		if (!complete)
			break;
	}
	mutex_unlock(&event_mutex);

	if (!complete) {
		free_views(first);
		return ERR_PTR(-ENOMEM);
	}

	for (view = first; view; view = view->next)
		ksym_traps_times(&view->traps, view->cpu, &view->times);
	return first;
}

/**
 * ksym_view_has_times - are the times of a copy known?
 * @view: the copy
 *
 * A task's only event goes with the task from CPU to CPU.
 *
 * Any context.
 *
 * Return: true if they are.
 */
bool ksym_view_has_times(const struct ksym_view *view)
{
	return view->cpu < 0 || !READ_ONCE(view->traps.trap[0]->event);
}

/**
 * ksym_format_coverage - write a coverage as a percentage
 * @buf: the text is written here
 * @size: its size; 8 is enough
 * @times: the times; a task that has not run yet has a coverage of 0
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

/* What can't be written back is printed as a comment, which the first word begins. */
static __printf(3, 4) void show_comment(struct seq_file *m, bool *begun, const char *fmt, ...)
{
	va_list args;

	seq_puts(m, *begun ? " " : " # ");
	*begun = true;
	va_start(args, fmt);
	seq_vprintf(m, fmt, args);
	va_end(args);
}

/* Returns the length, or 0 if the watch has no address now. */
static int format_addr(char *buf, size_t size, const struct ksym_trap *trap)
{
	unsigned long addr;
	int cpu, len = 0;

	if (!trap->movable && !ksym_trap_is_placed(trap))
		return 0;
	if (!trap->place.percpu) {
		addr = ksym_trap_addr(trap, -1);
		return addr ? scnprintf(buf, size, "0x%lx", addr) : 0;
	}
	for_each_cpu_and(cpu, &trap->cpus, cpu_online_mask)
		len += scnprintf(buf + len, size - len, "%scpu%d:0x%lx", len ? "," : "",
				 cpu, READ_ONCE(per_cpu_ptr(trap->percpu, cpu)->addr));
	return len;
}

/* A watch of objects shows the address of each. */
static void show_addr(struct seq_file *m, bool *begun, const struct ksym_traps *traps)
{
	char *addr = kzalloc(PAGE_SIZE, GFP_KERNEL);
	unsigned int i, nr = traps->nr && traps->trap[0]->movable ? traps->nr : 1;
	bool any = false;

	for (i = 0; addr && i < min(nr, traps->nr); i++) {
		if (!format_addr(addr, PAGE_SIZE, traps->trap[i]))
			continue;
		if (any)
			seq_printf(m, ",%s", addr);
		else
			show_comment(m, begun, "addr=%s", addr);
		any = true;
	}
	kfree(addr);
}

/* Prints the line of a watch; @uncovered is room for a set of CPUs. */
static void show_line(struct seq_file *m, const struct ksym_view *view, struct cpumask *uncovered)
{
	const struct ksym_traps *traps = &view->traps;
	unsigned int i, lagging;
	bool begun = false;
	char coverage[16];

	seq_puts(m, view->line);
	if (view->state == KSYM_PENDING || view->state == KSYM_NO_SLOTS)
		show_comment(m, &begun, "pending");
	if (view->state == KSYM_NO_SLOTS)
		show_comment(m, &begun, "no-slots");
	/* Whoever may not see addresses in /proc/kallsyms sees none here. */
	if (view->follows && kallsyms_show_value(m->file->f_cred))
		show_addr(m, &begun, traps);
	if (view->gone)
		show_comment(m, &begun, "function-gone");
	ksym_traps_uncovered(traps, uncovered);
	if (!cpumask_empty(uncovered))
		show_comment(m, &begun, "uncovered=%*pbl", cpumask_pr_args(uncovered));
	if (view->done)
		show_comment(m, &begun, "done");
	if (traps->nr) {
		for (i = 0, lagging = 0; i < traps->nr; i++)
			lagging = max(lagging, ksym_trap_lagging(traps->trap[i]));
		if (lagging)
			show_comment(m, &begun, "lagging=%u", lagging);
		if (traps->trap[0]->flexible) {
			ksym_format_coverage(coverage, sizeof(coverage), &view->times);
			show_comment(m, &begun, "coverage=%s", coverage);
		}
		if (is_exited(traps->trap[0]))
			show_comment(m, &begun, "exited");
	} else {
		show_comment(m, &begun, "ended");
	}
	seq_putc(m, '\n');
}

/**
 * ksym_show_filter - print the watches as ksym_trace_filter has them
 * @m: the file
 * @v: unused
 *
 * Process context; sleeps.
 *
 * Return: 0, or -ENOMEM.
 */
int ksym_show_filter(struct seq_file *m, void *v)
{
	struct ksym_view *views, *view;
	cpumask_var_t uncovered;

	if (!alloc_cpumask_var(&uncovered, GFP_KERNEL))
		return -ENOMEM;
	views = ksym_view_all(false);
	if (!IS_ERR(views)) {
		for (view = views; view; view = view->next)
			show_line(m, view, uncovered);
		free_views(views);
	}
	free_cpumask_var(uncovered);
	return PTR_ERR_OR_ZERO(views);
}

/* More than most lines of both files take. */
#define LINE_SIZE	128

/**
 * ksym_filter_size - estimate the size of ksym_trace_filter
 *
 * seq_file doubles a buffer that is too small, and has everything printed again, which
 * copies all watches each time.
 *
 * Process context; sleeps; takes event_mutex.
 *
 * Return: the size of the buffer to begin with.
 */
size_t ksym_filter_size(void)
{
	struct dyn_event *devent;
	size_t lines = 0;

	guard(mutex)(&event_mutex);
	for_each_dyn_event(devent)
		lines += ksym_is_watch(devent);
	return max(lines * LINE_SIZE, PAGE_SIZE);
}

/* ksym_slots: a row a CPU */

static void show_cpu(struct seq_file *m, int cpu, const struct hw_breakpoint_census *census)
{
	struct ksym_register regs[HBP_NUM];
	bool online = !ksym_census_registers(cpu, regs);
	int i;

	seq_printf(m, "%-4d", cpu);
	for (i = 0; i < HBP_NUM; i++)
		seq_printf(m, " %-20s", online ? regs[i].name : "offline");
	seq_printf(m, " %6u %6u %8u %6u\n", census->cpu_pinned, census->task,
		   census->flexible, census->free);
}

static int slots_show(struct seq_file *m, void *v)
{
	struct hw_breakpoint_census *census = ksym_census();
	int cpu;

	if (!census)
		return -ENOMEM;
	seq_printf(m, "%-4s", "CPU");
	for (cpu = 0; cpu < HBP_NUM; cpu++)
		seq_printf(m, " DR%-18d", cpu);
	seq_printf(m, " %6s %6s %8s %6s\n", "PINNED", "TASK", "FLEXIBLE", "FREE");
	for_each_possible_cpu(cpu)
		show_cpu(m, cpu, &census[cpu]);
	kfree(census);
	return 0;
}

static int slots_open(struct inode *inode, struct file *file)
{
	int ret = tracing_check_open_get_tr(NULL);

	return ret ?: single_open_size(file, slots_show, NULL,
				       max((nr_cpu_ids + 1) * LINE_SIZE, PAGE_SIZE));
}

const struct file_operations ksym_slots_fops = {
	.open		= slots_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * API: watches of kernel code, and what BPF programs read of any watch. The watches are
 * made from the same lines that users write, so they are the same objects and appear in
 * the same files.
 */
#include <linux/btf.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ksym_trace.h>
#include <linux/sched.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>

#include "ksym_hit.h"
#include "ksym_last.h"
#include "ksym_object.h"
#include "ksym_request.h"
#include "ksym_trap.h"
#include "ksym_watch.h"

/* A target, a name and all options. */
#define LINE_LEN	(KSYM_TARGET_LEN + KSYM_EVENT_LEN + KSYM_OPTIONS_LEN + 32)

static void put_number(struct seq_buf *s, const char *option, int number, const char *unit)
{
	if (number > 0)
		seq_buf_printf(s, " %s=%d%s", option, number, unit);
	else if (number < 0)
		seq_buf_printf(s, " %s=0", option);
}

/* Writes the attributes as a line, or returns NULL if they don't fit. */
static char *make_line(const struct ksym_watch_attr *attr)
{
	char *line = kmalloc(LINE_LEN, GFP_KERNEL);
	struct seq_buf s;

	if (!line)
		return NULL;
	seq_buf_init(&s, line, LINE_LEN);
	if (attr->target)
		seq_buf_puts(&s, attr->target);
	else if (attr->addr)
		seq_buf_printf(&s, "0x%lx", (unsigned long)attr->addr);
	else
		seq_buf_puts(&s, "-1");
	seq_buf_printf(&s, ":%s name=%s", ksym_access_word(attr->access ?: HW_BREAKPOINT_W),
		       attr->name);
	if (attr->len)
		seq_buf_printf(&s, " len=%zu", attr->len);
	if (attr->cpus)
		seq_buf_printf(&s, " cpu=%*pbl", cpumask_pr_args(attr->cpus));
	if (attr->task)
		seq_buf_printf(&s, " pid=%d", task_pid_nr(attr->task));
	if (attr->flexible)
		seq_buf_puts(&s, " flexible");
	put_number(&s, "budget", attr->budget, "%");
	put_number(&s, "limit", attr->limit, "/ms");
	if (!seq_buf_has_overflowed(&s) && seq_buf_used(&s) < LINE_LEN) {
		seq_buf_str(&s);
		return line;
	}
	kfree(line);
	return NULL;
}

/**
 * __ksym_watch_create - make a watch for kernel code
 * @attr: what to watch
 * @owner: the module that makes the watch; ksym_watch_create() fills it in
 *
 * The event is enabled in the top instance. An object must outlive the watch, or the
 * time in which the watch points at it: end or point the watch before the memory is
 * freed.
 *
 * Process context; sleeps. Takes the locks of the event core, so it can't be called
 * while they are held, as in a tracepoint's callback.
 *
 * Return: the watch; or ERR_PTR() of -ENOSPC if a CPU has no debug register left; -EBUSY
 * or -EEXIST if the name is taken; -EINVAL or another error of ksym_trace_filter if an
 * attribute is wrong or the memory can't be watched; -E2BIG if it needs more than four
 * registers; -ESRCH if the task has exited; -ENOMEM. The reason is also in error_log.
 */
struct ksym_watch *__ksym_watch_create(const struct ksym_watch_attr *attr,
				       struct module *owner)
{
	struct ksym_request request = { .attr = attr };
	struct ksym_error error;
	int ret;

	if (!attr->name || (attr->target && (attr->addr || strpbrk(attr->target, "\n#"))) ||
	    strpbrk(attr->name, " \t\n#") || attr->access & ~HW_BREAKPOINT_RW)
		return ERR_PTR(-EINVAL);
	if (attr->task && !task_pid_nr(attr->task))
		return ERR_PTR(-ESRCH);
	request.text = make_line(attr);
	if (!request.text)
		return ERR_PTR(-ENOMEM);
	ret = ksym_run(&request, &error);
	kfree(request.text);
	if (ret)
		return ERR_PTR(ret);
	/* The module can't be unloaded before its own code has returned. */
	WRITE_ONCE(request.watch->owner, owner);
	return request.watch;
}
EXPORT_SYMBOL_GPL(__ksym_watch_create);

/**
 * ksym_watch_point - point a watch at an object
 * @watch: from ksym_watch_create(), without a target and an address
 * @ptr: the object, aligned to its length; or NULL for none
 *
 * The previous object is not watched any more. This CPU has followed on return, except in
 * NMIs and in the callback of a watch; the others follow when they take an interrupt.
 * ksym_watch_lagging() tells whether all have.
 *
 * Any context, also NMIs.
 *
 * Return: 0; -EBUSY if another caller is pointing it at the same time; -EINVAL if @ptr
 * can't be watched, or @watch has a target or an address.
 */
int ksym_watch_point(struct ksym_watch *watch, const void *ptr)
{
	struct ksym_aim aim = {
		.addr		= (unsigned long)ptr,
		.base		= (unsigned long)ptr,
		.replace	= true,
	};
	int ret;

	if (!ksym_watch_is_movable(watch))
		return -EINVAL;
	if (ptr)
		ret = ksym_object_set_nmi(watch, &aim);
	else
		ret = ksym_object_clear_nmi(watch, KSYM_ADDR_ANY, NULL);
	/* It already points there, or nowhere. */
	return ret == -EAGAIN ? 0 : ret;
}
EXPORT_SYMBOL_GPL(ksym_watch_point);

/**
 * ksym_watch_lagging - count the CPUs that have not followed ksym_watch_point() yet
 * @watch: from ksym_watch_create(); with a target or an address the count is 0
 *
 * Any context.
 *
 * Return: the number of CPUs.
 */
unsigned int ksym_watch_lagging(struct ksym_watch *watch)
{
	return ksym_trap_lagging(watch->piece[0].trap);
}
EXPORT_SYMBOL_GPL(ksym_watch_lagging);

static u64 read_watch_nmi(struct ksym_watch *watch, int cpu, u64 *enabled, u64 *running)
{
	struct ksym_times times;

	ksym_trap_times_nmi(watch, cpu, &times);
	*enabled = times.enabled;
	*running = times.running;
	return cpu < 0 ? ksym_hit_count(watch, KSYM_COUNT_HITS) :
			 ksym_hit_count_cpu(watch, KSYM_COUNT_HITS, cpu);
}

/**
 * ksym_watch_read - read the hits and the times of a watch
 * @watch: from ksym_watch_create()
 * @enabled: how long it was to watch, in ns, summed over its CPUs and debug registers
 * @running: how long it did; the difference is the time in which it waited for its turn
 *	or was over its limit or budget
 *
 * Any context, also the callback of the watch.
 *
 * Return: the number of recorded hits.
 */
u64 ksym_watch_read(struct ksym_watch *watch, u64 *enabled, u64 *running)
{
	return read_watch_nmi(watch, -1, enabled, running);
}
EXPORT_SYMBOL_GPL(ksym_watch_read);

/**
 * ksym_watch_read_cpu - read the hits and the times of a watch on a CPU
 * @watch: from ksym_watch_create()
 * @cpu: the CPU
 * @enabled: how long it was to watch there, in ns. 0 for a watch of a task on all CPUs,
 *	whose times are not counted by CPU
 * @running: how long it did; likewise
 *
 * Any context, also the callback of the watch.
 *
 * Return: the number of hits recorded there.
 */
u64 ksym_watch_read_cpu(struct ksym_watch *watch, int cpu, u64 *enabled, u64 *running)
{
	return read_watch_nmi(watch, cpu, enabled, running);
}
EXPORT_SYMBOL_GPL(ksym_watch_read_cpu);

/* Like a user who writes -NAME or +NAME to ksym_trace_filter. */
static int switch_watch(const struct ksym_watch *watch, char sign)
{
	char text[2 * KSYM_EVENT_LEN + 2];
	struct ksym_request request = { .text = text };
	struct ksym_error error;

	snprintf(text, sizeof(text), "%c%s/%s", sign, watch->group, watch->name);
	return ksym_run(&request, &error);
}

/**
 * ksym_watch_disarm - let a watch trap no more, until it is armed again
 * @watch: from ksym_watch_create()
 *
 * It keeps its debug registers and its counts. On return its callback does not run.
 *
 * Process context; sleeps; see ksym_watch_create().
 *
 * Return: 0 or -ENOMEM.
 */
int ksym_watch_disarm(struct ksym_watch *watch)
{
	return switch_watch(watch, '-');
}
EXPORT_SYMBOL_GPL(ksym_watch_disarm);

/**
 * ksym_watch_arm - let a disarmed watch trap again
 * @watch: from ksym_watch_create()
 *
 * Process context; sleeps; see ksym_watch_create().
 *
 * Return: 0; -ENOMEM; or another error if the memory can't be read any more.
 */
int ksym_watch_arm(struct ksym_watch *watch)
{
	return switch_watch(watch, '+');
}
EXPORT_SYMBOL_GPL(ksym_watch_arm);

/**
 * ksym_watch_end - end a watch of kernel code
 * @watch: from ksym_watch_create(), or an error of it, or NULL
 *
 * On return nothing is watched any more and the debug registers are free. The event is
 * removed, and the buffers that it was enabled in are cleared, as for every dynamic
 * event. An event that is in use, in an instance or with perf, stays in
 * ksym_trace_filter, marked as ended, until it is removed there.
 *
 * Process context; sleeps; see ksym_watch_create().
 */
void ksym_watch_end(struct ksym_watch *watch)
{
	if (!IS_ERR_OR_NULL(watch))
		ksym_watch_end_one(watch);
}
EXPORT_SYMBOL_GPL(ksym_watch_end);

#ifdef CONFIG_BPF_SYSCALL
/**
 * struct ksym_reading - what bpf_ksym_watch_read() reads
 * @hits: the number of recorded hits
 * @enabled: how long the watch was to watch, in ns
 * @running: how long it did
 */
struct ksym_reading {
	u64	hits;
	u64	enabled;
	u64	running;
};

__bpf_kfunc_start_defs();

/**
 * bpf_ksym_watch_read - read the hits and the times of a watch
 * @name__str: the name of the watch
 * @cpu: the CPU, or -1 for the sum
 * @reading: filled in
 *
 * See ksym_watch_read_cpu(). Of several watches with this name in different groups, this
 * is the oldest one.
 *
 * Return: 0; -ENOENT if there is no such watch; -EINVAL if there is no such CPU.
 */
__bpf_kfunc int bpf_ksym_watch_read(const char *name__str, int cpu,
				    struct ksym_reading *reading)
{
	struct ksym_watch *watch;

	if (cpu != -1 && (cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu)))
		return -EINVAL;
	guard(rcu)();
	watch = ksym_last_find_nmi(name__str);
	if (!watch)
		return -ENOENT;
	reading->hits = read_watch_nmi(watch, cpu, &reading->enabled, &reading->running);
	return 0;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(ksym_kfuncs)
BTF_ID_FLAGS(func, bpf_ksym_watch_read)
BTF_KFUNCS_END(ksym_kfuncs)

static const struct btf_kfunc_id_set ksym_kfunc_set = {
	.owner	= THIS_MODULE,
	.set	= &ksym_kfuncs,
};

static int __init ksym_kfunc_init(void)
{
	static const enum bpf_prog_type types[] = {
		BPF_PROG_TYPE_TRACING, BPF_PROG_TYPE_KPROBE, BPF_PROG_TYPE_SYSCALL,
	};
	unsigned int i;
	int ret = 0;

	/* Tracepoints and perf events have the kfuncs of BPF_PROG_TYPE_TRACING. */
	for (i = 0; !ret && i < ARRAY_SIZE(types); i++)
		ret = register_btf_kfunc_id_set(types[i], &ksym_kfunc_set);
	return ret;
}
late_initcall(ksym_kfunc_init);
#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Front: ksym_trace_filter, dynamic_events, the ksym_tracer tracer, and the boot
 * parameter ksym_watch=.
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "ksym_event.h"
#include "ksym_hit.h"
#include "ksym_module.h"
#include "ksym_object.h"
#include "ksym_request.h"
#include "ksym_show.h"
#include "ksym_trap.h"
#include "ksym_watch.h"

/* The length of one write(2): with its terminating zero it fits a page. */
#define KSYM_WRITE_MAX	4095

/* dynamic_events */

static int ksym_dyn_event_create(const char *raw_command)
{
	struct ksym_request request = { .dyn = true };
	struct ksym_error error;
	int ret;

	/* Other words that begin with a w may be or become other kinds of events. */
	if (raw_command[0] != 'w' ||
	    (raw_command[1] && !strchr(": \t", raw_command[1]) && !isdigit(raw_command[1])))
		return -ECANCELED;
	request.text = kstrdup(raw_command, GFP_KERNEL);
	if (!request.text)
		return -ENOMEM;
	ret = ksym_run_locked(&request, &error);
	kfree(request.text);
	return ret;
}

/* ksym_trace_filter */

static int run_text(char *text)
{
	struct ksym_request request = { .text = text };
	struct ksym_error error;

	return ksym_run(&request, &error);
}

static int filter_open(struct inode *inode, struct file *file)
{
	char remove_all[] = "*:---";
	int ret;

	ret = tracing_check_open_get_tr(NULL);
	if (ret)
		return ret;

	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		ret = run_text(remove_all);
		if (ret)
			return ret;
	}
	return single_open_size(file, ksym_show_filter, NULL,
				file->f_mode & FMODE_READ ? ksym_filter_size() : PAGE_SIZE);
}

/* Reports an error in the text as a whole, and not in one line. */
static int refuse_text(enum ksym_err code)
{
	const struct ksym_error error = { .code = code };

	return ksym_error_log("ksym", "", &error, NULL);
}

static ssize_t filter_write(struct file *file, const char __user *ubuf,
			    size_t count, loff_t *ppos)
{
	char *text __free(kfree) = NULL;
	int ret;

	if (count > KSYM_WRITE_MAX)
		return refuse_text(KSYM_ERR_TOO_LONG);

	text = memdup_user_nul(ubuf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (strlen(text) != count)
		return refuse_text(KSYM_ERR_NUL_BYTE);
	ret = run_text(text);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static const struct file_operations filter_fops = {
	.open		= filter_open,
	.read		= seq_read,
	.write		= filter_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

#ifdef CONFIG_FTRACE_STARTUP_TEST

#define KSYM_SELFTEST_HITS	3

static unsigned int ksym_selftest_var;

struct ksym_selftest {
	unsigned int	nr;
	bool		wrong;
};

static void ksym_selftest_probe(void *data, struct ksym_hit *hit)
{
	struct ksym_selftest *test = data;

	if (hit->old != test->nr || hit->new != test->nr + 1)
		test->wrong = true;
	test->nr++;
	hit->recorded = true;
}

/* Writes to a watched variable without an event, and expects a hit for each write. */
static __init int ksym_test_watch(void)
{
	const struct ksym_found found = {
		.place.base	= (unsigned long)&ksym_selftest_var,
		.part.len	= sizeof(ksym_selftest_var),
		.nr_ranges	= 1,
		.ranges[0].len	= sizeof(ksym_selftest_var),
	};
	/* No limit and no budget, so that no hit is dropped on a slow machine. */
	static const struct ksym_spec spec = {
		.access	= KSYM_WRITE,
		.name	= "selftest",
	};
	struct ksym_selftest test = {};
	struct ksym_watch *watch;
	unsigned int i;
	int ret;

	watch = ksym_watch_alloc(&spec, &found);
	if (!watch)
		return -ENOMEM;
	ret = tracepoint_probe_register(&watch->tp, ksym_selftest_probe, &test);
	if (ret)
		goto free;
	ret = ksym_trap_reserve(watch, NULL, cpu_possible_mask);
	if (ret == -ENOSPC) {
		/* A debugger may have them all. */
		pr_info("skipped, no debug register is free\n");
		ret = 0;
		goto unregister;
	}
	if (ret)
		goto unregister;
	ret = ksym_trap_aim(watch);
	if (!ret) {
		ksym_trap_arm(watch);
		for (i = 1; i <= KSYM_SELFTEST_HITS; i++)
			WRITE_ONCE(ksym_selftest_var, i);
	}
	ksym_trap_release(watch);
	/* This must not trap any more. */
	WRITE_ONCE(ksym_selftest_var, 0);

	if (!ret && (test.wrong || test.nr != KSYM_SELFTEST_HITS)) {
		pr_warn("%u hits instead of %u, values %s\n", test.nr,
			KSYM_SELFTEST_HITS, test.wrong ? "wrong" : "right");
		ret = -EIO;
	}
unregister:
	tracepoint_probe_unregister(&watch->tp, ksym_selftest_probe, &test);
	tracepoint_synchronize_unregister();
free:
	ksym_watch_free(watch);
	return ret;
}

/*
 * Not the tracer's ->selftest(), which is called with trace_types_lock held: perf's locks
 * can't be taken under that, since perf takes event_mutex under them.
 */
static __init int ksym_startup_test(void)
{
	if (!tracing_selftest_disabled)
		pr_info("Testing tracer ksym_tracer: %s\n",
			ksym_test_watch() ? "FAILED!" : "PASSED");
	return 0;
}
late_initcall(ksym_startup_test);

#endif /* CONFIG_FTRACE_STARTUP_TEST */

/*
 * The tracer is a view: it prints the hits of all watches as a table, in any instance.
 * It starts and stops nothing.
 */
static struct tracer ksym_tracer __read_mostly = {
	.name		= "ksym_tracer",
	.print_header	= ksym_event_print_header,
	.print_line	= ksym_event_print_row,
	.allow_instances = true,
};

/* ksym_watch= on the command line */

static char ksym_boot_watches[COMMAND_LINE_SIZE] __initdata;

static int __init ksym_boot_setup(char *str)
{
	size_t len = strlen(ksym_boot_watches), room = sizeof(ksym_boot_watches) - len;

	/* Given several times, they add up. */
	if (snprintf(ksym_boot_watches + len, room, "%s%s", len ? ";" : "", str) >= room) {
		ksym_boot_watches[len] = '\0';
		pr_warn("ksym_watch=%s: the watches of the command line are longer than %d bytes\n",
			str, COMMAND_LINE_SIZE - 1);
	}
	/* The selftests of tracers would overwrite and clear the trace buffer. */
	disable_tracing_selftest("ksym_watch=");
	tracing_keep_boot_events = true;
	return 1;
}
__setup("ksym_watch=", ksym_boot_setup);

/* Reports errors in the kernel log: error_log does not exist yet. */
static __init void run_boot_watch(char *text)
{
	struct ksym_request request = { .text = kstrdup(text, GFP_KERNEL) };
	struct ksym_error error = { .code = KSYM_ERR_NONE };
	int ret = -ENOMEM;

	if (request.text)
		ret = ksym_run(&request, &error);
	if (ret && request.arg_error)
		error.at = request.arg_at;
	if (ret && (request.arg_error || error.code != KSYM_ERR_NONE))
		pr_warn("ksym_watch=%s: %s (at \"%s\")\n", text,
			request.arg_error ?: ksym_error_text(error.code),
			text + min_t(size_t, error.at, strlen(text)));
	else if (ret)
		pr_warn("ksym_watch=%s: error %d\n", text, ret);
	kfree(request.text);
}

static int seed(struct ksym_watch *watch)
{
	return ksym_watch_is_movable(watch) ? ksym_object_seed(watch) : ksym_hit_seed(watch);
}

static const struct ksym_trap_ops trap_ops = {
	.hit	= ksym_hit_nmi,
	.seed	= seed,
	.seed_cpu = ksym_hit_seed_cpu,
	.note	= ksym_event_note,
};

static __init int ksym_init_early(void)
{
	char *watches = ksym_boot_watches, *one;
	int ret;

	ksym_trap_init(&trap_ops);
	ksym_module_init();
	ret = ksym_watch_init(ksym_dyn_event_create);
	if (ret)
		return ret;
	while ((one = strsep(&watches, ";"))) {
		if (*one)
			run_boot_watch(one);
	}
	return 0;
}
core_initcall(ksym_init_early);

static __init int ksym_init(void)
{
	int ret;

	ret = tracing_init_dentry();
	if (ret)
		return ret;
	trace_create_file("ksym_trace_filter", TRACE_MODE_WRITE, NULL, NULL,
			  &filter_fops);
	trace_create_file("ksym_slots", TRACE_MODE_READ, NULL, NULL,
			  &ksym_slots_fops);
	return register_tracer(&ksym_tracer);
}
fs_initcall(ksym_init);

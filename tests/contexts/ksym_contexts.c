// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stores to a variable in every context in which the kernel runs code.
 *
 * In debugfs, ksym_contexts/run takes the name of a context. When the write returns,
 * ksym_contexts_var was stored to NR_STORES times there, each time with another value.
 */
#include <linux/console.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/debugfs.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/suspend.h>
#include <linux/syscore_ops.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include <trace/events/power.h>

#include <asm/apic.h>
#include <asm/nmi.h>

#define NR_STORES	100

u64 ksym_contexts_var;

/* Stores that are still to be made in the context, by whoever comes there, and those made. */
static atomic_t left, made;

/* The context. The kernel prints and idles in others, too, and must not store there. */
static void (*running)(void);
static void in_console(void);
static void in_idle(void);
static void in_early_hotplug(void);
static void in_hotplug(void);

static __always_inline void store(void)
{
	if (atomic_read(&left) > 0 && atomic_dec_return(&left) >= 0) {
		WRITE_ONCE(ksym_contexts_var, ksym_contexts_var + 1);
		atomic_inc(&made);
	}
}

static void in_plain_task(void)
{
	store();
}

static void in_irqs_off(void)
{
	local_irq_disable();
	store();
	local_irq_enable();
}

static void work_func(struct irq_work *work)
{
	store();
}

static struct irq_work hard_work = IRQ_WORK_INIT_HARD(work_func);

static void in_irq_work(void)
{
	irq_work_queue(&hard_work);
	irq_work_sync(&hard_work);
}

static void call_func(void *unused)
{
	store();
}

static void in_ipi(void)
{
	on_each_cpu(call_func, NULL, 1);
}

static enum hrtimer_restart hrtimer_func(struct hrtimer *timer)
{
	store();
	return HRTIMER_NORESTART;
}

static struct hrtimer hard_timer, soft_timer;

static void in_hrtimer(void)
{
	hrtimer_start(&hard_timer, ns_to_ktime(1000), HRTIMER_MODE_REL_HARD);
	while (hrtimer_active(&hard_timer))
		cpu_relax();
}

static void in_soft_hrtimer(void)
{
	hrtimer_start(&soft_timer, ns_to_ktime(1000), HRTIMER_MODE_REL_SOFT);
	while (hrtimer_active(&soft_timer))
		cond_resched();
}

static void tasklet_func(struct tasklet_struct *unused)
{
	store();
}

static DECLARE_TASKLET(softirq, tasklet_func);

static void in_softirq_handler(void)
{
	tasklet_schedule(&softirq);
	tasklet_unlock_wait(&softirq);
}

static void timer_func(struct timer_list *unused)
{
	store();
}

static DEFINE_TIMER(timer, timer_func);

static void in_timer(void)
{
	mod_timer(&timer, jiffies + 1);
	while (timer_pending(&timer))
		schedule();
}

static void rcu_func(struct rcu_head *unused)
{
	store();
}

static void in_rcu(void)
{
	static struct rcu_head head;

	call_rcu(&head, rcu_func);
	rcu_barrier();
}

static void queued_func(struct work_struct *unused)
{
	store();
}

static DECLARE_WORK(queued, queued_func);

static void in_work(void)
{
	schedule_work(&queued);
	flush_work(&queued);
}

static int stop_func(void *unused)
{
	store();
	return 0;
}

static void in_stop_machine(void)
{
	stop_machine(stop_func, NULL, cpu_online_mask);
}

static atomic_t wanted_nmis;

static int nmi_func(unsigned int type, struct pt_regs *regs)
{
	if (atomic_read(&wanted_nmis) <= 0)
		return NMI_DONE;
	store();
	atomic_dec(&wanted_nmis);
	return NMI_HANDLED;
}

static void in_nmi_handler(void)
{
	atomic_set(&wanted_nmis, 1);
	apic->send_IPI_mask(cpumask_of(raw_smp_processor_id()), NMI_VECTOR);
	while (atomic_read(&wanted_nmis) > 0)
		cpu_relax();
}

static void write_func(struct console *con, const char *text, unsigned int len)
{
	if (READ_ONCE(running) == in_console)
		store();
}

static struct console console = {
	.name	= "ksymctx",
	.write	= write_func,
	.flags	= CON_ENABLED,
	.index	= -1,
};

static void in_console(void)
{
	pr_info("a line for the console\n");
}

static void idle_func(void *unused, unsigned int state, unsigned int cpu)
{
	if (READ_ONCE(running) == in_idle)
		store();
}

static void in_idle(void)
{
	schedule_timeout_interruptible(1);
}

/* What probes are set on. */
static noinline notrace void probed(void)
{
	barrier();
}

static int kprobe_func(struct kprobe *p, struct pt_regs *regs)
{
	store();
	return 0;
}

/* Not optimized, so that it runs in the #BP. */
static void post_func(struct kprobe *p, struct pt_regs *regs, unsigned long flags) { }

static struct kprobe kprobe = {
	.addr		= (kprobe_opcode_t *)probed,
	.pre_handler	= kprobe_func,
	.post_handler	= post_func,
};

static void in_kprobe(void)
{
	probed();
}

static void ftrace_func(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			struct ftrace_regs *fregs)
{
	store();
}

static struct ftrace_ops ops = { .func = ftrace_func };

static noinline void traced(void)
{
	barrier();
}

static void in_ftrace(void)
{
	traced();
}

/* Callbacks of CPUs that go and come, of which each stores. */
static int online_func(unsigned int cpu)
{
	if (READ_ONCE(running) == in_hotplug)
		store();
	return 0;
}

static void in_hotplug(void)
{
	remove_cpu(1);
	add_cpu(1);
}

/* Where a CPU begins and ends, with interrupts off. x86 does not use this state. */
#define EARLY_STATE	CPUHP_AP_ARM_ARCH_TIMER_STARTING

static int early_func(unsigned int cpu)
{
	if (READ_ONCE(running) == in_early_hotplug)
		store();
	return 0;
}

static void in_early_hotplug(void)
{
	in_hotplug();
}

/* Where system devices are suspended and resumed: there is one CPU, with interrupts off. */
static int suspend_func(void *unused)
{
	unsigned int i;

	/* Few suspends, since one takes long. */
	for (i = 0; i < NR_STORES / 4; i++)
		store();
	return 0;
}

static void resume_func(void *unused)
{
	suspend_func(unused);
}

static const struct syscore_ops syscore_ops = {
	.suspend	= suspend_func,
	.resume		= resume_func,
};

static struct syscore syscore = { .ops = &syscore_ops };

/* Why there is no suspend, a negative errno. */
static int suspend_error;

static void in_suspend(void)
{
	suspend_error = pm_suspend(PM_SUSPEND_MEM);
}

static const struct context {
	const char *name;
	void (*run)(void);
} contexts[] = {
	{ "task", in_plain_task },
	{ "irqs_off", in_irqs_off },
	{ "irq_work", in_irq_work },
	{ "ipi", in_ipi },
	{ "hrtimer", in_hrtimer },
	{ "soft_hrtimer", in_soft_hrtimer },
	{ "softirq", in_softirq_handler },
	{ "timer", in_timer },
	{ "rcu", in_rcu },
	{ "work", in_work },
	{ "stop_machine", in_stop_machine },
	{ "nmi", in_nmi_handler },
	{ "console", in_console },
	{ "idle", in_idle },
	{ "kprobe", in_kprobe },
	{ "ftrace", in_ftrace },
	{ "hotplug", in_hotplug },
	{ "early_hotplug", in_early_hotplug },
	{ "suspend", in_suspend },
};

static struct dentry *folder;
static int online_state, prepare_state;

static ssize_t run_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	const struct context *context = NULL;
	char name[32];
	unsigned int i;

	if (len >= sizeof(name) || copy_from_user(name, from, len))
		return -EINVAL;
	name[len] = '\0';
	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		if (!strcmp(strim(name), contexts[i].name))
			context = &contexts[i];
	}
	if (!context)
		return -ENOENT;
	WRITE_ONCE(running, context->run);
	atomic_set(&made, 0);
	atomic_set(&left, NR_STORES);
	suspend_error = 0;
	while (atomic_read(&made) < NR_STORES && !suspend_error)
		context->run();
	return suspend_error ?: len;
}

static const struct file_operations run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= run_write,
};

static int names_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(contexts); i++)
		seq_printf(m, "%s\n", contexts[i].name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(names);

static int __init contexts_init(void)
{
	int ret;

	hrtimer_setup(&hard_timer, hrtimer_func, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hrtimer_setup(&soft_timer, hrtimer_func, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	ret = register_nmi_handler(NMI_LOCAL, nmi_func, 0, "ksym_contexts");
	if (ret)
		return ret;
	ret = register_kprobe(&kprobe);
	if (ret)
		goto nmi;
	online_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ksym_contexts:online",
						 online_func, online_func);
	prepare_state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "ksym_contexts:prepare",
						  online_func, online_func);
	if (online_state < 0 || prepare_state < 0) {
		ret = -ENOSPC;
		goto states;
	}
	ret = cpuhp_setup_state_nocalls(EARLY_STATE, "ksym_contexts:early", early_func, early_func);
	if (ret)
		goto states;
	ret = ftrace_set_filter_ip(&ops, (unsigned long)traced, 0, 0) ?:
	      register_ftrace_function(&ops);
	if (ret)
		goto early;
	ret = register_trace_cpu_idle(idle_func, NULL);
	if (ret)
		goto idle;
	register_console(&console);
	register_syscore(&syscore);
	folder = debugfs_create_dir("ksym_contexts", NULL);
	debugfs_create_file("run", 0200, folder, NULL, &run_fops);
	debugfs_create_file("names", 0444, folder, NULL, &names_fops);
	return 0;
idle:
	unregister_ftrace_function(&ops);
early:
	ftrace_free_filter(&ops);
	cpuhp_remove_state_nocalls(EARLY_STATE);
states:
	if (prepare_state > 0)
		cpuhp_remove_state_nocalls(prepare_state);
	if (online_state > 0)
		cpuhp_remove_state_nocalls(online_state);
	unregister_kprobe(&kprobe);
nmi:
	unregister_nmi_handler(NMI_LOCAL, "ksym_contexts");
	return ret;
}

static void __exit contexts_exit(void)
{
	debugfs_remove(folder);
	unregister_syscore(&syscore);
	unregister_console(&console);
	unregister_trace_cpu_idle(idle_func, NULL);
	tracepoint_synchronize_unregister();
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
	cpuhp_remove_state_nocalls(EARLY_STATE);
	cpuhp_remove_state_nocalls(prepare_state);
	cpuhp_remove_state_nocalls(online_state);
	unregister_kprobe(&kprobe);
	unregister_nmi_handler(NMI_LOCAL, "ksym_contexts");
	timer_delete_sync(&timer);
	tasklet_kill(&softirq);
}

module_init(contexts_init);
module_exit(contexts_exit);
MODULE_DESCRIPTION("Stores in every context");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Last: who wrote to the watches, in an oops or a panic.
 *
 * A machine that dies of a corrupted variable takes its trace buffers along unless
 * somebody has prepared for that. Its last words are in the kernel log, so they name
 * the last writer of each watch that was hit lately:
 *
 *   ksym: total_forks: rw 0x1f -> 0x20 by copy_process+0x1310/0x2670 (sh-71, CPU 1, 0.013 s ago)
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/jiffies.h>
#include <linux/kdebug.h>
#include <linux/math64.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include <asm/ksym.h>

#include "ksym_hit.h"
#include "ksym_last.h"

/* More would push the oops itself off the screen. */
#define MOST	16

/* All watches; changed under the lock, read by RCU. */
static LIST_HEAD(watches);
static DEFINE_SPINLOCK(watches_lock);

/**
 * ksym_last_add - name the last writer of a watch when the machine dies
 * @watch: the watch
 *
 * Process context.
 */
void ksym_last_add(struct ksym_watch *watch)
{
	spin_lock(&watches_lock);
	list_add_rcu(&watch->last_node, &watches);
	spin_unlock(&watches_lock);
}

/**
 * ksym_last_del - forget the last writer of a watch
 * @watch: the watch, which must stay until an RCU grace period has passed
 *
 * Nothing happens if ksym_last_add() was not called.
 *
 * Process context.
 */
void ksym_last_del(struct ksym_watch *watch)
{
	spin_lock(&watches_lock);
	list_del_rcu(&watch->last_node);
	spin_unlock(&watches_lock);
}

/**
 * ksym_last_find_nmi - find a watch by its name, without a lock
 * @name: the name
 *
 * Any context; the caller is in an RCU read-side critical section.
 *
 * Return: the oldest watch of that name, or NULL.
 */
struct ksym_watch *ksym_last_find_nmi(const char *name)
{
	struct ksym_watch *watch, *found = NULL;

	list_for_each_entry_rcu(watch, &watches, last_node) {
		if (!strcmp(watch->name, name))
			found = watch;
	}
	return found;
}

/**
 * struct last - the last recorded write to a watch
 * @watch: the watch, or NULL if there was none
 * @counts: has it
 * @when: its time
 * @kind: its kind
 * @cpu: its CPU
 */
struct last {
	struct ksym_watch		*watch;
	const struct ksym_counts	*counts;
	u64				when;
	unsigned int			kind;
	int				cpu;
};

/*
 * Sets @last to the last write to a watch if it is later than that. Other CPUs may go on
 * recording hits, so what is read may belong to several of them.
 */
static void take_later(struct last *last, struct ksym_watch *watch)
{
	const struct ksym_counts *counts;
	unsigned int kind;
	u64 when;
	int cpu;

	for_each_possible_cpu(cpu) {
		counts = per_cpu_ptr(watch->counts, cpu);
		for (kind = 0; kind < KSYM_NR_KINDS; kind++) {
			when = READ_ONCE(counts->when[kind]);
			/* A read that finds a new value is not who wrote it. */
			if ((!(kind & KSYM_WRITE) && kind != KSYM_KIND_CHANGED) || !when)
				continue;
			if (last->watch && when <= last->when)
				continue;
			*last = (struct last){ watch, counts, when, kind, cpu };
		}
	}
}

/* Only those of signed targets are not the bytes in memory. */
static u64 bytes_of(const struct ksym_watch *watch, u64 val)
{
	return watch->is_signed ? ksym_bytes(val, watch->found.part.len) : val;
}

static void print_last(const struct last *last)
{
	const struct ksym_counts *counts = last->counts;
	unsigned int kind = last->kind;
	/* 0 where the speed of the clock is unknown. */
	u64 per_ms = arch_ksym_cycles_per_ms();
	u64 ms = per_ms ? div64_u64(arch_ksym_cycles() - last->when, per_ms) : 0;
	long pid = READ_ONCE(counts->pid[kind]);
	const struct task_struct *task = find_task_by_pid_ns(pid, &init_pid_ns);
	u64 lives = task ? div_u64(ktime_get_mono_fast_ns() - task->start_time, NSEC_PER_MSEC) : 0;
	u32 rest;

	/* The task has ended, and another one has its number now. */
	if (per_ms && lives < ms)
		task = NULL;
	ms = div_u64_rem(ms, MSEC_PER_SEC, &rest);
	pr_emerg("%s: %s %#llx -> %#llx by %pS (%s-%ld, CPU %d, %llu.%03u s ago)\n",
		 last->watch->name, ksym_access_word(kind & ~KSYM_KIND_CHANGED),
		 bytes_of(last->watch, READ_ONCE(counts->old[kind])),
		 bytes_of(last->watch, READ_ONCE(counts->new[kind])),
		 (void *)READ_ONCE(counts->ip[kind]),
		 task ? task->comm : "<...>", pid, last->cpu,
		 ms, rest);
}

/*
 * Prints the watches in the order of their last writes, the latest first. There is no
 * memory to sort them, so each is searched for, among those that were not printed yet.
 */
static void print_all(void)
{
	struct ksym_watch *watch;
	static bool busy;
	int i;

	if (xchg(&busy, true))
		return;
	guard(rcu)();
	list_for_each_entry_rcu(watch, &watches, last_node)
		watch->last_printed = false;
	for (i = 0; i < MOST; i++) {
		struct last last = {};

		list_for_each_entry_rcu(watch, &watches, last_node) {
			if (!watch->last_printed)
				take_later(&last, watch);
		}
		if (!last.watch)
			break;
		print_last(&last);
		last.watch->last_printed = true;
	}
	xchg(&busy, false);
}

/* The task of the last oops, only to be compared, and the time of it. */
static struct task_struct *died;
static unsigned long died_at;

static int on_die(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event != DIE_OOPS)
		return NOTIFY_DONE;
	print_all();
	/* Two CPUs may die at once; then both print, or one does. */
	WRITE_ONCE(died_at, jiffies);
	WRITE_ONCE(died, current);
	return NOTIFY_DONE;
}

static struct notifier_block die_notifier = {
	.notifier_call	= on_die,
};

static int on_panic(struct notifier_block *nb, unsigned long event, void *data)
{
	/* The oops that led to it has printed them already. */
	if (READ_ONCE(died) != current || time_after(jiffies, READ_ONCE(died_at) + HZ))
		print_all();
	return NOTIFY_DONE;
}

static struct notifier_block panic_notifier = {
	.notifier_call	= on_panic,
};

static int __init ksym_last_init(void)
{
	atomic_notifier_chain_register(&panic_notifier_list, &panic_notifier);
	return register_die_notifier(&die_notifier);
}
fs_initcall(ksym_last_init);

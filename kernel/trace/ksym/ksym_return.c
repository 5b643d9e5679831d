// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return: what follows a hit when its task returns to user mode. Its user stack is
 * recorded, and it gets a signal.
 *
 * The handler can do neither: reading user memory may fault, and sending a signal takes
 * locks. So it adds task work to the task. The user stack does not change until the task
 * returns, so one record serves all hits on the way. Only execve() replaces the stack;
 * then none is recorded.
 *
 * The handler can't allocate, so there are slots for a fixed number of tasks. A task
 * may stay in the kernel for long, and the watch may be removed meanwhile: the slots
 * are freed when the last task has left them.
 */
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "ksym_limit.h"
#include "ksym_return.h"

#define SLOT_BITS	6

/* How many slots a task tries. */
#define PROBES		8

/**
 * struct slot - a task that has a hit and has not returned to user mode yet
 * @work: runs on the return
 * @all: the slots that this one belongs to
 * @task: the task, or NULL if the slot is free
 * @mm: its mm, only for comparison
 * @wants: what is to be done, as bits
 */
struct slot {
	struct callback_head	work;
	struct ksym_return	*all;
	struct task_struct	*task;
	struct mm_struct	*mm;
	unsigned int		wants;
};

/**
 * struct ksym_return - the tasks that have something to do for a watch
 * @watch: the watch, or NULL after its removal; readers disable preemption
 * @ref: held by the watch, and by each slot that is taken
 * @slots: the tasks, by a hash of their address
 */
struct ksym_return {
	struct ksym_watch	*watch;
	struct kref		ref;
	struct slot		slots[1 << SLOT_BITS];
};

static void free_return(struct kref *ref)
{
	kfree(container_of(ref, struct ksym_return, ref));
}

static void record_in_file(struct trace_event_file *file, void *data)
{
	bool *done = data;

	*done &= trace_stack_user(file->tr, tracing_gen_ctx());
}

/* Returns false if a buffer has no room, or is switched off. Preemption is off. */
static bool record_stack(struct ksym_watch *watch)
{
	bool done = true;

	ksym_watch_each_file(watch, record_in_file, &done);
	return done;
}

/* As with a signal from BPF, init is spared: it would take the machine along. */
static bool send_signal(int signal)
{
	return !(current->flags & PF_EXITING) && !is_global_init(current) &&
	       !send_sig(signal, current, 1);
}

/* Runs on the return to user mode, or when the task exits and has no stack any more. */
static void do_return_work(struct callback_head *work)
{
	struct slot *slot = container_of(work, struct slot, work);
	struct ksym_return *all = slot->all;
	struct ksym_watch *watch;
	struct ksym_trap *trap;
	unsigned int wants;
	int signal = 0;
	u64 start;

	preempt_disable_notrace();
	start = ksym_clock_nmi();
	watch = READ_ONCE(all->watch);
	/* A hit from now on, such as one in an interrupt, can't add to it any more. */
	wants = xchg(&slot->wants, 0);
	/* The mm differs after execve() and after exit. */
	if (watch && wants & KSYM_WANT_STACK &&
	    (current->mm != slot->mm || !record_stack(watch)))
		this_cpu_inc(watch->counts->n[KSYM_COUNT_NOUSTACK]);
	if (watch && wants & KSYM_WANT_SIGNAL)
		signal = watch->opt.signal;
	/* A trap that the watch has dropped is freed after an RCU grace period. */
	trap = watch ? READ_ONCE(watch->piece[0].trap) : NULL;
	if (trap && trap->budget)
		ksym_budget_charge_nmi(trap, ksym_clock_since_nmi(start));
	preempt_enable_notrace();

	/* Later hits ask again. Pairs with the cmpxchg() in ksym_return_want_nmi(). */
	smp_store_release(&slot->task, NULL);

	if (signal && !send_signal(signal)) {
		guard(preempt_notrace)();
		watch = READ_ONCE(all->watch);
		if (watch)
			this_cpu_inc(watch->counts->n[KSYM_COUNT_NOSIGNAL]);
	}
	kref_put(&all->ref, free_return);
}

/* Returns false if the work has begun: it has taken what it does. */
static bool add_wants(struct slot *slot, unsigned int wants)
{
	unsigned int old = READ_ONCE(slot->wants);

	/* An NMI may add to it, too. */
	do {
		if (!old)
			return false;
	} while (!try_cmpxchg(&slot->wants, &old, old | wants));
	return true;
}

NOKPROBE_SYMBOL(add_wants);

/**
 * ksym_return_want_nmi - do something when this task returns to user mode
 * @all: the slots of the watch
 * @wants: what to do: %KSYM_WANT_STACK, %KSYM_WANT_SIGNAL or both
 *
 * What several hits want before the return is done once.
 *
 * Any context; made for the handler.
 *
 * Return: false if it won't be done: no slot is free, the task is exiting, or it never
 * returns to user mode.
 */
bool ksym_return_want_nmi(struct ksym_return *all, unsigned int wants)
{
	struct task_struct *task = current;
	unsigned int i, first = hash_ptr(task, SLOT_BITS);
	struct slot *slot = NULL;

	if (!ksym_return_is_user(task))
		return false;
	for (i = 0; i < PROBES; i++) {
		struct slot *next = &all->slots[(first + i) % ARRAY_SIZE(all->slots)];
		struct task_struct *owner = READ_ONCE(next->task);

		if (owner == task)
			return add_wants(next, wants);
		if (!owner && !slot)
			slot = next;
	}
	/* Another task may take the same slot. Pairs with the releases of ->task. */
	if (!slot || cmpxchg(&slot->task, NULL, task))
		return false;

	slot->mm = task->mm;
	/* Until now a hit in an NMI finds that nothing can be added. */
	WRITE_ONCE(slot->wants, wants);
	kref_get(&all->ref);
	if (!task_work_add(task, &slot->work, in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME))
		return true;
	/* Not the last reference: the watch has one. */
	refcount_dec(&all->ref.refcount);
	/* The next owner finds the work unchanged. Pairs with the cmpxchg() above. */
	smp_store_release(&slot->task, NULL);
	return false;
}

NOKPROBE_SYMBOL(ksym_return_want_nmi);

/**
 * ksym_return_create - allocate the slots of a watch
 * @watch: the watch
 *
 * Process context; sleeps.
 *
 * Return: the slots, or NULL if there is no memory.
 */
struct ksym_return *ksym_return_create(struct ksym_watch *watch)
{
	struct ksym_return *all = kzalloc_obj(*all);
	unsigned int i;

	if (!all)
		return NULL;
	all->watch = watch;
	kref_init(&all->ref);
	for (i = 0; i < ARRAY_SIZE(all->slots); i++) {
		init_task_work(&all->slots[i].work, do_return_work);
		all->slots[i].all = all;
	}
	return all;
}

/**
 * ksym_return_stop - do nothing for a watch any more
 * @all: the slots of the watch
 *
 * Tasks may still do something until an RCU grace period has passed.
 *
 * Any context.
 */
void ksym_return_stop(struct ksym_return *all)
{
	WRITE_ONCE(all->watch, NULL);
}

/**
 * ksym_return_put - free the slots of a watch when the last task has left them
 * @all: the slots, which no handler finds any more, or NULL
 *
 * Any context.
 */
void ksym_return_put(struct ksym_return *all)
{
	if (all)
		kref_put(&all->ref, free_return);
}

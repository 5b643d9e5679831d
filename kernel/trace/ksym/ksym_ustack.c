// SPDX-License-Identifier: GPL-2.0-only
/*
 * User stacks: where in its program was the task that touched the variable?
 *
 * The handler can't read user memory, which may fault. It leaves task work with
 * the task, which writes the stack when it returns to user mode: until then the
 * stack stays as it is, so one record is enough for all hits on the way. Only an
 * execve() puts another program in its place, and then there is none to be had.
 *
 * Nothing can be allocated in the handler, so there is room for a number of tasks
 * that are on their way at the same time. A task may stay in the kernel for long,
 * and the watch may go meanwhile: the room lasts until the last task has left it.
 */
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "ksym_budget.h"

#define SLOT_BITS	6

/* In how many places a task looks for one. */
#define PROBES		8

/**
 * struct slot - a task that is on its way to user mode
 * @work: what it does there
 * @ustack: where the slot is
 * @task: the task, or NULL where the slot is free
 * @mm: its memory, only to be compared
 */
struct slot {
	struct callback_head	work;
	struct ksym_ustack	*ustack;
	struct task_struct	*task;
	struct mm_struct	*mm;
};

/**
 * struct ksym_ustack - the tasks whose user stacks a watch waits for
 * @watch: the watch, or NULL when it has gone; readers disable preemption
 * @ref: of the watch, and of each slot that is taken
 * @slots: the tasks, by a hash of their address
 */
struct ksym_ustack {
	struct ksym_watch	*watch;
	struct kref		ref;
	struct slot		slots[1 << SLOT_BITS];
};

static void free_ustack(struct kref *ref)
{
	kfree(container_of(ref, struct ksym_ustack, ref));
}

/* On the way to user mode, or to the end of the task, which has no stack then. */
static void write_stack(struct callback_head *work)
{
	struct slot *slot = container_of(work, struct slot, work);
	struct ksym_ustack *ustack = slot->ustack;
	struct ksym_watch *watch;
	struct ksym_trap *trap;
	u64 start;

	preempt_disable_notrace();
	start = ksym_clock_nmi();
	watch = READ_ONCE(ustack->watch);
	/* Not that of another program, nor of a task that has ended. */
	if (watch && (current->mm != slot->mm || !ksym_event_user_stack(watch)))
		this_cpu_inc(watch->counts->n[KSYM_COUNT_NOUSTACK]);
	/* A trap that the watch gives back is freed after a grace period of RCU. */
	trap = watch ? READ_ONCE(watch->piece[0].trap) : NULL;
	if (trap && trap->budget)
		ksym_budget_charge_nmi(trap, ksym_clock_since_nmi(start));
	preempt_enable_notrace();

	/* Hits from here on ask again; those of this function had their stack. */
	smp_store_release(&slot->task, NULL);
	kref_put(&ustack->ref, free_ustack);
}

/**
 * ksym_ustack_want_nmi - have this task's user stack recorded
 * @ustack: where it is to wait
 *
 * Any context; made for the handler.
 *
 * Return: false where the stack will be missing, as there is no room or the task
 * is about to end. Kernel threads have none to be missed, and what works for a user
 * in the kernel never returns to one.
 */
bool ksym_ustack_want_nmi(struct ksym_ustack *ustack)
{
	struct task_struct *task = current;
	unsigned int i, first = hash_ptr(task, SLOT_BITS);
	struct slot *slot = NULL;

	if (task->flags & (PF_KTHREAD | PF_USER_WORKER) || !task->mm)
		return true;
	for (i = 0; i < PROBES; i++) {
		struct slot *next = &ustack->slots[(first + i) % ARRAY_SIZE(ustack->slots)];
		struct task_struct *owner = READ_ONCE(next->task);

		if (owner == task)
			return true;
		if (!owner && !slot)
			slot = next;
	}
	/* Only this task looks for itself; another one may be faster here. */
	if (!slot || cmpxchg(&slot->task, NULL, task))
		return false;

	slot->mm = task->mm;
	kref_get(&ustack->ref);
	if (!task_work_add(task, &slot->work, in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME))
		return true;
	/* The watch has the last reference. */
	refcount_dec(&ustack->ref.refcount);
	/* Whoever takes the slot next finds the work as it was. */
	smp_store_release(&slot->task, NULL);
	return false;
}

NOKPROBE_SYMBOL(ksym_ustack_want_nmi);

/**
 * ksym_ustack_create - make room for tasks whose user stacks are wanted
 * @watch: the watch that wants them
 *
 * Process context; sleeps.
 *
 * Return: the room, or NULL where there is no memory.
 */
struct ksym_ustack *ksym_ustack_create(struct ksym_watch *watch)
{
	struct ksym_ustack *ustack = kzalloc(sizeof(*ustack), GFP_KERNEL);
	unsigned int i;

	if (!ustack)
		return NULL;
	ustack->watch = watch;
	kref_init(&ustack->ref);
	for (i = 0; i < ARRAY_SIZE(ustack->slots); i++) {
		init_task_work(&ustack->slots[i].work, write_stack);
		ustack->slots[i].ustack = ustack;
	}
	return ustack;
}

/**
 * ksym_ustack_stop - record no user stack for a watch any more
 * @ustack: what its handler was given
 *
 * Tasks may still record one for the watch until an RCU grace period has passed.
 *
 * Any context.
 */
void ksym_ustack_stop(struct ksym_ustack *ustack)
{
	WRITE_ONCE(ustack->watch, NULL);
}

/**
 * ksym_ustack_put - free the room of a watch, when the last task has left it
 * @ustack: the room, which no handler finds any more; or NULL
 *
 * Any context.
 */
void ksym_ustack_put(struct ksym_ustack *ustack)
{
	if (ustack)
		kref_put(&ustack->ref, free_ustack);
}

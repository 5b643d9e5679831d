// SPDX-License-Identifier: GPL-2.0-only
/*
 * User stacks: where in its program was the task that accessed the variable?
 *
 * The handler can't read user memory, which may fault. It adds task work to the task,
 * which records the stack on the return to user mode. The stack does not change until
 * then, so one record serves all hits on the way. Only execve() replaces the stack;
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
#include <linux/slab.h>
#include <linux/task_work.h>

#include "ksym_limit.h"
#include "ksym_ustack.h"

#define SLOT_BITS	6

/* How many slots a task tries. */
#define PROBES		8

/**
 * struct slot - a task that has a hit and has not returned to user mode yet
 * @work: records the stack on the return
 * @ustack: the slots that this one belongs to
 * @task: the task, or NULL if the slot is free
 * @mm: its mm, only for comparison
 */
struct slot {
	struct callback_head	work;
	struct ksym_ustack	*ustack;
	struct task_struct	*task;
	struct mm_struct	*mm;
};

/**
 * struct ksym_ustack - the tasks whose user stacks will be recorded for a watch
 * @watch: the watch, or NULL after its removal; readers disable preemption
 * @ref: held by the watch, and by each slot that is taken
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

/* Runs on the return to user mode, or when the task exits and has no stack any more. */
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
	/* The mm differs after execve() and after exit. */
	if (watch && (current->mm != slot->mm || !record_stack(watch)))
		this_cpu_inc(watch->counts->n[KSYM_COUNT_NOUSTACK]);
	/* A trap that the watch has dropped is freed after an RCU grace period. */
	trap = watch ? READ_ONCE(watch->piece[0].trap) : NULL;
	if (trap && trap->budget)
		ksym_budget_charge_nmi(trap, ksym_clock_since_nmi(start));
	preempt_enable_notrace();

	/* Later hits ask again. Pairs with the cmpxchg() in ksym_ustack_want_nmi(). */
	smp_store_release(&slot->task, NULL);
	kref_put(&ustack->ref, free_ustack);
}

/**
 * ksym_ustack_want_nmi - record this task's user stack when it returns to user mode
 * @ustack: the slots of the watch
 *
 * Any context; made for the handler.
 *
 * Return: false if the stack will be missing, because no slot is free or the task is
 * exiting; true for tasks that never return to user mode, which have no user stack.
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
	/* Another task may take the same slot. Pairs with the releases of ->task. */
	if (!slot || cmpxchg(&slot->task, NULL, task))
		return false;

	slot->mm = task->mm;
	kref_get(&ustack->ref);
	if (!task_work_add(task, &slot->work, in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME))
		return true;
	/* Not the last reference: the watch has one. */
	refcount_dec(&ustack->ref.refcount);
	/* The next owner finds the work unchanged. Pairs with the cmpxchg() above. */
	smp_store_release(&slot->task, NULL);
	return false;
}

NOKPROBE_SYMBOL(ksym_ustack_want_nmi);

/**
 * ksym_ustack_create - allocate the slots of a watch with ustack
 * @watch: the watch
 *
 * Process context; sleeps.
 *
 * Return: the slots, or NULL if there is no memory.
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
 * ksym_ustack_stop - record no user stacks for a watch any more
 * @ustack: the slots of the watch
 *
 * Tasks may still record a stack until an RCU grace period has passed.
 *
 * Any context.
 */
void ksym_ustack_stop(struct ksym_ustack *ustack)
{
	WRITE_ONCE(ustack->watch, NULL);
}

/**
 * ksym_ustack_put - free the slots of a watch when the last task has left them
 * @ustack: the slots, which no handler finds any more, or NULL
 *
 * Any context.
 */
void ksym_ustack_put(struct ksym_ustack *ustack)
{
	if (ustack)
		kref_put(&ustack->ref, free_ustack);
}

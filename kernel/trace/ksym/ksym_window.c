// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows: the calls of a function in which a watch looks at an object.
 *
 *   EXPR in FUNC                     from each entry of FUNC to its return
 *   EXPR in FUNC until FUNC(argN)    until argN is the object, in any task
 *   $retval in FUNC until ...        from each return of FUNC
 *
 * A window points the watch at what EXPR is in that call, as a trigger would, and keeps
 * the task that opened it, the owner. The accesses of all tasks are recorded.
 *
 * The entry and the return are a kretprobe's, so the calls of many tasks and of one that
 * recurses are kept apart. An object that several calls have in their windows is watched
 * until the last of them returns. A task that ends in a call never returns from it: its
 * windows are closed when it is freed.
 */
#include <linux/bitmap.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include "ksym_object.h"
#include "ksym_window.h"

#ifdef CONFIG_KRETPROBES

/* How many calls can be in their windows at once. */
#define MAX_CALLS	512

/**
 * struct ksym_call - a call in its window
 * @task: the task, or NULL while it is opened and closed
 * @pid: its number
 * @nr: the piece that watches the object
 * @seq: the object
 */
struct ksym_call {
	struct task_struct	*task;
	pid_t			pid;
	unsigned int		nr;
	u64			seq;
};

/**
 * struct ksym_window - the windows of a watch
 * @watch: the watch
 * @text: the window as it stands in the line
 * @kind: what the target is
 * @arg: the N of argN
 * @way: from the value in the call, or from its base, to what is watched
 * @on: the watch is armed
 * @in: is hit at the entry of the function, and at its return
 * @until: is hit at the entry of the function that ends a window
 * @exits: tasks that are freed are looked for in @call
 * @used: which of @call are in use
 * @call: the calls in their windows
 */
struct ksym_window {
	struct ksym_watch	*watch;
	struct ksym_window_text	text;
	enum ksym_target_kind	kind;
	unsigned int		arg;
	struct ksym_place	way;
	bool			on;
	struct kretprobe	in;
	struct kprobe		until;
	bool			exits;
	DECLARE_BITMAP(used, MAX_CALLS);
	struct ksym_call	call[MAX_CALLS];
};

/* Points the watch at the object of a call. */
static nokprobe_inline int open_window_nmi(struct ksym_window *window, struct ksym_aim *aim,
					   struct pt_regs *regs)
{
	struct ksym_place way = window->way;
	unsigned long value = 0;

	switch (window->kind) {
	case KSYM_AT_ARG:
		value = regs_get_kernel_argument(regs, window->arg - 1);
		break;
	case KSYM_AT_RETVAL:
		value = regs_return_value(regs);
		break;
	case KSYM_AT_STACK:
		way.base = kernel_stack_pointer(regs);
		break;
	default:
		break;
	}
	aim->base = way.base;
	if (window->kind == KSYM_AT_ARG || window->kind == KSYM_AT_RETVAL) {
		way.base = (unsigned long)&value;
		aim->base = value;
	}
	aim->owner = current->pid;
	aim->timeout = window->watch->opt.timeout;
	if (ksym_place_addr(&way, raw_smp_processor_id(), &aim->addr)) {
		ksym_object_miss_nmi(window->watch, NULL);
		return -EFAULT;
	}
	return ksym_object_set_nmi(window->watch, aim);
}

static nokprobe_inline int find_call_nmi(struct ksym_window *window)
{
	int nr;

	do {
		nr = find_first_zero_bit(window->used, MAX_CALLS);
		if (nr == MAX_CALLS)
			return -1;
	} while (test_and_set_bit(nr, window->used));
	return nr;
}

/* A task that still has the object of a call in a window, or 0. */
static pid_t next_owner_nmi(void *data, unsigned int nr, u64 seq)
{
	const struct ksym_window *window = data;
	unsigned int i;

	for_each_set_bit(i, window->used, MAX_CALLS) {
		const struct ksym_call *call = &window->call[i];

		/*
		 * Pairs with enter_call_nmi(). The call may return meanwhile, and another one
		 * begin; then the former corrects the owner when it gets the lock.
		 */
		if (smp_load_acquire(&call->task) && READ_ONCE(call->nr) == nr &&
		    READ_ONCE(call->seq) == seq)
			return READ_ONCE(call->pid);
	}
	return 0;
}

NOKPROBE_SYMBOL(next_owner_nmi);

static nokprobe_inline void close_call_nmi(struct ksym_window *window, struct ksym_call *call)
{
	unsigned int nr = call->nr;
	u64 seq = call->seq;

	WRITE_ONCE(call->task, NULL);
	clear_bit(call - window->call, window->used);
	ksym_object_put_nmi(window->watch, nr, seq, next_owner_nmi, window);
}

/*
 * Is the watch armed? It is not when its count= is used up. What is left of that does not
 * tell, since a hit may give back what it has taken.
 */
static nokprobe_inline bool is_on(const struct ksym_window *window)
{
	const struct ksym_trap *trap = READ_ONCE(window->watch->piece[0].trap);

	return READ_ONCE(window->on) && trap && READ_ONCE(trap->armed);
}

/* Returns 1 if nothing is to be done at the return. */
static int enter_call_nmi(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *probe = get_kretprobe(ri);
	struct ksym_window *window;
	struct ksym_aim aim = { .share = true };
	struct ksym_call *call;
	int nr;

	if (!probe)
		return 1;
	window = container_of(probe, struct ksym_window, in);
	if (!is_on(window))
		return 1;
	if (window->kind == KSYM_AT_RETVAL)
		return 0;
	nr = find_call_nmi(window);
	if (nr < 0) {
		ksym_object_miss_nmi(window->watch, NULL);
		return 1;
	}
	if (open_window_nmi(window, &aim, regs)) {
		clear_bit(nr, window->used);
		return 1;
	}
	call = &window->call[nr];
	WRITE_ONCE(call->pid, current->pid);
	WRITE_ONCE(call->nr, aim.nr);
	WRITE_ONCE(call->seq, aim.seq);
	*(int *)ri->data = nr;
	/* Pairs with next_owner_nmi(). */
	smp_store_release(&call->task, current);
	return 0;
}

NOKPROBE_SYMBOL(enter_call_nmi);

static int leave_call_nmi(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *probe = get_kretprobe(ri);
	struct ksym_window *window;
	struct ksym_aim aim = {};

	if (!probe)
		return 0;
	window = container_of(probe, struct ksym_window, in);
	if (window->kind == KSYM_AT_RETVAL)
		open_window_nmi(window, &aim, regs);
	else
		close_call_nmi(window, &window->call[*(int *)ri->data]);
	return 0;
}

NOKPROBE_SYMBOL(leave_call_nmi);

/* The entry of a window that until ends. */
static int enter_nmi(struct kprobe *kp, struct pt_regs *regs)
{
	struct ksym_window *window = container_of(kp, struct ksym_window, in.kp);
	struct ksym_aim aim = {};

	if (is_on(window))
		open_window_nmi(window, &aim, regs);
	return 0;
}

NOKPROBE_SYMBOL(enter_nmi);

static int until_nmi(struct kprobe *kp, struct pt_regs *regs)
{
	struct ksym_window *window = container_of(kp, struct ksym_window, until);
	unsigned long object = regs_get_kernel_argument(regs, window->text.until_arg - 1);

	if (object != KSYM_ADDR_ANY)
		ksym_object_clear_nmi(window->watch, object, NULL);
	return 0;
}

NOKPROBE_SYMBOL(until_nmi);

/* A task ended without returning. */
static void task_is_gone(void *data, struct task_struct *task)
{
	struct ksym_window *window = data;
	unsigned int i;

	for_each_set_bit(i, window->used, MAX_CALLS)
		if (READ_ONCE(window->call[i].task) == task)
			close_call_nmi(window, &window->call[i]);
}

static int count_symbol(void *data, unsigned long addr)
{
	unsigned int *nr = data;

	return ++*nr > 1;
}

/* Do several functions of the kernel have this name? kprobes would take any of them. */
static bool is_ambiguous(const char *name)
{
	unsigned int nr = 0;

	if (!strchr(name, ':'))
		kallsyms_on_each_match_symbol(count_symbol, name, &nr);
	return nr > 1;
}

static int register_probes(struct ksym_window *window, const struct ksym_spec *spec,
			   struct ksym_error *error)
{
	const struct ksym_window_text *text = &window->text;
	int ret;

	if (is_ambiguous(text->func))
		return ksym_fail(error, KSYM_ERR_AMBIGUOUS_FUNC, spec->in_at);
	if (text->until[0] && is_ambiguous(text->until))
		return ksym_fail(error, KSYM_ERR_AMBIGUOUS_FUNC, spec->until_at);
	window->in.kp.symbol_name = text->func;
	if (!text->until[0] || window->kind == KSYM_AT_RETVAL) {
		window->in.entry_handler = enter_call_nmi;
		window->in.handler = leave_call_nmi;
		window->in.data_size = sizeof(int);
		window->in.maxactive = MAX_CALLS;
		ret = register_kretprobe(&window->in);
	} else {
		window->in.kp.pre_handler = enter_nmi;
		ret = register_kprobe(&window->in.kp);
	}
	if (ret) {
		window->in.kp.addr = NULL;
		return ret == -ENOMEM ? ret : ksym_fail(error, KSYM_ERR_NO_FUNC, spec->in_at);
	}
	if (!text->until[0]) {
		ret = register_trace_sched_process_free(task_is_gone, window);
		window->exits = !ret;
		return ret;
	}
	window->until.symbol_name = text->until;
	window->until.pre_handler = until_nmi;
	ret = register_kprobe(&window->until);
	if (!ret)
		return 0;
	window->until.addr = NULL;
	return ret == -ENOMEM ? ret : ksym_fail(error, KSYM_ERR_NO_FUNC, spec->until_at);
}

/**
 * ksym_window_create - make the window of a watch, closed
 * @watch: a new watch
 * @spec: its line, with or without a window
 * @error: after an error: what is wrong, and where
 *
 * Process context; sleeps; dyn_event_ops_mutex is held.
 *
 * Return: 0; -EINVAL with @error set; or -ENOMEM.
 */
int ksym_window_create(struct ksym_watch *watch, const struct ksym_spec *spec,
		       struct ksym_error *error)
{
	struct ksym_window *window;

	if (!spec->window.func[0])
		return 0;
	window = kzalloc_obj(*window);
	if (!window)
		return -ENOMEM;
	window->watch = watch;
	window->text = spec->window;
	window->kind = spec->target.kind;
	window->arg = spec->target.arg;
	window->way = watch->found.place;
	watch->window = window;
	return register_probes(window, spec, error);
}

/**
 * ksym_window_switch - let the next calls of its function open windows, or none
 * @window: the window of a watch, or NULL
 * @on: the watch is armed. Where it is not, open windows are closed as ever
 *
 * Any context.
 */
void ksym_window_switch(struct ksym_window *window, bool on)
{
	if (window)
		WRITE_ONCE(window->on, on);
}

/**
 * ksym_window_missed - count the calls that kprobes have not told of
 * @window: the window, or NULL
 *
 * More calls at once than the window has room for are among them.
 *
 * Any context.
 *
 * Return: the number.
 */
unsigned long ksym_window_missed(const struct ksym_window *window)
{
	/* kprobes increments them without a lock, so they are estimates. */
	return window ? data_race(window->in.nmissed + window->in.kp.nmissed +
				  window->until.nmissed) : 0;
}

/**
 * ksym_window_is_gone - has a function of the window left with its module?
 * @window: the window, or NULL
 *
 * Any context.
 *
 * Return: true if it has: no window opens any more, or none closes.
 */
bool ksym_window_is_gone(struct ksym_window *window)
{
	return window && (kprobe_gone(&window->in.kp) || kprobe_gone(&window->until));
}

/**
 * ksym_window_stop - let no call find the watch any more
 * @window: the window, or NULL
 *
 * Process context; sleeps.
 */
void ksym_window_stop(struct ksym_window *window)
{
	if (!window)
		return;
	WRITE_ONCE(window->on, false);
	if (window->until.addr)
		unregister_kprobe(&window->until);
	window->until.addr = NULL;
	if (window->in.kp.addr && window->in.handler)
		unregister_kretprobe(&window->in);
	else if (window->in.kp.addr)
		unregister_kprobe(&window->in.kp);
	window->in.kp.addr = NULL;
	if (!window->exits)
		return;
	unregister_trace_sched_process_free(task_is_gone, window);
	window->exits = false;
	tracepoint_synchronize_unregister();
}

/**
 * ksym_window_free - free the window of a watch
 * @window: the window, or NULL
 *
 * Process context; sleeps.
 */
void ksym_window_free(struct ksym_window *window)
{
	ksym_window_stop(window);
	kfree(window);
}

/**
 * ksym_window_text - get the text of a window
 * @window: the window
 *
 * Any context.
 *
 * Return: the text.
 */
const struct ksym_window_text *ksym_window_text(const struct ksym_window *window)
{
	return &window->text;
}

#else /* no kretprobes */

int ksym_window_create(struct ksym_watch *watch, const struct ksym_spec *spec,
		       struct ksym_error *error)
{
	if (!spec->window.func[0])
		return 0;
	return ksym_fail(error, KSYM_ERR_NO_WINDOWS, spec->in_at);
}

void ksym_window_switch(struct ksym_window *window, bool on)
{
}

unsigned long ksym_window_missed(const struct ksym_window *window)
{
	return 0;
}

bool ksym_window_is_gone(struct ksym_window *window)
{
	return false;
}

void ksym_window_stop(struct ksym_window *window)
{
}

void ksym_window_free(struct ksym_window *window)
{
}

const struct ksym_window_text *ksym_window_text(const struct ksym_window *window)
{
	static const struct ksym_window_text none;

	return &none;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event: each watch is a trace event, events/ksym/NAME.
 *
 * The events have a tracepoint each, of which every buffer that records the
 * event, and perf, is a probe. So instances, filters, triggers, perf and BPF
 * work as they do for the events that are built in.
 */
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/stddef.h>
#include <linux/stringify.h>
#include <linux/trace_events.h>

#include "../trace_output.h"
#include "ksym.h"

/*
 * A record. Numbers only: names are found when it is printed, from the event
 * and with %pS. The size in the buffer leaves the padding out.
 */
struct ksym_entry {
	struct trace_entry	ent;
	u64			ip;
	u64			addr;
	u64			old;
	u64			new;
	u16			access;
	u16			len;
};

#define KSYM_ENTRY_SIZE	offsetofend(struct ksym_entry, len)

#define KSYM_FIELD(ctype, field) {				\
	.type		= #ctype,				\
	.name		= #field,				\
	.size		= sizeof(ctype),			\
	.align		= __alignof__(ctype),			\
	.is_signed	= 0,					\
	.filter_type	= FILTER_OTHER,				\
}

static struct trace_event_fields ksym_fields[] = {
	KSYM_FIELD(u64, ip),
	KSYM_FIELD(u64, addr),
	KSYM_FIELD(u64, old),
	KSYM_FIELD(u64, new),
	KSYM_FIELD(u16, access),
	KSYM_FIELD(u16, len),
	{}
};

/* What trace-cmd and perf print with; ksym_event_print() must do the same. */
static char ksym_print_fmt[] = __stringify("%s%u %pS %#llx -> %#llx by %pS",
	__print_symbolic(REC->access, { 0, "?" }, { 1, "r" }, { 2, "w" }, { 3, "rw" }),
	REC->len, (void *)REC->addr, REC->old, REC->new, (void *)REC->ip);

static void fill_entry_nmi(struct ksym_entry *entry, const struct ksym_hit *hit)
{
	entry->ip = instruction_pointer(hit->regs);
	entry->addr = hit->watch->addr;
	entry->old = hit->old;
	entry->new = hit->new;
	entry->access = hit->access;
	entry->len = hit->watch->len;
}

NOKPROBE_SYMBOL(fill_entry_nmi);

/*
 * Asks before anything is reserved what trace_event_buffer_commit() asks
 * afterwards: a filter that says no needs no room then, and what is dropped is
 * not counted as a hit.
 */
static bool is_dropped_nmi(struct trace_event_file *file, unsigned long flags,
			   const struct ksym_hit *hit, unsigned int trace_ctx)
{
	struct ksym_entry entry;

	if (flags & EVENT_FILE_FL_SOFT_DISABLED)
		return true;
	if (!(flags & EVENT_FILE_FL_FILTERED))
		return false;
	tracing_generic_entry_update(&entry.ent,
				     file->event_call->event.type, trace_ctx);
	fill_entry_nmi(&entry, hit);
	return !filter_match_preds(rcu_dereference_sched(file->filter), &entry);
}

NOKPROBE_SYMBOL(is_dropped_nmi);

/* Records a hit in the buffer of an event file. */
static void ksym_event_probe_nmi(void *data, struct ksym_hit *hit)
{
	struct trace_event_file *file = data;
	unsigned long flags = READ_ONCE(file->flags);
	struct trace_event_buffer fbuffer;
	bool dropped;

	if (trace_trigger_soft_disabled(file) ||
	    ((flags & EVENT_FILE_FL_PID_FILTER) &&
	     trace_event_ignore_this_pid(file))) {
		hit->filtered = true;
		return;
	}

	fbuffer.trace_ctx = tracing_gen_ctx_dec();
	dropped = is_dropped_nmi(file, flags, hit, fbuffer.trace_ctx);
	/* A trigger with a condition sees what the filter drops as well. */
	if (dropped && !(flags & EVENT_FILE_FL_TRIGGER_COND)) {
		hit->filtered = true;
		return;
	}

	/*
	 * trace_event_buffer_reserve() would take a page beside the buffer for
	 * an event with a filter, and not tell whether the buffer had room in
	 * the end. It is only asked where the buffer has none and a trigger
	 * wants to see the record all the same.
	 */
	fbuffer.trace_file = file;
	fbuffer.buffer = file->tr->array_buffer.buffer;
	fbuffer.event = trace_buffer_lock_reserve(fbuffer.buffer,
						  file->event_call->event.type,
						  KSYM_ENTRY_SIZE,
						  fbuffer.trace_ctx);
	if (fbuffer.event) {
		fbuffer.entry = ring_buffer_event_data(fbuffer.event);
		if (dropped)
			hit->filtered = true;
		else
			hit->recorded = true;
	} else if (!(flags & EVENT_FILE_FL_TRIGGER_COND) ||
		   !trace_event_buffer_reserve(&fbuffer, file,
					       KSYM_ENTRY_SIZE)) {
		return;
	}
	fill_entry_nmi(fbuffer.entry, hit);
	/* A stack trace begins at the access, not in the handler. */
	fbuffer.regs = hit->regs;
	trace_event_buffer_commit(&fbuffer);
}

NOKPROBE_SYMBOL(ksym_event_probe_nmi);

/* Hands a hit to perf's tracepoint events and the BPF programs on them. */
static void ksym_perf_probe_nmi(void *data, struct ksym_hit *hit)
{
	/* perf keeps a 32-bit size in front of a record, and aligns both. */
	const int size = ALIGN(KSYM_ENTRY_SIZE + sizeof(u32), sizeof(u64)) -
			 sizeof(u32);
	struct trace_event_call *call = data;
	struct hlist_head *head = this_cpu_ptr(call->perf_events);
	struct ksym_entry *entry;
	int rctx;

	/* Opened for other CPUs or for other tasks only. */
	if (!bpf_prog_array_valid(call) && hlist_empty(head)) {
		hit->filtered = true;
		return;
	}

	entry = perf_trace_buf_alloc(size, NULL, &rctx);
	if (!entry)
		return;
	fill_entry_nmi(entry, hit);
	hit->recorded = true;
	perf_trace_run_bpf_submit(entry, size, rctx, call, 1, hit->regs, head,
				  NULL);
}

NOKPROBE_SYMBOL(ksym_perf_probe_nmi);

static struct ksym_watch *event_to_watch(struct trace_event *event)
{
	struct trace_event_call *call;

	call = container_of(event, struct trace_event_call, event);
	return container_of(call, struct ksym_watch, call);
}

static enum print_line_t ksym_event_print(struct trace_iterator *iter,
					  int flags, struct trace_event *event)
{
	struct ksym_entry *entry = (struct ksym_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%s: %s%u %pS %#llx -> %#llx by %pS\n",
			 event_to_watch(event)->name,
			 ksym_access_word(entry->access), entry->len,
			 (void *)(unsigned long)entry->addr,
			 entry->old, entry->new,
			 (void *)(unsigned long)entry->ip);
	return trace_handle_return(&iter->seq);
}

struct trace_event_functions ksym_event_funcs = {
	.trace	= ksym_event_print,
};

/**
 * ksym_event_print_header - the heading of the ksym_tracer table
 * @m: the trace file
 *
 * Process context.
 */
void ksym_event_print_header(struct seq_file *m)
{
	seq_puts(m, "#           TASK-PID     CPU  SYMBOL                   TYPE  OLD -> NEW                 FUNCTION\n");
	seq_puts(m, "#              |          |     |                       |     |                         |\n");
}

/**
 * ksym_event_print_row - print an entry as a row of the ksym_tracer table
 * @iter: the reader of the trace file, at its entry
 *
 * Process context; the event core holds trace_event_sem.
 *
 * Return: %TRACE_TYPE_UNHANDLED where the entry is not a hit.
 */
enum print_line_t ksym_event_print_row(struct trace_iterator *iter)
{
	struct trace_event *event = ftrace_find_event(iter->ent->type);
	struct ksym_entry *entry = (struct ksym_entry *)iter->ent;
	struct trace_seq *s = &iter->seq;
	char symbol[KSYM_TARGET_LEN];
	struct ksym_watch *watch;
	char comm[TASK_COMM_LEN];
	char values[48];
	char type[8];

	if (!event || event->funcs != &ksym_event_funcs)
		return TRACE_TYPE_UNHANDLED;

	watch = event_to_watch(event);
	trace_find_cmdline(entry->ent.pid, comm);
	ksym_format_target(symbol, sizeof(symbol), watch->symbol, watch->off);
	snprintf(values, sizeof(values), "%#llx -> %#llx", entry->old,
		 entry->new);
	snprintf(type, sizeof(type), "%s%u", ksym_access_word(entry->access),
		 entry->len);
	trace_seq_printf(s, "%16s-%-7d  [%03d] %-24s %-4s  %-25s  %pS\n",
			 comm, entry->ent.pid, iter->cpu, symbol, type, values,
			 (void *)(unsigned long)entry->ip);
	return trace_handle_return(s);
}

/**
 * ksym_event_init - prepare the event of a watch, without showing it
 * @watch: its name is set
 *
 * Any context.
 */
void ksym_event_init(struct ksym_watch *watch)
{
	struct trace_event_class *class = &watch->class;
	struct trace_event_call *call = &watch->call;

	watch->tp.name = watch->name;

	class->system = KSYM_GROUP;
	class->fields_array = ksym_fields;
	INIT_LIST_HEAD(&class->fields);
	class->reg = trace_event_reg;
	class->probe = ksym_event_probe_nmi;
	class->perf_probe = ksym_perf_probe_nmi;

	call->class = class;
	call->tp = &watch->tp;
	call->flags = TRACE_EVENT_FL_TRACEPOINT;
	call->event.funcs = &ksym_event_funcs;
	call->print_fmt = ksym_print_fmt;
}

/* Is there an event of this name already, and whose is it? */
static int check_name_is_free(const char *name)
{
	struct trace_event_call *call;
	int ret = 0;

	down_read(&trace_event_sem);
	list_for_each_entry(call, &ftrace_events, list) {
		if (strcmp(call->class->system, KSYM_GROUP) ||
		    strcmp(trace_event_name(call), name))
			continue;
		ret = call->event.funcs == &ksym_event_funcs ? -EBUSY : -EEXIST;
		break;
	}
	up_read(&trace_event_sem);
	return ret;
}

/**
 * ksym_event_register_locked - show the event of a watch in tracefs
 * @watch: after ksym_event_init()
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: 0; -EBUSY where a watch has this name; -EEXIST where another event of
 * the group has; or the event core's error.
 */
int ksym_event_register_locked(struct ksym_watch *watch)
{
	struct trace_event_call *call = &watch->call;
	int ret;

	lockdep_assert_held(&event_mutex);

	ret = check_name_is_free(watch->name);
	if (ret)
		return ret;
	if (!register_trace_event(&call->event))
		return -ENODEV;
	/* Set before the event can be seen: perf counts on it. */
	call->flags |= TRACE_EVENT_FL_DYNAMIC;
	ret = trace_add_event_call(call);
	if (ret) {
		unregister_trace_event(&call->event);
		return ret;
	}
	return dyn_event_add(&watch->devent, call);
}

/* Not by its name, which another event may take later. */
static struct trace_event_file *file_of_locked(struct trace_array *tr,
					       struct ksym_watch *watch)
{
	struct trace_event_file *file;

	lockdep_assert_held(&event_mutex);

	list_for_each_entry(file, &tr->events, list)
		if (file->event_call == &watch->call)
			return file;
	return NULL;
}

/**
 * ksym_event_enable_locked - enable the event in the top instance
 * @watch: its event is registered
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: 0, or the event core's error.
 */
int ksym_event_enable_locked(struct ksym_watch *watch)
{
	struct trace_event_file *file;

	lockdep_assert_held(&event_mutex);

	file = file_of_locked(top_trace_array(), watch);
	return file ? trace_event_enable_disable(file, 1, 0) : -ENODEV;
}

/**
 * ksym_event_is_busy_locked - does anybody but us use the event?
 * @watch: its event is registered
 *
 * That it is enabled in the top instance does not count: it is from the moment
 * that it is defined, so that is nobody's wish in particular.
 *
 * Process context; event_mutex is held.
 *
 * Return: true where an instance, perf or a trigger does.
 */
bool ksym_event_is_busy_locked(struct ksym_watch *watch)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	lockdep_assert_held(&event_mutex);

	if (trace_event_dyn_busy(&watch->call))
		return true;
	if (watch->call.perf_refcount)
		return true;
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		file = file_of_locked(tr, watch);
		if (!file)
			continue;
		/* A trigger keeps the event in soft mode. */
		if (file->flags & EVENT_FILE_FL_SOFT_MODE)
			return true;
		if (tr != top_trace_array() &&
		    (file->flags & EVENT_FILE_FL_ENABLED))
			return true;
	}
	return false;
}

/**
 * ksym_event_unregister_locked - take the event of a watch out of tracefs
 * @watch: no handler runs for it any more
 *
 * The buffers that the event was ever enabled in are to be reset afterwards,
 * by tracing_reset_all_online_cpus(): nobody could print its records.
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: 0, or -EBUSY where ksym_event_is_busy_locked().
 */
int ksym_event_unregister_locked(struct ksym_watch *watch)
{
	struct trace_event_file *file;
	int ret;

	lockdep_assert_held(&event_mutex);

	if (ksym_event_is_busy_locked(watch))
		return -EBUSY;
	file = file_of_locked(top_trace_array(), watch);
	if (file)
		trace_event_enable_disable(file, 0, 0);
	ret = trace_remove_event_call(&watch->call);
	if (ret)
		return ret;
	dyn_event_remove(&watch->devent);
	return 0;
}

/**
 * ksym_event_note - write a line into each buffer that records a watch
 * @watch: the watch, which can't go meanwhile
 * @text: the line, without a newline
 *
 * It stands between the hits, as what trace_marker takes does. Any context but
 * NMIs.
 */
void ksym_event_note(struct ksym_watch *watch, const char *text)
{
	struct trace_event_file *file;
	struct tracepoint_func *func;

	preempt_disable_notrace();
	func = rcu_dereference_sched(watch->tp.funcs);
	for (; func && func->func; func++) {
		if (func->func != ksym_event_probe_nmi)
			continue;
		file = func->data;
		__trace_array_puts(file->tr, _THIS_IP_, text, strlen(text));
	}
	preempt_enable_notrace();
}

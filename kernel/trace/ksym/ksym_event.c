// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event: each watch is a trace event, events/GRP/NAME.
 *
 * Each event has a tracepoint of its own, with a probe for each instance that records
 * the event and one for perf. So instances, filters, triggers, perf and BPF work as
 * they do for static events.
 */
#include <kunit/static_stub.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/stringify.h>
#include <linux/trace_events.h>

#include "../trace_output.h"
#include "ksym_event.h"
#include "ksym_fetch.h"
#include "ksym_hit.h"
#include "ksym_persistent.h"
#include "ksym_record.h"
#include "ksym_trap.h"

/**
 * struct ksym_field - a field of the events
 * @name: its name
 * @type: its type
 * @offset: where it is in a record
 * @size: its size
 * @is_value: it is a value of the target, and signed where that is
 * @is_wrote: only watches with the option wrote have it
 * @is_owner: only watches with a window have it
 */
struct ksym_field {
	const char	*name;
	const char	*type;
	u8		offset;
	u8		size;
	bool		is_value;
	bool		is_wrote;
	bool		is_owner;
};

#define KSYM_FIELD(ctype, field, ...) {				\
	.name		= #field,				\
	.type		= #ctype,				\
	.offset		= offsetof(struct ksym_entry, field),	\
	.size		= sizeof(ctype),			\
	__VA_ARGS__						\
}

static const struct ksym_field fields[] = {
	KSYM_FIELD(u64, ip),
	KSYM_FIELD(u64, addr),
	KSYM_FIELD(u64, old, .is_value = true),
	KSYM_FIELD(u64, new, .is_value = true),
	KSYM_FIELD(u8, access),
	KSYM_FIELD(u8, torn),
	KSYM_FIELD(u16, len),
	KSYM_FIELD(u32, has_wrote, .is_wrote = true),
	KSYM_FIELD(u64, wrote, .is_wrote = true, .is_value = true),
	KSYM_FIELD(pid_t, owner, .is_owner = true),
};

static int define_fields(struct trace_event_call *call)
{
	struct ksym_watch *watch = container_of(call, struct ksym_watch, call);
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct ksym_field *field = &fields[i];
		bool is_number = field->is_value && watch->is_signed;

		if ((field->is_wrote && !watch->opt.wrote) || (field->is_owner && !watch->window))
			continue;
		ret = trace_define_field(call, is_number ? "s64" : field->type, field->name,
					 field->offset, field->size, is_number || field->is_owner,
					 FILTER_OTHER);
		if (ret)
			return ret;
	}
	return watch->fetch ? ksym_fetch_define_fields(watch->fetch, call) : 0;
}

static struct trace_event_fields ksym_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = define_fields },
	{}
};

/* The print format for trace-cmd and perf; ksym_event_print() prints the same. */
#define KSYM_PRINT_ACCESS	__stringify(				\
	__print_symbolic(REC->access, { 0, "?" }, { 1, "r" }, { 2, "w" }, { 3, "rw" }))
#define KSYM_PRINT_WHAT		", " KSYM_PRINT_ACCESS ", REC->len, (void *)REC->addr"
#define KSYM_PRINT_IP		", (void *)REC->ip"
#define KSYM_PRINT_TORN		__stringify(				\
	, __print_symbolic(REC->torn, { 0, "" }, { 1, " torn" }))
/* A print format can't leave out an unknown value, so it gets a question mark. */
#define KSYM_PRINT_HAS_WROTE	__stringify(				\
	, __print_symbolic(REC->has_wrote, { 0, "?" }, { 1, "" }))

/**
 * ksym_event_has_field - do the events have a fixed field of this name?
 * @name: the name, which need not be terminated
 * @len: its length
 *
 * Any context.
 *
 * Return: true if they do.
 */
bool ksym_event_has_field(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (strlen(fields[i].name) == len && !memcmp(fields[i].name, name, len))
			return true;
	}
	return false;
}

/* Copies a record with fetch arguments into the room that a probe has reserved. */
static __always_inline void copy_record_nmi(struct ksym_entry *entry,
					    const struct ksym_entry *record,
					    const struct ksym_hit *hit)
{
	memcpy(&entry->ip, &record->ip,
	       hit->size - offsetof(struct ksym_entry, ip));
}

/*
 * Does the filter drop the hit? trace_event_buffer_commit() asks that after the
 * reservation. Asked before, a dropped hit needs no room.
 * @record is the record with fetch arguments, or NULL.
 */
static nokprobe_inline bool is_dropped_nmi(struct trace_event_file *file, unsigned long flags,
					   const struct ksym_hit *hit,
					   struct ksym_entry *record, unsigned int trace_ctx)
{
	struct ksym_entry entry;

	if (flags & EVENT_FILE_FL_SOFT_DISABLED)
		return true;
	if (!(flags & EVENT_FILE_FL_FILTERED))
		return false;
	if (!record) {
		ksym_fill_whole_entry_nmi(&entry, hit);
		record = &entry;
	}
	tracing_generic_entry_update(&record->ent,
				     file->event_call->event.type, trace_ctx);
	return !filter_match_preds(rcu_dereference_sched(file->filter), record);
}

/* Like trace_event_buffer_commit(), for a file that is enabled softly. */
static noinline bool commit_soft_nmi(struct trace_event_buffer *fbuffer, bool dropped)
{
	enum event_trigger_type tt = ETT_NONE;
	struct trace_event_file *file = fbuffer->trace_file;

	if (READ_ONCE(file->flags) & EVENT_FILE_FL_TRIGGER_COND)
		tt = event_triggers_call(file, fbuffer->buffer, fbuffer->entry, fbuffer->event);
	if (dropped)
		__trace_event_discard_commit(fbuffer->buffer, fbuffer->event);
	else
		trace_buffer_unlock_commit_regs(file->tr, fbuffer->buffer, fbuffer->event,
						fbuffer->trace_ctx, fbuffer->regs);
	if (tt)
		event_triggers_post_call(file, tt);
	return !dropped;
}

NOKPROBE_SYMBOL(commit_soft_nmi);

/* Records a hit in the buffer of an event file. */
static __always_inline void record_hit_nmi(struct trace_event_file *file,
					   struct ksym_hit *hit, unsigned long flags,
					   const bool soft)
{
	bool has_args = hit->watch->fetch, stack = hit->watch->opt.stack;
	int type = file->event_call->event.type;
	size_t size = ksym_entry_size(hit->watch);
	struct trace_event_buffer fbuffer;
	struct ksym_entry *record = NULL;
	bool dropped, room, kept;

	if ((trace_trigger_soft_disabled(file) && !soft) ||
	    ((flags & EVENT_FILE_FL_PID_FILTER) &&
	     trace_event_ignore_this_pid(file))) {
		hit->filtered = true;
		return;
	}

	/* Recording the writes of the recording itself would never end. */
	fbuffer.buffer = READ_ONCE(file->tr->array_buffer.buffer);
	if (hit->watch->found.nests &&
	    ring_buffer_owns(fbuffer.buffer, smp_processor_id(), hit->addr) &&
	    ring_buffer_is_writing(fbuffer.buffer))
		return;

	if (flags & EVENT_FILE_FL_PERSISTENT) {
		type = TRACE_KSYM;
		size = sizeof(struct ksym_persistent_entry);
	} else if (has_args) {
		record = ksym_fetch_record_nmi(hit);
		size = hit->size;
	}
	fbuffer.trace_ctx = ksym_access_ctx_nmi(hit->regs);
	dropped = is_dropped_nmi(file, flags, hit, record, fbuffer.trace_ctx);
	/* A trigger with a condition sees what the filter drops as well. */
	if (dropped && !(flags & EVENT_FILE_FL_TRIGGER_COND)) {
		hit->filtered = true;
		return;
	}

	/*
	 * For an event with a filter, trace_event_buffer_reserve() would use a page
	 * outside of the buffer, and could not tell whether the buffer has room. It is
	 * called only if the buffer has none and a trigger needs the record.
	 */
	fbuffer.trace_file = file;
	fbuffer.event = trace_buffer_lock_reserve(fbuffer.buffer, type, size,
						  fbuffer.trace_ctx);
	room = fbuffer.event;
	if (room) {
		fbuffer.entry = ring_buffer_event_data(fbuffer.event);
	} else if (!(flags & EVENT_FILE_FL_TRIGGER_COND) ||
		   !trace_event_buffer_reserve(&fbuffer, file, size)) {
		return;
	}
	if (has_args)
		copy_record_nmi(fbuffer.entry, record, hit);
	else
		ksym_fill_whole_entry_nmi(fbuffer.entry, hit);
	if (type == TRACE_KSYM)
		ksym_persistent_fill_nmi(fbuffer.entry, hit->watch);
	/* A stack trace begins at the access, not in the handler. */
	fbuffer.regs = hit->regs;
	if (soft)
		kept = commit_soft_nmi(&fbuffer, dropped);
	else
		kept = trace_event_buffer_commit(&fbuffer);
	/* A trigger, or another CPU, may have disabled the file since. */
	if (room && kept)
		hit->recorded = true;
	else if (room)
		hit->filtered = true;

	/* The instance may already record one with each event. */
	if (stack && kept && !(READ_ONCE(file->tr->trace_flags) & TRACE_ITER(STACKTRACE)))
		trace_stack_regs(file->tr, fbuffer.trace_ctx, hit->regs);
}

static noinline void record_soft_nmi(struct trace_event_file *file, struct ksym_hit *hit,
				     unsigned long flags)
{
	record_hit_nmi(file, hit, flags & ~EVENT_FILE_FL_SOFT_DISABLED, true);
}

NOKPROBE_SYMBOL(record_soft_nmi);

/**
 * ksym_event_probe_nmi - record a hit in an instance
 * @data: the event's file in the instance
 * @hit: the hit
 *
 * Hits on the plain way are recorded by the handler itself, without this probe.
 *
 * A tracepoint disables preemption for its probes, and triggers rely on that. In a trap
 * it is not needed otherwise.
 *
 * Called in the #DB, NMI-like, with interrupts off.
 */
void ksym_event_probe_nmi(void *data, struct ksym_hit *hit)
{
	struct trace_event_file *file = data;
	unsigned long flags = READ_ONCE(file->flags);

	preempt_disable_notrace();
	if (unlikely(flags & EVENT_FILE_FL_SOFT_DISABLED) &&
	    ksym_file_is_soft_nmi(hit->watch, file))
		record_soft_nmi(file, hit, flags);
	else
		record_hit_nmi(file, hit, flags, false);
	preempt_enable_no_resched_notrace();
}

NOKPROBE_SYMBOL(ksym_event_probe_nmi);

/* Passes a hit to perf's tracepoint events and their BPF programs. */
static nokprobe_inline void submit_hit_nmi(struct trace_event_call *call, struct ksym_hit *hit)
{
	struct hlist_head *head = this_cpu_ptr(call->perf_events);
	bool has_args = hit->watch->fetch;
	struct ksym_entry *record = NULL;
	int size = ksym_entry_size(hit->watch);
	struct ksym_entry *entry;
	int rctx;

	/* All of them are for other CPUs or tasks. */
	if (!bpf_prog_array_valid(call) && hlist_empty(head)) {
		hit->filtered = true;
		return;
	}

	if (has_args) {
		record = ksym_fetch_record_nmi(hit);
		size = hit->size;
	}
	/* perf puts a 32-bit size before the record and aligns both together. */
	size = ALIGN(size + sizeof(u32), sizeof(u64)) - sizeof(u32);
	entry = perf_trace_buf_alloc(size, NULL, &rctx);
	if (!entry)
		return;
	if (has_args)
		copy_record_nmi(entry, record, hit);
	else
		ksym_fill_whole_entry_nmi(entry, hit);
	hit->recorded = true;
	perf_trace_run_bpf_submit(entry, size, rctx, call, 1, hit->regs, head,
				  NULL);
}

static void ksym_perf_probe_nmi(void *data, struct ksym_hit *hit)
{
	preempt_disable_notrace();
	submit_hit_nmi(data, hit);
	preempt_enable_no_resched_notrace();
}

NOKPROBE_SYMBOL(ksym_perf_probe_nmi);

static struct ksym_watch *event_to_watch(struct trace_event *event)
{
	struct trace_event_call *call;

	call = container_of(event, struct trace_event_call, event);
	return container_of(call, struct ksym_watch, call);
}

/* Is the target per CPU? */
static bool is_percpu(const struct ksym_watch *watch)
{
	/*
	 * Readers of a trace do not hold event_mutex, so the module of the target may be
	 * coming. Then its copies have names or not, as before or after that.
	 */
	return data_race(watch->found.place.percpu);
}

/* Is the target per CPU, or one copy of a per-CPU symbol? */
static bool is_copy(const struct ksym_watch *watch)
{
	return is_percpu(watch) || watch->target.cpu >= 0;
}

/* The CPU whose copy is at the address, or -1. */
static int copy_of(const struct ksym_watch *watch, unsigned long addr)
{
	const struct ksym_trap *trap;
	unsigned long at;
	int cpu;

	if (!is_percpu(watch))
		return -1;
	/* The watch may be dropping its traps. */
	guard(rcu)();
	trap = READ_ONCE(watch->piece[0].trap);
	if (!trap)
		return -1;
	for_each_possible_cpu(cpu) {
		/* The first piece begins where the target begins. */
		at = READ_ONCE(per_cpu_ptr(trap->percpu, cpu)->addr);
		/* The CPU has gone offline since. Without pointers, its copy is where it was. */
		if (!at && !trap->place.nr_derefs && ksym_trap_is_placed(trap) &&
		    !ksym_place_addr(&trap->place, cpu, &at))
			at += trap->off;
		/* As in is_percpu(): an address without a name is printed as a number. */
		if (at && addr - at < data_race(watch->found.part.len))
			return cpu;
	}
	return -1;
}

/*
 * Writes the target for a reader: without its type, and with the CPU whose copy it is.
 * Traces are printed during a panic as well, so this does not allocate.
 */
static void format_name(char *buf, size_t size, const struct ksym_watch *watch,
			int cpu, unsigned long addr)
{
	const struct ksym_target *target = &watch->target;
	int len;

	if (target->kind != KSYM_AT_SYMBOL) {
		snprintf(buf, size, "0x%lx", addr);
		return;
	}
	len = scnprintf(buf, size, "%s", target->symbol);
	if (target->nth)
		len += scnprintf(buf + len, size - len, "@%u", target->nth);
	cpu = cpu < 0 ? target->cpu : cpu;
	if (cpu >= 0)
		len += scnprintf(buf + len, size - len, "[cpu%d]", cpu);
	len += scnprintf(buf + len, size - len, "%s", target->path);
	if (target->off)
		scnprintf(buf + len, size - len, "%c0x%llx", target->off < 0 ? '-' : '+',
			  target->off < 0 ? -target->off : target->off);
}

/* Prints the fields that only some hits have, and ends the line. */
static enum print_line_t print_rest(const struct ksym_watch *watch,
				    struct trace_seq *s, struct ksym_entry *entry)
{
	if (entry->torn)
		trace_seq_puts(s, " torn");
	if (watch->opt.wrote)
		trace_seq_printf(s, " wrote %#llx%s", ksym_bytes(entry->wrote, entry->len),
				 entry->has_wrote ? "" : "?");
	if (watch->window)
		trace_seq_printf(s, " owner=%d", entry->owner);
	if (watch->fetch)
		ksym_fetch_print(watch->fetch, s, entry);
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static enum print_line_t ksym_event_print(struct trace_iterator *iter,
					  int flags, struct trace_event *event)
{
	struct ksym_entry *entry = (struct ksym_entry *)iter->ent;
	struct ksym_watch *watch = event_to_watch(event);
	struct trace_seq *s = &iter->seq;
	char name[128];

	trace_seq_printf(s, "%s: %s%u ", watch->name, ksym_access_word(entry->access),
			 entry->len);
	if (is_copy(watch)) {
		format_name(name, sizeof(name), watch, copy_of(watch, entry->addr),
			    entry->addr);
		trace_seq_puts(s, name);
	} else {
		trace_seq_printf(s, "%pS", (void *)(unsigned long)entry->addr);
	}
	trace_seq_printf(s, " %#llx -> %#llx", ksym_bytes(entry->old, entry->len),
			 ksym_bytes(entry->new, entry->len));
	trace_seq_printf(s, " by %pS", (void *)(unsigned long)entry->ip);
	return print_rest(watch, s, entry);
}

static struct trace_event_functions ksym_event_funcs = {
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
 * Return: %TRACE_TYPE_UNHANDLED if the entry is not a hit.
 */
enum print_line_t ksym_event_print_row(struct trace_iterator *iter)
{
	struct trace_event *event = ftrace_find_event(iter->ent->type);
	struct ksym_entry *entry = (struct ksym_entry *)iter->ent;
	struct trace_seq *s = &iter->seq;
	struct ksym_watch *watch;
	char symbol[64];
	char comm[TASK_COMM_LEN];
	char values[48];
	char type[8];

	if (!event || event->funcs != &ksym_event_funcs)
		return TRACE_TYPE_UNHANDLED;

	watch = event_to_watch(event);
	trace_find_cmdline(entry->ent.pid, comm);
	format_name(symbol, sizeof(symbol), watch, copy_of(watch, entry->addr),
		    entry->addr);
	snprintf(values, sizeof(values), "%#llx -> %#llx", ksym_bytes(entry->old, entry->len),
		 ksym_bytes(entry->new, entry->len));
	snprintf(type, sizeof(type), "%s%u", ksym_access_word(entry->access),
		 entry->len);
	trace_seq_printf(s, "%16s-%-7d  [%03d] %-24s %-4s  %-25s  %pS",
			 comm, entry->ent.pid, iter->cpu, symbol, type, values,
			 (void *)(unsigned long)entry->ip);
	return print_rest(watch, s, entry);
}

/*
 * A watch of dynamic_events traps only while its event has a user: the first user arms
 * it, the last one disarms it.
 */
static int use_lazy_watch(struct ksym_watch *watch)
{
	int ret;

	if (!watch->lazy || watch->nr_users++ || watch->opt.off)
		return 0;
	ret = ksym_trap_start_locked(watch);
	if (ret)
		watch->nr_users--;
	return ret;
}

static void unuse_lazy_watch(struct ksym_watch *watch)
{
	if (!watch->lazy || --watch->nr_users)
		return;
	ksym_trap_stop_locked(watch);
}

/* Is a snapshot to be taken in the instances that record the event? */
static bool wants_snapshot(const struct ksym_watch *watch, enum trace_reg type)
{
	return watch->opt.actions & KSYM_SNAPSHOT &&
	       (type == TRACE_REG_REGISTER || type == TRACE_REG_UNREGISTER);
}

static int ksym_event_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct ksym_watch *watch = container_of(call, struct ksym_watch, call);
	/* With perf's requests, data is something else. */
	struct trace_event_file *file = data;
	int ret;

	switch (type) {
	case TRACE_REG_REGISTER:
		ret = ksym_persistent_check(watch, data);
		if (ret)
			return ret;
		fallthrough;
	case TRACE_REG_PERF_REGISTER:
		ret = wants_snapshot(watch, type) ? tracing_arm_snapshot(file->tr) : 0;
		if (ret)
			return ret;
		ret = trace_event_reg(call, type, data);
		if (ret)
			goto disarm;
		ret = use_lazy_watch(watch);
		if (ret)
			trace_event_reg(call, type == TRACE_REG_REGISTER ?
					TRACE_REG_UNREGISTER :
					TRACE_REG_PERF_UNREGISTER, data);
disarm:
		if (ret && wants_snapshot(watch, type))
			tracing_disarm_snapshot(file->tr);
		return ret;
	case TRACE_REG_UNREGISTER:
	case TRACE_REG_PERF_UNREGISTER:
		unuse_lazy_watch(watch);
		if (wants_snapshot(watch, type))
			tracing_disarm_snapshot(file->tr);
		return trace_event_reg(call, type, data);
	default:
		return trace_event_reg(call, type, data);
	}
}

/* The names of the copies of a per-CPU target, which %pS can't print. */
static char *make_copies_fmt(const struct ksym_watch *watch)
{
	struct seq_buf s;
	char *fmt = kzalloc(PAGE_SIZE, GFP_KERNEL);
	char name[128];
	unsigned long addr;
	unsigned int i;
	int cpu;

	if (!fmt)
		return NULL;
	seq_buf_init(&s, fmt, PAGE_SIZE);
	seq_buf_puts(&s, ", " KSYM_PRINT_ACCESS ", REC->len, __print_symbolic(REC->addr");
	for_each_possible_cpu(cpu) {
		/* One copy has the same address on all CPUs. */
		if (watch->target.cpu >= 0 && watch->target.cpu != cpu)
			continue;
		if (ksym_place_addr(&watch->found.place, cpu, &addr))
			continue;
		for (i = 0; i < watch->found.nr_ranges; i++) {
			/* A target of up to 8 bytes is recorded as a whole. */
			if (i && watch->found.part.len <= sizeof(u64))
				continue;
			format_name(name, sizeof(name), watch, cpu, addr);
			seq_buf_printf(&s, ", { 0x%lxUL, \"%s\" }",
				       addr + watch->found.ranges[i].off, name);
		}
	}
	seq_buf_puts(&s, ")");
	if (!seq_buf_has_overflowed(&s))
		return fmt;
	kfree(fmt);
	return NULL;
}

/* Makes the print format of the event. */
static int make_print_fmt(struct ksym_watch *watch)
{
	char *copies __free(kfree) = is_copy(watch) ? make_copies_fmt(watch) : NULL;
	char *fmt __free(kfree) = NULL, *args __free(kfree) = NULL;
	char mask[32] = "", value[48] = "";
	unsigned int head = ALIGN(ksym_entry_size(watch), sizeof(u64));
	bool wrote = watch->opt.wrote;

	if (watch->is_signed && watch->found.part.len < sizeof(u64))
		snprintf(mask, sizeof(mask), " & 0x%llx",
			 ksym_bytes(U64_MAX, watch->found.part.len));
	if (wrote)
		snprintf(value, sizeof(value), ", REC->wrote%s", mask);
	fmt = kasprintf(GFP_KERNEL, "%s 0x%%llx -> 0x%%llx by %%pS%%s%s%s",
			copies ? "%s%u %s" : "%s%u %pS", wrote ? " wrote 0x%llx%s" : "",
			watch->window ? " owner=%d" : "");
	args = kasprintf(GFP_KERNEL, "%s, REC->old%s, REC->new%s%s%s%s%s",
			 copies ?: KSYM_PRINT_WHAT, mask, mask, KSYM_PRINT_IP KSYM_PRINT_TORN,
			 value, wrote ? KSYM_PRINT_HAS_WROTE : "",
			 watch->window ? ", REC->owner" : "");
	if (!fmt || !args)
		return -ENOMEM;
	watch->call.print_fmt = watch->fetch ?
		ksym_fetch_prepare(watch->fetch, head, fmt, args) :
		kasprintf(GFP_KERNEL, "\"%s\"%s", fmt, args);
	return watch->call.print_fmt ? 0 : -ENOMEM;
}

/**
 * ksym_event_init - prepare the event of a watch, without registering it
 * @watch: a watch with its target, group, name and fetch arguments
 *
 * Process context; sleeps.
 *
 * Return: 0, or -ENOMEM.
 */
int ksym_event_init(struct ksym_watch *watch)
{
	struct trace_event_class *class = &watch->class;
	struct trace_event_call *call = &watch->call;

	watch->tp.name = watch->name;

	class->system = watch->group;
	class->fields_array = ksym_fields;
	INIT_LIST_HEAD(&class->fields);
	class->reg = ksym_event_reg;
	class->probe = ksym_event_probe_nmi;
	class->perf_probe = ksym_perf_probe_nmi;

	call->class = class;
	call->tp = &watch->tp;
	call->flags = TRACE_EVENT_FL_TRACEPOINT;
	call->event.funcs = &ksym_event_funcs;
	return make_print_fmt(watch);
}

/* Returns -EBUSY if a watch of the group has this name, -EEXIST if an event has it. */
static int check_name_is_free(const char *group, const char *name)
{
	struct trace_event_call *call;

	guard(rwsem_read)(&trace_event_sem);
	list_for_each_entry(call, &ftrace_events, list) {
		if (!strcmp(call->class->system, group) &&
		    !strcmp(trace_event_name(call), name))
			return call->event.funcs == &ksym_event_funcs ? -EBUSY : -EEXIST;
	}
	return 0;
}

/**
 * ksym_event_register_locked - register the event of a watch, which shows it in tracefs
 * @watch: a watch after ksym_event_init()
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: 0; -EBUSY if a watch of the group has this name; -EEXIST if another event
 * of the group has it; or the event core's error.
 */
int ksym_event_register_locked(struct ksym_watch *watch)
{
	struct trace_event_call *call = &watch->call;
	int ret;

	lockdep_assert_held(&event_mutex);

	ret = check_name_is_free(watch->group, watch->name);
	if (ret)
		return ret;
	if (!register_trace_event(&call->event))
		return -ENODEV;
	/* Before the event can be seen, since perf relies on it. */
	call->flags |= TRACE_EVENT_FL_DYNAMIC;
	ret = trace_add_event_call(call);
	if (ret) {
		unregister_trace_event(&call->event);
		return ret;
	}
	return dyn_event_add(&watch->devent, call);
}

/* Not found by its name, which another event may have by now. */
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
 * @watch: a watch whose event is registered
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: 0, or the event core's error.
 */
int ksym_event_enable_locked(struct ksym_watch *watch)
{
	struct trace_event_file *file;

	KUNIT_STATIC_STUB_REDIRECT(ksym_event_enable_locked, watch);
	lockdep_assert_held(&event_mutex);

	file = file_of_locked(top_trace_array(), watch);
	return file ? trace_event_enable_disable(file, 1, 0) : -ENODEV;
}

/**
 * ksym_event_enable_soft_locked - let an instance record the hits of a watch
 * @watch: a watch whose event is registered
 * @tr: the instance, in which the event reads as disabled, with a star
 * @soft: filled in; the caller disables it again before it frees it, after which a
 *	handler may still read it for an RCU grace period
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: 0, or the event core's error.
 */
int ksym_event_enable_soft_locked(struct ksym_watch *watch, struct trace_array *tr,
				  struct ksym_soft *soft)
{
	struct trace_event_file *file = file_of_locked(tr, watch);
	int ret;

	if (!file)
		return -ENODEV;
	/* The buffer is small until the first event is enabled. */
	ret = tracing_update_buffers(tr);
	if (ret)
		return ret;
	ret = trace_event_enable_disable(file, 1, 1);
	if (ret) {
		/* It counts the user even if it fails. */
		trace_event_enable_disable(file, 0, 1);
		return ret;
	}
	soft->file = file;
	list_add_tail_rcu(&soft->list, &watch->soft);
	return 0;
}

/**
 * ksym_event_disable_soft_locked - the opposite of ksym_event_enable_soft_locked()
 * @soft: filled in by that, or zeroed
 *
 * Process context; sleeps; event_mutex is held.
 */
void ksym_event_disable_soft_locked(struct ksym_soft *soft)
{
	lockdep_assert_held(&event_mutex);

	if (!soft->file)
		return;
	list_del_rcu(&soft->list);
	trace_event_enable_disable(soft->file, 0, 1);
}

/**
 * ksym_event_forget_locked - let a watch that never trapped go without a reset
 * @watch: a watch whose event is registered, and that was never armed
 *
 * The event was enabled but has recorded nothing, so the buffer needs no reset when it
 * is removed.
 *
 * Process context; event_mutex is held.
 */
void ksym_event_forget_locked(struct ksym_watch *watch)
{
	struct trace_event_file *file = file_of_locked(top_trace_array(), watch);

	if (file)
		clear_bit(EVENT_FILE_FL_WAS_ENABLED_BIT, &file->flags);
}

/**
 * ksym_event_is_enabled_locked - has a user enabled the event of a watch?
 * @watch: a watch whose event is registered. The event of a watch that is not lazy is
 *	always enabled, which does not count
 *
 * Process context; event_mutex is held.
 *
 * Return: true if an instance or perf has enabled it; not if only triggers have.
 */
bool ksym_event_is_enabled_locked(struct ksym_watch *watch)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	lockdep_assert_held(&event_mutex);

	if (!watch->lazy)
		return false;
	if (watch->call.perf_refcount)
		return true;
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		file = file_of_locked(tr, watch);
		if (file && file->flags & EVENT_FILE_FL_ENABLED &&
		    !(file->flags & EVENT_FILE_FL_SOFT_DISABLED))
			return true;
	}
	return false;
}

/**
 * ksym_event_is_busy_locked - is a watch or its event in use?
 * @watch: a watch whose event is registered
 *
 * ksym_trace_filter enables an event in the top instance when it makes the watch, so
 * that is no use. An event of dynamic_events is enabled by its user, who has to disable
 * it before the watch is removed, as for all events of that file.
 *
 * Process context; event_mutex is held.
 *
 * Return: true if an instance, perf, a trigger or kernel code uses it.
 */
bool ksym_event_is_busy_locked(struct ksym_watch *watch)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	lockdep_assert_held(&event_mutex);

	if (watch->held || watch->nr_triggers)
		return true;
	/* perf holds a reference as well. */
	if (trace_event_dyn_busy(&watch->call))
		return true;
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		file = file_of_locked(tr, watch);
		if (!file)
			continue;
		/* A trigger keeps the event in soft mode. */
		if (atomic_read(&file->sm_ref))
			return true;
		if ((tr != top_trace_array() || watch->lazy) &&
		    (file->flags & EVENT_FILE_FL_ENABLED))
			return true;
	}
	return false;
}

/**
 * ksym_event_unregister_locked - unregister the event of a watch
 * @watch: a watch for which no handler runs any more
 *
 * The caller has to reset the buffers that the event was enabled in, with
 * tracing_reset_all_online_cpus(): its records could not be printed any more.
 *
 * Process context; sleeps; event_mutex is held.
 *
 * Return: 0, or -EBUSY if ksym_event_is_busy_locked().
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

static void note_in_file(struct trace_event_file *file, void *text)
{
	__trace_array_puts(file->tr, _THIS_IP_, text, strlen(text));
}

/**
 * ksym_event_note - write a line into each buffer that records a watch
 * @watch: a watch that is not freed meanwhile
 * @text: the line, without a newline
 *
 * The line stands between the hits, like a line written to trace_marker. Any context
 * except NMIs.
 */
void ksym_event_note(struct ksym_watch *watch, const char *text)
{
	guard(preempt_notrace)();
	ksym_watch_each_file(watch, note_in_file, (void *)text);
}

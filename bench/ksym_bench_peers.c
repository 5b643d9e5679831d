// SPDX-License-Identifier: GPL-2.0-only
/*
 * The breakpoint handlers that the tracer is compared with, from an empty one to those
 * of other tracers.
 */
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include "trace_probe.h"
#include "ksym_bench.h"

#define CREATE_TRACE_POINTS
#include "ksym_bench_trace.h"

/* Debian's untouched 6.12 has the flags, but not this macro of 7.3. */
#ifndef TRACE_ITER
#define TRACE_ITER(flag)	TRACE_ITER_##flag
#endif

/* The value before the last hit. A peer of the tracer has to keep it, too. */
static u64 shadow;

/* The cost of a breakpoint with an empty handler. */
static void handle_empty(struct perf_event *bp, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
}

static void handle_event(struct perf_event *bp, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	u64 old = shadow, new = READ_ONCE(*(u64 *)target);

	shadow = new;
	trace_ksym_bench_hit(instruction_pointer(regs), target, old, new,
			     HW_BREAKPOINT_W, sizeof(new));
}

static void handle_printk(struct perf_event *bp, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	u64 old = shadow, new = READ_ONCE(*(u64 *)target);

	shadow = new;
	/* This is trace_printk() for a format with arguments. */
	do_trace_printk("%u%zu %pS %#llx -> %#llx by %pS\n", HW_BREAKPOINT_W,
			sizeof(new), (void *)target, old, new,
			(void *)instruction_pointer(regs));
}

/*
 * The ksym tracer of 2009 recorded the names of the symbol and of the task as text, with
 * the instruction and the breakpoint's type. It was a tracer of its own, without an event:
 * it reserved a record, filled it in, committed it, and checked whether to record a stack.
 * This does the same with functions of today's kernel that modules can call. Reserving
 * costs a few instructions more than in a port, as it checks the event's file for a filter,
 * and committing costs as many less. Left out is the count of hits under a lock, which it
 * kept only when built with a profile.
 */
static unsigned int context_2009(void)
{
	unsigned int flags = irqs_disabled() ? TRACE_FLAG_IRQS_OFF : 0;
	unsigned int count = preempt_count();

	if (count & HARDIRQ_MASK)
		flags |= TRACE_FLAG_HARDIRQ;
	if (count & SOFTIRQ_MASK)
		flags |= TRACE_FLAG_SOFTIRQ;
	if (tif_need_resched())
		flags |= TRACE_FLAG_NEED_RESCHED;
	return flags << 16 | (count & 0xff);
}

static void handle_2009(struct perf_event *bp, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	static const char name[] = "ksym_test_u64";
	struct trace_event_file *file = bp->overflow_handler_context;
	struct trace_event_raw_ksym_bench_2009 *entry;
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;

	event = trace_event_buffer_lock_reserve(&buffer, file,
						file->event_call->event.type,
						sizeof(*entry), context_2009());
	if (!event)
		return;
	entry = ring_buffer_event_data(event);
	entry->ip = instruction_pointer(regs);
	entry->type = bp->attr.bp_type;
	strscpy(entry->name, name, sizeof(entry->name));
	strscpy(entry->comm, current->comm, sizeof(entry->comm));
	ring_buffer_unlock_commit(buffer);
	if (file->tr->trace_flags & (TRACE_ITER(STACKTRACE) |
				     TRACE_ITER(USERSTACKTRACE)))
		trace_dump_stack(0);
}

/*
 * linux-next's watchpoint probe. As for each probe event, its handler walks the files in
 * which the event is enabled. For each file it checks the triggers, asks the arguments for
 * the size of their strings, reserves a record with trace_event_buffer_reserve(), stores the
 * arguments, and commits the record. The arguments are small programs, which the kernel's own
 * code in trace_probe_tmpl.h executes. Three things here are ours: the programs, which
 * linux-next's parser generates from $addr and $value; their first step, as 6.12 lacks the
 * operation and another one takes its place; and the probe, as a module can't register a
 * dynamic event. It belongs to a static event, whose tracepoint is never called. Strings are
 * left out.
 */
#define FETCH_OP_WATCHED	FETCH_OP_REG

static nokprobe_inline int fetch_store_strlen(unsigned long addr)
{
	return -EOPNOTSUPP;
}

static nokprobe_inline int fetch_store_string(unsigned long addr, void *dest,
					      void *base)
{
	return -EOPNOTSUPP;
}

static nokprobe_inline int fetch_store_strlen_user(unsigned long addr)
{
	return -EOPNOTSUPP;
}

static nokprobe_inline int fetch_store_string_user(unsigned long addr,
						   void *dest, void *base)
{
	return -EOPNOTSUPP;
}

static nokprobe_inline int probe_mem_read_user(void *dest, void *src,
					       size_t size)
{
	return -EOPNOTSUPP;
}

static nokprobe_inline int probe_mem_read(void *dest, void *src, size_t size)
{
	if ((unsigned long)src < TASK_SIZE)
		return probe_mem_read_user(dest, src, size);
	return copy_from_kernel_nofault(dest, src, size);
}

#include "trace_probe_tmpl.h"

/* @rec is the watched variable. */
static int process_fetch_insn(struct fetch_insn *code, void *rec, void *edata,
			      void *dest, void *base)
{
	unsigned long val;
	int ret;

retry:
	switch (code->op) {
	case FETCH_OP_WATCHED:
		val = (unsigned long)rec;
		break;
	case FETCH_NOP_SYMBOL:
		code++;
		goto retry;
	default:
		ret = process_common_fetch_insn(code, &val);
		if (ret < 0)
			return ret;
	}
	code++;
	return process_fetch_insn_bottom(code, val, dest, base);
}

NOKPROBE_SYMBOL(process_fetch_insn);

static struct fetch_insn fetch_addr[] = {
	{ .op = FETCH_OP_WATCHED },
	{ .op = FETCH_OP_ST_RAW, .size = sizeof(u64) },
	{ .op = FETCH_OP_END },
};

static struct fetch_insn fetch_value[] = {
	{ .op = FETCH_OP_WATCHED },
	{ .op = FETCH_OP_ST_MEM, .size = sizeof(u64) },
	{ .op = FETCH_OP_END },
};

static struct trace_probe_event wprobe_event;
static struct event_file_link wprobe_link;
static union {
	struct trace_probe	probe;
	/* The arguments are after it. */
	u8			room[struct_size_t(struct trace_probe, args, 2)];
} wprobe;

static void trace_wprobe(struct trace_probe *tp, void *addr,
			 struct pt_regs *regs, struct trace_event_file *file)
{
	struct kprobe_trace_entry_head *entry;
	struct trace_event_buffer fbuffer;
	int dsize;

	if (trace_trigger_soft_disabled(file))
		return;

	dsize = __get_data_size(tp, addr, NULL);
	entry = trace_event_buffer_reserve(&fbuffer, file,
					   sizeof(*entry) + tp->size + dsize);
	if (!entry)
		return;

	fbuffer.regs = regs;
	entry->ip = instruction_pointer(regs);
	store_trace_args(&entry[1], tp, addr, NULL, sizeof(*entry), dsize);
	trace_event_buffer_commit(&fbuffer);
}

static void handle_wprobe(struct perf_event *bp, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct trace_probe *tp = bp->overflow_handler_context;
	void *addr = (void *)(unsigned long)bp->attr.bp_addr;
	struct event_file_link *link;

	trace_probe_for_each_link_rcu(link, tp)
		trace_wprobe(tp, addr, regs, link->file);
}

static void *prepare_wprobe(struct trace_event_file *file)
{
	struct trace_probe *tp = &wprobe.probe;

	wprobe_link.file = file;
	INIT_LIST_HEAD(&wprobe_event.files);
	list_add(&wprobe_link.list, &wprobe_event.files);
	memset(&wprobe, 0, sizeof(wprobe));
	tp->event = &wprobe_event;
	return tp;
}

static void add_argument(struct trace_probe *tp, struct fetch_insn *code)
{
	struct probe_arg *arg = &tp->args[tp->nr_args++];

	arg->code = code;
	arg->offset = tp->size;
	tp->size += sizeof(u64);
}

static void *prepare_wprobe_value(struct trace_event_file *file)
{
	struct trace_probe *tp = prepare_wprobe(file);

	add_argument(tp, fetch_value);
	return tp;
}

static void *prepare_wprobe_both(struct trace_event_file *file)
{
	struct trace_probe *tp = prepare_wprobe(file);

	add_argument(tp, fetch_addr);
	add_argument(tp, fetch_value);
	return tp;
}

static const struct bench_handler handlers[] = {
	{ "empty", handle_empty },
	{ "event", handle_event },
	{ "printk", handle_printk },
	{ "2009", handle_2009, "ksym_bench_2009" },
	{ "wprobe_ip", handle_wprobe, "ksym_bench_wprobe", prepare_wprobe },
	{ "wprobe_value", handle_wprobe, "ksym_bench_wprobe",
	  prepare_wprobe_value },
	{ "wprobe_both", handle_wprobe, "ksym_bench_wprobe",
	  prepare_wprobe_both },
};

/**
 * bench_find_handler - find a breakpoint handler by its name
 * @name: the name
 *
 * Any context.
 *
 * Return: the handler, or NULL.
 */
const struct bench_handler *bench_find_handler(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(handlers); i++) {
		if (!strcmp(handlers[i].name, name))
			return &handlers[i];
	}
	return NULL;
}

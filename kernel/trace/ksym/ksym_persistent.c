// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event: hits in an instance whose buffer outlives the kernel (trace_instance= with a
 * mapped or reserved range of memory).
 *
 * There they are recorded with the fixed id TRACE_KSYM instead of the id of the watch's
 * event, which another event may have after the next boot, and with the names of the
 * watch and of the task. They can be read while no watch exists.
 */
#include <linux/init.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/sections.h>

#include "../trace_output.h"
#include "ksym_persistent.h"

static_assert(TRACE_KSYM_NAME_LEN == KSYM_EVENT_LEN);
/* Filters and triggers of the watch's event read the record as one of that event. */
static_assert(offsetofend(struct ksym_persistent_entry, owner) ==
	      offsetofend(struct ksym_entry, owner));
static_assert(offsetof(struct ksym_persistent_entry, has_wrote) ==
	      offsetof(struct ksym_entry, has_wrote));

/**
 * ksym_persistent_check - can a watch be recorded in an instance?
 * @watch: the watch
 * @file: its event's file in the instance
 *
 * Logs an error in the instance's error_log if it can't.
 *
 * Process context; sleeps.
 *
 * Return: 0, or -EOPNOTSUPP.
 */
int ksym_persistent_check(const struct ksym_watch *watch, const struct trace_event_file *file)
{
	static const char *no_args = "A buffer that outlives the kernel can't have fetch arguments";
	static const char *no_snapshot = "A buffer that outlives the kernel can't take snapshots";
	bool snapshot = watch->opt.actions & KSYM_SNAPSHOT;

	if (!(file->flags & EVENT_FILE_FL_PERSISTENT) || !(watch->fetch || snapshot))
		return 0;
	/* The log takes a table of texts and an index: this is a table of one. */
	tracing_log_err(file->tr, "ksym", watch->name, snapshot ? &no_snapshot : &no_args, 0, 0);
	return -EOPNOTSUPP;
}

/* The last boot's place of a symbol of the kernel, or the number where it is none. */
static void print_place(struct trace_seq *s, u64 addr, long delta)
{
	unsigned long now = addr + delta;

	if (is_kernel(now))
		trace_seq_printf(s, "%pS", (void *)now);
	else
		trace_seq_printf(s, "0x%llx", addr);
}

static enum print_line_t ksym_persistent_print(struct trace_iterator *iter, int flags,
					       struct trace_event *event)
{
	const struct ksym_persistent_entry *entry = (void *)iter->ent;
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "%.*s: %s%u ", TRACE_KSYM_NAME_LEN, entry->name,
			 ksym_access_word(entry->access), entry->len);
	print_place(s, entry->addr, iter->tr->text_delta);
	trace_seq_printf(s, " %#llx -> %#llx by ", ksym_bytes(entry->old, entry->len),
			 ksym_bytes(entry->new, entry->len));
	print_place(s, entry->ip, iter->tr->text_delta);
	if (entry->torn)
		trace_seq_puts(s, " torn");
	if (entry->has_wrote)
		trace_seq_printf(s, " wrote %#llx", ksym_bytes(entry->wrote, entry->len));
	if (entry->owner)
		trace_seq_printf(s, " owner=%d", entry->owner);
	trace_seq_printf(s, " comm=%.*s\n", TASK_COMM_LEN, entry->comm);
	return trace_handle_return(s);
}

static struct trace_event_functions ksym_persistent_funcs = {
	.trace	= ksym_persistent_print,
};

static struct trace_event ksym_persistent_event = {
	.type	= TRACE_KSYM,
	.funcs	= &ksym_persistent_funcs,
};

static __init int ksym_persistent_init(void)
{
	return register_trace_event(&ksym_persistent_event) ? 0 : -EBUSY;
}
core_initcall(ksym_persistent_init);

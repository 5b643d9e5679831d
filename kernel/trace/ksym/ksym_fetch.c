// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fetch arguments: what a hit records beside its fixed fields.
 *
 * They have the syntax of the probe events, and are parsed by the same code. A hit
 * fetches them once, into an area of its CPU, for all buffers that record it: the
 * length of the record and the answer of a filter depend on them. The debug registers
 * are off in the handler, so no other hit can use the area meanwhile.
 *
 * The code that is shared with the probe events reads all memory without faulting, and
 * user memory only where that is allowed.
 */
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../trace_probe.h"
#include "../trace_probe_tmpl.h"
#include "../trace_probe_kernel.h"
#include "ksym_fetch.h"
#include "ksym_record.h"

/*
 * A record of this length fits a page of the ring buffer, and perf's buffer. Longer
 * strings are cut.
 */
#define KSYM_RECORD_MAX	4000

/**
 * struct ksym_fetch - the fetch arguments of a watch
 * @records: the area of each CPU in which it builds the record of a hit
 * @head: the size of the fixed fields, which come before the arguments
 * @nr_strings: the number of strings, those in arrays included
 * @tp: the arguments
 */
struct ksym_fetch {
	void __percpu		*records;
	unsigned int		head;
	unsigned int		nr_strings;
	/* Ends in an array. */
	struct trace_probe	tp;
};

/* Called by the shared code: the first step of an argument. */
static int process_fetch_insn(struct fetch_insn *code, void *rec, void *edata,
			      void *dest, void *base)
{
	const struct ksym_hit *hit = rec;
	unsigned long val;
	int ret;

	/* The name of a symbol, whose address is in the next instruction. */
	if (code->op == FETCH_NOP_SYMBOL)
		code++;
	switch (code->op) {
	case FETCH_OP_IMM:
		/* The module of the symbol may be coming or going. */
		val = READ_ONCE(code->immediate);
		break;
	case FETCH_OP_WADDR:
		val = hit->addr;
		break;
	case FETCH_OP_WVALUE:
		val = ksym_bytes(hit->new, hit->len);
		break;
	default:
		ret = process_common_fetch_insn(code, &val);
		if (ret < 0)
			return ret;
	}
	return process_fetch_insn_bottom(code + 1, val, dest, base);
}

NOKPROBE_SYMBOL(process_fetch_insn);

/*
 * A string that could not be read has length 0. Readers in user space print it all the
 * same, so it points at a byte that is 0: padding, or the last one of has_wrote.
 */
static nokprobe_inline void mark_faults(struct ksym_fetch *fetch, u32 *loc, unsigned int nr)
{
	for (; nr; nr--, loc++) {
		if (!get_loc_len(*loc))
			*loc = make_data_loc(0, KSYM_ENTRY_SIZE + 3);
	}
}

/*
 * Fetches the arguments into a record, which has its other fields. Returns the size of
 * the record.
 */
static nokprobe_inline unsigned int store_args_nmi(struct ksym_fetch *fetch,
						   const struct ksym_hit *hit, void *record)
{
	struct trace_probe *tp = &fetch->tp;
	void *data = record + fetch->head;
	void *dynamic = data + tp->size;
	int room = KSYM_RECORD_MAX - fetch->head - tp->size;
	unsigned int strings = fetch->nr_strings;
	unsigned int i;

	memset(data, 0, tp->size);
	for (i = 0; i < tp->nr_args; i++) {
		struct probe_arg *arg = &tp->args[i];
		unsigned int nr = arg->count ?: 1;
		void *dest = data + arg->offset;
		int used;

		if (!arg->dynamic) {
			process_fetch_insn(arg->code, (void *)hit, NULL, dest,
					   record);
			continue;
		}
		*(u32 *)dest = make_data_loc(room * nr / strings,
					     dynamic - record);
		strings -= nr;
		used = process_fetch_insn(arg->code, (void *)hit, NULL, dest,
					  record);
		/* An array that could be read in part only is dropped. */
		if (used < 0)
			memset(dest, 0, nr * sizeof(u32));
		mark_faults(fetch, dest, nr);
		if (used > 0) {
			dynamic += used;
			room -= used;
		}
	}
	return dynamic - record;
}

/**
 * ksym_fetch_record_nmi - get the record of a hit with its fetch arguments
 * @hit: a hit of a watch with fetch arguments, after ksym_fetch_prepare(); @hit->size
 *	becomes the length of the record
 *
 * The first caller for a hit fetches the arguments, for all. A value that can't be read
 * is 0, a string that can't be read has length 0. A string that is too long is cut: the
 * strings share the room equally, and what one leaves goes to the next ones.
 *
 * Handler context.
 *
 * Return: the record, in an area of this CPU, without the common fields of all events.
 */
struct ksym_entry *ksym_fetch_record_nmi(struct ksym_hit *hit)
{
	struct ksym_fetch *fetch = hit->watch->fetch;
	struct ksym_entry *record = this_cpu_ptr(fetch->records);

	if (hit->size)
		return record;
	memset((void *)record + KSYM_ENTRY_SIZE, 0,
	       ALIGN(ksym_entry_size(hit->watch), sizeof(u64)) - KSYM_ENTRY_SIZE);
	ksym_fill_whole_entry_nmi(record, hit);
	hit->size = store_args_nmi(fetch, hit, record);
	return record;
}

NOKPROBE_SYMBOL(ksym_fetch_record_nmi);

/* Logs an error in the symbol of an argument. */
static int check_symbol(struct probe_arg *arg, const char *word, bool pending)
{
	int ret = traceprobe_update_arg(arg);
	const char *at = strchr(word, '@');

	/* Only symbols are looked up. */
	if (!ret || !at || (ret == -ENOENT && pending))
		return 0;
	if (ret == -ENOENT)
		trace_probe_log_err(at - word, NO_SUCH_SYMBOL);
	else
		trace_probe_log_err(at - word, BAD_MEM_ADDR);
	return ret;
}

typedef bool (*is_field_t)(const char *name, size_t len);

static int parse_arg(struct ksym_fetch *fetch, unsigned int nr, const char *word,
		     bool pending, is_field_t is_field)
{
	const char *end = strchr(word, '=');
	struct traceprobe_parse_context ctx = {
		.flags	= TPARG_FL_KERNEL | TPARG_FL_WATCH,
	};
	struct probe_arg *arg = &fetch->tp.args[nr];
	int ret;

	/* The name of an argument becomes a field of the event. */
	if (end && is_field(word, end - word)) {
		trace_probe_log_err(0, USED_ARG_NAME);
		return -EINVAL;
	}
	ret = traceprobe_parse_probe_arg(&fetch->tp, nr, word, &ctx);
	traceprobe_finish_parse(&ctx);
	if (ret)
		return ret;
	if (arg->dynamic)
		fetch->nr_strings += arg->count ?: 1;
	return check_symbol(arg, word, pending);
}

static struct ksym_fetch *parse_words(int nr, const char **words, int first,
				      bool pending, is_field_t is_field)
{
	struct ksym_fetch *fetch;
	int ret, i;

	if (nr > MAX_TRACE_ARGS) {
		trace_probe_log_set_index(first + MAX_TRACE_ARGS);
		trace_probe_log_err(0, TOO_MANY_ARGS);
		return ERR_PTR(-E2BIG);
	}
	fetch = kzalloc(struct_size(fetch, tp.args, nr), GFP_KERNEL);
	if (!fetch)
		return ERR_PTR(-ENOMEM);
	fetch->tp.nr_args = nr;

	for (i = 0; i < nr; i++) {
		trace_probe_log_set_index(first + i);
		ret = parse_arg(fetch, i, words[i], pending, is_field);
		if (ret) {
			ksym_fetch_free(fetch);
			return ERR_PTR(ret);
		}
	}
	return fetch;
}

/**
 * ksym_fetch_parse - parse the fetch arguments of a watch
 * @argc: the number of words of the whole command
 * @argv: the words
 * @first: the index of the first fetch argument
 * @pending: the module of the target is not loaded, so its symbols may be missing
 * @is_field: is a name, which need not be terminated, a fixed field of the event?
 * @error: says what is wrong, after an error; zeroed if error_log does not tell
 *
 * An error is logged in error_log as one of wprobe, below the command.
 *
 * Process context; sleeps; dyn_event_ops_mutex is held.
 *
 * Return: the arguments; NULL if there are none; -E2BIG if there are more than
 * %MAX_TRACE_ARGS; -ENOENT if there is no such symbol; or another error of the
 * probe events' parser.
 */
struct ksym_fetch *ksym_fetch_parse(int argc, const char **argv, int first, bool pending,
				    is_field_t is_field, struct ksym_fetch_error *error)
{
	struct ksym_fetch *fetch;

	if (argc <= first)
		return NULL;
	trace_probe_log_init("wprobe", argc, argv);
	fetch = parse_words(argc - first, argv + first, first, pending, is_field);
	error->text = trace_probe_log_first_err(&error->word, &error->at);
	trace_probe_log_clear();
	return fetch;
}

/**
 * ksym_fetch_prepare - allocate the areas and make the print format of the event
 * @fetch: the arguments, from ksym_fetch_parse()
 * @head: the size of the record's fixed fields, which the arguments follow
 * @fmt: the format of the fixed fields, without quotes
 * @args: the arguments of that format, each with a comma before it
 *
 * Process context; sleeps.
 *
 * Return: the print format, which the caller frees with kfree(), or NULL if there is no
 * memory.
 */
char *ksym_fetch_prepare(struct ksym_fetch *fetch, unsigned int head,
			 const char *fmt, const char *args)
{
	size_t size = fetch->nr_strings ? KSYM_RECORD_MAX :
					  head + fetch->tp.size;

	fetch->head = head;
	fetch->records = __alloc_percpu(size, sizeof(u64));
	return fetch->records ? traceprobe_make_print_fmt(&fetch->tp, fmt, args) : NULL;
}

/**
 * ksym_fetch_free - free the fetch arguments of a watch
 * @fetch: the arguments, which no hit fetches any more, or NULL
 *
 * Process context.
 */
void ksym_fetch_free(struct ksym_fetch *fetch)
{
	unsigned int i;

	if (!fetch)
		return;
	for (i = 0; i < fetch->tp.nr_args; i++)
		traceprobe_free_probe_arg(&fetch->tp.args[i]);
	free_percpu(fetch->records);
	kfree(fetch);
}

/**
 * ksym_fetch_define_fields - define the arguments as fields of the event
 * @fetch: the arguments, after ksym_fetch_prepare(); they must outlive the fields
 * @call: the event
 *
 * Process context; sleeps; called by the event core.
 *
 * Return: 0, or -ENOMEM.
 */
int ksym_fetch_define_fields(struct ksym_fetch *fetch,
			     struct trace_event_call *call)
{
	unsigned int i;
	int ret;

	for (i = 0; i < fetch->tp.nr_args; i++) {
		struct probe_arg *arg = &fetch->tp.args[i];
		const struct fetch_type *type = arg->type;

		ret = trace_define_field(call, arg->fmt ?: type->fmttype,
					 arg->name, fetch->head + arg->offset,
					 type->size * (arg->count ?: 1),
					 type->is_signed, FILTER_OTHER);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * ksym_fetch_print - print the arguments of a record
 * @fetch: the arguments
 * @s: where they are printed
 * @record: the record
 *
 * Process context; the event core holds trace_event_sem.
 */
void ksym_fetch_print(struct ksym_fetch *fetch, struct trace_seq *s,
		      void *record)
{
	trace_probe_print_args(s, fetch->tp.args, fetch->tp.nr_args,
			       record + fetch->head, record);
}

/**
 * ksym_fetch_format - write the arguments as dynamic_events shows them
 * @fetch: the arguments, or NULL
 * @buf: the text is written here
 * @size: its size, or 0 to get the length only
 *
 * A space comes before each argument. The text can be written back.
 *
 * Any context.
 *
 * Return: the length, as snprintf() does.
 */
int ksym_fetch_format(const struct ksym_fetch *fetch, char *buf, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; fetch && i < fetch->tp.nr_args; i++)
		len += snprintf(buf + min(len, size), size - min(len, size),
				" %s=%s", fetch->tp.args[i].name,
				fetch->tp.args[i].comm);
	return len;
}

/**
 * ksym_fetch_match - do the arguments begin with these words?
 * @fetch: the arguments, or NULL
 * @argc: the number of words
 * @argv: the words
 *
 * Any context.
 *
 * Return: true if they do.
 */
bool ksym_fetch_match(struct ksym_fetch *fetch, int argc, const char **argv)
{
	if (!fetch)
		return !argc;
	return trace_probe_match_command_args(&fetch->tp, argc, argv);
}

/**
 * ksym_fetch_update - look up the symbols of the arguments again
 * @fetch: the arguments, which hits may fetch meanwhile, or NULL
 *
 * Called when a module was loaded, and when a watch is added, since modules may have come
 * and gone meanwhile. Until then their symbols read as faults, as do those that are still
 * missing.
 *
 * Process context; sleeps; event_mutex is held.
 */
void ksym_fetch_update(struct ksym_fetch *fetch)
{
	unsigned int i;

	for (i = 0; fetch && i < fetch->tp.nr_args; i++)
		traceprobe_update_arg(&fetch->tp.args[i]);
}

/**
 * ksym_fetch_forget - forget the addresses in a module that is being unloaded
 * @fetch: the arguments, which hits may fetch meanwhile, or NULL
 * @mod: the module
 *
 * Process context; event_mutex is held.
 */
void ksym_fetch_forget(struct ksym_fetch *fetch, const struct module *mod)
{
	struct fetch_insn *code;
	unsigned int i;

	for (i = 0; fetch && i < fetch->tp.nr_args; i++) {
		code = fetch->tp.args[i].code;
		/* The symbol comes first, then its address. */
		if (code->op == FETCH_NOP_SYMBOL &&
		    within_module(code[1].immediate, mod))
			WRITE_ONCE(code[1].immediate, 0);
	}
}

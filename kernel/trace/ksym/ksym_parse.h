/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse: the text form of a watch.
 *
 * This header and ksym_parse.c take no locks and look nothing up. ksymwatch and the
 * fuzzer compile them in user space.
 */
#ifndef _KERNEL_TRACE_KSYM_PARSE_H
#define _KERNEL_TRACE_KSYM_PARSE_H

#include <linux/types.h>

#define KSYM_ERROR(name, ...)	KSYM_ERR_##name,
enum ksym_err {
#include "ksym_errors.h"
	KSYM_NR_ERRORS
};

#undef KSYM_ERROR

/* The text is not wrong; the errno tells all, as -ENOMEM. */
#define KSYM_ERR_NONE	KSYM_NR_ERRORS

/**
 * struct ksym_error - what is wrong, and where
 * @code: which error, or %KSYM_ERR_NONE
 * @at: the offset of the culprit in its line, in bytes
 */
struct ksym_error {
	enum ksym_err	code;
	unsigned int	at;
};

/* What an instruction did, or what a watch records. The bits are perf's. */
#define KSYM_READ	1
#define KSYM_WRITE	2

/* MAX_EVENT_NAME_LEN; the lengths include the terminating zero. */
#define KSYM_EVENT_LEN	64
/* KSYM_NAME_LEN, which user space does not have. */
#define KSYM_SYM_MAX	512
/* MODULE_NAME_LEN, likewise. */
#define KSYM_MODULE_LEN	56
/* The type between the parentheses. */
#define KSYM_TYPE_LEN	128
/* The members, indices and arrows after a symbol. */
#define KSYM_PATH_LEN	256
/* A target as ksym_format_target() writes it. */
#define KSYM_TARGET_LEN	(KSYM_TYPE_LEN + KSYM_MODULE_LEN + KSYM_SYM_MAX + \
			 KSYM_PATH_LEN + 64)
/* in FUNC until FUNC(argN) */
#define KSYM_WINDOW_LEN	(2 * KSYM_SYM_MAX + 32)
/* The arguments of a function that are in registers. */
#define KSYM_ARGS_MAX	6
/* A list of CPUs as text. */
#define KSYM_CPUS_LEN	128
/* All options, with the largest numbers. */
#define KSYM_OPTIONS_LEN	(KSYM_CPUS_LEN + 240)
/* All actions. */
#define KSYM_ACTIONS_LEN	48
/* _NSIG, likewise. */
#define KSYM_SIGNAL_MAX	64
/* The longest range: eight bytes for each of four debug registers. */
#define KSYM_LEN_MAX	32
/* The longest range whose pieces take turns. */
#define KSYM_WIDE_MAX	16384

/* How many objects a watch can follow at once; where flexible, they take turns. */
#define KSYM_OBJECTS_MAX	16

/* The default groups of the events of ksym_trace_filter and dynamic_events. */
#define KSYM_GROUP		"ksym"
#define KSYM_DYN_GROUP		"wprobes"

/*
 * Hits per millisecond and CPU. A hit takes some microseconds, so a CPU keeps more than
 * half of its time, even in a loop that does nothing but hit.
 */
#define KSYM_LIMIT_DEFAULT	100

/*
 * The share of a CPU's time, in percent, that the hits of a trap may take, and the
 * highest share that can be asked for, which leaves time to remove the watch.
 */
#define KSYM_BUDGET_DEFAULT	10
#define KSYM_BUDGET_MAX		90

/**
 * enum ksym_action - what a line asks for
 * @KSYM_NOTHING: a blank line or a comment
 * @KSYM_ADD: a new watch
 * @KSYM_REMOVE_TARGET: remove each watch on a target
 * @KSYM_REMOVE_NAME: remove the watch of a name
 * @KSYM_REMOVE_ALL: remove all watches
 * @KSYM_SWITCH_OFF: disarm the watch of a name, which keeps its slots and counts
 * @KSYM_SWITCH_ON: arm it again, with all of its count=
 */
enum ksym_action {
	KSYM_NOTHING,
	KSYM_ADD,
	KSYM_REMOVE_TARGET,
	KSYM_REMOVE_NAME,
	KSYM_REMOVE_ALL,
	KSYM_SWITCH_OFF,
	KSYM_SWITCH_ON,
};

/* What is done after a hit, once; see struct ksym_options. */
#define KSYM_TRACEOFF	1
#define KSYM_SNAPSHOT	2
#define KSYM_PANIC	4

/**
 * struct ksym_options - the options of a watch
 * @pinned: the word was given; a watch is pinned as well without it
 * @flexible: it shares the slots that pinned watches leave, in turns
 * @inherit: children of the task are watched, too
 * @has_limit: @limit was given
 * @has_budget: @budget was given
 * @changed: only hits that changed the value are recorded
 * @wrote: a record also has the value that the instruction stored
 * @stack: a kernel stack trace is recorded with each hit
 * @ustack: the user stack of the task is recorded after each hit
 * @off: it has its slots and does not trap
 * @every_random: which of @every hits it is, is random
 * @actions: %KSYM_TRACEOFF, %KSYM_SNAPSHOT and %KSYM_PANIC, or 0
 * @signal: the signal that the task gets, or 0
 * @pid: the task, or 0 for a watch of CPUs
 * @limit: hits per millisecond on a CPU, or 0 for no limit
 * @budget: the share of a CPU's time that hits may take, in percent, or 0 for any
 * @count: the watch stops after this many hits, or 0 for no end
 * @every: only one of so many hits counts, or 0 for each
 * @objects: how many objects it follows at once, or 0 if it was not given
 * @timeout: after how many ns it is cleared from an object, or 0 for never
 * @cpus: the list of CPUs as it was given, or "" for all; only its characters were
 *	checked, cpulist_parse() parses it
 */
struct ksym_options {
	bool	pinned;
	bool	flexible;
	bool	inherit;
	bool	has_limit;
	bool	has_budget;
	bool	changed;
	bool	wrote;
	bool	stack;
	bool	ustack;
	bool	off;
	bool	every_random;
	u8	actions;
	u8	signal;
	u32	pid;
	u32	limit;
	u32	budget;
	u32	every;
	u64	count;
	u32	objects;
	u64	timeout;
	char	cpus[KSYM_CPUS_LEN];
};

/**
 * enum ksym_target_kind - how a target is given
 * @KSYM_AT_SYMBOL: as a symbol
 * @KSYM_AT_ADDRESS: as an address
 * @KSYM_NOWHERE: as -1: a trigger or kernel code points the watch at objects later
 * @KSYM_AT_ARG: as an argument of the function of a window. This and the following kinds
 *	need a window
 * @KSYM_AT_STACK: as a place on the stack, from the stack pointer at the function's entry
 * @KSYM_AT_RETVAL: as the function's return value
 */
enum ksym_target_kind {
	KSYM_AT_SYMBOL,
	KSYM_AT_ADDRESS,
	KSYM_NOWHERE,
	KSYM_AT_ARG,
	KSYM_AT_STACK,
	KSYM_AT_RETVAL,
};

/**
 * struct ksym_target - the target as it stands in a line
 * @kind: how it is given
 * @type: the type in parentheses, or "": ``task_struct``, ``struct rq``,
 *	``unsigned long``, ``list_head *``; blanks are single
 * @module: the name of the module, or ""
 * @symbol: the symbol, for %KSYM_AT_SYMBOL
 * @nth: the N of ``SYMBOL@N``, from 1, or 0
 * @cpu: the N of ``SYMBOL[cpuN]``, or -1
 * @addr: the address, for %KSYM_AT_ADDRESS
 * @arg: the N of argN, from 1, for %KSYM_AT_ARG
 * @path: the path from the type to the watched part, or "":
 *	``.comm``, ``.curr->on_cpu``, ``[3].next``; only with a @type
 * @off: the offset in bytes; only without a @path
 */
struct ksym_target {
	enum ksym_target_kind kind;
	char		type[KSYM_TYPE_LEN];
	char		module[KSYM_MODULE_LEN];
	char		symbol[KSYM_SYM_MAX];
	u32		nth;
	int		cpu;
	u64		addr;
	u32		arg;
	char		path[KSYM_PATH_LEN];
	s64		off;
};

/**
 * struct ksym_window_text - the window of a watch as it stands in a line
 * @func: the function that opens it, or "" if the watch has none
 * @until: the function that ends it, or "" for the return of @func
 * @until_arg: the argument of @until that is the object, from 1
 */
struct ksym_window_text {
	char	func[KSYM_SYM_MAX];
	char	until[KSYM_SYM_MAX];
	u32	until_arg;
};

/**
 * struct ksym_spec - a parsed line
 * @action: what it asks for. The other fields are valid for %KSYM_ADD only, except for
 *	@target with %KSYM_REMOVE_TARGET, and @group and @name with %KSYM_REMOVE_NAME,
 *	%KSYM_SWITCH_OFF and %KSYM_SWITCH_ON
 * @target: what to watch
 * @access: %KSYM_READ, %KSYM_WRITE or both
 * @len: the length in bytes, or 0 if the line has none
 * @group: the group of the watch's event; "" for any group where the action is not
 *	%KSYM_ADD
 * @name: the name of the watch, given or made from the target; likewise
 * @opt: the other options
 * @window: in which calls it watches
 * @lazy: it comes from dynamic_events, and is not enabled yet
 * @type_at: the offset of the type in the line. This and the following offsets are
 *	those of the target if the line does not have the word
 * @module_at: the module
 * @symbol_at: the symbol, the address, or -1
 * @nth_at: the N of @N
 * @cpu_at: the N of [cpuN]
 * @path_at: the path
 * @off_at: the offset's sign
 * @access_at: the access word
 * @len_at: the length
 * @name_at: the name, with its group
 * @kind_at: the word pinned or flexible
 * @cpus_at: the value of cpu=
 * @pid_at: the value of pid=
 * @inherit_at: the word inherit
 * @limit_at: the value of limit=
 * @budget_at: the value of budget=
 * @count_at: the value of count=
 * @every_at: the value of every=
 * @objects_at: the value of objects=
 * @timeout_at: the value of timeout=
 * @changed_at: the word changed
 * @wrote_at: the word wrote
 * @stack_at: the word stack
 * @ustack_at: the word ustack
 * @off_option_at: the word off
 * @in_at: the function after in
 * @until_at: the function after until
 * @args_at: the first fetch argument, or 0 where there is none
 * @filter_at: the filter, likewise
 * @then_at: the first action, likewise
 * @args_len: the length of the fetch arguments as they were written
 * @filter_len: the length of the filter
 */
struct ksym_spec {
	enum ksym_action action;
	struct ksym_target target;
	u8		access;
	u16		len;
	char		group[KSYM_EVENT_LEN];
	char		name[KSYM_EVENT_LEN];
	struct ksym_options opt;
	struct ksym_window_text window;
	bool		lazy;
	unsigned int	type_at;
	unsigned int	module_at;
	unsigned int	symbol_at;
	unsigned int	nth_at;
	unsigned int	cpu_at;
	unsigned int	path_at;
	unsigned int	off_at;
	unsigned int	access_at;
	unsigned int	len_at;
	unsigned int	name_at;
	unsigned int	kind_at;
	unsigned int	cpus_at;
	unsigned int	pid_at;
	unsigned int	inherit_at;
	unsigned int	limit_at;
	unsigned int	budget_at;
	unsigned int	count_at;
	unsigned int	every_at;
	unsigned int	objects_at;
	unsigned int	timeout_at;
	unsigned int	changed_at;
	unsigned int	wrote_at;
	unsigned int	stack_at;
	unsigned int	ustack_at;
	unsigned int	off_option_at;
	unsigned int	in_at;
	unsigned int	until_at;
	unsigned int	args_at;
	unsigned int	filter_at;
	unsigned int	then_at;
	unsigned int	args_len;
	unsigned int	filter_len;
};

int ksym_parse(const char *line, struct ksym_spec *spec,
	       struct ksym_error *error);
int ksym_parse_dyn(const char *line, struct ksym_spec *spec,
		   struct ksym_error *error);
bool ksym_is_path(const char *p);
int ksym_parse_time(const char *p, const char *end, u64 *ns);
int ksym_format_time(char *buf, size_t size, u64 ns);
int ksym_format_target(char *buf, size_t size, const struct ksym_target *target);
int ksym_format_window(char *buf, size_t size, const struct ksym_window_text *window);
int ksym_format_options(char *buf, size_t size, const struct ksym_options *o);
int ksym_format_actions(char *buf, size_t size, const struct ksym_options *o);
int ksym_default_name(char *name, const struct ksym_target *target);
const char *ksym_access_word(unsigned int access);

#endif /* _KERNEL_TRACE_KSYM_PARSE_H */

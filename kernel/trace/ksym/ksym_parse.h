/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text form of a watch.
 *
 * This header and ksym_parse.c know neither locks nor lookups, and compile in
 * user space as well, where a test and a fuzzer drive them.
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

/* What is not the text's fault, as a lack of memory: an errno tells it all. */
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

/* What an instruction does, or what a watch asks for. The bits are perf's. */
#define KSYM_READ	1
#define KSYM_WRITE	2

/* As MAX_EVENT_NAME_LEN, with its terminating zero. */
#define KSYM_EVENT_LEN	64
/* As KSYM_NAME_LEN, which is not to be had in user space. */
#define KSYM_SYM_MAX	512
/* As MODULE_NAME_LEN, which is not to be had in user space either. */
#define KSYM_MODULE_LEN	56
/* A type as it stands between the parentheses, with its terminating zero. */
#define KSYM_TYPE_LEN	128
/* The members, indices and arrows behind a symbol, likewise. */
#define KSYM_PATH_LEN	256
/* A canonical target: with @N, [cpuN], an offset, and what separates them. */
#define KSYM_TARGET_LEN	(KSYM_TYPE_LEN + KSYM_MODULE_LEN + KSYM_SYM_MAX + \
			 KSYM_PATH_LEN + 64)
/* A list of CPUs as text, with its terminating zero. */
#define KSYM_CPUS_LEN	128
/* The words of all options, with the largest numbers. */
#define KSYM_OPTIONS_LEN	(KSYM_CPUS_LEN + 160)
/* The longest range: eight bytes for each of a CPU's four debug registers. */
#define KSYM_LEN_MAX	32

/* The group of the events that ksym_trace_filter and dynamic_events make. */
#define KSYM_GROUP		"ksym"
#define KSYM_DYN_GROUP		"wprobes"

/*
 * Hits per millisecond and CPU. A hit takes some microseconds, so that a CPU
 * which does nothing but hit keeps more than half of its time.
 */
#define KSYM_LIMIT_DEFAULT	100

/*
 * The share of a CPU's time, in percent, that the hits of a trap may take, and the
 * most that can be asked for: something must be left for who removes the watch.
 */
#define KSYM_BUDGET_DEFAULT	10
#define KSYM_BUDGET_MAX		90

/**
 * enum ksym_action - what a line wants
 * @KSYM_NOTHING: a blank line or a comment
 * @KSYM_ADD: a new watch
 * @KSYM_REMOVE_TARGET: remove each watch on a target
 * @KSYM_REMOVE_NAME: remove the watch of a name
 * @KSYM_REMOVE_ALL: remove all watches
 */
enum ksym_action {
	KSYM_NOTHING,
	KSYM_ADD,
	KSYM_REMOVE_TARGET,
	KSYM_REMOVE_NAME,
	KSYM_REMOVE_ALL,
};

/**
 * struct ksym_options - who is watched, for how much, and what a hit tells
 * @flexible: the watch takes turns in what the pinned ones leave
 * @inherit: what the task starts is watched, too
 * @has_limit: @limit was given, and is not the default
 * @has_budget: @budget was given, and is not the default
 * @changed: only hits that changed the value are recorded
 * @wrote: a record has the value that the instruction stored as well
 * @stack: a kernel stack trace goes with each hit
 * @ustack: so does the task's user stack, as a record of its own
 * @pid: the task, or 0 for a watch of CPUs
 * @limit: hits per millisecond on a CPU, or 0 for no limit
 * @budget: the share of a CPU's time that hits may take, in percent, or 0 for any
 * @count: the hits after which the watch ends, or 0 for no end
 * @cpus: the list of CPUs as it was given, or "" for all. Its characters are
 *	those of a list; whether it is one must be asked of cpulist_parse().
 */
struct ksym_options {
	bool	flexible;
	bool	inherit;
	bool	has_limit;
	bool	has_budget;
	bool	changed;
	bool	wrote;
	bool	stack;
	bool	ustack;
	u32	pid;
	u32	limit;
	u32	budget;
	u64	count;
	char	cpus[KSYM_CPUS_LEN];
};

/**
 * enum ksym_target_kind - how a target says where it is
 * @KSYM_AT_SYMBOL: by a symbol
 * @KSYM_AT_ADDRESS: by an address
 * @KSYM_NOWHERE: it is told later, by a trigger or by kernel code
 */
enum ksym_target_kind {
	KSYM_AT_SYMBOL,
	KSYM_AT_ADDRESS,
	KSYM_NOWHERE,
};

/**
 * struct ksym_target - what a line names, before anybody has looked for it
 * @kind: how it says where it is
 * @type: the type that it is to be taken for, or "": ``task_struct``,
 *	``struct rq``, ``unsigned long``, ``list_head *``; blanks are single
 * @module: the module's name, or "" where the line has none
 * @symbol: the symbol, for %KSYM_AT_SYMBOL
 * @nth: the N of ``SYMBOL@N``, from 1, or 0
 * @cpu: the N of ``SYMBOL[cpuN]``, or -1
 * @addr: the address, for %KSYM_AT_ADDRESS
 * @path: what leads from a type to the part to be watched, or "":
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
	char		path[KSYM_PATH_LEN];
	s64		off;
};

/**
 * struct ksym_spec - a parsed line
 * @action: what it wants; what follows is valid for %KSYM_ADD only, but for
 *	@target of %KSYM_REMOVE_TARGET, and @group and @name of
 *	%KSYM_REMOVE_NAME
 * @target: what to watch
 * @access: %KSYM_READ, %KSYM_WRITE or both
 * @len: the length in bytes, or 0 where the line has none
 * @group: the group of the watch's event; "" in a removal for any group
 * @name: the name of the watch, given or made from the target
 * @opt: the options that are more than a length and a name
 * @lazy: it comes from dynamic_events: nobody records it until it is enabled
 * @type_at: where the type stands in the line; likewise the others, which are
 *	where the target is when the line does not have them
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
 * @changed_at: the word changed
 * @wrote_at: the word wrote
 * @stack_at: the word stack
 * @ustack_at: the word ustack
 * @args_at: the first fetch argument, or 0 where there is none
 */
struct ksym_spec {
	enum ksym_action action;
	struct ksym_target target;
	u8		access;
	u16		len;
	char		group[KSYM_EVENT_LEN];
	char		name[KSYM_EVENT_LEN];
	struct ksym_options opt;
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
	unsigned int	changed_at;
	unsigned int	wrote_at;
	unsigned int	stack_at;
	unsigned int	ustack_at;
	unsigned int	args_at;
};

int ksym_parse(const char *line, struct ksym_spec *spec,
	       struct ksym_error *error);
int ksym_parse_dyn(const char *line, struct ksym_spec *spec,
		   struct ksym_error *error);
int ksym_format_target(char *buf, size_t size, const struct ksym_target *target);
int ksym_format_options(char *buf, size_t size, const struct ksym_options *o);
int ksym_default_name(char *name, const struct ksym_target *target);
const char *ksym_access_word(unsigned int access);

#endif /* _KERNEL_TRACE_KSYM_PARSE_H */

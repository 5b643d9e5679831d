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
/* "rw" is the longest access word, the offset has a sign and 0x. */
#define KSYM_TARGET_LEN	(KSYM_SYM_MAX + 20)
/* A list of CPUs as text, with its terminating zero. */
#define KSYM_CPUS_LEN	128
/* The words of all options, with the largest numbers. */
#define KSYM_OPTIONS_LEN	(KSYM_CPUS_LEN + 96)

/*
 * Hits per millisecond and CPU. A hit takes some microseconds, so that a CPU
 * which does nothing but hit keeps more than half of its time.
 */
#define KSYM_LIMIT_DEFAULT	100

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
 * struct ksym_options - who is watched, and for how much
 * @flexible: the watch takes turns in what the pinned ones leave
 * @inherit: what the task starts is watched, too
 * @has_limit: @limit was given, and is not the default
 * @pid: the task, or 0 for a watch of CPUs
 * @limit: hits per millisecond on a CPU, or 0 for no limit
 * @count: the hits after which the watch ends, or 0 for no end
 * @cpus: the list of CPUs as it was given, or "" for all. Its characters are
 *	those of a list; whether it is one must be asked of cpulist_parse().
 */
struct ksym_options {
	bool	flexible;
	bool	inherit;
	bool	has_limit;
	u32	pid;
	u32	limit;
	u64	count;
	char	cpus[KSYM_CPUS_LEN];
};

/**
 * struct ksym_spec - a parsed line
 * @action: what it wants; what follows is valid for %KSYM_ADD only, but for
 *	@symbol and @off of %KSYM_REMOVE_TARGET and @name of %KSYM_REMOVE_NAME
 * @symbol: the symbol's name
 * @off: the offset to it, in bytes
 * @access: %KSYM_READ, %KSYM_WRITE or both
 * @len: the length in bytes, or 0 where the line has none
 * @name: the name of the watch, given or made from the target
 * @opt: the options that are more than a length and a name
 * @symbol_at: where the symbol stands in the line; likewise the others, which
 *	are where the symbol is when the line does not have them
 * @access_at: the access word
 * @len_at: the value of len=
 * @name_at: the name
 * @kind_at: the word pinned or flexible
 * @cpus_at: the value of cpu=
 * @pid_at: the value of pid=
 * @inherit_at: the word inherit
 * @limit_at: the value of limit=
 * @count_at: the value of count=
 */
struct ksym_spec {
	enum ksym_action action;
	char		symbol[KSYM_SYM_MAX];
	s64		off;
	u8		access;
	u8		len;
	char		name[KSYM_EVENT_LEN];
	struct ksym_options opt;
	unsigned int	symbol_at;
	unsigned int	access_at;
	unsigned int	len_at;
	unsigned int	name_at;
	unsigned int	kind_at;
	unsigned int	cpus_at;
	unsigned int	pid_at;
	unsigned int	inherit_at;
	unsigned int	limit_at;
	unsigned int	count_at;
};

int ksym_parse(const char *line, struct ksym_spec *spec,
	       struct ksym_error *error);
int ksym_format_target(char *buf, size_t size, const char *symbol, s64 off);
int ksym_format_options(char *buf, size_t size, const struct ksym_options *o);
int ksym_default_name(char *name, const char *symbol, s64 off);
const char *ksym_access_word(unsigned int access);

#endif /* _KERNEL_TRACE_KSYM_PARSE_H */

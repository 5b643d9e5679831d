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

/*
 * What can go wrong with a watch: the name of the error, the errno that the
 * writer sees, and the sentence that stands in error_log. All steps share the
 * table, so that each error is told in one way only.
 */
#define KSYM_ERRORS							\
	C(TOO_LONG,	E2BIG,	"A write may have 4095 bytes at most")	\
	C(NUL_BYTE,	EINVAL,	"The text holds a NUL byte")		\
	C(NO_SYMBOL,	EINVAL,	"A symbol is missing, as in SYMBOL[+OFF|-OFF][:r|w|rw] [len=N] [name=NAME]") \
	C(BAD_SYMBOL,	EINVAL,	"A symbol begins with a letter or '_', and has letters, digits, '_', '.' and '$' only") \
	C(SYMBOL_LEN,	EINVAL,	"No symbol of the kernel is that long")	\
	C(GLOB,		EINVAL,	"Globs are not expanded here: one symbol a line, or *:--- to remove all") \
	C(BAD_OFFSET,	EINVAL,	"The offset must be a decimal or 0x number of bytes") \
	C(BAD_ACCESS,	EINVAL,	"Access must be r, w or rw (or r--, -w-, rw-; --- removes)") \
	C(BAD_OPTION,	EINVAL,	"Unknown option: known are len=N and name=NAME") \
	C(DUP_OPTION,	EINVAL,	"The option is given twice")		\
	C(REMOVE_OPTION, EINVAL, "Nothing may follow a removal")	\
	C(BAD_LEN,	EINVAL,	"len must be 1, 2, 4 or 8")		\
	C(BAD_NAME,	EINVAL,	"A name is a C identifier of 1 to 63 characters") \
	C(RESERVED_NAME, EINVAL, "The name is a file of the event directory: give another one with name=NAME") \
	C(LONG_NAME,	EINVAL,	"The symbol is too long for an event name: give one with name=NAME") \
	C(NO_WATCH,	ENOENT,	"There is no such watch")		\
	C(NO_SUCH_SYMBOL, ENOENT, "No symbol of the kernel has this name") \
	C(AMBIGUOUS,	EADDRNOTAVAIL, "Several symbols have this name")	\
	C(MODULE_SYMBOL, EOPNOTSUPP, "The symbol is in a module, whose memory may go: only symbols of the kernel itself can be watched") \
	C(PERCPU_SYMBOL, EOPNOTSUPP, "The symbol is per-CPU: it has no single address to watch") \
	C(FUNCTION,	EINVAL,	"The symbol is a function: a watch is on data, use a kprobe or the function tracer") \
	C(INIT_MEMORY,	EINVAL,	"The symbol is in init memory, which is freed after boot") \
	C(NOT_KERNEL,	EINVAL,	"There is no kernel memory at this address") \
	C(UNALIGNED,	EINVAL,	"The address is not a multiple of len")	\
	C(READ_ONLY,	EOPNOTSUPP, "x86 has no read-only watch: use rw")	\
	C(CPU_REFUSES,	EINVAL,	"x86 refuses a breakpoint here: its own trap path uses this memory") \
	C(NO_SLOT,	ENOSPC,	"No debug register is free: a CPU has four, for watches, perf and debuggers together") \
	C(WATCH_EXISTS,	EBUSY,	"A watch of this name exists: give another one with name=NAME") \
	C(EVENT_EXISTS,	EEXIST,	"Another event of the group ksym has this name: give another one with name=NAME") \
	C(IN_USE,	EBUSY,	"The watch is in use: its event is enabled in an instance or by perf, or has a trigger")

#undef C
#define C(name, errno, text)	KSYM_ERR_##name,
enum ksym_err { KSYM_ERRORS KSYM_NR_ERRORS };
#undef C

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
 * struct ksym_spec - a parsed line
 * @action: what it wants; what follows is valid for %KSYM_ADD only, but for
 *	@symbol and @off of %KSYM_REMOVE_TARGET and @name of %KSYM_REMOVE_NAME
 * @symbol: the symbol's name
 * @off: the offset to it, in bytes
 * @access: %KSYM_READ, %KSYM_WRITE or both
 * @len: the length in bytes, or 0 where the line has none
 * @name: the name of the watch, given or made from the target
 * @symbol_at: where the symbol stands in the line; likewise the others
 * @access_at: the access word, or the symbol where there is none
 * @len_at: the value of len=, or the symbol
 * @name_at: the name, or the symbol
 */
struct ksym_spec {
	enum ksym_action action;
	char		symbol[KSYM_SYM_MAX];
	s64		off;
	u8		access;
	u8		len;
	char		name[KSYM_EVENT_LEN];
	unsigned int	symbol_at;
	unsigned int	access_at;
	unsigned int	len_at;
	unsigned int	name_at;
};

int ksym_parse(const char *line, struct ksym_spec *spec,
	       struct ksym_error *error);
int ksym_format_target(char *buf, size_t size, const char *symbol, s64 off);
int ksym_default_name(char *name, const char *symbol, s64 off);
const char *ksym_access_word(unsigned int access);

#endif /* _KERNEL_TRACE_KSYM_PARSE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hits: the records of a trace buffer, live or from a file, decoded.
 *
 * hits_take() gets the records in time order. Complete hits go to a sink in the same order.
 * Each output format is a sink.
 */
#ifndef HITS_H
#define HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <event-parse.h>

#include "lib/util.h"

struct code_lines;
struct user_code;

#define ACCESS_READ	1
#define ACCESS_WRITE	2

/**
 * struct frame - a frame of a stack
 * @addr: return address
 * @function: name of the function, or NULL if unknown, as in user space
 * @offset: offset of @addr in the function
 * @lines: the source lines of the call, or NULL
 * @user: the program or library in user space, or NULL if unknown
 */
struct frame {
	unsigned long long	addr;
	const char		*function;
	unsigned long long	offset;
	const struct code_lines	*lines;
	const struct user_code	*user;
};

/**
 * struct stack - a stack of the kernel or of user space
 * @user: of user space: for all hits of the task since its last user stack
 * @time: time of the record, in nanoseconds
 * @cpu: CPU of the record
 * @pid: pid of the task
 * @comm: name of the task
 * @frame: the frames, innermost first
 * @nr: number of frames
 */
struct stack {
	bool			user;
	unsigned long long	time;
	int			cpu;
	int			pid;
	char			*comm;
	struct frame		*frame;
	size_t			nr;
};

/**
 * struct hit_field - a fetch argument of a hit
 * @name: its name
 * @text: its value: the string itself, or the number as the event prints it
 * @is_text: it is a string
 * @is_number: it is a number
 * @is_signed: it is a signed number
 * @size: size of the number in bytes
 * @value: the number, sign-extended if it is signed
 */
struct hit_field {
	const char		*name;
	char			*text;
	bool			is_text;
	bool			is_number;
	bool			is_signed;
	int			size;
	unsigned long long	value;
};

/**
 * struct hit - an access to a watched variable
 * @watch: name of the watch, GRP/NAME if the group is not KSYM_GROUP
 * @time: time in nanoseconds of the trace clock
 * @cpu: the CPU
 * @pid: pid of the task
 * @comm: name of the task; untrusted text
 * @function: name of the function that made the access, or NULL if unknown
 * @start: address of the function, or @ip
 * @ip: address of the instruction after the access
 * @addr: address watched
 * @symbol: name of the variable at @addr, or NULL if unknown
 * @offset: offset of @addr in the variable
 * @access: ACCESS_READ, ACCESS_WRITE, both, or 0 if unknown
 * @len: length of the watch in bytes
 * @has_values: @new is known, and @old mostly
 * @has_old: @old is known
 * @old: value before the access; @new if that is unknown
 * @new: value after the access
 * @is_typed: the type of the values is known
 * @is_signed: the values are signed numbers by their type, sign-extended
 * @old_text: @old formatted by its type, or in hexadecimal; "?" if unknown
 * @new_text: @new formatted likewise
 * @has_torn: @torn is known
 * @torn: another CPU changed the value during the trap
 * @asked_wrote: the watch has the option wrote
 * @has_wrote: @wrote is known
 * @wrote: value that the instruction stored
 * @wrote_text: @wrote formatted likewise
 * @field: the fetch arguments
 * @nr_fields: number of fetch arguments
 * @lines: the source lines of the access, or NULL
 * @stack: the kernel stack, or NULL
 *
 * A hit is freed after the sink has got it.
 */
struct hit {
	const char		*watch;
	unsigned long long	time;
	int			cpu;
	int			pid;
	char			*comm;
	const char		*function;
	unsigned long long	start;
	unsigned long long	ip;
	unsigned long long	addr;
	const char		*symbol;
	unsigned long long	offset;
	unsigned int		access;
	unsigned int		len;
	bool			has_values;
	bool			has_old;
	unsigned long long	old;
	unsigned long long	new;
	bool			is_typed;
	bool			is_signed;
	char			*old_text;
	char			*new_text;
	bool			has_torn;
	bool			torn;
	bool			asked_wrote;
	bool			has_wrote;
	unsigned long long	wrote;
	char			*wrote_text;
	struct hit_field	*field;
	size_t			nr_fields;
	const struct code_lines	*lines;
	struct stack		*stack;
};

struct summary;

struct sink;

/**
 * struct sink_ops - what a kind of sink does with hits; each function may be NULL
 * @prompt: the output is flushed when there are no more records for now
 * @begin: called before the first hit, once the source is known to be readable
 * @hit: called for a hit, with its kernel stack
 * @stack: called for a stack without its hit: a user stack, or a kernel stack that arrived
 *	after the CPU's last hit was shown
 * @lost: called if hits were lost on a CPU; 0 if their number is unknown
 * @end: called at the end, with the summary
 * @free: free what the sink contains
 */
struct sink_ops {
	bool prompt;
	void (*begin)(struct sink *sink);
	void (*hit)(struct sink *sink, const struct hit *hit);
	void (*stack)(struct sink *sink, const struct stack *stack);
	void (*lost)(struct sink *sink, int cpu, unsigned long long lost);
	void (*end)(struct sink *sink, struct summary *summary);
	void (*free)(struct sink *sink);
};

/**
 * struct sink - a consumer of hits, which may embed this structure as its first member
 * @ops: what it does with them
 * @out: where it writes to, or NULL
 * @colour: may the output have colours?
 * @watch_width: length of the longest name of a watch, once hits_begin() was called
 */
struct sink {
	const struct sink_ops	*ops;
	FILE			*out;
	bool			colour;
	int			watch_width;
};

void *sink_new(size_t size, const struct sink_ops *ops, FILE *out);
void sink_free(struct sink *sink);

struct hits *hits_new(struct sink *sink);
void hits_want_lines(struct hits *hits, bool source, bool live);
void hits_begin(struct hits *hits, struct tep_handle *tep);
void hits_take(struct hits *hits, size_t source, struct tep_event *event,
	       struct tep_record *record);
bool hits_are_open(const struct hits *hits);
void hits_flush(struct hits *hits);
void hits_end(struct hits *hits);
struct summary *hits_summary(struct hits *hits);
void hits_free(struct hits *hits);

bool is_watch_event(struct tep_event *event);
int record_pid(struct tep_event *event, struct tep_record *record);
const char *access_word(unsigned int access);
char *place_text(struct tep_handle *tep, unsigned long long addr);
char *frame_text(const struct frame *frame);

/**
 * struct summary_line - the hits of a watch by a function
 * @watch: name of the watch
 * @function: name of the function, or its address
 * @start: address of the function
 * @hits: number of hits
 * @reads: hits that read
 * @writes: hits that wrote
 * @unknown: hits of unknown access
 * @changes: hits that changed the value
 * @has_values: values are known
 */
struct summary_line {
	char			*watch;
	char			*function;
	unsigned long long	start;
	unsigned long long	hits;
	unsigned long long	reads;
	unsigned long long	writes;
	unsigned long long	unknown;
	unsigned long long	changes;
	bool			has_values;
};

/**
 * struct summary - hits by watch and function
 * @line_size: size of the structure that begins with a line; 0 for a line alone
 * @max: number of lines from which on a further function is counted in the line "(others)"
 *	of its watch; 0 for no limit
 * @tree: the lines, for tsearch(3)
 * @line: the lines in the order of their first hits, or sorted by summary_sort()
 * @nr: number of lines
 * @hits: sum of their hits
 * @lost: number of hits known to be lost
 * @lost_more: more hits may be lost
 */
struct summary {
	size_t			line_size;
	size_t			max;
	void			*tree;
	struct summary_line	**line;
	size_t			nr;
	unsigned long long	hits;
	unsigned long long	lost;
	bool			lost_more;
};

/* summary.c */
struct summary_line *summary_add(struct summary *summary, const struct hit *hit);
void summary_free(struct summary *summary);
void summary_sort(struct summary *summary);
void summary_print_sum(const struct summary *summary, FILE *out);
void summary_print(struct summary *summary, FILE *out);

#endif /* HITS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hits: what the records of a trace buffer, from a file or as they come, say of watches.
 *
 * Records go in with hits_take(), in time order; what comes out goes to a sink, complete
 * and in the same order. Whatever shows hits in a way of its own is a sink.
 */
#ifndef HITS_H
#define HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <event-parse.h>

#include "lib/util.h"

#define ACCESS_READ	1
#define ACCESS_WRITE	2

/**
 * struct frame - a place in a stack
 * @addr: where it is
 * @function: the function's name, or NULL where that is not known, as in user space
 * @offset: how far it is into the function
 */
struct frame {
	unsigned long long	addr;
	const char		*function;
	unsigned long long	offset;
};

/**
 * struct stack - what called what
 * @user: a task's in user space: that of all hits which the task had since its last one
 * @time: when it was recorded, in nanoseconds
 * @cpu: where
 * @pid: whose it is
 * @comm: what the task is called
 * @frame: the innermost one first
 * @nr: how many they are
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
 * struct hit_field - what else was recorded with a hit: a fetch argument
 * @name: what it is called
 * @text: its value: itself where it is a text, else as the event prints it
 * @is_text: is it a text?
 * @is_number: is it one number?
 * @is_signed: is it a signed one?
 * @size: of how many bytes
 * @value: the number; sign-extended if it is signed
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
 * struct hit - an access to what a watch is on
 * @watch: what the watch is called, as GRP/NAME where the group is not KSYM_GROUP
 * @time: when, in nanoseconds of the trace clock
 * @cpu: where
 * @pid: the task
 * @comm: what it is called; no text to print as it is
 * @function: the function that did it, or NULL where its name is not known
 * @start: where that function begins, or @ip
 * @ip: the instruction after the access
 * @addr: what was watched
 * @symbol: the variable that @addr is in, or NULL where its name is not known
 * @offset: how far it is into the variable
 * @access: ACCESS_READ, ACCESS_WRITE, both, or 0 where not known
 * @len: the length of the watch in bytes
 * @has_values: are @old and @new known?
 * @old: the value before
 * @new: the value after
 * @is_typed: is the type of the values known?
 * @old_text: the value before by its type, or in hexadecimal
 * @new_text: the value after likewise
 * @has_torn: is @torn known?
 * @torn: another value was there in the same trap: somebody else wrote as well
 * @asked_wrote: does the watch record what was stored?
 * @has_wrote: and is that known of this hit?
 * @wrote: what the instruction stored
 * @field: the fetch arguments of the watch
 * @nr_fields: how many they are
 * @more: what the event prints behind the function, of all that is not in each row;
 *	begins with a blank, and is NULL where that is nothing
 * @stack: the kernel's stack, or NULL
 *
 * It belongs to the stream: who wants to keep some of it makes a copy.
 */
struct hit {
	char			*watch;
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
	unsigned long long	old;
	unsigned long long	new;
	bool			is_typed;
	char			*old_text;
	char			*new_text;
	bool			has_torn;
	bool			torn;
	bool			asked_wrote;
	bool			has_wrote;
	unsigned long long	wrote;
	struct hit_field	*field;
	size_t			nr_fields;
	char			*more;
	struct stack		*stack;
};

struct summary;

/**
 * struct sink - where hits go
 * @begin: before the first of them, when it is known that there may be some
 * @hit: a hit, with its stack of the kernel
 * @stack: a stack that could not come with its hit: one of user space, or one of the
 *	kernel that came when the CPU's last hit was shown already
 * @lost: so many hits are missing here on a CPU; 0 where their number is not known
 * @flush: there is no more for now
 * @end: there will be no more, and this is their sum
 * @free: free it
 *
 * Each of them may be NULL. A sink with something of its own has this as a member.
 */
struct sink {
	void (*begin)(struct sink *sink);
	void (*hit)(struct sink *sink, const struct hit *hit);
	void (*stack)(struct sink *sink, const struct stack *stack);
	void (*lost)(struct sink *sink, int cpu, unsigned long long lost);
	void (*flush)(struct sink *sink);
	void (*end)(struct sink *sink, struct summary *summary);
	void (*free)(struct sink *sink);
};

void sink_free(struct sink *sink);

struct hits *hits_new(struct sink *sink);
void hits_begin(struct hits *hits);
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

/**
 * struct summary_line - the hits of a watch by a function
 * @watch: the watch
 * @function: the function, or its address
 * @start: where it begins
 * @hits: how many hits
 * @reads: those of them that read
 * @writes: and that wrote
 * @unknown: of which neither is known
 * @changes: that left another value behind
 * @has_values: is anything known of those?
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
 * @tree: of struct summary_line, for tsearch(3)
 * @line: the same lines, in the order in which they first came, or after
 *	summary_sort() those with the most hits first
 * @nr: how many they are
 * @hits: the sum of their hits
 * @lost: how many hits are known to be lost
 * @lost_more: there may be others
 */
struct summary {
	void			*tree;
	struct summary_line	**line;
	size_t			nr;
	unsigned long long	hits;
	unsigned long long	lost;
	bool			lost_more;
};

void summary_sort(struct summary *summary);
void summary_print(struct summary *summary, FILE *out);

#endif /* HITS_H */

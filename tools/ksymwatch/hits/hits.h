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

#include "lib/names.h"
#include "lib/util.h"

struct code_lines;
struct user_code;

#define ACCESS_READ	1
#define ACCESS_WRITE	2

/* A frame of a stack. */
struct frame {
	unsigned long long	addr;		/* return address */
	const char		*function;	/* NULL if unknown */
	unsigned long long	offset;		/* offset of @addr in the function */
	const struct code_lines	*lines;		/* the source lines of the call, or NULL */
	const struct user_code	*user;		/* the program in user space, or NULL */
};

/* A stack of the kernel or of user space. */
struct stack {
	bool			user;	/* of user space: for all hits since the task's last one */
	unsigned long long	time;	/* time of the record, in nanoseconds */
	int			cpu;
	int			pid;
	char			*comm;
	struct frame		*frame;	/* the frames, innermost first */
	size_t			nr;
};

/* A fetch argument of a hit. */
struct hit_field {
	const char		*name;
	char			*text;	/* the string, or the number as the event prints it */
	bool			is_text;
	bool			is_number;
	bool			is_signed;
	unsigned long long	value;	/* the number, sign-extended if it is signed */
};

/* An access to a watched variable. It is freed after the sink has got it. */
struct hit {
	const char		*watch;		/* its name, GRP/NAME if not in KSYM_GROUP */
	unsigned long long	time;		/* time in nanoseconds of the trace clock */
	int			cpu;
	int			pid;
	char			*comm;		/* name of the task; untrusted text */
	const char		*function;	/* that made the access, or NULL if unknown */
	unsigned long long	start;		/* address of the function, or @ip */
	unsigned long long	ip;		/* address of the instruction after the access */
	unsigned long long	addr;		/* address watched */
	const char		*symbol;	/* the variable at @addr, or NULL if unknown */
	unsigned long long	offset;		/* offset of @addr in the variable */
	unsigned int		access;		/* ACCESS_READ, ACCESS_WRITE, or 0 if unknown */
	unsigned int		len;		/* length of the watch in bytes */
	bool			has_values;	/* @new is known, and @old mostly */
	bool			has_old;	/* @old is known */
	unsigned long long	old;		/* value before the access; @new if unknown */
	unsigned long long	new;		/* value after the access */
	bool			is_typed;	/* the type of the values is known */
	bool			is_signed;	/* they are signed by their type, and extended */
	char			*old_text;	/* @old by its type, or in hex; "?" if unknown */
	char			*new_text;	/* @new formatted likewise */
	bool			has_torn;	/* @torn is known */
	bool			torn;		/* another CPU changed the value during the trap */
	bool			asked_wrote;	/* the watch has the option wrote */
	bool			has_wrote;	/* @wrote is known */
	unsigned long long	wrote;		/* value that the instruction stored */
	char			*wrote_text;	/* @wrote formatted likewise */
	struct hit_field	*field;		/* the fetch arguments */
	size_t			nr_fields;
	const struct code_lines	*lines;		/* the source lines of the access, or NULL */
	struct stack		*stack;		/* the kernel stack, or NULL */
};

struct sink;
struct summary;

/* What a kind of sink does with hits; each function may be NULL. */
struct sink_ops {
	bool prompt;	/* flush the output when there are no more records for now */
	/* Called before the first hit, once the source is known to be readable. */
	void (*begin)(struct sink *sink);
	void (*hit)(struct sink *sink, const struct hit *hit);
	/* A stack without its hit: of user space, or it arrived after the hit was shown. */
	void (*stack)(struct sink *sink, const struct stack *stack);
	/* Hits were lost on a CPU; 0 if their number is unknown. */
	void (*lost)(struct sink *sink, int cpu, unsigned long long lost);
	void (*end)(struct sink *sink, struct summary *summary);
	void (*free)(struct sink *sink);	/* frees what the sink contains */
};

/* A consumer of hits, which may embed this structure as its first member. */
struct sink {
	const struct sink_ops	*ops;		/* what it does with them */
	FILE			*out;		/* where it writes to, or NULL */
	bool			colour;		/* may the output have colours? */
	int			watch_width;	/* of the longest name, since hits_begin() */
};

void *sink_new(size_t size, const struct sink_ops *ops, FILE *out);
void sink_free(struct sink *sink);

struct hits *hits_new(struct sink *sink);
void hits_want_only(struct hits *hits, const char *watch);
void hits_want_lines(struct hits *hits, bool source, bool live);
void hits_take_mappings(struct hits *hits, const char *text, size_t size);
void hits_begin(struct hits *hits, struct tep_handle *tep);
void hits_take(struct hits *hits, size_t source, struct tep_event *event,
	       struct tep_record *record);
bool hits_are_open(const struct hits *hits);
void hits_flush(struct hits *hits);
void hits_end(struct hits *hits);
struct summary *hits_summary(struct hits *hits);
void hits_free(struct hits *hits);

bool is_watch_event(struct tep_event *event);
const char *access_word(unsigned int access);
char *place_text(struct tep_handle *tep, unsigned long long addr);
char *frame_text(const struct frame *frame);
char *function_text(const struct hit *hit);

/* The values of variables over time. */
struct tracks {
	void		*tree;		/* the tracks, for tsearch(3) */
	struct names	watches;	/* that have any */
	struct strings	names;		/* of the tracks, to show */
};

/* tracks.c */
size_t tracks_find(struct tracks *tracks, const struct hit *hit);
void tracks_free(struct tracks *tracks);

#define NR_COUNTED	5

/* The hits of a watch by a function. */
struct summary_line {
	char			*watch;		/* name of the watch */
	char			*function;	/* name of the function, or its address */
	unsigned long long	start;		/* address of the function */
	union {
		struct {
			unsigned long long	hits;
			unsigned long long	reads;
			unsigned long long	writes;
			unsigned long long	unknown;	/* hits of unknown access */
			unsigned long long	changes;	/* hits that changed the value */
		};
		unsigned long long	count[NR_COUNTED];	/* all of these */
	};
	bool			has_values;	/* values are known */
};

/* Hits by watch and function. */
struct summary {
	size_t			line_size;	/* of what begins with a line; 0 for a line alone */
	size_t			max;		/* lines before further ones are "(others)"; or 0 */
	void			*tree;		/* the lines, for tsearch(3) */
	struct summary_line	**line;		/* in the order of their first hits, or sorted */
	size_t			nr;
	unsigned long long	hits;		/* sum of their hits */
	unsigned long long	lost;		/* number of hits known to be lost */
	bool			lost_more;	/* more hits may be lost */
};

/* summary.c */
struct summary_line *summary_add(struct summary *summary, const struct hit *hit);
void summary_free(struct summary *summary);
void summary_sort(struct summary *summary);
void summary_print_sum(const struct summary *summary, FILE *out);
void summary_print(struct summary *summary, FILE *out);

/* The headings of the counters. */
extern const char * const count_headings[NR_COUNTED];

#endif /* HITS_H */

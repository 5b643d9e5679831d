/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches, as the tracer's files show them.
 */
#ifndef KSYMWATCH_H
#define KSYMWATCH_H

#include <tracefs.h>

#include "lib/util.h"

/* The group of the kernel's own events, of which stacks are two. */
#define FTRACE_GROUP	"ftrace"

/* The group of the tracer's events, where a watch does not say: events/ksym/NAME. */
#define KSYM_GROUP	"ksym"

/* A name with its terminating zero, as the kernel's MAX_EVENT_NAME_LEN. */
#define KSYM_NAME_LEN	64

/* A group and a name, with what is between them. */
#define KSYM_EVENT_LEN	(2 * KSYM_NAME_LEN)

/**
 * struct watch - a watch as ksym_trace_filter shows it
 * @line: its line, without the comment
 * @enabled: what a file of save says of the instances it was enabled in, or NULL
 * @name: what it is called: the name of its event, as GRP/NAME where the group is not
 *	KSYM_GROUP
 * @target: what it is on, as SYMBOL+OFF
 * @access: r, w or rw
 * @len: its length in bytes, as text
 * @flexible: it takes turns with others
 * @inherit: it goes on to what its task starts
 * @cpus: the CPUs that it is on; NULL for all
 * @pid: the task that it is on; NULL for all
 * @coverage: how much of the time it was armed; NULL where the line does not say
 * @state: what else the kernel says of it, or NULL
 */
struct watch {
	char	*line;
	char	*enabled;
	char	*name;
	char	*target;
	char	*access;
	char	*len;
	bool	flexible;
	bool	inherit;
	char	*cpus;
	char	*pid;
	char	*coverage;
	char	*state;
};

struct watches {
	struct watch	*watch;
	size_t		nr;
};

/**
 * struct counts - what the tracer counted for a watch
 * @hits: recorded
 * @has_kinds: are reads, writes, unknown and changes counted?
 * @reads: those of them that are known to have read
 * @writes: likewise
 * @unknown: of these neither is known
 * @changes: those of them that left another value behind
 * @disabled: missed, for each of the reasons that the tracer knows; likewise
 * @filtered: dropped by a filter, so nobody missed them
 * @nobuffer: no room in the trace buffer
 * @fault: the value could not be read
 * @limited: past the limit or the count that the watch has
 * @stale: at an address from which the watch had been moved away by then
 * @notread: dropped by a watch of reads: it only wrote
 * @unchanged: dropped by a watch with the option changed
 * @noustack: hits whose user stacks were lost; they are no missed hits
 * @coverage: how much of the time the watch was armed, as the tracer writes it, or "-"
 * @estimate: how many hits there would have been all the time, likewise
 */
struct counts {
	unsigned long long hits;
	bool has_kinds;
	unsigned long long reads;
	unsigned long long writes;
	unsigned long long unknown;
	unsigned long long changes;
	unsigned long long disabled;
	unsigned long long filtered;
	unsigned long long nobuffer;
	unsigned long long fault;
	unsigned long long limited;
	unsigned long long stale;
	unsigned long long notread;
	unsigned long long unchanged;
	unsigned long long noustack;
	char coverage[16];
	char estimate[24];
};

/**
 * struct removal - what is to be removed
 * @lines: the lines that do it
 * @shown: for each of them what the user typed
 * @others: the watches that stay, as others made them and nobody named them
 */
struct removal {
	struct strings	lines;
	struct strings	shown;
	struct strings	others;
};

void watch_parse(struct watch *watch, char *line);
void watch_free(struct watch *watch);
void watches_read(struct watches *watches);
void watches_free(struct watches *watches);
const struct watch *watches_find(const struct watches *watches,
				 const char *name);
char *name_removal(const struct watches *watches, const char *name);
void split_event(const char *event, char group[KSYM_NAME_LEN], char name[KSYM_NAME_LEN]);
void join_event(char event[KSYM_EVENT_LEN], const char *group, const char *name);

void specs_from_args(struct strings *specs, int argc, char **argv);
bool spec_removes(const char *spec);
void spec_targets(struct strings *targets, const struct strings *specs);
void spec_split(const char *spec, char **target, char **access, char **options);
void refuse_globs(const struct strings *specs);
size_t spec_target_len(const char *spec);
char *spec_target(const char *spec);
char *spec_access(const char *spec);
char *spec_option(const char *spec, const char *key);
bool spec_has_option(const char *spec, const char *word);
bool is_identifier(const char *text, size_t len);
void spec_name(const char *spec, char name[KSYM_EVENT_LEN]);
void spec_line(struct strings *lines, const char *spec);
int filter_write(const struct strings *lines, const struct strings *shown);
void removal_add(struct removal *removal, const struct watches *watches,
		 const struct watch *watch, const char *shown);
void removal_take(struct removal *removal, const struct watches *watches,
		  const struct strings *notes, const char *arg);

void watch_counts(const char *event, struct counts *counts);
char *slots_read(void);
char *watch_users(const char *name, bool top);

#endif /* KSYMWATCH_H */

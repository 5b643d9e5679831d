/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksymwatch: make watches on kernel data, and see who hits them.
 *
 * The way of a command:
 *
 *   main.c      takes the command line apart
 *   tracer.c    says what is missing, where something is
 *   watch.c     reads and writes ksym_trace_filter, reads the counters
 *   admin.c     add, list and slots: no more than that
 *   remove.c    rm
 *   session.c   watches and their hits, for as long as a command runs: session.h
 *   session_tracer.c   a session's backend on a kernel with the tracer
 *   stock.c     its backend on other kernels: perf and BPF (stock.h)
 *   signals.c   which signals end a session, and how
 *   live.c      a session's hits as they come
 *   record.c    a session for as long as a command runs
 *   doctor.c    what this kernel and machine offer
 *   selftest.c  a watch that is made and hit, to see whether that works
 *   top.c       hits by watch and function, live
 *   topscreen.c and how a terminal shows it
 *   stat.c      counts while a command runs
 *   child.c     the command's process
 *   progress.c  how a recording goes on, on the terminal
 *   recorder.c  a session's raw hits into a trace.dat
 *   remote.c    a recording that goes to trace-cmd listen (remote.h)
 *   report.c    the hits of a trace.dat, to look at
 *   export.c    likewise, in formats of others: export and plot
 *   recording.c reads a trace.dat
 *   guard.c     what to say where a library falls over a file (guard.h)
 *   hits.c      the records of a trace buffer as hits; the summary
 *   output.c    what report and live have in common: options, colours, the pager
 *   table.c     hits as rows
 *   gdb.c       hits as gdb shows them
 *   ndjson.c    hits as JSON
 *   csv.c       hits as CSV
 *   perfetto.c  hits as a trace for Perfetto
 *   plot.c      hits as a page (plot.html) for a browser
 *   tracks.c    which values are those of one variable
 *   text.c      what others chose, for terminals and as JSON
 *   target.c    a target, taken apart (target.h)
 *   symbols.c   the kernel's symbols, and add --dry-run (symbols.h)
 *   type.c      types of C (type.h), as type_dwarf.c and type_btf.c find them
 *   types.c     which of these knows a variable; paths into it
 *   resolve.c   a target's symbol and type, and the tracer's words for it (resolve.h)
 *   value.c     values by their types; the markers of types in a trace (value.h)
 *   owner.c     whose a watch is (owner.h)
 *   saved.c     save and restore
 *   explain.c   what a target is, and whether it can be watched
 *   options.c   what is wrong with the options of a SPEC (options.h)
 *   util.c      messages, memory, programs
 */
#ifndef KSYMWATCH_H
#define KSYMWATCH_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <event-parse.h>
#include <tracefs.h>

#define KSYMWATCH_VERSION	"0.1"

/* The group of the kernel's own events, of which stacks are two. */
#define FTRACE_GROUP	"ftrace"

/* The group of the tracer's events, where a watch does not say: events/ksym/NAME. */
#define KSYM_GROUP	"ksym"

/* A name with its terminating zero, as the kernel's MAX_EVENT_NAME_LEN. */
#define KSYM_NAME_LEN	64

/* A group and a name, with what is between them. */
#define KSYM_EVENT_LEN	(2 * KSYM_NAME_LEN)

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Exit statuses; those of record's command come on top. */
enum status {
	STATUS_OK	= 0,
	STATUS_FAILED	= 1,
	STATUS_USAGE	= 2,
};

/* A list of strings that owns them; .text is not terminated by a NULL. */
struct strings {
	char	**text;
	size_t	nr;
};

struct option;
struct pollfd;

/* --- main.c ------------------------------------------------------------- */

/**
 * struct command - a subcommand
 * @name: what selects it
 * @synopsis: its arguments, in short
 * @summary: what it does, in a line
 * @help: all of it; printed below the synopsis
 * @run: @argv[0] is the command's name; returns the exit status
 */
struct command {
	const char	*name;
	const char	*synopsis;
	const char	*summary;
	const char	*help;
	int		(*run)(const struct command *cmd, int argc, char **argv);
};

int parse_no_options(const struct command *cmd, int argc, char **argv);
int next_option(const struct command *cmd, int argc, char **argv,
		const char *short_options, const struct option *long_options);

int cmd_add(const struct command *cmd, int argc, char **argv);
int cmd_rm(const struct command *cmd, int argc, char **argv);
int cmd_list(const struct command *cmd, int argc, char **argv);
int cmd_explain(const struct command *cmd, int argc, char **argv);
int cmd_slots(const struct command *cmd, int argc, char **argv);
int cmd_doctor(const struct command *cmd, int argc, char **argv);
int cmd_save(const struct command *cmd, int argc, char **argv);
int cmd_restore(const struct command *cmd, int argc, char **argv);
int cmd_live(const struct command *cmd, int argc, char **argv);
int cmd_stat(const struct command *cmd, int argc, char **argv);
int cmd_top(const struct command *cmd, int argc, char **argv);
int cmd_record(const struct command *cmd, int argc, char **argv);
int cmd_report(const struct command *cmd, int argc, char **argv);
int cmd_export(const struct command *cmd, int argc, char **argv);
int cmd_plot(const struct command *cmd, int argc, char **argv);

const char *only_file(const struct command *cmd, int argc, char **argv);
void hide_numbers(int argc, char **argv);

/* --- tracer.c ----------------------------------------------------------- */

void require_tracer(void);

/* --- watch.c ------------------------------------------------------------ */

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

/* --- signals.c ---------------------------------------------------------- */

struct signalfd_siginfo;

int signals_open(void);
bool signals_next(int fd, struct signalfd_siginfo *info);
const sigset_t *signals_original_mask(void);
void signals_deliver_pipe(void);

/* --- recorder.c --------------------------------------------------------- */

struct session;

void recorder_open(const char *path);
void recorder_open_remote(const char *address);
void recorder_attach(struct session *session);
void recorder_pump(void);
unsigned long long recorder_size(void);
int recorder_finish(void);

/* --- util.c ------------------------------------------------------------- */

[[gnu::format(printf, 1, 2)]]
void err(const char *fmt, ...);
[[gnu::noreturn, gnu::format(printf, 1, 2)]]
void die(const char *fmt, ...);
[[gnu::noreturn, gnu::format(printf, 2, 3)]]
void die_usage(const struct command *cmd, const char *fmt, ...);

void *xcalloc(size_t nr, size_t size);
void *xreallocarray(void *old, size_t nr, size_t size);
char *xstrdup(const char *text);
[[gnu::format(printf, 1, 0)]]
char *xvasprintf(const char *fmt, va_list ap);
[[gnu::format(printf, 1, 2)]]
char *xasprintf(const char *fmt, ...);

void strings_add(struct strings *strings, const char *text);
void strings_add_owned(struct strings *strings, char *text);
char *strings_join(const struct strings *strings, const char *between);
void strings_free(struct strings *strings);

bool program_exists(const char *name);
char *read_first_line(const char *path);
void flush_stdout(void);

#endif /* KSYMWATCH_H */

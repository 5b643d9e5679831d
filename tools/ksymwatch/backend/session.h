/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: watches and their hits, for as long as a command runs.
 *
 * The hits come from a backend: the ksym tracer with a trace instance of its own
 * (session_tracer.c) or, on a kernel without the tracer, breakpoints of
 * perf_event_open(2) (stock.c). The commands are the same for both:
 *
 *	session = session_open(backend_choose(), &specs, signals, output, SESSION_PROMPT);
 *	session_start(session);
 *	while (no signal) {
 *		session_wait(session, -1);
 *		session_read(session, take_hit, data);
 *	}
 *	session_stop(session);
 *	session_read(session, take_hit, data);
 *	for (i = 0; i < session->events.nr; i++)
 *		session_counts(session, i, &counts);
 *	session_close();
 *
 * exit() closes the session, so die() may be called anywhere.
 */
#ifndef KSYMWATCH_SESSION_H
#define KSYMWATCH_SESSION_H

#include "lib/ksymwatch.h"

struct backend;

/* What a session is for; the default is to record it, see session_raw_open(). */
enum session_flags {
	/* session_wait() returns for each hit, not only when there are many. */
	SESSION_PROMPT	= 1 << 0,
	/* Nobody reads the hits: session_counts() is all that is wanted. */
	SESSION_COUNT	= 1 << 1,
	/* Each hit comes with the kernel's stack, whether its watch asks for it or not. */
	SESSION_STACKS	= 1 << 2,
};

/**
 * struct session - watches and their hits, for a while
 * @backend: where the hits come from
 * @fds: to wait for hits with poll(2): those of each CPU, -1 where there is none; behind
 *	them, the two descriptors that session_open() was given
 * @nr_fds: how many they are
 * @flags: what it is for
 * @events: what the watches that it records are called
 * @made: those of them that it made, and removes
 * @tep: knows the events' formats, the functions and the tasks; see session_formats()
 */
struct session {
	const struct backend	*backend;
	struct pollfd		*fds;
	size_t			nr_fds;
	unsigned int		flags;
	struct strings		events;
	struct strings		made;
	struct tep_handle	*tep;
};

/* Takes a record; @record->missed_events tells of hits that were lost before it. */
typedef void session_take(struct tep_event *event, struct tep_record *record, int cpu, void *data);

/**
 * struct fill - how full the buffers are
 * @bytes: what is in them
 * @lost: how many hits were lost since they were full
 */
struct fill {
	unsigned long long	bytes;
	unsigned long long	lost;
};

/**
 * struct backend - where hits come from
 * @name: what it is called
 * @choose: make the watches of the specs, or find those of the names; sets events and made
 * @open: make the buffers, and put what waits for hits of each CPU into @fds
 * @start: from here on hits are recorded
 * @stop: none are any more; says which were missed
 * @close: give everything back; returns -1 after saying what stays
 * @formats: a new handle that knows the formats
 * @read: hand over all records that there are
 * @counts: what was counted for a watch since session_start()
 * @fill: how full the buffers are, or NULL where nobody can tell
 * @mark: put a text into the buffer
 * @raw_folder: a folder laid out as tracefs is, with the formats, or NULL for tracefs
 * @raw_open: write the pages of a CPU's buffer into a file from now on
 * @raw_move: do so with what there is; the last time, also with a page that is not full
 * @raw_close: that was all
 */
struct backend {
	const char *name;
	void (*choose)(struct session *session, const struct strings *specs);
	void (*open)(struct session *session, size_t nr);
	void (*start)(struct session *session);
	void (*stop)(struct session *session);
	int (*close)(struct session *session);
	struct tep_handle *(*formats)(struct session *session);
	void (*read)(struct session *session, session_take *take, void *data);
	void (*counts)(struct session *session, size_t index, struct counts *counts);
	void (*fill)(struct session *session, struct fill *fill);
	void (*mark)(struct session *session, const char *text);
	const char *(*raw_folder)(struct session *session, const char *parts);
	void (*raw_open)(struct session *session, const int *fds, size_t nr);
	int (*raw_move)(struct session *session, bool last);
	void (*raw_close)(struct session *session);
};

/* session_tracer.c */
const struct backend *tracer_backend(void);

/* stock.c */
const struct backend *perf_backend(void);
char *stock_slots(void);

/* choose.c */
const struct backend *backend_choose(void);

char *task_comm(int pid);

struct session *session_open(const struct backend *backend, const struct strings *specs,
			     int signals, int output, unsigned int flags);
struct tep_handle *session_formats(struct session *session);
bool session_wait(const struct session *session, int timeout);
void session_start(struct session *session);
void session_read(struct session *session, session_take *take, void *data);
void session_mark(struct session *session, const char *text);
void session_stop(struct session *session);
void session_counts(struct session *session, size_t index, struct counts *counts);
void session_fill(struct session *session, struct fill *fill);
int session_close(void);

const char *session_raw_folder(struct session *session, const char *parts);
void session_raw_open(struct session *session, const int *fds, size_t nr);
int session_raw_move(struct session *session, bool last);
void session_raw_close(struct session *session);

#endif /* KSYMWATCH_SESSION_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: watches and their hits, for as long as a command runs.
 *
 * The hits come from a backend: the ksym tracer with a trace instance of its own
 * (session_tracer.c) or, on a kernel without the tracer, breakpoints of
 * perf_event_open(2) (stock.c). The commands are the same for both:
 *
 *	backend = backend_choose();
 *	session = session_open(backend, &specs, signals, output, SESSION_PROMPT);
 *	session_start(session);
 *	while (no signal && !session_ended(session)) {
 *		session_wait(session, -1);
 *		backend->read(session, take_hit, data);
 *	}
 *	backend->stop(session);
 *	backend->read(session, take_hit, data);
 *	for (i = 0; i < session->events.nr; i++)
 *		backend->counts(session, i, &counts);
 *	session_close();
 *
 * exit() closes the session, so die() may be called anywhere.
 */
#ifndef KSYMWATCH_SESSION_H
#define KSYMWATCH_SESSION_H

#include <event-parse.h>

#include "backend/counts.h"
#include "lib/tracedat.h"
#include "lib/util.h"
#include "spec/spec.h"

struct backend;
struct pieces;

/* What a session is for; 0: to record raw pages, see struct backend's raw_open(). */
enum session_flags {
	/* session_wait() also returns after SESSION_PROMPT_MS, not only for many hits. */
	SESSION_PROMPT	= 1 << 0,
	/* Hits are only counted, not read. */
	SESSION_COUNT	= 1 << 1,
	/* Every hit has a kernel stack, even if its watch does not ask for one. */
	SESSION_STACKS	= 1 << 2,
	/* session_start() prints nothing. */
	SESSION_QUIET	= 1 << 3,
	/* The only watch is a long range, whose pieces take turns; see turn(). */
	SESSION_TURNS	= 1 << 4,
};

/* Waking for each hit would make hits: ksymwatch would mostly watch itself. */
#define SESSION_PROMPT_MS	100

/* The length of a turn, as perf's own. */
#define SESSION_TURN_MS		4

/* Watches and their hits. */
struct session {
	const struct backend	*backend;	/* where the hits come from */
	/*
	 * For poll(2): a descriptor per CPU, -1 if the CPU does not exist; then the two
	 * descriptors that session_open() was given
	 */
	struct pollfd		*fds;
	size_t			nr_fds;		/* number of descriptors */
	unsigned int		flags;		/* see enum session_flags */
	struct strings		shown;		/* the SPECs as the user gave them */
	struct strings		events;		/* names of the watches */
	/* Names of those that the session made, and removes */
	struct strings		made;
	/* An action or count= may end it, see session_ended() */
	bool			ends;
	/* A watch records user stacks */
	bool			has_user_stacks;
	/* The events' formats, the functions and the tasks; see session_formats() */
	struct tep_handle	*tep;
};

/* Takes a record; @record->missed_events is the number of hits lost before it. */
typedef void session_take(struct tep_event *event, struct tep_record *record, int cpu, void *data);

/* How full the buffers are. */
struct fill {
	unsigned long long	bytes;	/* size of what is in them */
	unsigned long long	lost;	/* number of hits lost because a buffer was full */
};

/**
 * struct backend - a source of hits
 * @choose: make the watches of the SPECs and find the named ones; sets events, made and ends
 * @open: make the buffers, and fill in @fds
 * @attach: get the raw pages of an existing buffer, and with @keep leave them there, too; NULL
 *	if there is none without a session
 * @start: start recording
 * @where: return where the hits are recorded, and what is missing: a new string
 * @ended: has traceoff or count= ended the session? Called only if it has set @ends
 * @stop: stop recording; prints which hits were missed. Recorded ones can still be read
 * @close: release everything; returns -1 after a message about what stays
 * @formats: return a new handle that knows the formats
 * @read: pass on all records not read yet, in the order of their times: hits, stacks
 *	(ftrace:kernel_stack and user_stack) and marks (ftrace:print). Does not wait
 * @counts: get the counters of a watch, by its index in events, since the start. They are
 *	exact, even if a buffer lost hits; what can't be counted is 0
 * @pieces: get what each piece of the only watch, a flexible one, did since it was made;
 *	pieces_free() frees it
 * @turn: with SESSION_TURNS, let the next pieces have their turn, to be called every
 *	SESSION_TURN_MS; NULL if the kernel does so by itself
 * @settle: count what is in the buffers, in a session that only counts; may be NULL
 * @fill: get how full the buffers are
 * @raw_formats: get what a trace.dat of the raw pages has besides them, except symbols and
 *	the names of the tasks
 * @raw_comms: return the names of the tasks known so far, as in saved_cmdlines: a new
 *	string
 * @raw_open: from now on write each CPU's pages into a file, instead of read()
 * @raw_move: write the pages; also a partly filled one if @last. Does not wait. Returns 0
 *	or an errno
 */
struct backend {
	void (*choose)(struct session *session, const struct strings *specs);
	void (*open)(struct session *session);
	void (*attach)(struct session *session, const char *instance, bool keep);
	void (*start)(struct session *session);
	char *(*where)(struct session *session);
	bool (*ended)(struct session *session);
	void (*stop)(struct session *session);
	int (*close)(struct session *session);
	struct tep_handle *(*formats)(struct session *session);
	void (*read)(struct session *session, session_take *take, void *data);
	void (*counts)(struct session *session, size_t index, struct counts *counts);
	void (*pieces)(struct session *session, struct pieces *pieces);
	void (*turn)(struct session *session);
	void (*settle)(struct session *session);
	void (*fill)(struct session *session, struct fill *fill);
	void (*raw_formats)(struct session *session, struct tracedat *dat);
	char *(*raw_comms)(struct session *session);
	void (*raw_open)(struct session *session, const int *fds);
	int (*raw_move)(struct session *session, bool last);
};

/* session_tracer.c: for kernels with the ksym tracer */
extern const struct backend tracer_backend;

/* stock.c: for those without */
extern const struct backend perf_backend;
char *stock_slots(void);

/* choose.c */
const struct backend *backend_choose(void);

char *task_comm(int pid);

struct session *session_open(const struct backend *backend, const struct strings *specs,
			     int signals, int output, unsigned int flags);
struct session *session_attach(const struct backend *backend, const char *instance, bool keep);
struct tep_handle *session_formats(struct session *session);
void session_start(struct session *session);
bool session_wait(const struct session *session, int timeout);
void session_wait_told(const struct session *session, int timeout);
bool session_ended(struct session *session);
int session_close(void);

#endif /* KSYMWATCH_SESSION_H */

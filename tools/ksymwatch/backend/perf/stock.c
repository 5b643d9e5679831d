// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend of kernels without the ksym tracer: breakpoints of perf_event_open(2), and BPF
 * for the values if permitted. Watches last as long as the session.
 */
#include <errno.h>
#include <glob.h>
#include <linux/hw_breakpoint.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/perf/access.h"
#include "backend/perf/code.h"
#include "backend/perf/stock.h"
#include "backend/support.h"
#include "hits/marker.h"
#include "lib/util.h"
#include "symbols/lines.h"
#include "symbols/resolve.h"

/* The values are the same. */
_Static_assert(KSYM_READ == HW_BREAKPOINT_R && KSYM_WRITE == HW_BREAKPOINT_W, "access");

#define ONLINE_FILE	"/sys/devices/system/cpu/online"

/* The only session. */
static struct {
	struct stock		stock;
	struct session		*session;
	struct stock_batch	pending;	/* read from perf's buffers, but not passed on */
	char			**comm;		/* names of tasks by their number, or NULL */
	size_t			nr_comms;
	struct strings		marks;		/* not passed on yet */
	uint64_t		began;		/* time of the marks, before all hits */
	unsigned long long	*lost;		/* by CPU: hits lost since its last record */
	unsigned long long	all_lost;
	unsigned long long	*got;		/* by CPU: hits received from perf, or lost */
	struct trace_page	*page;		/* by CPU: takes the records, unless NULL */
	bool			stopped;	/* there are no more hits */
	session_take		*take;		/* otherwise called for each record */
	void			*data;		/* its argument */
} perf;

/* --- The names of tasks ------------------------------------------------- */

/* Sets the name of a task: a string that it owns now. */
static void set_comm(int tid, char *comm)
{
	size_t room = perf.nr_comms ?: 1024;

	/* perf has no number for a task that has just ended. */
	if (tid < 0) {
		free(comm);
		return;
	}
	while (room <= (size_t)tid)
		room *= 2;
	if (room > perf.nr_comms) {
		perf.comm = xreallocarray(perf.comm, room, sizeof(*perf.comm));
		memset(perf.comm + perf.nr_comms, 0, (room - perf.nr_comms) * sizeof(*perf.comm));
		perf.nr_comms = room;
	}
	free(perf.comm[tid]);
	perf.comm[tid] = comm;
	if (perf.session->tep)
		tep_override_comm(perf.session->tep, comm, tid);
}

/* Gets the name of a task, if necessary from /proc, while the task exists. */
static const char *learn_comm(int tid)
{
	const char *known = (size_t)tid < perf.nr_comms ? perf.comm[tid] : NULL;
	char *comm;

	if (known || tid <= 0)
		return known;
	comm = task_comm(tid);
	if (comm)
		set_comm(tid, comm);
	return comm;
}

/* Reads the names of all tasks, which may be gone when their hits are read. */
static void learn_comms(void)
{
	glob_t tasks = {};
	size_t i;

	glob("/proc/[0-9]*", GLOB_NOSORT, NULL, &tasks);
	for (i = 0; i < tasks.gl_pathc; i++)
		learn_comm(atoi(tasks.gl_pathv[i] + strlen("/proc/")));
	globfree(&tasks);
}

/* Returns the names as in saved_cmdlines: a new string. */
static char *comm_lines(struct session *session __maybe_unused)
{
	char *lines, *p;
	size_t size, tid;
	FILE *out = check_memory(open_memstream(&lines, &size));

	for (tid = 0; tid < perf.nr_comms; tid++) {
		if (!perf.comm[tid])
			continue;
		/* trace-cmd stops reading at an invalid line or an empty name. */
		fprintf(out, "%zu %s", tid, *perf.comm[tid] ? "" : "?");
		for (p = perf.comm[tid]; *p; p++)
			fputc(*p == '\n' ? '?' : *p, out);
		fputc('\n', out);
	}
	fclose(out);
	return lines;
}

/* --- Records ------------------------------------------------------------ */

/* Passes a record to @take or into the page, if it has a size. */
static void emit(int cpu, uint64_t time, void *data, size_t size)
{
	struct tep_record record = {
		.ts = time, .missed_events = perf.lost[cpu], .size = size, .record_size = size,
		.data = data, .cpu = cpu, .ref_count = 1,
	};

	/* A session that only counts takes none. */
	if (!size || !(perf.page || perf.take))
		return;
	perf.lost[cpu] = 0;
	if (perf.page)
		page_add(&perf.page[cpu], data, size, time, record.missed_events);
	else
		perf.take(tep_find_event_by_record(perf.session->tep, &record), &record, cpu,
			  perf.data);
}

static void emit_mark(int cpu, uint64_t time, const char *text)
{
	uint64_t data[MAX_PRINT / sizeof(uint64_t)];

	emit(cpu, time, data, record_print(data, sizeof(data), getpid(), text));
}

static void emit_marks(void)
{
	int cpu = 0;
	size_t i;

	while (!perf.stock.online[cpu])
		cpu++;
	for (i = 0; i < perf.marks.nr; i++)
		emit_mark(cpu, perf.began, perf.marks.text[i]);
	strings_free(&perf.marks);
}

/* Fills in what the instruction of a hit did, and what it stored. */
static void find_access(const struct stock *stock, struct stock_hit *hit)
{
	const struct stock_watch *watch = hit->watch;
	bool reads = watch->spec.access & KSYM_READ, decoded = stock->code && hit->regs;
	const struct access_trap trap = {
		.regs = hit->regs, .addr = hit->addr, .len = hit->piece->len,
		.type = reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W, .cpu = hit->cpu,
		.gs = stock->gs[hit->cpu], .has_memory = stock->bpf, .top = hit->top,
		.word = hit->word,
	};

	hit->access = decoded ? code_access(&trap, hit->time) : 0;
	/* Nothing else traps there. */
	if (!hit->access && !reads)
		hit->access = KSYM_WRITE;
	if (decoded && watch->spec.opt.wrote && hit->access & KSYM_WRITE)
		hit->has_wrote = code_stored(&trap, hit->time, &hit->wrote);
	/* The number of a bit-field, as of the other values. */
	if (watch->bits < 64)
		hit->wrote = hit->wrote >> watch->bit & ((1ULL << watch->bits) - 1);
}

static void take_hit(struct stock *stock, struct stock_hit *hit)
{
	struct stock_watch *watch = hit->watch;
	uint64_t data[MAX_RECORD / sizeof(uint64_t)];

	perf.got[hit->cpu]++;
	find_access(stock, hit);
	if (watch->spec.access == KSYM_READ && hit->access == KSYM_WRITE) {
		watch->not_read++;
		return;
	}
	watch->nr_of[hit->access]++;
	watch->changes += hit->has_old && hit->old != hit->new;
	if (stock->flags & SESSION_COUNT)
		return;
	if (watch->spec.opt.count && watch->taken == watch->spec.opt.count)
		return;
	learn_comm(hit->tid);
	watch->taken++;
	emit(hit->cpu, hit->time, data, record_hit(data, hit));
	if (watch->spec.opt.stack)
		emit(hit->cpu, hit->time, data, record_stack(data, hit, false));
	if (watch->spec.opt.ustack)
		emit(hit->cpu, hit->time, data, record_stack(data, hit, true));
	if (watch->spec.opt.count && watch->taken == watch->spec.opt.count)
		stock_perf_enable(watch, stock->nr_cpus, false);
}

static void take_lost(int cpu, unsigned long long lost)
{
	perf.lost[cpu] += lost;
	perf.all_lost += lost;
	perf.got[cpu] += lost;
}

/*
 * Counts the hits of a watch, and the traps that the BPF programs dropped, which come first:
 * perf counts a trap before its program does.
 */
static void count_hits(const struct stock_watch *watch, struct counts *counts)
{
	unsigned long long reads = 0;
	size_t cpu;

	*counts = (struct counts) { .coverage = NO_COVERAGE };
	if (watch->piece[0].bpf)
		reads = stock_bpf_count_dropped(watch->piece[0].bpf, counts);
	counts->nr[COUNT_HITS] -= counts_missed(counts) + reads;
	for (cpu = 0; cpu < perf.stock.nr_cpus; cpu++)
		counts->nr[COUNT_HITS] += stock_perf_count(watch, cpu);
}

/*
 * perf reports lost records only when there is room again. So at the end, hits that are
 * still missing count as lost on the CPU that misses most. A mark after the last hit
 * carries the number.
 */
static void take_last_lost(void)
{
	const struct stock *stock = &perf.stock;
	long long lost = 0, most = 0, missing;
	struct counts counts;
	size_t i, cpu, worst = 0;

	for (cpu = 0; cpu < stock->nr_cpus; cpu++) {
		missing = -perf.got[cpu];
		lost += missing;
		for (i = 0; i < stock->nr; i++)
			missing += stock_perf_count(&stock->watch[i], cpu);
		if (missing > most) {
			most = missing;
			worst = cpu;
		}
	}
	/* perf may also have lost records about tasks, so this may be negative. */
	for (i = 0; i < stock->nr; i++) {
		count_hits(&stock->watch[i], &counts);
		lost += counts.nr[COUNT_HITS];
	}
	if (lost > 0)
		take_lost(worst, lost);
	for (cpu = 0; cpu < stock->nr_cpus; cpu++)
		if (perf.lost[cpu])
			emit_mark(cpu, now_ns(), "hits were lost before this\n");
}

/* The records of perf other than samples, see perf_event_open(2). */
union event {
	struct perf_event_header	header;
	struct {
		struct perf_event_header	header;
		uint32_t			pid, tid;
		char				name[];
	} comm;
	struct {
		struct perf_event_header	header;
		uint32_t			pid, ppid, tid, ptid;
	} fork;
	struct {
		struct perf_event_header	header;
		uint64_t			id, lost;
	} lost;
};

static void play_record(const void *record, int cpu)
{
	const union event *event = record;
	const char *name;
	struct stock_hit hit;

	switch (event->header.type) {
	case PERF_RECORD_SAMPLE:
		if (stock_perf_parse(&perf.stock, &hit, &event->header))
			take_hit(&perf.stock, &hit);
		break;
	case PERF_RECORD_COMM:
		set_comm(event->comm.tid, xstrdup(event->comm.name));
		break;
	case PERF_RECORD_FORK:
		/* A new task has the name of its parent. */
		name = learn_comm(event->fork.ptid);
		if (name)
			set_comm(event->fork.tid, xstrdup(name));
		break;
	case PERF_RECORD_LOST:
		take_lost(cpu, event->lost.lost);
		break;
	}
}

/* Passes on all records. */
static void play(void)
{
	struct stock_batch batch = perf.pending;
	size_t i;

	/* @take may stop the session, which fills the batch again. */
	memset(&perf.pending, 0, sizeof(perf.pending));
	stock_perf_drain(&batch);
	code_turn();
	emit_marks();
	for (i = 0; i < batch.nr; i++)
		play_record(batch.data + batch.record[i].off, batch.record[i].cpu);
	stock_batch_free(&batch);
	if (perf.stopped && !perf.pending.nr)
		take_last_lost();
}

/* --- The session -------------------------------------------------------- */

static bool *online_cpus(size_t nr_cpus)
{
	char *list __autofree = read_first_line(ONLINE_FILE);
	bool *online = list ? parse_cpus(list, nr_cpus) : NULL;

	if (!online)
		die(ONLINE_FILE ": cannot parse the list of CPUs");
	return online;
}

static void read_online(struct stock *stock)
{
	stock->nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	stock->online = online_cpus(stock->nr_cpus);
}

/* Reports the CPUs that had no events, since they were offline at the start. */
static void tell_unwatched(const struct stock *stock)
{
	bool *online __autofree = online_cpus(stock->nr_cpus);
	size_t cpu;

	for (cpu = 0; cpu < stock->nr_cpus; cpu++)
		if (online[cpu] && !stock->online[cpu])
			err("CPU %zu came online and was not watched", cpu);
}

/* Also says what is unavailable. */
static char *perf_where(struct session *session __maybe_unused)
{
	const char *missing = perf.stock.code ? "no flexible, limit=, budget=, args" :
		"hits of :rw may be reads or writes; no flexible, limit=, budget=, wrote, args";
	const char *why = "this kernel has no ksym tracer";

	if (backend_wanted())
		why = "the ksym tracer is disabled (" BACKEND_VARIABLE ")";
	else if (!tracefs_path())
		why = "tracefs is not mounted, so the ksym tracer is unavailable";
	if (perf.stock.bpf)
		return xasprintf("%s: using perf's breakpoints, with BPF for the values; %s",
				 why, missing);
	return xasprintf("%s: using perf's breakpoints, without BPF (%s); hits have no values; %s",
			 why, perf.stock.why_no_bpf, missing);
}

/* Reads the kernel's code, if possible. */
static void read_code(struct stock *stock)
{
	unsigned long long offset;
	size_t cpu;
	char *why;

	stock->code = code_open(&why);
	free(why);
	stock->gs = xcalloc(stock->nr_cpus, sizeof(*stock->gs));
	for (cpu = 0; stock->code && cpu < stock->nr_cpus; cpu++) {
		if (stock_percpu_offset(cpu, &offset, &why))
			stock->gs[cpu] = offset;
		free(why);
	}
}

static void add_watch(struct session *session, struct stock *stock, const char *spec)
{
	struct stock_watch *watch = &stock->watch[stock->nr];
	size_t i;

	/* Count it first, so that exit() frees it if this dies. */
	stock->nr++;
	stock_spec(stock, watch, spec);
	watch->type = FIRST_TYPE + stock->nr;
	for (i = 0; i + 1 < stock->nr; i++)
		if (!strcmp(stock->watch[i].name, watch->name))
			die("%s: %s", spec, spec_message(KSYM_ERR_WATCH_EXISTS));
	watch->spec.opt.stack = watch->spec.opt.stack || session->flags & SESSION_STACKS;
	stock->stacks = stock->stacks || watch->spec.opt.stack;
	stock->ustacks = stock->ustacks || watch->spec.opt.ustack;
	session->has_user_stacks = stock->ustacks;
	stock->has_off = stock->has_off || watch->spec.opt.actions & KSYM_TRACEOFF;
	strings_add(&session->events, watch->name);
}

static void perf_choose(struct session *session, const struct strings *specs)
{
	struct stock *stock = &perf.stock;
	size_t i;

	perf.session = session;
	if (!specs->nr)
		die("missing SPEC; without the ksym tracer, watches end with the command");
	stock->flags = session->flags;
	read_online(stock);
	perf.lost = xcalloc(stock->nr_cpus, sizeof(*perf.lost));
	perf.got = xcalloc(stock->nr_cpus, sizeof(*perf.got));
	if (backend_asked(BACKEND_PLAIN_PERF))
		stock->why_no_bpf = xstrdup("disabled");
	else
		stock->bpf = stock_bpf_start(&stock->why_no_bpf);
	read_code(stock);
	stock->watch = xcalloc(specs->nr, sizeof(*stock->watch));
	session->ends = true;
	for (i = 0; i < specs->nr; i++) {
		if (*specs->text[i] == '@' || !strncmp(specs->text[i], "--", 2))
			die("'%s' needs the ksym tracer, whose watches have names and events",
			    specs->text[i]);
		add_watch(session, stock, specs->text[i]);
		session->ends = session->ends && stock->watch[i].spec.opt.count;
	}
	session->ends = session->ends || stock->has_off;
	/* BPF's values would be those of the piece that had the turn before. */
	if (stock->flags & SESSION_TURNS && stock->bpf) {
		stock->bpf = false;
		stock->why_no_bpf = xstrdup("not with turns");
	}
}

static void perf_open(struct session *session)
{
	struct stock *stock = &perf.stock;
	struct stock_watch *watch;
	struct stock_piece *piece;

	for (watch = stock->watch; watch < stock->watch + stock->nr; watch++)
		for (piece = watch->piece; piece < watch->piece + watch->nr_pieces; piece++)
			if (stock->bpf && stock_is_sampled(stock, watch))
				stock_bpf_load(stock, watch, piece);
	stock_perf_open(stock, session->fds);
}

/* Has a CPU a value of its own? Otherwise the first one has the value of all. */
static bool has_value(const struct stock *stock, const struct stock_watch *watch, size_t cpu)
{
	return stock->online[cpu] && (!cpu || watch->percpu);
}

/* Reads the values of a piece. */
static void read_seeds(const struct stock *stock, const struct stock_watch *watch,
		       struct stock_piece *piece)
{
	char *why;
	size_t cpu;

	piece->seed = xcalloc(stock->nr_cpus, sizeof(*piece->seed));
	for (cpu = 0; cpu < stock->nr_cpus; cpu++)
		if (has_value(stock, watch, cpu) &&
		    !stock_peek(watch->addr[cpu] + piece->off, &piece->seed[cpu], piece->len, &why))
			die("%s: cannot read its value: %s", watch->line, why);
}

/* Several watches may be on what one of them reads. Their pieces share a counter. */
static void ignore_reads(const struct stock *stock, bool ignore)
{
	size_t i;

	for (i = 0; i < stock->nr; i++)
		if (stock->watch[i].piece[0].bpf)
			stock_bpf_ignore_reads(stock->watch[i].piece[0].bpf, ignore);
}

/*
 * Gives the programs the values before the first hit. The watches are armed, so each write
 * after reading a value is a hit. One before it, whose program may still be about to run, has
 * run it after an RCU grace period, for which membarrier(2) waits; it has replaced
 * UNKNOWN_VALUE then, and the value read is not used. Where there is no membarrier, the value
 * before the first hit remains unknown.
 */
static void seed_values(const struct stock *stock)
{
	struct stock_watch *watch;
	struct stock_piece *piece;
	bool some = false;
	size_t cpu;

	ignore_reads(stock, true);
	for (watch = stock->watch; watch < stock->watch + stock->nr; watch++)
		for (piece = watch->piece; piece < watch->piece + watch->nr_pieces; piece++)
			if (piece->bpf) {
				read_seeds(stock, watch, piece);
				some = true;
			}
	ignore_reads(stock, false);
	if (!some || syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return;
	for (watch = stock->watch; watch < stock->watch + stock->nr; watch++)
		for (piece = watch->piece; piece < watch->piece + watch->nr_pieces; piece++)
			for (cpu = 0; piece->seed && cpu < stock->nr_cpus; cpu++)
				if (has_value(stock, watch, cpu))
					stock_bpf_set_old(piece, cpu, piece->seed[cpu]);
}

/* Writes the types of the watches into the trace. */
static void mark_types(void)
{
	size_t i;

	lines_markers(&perf.marks);
	for (i = 0; i < perf.stock.nr; i++) {
		char *marker __autofree = NULL;
		const struct stock_watch *watch = &perf.stock.watch[i];

		marker = make_marker(watch->name, &watch->spec.target, watch->len);
		if (marker)
			strings_add_owned(&perf.marks, xasprintf("%s\n", marker));
	}
	perf.began = now_ns();
}

static void perf_start(struct session *session __maybe_unused)
{
	struct stock *stock = &perf.stock;
	size_t i;

	if (!(stock->flags & SESSION_COUNT)) {
		mark_types();
		learn_comms();
	}
	for (i = 0; i < stock->nr; i++)
		stock_perf_enable(&stock->watch[i], stock->nr_cpus, true);
	seed_values(stock);
	if (stock->flags & SESSION_TURNS)
		rounds_start();
}

/*
 * Counts the reads and writes among the hits, whose buffers were read after they were counted.
 * So there may be more by now; those that are missing were lost.
 */
static void count_kinds(const struct stock_watch *watch, struct counts *counts)
{
	const unsigned long long *nr = watch->nr_of;
	long long hits = counts->nr[COUNT_HITS] - watch->not_read;
	long long read = nr[0] + nr[1] + nr[2] + nr[3];

	counts->has_kinds = perf.stock.code && perf.stock.bpf;
	counts->nr[COUNT_HITS] = hits > read ? hits : read;
	counts->nr[COUNT_READS] = nr[KSYM_READ] + nr[KSYM_READ | KSYM_WRITE];
	counts->nr[COUNT_WRITES] = nr[KSYM_WRITE] + nr[KSYM_READ | KSYM_WRITE];
	counts->nr[COUNT_UNKNOWN] = nr[0] + counts->nr[COUNT_HITS] - read;
	counts->nr[COUNT_CHANGES] = watch->changes;
	counts->nr[COUNT_NOTREAD] = watch->not_read;
}

static void perf_counts(struct session *session __maybe_unused, size_t index,
			struct counts *counts)
{
	const struct stock_watch *watch = &perf.stock.watch[index];

	count_hits(watch, counts);
	if (perf.stock.buffered && perf.stock.flags & SESSION_COUNT)
		play();
	if (watch->spec.opt.count && counts->nr[COUNT_HITS] > watch->spec.opt.count) {
		counts->nr[COUNT_LIMITED] = counts->nr[COUNT_HITS] - watch->spec.opt.count;
		counts->nr[COUNT_HITS] = watch->spec.opt.count;
	}
	/* A breakpoint for writes fires for nothing else. */
	counts->has_writes = !(watch->spec.access & KSYM_READ);
	if (counts->has_writes)
		counts->nr[COUNT_WRITES] = counts->nr[COUNT_HITS];
	else if (perf.stock.flags & SESSION_COUNT && perf.stock.code)
		count_kinds(watch, counts);
	else
		counts->nr[COUNT_HITS] -= counts->nr[COUNT_NOTREAD] = watch->not_read;
}

/* Empties the buffers of a session that only counts. */
static void perf_settle(struct session *session __maybe_unused)
{
	if (perf.stock.buffered)
		play();
}

/* Has traceoff ended the session, or are all counts used up? */
static bool perf_ended(struct session *session)
{
	struct counts counts;
	size_t i;

	if (perf.stock.has_off && stock_bpf_is_off())
		return true;
	for (i = 0; i < session->events.nr; i++) {
		perf_counts(session, i, &counts);
		if (!perf.stock.watch[i].spec.opt.count ||
		    counts.nr[COUNT_HITS] < perf.stock.watch[i].spec.opt.count)
			return false;
	}
	return true;
}

/* Includes pages that are not full yet. */
static void perf_fill(struct session *session __maybe_unused, struct fill *fill)
{
	size_t cpu;

	fill->lost = perf.all_lost;
	fill->bytes = stock_perf_fill() + perf.pending.size;
	for (cpu = 0; perf.page && cpu < perf.stock.nr_cpus; cpu++)
		fill->bytes += perf.page[cpu].size;
}

/* Reports hits that are missing for another reason than a full buffer. */
static void perf_stop(struct session *session __maybe_unused)
{
	struct stock *stock = &perf.stock;
	struct counts counts;
	size_t i, c;

	for (i = 0; i < stock->nr; i++)
		stock_perf_enable(&stock->watch[i], stock->nr_cpus, false);
	stock_perf_drain(&perf.pending);
	perf.stopped = true;
	tell_unwatched(stock);
	for (i = 0; i < stock->nr; i++) {
		count_hits(&stock->watch[i], &counts);
		for (c = COUNT_FAULT; c < NR_COUNTS; c++)
			if (counts.nr[c] && (c == COUNT_FAULT || c >= FIRST_FAILED))
				err(c < FIRST_FAILED ? "%s: %llu hits missed: %s" : "%s: %llu %s",
				    stock->watch[i].name, counts.nr[c], count_meaning(c));
	}
}

static int perf_close(struct session *session __maybe_unused)
{
	struct stock *stock = &perf.stock;
	struct stock_watch *watch;
	struct stock_piece *piece;
	size_t i;

	stock_perf_close(stock);
	rounds_end();
	for (watch = stock->watch; watch < stock->watch + stock->nr; watch++) {
		for (piece = watch->piece; piece < watch->piece + watch->nr_pieces; piece++) {
			stock_bpf_free(piece);
			free(piece->seed);
			free(piece->fd);
			free(piece->id);
		}
		free(watch->line);
		free(watch->addr);
		free(watch->cpus);
		free(watch->config);
	}
	stock_bpf_end();
	strings_free(&perf.marks);
	for (i = 0; i < perf.nr_comms; i++)
		free(perf.comm[i]);
	free(perf.comm);
	stock_batch_free(&perf.pending);
	free(stock->watch);
	free(stock->online);
	free(stock->why_no_bpf);
	free(stock->gs);
	code_close();
	free(perf.lost);
	free(perf.got);
	free(perf.page);
	memset(&perf, 0, sizeof(perf));
	return 0;
}

static struct tep_handle *perf_formats(struct session *session)
{
	size_t tid;

	session->tep = trace_formats(&perf.stock);
	for (tid = 0; tid < perf.nr_comms; tid++)
		if (perf.comm[tid])
			tep_register_comm(session->tep, perf.comm[tid], tid);
	return session->tep;
}

static void perf_read(struct session *session, session_take *take, void *data)
{
	session_formats(session);
	perf.take = take;
	perf.data = data;
	play();
}

/* --- Raw records -------------------------------------------------------- */

static void perf_raw_formats(struct session *session __maybe_unused, struct tracedat *dat)
{
	trace_raw_formats(&perf.stock, dat);
}

static void perf_raw_open(struct session *session __maybe_unused, const int *fds)
{
	size_t cpu;

	perf.page = xcalloc(perf.stock.nr_cpus, sizeof(*perf.page));
	for (cpu = 0; cpu < perf.stock.nr_cpus; cpu++)
		perf.page[cpu].fd = fds[cpu];
}

static int perf_raw_move(struct session *session __maybe_unused, bool last)
{
	int error = 0;
	size_t cpu;

	play();
	for (cpu = 0; cpu < perf.stock.nr_cpus; cpu++) {
		if (last)
			page_flush(&perf.page[cpu]);
		error = error ?: perf.page[cpu].error;
	}
	return error;
}

/* How many debug registers each CPU has free, as a table: who has the others nobody tells. */
char *stock_slots(void)
{
	struct stock stock = {};
	size_t cpu, size;
	char *table;
	FILE *out = check_memory(open_memstream(&table, &size));
	int nr;

	stock_perf_require();
	read_online(&stock);
	fputs("CPU  FREE\n", out);
	for (cpu = 0; cpu < stock.nr_cpus; cpu++) {
		if (!stock.online[cpu])
			continue;
		nr = stock_perf_free_slots(cpu);
		if (nr < 0)
			die("perf gets no debug registers of CPU %zu: %s", cpu, strerror(errno));
		fprintf(out, "%-3zu  %4d\n", cpu, nr);
	}
	fclose(out);
	free(stock.online);
	return table;
}

const struct backend perf_backend = {
	.choose = perf_choose,
	.open = perf_open,
	.start = perf_start,
	.where = perf_where,
	.ended = perf_ended,
	.stop = perf_stop,
	.close = perf_close,
	.formats = perf_formats,
	.read = perf_read,
	.counts = perf_counts,
	.pieces = rounds_pieces,
	.turn = rounds_turn,
	.settle = perf_settle,
	.fill = perf_fill,
	.raw_formats = perf_raw_formats,
	.raw_comms = comm_lines,
	.raw_open = perf_raw_open,
	.raw_move = perf_raw_move,
};

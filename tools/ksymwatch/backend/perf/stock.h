/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches on a kernel without the ksym tracer: breakpoints of perf_event_open(2), and BPF if
 * permitted.
 *
 *   stock.c        the backend of a session
 *   stock_spec.c   the addresses of a SPEC
 *   stock_perf.c   perf's events and buffers
 *   condition.c    the condition of a SPEC, for BPF
 *   code.c         what a hit did, by the kernel's code and its decoder, access.c
 *   stock_bpf.c    values before and after; reading the kernel's memory
 *   rounds.c       turns of the pieces of a long range
 *   stock_trace.c  hits as trace records, and these as pages of a trace.dat
 */
#ifndef KSYMWATCH_STOCK_H
#define KSYMWATCH_STOCK_H

#include <linux/perf_event.h>

#include "backend/session.h"
#include "lib/util.h"

/* The default of kernel.perf_event_max_stack. */
#define MAX_STACK	127

struct bpf_config;
struct ksymwatch_bpf;
struct pieces;

/* The part of a watch in one debug register. */
struct stock_piece {
	unsigned int		off;		/* in the watch */
	unsigned int		len;		/* 1, 2, 4 or 8 bytes */
	struct ksymwatch_bpf	*bpf;		/* the program that reads its values, or NULL */
	uint64_t		*old;		/* its values before the next hit, by CPU */
	uint64_t		*seed;		/* those read when it was armed */
	int			*fd;		/* the event on each CPU, or -1 */
	uint64_t		*id;		/* the IDs of these events in samples */
};

struct stock_watch {
	char			*line;		/* the SPEC */
	struct ksym_spec	spec;
	char			name[WATCH_NAME_LEN];	/* with the group */
	int			type;		/* number of its event */
	unsigned long long	*addr;		/* on each CPU */
	bool			percpu;		/* the addresses differ */
	unsigned int		len;
	struct stock_piece	piece[NR_REGISTERS];
	unsigned int		nr_pieces;
	unsigned int		bit;		/* where a bit-field begins in its bytes */
	unsigned int		bits;		/* all bits of other watches */
	bool			*cpus;		/* the CPUs that watch, or NULL for all */
	struct bpf_config	*config;	/* what the programs of all pieces share */
	unsigned long long	taken;		/* hits recorded */
	unsigned long long	nr_of[4];	/* hits by their access; 0 if unknown */
	unsigned long long	changes;	/* hits whose values differ */
	unsigned long long	not_read;	/* writes dropped, as only reads are watched */
};

/* A hit as perf and BPF report it. */
struct stock_hit {
	struct stock_watch	*watch;
	struct stock_piece	*piece;
	uint64_t		time;		/* in nanoseconds of CLOCK_MONOTONIC */
	uint64_t		ip;		/* of the instruction after the access */
	uint64_t		addr;
	uint32_t		pid;
	uint32_t		tid;
	uint32_t		cpu;
	bool			has_old;
	uint64_t		old;
	uint64_t		new;
	const uint64_t		*regs;		/* see enum access_reg; NULL if unknown */
	uint64_t		top;		/* the word at the top of the stack, with BPF */
	uint64_t		word;		/* the aligned word with the bytes, with BPF */
	unsigned int		access;		/* KSYM_READ, KSYM_WRITE, both, or 0 */
	bool			has_wrote;
	uint64_t		wrote;		/* what the instruction stored */
	const uint64_t		*callers;	/* the callchain, with perf's context marks */
	uint64_t		nr_callers;
};

/* A session's watches. */
struct stock {
	struct stock_watch	*watch;
	size_t			nr;
	size_t			nr_cpus;	/* size of all arrays by CPU */
	bool			*online;
	bool			bpf;		/* BPF is used, so hits have values */
	char			*why_no_bpf;
	bool			has_off;	/* an action can switch recording off */
	bool			code;		/* the access of hits is told */
	uint64_t		*gs;		/* start of per-CPU variables; 0 if unknown */
	bool			buffered;	/* perf has buffers, so hits are not only counted */
	bool			stacks;		/* a watch records the kernel stack */
	bool			ustacks;	/* a watch records the user stack */
	unsigned int		flags;		/* those of the session */
};

/* Does counting take samples, to tell reads from writes? */
static inline bool stock_is_told_apart(const struct stock *stock, const struct stock_watch *watch)
{
	return stock->code && watch->spec.access & KSYM_READ;
}

/* stock_spec.c */
char *stock_fault(const struct ksym_spec *spec, const char *line, bool bpf, bool no_code);
bool stock_percpu_offset(size_t cpu, unsigned long long *offset, char **why);
void stock_spec(struct stock *stock, struct stock_watch *watch, const char *line);

/* condition.c */
char *condition_compile(const struct ksym_spec *spec, const char *line, struct bpf_config *config);

/* stock_perf.c */
void stock_perf_require(void);
bool stock_is_sampled(const struct stock *stock, const struct stock_watch *watch);
void stock_perf_open(struct stock *stock, struct pollfd *fds);
void stock_perf_enable(const struct stock_watch *watch, size_t nr_cpus, bool enable);
bool stock_perf_point(const struct stock *stock, const struct stock_watch *watch,
		      const struct stock_piece *piece, int cpu);
unsigned long long stock_perf_count(const struct stock_watch *watch, size_t cpu);
size_t ring_fill(const struct perf_event_mmap_page *ring);
void ring_take(struct perf_event_mmap_page *ring, char *to, size_t size);
unsigned long long stock_perf_fill(void);
void stock_perf_close(struct stock *stock);
int stock_perf_free_slots(int cpu);

/* A record in a batch. */
struct stock_record {
	uint64_t		time;
	int			cpu;		/* of the buffer */
	size_t			off;		/* in the data */
};

/* Records read from perf's buffers of all CPUs. */
struct stock_batch {
	char			*data;
	size_t			size;
	struct stock_record	*record;	/* index of the data, by time */
	size_t			nr;
};

void stock_perf_drain(struct stock_batch *batch);
bool stock_perf_parse(const struct stock *stock, struct stock_hit *hit,
		      const struct perf_event_header *header);
void stock_batch_free(struct stock_batch *batch);

/* rounds.c */
void rounds_divide(const struct stock *stock, struct stock_watch *watch);
void rounds_start(void);
void rounds_turn(struct session *session);
void rounds_pieces(struct session *session, struct pieces *pieces);
void rounds_end(void);

/* stock_bpf.c */
bool stock_bpf_start(char **why);
int stock_bpf_add_ring(int cpu, int fd);
bool stock_bpf_is_off(void);
const char *stock_bpf_lacks(const struct bpf_config *config);
void stock_bpf_load(const struct stock *stock, const struct stock_watch *watch,
		    struct stock_piece *piece);
int stock_bpf_attach(const struct ksymwatch_bpf *bpf, int fd);
void stock_bpf_set_old(const struct stock_piece *piece, size_t cpu, uint64_t value);
void stock_bpf_ignore_reads(const struct ksymwatch_bpf *bpf, bool ignore);
unsigned long long stock_bpf_count_dropped(const struct ksymwatch_bpf *bpf,
					   struct counts *counts);
void stock_bpf_free(const struct stock_piece *piece);
void stock_bpf_end(void);
bool stock_peek(unsigned long long addr, void *value, size_t len, char **why);

/* stock_trace.c */

/* Size of the longest record, a stack. */
#define MAX_RECORD	(16 + 8 * MAX_STACK)

/* Size of the longest text with its record, which fits into a page. */
#define MAX_PRINT	4000

/* The numbers of ftrace's events, and the first one for watches. */
#define STACK_TYPE	4
#define PRINT_TYPE	5
#define USER_STACK_TYPE	12
#define FIRST_TYPE	2000

size_t record_hit(void *data, const struct stock_hit *hit);
size_t record_stack(void *data, const struct stock_hit *hit, bool user);
size_t record_print(void *data, size_t size, int pid, const char *text);
struct tep_handle *trace_formats(const struct stock *stock);
void trace_raw_formats(const struct stock *stock, struct tracedat *dat);

#define PAGE_ROOM	(4096 - 2 * sizeof(uint64_t))

/* A page of a CPU's ring buffer, in the kernel's format. */
struct trace_page {
	int			fd;		/* to write it to */
	int			error;		/* errno of a failed write */
	uint64_t		time;		/* of the last record */
	unsigned long long	lost;		/* hits lost before this page */
	size_t			size;		/* of its records */
	struct {
		uint64_t	time;		/* of the first record */
		uint64_t	commit;		/* size, and whether records were lost */
		char		record[PAGE_ROOM];
	} data;
};

void page_add(struct trace_page *page, const void *data, size_t size, uint64_t time,
	      unsigned long long lost);
void page_flush(struct trace_page *page);

#endif /* KSYMWATCH_STOCK_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches on a kernel without the ksym tracer: breakpoints of perf_event_open(2), and BPF if
 * permitted.
 *
 *   stock.c        the backend of a session
 *   stock_spec.c   the addresses of a SPEC
 *   stock_perf.c   perf's events and buffers
 *   condition.c    the condition of a SPEC, for BPF
 *   stock_access.c what a hit did, by code.c and access.c: the kernel's code, and its decoder
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

/**
 * struct stock_piece - the part of a watch in one debug register
 * @off: offset in the watch
 * @len: 1, 2, 4 or 8 bytes
 * @bpf: the program that reads its values, or NULL
 * @fd: the event on each CPU, or -1
 * @id: the IDs of these events in samples
 */
struct stock_piece {
	unsigned int		off;
	unsigned int		len;
	struct ksymwatch_bpf	*bpf;
	int			*fd;
	uint64_t		*id;
};

/**
 * struct stock_watch - a watch
 * @line: the SPEC
 * @spec: the parsed SPEC
 * @name: the shown name of its event, with its group
 * @type: number of its event
 * @addr: address on each CPU
 * @percpu: the addresses differ
 * @len: number of bytes
 * @piece: the parts, one per debug register
 * @nr_pieces: number of parts
 * @bit: where a bit-field begins in its bytes
 * @bits: how many bits it has; of other watches all
 * @cpus: the CPUs that watch, or NULL for all
 * @config: what is the same for the programs of all pieces
 * @taken: number of hits recorded
 * @nr_of: number of hits by their access; 0 if unknown
 * @changes: number of hits whose values differ
 * @not_read: number of hits dropped, since only reads are watched
 */
struct stock_watch {
	char			*line;
	struct ksym_spec	spec;
	char			name[WATCH_NAME_LEN];
	int			type;
	unsigned long long	*addr;
	bool			percpu;
	unsigned int		len;
	struct stock_piece	piece[NR_REGISTERS];
	unsigned int		nr_pieces;
	unsigned int		bit;
	unsigned int		bits;
	bool			*cpus;
	struct bpf_config	*config;
	unsigned long long	taken;
	unsigned long long	nr_of[4];
	unsigned long long	changes;
	unsigned long long	not_read;
};

/**
 * struct stock_hit - a hit as perf and BPF report it
 * @watch: number of the watch
 * @piece: number of the piece
 * @time: time in nanoseconds of CLOCK_MONOTONIC
 * @ip: address of the instruction after the access
 * @addr: address watched
 * @pid: the process
 * @tid: the task
 * @cpu: the CPU
 * @has_old: @old is known
 * @old: value before the access
 * @new: value after the access
 * @regs: the registers, see enum access_reg; NULL if unknown
 * @top: the word at the top of the stack, with BPF
 * @word: the aligned word with the watched bytes, with BPF
 * @access: what the instruction did: KSYM_READ, KSYM_WRITE, both, or 0
 * @has_wrote: @wrote is known
 * @wrote: what the instruction stored
 * @eflags: the CPU's flags, if @has_eflags
 * @has_eflags: @eflags is known
 * @callers: the callchain, with perf's context marks
 * @nr_callers: its length
 */
struct stock_hit {
	unsigned int		watch;
	unsigned int		piece;
	uint64_t		time;
	uint64_t		ip;
	uint64_t		addr;
	uint32_t		pid;
	uint32_t		tid;
	uint32_t		cpu;
	bool			has_old;
	uint64_t		old;
	uint64_t		new;
	const uint64_t		*regs;
	uint64_t		top;
	uint64_t		word;
	unsigned int		access;
	bool			has_wrote;
	uint64_t		wrote;
	uint64_t		eflags;
	bool			has_eflags;
	const uint64_t		*callers;
	uint64_t		nr_callers;
};

/**
 * struct stock - a session's watches
 * @watch: the watches
 * @nr: number of watches
 * @nr_cpus: size of all arrays by CPU
 * @online: the CPUs that are online
 * @bpf: BPF is used, so hits have values
 * @has_off: an action can switch recording off
 * @why_no_bpf: the reason if not
 * @code: the access of hits is told
 * @why_no_code: the reason if not
 * @gs: where the per-CPU variables of each CPU begin; 0 if unknown
 * @buffered: perf has buffers, so hits are not only counted
 * @stacks: a watch records the kernel stack
 * @ustacks: a watch records the user stack
 * @flags: those of the session
 */
struct stock {
	struct stock_watch	*watch;
	size_t			nr;
	size_t			nr_cpus;
	bool			*online;
	bool			bpf;
	bool			has_off;
	char			*why_no_bpf;
	bool			code;
	char			*why_no_code;
	uint64_t		*gs;
	bool			buffered;
	bool			stacks;
	bool			ustacks;
	unsigned int		flags;
};

/* Does counting take samples, to tell reads from writes? */
static inline bool stock_is_told_apart(const struct stock *stock, const struct stock_watch *watch)
{
	return stock->code && watch->spec.access & KSYM_READ;
}

/* --- stock_spec.c ------------------------------------------------------- */

char *stock_fault(const struct ksym_spec *spec, const char *line, bool bpf, bool no_code);
bool stock_percpu_offset(size_t cpu, unsigned long long *offset, char **why);
void stock_spec(struct stock *stock, struct stock_watch *watch, const char *line);

/* --- stock_access.c ----------------------------------------------------- */

void stock_access_open(struct stock *stock);
void stock_access(const struct stock *stock, struct stock_hit *hit);

/* --- stock_perf.c ------------------------------------------------------- */

void stock_perf_require(void);
bool stock_is_sampled(const struct stock *stock, const struct stock_watch *watch);
void stock_perf_open(struct stock *stock, struct pollfd *fds);
void stock_perf_enable(const struct stock_watch *watch, size_t nr_cpus, bool enable);
bool stock_perf_point(const struct stock *stock, const struct stock_watch *watch, unsigned int nr,
		      int cpu);
unsigned long long stock_perf_count(const struct stock_watch *watch, size_t cpu);
unsigned long long stock_perf_fill(void);
void stock_perf_close(struct stock *stock);
int stock_perf_free_slots(int cpu);

/**
 * struct stock_record - a record in a batch
 * @time: its time
 * @cpu: CPU of the buffer
 * @off: offset in the data
 */
struct stock_record {
	uint64_t	time;
	int		cpu;
	size_t		off;
};

/**
 * struct stock_batch - records read from perf's buffers of all CPUs
 * @data: the records
 * @size: their size
 * @record: index of the records, by time
 * @nr: number of records
 */
struct stock_batch {
	char			*data;
	size_t			size;
	struct stock_record	*record;
	size_t			nr;
};

void stock_perf_drain(struct stock_batch *batch);
bool stock_perf_parse(const struct stock *stock, struct stock_hit *hit,
		      const struct perf_event_header *header);
void stock_batch_free(struct stock_batch *batch);

/* --- rounds.c ----------------------------------------------------------- */

void rounds_divide(const struct stock *stock, struct stock_watch *watch);
void rounds_start(void);
void rounds_turn(const struct stock *stock);
void rounds_pieces(const struct stock *stock, struct pieces *pieces);
void rounds_end(void);

/* --- stock_bpf.c -------------------------------------------------------- */

bool stock_bpf_start(char **why);
int stock_bpf_add_ring(int cpu, int fd);
bool stock_bpf_is_off(void);
const char *stock_bpf_lacks(const struct bpf_config *config);
struct ksymwatch_bpf *stock_bpf_load(const struct stock *stock, unsigned int watch,
				     unsigned int piece);
int stock_bpf_attach(const struct ksymwatch_bpf *bpf, int fd);
void stock_bpf_set_old(const struct ksymwatch_bpf *bpf, unsigned int cpu, uint64_t value);
void stock_bpf_ignore_reads(const struct ksymwatch_bpf *bpf, bool ignore);
void stock_bpf_forget_old(const struct ksymwatch_bpf *bpf);
unsigned long long stock_bpf_count_dropped(const struct ksymwatch_bpf *bpf,
					   struct counts *counts);
void stock_bpf_free(struct ksymwatch_bpf *bpf);
void stock_bpf_end(void);
bool stock_peek(unsigned long long addr, void *value, size_t len, char **why);

/* --- stock_trace.c ------------------------------------------------------ */

/* Size of the longest record, a stack. */
#define MAX_RECORD	(16 + 8 * MAX_STACK)

/* The numbers of ftrace's events, and the first one for watches. */
#define STACK_TYPE	4
#define PRINT_TYPE	5
#define USER_STACK_TYPE	12
#define FIRST_TYPE	2000

size_t record_hit(void *data, const struct stock_watch *watch, const struct stock_hit *hit);
size_t record_stack(void *data, const struct stock_hit *hit, bool user);
size_t record_print(void *data, size_t size, int pid, const char *text);
struct tep_handle *trace_formats(const struct stock *stock);
void trace_raw_formats(const struct stock *stock, struct tracedat *dat);

/**
 * struct trace_page - a page of a CPU's ring buffer, in the kernel's format
 * @fd: descriptor to write it to
 * @error: errno of a failed write
 * @time: time of the last record
 * @lost: number of hits lost before this page
 * @size: size of its records
 * @data: the page
 */
struct trace_page {
	int			fd;
	int			error;
	uint64_t		time;
	unsigned long long	lost;
	size_t			size;
	char			data[4096];
};

void page_add(struct trace_page *page, const void *data, size_t size, uint64_t time,
	      unsigned long long lost);
void page_flush(struct trace_page *page);

#endif /* KSYMWATCH_STOCK_H */

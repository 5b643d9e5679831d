/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches on a kernel that has no ksym tracer: breakpoints of perf_event_open(2), and
 * BPF where it can be had.
 *
 *   stock.c        the backend of a session
 *   stock_spec.c   a SPEC as addresses
 *   stock_perf.c   perf's events and buffers
 *   stock_bpf.c    values before and after; the kernel's memory
 *   stock_trace.c  hits as records of a trace, and those as pages of a trace.dat
 */
#ifndef KSYMWATCH_STOCK_H
#define KSYMWATCH_STOCK_H

#include <linux/perf_event.h>

#include "backend/session.h"
#include "lib/util.h"

/* The longest stack that perf takes, unless somebody changed kernel.perf_event_max_stack. */
#define MAX_STACK	127

struct stock_bpf;

/**
 * struct stock_piece - what one debug register watches
 * @off: where it begins in the watch
 * @len: 1, 2, 4 or 8 bytes
 * @bpf: the program that reads its values, or NULL
 * @fd: perf's event on each CPU, or -1
 * @id: how perf calls these in samples
 */
struct stock_piece {
	unsigned int		off;
	unsigned int		len;
	struct stock_bpf	*bpf;
	int			*fd;
	uint64_t		*id;
};

/**
 * struct stock_watch - a watch
 * @line: the SPEC
 * @spec: the parsed SPEC
 * @name: the shown name of its event, with its group
 * @type: the number of its event
 * @addr: where it is, for each CPU
 * @percpu: that is another address on each
 * @len: how many bytes
 * @piece: for each debug register that it takes
 * @nr_pieces: how many these are
 * @cpus: the CPUs that it is on
 * @taken: the hits that were recorded
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
	bool			*cpus;
	unsigned long long	taken;
};

/**
 * struct stock_hit - what perf, and BPF, say of a hit
 * @watch: the number of its watch
 * @piece: which of its pieces
 * @time: when, in nanoseconds of CLOCK_MONOTONIC
 * @ip: the instruction behind the access
 * @addr: what was watched
 * @pid: the process
 * @tid: the task
 * @cpu: the CPU
 * @old: the value before
 * @new: the value after
 * @eflags: the CPU's flags, where @has_eflags
 * @has_eflags: are they known?
 * @callers: the callchain, with perf's marks between kernel and user space
 * @nr_callers: how long it is
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
	uint64_t		old;
	uint64_t		new;
	uint64_t		eflags;
	bool			has_eflags;
	const uint64_t		*callers;
	uint64_t		nr_callers;
};

/**
 * struct stock - a session's watches
 * @watch: they
 * @nr: how many
 * @nr_cpus: of all arrays by CPU
 * @online: which CPUs there are
 * @bpf: has BPF, so hits have values
 * @why_no_bpf: otherwise, why
 * @stacks: some watch wants the kernel's stack
 * @ustacks: some watch wants that in user space
 * @unread: nobody reads hits
 * @counting: so there are none, but numbers
 * @prompt: each hit wakes us up
 */
struct stock {
	struct stock_watch	*watch;
	size_t			nr;
	size_t			nr_cpus;
	bool			*online;
	bool			bpf;
	char			*why_no_bpf;
	bool			stacks;
	bool			ustacks;
	bool			unread;
	bool			counting;
	bool			prompt;
};

/* --- stock_spec.c ------------------------------------------------------- */

char *stock_fault(const struct ksym_spec *spec, const char *line, bool bpf);
void stock_spec(struct stock *stock, struct stock_watch *watch, const char *line);

/* --- stock_perf.c ------------------------------------------------------- */

void stock_perf_require(void);
void stock_perf_open(struct stock *stock, struct pollfd *fds);
void stock_perf_enable(const struct stock_watch *watch, size_t nr_cpus, bool enable);
unsigned long long stock_perf_count(const struct stock_watch *watch, size_t cpu);
unsigned long long stock_perf_fill(void);
void stock_perf_close(struct stock *stock);
int stock_perf_free_slots(int cpu);

/**
 * struct stock_perf_ops - what is in perf's buffers
 * @hit: a hit
 * @comm: a task has got a name
 * @fork: a task has been made by another one
 * @lost: so many hits have been lost before the next one of this CPU
 */
struct stock_perf_ops {
	void (*hit)(struct stock *stock, const struct stock_hit *hit);
	void (*comm)(int tid, const char *comm);
	void (*fork)(int tid, int parent);
	void (*lost)(int cpu, unsigned long long lost);
};

/**
 * struct stock_batch - what was read from perf's buffers of all CPUs
 * @data: the records
 * @size: their bytes
 * @record: they, by time
 * @nr: how many they are
 */
struct stock_batch {
	char			*data;
	size_t			size;
	struct stock_record	*record;
	size_t			nr;
};

void stock_perf_drain(struct stock_batch *batch);
void stock_batch_play(struct stock *stock, const struct stock_batch *batch,
		      const struct stock_perf_ops *ops);
void stock_batch_free(struct stock_batch *batch);

/* --- stock_bpf.c -------------------------------------------------------- */

bool stock_bpf_start(char **why);
int stock_bpf_add_ring(int cpu, int fd);
struct stock_bpf *stock_bpf_load(const struct stock *stock, unsigned int watch,
				 unsigned int piece);
int stock_bpf_attach(const struct stock_bpf *bpf, int fd);
void stock_bpf_set_old(const struct stock_bpf *bpf, unsigned int cpu, uint64_t value);
unsigned long long stock_bpf_unchanged(const struct stock_bpf *bpf);
unsigned long long stock_bpf_faults(const struct stock_bpf *bpf);
void stock_bpf_free(struct stock_bpf *bpf);
void stock_bpf_end(void);
bool stock_peek(unsigned long long addr, void *value, size_t len, char **why);

/* --- stock_trace.c ------------------------------------------------------ */

/* A place for a record: the longest is that of a stack. */
#define MAX_RECORD	(16 + 8 * MAX_STACK)

/* The numbers of ftrace's own events that we write, and the first one of the watches. */
#define STACK_TYPE	4
#define PRINT_TYPE	5
#define USER_STACK_TYPE	12
#define FIRST_TYPE	2000

size_t record_hit(void *data, const struct stock_watch *watch, const struct stock_hit *hit,
		  bool values);
size_t record_stack(void *data, const struct stock_hit *hit);
size_t record_user_stack(void *data, const struct stock_hit *hit);
size_t record_print(void *data, size_t size, int pid, const char *text);
struct tep_handle *trace_formats(const struct stock *stock);
void trace_write_folder(const struct stock *stock, const struct strings *comms,
			const char *folder);

/**
 * struct trace_page - a page of a CPU's ring buffer, as the kernel writes it
 * @fd: where it goes
 * @error: the errno of a write that failed
 * @time: of the last record
 * @lost: how many hits were lost before this page
 * @size: the bytes of its records
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

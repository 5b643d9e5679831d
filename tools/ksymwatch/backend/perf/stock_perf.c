// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf events for watches on a stock kernel: one per debug register and CPU, and one per CPU
 * that owns the buffer of the CPU.
 *
 * All events of a CPU write into this buffer. Its owner also records the names of tasks, and
 * the BPF programs write their samples with it.
 */
#include <errno.h>
#include <glob.h>
#include <linux/hw_breakpoint.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backend/perf/access.h"
#include "backend/perf/stock.h"
#include "backend/perf/stock_bpf.h"
#include "lib/util.h"

#define PARANOID_FILE	"/proc/sys/kernel/perf_event_paranoid"

/* A buffer has a page with its state, then a power of two of pages. */
#define PAGE		4096UL
#define RING_SIZE	(256 * PAGE)

/* The fields of a sample, which are the same for all events of a buffer. */
#define SAMPLE_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU)

/* A CPU's buffer. */
struct ring {
	int				fd;	/* the event that owns it */
	struct perf_event_mmap_page	*state;	/* its first page; the records follow */
};

static struct ring *rings;
static size_t nr_rings;
static uint64_t sample_type;

static int open_event(struct perf_event_attr *attr, int pid, int cpu)
{
	attr->size = sizeof(*attr);
	return syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Dies unless this user may open events for the whole machine. */
void stock_perf_require(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
	int fd;

	if (access(PARANOID_FILE, F_OK))
		die("this kernel has neither the ksym tracer nor perf events");
	fd = open_event(&attr, -1, sched_getcpu());
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		die("no permission for perf's breakpoints; run as root, for example with sudo");
	if (fd < 0)
		die("cannot use perf events: %s", strerror(errno));
	close(fd);
}

/* Are there samples? A program that drops some, or that acts, runs for samples only. */
bool stock_is_sampled(const struct stock *stock, const struct stock_watch *watch)
{
	const struct ksym_options *opt = &watch->spec.opt;

	return !(stock->flags & SESSION_COUNT) || watch->config->changed || opt->every ||
	       opt->count || stock->has_off || opt->signal || watch->spec.filter_at ||
	       stock_is_told_apart(stock, watch);
}

/* Fills in what all events that write into the buffers have in common. */
static void fill_attr(struct perf_event_attr *attr, const struct stock *stock)
{
	attr->sample_type = sample_type;
	attr->sample_regs_intr = ACCESS_REGS;
	attr->exclude_callchain_kernel = !stock->stacks;
	attr->exclude_callchain_user = !stock->ustacks;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->sample_period = 1;
	/* Wake up for a quarter of a buffer. */
	attr->watermark = 1;
	attr->wakeup_watermark = RING_SIZE / 4;
}

static void open_ring(struct stock *stock, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = stock->bpf ? PERF_COUNT_SW_BPF_OUTPUT : PERF_COUNT_SW_DUMMY,
		.comm = 1, .task = 1,
	};
	struct ring *ring = &rings[cpu];
	int error;

	fill_attr(&attr, stock);
	ring->fd = open_event(&attr, -1, cpu);
	/* Under lockdown, perf does not record registers. */
	if (ring->fd < 0 && errno == EPERM && sample_type & PERF_SAMPLE_REGS_INTR) {
		sample_type &= ~PERF_SAMPLE_REGS_INTR;
		fill_attr(&attr, stock);
		ring->fd = open_event(&attr, -1, cpu);
	}
	if (ring->fd < 0)
		die("perf's buffer of CPU %d cannot be opened: %s", cpu, strerror(errno));
	ring->state = mmap(NULL, PAGE + RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			   ring->fd, 0);
	if (ring->state == MAP_FAILED) {
		ring->state = NULL;
		die("perf's buffer of CPU %d cannot be mapped: %s", cpu, strerror(errno));
	}
	error = stock->bpf ? stock_bpf_add_ring(cpu, ring->fd) : 0;
	if (error)
		die("perf's buffer of CPU %d cannot be given to BPF: %s", cpu, strerror(error));
}

/*
 * Returns who else has perf events, as far as /proc shows: a new string, or empty.
 * It does not show which of them are breakpoints.
 */
static char *other_users(void)
{
	static const char event[] = "anon_inode:[perf_event]";
	char target[sizeof(event)], *text;
	int last = getpid(), pid;
	glob_t files = {};
	size_t i, size;
	FILE *out = check_memory(open_memstream(&text, &size));

	glob("/proc/[0-9]*/fd/*", GLOB_NOSORT, NULL, &files);
	for (i = 0; i < files.gl_pathc; i++) {
		char *comm __autofree = NULL;

		pid = atoi(files.gl_pathv[i] + strlen("/proc/"));
		if (pid == last || pid == getpid() ||
		    readlink(files.gl_pathv[i], target, sizeof(target)) != sizeof(event) - 1 ||
		    strncmp(target, event, sizeof(event) - 1))
			continue;
		comm = task_comm(pid);
		fprintf(out, "%s%s (pid %d)",
			last == getpid() ? "; others with perf events: " : ", ", comm ?: "?", pid);
		last = pid;
	}
	globfree(&files);
	fclose(out);
	return text;
}

/* Dies with the reason why perf refused a breakpoint. */
[[gnu::noreturn]]
static void die_of_open(const struct stock_watch *watch, const struct stock_piece *piece, int cpu)
{
	switch (errno) {
	case ENOSPC:
		die("%s: no free debug register on CPU %d; it has four, for data and code%s",
		    watch->line, cpu, other_users());
	case EACCES:
	case EPERM:
		die("%s: no permission for kernel breakpoints; run as root", watch->line);
	case ESRCH:
		die("%s: %s", watch->line, spec_message(KSYM_ERR_NO_TASK));
	case EINVAL:
		die("%s: the kernel refuses a breakpoint at %#llx", watch->line,
		    watch->addr[cpu] + piece->off);
	case ENODEV:
	case ENOENT:
	case EOPNOTSUPP:
		die("%s: the kernel or the machine has no breakpoints", watch->line);
	default:
		die("%s: perf's breakpoint on CPU %d: %s", watch->line, cpu, strerror(errno));
	}
}

/* Returns the breakpoint of a piece on a CPU. */
static struct perf_event_attr piece_attr(const struct stock *stock, const struct stock_watch *watch,
					 const struct stock_piece *piece, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_BREAKPOINT,
		.bp_type = watch->spec.access & KSYM_READ ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W,
		.bp_addr = watch->addr[cpu] + piece->off, .bp_len = piece->len,
		.inherit = watch->spec.opt.inherit,
	};

	if (stock_is_sampled(stock, watch))
		fill_attr(&attr, stock);
	return attr;
}

/* Points the event of a piece at the piece's address, and arms it. */
bool stock_perf_point(const struct stock *stock, const struct stock_watch *watch,
		      const struct stock_piece *piece, int cpu)
{
	struct perf_event_attr attr = piece_attr(stock, watch, piece, cpu);

	return !ioctl(piece->fd[cpu], PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);
}

static void open_piece(const struct stock *stock, const struct stock_watch *watch,
		       const struct stock_piece *piece, int cpu)
{
	struct perf_event_attr attr = piece_attr(stock, watch, piece, cpu);

	attr.disabled = 1;
	/* The user's own accesses reach no address of the kernel, but perf looks at this. */
	piece->fd[cpu] = open_event(&attr, (int)watch->spec.opt.pid ?: -1, cpu);
	if (piece->fd[cpu] < 0)
		die_of_open(watch, piece, cpu);
	if (stock->buffered && stock_is_sampled(stock, watch) &&
	    (ioctl(piece->fd[cpu], PERF_EVENT_IOC_SET_OUTPUT, rings[cpu].fd) ||
	     ioctl(piece->fd[cpu], PERF_EVENT_IOC_ID, &piece->id[cpu])))
		die("%s: perf's breakpoint on CPU %d: %s", watch->line, cpu, strerror(errno));
	if (piece->bpf && stock_bpf_attach(piece->bpf, piece->fd[cpu]))
		die("%s: BPF cannot be attached to the breakpoint: %s", watch->line,
		    strerror(errno));
}

/* Opens the buffers, whose descriptors the caller closes, and the events, disabled. */
void stock_perf_open(struct stock *stock, struct pollfd *fds)
{
	struct stock_watch *watch;
	struct stock_piece *piece;
	size_t cpu;

	sample_type = SAMPLE_TYPE | PERF_SAMPLE_REGS_INTR;
	stock->buffered = !(stock->flags & SESSION_COUNT);
	for (watch = stock->watch; watch < stock->watch + stock->nr; watch++)
		stock->buffered = stock->buffered || stock_is_told_apart(stock, watch);
	if (stock->stacks || stock->ustacks)
		sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (stock->bpf)
		sample_type |= PERF_SAMPLE_RAW;
	rings = xcalloc(stock->nr_cpus, sizeof(*rings));
	nr_rings = stock->nr_cpus;
	for (cpu = 0; cpu < nr_rings && stock->buffered; cpu++) {
		if (!stock->online[cpu])
			continue;
		open_ring(stock, cpu);
		fds[cpu].fd = rings[cpu].fd;
	}
	for (watch = stock->watch; watch < stock->watch + stock->nr; watch++)
		for (piece = watch->piece; piece < watch->piece + watch->nr_pieces; piece++)
			for (cpu = 0; cpu < stock->nr_cpus; cpu++)
				if (stock->online[cpu] && (!watch->cpus || watch->cpus[cpu]))
					open_piece(stock, watch, piece, cpu);
}

/* Arms or disarms a watch. */
void stock_perf_enable(const struct stock_watch *watch, size_t nr_cpus, bool enable)
{
	unsigned long request = enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	unsigned int nr;
	size_t cpu;

	for (nr = 0; nr < watch->nr_pieces; nr++)
		for (cpu = 0; cpu < nr_cpus; cpu++)
			if (watch->piece[nr].fd[cpu] >= 0 &&
			    ioctl(watch->piece[nr].fd[cpu], request, 0))
				die("%s: perf's breakpoint on CPU %zu: %s", watch->line, cpu,
				    strerror(errno));
}

/* Returns how often a watch has trapped on a CPU. */
unsigned long long stock_perf_count(const struct stock_watch *watch, size_t cpu)
{
	unsigned long long count = 0;
	unsigned int nr;
	uint64_t value;

	for (nr = 0; nr < watch->nr_pieces; nr++)
		if (watch->piece[nr].fd[cpu] >= 0 &&
		    read(watch->piece[nr].fd[cpu], &value, sizeof(value)) == sizeof(value))
			count += value;
	return count;
}

/* Returns the number of bytes in a buffer of perf. */
size_t ring_fill(const struct perf_event_mmap_page *ring)
{
	return __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE) - ring->data_tail;
}

/* Takes bytes out of such a buffer; they may wrap around its end. */
void ring_take(struct perf_event_mmap_page *ring, char *to, size_t size)
{
	const char *data = (const char *)ring + ring->data_offset;
	size_t at = ring->data_tail % ring->data_size, left = ring->data_size - at;
	size_t first = left < size ? left : size;

	memcpy(to, data + at, first);
	memcpy(to + first, data, size - first);
	__atomic_store_n(&ring->data_tail, ring->data_tail + size, __ATOMIC_RELEASE);
}

/* Returns the number of bytes in the buffers. */
unsigned long long stock_perf_fill(void)
{
	unsigned long long fill = 0;
	size_t cpu;

	for (cpu = 0; cpu < nr_rings; cpu++)
		if (rings[cpu].state)
			fill += ring_fill(rings[cpu].state);
	return fill;
}

/* Closes everything except the buffers' descriptors, which stock_perf_open()'s caller owns. */
void stock_perf_close(struct stock *stock)
{
	struct stock_watch *watch;
	struct stock_piece *piece;
	size_t cpu;

	for (watch = stock->watch; watch < stock->watch + stock->nr; watch++)
		for (piece = watch->piece; piece < watch->piece + watch->nr_pieces; piece++)
			/* A piece of a refused watch may have no events. */
			for (cpu = 0; piece->fd && cpu < stock->nr_cpus; cpu++)
				if (piece->fd[cpu] >= 0)
					close(piece->fd[cpu]);
	for (cpu = 0; cpu < nr_rings; cpu++)
		if (rings[cpu].state)
			munmap(rings[cpu].state, PAGE + RING_SIZE);
	free(rings);
	rings = NULL;
	nr_rings = 0;
}

/* The address of the breakpoints that are only counted. */
static uint64_t probed;

/*
 * Counts the free debug registers of a CPU, or with -1 of this task on every CPU; -1 with
 * errno if there are no breakpoints. perf has no interface for it, so this opens breakpoints
 * until one fails, and closes them.
 */
int stock_perf_free_slots(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&probed, .bp_len = sizeof(probed),
		.exclude_kernel = 1, .exclude_hv = 1, .disabled = 1,
	};
	int fd[NR_REGISTERS], nr = 0, i, error;

	while (nr < NR_REGISTERS && (fd[nr] = open_event(&attr, cpu < 0 ? 0 : -1, cpu)) >= 0)
		nr++;
	error = errno;
	for (i = 0; i < nr; i++)
		close(fd[i]);
	errno = error;
	return nr || error == ENOSPC ? nr : -1;
}

/* Returns the time of a record, whose place depends on its type. */
static uint64_t record_time(const struct perf_event_header *header)
{
	const uint64_t *word = (const uint64_t *)(header + 1);
	const uint64_t *end = (const uint64_t *)((const char *)header + header->size);

	/* After the identifier, the instruction and the task, or before CPU and identifier. */
	return header->type == PERF_RECORD_SAMPLE ? word[3] : end[-3];
}

/* Reads everything in a CPU's buffer. */
static void drain_ring(struct stock_batch *batch, const struct ring *ring, int cpu)
{
	size_t begin = batch->size, size = ring_fill(ring->state);
	struct perf_event_header *header;

	if (!size)
		return;
	batch->data = xreallocarray(batch->data, batch->size + size, 1);
	ring_take(ring->state, batch->data + begin, size);
	batch->size += size;
	while (begin < batch->size) {
		header = (struct perf_event_header *)(batch->data + begin);
		*array_add(batch->record, batch->nr) = (struct stock_record) {
			.time = record_time(header), .cpu = cpu, .off = begin,
		};
		begin += header->size;
	}
}

static int compare_records(const void *a, const void *b)
{
	const struct stock_record *record_a = a, *record_b = b;

	if (record_a->time != record_b->time)
		return record_a->time < record_b->time ? -1 : 1;
	return record_a->off < record_b->off ? -1 : record_a->off > record_b->off;
}

/* Adds everything in perf's buffers to a batch, sorted by time. */
void stock_perf_drain(struct stock_batch *batch)
{
	size_t cpu;

	for (cpu = 0; cpu < nr_rings; cpu++)
		if (rings[cpu].state)
			drain_ring(batch, &rings[cpu], cpu);
	if (batch->nr)
		qsort(batch->record, batch->nr, sizeof(*batch->record), compare_records);
}

/* Finds the watch and the piece of an event. Returns false if there is none. */
static bool find_piece(const struct stock *stock, struct stock_hit *hit, uint64_t id)
{
	struct stock_watch *watch;
	struct stock_piece *piece;

	for (watch = stock->watch; watch < stock->watch + stock->nr; watch++)
		for (piece = watch->piece; piece < watch->piece + watch->nr_pieces; piece++)
			if (piece->id[hit->cpu] == id) {
				hit->watch = watch;
				hit->piece = piece;
				return true;
			}
	return false;
}

/* Parses a sample, whose fields are in the order of the PERF_SAMPLE_ bits. */
bool stock_perf_parse(const struct stock *stock, struct stock_hit *hit,
		      const struct perf_event_header *header)
{
	const uint64_t *word = (const uint64_t *)(header + 1);
	uint64_t id = word[0];
	uint32_t size;

	*hit = (struct stock_hit) {
		.ip = word[1], .pid = (uint32_t)word[2], .tid = word[2] >> 32, .time = word[3],
		.addr = word[4], .cpu = (uint32_t)word[5],
	};
	word += 6;
	if (hit->cpu >= stock->nr_cpus)
		return false;
	if (sample_type & PERF_SAMPLE_CALLCHAIN) {
		hit->nr_callers = word[0];
		hit->callers = word + 1;
		word += 1 + hit->nr_callers;
	}
	if (sample_type & PERF_SAMPLE_RAW) {
		struct bpf_hit said;

		memcpy(&size, word, sizeof(size));
		if (size < sizeof(said))
			return false;
		memcpy(&said, (const char *)word + sizeof(size), sizeof(said));
		if (said.watch >= stock->nr || said.piece >= stock->watch[said.watch].nr_pieces)
			return false;
		hit->watch = &stock->watch[said.watch];
		hit->piece = &hit->watch->piece[said.piece];
		hit->addr = said.addr;
		hit->has_old = said.old != UNKNOWN_VALUE;
		hit->old = hit->has_old ? said.old : 0;
		hit->new = said.new;
		hit->top = said.top;
		hit->word = said.word;
		word = (const uint64_t *)((const char *)word + sizeof(size) + size);
	} else if (!find_piece(stock, hit, id)) {
		return false;
	}
	/* The ABI of the registers comes first; 0 if there are none. */
	if (sample_type & PERF_SAMPLE_REGS_INTR && word[0])
		hit->regs = word + 1;
	return true;
}

void stock_batch_free(struct stock_batch *batch)
{
	free(batch->data);
	free(batch->record);
	memset(batch, 0, sizeof(*batch));
}

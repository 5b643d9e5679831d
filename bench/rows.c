// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user's part of "make bench", run in the virtual machine. It arms the rows of the
 * table one after the other, or only those named as arguments. For each row it has the
 * module ksym_bench run the workload, and prints a line, separated by tabs:
 *
 *   NAME  LABEL  INSTRUCTIONS  HITS  RECORDS  BYTES
 *
 * INSTRUCTIONS are those of the whole run, less those of the same stores with nothing
 * armed. RECORDS and BYTES are read from the row's buffer.
 *
 * Each row must prove that it did its work, as a breakpoint without a handler is fast: a
 * row that records must have as many records as there were stores, and a row that drops
 * must have dropped as many. If not, the program fails.
 */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/* The kernel's own assembler of BPF programs, from its tools/include/linux. */
#include "filter.h"

#define MODULE	"/sys/kernel/debug/ksym_bench/"
#define TRACEFS	"/sys/kernel/tracing/"
#define EVENT	TRACEFS "events/ksym/ksym_bench/"
#define WATCH	"ksym_test_u64"

/* The machine has one CPU. */
#define CPU	0

static __u64 target, hits;

/* files */

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "writing \"%s\" to %s", text, path);
	close(fd);
}

static char *read_file(const char *path)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "r");
	size_t len;

	if (!file)
		err(1, "reading %s", path);
	len = fread(text, 1, sizeof(text) - 1, file);
	if (ferror(file))
		err(1, "reading %s", path);
	text[len] = '\0';
	fclose(file);
	return text;
}

static __u64 read_number(const char *path)
{
	return strtoull(read_file(path), NULL, 0);
}

/* Returns the number after "KEY: " in a file like those of /proc. */
static __u64 read_key(const char *path, const char *key)
{
	char *line, *save, *text = read_file(path);
	size_t len = strlen(key);

	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, key, len) && line[len] == ':')
			return strtoull(line + len + 1, NULL, 10);
	}
	errx(1, "%s has no \"%s\"", path, key);
}

/* the rows' records */

struct records {
	__u64	nr;
	__u64	bytes;
};

static void must_be(const char *what, __u64 got, __u64 wanted)
{
	if (got != wanted)
		errx(1, "%s: %llu instead of %llu", what, got, wanted);
}

/* tracefs counts the bytes of the ring buffer itself, including the records' headers. */
static void empty_trace(void)
{
	write_file(TRACEFS "trace", "");
}

static struct records read_trace(void)
{
	static const char stats[] = TRACEFS "per_cpu/cpu0/stats";

	must_be("overruns of the trace buffer", read_key(stats, "overrun"), 0);
	must_be("records that the trace buffer dropped",
		read_key(stats, "commit overrun") +
		read_key(stats, "dropped events"), 0);
	return (struct records){
		.nr	= read_key(stats, "entries"),
		.bytes	= read_key(stats, "bytes"),
	};
}

/* rows with a handler of the module */

static void arm_trap(void)
{
	write_file(MODULE "handler", "trap");
}

static void arm_empty(void)
{
	write_file(MODULE "handler", "empty");
}

static void arm_printk(void)
{
	write_file(MODULE "handler", "printk");
}

/* Only the tracepoint of the row's own static event is called. */
static void arm_event(void)
{
	write_file(TRACEFS "events/ksym_bench/ksym_bench_hit/enable", "1");
	write_file(MODULE "handler", "event");
}

static void arm_2009(void)
{
	write_file(MODULE "handler", "2009");
}

static void arm_wprobe_ip(void)
{
	write_file(MODULE "handler", "wprobe_ip");
}

static void arm_wprobe_value(void)
{
	write_file(MODULE "handler", "wprobe_value");
}

static void arm_wprobe_both(void)
{
	write_file(MODULE "handler", "wprobe_both");
}

static __u64 count_taken(void)
{
	return read_number(MODULE "taken");
}

static void disarm_handler(void)
{
	write_file(MODULE "handler", "none");
}

static void disarm_event(void)
{
	disarm_handler();
	write_file(TRACEFS "events/ksym_bench/ksym_bench_hit/enable", "0");
}

/* rows of the tracer */

/* The default limit would end this storm. A high limit costs the same. */
#define KSYM_LINE(options)						\
	WATCH ":" options " len=8 limit=1000000/ms name=ksym_bench"

static void define_ksym(const char *line)
{
	write_file(TRACEFS "ksym_trace_filter", line);
}

static void arm_ksym(void)
{
	define_ksym(KSYM_LINE("w"));
}

static void arm_ksym_rw(void)
{
	define_ksym(KSYM_LINE("rw"));
}

static void arm_ksym_wrote(void)
{
	define_ksym(KSYM_LINE("rw wrote"));
}

/* The stores do not read. */
static void arm_ksym_r_dropped(void)
{
	define_ksym(KSYM_LINE("r"));
}

static void arm_ksym_unchanged(void)
{
	define_ksym(KSYM_LINE("rw changed"));
	write_file(MODULE "same", "1");
}

/* The first store reaches the count. */
static void arm_ksym_count_dropped(void)
{
	define_ksym(KSYM_LINE("w count=1"));
}

static void arm_ksym_disabled(void)
{
	arm_ksym();
	write_file(EVENT "enable", "0");
}

static void arm_ksym_filtered(void)
{
	arm_ksym();
	write_file(EVENT "filter", "new == 0");
}

static void arm_ksym_if_dropped(void)
{
	define_ksym(KSYM_LINE("w") " if new == 0");
}

static void arm_ksym_every_dropped(void)
{
	define_ksym(KSYM_LINE("w every=4294967295"));
}

/* Returns a number of the watch in trace_stat, by heading. */
static __u64 count_ksym(const char *heading)
{
	char *text = read_file(TRACEFS "trace_stat/ksym_tracer");
	char *headings = strtok_r(text, "\n", &text), *line, *word;
	int column = 0;

	for (word = strtok(headings, " "); word; word = strtok(NULL, " ")) {
		if (!strcmp(word, heading))
			break;
		column++;
	}
	if (!word)
		errx(1, "trace_stat/ksym_tracer has no \"%s\"", heading);
	line = strtok_r(NULL, "\n", &text);
	if (!line)
		errx(1, "trace_stat/ksym_tracer has no watch");
	for (word = strtok(line, " "); word && column; column--)
		word = strtok(NULL, " ");
	return word ? strtoull(word, NULL, 10) : 0;
}

static __u64 count_ksym_hits(void)
{
	return count_ksym("HITS");
}

/* These are known to write, and not to read. */
static __u64 count_ksym_writes(void)
{
	return count_ksym("WRITES");
}

static __u64 count_ksym_not_read(void)
{
	return count_ksym("NOTREAD");
}

static __u64 count_ksym_unchanged(void)
{
	return count_ksym("UNCHANGED");
}

static __u64 count_ksym_limited(void)
{
	return count_ksym("LIMITED");
}

static __u64 count_ksym_disabled(void)
{
	return count_ksym("DISABLED");
}

static __u64 count_ksym_filtered(void)
{
	return count_ksym("FILTERED");
}

static __u64 count_ksym_skipped(void)
{
	return count_ksym("SKIPPED");
}

static void disarm_ksym(void)
{
	write_file(TRACEFS "ksym_trace_filter", "0");
	write_file(MODULE "same", "0");
}

/* rows with perf's events */

static int perf_fd;

static void open_perf(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->bp_type = HW_BREAKPOINT_W;
	attr->bp_addr = target;
	attr->bp_len = HW_BREAKPOINT_LEN_8;
	perf_fd = syscall(SYS_perf_event_open, attr, 0, CPU, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (perf_fd < 0)
		err(1, "perf_event_open");
}

static void enable_perf(void)
{
	if (ioctl(perf_fd, PERF_EVENT_IOC_ENABLE, 0))
		err(1, "PERF_EVENT_IOC_ENABLE");
}

static __u64 count_perf(void)
{
	__u64 count[5];

	if (read(perf_fd, count, sizeof(count)) < (ssize_t)sizeof(*count))
		err(1, "reading a perf event");
	return count[0];
}

static void disarm_perf(void)
{
	close(perf_fd);
}

/* What "perf stat -e mem:ADDR:w" requests, according to -vv. */
static void arm_perf_count(void)
{
	struct perf_event_attr attr = {
		.sample_type	= PERF_SAMPLE_IDENTIFIER,
		.read_format	= PERF_FORMAT_TOTAL_TIME_ENABLED |
				  PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled	= 1,
		.inherit	= 1,
		.exclude_guest	= 1,
	};

	open_perf(&attr);
	enable_perf();
}

/*
 * The size of perf's own buffer. A run fills less than half of it. At half, the buffer
 * would wake up perf, which could not run before the end of the run anyway.
 */
#define PERF_BUFFER	(512 << 10)

static struct perf_event_mmap_page *perf_page;

/* What "perf record -e mem:ADDR:w" requests, according to -vv, with a sample_type. */
static void arm_perf_record(__u64 sample_type)
{
	struct perf_event_attr attr = {
		.sample_period	= 1,
		.sample_type	= sample_type,
		.read_format	= PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.disabled	= 1,
		.mmap		= 1,
		.comm		= 1,
		.task		= 1,
		.sample_id_all	= 1,
		.exclude_guest	= 1,
		.mmap2		= 1,
		.comm_exec	= 1,
		.ksymbol	= 1,
		.bpf_event	= 1,
		.inherit	= 1,
	};

	open_perf(&attr);
	perf_page = mmap(NULL, getpagesize() + PERF_BUFFER,
			 PROT_READ | PROT_WRITE, MAP_SHARED, perf_fd, 0);
	if (perf_page == MAP_FAILED)
		err(1, "mmap of a perf event");
	enable_perf();
}

static void arm_perf_sample(void)
{
	arm_perf_record(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
}

/* The same with -a -d, which add the CPU and the address to a sample. */
static void arm_perf_sample_addr(void)
{
	arm_perf_record(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU);
}

static void empty_perf(void)
{
	__u64 head = __atomic_load_n(&perf_page->data_head,
					__ATOMIC_ACQUIRE);

	__atomic_store_n(&perf_page->data_tail, head, __ATOMIC_RELEASE);
}

static struct records read_perf(void)
{
	char *data = (char *)perf_page + perf_page->data_offset;
	__u64 head = __atomic_load_n(&perf_page->data_head,
					__ATOMIC_ACQUIRE);
	__u64 pos = perf_page->data_tail;
	struct records records = { .bytes = head - pos };

	while (pos < head) {
		/* Records are aligned, so a header never wraps. */
		struct perf_event_header *header =
			(void *)(data + pos % perf_page->data_size);

		if (header->type != PERF_RECORD_SAMPLE)
			errx(1, "perf wrote a record of type %u", header->type);
		records.nr++;
		pos += header->size;
	}
	return records;
}

static void disarm_perf_sample(void)
{
	munmap(perf_page, getpagesize() + PERF_BUFFER);
	disarm_perf();
}

/* a BPF program on perf's event */

/* The program's record: 48 bytes, as a tool would choose. */
struct bpf_record {
	__u64	time;
	__u64	pid_tgid;
	__u64	ip;
	__u64	addr;
	__u64	value;
	__u64	cpu;
};

#define BPF_BUFFER	0x100000

static int bpf_map_fd, bpf_prog_fd;
static unsigned long *bpf_consumer;
static unsigned long *bpf_producer;

static int bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void map_bpf_buffer(void)
{
	union bpf_attr attr = {
		.map_type	= BPF_MAP_TYPE_RINGBUF,
		.max_entries	= BPF_BUFFER,
	};
	int page = getpagesize();

	bpf_map_fd = bpf(BPF_MAP_CREATE, &attr);
	if (bpf_map_fd < 0)
		err(1, "BPF_MAP_CREATE");
	/* A page for the reader's position; then the writer's position and the data. */
	bpf_consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED,
			    bpf_map_fd, 0);
	bpf_producer = mmap(NULL, page + 2 * BPF_BUFFER, PROT_READ, MAP_SHARED,
			    bpf_map_fd, page);
	if (bpf_consumer == MAP_FAILED || bpf_producer == MAP_FAILED)
		err(1, "mmap of a BPF ring buffer");
}

static void load_bpf_program(void)
{
	/*
	 * A store to the record, and a call. Register 6 holds the context, and
	 * register 7 the record.
	 */
#define STORE(field, reg)						\
	BPF_STX_MEM(BPF_DW, BPF_REG_7, reg, offsetof(struct bpf_record, field))
#define CALL(helper)							\
	BPF_EMIT_CALL(BPF_FUNC_##helper)
	struct bpf_insn program[] = {
		BPF_MOV64_REG(BPF_REG_6, BPF_REG_1),

		BPF_LD_MAP_FD(BPF_REG_1, bpf_map_fd),
		BPF_MOV64_IMM(BPF_REG_2, sizeof(struct bpf_record)),
		BPF_MOV64_IMM(BPF_REG_3, 0),
		CALL(ringbuf_reserve),
		BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 18),
		BPF_MOV64_REG(BPF_REG_7, BPF_REG_0),

		CALL(ktime_get_ns),
		STORE(time, BPF_REG_0),
		CALL(get_current_pid_tgid),
		STORE(pid_tgid, BPF_REG_0),
		CALL(get_smp_processor_id),
		STORE(cpu, BPF_REG_0),
		BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_6,
			    offsetof(struct bpf_perf_event_data, regs.rip)),
		STORE(ip, BPF_REG_1),
		BPF_LDX_MEM(BPF_DW, BPF_REG_3, BPF_REG_6,
			    offsetof(struct bpf_perf_event_data, addr)),
		STORE(addr, BPF_REG_3),

		BPF_MOV64_REG(BPF_REG_1, BPF_REG_7),
		BPF_ALU64_IMM(BPF_ADD, BPF_REG_1,
			      offsetof(struct bpf_record, value)),
		BPF_MOV64_IMM(BPF_REG_2, sizeof(__u64)),
		CALL(probe_read_kernel),

		BPF_MOV64_REG(BPF_REG_1, BPF_REG_7),
		BPF_MOV64_IMM(BPF_REG_2, 0),
		CALL(ringbuf_submit),

		BPF_MOV64_IMM(BPF_REG_0, 0),
		BPF_EXIT_INSN(),
	};
#undef CALL
#undef STORE
	static char log[1 << 16];
	union bpf_attr attr = {
		.prog_type	= BPF_PROG_TYPE_PERF_EVENT,
		.insns		= (uintptr_t)program,
		.insn_cnt	= sizeof(program) / sizeof(*program),
		.license	= (uintptr_t)"GPL",
		.log_buf	= (uintptr_t)log,
		.log_size	= sizeof(log),
		.log_level	= 1,
	};

	bpf_prog_fd = bpf(BPF_PROG_LOAD, &attr);
	if (bpf_prog_fd < 0)
		err(1, "BPF_PROG_LOAD: %s", log);
}

static void arm_bpf(void)
{
	/* The attributes that bpftrace uses for a watchpoint. */
	struct perf_event_attr attr = {
		.sample_period	= 1,
		.disabled	= 1,
	};

	must_be("/proc/sys/net/core/bpf_jit_enable",
		read_number("/proc/sys/net/core/bpf_jit_enable"), 1);
	map_bpf_buffer();
	load_bpf_program();
	open_perf(&attr);
	if (ioctl(perf_fd, PERF_EVENT_IOC_SET_BPF, bpf_prog_fd))
		err(1, "PERF_EVENT_IOC_SET_BPF");
	enable_perf();
}

static void empty_bpf(void)
{
	__atomic_store_n(bpf_consumer,
			 __atomic_load_n(bpf_producer, __ATOMIC_ACQUIRE),
			 __ATOMIC_RELEASE);
}

static struct records read_bpf(void)
{
	char *data = (char *)bpf_producer + getpagesize();
	unsigned long end = __atomic_load_n(bpf_producer, __ATOMIC_ACQUIRE);
	unsigned long pos = *bpf_consumer;
	struct records records = { .bytes = end - pos };

	while (pos < end) {
		const __u32 *header = (void *)(data + pos % BPF_BUFFER);
		const struct bpf_record *record = (void *)(header + 2);

		if (*header & (BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT))
			errx(1, "a BPF record was not submitted");
		must_be("the value in a BPF record", record->value,
			records.nr + 1);
		records.nr++;
		pos += (*header + BPF_RINGBUF_HDR_SZ + 7) & ~7ul;
	}
	return records;
}

static void disarm_bpf(void)
{
	disarm_perf();
	close(bpf_prog_fd);
	munmap(bpf_consumer, getpagesize());
	munmap(bpf_producer, getpagesize() + 2 * BPF_BUFFER);
	close(bpf_map_fd);
}

/* the table */

/**
 * struct row - a row of the table
 * @name: its name in the JSON file
 * @label: its name in the table
 * @arm: prepares the row, so that a store to the target has its effect
 * @count: number of stores since then that had the effect; NULL if unknown
 * @empty: clears the records; NULL if the row makes none
 * @read: reads the records since then
 * @disarm: undoes @arm
 * @recorded: number of stores in a run that are recorded instead, and not counted
 */
struct row {
	const char	*name;
	const char	*label;
	void		(*arm)(void);
	__u64	(*count)(void);
	void		(*empty)(void);
	struct records	(*read)(void);
	void		(*disarm)(void);
	unsigned int	recorded;
};

static const struct row rows[] = {
	{ "trap", "an unexpected debug exception (#DB)",
	  arm_trap, NULL, NULL, NULL, disarm_handler },
	{ "floor", "perf kernel counter, empty handler (the floor)",
	  arm_empty, count_taken, NULL, NULL, disarm_handler },
	{ "perf_count", "perf stat -e mem:ADDR:w",
	  arm_perf_count, count_perf, NULL, NULL, disarm_perf },
	{ "perf_sample", "perf record -e mem:ADDR:w",
	  arm_perf_sample, count_perf, empty_perf, read_perf,
	  disarm_perf_sample },
	{ "perf_sample_addr", "perf record -a -d -e mem:ADDR:w",
	  arm_perf_sample_addr, count_perf, empty_perf, read_perf,
	  disarm_perf_sample },
	{ "bpf", "BPF program, 48 bytes into a ring buffer",
	  arm_bpf, count_perf, empty_bpf, read_bpf, disarm_bpf },
	{ "trace_event", "handler with a static TRACE_EVENT",
	  arm_event, count_taken, empty_trace, read_trace, disarm_event },
	{ "trace_printk", "handler with trace_printk",
	  arm_printk, count_taken, empty_trace, read_trace, disarm_handler },
	{ "ksym2009", "the ksym tracer of 2009: names as text",
	  arm_2009, count_taken, empty_trace, read_trace, disarm_handler },
	{ "wprobe_ip", "linux-next's watchpoint probe",
	  arm_wprobe_ip, count_taken, empty_trace, read_trace,
	  disarm_handler },
	{ "wprobe_value", "linux-next's watchpoint probe, $value",
	  arm_wprobe_value, count_taken, empty_trace, read_trace,
	  disarm_handler },
	{ "wprobe_both", "linux-next's watchpoint probe, $addr $value",
	  arm_wprobe_both, count_taken, empty_trace, read_trace,
	  disarm_handler },
	{ "ksym", "ksym, w",
	  arm_ksym, count_ksym_hits, empty_trace, read_trace, disarm_ksym },
	{ "ksym_rw", "ksym, rw, the access decoded",
	  arm_ksym_rw, count_ksym_writes, empty_trace, read_trace,
	  disarm_ksym },
	{ "ksym_wrote", "ksym, rw wrote, the stored value decoded, too",
	  arm_ksym_wrote, count_ksym_writes, empty_trace, read_trace,
	  disarm_ksym },
	{ "ksym_r_dropped", "ksym, r drops a write",
	  arm_ksym_r_dropped, count_ksym_not_read, NULL, NULL, disarm_ksym },
	{ "ksym_unchanged", "ksym, changed drops the same value",
	  arm_ksym_unchanged, count_ksym_unchanged, NULL, NULL, disarm_ksym },
	{ "ksym_count_dropped", "ksym, count= is used up",
	  arm_ksym_count_dropped, count_ksym_limited, NULL, NULL,
	  disarm_ksym, 1 },
	{ "ksym_filtered", "ksym, a filter drops the hit",
	  arm_ksym_filtered, count_ksym_filtered, NULL, NULL, disarm_ksym },
	{ "ksym_if_dropped", "ksym, the condition drops the hit",
	  arm_ksym_if_dropped, count_ksym_filtered, NULL, NULL, disarm_ksym },
	{ "ksym_every_dropped", "ksym, every= drops the hit",
	  arm_ksym_every_dropped, count_ksym_skipped, NULL, NULL, disarm_ksym },
	{ "ksym_disabled", "ksym, armed, event disabled",
	  arm_ksym_disabled, count_ksym_disabled, NULL, NULL, disarm_ksym },
};

static __u64 run(void)
{
	return read_number(MODULE "run");
}

static void measure(const struct row *row, __u64 idle)
{
	struct records records = { 0 };
	__u64 before = 0, ticks;

	row->arm();
	/* Only the first run faults pages in and takes some branches. */
	run();
	/* An effect that happens once, as with count=1, must happen in the next run, too. */
	if (row->recorded) {
		row->disarm();
		row->arm();
	}
	if (row->count)
		before = row->count();
	if (row->empty)
		row->empty();
	/* All records in the trace buffer count for the row, so clear the old ones. */
	else
		empty_trace();
	ticks = run();
	if (row->count)
		must_be(row->label, row->count() - before,
			hits - row->recorded);
	records = row->read ? row->read() : read_trace();
	must_be(row->label, records.nr, row->read ? hits : row->recorded);
	row->disarm();

	printf("%s\t%s\t%llu\t%llu\t%llu\t%llu\n",
	       row->name, row->label, ticks - idle, hits,
	       records.nr - row->recorded, records.bytes);
}

/* Without names, all rows are measured. */
static bool is_wanted(const char *name, int nr, char **names)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return !nr;
}

int main(int argc, char **argv)
{
	static const char parameters[] = "/sys/module/ksym_bench/parameters/";
	bool has_ksym = !access(TRACEFS "ksym_trace_filter", F_OK);
	char path[64];
	__u64 idle;
	size_t i;

	/* Rows must be printed before a later error message. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(path, sizeof(path), "%s%s", parameters, "target");
	target = read_number(path);
	snprintf(path, sizeof(path), "%s%s", parameters, "hits");
	hits = read_number(path);

	run();
	idle = run();
	printf("idle\tthe stores alone\t%llu\t%llu\t0\t0\n",
	       idle, hits);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		/* A pristine kernel lacks only the tracer's rows. */
		if ((has_ksym || rows[i].disarm != disarm_ksym) &&
		    is_wanted(rows[i].name, argc - 1, argv + 1))
			measure(&rows[i], idle);
	}
	return 0;
}

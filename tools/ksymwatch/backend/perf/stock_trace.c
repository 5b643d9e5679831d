// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes hits of perf's breakpoints as trace records, like those of the ksym tracer, and as
 * pages of a ring buffer. So the code that reads hits is the same for both backends.
 *
 * The events have the tracer's fields at the same offsets, except those that perf does not
 * know: "torn", and without BPF the values.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/perf/access.h"
#include "backend/perf/stock.h"
#include "lib/util.h"
#include "symbols/symbols.h"

/* In a record's flags: interrupts were off; unknown. */
#define FLAG_IRQS_OFF		0x01
#define FLAG_IRQS_UNKNOWN	0x02

/* The bit of the CPU's flags that lets interrupts in. */
#define EFLAGS_IF		0x200

/* Five bits of the word before a record: its length in words, or one of these. */
#define LENGTH_BITS		5
#define LENGTH_FOLLOWS		0
#define LENGTH_TIME		30
#define MAX_LENGTH		28
#define DELTA_BITS		27

/* Bits of a page's size that mark lost records. */
#define PAGE_LOST		0x80000000U
#define PAGE_LOST_STORED	0x40000000U

#define HEADER_PAGE \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n" \
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" \
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n" \
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"
#define HEADER_EVENT \
	"# compressed entry header\n" \
	"\ttype_len    :    5 bits\n" \
	"\ttime_delta  :   27 bits\n" \
	"\tarray       :   32 bits\n" \
	"\n" \
	"\tpadding     : type == 29\n" \
	"\ttime_extend : type == 30\n" \
	"\ttime_stamp : type == 31\n" \
	"\tdata max type_len  == 28\n"
#define COMMON_FIELDS \
	"format:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n" \
	"\n"
#define STACK_FORMAT \
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n" \
	"print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\", " \
	"(void *)REC->caller[0], (void *)REC->caller[1], (void *)REC->caller[2], " \
	"(void *)REC->caller[3]\n"
#define ACCESS_WORDS \
	"__print_symbolic(REC->access, { 0, \"?\" }, { 1, \"r\" }, { 2, \"w\" }, { 3, \"rw\" })"

/* The start of each record. */
struct common {
	uint16_t	type;
	uint8_t		flags;
	uint8_t		preempt_count;
	int32_t		pid;
};

/* Without BPF, old, new and has_old are no fields of the event. */
struct hit_record {
	struct common	common;
	uint64_t	ip;
	uint64_t	addr;
	uint64_t	old;
	uint64_t	new;
	uint8_t		access;
	uint8_t		has_old;
	uint16_t	len;
	uint32_t	has_wrote;
	uint64_t	wrote;
};

/*
 * A kernel stack starts with the number of its entries. A user stack starts with its process,
 * and has always the same number of entries; unused ones are 0.
 */
#define NR_USER_CALLERS	8
struct stack_record {
	struct common	common;
	uint32_t	size_or_tgid;
	uint32_t	pad;
	uint64_t	caller[];
};

struct print_record {
	struct common	common;
	uint64_t	ip;
	char		text[];
};

static struct common make_common(int type, const struct stock_hit *hit)
{
	struct common common = { .type = type, .pid = hit->tid, .flags = FLAG_IRQS_UNKNOWN };

	if (hit->regs)
		common.flags = hit->regs[REG_FLAGS] & EFLAGS_IF ? 0 : FLAG_IRQS_OFF;
	return common;
}

/* Makes the record of a hit at @data, with room for MAX_RECORD. Returns its size. */
size_t record_hit(void *data, const struct stock_hit *hit)
{
	*(struct hit_record *)data = (struct hit_record) {
		.common = make_common(hit->watch->type, hit), .ip = hit->ip, .addr = hit->addr,
		.old = hit->old, .new = hit->new, .has_old = hit->has_old,
		.len = hit->piece->len, .access = hit->access,
		.has_wrote = hit->has_wrote, .wrote = hit->wrote,
	};
	return hit->watch->spec.opt.wrote ? sizeof(struct hit_record) :
	       offsetof(struct hit_record, has_wrote);
}

/*
 * Finds the callers after one of perf's context marks, which are no valid addresses.
 * Returns their number.
 */
static size_t find_callers(const struct stock_hit *hit, uint64_t mark, const uint64_t **callers)
{
	size_t i = 0, nr = 0;

	while (i < hit->nr_callers && hit->callers[i] != mark)
		i++;
	*callers = hit->callers + i + 1;
	for (i++; i < hit->nr_callers && hit->callers[i] < (uint64_t)PERF_CONTEXT_MAX; i++)
		nr++;
	return nr < MAX_STACK ? nr : MAX_STACK;
}

/* Makes the record of the kernel or user stack. Returns its size, or 0 without a stack. */
size_t record_stack(void *data, const struct stock_hit *hit, bool user)
{
	struct stack_record *record = data;
	const uint64_t *callers;
	size_t nr = find_callers(hit, user ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL, &callers);

	if (!nr)
		return 0;
	*record = (struct stack_record) {
		.common = make_common(user ? USER_STACK_TYPE : STACK_TYPE, hit),
		.size_or_tgid = user ? hit->pid : nr,
	};
	if (user) {
		memset(record->caller, 0, NR_USER_CALLERS * sizeof(*callers));
		nr = nr < NR_USER_CALLERS ? nr : NR_USER_CALLERS;
	}
	memcpy(record->caller, callers, nr * sizeof(*callers));
	return sizeof(*record) + (user ? NR_USER_CALLERS : nr) * sizeof(*callers);
}

/* Makes the record of a text, which is cut to fit into @size bytes. Returns its size. */
size_t record_print(void *data, size_t size, int pid, const char *text)
{
	struct print_record *record = data;
	size_t len = strnlen(text, size - sizeof(*record) - 1);

	*record = (struct print_record) {
		.common = { .type = PRINT_TYPE, .flags = FLAG_IRQS_UNKNOWN, .pid = pid },
	};
	memcpy(record->text, text, len);
	record->text[len] = '\0';
	return sizeof(*record) + len + 1;
}

/* Returns the format of a watch's event as a new string. */
static char *watch_format(const struct stock *stock, const struct stock_watch *watch)
{
	char group[KSYM_EVENT_LEN], name[KSYM_EVENT_LEN];
	bool wrote = watch->spec.opt.wrote;

	split_event(watch->name, group, name);
	return xasprintf("name: %s\nID: %d\n" COMMON_FIELDS
			 "\tfield:u64 ip;\toffset:8;\tsize:8;\tsigned:0;\n"
			 "\tfield:u64 addr;\toffset:16;\tsize:8;\tsigned:0;\n"
			 "%s\tfield:u8 access;\toffset:40;\tsize:1;\tsigned:0;\n"
			 "\tfield:u16 len;\toffset:42;\tsize:2;\tsigned:0;\n"
			 "%s\n"
			 "print fmt: \"%%s%%u %%pS %sby %%pS%s\", " ACCESS_WORDS
			 ", REC->len, (void *)REC->addr, %s(void *)REC->ip%s\n",
			 name, watch->type,
			 stock->bpf ? "\tfield:u64 old;\toffset:24;\tsize:8;\tsigned:0;\n"
				      "\tfield:u64 new;\toffset:32;\tsize:8;\tsigned:0;\n"
				      "\tfield:u8 has_old;\toffset:41;\tsize:1;\tsigned:0;\n" : "",
			 wrote ? "\tfield:u32 has_wrote;\toffset:44;\tsize:4;\tsigned:0;\n"
				 "\tfield:u64 wrote;\toffset:48;\tsize:8;\tsigned:0;\n" : "",
			 stock->bpf ? "0x%llx%s -> 0x%llx " : "", wrote ? " wrote 0x%llx%s" : "",
			 stock->bpf ? "REC->old, REC->has_old ? \"\" : \"?\", REC->new, " : "",
			 wrote ? ", REC->wrote, REC->has_wrote ? \"\" : \"?\"" : "");
}

static const char *const ftrace_formats[] = {
	"name: kernel_stack\nID: 4\n" COMMON_FIELDS
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n" STACK_FORMAT,
	"name: print\nID: 5\n" COMMON_FIELDS
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n",
	"name: user_stack\nID: 12\n" COMMON_FIELDS
	"\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n" STACK_FORMAT,
};

/* Gets what a trace.dat with these pages has besides them and the tasks. */
void trace_raw_formats(const struct stock *stock, struct tracedat *dat)
{
	char group[KSYM_EVENT_LEN], name[KSYM_EVENT_LEN];
	size_t i;

	dat->header_page = xstrdup(HEADER_PAGE);
	dat->header_event = xstrdup(HEADER_EVENT);
	dat->clock = xstrdup("local global [mono]\n");
	for (i = 0; i < ARRAY_SIZE(ftrace_formats); i++)
		tracedat_event(dat, FTRACE_GROUP, xstrdup(ftrace_formats[i]));
	for (i = 0; i < stock->nr; i++) {
		split_event(stock->watch[i].name, group, name);
		tracedat_event(dat, group, watch_format(stock, &stock->watch[i]));
	}
}

/* Returns a new handle with the formats and the kernel's functions, but no tasks. */
struct tep_handle *trace_formats(const struct stock *stock)
{
	char *text __autofree = NULL;
	struct tep_handle *tep = check_memory(tep_alloc());
	struct tracedat dat = {};
	size_t i;

	tep_set_long_size(tep, sizeof(long));
	tep_set_page_size(tep, 4096);
	tep_set_file_bigendian(tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, TEP_LITTLE_ENDIAN);
	tep_parse_header_page(tep, (char *)HEADER_PAGE, strlen(HEADER_PAGE), sizeof(long));
	trace_raw_formats(stock, &dat);
	for (i = 0; i < dat.format.nr; i++)
		if (tep_parse_event(tep, dat.format.text[i], strlen(dat.format.text[i]),
				    dat.group.text[i]))
			die("the format of an event is wrong: %s", dat.format.text[i]);
	tracedat_free(&dat);
	text = read_file(SYMBOLS_FILE);
	if (!text)
		die("%s cannot be read: %s", SYMBOLS_FILE, strerror(errno));
	tep_parse_kallsyms(tep, text);
	return tep;
}

/* Writes a page, and starts a new one. */
void page_flush(struct trace_page *page)
{
	const char *data = (const char *)&page->data;
	size_t done = 0;
	ssize_t ret;

	if (!page->size)
		return;
	page->data.commit = page->size;
	if (page->lost) {
		page->data.commit |= PAGE_LOST;
		if (page->size + sizeof(page->lost) <= PAGE_ROOM) {
			page->data.commit |= PAGE_LOST_STORED;
			memcpy(page->data.record + page->size, &page->lost, sizeof(page->lost));
		}
	}
	while (done < sizeof(page->data) && !page->error) {
		ret = write(page->fd, data + done, sizeof(page->data) - done);
		if (ret < 0 && errno != EINTR)
			page->error = errno;
		done += ret > 0 ? ret : 0;
	}
	page->size = 0;
	page->lost = 0;
	memset(&page->data, 0, sizeof(page->data));
}

static void page_put(struct trace_page *page, const void *data, size_t size)
{
	memcpy(page->data.record + page->size, data, size);
	page->size += size;
}

/*
 * Adds a record, not older than the previous one, to a CPU's page, which is written when it is
 * full. @lost records were lost before it.
 */
void page_add(struct trace_page *page, const void *data, size_t size, uint64_t time,
	      unsigned long long lost)
{
	size_t room = (size + 3) & ~3UL;
	bool is_long = room / 4 > MAX_LENGTH;
	uint32_t header[2];
	uint64_t delta;

	/* Lost records can be marked only at the start of a page. */
	if (lost || page->size + 2 * sizeof(header) + room > PAGE_ROOM)
		page_flush(page);
	if (time < page->time)
		time = page->time;
	if (!page->size) {
		page->data.time = time;
		page->time = time;
		page->lost = lost;
	}
	delta = time - page->time;
	page->time = time;
	if (delta >> DELTA_BITS) {
		header[0] = LENGTH_TIME | (delta & ((1U << DELTA_BITS) - 1)) << LENGTH_BITS;
		header[1] = delta >> DELTA_BITS;
		page_put(page, header, sizeof(header));
		delta = 0;
	}
	header[0] = delta << LENGTH_BITS | (is_long ? LENGTH_FOLLOWS : room / 4);
	header[1] = room + sizeof(header[1]);
	page_put(page, header, is_long ? sizeof(header) : sizeof(header[0]));
	page_put(page, data, size);
	page->size += room - size;
}

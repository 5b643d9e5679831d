// SPDX-License-Identifier: GPL-2.0-only
/*
 * Feeds the inputs of ksymwatch to it, as one of four targets:
 *
 *	SPECS	SPECs of the command line, lines of ksym_trace_filter, saved files
 *	SYMBOLS	/proc/kallsyms, and targets to look up there
 *	RECORDS	records of a trace buffer, in every output that shows hits; the formats of
 *		their events are the kernel's
 *	RECORDINGS	a trace.dat of version 6, which ksymwatch reads itself: what comes after
 *		the formats of the events. libtraceevent parses these, and crashes at some
 *		damaged ones, which guard.c takes for a damaged file
 *
 * The linker replaces die() with __wrap_die(), so that nothing ends the program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/perf/stock.h"
#include "cmd/saved.h"
#include "file/reader.h"
#include "hits/hits.h"
#include "cli/command.h"
#include "lib/util.h"
#include "out/sinks.h"
#include "symbols/resolve.h"
#include "symbols/symbols.h"

static jmp_buf dead;

/* Formats a message, as a bad format string may crash here. */
static void format(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) >= 0)
		free(text);
}

void __wrap_err(const char *fmt, ...);
void __wrap_err(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format(fmt, ap);
	va_end(ap);
}

[[gnu::noreturn]] void __wrap_die(const char *fmt, ...);
void __wrap_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format(fmt, ap);
	va_end(ap);
	longjmp(dead, 1);
}

[[gnu::noreturn]] void __wrap_die_usage(const struct command *cmd, const char *fmt, ...);
void __wrap_die_usage(const struct command *cmd __maybe_unused, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format(fmt, ap);
	va_end(ap);
	longjmp(dead, 1);
}

#ifdef SPECS

#define MAX_ARGS	64

/* What is parsed is written as a line that is parsed to the same, and an error is in its line. */
static void try_spec(const char *line)
{
	char *written, *again;
	struct ksym_error error;
	struct ksym_spec spec;

	if (spec_parse(line, &spec, &error)) {
		if (error.at > strlen(line))
			abort();
		free(spec_fault(line, &error));
		return;
	}
	free(spec_machine_fault(&spec, line, 0));
	free(stock_fault(&spec, line, false, true));
	written = spec_format(&spec, line);
	if (spec_parse(written, &spec, &error))
		abort();
	again = spec_format(&spec, written);
	if (strcmp(written, again))
		abort();
	free(written);
	free(again);
}

/* Passes each line as an argument. */
static void try_args(char *text)
{
	char *args[MAX_ARGS], name[WATCH_NAME_LEN];
	struct strings specs;
	int nr = 0;
	size_t i;

	while (nr < MAX_ARGS && (args[nr] = strsep(&text, "\n")))
		nr++;
	specs_from_args(&specs, nr, args);
	for (i = 0; i < specs.nr; i++) {
		try_spec(specs.text[i]);
		free(resolve_line(specs.text[i], name));
	}
	strings_free(&specs);
}

static void try_file(const char *text, size_t size)
{
	struct saved saved;
	char *error = saved_parse(&saved, text, size);

	free(error);
	if (!error)
		saved_free(&saved);
}

/* A small table, as the kernel's own symbols would take most of the time. */
static void make_symbols(void)
{
	static const char table[] = "ffffffff82000000 D panic_timeout\nffffffff82000004 D other\n"
				    "ffffffff82000010 d twice\nffffffff82000020 d twice\n";
	static char path[64];
	int fd = memfd_create("kallsyms", 0);

	if (write(fd, table, strlen(table)) < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	sources = (struct sources) { .kallsyms = path, .vmlinux = "/dev/null", .btf = "/dev/null" };
}

static void try_input(const char *data, size_t size)
{
	char *text = xasprintf("%.*s", (int)size, data), *copy = xstrdup(text);
	char *file, *line, *fault;
	static bool made;
	struct watch watch;

	if (!made)
		make_symbols();
	made = true;
	/* As it is, which may hold zeros, and as lines. */
	file = xcalloc(size + 1, 1);
	memcpy(file, data, size);
	try_file(file, size);
	free(file);
	file = xasprintf("%s\n", text);
	try_file(file, strlen(file));
	free(file);
	line = copy + strspn(copy, BLANKS);
	if (*line && *line != '#') {
		fault = watch_parse(&watch, line);
		if (!fault)
			watch_free(&watch);
		free(fault);
	}
	free(copy);
	/* Last, as it may call die(). */
	try_args(text);
	free(text);
}

#endif

#ifdef SYMBOLS

/* The table ends with an empty line, and targets follow. */
static void try_input(const char *data, size_t size)
{
	static struct symbols symbols;
	char path[64], *text = xasprintf("%.*s", (int)size, data), *rest, *line;
	struct symbol_matches matches;
	struct strings near = {};
	int fd = memfd_create("kallsyms", 0), ret;
	struct ksym_error error;
	struct ksym_spec spec;

	rest = strstr(text, "\n\n");
	if (rest)
		*rest++ = '\0';
	if (write(fd, text, strlen(text)) < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = symbols_read(&symbols, path);
	close(fd);
	while (!ret && (line = strsep(&rest, "\n"))) {
		symbols_at(&symbols, strtoull(line, NULL, 16));
		symbols_named(&symbols, line);
		symbols_near(&symbols, line, &near);
		strings_free(&near);
		if (!spec_parse(line, &spec, &error)) {
			symbols_find(&symbols, &spec.target, &matches);
			free(matches.symbol);
		}
	}
	if (!ret)
		symbols_free(&symbols);
	free(text);
}

#endif

#if defined(RECORDS) || defined(RECORDINGS)

static struct sink *make_sink(unsigned int which)
{
	static FILE *out;

	if (!out)
		out = fopen("/dev/null", "w");
	switch (which % 6) {
	case 0:
		return table_sink(out, true);
	case 1:
		return gdb_sink(out, true);
	case 2:
		return json_sink(out);
	case 3:
		return csv_sink(out);
	case 4:
		return perfetto_sink(out);
	default:
		return plot_sink(out, "a <title>");
	}
}

static void end_hits(struct hits *hits, struct sink *sink)
{
	hits_end(hits);
	hits_free(hits);
	sink_free(sink);
}

#endif

#ifdef RECORDS

/* The kernel has tabs, but blanks work, too. */
#define COMMON	" field:unsigned short common_type; offset:0; size:2; signed:0;\n" \
		" field:unsigned char common_flags; offset:2; size:1; signed:0;\n" \
		" field:unsigned char common_preempt_count; offset:3; size:1; signed:0;\n" \
		" field:int common_pid; offset:4; size:4; signed:1;\n\n"
#define HIT	COMMON \
		"	field:u64 ip;	offset:8;	size:8;	signed:0;\n" \
		"	field:u64 addr;	offset:16;	size:8;	signed:0;\n" \
		"	field:u64 old;	offset:24;	size:8;	signed:0;\n" \
		"	field:u64 new;	offset:32;	size:8;	signed:0;\n" \
		"	field:u8 access;	offset:40;	size:1;	signed:0;\n" \
		"	field:u8 torn;	offset:41;	size:1;	signed:0;\n" \
		"	field:u16 len;	offset:42;	size:2;	signed:0;\n"

/* The formats of the tracer's and the kernel's events, without the long print formats. */
static const struct {
	const char	*group;
	const char	*text;
	int		id;
	unsigned int	least;
} formats[] = {
	{ "ksym", "name: all\nID: 1109\nformat:\n" HIT
		"	field:u32 has_wrote;	offset:44;	size:4;	signed:0;\n"
		"	field:u64 wrote;	offset:48;	size:8;	signed:0;\n"
		"	field:__data_loc char[] c;	offset:56;	size:4;	signed:1;\n"
		"	field:u32 v;	offset:60;	size:4;	signed:0;\n"
		"	field:__data_loc char[] s;	offset:64;	size:4;	signed:1;\n"
		"	field:u8 a[];	offset:68;	size:4;	signed:0;\n"
		"	field:u32 b;	offset:72;	size:4;	signed:0;\n"
		"\nprint fmt: \"v=%u b=%u\", REC->v, REC->b\n", 1109, 0 },
	{ "group", "name: range\nID: 1110\nformat:\n" HIT
		"\nprint fmt: \"%u\", REC->len\n", 1110, 0 },
	{ "ftrace", "name: kernel_stack\nID: 4\nformat:\n" COMMON
		"	field:int size;	offset:8;	size:4;	signed:1;\n"
		"	field:unsigned long caller[8];	offset:16;	size:64;	signed:0;\n"
		"\nprint fmt: \"%d\", REC->size\n", 4, 0 },
	{ "ftrace", "name: user_stack\nID: 12\nformat:\n" COMMON
		"	field:unsigned int tgid;	offset:8;	size:4;	signed:0;\n"
		"	field:unsigned long caller[8];	offset:16;	size:64;	signed:0;\n"
		"\nprint fmt: \"%u\", REC->tgid\n", 12, 0 },
	{ "ftrace", "name: print\nID: 5\nformat:\n" COMMON
		"	field:unsigned long ip;	offset:8;	size:8;	signed:0;\n"
		"	field:char buf[];	offset:16;	size:0;	signed:0;\n"
		"\nprint fmt: \"%s\", REC->buf\n", 5, 0 },
};

static struct tep_handle *tep;

static void make_formats(void)
{
	size_t i;

	tep = tep_alloc();
	tep_set_long_size(tep, 8);
	tep_set_page_size(tep, 4096);
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		tep_parse_event(tep, formats[i].text, strlen(formats[i].text), formats[i].group);
	tep_register_function(tep, "writer", 0xffffffff81000000ULL, NULL);
	tep_register_function(tep, "after", 0xffffffff81000100ULL, NULL);
	tep_register_comm(tep, "a \033[2J\"<task>", 42);
}

/*
 * The first byte selects the sink. A record starts with a byte each for its event, its length,
 * the time since the last record, and its CPU. Its data follow.
 */
static void try_input(const char *data, size_t size)
{
	unsigned long long time = 1000000;
	struct sink *sink;
	struct hits *hits;
	size_t at = 1;

	if (!tep)
		make_formats();
	if (!size)
		return;
	sink = make_sink(data[0]);
	hits = hits_new(sink);
	hits_begin(hits, tep);
	while (at + 4 <= size) {
		const unsigned char *head = (const unsigned char *)data + at;
		size_t len = head[1], which = head[0] % ARRAY_SIZE(formats);
		struct tep_record record = {};
		struct tep_event *event;
		char *bytes;

		at += 4;
		if (len > size - at)
			len = size - at;
		/* The ring buffer and the kernel fill in the common fields. */
		if (len < 8)
			break;
		bytes = xcalloc(len, 1);
		memcpy(bytes, data + at, len);
		at += len;
		*(uint16_t *)bytes = formats[which].id;
		time += head[2];
		record = (struct tep_record) {
			.ts = time, .size = len, .data = bytes, .cpu = head[3] % 8,
			.missed_events = head[3] & 0x80 ? head[2] : 0,
		};
		event = tep_find_event_by_record(tep, &record);
		if (event)
			hits_take(hits, head[3] >> 5 & 1, event, &record);
		free(bytes);
	}
	end_hits(hits, sink);
}

#endif

#ifdef RECORDINGS

/* $RECORDING is a file of the part that is not random. The last byte selects the sink. */
static void try_input(const char *data, size_t size)
{
	int fd = memfd_create("recording", 0);
	static size_t head_size;
	static char head[65536];
	struct plain *plain;
	struct sink *sink;
	struct hits *hits;
	char path[64];

	if (!head_size) {
		FILE *file = fopen(getenv("RECORDING"), "r");

		head_size = fread(head, 1, sizeof(head), file);
		fclose(file);
	}
	if (write(fd, head, head_size) < 0 || write(fd, data, size) < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	plain = plain_open(path, NULL);
	close(fd);
	if (!plain)
		return;
	sink = make_sink(size ? data[size - 1] : 0);
	hits = hits_new(sink);
	hits_begin(hits, plain_tep(plain));
	plain_read(plain, hits);
	end_hits(hits, sink);
	plain_close(plain);
}

#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!setjmp(dead))
		try_input((const char *)data, size);
	return 0;
}

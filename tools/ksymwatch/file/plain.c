// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a trace.dat of version 6, as lib/tracedat.c writes it. libtracecmd reads all other
 * versions and options of the format, but Debian has it only as a shared library, and it
 * searches all CPUs and allocates memory for each record.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbuffer.h>

#include "file/reader.h"
#include "hits/hits.h"
#include "lib/page.h"
#include "lib/tracedat.h"
#include "lib/util.h"

/*
 * A bit for each option that changes no record: TRACECLOCK, UNAME, VERSION, PROCMAPS,
 * TRACEID.
 */
#define HARMLESS_OPTIONS	0x0e30

/* No kernel has more. */
#define MAX_CPUS		8192

/* The pages of a CPU. */
struct cpu {
	char			*map;	/* the file with its pages, if it has its own */
	size_t			size;	/* its size */
	char			*next;	/* the page after the current one, or the first */
	char			*end;	/* the end of the pages */
	struct kbuffer		*kbuf;	/* the current page */
	void			*data;	/* the next record, or NULL after the last */
	unsigned long long	time;	/* its time */
};

/* A file that is open. */
struct plain {
	const char		*folder;	/* of files with the pages of each CPU, or NULL */
	char			*map;		/* its contents */
	size_t			size;		/* its size */
	/* The place that is read next, while it is opened */
	size_t			at;
	size_t			page_size;	/* size of a page */
	bool			damaged;	/* something in it is wrong, or it ends too early */
	bool			foreign;	/* it has options that only libtracecmd knows */
	struct tep_handle	*tep;		/* formats, symbols and tasks */
	const char		*mappings;	/* of user space, or NULL */
	size_t			mappings_size;	/* their size */
	struct cpu		*cpu;		/* the CPUs */
	size_t			nr;		/* number of CPUs */
};

/* Returns the next @size bytes, or NULL if there are fewer. */
static char *get(struct plain *plain, size_t size)
{
	char *data = plain->map + plain->at;

	if (plain->damaged || size > plain->size - plain->at) {
		plain->damaged = true;
		return NULL;
	}
	plain->at += size;
	return data;
}

/* Returns a number of @size bytes. */
static uint64_t get_number(struct plain *plain, size_t size)
{
	const char *data = get(plain, size);
	uint64_t number = 0;

	if (data)
		memcpy(&number, data, size);
	return number;
}

/* Returns a text that ends with a zero, or "". */
static const char *get_name(struct plain *plain)
{
	const char *start = plain->map + plain->at;
	size_t len = strnlen(start, plain->size - plain->at);

	return get(plain, len + 1) ? start : "";
}

/* Expects a text that ends with a zero. */
static void expect(struct plain *plain, const char *name)
{
	if (strcmp(get_name(plain), name))
		plain->damaged = true;
}

/* Returns a text that follows its length, a number of @size bytes, as a new string. */
static char *get_text(struct plain *plain, size_t size)
{
	size_t len = get_number(plain, size);
	const char *data = get(plain, len);

	return check_memory(strndup(data ?: "", len));
}

static void read_header_page(struct plain *plain)
{
	char *text __autofree = NULL;

	expect(plain, "header_page");
	text = get_text(plain, 8);
	plain->damaged = plain->damaged ||
			 tep_parse_header_page(plain->tep, text, strlen(text), sizeof(long));
	expect(plain, "header_event");
	get(plain, get_number(plain, 8));
}

/* A format that can't be parsed is no error, unless there are hits of that event. */
static void read_group(struct plain *plain, const char *group)
{
	size_t nr = get_number(plain, 4);

	while (nr-- && !plain->damaged) {
		char *format __autofree = get_text(plain, 8);

		tep_parse_event(plain->tep, format, strlen(format), group);
	}
}

static void read_formats(struct plain *plain)
{
	size_t groups;

	read_group(plain, "ftrace");
	groups = get_number(plain, 4);
	while (groups-- && !plain->damaged)
		read_group(plain, get_name(plain));
}

static void read_names(struct plain *plain)
{
	char *symbols __autofree = get_text(plain, 4), *comms __autofree = NULL;

	tep_parse_kallsyms(plain->tep, symbols);
	/* The formats of trace_printk(): no hit needs them. */
	get(plain, get_number(plain, 4));
	comms = get_text(plain, 8);
	tep_parse_saved_cmdlines(plain->tep, comms);
}

static void read_options(struct plain *plain)
{
	const char *name = get_name(plain);
	const char *data;
	size_t option, size;

	if (!strcmp(name, "options  ")) {
		while ((option = get_number(plain, 2))) {
			size = get_number(plain, 4);
			data = get(plain, size);
			if (option == OPTION_PROCMAPS && data) {
				plain->mappings = data;
				plain->mappings_size = size;
			}
			if (option > 31 || !(HARMLESS_OPTIONS >> option & 1))
				plain->foreign = true;
		}
		name = get_name(plain);
	}
	if (strcmp(name, "flyrecord"))
		plain->foreign = true;
}

/* Returns the contents of a file, or NULL. */
static char *map_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *map = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size) {
		*size = st.st_size;
		/* strtok(3) of libtraceevent writes, but to copies. */
		map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* Finds the pages of a CPU in a file beside the header, which may end anywhere. */
static void map_part(struct plain *plain, size_t nr)
{
	char *path __autofree = xasprintf("%s/cpu%04zu", plain->folder, nr);
	struct cpu *cpu = &plain->cpu[nr];

	cpu->map = map_file(path, &cpu->size);
	if (!cpu->map)
		return;
	cpu->next = cpu->map;
	cpu->end = cpu->map + cpu->size / plain->page_size * plain->page_size;
}

/*
 * May the pages of a CPU be here? Pages that several CPUs have would be read, and shown, for each:
 * those of the CPUs before it end at @end.
 */
static bool can_be_pages(const struct plain *plain, size_t offset, size_t size, size_t end)
{
	return offset <= plain->size && size <= plain->size - offset &&
	       size % plain->page_size == 0 && (!size || offset >= end);
}

static void read_cpus(struct plain *plain)
{
	size_t cpu, offset, size, end = 0;

	plain->nr = get_number(plain, 4);
	read_options(plain);
	if (plain->damaged || plain->foreign || plain->nr > MAX_CPUS) {
		plain->damaged = plain->damaged || !plain->foreign;
		plain->nr = 0;
		return;
	}
	plain->cpu = xcalloc(plain->nr, sizeof(*plain->cpu));
	for (cpu = 0; cpu < plain->nr; cpu++) {
		offset = get_number(plain, 8);
		size = get_number(plain, 8);
		/* The header in a folder has none, whatever it says. */
		if (!plain->folder && !can_be_pages(plain, offset, size, end))
			plain->damaged = true;
		if (size)
			end = offset + size;
		plain->cpu[cpu].kbuf = check_memory(kbuffer_alloc(KBUFFER_LSIZE_8,
								  KBUFFER_ENDIAN_LITTLE));
		if (plain->damaged)
			continue;
		if (plain->folder) {
			map_part(plain, cpu);
			continue;
		}
		plain->cpu[cpu].next = plain->map + offset;
		plain->cpu[cpu].end = plain->map + offset + size;
	}
}

/**
 * plain_open - open a trace.dat; NULL for another version, unknown options, or a damaged
 * file; errno is 0 then if libtracecmd may know more. With a folder, which may be NULL, the
 * pages are in files there.
 */
struct plain *plain_open(const char *path, const char *folder)
{
	static const char start[] = "\x17\x08\x44tracing6\0\0\x08";
	struct plain *plain = xcalloc(1, sizeof(*plain));
	const char *data;

	plain->folder = folder;
	plain->map = map_file(path, &plain->size);
	if (!plain->map) {
		free(plain);
		return NULL;
	}
	data = get(plain, sizeof(start) - 1);
	plain->foreign = !data || memcmp(data, start, sizeof(start) - 1);
	plain->tep = check_memory(tep_alloc());
	if (!plain->foreign) {
		plain->page_size = get_number(plain, 4);
		plain->damaged = plain->page_size < PAGE_MIN_SIZE;
		tep_set_long_size(plain->tep, sizeof(long));
		tep_set_file_bigendian(plain->tep, TEP_LITTLE_ENDIAN);
		tep_set_local_bigendian(plain->tep, TEP_LITTLE_ENDIAN);
		read_header_page(plain);
		read_formats(plain);
		read_names(plain);
		read_cpus(plain);
	}
	if (!plain->foreign && !plain->damaged)
		return plain;
	errno = plain->foreign ? 0 : EINVAL;
	plain_close(plain);
	return NULL;
}

/* Returns the formats, symbols and tasks; the file owns them. */
struct tep_handle *plain_tep(struct plain *plain)
{
	return plain->tep;
}

/* Goes to the next record of a CPU; returns false if its page is damaged. */
static bool advance(struct plain *plain, struct cpu *cpu)
{
	if (cpu->data)
		cpu->data = kbuffer_next_event(cpu->kbuf, &cpu->time);
	while (!cpu->data && cpu->next < cpu->end) {
		if (!page_is_right(cpu->next, plain->page_size))
			return false;
		kbuffer_load_subbuffer(cpu->kbuf, cpu->next);
		cpu->data = kbuffer_read_event(cpu->kbuf, &cpu->time);
		cpu->next += plain->page_size;
	}
	return true;
}

/* Returns the CPU whose next record is the earliest, or NULL. */
static struct cpu *find_first(struct plain *plain)
{
	struct cpu *first = NULL, *cpu;

	for (cpu = plain->cpu; cpu < plain->cpu + plain->nr; cpu++)
		if (cpu->data && (!first || cpu->time < first->time))
			first = cpu;
	return first;
}

/** plain_read - pass on all records in the order of their times; -1 if a page is damaged */
int plain_read(struct plain *plain, struct hits *hits)
{
	struct cpu *cpu;

	if (plain->mappings)
		hits_take_mappings(hits, plain->mappings, plain->mappings_size);
	for (cpu = plain->cpu; cpu < plain->cpu + plain->nr; cpu++)
		if (!advance(plain, cpu))
			return -1;
	while ((cpu = find_first(plain))) {
		struct tep_record record = {
			.ts = cpu->time, .data = cpu->data, .cpu = cpu - plain->cpu,
			.size = kbuffer_event_size(cpu->kbuf),
			.record_size = kbuffer_curr_size(cpu->kbuf),
			.missed_events = kbuffer_missed_events(cpu->kbuf), .ref_count = 1,
		};
		struct tep_event *event = NULL;

		/* A record too short for its type has no event. */
		if (record.size >= (int)sizeof(uint32_t))
			event = tep_find_event_by_record(plain->tep, &record);
		hits_take(hits, 0, event, &record);
		if (!advance(plain, cpu))
			return -1;
	}
	return 0;
}

void plain_close(struct plain *plain)
{
	size_t cpu;

	for (cpu = 0; cpu < plain->nr; cpu++) {
		kbuffer_free(plain->cpu[cpu].kbuf);
		if (plain->cpu[cpu].map)
			munmap(plain->cpu[cpu].map, plain->cpu[cpu].size);
	}
	free(plain->cpu);
	tep_free(plain->tep);
	munmap(plain->map, plain->size);
	free(plain);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of a trace.dat before the pages. Version 6 is the one that all of trace-cmd,
 * KernelShark and trace-cmd listen can read.
 *
 * Everything up to the names of the tasks is known before the first hit: the head. The tail
 * has the rest, and ends where the pages start.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/tracedat.h"

/*
 * An option of the tail: the clock. Version 6 has its name after the table of CPUs, but
 * trace-cmd parses what the option holds as well, whether it holds anything or not.
 */
#define OPTION_CLOCK	4

/* Writes a number of @size bytes, little endian. */
static void put(FILE *out, uint64_t number, size_t size)
{
	fwrite(&number, size, 1, out);
}

/* Writes a text after its length, a number of @size bytes. */
static void put_text(FILE *out, const char *text, size_t size)
{
	put(out, text ? strlen(text) : 0, size);
	fputs(text ?: "", out);
}

/* Writes a name with the zero at its end. */
static void put_name(FILE *out, const char *name)
{
	fwrite(name, strlen(name) + 1, 1, out);
}

/** tracedat_page_size - return the size of a page, which may be several of the machine's pages */
size_t tracedat_page_size(const struct tracedat *dat)
{
	const char *data = dat->header_page ? strstr(dat->header_page, "char data;") : NULL;
	size_t offset, size;

	if (!data || sscanf(data, "char data; offset:%zu; size:%zu", &offset, &size) != 2)
		return 4096;
	return offset + size;
}

/** tracedat_event - add the format of an event of a group, which @dat owns from now on */
void tracedat_event(struct tracedat *dat, const char *group, char *format)
{
	strings_add(&dat->group, group);
	strings_add_owned(&dat->format, format);
}

/* Writes the events from @first on that have its group; returns the index of the next one. */
static size_t put_group(FILE *out, const struct tracedat *dat, size_t first)
{
	const char *group = dat->group.text[first];
	size_t end = first, i;

	while (end < dat->group.nr && !strcmp(dat->group.text[end], group))
		end++;
	put(out, end - first, 4);
	for (i = first; i < end; i++)
		put_text(out, dat->format.text[i], 8);
	return end;
}

/** tracedat_head - write the beginning */
void tracedat_head(FILE *out, const struct tracedat *dat)
{
	size_t groups = 0, i, j;

	fputs("\x17\x08\x44tracing", out);
	put_name(out, "6");
	/* Little endian, with longs of 8 bytes. */
	fputc(0, out);
	fputc(8, out);
	put(out, tracedat_page_size(dat), 4);
	put_name(out, "header_page");
	put_text(out, dat->header_page, 8);
	put_name(out, "header_event");
	put_text(out, dat->header_event, 8);
	/* Those of ftrace, which every kernel has: without the name of their group. */
	i = put_group(out, dat, 0);
	for (j = i; j < dat->group.nr; j++)
		groups += j == i || strcmp(dat->group.text[j], dat->group.text[j - 1]);
	put(out, groups, 4);
	while (i < dat->group.nr) {
		put_name(out, dat->group.text[i]);
		i = put_group(out, dat, i);
	}
	put_text(out, dat->symbols, 4);
	put_text(out, dat->printk, 4);
}

/**
 * tracedat_tail - write the part between head and pages. @sizes is the size of each CPU's
 * pages, or NULL for only the names of the tasks, which end the header that trace-cmd listen
 * wants.
 */
void tracedat_tail(FILE *out, const struct tracedat *dat, const off_t *sizes, size_t nr_cpus)
{
	const char *clock = dat->clock ?: "[local]";
	size_t page = tracedat_page_size(dat), cpu;
	off_t start, pages, at;

	put_text(out, dat->comms, 8);
	if (!sizes)
		return;
	put(out, nr_cpus, 4);
	put_name(out, "options  ");
	put(out, OPTION_CLOCK, 2);
	put(out, strlen(clock) + 1, 4);
	put_name(out, clock);
	if (dat->mappings) {
		put(out, OPTION_PROCMAPS, 2);
		put(out, strlen(dat->mappings) + 1, 4);
		put_name(out, dat->mappings);
	}
	put(out, 0, 2);
	put_name(out, "flyrecord");
	start = ftello(out) + 16 * nr_cpus + 8 + strlen(clock);
	pages = (start + page - 1) / page * page;
	for (at = pages, cpu = 0; cpu < nr_cpus; at += sizes[cpu++]) {
		put(out, at, 8);
		put(out, sizes[cpu], 8);
	}
	put_text(out, clock, 8);
	for (; start < pages; start++)
		fputc(0, out);
}

void tracedat_free(struct tracedat *dat)
{
	strings_free(&dat->group);
	strings_free(&dat->format);
	free(dat->header_page);
	free(dat->header_event);
	free(dat->symbols);
	free(dat->printk);
	free(dat->comms);
	free(dat->clock);
	free(dat->mappings);
}

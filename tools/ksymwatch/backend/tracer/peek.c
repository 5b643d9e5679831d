// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a trace buffer without taking the hits out of it: a buffer that is mapped into
 * memory has all of its pages there, see Documentation/trace/ring-buffer-map.rst.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbuffer.h>
#include <tracefs.h>

#include "backend/tracer/peek.h"
#include "lib/util.h"

/* The size of the records in a page; the other bits say that some were lost. */
#define PAGE_SIZE_MASK	0xfffffULL

/* The beginning of struct trace_buffer_meta of <linux/trace_mmap.h>, which is too new. */
struct meta {
	uint32_t	size;		/* of this page */
	uint32_t	struct_size;
	uint32_t	page_size;	/* of each of the pages that follow */
	uint32_t	nr_pages;
	uint64_t	lost;
	uint32_t	reader;		/* the page that is read, of which @read bytes were read */
	uint32_t	read;
};

/* The beginning of a page. */
struct page {
	uint64_t	time;
	uint64_t	size;
	char		record[];
};

static int compare_times(const void *a, const void *b)
{
	const struct page *page_a = *(struct page * const *)a, *page_b = *(struct page * const *)b;

	return page_a->time < page_b->time ? -1 : page_a->time > page_b->time;
}

/* Drops the records that were read: the first @read bytes. Returns false if it has no other. */
static bool drop_read(struct page *page, uint32_t read)
{
	struct kbuffer *kbuf;
	size_t size = page->size & PAGE_SIZE_MASK;
	unsigned long long time;
	void *record;

	if (!read || read >= size)
		return !read && size;
	kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	if (!kbuf || kbuffer_load_subbuffer(kbuf, page))
		die("out of memory");
	record = kbuffer_read_event(kbuf, &time);
	for (; record && kbuffer_curr_index(kbuf) < (int)read;
	     record = kbuffer_next_event(kbuf, &time))
		page->time = time;
	kbuffer_free(kbuf);
	memmove(page->record, page->record + read, size - read);
	page->size = size - read;
	return true;
}

/*
 * Copies a page, unless it has no records, or gets others meanwhile: a page that is used again
 * has another time. The oldest ones are lost then, as in any full buffer.
 */
static struct page *copy_page(const struct page *from, size_t page_size, uint32_t read)
{
	const uint64_t time = __atomic_load_n(&from->time, __ATOMIC_ACQUIRE);
	struct page *page = xcalloc(1, page_size);

	page->size = __atomic_load_n(&from->size, __ATOMIC_ACQUIRE);
	page->time = time;
	memcpy(page->record, from->record, page_size - sizeof(*page));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&from->time, __ATOMIC_RELAXED) == time && drop_read(page, read))
		return page;
	free(page);
	return NULL;
}

/* Writes the pages of a mapped buffer, the oldest first. Returns 0 or an errno. */
static int write_pages(const struct meta *meta, const char *data, int to)
{
	struct page **pages __autofree = xcalloc(meta->nr_pages, sizeof(*pages));
	size_t nr = 0, i;
	int error = 0;

	for (i = 0; i < meta->nr_pages; i++) {
		pages[nr] = copy_page((const void *)(data + i * meta->page_size), meta->page_size,
				      i == meta->reader ? meta->read : 0);
		nr += !!pages[nr];
	}
	qsort(pages, nr, sizeof(*pages), compare_times);
	for (i = 0; i < nr; i++) {
		errno = ENOSPC;
		if (write(to, pages[i], meta->page_size) != (ssize_t)meta->page_size)
			error = errno;
		free(pages[i]);
	}
	return error;
}

/**
 * peek_pages - write a CPU's pages to @to, which stay in the buffer of an instance. Returns 0
 * or an errno; ENODEV for the buffer of the last boot, which can't be mapped
 */
int peek_pages(struct tracefs_instance *instance, size_t cpu, int to)
{
	char *file __autofree = xasprintf("per_cpu/cpu%zu/trace_pipe_raw", cpu);
	int fd = tracefs_instance_file_open(instance, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size_t size = 0, page = getpagesize();
	struct meta *meta;
	char *data;
	int error;

	/* A CPU that does not exist. */
	if (fd < 0)
		return 0;
	meta = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	error = errno;
	if (meta != MAP_FAILED) {
		size = (size_t)meta->nr_pages * meta->page_size;
		data = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, meta->size);
		error = data == MAP_FAILED ? errno : write_pages(meta, data, to);
		if (data != MAP_FAILED)
			munmap(data, size);
		munmap(meta, page);
	}
	close(fd);
	return error;
}

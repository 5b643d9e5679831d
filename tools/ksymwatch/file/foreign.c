// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a trace.dat of trace-cmd, of any version and with any options, with libtracecmd. By
 * default, trace-cmd record writes version 7 with compressed pages.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <trace-cmd.h>

#include "file/reader.h"
#include "hits/hits.h"
#include "lib/page.h"
#include "lib/util.h"

/* What a file may take while it is opened: thousands of CPUs take less. */
#define OPEN_MEMORY	(1024UL << 20)

/* A file that is open. */
struct foreign {
	struct tracecmd_input	**input;	/* its buffers: the main one and the instances */
	size_t			nr;		/* number of buffers */
	size_t			page_size;	/* size of their pages */
};

/* @cpu counts the CPUs of all buffers; that of the record is right. */
static int read_hit(struct tracecmd_input *input, struct tep_record *record,
		    int cpu __maybe_unused, void *data)
{
	struct tep_event *event = NULL;

	/* A record too short for its type has no event. */
	if (record->size >= (int)sizeof(uint32_t))
		event = tep_find_event_by_record(tracecmd_get_tep(input), record);
	hits_take(data, (uintptr_t)tracecmd_get_private(input), event, record);
	return 0;
}

static void add_input(struct foreign *foreign, struct tracecmd_input *input)
{
	if (!input)
		return;
	tracecmd_set_private(input, (void *)foreign->nr);
	*array_add(foreign->input, foreign->nr) = input;
}

/* Can page_is_right() check the pages of a buffer? The tracer is for x86-64. */
static bool has_known_pages(struct tracecmd_input *input, size_t page_size)
{
	struct tep_handle *tep = tracecmd_get_tep(input);

	return tep_get_long_size(tep) == sizeof(long) && !tep_is_file_bigendian(tep) &&
	       !tep_is_old_format(tep) && (size_t)tracecmd_page_size(input) == page_size;
}

/* No more pages are checked: those that plain.c reads may be larger. Were all right? */
static bool pages_were_right(void)
{
	bool were_wrong = pages_were_wrong();

	pages_check(0);
	return !were_wrong;
}

/* Opens all buffers of a file, whose pages must have one size; returns 0, -ENOTSUP or -EINVAL. */
static int open_buffers(struct foreign *foreign)
{
	struct tracecmd_input *top = foreign->input[0];
	int nr, i;

	if (foreign->page_size < PAGE_MIN_SIZE || tracecmd_init_data(top))
		return -EINVAL;
	/* trace-cmd record -B records instances as further buffers. */
	nr = tracecmd_buffer_instances(top);
	for (i = 0; i < nr; i++) {
		add_input(foreign, tracecmd_buffer_instance_handle(top, i));
		if (!has_known_pages(foreign->input[foreign->nr - 1], foreign->page_size))
			return -ENOTSUP;
	}
	return 0;
}

/* The same, and checks the first page of each CPU. */
static int open_checked(struct foreign *foreign)
{
	struct tracecmd_input *top = foreign->input[0];
	struct rlimit before, limit;
	int error;

	foreign->page_size = tracecmd_page_size(top);
	if (!has_known_pages(top, foreign->page_size))
		return -ENOTSUP;
	pages_check(foreign->page_size);
	/* The library believes in any number of CPUs, and allocates what it has for each. */
	getrlimit(RLIMIT_DATA, &before);
	limit = before;
	if (!IS_SANITIZED && limit.rlim_cur > OPEN_MEMORY)
		limit.rlim_cur = OPEN_MEMORY;
	setrlimit(RLIMIT_DATA, &limit);
	error = open_buffers(foreign);
	setrlimit(RLIMIT_DATA, &before);
	return pages_were_right() ? error : error ?: -EINVAL;
}

/** foreign_open - open a trace.dat; NULL with errno: ENOTSUP, or EINVAL if it is damaged */
struct foreign *foreign_open(const char *path)
{
	struct foreign *foreign = xcalloc(1, sizeof(*foreign));
	int error;

	/* The libraries would print messages of their own. */
	tracecmd_set_loglevel(TEP_LOG_NONE);
	add_input(foreign, tracecmd_open_head(path, TRACECMD_FL_LOAD_NO_PLUGINS));
	error = foreign->nr ? open_checked(foreign) : -EINVAL;
	if (!error)
		return foreign;
	foreign_close(foreign);
	errno = -error;
	return NULL;
}

/* Returns the formats, symbols and tasks; the file owns them. */
struct tep_handle *foreign_tep(struct foreign *foreign)
{
	return tracecmd_get_tep(foreign->input[0]);
}

/* Passes on all records in the order of their times; returns -1 if some are damaged. */
int foreign_read(struct foreign *foreign, struct hits *hits)
{
	int error;

	pages_check(foreign->page_size);
	error = tracecmd_iterate_events_multi(foreign->input, foreign->nr, read_hit, hits);
	return pages_were_right() && !error ? 0 : -1;
}

void foreign_close(struct foreign *foreign)
{
	while (foreign->nr--)
		tracecmd_close(foreign->input[foreign->nr]);
	free(foreign->input);
	free(foreign);
}

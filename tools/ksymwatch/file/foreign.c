// SPDX-License-Identifier: GPL-2.0-only
/* Reading a trace.dat of trace-cmd, of any version and with any options, with libtracecmd. */
#include <stdlib.h>

#include <trace-cmd.h>

#include "file/reader.h"
#include "hits/hits.h"
#include "lib/util.h"

/* A file that is open. */
struct foreign {
	struct tracecmd_input	**input;	/* its buffers: the main one and the instances */
	size_t			nr;		/* number of buffers */
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

/** foreign_open - open a trace.dat; NULL if it is damaged */
struct foreign *foreign_open(const char *path)
{
	struct tracecmd_input *input;
	struct foreign *foreign;
	int buffers, i;

	/* The libraries would print messages of their own. */
	tracecmd_set_loglevel(TEP_LOG_NONE);
	input = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!input)
		return NULL;
	foreign = xcalloc(1, sizeof(*foreign));
	add_input(foreign, input);
	/* trace-cmd record -B records instances as further buffers. */
	buffers = tracecmd_buffer_instances(input);
	for (i = 0; i < buffers; i++)
		add_input(foreign, tracecmd_buffer_instance_handle(input, i));
	return foreign;
}

/* Returns the formats, symbols and tasks; the file owns them. */
struct tep_handle *foreign_tep(struct foreign *foreign)
{
	return tracecmd_get_tep(foreign->input[0]);
}

/* Passes on all records in the order of their times; returns -1 if some are damaged. */
int foreign_read(struct foreign *foreign, struct hits *hits)
{
	return tracecmd_iterate_events_multi(foreign->input, foreign->nr, read_hit, hits) ? -1 : 0;
}

void foreign_close(struct foreign *foreign)
{
	while (foreign->nr--)
		tracecmd_close(foreign->input[foreign->nr]);
	free(foreign->input);
	free(foreign);
}

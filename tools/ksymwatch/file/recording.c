// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a trace.dat, of ksymwatch or trace-cmd, with libtracecmd.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <trace-cmd.h>

#include "file/guard.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/util.h"

/* The first bytes of a trace.dat. */
static const char magic[] = "\x17\x08\x44tracing";

/* Reports the usual reasons why libtracecmd can't open a file; it does not. */
static int check_file(const char *path)
{
	char start[sizeof(magic) - 1];
	size_t size = 0;
	int ret = -1;
	FILE *file;

	if (!*path) {
		err("the name of the recording is empty");
		return -1;
	}
	errno = 0;
	file = fopen(path, "re");
	if (file)
		size = fread(start, 1, sizeof(start), file);
	if (!file || ferror(file))
		err("%s: %s", path, strerror(errno));
	else if (!size)
		err("%s is empty; an unfinished recording?", path);
	else if (memcmp(start, magic, size))
		err("%s is not a trace.dat of ksymwatch record or trace-cmd record", path);
	else if (size < sizeof(start))
		err("%s is truncated or damaged", path);
	else
		ret = 0;
	if (file)
		fclose(file);
	return ret;
}

static bool has_watches(struct tep_handle *tep)
{
	struct tep_event **events = tep_list_events(tep, TEP_EVENT_SORT_ID);

	for (; events && *events; events++)
		if (is_watch_event(*events))
			return true;
	return false;
}

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

/**
 * struct recording - a file that is open
 * @path: its name
 * @input: its buffers: the main one and the instances
 * @nr: number of buffers
 */
struct recording {
	const char		*path;
	struct tracecmd_input	**input;
	size_t			nr;
};

static void add_input(struct recording *recording, struct tracecmd_input *input)
{
	if (!input)
		return;
	tracecmd_set_private(input, (void *)recording->nr);
	recording->input = xreallocarray(recording->input, recording->nr + 1,
					 sizeof(*recording->input));
	recording->input[recording->nr++] = input;
}

/**
 * recording_open - open a trace.dat with hits of watches
 * @path: the file
 *
 * Return: the recording, for recording_close(), or NULL after a message.
 */
struct recording *recording_open(const char *path)
{
	struct recording *recording;
	struct tracecmd_input *input;
	int buffers, i;

	if (check_file(path))
		return NULL;
	/* The libraries would print messages of their own. */
	tracecmd_set_loglevel(TEP_LOG_NONE);
	guard_begin(path);
	input = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!input) {
		guard_end();
		err("%s is truncated or damaged", path);
		return NULL;
	}
	if (!has_watches(tracecmd_get_tep(input))) {
		guard_end();
		err("%s contains no watches", path);
		tracecmd_close(input);
		return NULL;
	}
	recording = xcalloc(1, sizeof(*recording));
	recording->path = path;
	add_input(recording, input);
	/* trace-cmd record -B records instances as further buffers. */
	buffers = tracecmd_buffer_instances(input);
	for (i = 0; i < buffers; i++)
		add_input(recording, tracecmd_buffer_instance_handle(input, i));
	guard_end();
	return recording;
}

/**
 * recording_read - read the hits of a recording
 * @recording: the recording
 * @hits: where they go
 *
 * Return: 0, or -1 after a message if not all of it could be read.
 */
int recording_read(struct recording *recording, struct hits *hits)
{
	int ret;

	hits_begin(hits, tracecmd_get_tep(recording->input[0]));
	guard_begin(recording->path);
	ret = tracecmd_iterate_events_multi(recording->input, recording->nr, read_hit, hits);
	guard_end();
	if (ret) {
		hits_flush(hits);
		err("%s is truncated or damaged: not all of it could be read", recording->path);
		return -1;
	}
	hits_end(hits);
	return 0;
}

/* Free the hits first, which refer to the recording. */
void recording_close(struct recording *recording)
{
	if (!recording)
		return;
	while (recording->nr--)
		tracecmd_close(recording->input[recording->nr]);
	free(recording->input);
	free(recording);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits out of a trace.dat, whoever wrote it, by way of libtracecmd.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <trace-cmd.h>

#include "hits.h"
#include "ksymwatch.h"
#include "sinks.h"

/* What each trace.dat begins with. */
static const char magic[] = "\x17\x08\x44tracing";

/* libtracecmd can't say why it does not open a file, so the usual reasons come first. */
static int check_file(const char *path)
{
	char start[sizeof(magic) - 1];
	size_t size = 0;
	int ret = -1;
	FILE *file;

	errno = 0;
	file = fopen(path, "re");
	if (file)
		size = fread(start, 1, sizeof(start), file);
	if (!file || ferror(file))
		err("%s: %s", path, strerror(errno));
	else if (!size)
		err("%s is empty: a recording that was not finished?", path);
	else if (memcmp(start, magic, size))
		err("%s is no trace.dat: ksymwatch record or trace-cmd record make one", path);
	else if (size < sizeof(start))
		err("%s is cut off or damaged", path);
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

/* libtracecmd counts the CPUs of all buffers in a row; the record knows better. */
static int read_hit(struct tracecmd_input *input, struct tep_record *record,
		    int cpu __maybe_unused, void *data)
{
	struct tep_event *event = NULL;

	/* A type that is not all there could not be looked up. */
	if (record->size >= (int)sizeof(uint32_t))
		event = tep_find_event_by_record(tracecmd_get_tep(input), record);
	hits_take(data, (uintptr_t)tracecmd_get_private(input), event, record);
	return 0;
}

/**
 * report_file - read the hits of a trace.dat
 * @path: the file
 * @hits: where they go
 *
 * Return: 0, or -1 after saying why it can't be read, or not all of it.
 */
int report_file(const char *path, struct hits *hits)
{
	struct tracecmd_input **inputs;
	int nr = 0, buffers, i, ret;

	if (check_file(path))
		return -1;
	/* The libraries would print messages of their own. */
	tracecmd_set_loglevel(TEP_LOG_NONE);
	inputs = xcalloc(1, sizeof(*inputs));
	inputs[0] = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!inputs[0]) {
		err("%s is cut off or damaged", path);
		free(inputs);
		return -1;
	}
	if (!has_watches(tracecmd_get_tep(inputs[0]))) {
		err("%s has no watches in it: it recorded something else", path);
		tracecmd_close(inputs[0]);
		free(inputs);
		return -1;
	}

	/* trace-cmd record -B puts instances into buffers beside the main one. */
	buffers = tracecmd_buffer_instances(inputs[0]);
	inputs = xreallocarray(inputs, buffers + 1, sizeof(*inputs));
	for (nr = 1, i = 0; i < buffers; i++) {
		inputs[nr] = tracecmd_buffer_instance_handle(inputs[0], i);
		if (inputs[nr])
			nr++;
	}
	for (i = 0; i < nr; i++)
		tracecmd_set_private(inputs[i], (void *)(uintptr_t)i);
	hits_begin(hits);
	ret = tracecmd_iterate_events_multi(inputs, nr, read_hit, hits);
	/* What waits refers to the file's names. */
	if (ret)
		hits_flush(hits);
	else
		hits_end(hits);
	if (ret)
		err("%s is cut off or damaged: not all of it could be read", path);
	while (nr--)
		tracecmd_close(inputs[nr]);
	free(inputs);
	return ret ? -1 : 0;
}

int cmd_report(const struct command *cmd, int argc, char **argv)
{
	int first = parse_no_options(cmd, argc, argv), ret;
	const char *path = first < argc ? argv[first] : "trace.dat";
	struct hits *hits;
	struct sink *sink;

	if (argc - first > 1)
		die_usage(cmd, "'%s' is too much: it takes one FILE", argv[first + 1]);
	sink = table_sink(stdout, false);
	hits = hits_new(sink);
	ret = report_file(path, hits);
	hits_free(hits);
	free(sink);
	flush_stdout();
	return ret ? STATUS_FAILED : STATUS_OK;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Reading a trace.dat, of ksymwatch or trace-cmd. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/reader.h"
#include "file/recording.h"
#include "hits/hits.h"
#include "lib/util.h"

/* The first bytes of a trace.dat. */
static const char magic[] = "\x17\x08\x44tracing";

/* Reports the usual reasons why a file can't be opened. */
static int check_file(const char *path)
{
	FILE *file __cleanup(close_file) = NULL;
	char start[sizeof(magic) - 1];
	size_t size = 0;
	int ret = -1;

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

/* A file that is open: one of @plain and @foreign. */
struct recording {
	const char	*path;		/* its name, or that of the folder with the parts of one */
	struct plain	*plain;		/* a file of ksymwatch, or like one */
	struct foreign	*foreign;	/* any other file of trace-cmd */
};

static struct tep_handle *recording_tep(struct recording *recording)
{
	return recording->plain ? plain_tep(recording->plain) : foreign_tep(recording->foreign);
}

/* Opens the file, and returns NULL, or why that failed. */
static const char *open_either(struct recording *recording, const char *header)
{
	recording->plain = plain_open(header ?: recording->path, header ? recording->path : NULL);
	if (!recording->plain && (errno || header))
		return "is truncated or damaged";
	if (!recording->plain && !HAVE_FOREIGN)
		return "needs libtracecmd, which this ksymwatch was built without (STATIC=1); "
		       "trace-cmd convert --file-version 6 makes a file that it reads";
	if (!recording->plain)
		recording->foreign = foreign_open(recording->path);
	if (!recording->plain && !recording->foreign && errno == ENOTSUP)
		return "has pages that ksymwatch does not read: not of x86-64, or of several sizes";
	if (!recording->plain && !recording->foreign)
		return "is truncated or damaged";
	return has_watches(recording_tep(recording)) ? NULL : "contains no watches";
}

/**
 * recording_open - open a trace.dat with hits of watches, or the folder that recorder.c left
 * when it was killed or met a full disk; NULL after a message
 */
struct recording *recording_open(const char *path)
{
	char *header __autofree = xasprintf("%s/header", path);
	struct recording *recording;
	const char *fault;

	if (access(header, F_OK)) {
		free(header);
		header = NULL;
	}
	if (check_file(header ?: path))
		return NULL;
	recording = xcalloc(1, sizeof(*recording));
	recording->path = path;
	guard_begin(path);
	fault = open_either(recording, header);
	guard_end();
	if (!fault)
		return recording;
	err("%s %s", path, fault);
	recording_close(recording);
	return NULL;
}

/** recording_read - read the hits; -1 after a message if not all of them could be read */
int recording_read(struct recording *recording, struct hits *hits)
{
	int ret;

	hits_begin(hits, recording_tep(recording));
	guard_begin(recording->path);
	ret = recording->plain ? plain_read(recording->plain, hits) :
				 foreign_read(recording->foreign, hits);
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
	if (recording->plain)
		plain_close(recording->plain);
	if (recording->foreign)
		foreign_close(recording->foreign);
	free(recording);
}

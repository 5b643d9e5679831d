// SPDX-License-Identifier: GPL-2.0-only
/*
 * Raw pages of trace buffers into a trace.dat.
 *
 * During the session its backend writes the pages of each CPU's buffer into a file per CPU,
 * in a folder beside the output. A file "header" has all that precedes the pages. At the end
 * the pages are appended to it, and rename(2) puts it in place. So an older recording stays
 * until the new one is complete. If the pages do not fit, the header is cut again: then
 * header and pages are still in the folder, and cat(1) makes the recording of them elsewhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/recorder.h"
#include "file/remote.h"
#include "lib/newfile.h"
#include "lib/util.h"
#include "symbols/symbols.h"

/* Disk space reserved for names of tasks that are not known at the start. */
#define ROOM_FOR_COMMS	(256 << 10)

/* How many bytes may wait in memory for the other machine. */
#define UNSENT_MAX	(16ULL << 20)

/* A recording. */
static struct recorder {
	char		*output;	/* the file to write */
	mode_t		mode;		/* its rights */
	char		*folder;	/* holds the unfinished files; NULL if @remote */
	struct tracedat	dat;		/* what the file has besides the pages */
	int		header;		/* the open file with that */
	off_t		head;		/* length of its part that is known from the start */
	/* The open files with the pages of each CPU; memory files if @remote */
	int		*fd;
	size_t		nr;		/* number of CPUs */
	bool		remote;		/* trace-cmd listen writes the output, on another machine */
	bool		keep_parts;	/* the folder stays if the output can't be written */
} recorder;

/* The name of the file with the pages of a CPU, or after the last one, of the header. */
static char *part_name(size_t cpu)
{
	return cpu < recorder.nr ? xasprintf("%s/cpu%04zu", recorder.folder, cpu) :
				   xasprintf("%s/header", recorder.folder);
}

static void remove_parts(void)
{
	size_t cpu;

	for (cpu = 0; recorder.folder && cpu <= recorder.nr; cpu++) {
		char *part __autofree = part_name(cpu);

		unlink(part);
	}
	if (!recorder.folder)
		return;
	rmdir(recorder.folder);
	free(recorder.folder);
	recorder.folder = NULL;
}

/**
 * recorder_open - start a recording into a file, before the watches are made. Dies if it
 * can't be written. If it can't be completed, its parts remain if @keep_parts.
 */
void recorder_open(const char *path, bool keep_parts)
{
	struct stat st;

	recorder.keep_parts = keep_parts;
	recorder.output = newfile_real(path, &st);
	if (st.st_mode && !S_ISREG(st.st_mode))
		die("%s is not a regular file; use -o FILE", path);
	/* A new one has the addresses of all symbols, which not everybody may know. */
	recorder.mode = st.st_mode ? newfile_mode(&st) : 0600;
	recorder.folder = xasprintf("%s.parts-XXXXXX", recorder.output);
	if (!mkdtemp(recorder.folder))
		die("%s cannot be written: %s", path, strerror(errno));
	atexit(remove_parts);
}

/** recorder_open_remote - start a recording that trace-cmd listen at HOST:PORT writes */
void recorder_open_remote(const char *address)
{
	recorder.remote = true;
	remote_open(address, sysconf(_SC_NPROCESSORS_CONF));
}

/* Opens a file of the recording. Dies on failure. */
static int open_part(size_t cpu)
{
	char *path __autofree = part_name(cpu);
	int fd = recorder.remote ? memfd_create("pages", MFD_CLOEXEC) :
		 open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		die("%s cannot be written: %s", path, strerror(errno));
	return fd;
}

/*
 * Writes the header as far as it is known: hits without their formats can't be read. Later
 * only its end, over the one that it has. Returns 0 or an errno.
 */
static int write_header(void)
{
	off_t *sizes __autofree = xcalloc(recorder.nr, sizeof(*sizes)), end;
	FILE *out = check_memory(fdopen(dup(recorder.header), "r+"));
	struct stat st;
	size_t cpu;

	for (cpu = 0; cpu < recorder.nr; cpu++)
		if (!fstat(recorder.fd[cpu], &st))
			sizes[cpu] = st.st_size;
	fseeko(out, recorder.head, SEEK_SET);
	if (!recorder.head) {
		tracedat_head(out, &recorder.dat);
		recorder.head = ftello(out);
	}
	tracedat_tail(out, &recorder.dat, recorder.remote ? NULL : sizes, recorder.nr);
	end = ftello(out);
	return ferror(out) | fclose(out) || ftruncate(recorder.header, end) ? errno : 0;
}

/**
 * recorder_begin - open and return the files for the pages of each CPU. @dat, which the
 * recorder owns now, is what the recording has besides the pages and the symbols.
 */
const int *recorder_begin(const struct tracedat *dat)
{
	size_t cpu;
	int error;

	recorder.dat = *dat;
	recorder.dat.symbols = read_file(SYMBOLS_FILE);
	recorder.nr = sysconf(_SC_NPROCESSORS_CONF);
	recorder.fd = xcalloc(recorder.nr, sizeof(*recorder.fd));
	for (cpu = 0; cpu < recorder.nr; cpu++)
		recorder.fd[cpu] = open_part(cpu);
	recorder.header = open_part(cpu);
	error = write_header();
	if (error)
		die("%s cannot be written: %s", recorder.output ?: "the header", strerror(error));
	/* If this fails, there may be no room for the names at the end. */
	fallocate(recorder.header, FALLOC_FL_KEEP_SIZE, recorder.head, ROOM_FOR_COMMS);
	return recorder.fd;
}

/* Call it when pages were written to the files. Returns 0 or an errno. */
int recorder_sent(void)
{
	return recorder.remote ? remote_send(recorder.fd) : 0;
}

/* Has the other machine to take what was written, before more is? */
bool recorder_is_behind(void)
{
	return recorder.remote && remote_unsent(recorder.fd) > UNSENT_MAX;
}

/* Returns the number of bytes written so far. */
unsigned long long recorder_size(void)
{
	unsigned long long size = 0;
	struct stat st;
	size_t cpu;

	for (cpu = 0; cpu < recorder.nr; cpu++)
		if (!fstat(recorder.fd[cpu], &st))
			size += st.st_size;
	return size;
}

/* Drops the part of a page that a write which failed may have left, for it can't be read. */
static void cut_pages(void)
{
	off_t page = tracedat_page_size(&recorder.dat);
	struct stat st;
	size_t cpu;

	for (cpu = 0; cpu < recorder.nr; cpu++)
		if (!fstat(recorder.fd[cpu], &st) && st.st_size % page &&
		    ftruncate(recorder.fd[cpu], st.st_size / page * page))
			err("the pages of CPU %zu cannot be cut: %s", cpu, strerror(errno));
}

/* Appends the pages to the header, and puts that in place; returns 0 or an errno. */
static int write_output(void)
{
	char *header __autofree = part_name(recorder.nr);
	off_t size = lseek(recorder.header, 0, SEEK_END), done;
	int error = 0;
	size_t cpu;

	for (cpu = 0; cpu < recorder.nr && !error; cpu++) {
		done = 0;
		error = transfer(recorder.header, recorder.fd[cpu], &done);
	}
	/* Some file systems report a full disk only now. */
	if (!error && (fchmod(recorder.header, recorder.mode) || fsync(recorder.header) ||
		       rename(header, recorder.output)))
		error = errno;
	if (error && ftruncate(recorder.header, size))
		err("%s cannot be cut to %lld bytes: %s", header, (long long)size,
		    strerror(errno));
	return error;
}

/**
 * recorder_finish - write the output, with the names of the tasks that ran, and what they
 * mapped or NULL, which it owns now. @error is the errno of a write that failed before, after a
 * message, or 0. Returns 0, or -1 after a message with the reason, and where the hits are.
 */
int recorder_finish(char *comms, char *mappings, int error)
{
	int failed;
	size_t cpu;

	if (error && !recorder.remote)
		cut_pages();
	free(recorder.dat.comms);
	recorder.dat.comms = comms;
	recorder.dat.mappings = mappings;
	/* The header was longer than one without names. */
	if (write_header()) {
		*recorder.dat.comms = '\0';
		free(recorder.dat.mappings);
		recorder.dat.mappings = NULL;
		write_header();
		err("no room for the names of the tasks: the recording has none");
	}
	failed = recorder.remote ? remote_finish(recorder.fd, recorder.header) : write_output();
	if (failed && !recorder.remote)
		err("%s cannot be written: %s", recorder.output, strerror(failed));
	if (failed && recorder.keep_parts) {
		err("the hits are in %s: cat header cpu* there gives the recording",
		    recorder.folder);
		free(recorder.folder);
		recorder.folder = NULL;
	}
	remove_parts();
	for (cpu = 0; cpu < recorder.nr; cpu++)
		close(recorder.fd[cpu]);
	close(recorder.header);
	tracedat_free(&recorder.dat);
	free(recorder.output);
	free(recorder.fd);
	return failed || error ? -1 : 0;
}

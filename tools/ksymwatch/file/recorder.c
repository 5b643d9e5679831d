// SPDX-License-Identifier: GPL-2.0-only
/*
 * Raw pages of trace buffers into a trace.dat.
 *
 * During the session its backend writes the pages of each CPU's buffer into a file per
 * CPU. At the end trace-cmd restore makes a trace.dat of these files. trace-cmd record
 * would do both, but it continues after a failed write and hides the command's exit status.
 *
 * Unfinished files are in a folder beside the output. rename(2) puts the finished file in
 * place, so an older recording stays until the new one is complete. The folder is kept if
 * it holds hits that are not in the output.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/recorder.h"
#include "file/remote.h"
#include "lib/newfile.h"
#include "lib/util.h"

extern char **environ;

/**
 * struct recorder - a recording
 * @output: the file to write
 * @folder: holds the unfinished files
 * @formats: one of them: a folder laid out as tracefs
 * @header: the formats, functions and tasks
 * @raw: the pages of each CPU
 * @fd: @raw, opened; memory files if @remote
 * @remote: trace-cmd listen writes the output, on another machine
 */
static struct recorder {
	char			*output;
	char			*folder;
	char			*formats;
	char			*header;
	struct strings		raw;
	int			*fd;
	bool			remote;
} recorder;

/* Returns trace-cmd's messages as one line. */
static char *read_complaint(int fd)
{
	char text[512], *line, *word, *rest = text;
	struct strings words = {};
	ssize_t size = pread(fd, text, sizeof(text) - 1, 0);

	text[size > 0 ? size : 0] = '\0';
	while ((word = strtok_r(rest, "\n ", &rest)))
		strings_add(&words, word);
	line = strings_join(&words, " ");
	strings_free(&words);
	return line;
}

/*
 * Runs trace-cmd, and repeats its messages if it fails. It inherits the blocked signals, so
 * Ctrl-C doesn't leave half a file.
 */
static int run_trace_cmd(char **argv)
{
	int complaints = memfd_create("complaints", MFD_CLOEXEC), status = 0, error;
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (complaints >= 0)
		posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
	error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error) {
		err("%s cannot be run: %s", argv[0], strerror(error));
	} else if (waitpid(pid, &status, 0) != pid || status) {
		char *complaint = read_complaint(complaints);

		err("%s %s failed: %s", argv[0], argv[1], *complaint ? complaint :
		    "no reason given");
		free(complaint);
		error = EIO;
	}
	if (complaints >= 0)
		close(complaints);
	return error ? -1 : 0;
}

static int write_header(char *path)
{
	char *argv[8] = { "trace-cmd", "restore", "-c", "-o", path, "-t", recorder.formats };

	return run_trace_cmd(argv);
}

static int remove_part(const char *path, const struct stat *st __maybe_unused,
		       int kind __maybe_unused, struct FTW *place __maybe_unused)
{
	remove(path);
	return 0;
}

static void remove_parts(void)
{
	if (recorder.folder)
		nftw(recorder.folder, remove_part, 8, FTW_DEPTH | FTW_PHYS);
	free(recorder.folder);
	recorder.folder = NULL;
}

/* Makes the folder from a template, whose owner it becomes, and that of the formats. */
static bool make_folder(char *template)
{
	recorder.folder = template;
	if (!mkdtemp(template))
		return false;
	atexit(remove_parts);
	recorder.formats = xasprintf("%s/formats", template);
	return !mkdir(recorder.formats, 0700);
}

/**
 * recorder_open - start a recording into a file
 * @path: the file
 *
 * Dies if the file can't be written. Call it before the watches are made.
 */
void recorder_open(const char *path)
{
	struct stat st;

	if (!program_exists("trace-cmd"))
		die("trace-cmd not found; it is needed to write trace.dat");
	recorder.output = newfile_real(path, &st);
	if (st.st_mode && !S_ISREG(st.st_mode))
		die("%s is not a regular file; use -o FILE", path);
	/* trace-cmd would take a name that starts with a minus for an option. */
	if (!make_folder(xasprintf("%s%s.parts-XXXXXX", *recorder.output == '-' ? "./" : "",
				   recorder.output)))
		die("%s cannot be written: %s", path, strerror(errno));
}

/**
 * recorder_open_remote - start a recording that trace-cmd listen writes
 * @address: its HOST:PORT
 */
void recorder_open_remote(const char *address)
{
	const char *parent = getenv("TMPDIR");
	char *folder;

	if (!program_exists("trace-cmd"))
		die("trace-cmd not found; it is needed to send a recording");
	recorder.remote = true;
	folder = xasprintf("%s/ksymwatch-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!make_folder(folder))
		die("%s cannot be made: %s", folder, strerror(errno));
	remote_open(address, sysconf(_SC_NPROCESSORS_CONF));
}

/* Returns the folder for the formats, to be laid out as tracefs. */
const char *recorder_formats(void)
{
	return recorder.formats;
}

/**
 * recorder_begin - open the files for the pages
 *
 * Writes the formats of the events at once: the hits can't be read without them, and the
 * events disappear with their watches.
 *
 * Return: the file of each CPU, to write its pages to.
 */
const int *recorder_begin(void)
{
	int nr = sysconf(_SC_NPROCESSORS_CONF), cpu;

	recorder.header = xasprintf("%s/header", recorder.folder);
	if (write_header(recorder.header))
		exit(STATUS_FAILED);

	recorder.fd = xcalloc(nr, sizeof(*recorder.fd));
	for (cpu = 0; cpu < nr; cpu++) {
		char *file = xasprintf("%s/cpu%d", recorder.folder, cpu);

		strings_add_owned(&recorder.raw, file);
		recorder.fd[cpu] = recorder.remote ? memfd_create("pages", MFD_CLOEXEC) :
				   open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (recorder.fd[cpu] < 0)
			die("%s cannot be written: %s", file, strerror(errno));
	}
	return recorder.fd;
}

/* Call it when pages were written to the files. Returns 0 or an errno. */
int recorder_sent(void)
{
	return recorder.remote ? remote_send(recorder.fd) : 0;
}

/* Returns the number of bytes written so far. */
unsigned long long recorder_size(void)
{
	unsigned long long size = 0;
	struct stat st;
	size_t cpu;

	for (cpu = 0; cpu < recorder.raw.nr; cpu++)
		if (!fstat(recorder.fd[cpu], &st))
			size += st.st_size;
	return size;
}

/* Writes the output in the folder, and puts it in place. */
static int write_output(void)
{
	char *file = xasprintf("%s/trace.dat", recorder.folder);
	size_t nr = 0, cpu;
	char **argv;
	int ret;

	argv = xcalloc(recorder.raw.nr + 7, sizeof(*argv));
	argv[nr++] = "trace-cmd";
	argv[nr++] = "restore";
	argv[nr++] = "-i";
	argv[nr++] = recorder.header;
	argv[nr++] = "-o";
	argv[nr++] = file;
	for (cpu = 0; cpu < recorder.raw.nr; cpu++)
		argv[nr++] = recorder.raw.text[cpu];
	ret = run_trace_cmd(argv);
	free(argv);
	if (!ret && rename(file, recorder.output)) {
		err("%s cannot be written: %s", recorder.output, strerror(errno));
		ret = -1;
	}
	free(file);
	return ret;
}

/**
 * recorder_finish - write the output
 * @complete: the formats were written again
 * @error: the errno of a write that failed, or 0
 *
 * The session has stopped, but its watches still exist.
 *
 * Return: 0, or -1 after a message with the reason, and where the hits are.
 */
int recorder_finish(bool complete, int error)
{
	char *header = xasprintf("%s/header.new", recorder.folder);
	size_t cpu;
	int ret;

	for (cpu = 0; cpu < recorder.raw.nr && !recorder.remote; cpu++)
		if (close(recorder.fd[cpu]) && !error)
			error = errno;
	/* Again, for the names of the tasks that ran during the session. */
	if (complete && !write_header(header))
		rename(header, recorder.header);
	free(header);

	ret = recorder.remote ? remote_finish(recorder.fd, recorder.header) : write_output();
	if (error)
		err("the recording is incomplete: %s", strerror(error));
	if (ret && !recorder.remote) {
		err("the hits are in %s: run trace-cmd restore -i header -o trace.dat cpu* there",
		    recorder.folder);
		free(recorder.folder);
		recorder.folder = NULL;
	}
	remove_parts();
	free(recorder.formats);
	free(recorder.header);
	free(recorder.output);
	free(recorder.fd);
	strings_free(&recorder.raw);
	return ret || error ? -1 : 0;
}

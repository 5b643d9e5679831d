// SPDX-License-Identifier: GPL-2.0-only
/*
 * The raw trace of a session's buffer, into a trace.dat.
 *
 * While the session runs, its backend moves the pages of each CPU's buffer into a file
 * of its own. What makes a trace.dat of those is trace-cmd restore, which knows the
 * format with all that belongs in it. trace-cmd record would do both, but it goes on
 * where it can't write, and says nothing of how the command ended.
 *
 * All files that are not finished are in a folder beside the output, which takes its
 * place in one rename(2): an older recording is there until the new one is. The folder
 * is kept where it holds hits that could not be brought into the output.
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

#include "backend/session.h"
#include "file/remote.h"

extern char **environ;

/**
 * struct recorder - a recording
 * @output: the file to be written
 * @folder: where its parts are
 * @header: a part: the formats, functions and tasks
 * @raw: parts: the pages of each CPU
 * @session: what is recorded
 * @fd: the files of @raw
 * @remote: trace-cmd listen writes the output, on another machine
 * @error: the first errno of a write that failed, which ends the recording
 */
static struct recorder {
	char			*output;
	char			*folder;
	char			*header;
	struct strings		raw;
	struct session		*session;
	int			*fd;
	bool			remote;
	int			error;
} recorder;

/* Returns what trace-cmd wrote to a file, as one line. */
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
 * Runs trace-cmd; says what it said when it fails. It inherits that signals are
 * blocked, so a Ctrl-C doesn't leave half a file.
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
		    "it does not say why");
		free(complaint);
		error = EIO;
	}
	if (complaints >= 0)
		close(complaints);
	return error ? -1 : 0;
}

static int write_header(char *path)
{
	const char *folder = session_raw_folder(recorder.session, recorder.folder);
	char *argv[8] = { "trace-cmd", "restore", "-c", "-o", path };

	if (folder) {
		argv[5] = "-t";
		argv[6] = (char *)folder;
	}
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

/* What trace-cmd would only find out when it is too late. */
static void check_output(const char *path)
{
	struct stat st;

	if (!program_exists("trace-cmd"))
		die("trace-cmd is missing, which writes the file: apt install trace-cmd");
	if (!*path)
		die("the output has no name");
	if (stat(path, &st)) {
		if (errno != ENOENT)
			die("%s cannot be written: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		die("%s is no regular file: give another one with -o", path);
	}
}

/**
 * recorder_open - see to it that the output can be written
 * @path: the output
 *
 * Comes first, so that nothing is watched in vain.
 */
void recorder_open(const char *path)
{
	char *real;

	check_output(path);
	/* A link stays one: what it points to is replaced. */
	real = realpath(path, NULL);
	recorder.output = real ?: xstrdup(path);
	/* trace-cmd would take a name with a minus for an option. */
	recorder.folder = xasprintf("%s%s.parts-XXXXXX", *recorder.output == '-' ? "./" : "",
				    recorder.output);
	if (!mkdtemp(recorder.folder)) {
		free(recorder.folder);
		recorder.folder = NULL;
		die("%s cannot be written: %s", path, strerror(errno));
	}
	atexit(remove_parts);
}

/**
 * recorder_open_remote - the same for a recording that trace-cmd listen is to write
 * @address: its HOST:PORT
 */
void recorder_open_remote(const char *address)
{
	const char *folder = getenv("TMPDIR");

	if (!program_exists("trace-cmd"))
		die("trace-cmd is missing, which knows the format: apt install trace-cmd");
	recorder.remote = true;
	recorder.folder = xasprintf("%s/ksymwatch-XXXXXX", folder && *folder ? folder : "/tmp");
	if (!mkdtemp(recorder.folder)) {
		char *name = recorder.folder;

		recorder.folder = NULL;
		die("%s cannot be made: %s", name, strerror(errno));
	}
	atexit(remove_parts);
	remote_open(address, sysconf(_SC_NPROCESSORS_CONF));
}

/**
 * recorder_attach - open the parts of a recording
 * @session: what will be recorded
 *
 * The formats of the events go into a file already now: without them nobody could
 * read the hits, and the events go with their watches.
 */
void recorder_attach(struct session *session)
{
	int nr = sysconf(_SC_NPROCESSORS_CONF), cpu;

	recorder.session = session;
	recorder.header = xasprintf("%s/header", recorder.folder);
	if (write_header(recorder.header))
		exit(STATUS_FAILED);

	recorder.fd = xcalloc(nr, sizeof(*recorder.fd));
	for (cpu = 0; cpu < nr; cpu++) {
		char *file = xasprintf("%s/cpu%d", recorder.folder, cpu);

		strings_add_owned(&recorder.raw, file);
		if (recorder.remote) {
			recorder.fd[cpu] = remote_fd(cpu);
			continue;
		}
		recorder.fd[cpu] = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (recorder.fd[cpu] < 0)
			die("%s cannot be written: %s", file, strerror(errno));
	}
	session_raw_open(session, recorder.fd, nr);
}

/* Moves what there is, and notes the error that ends the recording. */
static void move_pages(bool last)
{
	if (!recorder.error)
		recorder.error = session_raw_move(recorder.session, last);
	/* The last ones are sent with what comes at the end. */
	if (!recorder.error && recorder.remote && !last)
		recorder.error = remote_send();
}

/* Moves the full pages of all CPUs; does not wait for any. */
void recorder_pump(void)
{
	move_pages(false);
}

/* How many bytes the hits have that were moved so far. */
unsigned long long recorder_size(void)
{
	unsigned long long size = 0;
	struct stat st;
	size_t cpu;

	if (recorder.remote)
		return remote_size();
	for (cpu = 0; cpu < recorder.raw.nr; cpu++)
		if (!fstat(recorder.fd[cpu], &st))
			size += st.st_size;
	return size;
}

/* Writes the output beside its place, and puts it there. */
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
 *
 * The session has stopped, but its watches are still there.
 *
 * Return: 0, or -1 after saying what is wrong, and where the hits are.
 */
int recorder_finish(void)
{
	char *header = xasprintf("%s/header.new", recorder.folder);
	size_t cpu;
	int ret;

	move_pages(true);
	session_raw_close(recorder.session);
	for (cpu = 0; cpu < recorder.raw.nr && !recorder.remote; cpu++)
		if (close(recorder.fd[cpu]) && !recorder.error)
			recorder.error = errno;
	/* Again, for the names of the tasks that ran meanwhile. */
	if (write_header(header))
		unlink(header);
	else
		rename(header, recorder.header);
	free(header);

	ret = recorder.remote ? remote_finish(recorder.header) : write_output();
	if (recorder.error)
		err("the recording is not whole: %s", strerror(recorder.error));
	if (ret && !recorder.remote) {
		err("the hits are in %s: there, trace-cmd restore -i header -o trace.dat cpu*",
		    recorder.folder);
		free(recorder.folder);
		recorder.folder = NULL;
	}
	remove_parts();
	free(recorder.header);
	free(recorder.output);
	free(recorder.fd);
	strings_free(&recorder.raw);
	return ret || recorder.error ? -1 : 0;
}

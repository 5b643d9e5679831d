// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output files that appear only when they are complete: they are written beside their
 * place and renamed. The temporary file is removed on any failure and on signals.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/newfile.h"
#include "lib/util.h"

/* The temporary file, for exit() and signals. */
static const char *unfinished;

/* Removes the temporary file, if there is one. Signal handlers may call it. */
void newfile_remove(void)
{
	if (unfinished)
		unlink(unfinished);
	unfinished = NULL;
}

static void end_by_signal(int number)
{
	newfile_remove();
	signal(number, SIG_DFL);
	raise(number);
}

static void remove_part_at_end(const char *part)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	size_t i;

	unfinished = part;
	atexit(newfile_remove);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (signal(signals[i], end_by_signal) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

[[gnu::noreturn]]
static void die_of_write(const struct newfile *file, int error)
{
	die("%s cannot be written: %s", file->path,
	    error ? strerror(error) : "not all of it was written");
}

/*
 * The rights of the file that is replaced, or those of a new one. The file is ours then, so it
 * is not setuid, and others can write it only if the replaced one was ours, too.
 */
mode_t newfile_mode(const struct stat *st)
{
	mode_t mask;

	if (st->st_mode)
		return st->st_mode & (st->st_uid == geteuid() ? 0777 : 0755);
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/*
 * Returns the name of an output file without links, since a link stays: a new string. @st is
 * 0 if the file does not exist. Dies if it can't be written, or is behind a link that leads
 * nowhere or with which another user may choose what is overwritten.
 *
 * Links among the folders of a path are followed, as they are with fs.protected_symlinks, and
 * by trace-cmd and perf. They could change after a check unless all folders were kept open.
 */
char *newfile_real(const char *path, struct stat *st)
{
	*st = (struct stat) {};
	if (!*path)
		die("the name of the output is empty");
	if (lstat(path, st) && errno != ENOENT)
		die("%s cannot be written: %s", path, strerror(errno));
	/* Should it become one, it is replaced, and not followed. */
	if (!S_ISLNK(st->st_mode))
		return xstrdup(path);
	if (st->st_uid && st->st_uid != geteuid())
		die("refusing to write through %s, another user's link; name the file itself",
		    path);
	/* A pipe, which /dev/stdout may lead to, has no other name. */
	if (!stat(path, st))
		return realpath(path, NULL) ?: xstrdup(path);
	if (errno == ENOENT)
		die("%s is a link to a file that does not exist; name that file", path);
	die("%s cannot be written: %s", path, strerror(errno));
}

/* Opens the file that newfile_real() has checked, or a new one, and empties it only then. */
static FILE *open_in_place(const char *path, const struct stat *st, bool append)
{
	struct stat now;
	int fd;

	fd = open(path, O_WRONLY | O_CLOEXEC | (append ? O_APPEND : 0) |
		  (st->st_mode ? 0 : O_CREAT | O_EXCL), 0666);
	if (fd < 0 || fstat(fd, &now))
		die("%s cannot be written: %s", path, strerror(errno));
	if (st->st_mode && (now.st_ino != st->st_ino || now.st_dev != st->st_dev))
		die("%s was replaced meanwhile; write it where others cannot do so", path);
	/* A device or a pipe cannot be emptied. */
	if (!append && S_ISREG(now.st_mode) && ftruncate(fd, 0))
		die("%s cannot be written: %s", path, strerror(errno));
	return check_memory(fdopen(fd, append ? "a" : "w"));
}

/** newfile_in_place - open an output file that is not replaced, or die */
FILE *newfile_in_place(const char *path, bool append)
{
	struct stat st;

	free(newfile_real(path, &st));
	return open_in_place(path, &st, append);
}

/**
 * newfile_open - open an output file, or die; stdout for NULL or "-". A device or a pipe is
 * written directly.
 */
void newfile_open(struct newfile *file, const char *path)
{
	struct stat st;
	int fd;

	*file = (struct newfile) { .out = stdout };
	if (!path || !strcmp(path, "-"))
		return;
	file->path = path;
	file->real = newfile_real(path, &st);
	if (st.st_mode && !S_ISREG(st.st_mode)) {
		file->out = open_in_place(path, &st, false);
		return;
	}
	file->part = xasprintf("%s.part-XXXXXX", file->real);
	fd = mkostemp(file->part, O_CLOEXEC);
	if (fd < 0)
		die_of_write(file, errno);
	remove_part_at_end(file->part);
	file->out = fdopen(fd, "w");
	if (!file->out || fchmod(fd, newfile_mode(&st)))
		die_of_write(file, errno);
}

/**
 * newfile_close - close an output file and put it in place, or remove it unless @keep. Dies
 * if not all of it could be written.
 */
void newfile_close(struct newfile *file, bool keep)
{
	if (!file->path) {
		flush_stdout();
		return;
	}
	errno = 0;
	if (fflush(file->out) || (file->part && fsync(fileno(file->out))))
		die_of_write(file, errno);
	if (ferror(file->out) | fclose(file->out))
		die_of_write(file, errno);
	if (file->part && keep && rename(file->part, file->real))
		die_of_write(file, errno);
	if (keep)
		unfinished = NULL;
	newfile_remove();
	free(file->part);
	free(file->real);
}

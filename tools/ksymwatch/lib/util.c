// SPDX-License-Identifier: GPL-2.0-only
/* Messages, memory, lists of strings, programs. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/text.h"
#include "lib/util.h"

/* Names and texts may contain terminal codes. */
void make_printable(char *text)
{
	const char *next = text;
	uint32_t character;

	for (; (character = text_next(&next)); text += next - text)
		if (is_control(character) || character == BAD_CHARACTER)
			memset(text, '?', next - text);
}

/* A message is one line. */
static void print_message(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0) {
		fputs("ksymwatch: out of memory\n", stderr);
		return;
	}
	make_printable(text);
	fprintf(stderr, "ksymwatch: %s\n", text);
	free(text);
}

void err(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(fmt, ap);
	va_end(ap);
}

/* exit() releases what a session holds, see session_open(). */
void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(fmt, ap);
	va_end(ap);
	exit(STATUS_FAILED);
}

/* Frees what the pointer at @pointer points to, see __autofree. */
void free_pointer(void *pointer)
{
	free(*(void **)pointer);
}

/* Closes the file of a local variable, if it is open, see __cleanup(). */
void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

/* Returns what a function has allocated, or dies where that is NULL. */
void *check_memory(void *p)
{
	if (!p)
		die("out of memory");
	return p;
}

void *xcalloc(size_t nr, size_t size)
{
	return check_memory(calloc(nr, size));
}

void *xreallocarray(void *old, size_t nr, size_t size)
{
	return check_memory(reallocarray(old, nr, size));
}

/* Returns an array, moved if it has @nr elements and no room for more, see array_add(). */
void *array_room(void *array, size_t nr, size_t size)
{
	/* The room is doubled when the number is a power of two. */
	return nr & (nr - 1) ? array : xreallocarray(array, nr ? 2 * nr : 1, size);
}

char *xstrdup(const char *text)
{
	return check_memory(strdup(text));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *p;

	if (vasprintf(&p, fmt, ap) < 0)
		die("out of memory");
	return p;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = xvasprintf(fmt, ap);
	va_end(ap);
	return p;
}

void strings_add_owned(struct strings *strings, char *text)
{
	*array_add(strings->text, strings->nr) = text;
}

void strings_add(struct strings *strings, const char *text)
{
	strings_add_owned(strings, xstrdup(text));
}

bool strings_have(const struct strings *strings, const char *text)
{
	size_t i;

	for (i = 0; i < strings->nr; i++)
		if (!strcmp(strings->text[i], text))
			return true;
	return false;
}

/* Returns a new string; empty for an empty list. */
char *strings_join(const struct strings *strings, const char *between)
{
	size_t size = 1, i;
	char *joined, *p;

	for (i = 0; i < strings->nr; i++)
		size += strlen(strings->text[i]) + strlen(between);
	joined = xcalloc(size, 1);
	for (p = joined, i = 0; i < strings->nr; i++) {
		if (i)
			p = stpcpy(p, between);
		p = stpcpy(p, strings->text[i]);
	}
	return joined;
}

void strings_free(struct strings *strings)
{
	size_t i;

	for (i = 0; i < strings->nr; i++)
		free(strings->text[i]);
	free(strings->text);
	memset(strings, 0, sizeof(*strings));
}

/* Would execvp() find something to run? */
bool program_exists(const char *name)
{
	char *path __autofree = xstrdup(getenv("PATH") ?: "/bin:/usr/bin"), *rest = path, *folder;
	bool found = strchr(name, '/') && !access(name, F_OK);

	while (!strchr(name, '/') && !found && (folder = strsep(&rest, ":"))) {
		/* An empty entry of PATH is the current directory. */
		char *file __autofree = xasprintf("%s%s%s", folder, *folder ? "/" : "", name);

		found = !access(file, X_OK);
	}
	return found;
}

/*
 * Returns a file up to a character as a new string, or NULL with errno, which is ENODATA if
 * there is none. Leaves errno alone on success.
 */
static char *read_up_to(const char *path, char end)
{
	int before = errno;
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	errno = ENODATA;
	if (getdelim(&text, &size, end, file) < 0) {
		free(text);
		text = NULL;
	} else {
		errno = before;
	}
	fclose(file);
	return text;
}

/* Returns a text file, which has no zeros, as read_up_to() does. */
char *read_file(const char *path)
{
	return read_up_to(path, '\0');
}

/* Returns the first line of a file without its newline, as read_up_to() does. */
char *read_first_line(const char *path)
{
	char *line = read_up_to(path, '\n');

	if (line)
		line[strcspn(line, "\n")] = '\0';
	return line;
}

/* Dies if some of the output could not be written. */
void flush_stdout(void)
{
	if (fflush(stdout))
		die("the output cannot be written: %s", strerror(errno));
	if (ferror(stdout))
		die("some of the output could not be written");
}

/* Nanoseconds of CLOCK_MONOTONIC, which perf's records have too. */
long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose a watch is. The tracer does not know who made one, so the names of those that
 * a ksymwatch made are noted in a file, for rm --all to leave the others alone.
 *
 * The file is of this boot: it begins with the kernel's number for that, in case that
 * /run outlives it. A note is a name and what the watch of this name is on. A watch
 * that went, and came again by other hands on something else, is no longer ours; and
 * whoever writes the file drops the notes of watches that are gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/tracer/owner.h"
#include "lib/util.h"

#define FOLDER		"/run/ksymwatch"
#define NOTES_FILE	FOLDER "/watches"
#define NEW_NOTES_FILE	FOLDER "/watches.new"
#define LOCK_FILE	FOLDER "/lock"
#define BOOT_FILE	"/proc/sys/kernel/random/boot_id"

/* Reads a line without its newline; returns whether there was one. */
static bool read_line(FILE *file, char **line, size_t *size)
{
	if (getline(line, size, file) <= 0)
		return false;
	(*line)[strcspn(*line, "\n")] = '\0';
	return true;
}

/* A new string, which is empty where the kernel does not tell. */
static char *boot_number(void)
{
	return read_first_line(BOOT_FILE) ?: xstrdup("");
}

static char *make_note(const struct watch *watch)
{
	return xasprintf("%s %s:%s", watch->name, watch->target, ksym_access_word(watch->spec.access));
}

static bool holds(const struct strings *strings, const char *text)
{
	size_t i;

	for (i = 0; strings && i < strings->nr; i++)
		if (!strcmp(strings->text[i], text))
			return true;
	return false;
}

/* Is this watch one of those that the notes are about? */
bool owner_is_us(const struct strings *notes, const struct watch *watch)
{
	char *note = make_note(watch);
	bool found = holds(notes, note);

	free(note);
	return found;
}

/**
 * owner_read - read which of the watches are ours
 * @notes: for owner_is_us(); empty where nobody noted anything
 * @watches: the watches that there are
 */
void owner_read(struct strings *notes, const struct watches *watches)
{
	FILE *file = fopen(NOTES_FILE, "re");
	char *line = NULL, *boot;
	size_t size = 0, i;
	struct strings old = {};

	memset(notes, 0, sizeof(*notes));
	if (!file)
		return;
	boot = boot_number();
	if (read_line(file, &line, &size) && !strcmp(line, boot))
		while (read_line(file, &line, &size))
			strings_add(&old, line);
	for (i = 0; i < watches->nr; i++)
		if (owner_is_us(&old, &watches->watch[i]))
			strings_add_owned(notes, make_note(&watches->watch[i]));
	strings_free(&old);
	free(boot);
	free(line);
	fclose(file);
}

/* Returns a descriptor that holds the lock, or -1. */
static int lock_notes(void)
{
	int fd;

	if (mkdir(FOLDER, 0755) && errno != EEXIST)
		return -1;
	fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int write_notes(const struct strings *notes)
{
	FILE *file = fopen(NEW_NOTES_FILE, "we");
	char *boot = boot_number();
	int error = 0;
	size_t i;

	if (file) {
		fprintf(file, "%s\n", boot);
		for (i = 0; i < notes->nr; i++)
			fprintf(file, "%s\n", notes->text[i]);
	}
	free(boot);
	if (!file)
		return -1;
	error = ferror(file);
	error |= fclose(file);
	return error ? -1 : rename(NEW_NOTES_FILE, NOTES_FILE);
}

/**
 * owner_note - note that watches are ours, and forget those that are gone
 * @names: the watches, which are there by now; NULL for none
 *
 * What can't be noted is no failure: such a watch is somebody else's from then on,
 * which this says.
 */
void owner_note(const struct strings *names)
{
	struct watches watches;
	struct strings notes;
	int fd, error;
	size_t i;

	fd = lock_notes();
	error = fd < 0 ? errno : 0;
	/* Read under the lock: somebody else may note a watch that came just now. */
	watches_read(&watches);
	owner_read(&notes, &watches);
	for (i = 0; i < watches.nr; i++) {
		const struct watch *watch = &watches.watch[i];

		if (holds(names, watch->name) && !owner_is_us(&notes, watch))
			strings_add_owned(&notes, make_note(watch));
	}
	if (!error && write_notes(&notes))
		error = errno;
	if (error && names && names->nr)
		err(NOTES_FILE " cannot be written: %s; rm --all will not know the new watches",
		    strerror(error));
	strings_free(&notes);
	watches_free(&watches);
	if (fd >= 0)
		close(fd);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which watches ksymwatch made. The tracer does not record who made a watch, so a file lists
 * them, and rm --all leaves the others alone.
 *
 * The first line of the file is the kernel's boot ID, in case /run survives a reboot. Each
 * further line is the name of a watch with its target and access: a watch of the same name
 * that others made on another target is theirs. Each writer of the file drops the watches
 * that no longer exist.
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

/* Returns the boot ID as a new string; empty if the kernel has none. */
static char *boot_number(void)
{
	return read_first_line(BOOT_FILE) ?: xstrdup("");
}

static char *make_note(const struct watch *watch)
{
	return xasprintf("%s %s:%s", watch->name, watch->target,
			 ksym_access_word(watch->spec.access));
}

/* Is this watch in the notes? */
bool owner_is_us(const struct strings *notes, const struct watch *watch)
{
	char *note = make_note(watch);
	bool found = strings_have(notes, note);

	free(note);
	return found;
}

/**
 * owner_read - read which watches ksymwatch made
 * @notes: filled in, for owner_is_us()
 * @watches: all watches
 */
void owner_read(struct strings *notes, const struct watches *watches)
{
	char *text = read_file(NOTES_FILE), *rest = text, *boot = boot_number();
	const char *line = strsep(&rest, "\n");
	struct strings old = {};
	size_t i;

	memset(notes, 0, sizeof(*notes));
	if (line && !strcmp(line, boot))
		while ((line = strsep(&rest, "\n")))
			strings_add(&old, line);
	for (i = 0; i < watches->nr; i++)
		if (owner_is_us(&old, &watches->watch[i]))
			strings_add_owned(notes, make_note(&watches->watch[i]));
	strings_free(&old);
	free(boot);
	free(text);
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
 * owner_note - note that ksymwatch made some watches, and drop those that are gone
 * @names: names of the new watches, or NULL
 *
 * Failing to write the notes is no error: a message says that rm --all won't remove the
 * watches.
 */
void owner_note(const struct strings *names)
{
	struct watches watches;
	struct strings notes;
	int fd, error;
	size_t i;

	fd = lock_notes();
	error = fd < 0 ? errno : 0;
	/* Read under the lock, so as not to lose what another ksymwatch notes. */
	watches_read(&watches);
	owner_read(&notes, &watches);
	for (i = 0; i < watches.nr; i++) {
		const struct watch *watch = &watches.watch[i];

		if (names && strings_have(names, watch->name) && !owner_is_us(&notes, watch))
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

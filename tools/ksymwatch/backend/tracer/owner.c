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

/* Finds out which of the watches ksymwatch made. */
void owner_read(struct watches *watches)
{
	char *text = read_file(NOTES_FILE), *rest = text, *boot = boot_number(), *note;
	const char *line = strsep(&rest, "\n");
	struct strings notes = {};
	size_t i;

	if (line && !strcmp(line, boot))
		while ((line = strsep(&rest, "\n")))
			strings_add(&notes, line);
	for (i = 0; i < watches->nr; i++) {
		note = make_note(&watches->watch[i]);
		watches->watch[i].ours = strings_have(&notes, note);
		watches->nr_ours += watches->watch[i].ours;
		free(note);
	}
	strings_free(&notes);
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

static int write_notes(const struct watches *watches)
{
	FILE *file = fopen(NEW_NOTES_FILE, "we");
	char *text = boot_number();
	size_t i;

	if (file)
		fprintf(file, "%s\n", text);
	free(text);
	for (i = 0; file && i < watches->nr; i++) {
		if (!watches->watch[i].ours)
			continue;
		text = make_note(&watches->watch[i]);
		fprintf(file, "%s\n", text);
		free(text);
	}
	if (!file || ferror(file) | fclose(file))
		return -1;
	return rename(NEW_NOTES_FILE, NOTES_FILE);
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
	int fd, error;
	size_t i;

	fd = lock_notes();
	error = fd < 0 ? errno : 0;
	/* Read under the lock, so as not to lose what another ksymwatch notes. */
	watches_read(&watches);
	owner_read(&watches);
	for (i = 0; names && i < watches.nr; i++)
		if (strings_have(names, watches.watch[i].name))
			watches.watch[i].ours = true;
	if (!error && write_notes(&watches))
		error = errno;
	if (error && names && names->nr)
		err(NOTES_FILE " cannot be written: %s; rm --all will not know the new watches",
		    strerror(error));
	watches_free(&watches);
	if (fd >= 0)
		close(fd);
}

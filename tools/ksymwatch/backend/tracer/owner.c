// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which watches ksymwatch made. The tracer does not record who made a watch, so a file lists
 * them, and rm --all leaves the others alone.
 *
 * The first line of the file is the kernel's boot ID, in case /run survives a reboot. Each
 * further line is the name of a watch with its target and access: a watch of the same name
 * that others made on another target is theirs. Each writer of the file drops the watches
 * that no longer exist.
 *
 * A session removes its watches itself. Should it be killed, the next ksymwatch does: the
 * session holds the lock of a note, a file called as its trace instance and the group of
 * its watches. The second line of the note is its pid and the time when that process
 * started, and each further line one of its watches, noted likewise. A note is emptied
 * and stays: a file that is removed could be locked by two.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracefs.h>

#include "backend/tracer/watches.h"
#include "lib/util.h"

#define OWNER_FOLDER	"/run/ksymwatch"
#define NOTES_FILE	OWNER_FOLDER "/watches"
#define NEW_NOTES_FILE	OWNER_FOLDER "/watches.new"
#define MAX_SESSIONS	100

#define PROBES_FILE	"dynamic_events"
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

/* Reads a file. @rest gets what follows its first line, or NULL if it is of another boot. */
static char *read_notes(const char *path, char **rest)
{
	char *text = read_file(path), *boot __autofree = boot_number();
	const char *line;

	*rest = text;
	line = strsep(rest, "\n");
	if (!line || strcmp(line, boot))
		*rest = NULL;
	return text;
}

/* Finds out which of the watches ksymwatch made. */
void owner_read(struct watches *watches)
{
	char *rest, *text __autofree = read_notes(NOTES_FILE, &rest), *line;
	struct strings notes __cleanup(strings_free) = {};
	size_t i;

	while ((line = strsep(&rest, "\n")))
		strings_add(&notes, line);
	for (i = 0; i < watches->nr; i++) {
		char *note __autofree = make_note(&watches->watch[i]);

		watches->watch[i].ours = strings_have(&notes, note);
		watches->nr_ours += watches->watch[i].ours;
	}
}

/* Opens a file in the folder and locks it. Returns a descriptor, or -1 with errno. */
static int lock_file(const char *name, int how)
{
	char *path __autofree = xasprintf(OWNER_FOLDER "/%s", name);
	int fd = -1;

	if (!mkdir(OWNER_FOLDER, 0755) || errno == EEXIST)
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && flock(fd, how)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int write_notes(const struct watches *watches)
{
	char *boot __autofree = boot_number();
	FILE *file = fopen(NEW_NOTES_FILE, "we");
	size_t i;

	if (!file)
		return -1;
	fprintf(file, "%s\n", boot);
	for (i = 0; i < watches->nr; i++) {
		char *note __autofree = make_note(&watches->watch[i]);

		if (watches->watch[i].ours)
			fprintf(file, "%s\n", note);
	}
	if (ferror(file) | fclose(file))
		return -1;
	return rename(NEW_NOTES_FILE, NOTES_FILE);
}

/**
 * owner_note - note that ksymwatch made the watches @names, which may be NULL, and drop
 * those that are gone. Failing to write the notes is no error: a message says that rm --all
 * won't remove the watches.
 */
void owner_note(const struct strings *names)
{
	struct watches watches __cleanup(watches_free) = {};
	int fd = lock_file("lock", LOCK_EX), error = fd < 0 ? errno : 0;
	size_t i;

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
	if (fd >= 0)
		close(fd);
}

/* --- Sessions --------------------------------------------------------------------- */

/* When a process started, in ticks after the boot; 0 if there is none. */
static unsigned long long start_time(int pid)
{
	char *path __autofree = xasprintf("/proc/%d/stat", pid);
	char *text __autofree = read_file(path), *p;
	int field;

	/* The second field is the name in parentheses, which may contain anything. */
	p = text ? strrchr(text, ')') : NULL;
	for (field = 3; p && field <= 22; field++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p, NULL, 10) : 0;
}

/**
 * owner_claim - find a name for this session's instance and group, and note that it has it.
 * Returns the note, which the end of this process unlocks; -1 after a message.
 */
int owner_claim(char name[KSYM_EVENT_LEN])
{
	char *boot __autofree = boot_number();
	int note = -1, pid = getpid(), i;
	bool taken = true;

	for (i = 1; taken && i <= MAX_SESSIONS; i++) {
		char *events __autofree = NULL;

		snprintf(name, KSYM_EVENT_LEN, i == 1 ? SESSION_NAME : SESSION_NAME "_%d", i);
		/* Watches are left where others use them. */
		events = xasprintf("events/%s", name);
		taken = tracefs_instance_exists(name) || tracefs_file_exists(NULL, events);
		if (taken)
			continue;
		note = lock_file(name, LOCK_EX | LOCK_NB);
		taken = note < 0 && errno == EWOULDBLOCK;
	}
	if (taken)
		die("there are %d trace instances named " SESSION_NAME "_N; rmdir the unused ones",
		    MAX_SESSIONS);
	if (note < 0 || ftruncate(note, 0) ||
	    dprintf(note, "%s\n%d %llu\n", boot, pid, start_time(pid)) < 0)
		err(OWNER_FOLDER "/%s cannot be written: %s; rm --all will not know this session",
		    name, strerror(errno));
	return note;
}

/*
 * Notes the watches @names that the session made, and adds the lines to @made. Should it be
 * killed before, those in other groups stay, rather than that others' are removed.
 */
void owner_claim_watches(int note, const struct strings *names, struct strings *made)
{
	struct watches watches __cleanup(watches_free) = {};
	size_t i;

	/* As the kernel shows the targets, which it may have changed. */
	watches_read(&watches);
	for (i = 0; i < watches.nr; i++) {
		if (!strings_have(names, watches.watch[i].name))
			continue;
		strings_add_owned(made, make_note(&watches.watch[i]));
		if (note >= 0)
			dprintf(note, "%s\n", made->text[made->nr - 1]);
	}
}

/* Removes the probes of a session's group, which follow_begin() makes. */
static void remove_probes(const char *session)
{
	char *text __autofree = tracer_file_read(PROBES_FILE), *rest = text, *line;
	const size_t len = strlen(session);

	while ((line = strsep(&rest, "\n"))) {
		if (strncmp(line, "t:", 2) || strncmp(line + 2, session, len) ||
		    line[2 + len] != '/')
			continue;
		line[strcspn(line, BLANKS)] = '\0';
		*line = '-';
		if (tracefs_instance_file_append(NULL, PROBES_FILE, line) < 0)
			err("the probe %s cannot be removed: %s", line + 2, strerror(errno));
	}
}

/*
 * Removes what a session made; @made has its watches as they were noted. Closes its note, unless
 * that is -1, and empties it unless the next ksymwatch has to try again. Adds the names of
 * what was removed to @removed. Returns 0, or -1 after a message about what stays.
 */
int owner_release(const char *session, int note, const struct strings *made,
		  struct strings *removed)
{
	struct strings kept __cleanup(strings_free) = {};
	struct watches watches __cleanup(watches_free) = {};
	struct tracefs_instance *instance = NULL;
	bool busy;
	size_t i;

	/* First, since a watch that is enabled there can't be removed. */
	if (tracefs_instance_exists(session))
		instance = tracefs_instance_alloc(NULL, session);
	busy = instance && tracefs_instance_destroy(instance);
	if (busy)
		err("cannot remove trace instance %s: %s (rmdir it in instances/)", session,
		    strerror(errno));
	else if (instance)
		strings_add_owned(removed, xasprintf("instance %s", session));
	tracefs_instance_free(instance);
	watches_read(&watches);
	/* One by one, so that a watch in use by others does not keep the rest. */
	for (i = 0; !busy && i < watches.nr; i++) {
		char *line __autofree = make_note(&watches.watch[i]);
		const struct watch *watch = &watches.watch[i];

		if (!strcmp(watch->spec.group, session) || strings_have(made, line))
			strings_add(filter_remove(watch->name) ? &kept : removed, watch->name);
	}
	if (!busy)
		remove_probes(session);
	if (kept.nr)
		owner_note(&kept);
	if (note >= 0 && !busy && ftruncate(note, 0))
		err(OWNER_FOLDER "/%s: %s", session, strerror(errno));
	if (note >= 0)
		close(note);
	return busy || kept.nr ? -1 : 0;
}

/* Removes what is left of the session of a note, unless it lives. */
static void sweep(const char *session, int note, struct strings *messages)
{
	char *path __autofree = xasprintf(OWNER_FOLDER "/%s", session), *line;
	char *names __autofree = NULL, *message __autofree = NULL;
	char *rest, *text __autofree = read_notes(path, &rest);
	struct strings made __cleanup(strings_free) = {};
	struct strings removed __cleanup(strings_free) = {};
	unsigned long long start;
	int pid;

	/* The lock of one that lives can only be free if somebody removed the folder. */
	if (rest && sscanf(rest, "%d %llu", &pid, &start) == 2 && start_time(pid) != start) {
		strsep(&rest, "\n");
		while ((line = strsep(&rest, "\n")))
			strings_add(&made, line);
		owner_release(session, dup(note), &made, &removed);
		names = strings_join(&removed, ", ");
		message = xasprintf("removed what the killed session %d left: %s", pid, names);
		if (removed.nr && messages)
			strings_add(messages, message);
		else if (removed.nr)
			err("%s", message);
	}
}

/**
 * owner_sweep - remove the instances and watches of sessions that were killed, with a message
 * for each, which is printed if @messages is NULL
 */
void owner_sweep(struct strings *messages)
{
	DIR *folder = opendir(OWNER_FOLDER);
	struct dirent *entry;
	int note;

	while (folder && (entry = readdir(folder))) {
		note = is_session_name(entry->d_name) ?
		       lock_file(entry->d_name, LOCK_EX | LOCK_NB) : -1;
		if (note < 0)
			continue;
		sweep(entry->d_name, note, messages);
		close(note);
	}
	if (folder)
		closedir(folder);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session: watches and a trace buffer of its own, for as long as live or record
 * run. Nobody else's buffer is read, and nobody else's watch removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "owner.h"

#define INSTANCE_NAME	"ksymwatch"
#define MAX_SESSIONS	100

/* There is one at most. */
static struct session current;

/*
 * What the watches counted before the session; its own start at zero, but a watch
 * that was there may have missed hits long ago.
 */
static struct counts *counts_before;

/* Gives the instance what the top instance has in one of its files. */
static void copy_setting(struct tracefs_instance *instance, const char *file)
{
	char *text = tracefs_instance_file_read(NULL, file, NULL);

	if (text)
		tracefs_instance_file_write(instance, file, text);
	free(text);
}

/*
 * Where the CPUs' clocks differ, the kernel takes another clock than "local" for the
 * top instance, but not for others: they would show hits in the wrong order. What
 * doesn't count nanoseconds is left alone, as nobody could tell from our recordings.
 */
static void choose_clock(struct tracefs_instance *instance)
{
	static const char * const clocks[] = { "global", "mono", "mono_raw", "boot", "tai" };
	char *clock = tracefs_get_clock(NULL);
	size_t i;

	for (i = 0; clock && i < ARRAY_SIZE(clocks); i++)
		if (!strcmp(clock, clocks[i]))
			tracefs_instance_file_write(instance, "trace_clock", clock);
	free(clock);
}

/*
 * Makes an instance that nobody has. Several sessions may run at a time: mkdir(2)
 * decides who gets a name.
 */
static struct tracefs_instance *create_instance(void)
{
	struct tracefs_instance *instance;
	int i;

	for (i = 1; i <= MAX_SESSIONS; i++) {
		char *name = i == 1 ? xstrdup(INSTANCE_NAME) :
			     xasprintf(INSTANCE_NAME "-%d", i);

		instance = tracefs_instance_create(name);
		free(name);
		if (instance && tracefs_instance_is_new(instance))
			break;
		if (!instance && errno != EEXIST)
			die("no trace instance can be made: %s", strerror(errno));
		tracefs_instance_free(instance);
		instance = NULL;
	}
	if (!instance)
		die("there are %d trace instances called " INSTANCE_NAME "-N: rmdir unused ones",
		    MAX_SESSIONS);

	choose_clock(instance);
	/* Whoever reads raw pages learns their size from the top instance. */
	copy_setting(instance, "buffer_subbuf_size_kb");
	return instance;
}

static int enable_event(struct tracefs_instance *instance, const char *event)
{
	char group[KSYM_NAME_LEN], name[KSYM_NAME_LEN];

	split_event(event, group, name);
	return tracefs_event_enable(instance, group, name);
}

static void disable_event(struct tracefs_instance *instance, const char *event)
{
	char group[KSYM_NAME_LEN], name[KSYM_NAME_LEN];

	split_event(event, group, name);
	tracefs_event_disable(instance, group, name);
}

/*
 * Makes the watches that the specs ask for; one that is the name of a watch that is
 * there already stands for that watch. No spec stands for all watches.
 */
static void choose_watches(const struct strings *specs)
{
	struct strings lines = {}, shown = {}, made = {};
	struct watches watches;
	const struct watch *watch;
	char name[KSYM_EVENT_LEN];
	size_t i;

	watches_read(&watches);
	for (i = 0; i < specs->nr; i++) {
		watch = watches_find(&watches, specs->text[i]);
		if (watch) {
			strings_add(&current.events, watch->name);
			continue;
		}
		/* A group is all that has one, but for what an option says. */
		if (specs->text[i][strcspn(specs->text[i], "/ ")] == '/')
			die("there is no watch '%s': ksymwatch list shows the names",
			    specs->text[i]);
		spec_line(&lines, specs->text[i]);
		strings_add(&shown, specs->text[i]);
		spec_name(specs->text[i], name);
		strings_add(&current.events, name);
		strings_add(&made, name);
	}
	for (i = 0; !specs->nr && i < watches.nr; i++)
		strings_add(&current.events, watches.watch[i].name);
	watches_free(&watches);
	if (!current.events.nr)
		die("there are no watches yet: give a SPEC, or make one with ksymwatch add");

	if (lines.nr && filter_write(&lines, &shown))
		exit(STATUS_FAILED);
	/* From here on they are ours, and exit() removes them. */
	current.made = made;
	if (made.nr)
		owner_note(&made);
	strings_free(&lines);
	strings_free(&shown);
}

/*
 * Opens the raw trace of each CPU. A descriptor is -1 where there is no such CPU; poll(2)
 * passes over those.
 */
static void open_fds(int signals, int output)
{
	const int mode = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
	int nr = sysconf(_SC_NPROCESSORS_CONF), cpu;

	current.fds = xcalloc(nr + 2, sizeof(*current.fds));
	for (cpu = 0; cpu < nr; cpu++) {
		char *file = xasprintf("per_cpu/cpu%d/trace_pipe_raw", cpu);
		int fd = tracefs_instance_file_open(current.instance, file, mode);

		if (fd < 0 && errno != ENOENT)
			die("%s cannot be opened: %s", file, strerror(errno));
		current.fds[cpu] = (struct pollfd) { .fd = fd, .events = POLLIN };
		free(file);
	}
	current.fds[nr] = (struct pollfd) { .fd = signals, .events = POLLIN };
	/* Only errors: that there is nobody left to read from it. */
	current.fds[nr + 1] = (struct pollfd) { .fd = output };
	current.nr_fds = nr + 2;
}

/* All but the last two, which are not ours. */
static void close_fds(void)
{
	size_t i;

	for (i = 0; i + 2 < current.nr_fds; i++)
		if (current.fds[i].fd >= 0)
			close(current.fds[i].fd);
	free(current.fds);
	current.fds = NULL;
	current.nr_fds = 0;
}

static void close_at_exit(void)
{
	session_close();
}

/**
 * session_open - make what is to be watched, and a buffer for it
 * @specs: what to watch: SPECs and names of watches; none for all watches
 * @signals: where signals are read from, to wait for those as well
 * @output: where hits go as they come, or -1
 *
 * Nothing is recorded until session_start(). exit() closes the session, so die() may
 * be called anywhere.
 *
 * Return: the session, of which there is one.
 */
struct session *session_open(const struct strings *specs, int signals, int output)
{
	size_t i;

	atexit(close_at_exit);
	choose_watches(specs);
	/*
	 * A new watch records into the top instance. That is somebody else's buffer,
	 * and nobody asked for our hits there.
	 */
	for (i = 0; i < current.made.nr; i++)
		disable_event(NULL, current.made.text[i]);
	current.instance = create_instance();
	open_fds(signals, output);
	return &current;
}

/*
 * Waits for hits or signals, so many ms or (-1) for ever. Returns false when nobody
 * reads the output any more.
 */
bool session_wait_for(const struct session *session, int ms)
{
	if (poll(session->fds, session->nr_fds, ms) < 0 && errno != EINTR)
		die("waiting for hits failed: %s", strerror(errno));
	return !session->fds[session->nr_fds - 1].revents;
}

bool session_wait(const struct session *session)
{
	return session_wait_for(session, -1);
}

/* From here on the session's buffer records. */
void session_start(const struct session *session)
{
	size_t i;

	for (i = 0; i < session->events.nr; i++)
		if (enable_event(session->instance, session->events.text[i]))
			die("the watch %s cannot be enabled: %s",
			    session->events.text[i], strerror(errno));
	counts_before = xcalloc(session->events.nr, sizeof(*counts_before));
	for (i = 0; i < session->events.nr; i++)
		watch_counts(session->events.text[i], &counts_before[i]);
}

/*
 * The buffer gets no more hits; those in it can still be read. Says which hits are
 * not in it because the tracer could not record them.
 */
void session_stop(const struct session *session)
{
	struct counts now, *before;
	size_t i;

	for (i = 0; i < session->events.nr; i++) {
		const char *name = session->events.text[i];

		before = &counts_before[i];
		watch_counts(name, &now);
		disable_event(session->instance, name);
		if (now.nobuffer > before->nobuffer)
			err("%s: %llu hits missed: there was no room in the trace buffer",
			    name, now.nobuffer - before->nobuffer);
		if (now.fault > before->fault)
			err("%s: %llu hits missed: the value could not be read",
			    name, now.fault - before->fault);
		if (now.limited > before->limited)
			err("%s: %llu hits missed: there were more than its limit= or count=",
			    name, now.limited - before->limited);
		if (now.noustack > before->noustack)
			err("%s: %llu user stacks missing: no room, or another program was run",
			    name, now.noustack - before->noustack);
	}
}

static int remove_watch(const char *name)
{
	struct strings line = {}, shown = {};
	struct watches watches;
	int error;

	watches_read(&watches);
	strings_add(&shown, name);
	strings_add_owned(&line, name_removal(&watches, name));
	watches_free(&watches);
	error = filter_write(&line, &shown);
	strings_free(&line);
	strings_free(&shown);
	return error ? -1 : 0;
}

/**
 * session_close - give back all that the session holds
 *
 * The order matters: a watch that is still enabled in the instance can't be removed.
 * Harmless where there is no session, or none any more.
 *
 * Return: 0, or -1 after saying what stays behind.
 */
int session_close(void)
{
	struct tracefs_instance *instance = current.instance;
	struct strings made = current.made;
	size_t i;
	int ret = 0;

	/* Also against a second call from exit(), if one of these dies. */
	current.instance = NULL;
	memset(&current.made, 0, sizeof(current.made));

	/* An instance that is still open would stay, and its watches with it. */
	close_fds();
	if (instance) {
		/* This disables what is still enabled in it. */
		if (tracefs_instance_destroy(instance)) {
			err("the trace instance %s stays: %s (rmdir it in tracefs, instances/)",
			    tracefs_instance_get_name(instance), strerror(errno));
			ret = -1;
		}
		tracefs_instance_free(instance);
	}
	/* One by one: what others use keeps only that one alive. */
	for (i = 0; i < made.nr; i++)
		if (remove_watch(made.text[i]))
			ret = -1;
	if (made.nr)
		owner_note(NULL);
	strings_free(&made);
	strings_free(&current.events);
	free(counts_before);
	counts_before = NULL;
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend of kernels with the ksym tracer: its watches, and a trace instance per
 * session. It neither reads other buffers nor removes other watches.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "backend/perf/stock.h"
#include "backend/session.h"
#include "backend/tracer/follow.h"
#include "backend/tracer/peek.h"
#include "backend/tracer/watches.h"
#include "hits/marker.h"
#include "hits/profile.h"
#include "lib/text.h"
#include "lib/util.h"
#include "symbols/lines.h"
#include "symbols/resolve.h"

/* What the session writes into a file of an event in its instance. */
struct setting {
	size_t		event;	/* index of the watch in the session's events */
	const char	*file;	/* "filter" or "trigger" */
	char		*text;	/* what to write */
};

/* The session's state; there is only one session. */
static struct tracer {
	/* The session's trace instance, and the group of the watches it made */
	struct tracefs_instance	*instance;
	bool			attached;	/* it existed before */
	bool			keep;		/* leave the hits in its buffer */
	int			note;		/* says so to others, see owner_claim() */
	struct strings		made;		/* the watches it made, as they were noted */
	/* The lines that arm them, which are off until the start */
	struct strings		arm;
	struct setting		*setting;	/* the filters and triggers */
	size_t			nr_settings;	/* their number */
	bool			stops;		/* may traceoff end the session? */
	size_t			nr_counted;	/* number of watches with count= */
	/* The counters of the watches at the start, which are not 0 for existing ones */
	struct counts		*before;
	/* Writes the pages of each CPU into a file; NULL for a CPU that does not exist */
	struct tracefs_cpu	**cpu;
	size_t			nr_cpus;	/* number of CPUs */
	const int		*fd;		/* the files */
	off_t			mark_pages;	/* size of the pages with the types, if @attached */
	/* The names of the tasks were read since the call of tracer_read() */
	bool			knows_comms;
	session_take		*take;		/* called for each record */
	void			*data;		/* its argument */
	struct follow		*follow;	/* what the only watch follows, or NULL */
} tracer = { .note = -1 };

void tracer_follow(struct follow *follow)
{
	tracer.follow = follow;
}

/*
 * If the CPUs' clocks differ, the kernel uses another clock than "local" for the top
 * instance, but not for others, which would show hits in the wrong order. Clocks that do not
 * count nanoseconds are not copied: recordings could not say so.
 */
static void choose_clock(struct tracefs_instance *instance)
{
	char *clock __autofree = tracefs_get_clock(NULL);
	static const char * const clocks[] = { "global", "mono", "mono_raw", "boot", "tai" };
	size_t i;

	for (i = 0; clock && i < ARRAY_SIZE(clocks); i++)
		if (!strcmp(clock, clocks[i]))
			tracefs_instance_file_write(instance, "trace_clock", clock);
}

/* Creates the session's instance. */
static struct tracefs_instance *create_instance(void)
{
	char *size __autofree = NULL, name[KSYM_EVENT_LEN];
	struct tracefs_instance *instance;

	tracer.note = owner_claim(name);
	instance = tracefs_instance_create(name);
	if (!instance)
		die("cannot create a trace instance: %s", strerror(errno));
	choose_clock(instance);
	/* trace-cmd reads the page size from the top instance. */
	size = tracefs_instance_file_read(NULL, "buffer_subbuf_size_kb", NULL);
	if (size)
		tracefs_instance_file_write(instance, "buffer_subbuf_size_kb", size);
	return instance;
}

/* Enables or disables the event of a watch in an instance. */
static int set_event(struct tracefs_instance *instance, const char *event, bool enable)
{
	char group[KSYM_EVENT_LEN], name[KSYM_EVENT_LEN];

	split_event(event, group, name);
	return enable ? tracefs_event_enable(instance, group, name) :
			tracefs_event_disable(instance, group, name);
}

/* A snapshot would take the hits out of the buffer that the session reads. */
[[gnu::noreturn]]
static void die_of_snapshot(const char *name)
{
	die("%s: a snapshot would take the hits away from the session; use traceoff",
	    shown_event(name));
}

/* Adds an event to the session. */
static void add_event(struct session *session, const char *name, const struct ksym_options *opt)
{
	size_t i;

	for (i = 0; i < session->events.nr; i++)
		if (!strcmp(shown_event(session->events.text[i]), shown_event(name)))
			die("two watches are called '%s'; give one of them another name=",
			    shown_event(name));
	if (opt->actions & KSYM_SNAPSHOT)
		die_of_snapshot(name);
	strings_add(&session->events, name);
	session->has_user_stacks = session->has_user_stacks || opt->ustack;
	tracer.stops = tracer.stops || opt->actions & KSYM_TRACEOFF;
	tracer.nr_counted += !!opt->count;
}

/* Notes a filter or a trigger of the last watch. A second filter narrows the first. */
static void add_setting(const struct session *session, const char *file, const char *text)
{
	struct setting *last = tracer.nr_settings ? &tracer.setting[tracer.nr_settings - 1] : NULL;
	const size_t event = session->events.nr - 1;

	if (*file == 'f' && last && last->event == event && *last->file == 'f') {
		char *both = xasprintf("(%s) && (%s)", last->text, text);

		free(last->text);
		last->text = both;
		return;
	}
	if (!strncmp(text, "snapshot", strlen("snapshot")))
		die_of_snapshot(session->events.text[event]);
	*array_add(tracer.setting, tracer.nr_settings) =
		(struct setting) { event, file, xstrdup(text) };
	tracer.stops = tracer.stops || !strncmp(text, "traceoff", strlen("traceoff"));
}

/* Uses an existing watch, with the filter that its event has in the top instance. */
static void join_watch(struct session *session, const struct watch *watch)
{
	char *filter __autofree = tracefs_event_file_read(NULL, watch->spec.group,
							  watch->spec.name, "filter", NULL);

	add_event(session, watch->name, &watch->spec.opt);
	if (filter)
		filter[strcspn(filter, "\n")] = '\0';
	if (filter && strcmp(filter, "none")) {
		err("%s: the filter of its event applies here, too: %s", watch->name, filter);
		add_setting(session, "filter", filter);
	}
}

/* Returns the line that makes the watch of a SPEC, in the session's group unless it has one. */
static char *make_line(struct session *session, const char *text)
{
	struct ksym_spec spec;
	char name[WATCH_NAME_LEN];
	bool off;

	resolve_spec(&spec, text);
	if (!strcmp(spec.group, KSYM_GROUP))
		snprintf(spec.group, sizeof(spec.group), "%s",
			 tracefs_instance_get_name(tracer.instance));
	off = spec.opt.off;
	spec.opt.off = true;
	spec_name(&spec, name);
	add_event(session, name, &spec.opt);
	if (!off)
		strings_add_owned(&tracer.arm, xasprintf("+%s/%s", spec.group, spec.name));
	return spec_format(&spec, text);
}

/*
 * Makes the watches of the SPECs; @NAME stands for an existing watch, and no SPEC for all that
 * no session made.
 */
static void tracer_choose(struct session *session, const struct strings *specs)
{
	struct strings lines __cleanup(strings_free) = {};
	struct strings shown __cleanup(strings_free) = {};
	struct watches watches __cleanup(watches_free) = {};
	struct strings made = {};
	size_t i;

	owner_sweep(NULL);
	watches_read(&watches);
	tracer.instance = create_instance();
	for (i = 0; i < specs->nr; i++) {
		const char *text = specs->text[i];
		const struct watch *watch;

		if (!strncmp(text, FILTER_WORD, strlen(FILTER_WORD))) {
			add_setting(session, "filter", text + strlen(FILTER_WORD));
		} else if (!strncmp(text, TRIGGER_WORD, strlen(TRIGGER_WORD))) {
			add_setting(session, "trigger", text + strlen(TRIGGER_WORD));
		} else if (*text == '@') {
			watch = watches_find(&watches, text);
			if (!watch)
				die("no watch '%s'; ksymwatch list shows the names", text + 1);
			join_watch(session, watch);
		} else {
			/* A group is all that has one, but for what an option says. */
			if (text[strcspn(text, "/ ")] == '/')
				die("'%s' is no target; for the watch of this name, use @%s",
				    text, text);
			strings_add_owned(&lines, make_line(session, text));
			strings_add(&shown, text);
			strings_add(&made, session->events.text[session->events.nr - 1]);
		}
	}
	for (i = 0; !specs->nr && i < watches.nr; i++)
		if (!is_session_name(watches.watch[i].spec.group))
			join_watch(session, &watches.watch[i]);
	if (!session->events.nr)
		die("no watches exist; give a SPEC, or make a watch with ksymwatch add");
	session->ends = tracer.stops || tracer.nr_counted == session->events.nr;

	if (lines.nr && filter_write(&lines, &shown))
		exit(STATUS_FAILED);
	session->made = made;
	/* From here on exit() removes them. */
	owner_claim_watches(tracer.note, &made, &tracer.made);
}

/* Writes a setting. The kernel finds out what is wrong with it. */
static void write_setting(const struct session *session, const struct setting *setting)
{
	char *file __autofree = NULL, *about __autofree = NULL;
	const char *event = session->events.text[setting->event];

	file = event_file(event, setting->file);
	about = xasprintf("%s: --%s '%s'", shown_event(event), setting->file, setting->text);
	instance_write(tracer.instance, file, setting->text, about);
}

/*
 * A new watch is enabled in the top instance. Disable it there: that buffer belongs to the
 * user.
 */
static void tracer_open(struct session *session)
{
	const int mode = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
	size_t i;

	for (i = 0; i < session->made.nr; i++)
		set_event(NULL, session->made.text[i], false);
	for (i = 0; i < tracer.nr_settings; i++)
		write_setting(session, &tracer.setting[i]);
	if (tracer.follow) {
		char *watch __autofree = full_name(session->made.text[0]);

		follow_begin(tracer.follow, tracer.instance, watch);
	}
	/* Wake up for 10% of a buffer; the default of 50% loses hits. */
	tracefs_instance_file_write(tracer.instance, "buffer_percent", "10");
	if (session->flags & SESSION_STACKS)
		tracefs_instance_file_write(tracer.instance, "options/stacktrace", "1");
	/* If only counts are wanted, one page is enough, and no descriptors are needed. */
	if (session->flags & SESSION_COUNT) {
		tracefs_instance_file_write(tracer.instance, "buffer_size_kb", "4");
		return;
	}
	for (i = 0; i + 2 < session->nr_fds; i++) {
		char *file __autofree = xasprintf("per_cpu/cpu%zu/trace_pipe_raw", i);

		session->fds[i].fd = tracefs_instance_file_open(tracer.instance, file, mode);
		if (session->fds[i].fd < 0 && errno != ENOENT)
			die("%s cannot be opened: %s", file, strerror(errno));
	}
}

/* The instance is somebody else's. The formats are those of all that may be in its buffer. */
static void tracer_attach(struct session *session, const char *instance, bool keep)
{
	struct watches watches __cleanup(watches_free) = {};
	char *enabled __autofree = NULL, *rest, *event;
	size_t i;

	if (instance && !tracefs_instance_exists(instance))
		die("no trace instance '%s'", instance);
	tracer.attached = true;
	tracer.keep = keep;
	tracer.instance = instance ? tracefs_instance_alloc(NULL, instance) : NULL;
	watches_read(&watches);
	for (i = 0; i < watches.nr; i++) {
		strings_add(&session->events, watches.watch[i].name);
		session->has_user_stacks = session->has_user_stacks ||
					   watches.watch[i].spec.opt.ustack;
	}
	if (!watches.nr)
		die("no watches exist, so the buffer has no hits");
	/* A line is GROUP:NAME. */
	enabled = tracefs_instance_file_read(tracer.instance, "set_event", NULL);
	rest = enabled;
	while ((event = strsep(&rest, "\n"))) {
		if (strchr(event, ':'))
			*strchr(event, ':') = '/';
		if (*event && strncmp(event, KSYM_GROUP "/", strlen(KSYM_GROUP "/")) &&
		    !strings_have(&session->events, event))
			strings_add(&session->events, event);
	}
}

/* Gets the types of the watches as texts, for reports without debug info. */
static void get_marks(const struct session *session, struct strings *marks)
{
	struct watches watches __cleanup(watches_free) = {};
	size_t i;

	lines_markers(marks);
	watches_read(&watches);
	for (i = 0; i < watches.nr; i++) {
		const struct watch *watch = &watches.watch[i];
		char *marker = NULL;

		/* Both names are of the same form. */
		if (strings_have(&session->events, watch->name))
			marker = make_marker(shown_event(watch->name), tracer.follow ?
					     &tracer.follow->target : &watch->spec.target,
					     watch->spec.len);
		if (marker)
			strings_add_owned(marks, marker);
	}
}

/* Writes them into the session's buffer. */
static void mark_types(const struct session *session)
{
	struct strings marks __cleanup(strings_free) = {};
	size_t i;

	get_marks(session, &marks);
	for (i = 0; i < marks.nr; i++)
		tracefs_instance_file_write(tracer.instance, "trace_marker", marks.text[i]);
}

static void tracer_start(struct session *session)
{
	size_t i;

	if (!(session->flags & SESSION_COUNT))
		mark_types(session);
	for (i = 0; i < session->events.nr; i++)
		if (set_event(tracer.instance, session->events.text[i], true))
			die("cannot enable the watch %s: %s",
			    shown_event(session->events.text[i]), strerror(errno));
	tracer.before = xcalloc(session->events.nr, sizeof(*tracer.before));
	for (i = 0; i < session->events.nr; i++)
		watch_counts(session->events.text[i], &tracer.before[i]);
	/* Now all hits are recorded here, from the first one on, and nowhere else. */
	if (tracer.arm.nr && filter_write(&tracer.arm, &tracer.arm))
		exit(STATUS_FAILED);
}

/* Has an action switched the session's instance off, or are all counts used up? */
static bool tracer_ended(struct session *session)
{
	struct watches watches __cleanup(watches_free) = {};
	struct counts counts;
	size_t done = 0, i;

	if (tracer.stops && !tracefs_trace_is_on(tracer.instance))
		return true;
	if (tracer.nr_counted < session->events.nr)
		return false;
	watches_read(&watches);
	for (i = 0; i < watches.nr; i++) {
		const struct watch *watch = &watches.watch[i];

		if (!strings_have(&session->events, watch->name) ||
		    !strings_have(&watch->state, "done"))
			continue;
		/* The last hit may be about to be recorded. */
		watch_counts(watch->name, &counts);
		done += counts.nr[COUNT_HITS] >= watch->spec.opt.count;
	}
	return done == session->events.nr;
}

static char *tracer_where(struct session *session __maybe_unused)
{
	return xasprintf("recording in the trace instance %s",
			 tracefs_instance_get_name(tracer.instance));
}

/* Gets the counters since the start of the session. */
static void tracer_counts(struct session *session, size_t index, struct counts *counts)
{
	const struct counts *before = &tracer.before[index];
	int i;

	watch_counts(session->events.text[index], counts);
	for (i = 0; i < NR_COUNTS; i++)
		counts->nr[i] -= before->nr[i];
}

/* Reads the rows of the watch: WATCH OFFSET LEN ENABLED RUNNING HITS, by offset. */
static void tracer_pieces(struct session *session, struct pieces *pieces)
{
	char *text __autofree = tracer_file_read("trace_stat/ksym_pieces"), *rest = text, *line;
	char *watch __autofree = full_name(session->events.text[0]);
	unsigned long long off, enabled, running;
	const size_t begin = strlen(watch);
	unsigned int len;

	*pieces = (struct pieces) {};
	while ((line = strsep(&rest, "\n"))) {
		if (strncmp(line, watch, begin) || line[begin] != '\t' ||
		    sscanf(line + begin, "%llu %u %llu %llu", &off, &len, &enabled,
			   &running) != 4)
			continue;
		pieces->enabled = xreallocarray(pieces->enabled, pieces->nr + 1, sizeof(enabled));
		pieces->running = xreallocarray(pieces->running, pieces->nr + 1, sizeof(running));
		pieces->len = len;
		pieces->enabled[pieces->nr] = enabled;
		pieces->running[pieces->nr++] = running;
	}
	if (!pieces->nr)
		die("%s: it is no long range: four debug registers hold all of it, use stat",
		    session->shown.text[0]);
}

/* Adds the number after the first occurrence of a key in a CPU's statistics. */
static void add_statistic(unsigned long long *sum, const char *text, const char *key)
{
	const char *line = strstr(text, key);

	if (line)
		*sum += strtoull(line + strlen(key), NULL, 10);
}

static void tracer_fill(struct session *session, struct fill *fill)
{
	size_t i;

	*fill = (struct fill) {};
	for (i = 0; i + 2 < session->nr_fds; i++) {
		char *file __autofree = xasprintf("per_cpu/cpu%zu/stats", i);
		char *text __autofree = tracefs_instance_file_read(tracer.instance, file, NULL);

		if (text) {
			add_statistic(&fill->lost, text, "overrun: ");
			add_statistic(&fill->bytes, text, "bytes: ");
		}
	}
}

/* Switches the session's own watches off; reports what the tracer could not record or do. */
static void tracer_stop(struct session *session)
{
	/* What was dropped on demand is no news. */
	const bool on = tracefs_trace_is_on(tracer.instance), ended = session_ended(session);
	struct counts counts;
	size_t i, c;

	for (i = 0; i < tracer.arm.nr; i++)
		*tracer.arm.text[i] = '-';
	if (tracer.arm.nr)
		filter_write(&tracer.arm, &tracer.arm);
	for (i = 0; i < session->events.nr; i++) {
		tracer_counts(session, i, &counts);
		set_event(tracer.instance, session->events.text[i], false);
		for (c = COUNT_NOBUFFER; c < NR_COUNTS; c++)
			if (counts.nr[c] && (c >= FIRST_FAILED || c == COUNT_FAULT ||
					     (c == COUNT_NOBUFFER && on) ||
					     (c == COUNT_LIMITED && !ended)))
				err(c < FIRST_FAILED ? "%s: %llu hits missed: %s" : "%s: %llu %s",
				    shown_event(session->events.text[i]), counts.nr[c],
				    count_meaning(c));
	}
	/* What they counted goes with the instance. */
	for (i = 0; i < tracer.nr_settings; i++) {
		char *file __autofree = NULL, *text __autofree = NULL, *rest, *line;
		const char *event = session->events.text[tracer.setting[i].event];

		if (strncmp(tracer.setting[i].text, "hist:", strlen("hist:")))
			continue;
		file = event_file(event, "hist");
		text = tracefs_instance_file_read(tracer.instance, file, NULL);
		rest = text;
		fprintf(stderr, "%s:\n", basename(event));
		/* The kernel prints the names of tasks as they are. */
		while ((line = strsep(&rest, "\n")) && (rest || *line)) {
			print_safe(stderr, line);
			putc('\n', stderr);
		}
	}
}

/* Returns the formats of stacks, and of the groups of the session's watches. */
static struct tep_handle *tracer_formats(struct session *session)
{
	struct strings groups __cleanup(strings_free) = {};
	char group[KSYM_EVENT_LEN], name[KSYM_EVENT_LEN];
	struct tep_handle *tep;
	size_t i;

	strings_add(&groups, FTRACE_GROUP);
	for (i = 0; i < session->events.nr; i++) {
		split_event(session->events.text[i], group, name);
		if (!strings_have(&groups, group))
			strings_add(&groups, group);
	}
	/* It ends the list. */
	strings_add_owned(&groups, NULL);
	tep = tracefs_local_events_system(NULL, (const char * const *)groups.text);
	if (!tep)
		die("cannot read the formats of the watches' events: %s", strerror(errno));
	return tep;
}

/*
 * The kernel saves the name of a task in a small table, but only when the task leaves the
 * CPU. The name of a running task is in /proc.
 */
static void learn_comm(struct tep_handle *tep, int pid)
{
	char *comm __autofree = tep_is_pid_registered(tep, pid) ? NULL : task_comm(pid);

	if (comm)
		tep_register_comm(tep, comm, pid);
}

static int take_record(struct tep_event *event, struct tep_record *record, int cpu,
		       void *data __maybe_unused)
{
	/* Only now: mostly there is nothing to read. */
	if (!tracer.knows_comms)
		tracefs_load_cmdlines(NULL, event->tep);
	tracer.knows_comms = true;
	learn_comm(event->tep, tep_data_pid(event->tep, record));
	tracer.take(event, record, cpu, tracer.data);
	return 0;
}

static void tracer_read(struct session *session, session_take *take, void *data)
{
	tracer.take = take;
	tracer.data = data;
	tracer.knows_comms = false;
	tracefs_iterate_raw_events(session_formats(session), tracer.instance, NULL, 0,
				   take_record, NULL);
}

/*
 * The name of a task may contain newlines, which the kernel copies into saved_cmdlines.
 * trace-cmd stops reading at an invalid line, so such lines are left out.
 */
static char *tracer_raw_comms(struct session *session __maybe_unused)
{
	char *text __autofree = tracefs_instance_file_read(NULL, "saved_cmdlines", NULL);
	struct strings lines __cleanup(strings_free) = {};
	char *rest = text, *line, *name;

	while ((line = strsep(&rest, "\n"))) {
		name = line + strspn(line, "0123456789");
		if (name > line && name[0] == ' ' && name[1])
			strings_add(&lines, line);
	}
	strings_add(&lines, "");
	return strings_join(&lines, "\n");
}

/* Adds the format of an event, and dies without it: its records could not be read. */
static void add_format(struct tracedat *dat, const char *group, const char *name)
{
	char *format = tracefs_event_file_read(NULL, group, name, "format", NULL);

	if (!format)
		die("the format of the event %s/%s cannot be read: %s", group, name,
		    strerror(errno));
	tracedat_event(dat, group, format);
}

/* Only the events that the instance can have: those of all of tracefs are 3 MB. */
static void tracer_raw_formats(struct session *session, struct tracedat *dat)
{
	char **ftrace = tracefs_system_events(NULL, FTRACE_GROUP), **event;
	char group[KSYM_EVENT_LEN], name[KSYM_EVENT_LEN];
	size_t i;

	dat->header_page = tracefs_instance_file_read(NULL, "events/header_page", NULL);
	dat->header_event = tracefs_instance_file_read(NULL, "events/header_event", NULL);
	dat->printk = tracefs_instance_file_read(NULL, "printk_formats", NULL);
	dat->clock = tracefs_instance_file_read(tracer.instance, "trace_clock", NULL);
	for (event = ftrace; event && *event; event++)
		add_format(dat, FTRACE_GROUP, *event);
	tracefs_list_free(ftrace);
	for (i = 0; i < session->events.nr; i++) {
		split_event(session->events.text[i], group, name);
		add_format(dat, group, name);
	}
}

/*
 * Writes the types as pages of the first CPU: in a buffer that is somebody else's they would
 * follow the hits. add_times() does the rest.
 */
static void add_marks(const struct session *session)
{
	struct strings marks __cleanup(strings_free) = {};
	int size = tracefs_cpu_read_size(tracer.cpu[0]);
	size_t i;

	get_marks(session, &marks);
	for (i = 0; size > 0 && i < marks.nr; i++) {
		struct trace_page page = { .fd = tracer.fd[0] };
		uint64_t data[MAX_PRINT / sizeof(uint64_t)];

		lseek(page.fd, i * size, SEEK_SET);
		page_add(&page, data, record_print(data, sizeof(data), 0, marks.text[i]), 0, 0);
		page_flush(&page);
		lseek(page.fd, (i + 1) * size, SEEK_SET);
		tracer.mark_pages = (i + 1) * size;
	}
}

/* Gives these pages the time of the first one of the buffer. Without any, they are dropped. */
static void add_times(void)
{
	const int size = tracefs_cpu_read_size(tracer.cpu[0]);
	uint64_t first = UINT64_MAX, time;
	off_t at;
	size_t i;

	for (i = 0; i < tracer.nr_cpus; i++)
		if (pread(tracer.fd[i], &time, sizeof(time), i ? 0 : tracer.mark_pages) ==
		    sizeof(time) && time < first)
			first = time;
	for (at = 0; at < tracer.mark_pages; at += size)
		pwrite(tracer.fd[0], &first, sizeof(first), at);
	if (first == UINT64_MAX)
		ftruncate(tracer.fd[0], 0);
	else if (lseek(tracer.fd[0], 0, SEEK_END) < tracer.mark_pages)
		ftruncate(tracer.fd[0], tracer.mark_pages);
}

static void tracer_raw_open(struct session *session, const int *fds)
{
	size_t cpu;

	tracer.nr_cpus = session->nr_fds - 2;
	tracer.cpu = xcalloc(tracer.nr_cpus, sizeof(*tracer.cpu));
	tracer.fd = fds;
	for (cpu = 0; cpu < tracer.nr_cpus; cpu++)
		tracer.cpu[cpu] = tracefs_cpu_open(tracer.instance, cpu, true);
	if (tracer.attached)
		add_marks(session);
}

static int tracer_raw_move(struct session *session __maybe_unused, bool last)
{
	int error = 0, ret;
	size_t i;

	for (i = 0; i < tracer.nr_cpus && !error; i++) {
		struct tracefs_cpu *cpu = tracer.cpu[i];

		if (tracer.keep)
			error = peek_pages(tracer.instance, i, tracer.fd[i]);
		if (!cpu || tracer.keep)
			continue;
		do {
			errno = 0;
			ret = last ? tracefs_cpu_flush_write(cpu, tracer.fd[i]) :
				     tracefs_cpu_write(cpu, tracer.fd[i], true);
		} while (ret > 0);
		error = ret < 0 && errno != EAGAIN && errno != EINTR ? errno : 0;
	}
	if (tracer.mark_pages)
		add_times();
	return error;
}

/*
 * The order matters: a watch that is enabled in the instance can't be removed, and neither
 * can an open instance.
 */
static int tracer_close(struct session *session __maybe_unused)
{
	struct strings removed __cleanup(strings_free) = {};
	struct tracer ended = tracer;
	size_t i;
	int ret = 0;

	/* If something below dies, exit() calls this again. */
	tracer = (struct tracer) { .note = -1 };
	/* An open instance could not be removed. */
	for (i = 0; i < ended.nr_cpus; i++)
		tracefs_cpu_close(ended.cpu[i]);
	if (ended.instance && !ended.attached)
		ret = owner_release(tracefs_instance_get_name(ended.instance), ended.note,
				    &ended.made, &removed);
	tracefs_instance_free(ended.instance);
	strings_free(&ended.made);
	strings_free(&ended.arm);
	for (i = 0; i < ended.nr_settings; i++)
		free(ended.setting[i].text);
	free(ended.setting);
	free(ended.before);
	free(ended.cpu);
	return ret;
}

const struct backend tracer_backend = {
	.choose = tracer_choose,
	.open = tracer_open,
	.attach = tracer_attach,
	.start = tracer_start,
	.where = tracer_where,
	.ended = tracer_ended,
	.stop = tracer_stop,
	.close = tracer_close,
	.formats = tracer_formats,
	.read = tracer_read,
	.counts = tracer_counts,
	.pieces = tracer_pieces,
	.fill = tracer_fill,
	.raw_formats = tracer_raw_formats,
	.raw_comms = tracer_raw_comms,
	.raw_open = tracer_raw_open,
	.raw_move = tracer_raw_move,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits as a trace of Perfetto: a counter with the value of each watch, and an instant event
 * per hit.
 *
 * The format is that of protos/perfetto/trace/ in Perfetto's source. Texts are written once
 * and then stand as numbers, and times are differences, as Perfetto's own library writes them.
 *
 * A recording does not say which tasks are threads of one process, so each task is shown as
 * a process. The counters belong to a process of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "lib/names.h"
#include "lib/proto.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"
#include "spec/spec.h"

/* Not the pid of a task: these are below 2^22. */
#define COUNTERS_PID	0x400000

/* Each CPU has a task with pid 0; the readers expect unique pids. */
#define IDLE_PID(cpu)	(COUNTERS_PID + 1 + (cpu))

/* The numbers of tracks. */
#define TASK_TRACK(pid)		(4 * (uint64_t)(pid) + 1)
#define PROCESS_TRACK(pid)	(4 * (uint64_t)(pid) + 2)
#define COUNTER_TRACK(nr)	(4 * (uint64_t)(nr) + 3)

/* A text is a number from the second time on, unless there are more than these. */
#define MAX_TEXTS	65536

/* Clocks: the one that the reader shows, and one with the time since the last packet. */
enum { CLOCK_BOOT = 6, CLOCK_DELTA = 64 };

/* The fields of the messages that are written here, and what some of them contain. */
enum {
	TRACE_PACKET = 1,

	PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11,
	PACKET_TEXTS = 12, PACKET_FLAGS = 13, PACKET_CLOCK = 58, PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	FLAG_CLEARED = 1, FLAG_NEEDS_TEXTS = 2,

	CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_IS_DELTA = 3,

	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5,

	EVENT_CATEGORY = 3, EVENT_ARG = 4, EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11,
	EVENT_VALUE = 12, EVENT_COUNTER = 31, EVENT_DOUBLE_COUNTER = 45, EVENT_DOUBLE = 46,
	TYPE_INSTANT = 3,

	ARG_NAME = 1, ARG_BOOL = 2, ARG_UNSIGNED = 3, ARG_SIGNED = 4, ARG_STRING = 6,
	ARG_POINTER = 7, ARG_DICT = 11, ARG_ARRAY = 12, ARG_TEXT = 17,

	TEXT_NUMBER = 1, TEXT_STRING = 2,
};

/* The texts of a kind, by the field that writes them. */
enum { CATEGORIES, NAMES, ARG_NAMES, TEXTS, NR_TEXTS };
static const unsigned int text_fields[NR_TEXTS] = { 1, 2, 3, 29 };

/* A sink that writes a trace. */
struct perfetto {
	struct sink		sink;
	struct tracks		tracks;			/* the counters so far */
	struct names		tasks;			/* the pids that have a track */
	unsigned long long	time;			/* of the last packet */
	struct names		names[NR_TEXTS];	/* the texts so far */
	struct proto		texts;			/* those that this packet has first */
	struct proto		packet;
	struct proto		event;			/* its event */
	struct proto		arg;			/* of the event; or a track */
	struct proto		inner;			/* a part of these, or any small message */
};

static struct perfetto *perfetto_of(struct sink *sink)
{
	return container_of(sink, struct perfetto, sink);
}

/* Adds a text in UTF-8; invalid bytes become U+FFFD. */
static void add_text(struct proto *proto, unsigned int field, const char *text)
{
	char *valid __autofree = xcalloc(3 * strlen(text) + 1, 1), *end = valid;
	const char *start = text;
	uint32_t character;

	for (; (character = text_next(&text)); start = text)
		end = character == BAD_CHARACTER ? stpcpy(end, "\ufffd") :
						   mempcpy(end, start, text - start);
	proto_text(proto, field, valid);
}

/* Returns the number of a text; 0 if there are too many. */
static uint64_t find_text(struct perfetto *perfetto, int kind, const char *text)
{
	struct names *names = &perfetto->names[kind];
	size_t before = names->list.nr;
	size_t number = before < MAX_TEXTS ? names_find(names, text) + 1 : 0;

	if (number > before) {
		struct proto entry = {};

		proto_number(&entry, TEXT_NUMBER, number);
		add_text(&entry, TEXT_STRING, text);
		proto_message(&perfetto->texts, text_fields[kind], &entry);
		free(entry.data);
	}
	return number;
}

static void write_packet(struct perfetto *perfetto)
{
	struct proto *packet = &perfetto->packet;

	proto_number(packet, PACKET_SEQUENCE, 1);
	proto_message(&perfetto->inner, TRACE_PACKET, packet);
	fwrite(perfetto->inner.data, 1, perfetto->inner.size, perfetto->sink.out);
	perfetto->inner.size = 0;
}

static void write_event(struct perfetto *perfetto, unsigned long long time)
{
	struct proto *packet = &perfetto->packet;

	/* The times of a damaged file may be in any order. */
	if (time >= perfetto->time) {
		proto_number(packet, PACKET_TIME, time - perfetto->time);
		perfetto->time = time;
	} else {
		proto_number(packet, PACKET_TIME, time);
		proto_number(packet, PACKET_CLOCK, CLOCK_BOOT);
	}
	proto_number(packet, PACKET_FLAGS, FLAG_NEEDS_TEXTS);
	if (perfetto->texts.size)
		proto_message(packet, PACKET_TEXTS, &perfetto->texts);
	proto_message(packet, PACKET_EVENT, &perfetto->event);
	write_packet(perfetto);
}

static void write_clock(struct perfetto *perfetto, int id)
{
	proto_number(&perfetto->inner, CLOCK_ID, id);
	proto_number(&perfetto->inner, CLOCK_TIME, 0);
	if (id == CLOCK_DELTA)
		proto_number(&perfetto->inner, CLOCK_IS_DELTA, true);
	proto_message(&perfetto->event, CLOCKS_CLOCK, &perfetto->inner);
}

/* Writes a track of a task, or of the process that it is. */
static void write_track(struct perfetto *perfetto, int pid, const char *name, bool process)
{
	struct proto *track = &perfetto->arg, *inner = &perfetto->inner;

	proto_number(track, TRACK_UUID, process ? PROCESS_TRACK(pid) : TASK_TRACK(pid));
	proto_number(inner, process ? PROCESS_PID : THREAD_PID, pid);
	if (!process)
		proto_number(inner, THREAD_TID, pid);
	add_text(inner, process ? PROCESS_NAME : THREAD_NAME, name);
	proto_message(track, process ? TRACK_PROCESS : TRACK_THREAD, inner);
	proto_message(&perfetto->packet, PACKET_TRACK, track);
	write_packet(perfetto);
}

/* Writes the tracks of a task before its first event. */
static void name_task(struct perfetto *perfetto, int pid, const char *name)
{
	size_t before = perfetto->tasks.list.nr;
	char key[16];

	snprintf(key, sizeof(key), "%d", pid);
	if (names_find(&perfetto->tasks, key) < before)
		return;
	write_track(perfetto, pid, name, true);
	write_track(perfetto, pid, name, false);
}

static void begin_trace(struct sink *sink)
{
	struct perfetto *perfetto = perfetto_of(sink);
	struct proto *packet = &perfetto->packet;

	proto_number(packet, PACKET_FLAGS, FLAG_CLEARED);
	write_clock(perfetto, CLOCK_BOOT);
	write_clock(perfetto, CLOCK_DELTA);
	proto_message(packet, PACKET_CLOCKS, &perfetto->event);
	proto_number(&perfetto->inner, PACKET_CLOCK, CLOCK_DELTA);
	proto_message(packet, PACKET_DEFAULTS, &perfetto->inner);
	write_packet(perfetto);
	name_task(perfetto, COUNTERS_PID, "watched values");
}

/* Begins an event of a task. */
static void begin_event(struct perfetto *perfetto, const char *name, int pid, int cpu,
			const char *comm)
{
	if (!pid)
		pid = IDLE_PID(cpu);
	name_task(perfetto, pid, comm);
	proto_number(&perfetto->event, EVENT_TYPE, TYPE_INSTANT);
	proto_number(&perfetto->event, EVENT_TRACK, TASK_TRACK(pid));
	proto_number(&perfetto->event, EVENT_NAME, find_text(perfetto, NAMES, name));
}

/* Adds an event's argument, whose value is in @arg. */
static void end_arg(struct perfetto *perfetto, const char *name)
{
	proto_number(&perfetto->arg, ARG_NAME, find_text(perfetto, ARG_NAMES, name));
	proto_message(&perfetto->event, EVENT_ARG, &perfetto->arg);
}

static void put_text(struct perfetto *perfetto, struct proto *arg, const char *text)
{
	uint64_t number = find_text(perfetto, TEXTS, text);

	if (number)
		proto_number(arg, ARG_TEXT, number);
	else
		add_text(arg, ARG_STRING, text);
}

static void add_text_arg(struct perfetto *perfetto, const char *name, const char *text)
{
	if (!text)
		return;
	put_text(perfetto, &perfetto->arg, text);
	end_arg(perfetto, name);
}

static void add_number_arg(struct perfetto *perfetto, const char *name, unsigned int field,
			   uint64_t number)
{
	proto_number(&perfetto->arg, field, number);
	end_arg(perfetto, name);
}

/* Few addresses are hit often: as a text each is short. */
static void add_address_arg(struct perfetto *perfetto, const char *name,
			    unsigned long long addr)
{
	char text[20];

	snprintf(text, sizeof(text), "0x%llx", addr);
	add_text_arg(perfetto, name, text);
}

/* Adds a value as a number, if that says all, or as a text. */
static void add_value_arg(struct perfetto *perfetto, const struct hit *hit, const char *name,
			  unsigned long long value, const char *text)
{
	if (!hit->is_typed)
		add_number_arg(perfetto, name, ARG_POINTER, value);
	else if (!text[strspn(text, "-0123456789")])
		add_number_arg(perfetto, name, hit->is_signed ? ARG_SIGNED : ARG_UNSIGNED, value);
	else
		add_text_arg(perfetto, name, text);
}

/* Adds one text per frame. */
static void add_frames(struct perfetto *perfetto, const struct stack *stack)
{
	size_t i;

	for (i = 0; i < stack->nr; i++) {
		char *text __autofree = frame_text(&stack->frame[i]);

		put_text(perfetto, &perfetto->inner, text);
		proto_message(&perfetto->arg, ARG_ARRAY, &perfetto->inner);
	}
	end_arg(perfetto, "stack");
}

static void add_fields(struct perfetto *perfetto, const struct hit *hit)
{
	struct proto *inner = &perfetto->inner;
	size_t i;

	for (i = 0; i < hit->nr_fields; i++) {
		const struct hit_field *field = &hit->field[i];

		proto_number(inner, ARG_NAME, find_text(perfetto, ARG_NAMES, field->name));
		if (field->is_number)
			proto_number(inner, field->is_signed ? ARG_SIGNED : ARG_UNSIGNED,
				     field->value);
		else
			put_text(perfetto, inner, field->text);
		proto_message(&perfetto->arg, ARG_DICT, inner);
	}
	end_arg(perfetto, "args");
}

/* Adds the value to its counter, whose track is written before the event. */
static void add_counter(struct perfetto *perfetto, const struct hit *hit)
{
	size_t before = perfetto->tracks.names.nr, track = tracks_find(&perfetto->tracks, hit);
	struct proto *event = &perfetto->event, *arg = &perfetto->arg;

	if (track >= before) {
		proto_number(arg, TRACK_UUID, COUNTER_TRACK(track));
		proto_number(arg, TRACK_PARENT, PROCESS_TRACK(COUNTERS_PID));
		add_text(arg, TRACK_NAME, perfetto->tracks.names.text[track]);
		proto_bytes(arg, TRACK_COUNTER, "", 0);
		proto_message(&perfetto->packet, PACKET_TRACK, arg);
		write_packet(perfetto);
	}
	/* A counter is an int64 or a double. */
	if (hit->is_signed || !(hit->new >> 63)) {
		proto_number(event, EVENT_COUNTER, COUNTER_TRACK(track));
		proto_number(event, EVENT_VALUE, hit->new);
	} else {
		proto_number(event, EVENT_DOUBLE_COUNTER, COUNTER_TRACK(track));
		proto_double(event, EVENT_DOUBLE, hit->new);
	}
}

static void write_hit(struct sink *sink, const struct hit *hit)
{
	struct perfetto *perfetto = perfetto_of(sink);
	char name[2 * WATCH_NAME_LEN];

	if (hit->has_values)
		add_counter(perfetto, hit);
	snprintf(name, sizeof(name), "%s %s", hit->watch, access_word(hit->access));
	begin_event(perfetto, name, hit->pid, hit->cpu, hit->comm);
	proto_number(&perfetto->event, EVENT_CATEGORY,
		     find_text(perfetto, CATEGORIES, hit->watch));
	add_text_arg(perfetto, "function", hit->function);
	add_address_arg(perfetto, "ip", hit->ip);
	add_text_arg(perfetto, "task", hit->comm);
	add_number_arg(perfetto, "cpu", ARG_SIGNED, hit->cpu);
	add_text_arg(perfetto, "access", access_word(hit->access));
	add_number_arg(perfetto, "len", ARG_UNSIGNED, hit->len);
	add_address_arg(perfetto, "addr", hit->addr);
	if (hit->has_old)
		add_value_arg(perfetto, hit, "old", hit->old, hit->old_text);
	if (hit->has_values)
		add_value_arg(perfetto, hit, "new", hit->new, hit->new_text);
	if (hit->torn)
		add_number_arg(perfetto, "torn", ARG_BOOL, true);
	if (hit->has_wrote)
		add_value_arg(perfetto, hit, "wrote", hit->wrote, hit->wrote_text);
	if (hit->nr_fields)
		add_fields(perfetto, hit);
	if (hit->stack)
		add_frames(perfetto, hit->stack);
	write_event(perfetto, hit->time);
}

static void write_stack(struct sink *sink, const struct stack *stack)
{
	struct perfetto *perfetto = perfetto_of(sink);

	begin_event(perfetto, stack->user ? "user stack" : "stack", stack->pid, stack->cpu,
		    stack->comm);
	add_frames(perfetto, stack);
	write_event(perfetto, stack->time);
}

static void free_perfetto(struct sink *sink)
{
	struct perfetto *perfetto = perfetto_of(sink);
	int i;

	tracks_free(&perfetto->tracks);
	for (i = 0; i < NR_TEXTS; i++)
		names_free(&perfetto->names[i]);
	names_free(&perfetto->tasks);
	free(perfetto->texts.data);
	free(perfetto->packet.data);
	free(perfetto->event.data);
	free(perfetto->arg.data);
	free(perfetto->inner.data);
}

static const struct sink_ops ops = {
	.begin = begin_trace,
	.hit = write_hit,
	.stack = write_stack,
	.free = free_perfetto,
};

struct sink *perfetto_sink(FILE *out)
{
	return sink_new(sizeof(struct perfetto), &ops, out);
}

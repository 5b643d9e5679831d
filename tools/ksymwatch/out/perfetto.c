// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits in the JSON trace format of Perfetto's user interface and Chrome: a counter with the
 * value of each watch, and an instant event per hit.
 *
 * A recording does not say which tasks are threads of one process, so each task is shown as
 * a process. The counters belong to a process of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "hits/tracks.h"
#include "lib/text.h"
#include "lib/util.h"
#include "out/sinks.h"

/* Not the pid of a task: these are below 2^22. */
#define COUNTERS_PID	0x400000

/* Each CPU has a task with pid 0; the readers expect unique pids. */
#define IDLE_PID(cpu)	(COUNTERS_PID + 1 + (cpu))

/**
 * struct perfetto - a sink that writes a trace
 * @sink: the sink
 * @json: the JSON
 * @tracks: the counters so far
 * @named: bitmap of the processes whose names were written
 * @nr_named: number of words in it
 */
struct perfetto {
	struct sink	sink;
	struct json	json;
	struct tracks	tracks;
	uint64_t	*named;
	size_t		nr_named;
};

static struct perfetto *perfetto_of(struct sink *sink)
{
	return container_of(sink, struct perfetto, sink);
}

static void end_event(struct perfetto *perfetto)
{
	json_close(&perfetto->json, '}');
	putc('\n', perfetto->json.out);
}

static void begin_event(struct perfetto *perfetto, const char *phase, const char *name,
			int pid)
{
	json_open(&perfetto->json, NULL, '{');
	json_text(&perfetto->json, "ph", phase);
	json_text(&perfetto->json, "name", name);
	json_signed(&perfetto->json, "pid", pid);
	json_signed(&perfetto->json, "tid", pid);
}

/* The format has microseconds; the nanoseconds are a fraction. */
static void write_time(struct perfetto *perfetto, unsigned long long time)
{
	fprintf(perfetto->json.out, ",\"ts\":%llu.%03llu", time / 1000, time % 1000);
}

static void write_metadata(struct perfetto *perfetto, const char *event, int pid,
			   const char *name)
{
	begin_event(perfetto, "M", event, pid);
	json_open(&perfetto->json, "args", '{');
	json_text(&perfetto->json, "name", name);
	json_close(&perfetto->json, '}');
	end_event(perfetto);
}

/* Writes the name of a process before its first event. */
static void name_process(struct perfetto *perfetto, int pid, const char *name)
{
	size_t word = (unsigned int)pid / 64;
	uint64_t bit = 1ULL << (unsigned int)pid % 64;

	if (word >= perfetto->nr_named) {
		perfetto->named = xreallocarray(perfetto->named, word + 1,
						sizeof(*perfetto->named));
		memset(&perfetto->named[perfetto->nr_named], 0,
		       (word + 1 - perfetto->nr_named) * sizeof(*perfetto->named));
		perfetto->nr_named = word + 1;
	}
	if (perfetto->named[word] & bit)
		return;
	perfetto->named[word] |= bit;
	write_metadata(perfetto, "process_name", pid, name);
	write_metadata(perfetto, "thread_name", pid, name);
}

static int name_task(struct perfetto *perfetto, int pid, int cpu, const char *comm)
{
	if (!pid)
		pid = IDLE_PID(cpu);
	/* A damaged file may contain any pid. */
	if (pid < 0 || pid > IDLE_PID(1 << 16))
		return pid;
	name_process(perfetto, pid, comm);
	return pid;
}

static void begin_trace(struct sink *sink)
{
	struct perfetto *perfetto = perfetto_of(sink);

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", perfetto->json.out);
	name_process(perfetto, COUNTERS_PID, "watched values");
}

static void write_counter(struct perfetto *perfetto, const struct hit *hit)
{
	size_t track = tracks_find(&perfetto->tracks, hit);

	begin_event(perfetto, "C", perfetto->tracks.track[track].name, COUNTERS_PID);
	write_time(perfetto, hit->time);
	json_open(&perfetto->json, "args", '{');
	json_print(&perfetto->json, "value", hit->is_signed ? "%lld" : "%llu", hit->new);
	json_close(&perfetto->json, '}');
	end_event(perfetto);
}

/* Writes one string per frame. */
static void write_frames(struct json *json, const struct stack *stack)
{
	size_t i;

	json_open(json, "stack", '[');
	for (i = 0; i < stack->nr; i++) {
		char *text = frame_text(&stack->frame[i]);

		json_text(json, NULL, text);
		free(text);
	}
	json_close(json, ']');
}

static void write_instant(struct perfetto *perfetto, const struct hit *hit)
{
	int pid = name_task(perfetto, hit->pid, hit->cpu, hit->comm);
	struct json *json = &perfetto->json;
	char *name = xasprintf("%s %s", hit->watch, access_word(hit->access));

	begin_event(perfetto, "i", name, pid);
	free(name);
	json_text(json, "cat", hit->watch);
	json_text(json, "s", "t");
	write_time(perfetto, hit->time);
	json_open(json, "args", '{');
	json_text(json, "function", hit->function);
	json_hex(json, "ip", hit->ip);
	json_text(json, "task", hit->comm);
	json_signed(json, "pid", hit->pid);
	json_signed(json, "cpu", hit->cpu);
	json_text(json, "access", access_word(hit->access));
	json_unsigned(json, "len", hit->len);
	json_hex(json, "addr", hit->addr);
	json_text(json, "old", hit->old_text);
	json_text(json, "new", hit->new_text);
	if (hit->torn)
		json_bool(json, "torn", true);
	if (hit->has_wrote)
		json_text(json, "wrote", hit->wrote_text);
	if (hit->nr_fields)
		json_fields(json, "args", hit);
	if (hit->stack)
		write_frames(json, hit->stack);
	json_close(json, '}');
	end_event(perfetto);
}

static void write_hit(struct sink *sink, const struct hit *hit)
{
	struct perfetto *perfetto = perfetto_of(sink);

	if (hit->has_values)
		write_counter(perfetto, hit);
	write_instant(perfetto, hit);
}

static void write_stack(struct sink *sink, const struct stack *stack)
{
	struct perfetto *perfetto = perfetto_of(sink);
	int pid = name_task(perfetto, stack->pid, stack->cpu, stack->comm);

	begin_event(perfetto, "i", stack->user ? "user stack" : "stack", pid);
	json_text(&perfetto->json, "s", "t");
	write_time(perfetto, stack->time);
	json_open(&perfetto->json, "args", '{');
	write_frames(&perfetto->json, stack);
	json_close(&perfetto->json, '}');
	end_event(perfetto);
}

static void end_trace(struct sink *sink, struct summary *summary __maybe_unused)
{
	fputs("]}\n", sink->out);
}

static void free_perfetto(struct sink *sink)
{
	struct perfetto *perfetto = perfetto_of(sink);

	tracks_free(&perfetto->tracks);
	free(perfetto->named);
}

static const struct sink_ops ops = {
	.begin = begin_trace,
	.hit = write_hit,
	.stack = write_stack,
	.end = end_trace,
	.free = free_perfetto,
};

/**
 * perfetto_sink - write hits as a trace for Perfetto
 * @out: where to
 *
 * Return: the sink.
 */
struct sink *perfetto_sink(FILE *out)
{
	struct perfetto *perfetto = sink_new(sizeof(*perfetto), &ops, out);

	perfetto->json.out = out;
	return &perfetto->sink;
}

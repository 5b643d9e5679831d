// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits: how a record of the trace buffer becomes one, what a row of the table looks
 * like, and the summary by watch and function.
 *
 * Fields are found by their names, so a kernel may add some or move them.
 */
#include <ctype.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "ksymwatch.h"

/*
 * What a watch's event has in any case. One that covers more than its bytes has no
 * values. Most events have a field that is printed where it is not 0 only; what else there
 * is was asked for, as are what the instruction stored and the fetch arguments.
 */
static const char * const fixed_fields[] = { "ip", "addr", "access", "len" };
static const char * const value_fields[] = { "old", "new" };
#define TORN_FIELD	"torn"

#define KERNEL_STACK	"kernel_stack"
#define USER_STACK	"user_stack"

#define ACCESS_READ	1
#define ACCESS_WRITE	2

/* What the kernel prints for an access. */
static const char * const access_words[] = { "?", "r", "w", "rw" };

/**
 * struct hit - a record of a watch's event
 * @watch: what the watch is called
 * @function: the function that did it, or NULL where its name is not known
 * @start: where that function begins, or @ip
 * @ip: the instruction after the access
 * @has_values: are @old and @new known?
 * @old: the value before
 * @new: the value after
 * @torn: another value was there in the same trap: somebody else wrote as well
 * @access: bit 0: read, bit 1: write; 0 where not known
 * @len: the length of the watch in bytes
 * @event: the event of the watch
 * @record: the record
 */
struct hit {
	char			watch[KSYM_EVENT_LEN];
	const char		*function;
	unsigned long long	start;
	unsigned long long	ip;
	bool			has_values;
	unsigned long long	old;
	unsigned long long	new;
	bool			torn;
	unsigned int		access;
	unsigned int		len;
	struct tep_event	*event;
	struct tep_record	*record;
};

static bool has_fields(struct tep_event *event, const char * const *names, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!tep_find_field(event, names[i]))
			return false;
	return true;
}

/* A watch may have an event in any group, so it is known by its fields. */
bool is_watch_event(struct tep_event *event)
{
	return has_fields(event, fixed_fields, ARRAY_SIZE(fixed_fields)) &&
	       (!strcmp(event->system, KSYM_GROUP) ||
		has_fields(event, value_fields, ARRAY_SIZE(value_fields)));
}

/*
 * Takes a record of the trace buffer apart; what the hit points to belongs to the event's
 * handle. Returns false where the record is no hit of a watch.
 */
static bool decode(struct hit *hit, struct tep_event *event, struct tep_record *record)
{
	unsigned long long access, len, torn = 0;

	if (!event || !is_watch_event(event))
		return false;
	if (tep_get_field_val(NULL, event, "ip", record, &hit->ip, 0) ||
	    tep_get_field_val(NULL, event, "access", record, &access, 0) ||
	    tep_get_field_val(NULL, event, "len", record, &len, 0))
		return false;

	hit->has_values = !tep_get_field_val(NULL, event, "old", record, &hit->old, 0) &&
			  !tep_get_field_val(NULL, event, "new", record, &hit->new, 0);
	/* A kernel before the one that tells this has no such field. */
	hit->torn = !tep_get_field_val(NULL, event, TORN_FIELD, record, &torn, 0) && torn;
	hit->event = event;
	hit->record = record;
	hit->access = access & (ACCESS_READ | ACCESS_WRITE);
	hit->len = len;
	join_event(hit->watch, event->system, event->name);
	hit->function = tep_find_function(event->tep, hit->ip);
	hit->start = tep_find_function_address(event->tep, hit->ip);
	if (!hit->function)
		hit->start = hit->ip;
	return true;
}

void hit_print_header(FILE *out)
{
	fprintf(out, "#%15s-%-7s  %-5s %12s  %-20s %-6s  %-25s  %s\n", "TASK", "PID", "CPU", "TIME",
		"WATCH", "ACCESS", "OLD -> NEW", "FUNCTION");
}

/* A task may call itself what it likes, terminal codes included; so may a string. */
static void print_text(FILE *out, const char *text)
{
	for (; *text; text++)
		putc(iscntrl((unsigned char)*text) ? '?' : *text, out);
}

/* What each row begins with: who, where and when. */
static void print_task(FILE *out, struct tep_handle *tep, struct tep_record *record)
{
	int pid = tep_data_pid(tep, record);
	const char *comm = tep_data_comm_from_pid(tep, pid);
	int width = 16 - (int)strlen(comm);

	fprintf(out, "%*s", width > 0 ? width : 0, "");
	print_text(out, comm);
	fprintf(out, "-%-7d  [%03d] %5llu.%06llu  ", pid, record->cpu,
		record->ts / 1000000000, record->ts / 1000 % 1000000);
}

static bool is_one_of(const char *name, const char * const *names, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Does the event print more of a hit than the rows show of each? */
static bool has_more(const struct hit *hit)
{
	struct tep_format_field *field;

	for (field = hit->event->format.fields; field; field = field->next)
		if (!is_one_of(field->name, fixed_fields, ARRAY_SIZE(fixed_fields)) &&
		    !is_one_of(field->name, value_fields, ARRAY_SIZE(value_fields)) &&
		    strcmp(field->name, TORN_FIELD))
			return true;
	return hit->torn;
}

/*
 * Prints what else there is, which the event knows how to: it stands behind the function
 * in what that prints, and before it there is no " by ".
 */
static void print_more(FILE *out, const struct hit *hit)
{
	static const char before[] = " by ";
	struct trace_seq seq;
	char *args;

	trace_seq_init(&seq);
	tep_print_event(hit->event->tep, &seq, hit->record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	args = seq.buffer ? strstr(seq.buffer, before) : NULL;
	args = args ? strchr(args + strlen(before), ' ') : NULL;
	if (args)
		print_text(out, args);
	trace_seq_destroy(&seq);
}

static void print_hit(FILE *out, const struct hit *hit)
{
	char access[16], values[48];

	snprintf(access, sizeof(access), "%s%u", access_words[hit->access], hit->len);
	if (hit->has_values)
		snprintf(values, sizeof(values), "0x%llx -> 0x%llx", hit->old, hit->new);
	else
		snprintf(values, sizeof(values), "-");
	print_task(out, hit->event->tep, hit->record);
	fprintf(out, "%-20s %-6s  %-25s  ", hit->watch, access, values);
	if (hit->function)
		fprintf(out, "%s+%#llx", hit->function, hit->ip - hit->start);
	else
		fprintf(out, "%#llx", hit->ip);
	if (has_more(hit))
		print_more(out, hit);
	putc('\n', out);
}

/*
 * Prints a stack as the kernel does, a function a line, below a row that says whose it is.
 * Of user space there are the addresses only: the task may be gone.
 */
static void print_stack(FILE *out, struct tep_event *event, struct tep_record *record)
{
	bool user = !strcmp(event->name, USER_STACK);
	struct tep_format_field *callers = tep_find_field(event, "caller");
	unsigned long long nr = 0, i;

	if (!callers || callers->offset > record->size)
		return;
	print_task(out, event->tep, record);
	fprintf(out, "%s\n", user ? "<user stack trace>" : "<stack trace>");
	/* That of user space has a fixed number of places, and ends where one is empty. */
	if (tep_get_field_val(NULL, event, "size", record, &nr, 0) ||
	    nr > (record->size - callers->offset) / sizeof(uint64_t))
		nr = (record->size - callers->offset) / sizeof(uint64_t);
	for (i = 0; i < nr; i++) {
		const char *place = (char *)record->data + callers->offset + i * sizeof(uint64_t);
		unsigned long long addr = tep_read_number(event->tep, place, sizeof(uint64_t));
		const char *function = user ? NULL : tep_find_function(event->tep, addr);

		if (user && !addr)
			break;
		if (function)
			fprintf(out, " => %s\n", function);
		else
			fprintf(out, " => %#llx\n", addr);
	}
}

/* The buffer says that it was overwritten, and with luck how often. */
void hit_print_lost(FILE *out, int cpu, long long lost)
{
	if (lost > 0)
		fprintf(out, "# CPU %d: %lld hits lost here: the trace buffer was full\n",
			cpu, lost);
	else
		fprintf(out, "# CPU %d: hits lost here: the trace buffer was full\n",
			cpu);
}

/* A line of the summary; the first three members are what distinguishes it. */
struct line {
	char			*watch;
	char			*function;
	unsigned long long	start;
	unsigned long long	hits;
	unsigned long long	reads;
	unsigned long long	writes;
	unsigned long long	unknown;
	unsigned long long	changes;
};

/**
 * struct summary - hits by watch and function
 * @tree: of struct line, for tsearch(3)
 * @line: the same lines, in the order in which they first came
 * @nr: how many they are
 * @hits: the number of all hits
 * @lost: hits that the buffer lost, as far as they are known
 * @lost_more: it lost others, nobody knows how many
 * @after_hit: for each CPU, was the last record that it wrote a hit?
 * @nr_cpus: how many CPUs that knows
 */
struct summary {
	void			*tree;
	struct line		**line;
	size_t			nr;
	unsigned long long	hits;
	unsigned long long	lost;
	bool			lost_more;
	bool			*after_hit;
	int			nr_cpus;
};

struct summary *summary_new(void)
{
	return xcalloc(1, sizeof(struct summary));
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *line_a = a, *line_b = b;

	if (line_a->start != line_b->start)
		return line_a->start < line_b->start ? -1 : 1;
	return strcmp(line_a->watch, line_b->watch);
}

static struct line *find_line(struct summary *summary, const struct hit *hit)
{
	struct line key = { .watch = (char *)hit->watch, .start = hit->start };
	struct line *line, **found;

	found = tfind(&key, &summary->tree, compare_lines);
	if (found)
		return *found;

	line = xcalloc(1, sizeof(*line));
	line->watch = xstrdup(hit->watch);
	line->start = hit->start;
	line->function = hit->function ? xstrdup(hit->function) :
			 xasprintf("%#llx", hit->ip);
	if (!tsearch(line, &summary->tree, compare_lines))
		die("out of memory");
	summary->line = xreallocarray(summary->line, summary->nr + 1,
				      sizeof(*summary->line));
	summary->line[summary->nr++] = line;
	return line;
}

static void add_hit(struct summary *summary, const struct hit *hit)
{
	struct line *line = find_line(summary, hit);

	summary->hits++;
	line->hits++;
	line->reads += !!(hit->access & ACCESS_READ);
	line->writes += !!(hit->access & ACCESS_WRITE);
	line->unknown += !hit->access;
	line->changes += hit->has_values && hit->old != hit->new;
}

/* Remembers whether a CPU's last record is a hit. Returns what the one before was. */
static bool note_record(struct summary *summary, int cpu, bool is_hit)
{
	bool was_hit;

	for (; summary->nr_cpus <= cpu; summary->nr_cpus++) {
		summary->after_hit = xreallocarray(summary->after_hit, summary->nr_cpus + 1,
						   sizeof(*summary->after_hit));
		summary->after_hit[summary->nr_cpus] = false;
	}
	was_hit = summary->after_hit[cpu];
	summary->after_hit[cpu] = is_hit;
	return was_hit;
}

/**
 * hit_take - count a record if it is a hit, and show it
 * @summary: counts it
 * @rows: where to print a row for a hit, and those of its stack, or NULL
 * @event: what the record is of, or NULL where that is not known
 * @record: the record
 */
void hit_take(struct summary *summary, FILE *rows, struct tep_event *event,
	      struct tep_record *record)
{
	struct hit hit;
	bool is_hit = decode(&hit, event, record);
	bool was_hit = note_record(summary, record->cpu, is_hit);

	if (is_hit)
		add_hit(summary, &hit);
	if (!rows)
		return;
	if (is_hit) {
		print_hit(rows, &hit);
		return;
	}
	if (!event || strcmp(event->system, FTRACE_GROUP))
		return;
	/* A recording of others may have stacks of other events as well. */
	if ((was_hit && !strcmp(event->name, KERNEL_STACK)) || !strcmp(event->name, USER_STACK))
		print_stack(rows, event, record);
}

void summary_lost(struct summary *summary, long long lost)
{
	if (lost > 0)
		summary->lost += lost;
	else
		summary->lost_more = true;
}

/* The most hits first; for the rest in an order that is the same each time. */
static int compare_hits(const void *a, const void *b)
{
	const struct line *line_a = *(struct line * const *)a;
	const struct line *line_b = *(struct line * const *)b;
	int order;

	if (line_a->hits != line_b->hits)
		return line_a->hits > line_b->hits ? -1 : 1;
	order = strcmp(line_a->watch, line_b->watch);
	return order ?: strcmp(line_a->function, line_b->function);
}

void summary_print(struct summary *summary, FILE *out)
{
	int watch_width = strlen("WATCH"), function_width = strlen("FUNCTION");
	size_t i;

	if (summary->nr)
		qsort(summary->line, summary->nr, sizeof(*summary->line),
		      compare_hits);
	for (i = 0; i < summary->nr; i++) {
		int watch = strlen(summary->line[i]->watch);
		int function = strlen(summary->line[i]->function);

		watch_width = watch > watch_width ? watch : watch_width;
		function_width = function > function_width ? function : function_width;
	}
	if (summary->nr)
		fprintf(out, "%-*s  %-*s %9s %9s %9s %9s %9s\n", watch_width, "WATCH",
			function_width, "FUNCTION", "HITS", "READS", "WRITES",
			"UNKNOWN", "CHANGES");
	for (i = 0; i < summary->nr; i++) {
		const struct line *line = summary->line[i];

		fprintf(out, "%-*s  %-*s %9llu %9llu %9llu %9llu %9llu\n",
			watch_width, line->watch, function_width, line->function,
			line->hits, line->reads, line->writes, line->unknown,
			line->changes);
	}
	fprintf(out, "%llu hit%s", summary->hits, summary->hits == 1 ? "" : "s");
	if (summary->lost)
		fprintf(out, ", %llu%s lost", summary->lost,
			summary->lost_more ? " or more" : "");
	else if (summary->lost_more)
		fputs(", others lost", out);
	fputs(summary->lost || summary->lost_more ? ": the trace buffer was full\n" :
	      "\n", out);
}

/* The lines are freed by way of the array. */
static void free_nothing(void *line)
{
	(void)line;
}

void summary_free(struct summary *summary)
{
	size_t i;

	if (!summary)
		return;
	tdestroy(summary->tree, free_nothing);
	for (i = 0; i < summary->nr; i++) {
		free(summary->line[i]->watch);
		free(summary->line[i]->function);
		free(summary->line[i]);
	}
	free(summary->line);
	free(summary->after_hit);
	free(summary);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoding the records of a trace buffer into hits with their stacks.
 *
 * Fields are found by name, so a kernel may add or move some. A record may come from a
 * damaged file, so every access is checked against its size.
 *
 * A kernel stack is the next record of the hit's CPU. So a hit waits for that record before
 * it goes to the sink, and later hits of other CPUs wait too.
 */
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "hits/hits.h"
#include "hits/value.h"
#include "lib/util.h"
#include "spec/spec.h"
#include "symbols/lines.h"

/*
 * The fields of a watch's event, those first that all have, then the values, which perf
 * without BPF doesn't know. All other fields are fetch arguments.
 */
enum { IP, ADDR, ACCESS, LEN, OLD, NEW, HAS_OLD, TORN, WROTE, HAS_WROTE, NR_FIELDS };
static const char * const field_names[NR_FIELDS] = {
	"ip", "addr", "access", "len", "old", "new", "has_old", "torn", "wrote",
	"has_wrote",
};

/* The name of an unknown task, as in trace-cmd. */
#define UNKNOWN_COMM	"<...>"

/* The events that matter; those with a name are in FTRACE_GROUP. */
enum event_kind {
	EVENT_OTHER, EVENT_WATCH, EVENT_MARKER, EVENT_STACK, EVENT_USER_STACK, NR_EVENTS
};

static const char * const event_names[NR_EVENTS] = {
	[EVENT_MARKER] = "print", [EVENT_STACK] = "kernel_stack", [EVENT_USER_STACK] = "user_stack",
};

/*
 * Maximum number of waiting records, in case a CPU writes no more. The kernel writes a stack
 * right after its hit, so it arrives much earlier.
 */
#define MAX_WAITING	4096

/* A fetch argument of an event. */
struct arg {
	struct tep_format_field	*field;
	char			conversion;	/* how the event prints it, see find_conversion() */
};

/* What is known of an event, found once as it takes long. */
struct layout {
	struct tep_event	*event;
	enum event_kind		kind;
	char			*watch;
	struct tep_format_field	*field[NR_FIELDS];	/* NULL for those it does not have */
	struct arg		*arg;			/* the fetch arguments */
	size_t			nr_args;
};

/* What can wait for the sink. */
enum item_kind { ITEM_HIT, ITEM_STACK, ITEM_LOST };

/* A hit, a stack or lost hits. */
struct item {
	struct item		*next;
	enum item_kind		kind;
	bool			open;	/* a hit that may still get a stack: its place has it */
	struct hit		hit;
	struct stack		*stack;
	size_t			source;	/* the buffer of an open hit */
	int			cpu;	/* CPU of an open or the lost hits */
	unsigned long long	lost;	/* their number, or 0 if unknown */
};

/* A CPU's part of a buffer. */
struct place {
	struct item	*open;		/* its last hit, if that still waits for its stack */
	bool		was_hit;	/* its last record was a hit */
};

/* A buffer: a place per CPU. */
struct source {
	struct place	*place;
	size_t		nr;
};

/* A stream of hits. */
struct hits {
	struct sink		*sink;		/* gets the hits, or NULL */
	struct summary		summary;
	struct type_table	*types;		/* of the watches, from markers in the trace */
	struct line_table	*lines;		/* source lines or user space, if wanted */
	char			*only;		/* the only watch that is shown, or NULL for all */
	bool			source_lines;	/* source lines are wanted */
	bool			user;		/* the user space of tasks may be known */
	void			*layouts;	/* the events seen, struct layout for tsearch(3) */
	struct item		*first;		/* first waiting item */
	struct item		**last;		/* end of the list of items */
	size_t			nr;		/* number of items */
	struct source		*source;	/* the buffers that the records come from */
	size_t			nr_sources;
};

/* --- Records ---------------------------------------------------------------------- */

static bool is_inside(const struct tep_record *record, long long offset, long long size)
{
	return offset >= 0 && size >= 0 && offset + size <= record->size;
}

static unsigned long long read_number(const struct tep_format_field *field,
				      const struct tep_record *record, int offset, int size)
{
	unsigned long long value;

	value = tep_read_number(field->event->tep, (char *)record->data + offset, size);
	if (field->flags & TEP_FIELD_IS_SIGNED && size < (int)sizeof(value))
		value = (long long)(value << (64 - 8 * size)) >> (64 - 8 * size);
	return value;
}

static bool is_number_size(int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Reads a numeric field; returns false if there is none. */
static bool get_number(struct tep_format_field *field, const struct tep_record *record,
		       unsigned long long *value)
{
	if (!field || !is_number_size(field->size) ||
	    !is_inside(record, field->offset, field->size))
		return false;
	*value = read_number(field, record, field->offset, field->size);
	return true;
}

/* Returns the pid of the task that wrote a record, or -1 if the record has none. */
static int record_pid(struct tep_event *event, struct tep_record *record)
{
	unsigned long long pid;

	if (!get_number(tep_find_common_field(event, "common_pid"), record, &pid))
		return -1;
	return pid;
}

/*
 * A watch's event may be in any group, so it is recognized by its fields. Each file has
 * the format of ftrace:ksym, whose records only cat shows well.
 */
bool is_watch_event(struct tep_event *event)
{
	int nr = strcmp(event->system, KSYM_GROUP) ? NEW + 1 : LEN + 1, i;

	/* Each row has room for the longest, so none may be longer than in the kernel. */
	if (strlen(event->system) >= KSYM_EVENT_LEN || strlen(event->name) >= KSYM_EVENT_LEN)
		return false;
	for (i = 0; i < nr; i++)
		if (!tep_find_field(event, field_names[i]))
			return false;
	return strcmp(event->system, FTRACE_GROUP);
}

/* Returns the shown name of a watch: a new string. */
static char *watch_name(const struct tep_event *event)
{
	return strcmp(event->system, KSYM_GROUP) && !is_session_name(event->system) ?
	       xasprintf("%s/%s", event->system, event->name) : xstrdup(event->name);
}

/* Returns an access as the kernel prints it. */
const char *access_word(unsigned int access)
{
	static const char * const access_words[] = { "?", "r", "w", "rw" };

	return access_words[access & (ACCESS_READ | ACCESS_WRITE)];
}

/* Finds the function of a frame; with @back the one that has the byte before. */
static void name_frame(struct frame *frame, struct tep_handle *tep, bool back)
{
	unsigned long long start;

	frame->function = find_function(tep, frame->addr - back, &start);
	frame->offset = frame->addr - start;
}

/* Returns an address as SYMBOL+OFFSET, or as it is if it is in no symbol; a new string. */
char *place_text(struct tep_handle *tep, unsigned long long addr)
{
	struct frame frame = { .addr = addr };

	name_frame(&frame, tep, 0);
	return frame_text(&frame);
}

/* --- Fetch arguments -------------------------------------------------------------- */

/*
 * Returns the conversion with which the event prints a field: x, c, p for a symbol, or d for
 * any other. It follows the field's name in the event's format.
 */
static char find_conversion(const struct tep_format_field *field)
{
	char *key __autofree = xasprintf(" %s=", field->name);
	const char *format = field->event->print_fmt.format;
	const char *place = format ? strstr(format, key) : NULL;
	char conversion = 'd';

	if (place) {
		place += strlen(key);
		place += strcspn(place, "% ");
		place += strcspn(place, "dusxcpX ");
		if (*place && strchr("xXcp", *place))
			conversion = *place == 'X' ? 'x' : *place;
	}
	return conversion;
}

static char *format_number(const struct tep_format_field *field, char conversion,
			   unsigned long long value)
{
	switch (conversion) {
	case 'x':
		return xasprintf("0x%llx", value);
	case 'c':
		return xasprintf("'%c'", (char)value ?: '?');
	case 'p':
		return place_text(field->event->tep, value);
	default:
		return field->flags & TEP_FIELD_IS_SIGNED ? xasprintf("%lld", value) :
							    xasprintf("%llu", value);
	}
}

/* Returns the text of a string field, static or dynamic. */
static char *read_text(struct tep_format_field *field, const struct tep_record *record)
{
	long long offset = field->offset, size = field->size;
	unsigned long long place;

	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		if (!get_number(field, record, &place))
			return NULL;
		offset = place & 0xffff;
		size = place >> 16 & 0xffff;
		if (field->flags & TEP_FIELD_IS_RELATIVE)
			offset += field->offset + field->size;
	}
	if (!is_inside(record, offset, size))
		return NULL;
	return strndup((char *)record->data + offset, size);
}

/* Returns the numbers of an array, as the kernel prints them. */
static char *read_array(const struct arg *arg, const struct tep_record *record)
{
	char *joined __autofree = NULL;
	const struct tep_format_field *field = arg->field;
	int size = field->elementsize, offset = field->offset, i;
	struct strings numbers __cleanup(strings_free) = {};

	if (!is_number_size(size) || !is_inside(record, offset, field->size))
		return NULL;
	for (i = 0; i + size <= field->size; i += size) {
		unsigned long long value = read_number(field, record, offset + i, size);

		strings_add_owned(&numbers, format_number(field, arg->conversion, value));
	}
	joined = strings_join(&numbers, ",");
	return xasprintf("{%s}", joined);
}

static void read_arg(struct hit_field *shown, const struct arg *arg,
		     const struct tep_record *record)
{
	struct tep_format_field *field = arg->field;

	shown->name = field->name;
	shown->is_signed = field->flags & TEP_FIELD_IS_SIGNED;
	/* libtraceevent takes any byte array for a string; only char is one. */
	if (strstr(field->type, "char") &&
	    field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)) {
		shown->text = read_text(field, record);
		shown->is_text = shown->text;
	} else if (field->flags & TEP_FIELD_IS_ARRAY) {
		shown->text = read_array(arg, record);
	} else if (get_number(field, record, &shown->value)) {
		shown->is_number = arg->conversion != 'p' && arg->conversion != 'c';
		shown->text = format_number(field, arg->conversion, shown->value);
	}
	if (!shown->text)
		shown->text = xstrdup("?");
}

static void read_args(struct hit *hit, const struct layout *layout,
		      const struct tep_record *record)
{
	if (!layout->nr_args)
		return;
	hit->field = xcalloc(layout->nr_args, sizeof(*hit->field));
	for (; hit->nr_fields < layout->nr_args; hit->nr_fields++)
		read_arg(&hit->field[hit->nr_fields], &layout->arg[hit->nr_fields], record);
}

/* --- Events ------------------------------------------------------------------------ */

static int compare_layouts(const void *a, const void *b)
{
	const struct layout *layout_a = a, *layout_b = b;

	if (layout_a->event != layout_b->event)
		return layout_a->event < layout_b->event ? -1 : 1;
	return 0;
}

static void lay_out_watch(struct layout *layout, struct tep_event *event)
{
	struct tep_format_field *field;
	int i;

	layout->kind = EVENT_WATCH;
	layout->watch = watch_name(event);
	for (field = event->format.fields; field; field = field->next) {
		for (i = 0; i < NR_FIELDS && strcmp(field->name, field_names[i]); i++)
			;
		if (i < NR_FIELDS) {
			layout->field[i] = field;
			continue;
		}
		*array_add(layout->arg, layout->nr_args) =
			(struct arg) { field, find_conversion(field) };
	}
}

static const struct layout *find_layout(struct hits *hits, struct tep_event *event)
{
	struct layout key = { .event = event }, *layout, **found;
	int i;

	found = tfind(&key, &hits->layouts, compare_layouts);
	if (found)
		return *found;
	layout = xcalloc(1, sizeof(*layout));
	layout->event = event;
	check_memory(tsearch(layout, &hits->layouts, compare_layouts));
	if (is_watch_event(event))
		lay_out_watch(layout, event);
	for (i = 0; i < NR_EVENTS && !strcmp(event->system, FTRACE_GROUP); i++)
		if (event_names[i] && !strcmp(event->name, event_names[i]))
			layout->kind = i;
	return layout;
}

static void free_layout(void *node)
{
	struct layout *layout = node;

	free(layout->watch);
	free(layout->arg);
	free(layout);
}

/* --- Hits and stacks -------------------------------------------------------------- */

/* Formats a value, and makes it the number that it is by its type. */
static char *format_value(struct hit *hit, const struct value_type *type,
			  struct tep_handle *tep, unsigned long long *number)
{
	/* A watch of more than 8 bytes is hit in pieces. */
	struct value value = {
		.bits = *number,
		.len = hit->len < sizeof(*number) ? hit->len : sizeof(*number),
		.addr = hit->addr,
	};
	char *text = value_format(type, &value, tep);

	*number = value.bits;
	hit->is_signed = value.is_signed;
	return text;
}

static void format_values(struct hit *hit, const struct value_type *type,
			  struct tep_handle *tep)
{
	hit->is_typed = type;
	if (hit->has_values) {
		hit->old_text = format_value(hit, type, tep, &hit->old);
		hit->new_text = format_value(hit, type, tep, &hit->new);
	}
	if (hit->has_values && !hit->has_old)
		memcpy(hit->old_text, "?", sizeof("?"));
	if (hit->asked_wrote)
		hit->wrote_text = format_value(hit, type, tep, &hit->wrote);
}

/* Returns the name of a task, a new string. A kernel's is shorter than this. */
static char *task_name(struct tep_handle *tep, int pid)
{
	return xasprintf("%.64s", tep_data_comm_from_pid(tep, pid) ?: UNKNOWN_COMM);
}

/* Decodes a record. Returns false if it is no hit. */
static bool decode(struct hit *hit, const struct type_table *types, const struct layout *layout,
		   struct tep_record *record)
{
	struct tep_format_field * const *field = layout->field;
	unsigned long long access, len, start, value = 0;
	struct tep_event *event = layout->event;
	struct tep_handle *tep = event->tep;

	memset(hit, 0, sizeof(*hit));
	if (!get_number(field[IP], record, &hit->ip) ||
	    !get_number(field[ADDR], record, &hit->addr) ||
	    !get_number(field[ACCESS], record, &access) ||
	    !get_number(field[LEN], record, &len))
		return false;

	hit->has_values = get_number(field[OLD], record, &hit->old) &&
			  get_number(field[NEW], record, &hit->new);
	/* perf may have missed the last write before its first hit. The tracer never does. */
	hit->has_old = hit->has_values &&
		       (!get_number(field[HAS_OLD], record, &value) || value);
	if (!hit->has_old)
		hit->old = hit->new;
	/* Older kernels and perf have no such field. */
	hit->has_torn = get_number(field[TORN], record, &value);
	hit->torn = hit->has_torn && value;
	hit->asked_wrote = get_number(field[WROTE], record, &hit->wrote);
	hit->has_wrote = hit->asked_wrote &&
			 get_number(field[HAS_WROTE], record, &value) && value;
	hit->access = access & (ACCESS_READ | ACCESS_WRITE);
	hit->len = len;
	/* Those of signed types are sign-extended. */
	if (hit->len < sizeof(hit->old)) {
		unsigned long long bytes = (1ULL << hit->len * CHAR_BIT) - 1;

		hit->old &= bytes;
		hit->new &= bytes;
		hit->wrote &= bytes;
	}
	hit->time = record->ts;
	hit->cpu = record->cpu;
	hit->pid = record_pid(event, record);
	hit->comm = task_name(tep, hit->pid);
	hit->watch = layout->watch;
	hit->function = find_function(tep, hit->ip, &hit->start);
	hit->symbol = find_function(tep, hit->addr, &start);
	hit->offset = hit->addr - start;
	format_values(hit, type_table_find(types, hit->watch), tep);
	read_args(hit, layout, record);
	return true;
}

/*
 * Decodes a stack. A user stack has a fixed number of entries and ends with an empty one;
 * its functions are known only as long as the task runs, or by its recorded mappings, see
 * find_user_code().
 */
static struct stack *read_stack(struct tep_event *event, struct tep_record *record)
{
	struct tep_format_field *callers = tep_find_field(event, "caller");
	unsigned long long room, nr, i;
	struct stack *stack;

	if (!callers || !is_inside(record, callers->offset, 0))
		return NULL;
	room = (record->size - callers->offset) / sizeof(uint64_t);
	if (!get_number(tep_find_field(event, "size"), record, &nr) || nr > room)
		nr = room;

	stack = xcalloc(1, sizeof(*stack));
	stack->user = !strcmp(event->name, event_names[EVENT_USER_STACK]);
	stack->time = record->ts;
	stack->cpu = record->cpu;
	stack->pid = record_pid(event, record);
	stack->comm = task_name(event->tep, stack->pid);
	stack->frame = xcalloc(nr + 1, sizeof(*stack->frame));
	for (i = 0; i < nr; i++) {
		struct frame *frame = &stack->frame[stack->nr];

		frame->addr = read_number(callers, record,
					  callers->offset + i * sizeof(uint64_t),
					  sizeof(uint64_t));
		if (stack->user && !frame->addr)
			break;
		/* A call that never returns may be the last instruction. */
		if (!stack->user)
			name_frame(frame, event->tep, stack->nr && frame->addr);
		stack->nr++;
	}
	return stack;
}

/*
 * Returns a frame as FUNCTION+OFFSET or as an address, with the file in user space; a new
 * string.
 */
char *frame_text(const struct frame *frame)
{
	if (frame->user && frame->user->object && frame->function)
		return xasprintf("%s+0x%llx (%s)", frame->function, frame->offset,
				 frame->user->object);
	if (frame->user && frame->user->object)
		return xasprintf("%s+0x%llx", frame->user->object, frame->offset);
	return frame->function ? xasprintf("%s+0x%llx", frame->function, frame->offset) :
				 xasprintf("0x%llx", frame->addr);
}

static void free_stack(struct stack *stack)
{
	if (!stack)
		return;
	free(stack->comm);
	free(stack->frame);
	free(stack);
}

static void free_hit(struct hit *hit)
{
	size_t i;

	for (i = 0; i < hit->nr_fields; i++)
		free(hit->field[i].text);
	free(hit->field);
	free(hit->old_text);
	free(hit->new_text);
	free(hit->wrote_text);
	free(hit->comm);
	free_stack(hit->stack);
}

/* Makes a sink for sink_free(): a structure of this size, otherwise zero, begins with it. */
void *sink_new(size_t size, const struct sink_ops *ops, FILE *out)
{
	struct sink *sink = xcalloc(1, size);

	sink->ops = ops;
	sink->out = out;
	return sink;
}

/* Frees a sink of sink_new(), or none. */
void sink_free(struct sink *sink)
{
	if (sink && sink->ops->free)
		sink->ops->free(sink);
	free(sink);
}

/* --- The stream ------------------------------------------------------------------- */

/* Makes a stream of hits for hits_free(); without a sink only its summary is of use. */
struct hits *hits_new(struct sink *sink)
{
	struct hits *hits = xcalloc(1, sizeof(*hits));

	hits->sink = sink;
	hits->last = &hits->first;
	hits->types = type_table_new();
	return hits;
}

/* Ignores the hits of all other watches. */
void hits_want_only(struct hits *hits, const char *watch)
{
	hits->only = xstrdup(watch);
}

/* Looks up source lines; with @live also what tasks that still run have in user space. */
void hits_want_lines(struct hits *hits, bool source, bool live)
{
	hits->lines = line_table_new();
	hits->source_lines = source;
	hits->user = live;
}

/* Takes what the tasks of a recording had mapped, as in symbols/mappings.h. */
void hits_take_mappings(struct hits *hits, const char *text, size_t size)
{
	if (!hits->sink || !hits->sink->ops->stack)
		return;
	hits->lines = hits->lines ?: line_table_new();
	hits->user = true;
	lines_take_mappings(hits->lines, text, size);
}

/*
 * Calls the sink's begin(), with the events that may come. Call it once the source is known to
 * be readable, so that an error prints no heading.
 */
void hits_begin(struct hits *hits, struct tep_handle *tep)
{
	struct tep_event **events = tep_list_events(tep, TEP_EVENT_SORT_ID);
	char *name;

	for (; hits->sink && events && *events; events++) {
		if (!is_watch_event(*events))
			continue;
		name = watch_name(*events);
		if ((int)strlen(name) > hits->sink->watch_width)
			hits->sink->watch_width = strlen(name);
		free(name);
	}
	if (hits->sink && hits->sink->ops->begin)
		hits->sink->ops->begin(hits->sink);
}

static struct place *find_place(struct hits *hits, size_t source, size_t cpu)
{
	struct source *buffer;

	if (source >= hits->nr_sources) {
		hits->source = xreallocarray(hits->source, source + 1, sizeof(*hits->source));
		memset(&hits->source[hits->nr_sources], 0,
		       (source + 1 - hits->nr_sources) * sizeof(*hits->source));
		hits->nr_sources = source + 1;
	}
	buffer = &hits->source[source];
	if (cpu >= buffer->nr) {
		buffer->place = xreallocarray(buffer->place, cpu + 1, sizeof(*buffer->place));
		memset(&buffer->place[buffer->nr], 0,
		       (cpu + 1 - buffer->nr) * sizeof(*buffer->place));
		buffer->nr = cpu + 1;
	}
	return &buffer->place[cpu];
}

static struct item *add_item(struct hits *hits, enum item_kind kind)
{
	struct item *item = xcalloc(1, sizeof(*item));

	item->kind = kind;
	*hits->last = item;
	hits->last = &item->next;
	hits->nr++;
	return item;
}

static void show_item(struct sink *sink, const struct item *item)
{
	if (!sink)
		return;
	if (item->kind == ITEM_HIT && sink->ops->hit)
		sink->ops->hit(sink, &item->hit);
	else if (item->kind == ITEM_STACK && sink->ops->stack)
		sink->ops->stack(sink, item->stack);
	else if (item->kind == ITEM_LOST && sink->ops->lost)
		sink->ops->lost(sink, item->cpu, item->lost);
}

/* Takes the first item out. */
static void remove_item(struct hits *hits)
{
	struct item *item = hits->first;

	hits->first = item->next;
	if (!hits->first)
		hits->last = &hits->first;
	hits->nr--;
	if (item->kind == ITEM_HIT)
		free_hit(&item->hit);
	free_stack(item->stack);
	free(item);
}

/* Shows the items that need not wait; with @all all items. */
static void show_items(struct hits *hits, bool all)
{
	while (hits->first) {
		struct item *item = hits->first;

		if (item->open && !all && hits->nr <= MAX_WAITING)
			break;
		if (item->open)
			find_place(hits, item->source, item->cpu)->open = NULL;
		show_item(hits->sink, item);
		remove_item(hits);
	}
}

/* The last hit of a CPU gets no stack any more. */
static void close_hit(struct place *place)
{
	if (place->open)
		place->open->open = false;
	place->open = NULL;
}

static void take_stack(struct hits *hits, struct place *place, struct stack *stack)
{
	/* A recording of trace-cmd may have stacks of other events. */
	if (!stack->user && place->open)
		place->open->hit.stack = stack;
	else if (stack->user || place->was_hit)
		add_item(hits, ITEM_STACK)->stack = stack;
	else
		free_stack(stack);
}

static void take_lost(struct hits *hits, struct tep_record *record)
{
	struct item *item = add_item(hits, ITEM_LOST);

	item->cpu = record->cpu;
	/* The ring buffer reports lost records, and mostly their number. */
	if (record->missed_events > 0) {
		item->lost = record->missed_events;
		hits->summary.lost += item->lost;
	} else {
		hits->summary.lost_more = true;
	}
}

static void take_marker(struct hits *hits, struct tep_event *event, struct tep_record *record)
{
	char *text __autofree = NULL;
	struct tep_format_field *field = tep_find_field(event, "buf");

	if (!field || !is_inside(record, field->offset, 1))
		return;
	text = xasprintf("%.*s", record->size - field->offset,
			 (char *)record->data + field->offset);
	if (hits->lines)
		lines_note(hits->lines, text);
	type_table_note(hits->types, text);
}

static void find_user_code(const struct hits *hits, struct frame *frame,
			   const struct stack *stack, bool back)
{
	frame->user = lines_user(hits->lines, stack->pid, stack->time, frame->addr - back,
				 hits->source_lines);
	if (!frame->user)
		return;
	frame->function = frame->user->function;
	frame->offset = frame->user->offset + back;
	if (frame->user->lines.nr)
		frame->lines = &frame->user->lines;
}

/* The instruction is before the address, unless that is the begin of a function. */
static void find_lines(const struct hits *hits, struct hit *hit, struct stack *stack)
{
	size_t i;

	if (hit && hits->source_lines)
		hit->lines = lines_at(hits->lines, hit->ip - (hit->ip != hit->start));
	for (i = 0; stack && i < stack->nr; i++) {
		struct frame *frame = &stack->frame[i];

		if (stack->user && hits->user)
			find_user_code(hits, frame, stack, i);
		else if (!stack->user && hits->source_lines)
			frame->lines = lines_at(hits->lines, frame->addr - (i || frame->offset));
	}
}

/*
 * Processes a record of the buffer @source, counted from 0; @event is NULL if unknown. Expects
 * the records of all CPUs in the order of their times. Ignores records that are neither hits
 * nor stacks of hits.
 */
void hits_take(struct hits *hits, size_t source, struct tep_event *event,
	       struct tep_record *record)
{
	struct place *place = find_place(hits, source, record->cpu);
	const struct layout *layout = event ? find_layout(hits, event) : NULL;
	struct stack *stack = NULL;
	struct hit hit;
	bool is_hit;

	if (layout && layout->kind >= EVENT_STACK)
		stack = read_stack(event, record);

	if (record->missed_events) {
		close_hit(place);
		place->was_hit = false;
		take_lost(hits, record);
	}
	if (layout && layout->kind == EVENT_MARKER)
		take_marker(hits, event, record);
	is_hit = layout && layout->kind == EVENT_WATCH &&
		 (!hits->only || !strcmp(hits->only, layout->watch)) &&
		 decode(&hit, hits->types, layout, record);
	if (hits->lines)
		find_lines(hits, is_hit ? &hit : NULL, stack);
	if (stack)
		take_stack(hits, place, stack);
	close_hit(place);
	place->was_hit = is_hit;
	if (is_hit) {
		summary_add(&hits->summary, &hit);
		place->open = add_item(hits, ITEM_HIT);
		place->open->hit = hit;
		place->open->open = true;
		place->open->source = source;
		place->open->cpu = record->cpu;
	}
	show_items(hits, false);
}

/* Is a hit waiting for its stack? */
bool hits_are_open(const struct hits *hits)
{
	return hits->first;
}

/* Shows all waiting hits. Call it when there is nothing more to read for now. */
void hits_flush(struct hits *hits)
{
	show_items(hits, true);
	if (hits->sink && hits->sink->ops->prompt)
		fflush(hits->sink->out);
}

/* Shows all waiting hits, and ends the sink. */
void hits_end(struct hits *hits)
{
	hits_flush(hits);
	if (hits->sink && hits->sink->ops->end)
		hits->sink->ops->end(hits->sink, &hits->summary);
}

/* Returns the summary, which the stream owns. */
struct summary *hits_summary(struct hits *hits)
{
	return &hits->summary;
}

/* Frees a stream, or none, and its waiting hits. */
void hits_free(struct hits *hits)
{
	size_t i;

	if (!hits)
		return;
	while (hits->first)
		remove_item(hits);
	for (i = 0; i < hits->nr_sources; i++)
		free(hits->source[i].place);
	free(hits->source);
	summary_free(&hits->summary);
	tdestroy(hits->layouts, free_layout);
	functions_forget();
	type_table_free(hits->types);
	free(hits->only);
	line_table_free(hits->lines);
	free(hits);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values by their types: what of a type a value needs to print, as a text that travels
 * in the trace; and the printing.
 *
 * The text is a marker, "ksymwatch: NAME [at=OFF] TYPE": the watch's name as this program
 * shows it, the low twelve bits of its address, and its type:
 *
 *   TYPE    [.BIT] [:BITS] KIND        a bit-field: so many bits from this one on
 *   KIND    u4 s4 x4                   a number of 4 bytes: unsigned, signed, not known
 *           b1 c1 p8                   a bool, a char, a pointer
 *           t8 i4                      a ktime_t, a pid_t
 *           j8(250)                    jiffies, so many a second
 *           e4(A=0,B=1) E4(A=-1,...)   an enum, E with a sign; "..." stands for the rest
 *           f4(A=1,B=2,C=4)            an enum whose values are single bits
 *           [16]TYPE                   an array
 *           {a@0u4;b@4.3:5u1;}8        a struct of 8 bytes: members with their offsets;
 *                                      c[2]@5[3]u1: three elements from c[2] on
 *
 * libbpf's btf_dump__dump_type_data() prints less: char[] as a list of characters, flags as
 * a number, bool as 1, pointers without their symbols, types before each value or no names
 * at all; it refuses a value that is not whole, as the piece that one register watches, and
 * it needs BTF where the trace is read, also for what only DWARF describes.
 *
 * A watch of more than eight bytes has several parts, and a hit has the address of its
 * part. The low bits identify the part, as each CPU's copy of a variable lies at the same
 * place in a page.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "hits/value.h"
#include "lib/util.h"
#include "spec/spec.h"
#include "symbols/type.h"

/* A file may ask for anything; no type of a watch comes near these. */
#define MAX_DEPTH	8
#define MAX_SIZE	1048576U
#define MAX_PARTS	4096

/* A watch has no more bytes than this, and lies anywhere in a page. */
#define AT_MASK		4095U

/* The names of an enum and the members of a struct are cut where a text gets longer. */
#define TEXT_LEN	3600
#define ENUM_LEN	1500

enum value_kind {
	VALUE_HEX	= 'x',
	VALUE_UNSIGNED	= 'u',
	VALUE_SIGNED	= 's',
	VALUE_BOOL	= 'b',
	VALUE_CHAR	= 'c',
	VALUE_POINTER	= 'p',
	VALUE_TIME	= 't',
	VALUE_PID	= 'i',
	VALUE_JIFFIES	= 'j',
	VALUE_ENUM	= 'e',
	VALUE_SIGNED_ENUM = 'E',
	VALUE_FLAGS	= 'f',
	VALUE_ARRAY	= '[',
	VALUE_STRUCT	= '{',
};

/* A name of a number. */
struct value_name {
	char	*name;
	int64_t	value;
};

/* What a value needs of its type to print. */
struct value_type {
	enum value_kind		kind;
	unsigned int		size;	/* its bytes */
	unsigned int		at;	/* of the outermost type, where the watch is in a page */
	bool			has_at;	/* is that known? */
	char			*name;	/* of a member */
	unsigned int		off;	/* of a member, the byte where it begins */
	unsigned int		bit;	/* the bit of the first byte where a bit-field begins */
	unsigned int		bits;	/* how many it has, or 0 if it is not a bit-field */
	unsigned int		nr;	/* elements, members or names; jiffies in a second */
	struct value_type	*part;	/* the members, or the one type of all elements */
	struct value_name	*names;	/* of an enum */
};

/* --- A type as text ------------------------------------------------------------ */

/*
 * Are these flags? Each is one bit, or none. One of 4 or more among them makes the
 * difference to names that are counted.
 */
static bool is_flags(const struct type *type)
{
	bool high = false;
	uint64_t i;

	for (i = 0; i < type->nr; i++) {
		uint64_t value = type->enumerator[i].value;

		if (value & (value - 1))
			return false;
		high = high || value >= 4;
	}
	return high;
}

static char *enum_text(struct type *type)
{
	struct strings names = {};
	size_t len = 0;
	char *joined, *text;
	char kind;
	uint64_t i;

	type_open(type);
	kind = is_flags(type) ? VALUE_FLAGS : type->is_signed ? VALUE_SIGNED_ENUM : VALUE_ENUM;
	for (i = 0; i < type->nr; i++) {
		const struct type_enumerator *enumerator = &type->enumerator[i];

		if (!is_identifier(enumerator->name, strlen(enumerator->name)))
			continue;
		len += strlen(enumerator->name) + 24;
		if (len > ENUM_LEN) {
			strings_add(&names, "...");
			break;
		}
		strings_add_owned(&names, xasprintf("%s=%lld", enumerator->name,
						    (long long)enumerator->value));
	}
	joined = strings_join(&names, ",");
	text = xasprintf("%c%u(%s)", kind, (unsigned int)type->size, joined);
	free(joined);
	strings_free(&names);
	return text;
}

/* Jiffies begin as if this many seconds passed before they are 2^32. */
#define JIFFIES_EARLY	300

/*
 * How many jiffies a second has, or 0 if unknown: as many as bring jiffies and the clock to
 * the same time since boot. Nothing else says it on every kernel.
 */
static unsigned int find_hz(void)
{
	static const unsigned int rates[] = { 100, 250, 300, 1000, 24, 48, 64, 128, 256, 1024 };
	char *text = read_file("/proc/timer_list"), *clock, *count;
	unsigned int hz = 0;
	size_t i;

	clock = text ? strstr(text, "now at ") : NULL;
	count = clock ? strstr(clock, "\njiffies: ") : NULL;
	for (i = 0; count && !hz && i < ARRAY_SIZE(rates); i++) {
		double now = strtod(clock + strlen("now at "), NULL) / NS_PER_S;
		double jiffies = strtod(count + strlen("\njiffies: "), NULL);
		double time = (jiffies - 0x1p32) / rates[i] + JIFFIES_EARLY;

		/* A tick of 300 Hz is a little less than a 300th of a second. */
		if (fabs(time - now) < 1 + now / 1000)
			hz = rates[i];
	}
	free(text);
	return hz;
}

/**
 * type_text_named - the text of a type, for a variable or member with a name
 * @text: the text, from type_to_text(), or NULL
 * @type: the type
 * @name: the name
 *
 * Jiffies have no type of their own: a number counts them if its name says so.
 *
 * Return: @text, or a new string in its place.
 */
char *type_text_named(char *text, struct type *type, const char *name)
{
	static int hz = -1;

	if (!text || strcmp(text, "u8"))
		return text;
	/* A timer's; others are of the type u64. */
	if (!strstr(name, "jiffies") && (strcmp(name, "expires") ||
					 strstr(type_strip(type)->name, "long long")))
		return text;
	if (hz < 0)
		hz = find_hz();
	if (!hz)
		return text;
	free(text);
	return xasprintf("%c8(%d)", VALUE_JIFFIES, hz);
}

static char *part_text(struct type *type, unsigned long long off, unsigned long long len,
		       unsigned int depth);

/* A member as a text, or NULL where it is outside of the @len bytes from @off on. */
static char *member_text(const struct type_member *member, unsigned long long base,
			 unsigned long long off, unsigned long long len, unsigned int depth)
{
	unsigned long long begin = base + member->bit / 8, size, end;
	struct type *type = type_strip(member->type);
	char field[32] = "", *text, *whole;
	unsigned int bit = member->bit % 8;

	size = member->bits ? (bit + member->bits + 7) / 8 : type->size;
	end = begin + size;
	if (!size || end < begin || begin < off || end > off + len)
		return NULL;
	if (!is_identifier(member->name, strlen(member->name)))
		return NULL;
	if (member->bits)
		snprintf(field, sizeof(field), ".%u:%u", bit, member->bits);
	text = part_text(member->type, 0, type->size, depth + 1);
	text = type_text_named(text, type, member->name);
	whole = text ? xasprintf("%s@%llu%s%s;", member->name, begin - off, field, text) : NULL;
	free(text);
	return whole;
}

/*
 * The elements of an array that are wholly in the @len bytes from @off on, as a member
 * that is called by the first of them; or NULL where there is none.
 */
static char *elements_text(const struct type_member *member, unsigned long long begin,
			   unsigned long long off, unsigned long long len, unsigned int depth)
{
	struct type *type = type_strip(member->type), *item;
	unsigned long long first = 0, last, end = off + len;
	char *text, *whole;

	type_open(type);
	item = type_strip(type->target);
	if (!item->size || !is_identifier(member->name, strlen(member->name)))
		return NULL;
	if (begin < off)
		first = (off - begin + item->size - 1) / item->size;
	last = end > begin ? (end - begin) / item->size : 0;
	last = last > type->nr ? type->nr : last;
	if (first >= last)
		return NULL;
	text = part_text(type->target, 0, item->size, depth + 1);
	if (!text)
		return NULL;
	begin += first * item->size;
	whole = last - first == 1 ?
		xasprintf("%s[%llu]@%llu%s;", member->name, first, begin - off, text) :
		xasprintf("%s[%llu]@%llu[%llu]%s;", member->name, first, begin - off,
			  last - first, text);
	free(text);
	return whole;
}

/*
 * Adds the members that are wholly in the @len bytes from @off on, those of unnamed
 * structs as well, as C does. What is partly in there is looked into.
 */
static size_t add_members(struct strings *texts, struct type *type, unsigned long long base,
			  unsigned long long off, unsigned long long len, unsigned int depth)
{
	size_t size = 0;
	uint64_t i;

	type_open(type);
	for (i = 0; depth < MAX_DEPTH && i < type->nr && texts->nr < MAX_PARTS; i++) {
		const struct type_member *member = &type->member[i];
		struct type *inner = type_strip(member->type);
		unsigned long long begin = base + member->bit / 8;
		char *text = member_text(member, base, off, len, depth);

		if (!text && inner->kind == TYPE_ARRAY && !member->bits)
			text = elements_text(member, begin, off, len, depth);
		if (text) {
			size += strlen(text);
			strings_add_owned(texts, text);
		} else if ((inner->kind == TYPE_STRUCT || inner->kind == TYPE_UNION) &&
			   begin < off + len && begin + inner->size > off) {
			size += add_members(texts, inner, begin, off, len, depth + 1);
		}
	}
	return size;
}

static char *struct_text(struct type *type, unsigned long long off, unsigned long long len,
			 unsigned int depth)
{
	struct strings texts = {};
	char *joined, *text = NULL;

	if (add_members(&texts, type, 0, off, len, depth) < TEXT_LEN && texts.nr) {
		joined = strings_join(&texts, "");
		text = xasprintf("{%s}%llu", joined, len);
		free(joined);
	}
	strings_free(&texts);
	return text;
}

/* A part of an array, from the beginning of an element to the end of one. */
static char *array_text(struct type *type, unsigned long long off, unsigned long long len,
			unsigned int depth)
{
	struct type *item;
	char *text, *whole;

	type_open(type);
	item = type_strip(type->target);
	if (!item->size)
		return NULL;
	off %= item->size;
	if (len <= item->size - off && (off || len < item->size))
		return part_text(type->target, off, len, depth + 1);
	if (off || len % item->size)
		return NULL;
	text = part_text(type->target, 0, item->size, depth + 1);
	whole = text ? xasprintf("[%llu]%s", len / item->size, text) : NULL;
	free(text);
	return whole;
}

/* What a typedef makes of an integer, or 0. */
static char typedef_kind(struct type *type)
{
	int depth;

	for (depth = 0; type->kind == TYPE_TYPEDEF && depth < MAX_DEPTH; depth++) {
		if (!strcmp(type->name, "ktime_t"))
			return VALUE_TIME;
		if (!strcmp(type->name, "pid_t"))
			return VALUE_PID;
		type_open(type);
		type = type->target;
	}
	return 0;
}

/* The @len bytes of a type from @off on as text, or NULL where that has no type. */
static char *part_text(struct type *type, unsigned long long off, unsigned long long len,
		       unsigned int depth)
{
	char kind = typedef_kind(type);

	type = type_strip(type);
	if (depth > MAX_DEPTH || !len || len > MAX_SIZE || off + len > type->size)
		return NULL;
	switch (type->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		return struct_text(type, off, len, depth);
	case TYPE_ARRAY:
		return array_text(type, off, len, depth);
	case TYPE_INT:
		kind = kind ?: type->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED;
		break;
	case TYPE_CHAR:
		kind = VALUE_CHAR;
		break;
	case TYPE_BOOL:
		kind = VALUE_BOOL;
		break;
	case TYPE_POINTER:
		kind = VALUE_POINTER;
		break;
	case TYPE_ENUM:
		return off || len != type->size ? NULL : enum_text(type);
	default:
		kind = VALUE_HEX;
		break;
	}
	if (off || len != type->size)
		return NULL;
	return xasprintf("%c%llu", kind, len);
}

/**
 * type_to_text - describe a part of a type, as a value needs it to print
 * @type: the type
 * @off: where the part begins, in bytes
 * @len: how many bytes it has
 * @bit: where in them a bit-field begins
 * @bits: how many bits it has, or 0 where it is none
 *
 * Return: a new string, or NULL where there is nothing to be said of these bytes.
 */
char *type_to_text(struct type *type, unsigned long long off, unsigned int len,
		   unsigned int bit, unsigned int bits)
{
	char *text, *field;

	if (!bits)
		return part_text(type, off, len, 0);
	text = part_text(type, 0, type_strip(type)->size, 0);
	field = text ? xasprintf(".%u:%u%s", bit, bits, text) : NULL;
	free(text);
	return field;
}

/**
 * type_marker - the marker that says of which type a watch is
 * @watch: what the watch is called
 * @addr: where it is, or NULL where that is not known or not one place
 * @text: its type, from type_to_text()
 *
 * Return: a new string, or NULL where it would be too long for a trace.
 */
char *type_marker(const char *watch, const unsigned long long *addr, const char *text)
{
	char at[32] = "", *marker;

	if (addr)
		snprintf(at, sizeof(at), "at=%u ", (unsigned int)(*addr & AT_MASK));
	marker = xasprintf(TYPE_MARKER "%s %s%s", watch, at, text);
	if (strlen(marker) > TYPE_MARKER_LEN) {
		free(marker);
		return NULL;
	}
	return marker;
}

/* --- The text, read back -------------------------------------------------------- */

static void free_contents(struct value_type *type)
{
	unsigned int i, parts = type->kind == VALUE_ARRAY ? 1 : type->nr;

	for (i = 0; type->part && i < parts; i++)
		free_contents(&type->part[i]);
	free(type->part);
	for (i = 0; type->names && i < type->nr; i++)
		free(type->names[i].name);
	free(type->names);
	free(type->name);
}

static void value_type_free(struct value_type *type)
{
	if (!type)
		return;
	free_contents(type);
	free(type);
}

/* Reads a number and moves past it. */
static bool take_number(const char **p, unsigned long long max, unsigned int *number)
{
	unsigned long long value = 0;
	const char *begin = *p;

	for (; isdigit((unsigned char)**p); ++*p) {
		value = 10 * value + (**p - '0');
		if (value > max)
			return false;
	}
	*number = value;
	return *p > begin;
}

static bool take_char(const char **p, char c)
{
	if (**p != c)
		return false;
	++*p;
	return true;
}

/* Reads an identifier as a new string; [N] may follow the name of a member. */
static char *take_name(const char **p, bool member)
{
	const char *begin = *p;
	unsigned int first;

	while (isalnum((unsigned char)**p) || **p == '_')
		++*p;
	if (!is_identifier(begin, *p - begin))
		return NULL;
	if (member && take_char(p, '[') &&
	    (!take_number(p, UINT_MAX, &first) || !take_char(p, ']')))
		return NULL;
	return xasprintf("%.*s", (int)(*p - begin), begin);
}

static bool take_names(struct value_type *type, const char **p)
{
	struct value_name name;
	char *end;

	if (!take_char(p, '('))
		return false;
	if (take_char(p, ')'))
		return true;
	do {
		if (!strncmp(*p, "...)", 4)) {
			*p += 4;
			return true;
		}
		if (type->nr == MAX_PARTS)
			return false;
		name.name = take_name(p, false);
		if (!name.name)
			return false;
		type->names = xreallocarray(type->names, type->nr + 1, sizeof(name));
		type->names[type->nr++] = name;
		if (!take_char(p, '=') || (**p != '-' && !isdigit((unsigned char)**p)))
			return false;
		errno = 0;
		type->names[type->nr - 1].value = **p == '-' ? strtoll(*p, &end, 10) :
							       (int64_t)strtoull(*p, &end, 10);
		if (errno || end == *p)
			return false;
		*p = end;
	} while (take_char(p, ','));
	return take_char(p, ')');
}

static bool take_type(struct value_type *type, const char **p, unsigned int depth,
		      unsigned int *parts);

static bool take_members(struct value_type *type, const char **p, unsigned int depth,
			 unsigned int *parts)
{
	while (!take_char(p, '}')) {
		struct value_type *member;

		if (++*parts > MAX_PARTS)
			return false;
		type->part = xreallocarray(type->part, type->nr + 1, sizeof(*type->part));
		member = &type->part[type->nr++];
		*member = (struct value_type) { .kind = VALUE_HEX };
		member->name = take_name(p, true);
		if (!member->name || !take_char(p, '@') || !take_number(p, MAX_SIZE, &member->off))
			return false;
		if (!take_type(member, p, depth, parts) || !take_char(p, ';'))
			return false;
	}
	return take_number(p, MAX_SIZE, &type->size);
}

static bool take_kind(struct value_type *type, const char **p, unsigned int depth,
		      unsigned int *parts)
{
	if (!**p || !strchr("xusbcptijeEf[{", **p))
		return false;
	type->kind = *(*p)++;
	switch (type->kind) {
	case VALUE_ARRAY:
		type->part = xcalloc(1, sizeof(*type->part));
		type->part->kind = VALUE_HEX;
		if (!take_number(p, MAX_SIZE, &type->nr) || !take_char(p, ']') ||
		    !take_type(type->part, p, depth + 1, parts))
			return false;
		/* Both are a million at most. */
		if (!type->part->size || type->nr > MAX_SIZE / type->part->size)
			return false;
		type->size = type->nr * type->part->size;
		return true;
	case VALUE_STRUCT:
		return take_members(type, p, depth + 1, parts);
	case VALUE_ENUM:
	case VALUE_SIGNED_ENUM:
	case VALUE_FLAGS:
		return take_number(p, 8, &type->size) && type->size && take_names(type, p);
	case VALUE_JIFFIES:
		return take_number(p, 8, &type->size) && type->size == 8 && take_char(p, '(') &&
		       take_number(p, 1000000, &type->nr) && type->nr && take_char(p, ')');
	default:
		return take_number(p, 16, &type->size) && type->size;
	}
}

static bool take_type(struct value_type *type, const char **p, unsigned int depth,
		      unsigned int *parts)
{
	if (depth > MAX_DEPTH)
		return false;
	if (take_char(p, '.') && !take_number(p, 63, &type->bit))
		return false;
	if (take_char(p, ':') && (!take_number(p, 64, &type->bits) || !type->bits))
		return false;
	return take_kind(type, p, depth, parts);
}

/* Reads what type_to_text() wrote. Returns NULL where the text, which may be anything, is none. */
static struct value_type *type_from_text(const char *text)
{
	struct value_type *type = xcalloc(1, sizeof(*type));
	unsigned int parts = 0;

	type->kind = VALUE_HEX;
	if (!take_type(type, &text, 0, &parts) || *text) {
		value_type_free(type);
		return NULL;
	}
	return type;
}

/* --- The types of a trace's watches ---------------------------------------------- */

/* The types of watches, by what these are called. */
struct type_table {
	struct {
		char			*watch;
		struct value_type	*type;
	} *entry;
	size_t	nr;
};

struct type_table *type_table_new(void)
{
	return xcalloc(1, sizeof(struct type_table));
}

void type_table_free(struct type_table *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < table->nr; i++) {
		free(table->entry[i].watch);
		value_type_free(table->entry[i].type);
	}
	free(table->entry);
	free(table);
}

/* What a watch is called: NAME or GROUP/NAME. */
static size_t watch_len(const char *p)
{
	size_t len = strcspn(p, " ");
	const char *slash = memchr(p, '/', len);
	size_t group = slash ? slash - p : 0;

	if (len >= WATCH_NAME_LEN || (slash && !is_identifier(p, group)))
		return 0;
	return is_identifier(slash ? slash + 1 : p, slash ? len - group - 1 : len) ? len : 0;
}

/*
 * Takes a marker, which may have the type of a watch; a later one of the same watch takes its
 * place. The text is what somebody wrote to trace_marker; a newline may end it.
 */
void type_table_note(struct type_table *table, const char *text)
{
	struct value_type *type;
	unsigned int at = 0;
	bool has_at = false;
	const char *watch;
	size_t len, i;
	char *copy;

	if (strncmp(text, TYPE_MARKER, strlen(TYPE_MARKER)))
		return;
	watch = text + strlen(TYPE_MARKER);
	len = watch_len(watch);
	if (!len || watch[len] != ' ')
		return;
	text = watch + len + 1;
	if (!strncmp(text, "at=", 3)) {
		text += 3;
		if (!take_number(&text, AT_MASK, &at) || !take_char(&text, ' '))
			return;
		has_at = true;
	}
	copy = xstrdup(text);
	copy[strcspn(copy, "\n")] = '\0';
	type = type_from_text(copy);
	free(copy);
	if (!type)
		return;
	type->at = at;
	type->has_at = has_at;

	for (i = 0; i < table->nr; i++)
		if (strlen(table->entry[i].watch) == len &&
		    !memcmp(table->entry[i].watch, watch, len))
			break;
	if (i == table->nr) {
		table->entry = xreallocarray(table->entry, table->nr + 1, sizeof(*table->entry));
		table->entry[table->nr++].watch = xasprintf("%.*s", (int)len, watch);
	} else {
		value_type_free(table->entry[i].type);
	}
	table->entry[i].type = type;
}

/**
 * print_text - the text of a record of a trace, which may be a marker
 * @event: what the record is of, or NULL where that is not known
 * @record: the record
 *
 * Return: a new string, or NULL where it is no text.
 */
char *print_text(struct tep_event *event, struct tep_record *record)
{
	struct tep_format_field *field;

	if (!event || strcmp(event->system, FTRACE_GROUP) || strcmp(event->name, "print"))
		return NULL;
	field = tep_find_field(event, "buf");
	if (!field || field->offset < 0 || field->offset >= record->size)
		return NULL;
	return xasprintf("%.*s", record->size - field->offset,
			 (char *)record->data + field->offset);
}

/* The type of a watch, by what it is called; NULL where it is not known. */
const struct value_type *type_table_find(const struct type_table *table, const char *watch)
{
	size_t i;

	for (i = 0; table && i < table->nr; i++)
		if (!strcmp(table->entry[i].watch, watch))
			return table->entry[i].type;
	return NULL;
}

/* --- Values ----------------------------------------------------------------------- */

/* The bytes that are known. */
struct piece {
	uint64_t	bits;	/* as one number */
	unsigned int	off;	/* where they begin in the watch */
	unsigned int	len;	/* how many they are */
};

static uint64_t low_bits(uint64_t value, unsigned int nr)
{
	return nr >= 64 ? value : value & ((1ULL << nr) - 1);
}

static bool is_signed(const struct value_type *type)
{
	return type->kind == VALUE_SIGNED || type->kind == VALUE_SIGNED_ENUM ||
	       type->kind == VALUE_TIME || type->kind == VALUE_PID;
}

/* Takes the number at @off, sign-extended, out of a piece. Returns false if part is missing. */
static bool take_value(const struct value_type *type, const struct piece *piece,
		       unsigned int off, uint64_t *value, unsigned int *bits)
{
	unsigned int first, nr = type->bits ?: 8 * type->size;

	if (off < piece->off || nr > 64)
		return false;
	first = 8 * (off - piece->off) + type->bit;
	if (off - piece->off > piece->len || first + nr > 8 * piece->len)
		return false;
	*value = low_bits(first < 64 ? piece->bits >> first : 0, nr);
	if (is_signed(type) && nr < 64 && (*value >> (nr - 1) & 1))
		*value |= ~0ULL << nr;
	*bits = nr;
	return true;
}

/* Functions found last, by their addresses: a search takes longer than all else of a hit. */
#define NR_FOUND	1024
static struct {
	struct tep_handle	*tep;
	unsigned long long	addr;
	unsigned long long	start;
	const char		*name;
} functions[NR_FOUND];

/* Returns the symbol that an address is in, and its start; otherwise NULL, and the address. */
const char *find_function(struct tep_handle *tep, unsigned long long addr,
			  unsigned long long *start)
{
	typeof(functions[0]) *found = &functions[(addr ^ addr >> 10) % NR_FOUND];

	if (found->tep != tep || found->addr != addr) {
		found->tep = tep;
		found->addr = addr;
		found->name = tep_find_function(tep, addr);
		found->start = found->name ? tep_find_function_address(tep, addr) : addr;
	}
	*start = found->start;
	return found->name;
}

/* Call it before a handle is freed: another one may have its address. */
void functions_forget(void)
{
	memset(functions, 0, sizeof(functions));
}

/* A character, escaped as in C. @quote is what stands around it. */
static void print_char(FILE *out, unsigned char c, char quote)
{
	static const char letters[] = "abtnvfr";

	if (c >= '\a' && c <= '\r')
		fprintf(out, "\\%c", letters[c - '\a']);
	else if (c == quote || c == '\\')
		fprintf(out, "\\%c", c);
	else if (c < ' ' || c >= 0x7f)
		fprintf(out, "\\%03o", c);
	else
		putc(c, out);
}

/*
 * The name of a number that an enum's value is stored as. Its enumerators have all bits
 * of their sign, a value in fewer bytes hasn't.
 */
static const char *find_name(const struct value_type *type, uint64_t value, unsigned int bits)
{
	unsigned int i;

	for (i = 0; i < type->nr; i++)
		if (low_bits(type->names[i].value ^ value, bits) == 0)
			return type->names[i].name;
	return NULL;
}

static void print_flags(FILE *out, const struct value_type *type, uint64_t value,
			unsigned int bits)
{
	const char *name = find_name(type, value, bits), *between = "";
	unsigned int i;

	if (name || !value) {
		fputs(name ?: "0", out);
		return;
	}
	for (i = 0; i < type->nr; i++) {
		uint64_t flag = low_bits(type->names[i].value, bits);

		if (!flag || (value & flag) != flag)
			continue;
		fprintf(out, "%s%s", between, type->names[i].name);
		between = "|";
		value &= ~flag;
	}
	if (value)
		fprintf(out, "%s%#llx", between, (unsigned long long)value);
}

/* Prints " <NAME+OFFSET>", or nothing without a name. */
static void print_name(FILE *out, const char *name, unsigned long long offset)
{
	if (!name)
		return;
	fputs(" <", out);
	for (; *name; name++)
		print_char(out, *name, '\0');
	if (offset)
		fprintf(out, "+%#llx", offset);
	putc('>', out);
}

static void print_pointer(FILE *out, uint64_t value, struct tep_handle *tep)
{
	unsigned long long start = 0;
	const char *name = value ? find_function(tep, value, &start) : NULL;

	fprintf(out, "0x%llx", (unsigned long long)value);
	if (start <= value)
		print_name(out, name, value - start);
}

static void print_number(FILE *out, const struct value_type *type, uint64_t value)
{
	if (type->kind == VALUE_HEX)
		fprintf(out, "0x%llx", (unsigned long long)value);
	else if (is_signed(type))
		fprintf(out, "%lld", (long long)value);
	else
		fprintf(out, "%llu", (unsigned long long)value);
}

static void print_pid(FILE *out, int64_t pid, struct tep_handle *tep)
{
	const char *comm = pid > 0 && pid <= INT_MAX ? tep_data_comm_from_pid(tep, pid) : NULL;

	fprintf(out, "%lld", (long long)pid);
	/* Unknown tasks are "<...>". */
	if (comm && strcmp(comm, "<...>"))
		print_name(out, comm, 0);
}

static void print_time(FILE *out, int64_t time)
{
	unsigned long long ns = time < 0 ? -(uint64_t)time : (uint64_t)time;

	if (time == INT64_MAX)
		fputs("KTIME_MAX", out);
	else
		fprintf(out, "%s%llu.%09llus", time < 0 ? "-" : "", ns / NS_PER_S, ns % NS_PER_S);
}

/* Prints a time since boot, or a duration, which is less than any such time. */
static void print_jiffies(FILE *out, uint64_t value, unsigned int hz)
{
	uint64_t start = (1ULL << 32) - JIFFIES_EARLY * (uint64_t)hz;

	value -= value >= start ? start : 0;
	fprintf(out, "%llu.%03us", (unsigned long long)value / hz,
		(unsigned int)(value % hz * 1000 / hz));
}

static void print_scalar(FILE *out, const struct value_type *type, uint64_t value,
			 unsigned int bits, struct tep_handle *tep)
{
	const char *name;

	switch (type->kind) {
	case VALUE_BOOL:
		if (value > 1)
			break;
		fputs(value ? "true" : "false", out);
		return;
	case VALUE_CHAR:
		if (value > UCHAR_MAX)
			break;
		putc('\'', out);
		print_char(out, value, '\'');
		putc('\'', out);
		return;
	case VALUE_POINTER:
		print_pointer(out, value, tep);
		return;
	case VALUE_TIME:
		print_time(out, value);
		return;
	case VALUE_PID:
		print_pid(out, value, tep);
		return;
	case VALUE_JIFFIES:
		print_jiffies(out, value, type->nr);
		return;
	case VALUE_FLAGS:
		print_flags(out, type, value, bits);
		return;
	case VALUE_ENUM:
	case VALUE_SIGNED_ENUM:
		name = find_name(type, value, bits);
		if (!name)
			break;
		fputs(name, out);
		return;
	default:
		break;
	}
	print_number(out, type, value);
}

/* The characters that are there, up to the zero that ends them. */
static void print_string(FILE *out, const struct piece *piece, unsigned int off,
			 unsigned int size)
{
	unsigned int i;

	putc('"', out);
	for (i = 0; i < piece->len; i++) {
		unsigned char c = piece->bits >> (8 * i);

		if (piece->off + i < off || piece->off + i - off >= size)
			continue;
		if (!c)
			break;
		print_char(out, c, '"');
	}
	putc('"', out);
}

static bool overlaps(const struct value_type *type, const struct piece *piece, unsigned int off)
{
	unsigned int size = type->bits ? (type->bit + type->bits + 7) / 8 : type->size;

	return off < piece->off + piece->len && piece->off < off + size;
}

/* Prints what of a type is in the piece; returns false where that is nothing whole. */
static bool print_value(FILE *out, const struct value_type *type, const struct piece *piece,
			unsigned int off, struct tep_handle *tep)
{
	const struct value_type *part = type->part;
	const char *between = "";
	unsigned int bits, i, first;
	uint64_t value;

	switch (type->kind) {
	case VALUE_ARRAY:
		if (!overlaps(type, piece, off))
			return false;
		if (part->kind == VALUE_CHAR && part->size == 1 && !part->bits) {
			print_string(out, piece, off, type->size);
			return true;
		}
		putc('{', out);
		first = piece->off > off ? (piece->off - off) / part->size : 0;
		for (i = first; i < type->nr && overlaps(part, piece, off + i * part->size); i++) {
			fputs(between, out);
			if (!print_value(out, part, piece, off + i * part->size, tep))
				fputs("?", out);
			between = ", ";
		}
		putc('}', out);
		return true;
	case VALUE_STRUCT:
		if (!overlaps(type, piece, off))
			return false;
		putc('{', out);
		for (i = 0; i < type->nr; i++) {
			if (!overlaps(&part[i], piece, off + part[i].off))
				continue;
			fprintf(out, "%s%s = ", between, part[i].name);
			if (!print_value(out, &part[i], piece, off + part[i].off, tep))
				fputs("?", out);
			between = ", ";
		}
		putc('}', out);
		return true;
	default:
		if (!take_value(type, piece, off, &value, &bits))
			return false;
		print_scalar(out, type, value, bits, tep);
		return true;
	}
}

/*
 * Where a piece begins in its watch. All that is less than the type's size may be meant
 * by an address, of which a watch's own is known only where its target is one place.
 */
static bool find_piece(const struct value_type *type, const struct value *value,
		       struct piece *piece)
{
	unsigned int size = type->bits ? (type->bit + type->bits + 7) / 8 : type->size;

	*piece = (struct piece) { .bits = low_bits(value->bits, 8 * value->len),
				  .len = value->len };
	if (value->len >= size)
		return true;
	piece->off = (value->addr - type->at) & AT_MASK;
	return type->has_at && piece->off < type->size;
}

/* Returns whether the text on the stream is one that says something. */
static bool print_typed(FILE *out, const struct value_type *type, const struct value *value,
			struct tep_handle *tep)
{
	struct piece piece;

	if (!type || !value->len || value->len > 8 || !find_piece(type, value, &piece))
		return false;
	return print_value(out, type, &piece, 0, tep);
}

/**
 * value_number - a value as a number
 * @type: the type of its watch, or NULL where that is not known
 * @value: the value
 * @has_sign: set to whether its type has a sign
 *
 * Return: the number, sign-extended; that of the only member of a struct like atomic_t.
 */
uint64_t value_number(const struct value_type *type, const struct value *value, bool *has_sign)
{
	struct piece piece;
	unsigned int bits;
	uint64_t number;

	*has_sign = false;
	if (!type || !value->len || value->len > 8 || !find_piece(type, value, &piece))
		return value->bits;
	while (type->kind == VALUE_STRUCT && type->nr == 1 && type->part->size == type->size)
		type = type->part;
	if (type->kind == VALUE_STRUCT || type->kind == VALUE_ARRAY ||
	    !take_value(type, &piece, 0, &number, &bits))
		return value->bits;
	*has_sign = is_signed(type);
	return number;
}

/**
 * value_format - a value as text
 * @type: the type of its watch, or NULL where that is not known
 * @value: the value
 * @tep: knows the symbols
 *
 * What has no type, or is not all of what has one, prints in hexadecimal. There are no
 * control characters in the text, nor any that are not ASCII.
 *
 * Return: a new string.
 */
char *value_format(const struct value_type *type, const struct value *value,
		   struct tep_handle *tep)
{
	/* One for all values: a new one takes 8 kB of memory. */
	static FILE *out;
	static char *text;
	static size_t size;

	if (!out)
		out = open_memstream(&text, &size);
	if (!out)
		die("out of memory");
	rewind(out);
	if (!print_typed(out, type, value, tep)) {
		rewind(out);
		fprintf(out, "0x%llx", (unsigned long long)value->bits);
	}
	putc('\0', out);
	if (fflush(out))
		die("out of memory");
	return xstrdup(text);
}

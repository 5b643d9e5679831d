// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values printed by their types, which are read from markers, see marker.h.
 *
 * libbpf's btf_dump__dump_type_data() prints less: char[] as a list of characters, flags as
 * a number, bool as 1, pointers without their symbols, types before each value or no names
 * at all; it refuses a value that is not whole, as the piece that one register watches, and
 * it needs BTF where the trace is read, also for what only DWARF describes.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "hits/marker.h"
#include "hits/value.h"
#include "lib/names.h"
#include "lib/util.h"
#include "spec/spec.h"

/* What a value needs of its type to print; also a member of a struct, or a name of an enum. */
struct value_type {
	enum value_kind		kind;
	unsigned int		size;	/* its bytes */
	unsigned int		at;	/* of the outermost type, where the watch is in a page */
	bool			has_at;	/* is that known? */
	char			*name;
	int64_t			value;	/* what an enum's name stands for */
	unsigned int		off;	/* of a member, the byte where it begins */
	unsigned int		bit;	/* the bit of the first byte where a bit-field begins */
	unsigned int		bits;	/* how many it has, or 0 if it is not a bit-field */
	unsigned int		nr;	/* elements, members or names; jiffies in a second */
	struct value_type	*part;	/* the members or names, or the one type of all elements */
};

/* No value is longer: many may wait to be shown. */
#define VALUE_TEXT_LEN	4096
/* The kernel has no longer names of functions. They are printed for each hit. */
#define FUNCTION_LEN	511

/* How many bytes a type has; a bit-field those that contain it. */
static unsigned int type_bytes(const struct value_type *type)
{
	return type->bits ? (type->bit + type->bits + 7) / 8 : type->size;
}

/* --- The text, read back -------------------------------------------------------- */

static void free_types(struct value_type *type, unsigned int nr)
{
	unsigned int i;

	for (i = 0; type && i < nr; i++) {
		free_types(type[i].part, type[i].kind == VALUE_ARRAY ? 1 : type[i].nr);
		free(type[i].name);
	}
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

/* Adds an empty part: a member or a name. */
static struct value_type *add_part(struct value_type *type)
{
	struct value_type *part = array_add(type->part, type->nr);

	*part = (struct value_type) { .kind = VALUE_HEX };
	return part;
}

static bool take_names(struct value_type *type, const char **p)
{
	struct value_type *part;
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
		part = add_part(type);
		part->name = take_name(p, false);
		if (!part->name || !take_char(p, '=') ||
		    (**p != '-' && !isdigit((unsigned char)**p)))
			return false;
		errno = 0;
		part->value = **p == '-' ? strtoll(*p, &end, 10) : (int64_t)strtoull(*p, &end, 10);
		if (errno || end == *p)
			return false;
		*p = end;
	} while (take_char(p, ','));
	return take_char(p, ')');
}

static bool take_type(struct value_type *type, const char **p, unsigned int depth);

static bool take_members(struct value_type *type, const char **p, unsigned int depth)
{
	unsigned int i;

	while (!take_char(p, '}')) {
		struct value_type *member;

		member = add_part(type);
		member->name = take_name(p, true);
		if (!member->name || !take_char(p, '@') ||
		    !take_number(p, VALUE_MAX_SIZE, &member->off))
			return false;
		if (!take_type(member, p, depth) || !take_char(p, ';'))
			return false;
	}
	if (!take_number(p, VALUE_MAX_SIZE, &type->size))
		return false;
	/* Otherwise a byte could be in many members, each of which prints it. */
	for (i = 0; i < type->nr; i++)
		if (type->part[i].off + type_bytes(&type->part[i]) > type->size)
			return false;
	return true;
}

static bool take_kind(struct value_type *type, const char **p, unsigned int depth)
{
	if (!**p || !strchr("xusbcptijeEf[{", **p))
		return false;
	type->kind = *(*p)++;
	/* A bit-field is a number. */
	if (type->bits && (type->kind == VALUE_ARRAY || type->kind == VALUE_STRUCT))
		return false;
	switch (type->kind) {
	case VALUE_ARRAY:
		type->part = xcalloc(1, sizeof(*type->part));
		type->part->kind = VALUE_HEX;
		if (!take_number(p, VALUE_MAX_SIZE, &type->nr) || !take_char(p, ']') ||
		    !take_type(type->part, p, depth + 1))
			return false;
		/* Both are a million at most. */
		if (!type->part->size || type->nr > VALUE_MAX_SIZE / type->part->size)
			return false;
		type->size = type->nr * type->part->size;
		return true;
	case VALUE_STRUCT:
		return take_members(type, p, depth + 1);
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

static bool take_type(struct value_type *type, const char **p, unsigned int depth)
{
	if (depth > VALUE_MAX_DEPTH)
		return false;
	if (take_char(p, '.') && !take_number(p, 63, &type->bit))
		return false;
	if (take_char(p, ':') && (!take_number(p, 64, &type->bits) || !type->bits))
		return false;
	return take_kind(type, p, depth);
}

/*
 * Reads what type_to_text() wrote. Returns NULL where the text, which may be anything of up to
 * MARKER_LEN bytes, is none.
 */
static struct value_type *type_from_text(const char *text)
{
	struct value_type *type = xcalloc(1, sizeof(*type));

	type->kind = VALUE_HEX;
	if (!take_type(type, &text, 0) || *text) {
		free_types(type, 1);
		return NULL;
	}
	return type;
}

/* --- The types of a trace's watches ---------------------------------------------- */

/* The types of watches, by what these are called. */
struct type_table {
	struct names		watches;
	struct value_type	**type;
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
	for (i = 0; i < table->watches.list.nr; i++)
		free_types(table->type[i], 1);
	free(table->type);
	names_free(&table->watches);
	free(table);
}

/*
 * Takes a marker, which may have the type of a watch; a later one of the same watch takes its
 * place. The text is what somebody wrote to trace_marker; a newline may end it.
 */
void type_table_note(struct type_table *table, const char *text)
{
	char *copy __autofree = NULL, *watch, *rest;
	size_t nr = table->watches.list.nr, len = strcspn(text, "\n"), i;
	struct value_type *type;
	unsigned int at = 0;
	bool has_at;

	if (strncmp(text, TYPE_MARKER, strlen(TYPE_MARKER)) || len > MARKER_LEN)
		return;
	copy = xasprintf("%.*s", (int)len, text);
	rest = copy + strlen(TYPE_MARKER);
	watch = strsep(&rest, " ");
	text = rest ?: "";
	has_at = !strncmp(text, "at=", 3);
	text += has_at ? 3 : 0;
	type = !has_at || (take_number(&text, VALUE_AT_MASK, &at) && take_char(&text, ' ')) ?
	       type_from_text(text) : NULL;
	if (!type)
		return;
	type->at = at;
	type->has_at = has_at;
	i = names_find(&table->watches, watch);
	if (i == nr) {
		table->type = xreallocarray(table->type, nr + 1, sizeof(*table->type));
		table->type[i] = NULL;
	}
	free_types(table->type[i], 1);
	table->type[i] = type;
}

/* The type of a watch, by what it is called; NULL where it is not known. */
const struct value_type *type_table_find(const struct type_table *table, const char *watch)
{
	size_t i;

	for (i = 0; i < table->watches.list.nr; i++)
		if (!strcmp(table->watches.list.text[i], watch))
			return table->type[i];
	return NULL;
}

/* --- Values ----------------------------------------------------------------------- */

/* The bytes that are known. */
struct piece {
	uint64_t	bits;	/* as one number */
	unsigned int	off;	/* where they begin in the watch */
	unsigned int	len;
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
		if (found->name && strlen(found->name) > FUNCTION_LEN)
			found->name = NULL;
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
		if (low_bits(type->part[i].value ^ value, bits) == 0)
			return type->part[i].name;
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
		uint64_t flag = low_bits(type->part[i].value, bits);

		if (!flag || (value & flag) != flag)
			continue;
		fprintf(out, "%s%s", between, type->part[i].name);
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
	const char *name = NULL;

	switch (type->kind) {
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
	case VALUE_BOOL:
		name = value > 1 ? NULL : value ? "true" : "false";
		break;
	case VALUE_ENUM:
	case VALUE_SIGNED_ENUM:
		name = find_name(type, value, bits);
		break;
	default:
		break;
	}
	if (name) {
		fputs(name, out);
	} else if (type->kind == VALUE_CHAR && value <= UCHAR_MAX) {
		putc('\'', out);
		print_char(out, value, '\'');
		putc('\'', out);
	} else if (type->kind == VALUE_HEX) {
		fprintf(out, "0x%llx", (unsigned long long)value);
	} else {
		fprintf(out, is_signed(type) ? "%lld" : "%llu", (unsigned long long)value);
	}
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
	return off < piece->off + piece->len && piece->off < off + type_bytes(type);
}

/* Prints what of a type is in the piece; returns false where that is nothing whole. */
static bool print_value(FILE *out, const struct value_type *type, const struct piece *piece,
			unsigned int off, struct tep_handle *tep)
{
	bool is_array = type->kind == VALUE_ARRAY;
	const struct value_type *part = type->part;
	const char *between = "";
	unsigned int bits, i = 0, place;
	uint64_t value;

	if (!is_array && type->kind != VALUE_STRUCT) {
		if (!take_value(type, piece, off, &value, &bits))
			return false;
		print_scalar(out, type, value, bits, tep);
		return true;
	}
	if (!overlaps(type, piece, off))
		return false;
	if (is_array && part->kind == VALUE_CHAR && part->size == 1 && !part->bits) {
		print_string(out, piece, off, type->size);
		return true;
	}
	if (is_array && piece->off > off)
		i = (piece->off - off) / part->size;
	putc('{', out);
	for (; i < type->nr; i++) {
		part = is_array ? type->part : &type->part[i];
		place = off + (is_array ? i * part->size : part->off);
		if (!overlaps(part, piece, place) && is_array)
			break;
		if (!overlaps(part, piece, place))
			continue;
		fputs(between, out);
		if (!is_array)
			fprintf(out, "%s = ", part->name);
		if (!print_value(out, part, piece, place, tep))
			fputs("?", out);
		between = ", ";
	}
	putc('}', out);
	return true;
}

/*
 * Where a piece begins in its watch. All that is less than the type's size may be meant
 * by an address, of which a watch's own is known only where its target is one place.
 */
static bool find_piece(const struct value_type *type, const struct value *value,
		       struct piece *piece)
{
	*piece = (struct piece) { .bits = low_bits(value->bits, 8 * value->len),
				  .len = value->len };
	if (!type || !value->len)
		return false;
	if (value->len >= type_bytes(type))
		return true;
	piece->off = (value->addr - type->at) & VALUE_AT_MASK;
	return type->has_at && piece->off < type->size;
}

/* Makes a value the number that it is, sign-extended; of a struct like atomic_t its member's. */
static void make_number(struct value *value, const struct value_type *type,
			const struct piece *piece)
{
	unsigned int bits;

	while (type->kind == VALUE_STRUCT && type->nr == 1 && type->part->size == type->size)
		type = type->part;
	if (type->kind != VALUE_STRUCT && type->kind != VALUE_ARRAY &&
	    take_value(type, piece, 0, &value->bits, &bits))
		value->is_signed = is_signed(type);
}

/*
 * A value as text, a new string: in hexadecimal where it has no type, or is not all of what
 * has one. Makes @value the number that it is by its type. There are no control characters in
 * the text, nor any that are not ASCII.
 */
char *value_format(const struct value_type *type, struct value *value, struct tep_handle *tep)
{
	/* One for all values: a new one takes 8 kB of memory. */
	static FILE *out;
	static char *text;
	static size_t size;
	struct piece piece;
	bool is_typed = find_piece(type, value, &piece);

	if (!out)
		out = check_memory(open_memstream(&text, &size));
	rewind(out);
	if (!is_typed || !print_value(out, type, &piece, 0, tep)) {
		rewind(out);
		fprintf(out, "0x%llx", (unsigned long long)value->bits);
	}
	putc('\0', out);
	if (fflush(out))
		die("out of memory");
	if (is_typed)
		make_number(value, type, &piece);
	return check_memory(strndup(text, VALUE_TEXT_LEN));
}

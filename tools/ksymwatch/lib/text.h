/* SPDX-License-Identifier: GPL-2.0-only */
/* Untrusted text, such as the names of tasks; writing JSON. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct strings;

#define BAD_CHARACTER	UINT32_MAX

/* Terminal codes: LOOK_NONE switches all looks off. */
#define LOOK_BOLD	"\x1b[1m"
#define LOOK_DIM	"\x1b[2m"
#define LOOK_RED	"\x1b[31m"
#define LOOK_GREEN	"\x1b[32m"
#define LOOK_YELLOW	"\x1b[33m"
#define LOOK_MAGENTA	"\x1b[35m"
#define LOOK_NONE	"\x1b[0m"

/* May a terminal take a character for a code? */
static inline bool is_control(uint32_t character)
{
	return character < ' ' || (character >= 0x7f && character < 0xa0);
}

uint32_t text_next(const char **text);
void print_safe(FILE *out, const char *text);

/*
 * JSON that is being written. The name of a value is NULL if it is an element of an array, or
 * the outermost value.
 */
struct json {
	FILE	*out;		/* the output */
	bool	comma;		/* a comma precedes the next value */
	bool	in_page;	/* within an HTML page: escape HTML's special characters */
};

void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);
void json_text(struct json *json, const char *name, const char *text);
void json_strings(struct json *json, const char *name, const struct strings *strings);
[[gnu::format(printf, 3, 4)]]
void json_print(struct json *json, const char *name, const char *fmt, ...);
void json_value(struct json *json, const char *name, unsigned long long value, bool is_signed);
void json_number(struct json *json, const char *name, bool known, unsigned long long number);
void json_end_line(struct json *json);

#define json_null(json, name) \
	json_print(json, name, "null")
#define json_bool(json, name, value) \
	json_print(json, name, "%s", (value) ? "true" : "false")
#define json_signed(json, name, value) \
	json_print(json, name, "%lld", (long long)(value))
#define json_unsigned(json, name, value) \
	json_print(json, name, "%llu", (unsigned long long)(value))
#define json_double(json, name, value) \
	json_print(json, name, "%.4f", value)
/* An address, as a string: many readers have only 53 bits. */
#define json_hex(json, name, value) \
	json_print(json, name, "\"0x%llx\"", (unsigned long long)(value))

#endif /* TEXT_H */

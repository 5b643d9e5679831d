// SPDX-License-Identifier: GPL-2.0-only
/*
 * Untrusted text, such as the names of tasks, for terminals and in JSON.
 *
 * The name of a task may contain any bytes, such as terminal codes and invalid UTF-8.
 */
#include <stdarg.h>

#include "lib/text.h"
#include "lib/util.h"

/**
 * text_next - take the next character of a text that should be UTF-8: BAD_CHARACTER for an
 * invalid byte, 0 at the end
 */
uint32_t text_next(const char **text)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)*text;
	uint32_t character = *p;
	int more, i;

	if (!*p)
		return 0;
	(*text)++;
	if (*p < 0x80)
		return *p;
	if (*p < 0xc0 || *p > 0xf7)
		return BAD_CHARACTER;
	more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : 1;
	character = *p & (0x3f >> more);
	for (i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return BAD_CHARACTER;
		character = character << 6 | (p[i] & 0x3f);
	}
	/* Overlong, a surrogate, or above the last code point. */
	if (character < least[more] || (character >= 0xd800 && character < 0xe000) ||
	    character > 0x10ffff)
		return BAD_CHARACTER;
	*text += more;
	return character;
}

/*
 * Writes the start of a text that needs no escapes in any format, which is mostly all of it.
 * Returns the rest.
 */
static const char *write_plain(FILE *out, const char *text)
{
	const char *end = text;

	while (*end >= ' ' && *end < 0x7f && *end != '"' && *end != '\\' && *end != '<' &&
	       *end != '>' && *end != '&')
		end++;
	fwrite(text, 1, end - text, out);
	return end;
}

/* Prints a text with a '?' for control characters and invalid bytes. */
void print_safe(FILE *out, const char *text)
{
	const char *start;
	uint32_t character;

	text = write_plain(out, text);
	for (start = text; (character = text_next(&text)); start = text) {
		if (is_control(character) || character == BAD_CHARACTER)
			putc('?', out);
		else
			fwrite(start, 1, text - start, out);
	}
}

static bool needs_escape(const struct json *json, uint32_t character)
{
	if (is_control(character))
		return true;
	/* Line ends in JavaScript, and special characters of HTML. */
	return json->in_page && (character == '<' || character == '>' || character == '&' ||
				 character == 0x2028 || character == 0x2029);
}

/* Writes a text in quotes; invalid bytes become U+FFFD. */
static void write_string(const struct json *json, const char *text)
{
	FILE *out = json->out;
	const char *start;
	uint32_t character;

	putc('"', out);
	text = write_plain(out, text);
	for (start = text; (character = text_next(&text)); start = text) {
		if (character == BAD_CHARACTER)
			fputs("\\ufffd", out);
		else if (character == '"' || character == '\\')
			fprintf(out, "\\%c", (char)character);
		else if (needs_escape(json, character))
			fprintf(out, "\\u%04x", character);
		else
			fwrite(start, 1, text - start, out);
	}
	putc('"', out);
}

/* Writes the comma before a value, and its name. */
static void begin_value(struct json *json, const char *name)
{
	if (json->comma)
		putc(',', json->out);
	json->comma = true;
	if (name) {
		write_string(json, name);
		putc(':', json->out);
	}
}

/** json_open - begin an object or an array with its opening bracket */
void json_open(struct json *json, const char *name, char bracket)
{
	begin_value(json, name);
	putc(bracket, json->out);
	json->comma = false;
}

/* Ends an object or an array with its closing bracket. */
void json_close(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->comma = true;
}

/* Writes a text; null for NULL. */
void json_text(struct json *json, const char *name, const char *text)
{
	if (!text) {
		json_null(json, name);
		return;
	}
	begin_value(json, name);
	write_string(json, text);
}

/* Writes a list of strings as an array. */
void json_strings(struct json *json, const char *name, const struct strings *strings)
{
	size_t i;

	json_open(json, name, '[');
	for (i = 0; i < strings->nr; i++)
		json_text(json, NULL, strings->text[i]);
	json_close(json, ']');
}

/* Writes a value that needs no escapes. */
void json_print(struct json *json, const char *name, const char *fmt, ...)
{
	va_list ap;

	begin_value(json, name);
	va_start(ap, fmt);
	vfprintf(json->out, fmt, ap);
	va_end(ap);
}

/* Writes a number of 64 bits, and NAME_hex if many readers, with 53 bits, would round it. */
void json_value(struct json *json, const char *name, unsigned long long value, bool is_signed)
{
	unsigned long long size = is_signed && (long long)value < 0 ? -value : value;
	char key[64];

	json_print(json, name, is_signed ? "%lld" : "%llu", value);
	if (size >> 53 && name) {
		snprintf(key, sizeof(key), "%s_hex", name);
		json_hex(json, key, value);
	}
}

/* Writes a number, or null if it is unknown. */
void json_number(struct json *json, const char *name, bool known, unsigned long long number)
{
	if (known)
		json_unsigned(json, name, number);
	else
		json_null(json, name);
}

/* Ends a line, which is a complete JSON text. */
void json_end_line(struct json *json)
{
	putc('\n', json->out);
	json->comma = false;
}

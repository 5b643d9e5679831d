// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse: a line of ksym_trace_filter becomes a struct ksym_spec.
 *
 * Nothing here takes a lock or looks anything up, so a line means the same
 * whatever the kernel holds, and the file compiles in user space as well.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "ksym_parse.h"

/* Remembers the error, and returns what a caller hands on. */
static int fail(struct ksym_error *error, enum ksym_err code,
		const char *line, const char *at)
{
	error->code = code;
	error->at = at - line;
	return -EINVAL;
}

static bool is_symbol_char(char c)
{
	/* isalnum() knows Latin-1 in the kernel; symbols are ASCII. */
	return isascii(c) && (isalnum(c) || c == '_' || c == '.' || c == '$');
}

/* isspace() takes Latin-1's no-break space for one in the kernel. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

static const char *skip_word(const char *p)
{
	while (*p && !is_blank(*p))
		p++;
	return p;
}

/* Is the text from @p to @end this @word? */
static bool is_word(const char *p, const char *end, const char *word)
{
	size_t len = strlen(word);

	return end - p == len && !memcmp(p, word, len);
}

/*
 * kstrtoull() wants a string of its own. The longest number that fits 64 bits
 * and makes sense here has 20 digits; leading zeros beyond that are refused.
 */
static int parse_number(const char *p, const char *end, unsigned long long *val)
{
	char digits[24];

	/* kstrtoull() would take a sign and a newline as well. */
	if (end - p >= sizeof(digits) || !isdigit(*p))
		return -EINVAL;
	memcpy(digits, p, end - p);
	digits[end - p] = '\0';
	/* Its own guess of the base would take 010 for 8. */
	return kstrtoull(digits, strncasecmp(digits, "0x", 2) ? 10 : 16, val);
}

static const struct {
	const char	*word;
	u8		access;
} access_words[] = {
	{ "r",		KSYM_READ },
	{ "w",		KSYM_WRITE },
	{ "rw",		KSYM_READ | KSYM_WRITE },
	/* The three letters of the tracer of 2009, still in people's fingers. */
	{ "r--",	KSYM_READ },
	{ "-w-",	KSYM_WRITE },
	{ "rw-",	KSYM_READ | KSYM_WRITE },
	{ "---",	0 },
};

/**
 * ksym_access_word - the word for an access
 * @access: %KSYM_READ, %KSYM_WRITE, both, or 0 for "not known"
 *
 * Any context.
 *
 * Return: the word that ksym_trace_filter and the trace use.
 */
const char *ksym_access_word(unsigned int access)
{
	static const char * const words[] = { "?", "r", "w", "rw" };

	return words[access & (KSYM_READ | KSYM_WRITE)];
}

static bool is_event_name(const char *p, size_t len)
{
	if (!len || len >= KSYM_EVENT_LEN || isdigit(*p))
		return false;
	for (; len; p++, len--)
		if (!isascii(*p) || (!isalnum(*p) && *p != '_'))
			return false;
	return true;
}

/* events/ksym/ holds two files of its own beside the events' directories. */
static bool is_reserved(const char *name)
{
	return !strcmp(name, "enable") || !strcmp(name, "filter");
}

/**
 * ksym_format_target - write a target as a line has it
 * @buf: where to; %KSYM_TARGET_LEN bytes are always enough
 * @size: the size of @buf
 * @symbol: the symbol
 * @off: the offset in bytes, which may be negative
 *
 * Any context.
 *
 * Return: the length, as snprintf() does.
 */
int ksym_format_target(char *buf, size_t size, const char *symbol, s64 off)
{
	unsigned long long dist = off < 0 ? -(u64)off : off;

	if (!off)
		return snprintf(buf, size, "%s", symbol);
	return snprintf(buf, size, "%s%c0x%llx", symbol, off < 0 ? '-' : '+',
			dist);
}

/**
 * ksym_default_name - make an event name from a target
 * @name: where to, %KSYM_EVENT_LEN bytes
 * @symbol: the symbol
 * @off: the offset in bytes
 *
 * What can't stand in an identifier becomes '_'. May sleep or not; any context
 * with half a kilobyte of stack.
 *
 * Return: 0, or -ENAMETOOLONG.
 */
int ksym_default_name(char *name, const char *symbol, s64 off)
{
	char target[KSYM_TARGET_LEN];
	int len = ksym_format_target(target, sizeof(target), symbol, off);
	char *p;

	if (len >= KSYM_EVENT_LEN)
		return -ENAMETOOLONG;
	for (p = target; *p; p++)
		if (!isalnum(*p))
			*p = '_';
	memcpy(name, target, len + 1);
	return 0;
}

static int parse_target(const char *line, const char **pos,
			struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = p;
	unsigned long long dist;
	bool back;

	if (*p == '*')
		return fail(error, KSYM_ERR_GLOB, line, p);
	if (!*p || *p == ':' || *p == '+' || *p == '-')
		return fail(error, KSYM_ERR_NO_SYMBOL, line, p);
	if (isdigit(*p))
		return fail(error, KSYM_ERR_BAD_SYMBOL, line, p);
	while (is_symbol_char(*end))
		end++;
	if (*end == '*' || *end == '?')
		return fail(error, KSYM_ERR_GLOB, line, end);
	if (*end && !is_blank(*end) && *end != ':' && *end != '+' && *end != '-')
		return fail(error, KSYM_ERR_BAD_SYMBOL, line, end);
	if (end - p >= KSYM_SYM_MAX)
		return fail(error, KSYM_ERR_SYMBOL_LEN, line, p);

	memcpy(spec->symbol, p, end - p);
	spec->symbol[end - p] = '\0';
	spec->symbol_at = p - line;
	*pos = end;

	if (*end != '+' && *end != '-')
		return 0;

	back = *end == '-';
	p = end + 1;
	end = p;
	while (*end && *end != ':' && !is_blank(*end))
		end++;
	/* An offset has a sign of its own, so its size must fit 63 bits. */
	if (parse_number(p, end, &dist) || dist > S64_MAX)
		return fail(error, KSYM_ERR_BAD_OFFSET, line, p);
	spec->off = back ? -(s64)dist : (s64)dist;
	*pos = end;
	return 0;
}

static int parse_access(const char *line, const char **pos,
			struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos + 1, *end = skip_word(p);
	int i;

	for (i = 0; i < ARRAY_SIZE(access_words); i++) {
		if (!is_word(p, end, access_words[i].word))
			continue;
		spec->access = access_words[i].access;
		spec->access_at = p - line;
		if (!spec->access)
			spec->action = KSYM_REMOVE_TARGET;
		*pos = end;
		return 0;
	}
	return fail(error, KSYM_ERR_BAD_ACCESS, line, p);
}

static int parse_option(const char *line, const char **pos,
			struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = skip_word(p), *val;
	unsigned long long len;

	*pos = end;
	if (!strncmp(p, "len=", 4)) {
		val = p + 4;
		if (spec->len)
			return fail(error, KSYM_ERR_DUP_OPTION, line, p);
		if (parse_number(val, end, &len) ||
		    (len != 1 && len != 2 && len != 4 && len != 8))
			return fail(error, KSYM_ERR_BAD_LEN, line, val);
		spec->len = len;
		spec->len_at = val - line;
		return 0;
	}
	if (!strncmp(p, "name=", 5)) {
		val = p + 5;
		if (spec->name[0])
			return fail(error, KSYM_ERR_DUP_OPTION, line, p);
		if (!is_event_name(val, end - val))
			return fail(error, KSYM_ERR_BAD_NAME, line, val);
		memcpy(spec->name, val, end - val);
		spec->name[end - val] = '\0';
		spec->name_at = val - line;
		return 0;
	}
	return fail(error, KSYM_ERR_BAD_OPTION, line, p);
}

static int parse_add_or_remove(const char *line, const char *p,
			       struct ksym_spec *spec, struct ksym_error *error)
{
	int ret;

	spec->action = KSYM_ADD;
	spec->access = KSYM_WRITE;
	ret = parse_target(line, &p, spec, error);
	if (ret)
		return ret;
	spec->access_at = spec->symbol_at;
	spec->len_at = spec->symbol_at;
	spec->name_at = spec->symbol_at;

	if (*p == ':') {
		ret = parse_access(line, &p, spec, error);
		if (ret)
			return ret;
	}
	for (p = skip_blanks(p); *p; p = skip_blanks(p)) {
		if (spec->action == KSYM_REMOVE_TARGET)
			return fail(error, KSYM_ERR_REMOVE_OPTION, line, p);
		ret = parse_option(line, &p, spec, error);
		if (ret)
			return ret;
	}
	if (spec->action == KSYM_REMOVE_TARGET)
		return 0;

	if (!spec->name[0] &&
	    ksym_default_name(spec->name, spec->symbol, spec->off))
		return fail(error, KSYM_ERR_LONG_NAME, line,
			    line + spec->symbol_at);
	if (is_reserved(spec->name))
		return fail(error, KSYM_ERR_RESERVED_NAME, line,
			    line + spec->name_at);
	return 0;
}

static int parse_remove_name(const char *line, const char *p,
			     struct ksym_spec *spec, struct ksym_error *error)
{
	const char *end = skip_word(p);

	if (!is_event_name(p, end - p))
		return fail(error, KSYM_ERR_BAD_NAME, line, p);
	memcpy(spec->name, p, end - p);
	spec->name[end - p] = '\0';
	spec->name_at = p - line;
	p = skip_blanks(end);
	if (*p)
		return fail(error, KSYM_ERR_REMOVE_OPTION, line, p);
	spec->action = KSYM_REMOVE_NAME;
	return 0;
}

/**
 * ksym_parse - parse a line
 * @line: the line, without its newline
 * @spec: filled in; its contents are undefined after an error
 * @error: says what is wrong and where, after an error
 *
 * The syntax is ``SYMBOL[+OFF|-OFF][:ACCESS] [len=N] [name=NAME]`` for a watch,
 * ``SYMBOL[+OFF|-OFF]:---``, ``!NAME``, ``*:---`` and ``0`` for removals. What
 * begins with '#' is a comment.
 *
 * Any context with half a kilobyte of stack.
 *
 * Return: 0, or -EINVAL.
 */
int ksym_parse(const char *line, struct ksym_spec *spec,
	       struct ksym_error *error)
{
	const char *p = skip_blanks(line), *end = skip_word(p), *rest;

	memset(spec, 0, sizeof(*spec));

	if (!*p || *p == '#') {
		spec->action = KSYM_NOTHING;
		return 0;
	}
	if (is_word(p, end, "0") || is_word(p, end, "*:---")) {
		rest = skip_blanks(end);
		if (*rest)
			return fail(error, KSYM_ERR_REMOVE_OPTION, line, rest);
		spec->action = KSYM_REMOVE_ALL;
		return 0;
	}
	if (*p == '!')
		return parse_remove_name(line, p + 1, spec, error);
	return parse_add_or_remove(line, p, spec, error);
}

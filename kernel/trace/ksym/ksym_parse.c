// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse: a line of ksym_trace_filter becomes a struct ksym_spec.
 *
 * Nothing here takes a lock or looks anything up, so a line means the same
 * whatever the kernel holds, and the file compiles in user space as well.
 */
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/stddef.h>
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

/* A line ends where a word begins with '#': the rest of it is a comment. */
static bool is_end(const char *p)
{
	return !*p || *p == '#';
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

/*
 * What takes the value of an option, which goes from @p to @end, returns what is
 * wrong with it.
 */

static enum ksym_err parse_len(struct ksym_spec *spec, const char *p,
			       const char *end)
{
	unsigned long long len;

	if (parse_number(p, end, &len) ||
	    (len != 1 && len != 2 && len != 4 && len != 8))
		return KSYM_ERR_BAD_LEN;
	spec->len = len;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_name(struct ksym_spec *spec, const char *p,
				const char *end)
{
	if (!is_event_name(p, end - p))
		return KSYM_ERR_BAD_NAME;
	memcpy(spec->name, p, end - p);
	spec->name[end - p] = '\0';
	return KSYM_ERR_NONE;
}

/* Letters, because "all" is a list as well, and so is "N" for the last CPU. */
static bool is_list_char(char c)
{
	return isascii(c) && (isalnum(c) || (c && strchr(",-:/", c)));
}

static enum ksym_err parse_cpus(struct ksym_spec *spec, const char *p,
				const char *end)
{
	size_t len = end - p;

	if (!len || len >= sizeof(spec->opt.cpus))
		return KSYM_ERR_BAD_CPUS;
	memcpy(spec->opt.cpus, p, len);
	spec->opt.cpus[len] = '\0';
	for (; p < end; p++)
		if (!is_list_char(*p))
			return KSYM_ERR_BAD_CPUS;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_pid(struct ksym_spec *spec, const char *p,
			       const char *end)
{
	unsigned long long pid;

	/* A pid_t has a sign. */
	if (parse_number(p, end, &pid) || !pid || pid > S32_MAX)
		return KSYM_ERR_BAD_PID;
	spec->opt.pid = pid;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_limit(struct ksym_spec *spec, const char *p,
				 const char *end)
{
	const char *number_end = p;
	unsigned long long limit;

	while (number_end < end && *number_end != '/')
		number_end++;
	if (parse_number(p, number_end, &limit) || limit > U32_MAX)
		return KSYM_ERR_BAD_LIMIT;
	/* The unit is asked for, so that there can be others one day. */
	if (limit ? !is_word(number_end, end, "/ms") : number_end != end)
		return KSYM_ERR_BAD_LIMIT;
	spec->opt.limit = limit;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_count(struct ksym_spec *spec, const char *p,
				 const char *end)
{
	unsigned long long count;

	if (parse_number(p, end, &count) || !count)
		return KSYM_ERR_BAD_COUNT;
	spec->opt.count = count;
	return KSYM_ERR_NONE;
}

enum option {
	OPT_LEN,
	OPT_NAME,
	OPT_PINNED,
	OPT_FLEXIBLE,
	OPT_CPU,
	OPT_PID,
	OPT_INHERIT,
	OPT_LIMIT,
	OPT_COUNT,
};

/*
 * The options: the word, or its part up to the value; what takes the value; and
 * where in the spec it is noted where that stands. A word without a value does
 * nothing but to be there.
 */
static const struct {
	const char	*word;
	enum ksym_err	(*parse)(struct ksym_spec *spec, const char *p,
				 const char *end);
	size_t		at;
} options[] = {
#define AT(member)	offsetof(struct ksym_spec, member)
	[OPT_LEN]	= { "len=",	parse_len,	AT(len_at) },
	[OPT_NAME]	= { "name=",	parse_name,	AT(name_at) },
	[OPT_PINNED]	= { "pinned",	NULL,		AT(kind_at) },
	[OPT_FLEXIBLE]	= { "flexible",	NULL,		AT(kind_at) },
	[OPT_CPU]	= { "cpu=",	parse_cpus,	AT(cpus_at) },
	[OPT_PID]	= { "pid=",	parse_pid,	AT(pid_at) },
	[OPT_INHERIT]	= { "inherit",	NULL,		AT(inherit_at) },
	[OPT_LIMIT]	= { "limit=",	parse_limit,	AT(limit_at) },
	[OPT_COUNT]	= { "count=",	parse_count,	AT(count_at) },
#undef AT
};

static unsigned int *option_at(struct ksym_spec *spec, int opt)
{
	return (unsigned int *)((char *)spec + options[opt].at);
}

/* Returns the option whose word begins at @p, and ARRAY_SIZE() for none. */
static int find_option(const char *p, const char *end)
{
	int opt;

	for (opt = 0; opt < ARRAY_SIZE(options); opt++) {
		const char *word = options[opt].word;

		if (options[opt].parse ? !strncmp(p, word, strlen(word)) :
					 is_word(p, end, word))
			break;
	}
	return opt;
}

/* @given has a bit for each option that the line had already. */
static int parse_option(const char *line, const char **pos,
			unsigned long *given, struct ksym_spec *spec,
			struct ksym_error *error)
{
	const char *p = *pos, *end = skip_word(p);
	int opt = find_option(p, end);
	enum ksym_err err;

	*pos = end;
	if (opt == ARRAY_SIZE(options))
		return fail(error, KSYM_ERR_BAD_OPTION, line, p);
	if (*given & BIT(opt))
		return fail(error, KSYM_ERR_DUP_OPTION, line, p);
	*given |= BIT(opt);

	if (options[opt].parse) {
		p += strlen(options[opt].word);
		err = options[opt].parse(spec, p, end);
		if (err != KSYM_ERR_NONE)
			return fail(error, err, line, p);
	}
	*option_at(spec, opt) = p - line;
	return 0;
}

/* What the options say together, whatever their order was. */
static int combine_options(const char *line, unsigned long given,
			   struct ksym_spec *spec, struct ksym_error *error)
{
	struct ksym_options *opt = &spec->opt;

	opt->flexible = given & BIT(OPT_FLEXIBLE);
	opt->inherit = given & BIT(OPT_INHERIT);
	opt->has_limit = given & BIT(OPT_LIMIT);

	if (opt->flexible && given & BIT(OPT_PINNED))
		return fail(error, KSYM_ERR_BOTH_KINDS, line,
			    line + spec->kind_at);
	if (opt->inherit && !opt->pid)
		return fail(error, KSYM_ERR_INHERIT_PID, line,
			    line + spec->inherit_at);
	if (opt->has_limit && opt->pid)
		return fail(error, KSYM_ERR_TASK_LIMIT, line,
			    line + spec->limit_at);

	if (!opt->has_limit)
		opt->limit = opt->pid ? 0 : KSYM_LIMIT_DEFAULT;
	return 0;
}

/**
 * ksym_format_options - write options as a line has them
 * @buf: where to; %KSYM_OPTIONS_LEN bytes are always enough
 * @size: the size of @buf
 * @o: the options
 *
 * Each has a blank before it, and one that is the default is left out, so that
 * the text goes behind the rest of a line as it is.
 *
 * Any context.
 *
 * Return: the length of what was written, as scnprintf() does.
 */
int ksym_format_options(char *buf, size_t size, const struct ksym_options *o)
{
	int len = scnprintf(buf, size, "%s", o->flexible ? " flexible" : "");

	if (o->cpus[0])
		len += scnprintf(buf + len, size - len, " cpu=%s", o->cpus);
	if (o->pid)
		len += scnprintf(buf + len, size - len, " pid=%u", o->pid);
	if (o->inherit)
		len += scnprintf(buf + len, size - len, " inherit");
	if (o->has_limit)
		len += scnprintf(buf + len, size - len, " limit=%u%s", o->limit,
				 o->limit ? "/ms" : "");
	if (o->count)
		len += scnprintf(buf + len, size - len, " count=%llu",
				 (unsigned long long)o->count);
	return len;
}

static int parse_add_or_remove(const char *line, const char *p,
			       struct ksym_spec *spec, struct ksym_error *error)
{
	unsigned long given = 0;
	int opt, ret;

	spec->action = KSYM_ADD;
	spec->access = KSYM_WRITE;
	ret = parse_target(line, &p, spec, error);
	if (ret)
		return ret;
	spec->access_at = spec->symbol_at;
	for (opt = 0; opt < ARRAY_SIZE(options); opt++)
		*option_at(spec, opt) = spec->symbol_at;

	if (*p == ':') {
		ret = parse_access(line, &p, spec, error);
		if (ret)
			return ret;
	}
	for (p = skip_blanks(p); !is_end(p); p = skip_blanks(p)) {
		if (spec->action == KSYM_REMOVE_TARGET)
			return fail(error, KSYM_ERR_REMOVE_OPTION, line, p);
		ret = parse_option(line, &p, &given, spec, error);
		if (ret)
			return ret;
	}
	if (spec->action == KSYM_REMOVE_TARGET)
		return 0;
	ret = combine_options(line, given, spec, error);
	if (ret)
		return ret;

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
	if (!is_end(p))
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
 * The syntax is ``SYMBOL[+OFF|-OFF][:ACCESS] [OPTION...]`` for a watch, and
 * ``SYMBOL[+OFF|-OFF]:---``, ``!NAME``, ``*:---`` and ``0`` for removals. The
 * options are ``len=N``, ``name=NAME``, ``pinned`` or ``flexible``,
 * ``cpu=LIST``, ``pid=N``, ``inherit``, ``limit=N/ms`` or ``limit=0``, and
 * ``count=N``, in any order. A word that begins with '#' begins a comment, which
 * goes to the end of the line.
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

	if (is_end(p)) {
		spec->action = KSYM_NOTHING;
		return 0;
	}
	if (is_word(p, end, "0") || is_word(p, end, "*:---")) {
		rest = skip_blanks(end);
		if (!is_end(rest))
			return fail(error, KSYM_ERR_REMOVE_OPTION, line, rest);
		spec->action = KSYM_REMOVE_ALL;
		return 0;
	}
	if (*p == '!')
		return parse_remove_name(line, p + 1, spec, error);
	return parse_add_or_remove(line, p, spec, error);
}

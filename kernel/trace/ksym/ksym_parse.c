// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse: from a line of ksym_trace_filter or dynamic_events to a struct ksym_spec.
 *
 * Nothing here takes a lock or looks anything up, so the meaning of a line does not
 * depend on the running kernel. ksymwatch and the fuzzer compile this file as well.
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

/* Fills in the error. Returns -EINVAL. */
static int fail(struct ksym_error *error, enum ksym_err code,
		const char *line, const char *at)
{
	error->code = code;
	error->at = at - line;
	return -EINVAL;
}

/* The kernel's isalnum() includes Latin-1; identifiers are ASCII. */
static bool is_identifier_char(char c)
{
	return isascii(c) && (isalnum(c) || c == '_');
}

static bool is_symbol_char(char c)
{
	return is_identifier_char(c) || c == '.' || c == '$';
}

/* The kernel's isspace() includes Latin-1's no-break space. */
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

/* A target ends at a blank, or at the colon before the access. */
static const char *skip_field(const char *p)
{
	while (*p && *p != ':' && !is_blank(*p))
		p++;
	return p;
}

static const char *skip_identifier(const char *p)
{
	while (is_identifier_char(*p))
		p++;
	return p;
}

/* A word that begins with '#' begins a comment, up to the end of the line. */
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
 * kstrtoull() needs a terminated string. The longest number of 64 bits has 20 digits;
 * more leading zeros are refused.
 */
static int parse_number(const char *p, const char *end, unsigned long long *val)
{
	char digits[24];

	/* kstrtoull() would accept a sign and a newline. */
	if (end - p >= sizeof(digits) || !isdigit(*p))
		return -EINVAL;
	memcpy(digits, p, end - p);
	digits[end - p] = '\0';
	/* With base 0, 010 would be 8. */
	return kstrtoull(digits, strncasecmp(digits, "0x", 2) ? 10 : 16, val);
}

/* Appends @n bytes to the string in @buf, if they fit. */
static bool append(char *buf, size_t size, const char *p, size_t n)
{
	size_t len = strlen(buf);

	if (n >= size - len)
		return false;
	memcpy(buf + len, p, n);
	buf[len + n] = '\0';
	return true;
}

static const struct {
	const char	*word;
	u8		access;
} access_words[] = {
	{ "r",		KSYM_READ },
	{ "w",		KSYM_WRITE },
	{ "rw",		KSYM_READ | KSYM_WRITE },
	/* The words of the ksym tracer of 2009. */
	{ "r--",	KSYM_READ },
	{ "-w-",	KSYM_WRITE },
	{ "rw-",	KSYM_READ | KSYM_WRITE },
	{ "---",	0 },
};

/**
 * ksym_access_word - get the word for an access
 * @access: %KSYM_READ, %KSYM_WRITE, both, or 0 for unknown
 *
 * Any context.
 *
 * Return: the word in ksym_trace_filter and in the trace: "r", "w", "rw" or "?".
 */
const char *ksym_access_word(unsigned int access)
{
	static const char * const words[] = { "?", "r", "w", "rw" };

	return words[access & (KSYM_READ | KSYM_WRITE)];
}

static bool is_event_name(const char *p, const char *end)
{
	return end > p && end - p < KSYM_EVENT_LEN && !isdigit(*p) &&
	       skip_identifier(p) >= end;
}

/* The directory of a group has two files beside the directories of its events. */
static bool is_reserved(const char *name)
{
	return !strcmp(name, "enable") || !strcmp(name, "filter");
}

/* And events/ has three beside those of the groups. */
static bool is_reserved_group(const char *name)
{
	return !strcmp(name, "enable") || !strcmp(name, "header_page") ||
	       !strcmp(name, "header_event");
}

/* Writes what follows the symbol or address of a target, before the path. */
struct numbers {
	char	place[20];
	char	copy[32];
	char	off[24];
};

static void write_numbers(struct numbers *n, const struct ksym_target *target)
{
	s64 off = target->off;
	int len = 0;

	memset(n, 0, sizeof(*n));
	if (target->kind == KSYM_NOWHERE)
		snprintf(n->place, sizeof(n->place), "-1");
	else if (target->kind == KSYM_AT_ARG)
		snprintf(n->place, sizeof(n->place), "arg%u", target->arg);
	else if (target->kind == KSYM_AT_STACK)
		snprintf(n->place, sizeof(n->place), "$stack");
	else if (target->kind == KSYM_AT_RETVAL)
		snprintf(n->place, sizeof(n->place), "$retval");
	else if (target->kind == KSYM_AT_ADDRESS)
		snprintf(n->place, sizeof(n->place), "0x%llx",
			 (unsigned long long)target->addr);
	if (target->nth)
		len = snprintf(n->copy, sizeof(n->copy), "@%u", target->nth);
	if (target->cpu >= 0)
		snprintf(n->copy + len, sizeof(n->copy) - len, "[cpu%d]",
			 target->cpu);
	if (off)
		snprintf(n->off, sizeof(n->off), "%c0x%llx", off < 0 ? '-' : '+',
			 off < 0 ? -(unsigned long long)off : off);
}

/**
 * ksym_format_target - write a target as it stands in a line
 * @buf: the text is written here; %KSYM_TARGET_LEN bytes are always enough
 * @size: the size of @buf
 * @target: the target
 *
 * In ksym_trace_filter an access must follow a target with a module, since ``MODULE:r``
 * alone is a symbol with the access ``r``.
 *
 * Any context.
 *
 * Return: the length, as snprintf() does.
 */
int ksym_format_target(char *buf, size_t size, const struct ksym_target *target)
{
	bool typed = target->type[0];
	struct numbers n;

	write_numbers(&n, target);
	return snprintf(buf, size, "%s%s%s%s%s%s%s%s%s%s", typed ? "(" : "",
			target->type, typed ? ")" : "", target->module,
			target->module[0] ? ":" : "", target->symbol, n.place,
			n.copy, target->path, n.off);
}

/* The name of an event while it is made; @len counts on if it does not fit. */
struct event_name {
	char		*text;
	size_t		len;
	bool		gap;
};

static void add_char(struct event_name *name, char c)
{
	if (name->len < KSYM_EVENT_LEN)
		name->text[name->len] = c;
	name->len++;
}

/* Characters that are not allowed in a name become one '_', except at its end. */
static void add_text(struct event_name *name, const char *p)
{
	for (; *p; p++) {
		if (!is_identifier_char(*p)) {
			name->gap = true;
			continue;
		}
		if (name->gap)
			add_char(name, '_');
		name->gap = false;
		add_char(name, *p);
	}
}

static int make_name(char *text, const struct ksym_target *target, bool with_off)
{
	struct event_name name = { .text = text };
	struct numbers n;

	write_numbers(&n, target);
	if (target->kind == KSYM_AT_SYMBOL) {
		add_text(&name, target->symbol);
	} else if (target->kind > KSYM_NOWHERE) {
		add_text(&name, n.place + (n.place[0] == '$'));
	} else {
		add_text(&name, "w_");
		add_text(&name, target->kind == KSYM_NOWHERE ?
				"0xffffffffffffffff" : n.place);
	}
	add_text(&name, n.copy);
	add_text(&name, target->path);
	if (with_off)
		add_text(&name, n.off);
	/* A symbol may consist of dots and dollars only. */
	if (!name.len)
		add_char(&name, '_');
	if (name.len >= KSYM_EVENT_LEN)
		return -ENAMETOOLONG;
	text[name.len] = '\0';
	return 0;
}

/**
 * ksym_default_name - make an event name from a target
 * @name: filled in; %KSYM_EVENT_LEN bytes
 * @target: the target
 *
 * The name is the target without its type and module. Each run of characters that are
 * not allowed in an identifier becomes one '_', except at the end. An address gets
 * ``w_`` before it, as does -1. For example, ``(struct rq)runqueues.curr->on_cpu``
 * becomes ``runqueues_curr_on_cpu``.
 *
 * Any context.
 *
 * Return: 0, or -ENAMETOOLONG, with the contents of @name undefined.
 */
int ksym_default_name(char *name, const struct ksym_target *target)
{
	return make_name(name, target, true);
}

/*
 * Copies the type, up to its ')'. Runs of blanks become one, so that equal targets have
 * equal texts.
 */
static int parse_type(const char *line, const char **pos,
		      struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = skip_blanks(*pos + 1), *star = " *", *end;
	char *type = spec->target.type;
	bool fits = true;

	spec->type_at = p - line;
	while (is_identifier_char(*p) && !isdigit(*p)) {
		end = skip_identifier(p);
		if (type[0])
			fits &= append(type, KSYM_TYPE_LEN, " ", 1);
		fits &= append(type, KSYM_TYPE_LEN, p, end - p);
		if (!fits)
			return fail(error, KSYM_ERR_LONG_TARGET, line, p);
		p = skip_blanks(end);
	}
	if (!type[0])
		return fail(error, KSYM_ERR_BAD_TYPE, line, p);
	for (; *p == '*'; p = skip_blanks(p + 1)) {
		if (!append(type, KSYM_TYPE_LEN, star, strlen(star)))
			return fail(error, KSYM_ERR_LONG_TARGET, line, p);
		star = "*";
	}
	if (*p != ')')
		return fail(error, KSYM_ERR_BAD_TYPE, line, p);
	*pos = p + 1;
	return 0;
}

/* Is the word before the colon at @p a module? */
static bool is_module_colon(const char *p, const struct ksym_spec *spec)
{
	const char *word = p + 1, *end = skip_field(word);

	/* In dynamic_events a length can follow the colon. */
	if (spec->lazy)
		return *word && !is_blank(*word) && !isdigit(*word);
	/*
	 * Else it is the access, and what looks like one shall not be taken
	 * for a symbol, even if it is none. Where another colon follows, the
	 * access is behind that.
	 */
	return *end == ':' || end - word > 3 ||
	       strspn(word, "rwx-") < end - word;
}

static bool is_hex(const char *p)
{
	return p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
}

static int parse_module(const char *line, const char **pos,
			struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = skip_identifier(p);

	/* The name of a module may begin with a digit, like 8021q. */
	if (end == p || *end != ':' || is_hex(p) || !is_module_colon(end, spec))
		return 0;
	if (!append(spec->target.module, KSYM_MODULE_LEN, p, end - p))
		return fail(error, KSYM_ERR_BAD_MODULE, line, p);
	spec->module_at = p - line;
	*pos = end + 1;
	return 0;
}

static int parse_addr(const char *line, const char **pos,
		      struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = p + 2;
	unsigned long long addr;

	while (isxdigit(*end))
		end++;
	if (end - p > 2 + 16 || parse_number(p, end, &addr))
		return fail(error, KSYM_ERR_BAD_SYMBOL, line, p);
	spec->target.kind = KSYM_AT_ADDRESS;
	spec->target.addr = addr;
	spec->symbol_at = p - line;
	*pos = end;
	return 0;
}

/* Parses the N of SYMBOL@N at @pos. */
static int parse_nth(const char *line, const char **pos,
		     struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = skip_identifier(p);
	unsigned long long nth;

	if (parse_number(p, end, &nth) || !nth || nth > U32_MAX)
		return fail(error, KSYM_ERR_BAD_NTH, line, p);
	spec->target.nth = nth;
	spec->nth_at = p - line;
	*pos = end;
	return 0;
}

/* Parses the N of SYMBOL[cpuN] at @pos, and the bracket. */
static int parse_copy(const char *line, const char **pos,
		      struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = skip_identifier(p);
	unsigned long long cpu;

	if (*end != ']' || parse_number(p, end, &cpu) || cpu > S32_MAX)
		return fail(error, KSYM_ERR_BAD_COPY, line, p);
	spec->target.cpu = cpu;
	spec->cpu_at = p - line;
	*pos = end + 1;
	return 0;
}

static int parse_symbol(const char *line, const char **pos,
			struct ksym_spec *spec, struct ksym_error *error)
{
	struct ksym_target *target = &spec->target;
	const char *p = *pos, *end = p;
	int ret;

	/* Compilers add .NUMBER to names; no member begins with a digit. */
	while (is_symbol_char(*end) &&
	       (*end != '.' || !target->type[0] || isdigit(end[1])))
		end++;
	if (*end == '*' || *end == '?' || (*end == '[' && end == p))
		return fail(error, KSYM_ERR_GLOB, line, end);
	if (end == p && strchr(":+-@. \t\r", *p))
		return fail(error, KSYM_ERR_NO_SYMBOL, line, p);
	if (end == p || isdigit(*p))
		return fail(error, KSYM_ERR_BAD_SYMBOL, line, p);
	if (!append(target->symbol, KSYM_SYM_MAX, p, end - p))
		return fail(error, KSYM_ERR_SYMBOL_LEN, line, p);
	spec->symbol_at = p - line;
	*pos = end;

	if (*end == '@') {
		*pos += 1;
		ret = parse_nth(line, pos, spec, error);
		if (ret)
			return ret;
	}
	if (strncmp(*pos, "[cpu", 4))
		return 0;
	*pos += 4;
	return parse_copy(line, pos, spec, error);
}

static bool is_arrow(const char *p)
{
	return p[0] == '-' && p[1] == '>';
}

/* Does a path begin here? */
static bool is_path(const char *p)
{
	return *p == '.' || *p == '[' || is_arrow(p);
}

/* Parses [N]. Returns its end, or NULL. */
static const char *parse_index(const char *p, u32 *index)
{
	const char *end = skip_identifier(p + 1);
	unsigned long long val;

	if (*end != ']' || parse_number(p + 1, end, &val) || val > U32_MAX)
		return NULL;
	*index = val;
	return end + 1;
}

/**
 * ksym_is_path - is a text a path of members and indices?
 * @p: the text
 *
 * Any context.
 *
 * Return: true if it is, or if it is "".
 */
bool ksym_is_path(const char *p)
{
	const char *end;

	for (; is_path(p); p = end) {
		bool index = *p == '[';

		p += is_arrow(p) ? 2 : 1;
		end = p;
		while (index ? isdigit(*end) : is_identifier_char(*end))
			end++;
		if (end == p || (index ? *end++ != ']' : isdigit(*p)))
			return false;
	}
	return !*p;
}

static int parse_path(const char *line, const char **pos,
		      struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end, *text;
	char *path = spec->target.path;
	char index_text[16];
	size_t len;
	u32 index;

	spec->path_at = p - line;
	for (; is_path(p); p = end) {
		if (*p == '[') {
			end = parse_index(p, &index);
			if (!end)
				return fail(error, KSYM_ERR_BAD_PATH, line, p + 1);
			len = snprintf(index_text, sizeof(index_text), "[%u]",
				       index);
			text = index_text;
		} else {
			const char *member = p + (is_arrow(p) ? 2 : 1);

			end = skip_identifier(member);
			if (end == member || isdigit(*member))
				return fail(error, KSYM_ERR_BAD_PATH, line, member);
			len = end - p;
			text = p;
		}
		if (!append(path, KSYM_PATH_LEN, text, len))
			return fail(error, KSYM_ERR_LONG_TARGET, line, p);
	}
	if (*p == '+' || *p == '-')
		return fail(error, KSYM_ERR_TYPE_OFFSET, line, p);
	*pos = p;
	return 0;
}

static int parse_off(const char *line, const char **pos,
		     struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos + 1, *end = skip_field(p);
	unsigned long long dist;

	spec->off_at = *pos - line;
	/* Together with its sign it must fit an s64. */
	if (parse_number(p, end, &dist) || dist > S64_MAX)
		return fail(error, KSYM_ERR_BAD_OFFSET, line, p);
	spec->target.off = **pos == '-' ? -(s64)dist : (s64)dist;
	*pos = end;
	return 0;
}

/* Parses what follows a symbol or address: a path if there is a type, else an offset. */
static int parse_behind_place(const char *line, const char **pos,
			      struct ksym_spec *spec, struct ksym_error *error)
{
	bool typed = spec->target.type[0];
	const char *p = *pos;
	u32 index;

	if (typed && is_path(p))
		return parse_path(line, pos, spec, error);
	if (typed && (*p == '+' || *p == '-'))
		return fail(error, KSYM_ERR_TYPE_OFFSET, line, p);
	if (*p == '[' && !parse_index(p, &index))
		return fail(error, KSYM_ERR_GLOB, line, p);
	if (is_path(p))
		return fail(error, KSYM_ERR_UNTYPED_PATH, line, p);
	if (*p == '+' || *p == '-')
		return parse_off(line, pos, spec, error);
	return 0;
}

/* Is this the target -1, and not an offset without a symbol? */
static bool is_nowhere(const char *p)
{
	return p[0] == '-' && p[1] == '1' && !is_symbol_char(p[2]);
}

static int parse_nowhere(const char *line, const char **pos,
			 struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = p + 2;

	if (spec->target.type[0])
		return fail(error, KSYM_ERR_NOWHERE, line, p);
	if (skip_field(end) != end)
		return fail(error, KSYM_ERR_NOWHERE, line, end);
	spec->target.kind = KSYM_NOWHERE;
	*pos = end;
	return 0;
}

/* Parses argN at @pos, up to @end. */
static int parse_arg(const char *line, const char *p, const char *end, u32 *arg,
		     struct ksym_error *error)
{
	unsigned long long nr;

	if (strncmp(p, "arg", 3) || parse_number(p + 3, end, &nr) || !nr ||
	    nr > KSYM_ARGS_MAX)
		return fail(error, KSYM_ERR_BAD_ARG, line, p);
	*arg = nr;
	return 0;
}

/* Is this a target that only a window has? */
static bool is_window_target(const char *p)
{
	return *p == '$' || (!strncmp(p, "arg", 3) && isdigit(p[3]));
}

/* Parses argN[->MEMBER...], $retval[->MEMBER...] or $stack[+OFF|-OFF]. */
static int parse_window_target(const char *line, const char **pos,
			       struct ksym_spec *spec, struct ksym_error *error)
{
	struct ksym_target *target = &spec->target;
	const char *p = *pos, *end = skip_identifier(p + (*p == '$'));
	int ret = 0;

	spec->symbol_at = p - line;
	*pos = end;
	if (is_word(p, end, "$stack"))
		target->kind = KSYM_AT_STACK;
	else if (is_word(p, end, "$retval"))
		target->kind = KSYM_AT_RETVAL;
	else
		target->kind = KSYM_AT_ARG;
	if (target->kind == KSYM_AT_ARG)
		ret = parse_arg(line, p, end, &target->arg, error);
	if (ret)
		return ret;
	if (target->kind == KSYM_AT_STACK && (*end == '+' || *end == '-'))
		ret = parse_off(line, pos, spec, error);
	else if (target->kind != KSYM_AT_STACK && is_arrow(end))
		ret = parse_path(line, pos, spec, error);
	if (!ret && (skip_field(*pos) != *pos || (target->type[0] && !target->path[0])))
		ret = fail(error, KSYM_ERR_WINDOW_PATH, line, *pos);
	return ret;
}

static int parse_target(const char *line, const char **pos,
			struct ksym_spec *spec, struct ksym_error *error)
{
	struct ksym_target *target = &spec->target;
	int ret = 0;

	if (**pos == '(')
		ret = parse_type(line, pos, spec, error);
	if (!ret && spec->in_at && is_window_target(*pos))
		return parse_window_target(line, pos, spec, error);
	if (!ret && is_nowhere(*pos))
		return parse_nowhere(line, pos, spec, error);
	if (!ret)
		ret = parse_module(line, pos, spec, error);
	if (ret)
		return ret;
	if (is_hex(*pos) && !target->module[0])
		ret = parse_addr(line, pos, spec, error);
	else
		ret = parse_symbol(line, pos, spec, error);
	if (!ret)
		ret = parse_behind_place(line, pos, spec, error);
	if (ret || skip_field(*pos) == *pos)
		return ret;
	if (**pos == '*' || **pos == '?')
		return fail(error, KSYM_ERR_GLOB, line, *pos);
	return fail(error, target->path[0] ? KSYM_ERR_BAD_PATH :
		    KSYM_ERR_BAD_SYMBOL, line, *pos);
}

/* Returns the access, or -1 if the word is none. */
static int find_access(const char *p, const char *end)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(access_words); i++)
		if (is_word(p, end, access_words[i].word))
			return access_words[i].access;
	return -1;
}

static int parse_access(const char *line, const char **pos,
			struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos + 1, *end = skip_word(p);
	int access = find_access(p, end);

	if (access < 0)
		return fail(error, KSYM_ERR_BAD_ACCESS, line, p);
	spec->access = access;
	spec->access_at = p - line;
	if (!access)
		spec->action = KSYM_REMOVE_TARGET;
	*pos = end;
	return 0;
}

/* The lengths that one debug register can watch. */
static bool is_width(unsigned long long len)
{
	return len == 1 || len == 2 || len == 4 || len == 8;
}

/* The beginning of NAME in GRP/NAME or NAME. */
static const char *name_part(const char *p, const char *end)
{
	const char *slash = memchr(p, '/', end - p);

	return slash ? slash + 1 : p;
}

/* Parses GRP/, up to @name. */
static enum ksym_err take_group(struct ksym_spec *spec, const char *p, const char *name)
{
	if (!is_event_name(p, name - 1))
		return KSYM_ERR_BAD_GROUP;
	append(spec->group, sizeof(spec->group), p, name - 1 - p);
	return is_reserved_group(spec->group) ? KSYM_ERR_RESERVED_NAME : KSYM_ERR_NONE;
}

/* Parses [GRP/]NAME, up to @end; NAME begins at @name. */
static enum ksym_err take_name(struct ksym_spec *spec, const char *p,
			       const char *name, const char *end)
{
	enum ksym_err err = name != p ? take_group(spec, p, name) : KSYM_ERR_NONE;

	if (err != KSYM_ERR_NONE)
		return err;
	if (!is_event_name(name, end))
		return KSYM_ERR_BAD_NAME;
	append(spec->name, sizeof(spec->name), name, end - name);
	return KSYM_ERR_NONE;
}

/* These parse the value of an option, from @p to @end. They return the error. */

static enum ksym_err parse_len(struct ksym_spec *spec, const char *p,
			       const char *end)
{
	unsigned long long len;

	if (parse_number(p, end, &len) || !len || len > KSYM_WIDE_MAX)
		return KSYM_ERR_BAD_LEN;
	spec->len = len;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_name(struct ksym_spec *spec, const char *p,
				const char *end)
{
	return take_name(spec, p, name_part(p, end), end);
}

/* Letters as well: "all" is a list, and "N" the last CPU. */
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

	/* It must fit a pid_t, which is signed. */
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
	/* The unit is required, so that other units can be added. */
	if (limit ? !is_word(number_end, end, "/ms") : number_end != end)
		return KSYM_ERR_BAD_LIMIT;
	spec->opt.limit = limit;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_budget(struct ksym_spec *spec, const char *p,
				  const char *end)
{
	const char *number_end = end > p && end[-1] == '%' ? end - 1 : end;
	bool has_unit = number_end < end;
	unsigned long long budget;

	if (parse_number(p, number_end, &budget) || budget > KSYM_BUDGET_MAX)
		return KSYM_ERR_BAD_BUDGET;
	/* 0 needs no unit, as with limit=. */
	if (has_unit == !budget)
		return KSYM_ERR_BAD_BUDGET;
	spec->opt.budget = budget;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_count(struct ksym_spec *spec, const char *p,
				 const char *end)
{
	unsigned long long count;

	/* It must fit the signed ->left of a watch. */
	if (parse_number(p, end, &count) || !count || count > S64_MAX)
		return KSYM_ERR_BAD_COUNT;
	spec->opt.count = count;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_every(struct ksym_spec *spec, const char *p,
				 const char *end)
{
	bool random = p < end && *p == '~';
	unsigned long long every;

	if (parse_number(p + random, end, &every) || !every || every > U32_MAX)
		return KSYM_ERR_BAD_EVERY;
	spec->opt.every = every;
	spec->opt.every_random = random;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_objects(struct ksym_spec *spec, const char *p,
				   const char *end)
{
	unsigned long long nr;

	if (parse_number(p, end, &nr) || !nr || nr > KSYM_OBJECTS_MAX)
		return KSYM_ERR_BAD_OBJECTS;
	spec->opt.objects = nr;
	return KSYM_ERR_NONE;
}

static const struct {
	const char	*unit;
	u64		ns;
} time_units[] = {
	{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
};

/**
 * ksym_parse_time - parse a time with its unit
 * @p: the text
 * @end: its end
 * @ns: filled in
 *
 * Any context.
 *
 * Return: 0; or -EINVAL if it is no number with ns, us, ms or s after it, or not from
 * 1 ns to 2^63 - 1 ns.
 */
int ksym_parse_time(const char *p, const char *end, u64 *ns)
{
	const char *unit = p;
	unsigned long long val;
	unsigned int i;

	while (unit < end && isdigit(*unit))
		unit++;
	for (i = 0; i < ARRAY_SIZE(time_units); i++)
		if (is_word(unit, end, time_units[i].unit))
			break;
	if (i == ARRAY_SIZE(time_units) || parse_number(p, unit, &val) || !val ||
	    val > S64_MAX / time_units[i].ns)
		return -EINVAL;
	*ns = val * time_units[i].ns;
	return 0;
}

/**
 * ksym_format_time - write a time with the largest unit that fits it
 * @buf: the text is written here
 * @size: the size of @buf
 * @ns: the time, not 0
 *
 * Any context.
 *
 * Return: the length, as scnprintf() does.
 */
int ksym_format_time(char *buf, size_t size, u64 ns)
{
	unsigned int i = 0;

	while (ns % time_units[i].ns)
		i++;
	return scnprintf(buf, size, "%llu%s", (unsigned long long)ns / time_units[i].ns,
			 time_units[i].unit);
}

static enum ksym_err parse_timeout(struct ksym_spec *spec, const char *p,
				   const char *end)
{
	return ksym_parse_time(p, end, &spec->opt.timeout) ? KSYM_ERR_BAD_TIME :
							     KSYM_ERR_NONE;
}

/*
 * The options: the word, up to its value; the parser of the value, if there is one; the
 * flag that says that it was given, if there is one; and the field of the spec for its
 * offset in the line.
 */
static const struct {
	const char	*word;
	enum ksym_err	(*parse)(struct ksym_spec *spec, const char *p,
				 const char *end);
	size_t		flag;
	size_t		at;
} options[] = {
#define FLAG(member)	offsetof(struct ksym_spec, opt.member)
#define AT(member)	offsetof(struct ksym_spec, member)
	{ "len=",	parse_len,	0,			AT(len_at) },
	{ "name=",	parse_name,	0,			AT(name_at) },
	{ "pinned",	NULL,		FLAG(pinned),		AT(kind_at) },
	{ "flexible",	NULL,		FLAG(flexible),		AT(kind_at) },
	{ "cpu=",	parse_cpus,	0,			AT(cpus_at) },
	{ "pid=",	parse_pid,	0,			AT(pid_at) },
	{ "inherit",	NULL,		FLAG(inherit),		AT(inherit_at) },
	{ "limit=",	parse_limit,	FLAG(has_limit),	AT(limit_at) },
	{ "budget=",	parse_budget,	FLAG(has_budget),	AT(budget_at) },
	{ "count=",	parse_count,	0,			AT(count_at) },
	{ "every=",	parse_every,	0,			AT(every_at) },
	{ "objects=",	parse_objects,	0,			AT(objects_at) },
	{ "timeout=",	parse_timeout,	0,			AT(timeout_at) },
	{ "changed",	NULL,		FLAG(changed),		AT(changed_at) },
	{ "wrote",	NULL,		FLAG(wrote),		AT(wrote_at) },
	{ "stack",	NULL,		FLAG(stack),		AT(stack_at) },
	{ "ustack",	NULL,		FLAG(ustack),		AT(ustack_at) },
	{ "off",	NULL,		FLAG(off),		AT(off_option_at) },
#undef FLAG
#undef AT
};

static unsigned int *option_at(struct ksym_spec *spec, int opt)
{
	return (unsigned int *)((char *)spec + options[opt].at);
}

/* Returns the index of the option that begins at @p, or ARRAY_SIZE(options). */
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

/* @given has a bit for each option that came before. */
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
			return fail(error, err, line, err == KSYM_ERR_BAD_NAME ?
						      name_part(p, end) : p);
	}
	if (options[opt].flag)
		*(bool *)((char *)spec + options[opt].flag) = true;
	*option_at(spec, opt) = p - line;
	return 0;
}

/* Checks combinations of options, whatever their order. */
static int combine_options(const char *line, struct ksym_spec *spec,
			   struct ksym_error *error)
{
	const struct ksym_options *opt = &spec->opt;

	if (opt->flexible && opt->pinned)
		return fail(error, KSYM_ERR_BOTH_KINDS, line,
			    line + spec->kind_at);
	if (opt->inherit && !opt->pid)
		return fail(error, KSYM_ERR_INHERIT_PID, line,
			    line + spec->inherit_at);
	if (spec->len > KSYM_LEN_MAX && !opt->flexible)
		return fail(error, KSYM_ERR_WIDE, line, line + spec->len_at);
	if (spec->window.func[0])
		return 0;
	if (spec->target.kind != KSYM_NOWHERE && opt->objects)
		return fail(error, KSYM_ERR_NO_OBJECTS, line, line + spec->objects_at);
	if (spec->target.kind != KSYM_NOWHERE && opt->timeout)
		return fail(error, KSYM_ERR_NO_OBJECTS, line, line + spec->timeout_at);
	if (spec->target.kind != KSYM_NOWHERE)
		return 0;
	/* There is no type with a length, and only one register can be moved. */
	if (!spec->len)
		spec->len = 8;
	if (!is_width(spec->len))
		return fail(error, KSYM_ERR_BAD_WIDTH, line,
			    line + spec->len_at);
	return 0;
}

/**
 * ksym_format_options - write options as they stand in a line
 * @buf: the text is written here; %KSYM_OPTIONS_LEN bytes are always enough
 * @size: the size of @buf
 * @o: the options
 *
 * Each has a blank before it. Defaults are left out.
 *
 * Any context.
 *
 * Return: the length, as scnprintf() does.
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
	if (o->has_budget)
		len += scnprintf(buf + len, size - len, " budget=%u%s", o->budget,
				 o->budget ? "%" : "");
	if (o->count)
		len += scnprintf(buf + len, size - len, " count=%llu",
				 (unsigned long long)o->count);
	if (o->every)
		len += scnprintf(buf + len, size - len, " every=%s%u",
				 o->every_random ? "~" : "", o->every);
	if (o->objects)
		len += scnprintf(buf + len, size - len, " objects=%u", o->objects);
	if (o->timeout) {
		len += scnprintf(buf + len, size - len, " timeout=");
		len += ksym_format_time(buf + len, size - len, o->timeout);
	}
	len += scnprintf(buf + len, size - len, "%s%s%s%s%s",
			 o->changed ? " changed" : "",
			 o->wrote ? " wrote" : "", o->stack ? " stack" : "",
			 o->ustack ? " ustack" : "", o->off ? " off" : "");
	return len;
}

/* The defaults. Until an option is parsed, its caret is under the target. */
static void begin_target(const char *line, const char *p, struct ksym_spec *spec)
{
	const unsigned int at = p - line;
	int opt;

	spec->action = KSYM_ADD;
	spec->target.cpu = -1;
	spec->opt.limit = KSYM_LIMIT_DEFAULT;
	spec->opt.budget = KSYM_BUDGET_DEFAULT;
	spec->type_at = at;
	spec->module_at = at;
	spec->symbol_at = at;
	spec->nth_at = at;
	spec->cpu_at = at;
	spec->path_at = at;
	spec->off_at = at;
	spec->access_at = at;
	for (opt = 0; opt < ARRAY_SIZE(options); opt++)
		*option_at(spec, opt) = at;
}

/*
 * A watch without a name is named after its target. In dynamic_events the offset is
 * left out of the name, as linux-next's watchpoint probes do.
 */
static int end_name(const char *line, struct ksym_spec *spec, const char *group,
		    bool with_off, struct ksym_error *error)
{
	if (!spec->group[0])
		snprintf(spec->group, sizeof(spec->group), "%s", group);
	if (!spec->name[0] && make_name(spec->name, &spec->target, with_off))
		return fail(error, KSYM_ERR_LONG_NAME, line,
			    line + spec->name_at);
	if (is_reserved(spec->name))
		return fail(error, KSYM_ERR_RESERVED_NAME, line,
			    line + spec->name_at);
	return 0;
}

/* These parse the text of a clause, from @p to @end, without the blanks around it. */

/* The parser of the probe events parses the arguments. */
static int parse_args(const char *line, const char *p, const char *end,
		      struct ksym_spec *spec, struct ksym_error *error)
{
	if (p == end)
		return fail(error, KSYM_ERR_NO_ARGS, line, p);
	spec->args_at = p - line;
	spec->args_len = end - p;
	return 0;
}

/* The parser of ftrace's filters parses the filter. */
static int parse_if(const char *line, const char *p, const char *end,
		    struct ksym_spec *spec, struct ksym_error *error)
{
	if (p == end)
		return fail(error, KSYM_ERR_NO_FILTER, line, p);
	spec->filter_at = p - line;
	spec->filter_len = end - p;
	return 0;
}

static const struct {
	const char	*word;
	u8		bit;
} actions[] = {
	{ "traceoff",	KSYM_TRACEOFF },
	{ "snapshot",	KSYM_SNAPSHOT },
	{ "panic",	KSYM_PANIC },
};

/**
 * ksym_format_actions - write the actions of a watch as they stand in a line
 * @buf: the text is written here; %KSYM_ACTIONS_LEN bytes are always enough
 * @size: the size of @buf
 * @o: the options
 *
 * Any context.
 *
 * Return: the length, as scnprintf() does; 0 where there are none.
 */
int ksym_format_actions(char *buf, size_t size, const struct ksym_options *o)
{
	const char *before = " then ";
	int len = scnprintf(buf, size, "%s", "");
	int i;

	for (i = 0; i < ARRAY_SIZE(actions); i++) {
		if (!(o->actions & actions[i].bit))
			continue;
		len += scnprintf(buf + len, size - len, "%s%s", before, actions[i].word);
		before = ",";
	}
	if (o->signal)
		len += scnprintf(buf + len, size - len, "%ssignal=%u", before, o->signal);
	return len;
}

static enum ksym_err parse_signal(struct ksym_spec *spec, const char *p, const char *end)
{
	unsigned long long signal;

	if (spec->opt.signal)
		return KSYM_ERR_DUP_ACTION;
	if (parse_number(p, end, &signal) || !signal || signal > KSYM_SIGNAL_MAX)
		return KSYM_ERR_BAD_SIGNAL;
	spec->opt.signal = signal;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_action(struct ksym_spec *spec, const char *p, const char *end)
{
	static const char signal[] = "signal=";
	int i;

	if (end - p >= strlen(signal) && !memcmp(p, signal, strlen(signal)))
		return parse_signal(spec, p + strlen(signal), end);
	for (i = 0; i < ARRAY_SIZE(actions); i++) {
		if (!is_word(p, end, actions[i].word))
			continue;
		if (spec->opt.actions & actions[i].bit)
			return KSYM_ERR_DUP_ACTION;
		spec->opt.actions |= actions[i].bit;
		return KSYM_ERR_NONE;
	}
	return KSYM_ERR_BAD_ACTION;
}

static int parse_then(const char *line, const char *p, const char *end,
		      struct ksym_spec *spec, struct ksym_error *error)
{
	enum ksym_err err;
	const char *next;

	spec->then_at = p - line;
	for (;; p = skip_blanks(next + 1)) {
		for (next = p; next < end && *next != ',' && !is_blank(*next); next++)
			;
		err = parse_action(spec, p, next);
		if (err != KSYM_ERR_NONE)
			return fail(error, err, line, err == KSYM_ERR_BAD_SIGNAL ?
				    (const char *)memchr(p, '=', next - p) + 1 : p);
		next = skip_blanks(next);
		if (next >= end)
			break;
		if (*next != ',')
			return fail(error, KSYM_ERR_BAD_ACTION, line, next);
	}
	/* The others would be done later, when nothing is done any more. */
	if (spec->opt.actions & KSYM_PANIC &&
	    (spec->opt.actions & KSYM_SNAPSHOT || spec->opt.signal || spec->opt.ustack))
		return fail(error, KSYM_ERR_PANIC_ALONE, line, line + spec->then_at);
	return 0;
}

/* What may follow the options, in this order: a word, and its text up to the next one. */
static const struct {
	const char	*word;
	int		(*parse)(const char *line, const char *p, const char *end,
				 struct ksym_spec *spec, struct ksym_error *error);
} clauses[] = {
	{ "args",	parse_args },
	{ "if",		parse_if },
	{ "then",	parse_then },
};

/* Returns the index of the clause that begins at @p, or ARRAY_SIZE(clauses). */
static int find_clause(const char *p)
{
	const char *end = skip_word(p);
	int clause;

	for (clause = 0; clause < ARRAY_SIZE(clauses); clause++)
		if (is_word(p, end, clauses[clause].word))
			break;
	return clause;
}

/* Blanks between quotes are part of a word. */
static const char *skip_quoted_word(const char *p)
{
	char quote = '\0';

	for (; *p && (quote || !is_blank(*p)); p++) {
		if (*p == quote)
			quote = '\0';
		else if (!quote && (*p == '"' || *p == '\''))
			quote = *p;
	}
	return p;
}

/* Parses the clause at @pos, up to the next one, a comment or the end of the line. */
static int parse_clause(const char *line, const char **pos, int clause,
			struct ksym_spec *spec, struct ksym_error *error)
{
	const char *begin = skip_blanks(skip_word(*pos)), *p = begin, *end = begin;

	while (!is_end(p) && find_clause(p) == ARRAY_SIZE(clauses)) {
		end = skip_quoted_word(p);
		p = skip_blanks(end);
	}
	*pos = p;
	/* A quote may be missing. */
	while (end > begin && is_blank(end[-1]))
		end--;
	return clauses[clause].parse(line, begin, end, spec, error);
}

/*
 * Finds the word in after the target, and notes where it is: it makes argN, $stack and
 * $retval targets.
 */
static void find_window(const char *line, const char *p, struct ksym_spec *spec)
{
	const char *close = *p == '(' ? strchr(p, ')') : NULL;

	p = skip_blanks(skip_word(close ?: p));
	if (is_word(p, skip_word(p), "in"))
		spec->in_at = p - line;
}

/* Copies the name of a function. Returns its end, or NULL. */
static const char *copy_function(char *name, const char *p)
{
	const char *end = p;

	while (is_symbol_char(*end) || *end == ':')
		end++;
	if (end == p || isdigit(*p) || end - p >= KSYM_SYM_MAX)
		return NULL;
	name[0] = '\0';
	append(name, KSYM_SYM_MAX, p, end - p);
	return end;
}

/* Parses FUNC(argN). */
static int parse_until(const char *line, const char **pos,
		       struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = skip_blanks(skip_word(*pos)), *end, *close;
	int ret;

	spec->until_at = p - line;
	end = copy_function(spec->window.until, p);
	if (!end)
		return fail(error, KSYM_ERR_BAD_FUNC, line, p);
	if (*end != '(')
		return fail(error, KSYM_ERR_BAD_UNTIL, line, end);
	close = skip_identifier(++end);
	ret = parse_arg(line, end, close, &spec->window.until_arg, error);
	if (ret)
		return ret;
	*pos = close + 1;
	if (*close != ')' || skip_word(*pos) != *pos)
		return fail(error, KSYM_ERR_BAD_UNTIL, line, close);
	return 0;
}

/* Parses in FUNC [until FUNC(argN)] at @pos. */
static int parse_window(const char *line, const char **pos,
			struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = skip_blanks(skip_word(*pos)), *end;

	if (spec->target.kind == KSYM_NOWHERE)
		return fail(error, KSYM_ERR_WINDOW_NOWHERE, line, *pos);
	spec->in_at = p - line;
	end = copy_function(spec->window.func, p);
	if (!end || skip_word(end) != end)
		return fail(error, KSYM_ERR_BAD_FUNC, line, end ?: p);
	*pos = end;
	p = skip_blanks(end);
	if (!is_word(p, skip_word(p), "until")) {
		if (spec->target.kind == KSYM_AT_RETVAL)
			return fail(error, KSYM_ERR_RETVAL_UNTIL, line,
				    line + spec->symbol_at);
		return 0;
	}
	*pos = p;
	return parse_until(line, pos, spec, error);
}

/**
 * ksym_format_window - write a window as it stands in a line
 * @buf: the text is written here; %KSYM_WINDOW_LEN bytes are always enough
 * @size: the size of @buf
 * @window: the window; without a function nothing is written
 *
 * It has a blank before it.
 *
 * Any context.
 *
 * Return: the length, as scnprintf() does.
 */
int ksym_format_window(char *buf, size_t size, const struct ksym_window_text *window)
{
	int len = 0;

	if (window->func[0])
		len = scnprintf(buf, size, " in %s", window->func);
	if (window->until[0])
		len += scnprintf(buf + len, size - len, " until %s(arg%u)", window->until,
				 window->until_arg);
	return len;
}

static int parse_add_or_remove(const char *line, const char *p,
			       struct ksym_spec *spec, struct ksym_error *error)
{
	unsigned long given = 0;
	int clause, next = 0;
	int ret;

	begin_target(line, p, spec);
	find_window(line, p, spec);
	spec->access = KSYM_WRITE;
	ret = parse_target(line, &p, spec, error);
	if (ret)
		return ret;

	if (*p == ':') {
		ret = parse_access(line, &p, spec, error);
		if (ret)
			return ret;
	}
	p = skip_blanks(p);
	if (spec->in_at && spec->action == KSYM_ADD) {
		ret = parse_window(line, &p, spec, error);
		if (ret)
			return ret;
	}
	for (p = skip_blanks(p); !is_end(p); p = skip_blanks(p)) {
		if (spec->action == KSYM_REMOVE_TARGET)
			return fail(error, KSYM_ERR_REMOVE_OPTION, line, p);
		clause = find_clause(p);
		if (clause == ARRAY_SIZE(clauses)) {
			ret = parse_option(line, &p, &given, spec, error);
		} else if (clause < next) {
			ret = fail(error, KSYM_ERR_CLAUSE_ORDER, line, p);
		} else {
			next = clause + 1;
			ret = parse_clause(line, &p, clause, spec, error);
		}
		if (ret)
			return ret;
	}
	if (spec->action == KSYM_REMOVE_TARGET)
		return 0;
	ret = combine_options(line, spec, error);
	if (ret)
		return ret;
	return end_name(line, spec, KSYM_GROUP, true, error);
}

/* Parses [GRP/]NAME, or GRP/ and a '*', and nothing after it. */
static int parse_named(const char *line, const char *p, enum ksym_action action,
		       struct ksym_spec *spec, struct ksym_error *error)
{
	const char *end = skip_word(p), *name = name_part(p, end);
	enum ksym_err err;

	/* The name stays empty for all watches of the group. */
	if (name != p && is_word(name, end, "*"))
		err = take_group(spec, p, name);
	else
		err = take_name(spec, p, name, end);
	if (err != KSYM_ERR_NONE)
		return fail(error, err, line, err == KSYM_ERR_BAD_NAME ? name : p);
	spec->name_at = p - line;
	p = skip_blanks(end);
	if (!is_end(p))
		return fail(error, KSYM_ERR_REMOVE_OPTION, line, p);
	spec->action = action;
	return 0;
}

/* Do these begin "+NAME" or "-NAME", and not an offset or the target -1? */
static bool is_switch(const char *p)
{
	return (*p == '+' || *p == '-') && !isdigit(p[1]) &&
	       (is_identifier_char(p[1]) || p[1] == '*');
}

/**
 * ksym_parse - parse a line
 * @line: the line, without its newline
 * @spec: filled in; its contents are undefined after an error
 * @error: after an error: what is wrong, and where
 *
 * A watch is ``TARGET[:ACCESS] [in FUNC [until FUNC(argN)]] [OPTION...] [args FETCHARG...]
 * [if FILTER] [then ACTION[,ACTION...]]``. The words of these clauses are text between
 * quotes. The actions are ``traceoff``, ``snapshot``, ``signal=N`` and ``panic``. With
 * ``in``, the target can also be ``argN[->MEMBER...]``, ``$retval[->MEMBER...]`` or
 * ``$stack[+OFF|-OFF]``. Otherwise it is ``-1``, or
 * ``[MODULE:]SYMBOL[@N][[cpuN]]`` or ``0xADDR``. The latter two can have an offset after
 * them; or ``(TYPE)`` before them, and then any number of ``.MEMBER``, ``->MEMBER`` and
 * ``[N]`` after them. The options are ``len=N``, ``name=[GRP/]NAME``, ``pinned`` or
 * ``flexible``, ``cpu=LIST``, ``pid=N``, ``inherit``, ``limit=N/ms`` or ``limit=0``,
 * ``budget=N%`` or ``budget=0``, ``count=N``, ``every=[~]N``, ``objects=N``,
 * ``timeout=TIME``, ``changed``, ``wrote``, ``stack``, ``ustack`` and ``off``, in any
 * order. Removals are ``TARGET:---``, ``![GRP/]NAME``,
 * ``*:---`` and ``0``. ``-[GRP/]NAME`` and ``+[GRP/]NAME`` switch a watch off and on.
 * After ``GRP/``, a ``*`` names all watches of the group. A word that begins with '#'
 * begins a comment.
 *
 * Any context.
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
		return parse_named(line, p + 1, KSYM_REMOVE_NAME, spec, error);
	if (is_switch(p))
		return parse_named(line, p + 1, *p == '+' ? KSYM_SWITCH_ON : KSYM_SWITCH_OFF,
				   spec, error);
	if (p[0] == '-' && p[1] == ':')
		return fail(error, KSYM_ERR_DYN_REMOVAL, line, p);
	return parse_add_or_remove(line, p, spec, error);
}

/*
 * Parses [GRP/][EVENT] at @pos, of which one must be there. GRP.EVENT is accepted as
 * well, as for other dynamic events.
 */
static int parse_dyn_name(const char *line, const char **pos,
			  struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = skip_word(p), *name = name_part(p, end);
	const char *dot = memchr(p, '.', end - p);
	enum ksym_err err;

	if (name == p && dot)
		name = dot + 1;
	*pos = end;
	err = take_name(spec, p, name, end);
	if (err == KSYM_ERR_NONE)
		return 0;
	if (err == KSYM_ERR_BAD_NAME && name == end && name != p)
		return 0;
	return fail(error, err, line, err == KSYM_ERR_BAD_NAME ? name : p);
}

/* Parses the N of wN at @pos, if it is there. */
static int parse_dyn_objects(const char *line, const char **pos,
			     struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = p;
	enum ksym_err err;

	while (isdigit(*end))
		end++;
	if (end == p)
		return 0;
	err = parse_objects(spec, p, end);
	if (err != KSYM_ERR_NONE)
		return fail(error, err, line, p);
	spec->objects_at = p - line;
	*pos = end;
	return 0;
}

/* Parses the length after a target. The default is the type's, or 4 without a type. */
static int parse_dyn_len(const char *line, const char **pos,
			 struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = skip_word(p);
	unsigned long long len;

	if (*p != ':') {
		spec->len = spec->target.type[0] ? 0 : 4;
		return 0;
	}
	p++;
	/* Ranges, which ksym_trace_filter can make, are shown here as well. */
	if (parse_number(p, end, &len) || !len || len > KSYM_WIDE_MAX)
		return fail(error, KSYM_ERR_BAD_LEN, line, p);
	if (len > KSYM_LEN_MAX)
		return fail(error, KSYM_ERR_WIDE, line, p);
	if (spec->target.kind == KSYM_NOWHERE && !is_width(len))
		return fail(error, KSYM_ERR_BAD_WIDTH, line, p);
	spec->len = len;
	spec->len_at = p - line;
	*pos = end;
	return 0;
}

/* Parses [r|w|rw]@TARGET[:LEN] at @pos. */
static int parse_dyn_spec(const char *line, const char **pos,
			  struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = *pos, *end = skip_word(p), *at = memchr(p, '@', end - p);
	int access = KSYM_READ | KSYM_WRITE;
	int ret;

	if (!at)
		return fail(error, KSYM_ERR_NO_AT, line, p);
	begin_target(line, at + 1, spec);
	if (at != p) {
		/* The words of 2009 are for ksym_trace_filter only. */
		access = at - p < 3 ? find_access(p, at) : -1;
		if (access < 0)
			return fail(error, KSYM_ERR_DYN_ACCESS, line, p);
		spec->access_at = p - line;
	}
	spec->access = access;

	*pos = at + 1;
	ret = parse_target(line, pos, spec, error);
	if (ret) {
		/* The caret where linux-next's tests expect it. */
		if (error->code == KSYM_ERR_BAD_OFFSET)
			error->at = spec->off_at;
		return ret;
	}
	return parse_dyn_len(line, pos, spec, error);
}

/**
 * ksym_parse_dyn - parse a line of dynamic_events
 * @line: the line, without its newline
 * @spec: filled in; its contents are undefined after an error
 * @error: after -EINVAL: what is wrong, and where
 *
 * The syntax is ``w[N][:[GRP/][EVENT]] [r|w|rw]@TARGET[:LEN] [FETCHARG...]``, with
 * the targets of ksym_parse().
 *
 * Any context.
 *
 * Return: 0, -ECANCELED for a line of another kind of event, or -EINVAL.
 */
int ksym_parse_dyn(const char *line, struct ksym_spec *spec,
		   struct ksym_error *error)
{
	const char *p = skip_blanks(line), *name = NULL;
	unsigned int objects_at;
	int ret;

	memset(spec, 0, sizeof(*spec));
	if (*p != 'w')
		return -ECANCELED;
	spec->lazy = true;

	p++;
	ret = parse_dyn_objects(line, &p, spec, error);
	if (ret)
		return ret;
	if (*p == ':') {
		name = ++p;
		ret = parse_dyn_name(line, &p, spec, error);
		if (ret)
			return ret;
	} else if (*p && !is_blank(*p)) {
		return fail(error, KSYM_ERR_BAD_EVENT, line, p);
	}
	p = skip_blanks(p);
	if (is_end(p))
		return fail(error, KSYM_ERR_NO_SPEC, line, name ? p : skip_blanks(line));
	objects_at = spec->objects_at;
	ret = parse_dyn_spec(line, &p, spec, error);
	if (ret)
		return ret;
	if (name)
		spec->name_at = name - line;
	if (spec->opt.objects && spec->target.kind != KSYM_NOWHERE)
		return fail(error, KSYM_ERR_NO_OBJECTS, line, line + objects_at);

	p = skip_blanks(p);
	if (!is_end(p)) {
		spec->args_at = p - line;
		spec->args_len = strlen(p);
	}
	return end_name(line, spec, KSYM_DYN_GROUP, false, error);
}

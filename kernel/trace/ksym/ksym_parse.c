// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse: a line of ksym_trace_filter, or one of dynamic_events, becomes a
 * struct ksym_spec.
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

/* isalnum() knows Latin-1 in the kernel; identifiers are ASCII. */
static bool is_identifier_char(char c)
{
	return isascii(c) && (isalnum(c) || c == '_');
}

static bool is_symbol_char(char c)
{
	return is_identifier_char(c) || c == '.' || c == '$';
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

/* A target ends at a blank, or before what a colon separates from it. */
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

static bool is_event_name(const char *p, const char *end)
{
	return end > p && end - p < KSYM_EVENT_LEN && !isdigit(*p) &&
	       skip_identifier(p) >= end;
}

/* A group's directory holds two files beside those of its events. */
static bool is_reserved(const char *name)
{
	return !strcmp(name, "enable") || !strcmp(name, "filter");
}

/* The numbers of a target, as text: where it is, which of several, how far. */
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
 * ksym_format_target - write a target as a line has it
 * @buf: where to; %KSYM_TARGET_LEN bytes are always enough
 * @size: the size of @buf
 * @target: the target
 *
 * In a line of ksym_trace_filter the access must follow where the target has a
 * module, since the ``r`` of ``MODULE:r`` alone is an access.
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

/* An event's name while it is made; @len goes on beyond what fits. */
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

/* A run of what can't stand in a name is one '_', if something follows. */
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
	} else {
		add_text(&name, "w_");
		add_text(&name, target->kind == KSYM_NOWHERE ?
				"0xffffffffffffffff" : n.place);
	}
	add_text(&name, n.copy);
	add_text(&name, target->path);
	if (with_off)
		add_text(&name, n.off);
	/* Nothing but dots and dollars is a symbol as well. */
	if (!name.len)
		add_char(&name, '_');
	if (name.len >= KSYM_EVENT_LEN)
		return -ENAMETOOLONG;
	text[name.len] = '\0';
	return 0;
}

/**
 * ksym_default_name - make an event name from a target
 * @name: where to, %KSYM_EVENT_LEN bytes
 * @target: the target
 *
 * The name is the target without its type and module, where each run of
 * characters that can't stand in an identifier is one '_', and none at the end.
 * An address has ``w_`` before it, and so has -1, as the address it is.
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
 * Copies the type, which ends at its ')'. Blanks become single, since what is
 * compared with a target later is its canonical text.
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

/* The colon that @p is at: is what stands before it a module? */
static bool is_module_colon(const char *p, const struct ksym_spec *spec)
{
	const char *word = p + 1, *end = skip_field(word);

	/* In dynamic_events the other thing behind a colon is the length. */
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

	/* A module may begin with a digit, as 8021q does. */
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

/* The N of SYMBOL@N, which @pos is at. */
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

/* The N of SYMBOL[cpuN], which @pos is at, and what closes it. */
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

	/* A compiler adds .NUMBER to a name; no member begins with a digit. */
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

/* What leads from a whole to its part begins here. */
static bool is_path(const char *p)
{
	return *p == '.' || *p == '[' || is_arrow(p);
}

/* Takes [N], and returns where it ends, or NULL. */
static const char *parse_index(const char *p, u32 *index)
{
	const char *end = skip_identifier(p + 1);
	unsigned long long val;

	if (*end != ']' || parse_number(p + 1, end, &val) || val > U32_MAX)
		return NULL;
	*index = val;
	return end + 1;
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
	/* An offset has a sign of its own, so its size must fit 63 bits. */
	if (parse_number(p, end, &dist) || dist > S64_MAX)
		return fail(error, KSYM_ERR_BAD_OFFSET, line, p);
	spec->target.off = **pos == '-' ? -(s64)dist : (s64)dist;
	*pos = end;
	return 0;
}

/* What may stand behind a place: a path if it has a type, else an offset. */
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

/* An address to come, and not the offset of a symbol that was left out. */
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

static int parse_target(const char *line, const char **pos,
			struct ksym_spec *spec, struct ksym_error *error)
{
	struct ksym_target *target = &spec->target;
	int ret = 0;

	if (**pos == '(')
		ret = parse_type(line, pos, spec, error);
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

/* Returns the access that a word stands for, or -1 if it is no access word. */
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

/* The lengths that one debug register has. */
static bool is_width(unsigned long long len)
{
	return len == 1 || len == 2 || len == 4 || len == 8;
}

/* Where the NAME of GRP/NAME begins, or that of NAME alone. */
static const char *name_part(const char *p, const char *end)
{
	const char *slash = memchr(p, '/', end - p);

	return slash ? slash + 1 : p;
}

/* Takes the name between @name and @end, and the group before it, if any. */
static enum ksym_err take_name(struct ksym_spec *spec, const char *p,
			       const char *name, const char *end)
{
	if (name != p) {
		if (!is_event_name(p, name - 1))
			return KSYM_ERR_BAD_GROUP;
		append(spec->group, sizeof(spec->group), p, name - 1 - p);
	}
	if (!is_event_name(name, end))
		return KSYM_ERR_BAD_NAME;
	append(spec->name, sizeof(spec->name), name, end - name);
	return KSYM_ERR_NONE;
}

/*
 * What takes the value of an option, which goes from @p to @end, returns what is
 * wrong with it.
 */

static enum ksym_err parse_len(struct ksym_spec *spec, const char *p,
			       const char *end)
{
	unsigned long long len;

	if (parse_number(p, end, &len) || !len || len > KSYM_LEN_MAX)
		return KSYM_ERR_BAD_LEN;
	spec->len = len;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_name(struct ksym_spec *spec, const char *p,
				const char *end)
{
	return take_name(spec, p, name_part(p, end), end);
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

static enum ksym_err parse_budget(struct ksym_spec *spec, const char *p,
				  const char *end)
{
	const char *number_end = end > p && end[-1] == '%' ? end - 1 : end;
	bool has_unit = number_end < end;
	unsigned long long budget;

	if (parse_number(p, number_end, &budget) || budget > KSYM_BUDGET_MAX)
		return KSYM_ERR_BAD_BUDGET;
	/* None at all has no unit, as with limit=. */
	if (has_unit == !budget)
		return KSYM_ERR_BAD_BUDGET;
	spec->opt.budget = budget;
	return KSYM_ERR_NONE;
}

static enum ksym_err parse_count(struct ksym_spec *spec, const char *p,
				 const char *end)
{
	unsigned long long count;

	/* What is left of it has a sign: hits on several CPUs may take it below 0. */
	if (parse_number(p, end, &count) || !count || count > S64_MAX)
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
	OPT_BUDGET,
	OPT_COUNT,
	OPT_CHANGED,
	OPT_WROTE,
	OPT_STACK,
	OPT_USTACK,
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
	[OPT_BUDGET]	= { "budget=",	parse_budget,	AT(budget_at) },
	[OPT_COUNT]	= { "count=",	parse_count,	AT(count_at) },
	[OPT_CHANGED]	= { "changed",	NULL,		AT(changed_at) },
	[OPT_WROTE]	= { "wrote",	NULL,		AT(wrote_at) },
	[OPT_STACK]	= { "stack",	NULL,		AT(stack_at) },
	[OPT_USTACK]	= { "ustack",	NULL,		AT(ustack_at) },
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
			return fail(error, err, line, err == KSYM_ERR_BAD_NAME ?
						      name_part(p, end) : p);
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
	opt->has_budget = given & BIT(OPT_BUDGET);
	opt->changed = given & BIT(OPT_CHANGED);
	opt->wrote = given & BIT(OPT_WROTE);
	opt->stack = given & BIT(OPT_STACK);
	opt->ustack = given & BIT(OPT_USTACK);

	if (opt->flexible && given & BIT(OPT_PINNED))
		return fail(error, KSYM_ERR_BOTH_KINDS, line,
			    line + spec->kind_at);
	if (opt->inherit && !opt->pid)
		return fail(error, KSYM_ERR_INHERIT_PID, line,
			    line + spec->inherit_at);
	if (spec->target.kind != KSYM_NOWHERE)
		return 0;
	/* No type tells the length, and what is retargeted is one register. */
	if (!spec->len)
		spec->len = 8;
	if (!is_width(spec->len))
		return fail(error, KSYM_ERR_BAD_WIDTH, line,
			    line + spec->len_at);
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
	if (o->has_budget)
		len += scnprintf(buf + len, size - len, " budget=%u%s", o->budget,
				 o->budget ? "%" : "");
	if (o->count)
		len += scnprintf(buf + len, size - len, " count=%llu",
				 (unsigned long long)o->count);
	len += scnprintf(buf + len, size - len, "%s%s%s%s",
			 o->changed ? " changed" : "",
			 o->wrote ? " wrote" : "", o->stack ? " stack" : "",
			 o->ustack ? " ustack" : "");
	return len;
}

/* What a watch has before its line is read: each caret is under the target. */
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
 * A watch without a name gets the one that its target makes. In dynamic_events
 * that is without the offset, as it is for linux-next's watchpoint probes.
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

/* Behind the word args: the rest of the line, which others parse. */
static int parse_args(const char *line, const char **pos,
		      struct ksym_spec *spec, struct ksym_error *error)
{
	const char *p = skip_blanks(skip_word(*pos));

	if (is_end(p))
		return fail(error, KSYM_ERR_NO_ARGS, line, p);
	spec->args_at = p - line;
	*pos = p + strlen(p);
	return 0;
}

static int parse_add_or_remove(const char *line, const char *p,
			       struct ksym_spec *spec, struct ksym_error *error)
{
	unsigned long given = 0;
	int ret;

	begin_target(line, p, spec);
	spec->access = KSYM_WRITE;
	ret = parse_target(line, &p, spec, error);
	if (ret)
		return ret;

	if (*p == ':') {
		ret = parse_access(line, &p, spec, error);
		if (ret)
			return ret;
	}
	for (p = skip_blanks(p); !is_end(p); p = skip_blanks(p)) {
		if (spec->action == KSYM_REMOVE_TARGET)
			return fail(error, KSYM_ERR_REMOVE_OPTION, line, p);
		if (is_word(p, skip_word(p), "args"))
			ret = parse_args(line, &p, spec, error);
		else
			ret = parse_option(line, &p, &given, spec, error);
		if (ret)
			return ret;
	}
	if (spec->action == KSYM_REMOVE_TARGET)
		return 0;
	ret = combine_options(line, given, spec, error);
	if (ret)
		return ret;
	return end_name(line, spec, KSYM_GROUP, true, error);
}

static int parse_remove_name(const char *line, const char *p,
			     struct ksym_spec *spec, struct ksym_error *error)
{
	const char *end = skip_word(p);
	enum ksym_err err = parse_name(spec, p, end);

	if (err != KSYM_ERR_NONE)
		return fail(error, err, line, err == KSYM_ERR_BAD_NAME ?
					      name_part(p, end) : p);
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
 * A watch is ``TARGET[:ACCESS] [OPTION...] [args FETCHARG...]``. The target is
 * ``[MODULE:]SYMBOL[@N][[cpuN]]`` or ``0xADDR``, either with an offset behind it
 * or with ``(TYPE)`` before it, and then with what leads to a part of the type:
 * ``.MEMBER``, ``->MEMBER`` and ``[N]``; or it is ``-1``. The options are
 * ``len=N``, ``name=[GRP/]NAME``, ``pinned`` or ``flexible``, ``cpu=LIST``,
 * ``pid=N``, ``inherit``, ``limit=N/ms`` or ``limit=0``, ``budget=N%`` or
 * ``budget=0``, ``count=N``, ``changed``, ``wrote``, ``stack`` and ``ustack``, in any
 * order. Removals are ``TARGET:---``, ``![GRP/]NAME``, ``*:---`` and ``0``. A word that begins with
 * '#' begins a comment, which goes to the end of the line.
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
		return parse_remove_name(line, p + 1, spec, error);
	return parse_add_or_remove(line, p, spec, error);
}

/*
 * What names the event: [GRP/][EVENT], which @pos is at, and not neither. The
 * dot of GRP.EVENT is as good as the slash, as in the kernel's other events.
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

/* The length behind a target; else it is the type's, or 4 without a type. */
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
	/* Longer ranges than those of linux-next, which filter lines can make. */
	if (parse_number(p, end, &len) || !len || len > KSYM_LEN_MAX)
		return fail(error, KSYM_ERR_BAD_LEN, line, p);
	if (spec->target.kind == KSYM_NOWHERE && !is_width(len))
		return fail(error, KSYM_ERR_BAD_WIDTH, line, p);
	spec->len = len;
	spec->len_at = p - line;
	*pos = end;
	return 0;
}

/* [r|w|rw]@TARGET[:LEN], which @pos is at. */
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
		/* The words of three letters are ksym_trace_filter's only. */
		access = at - p < 3 ? find_access(p, at) : -1;
		if (access < 0)
			return fail(error, KSYM_ERR_DYN_ACCESS, line, p);
		spec->access_at = p - line;
	}
	spec->access = access;

	*pos = at + 1;
	ret = parse_target(line, pos, spec, error);
	if (ret) {
		/* Where the kernel's own tests of such lines look for it. */
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
 * @error: says what is wrong and where, after -EINVAL
 *
 * The syntax is ``w[:[GRP/][EVENT]] [r|w|rw]@TARGET[:LEN] [FETCHARG...]``, with
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
	int ret;

	memset(spec, 0, sizeof(*spec));
	if (*p != 'w')
		return -ECANCELED;
	spec->lazy = true;

	p++;
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
		return fail(error, KSYM_ERR_NO_SPEC, line, p);
	ret = parse_dyn_spec(line, &p, spec, error);
	if (ret)
		return ret;
	if (name)
		spec->name_at = name - line;

	p = skip_blanks(p);
	if (!is_end(p))
		spec->args_at = p - line;
	return end_name(line, spec, KSYM_DYN_GROUP, false, error);
}

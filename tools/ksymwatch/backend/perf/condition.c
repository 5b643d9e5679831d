// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conditions on stock kernels: the filter after "if", as ftrace reads it, compiled into steps
 * for the BPF program of the watch. Operands come before their operator:
 *
 *	old != new && !(comm == "sh" || cpu == 1)
 *
 * becomes "old != new", "comm matches sh", "cpu == 1", either, not, both.
 */
#include <ctype.h>
#include <errno.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/perf/stock.h"
#include "backend/perf/stock_bpf.h"
#include "lib/util.h"
#include "spec/spec.h"
#include "symbols/resolve.h"

/* Parentheses in parentheses. */
#define MAX_DEPTH	32

/* A condition being compiled. */
struct parser {
	const char		*line;		/* the SPEC */
	const char		*p;		/* the next character */
	const char		*end;		/* of the condition */
	struct bpf_config	*config;	/* gets the steps */
	unsigned int		nr_tables;	/* in use */
	unsigned int		depth;		/* open parentheses */
	char			*fault;		/* what is wrong, or NULL */
};

/* The fields of an event, or why BPF does not know them. */
static const struct field {
	const char	*name;
	unsigned char	field;
	bool		is_signed;
	const char	*why;
} fields[] = {
	{ "ip", .field = BPF_FIELD_IP },
	{ "addr", .field = BPF_FIELD_ADDR },
	{ "old", .field = BPF_FIELD_OLD },
	{ "new", .field = BPF_FIELD_NEW },
	{ "len", .field = BPF_FIELD_LEN },
	{ "common_pid", .field = BPF_FIELD_PID, .is_signed = true },
	{ "cpu", .field = BPF_FIELD_CPU, .is_signed = true },
	{ "CPU", .field = BPF_FIELD_CPU, .is_signed = true },
	{ "common_cpu", .field = BPF_FIELD_CPU, .is_signed = true },
	{ "comm", .field = BPF_FIELD_COMM },
	{ "COMM", .field = BPF_FIELD_COMM },
	{ "cgroup", .field = BPF_FIELD_CGROUP },
	{ "access", .why = "BPF cannot tell reads from writes in the trap" },
	{ "torn", .why = "only the ksym tracer reads the value twice" },
	{ "wrote", .why = "only the ksym tracer knows what was stored" },
	{ "has_wrote", .why = "only the ksym tracer knows what was stored" },
	{ "owner", .why = "only the ksym tracer has windows" },
	{ "common_type", .why = "the event has no number in the kernel" },
	{ "common_flags", .why = "only the ksym tracer knows it" },
	{ "common_preempt_count", .why = "only the ksym tracer knows it" },
};

/* The operators, as ftrace orders them: "<=" comes before "<". BPF_OP_MATCHES is "~". */
static const struct {
	const char	*text;
	unsigned char	op;
} operators[] = {
	{ "~", BPF_OP_MATCHES }, { "!=", BPF_OP_NE }, { "==", BPF_OP_EQ }, { "<=", BPF_OP_LE },
	{ "<", BPF_OP_LT }, { ">=", BPF_OP_GE }, { ">", BPF_OP_GT }, { "&", BPF_OP_BITS },
};

/* Notes what is wrong at a place, if nothing was before. Returns false. */
[[gnu::format(printf, 3, 4)]]
static bool fail(struct parser *parser, const char *at, const char *fmt, ...)
{
	char *message __autofree = NULL;
	va_list ap;

	if (parser->fault)
		return false;
	va_start(ap, fmt);
	message = xvasprintf(fmt, ap);
	va_end(ap);
	parser->fault = spec_fault_at(parser->line, at - parser->line, message);
	return false;
}

static void skip_blanks(struct parser *parser)
{
	while (parser->p < parser->end && isspace((unsigned char)*parser->p))
		parser->p++;
}

/* Takes a text, after blanks, if it comes next. */
static bool take(struct parser *parser, const char *text)
{
	size_t len = strlen(text);

	skip_blanks(parser);
	if ((size_t)(parser->end - parser->p) < len || memcmp(parser->p, text, len))
		return false;
	parser->p += len;
	return true;
}

/* Takes the characters of a name, number or function. Returns all from @begin: a new string. */
static char *take_word(struct parser *parser, const char *begin, const char *more)
{
	while (parser->p < parser->end &&
	       (isalnum((unsigned char)*parser->p) || (*more && strchr(more, *parser->p))))
		parser->p++;
	return xasprintf("%.*s", (int)(parser->p - begin), begin);
}

static bool is_quoted(const struct parser *parser)
{
	return parser->p < parser->end && strchr("\"'", *parser->p);
}

/* Takes what stands between quotes as a new string; NULL after noting what is wrong. */
static char *take_quoted(struct parser *parser)
{
	const char *quote = parser->p++, *begin = parser->p;

	while (parser->p < parser->end && *parser->p != *quote)
		parser->p++;
	if (parser->p == parser->end) {
		fail(parser, quote, "missing closing quote");
		return NULL;
	}
	return xasprintf("%.*s", (int)(parser->p++ - begin), begin);
}

static struct bpf_step *add_step(struct parser *parser, unsigned char op)
{
	struct bpf_config *config = parser->config;
	/* One too many is overwritten, and the fault is reported. */
	static struct bpf_step none;

	if (config->nr_steps == BPF_MAX_STEPS) {
		fail(parser, parser->p, "the condition has more than %d tests and operators",
		     BPF_MAX_STEPS);
		return &none;
	}
	config->step[config->nr_steps] = (struct bpf_step) { .op = op };
	return &config->step[config->nr_steps++];
}

/* Returns an unused table, which is all 0; NULL after noting that there is none. */
static unsigned int *add_table(struct parser *parser, struct bpf_step *step, const char *at)
{
	if (parser->nr_tables == BPF_MAX_TABLES) {
		fail(parser, at, "a condition can have %d texts and lists of CPUs",
		     BPF_MAX_TABLES);
		return NULL;
	}
	step->arg = parser->nr_tables++;
	return parser->config->table[step->arg];
}

/* --- Texts -------------------------------------------------------------- */

/* Allows the characters of a class, as in [!a-z], at a place. Returns its end, or NULL. */
static const char *add_class(unsigned int *table, const char *class, unsigned int place)
{
	bool inverted = *class == '!', allowed[BPF_TABLE_LEN] = {};
	const unsigned char *p = (const unsigned char *)class + inverted;
	unsigned int first, last, c;

	do {
		first = *p++;
		last = first;
		if (!first)
			return NULL;
		if (p[0] == '-' && p[1] && p[1] != ']') {
			last = p[1];
			p += 2;
		}
		for (c = first; c <= last; c++)
			allowed[c] = true;
	} while (*p != ']');
	for (c = 1; c < BPF_TABLE_LEN; c++)
		table[c] |= allowed[c] != inverted ? place : 0;
	return (const char *)p;
}

/*
 * Makes a table of a text: bit N of a character says that it can be the Nth. With @glob, the
 * text is a pattern as in glob(7); a star lets the place before it repeat.
 */
static bool add_text(struct parser *parser, struct bpf_step *step, const char *at,
		     const char *text, bool glob)
{
	unsigned int *table = add_table(parser, step, at), place = 1, c;
	const char *end;

	for (; table && *text; text++) {
		if (glob && *text == '*') {
			step->more |= place;
			continue;
		}
		place <<= 1;
		if (!place)
			return fail(parser, at, "the text is too long");
		end = glob && *text == '[' ? add_class(table, text + 1, place) : NULL;
		if (end) {
			text = end;
		} else if (glob && *text == '?') {
			for (c = 1; c < BPF_TABLE_LEN; c++)
				table[c] |= place;
		} else {
			text += glob && *text == '\\' && text[1];
			table[(unsigned char)*text] |= place;
		}
	}
	step->number = place;
	return table;
}

/* --- Tests -------------------------------------------------------------- */

static bool test_comm(struct parser *parser, unsigned char op, const char *at)
{
	char *text __autofree = NULL;
	bool glob = op == BPF_OP_MATCHES, inverted;

	if (!is_quoted(parser))
		return fail(parser, parser->p, "comm is a text: write it in quotes");
	if (!glob && op != BPF_OP_EQ && op != BPF_OP_NE)
		return fail(parser, at, "a text takes ==, != and ~");
	text = take_quoted(parser);
	/* As ftrace does. */
	inverted = glob && text && *text == '!';
	if (!text || !add_text(parser, add_step(parser, BPF_OP_MATCHES), at, text + inverted, glob))
		return false;
	if (inverted)
		add_step(parser, BPF_OP_NOT);
	return true;
}

/* Returns where the hierarchy of cgroups is: a new string. */
static char *cgroup_root(void)
{
	FILE *file = setmntent("/proc/self/mounts", "re");
	struct mntent *mount;
	char *root = NULL;

	while (file && !root && (mount = getmntent(file)))
		if (!strcmp(mount->mnt_type, "cgroup2"))
			root = xstrdup(mount->mnt_dir);
	if (file)
		endmntent(file);
	return root;
}

/* Is the task in a cgroup, or in one below it? */
static bool test_cgroup(struct parser *parser, unsigned char op, const char *at)
{
	char *path __autofree = is_quoted(parser) ? take_quoted(parser) : NULL;
	char *root __autofree = cgroup_root();
	char *folder __autofree = xasprintf("%s/%s", root ?: "", path ?: "");
	struct stat folder_stat;
	struct bpf_step *step;
	char *p;

	if (!path || (op != BPF_OP_EQ && op != BPF_OP_NE))
		return fail(parser, at, "cgroup takes == and != and a path in quotes");
	if (!root || stat(folder, &folder_stat) || !S_ISDIR(folder_stat.st_mode))
		return fail(parser, at, "there is no cgroup '%s'%s", path,
			    root ? "" : ": no hierarchy of version 2 is mounted");
	step = add_step(parser, BPF_OP_IN_CGROUP);
	step->number = folder_stat.st_ino;
	for (p = path; *p; p++)
		step->arg += *p != '/' && (p == path || p[-1] == '/');
	parser->config->has_cgroup = 1;
	return true;
}

static bool test_function(struct parser *parser, unsigned char op, const struct field *field,
			  const char *at)
{
	char *name __autofree = NULL;
	const struct symbol *symbol = NULL;
	const char *begin = parser->p;
	struct bpf_step *step;

	name = is_quoted(parser) ? take_quoted(parser) : take_word(parser, begin, "_.");
	if (name && isdigit((unsigned char)*name))
		symbol = symbols_at(resolve_symbols(), strtoull(name, NULL, 0));
	else if (name && *name)
		symbol = symbols_named(resolve_symbols(), name);
	if (op != BPF_OP_EQ && op != BPF_OP_NE)
		return fail(parser, at, ".function takes == and !=");
	if (!symbol || !symbol_is_function(symbol))
		return fail(parser, begin, "unknown function");
	step = add_step(parser, BPF_OP_INSIDE);
	step->field = field->field;
	step->number = symbol->addr;
	step->more = symbol->size;
	return true;
}

/* A list of CPUs. For ftrace it equals a CPU if it has no other. */
static bool test_cpus(struct parser *parser, unsigned char op, const char *at)
{
	char *list __autofree = NULL;
	bool *cpus __autofree = NULL;
	const char *end = memchr(parser->p, '}', parser->end - parser->p);
	unsigned int *table, cpu, nr = 0;

	list = xasprintf("%.*s", end ? (int)(end - parser->p) : 0, parser->p);
	cpus = parse_cpus(list, MAX_CPUS);
	if (op != BPF_OP_EQ && op != BPF_OP_NE && op != BPF_OP_BITS)
		return fail(parser, at, "CPUS{} takes ==, != and &");
	if (!cpus)
		return fail(parser, at, "CPUS{} takes a list of CPUs, as in CPUS{0,2-3}");
	table = add_table(parser, add_step(parser, BPF_OP_IN_SET), at);
	if (!table)
		return false;
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		nr += cpus[cpu];
	for (cpu = 0; cpu < MAX_CPUS && (op == BPF_OP_BITS || nr == 1); cpu++)
		table[cpu / 32] |= cpus[cpu] ? 1U << cpu % 32 : 0;
	parser->p = end + 1;
	return true;
}

/* Returns the field whose name comes next, or NULL after noting what is wrong. */
static const struct field *take_field(struct parser *parser)
{
	char *name __autofree = NULL;
	const char *begin = parser->p;
	size_t i = 0;

	name = take_word(parser, begin, "_");
	while (i < ARRAY_SIZE(fields) && strcmp(fields[i].name, name))
		i++;
	if (i < ARRAY_SIZE(fields) && !fields[i].why)
		return &fields[i];
	fail(parser, begin, "%s", i < ARRAY_SIZE(fields) ? fields[i].why :
	     "unknown field: use ip, addr, old, new, len, common_pid, cpu, comm, cgroup");
	return NULL;
}

static bool is_signed(const struct parser *parser, const struct field *field)
{
	return field->is_signed || (parser->config->is_signed && (field->field == BPF_FIELD_OLD ||
								  field->field == BPF_FIELD_NEW));
}

/* A number, or another field. */
static bool test_number(struct parser *parser, unsigned char op, const struct field *field)
{
	char *text __autofree = NULL, *end;
	struct bpf_step step = { .op = op, .field = field->field };
	const char *begin = parser->p;
	const bool negative = *begin == '-';
	const struct field *other;

	if (begin == parser->end)
		return fail(parser, begin, "the condition ends too early");
	step.is_signed = is_signed(parser, field);
	step.other_is_signed = step.is_signed;
	if (op == BPF_OP_MATCHES)
		return fail(parser, begin, "~ is for texts");
	if (isalpha((unsigned char)*begin) || *begin == '_') {
		other = take_field(parser);
		if (!other)
			return false;
		if (other->field >= FIRST_TEXT_FIELD)
			return fail(parser, begin, "a text cannot be compared with a number");
		step.other = other->field;
		step.other_is_signed = is_signed(parser, other);
	} else {
		parser->p += negative;
		text = take_word(parser, begin, "");
		errno = 0;
		step.number = negative ? (unsigned long long)strtoll(text, &end, 0) :
					 strtoull(text, &end, 0);
		if (!isdigit((unsigned char)text[negative]) || *end || errno)
			return fail(parser, begin, "invalid number");
		if (negative && !step.is_signed)
			return fail(parser, begin, "%s is unsigned", field->name);
	}
	*add_step(parser, op) = step;
	return true;
}

/* FIELD OPERATOR VALUE */
static bool parse_test(struct parser *parser)
{
	const struct field *field;
	bool function, done;
	const char *at;
	unsigned char op;
	size_t i = 0;

	skip_blanks(parser);
	if (parser->p == parser->end)
		return fail(parser, parser->p, "the condition ends too early");
	at = parser->p;
	field = take_field(parser);
	if (!field)
		return false;
	function = parser->p < parser->end && *parser->p == '.' && take(parser, ".function");
	while (i < ARRAY_SIZE(operators) && !take(parser, operators[i].text))
		i++;
	if (i == ARRAY_SIZE(operators))
		return fail(parser, at, "missing one of ~ != == <= < >= > & after the field");
	op = operators[i].op;
	skip_blanks(parser);
	if (function && field->field > LAST_ADDRESS_FIELD)
		return fail(parser, at, "is no address");
	if (function)
		done = test_function(parser, op, field, at);
	else if (field->field == BPF_FIELD_COMM)
		done = test_comm(parser, op, at);
	else if (field->field == BPF_FIELD_CGROUP)
		done = test_cgroup(parser, op, at);
	else if (field->field == BPF_FIELD_CPU && take(parser, "CPUS{"))
		done = test_cpus(parser, op, at);
	else
		return test_number(parser, op, field);
	if (op == BPF_OP_NE)
		add_step(parser, BPF_OP_NOT);
	return done;
}

static bool parse_level(struct parser *parser, bool either);

static bool parse_one(struct parser *parser)
{
	const char *open;
	bool not = false;

	while (take(parser, "!"))
		not = !not;
	open = parser->p;
	if (!take(parser, "(")) {
		if (!parse_test(parser))
			return false;
	} else {
		if (++parser->depth > MAX_DEPTH)
			return fail(parser, open, "more than %d parentheses are open", MAX_DEPTH);
		if (!parse_level(parser, true))
			return false;
		if (!take(parser, ")"))
			return fail(parser, open, "missing closing parenthesis");
		parser->depth--;
	}
	if (not)
		add_step(parser, BPF_OP_NOT);
	return true;
}

/* What || joins if @either, otherwise what && joins. */
static bool parse_level(struct parser *parser, bool either)
{
	bool is_next = false;

	do {
		if (!(either ? parse_level(parser, false) : parse_one(parser)))
			return false;
		if (is_next)
			add_step(parser, either ? BPF_OP_EITHER : BPF_OP_BOTH);
		is_next = true;
	} while (take(parser, either ? "||" : "&&"));
	return true;
}

/*
 * Compiles the condition of a watch, which has one. @config->is_signed is that of the value.
 * Returns what is wrong: a new string, or NULL.
 */
char *condition_compile(const struct ksym_spec *spec, const char *line, struct bpf_config *config)
{
	struct parser parser = {
		.line = line, .p = line + spec->filter_at, .config = config,
		.end = line + spec->filter_at + spec->filter_len,
	};

	if (parse_level(&parser, true)) {
		skip_blanks(&parser);
		if (parser.p < parser.end)
			fail(&parser, parser.p, "expected && or ||");
	}
	return parser.fault;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tool adds to the kernel's parser of SPECs: members of symbols whose type the line
 * does not say, SPECs from the command line, and messages of one line.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "spec/spec.h"

/* A placeholder for the type that the line leaves out. */
#define SOME_TYPE	"(_)"

/** spec_message - the kernel's text for an error */
const char *spec_message(enum ksym_err code)
{
	static const struct {
		int		error;
		const char	*text;
	} errors[] = {
#define KSYM_ERROR(name, err, text)		\
		[KSYM_ERR_##name] = { err, text },
#include "../../../kernel/trace/ksym/ksym_errors.h"
#undef KSYM_ERROR
	};

	return errors[code].text;
}

/* The length of a target with its access, where the type may have blanks in it. */
static size_t target_len(const char *line)
{
	size_t begin = strspn(line, BLANKS);

	begin += line[begin] == '(' ? strcspn(line + begin, ")") : 0;
	return begin + strcspn(line + begin, BLANKS);
}

/**
 * spec_fault_at - a message, as one line, about the culprit at an offset of a line; it is the
 * whole line if that is 0 or the end
 */
char *spec_fault_at(const char *line, size_t at, const char *message)
{
	/* A culprit in the target ends before the access. */
	const char *ends = at < target_len(line) ? BLANKS ":" : BLANKS;

	if (at <= strspn(line, BLANKS) || at >= strlen(line))
		return xstrdup(message);
	return xasprintf("at '%.*s': %s", (int)strcspn(line + at, ends), line + at, message);
}

/* The same for what spec_parse() found. */
char *spec_fault(const char *line, const struct ksym_error *error)
{
	return spec_fault_at(line, error->at, spec_message(error->code));
}

/**
 * spec_parse - parse a line as the kernel does, and members of untyped symbols as well: of
 * SYMBOL.MEMBER, which may be a symbol with a dot in its name, the member is in the path, and
 * the type is empty. Returns 0, or a negative number with what is wrong in @error.
 */
int spec_parse(const char *line, struct ksym_spec *spec, struct ksym_error *error)
{
	char *typed_line __autofree = NULL;
	const int begin = strspn(line, BLANKS), ret = ksym_parse(line, spec, error);
	struct ksym_error typed_error;
	struct ksym_spec typed;
	unsigned int *at;
	int typed_ret;

	if (ret ? error->code != KSYM_ERR_UNTYPED_PATH :
		  spec->action != KSYM_ADD || spec->target.type[0] ||
		  !strchr(spec->target.symbol, '.'))
		return ret;
	typed_line = xasprintf("%.*s" SOME_TYPE "%s", begin, line, line + begin);
	typed_ret = ksym_parse(typed_line, &typed, &typed_error);
	typed.target.type[0] = '\0';
	/* The offsets are consecutive members. */
	for (at = &typed.type_at; at <= &typed.then_at; at++)
		*at -= *at < strlen(SOME_TYPE) ? 0 : strlen(SOME_TYPE);
	typed_error.at -= typed_error.at < strlen(SOME_TYPE) ? 0 : strlen(SOME_TYPE);
	/* In SYMBOL.PART+OFF the dot belongs to the symbol. */
	if (!ret && typed_ret)
		return 0;
	*spec = typed;
	*error = typed_error;
	return typed_ret;
}

/* The same for a line that must make a watch. */
void spec_parse_or_die(const char *line, struct ksym_spec *spec)
{
	struct ksym_error error;

	if (spec_parse(line, spec, &error))
		die("%s: %s", line, spec_fault(line, &error));
}

/** spec_target - a target as the kernel writes it: a new string */
char *spec_target(const struct ksym_target *target)
{
	char text[KSYM_TARGET_LEN];

	ksym_format_target(text, sizeof(text), target);
	return xstrdup(text);
}

/**
 * spec_format - the line that makes a watch: a new string. Its fetch arguments and its filter
 * are in the line that it was parsed from.
 */
char *spec_format(const struct ksym_spec *spec, const char *line)
{
	char *target __autofree = spec_target(&spec->target), *name_option __autofree = NULL;
	char options[KSYM_OPTIONS_LEN], actions[KSYM_ACTIONS_LEN];
	char made[KSYM_EVENT_LEN], name[WATCH_NAME_LEN], window[KSYM_WINDOW_LEN] = "";
	char len_option[16] = "";

	ksym_format_options(options, sizeof(options), &spec->opt);
	ksym_format_actions(actions, sizeof(actions), &spec->opt);
	ksym_format_window(window, sizeof(window), &spec->window);
	spec_name(spec, name);
	if (ksym_default_name(made, &spec->target) || strcmp(made, name))
		name_option = xasprintf(" name=%s", name);
	/* Where nothing else is possible, it is 8 anyway. */
	if (spec->len)
		snprintf(len_option, sizeof(len_option), " len=%u", spec->len);
	return xasprintf("%s:%s%s%s%s%s%s%.*s%s%.*s%s", target, ksym_access_word(spec->access),
			 window, len_option, name_option ?: "", options,
			 spec->args_at ? " args " : "", (int)spec->args_len, line + spec->args_at,
			 spec->filter_at ? " if " : "", (int)spec->filter_len,
			 line + spec->filter_at, actions);
}

/* Does a line switch watches off or on? */
bool spec_is_switch(const struct ksym_spec *spec)
{
	return spec->action == KSYM_SWITCH_OFF || spec->action == KSYM_SWITCH_ON;
}

/* The shown name of the watch that a SPEC makes. */
void spec_name(const struct ksym_spec *spec, char name[WATCH_NAME_LEN])
{
	bool is_default = !strcmp(spec->group, KSYM_GROUP);

	snprintf(name, WATCH_NAME_LEN, "%s%s%s", is_default ? "" : spec->group,
		 is_default ? "" : "/", spec->name);
}

/* --- SPECs from the command line -------------------------------------------------- */

/* Can this argument be an option of the SPEC before it? */
bool spec_is_option(const char *arg)
{
	char *line __autofree = xasprintf("_ %s", arg);
	struct ksym_error error = {};
	struct ksym_spec spec;

	return *arg && *arg != '#' &&
	       (!ksym_parse(line, &spec, &error) || error.code != KSYM_ERR_BAD_OPTION ||
		error.at != strlen("_ "));
}

/*
 * Is this, after the word args, a fetch argument? It has a name, or begins as no target
 * can: "-1" is a target, "-8($addr)" is not.
 */
static bool is_fetch_arg(const char *arg)
{
	size_t len = strcspn(arg, BLANKS);

	return memchr(arg, '=', len) || strchr("$@+%\\", *arg) ||
	       (*arg == '-' && memchr(arg, '(', len));
}

/* Does this argument belong to the SPEC before it? */
static bool continues(const char *line, const char *arg)
{
	const bool is_clause = !strcmp(arg, "if") || !strcmp(arg, "then");
	struct ksym_error error;
	struct ksym_spec spec;

	if (spec_parse(line, &spec, &error)) {
		if (error.code == KSYM_ERR_NO_ARGS)
			return is_fetch_arg(arg);
		/* The line ends with the word in, until, if or then. */
		return spec_is_option(arg) ||
		       (error.at == strlen(line) && (error.code == KSYM_ERR_BAD_FUNC ||
						     error.code == KSYM_ERR_NO_FILTER ||
						     error.code == KSYM_ERR_BAD_ACTION));
	}
	if (spec.filter_at || spec.then_at)
		return is_clause;
	return spec.args_at ? is_clause || is_fetch_arg(arg) : spec_is_option(arg);
}

/*
 * A line of ksym_trace_filter can also remove watches, and a second line in a SPEC is a
 * second SPEC: both are more than was asked for.
 */
static void check_spec(const char *line)
{
	struct ksym_error error;
	struct ksym_spec spec;
	bool parsed = !spec_parse(line, &spec, &error);

	if (strchr(line, '\n'))
		die("'%s': a SPEC is one line", line);
	if (parsed && spec.action == KSYM_NOTHING)
		die("'%s' is no SPEC: TARGET[:ACCESS] [OPTION...] is", line);
	if (parsed && spec_is_switch(&spec))
		die("'%s' switches watches: write it to ksym_trace_filter", line);
	if (parsed && spec.action != KSYM_ADD)
		die("'%s' removes watches: use ksymwatch rm for that", line);
}

/*
 * Cuts the comment off a line, and the blanks before it. A word that begins with '#' begins
 * one, except between quotes. Returns it without its '#'; "" if there is none.
 */
char *cut_comment(char *line)
{
	char *comment = line + strspn(line, BLANKS), *end, quote;

	while (*comment && *comment != '#') {
		for (quote = '\0'; *comment && (quote || !strchr(BLANKS, *comment)); comment++) {
			if (*comment == quote)
				quote = '\0';
			else if (!quote && strchr("\"'", *comment))
				quote = *comment;
		}
		comment += strspn(comment, BLANKS);
	}
	for (end = comment; end > line && strchr(BLANKS, end[-1]); end--)
		;
	comment += *comment == '#';
	*end = '\0';
	return comment;
}

/* Adds a filter to a SPEC, as one more condition. */
static void add_filter(char **line, const char *filter)
{
	struct ksym_error error;
	struct ksym_spec spec;
	char *longer;
	int at, end;

	if (spec_parse(*line, &spec, &error))
		die("%s: %s", *line, spec_fault(*line, &error));
	at = spec.filter_at ?: spec.then_at ?: strlen(*line);
	if (!spec.filter_at && spec.then_at) {
		while (strchr(BLANKS, (*line)[at - 1]))
			at--;
		at -= strlen("then");
	}
	end = at + spec.filter_len;
	longer = spec.filter_at ?
		 xasprintf("%.*s(%.*s) && (%s)%s", at, *line, end - at, *line + at, filter,
			   *line + end) :
		 xasprintf("%.*s if %s%s%s", at, *line, filter, (*line)[at] ? " " : "", *line + at);
	free(*line);
	*line = longer;
}

/* Takes --filter and --trigger, which are about the SPEC before them. */
static bool take_setting(struct strings *specs, const char *arg)
{
	const bool is_filter = !strncmp(arg, FILTER_WORD, strlen(FILTER_WORD));
	size_t last = specs->nr;

	if (!is_filter && strncmp(arg, TRIGGER_WORD, strlen(TRIGGER_WORD)))
		return false;
	while (last && !strncmp(specs->text[last - 1], "--", 2))
		last--;
	if (!last)
		die("'%s': must follow the SPEC or the @NAME that it is about", arg);
	/* What exists keeps its condition, and has a filter of this session. */
	if (is_filter && *specs->text[last - 1] != '@')
		add_filter(&specs->text[last - 1], arg + strlen(FILTER_WORD));
	else
		strings_add(specs, arg);
	return true;
}

/*
 * Takes the arguments of a command as SPECs. The options of a SPEC may be arguments of
 * their own, so that the blank before them need not be quoted. "--trigger TRIGGER" follows its
 * SPEC as a string of its own; so does "--filter FILTER" after @NAME.
 */
void specs_from_args(struct strings *specs, int argc, char **argv)
{
	int i;

	memset(specs, 0, sizeof(*specs));
	for (i = 0; i < argc; i++) {
		char **last = specs->nr ? &specs->text[specs->nr - 1] : NULL;
		const char *arg = argv[i] + strspn(argv[i], BLANKS);
		char *longer;

		if (take_setting(specs, arg))
			continue;
		if (!last || !continues(*last, arg)) {
			check_spec(arg);
			strings_add(specs, arg);
			/* Options can be appended. */
			cut_comment(specs->text[specs->nr - 1]);
			/* Without the end of the line it may be another one: "0\v" becomes "0". */
			check_spec(specs->text[specs->nr - 1]);
			continue;
		}
		longer = xasprintf("%s %s", *last, arg);
		free(*last);
		*last = longer;
		check_spec(longer);
	}
}

/* --- Words ------------------------------------------------------------------------ */

/* Splits the shown name of a watch; without a group it is in the tracer's. */
void split_event(const char *event, char group[KSYM_EVENT_LEN], char name[KSYM_EVENT_LEN])
{
	const char *slash = strchr(event, '/');

	snprintf(group, KSYM_EVENT_LEN, "%.*s", slash ? (int)(slash - event) : -1,
		 slash ? event : KSYM_GROUP);
	snprintf(name, KSYM_EVENT_LEN, "%s", slash ? slash + 1 : event);
}

/* Is this the instance, or the group, of a session? What follows a slash does not count. */
bool is_session_name(const char *name)
{
	size_t len = strlen(SESSION_NAME);

	if (strncmp(name, SESSION_NAME, len))
		return false;
	if (name[len] == '_')
		len += 1 + strspn(name + len + 1, "0123456789");
	return !name[len] || name[len] == '/';
}

/* The name of a watch as its user knows it: without the group of the session that made it. */
const char *shown_event(const char *event)
{
	const char *slash = strchr(event, '/');

	return slash && is_session_name(event) ? slash + 1 : event;
}

/* How many bytes one debug register can watch at an address: no more than @most. */
unsigned int register_len(unsigned long long addr, unsigned long long most)
{
	unsigned int len = REGISTER_LEN;

	while (len > 1 && (addr % len || len > most))
		len /= 2;
	return len;
}

/* Are these characters an identifier of C? */
bool is_identifier(const char *text, size_t len)
{
	return len && strspn(text, NAME_CHARS) >= len && !isdigit((unsigned char)*text);
}

/**
 * spec_machine_fault - what a SPEC names that this machine does not have: a new string, or
 * NULL. @nr_cpus is how many CPUs there can be; 0 for another machine, whose CPUs and tasks
 * are not known.
 */
char *spec_machine_fault(const struct ksym_spec *spec, const char *line, size_t nr_cpus)
{
	bool *here __autofree = parse_cpus(spec->opt.cpus, nr_cpus ?: MAX_CPUS);
	bool *cpus __autofree = parse_cpus(spec->opt.cpus, MAX_CPUS);
	const struct ksym_options *opt = &spec->opt;
	struct ksym_error error = { KSYM_ERR_NONE, spec->cpus_at };

	if (opt->cpus[0] && !here)
		error.code = cpus ? KSYM_ERR_NO_CPU : KSYM_ERR_BAD_CPUS;
	if (nr_cpus && spec->target.cpu >= (int)nr_cpus)
		error = (struct ksym_error) { KSYM_ERR_NO_CPU, spec->cpu_at };
	if (error.code != KSYM_ERR_NONE)
		return spec_fault(line, &error);
	error.at = spec->pid_at;
	if (opt->pid && (spec->target.kind == KSYM_NOWHERE || spec->window.func[0]))
		error.code = KSYM_ERR_NOWHERE_PID;
	/* A thread is a task as well, and it may be another user's. */
	else if (opt->pid && nr_cpus && kill(opt->pid, 0) && errno == ESRCH)
		error.code = KSYM_ERR_NO_TASK;
	return error.code == KSYM_ERR_NONE ? NULL : spec_fault(line, &error);
}

/**
 * parse_cpus - read a list of CPUs below @nr, as in 0,2-3; a newline may end it. Returns for
 * each CPU whether it is in the list, which the caller frees; NULL if the list is none, or
 * has other CPUs.
 */
bool *parse_cpus(const char *list, size_t nr)
{
	bool *cpus = xcalloc(nr, sizeof(*cpus));
	const char *p = list;
	unsigned long first, last;
	char *end;

	for (;;) {
		if (!isdigit((unsigned char)*p))
			break;
		first = strtoul(p, &end, 10);
		last = first;
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (last < first || last >= nr)
			break;
		while (first <= last)
			cpus[first++] = true;
		if (!*end || *end == '\n')
			return cpus;
		if (*end != ',')
			break;
		p = end + 1;
	}
	free(cpus);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is wrong with the access and the options of a SPEC, as the tracer or the backend
 * of a kernel without it would find, but without making a watch. Fetch arguments have a
 * language of their own, which only the kernel knows.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/perf/stock.h"
#include "backend/session.h"
#include "backend/support.h"
#include "lib/ksymwatch.h"
#include "spec/options.h"

#define BLANKS		" \t\r\v\f"

/* A watch of a name in this group would look like an event of the kernel's in a file. */
#define KERNEL_NAME	"name=" FTRACE_GROUP "/"

/* More than any x86 machine has: a list of another machine's CPUs. */
#define MAX_CPUS	8192

/**
 * struct options - what is looked at
 * @foreign: it is for another machine, whose CPUs and tasks are not known
 * @given: the options so far, a bit each
 * @has_group: the name has a group before it
 */
struct options {
	bool		foreign;
	unsigned int	given;
	bool		has_group;
};

/* Reads a number; returns what is behind it, or NULL where there is none. */
static const char *take_number(const char *text, unsigned long long max, unsigned long long *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*number = strtoull(text, &end, 0);
	return errno || *number > max ? NULL : end;
}

/* Is this one number from 1 on? */
static bool is_number(const char *text, unsigned long long max)
{
	unsigned long long number;

	return parse_number(text, max, &number);
}

static const char *check_len(const struct options *options __maybe_unused, const char *value)
{
	return is_number(value, 32) ? NULL : "a number of bytes from 1 to 32 stands there";
}

static bool is_event_name(const char *text, size_t len)
{
	return len < KSYM_NAME_LEN && is_identifier(text, len);
}

static const char *check_name(const struct options *options __maybe_unused, const char *value)
{
	const char *slash = strchr(value, '/'), *name = slash ? slash + 1 : value;

	if (!strcmp(name, "enable") || !strcmp(name, "filter"))
		return "the folder of an event group has a file of this name";
	if (is_event_name(name, strlen(name)) && (!slash || is_event_name(value, slash - value)))
		return NULL;
	return "a name, and a group before a /, is a C identifier of 1 to 63 characters";
}

static const char *check_cpu(const struct options *options, const char *value)
{
	bool *cpus = parse_cpus(value, options->foreign ? MAX_CPUS :
				(size_t)sysconf(_SC_NPROCESSORS_CONF));
	bool right = cpus;

	free(cpus);
	return right ? NULL : "a list of CPUs that there are stands there, as in cpu=0,2-3";
}

static const char *check_pid(const struct options *options, const char *value)
{
	if (!is_number(value, INT_MAX))
		return "the number of a task stands there, as in pid=1";
	/* A thread is one, too; that it is another user's is no matter. */
	if (!options->foreign && kill(strtoul(value, NULL, 0), 0) && errno == ESRCH)
		return "no task has this number";
	return NULL;
}

static const char *check_limit(const struct options *options __maybe_unused, const char *value)
{
	unsigned long long limit;
	const char *end = take_number(value, UINT_MAX, &limit);

	if (end && (limit ? !strcmp(end, "/ms") : !*end))
		return NULL;
	return "hits in a millisecond stand there, as in limit=100/ms, or 0 for no limit";
}

static const char *check_budget(const struct options *options __maybe_unused, const char *value)
{
	unsigned long long budget;
	const char *end = take_number(value, 90, &budget);

	if (end && (budget ? !strcmp(end, "%") : !*end))
		return NULL;
	return "1% to 90% of a CPU's time stand there, as in budget=10%, or 0 for any";
}

static const char *check_count(const struct options *options __maybe_unused, const char *value)
{
	return is_number(value, ULLONG_MAX) ? NULL : "a number of hits from 1 on stands there";
}

enum {
	LEN, NAME, CPU, PID, LIMIT, BUDGET, COUNT, PINNED, FLEXIBLE, INHERIT, CHANGED, WROTE,
	STACK, USTACK
};

/* What has a '=' at its end has a value. */
static const struct {
	const char	*word;
	const char	*(*check)(const struct options *options, const char *value);
} known[] = {
	[LEN]		= { "len=", check_len },
	[NAME]		= { "name=", check_name },
	[CPU]		= { "cpu=", check_cpu },
	[PID]		= { "pid=", check_pid },
	[LIMIT]		= { "limit=", check_limit },
	[BUDGET]	= { "budget=", check_budget },
	[COUNT]		= { "count=", check_count },
	[PINNED]	= { "pinned", NULL },
	[FLEXIBLE]	= { "flexible", NULL },
	[INHERIT]	= { "inherit", NULL },
	[CHANGED]	= { "changed", NULL },
	[WROTE]		= { "wrote", NULL },
	[STACK]		= { "stack", NULL },
	[USTACK]	= { "ustack", NULL },
};

/* Which option a word is; ARRAY_SIZE(known) where it is none. */
static size_t find_option(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].check ? !strncmp(word, known[i].word, strlen(known[i].word)) :
				     !strcmp(word, known[i].word))
			break;
	return i;
}

/* Looks at one word. Returns what is wrong with it, or NULL. */
static const char *check_word(struct options *options, const char *word, bool perf)
{
	const char *reason = perf ? stock_refusal(word) : NULL;
	size_t option = find_option(word);

	if (reason)
		return reason;
	if (perf && !strncmp(word, KERNEL_NAME, strlen(KERNEL_NAME)))
		return "the group is the kernel's own";
	if (option == ARRAY_SIZE(known))
		return "there is no such option";
	if (options->given & 1U << option)
		return "the option is given twice";
	options->given |= 1U << option;
	options->has_group = options->has_group || (option == NAME && strchr(word, '/'));
	return known[option].check ?
	       known[option].check(options, word + strlen(known[option].word)) : NULL;
}

static bool has(const struct options *options, unsigned int option)
{
	return options->given & 1U << option;
}

/* What takes values, which perf alone does not have. */
static const char *check_values(const struct options *options)
{
	char *why = NULL;
	bool has_bpf;

	if (!has(options, CHANGED) && !options->has_group)
		return NULL;
	has_bpf = !backend_without_bpf() && stock_bpf_start(&why);
	free(why);
	if (has_bpf)
		return NULL;
	return has(options, CHANGED) ? "'changed': without BPF nobody knows the values" :
	       "without BPF, a watch has the group " KSYM_GROUP " only";
}

/* What does not go together, or not here. */
static const char *check_together(const struct options *options, bool nowhere, bool perf)
{
	const char *reason = NULL;

	if (nowhere && perf)
		return "only the ksym tracer has watches that get their address later";
	if (perf)
		reason = check_values(options);
	if (reason)
		return reason;
	if (has(options, PINNED) && has(options, FLEXIBLE))
		return "a watch is either pinned or flexible: leave out one of the two words";
	if (has(options, INHERIT) && !has(options, PID))
		return "inherit is for what a task starts: name the task with pid=N";
	if (nowhere && has(options, PID))
		return "-1 is for a watch of CPUs: leave out pid=";
	return NULL;
}

static char *check_access(const char *access, bool perf)
{
	static const char * const words[] = { "r", "w", "rw", "r--", "-w-", "rw-" };
	size_t i;

	if (!access)
		return NULL;
	if (perf && *access == 'r' && access[1] != 'w')
		return xasprintf("x86 traps no reads alone, %s: use rw",
				 "only the ksym tracer drops the writes");
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(access, words[i]))
			return NULL;
	return xasprintf("':%s': the access is r, w or rw", access);
}

/**
 * options_fault - what is wrong with the access and the options of a SPEC
 * @spec: the SPEC
 * @foreign: it is for another machine, whose CPUs, tasks and tracer are not known
 *
 * Return: a new string, or NULL where nothing is.
 */
char *options_fault(const char *spec, bool foreign)
{
	struct options options = { .foreign = foreign };
	char *target, *access, *text, *rest, *word, *fault;
	bool perf = !foreign && backend_is_perf();
	const char *reason = NULL;

	spec_split(spec, &target, &access, &text);
	fault = check_access(access, perf);
	rest = text;
	while (!fault && (word = strtok_r(rest, BLANKS, &rest)) && *word != '#') {
		if (!strcmp(word, "args")) {
			reason = perf ? stock_refusal(word) : !rest[strspn(rest, BLANKS)] ?
				 "at least one fetch argument stands behind it, as in args $comm" :
				 NULL;
			if (reason)
				fault = xasprintf("'args': %s", reason);
			break;
		}
		reason = check_word(&options, word, perf);
		if (reason)
			fault = xasprintf("'%s': %s", word, reason);
	}
	if (!fault) {
		reason = check_together(&options, !strcmp(target, "-1"), perf);
		fault = reason ? xstrdup(reason) : NULL;
	}
	free(target);
	free(access);
	free(text);
	return fault;
}

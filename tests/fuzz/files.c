// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes random lines to the files of tracefs that have to do with watches:
 *
 *	files RULES WRITES SEED
 *
 * The lines are made by the rules in a file (files.rules), and every fifth is damaged after that,
 * so that much is accepted and much is refused. In between the files are read. It prints a line
 * for each kind of write: its name, the number of writes, and how many were accepted.
 *
 * No line lets a hit panic or send a signal. Everything that it makes is in the groups g and
 * ksym of events, or in instances f0 and f1.
 */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRACEFS		"/sys/kernel/tracing"
#define MAX_LINE	2048
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* What a rule is replaced by: one of the alternatives of all with its name. */
static struct rule {
	char *name, *text;
} rules[400];

static size_t nr_rules;

/* A file, relative to tracefs; %s is the top or an instance, and the $rules are replaced. */
static struct kind {
	const char *name, *path, *rule;
	unsigned int weight;
	unsigned long writes, accepted;
} kinds[] = {
	{ "ksym_trace_filter", "ksym_trace_filter", "$requests", 40, 0, 0 },
	{ "dynamic_events", "dynamic_events", "$dynamic", 20, 0, 0 },
	{ "set_event", "%sset_event", "$setevent", 6, 0, 0 },
	{ "enable", "%sevents/$group/$v/enable", "$bool", 8, 0, 0 },
	{ "group enable", "%sevents/$group/enable", "$bool", 2, 0, 0 },
	{ "filter", "%sevents/$group/$v/filter", "$newfilter", 8, 0, 0 },
	{ "trigger", "%sevents/$group/$v/trigger", "$trigger", 10, 0, 0 },
	{ "kmem trigger", "%sevents/kmem/kmem_cache_alloc/trigger", "$move", 6, 0, 0 },
	{ "current_tracer", "%scurrent_tracer", "$tracer", 1, 0, 0 },
	{ "buffer_size_kb", "%sbuffer_size_kb", "$size", 1, 0, 0 },
	{ "tracing_on", "%stracing_on", "$bool", 2, 0, 0 },
	{ "trace_options", "%strace_options", "$setting", 2, 0, 0 },
	{ "trace_clock", "%strace_clock", "$clock", 1, 0, 0 },
	{ "trace", "%strace", "$bool", 1, 0, 0 },
	{ "snapshot", "%ssnapshot", "$bool", 1, 0, 0 },
	{ "set_event_pid", "%sset_event_pid", "$pids", 1, 0, 0 },
	{ "tracing_cpumask", "%stracing_cpumask", "$mask", 1, 0, 0 },
	{ "error_log", "error_log", "$bool", 1, 0, 0 },
};

static const char * const readable[] = {
	"ksym_trace_filter", "ksym_slots", "dynamic_events", "trace_stat/ksym_tracer", "trace",
	"error_log", "events/ksym/v1/format", "events/ksym/v1/trigger", "events/ksym/v1/hist",
	"instances/f0/trace", "available_events", "events/kmem/kmem_cache_alloc/trigger",
	"instances/f0/events/ksym/v1/filter",
};

static uint64_t state;

static unsigned int pick(unsigned int n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % n;
}

static void append(char *line, const char *text, size_t len)
{
	size_t used = strlen(line);

	if (used + len < MAX_LINE) {
		memcpy(line + used, text, len);
		line[used + len] = '\0';
	}
}

/* Reads the rules, a structure for each alternative. */
static void read_rules(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[MAX_LINE], *c, *name, *text;

	if (!file)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		text = line;
		name = strsep(&text, " ");
		if (!text || *name == '#')
			continue;
		for (c = text; (c = strstr(c, "\\n")); )
			memmove(c, c + 1, strlen(c)), *c = '\n';
		while ((c = strsep(&text, "|"))) {
			if (nr_rules == ARRAY_SIZE(rules))
				errx(1, "%s has more than %zu alternatives", path, nr_rules);
			rules[nr_rules++] = (struct rule){ strdup(name), strdup(c) };
		}
	}
	fclose(file);
}

static void expand(char *line, const char *text, unsigned int depth);

/* Appends one of the alternatives for the rule. */
static void expand_rule(char *line, const char *name, size_t len, unsigned int depth)
{
	size_t found[ARRAY_SIZE(rules)], nr = 0;

	for (size_t i = 0; i < nr_rules; i++) {
		if (strlen(rules[i].name) == len && !strncmp(rules[i].name, name, len))
			found[nr++] = i;
	}
	if (!nr)
		errx(1, "no rule %.*s", (int)len, name);
	/* A filter of filters ends somewhere. */
	expand(line, depth > 12 ? "new" : rules[found[pick(nr)]].text, depth + 1);
}

/* Appends @text with its rules replaced. */
static void expand(char *line, const char *text, unsigned int depth)
{
	size_t len;

	for (; *text; text += len) {
		len = strcspn(text, "$");
		if (len) {
			append(line, text, len);
		} else if (text[1] == '$') {
			append(line, "$", 1);
			len = 2;
		} else {
			for (len = 1; islower(text[len]); len++)
				;
			expand_rule(line, text + 1, len - 1, depth);
		}
	}
}

/* Damages a line: a byte is changed or left out, or a word is put in. */
static void damage(char *line)
{
	static const char * const words[] = {
		" ", ":", "=", "+", "(", ")", "->", ",", "$", "@", "len=", " if ", " args ", "\n",
		"0", "99999999999999999999", "\xe9",
	};
	const char *word = words[pick(ARRAY_SIZE(words))];
	size_t len = strlen(line), at = pick(len + 1);
	char rest[MAX_LINE];

	snprintf(rest, sizeof(rest), "%s", line + at);
	switch (pick(3)) {
	case 0:
		if (at < len)
			line[at] = ' ' + pick(95);
		break;
	case 1:
		if (at < len)
			memmove(line + at, line + at + 1, len - at);
		break;
	default:
		line[at] = '\0';
		append(line, word, strlen(word));
		append(line, rest, strlen(rest));
	}
}

/* Makes a path of the kind, in the top instance or in another one. */
static void make_path(char *path, const struct kind *kind)
{
	static const char * const instances[] = { "", "", "instances/f0/", "instances/f1/" };
	char text[PATH_MAX];

	snprintf(text, sizeof(text), kind->path, instances[pick(4)]);
	path[0] = '\0';
	expand(path, text, 0);
}

static void write_one(struct kind *kind)
{
	char path[MAX_LINE], line[MAX_LINE] = "", *newline;
	bool truncate;
	int fd;

	make_path(path, kind);
	expand(line, kind->rule, 0);
	if (!pick(5))
		damage(line);
	/* Else no line of the file removes it: a histogram prints it as it was written. */
	newline = strstr(path, "/trigger") ? strchr(line, '\n') : NULL;
	if (newline)
		*newline = ' ';
	append(line, "\n", 1);
	truncate = !strcmp(kind->name, "set_event_pid") || (kind->path[0] != '%' && !pick(200));
	fd = open(path, O_WRONLY | (truncate ? O_TRUNC : O_APPEND));
	if (fd < 0) {
		/* The event may not exist. */
		if (errno != ENOENT && errno != ENODEV && errno != EBUSY)
			err(1, "%s", path);
		return;
	}
	kind->writes++;
	if (write(fd, line, strlen(line)) > 0)
		kind->accepted++;
	close(fd);
}

static void read_one(void)
{
	static char buf[65536];
	const char *path = readable[pick(ARRAY_SIZE(readable))];
	int fd = open(path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return;
	for (unsigned int i = 0; i < 20 && read(fd, buf, sizeof(buf)) > 0; i++)
		;
	close(fd);
}

static void change_instance(void)
{
	const char *name = pick(2) ? "instances/f0" : "instances/f1";

	if (mkdir(name, 0755))
		rmdir(name);
}

static void write_line(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_APPEND);

	if (fd >= 0) {
		/* What is in use is not removed. */
		(void)!write(fd, line, strlen(line));
		close(fd);
	}
}

static void remove_triggers(const char *path)
{
	char line[MAX_LINE] = "!";
	FILE *file = fopen(path, "r");

	if (!file)
		return;
	while (fgets(line + 1, sizeof(line) - 1, file)) {
		/* What follows is the number of hits. */
		line[strcspn(line, "[\n")] = '\0';
		if (line[1] != '#')
			write_line(path, line);
	}
	fclose(file);
}

/* Removes dynamic events of all groups, since the group of a damaged line may be another one. */
static void remove_dynamic(void)
{
	FILE *file = fopen("dynamic_events", "r");
	char line[MAX_LINE], *name;

	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		name = strpbrk(line + 1, ": ");
		if (*line == '#' || !name || *name != ':')
			continue;
		name[strcspn(name, " \t\n")] = '\0';
		name[-1] = '-';
		write_line("dynamic_events", name - 1);
	}
	fclose(file);
}

/*
 * Removes what keeps registers, since all others would only be refused: triggers and probes of
 * watches, and then these. Those in use by another instance stay.
 */
static void start_again(void)
{
	glob_t found;

	if (!glob("{,instances/f?/}events/{kmem/kmem_cache_alloc,ksym/*,g/*}/trigger", GLOB_BRACE,
		  NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			remove_triggers(found.gl_pathv[i]);
		globfree(&found);
	}
	write_line("events/enable", "0\n");
	write_line("instances/f0/events/enable", "0\n");
	write_line("instances/f1/events/enable", "0\n");
	remove_dynamic();
	write_line("ksym_trace_filter", "*:---\n");
}

/* Makes the watches that triggers can move. */
static void make_movable(void)
{
	write_line("dynamic_events", "w:g/m0 w@-1:8\n");
	write_line("dynamic_events", "w:g/m1 rw@-1:4\n");
}

int main(int argc, char **argv)
{
	unsigned long writes, total = 0, done = 0;
	unsigned int at;
	size_t i;

	if (argc != 4)
		errx(1, "usage: files RULES WRITES SEED");
	read_rules(argv[1]);
	writes = strtoul(argv[2], NULL, 0);
	state = strtoul(argv[3], NULL, 0);
	if (chdir(TRACEFS))
		err(1, "%s", TRACEFS);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		total += kinds[i].weight;
	while (done < writes) {
		at = pick(total);
		for (i = 0; at >= kinds[i].weight; i++)
			at -= kinds[i].weight;
		done -= kinds[i].writes;
		write_one(&kinds[i]);
		done += kinds[i].writes;
		if (!pick(20))
			read_one();
		if (!pick(100))
			change_instance();
		if (!pick(120))
			start_again();
		if (!pick(20))
			make_movable();
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		printf("%s: %lu %lu\n", kinds[i].name, kinds[i].writes, kinds[i].accepted);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets each call of a function fail in a request, one after the other:
 *
 *	inject FILE ERRNO... <CASES
 *
 * CASES has lines
 *
 *	case NAME
 *	most N			places, if not all
 *	errno N			it may fail with, besides ERRNO
 *	before ACTION...	without a failure
 *	do ACTION...		with one
 *	after ACTION...		undoes both
 *
 * and an ACTION is one of
 *
 *	write FILE TEXT		TEXT may have \n
 *	read FILE		which is not empty
 *	mkdir FOLDER
 *	load MODULE.ko
 *	unload MODULE
 *
 * with files relative to tracefs. The N-th call fails in the N-th round: N is written to FILE,
 * the parameter "nth" of ksym_fail. If the request fails with it, its error must be one of ERRNO,
 * everything must be as before, and the same request must succeed then. A request that succeeds
 * must have done all that it does without a failure. After the last lines everything must be as
 * at the beginning. It prints "NAME: N places, M requests failed".
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_ACTIONS	12
#define MAX_STATE	65536

struct action {
	char *verb, *path, *text;
};

struct actions {
	unsigned int nr;
	struct action action[MAX_ACTIONS];
};

static struct {
	char *name;
	struct actions before, request, after;
	unsigned int most;
	int error;
} now;

static int fail_nth;
static char **wanted_errors;
static unsigned int problems, bad_cases;

static void write_nth(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fail_nth, text, len, 0) != len)
		err(1, "nth");
}

static unsigned int read_nth(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0)
		err(1, "nth");
	return strtoul(text, NULL, 10);
}

/* Runs an action, with the nth failure if that is not 0. Sets *left to what is left of it. */
static int run(const struct action *action, unsigned int nth, unsigned int *left)
{
	bool opens = true;
	int fd = -1, error, ret;
	char byte;

	if (!strcmp(action->verb, "write"))
		fd = open(action->path, O_WRONLY | O_APPEND);
	else if (!strcmp(action->verb, "load") || !strcmp(action->verb, "read"))
		fd = open(action->path, O_RDONLY);
	else
		opens = false;
	if (fd < 0 && opens)
		err(1, "%s", action->path);
	if (nth)
		write_nth(nth);
	if (!strcmp(action->verb, "write"))
		ret = write(fd, action->text, strlen(action->text));
	else if (!strcmp(action->verb, "read"))
		ret = read(fd, &byte, 1);
	else if (!strcmp(action->verb, "load"))
		ret = syscall(SYS_finit_module, fd, "", 0);
	else if (!strcmp(action->verb, "unload"))
		ret = syscall(SYS_delete_module, action->path, 0);
	else if (!strcmp(action->verb, "mkdir"))
		ret = mkdir(action->path, 0755);
	else if (!strcmp(action->verb, "rmdir"))
		ret = rmdir(action->path);
	else
		errx(1, "unknown action %s", action->verb);
	error = errno;
	if (nth) {
		*left = read_nth();
		write_nth(0);
	}
	if (fd >= 0)
		close(fd);
	if (!ret && !strcmp(action->verb, "read")) {
		printf("%s: %s is empty\n", now.name, action->path);
		problems++;
	}
	return ret < 0 ? -error : 0;
}

static void run_all(const struct actions *actions, const char *what)
{
	int ret;

	for (unsigned int i = 0; i < actions->nr; i++) {
		ret = run(&actions->action[i], 0, NULL);
		if (ret) {
			printf("%s: %s: %s %s: %s\n", now.name, what, actions->action[i].verb,
			       actions->action[i].path, strerror(-ret));
			problems++;
		}
	}
}

/* Appends the file without what changes by itself: comments, numbers of hits. */
static void add_file(char *state, const char *path)
{
	char line[4096], *comment;
	FILE *file = fopen(path, "r");
	size_t used;

	used = strlen(state);
	snprintf(state + used, MAX_STATE - used, "%s%s\n", path, file ? ":" : " is not there");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		comment = strcmp(path, "/proc/modules") ? strstr(line, " # ") : strchr(line, ' ');
		used = strlen(state);
		if (comment)
			snprintf(state + used, MAX_STATE - used, "%.*s\n", (int)(comment - line),
				 line);
		else if (line[0] != '#')
			snprintf(state + used, MAX_STATE - used, "%s", line);
	}
	fclose(file);
}

static void add_folder(char *state, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	size_t used;

	while (dir && (entry = readdir(dir))) {
		used = strlen(state);
		snprintf(state + used, MAX_STATE - used, "%s/%s\n", path, entry->d_name);
	}
	if (dir)
		closedir(dir);
}

/*
 * @brief: without what a request that succeeds can do in another way. A watch of objects takes as
 * many registers as it can get, and an event may have no folder, of which the kernel's log tells.
 */
static char *read_state(bool brief)
{
	char *state = calloc(1, MAX_STATE);

	if (!state)
		err(1, "malloc");
	add_file(state, "ksym_trace_filter");
	add_file(state, "dynamic_events");
	add_file(state, "set_event");
	add_file(state, "events/kmem/kmem_cache_alloc/trigger");
	add_file(state, "/proc/modules");
	add_folder(state, "instances");
	if (brief)
		return state;
	add_file(state, "ksym_slots");
	add_file(state, "events/ksym/inject/trigger");
	add_folder(state, "events/ksym");
	return state;
}

/* Frees @got. */
static void compare(const char *wanted, char *got, unsigned int nth, const char *what)
{
	if (strcmp(wanted, got)) {
		printf("%s: place %u: %s:\n%s---\n%s", now.name, nth, what, wanted, got);
		problems++;
	}
	free(got);
}

/* There is nothing to check if the event has no folder. */
static void check_format(unsigned int nth)
{
	FILE *file = fopen("events/ksym/inject/format", "r");
	bool good = false;
	char line[4096];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		good = good || !strncmp(line, "print fmt: \"", 12);
	fclose(file);
	if (!good) {
		printf("%s: place %u: the event has no print format\n", now.name, nth);
		problems++;
	}
}

static bool is_wanted(int error)
{
	for (char **wanted = wanted_errors; *wanted; wanted++) {
		if (atoi(*wanted) == error)
			return true;
	}
	return error == now.error;
}

static void run_case(void)
{
	unsigned int nth, left, failed = 0;
	bool used = true;
	char *first, *before, *done;
	int ret;

	problems = 0;
	first = read_state(false);
	run_all(&now.before, "before");
	run_all(&now.request, "the request");
	done = read_state(true);
	run_all(&now.after, "after");
	compare(first, read_state(false), 0, "in the end it is not as at the beginning");
	for (nth = 1; used && !problems && (!now.most || nth <= now.most + 1); nth++) {
		run_all(&now.before, "before");
		before = read_state(false);
		ret = run(&now.request.action[0], nth, &left);
		if (ret) {
			failed++;
			if (!is_wanted(-ret)) {
				printf("%s: place %u: the error is %s\n", now.name, nth,
				       strerror(-ret));
				problems++;
			}
			compare(before, read_state(false), nth, "the failure has left something");
			run_all(&now.request, "the next request");
		}
		compare(done, read_state(true), nth, "a success has not done all of it");
		check_format(nth);
		/* Some of it is left if the request has fewer places. */
		used = !left;
		free(before);
		run_all(&now.after, "after");
		compare(first, read_state(false), nth, "in the end it is not as at the beginning");
	}
	free(done);
	free(first);
	if (!problems)
		printf("%s: %u places, %u requests failed\n", now.name, nth - 2, failed);
	bad_cases += problems != 0;
	fflush(stdout);
}

static void add_action(struct actions *actions, char *line)
{
	struct action *action = &actions->action[actions->nr++];
	char *from, *to;

	if (actions->nr > MAX_ACTIONS)
		errx(1, "too many actions");
	action->verb = strdup(strtok(line, " "));
	action->path = strdup(strtok(NULL, " "));
	from = strtok(NULL, "");
	action->text = strdup(from ?: "");
	to = action->text;
	for (; from && *from; from++) {
		if (from[0] == '\\' && from[1] == 'n') {
			*to++ = '\n';
			from++;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

int main(int argc, char **argv)
{
	char line[4096];

	if (argc < 3 || chdir("/sys/kernel/tracing"))
		errx(1, "usage: inject FILE ERRNO..., where tracefs is mounted");
	wanted_errors = argv + 2;
	fail_nth = open(argv[1], O_RDWR);
	if (fail_nth < 0)
		err(1, "%s", argv[1]);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "case ", 5)) {
			if (now.name)
				run_case();
			memset(&now, 0, sizeof(now));
			now.name = strdup(line + 5);
		} else if (!strncmp(line, "most ", 5)) {
			now.most = atoi(line + 5);
		} else if (!strncmp(line, "errno ", 6)) {
			now.error = atoi(line + 6);
		} else if (!strncmp(line, "before ", 7)) {
			add_action(&now.before, line + 7);
		} else if (!strncmp(line, "do ", 3)) {
			add_action(&now.request, line + 3);
		} else if (!strncmp(line, "after ", 6)) {
			add_action(&now.after, line + 6);
		} else if (line[0]) {
			errx(1, "unknown line %s", line);
		}
	}
	if (now.name)
		run_case();
	return bad_cases != 0;
}

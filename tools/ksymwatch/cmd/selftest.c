// SPDX-License-Identifier: GPL-2.0-only
/*
 * The self-test: a watch on a sysctl variable, which is read and written through /proc. The
 * value written is the one read, so nothing changes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/run.h"
#include "cmd/selftest.h"
#include "lib/util.h"

/* Parts of the names of all functions that read and write sysctl variables, 7.x's last. */
static const char * const sysctl_functions[] = { "proc_do", "do_proc_" };

/* Variables that are rarely accessed; each is an int. */
static const struct {
	const char	*symbol;
	const char	*file;
} candidates[] = {
	{ "panic_timeout", "/proc/sys/kernel/panic" },
	{ "panic_on_oops", "/proc/sys/kernel/panic_on_oops" },
};

/*
 * Reads the file with one read(2), which is one access to the variable; or writes the text
 * back. Returns whether that worked.
 */
static bool access_value(const char *file, bool write_back, char *text, size_t size)
{
	int fd = open(file, (write_back ? O_WRONLY : O_RDONLY) | O_CLOEXEC), error;
	ssize_t done = -1;

	if (fd < 0)
		return false;
	if (write_back)
		done = write(fd, text, strlen(text));
	else
		done = read(fd, text, size - 1);
	error = errno;
	close(fd);
	errno = error;
	if (!write_back)
		text[done > 0 ? done : 0] = '\0';
	return done > 0;
}

static void check_value(struct self_test *test, unsigned long long value)
{
	/* Compare the int only. */
	if ((uint32_t)value == (uint32_t)test->value)
		return;
	test->wrong_value = true;
	test->got = value;
}

static bool is_sysctl(const char *function)
{
	return function && (strstr(function, sysctl_functions[0]) ||
			    strstr(function, sysctl_functions[1]));
}

static void observe(struct sink *sink, const struct hit *hit)
{
	struct self_test *test = container_of(sink, struct self_test, sink);

	test->by_sysctl = (!test->hits || test->by_sysctl) && is_sysctl(hit->function);
	test->hits++;
	test->reads += !!(hit->access & ACCESS_READ);
	test->writes += !!(hit->access & ACCESS_WRITE);
	test->unknown += !hit->access;
	if (hit->function)
		snprintf(test->function, sizeof(test->function), "%s", hit->function);
	if (!hit->has_values)
		return;
	test->has_values = true;
	check_value(test, hit->old);
	check_value(test, hit->new);
}

static const struct sink_ops ops = { .hit = observe };

/* Watches a variable, accesses it, and collects the hits. Dies if the watch can't be made. */
void self_test_run(struct self_test *test)
{
	struct strings specs __cleanup(strings_free) = {};
	struct session *session;
	struct hits *hits;
	char text[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(candidates); i++)
		if (access_value(candidates[i].file, false, text, sizeof(text)))
			break;
	if (i == ARRAY_SIZE(candidates))
		die("%s cannot be read: %s", candidates[0].file, strerror(errno));
	test->sink.ops = &ops;
	test->symbol = candidates[i].symbol;
	test->value = strtoll(text, NULL, 10);

	strings_add_owned(&specs, xasprintf("%s:rw len=4", test->symbol));
	session = session_open(backend_choose(), &specs, signals_open(), -1, SESSION_PROMPT);
	hits = hits_new(&test->sink);
	session->backend->start(session);
	if (!access_value(candidates[i].file, false, text, sizeof(text)) ||
	    !access_value(candidates[i].file, true, text, 0))
		die("%s cannot be written: %s", candidates[i].file, strerror(errno));
	session->backend->stop(session);
	run_read(session, hits, NULL, NULL);
	hits_end(hits);
	hits_free(hits);
	session_close();
}

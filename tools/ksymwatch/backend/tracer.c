// SPDX-License-Identifier: GPL-2.0-only
/*
 * What must be there before anything can be watched: tracefs, the tracer, and
 * the right to use them. Where something isn't there, this says how to get it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/session.h"

#define LOCKDOWN_FILE	"/sys/kernel/security/lockdown"

/* The level in force stands in brackets; "confidentiality" closes tracefs. */
bool is_locked_down(void)
{
	char *line = read_first_line(LOCKDOWN_FILE);
	bool locked = line && strstr(line, "[confidentiality]");

	free(line);
	return locked;
}

[[gnu::noreturn]]
static void die_of_lockdown(void)
{
	die("the kernel is locked down: boot without lockdown=confidentiality to use tracefs");
}

/*
 * Where tracefs is mounted. Whose this is the library does not say; where it can't look
 * into the folder, it makes a new one each time that it is asked for anything.
 */
static const char *tracefs_folder;

/* Is tracefs mounted? Once it is, it stays. */
bool has_tracefs(void)
{
	return tracefs_folder || tracefs_tracing_dir_is_mounted(false, &tracefs_folder) == 1;
}

/* Opens what the tracer is used by; returns -1 with errno where that can't be. */
static int open_tracer(void)
{
	char *file = xasprintf("%s/ksym_trace_filter", tracefs_folder);
	int fd = open(file, O_RDWR | O_CLOEXEC), error = errno;

	free(file);
	errno = error;
	return fd;
}

/**
 * require_tracer - go on only where the tracer can be used
 *
 * Neither mounts nor loads anything: that is the administrator's decision.
 */
void require_tracer(void)
{
	int fd, error;

	if (!has_tracefs()) {
		if (is_locked_down())
			die_of_lockdown();
		die("tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing");
	}

	fd = open_tracer();
	if (fd >= 0) {
		close(fd);
		return;
	}
	error = errno;
	if (error == EACCES)
		die("no permission to use tracefs: run it as root, for example with sudo");
	/* A kernel that boots locked down leaves tracefs empty. */
	if (is_locked_down())
		die_of_lockdown();
	if (error == ENOENT)
		die("this kernel has no ksym tracer: one built with CONFIG_KSYM_TRACER=y has; %s",
		    "here watches last as long as ksymwatch live, record, stat or top run");
	die("ksym_trace_filter cannot be opened: %s", strerror(error));
}

/* Which backend somebody wants, or NULL. */
static const char *wanted_backend(void)
{
	const char *wanted = getenv(BACKEND_VARIABLE);

	return wanted && *wanted ? wanted : NULL;
}

/* Was the tracer passed over? */
bool backend_is_forced(void)
{
	return wanted_backend();
}

bool backend_without_bpf(void)
{
	const char *wanted = wanted_backend();

	return wanted && !strcmp(wanted, BACKEND_PLAIN_PERF);
}

/* Has the kernel the tracer, as far as anybody can see who may not use it? */
bool has_tracer(void)
{
	int fd;

	if (!has_tracefs())
		return false;
	fd = open_tracer();
	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != ENOENT;
}

/* Would a session have perf's breakpoints? */
bool backend_is_perf(void)
{
	const char *wanted = wanted_backend();

	if (!wanted)
		return !has_tracer();
	return !strcmp(wanted, BACKEND_PERF) || !strcmp(wanted, BACKEND_PLAIN_PERF);
}

/**
 * backend_choose - how a session gets its hits here
 *
 * Where the kernel has the tracer, nothing else is as good. Ends the program where nothing
 * can be had.
 *
 * Return: the backend.
 */
const struct backend *backend_choose(void)
{
	const char *wanted = wanted_backend();

	if (backend_is_perf())
		return perf_backend();
	if (wanted && strcmp(wanted, BACKEND_TRACER))
		die(BACKEND_VARIABLE " is '%s': " BACKEND_TRACER ", " BACKEND_PERF " and "
		    BACKEND_PLAIN_PERF " are backends", wanted);
	require_tracer();
	return tracer_backend();
}

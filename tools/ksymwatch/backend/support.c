// SPDX-License-Identifier: GPL-2.0-only
/*
 * What watching needs: tracefs, the tracer and the right to use them. If something is
 * missing, the message says how to get it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "backend/support.h"
#include "lib/util.h"

#define LOCKDOWN_FILE	"/sys/kernel/security/lockdown"

/* The active level is in brackets; "confidentiality" closes tracefs. */
bool is_locked_down(void)
{
	char *line __autofree = read_first_line(LOCKDOWN_FILE);

	return line && strstr(line, "[confidentiality]");
}

/*
 * Where tracefs is mounted. It is never freed: the library does not say who owns it, and
 * returns a new string for each call if it can't read the folder.
 */
static const char *tracefs_folder;

/* Returns where tracefs is mounted, or NULL. */
const char *tracefs_path(void)
{
	if (!tracefs_folder && tracefs_tracing_dir_is_mounted(false, &tracefs_folder) != 1)
		tracefs_folder = NULL;
	return tracefs_folder;
}

/* Returns 0 if the tracer's main file can be opened, else an errno. */
static int tracer_error(void)
{
	char *file __autofree = xasprintf("%s/ksym_trace_filter", tracefs_folder);
	int fd = open(file, O_RDWR | O_CLOEXEC), error = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

/*
 * Dies unless the tracer can be used. Neither mounts nor loads anything: that is for the
 * administrator to decide.
 */
void require_tracer(void)
{
	const bool mounted = tracefs_path();
	const int error = mounted ? tracer_error() : ENODEV;

	if (!error)
		return;
	if (error == EACCES)
		die("no permission to use tracefs; run as root, for example with sudo");
	/* A kernel that boots locked down leaves tracefs empty. */
	if (is_locked_down())
		die("the kernel is locked down: boot without lockdown=confidentiality to use %s",
		    "tracefs");
	if (!mounted)
		die("tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing");
	if (error == ENOENT)
		die("this kernel has no ksym tracer (CONFIG_KSYM_TRACER); %s",
		    "without it, watches last only as long as ksymwatch live, record, stat or top");
	die("ksym_trace_filter cannot be opened: %s", strerror(error));
}

/* Returns the backend that the environment asks for, or NULL. */
const char *backend_wanted(void)
{
	const char *wanted = getenv(BACKEND_VARIABLE);

	return wanted && *wanted ? wanted : NULL;
}

bool backend_asked(const char *name)
{
	const char *wanted = backend_wanted();

	return wanted && !strcmp(wanted, name);
}

/* Has the kernel the tracer? Also answers without the right to use it. */
bool has_tracer(void)
{
	return tracefs_path() && tracer_error() != ENOENT;
}

/* Would a session use perf's breakpoints? */
bool backend_is_perf(void)
{
	if (!backend_wanted())
		return !has_tracer();
	return backend_asked(BACKEND_PERF) || backend_asked(BACKEND_PLAIN_PERF);
}

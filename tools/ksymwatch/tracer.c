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

#include "session.h"

#define LOCKDOWN_FILE	"/sys/kernel/security/lockdown"

/* The level in force stands in brackets; "confidentiality" closes tracefs. */
static bool is_locked_down(void)
{
	char text[128] = "";
	FILE *file = fopen(LOCKDOWN_FILE, "re");

	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strstr(text, "[confidentiality]");
}

[[gnu::noreturn]]
static void die_of_lockdown(void)
{
	die("the kernel is locked down: boot without lockdown=confidentiality to use tracefs");
}

/**
 * require_tracer - go on only where the tracer can be used
 *
 * Neither mounts nor loads anything: that is the administrator's decision.
 */
void require_tracer(void)
{
	/* Whose it is the library does not say. */
	static const char *dir;
	int fd, error;

	if (!dir && tracefs_tracing_dir_is_mounted(false, &dir) != 1) {
		if (is_locked_down())
			die_of_lockdown();
		die("tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing");
	}

	fd = tracefs_instance_file_open(NULL, "ksym_trace_filter", O_RDWR | O_CLOEXEC);
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
		die("this kernel has no ksym tracer: one built with CONFIG_KSYM_TRACER=y has");
	die("ksym_trace_filter cannot be opened: %s", strerror(error));
}

/* Returns how a session gets its hits here; ends the program where it can't have any. */
const struct backend *backend_choose(void)
{
	require_tracer();
	return tracer_backend();
}

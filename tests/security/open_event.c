// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens a trace event with perf for this task: open_event ID. The status is the error, 0 if it
 * is open.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.config		= argc > 1 ? atoi(argv[1]) : 0,
		.sample_period	= 1,
		.sample_type	= PERF_SAMPLE_RAW,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0 ? errno : 0;
}

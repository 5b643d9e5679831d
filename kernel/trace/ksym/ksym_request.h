/* SPDX-License-Identifier: GPL-2.0-only */
/* Request: lines of text that make and remove watches, all of them or none. */
#ifndef _KERNEL_TRACE_KSYM_REQUEST_H
#define _KERNEL_TRACE_KSYM_REQUEST_H

#include <linux/types.h>

#include "ksym_parse.h"

struct ksym_watch;
struct ksym_watch_attr;

/**
 * struct ksym_request - some lines, and who asks for them
 * @text: the lines; they are cut apart in place
 * @dyn: in the syntax of dynamic_events
 * @attr: what kernel code asks for beside the text, for which the watches are; or NULL
 * @watch: the last watch that was made
 * @arg_error: what is wrong with a fetch argument, if anything is; zeroed by the caller
 * @arg_at: and where in its line
 */
struct ksym_request {
	char			*text;
	bool			dyn;
	const struct ksym_watch_attr *attr;
	struct ksym_watch	*watch;
	const char		*arg_error;
	unsigned int		arg_at;
};

int ksym_run_locked(struct ksym_request *request, struct ksym_error *error);
int ksym_run(struct ksym_request *request, struct ksym_error *error);

#endif /* _KERNEL_TRACE_KSYM_REQUEST_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* What this kernel supports, and which backend the environment asks for. */
#ifndef KSYMWATCH_SUPPORT_H
#define KSYMWATCH_SUPPORT_H

#include <stdbool.h>

/* The environment variable that selects the backend, and its values. */
#define BACKEND_VARIABLE	"KSYMWATCH_BACKEND"
#define BACKEND_TRACER		"tracer"
#define BACKEND_PERF		"perf"
#define BACKEND_PLAIN_PERF	"perf-without-bpf"

const char *backend_wanted(void);
bool backend_asked(const char *name);
bool backend_is_perf(void);

const char *tracefs_path(void);
bool has_tracer(void);
bool is_locked_down(void);
void require_tracer(void);

#endif /* KSYMWATCH_SUPPORT_H */

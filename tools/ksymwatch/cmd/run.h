/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session from its SPECs to its summary, for the commands that show or record hits.
 */
#ifndef KSYMWATCH_RUN_H
#define KSYMWATCH_RUN_H

#include <stdbool.h>

struct sink;
struct strings;

int run_live(struct sink *sink, const struct strings *specs, char **command, bool is_quiet);
int run_record(const char *file, const struct strings *specs, char **command, bool is_quiet);

#endif /* KSYMWATCH_RUN_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw pages of trace buffers into a trace.dat, here or on another machine.
 *
 *	recorder_open(path, true);
 *	files = recorder_begin(&formats);
 *	while (pages come into the files)
 *		recorder_sent();
 *	recorder_finish(names of all tasks, what they mapped, error);
 */
#ifndef KSYMWATCH_RECORDER_H
#define KSYMWATCH_RECORDER_H

#include "lib/tracedat.h"

void recorder_open(const char *path, bool keep_parts);
void recorder_open_remote(const char *address);
const int *recorder_begin(const struct tracedat *dat);
int recorder_sent(void);
bool recorder_is_behind(void);
unsigned long long recorder_size(void);
int recorder_finish(char *comms, char *mappings, int error);

#endif /* KSYMWATCH_RECORDER_H */

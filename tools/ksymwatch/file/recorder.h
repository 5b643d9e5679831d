/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw pages of trace buffers into a trace.dat, here or on another machine.
 *
 *	recorder_open(path);
 *	write the formats into the folder recorder_formats();
 *	files = recorder_begin();
 *	while (pages come into the files)
 *		recorder_sent();
 *	write the formats again, with the names of all tasks;
 *	recorder_finish(was that successful, error);
 */
#ifndef KSYMWATCH_RECORDER_H
#define KSYMWATCH_RECORDER_H

#include <stdbool.h>

void recorder_open(const char *path);
void recorder_open_remote(const char *address);
const char *recorder_formats(void);
const int *recorder_begin(void);
int recorder_sent(void);
unsigned long long recorder_size(void);
int recorder_finish(bool complete, int error);

#endif /* KSYMWATCH_RECORDER_H */

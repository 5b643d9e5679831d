/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw pages of trace buffers into a trace.dat, here or on another machine.
 *
 *	recorder_open(path);
 *	recorder_begin(folder of the formats);
 *	while (pages come into the descriptors of recorder_fds())
 *		recorder_sent();
 *	recorder_finish(folder of the formats, error);
 */
#ifndef KSYMWATCH_RECORDER_H
#define KSYMWATCH_RECORDER_H

#include <stddef.h>

void recorder_open(const char *path);
void recorder_open_remote(const char *address);
const char *recorder_folder(void);
void recorder_begin(const char *formats);
const int *recorder_fds(size_t *nr);
int recorder_sent(void);
unsigned long long recorder_size(void);
int recorder_finish(const char *formats, int error);

#endif /* KSYMWATCH_RECORDER_H */

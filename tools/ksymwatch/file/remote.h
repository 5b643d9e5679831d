/* SPDX-License-Identifier: GPL-2.0-only */
/* Sending a recording to trace-cmd listen on another machine, and copying files. */
#ifndef KSYMWATCH_REMOTE_H
#define KSYMWATCH_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

int transfer(int to, int from, off_t *offset);

bool remote_is_address(const char *text);
void remote_open(const char *address, size_t nr_cpus);
int remote_send(const int *files);
unsigned long long remote_unsent(const int *files);
int remote_finish(const int *files, int header);

#endif /* KSYMWATCH_REMOTE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a trace.dat of version 6, as ksymwatch writes it.
 */
#ifndef KSYMWATCH_PLAIN_H
#define KSYMWATCH_PLAIN_H

#include <event-parse.h>

struct plain;

typedef void plain_take(struct tep_event *event, struct tep_record *record, void *data);

struct plain *plain_open(const char *path);
struct tep_handle *plain_tep(struct plain *plain);
int plain_read(struct plain *plain, plain_take *take, void *data);
void plain_close(struct plain *plain);

#endif /* KSYMWATCH_PLAIN_H */

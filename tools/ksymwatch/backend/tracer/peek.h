/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a trace buffer without taking the hits out of it. */
#ifndef KSYMWATCH_PEEK_H
#define KSYMWATCH_PEEK_H

#include <stddef.h>

struct tracefs_instance;

int peek_pages(struct tracefs_instance *instance, size_t cpu, int to);

#endif /* KSYMWATCH_PEEK_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sinks that there are: what a hit may look like.
 */
#ifndef SINKS_H
#define SINKS_H

#include <stdbool.h>
#include <stdio.h>

struct sink;

struct sink *table_sink(FILE *out, bool colour);

#endif /* SINKS_H */

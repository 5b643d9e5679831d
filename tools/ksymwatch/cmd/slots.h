/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracer's table of the debug registers. */
#ifndef KSYMWATCH_SLOTS_H
#define KSYMWATCH_SLOTS_H

struct strings;

typedef void slots_take(const struct strings *headings, const struct strings *row, void *data);

void slots_walk(char *text, slots_take *take, void *data);

#endif /* KSYMWATCH_SLOTS_H */

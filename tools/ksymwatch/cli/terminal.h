/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal that output goes to: colours, the pager, and the progress line of a recording. */
#ifndef KSYMWATCH_TERMINAL_H
#define KSYMWATCH_TERMINAL_H

#include <stdbool.h>

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

bool colour_wanted(enum colour colour, int fd);
void pager_start(void);

void progress_begin(bool quiet, bool endless);
int progress_timeout(void);
bool progress_due(void);
void progress_update(unsigned long long hits, unsigned long long lost, unsigned long long bytes);
void progress_end(void);

#endif /* KSYMWATCH_TERMINAL_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The progress line of a recording.
 */
#ifndef KSYMWATCH_PROGRESS_H
#define KSYMWATCH_PROGRESS_H

#include <stdbool.h>

void progress_begin(bool quiet, bool endless);
int progress_timeout(void);
bool progress_due(void);
void progress_update(unsigned long long hits, unsigned long long lost, unsigned long long bytes);
void progress_end(void);

#endif /* KSYMWATCH_PROGRESS_H */

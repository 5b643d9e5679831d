/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The line that tells how a recording goes on.
 */
#ifndef KSYMWATCH_PROGRESS_H
#define KSYMWATCH_PROGRESS_H

#include <stdbool.h>

struct session;

void progress_begin(struct session *session, bool quiet, bool endless);
int progress_timeout(void);
void progress_update(unsigned long long bytes);
void progress_end(void);

#endif /* KSYMWATCH_PROGRESS_H */

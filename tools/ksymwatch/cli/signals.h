/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that end a session. */
#ifndef KSYMWATCH_SIGNALS_H
#define KSYMWATCH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signalfd_siginfo;

void signals_catch_limit(void);
int signals_open(void);
sigset_t signals_hold(void);
bool signals_next(int fd, struct signalfd_siginfo *info);
int signals_told(int fd);
const sigset_t *signals_original_mask(void);
void signals_deliver_pipe(void);

#endif /* KSYMWATCH_SIGNALS_H */

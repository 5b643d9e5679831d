/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal that output goes to: colours and the pager.
 */
#ifndef KSYMWATCH_TERMINAL_H
#define KSYMWATCH_TERMINAL_H

#include <stdbool.h>

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

bool colour_wanted(enum colour colour, int fd);
void pager_start(void);

#endif /* KSYMWATCH_TERMINAL_H */

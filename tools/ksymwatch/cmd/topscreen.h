/* SPDX-License-Identifier: GPL-2.0-only */
/* ksymwatch top: the screen */
#ifndef KSYMWATCH_TOPSCREEN_H
#define KSYMWATCH_TOPSCREEN_H

#include "cmd/toprows.h"

void screen_check(void);
void screen_begin(void);
void screen_end(void);
void screen_refresh(struct top *top);
void screen_keys(struct top *top);

#endif /* KSYMWATCH_TOPSCREEN_H */

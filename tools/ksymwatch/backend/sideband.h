/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs and libraries that tasks map while a recording runs, for their user stacks. */
#ifndef KSYMWATCH_SIDEBAND_H
#define KSYMWATCH_SIDEBAND_H

int sideband_open(const char *clock, int signals);
void sideband_read(void);
char *sideband_text(void);

#endif /* KSYMWATCH_SIDEBAND_H */

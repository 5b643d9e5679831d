/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A message instead of a crash in a library that reads a damaged file.
 */
#ifndef KSYMWATCH_GUARD_H
#define KSYMWATCH_GUARD_H

void guard_begin(const char *path);
void guard_end(void);

#endif /* KSYMWATCH_GUARD_H */

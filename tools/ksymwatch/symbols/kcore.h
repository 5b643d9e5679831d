/* SPDX-License-Identifier: GPL-2.0-only */
/* The running kernel's memory, read from /proc/kcore. */
#ifndef KSYMWATCH_KCORE_H
#define KSYMWATCH_KCORE_H

#include <stdbool.h>
#include <stddef.h>

bool kcore_read(unsigned long long addr, void *data, size_t len, char **why);

#endif /* KSYMWATCH_KCORE_H */

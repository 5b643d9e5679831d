/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copying between descriptors inside the kernel.
 */
#ifndef KSYMWATCH_TRANSFER_H
#define KSYMWATCH_TRANSFER_H

#include <sys/types.h>

int transfer(int to, int from, off_t *offset);

#endif /* KSYMWATCH_TRANSFER_H */

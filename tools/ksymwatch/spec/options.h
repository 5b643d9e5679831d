/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is wrong with the options of a SPEC, without asking the kernel.
 */
#ifndef KSYMWATCH_OPTIONS_H
#define KSYMWATCH_OPTIONS_H

#include <stdbool.h>

char *options_fault(const char *spec, bool foreign);

#endif /* KSYMWATCH_OPTIONS_H */

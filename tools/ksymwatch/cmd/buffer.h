/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hits of a watch in a trace buffer.
 */
#ifndef KSYMWATCH_BUFFER_H
#define KSYMWATCH_BUFFER_H

void buffer_show(const char *watch, const char *instance);

#endif /* KSYMWATCH_BUFFER_H */

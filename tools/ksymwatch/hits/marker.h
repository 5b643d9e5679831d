/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Markers: texts in a trace with the types of its watches, see value.c.
 */
#ifndef KSYMWATCH_MARKER_H
#define KSYMWATCH_MARKER_H

struct ksym_target;

char *make_marker(const char *watch, const struct ksym_target *target, unsigned int len);

#endif /* KSYMWATCH_MARKER_H */

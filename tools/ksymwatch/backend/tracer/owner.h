/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which watches ksymwatch made.
 */
#ifndef KSYMWATCH_OWNER_H
#define KSYMWATCH_OWNER_H

#include "backend/tracer/watches.h"

void owner_note(const struct strings *names);
void owner_read(struct watches *watches);

#endif /* KSYMWATCH_OWNER_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which watches ksymwatch made.
 */
#ifndef KSYMWATCH_OWNER_H
#define KSYMWATCH_OWNER_H

#include "backend/tracer/watches.h"

void owner_note(const struct strings *names);
void owner_read(struct strings *notes, const struct watches *watches);
bool owner_is_us(const struct strings *notes, const struct watch *watch);

#endif /* KSYMWATCH_OWNER_H */

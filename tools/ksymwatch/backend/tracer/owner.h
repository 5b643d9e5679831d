/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which watches ksymwatch made, and which session uses which instance.
 */
#ifndef KSYMWATCH_OWNER_H
#define KSYMWATCH_OWNER_H

#include "backend/tracer/watches.h"

void owner_note(const struct strings *names);
void owner_read(struct watches *watches);

int owner_claim(char name[KSYM_EVENT_LEN]);
void owner_claim_watches(int note, const struct strings *names);
int owner_release(const char *session, int note, const struct strings *made,
		  struct strings *removed);
void owner_sweep(struct strings *removed);

#endif /* KSYMWATCH_OWNER_H */

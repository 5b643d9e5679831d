/* SPDX-License-Identifier: GPL-2.0-only */
/* The outputs of a profile. */
#ifndef KSYMWATCH_OUT_PROFILE_H
#define KSYMWATCH_OUT_PROFILE_H

#include "hits/profile.h"

/* The page in the program. */
extern const char profile_page[];

void profile_print(FILE *out, const struct profile *profile, bool by_hits, bool all);
void profile_json(FILE *out, const struct profile *profile);
void profile_page_write(FILE *out, const struct profile *profile, const char *title);

#endif /* KSYMWATCH_OUT_PROFILE_H */

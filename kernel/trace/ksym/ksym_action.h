/* SPDX-License-Identifier: GPL-2.0-only */
/* Actions: what happens after a hit was recorded. */
#ifndef _KERNEL_TRACE_KSYM_ACTION_H
#define _KERNEL_TRACE_KSYM_ACTION_H

#include "ksym_hit.h"

void ksym_action_nmi(const struct ksym_hit *hit);

#endif /* _KERNEL_TRACE_KSYM_ACTION_H */

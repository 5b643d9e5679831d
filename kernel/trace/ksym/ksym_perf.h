/* SPDX-License-Identifier: GPL-2.0-only */
/* Perf: the perf events of a trap. For the files of the trap layer. */
#ifndef _KERNEL_TRACE_KSYM_PERF_H
#define _KERNEL_TRACE_KSYM_PERF_H

#include "ksym_trap.h"

extern struct mutex ksym_traps_mutex;
extern struct mutex ksym_tasks_mutex;
extern u64 ksym_parked_var;

void ksym_perf_lock(const struct ksym_trap *trap);
void ksym_perf_unlock(const struct ksym_trap *trap);
int ksym_perf_find_addr(const struct ksym_trap *trap, int cpu, unsigned long *addr);
int ksym_perf_create(struct ksym_trap *trap);
int ksym_perf_create_part(struct ksym_trap_cpu *part);
void ksym_perf_release(struct ksym_trap *trap);
void ksym_perf_release_part(struct ksym_trap_cpu *part);
void ksym_perf_set_uncovered(struct ksym_trap_cpu *part, bool on);
void ksym_perf_enable(struct ksym_trap *trap);
void ksym_perf_disable(struct ksym_trap *trap);
int ksym_perf_point(struct ksym_trap *trap);

#endif /* _KERNEL_TRACE_KSYM_PERF_H */

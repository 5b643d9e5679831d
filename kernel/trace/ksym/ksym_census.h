/* SPDX-License-Identifier: GPL-2.0-only */
/* Census: who holds the debug registers and the slots of each CPU. */
#ifndef _KERNEL_TRACE_KSYM_CENSUS_H
#define _KERNEL_TRACE_KSYM_CENSUS_H

#include "ksym.h"

/**
 * struct ksym_register - who is in a debug register
 * @name: the name of a watch; "perf", "ptrace" or "kgdb"; the function that is the
 *	handler of another kernel user; or "-" for nobody
 * @ours: it is a watch
 * @of_task: it belongs to a task
 * @handler: the address of the handler, or 0
 */
struct ksym_register {
	char		name[KSYM_EVENT_LEN];
	bool		ours;
	bool		of_task;
	unsigned long	handler;
};

int ksym_census_registers(int cpu, struct ksym_register *regs);
struct hw_breakpoint_census *ksym_census(void);
void ksym_census_explain(char *buf, size_t size, const struct ksym_watch *watch,
			 const struct cpumask *cpus);
bool ksym_census_flexible_fits(const struct ksym_watch *watch, const struct cpumask *cpus);

#endif /* _KERNEL_TRACE_KSYM_CENSUS_H */

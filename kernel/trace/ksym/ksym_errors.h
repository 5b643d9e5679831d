/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can go wrong with a watch: the name of the error, the errno that the
 * writer sees, and the sentence that stands in error_log. All steps share the
 * table, so that each error is told in one way only.
 *
 * Included several times, each time with another KSYM_ERROR().
 */
KSYM_ERROR(TOO_LONG, E2BIG, "A write may have 4095 bytes at most")
KSYM_ERROR(NUL_BYTE, EINVAL, "The text holds a NUL byte")
KSYM_ERROR(NO_SYMBOL, EINVAL,
	   "A symbol is missing: SYMBOL[+OFF|-OFF][:ACCESS] [OPTION...]")
KSYM_ERROR(BAD_SYMBOL, EINVAL,
	   "A symbol is made of letters, digits, '_', '.' and '$', no digit first")
KSYM_ERROR(SYMBOL_LEN, EINVAL, "No symbol of the kernel is that long")
KSYM_ERROR(GLOB, EINVAL,
	   "Globs are not expanded here: one symbol a line, or *:--- to remove all")
KSYM_ERROR(BAD_OFFSET, EINVAL,
	   "The offset must be a decimal or 0x number of bytes")
KSYM_ERROR(BAD_ACCESS, EINVAL,
	   "Access must be r, w or rw (or r--, -w-, rw-; --- removes)")
KSYM_ERROR(BAD_OPTION, EINVAL,
	   "Unknown option: known are len= name= pinned flexible cpu= pid= inherit limit= count=")
KSYM_ERROR(DUP_OPTION, EINVAL, "The option is given twice")
KSYM_ERROR(REMOVE_OPTION, EINVAL, "Nothing may follow a removal")
KSYM_ERROR(BAD_LEN, EINVAL, "len must be 1, 2, 4 or 8")
KSYM_ERROR(BAD_NAME, EINVAL, "A name is a C identifier of 1 to 63 characters")
KSYM_ERROR(RESERVED_NAME, EINVAL,
	   "The name is a file of the event directory: give another with name=NAME")
KSYM_ERROR(LONG_NAME, EINVAL,
	   "The symbol is too long for an event name: give one with name=NAME")
KSYM_ERROR(BOTH_KINDS, EINVAL,
	   "A watch is either pinned or flexible: leave out one of the two words")
KSYM_ERROR(BAD_CPUS, EINVAL, "cpu must be a list of CPUs, as in cpu=0,2-3")
KSYM_ERROR(NO_CPU, EINVAL,
	   "The list has a CPU that this machine can't have: see cpu/possible in sysfs")
KSYM_ERROR(BAD_PID, EINVAL, "pid must be the number of a task, as in pid=1")
KSYM_ERROR(NO_TASK, ESRCH, "No task has this pid")
KSYM_ERROR(INHERIT_PID, EINVAL,
	   "inherit is for what a task starts: name the task with pid=N")
KSYM_ERROR(BAD_LIMIT, EINVAL,
	   "limit must be hits per millisecond, as in limit=100/ms, or 0 for no limit")
KSYM_ERROR(TASK_LIMIT, EINVAL,
	   "limit= is for a watch of CPUs: one with pid= slows nobody but its task")
KSYM_ERROR(BAD_COUNT, EINVAL, "count must be a number of hits, 1 or more")
KSYM_ERROR(NO_WATCH, ENOENT, "There is no such watch")
KSYM_ERROR(NO_SUCH_SYMBOL, ENOENT, "No symbol of the kernel has this name")
KSYM_ERROR(AMBIGUOUS, EADDRNOTAVAIL, "Several symbols have this name")
KSYM_ERROR(MODULE_SYMBOL, EOPNOTSUPP,
	   "The symbol is in a module: only the kernel's own can be watched")
KSYM_ERROR(PERCPU_SYMBOL, EOPNOTSUPP,
	   "The symbol is per-CPU: it has no single address to watch")
KSYM_ERROR(FUNCTION, EINVAL,
	   "The symbol is a function, not data: use a kprobe or the function tracer")
KSYM_ERROR(INIT_MEMORY, EINVAL,
	   "The symbol is in init memory, which is freed after boot")
KSYM_ERROR(NOT_KERNEL, EINVAL, "The address is not in the kernel's image")
KSYM_ERROR(UNALIGNED, EINVAL, "The address is not a multiple of len")
KSYM_ERROR(READ_ONLY, EOPNOTSUPP, "x86 has no read-only watch: use rw")
KSYM_ERROR(CPU_REFUSES, EINVAL,
	   "x86 refuses a breakpoint here: its own trap path uses this memory")
KSYM_ERROR(NO_SLOT, ENOSPC,
	   "No debug register is free: a CPU has four, for data and code together")
KSYM_ERROR(NO_SLOT_FLEXIBLE, ENOSPC,
	   "No debug register is free for a pinned watch: it would fit as flexible")
KSYM_ERROR(NO_FLEXIBLE, EOPNOTSUPP,
	   "This kernel has no CONFIG_HW_BREAKPOINT_FLEXIBLE: leave out flexible")
KSYM_ERROR(NO_PERMISSION, EPERM, "A breakpoint in kernel memory takes CAP_SYS_ADMIN")
KSYM_ERROR(WATCH_EXISTS, EBUSY,
	   "A watch of this name exists: give another one with name=NAME")
KSYM_ERROR(EVENT_EXISTS, EEXIST,
	   "Another event of the group ksym has this name: give another with name=NAME")
KSYM_ERROR(IN_USE, EBUSY,
	   "The watch is in use: by an instance, by perf, or by a trigger")

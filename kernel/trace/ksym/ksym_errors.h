/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The errors of all steps: the name, the errno for the writer, and the sentence in
 * error_log. ksymwatch and the manual use the same sentences.
 *
 * Included several times, each time with another KSYM_ERROR().
 *
 * The manual lists them with the comments below, which are reST: after a change
 * run Documentation/trace/ksym-errors.sh.
 */

/* One write is one transaction. Split it. */
KSYM_ERROR(TOO_LONG, E2BIG, "A write can have at most 4095 bytes")
KSYM_ERROR(NUL_BYTE, EINVAL, "The text contains a NUL byte")
/* The line begins with a colon, an offset or a path. */
KSYM_ERROR(NO_SYMBOL, EINVAL,
	   "Missing target: SYMBOL[+OFF|-OFF], 0xADDR or (TYPE)SYMBOL.MEMBER")
/* Also said of an address without hexadecimal digits, or with more than 16. */
KSYM_ERROR(BAD_SYMBOL, EINVAL,
	   "Invalid symbol: letters, digits, '_', '.', '$', no digit first; an address is 0xADDR")
KSYM_ERROR(SYMBOL_LEN, EINVAL, "Symbol too long: no symbol of the kernel has this length")
/* Only ``*:---`` has a glob. */
KSYM_ERROR(GLOB, EINVAL,
	   "Globs are not supported here: use ksymwatch add 'PATTERN'")
/* The module is the word before the colon. */
KSYM_ERROR(BAD_MODULE, EINVAL, "A module name has at most 55 characters")
KSYM_ERROR(BAD_NTH, EINVAL,
	   "SYMBOL@N is the N-th symbol of this name: N must be 1 or more")
KSYM_ERROR(BAD_COPY, EINVAL,
	   "SYMBOL[cpuN] is the copy of CPU N of a per-CPU symbol, as in [cpu3]")
/* Also said where the ``)`` is missing. */
KSYM_ERROR(BAD_TYPE, EINVAL,
	   "A type is one or more words, then '*'s, in parentheses: (struct rq), (u8 *)")
/* Without a type only ``SYMBOL+OFF`` leads into a symbol. */
KSYM_ERROR(UNTYPED_PATH, EINVAL,
	   "A member or element needs the type: (TYPE)SYMBOL.MEMBER, (TYPE)SYMBOL[N]")
/* A name or a number is missing in the path. */
KSYM_ERROR(BAD_PATH, EINVAL,
	   "Only .MEMBER, ->MEMBER and [N] can follow a typed symbol")
KSYM_ERROR(TYPE_OFFSET, EINVAL,
	   "A typed symbol takes no offset: use SYMBOL+OFF or (TYPE)SYMBOL.MEMBER")
KSYM_ERROR(LONG_TARGET, EINVAL,
	   "Too long: a type has at most 127 characters, the path after the symbol 255")
KSYM_ERROR(NOWHERE, EINVAL,
	   "-1 has no address yet, so it takes no type, member or offset")
/* The event of a task cannot be moved from any context. */
KSYM_ERROR(NOWHERE_PID, EOPNOTSUPP,
	   "-1 and in can't be combined with pid=: only a watch of CPUs can be pointed at objects")
/* Also said where it does not fit 63 bits. */
KSYM_ERROR(BAD_OFFSET, EINVAL,
	   "The offset must be a decimal or 0x number of bytes")
/* `Targets`_ says how an access is distinguished from a symbol. */
KSYM_ERROR(BAD_ACCESS, EINVAL,
	   "Access must be r, w or rw (or r--, -w-, rw-; --- removes)")
/* Options stand after the access and are separated by blanks. */
KSYM_ERROR(BAD_OPTION, EINVAL,
	   "Unknown option: len= name= flexible cpu= pid= inherit limit= budget= count= every= objects= timeout= changed wrote stack ustack off args if then"
	   )
KSYM_ERROR(DUP_OPTION, EINVAL, "The option is given twice")
/* A line that begins with ``!``, ``-`` or ``+`` has one name. */
KSYM_ERROR(REMOVE_OPTION, EINVAL, "Nothing may follow a removal, or the name of a switch")
KSYM_ERROR(DYN_REMOVAL, EINVAL,
	   "-:NAME is for dynamic_events: here !NAME removes, and -NAME switches off")
/* How much fits depends on the address, see `Ranges`_. */
KSYM_ERROR(BAD_LEN, EINVAL, "len must be a number of bytes from 1 to 16384")
/* Also said of ``dynamic_events``, which has no options. */
KSYM_ERROR(WIDE, E2BIG, "More than 32 bytes need the option flexible: four registers take turns")
/* The event of a task can't be moved in an interrupt. */
KSYM_ERROR(WIDE_PID, EOPNOTSUPP,
	   "A range of more than four registers can't be combined with pid=")
/* The target ``-1`` has one register. */
KSYM_ERROR(BAD_WIDTH, EINVAL, "The length must be 1, 2, 4 or 8 here")
KSYM_ERROR(BAD_NAME, EINVAL, "A name is a C identifier of 1 to 63 characters")
KSYM_ERROR(BAD_GROUP, EINVAL, "A group is a C identifier of 1 to 63 characters")
/*
 * ``enable`` and ``filter`` are files in ``events/GRP/``; ``enable``, ``header_page`` and
 * ``header_event`` in ``events/``.
 */
KSYM_ERROR(RESERVED_NAME, EINVAL,
	   "The name is a file of the event directory: choose another with name=NAME or w:NAME")
/* The default name would have more than 63 characters. */
KSYM_ERROR(LONG_NAME, EINVAL,
	   "The target is too long for an event name: choose one with name=NAME or w:NAME")
KSYM_ERROR(NO_ARGS, EINVAL,
	   "args needs at least one fetch argument, as in args $comm")
/* A filter that contains one of these words has it between quotes. */
KSYM_ERROR(CLAUSE_ORDER, EINVAL,
	   "The order is OPTIONS, args FETCHARGS, if FILTER, then ACTIONS, each once")
KSYM_ERROR(NO_FILTER, EINVAL, "if needs a filter, as in if new > 100")
/* The brackets have what ftrace says, see Documentation/trace/events.rst. */
KSYM_ERROR(BAD_CONDITION, EINVAL, "ftrace does not accept this filter")
/* See `Actions`_. Commas separate them. */
KSYM_ERROR(BAD_ACTION, EINVAL, "An action is one of traceoff, snapshot, signal=N, panic")
KSYM_ERROR(DUP_ACTION, EINVAL, "The action is given twice")
KSYM_ERROR(BAD_SIGNAL, EINVAL, "signal must be a number from 1 to 64, as in signal=19")
/* A snapshot, a signal and a user stack come after the trap. */
KSYM_ERROR(PANIC_ALONE, EINVAL,
	   "Nothing happens after panic: leave out snapshot, signal and ustack")
KSYM_ERROR(NO_SNAPSHOT, EOPNOTSUPP,
	   "This kernel has no CONFIG_TRACER_SNAPSHOT: leave out snapshot")
/* Its ``trace_pipe_raw`` is mapped. */
KSYM_ERROR(SNAPSHOT_BUSY, EBUSY,
	   "The buffer of the top instance is mapped, so it can't take snapshots")
KSYM_ERROR(BAD_EVENT, EINVAL,
	   "After w[N] comes a blank, or :[GRP/][EVENT] and a blank")
KSYM_ERROR(NO_SPEC, EINVAL,
	   "Missing target: w[:[GRP/][EVENT]] [r|w|rw]@SYMBOL[:LEN]")
KSYM_ERROR(NO_AT, EINVAL, "Missing '@': [r|w|rw]@SYMBOL[:LEN]")
/* The words of three letters are for ``ksym_trace_filter`` only. */
KSYM_ERROR(DYN_ACCESS, EINVAL,
	   "Only r, w, rw, or nothing for rw, can come before the '@'")
/* ``pinned`` is the default. */
KSYM_ERROR(BOTH_KINDS, EINVAL,
	   "A watch is either pinned or flexible: leave out one of the two words")
/* The list has at most 127 characters. */
KSYM_ERROR(BAD_CPUS, EINVAL, "cpu must be a list of CPUs, as in cpu=0,2-3")
/*
 * The CPUs of ``/sys/devices/system/cpu/possible`` are allowed, online or not.
 * Also said of ``[cpuN]``.
 */
KSYM_ERROR(NO_CPU, EINVAL,
	   "The list has a CPU that is not possible here: see cpu/possible in sysfs")
KSYM_ERROR(BAD_PID, EINVAL, "pid must be the number of a task, as in pid=1")
/* The task may have exited. */
KSYM_ERROR(NO_TASK, ESRCH, "No task has this pid")
/* A watch of CPUs sees all tasks that run there. */
KSYM_ERROR(INHERIT_PID, EINVAL,
	   "inherit needs a task: add pid=N")
KSYM_ERROR(BAD_LIMIT, EINVAL,
	   "limit must be hits per millisecond, as in limit=100/ms, or 0 for no limit")
KSYM_ERROR(BAD_BUDGET, EINVAL,
	   "budget must be a share of a CPU's time from 1% to 90%, as in budget=10%, or 0 for any")
KSYM_ERROR(BAD_COUNT, EINVAL,
	   "count must be a number of hits from 1 to 9223372036854775807")
KSYM_ERROR(BAD_EVERY, EINVAL,
	   "every must be a number of hits from 1 to 4294967295, as in every=100 or every=~100")
/* ``wN`` in ``dynamic_events`` is the same. */
KSYM_ERROR(BAD_OBJECTS, EINVAL,
	   "objects must be a number of objects from 1 to 16")
/* On the trigger, or as an option of the watch. */
KSYM_ERROR(BAD_TIME, EINVAL,
	   "timeout must be a number with ns, us, ms or s, as in timeout=500ms")
KSYM_ERROR(NO_OBJECTS, EINVAL,
	   "objects= and timeout= need a watch that is pointed at objects: use -1, or in FUNC")
/* x86-64 passes six arguments in registers. */
KSYM_ERROR(BAD_ARG, EINVAL, "Invalid argument: arg1 to arg6 of the function")
/* Only a pointer can be followed, and only the stack has offsets. */
KSYM_ERROR(WINDOW_PATH, EINVAL,
	   "The window's target is argN[->MEMBER...], $retval[->MEMBER...] or $stack[+OFF|-OFF]")
/* A window points the watch at its object itself. */
KSYM_ERROR(WINDOW_NOWHERE, EINVAL,
	   "-1 is for triggers: in needs a target, argN, $stack or $retval")
KSYM_ERROR(BAD_FUNC, EINVAL, "Invalid function: in FUNC, or until FUNC(argN)")
KSYM_ERROR(BAD_UNTIL, EINVAL, "until needs the argument that is the object: until FUNC(argN)")
/* The object exists from the return on. */
KSYM_ERROR(RETVAL_UNTIL, EINVAL,
	   "$retval is an object from the return on: add until FUNC(argN)")
/* Inlined, blacklisted, or without an entry of its own. */
KSYM_ERROR(NO_FUNC, ENOENT, "No function of this name can be probed")
/* A static function; as an event of kprobes, it would be refused as well. */
KSYM_ERROR(AMBIGUOUS_FUNC, EINVAL,
	   "Several functions have this name, and only one could be probed")
/* Windows are made of them. */
KSYM_ERROR(NO_WINDOWS, EOPNOTSUPP,
	   "This kernel has no CONFIG_KRETPROBES, which windows need")
/* Write the type before it, as in ``(struct file *)arg1->f_mode``. */
KSYM_ERROR(NO_FUNC_BTF, ENOENT,
	   "BTF has no such argument of this function: write (TYPE *)argN->MEMBER")
/* One of the window's registers watches 1, 2, 4 or 8 bytes. */
KSYM_ERROR(WINDOW_LEN, E2BIG,
	   "In a window the length must be 1, 2, 4 or 8: name a member, or give len=")
/* Its address would differ between CPUs, or go with the module. */
KSYM_ERROR(WINDOW_TARGET, EOPNOTSUPP,
	   "The target of a window can't be per CPU or in a module: use SYMBOL[cpuN], argN or -1")
/* The name or target to be removed, or the watch that a trigger names. */
KSYM_ERROR(NO_WATCH, ENOENT, "No such watch")
/*
 * Neither the kernel nor a loaded module has it, or the module that is named
 * is loaded and does not have it.
 */
KSYM_ERROR(NO_SUCH_SYMBOL, ENOENT, "No symbol of the kernel has this name")
/* The brackets list their numbers, modules and addresses. */
KSYM_ERROR(AMBIGUOUS, EADDRNOTAVAIL,
	   "Several symbols have this name: select one with SYMBOL@N")
/* The brackets list the symbols of this name. */
KSYM_ERROR(NO_NTH, ENOENT, "There are fewer symbols of this name")
/*
 * The watch could not find the address again when the module comes back. Said
 * of all addresses in a module's per-CPU variables.
 */
KSYM_ERROR(NO_MODULE_SYMBOL, EINVAL,
	   "The address is in a module, but not in a symbol: use MODULE:SYMBOL, also with [cpuN]")
/* ``cpu=`` selects the CPUs whose accesses are watched. */
KSYM_ERROR(NOT_PERCPU, EINVAL,
	   "[cpuN] selects the copy of one CPU, but the symbol is not per CPU")
/* The kernel or the module was built without it, see `Types`_. */
KSYM_ERROR(NO_BTF, EOPNOTSUPP,
	   "No BTF with the types: use SYMBOL+OFF with len=")
KSYM_ERROR(NO_TYPE, ENOENT,
	   "BTF has no type of this name: struct NAME, a typedef, or a base type of C")
/* The brackets name two of the places. Use ``SYMBOL+OFF`` with ``len=``. */
KSYM_ERROR(AMBIGUOUS_TYPE, EADDRNOTAVAIL,
	   "Several types have this name, and the path leads to another place in each")
/* The brackets may list the members. */
KSYM_ERROR(NO_MEMBER, ENOENT, "The struct or union has no member of this name")
/* The brackets say what it is. */
KSYM_ERROR(NOT_STRUCT, EINVAL,
	   "This has no members: . follows a struct or union, -> a pointer to one")
/* The brackets say what it is. */
KSYM_ERROR(NOT_POINTER, EINVAL,
	   "-> must follow a pointer: a member of a struct has a . before it")
/* The brackets say what it is. */
KSYM_ERROR(NOT_ARRAY, EINVAL, "[N] must follow an array or a pointer")
/*
 * The brackets give the number of elements. Arrays of several dimensions are
 * flattened, see `Types`_.
 */
KSYM_ERROR(INDEX_RANGE, EINVAL, "The array ends before this element")
/* Each ``->``, and each ``[N]`` after a pointer, follows one. */
KSYM_ERROR(TOO_MANY_DEREFS, EINVAL, "A path may follow four pointers at most")
/* The struct is declared but not defined. */
KSYM_ERROR(INCOMPLETE_TYPE, EINVAL,
	   "BTF has only a declaration of this type, not its members")
/* For example ``void``, or an array of unknown length. */
KSYM_ERROR(NO_SIZE, EINVAL,
	   "This type has no size: name a member or an element that has one")
/* The brackets name the CPU. */
KSYM_ERROR(POINTER, EFAULT,
	   "A pointer on the way is NULL or leads out of kernel memory")
/* The range would be split into different pieces on each CPU. */
KSYM_ERROR(UNEVEN, EINVAL,
	   "The pointers of the CPUs lead to addresses that are aligned differently")
/* The default of ``len=`` is the length of the type. */
KSYM_ERROR(LONG_TYPE, E2BIG,
	   "The type has over 32 bytes, or 16384 with flexible: name a member, or give len=")
/* The brackets give the number of registers and the address. */
KSYM_ERROR(RANGE, E2BIG,
	   "The range takes more than four debug registers: with flexible they take turns")
KSYM_ERROR(FUNCTION, EINVAL,
	   "The symbol is a function, not data: use a kprobe or the function tracer")
/* Other data is there after boot, or after the module's init. */
KSYM_ERROR(INIT_MEMORY, EINVAL,
	   "The symbol is in init memory, which is freed after boot")
/*
 * The offset or index leads out of the memory that the symbol is in, or into
 * memory of the image that was freed after boot.
 */
KSYM_ERROR(NOT_KERNEL, EINVAL,
	   "This is outside the memory of the kernel image or the module")
/* Constants, and data that is read-only after init. ``rw`` is accepted, too. */
KSYM_ERROR(RODATA, EINVAL,
	   "This is read-only memory, which is never written: watch its reads, with r")
/* The address is in the user half of the address space. */
KSYM_ERROR(USER_ADDRESS, EINVAL,
	   "This is not a kernel address: ksym watches kernel memory only")
/* At 0xffffffffff600000. */
KSYM_ERROR(VSYSCALL, EINVAL,
	   "This is the vsyscall page, which only user space reads")
/*
 * The memory is not mapped write-back. Examples are ``ioremap()`` memory and
 * the APICs in the fixmap.
 */
KSYM_ERROR(DEVICE, EINVAL,
	   "This is a device register: reading its value could change the device")
/* The address is in the kernel half and cannot be read. */
KSYM_ERROR(NOT_MAPPED, EFAULT, "There is no memory at this address")
/* A trap there would come in the middle of handling a trap. */
KSYM_ERROR(CPU_REFUSES, EINVAL,
	   "x86 refuses a breakpoint here: its own trap path uses this memory")
/*
 * A range takes several registers. The brackets name the owners, see `Debug
 * registers`_.
 */
KSYM_ERROR(NO_SLOT, ENOSPC,
	   "No debug register is free: a CPU has four, for data and code together")
/* A flexible watch takes turns with others, see `Debug registers`_. */
KSYM_ERROR(NO_SLOT_FLEXIBLE, ENOSPC,
	   "No debug register is free for a pinned watch: it would fit as flexible")
/* All watches of this kernel are pinned. */
KSYM_ERROR(NO_FLEXIBLE, EOPNOTSUPP,
	   "This kernel has no CONFIG_HW_BREAKPOINT_FLEXIBLE: leave out flexible")
/* perf asks for it, even if the file could be written. */
KSYM_ERROR(NO_PERMISSION, EPERM, "A breakpoint in kernel memory requires CAP_SYS_ADMIN")
/* The name may be a default name. */
KSYM_ERROR(WATCH_EXISTS, EBUSY,
	   "A watch of this name exists: choose another name with name=NAME or w:NAME")
/* For example a kprobe event in this group. */
KSYM_ERROR(EVENT_EXISTS, EEXIST,
	   "Another event of the group has this name: choose another with name=NAME or w:NAME")
/* `Removing watches`_ lists the users. */
KSYM_ERROR(IN_USE, EBUSY,
	   "The watch is in use: by an instance, perf, a trigger, or the kernel itself")
/* This and the following messages are about `Triggers`_. */
KSYM_ERROR(NO_WATCH_NAME, EINVAL,
	   "Missing watch: CMD:[GRP/]NAME:FIELD[+OFF|-OFF][:COUNT] [if FILTER]")
/* ``set_wprobe`` needs a field, and so does an offset. */
KSYM_ERROR(NO_FIELD, EINVAL,
	   "Missing field: name a field of the event that holds an address")
/* The event is the one whose ``trigger`` file was written. */
KSYM_ERROR(NO_SUCH_FIELD, ENOENT,
	   "The event has no such field: see its format file")
/* Arrays and strings are refused. */
KSYM_ERROR(NO_POINTER, EINVAL,
	   "The field holds no address: it must be one number of 8 bytes")
KSYM_ERROR(BAD_TRIGGER_COUNT, EINVAL, "COUNT must be a number, or unlimited")
KSYM_ERROR(BAD_FILTER, EINVAL, "Only a filter may follow: if FILTER")
/* MEMBER after the comma is the one that the field points to. */
KSYM_ERROR(TRIGGER_TYPE, EINVAL,
	   "A field with a type is (STRUCT[,MEMBER])FIELD->MEMBER[.MEMBER...]")
KSYM_ERROR(BAD_TRIGGER_TIMEOUT, EINVAL, "timeout= is given once, and to set_wprobe only")
/* Somebody has enabled it. The trigger's instance records its hits without that. */
KSYM_ERROR(WPROBE_BUSY, EBUSY,
	   "The event of the watch is enabled: disable it before the trigger is set")
/* Only a watch with the target ``-1`` can be moved. */
KSYM_ERROR(NOT_MOVABLE, EINVAL,
	   "The watch has an address: a trigger moves one that was defined with @-1")
/* The hit of one watch may move another. */
KSYM_ERROR(OWN_EVENT, EINVAL,
	   "A trigger on the event of a watch can't move that watch")
/* It has the same watch, field and offset, maybe another count or filter. */
KSYM_ERROR(TRIGGER_EXISTS, EEXIST,
	   "The event has this trigger: remove it first, with !")
/* Give its watch, field and offset as the file shows them. */
KSYM_ERROR(NO_TRIGGER, ENOENT, "The event has no such trigger")

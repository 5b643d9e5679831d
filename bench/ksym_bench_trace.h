/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events of "make bench". ksym_bench_hit is a static event with the fields of a ksym
 * hit: the same record, as written by a breakpoint handler with a TRACE_EVENT() of its own.
 * The others only provide a type of records and a file for their peers, which write to the
 * buffer by themselves. Their tracepoints are never called.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ksym_bench

#if !defined(_KSYM_BENCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _KSYM_BENCH_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(ksym_bench_hit,
	    TP_PROTO(unsigned long ip, unsigned long addr, u64 old, u64 new,
		     u16 access, u16 len),

	    TP_ARGS(ip, addr, old, new, access, len),

	    TP_STRUCT__entry(__field(u64, ip)
			     __field(u64, addr)
			     __field(u64, old)
			     __field(u64, new)
			     __field(u16, access)
			     __field(u16, len)
	    ),

	    TP_fast_assign(__entry->ip = ip;
			   __entry->addr = addr;
			   __entry->old = old;
			   __entry->new = new;
			   __entry->access = access;
			   __entry->len = len;
	    ),

	    TP_printk("%u%u %pS %#llx -> %#llx by %pS", __entry->access,
		      __entry->len, (void *)(unsigned long)__entry->addr,
		      __entry->old, __entry->new,
		      (void *)(unsigned long)__entry->ip)
);

/* In 2009, a symbol's name had 128 bytes. */
TRACE_EVENT(ksym_bench_2009,
	    TP_PROTO(unsigned long ip),

	    TP_ARGS(ip),

	    TP_STRUCT__entry(__field(unsigned long, ip)
			     __field(u8, type)
			     __array(char, name, 128)
			     __array(char, comm, TASK_COMM_LEN)
	    ),

	    TP_fast_assign(__entry->ip = ip;
			   __entry->type = 0;
			   __entry->name[0] = '\0';
			   __entry->comm[0] = '\0';
	    ),

	    TP_printk("%s %u %s by %pS", __entry->comm, __entry->type,
		      __entry->name, (void *)__entry->ip)
);

/* A probe's arguments are after this field. They are never printed. */
TRACE_EVENT(ksym_bench_wprobe,
	    TP_PROTO(unsigned long ip),

	    TP_ARGS(ip),

	    TP_STRUCT__entry(__field(unsigned long, ip)),

	    TP_fast_assign(__entry->ip = ip;),

	    TP_printk("by %pS", (void *)__entry->ip)
);

#endif /* _KSYM_BENCH_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE ksym_bench_trace
#include <trace/define_trace.h>

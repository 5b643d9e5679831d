/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of a watch; the names are the columns of trace_stat. Each access that
 * traps is either a hit, or is missed for one of the reasons from DISABLED to SKIPPED.
 * NOUSTACK counts the hits whose user stack is missing, NOSIGNAL those without their
 * signal.
 *
 * Included several times, each time with another KSYM_COUNT().
 */
KSYM_COUNT(HITS)
KSYM_COUNT(READS)
KSYM_COUNT(WRITES)
KSYM_COUNT(UNKNOWN)
KSYM_COUNT(CHANGES)
KSYM_COUNT(DISABLED)
KSYM_COUNT(FILTERED)
KSYM_COUNT(NOBUFFER)
KSYM_COUNT(FAULT)
KSYM_COUNT(LIMITED)
KSYM_COUNT(STALE)
KSYM_COUNT(NOTREAD)
KSYM_COUNT(UNCHANGED)
KSYM_COUNT(SKIPPED)
KSYM_COUNT(NOUSTACK)
KSYM_COUNT(NOSIGNAL)

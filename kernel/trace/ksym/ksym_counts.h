/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of a watch; the names are the columns of trace_stat. Each access that
 * traps is either a hit, or is missed for one of the reasons from DISABLED to SKIPPED.
 * NOUSTACK counts the hits whose user stack is missing, NOSIGNAL those without their
 * signal.
 *
 * The last four count objects that a watch without an address was to be pointed at: it
 * could not; another took its place; its timeout= was over; another was in its way.
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
KSYM_COUNT(MISSED)
KSYM_COUNT(EVICTED)
KSYM_COUNT(EXPIRED)
KSYM_COUNT(SUPPRESSED)

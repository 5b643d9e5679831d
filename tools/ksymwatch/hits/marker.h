/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Markers: texts in a trace with the types of its watches. So a recording can be read
 * without the kernel's and the modules' debug info.
 *
 * A marker is "ksymwatch: NAME [at=OFF] TYPE": the watch's name as this program shows it,
 * the low twelve bits of its address, and what a value needs of its type to print:
 *
 *   TYPE    [.BIT] [:BITS] KIND        a bit-field: so many bits from this one on
 *   KIND    u4 s4 x4                   a number of 4 bytes: unsigned, signed, not known
 *           b1 c1 p8                   a bool, a char, a pointer
 *           t8 i4                      a ktime_t, a pid_t
 *           j8(250)                    jiffies, so many a second
 *           e4(A=0,B=1) E4(A=-1,...)   an enum, E with a sign; "..." stands for the rest
 *           f4(A=1,B=2,C=4)            an enum whose values are single bits
 *           [16]TYPE                   an array
 *           {a@0u4;b@4.3:5u1;}8        a struct of 8 bytes: members with their offsets;
 *                                      c[2]@5[3]u1: three elements from c[2] on
 *
 * A watch of more than eight bytes has several parts, and a hit has the address of its
 * part. The low bits identify the part, as each CPU's copy of a variable lies at the same
 * place in a page.
 */
#ifndef KSYMWATCH_MARKER_H
#define KSYMWATCH_MARKER_H

struct ksym_target;

enum value_kind {
	VALUE_HEX	= 'x',
	VALUE_UNSIGNED	= 'u',
	VALUE_SIGNED	= 's',
	VALUE_BOOL	= 'b',
	VALUE_CHAR	= 'c',
	VALUE_POINTER	= 'p',
	VALUE_TIME	= 't',
	VALUE_PID	= 'i',
	VALUE_JIFFIES	= 'j',
	VALUE_ENUM	= 'e',
	VALUE_SIGNED_ENUM = 'E',
	VALUE_FLAGS	= 'f',
	VALUE_ARRAY	= '[',
	VALUE_STRUCT	= '{',
};

/* No marker is longer; the kernel takes a little less than a page. */
#define MARKER_LEN	3800

/* A file may ask for anything; no type of a watch comes near these. */
#define VALUE_MAX_DEPTH	8
#define VALUE_MAX_SIZE	1048576U

/* A watch has no more bytes than this, and lies anywhere in a page. */
#define VALUE_AT_MASK	4095U

/* Jiffies begin as if this many seconds passed before they are 2^32. */
#define JIFFIES_EARLY	300

char *make_marker(const char *watch, const struct ksym_target *target, unsigned int len);

#endif /* KSYMWATCH_MARKER_H */

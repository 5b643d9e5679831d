/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watched values, and how they print by their type.
 *
 * What is needed of a type for that has a form as text, which travels in the trace as
 * a marker. So a recording can be read without the kernel's and the modules' debug info.
 */
#ifndef KSYMWATCH_VALUE_H
#define KSYMWATCH_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strings;
struct tep_event;
struct tep_handle;
struct tep_record;
struct type;
struct value_type;

/* What each marker begins with. */
#define TYPE_MARKER	"ksymwatch: "

/* No marker is longer; the kernel takes a little less than a page. */
#define TYPE_MARKER_LEN	3800

/* Some watched bytes. */
struct value {
	uint64_t		bits;	/* the value that they have as one number */
	unsigned int		len;	/* how many bytes they are, 1 to 8 */
	unsigned long long	addr;	/* a watch of more than eight bytes has several pieces */
};

char *type_to_text(struct type *type, unsigned long long off, unsigned int len,
		   unsigned int bit, unsigned int bits);

char *type_text_named(char *text, struct type *type, const char *name);

char *type_marker(const char *watch, const unsigned long long *addr, const char *text);

struct type_table *type_table_new(void);
char *print_text(struct tep_event *event, struct tep_record *record);
void type_table_note(struct type_table *table, const char *text);
const struct value_type *type_table_find(const struct type_table *table, const char *watch);
void type_table_free(struct type_table *table);

uint64_t value_number(const struct value_type *type, const struct value *value, bool *has_sign);
char *value_format(const struct value_type *type, const struct value *value,
		   struct tep_handle *tep);
const char *find_function(struct tep_handle *tep, unsigned long long addr,
			  unsigned long long *start);
void functions_forget(void);

#endif /* KSYMWATCH_VALUE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Watched values, and how they print by their type. */
#ifndef KSYMWATCH_VALUE_H
#define KSYMWATCH_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tep_handle;
struct value_type;

/* What each marker begins with. */
#define TYPE_MARKER	"ksymwatch: "

/* Some watched bytes. */
struct value {
	uint64_t		bits;	/* the value that they have as one number */
	unsigned int		len;	/* how many bytes they are, 1 to 8 */
	unsigned long long	addr;	/* a watch of more than eight bytes has several pieces */
	bool			is_signed;
};

struct type_table *type_table_new(void);
void type_table_note(struct type_table *table, const char *text);
const struct value_type *type_table_find(const struct type_table *table, const char *watch);
void type_table_free(struct type_table *table);

char *value_format(const struct value_type *type, struct value *value, struct tep_handle *tep);
const char *find_function(struct tep_handle *tep, unsigned long long addr,
			  unsigned long long *start);
void functions_forget(void);

#endif /* KSYMWATCH_VALUE_H */

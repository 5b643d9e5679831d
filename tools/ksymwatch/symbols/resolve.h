/* SPDX-License-Identifier: GPL-2.0-only */
/* Targets with their symbols and types: what they are, and how the tracer takes them. */
#ifndef KSYMWATCH_RESOLVE_H
#define KSYMWATCH_RESOLVE_H

#include <stdbool.h>

#include "spec/spec.h"
#include "symbols/symbols.h"
#include "symbols/type.h"

/* A target, and what is known of it. */
struct resolved {
	/* It, parsed; of an address in a symbol with that and the offset in it */
	struct ksym_target	target;
	/* Its symbol, or NULL where there is none or where it may be one of several */
	const struct symbol	*symbol;
	struct symbol_matches	matches;	/* all that it may be */
	/* The type of the symbol, or of the cast, or NULL where that is not known */
	struct type		*variable;
	struct type_place	place;		/* where its path leads, where @variable is known */
	bool			typed;		/* the type of the symbol is known */
	/* What is wrong with the path, or with the cast, or NULL */
	char			*type_error;
};

struct symbols *resolve_symbols(void);
const char *resolve_variables_from(void);

void resolve(struct resolved *resolved, const struct ksym_target *target);
void resolved_free(struct resolved *resolved);
char *resolved_fault(const struct resolved *resolved);
char *resolve_suggestion(const struct ksym_target *target);
char *resolve_members(const struct ksym_target *target);

void resolve_spec(struct ksym_spec *spec, const char *line);
char *resolve_line(const char *line, char name[WATCH_NAME_LEN]);
bool resolve_may_have_type(const struct ksym_target *target);

#endif /* KSYMWATCH_RESOLVE_H */

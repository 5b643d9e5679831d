/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types of C, as debug info describes them: DWARF, or the kernel's BTF.
 *
 * A type is a node that is filled on demand: a kernel has a hundred thousand types, and a
 * command needs a few.
 */
#ifndef KSYMWATCH_TYPE_H
#define KSYMWATCH_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hits/value.h"
#include "symbols/debuginfo.h"

struct symbol;
struct symbols;

enum type_kind {
	TYPE_VOID,
	TYPE_INT,
	TYPE_CHAR,
	TYPE_BOOL,
	TYPE_FLOAT,
	TYPE_ENUM,
	TYPE_POINTER,
	TYPE_ARRAY,
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_FUNCTION,
	TYPE_TYPEDEF,
};

/* A member of a struct or union. */
struct type_member {
	char		*name;	/* its name; "" for an unnamed one */
	struct type	*type;	/* its type */
	uint64_t	bit;	/* where it begins, in bits from the beginning of the whole */
	unsigned int	bits;	/* how many it has, where it is a bit-field; otherwise 0 */
};

/* A name of a number, in an enum. */
struct type_enumerator {
	char		*name;
	int64_t		value;
};

/* A type of C. */
struct type {
	/* What it is; without const and volatile, which make no difference here */
	enum type_kind		kind;
	/* As in C, but without struct, union and enum; "" for none */
	char			*name;
	uint64_t		size;		/* in bytes, 0 where that is not known */
	bool			is_signed;	/* of an int, a char or an enum */
	/* Of a struct, a union or an enum there is a name only */
	bool			incomplete;
	/* What a pointer points to, what an array or a typedef is of. Once opened */
	struct type		*target;
	/* How many elements, members or enumerators it has. The latter two once opened */
	uint64_t		nr;
	struct type_member	*member;	/* the members, once opened */
	struct type_enumerator	*enumerator;	/* the enumerators, once opened */
	struct type_source	*source;	/* where it comes from */
	uint64_t		id;		/* which one it is there */
	bool			opened;		/* type_open() has been here */
};

/* The id of void, and of what is unknown. */
#define TYPE_ID_VOID	UINT64_MAX

/**
 * struct type_source_ops - what a kind of debug info can do
 * @fill: fills in what a type is, by its id, without its members and its target
 * @open: fills in the target of a pointer, an array or a typedef, or the members or enumerators
 * @complete: returns the whole of a type that has a name only, or NULL
 */
struct type_source_ops {
	void		(*fill)(struct type *type);
	void		(*open)(struct type *type);
	struct type	*(*complete)(struct type *type);
};

/* Some debug info. */
struct type_source {
	const struct type_source_ops	*ops;	/* what it can do */
	char				*name;	/* what it is called in messages: a file, or BTF */
	void				*types;	/* its types, for tsearch(3) */
	/* How many types are being filled at a time, each for the size of another */
	unsigned int			depth;
};

/* How many unnamed structs are looked into, one in the other. */
#define MAX_UNNAMED	16

/* --- type.c: nodes ------------------------------------------------------ */

/* Nodes last as long as the program. */
struct type *type_get(struct type_source *source, uint64_t id);
void type_open(struct type *type);
struct type *type_strip(struct type *type);
bool type_has_members(const struct type *type);
bool type_is_scalar(struct type *type);
char *type_declaration(struct type *type);
char *type_members(struct type *type, unsigned long long off, unsigned long long len);

/* For the sources. */
char *type_text(const char *text);
void type_add_member(struct type *type, const char *name, struct type_member member);
void type_add_enumerator(struct type *type, const char *name, int64_t value);
void type_source_init(struct type_source *source, const struct type_source_ops *ops,
		      const char *name);

/* --- type_dwarf.c, type_btf.c: sources ---------------------------------- */

struct type_source *dwarf_open(struct debuginfo *info);
struct type *dwarf_variable(struct type_source *source, const struct symbols *symbols,
			    const struct symbol *symbol);

struct type_source *btf_open(const char *path, struct type_source *base);
struct type *btf_variable(struct type_source *source, const struct symbol *symbol);
size_t btf_named(struct type_source *source, const char *text, struct type **types, size_t room);

/* --- types.c: all sources together -------------------------------------- */

struct debuginfo *types_debuginfo(const char *module);
struct type *types_variable(const struct symbols *symbols, const struct symbol *symbol);
bool types_may_know(const char *module, const char *name);

/* How many pointers the tracer follows. */
#define MAX_POINTERS	4

/* Where a path leads. */
struct type_place {
	unsigned int	nr_pointers;		/* how many pointers it follows */
	/*
	 * The offset of each of them from where the one before led to; the last entry is the
	 * offset of the place itself
	 */
	long long	off[MAX_POINTERS + 1];
	struct type	*type;			/* the type there, or NULL where it is not known */
	/* Its bytes; of a bit-field, the bytes that contain it */
	uint64_t	size;
	unsigned int	bit;			/* where a bit-field begins in them */
	unsigned int	bits;			/* how many bits it has, or 0 */
};

bool type_walk(struct type_place *place, struct type *type, const char *path, bool cast,
	       char **error);
bool type_place_is_same(const struct type_place *a, const struct type_place *b);
bool types_cast(const char *module, const char *cast, const char *path,
		struct type_place *place, char **error);

#endif /* KSYMWATCH_TYPE_H */

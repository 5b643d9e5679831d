// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types as the kernel's BTF describes them, read with libbpf. Of variables, BTF has only
 * the per-CPU ones; for all others a cast names the type.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "lib/util.h"
#include "symbols/symbols.h"
#include "symbols/type.h"

/* An id is the number of a BTF type, and how many pointers lead to it. */
#define STARS_SHIFT	32
#define MAX_STARS	8

#define MAX_MODIFIERS	16

struct btf_source {
	struct type_source	source;
	struct btf		*btf;
};

static struct btf *to_btf(const struct type_source *source)
{
	return ((const struct btf_source *)source)->btf;
}

/* A type by its number, without const and the like; NULL for void and for unknown numbers. */
static const struct btf_type *find_type(const struct btf *btf, uint32_t *id)
{
	const struct btf_type *type;
	int i;

	for (i = 0; i < MAX_MODIFIERS; i++) {
		type = *id ? btf__type_by_id(btf, *id) : NULL;
		if (!type || !(btf_is_mod(type) || btf_is_type_tag(type)))
			return type;
		*id = type->type;
	}
	return NULL;
}

static struct type *get_type(struct type_source *source, uint32_t id)
{
	return type_get(source, find_type(to_btf(source), &id) ? id : TYPE_ID_VOID);
}

static void fill_type(struct type *type)
{
	static const enum type_kind kinds[NR_BTF_KINDS] = {
		[BTF_KIND_INT]		= TYPE_INT,
		[BTF_KIND_FLOAT]	= TYPE_FLOAT,
		[BTF_KIND_ENUM]		= TYPE_ENUM,
		[BTF_KIND_ENUM64]	= TYPE_ENUM,
		[BTF_KIND_PTR]		= TYPE_POINTER,
		[BTF_KIND_ARRAY]	= TYPE_ARRAY,
		[BTF_KIND_STRUCT]	= TYPE_STRUCT,
		[BTF_KIND_UNION]	= TYPE_UNION,
		[BTF_KIND_FWD]		= TYPE_STRUCT,
		[BTF_KIND_FUNC_PROTO]	= TYPE_FUNCTION,
		[BTF_KIND_TYPEDEF]	= TYPE_TYPEDEF,
	};
	const struct btf *btf = to_btf(type->source);
	const struct btf_type *t;
	int64_t size;

	if (type->id >> STARS_SHIFT) {
		type->kind = TYPE_POINTER;
		type->size = sizeof(uint64_t);
		return;
	}
	t = btf__type_by_id(btf, type->id);
	if (!t || btf_kind(t) >= NR_BTF_KINDS)
		return;
	type->name = type_text(btf__name_by_offset(btf, t->name_off));
	type->kind = kinds[btf_kind(t)];
	size = btf__resolve_size(btf, type->id);
	type->size = size > 0 ? size : 0;
	if (btf_is_int(t)) {
		type->kind = btf_int_encoding(t) & BTF_INT_BOOL ? TYPE_BOOL :
			     strcmp(type->name, "char") ? TYPE_INT : TYPE_CHAR;
		type->is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
	} else if (btf_is_any_enum(t)) {
		type->is_signed = btf_kflag(t);
	} else if (btf_is_array(t)) {
		type->nr = btf_array(t)->nelems;
	} else if (btf_is_fwd(t)) {
		type->kind = btf_kflag(t) ? TYPE_UNION : TYPE_STRUCT;
		type->incomplete = true;
	}
}

static void add_enumerator(struct type *type, const struct btf_type *t, unsigned int i)
{
	const struct btf *btf = to_btf(type->source);
	const struct btf_enum64 *wide = btf_enum64(t) + i;
	const struct btf_enum *narrow = btf_enum(t) + i;

	if (btf_is_enum64(t))
		type_add_enumerator(type, btf__name_by_offset(btf, wide->name_off),
				    btf_enum64_value(wide));
	else
		type_add_enumerator(type, btf__name_by_offset(btf, narrow->name_off),
				    type->is_signed ? narrow->val : (int64_t)(uint32_t)narrow->val);
}

static void open_type(struct type *type)
{
	const struct btf *btf = to_btf(type->source);
	const struct btf_type *t = btf__type_by_id(btf, type->id);
	const struct btf_member *member;
	unsigned int i;

	switch (type->kind) {
	case TYPE_POINTER:
		type->target = type->id >> STARS_SHIFT ?
			       type_get(type->source, type->id - (1ULL << STARS_SHIFT)) :
			       get_type(type->source, t->type);
		break;
	case TYPE_ARRAY:
		type->target = get_type(type->source, btf_array(t)->type);
		break;
	case TYPE_TYPEDEF:
		type->target = get_type(type->source, t->type);
		break;
	case TYPE_ENUM:
		for (i = 0; i < btf_vlen(t); i++)
			add_enumerator(type, t, i);
		break;
	case TYPE_STRUCT:
	case TYPE_UNION:
		member = btf_members(t);
		for (i = 0; !type->incomplete && i < btf_vlen(t); i++)
			type_add_member(type, btf__name_by_offset(btf, member[i].name_off),
					(struct type_member) {
				.type = get_type(type->source, member[i].type),
				.bit = btf_member_bit_offset(t, i),
				.bits = btf_member_bitfield_size(t, i),
			});
		break;
	default:
		break;
	}
}

static struct type *complete_type(struct type *type)
{
	int id = btf__find_by_name_kind(to_btf(type->source), type->name,
					type->kind == TYPE_UNION ? BTF_KIND_UNION :
					BTF_KIND_STRUCT);

	return id > 0 ? type_get(type->source, id) : NULL;
}

static const struct type_source_ops ops = {
	.fill		= fill_type,
	.open		= open_type,
	.complete	= complete_type,
};

static int print_nothing(enum libbpf_print_level level __maybe_unused,
			 const char *format __maybe_unused, va_list ap __maybe_unused)
{
	return 0;
}

/*
 * Opens BTF as the kernel shows it, or that of an object; that of a module on top of @base, the
 * kernel's. Returns NULL where there is none.
 */
struct type_source *btf_open(const char *path, struct type_source *base)
{
	struct btf_source *source;
	struct btf *btf;

	libbpf_set_print(print_nothing);
	btf = base ? btf__parse_split(path, to_btf(base)) : btf__parse(path, NULL);
	if (libbpf_get_error(btf))
		return NULL;
	source = xcalloc(1, sizeof(*source));
	type_source_init(&source->source, &ops, path);
	source->btf = btf;
	return &source->source;
}

/* The type of a per-CPU variable, or NULL. */
struct type *btf_variable(struct type_source *source, const struct symbol *symbol)
{
	const struct btf *btf = to_btf(source);
	uint32_t nr = btf__type_cnt(btf), id, i;

	for (id = 1; id < nr; id++) {
		const struct btf_type *section = btf__type_by_id(btf, id), *t;
		const struct btf_var_secinfo *info;

		if (!btf_is_datasec(section) ||
		    strcmp(btf__name_by_offset(btf, section->name_off) ?: "", ".data..percpu"))
			continue;
		info = btf_var_secinfos(section);
		for (i = 0; i < btf_vlen(section); i++) {
			t = btf__type_by_id(btf, info[i].type);
			if (t && btf_is_var(t) &&
			    !strcmp(btf__name_by_offset(btf, t->name_off) ?: "", symbol->name) &&
			    (symbol->module || symbol->same == 1 ||
			     info[i].offset == symbol->addr))
				return get_type(source, t->type);
		}
	}
	return NULL;
}

/* --- Types by their names -------------------------------------------------- */

/*
 * A base type has many spellings. Returns one number for all spellings of a type, and 0 if
 * it is not a base type: the sum of the words' numbers, with room for two of each.
 */
static unsigned int base_type(const char *text)
{
	static const struct {
		const char	*word;
		unsigned int	number;
	} words[] = {
		{ "int", 0x1 }, { "long", 0x4 }, { "short", 0x10 }, { "char", 0x40 },
		{ "signed", 0x100 }, { "unsigned", 0x400 }, { "bool", 0x1000 },
		{ "_Bool", 0x1000 }, { "__int128", 0x4000 },
	};
	unsigned int sum = 0;
	size_t i, len;

	for (; *text; text += len + strspn(text + len, " ")) {
		len = strcspn(text, " ");
		for (i = 0; i < ARRAY_SIZE(words); i++)
			if (strlen(words[i].word) == len && !memcmp(words[i].word, text, len))
				break;
		if (i == ARRAY_SIZE(words))
			return 0;
		sum += words[i].number;
	}
	/* "signed" says nothing but for char, and neither does "int" beside another word. */
	if (!(sum & 0x40))
		sum &= ~0x100;
	if (sum & ~0x1)
		sum &= ~0x1;
	return sum ?: 0x1;
}

/* Is it a type of this name, and of this kind unless that is 0? */
static bool is_named(const struct btf *btf, const struct btf_type *t, unsigned int kind,
		     unsigned int base, const char *name)
{
	const char *has = btf__name_by_offset(btf, t->name_off);

	if (!has || !*has)
		return false;
	if (kind == BTF_KIND_ENUM ? !btf_is_any_enum(t) : kind && btf_kind(t) != kind)
		return false;
	if (btf_is_int(t))
		return base && base_type(has) == base;
	return (btf_is_composite(t) || btf_is_typedef(t) || btf_is_any_enum(t)) &&
	       !strcmp(has, name);
}

/*
 * Fills in the types that a cast with @text in the parentheses may mean, at most @room. Returns
 * how many there are.
 */
size_t btf_named(struct type_source *source, const char *text, struct type **types, size_t room)
{
	char *name __autofree = NULL;
	static const struct {
		const char	*word;
		unsigned int	kind;
	} words[] = {
		{ "struct ", BTF_KIND_STRUCT }, { "union ", BTF_KIND_UNION },
		{ "enum ", BTF_KIND_ENUM },
	};
	const struct btf *btf = to_btf(source);
	uint32_t nr = btf__type_cnt(btf), id;
	unsigned int kind = 0, base, i;
	size_t found = 0, len;
	uint64_t stars = 0;

	for (i = 0; i < ARRAY_SIZE(words) && !kind; i++) {
		len = strlen(words[i].word);
		if (strncmp(text, words[i].word, len))
			continue;
		kind = words[i].kind;
		text += len + strspn(text + len, " ");
	}
	for (len = strlen(text); len && strchr("* ", text[len - 1]); len--)
		stars += text[len - 1] == '*';
	if (stars > MAX_STARS || !len)
		return 0;
	name = xasprintf("%.*s", (int)len, text);
	base = kind ? 0 : base_type(name);
	for (id = 1; id < nr; id++) {
		if (!is_named(btf, btf__type_by_id(btf, id), kind, base, name))
			continue;
		if (found < room)
			types[found] = type_get(source, id | stars << STARS_SHIFT);
		found++;
	}
	return found;
}

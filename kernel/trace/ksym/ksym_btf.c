// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types: what BTF says of a target such as (task_struct)init_task.se.vruntime.
 *
 * This is a pure lookup from a type and a path to offsets. It reads no memory of the
 * target; pointers are followed when the watch is armed.
 *
 * Several types can have the same name, each in its own source file. BTF does not tell
 * which file a variable is from, so the path is walked in all of them, and they must
 * agree on where it leads.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../trace_btf.h"
#include "ksym_btf.h"

#ifdef CONFIG_KSYM_BTF

/**
 * struct type_name - what a type must match
 * @text: its name, not terminated
 * @len: the length of the name
 * @kind: %BTF_KIND_STRUCT, %BTF_KIND_UNION or %BTF_KIND_ENUM if the text has the
 *	keyword, or 0 for any
 * @base: the result of base_type() for the name, or 0
 * @complete: forward declarations don't match
 */
struct type_name {
	const char	*text;
	size_t		len;
	u8		kind;
	unsigned int	base;
	bool		complete;
};

/**
 * struct walk - the state of a walk along a path
 * @btf: the types
 * @path: the path
 * @at: the offset in @path of the next step
 * @from: the offset in @path of the last step
 * @type_at: the offset of the name in the text of the type
 * @id: the current type, after @nr_ptrs more pointers are followed
 * @nr_ptrs: the pointers from the text's stars that are not followed yet; they have no
 *	BTF type
 * @element: a pointer was followed for an index that is still to be added
 * @place: the way so far
 * @part: the current bit-field
 * @spec: says where the type and the path are in the line
 * @error: the first error
 * @more: its details
 *
 * For example, in (struct rq *)p->curr the type is struct rq with nr_ptrs 1; the step
 * "->" follows that pointer, and "curr" makes the type a pointer to task_struct.
 */
struct walk {
	struct btf		*btf;
	const char		*path;
	unsigned int		at;
	unsigned int		from;
	unsigned int		type_at;
	u32			id;
	unsigned int		nr_ptrs;
	bool			element;
	struct ksym_place	place;
	struct ksym_part	part;
	const struct ksym_spec	*spec;
	struct ksym_error	*error;
	char			*more;
};

static int walk(struct walk *w);

/* Notes an error. Returns whether it is the first one; only that one is reported. */
static bool note(struct walk *w, enum ksym_err code, unsigned int at,
		 bool in_path)
{
	if (w->error->code != KSYM_ERR_NONE)
		return false;
	w->error->code = code;
	w->error->at = at + (in_path ? w->spec->path_at : w->spec->type_at);
	return true;
}

/* The culprit is the last step, or the type if there was no step yet. */
static bool note_here(struct walk *w, enum ksym_err code)
{
	return note(w, code, w->at ? w->from : w->type_at, w->at);
}

/* names */

/* The keyword that a type needs in C. */
static const char *keyword(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
		return "struct ";
	case BTF_KIND_UNION:
		return "union ";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return "enum ";
	case BTF_KIND_FWD:
		return btf_type_kflag(t) ? "union " : "struct ";
	default:
		return "";
	}
}

/* Adds the name of the current type to the error. */
static void note_type(struct walk *w)
{
	const size_t size = KSYM_MORE_LEN;
	char *buf = w->more;
	unsigned int stars = w->nr_ptrs;
	const struct btf_type *t;
	const char *name = "";
	const char *word = "";
	u32 id = w->id;
	size_t len;

	len = scnprintf(buf, size, "it is: ");
	for (;;) {
		t = btf_type_by_id(w->btf, id);
		if (btf_type_is_void(t)) {
			name = "void";
			break;
		}
		if (btf_type_is_func_proto(t)) {
			name = "a function";
			break;
		}
		if (btf_type_is_array(t)) {
			len += scnprintf(buf + len, size - len,
					 "%san array of ",
					 stars ? "a pointer to " : "");
			stars = 0;
			id = btf_array(t)->type;
			continue;
		}
		if (btf_type_is_ptr(t)) {
			stars++;
		} else if (t->name_off && !btf_type_is_type_tag(t)) {
			name = btf_name_by_offset(w->btf, t->name_off);
			break;
		} else if (btf_type_is_struct(t) || btf_is_any_enum(t)) {
			name = "{ }";
			break;
		}
		id = t->type;
	}
	if (btf_type_is_struct(t) || btf_type_is_fwd(t) || btf_is_any_enum(t))
		word = keyword(t);
	len += scnprintf(buf + len, size - len, "%s%s", word, name);
	if (stars)
		len += scnprintf(buf + len, size - len, " ");
	while (stars--)
		len += scnprintf(buf + len, size - len, "*");
}

/* Reports an error of the current type. Returns -EINVAL. */
static int fail_type(struct walk *w, enum ksym_err code)
{
	if (note_here(w, code))
		note_type(w);
	return -EINVAL;
}

/* Each step consumes one element of the path. */

static int follow(struct walk *w, const struct btf_type *t)
{
	if (w->place.nr_derefs == KSYM_MAX_DEREFS) {
		note_here(w, KSYM_ERR_TOO_MANY_DEREFS);
		return -EINVAL;
	}
	w->place.nr_derefs++;
	if (w->nr_ptrs)
		w->nr_ptrs--;
	else
		w->id = t->type;
	return 0;
}

static noinline_for_stack int step_member(struct walk *w, const struct btf_type *t)
{
	const struct btf_member *member;
	const struct btf_type *owner;
	char name[KSYM_PATH_LEN];
	u32 anon_offset, bit;
	size_t len;

	/* The culprit is the dot or the arrow. */
	if (!t || !btf_type_is_struct(t))
		return fail_type(w, KSYM_ERR_NOT_STRUCT);
	len = strcspn(w->path + w->at, ".-[");
	strscpy(name, w->path + w->at, len + 1);
	member = btf_find_struct_member(w->btf, t, name, &anon_offset, &owner);
	if (IS_ERR(member))
		return PTR_ERR(member);
	if (!member) {
		note(w, KSYM_ERR_NO_MEMBER, w->at, true);
		return -EINVAL;
	}

	bit = anon_offset + __btf_member_bit_offset(owner, member);
	w->place.off[w->place.nr_derefs] += bit / BITS_PER_BYTE;
	w->part.bits = __btf_member_bitfield_size(owner, member);
	if (w->part.bits) {
		w->part.bit = bit % BITS_PER_BYTE;
		w->part.len = DIV_ROUND_UP(w->part.bit + w->part.bits, BITS_PER_BYTE);
	}
	w->id = member->type;
	w->from = w->at;
	w->at += len;
	return 0;
}

/* The current type is what the pointer points to, or the array. */
static int step_index(struct walk *w, const struct btf_type *t)
{
	const struct btf_type *item = t;
	s64 index = 0, off;
	bool far = false;
	u32 size;

	w->from = ++w->at;
	for (; isdigit(w->path[w->at]); w->at++) {
		far |= check_mul_overflow(index, 10, &index);
		far |= check_add_overflow(index, w->path[w->at] - '0', &index);
	}

	if (w->element) {
		w->element = false;
		size = sizeof(void *);
	} else {
		u32 nr = btf_array(t)->nelems;

		w->id = btf_array(t)->type;
		item = btf_type_by_id(w->btf, w->id);
		if (nr && (far || index >= nr)) {
			if (note_here(w, KSYM_ERR_INDEX_RANGE))
				scnprintf(w->more, KSYM_MORE_LEN,
					  "it has %u, the last is [%u]", nr,
					  nr - 1);
			return -EINVAL;
		}
	}
	if (item && IS_ERR(btf_resolve_size(w->btf, item, &size)))
		return fail_type(w, KSYM_ERR_NO_SIZE);
	if (far || check_mul_overflow(index, size, &off) ||
	    check_add_overflow(w->place.off[w->place.nr_derefs], off,
			       &w->place.off[w->place.nr_derefs])) {
		if (note_here(w, KSYM_ERR_INDEX_RANGE))
			strscpy(w->more, "beyond all addresses", KSYM_MORE_LEN);
		return -EINVAL;
	}
	w->at++;
	return 0;
}

/* Enums with negative values have a flag. */
static bool is_signed_number(const struct btf_type *t)
{
	return (btf_type_is_signed_int(t) || (btf_is_any_enum(t) && btf_type_kflag(t))) &&
	       is_power_of_2(t->size) && t->size <= sizeof(u64);
}

static int finish(struct walk *w, const struct btf_type *t)
{
	/* A bit-field has its length. */
	if (w->part.bits)
		return 0;
	w->part.len = sizeof(void *);
	if (t && (IS_ERR(btf_resolve_size(w->btf, t, &w->part.len)) ||
		  !w->part.len))
		return fail_type(w, KSYM_ERR_NO_SIZE);
	w->part.is_signed = t && is_signed_number(t);
	return 0;
}

/* types */

/*
 * A base type has many spellings: "unsigned long" and "long unsigned int" are the same.
 * So each word sets a bit, and the bits tell the type. BTF has the spelling of the
 * compiler, which is read in the same way.
 *
 * Returns a number that is the same for the same type, or 0 for no base type.
 */
static unsigned int base_type(const char *text, size_t len)
{
	enum {
		UNSIGNED = BIT(0), SIGNED = BIT(1), CHAR = BIT(2),
		SHORT = BIT(3), INT = BIT(4), LONG = BIT(5),
		LONG_LONG = BIT(6), BOOL = BIT(7), INT128 = BIT(8),
	};
	static const struct {
		const char	*text;
		unsigned int	bit;
	} words[] = {
		{ "unsigned", UNSIGNED }, { "signed", SIGNED },
		{ "char", CHAR }, { "short", SHORT }, { "int", INT },
		{ "long", LONG }, { "bool", BOOL }, { "_Bool", BOOL },
		{ "__int128", INT128 },
	};
	unsigned int found = 0, bit, i;

	while (len) {
		size_t n = 0;

		while (n < len && text[n] != ' ')
			n++;
		for (i = 0; i < ARRAY_SIZE(words); i++) {
			if (strlen(words[i].text) == n &&
			    !memcmp(words[i].text, text, n))
				break;
		}
		if (i == ARRAY_SIZE(words))
			return 0;
		bit = words[i].bit;
		if (bit == LONG && (found & LONG))
			bit = LONG_LONG;
		if (found & bit)
			return 0;
		found |= bit;
		text += n;
		len -= n;
		while (len && *text == ' ') {
			text++;
			len--;
		}
	}

	if (found & LONG_LONG)
		found &= ~LONG;
	/* An int may be left out beside another word. */
	if (found & (SHORT | LONG | LONG_LONG))
		found &= ~INT;
	else if (found == SIGNED || found == UNSIGNED)
		found |= INT;
	/* One word must be left, beside at most one for the sign. */
	bit = found & ~(UNSIGNED | SIGNED);
	if (hweight32(bit) != 1 || hweight32(found ^ bit) > 1 ||
	    (bit == BOOL && found != bit))
		return 0;
	/* char and signed char differ, int and signed int do not. */
	if (bit != CHAR)
		found &= ~SIGNED;
	return found;
}

/* Parses the text of a type. Returns the number of its stars. */
static unsigned int read_name(const char *type, struct type_name *name)
{
	static const struct {
		const char	*text;
		u8		kind;
	} words[] = {
		{ "struct ", BTF_KIND_STRUCT },
		{ "union ", BTF_KIND_UNION },
		{ "enum ", BTF_KIND_ENUM },
	};
	unsigned int stars = 0, i;
	size_t len;

	memset(name, 0, sizeof(*name));
	name->text = type;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!str_has_prefix(type, words[i].text))
			continue;
		name->text += strlen(words[i].text);
		name->kind = words[i].kind;
		break;
	}
	len = strlen(name->text);
	for (; len; len--) {
		if (name->text[len - 1] == '*')
			stars++;
		else if (name->text[len - 1] != ' ')
			break;
	}
	name->len = len;
	if (!name->kind)
		name->base = base_type(name->text, len);
	return stars;
}

/*
 * Returns 0 if the type does not have the name, else a rank. The highest rank is meant:
 * types that C finds without a keyword, then those that need one, then forward
 * declarations, which suffice for pointers.
 */
static unsigned int match(const struct btf *btf, const struct btf_type *t,
			  const struct type_name *name)
{
	unsigned int rank;
	const char *text;
	u8 kind;

	switch (btf_kind(t)) {
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
		kind = 0;
		rank = 5;
		break;
	case BTF_KIND_STRUCT:
		kind = BTF_KIND_STRUCT;
		rank = 4;
		break;
	case BTF_KIND_UNION:
		kind = BTF_KIND_UNION;
		rank = 3;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		kind = BTF_KIND_ENUM;
		rank = 2;
		break;
	case BTF_KIND_FWD:
		if (name->complete)
			return 0;
		kind = btf_type_kflag(t) ? BTF_KIND_UNION : BTF_KIND_STRUCT;
		rank = 1;
		break;
	default:
		return 0;
	}
	if (name->kind && name->kind != kind)
		return 0;
	text = btf_name_by_offset(btf, t->name_off);
	if (name->base)
		return btf_type_is_int(t) &&
		       base_type(text, strlen(text)) == name->base ? rank : 0;
	if (!name->len || strncmp(text, name->text, name->len) ||
	    text[name->len])
		return 0;
	return rank;
}

/* Returns the highest rank among the types from @first to before @end. */
static unsigned int best_rank(const struct btf *btf, u32 first, u32 end,
			      const struct type_name *name)
{
	unsigned int best = 0;
	u32 id;

	for (id = first; id < end; id++)
		best = max(best, match(btf, btf_type_by_id(btf, id), name));
	return best;
}

static bool same_result(const struct walk *a, const struct walk *b)
{
	return a->place.nr_derefs == b->place.nr_derefs &&
	       !memcmp(a->place.off, b->place.off, sizeof(a->place.off)) &&
	       a->part.len == b->part.len && a->part.bit == b->part.bit &&
	       a->part.bits == b->part.bits;
}

/* Replaces the errors of earlier types, since the path leads somewhere in both. */
static int fail_ambiguous(struct walk *w, const struct walk *a,
			  const struct walk *b)
{
	s64 a_off = a->place.off[a->place.nr_derefs];
	s64 b_off = b->place.off[b->place.nr_derefs];

	/* Their order in BTF is arbitrary. */
	if (a_off > b_off || (a_off == b_off && a->part.len > b->part.len)) {
		swap(a, b);
		swap(a_off, b_off);
	}
	w->error->code = KSYM_ERR_NONE;
	note_here(w, KSYM_ERR_AMBIGUOUS_TYPE);
	scnprintf(w->more, KSYM_MORE_LEN,
		  "%u bytes at %lld, or %u bytes at %lld", a->part.len, a_off,
		  b->part.len, b_off);
	return -EINVAL;
}

/*
 * Walks on from all types that have the name. A module's types hide the kernel's types
 * of the same name; a module has no copies of the kernel's types.
 *
 * Returns 0, -EINVAL, -ENOMEM, or -ENOENT if no type has the name.
 */
static int walk_named(struct walk *w, const struct type_name *name)
{
	const struct btf *base = btf_base_btf(w->btf);
	u32 first = base ? btf_nr_types(base) : 1;
	u32 id, end = btf_nr_types(w->btf);
	struct walk found, next;
	unsigned int rank, base_rank;
	bool has_found = false;
	int ret;

	rank = best_rank(w->btf, first, end, name);
	if (rank <= 1 && base) {
		base_rank = best_rank(w->btf, 1, first, name);
		if (base_rank > rank) {
			rank = base_rank;
			end = first;
			first = 1;
		}
	}
	if (!rank)
		return -ENOENT;

	for (id = first; id < end; id++) {
		if (match(w->btf, btf_type_by_id(w->btf, id), name) != rank)
			continue;
		next = *w;
		next.id = id;
		ret = walk(&next);
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			continue;
		if (!has_found)
			found = next;
		else if (!same_result(&found, &next))
			return fail_ambiguous(w, &found, &next);
		has_found = true;
		found.part.is_signed &= next.part.is_signed;
	}
	if (!has_found)
		return -EINVAL;
	w->place = found.place;
	w->part = found.part;
	return 0;
}

/* The current type is only declared; its definition may be another BTF type. */
static int walk_declared(struct walk *w, const struct btf_type *t)
{
	const char *text = btf_name_by_offset(w->btf, t->name_off);
	struct type_name name = {
		.text = text,
		.len = strlen(text),
		.kind = btf_type_kflag(t) ? BTF_KIND_UNION : BTF_KIND_STRUCT,
		.complete = true,
	};
	int ret;

	ret = walk_named(w, &name);
	return ret == -ENOENT ? fail_type(w, KSYM_ERR_INCOMPLETE_TYPE) : ret;
}

/*
 * Walks to the end of the path. It recurses through walk_named() only after a pointer
 * to a declared type, so the depth is limited by KSYM_MAX_DEREFS.
 */
static int walk(struct walk *w)
{
	const struct btf_type *t;
	int ret;

	for (;;) {
		/* A pointer from the text's stars has no BTF type: NULL. */
		t = NULL;
		if (!w->nr_ptrs) {
			t = btf_type_skip_modifiers(w->btf, w->id, &w->id);
			if (btf_type_is_fwd(t))
				return walk_declared(w, t);
		}

		switch (w->path[w->at]) {
		case '\0':
			return finish(w, t);
		case '.':
			w->from = w->at++;
			continue;
		case '-':
			w->from = w->at;
			w->at += 2;
			if (t && !btf_type_is_ptr(t))
				return fail_type(w, KSYM_ERR_NOT_POINTER);
			ret = follow(w, t);
			break;
		case '[':
			if (w->element || (t && btf_type_is_array(t))) {
				ret = step_index(w, t);
				break;
			}
			/* The symbol is an array of the type; BTF does not tell. */
			if (!w->at && t && !btf_type_is_ptr(t)) {
				w->element = true;
				ret = step_index(w, t);
				break;
			}
			w->from = w->at;
			if (t && !btf_type_is_ptr(t)) {
				if (note(w, KSYM_ERR_NOT_ARRAY, w->at, true))
					note_type(w);
				return -EINVAL;
			}
			w->element = true;
			ret = follow(w, t);
			break;
		default:
			ret = step_member(w, t);
			break;
		}
		if (ret)
			return ret;
	}
}

/**
 * ksym_btf_resolve - find where a path leads in a type
 * @mod: the module of the symbol, or NULL for the kernel
 * @spec: has the type of the symbol and the path
 * @place: the offsets and pointers of the path are added to it
 * @part: filled in
 * @error: after an error: what is wrong, and where
 * @more: %KSYM_MORE_LEN bytes for the details of the error
 *
 * The type is a name, with or without struct, union or enum before it, and with any number
 * of stars after it. Words are separated by one space. The path is any number of .MEMBER,
 * ->MEMBER and [N], or "".
 *
 * A pointer is followed for each "->", and for each [N] after a pointer. A type of the
 * module is preferred to one of the kernel. A module that was built without BTF still has
 * the kernel's types. BTF has arrays of one dimension only: m[2][3] is declared as m[6].
 *
 * Process context; sleeps; walks all types of the kernel.
 *
 * Return: 0; -EINVAL with @error set and @place unchanged; or -ENOMEM.
 */
int ksym_btf_resolve(struct module *mod, const struct ksym_spec *spec,
		     struct ksym_place *place, struct ksym_part *part,
		     struct ksym_error *error, char *more)
{
	const char *type = spec->target.type;
	struct walk w = {
		.path	= spec->target.path,
		.place	= *place,
		.spec	= spec,
		.error	= error,
		.more	= more,
	};
	enum ksym_err missing = KSYM_ERR_NO_TYPE;
	struct type_name name;
	struct btf *btf;
	int ret;

	memset(part, 0, sizeof(*part));
	error->code = KSYM_ERR_NONE;
	more[0] = '\0';

	w.nr_ptrs = read_name(type, &name);
	w.type_at = name.text - type;

	btf = btf_get_module_btf(mod);
	if (mod && IS_ERR_OR_NULL(btf)) {
		missing = KSYM_ERR_NO_BTF;
		btf = btf_get_module_btf(NULL);
	}
	if (IS_ERR_OR_NULL(btf)) {
		note_here(&w, KSYM_ERR_NO_BTF);
		return -EINVAL;
	}
	w.btf = btf;
	/* The one type that BTF has no entry for. */
	if (!name.kind && name.len == 4 && !memcmp(name.text, "void", 4))
		ret = walk(&w);
	else
		ret = walk_named(&w, &name);
	if (ret == -ENOENT) {
		note(&w, missing, w.type_at, false);
		ret = -EINVAL;
	}
	btf_put(btf);
	if (ret)
		return ret;

	*place = w.place;
	*part = w.part;
	error->code = KSYM_ERR_NONE;
	more[0] = '\0';
	return 0;
}

static struct btf *get_btf_of_module(const char *name)
{
	struct module *mod;
	struct btf *btf;

	scoped_guard(preempt) {
		mod = find_module(name);
		if (mod && !try_module_get(mod))
			mod = NULL;
	}
	if (!mod)
		return NULL;
	btf = btf_get_module_btf(mod);
	module_put(mod);
	return btf;
}

/* As btf_find_func_proto(), for the function of one module; others may have its name, too. */
static const struct btf_type *find_module_func_proto(const char *module, const char *func,
						     struct btf **btf_p)
{
	struct btf *btf = get_btf_of_module(module);
	const struct btf *base;
	const struct btf_type *t;

	if (IS_ERR_OR_NULL(btf))
		return NULL;
	base = btf_base_btf(btf);
	for (u32 id = base ? btf_nr_types(base) : 1; id < btf_nr_types(btf); id++) {
		t = btf_type_by_id(btf, id);
		if (!btf_type_is_func(t) || strcmp(btf_name_by_offset(btf, t->name_off), func))
			continue;
		t = btf_type_by_id(btf, t->type);
		if (!t || !btf_type_is_func_proto(t))
			continue;
		*btf_p = btf;
		return t;
	}
	btf_put(btf);
	return NULL;
}

/*
 * Begins a walk at an argument of a function or, with argument 0, at its return value.
 * Returns -ENOENT if BTF does not have it.
 */
static int begin_at_function(struct walk *w, const char *func, unsigned int arg)
{
	const char *colon = strchr(func, ':');
	const struct btf_param *params;
	const struct btf_type *proto;
	char module[MODULE_NAME_LEN];
	s32 nr;

	if (colon) {
		/* No module has a longer name. */
		strscpy(module, func, min_t(size_t, colon - func + 1, sizeof(module)));
		proto = find_module_func_proto(module, colon + 1, &w->btf);
	} else {
		proto = btf_find_func_proto(func, &w->btf);
	}
	if (!proto)
		return -ENOENT;
	params = btf_get_func_param(proto, &nr);
	if (!arg)
		w->id = proto->type;
	else if (!IS_ERR_OR_NULL(params) && arg <= nr)
		w->id = params[arg - 1].type;
	else
		return -ENOENT;
	return 0;
}

/* The length of what a pointer points to, if one register can watch it; or 8. */
static u32 pointee_len(struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);
	u32 len;

	if (!t || !btf_type_is_ptr(t))
		return sizeof(u64);
	t = btf_type_skip_modifiers(btf, t->type, NULL);
	if (!t || btf_type_is_void(t) || IS_ERR(btf_resolve_size(btf, t, &len)) ||
	    !is_power_of_2(len))
		return sizeof(u64);
	return min_t(u32, len, sizeof(u64));
}

/**
 * ksym_btf_resolve_arg - find where a path leads from an argument of a function
 * @func: the function, with or without its module
 * @arg: the argument, from 1, or 0 for the return value
 * @spec: has the path, which is "" or begins with "->"
 * @place: filled in; its base is to be the address of the value
 * @part: filled in
 * @error: after an error: what is wrong, and where
 * @more: %KSYM_MORE_LEN bytes for the details of the error
 *
 * Without a path it is the memory that the value points to, whatever BTF knows.
 *
 * Process context; sleeps.
 *
 * Return: 0; or -EINVAL with @error set.
 */
int ksym_btf_resolve_arg(const char *func, unsigned int arg, const struct ksym_spec *spec,
			 struct ksym_place *place, struct ksym_part *part,
			 struct ksym_error *error, char *more)
{
	struct walk w = {
		.path	= spec->target.path,
		.spec	= spec,
		.error	= error,
		.more	= more,
	};
	int ret;

	memset(part, 0, sizeof(*part));
	memset(place, 0, sizeof(*place));
	error->code = KSYM_ERR_NONE;
	more[0] = '\0';

	ret = begin_at_function(&w, func, arg);
	if (!w.path[0]) {
		part->len = ret ? sizeof(u64) : pointee_len(w.btf, w.id);
		place->nr_derefs = 1;
		ret = 0;
	} else if (ret) {
		note(&w, KSYM_ERR_NO_FUNC_BTF, 0, true);
		error->at = spec->symbol_at;
		ret = -EINVAL;
	} else {
		ret = walk(&w);
		if (!ret) {
			*place = w.place;
			*part = w.part;
		}
	}
	if (!IS_ERR_OR_NULL(w.btf))
		btf_put(w.btf);
	return ret;
}

/**
 * ksym_btf_module_of - find the module that has a struct
 * @type: the name of the struct, with or without "struct" before it
 *
 * Process context.
 *
 * Return: the module, with a reference; or NULL if the kernel itself has it, or nobody.
 */
struct module *ksym_btf_module_of(const char *type)
{
	struct module *mod;
	struct btf *btf;

	type += str_has_prefix(type, "struct ");
	if (bpf_find_btf_id(type, BTF_KIND_STRUCT, &btf) < 0)
		return NULL;
	mod = btf_try_get_module(btf);
	btf_put(btf);
	return mod;
}

#else /* no BTF */

struct module *ksym_btf_module_of(const char *type)
{
	return NULL;
}

int ksym_btf_resolve_arg(const char *func, unsigned int arg, const struct ksym_spec *spec,
			 struct ksym_place *place, struct ksym_part *part,
			 struct ksym_error *error, char *more)
{
	memset(part, 0, sizeof(*part));
	memset(place, 0, sizeof(*place));
	part->len = sizeof(u64);
	place->nr_derefs = 1;
	error->code = KSYM_ERR_NO_FUNC_BTF;
	error->at = spec->symbol_at;
	return spec->target.path[0] ? -EINVAL : 0;
}

int ksym_btf_resolve(struct module *mod, const struct ksym_spec *spec,
		     struct ksym_place *place, struct ksym_part *part,
		     struct ksym_error *error, char *more)
{
	memset(part, 0, sizeof(*part));
	error->code = KSYM_ERR_NO_BTF;
	error->at = spec->type_at;
	return -EINVAL;
}

#endif

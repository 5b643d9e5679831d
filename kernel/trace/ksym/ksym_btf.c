// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types: what BTF says of a target such as (task_struct)init_task.se.vruntime.
 *
 * A pure lookup, which is told a type and a path and answers with offsets. It
 * reads no memory of the target: following pointers is for whoever arms.
 *
 * A name may stand for several types, each of its own source file. BTF does
 * not tell which file a variable is from, so the path is walked in all of
 * them, and they must agree on where it leads.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "ksym.h"

#if IS_ENABLED(CONFIG_BPF_SYSCALL) && IS_ENABLED(CONFIG_DEBUG_INFO_BTF)

/* How deep unnamed structs are looked into; the kernel has some three levels. */
#define MAX_UNNAMED	16

/* How many names are offered for an unknown one, and how long they may be. */
#define NR_NEAREST	4
#define NEAR_LEN	63

/**
 * struct type_name - what a type must match
 * @text: its name, not terminated
 * @len: the length of the name
 * @kind: %BTF_KIND_STRUCT, %BTF_KIND_UNION or %BTF_KIND_ENUM where the text has
 *	the keyword, or 0 for any
 * @base: what base_type() made of the name, or 0
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
 * struct walk - what the walk along a path has come to
 * @btf: whose types
 * @path: the path
 * @at: what is read next of it
 * @from: where the step that led here stands in it
 * @type_at: where the name stands in the type's text
 * @id: the type here, below @nr_ptrs pointers that have no type of their own
 * @nr_ptrs: how many these are
 * @element: a pointer was followed for an index, which is still to be added
 * @place: the way so far
 * @part: the bit-field here
 * @error: for the first thing that is wrong
 */
struct walk {
	const struct btf	*btf;
	const char		*path;
	unsigned int		at;
	unsigned int		from;
	unsigned int		type_at;
	u32			id;
	unsigned int		nr_ptrs;
	bool			element;
	struct ksym_place	place;
	struct ksym_part	part;
	struct ksym_btf_error	*error;
};

static int walk(struct walk *w);

/*
 * Is this the first error? With several types of a name, it is the one that
 * stands, so that a list of names is made once.
 */
static bool note(struct walk *w, enum ksym_err code, unsigned int at,
		 bool in_path)
{
	if (w->error->code != KSYM_ERR_NONE)
		return false;
	w->error->code = code;
	w->error->at = at;
	w->error->in_path = in_path;
	return true;
}

/* The culprit is what the last step led to; with no step it is the type. */
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

/**
 * struct nearest - the names that are nearest to one that is not there
 * @name: the one that is not there, not terminated
 * @len: its length
 * @far: more edits make another name
 * @nr: how many were found
 * @best: what was found, the nearest first
 */
struct nearest {
	const char	*name;
	size_t		len;
	unsigned int	far;
	unsigned int	nr;
	struct {
		const char	*name;
		const char	*word;
		unsigned int	score;
	} best[NR_NEAREST];
};

/*
 * How many letters must be changed, added, dropped or swapped with their
 * neighbour to make @b of @a; anything above @far when it takes more.
 */
static noinline_for_stack unsigned int
edit_distance(const char *a, size_t a_len, const char *b, size_t b_len,
	      unsigned int far)
{
	u8 rows[3][NEAR_LEN + 1];
	u8 *before = rows[0], *last = rows[1], *row = rows[2];
	size_t i, j;

	if (a_len > NEAR_LEN || b_len > NEAR_LEN ||
	    max(a_len, b_len) - min(a_len, b_len) > far)
		return far + 1;

	for (j = 0; j <= b_len; j++)
		row[j] = j;
	for (i = 1; i <= a_len; i++) {
		unsigned int least = i;
		u8 *oldest = before;

		before = last;
		last = row;
		row = oldest;
		row[0] = i;
		for (j = 1; j <= b_len; j++) {
			unsigned int d = last[j - 1] + (a[i - 1] != b[j - 1]);

			d = min3(d, last[j] + 1U, row[j - 1] + 1U);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d = min(d, before[j - 2] + 1U);
			row[j] = d;
			least = min(least, d);
		}
		if (least > far)
			return far + 1;
	}
	return row[b_len];
}

static void nearest_init(struct nearest *nearest, const char *name, size_t len)
{
	memset(nearest, 0, sizeof(*nearest));
	nearest->name = name;
	nearest->len = len;
	nearest->far = clamp(len / 3, 1, 3);
}

static bool contains(const char *name, size_t len, const char *part,
		     size_t part_len)
{
	for (; len >= part_len; name++, len--) {
		if (!memcmp(name, part, part_len))
			return true;
	}
	return false;
}

/*
 * Offers a name, with the keyword that it would need. Beside the names with
 * a few wrong letters, those that hold the wanted one are of use: who writes
 * lock is glad to hear of pi_lock.
 */
static void nearest_add(struct nearest *nearest, const char *name,
			const char *word)
{
	size_t len = strlen(name);
	unsigned int score, i;

	score = edit_distance(nearest->name, nearest->len, name, len,
			      nearest->far);
	if (score > nearest->far) {
		if (nearest->len < 3 || len > NEAR_LEN ||
		    !contains(name, len, nearest->name, nearest->len))
			return;
		score += len - nearest->len;
	}
	/* A struct and its typedef have one name. */
	for (i = 0; i < nearest->nr; i++) {
		if (!strcmp(nearest->best[i].name, name) &&
		    !strcmp(nearest->best[i].word, word))
			return;
	}
	for (i = nearest->nr; i && nearest->best[i - 1].score > score; i--) {
		if (i < NR_NEAREST)
			nearest->best[i] = nearest->best[i - 1];
	}
	if (i == NR_NEAREST)
		return;
	nearest->best[i].name = name;
	nearest->best[i].word = word;
	nearest->best[i].score = score;
	if (nearest->nr < NR_NEAREST)
		nearest->nr++;
}

/* Adds a name to a list, if it fits in whole. */
static bool add_name(char *buf, size_t size, const char *intro,
		     const char *word, const char *name)
{
	size_t len = strlen(buf);
	const char *before = len ? ", " : intro;

	if (len + strlen(before) + strlen(word) + strlen(name) >= size)
		return false;
	scnprintf(buf + len, size - len, "%s%s%s", before, word, name);
	return true;
}

static void nearest_print(const struct nearest *nearest,
			  struct ksym_btf_error *error)
{
	unsigned int i;

	for (i = 0; i < nearest->nr; i++)
		add_name(error->more, sizeof(error->more), "nearest: ",
			 nearest->best[i].word, nearest->best[i].name);
}

/* Says what type is here, for who thought it another. */
static void note_type(struct walk *w)
{
	char *buf = w->error->more;
	size_t size = sizeof(w->error->more);
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

/* members */

typedef bool (*member_fn)(void *data, const char *name,
			  const struct btf_type *owner,
			  const struct btf_member *member, u64 bit);

/*
 * Calls @fn with each member that C lets one name in a struct: its own, and
 * those of the unnamed structs and unions in it. @bit is where @t begins.
 */
static bool each_member(const struct btf *btf, const struct btf_type *t,
			u64 bit, unsigned int depth, member_fn fn, void *data)
{
	const struct btf_member *member;
	const struct btf_type *inner;
	u64 at;
	u32 i;

	for_each_member(i, t, member) {
		at = bit + __btf_member_bit_offset(t, member);
		if (member->name_off) {
			if (fn(data, btf_name_by_offset(btf, member->name_off),
			       t, member, at))
				return true;
			continue;
		}
		inner = btf_type_skip_modifiers(btf, member->type, NULL);
		if (btf_type_is_struct(inner) && depth < MAX_UNNAMED &&
		    each_member(btf, inner, at, depth + 1, fn, data))
			return true;
	}
	return false;
}

/**
 * struct wanted - a member that is looked for
 * @name: its name, not terminated
 * @len: the length of the name
 * @id: its type, once it is found
 * @bit: where it begins
 * @bits: its bits, if it is a bit-field
 */
struct wanted {
	const char	*name;
	size_t		len;
	u32		id;
	u64		bit;
	u32		bits;
};

static bool is_wanted(void *data, const char *name,
		      const struct btf_type *owner,
		      const struct btf_member *member, u64 bit)
{
	struct wanted *wanted = data;

	if (strncmp(name, wanted->name, wanted->len) || name[wanted->len])
		return false;
	wanted->id = member->type;
	wanted->bit = bit;
	wanted->bits = __btf_member_bitfield_size(owner, member);
	return true;
}

static bool is_near(void *data, const char *name, const struct btf_type *owner,
		    const struct btf_member *member, u64 bit)
{
	nearest_add(data, name, "");
	return false;
}

static bool list_member(void *data, const char *name,
			const struct btf_type *owner,
			const struct btf_member *member, u64 bit)
{
	struct ksym_btf_error *error = data;

	/* Keep room for the dots. */
	return !add_name(error->more, sizeof(error->more) - 5, "members: ", "",
			 name);
}

static noinline_for_stack void
note_members(const struct btf *btf, const struct btf_type *t,
	     const struct wanted *wanted, struct ksym_btf_error *error)
{
	struct nearest nearest;

	nearest_init(&nearest, wanted->name, wanted->len);
	each_member(btf, t, 0, 0, is_near, &nearest);
	if (nearest.nr)
		nearest_print(&nearest, error);
	else if (each_member(btf, t, 0, 0, list_member, error))
		strlcat(error->more, ", ...", sizeof(error->more));
}

/* steps: each takes one element of the path */

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

static int step_member(struct walk *w, const struct btf_type *t)
{
	const char *name = w->path + w->at;
	struct wanted wanted = {
		.name = name,
		.len = strcspn(name, ".-["),
	};

	if (!t || !btf_type_is_struct(t)) {
		/* The dot or the arrow is what is wrong. */
		if (note_here(w, KSYM_ERR_NOT_STRUCT))
			note_type(w);
		return -EINVAL;
	}
	if (!each_member(w->btf, t, 0, 0, is_wanted, &wanted)) {
		if (note(w, KSYM_ERR_NO_MEMBER, w->at, true))
			note_members(w->btf, t, &wanted, w->error);
		return -EINVAL;
	}

	w->place.off[w->place.nr_derefs] += wanted.bit / BITS_PER_BYTE;
	if (wanted.bits) {
		w->part.bit = wanted.bit % BITS_PER_BYTE;
		w->part.bits = wanted.bits;
		w->part.len = DIV_ROUND_UP(w->part.bit + wanted.bits,
					   BITS_PER_BYTE);
	}
	w->id = wanted.id;
	w->from = w->at;
	w->at += wanted.len;
	return 0;
}

/* The type here is what the pointer points to, or the array. */
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
				scnprintf(w->error->more,
					  sizeof(w->error->more),
					  "it has %u, the last is [%u]", nr,
					  nr - 1);
			return -EINVAL;
		}
	}
	if (item && IS_ERR(btf_resolve_size(w->btf, item, &size))) {
		if (note_here(w, KSYM_ERR_NO_SIZE))
			note_type(w);
		return -EINVAL;
	}
	if (far || check_mul_overflow(index, size, &off) ||
	    check_add_overflow(w->place.off[w->place.nr_derefs], off,
			       &w->place.off[w->place.nr_derefs])) {
		if (note_here(w, KSYM_ERR_INDEX_RANGE))
			strscpy(w->error->more, "it is beyond all addresses");
		return -EINVAL;
	}
	w->at++;
	return 0;
}

static int finish(struct walk *w, const struct btf_type *t)
{
	/* A bit-field has its length. */
	if (w->part.bits)
		return 0;
	w->part.len = sizeof(void *);
	if (t && (IS_ERR(btf_resolve_size(w->btf, t, &w->part.len)) ||
		  !w->part.len)) {
		if (note_here(w, KSYM_ERR_NO_SIZE))
			note_type(w);
		return -EINVAL;
	}
	return 0;
}

/* types */

/*
 * A base type has many spellings: unsigned long, long unsigned int. The words
 * are counted, so that their order does not matter, and the sum tells the type.
 * BTF's spelling is the compiler's, so it is read in the same way.
 *
 * Return: a number that is the same for the same type, or 0.
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
	/* What is left but for one word of sign must be one word. */
	bit = found & ~(UNSIGNED | SIGNED);
	if (hweight32(bit) != 1 || hweight32(found ^ bit) > 1 ||
	    (bit == BOOL && found != bit))
		return 0;
	/* Only a char is another type when it is signed. */
	if (bit != CHAR)
		found &= ~SIGNED;
	return found;
}

/* Takes the text of a type apart; says how many stars it ends with. */
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
 * Does the type have the name? No is 0. Of those that have it, the highest is
 * meant: what C makes of it without a keyword, then what would need one. A
 * forward declaration is better than nothing, as pointers need no more.
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

/* Finds the highest rank among the types from @first to @end. */
static unsigned int best_rank(const struct btf *btf, u32 first, u32 end,
			      const struct type_name *name)
{
	unsigned int best = 0;
	u32 id;

	for (id = first; id < end; id++)
		best = max(best, match(btf, btf_type_by_id(btf, id), name));
	return best;
}

/* Looks at all kinds, as the keyword may be what is wrong. */
static noinline_for_stack void
note_types(const struct btf *btf, const struct type_name *name,
	   struct ksym_btf_error *error)
{
	u32 id, end = btf_nr_types(btf);
	const struct btf_type *t;
	struct nearest nearest;
	const char *text;

	nearest_init(&nearest, name->text, name->len);
	for (id = 1; id < end; id++) {
		/* Not quick, and nobody waits for it who can't wait. */
		if (!(id % 1024))
			cond_resched();
		t = btf_type_by_id(btf, id);
		switch (btf_kind(t)) {
		case BTF_KIND_INT:
		case BTF_KIND_FLOAT:
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			break;
		default:
			continue;
		}
		text = btf_name_by_offset(btf, t->name_off);
		if (*text)
			nearest_add(&nearest, text,
				    name->kind ? keyword(t) : "");
	}
	nearest_print(&nearest, error);
}

static bool same_result(const struct walk *a, const struct walk *b)
{
	return a->place.nr_derefs == b->place.nr_derefs &&
	       !memcmp(a->place.off, b->place.off, sizeof(a->place.off)) &&
	       a->part.len == b->part.len && a->part.bit == b->part.bit &&
	       a->part.bits == b->part.bits;
}

/* Both led somewhere, so what earlier ones complained of is of no use. */
static int fail_ambiguous(struct walk *w, const struct walk *a,
			  const struct walk *b)
{
	s64 a_off = a->place.off[a->place.nr_derefs];
	s64 b_off = b->place.off[b->place.nr_derefs];

	/* BTF has them in any order. */
	if (a_off > b_off || (a_off == b_off && a->part.len > b->part.len)) {
		swap(a, b);
		swap(a_off, b_off);
	}
	w->error->code = KSYM_ERR_NONE;
	note_here(w, KSYM_ERR_AMBIGUOUS_TYPE);
	scnprintf(w->error->more, sizeof(w->error->more),
		  "%u bytes at %lld, or %u bytes at %lld", a->part.len, a_off,
		  b->part.len, b_off);
	return -EINVAL;
}

/*
 * Walks on from all types that have the name. A module's own types hide
 * those of the kernel: where they are equal, BTF does not have them twice.
 *
 * Return: 0, -EINVAL, or -ENOENT where no type has the name.
 */
static int walk_named(struct walk *w, const struct type_name *name)
{
	const struct btf *base = btf_base_btf(w->btf);
	u32 first = base ? btf_nr_types(base) : 1;
	u32 id, end = btf_nr_types(w->btf);
	struct walk found, next;
	unsigned int rank, base_rank;
	bool has_found = false;

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
		if (walk(&next))
			continue;
		if (!has_found)
			found = next;
		else if (!same_result(&found, &next))
			return fail_ambiguous(w, &found, &next);
		has_found = true;
	}
	if (!has_found)
		return -EINVAL;
	w->place = found.place;
	w->part = found.part;
	return 0;
}

/* The type here is declared only; it may be defined under another number. */
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
	if (ret == -ENOENT) {
		if (note_here(w, KSYM_ERR_INCOMPLETE_TYPE))
			note_type(w);
		ret = -EINVAL;
	}
	return ret;
}

/*
 * Walks to the end of the path. Here and in walk_named() it may begin anew
 * behind a pointer, so the depth is that of the pointers.
 */
static int walk(struct walk *w)
{
	const struct btf_type *t;
	int ret;

	for (;;) {
		/* A pointer of the text has no type: NULL. */
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
			if (t && !btf_type_is_ptr(t)) {
				if (note_here(w, KSYM_ERR_NOT_POINTER))
					note_type(w);
				return -EINVAL;
			}
			ret = follow(w, t);
			break;
		case '[':
			if (w->element || (t && btf_type_is_array(t))) {
				ret = step_index(w, t);
				break;
			}
			/* The symbol is an array of these, which BTF can't know. */
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
 * @mod: the module that the symbol is in, or NULL for the kernel's own
 * @type: the type of the symbol: a name, with or without struct, union or enum
 *	before it and with stars behind it. One space is between two words.
 * @path: from there on: any number of .MEMBER, ->MEMBER and [N], or ""
 * @place: what the path adds to the offset of the symbol is added to it
 * @part: filled in
 * @error: filled in after an error: what is wrong, and where
 *
 * A pointer is followed for each -> and for each [N] behind one. Where a module
 * has a type of its own, that is taken, and else the kernel's. BTF has arrays
 * of one dimension: m[2][3] is m[6] there.
 *
 * Process context; may sleep, and walks all types of the kernel.
 *
 * Return: 0, or -EINVAL with @error set and @place as it was.
 */
int ksym_btf_resolve(struct module *mod, const char *type, const char *path,
		     struct ksym_place *place, struct ksym_part *part,
		     struct ksym_btf_error *error)
{
	struct walk w = { .path = path, .place = *place, .error = error };
	struct type_name name;
	struct btf *btf;
	int ret;

	memset(part, 0, sizeof(*part));
	memset(error, 0, sizeof(*error));
	error->code = KSYM_ERR_NONE;

	w.nr_ptrs = read_name(type, &name);
	w.type_at = name.text - type;

	btf = btf_get_module_btf(mod);
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
		note(&w, KSYM_ERR_NO_TYPE, w.type_at, false);
		note_types(btf, &name, error);
		ret = -EINVAL;
	}
	btf_put(btf);
	if (ret)
		return ret;

	*place = w.place;
	*part = w.part;
	error->code = KSYM_ERR_NONE;
	error->more[0] = '\0';
	return 0;
}

#else /* no BTF */

int ksym_btf_resolve(struct module *mod, const char *type, const char *path,
		     struct ksym_place *place, struct ksym_part *part,
		     struct ksym_btf_error *error)
{
	memset(part, 0, sizeof(*part));
	memset(error, 0, sizeof(*error));
	error->code = KSYM_ERR_NO_BTF;
	return -EINVAL;
}

#endif

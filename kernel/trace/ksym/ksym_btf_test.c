// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the lookup of types: BTF must agree with the compiler.
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "ksym_btf.h"

#define HAS_BTF \
	(IS_ENABLED(CONFIG_BPF_SYSCALL) && IS_ENABLED(CONFIG_DEBUG_INFO_BTF))

struct ksym_btf_test_undefined;

/* Kinds of members that no single struct of the kernel combines. */
struct ksym_btf_test {
	u8			first;
	u32			odd_a : 3;
	u32			odd_b : 11;
	u32			odd_c : 18;
	u64			wide_a : 5;
	u64			wide_b : 58;
	s8			low : 2;
	s8			high : 6;
	union {
		struct {
			u16		in_a;
			union {
				u32	in_b;
				u8	in_bytes[4];
				u32	in_bits : 13;
			};
		};
		u64		in_c;
	};
	int			table[3][5];
	struct {
		short		x;
		short		y;
	}			points[4];
	struct ksym_btf_test	*self;
	struct ksym_btf_test	**selves;
	struct ksym_btf_test	*(*rows)[2];
	struct ksym_btf_test_undefined *undefined;
	void			*nothing;
	int			(*call)(int arg);
	struct { }		empty;
	u32			tail[];
};

/* Bit-fields that start in the middle of a byte and end in the ninth byte. */
struct ksym_btf_test_packed {
	u8			lead : 7;
	u64			crossing : 62;
	u8			trail : 3;
} __packed;

/* Types of the same name, each local to a function. The order of BTF has no meaning. */
static noinline size_t ksym_btf_test_one(void)
{
	struct ksym_btf_test_shrinks {
		u32	same[2];
	} shrinks = {};
	struct ksym_btf_test_twice {
		u32	same;
		u32	moved;
		u32	only_one;
	} twice = {};

	OPTIMIZER_HIDE_VAR(shrinks.same[0]);
	OPTIMIZER_HIDE_VAR(twice.moved);
	return offsetof(struct ksym_btf_test_twice, moved) + twice.moved + shrinks.same[0];
}

static noinline size_t ksym_btf_test_two(void)
{
	struct ksym_btf_test_shrinks {
		u32	same;
	} shrinks = {};
	struct ksym_btf_test_twice {
		u32	same;
		u32	pad[5];
		u32	moved;
	} twice = {};

	OPTIMIZER_HIDE_VAR(shrinks.same);
	OPTIMIZER_HIDE_VAR(twice.moved);
	return offsetof(struct ksym_btf_test_twice, moved) + twice.moved + shrinks.same;
}

struct good {
	const char	*type;
	const char	*path;
	u32		len;
	u8		nr_derefs;
	s64		off[KSYM_MAX_DEREFS + 1];
};

#define MEMBER(type, member...)	\
	"struct " #type, "." #member, sizeof_field(struct type, member), 0, \
	{ offsetof(struct type, member) }

static const struct good goods[] = {
	/* Base types in C's spellings. */
	{ "int", "", sizeof(int) },
	{ "unsigned", "", sizeof(unsigned int) },
	{ "unsigned int", "", sizeof(unsigned int) },
	{ "signed", "", sizeof(int) },
	{ "long", "", sizeof(long) },
	{ "unsigned long", "", sizeof(long) },
	{ "long unsigned int", "", sizeof(long) },
	{ "long int unsigned", "", sizeof(long) },
	{ "unsigned long long", "", sizeof(long long) },
	{ "long long", "", sizeof(long long) },
	{ "short", "", sizeof(short) },
	{ "unsigned short", "", sizeof(short) },
	{ "short int", "", sizeof(short) },
	{ "char", "", 1 },
	{ "signed char", "", 1 },
	{ "unsigned char", "", 1 },
	{ "bool", "", sizeof(bool) },
	{ "_Bool", "", sizeof(bool) },
	{ "__int128", "", 16 },
	{ "unsigned __int128", "", 16 },
	{ "u64", "", sizeof(u64) },
	{ "atomic_t", "", sizeof(atomic_t) },
	{ "atomic_t", ".counter", sizeof(int) },
	{ "enum pid_type", "", sizeof(enum pid_type) },
	{ "pid_type", "", sizeof(enum pid_type) },
	{ "list_head", "", sizeof(struct list_head) },
	{ "sigval", "", sizeof(union sigval) },
	{ "union sigval", "", sizeof(union sigval) },
	{ "union sigval", ".sival_ptr", sizeof(void *) },

	/* Pointer types. */
	{ "void *", "", sizeof(void *) },
	{ "char **", "", sizeof(void *) },
	{ "char *", "[3]", 1, 1, { 0, 3 } },
	{ "int *", "[0]", sizeof(int), 1 },
	{ "unsigned long **", "[2][3]", sizeof(long), 2,
	  { 0, 2 * sizeof(void *), 3 * sizeof(long) } },
	{ "unsigned long **", "[2]", sizeof(void *), 1,
	  { 0, 2 * sizeof(void *) } },
	{ "task_struct *", "->pid", sizeof(pid_t), 1,
	  { 0, offsetof(struct task_struct, pid) } },
	{ "task_struct **", "[1]->pid", sizeof(pid_t), 2,
	  { 0, sizeof(void *), offsetof(struct task_struct, pid) } },

	/* Types of the kernel. */
	{ "task_struct", "", sizeof(struct task_struct) },
	{ "task_struct", "[2]", sizeof(struct task_struct), 0,
	  { 2 * sizeof(struct task_struct) } },
	{ MEMBER(task_struct, comm) },
	{ MEMBER(task_struct, comm[5]) },
	{ MEMBER(task_struct, se.vruntime) },
	{ MEMBER(task_struct, pending.signal.sig[0]) },
	{ MEMBER(task_struct, thread.tls_array[2]) },
	{ "task_struct", ".real_parent->comm", TASK_COMM_LEN, 1,
	  { offsetof(struct task_struct, real_parent),
	    offsetof(struct task_struct, comm) } },
	{ "task_struct", ".real_parent->real_parent->comm[3]", 1, 2,
	  { offsetof(struct task_struct, real_parent),
	    offsetof(struct task_struct, real_parent),
	    offsetof(struct task_struct, comm) + 3 } },
	/* Through a const. */
	{ "task_struct", ".cred->uid", sizeof(kuid_t), 1,
	  { offsetof(struct task_struct, cred), offsetof(struct cred, uid) } },
	{ "list_head", ".next->prev", sizeof(void *), 1,
	  { offsetof(struct list_head, next),
	    offsetof(struct list_head, prev) } },
	{ "list_head", ".next->next->next->next->prev", sizeof(void *), 4,
	  { 0, 0, 0, 0, offsetof(struct list_head, prev) } },

	/* Types of this file. */
	{ MEMBER(ksym_btf_test, first) },
	{ MEMBER(ksym_btf_test, in_a) },
	{ MEMBER(ksym_btf_test, in_b) },
	{ MEMBER(ksym_btf_test, in_bytes) },
	{ MEMBER(ksym_btf_test, in_bytes[3]) },
	{ MEMBER(ksym_btf_test, in_c) },
	{ MEMBER(ksym_btf_test, points) },
	{ MEMBER(ksym_btf_test, points[3]) },
	{ MEMBER(ksym_btf_test, points[3].y) },
	{ MEMBER(ksym_btf_test, tail[7]) },
	{ MEMBER(ksym_btf_test, call) },
	{ MEMBER(ksym_btf_test, undefined) },
	{ MEMBER(ksym_btf_test, table) },
	{ "ksym_btf_test", ".table[14]", sizeof(int), 0,
	  { offsetof(struct ksym_btf_test, table[2][4]) } },
	{ "ksym_btf_test", ".self[2].in_b", sizeof(u32), 1,
	  { offsetof(struct ksym_btf_test, self),
	    2 * sizeof(struct ksym_btf_test) +
	    offsetof(struct ksym_btf_test, in_b) } },
	{ "ksym_btf_test", ".selves[3]->first", 1, 2,
	  { offsetof(struct ksym_btf_test, selves), 3 * sizeof(void *),
	    offsetof(struct ksym_btf_test, first) } },
	{ "ksym_btf_test", ".rows[1][1]->in_c", sizeof(u64), 2,
	  { offsetof(struct ksym_btf_test, rows), 3 * sizeof(void *),
	    offsetof(struct ksym_btf_test, in_c) } },

	/* The two types of the same name agree on these members. */
	{ "ksym_btf_test_twice", ".same", sizeof(u32) },
	{ "ksym_btf_test_twice", ".only_one", sizeof(u32), 0, { 8 } },
};

/* Offsets below this one are in the type, others in the path. */
#define PATH_AT	1000

/* Allocated per test: the spec is too large for the stack. */
struct lookup {
	struct ksym_spec	spec;
	struct ksym_place	place;
	struct ksym_part	part;
	struct ksym_error	error;
	char			more[KSYM_MORE_LEN];
};

static struct lookup *new_lookup(struct kunit *test)
{
	struct lookup *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	return l;
}

static void need_btf(struct kunit *test)
{
	if (!HAS_BTF)
		kunit_skip(test, "the kernel has no BTF");
}

static int resolve_in(struct module *mod, struct lookup *l, const char *type, const char *path)
{
	strscpy(l->spec.target.type, type);
	strscpy(l->spec.target.path, path);
	l->spec.path_at = PATH_AT;
	return ksym_btf_resolve(mod, &l->spec, &l->place, &l->part, &l->error, l->more);
}

static int resolve(struct lookup *l, const char *type, const char *path)
{
	memset(&l->place, 0, sizeof(l->place));
	return resolve_in(NULL, l, type, path);
}

static const struct {
	const char	*type;
	const char	*path;
	bool		is_signed;
} signs[] = {
	{ "int", "", true },
	{ "unsigned int", "", false },
	{ "s8", "", true },
	{ "s16", "", true },
	{ "s64", "", true },
	{ "u64", "", false },
	{ "long", "", true },
	{ "__int128", "", false },
	{ "bool", "", false },
	{ "pid_t", "", true },
	{ "atomic_t", "", false },
	{ "atomic_t", ".counter", true },
	{ "enum pid_type", "", false },
	{ "int *", "", false },
	{ "int *", "[1]", true },
	{ "task_struct", ".prio", true },
	{ "task_struct", ".flags", false },
	{ "task_struct", ".real_parent", false },
	{ "task_struct", ".real_parent->exit_code", true },
};

/* Whether a number is signed is known, and nothing else is. */
static void test_signs(struct kunit *test)
{
	struct lookup *l = new_lookup(test);
	int i;

	need_btf(test);
	for (i = 0; i < ARRAY_SIZE(signs); i++) {
		KUNIT_EXPECT_EQ_MSG(test, resolve(l, signs[i].type, signs[i].path), 0, "%s%s",
				    signs[i].type, signs[i].path);
		KUNIT_EXPECT_EQ_MSG(test, l->part.is_signed, signs[i].is_signed, "%s%s",
				    signs[i].type, signs[i].path);
	}
}

static void test_good(struct kunit *test)
{
	struct lookup *l = new_lookup(test);
	int i, j;

	need_btf(test);
	for (i = 0; i < ARRAY_SIZE(goods); i++) {
		const struct good *good = &goods[i];
		int ret = resolve(l, good->type, good->path);

		KUNIT_EXPECT_EQ_MSG(test, ret, 0, "%s %s: error %d, %s",
				    good->type, good->path, l->error.code,
				    l->more);
		KUNIT_EXPECT_EQ_MSG(test, l->error.code, KSYM_ERR_NONE, "%s %s",
				    good->type, good->path);
		KUNIT_EXPECT_EQ_MSG(test, l->part.len, good->len, "%s %s",
				    good->type, good->path);
		KUNIT_EXPECT_EQ_MSG(test, l->part.bits, 0, "%s %s", good->type,
				    good->path);
		KUNIT_EXPECT_EQ_MSG(test, l->place.nr_derefs, good->nr_derefs,
				    "%s %s", good->type, good->path);
		for (j = 0; j <= KSYM_MAX_DEREFS; j++)
			KUNIT_EXPECT_EQ_MSG(test, l->place.off[j], good->off[j],
					    "%s %s, %d", good->type, good->path,
					    j);
	}
}

/* The path is added to a place, whose other fields stay as they are. */
static void test_path_is_added(struct kunit *test)
{
	struct lookup *l = new_lookup(test);

	need_btf(test);
	l->place.base = 0x1000;
	l->place.percpu = true;
	l->place.off[0] = -16;
	KUNIT_EXPECT_EQ(test, resolve_in(NULL, l, "list_head", ".prev->prev"), 0);
	KUNIT_EXPECT_EQ(test, l->place.base, 0x1000);
	KUNIT_EXPECT_TRUE(test, l->place.percpu);
	KUNIT_EXPECT_EQ(test, l->place.nr_derefs, 1);
	KUNIT_EXPECT_EQ(test, l->place.off[0], -8);
	KUNIT_EXPECT_EQ(test, l->place.off[1], 8);

	/* A path that fails halfway changes nothing. */
	KUNIT_EXPECT_EQ(test, resolve_in(NULL, l, "list_head", ".prev->pref"), -EINVAL);
	KUNIT_EXPECT_EQ(test, l->place.nr_derefs, 1);
	KUNIT_EXPECT_EQ(test, l->place.off[0], -8);
	KUNIT_EXPECT_EQ(test, l->place.off[1], 8);
}

/* bit-fields */

/*
 * The compiler sets the field in a zeroed object. The bits that are then set must be
 * exactly the bits of the part, and the part must have no byte beyond them.
 */
static void check_bits(struct kunit *test, const char *type, const char *path,
		       const u8 *object, size_t size)
{
	struct lookup *l = new_lookup(test);
	unsigned int bit, first, last;
	s64 off;

	KUNIT_ASSERT_EQ_MSG(test, resolve(l, type, path), 0, "%s%s", type, path);
	off = l->place.off[0];
	KUNIT_EXPECT_NE_MSG(test, l->part.bits, 0, "%s%s", type, path);
	KUNIT_EXPECT_EQ(test, l->place.nr_derefs, 0);
	KUNIT_EXPECT_EQ_MSG(test, l->part.len,
			    (l->part.bit + l->part.bits + 7) / 8, "%s%s", type,
			    path);
	KUNIT_EXPECT_LT(test, l->part.bit, 8);

	first = off * 8 + l->part.bit;
	last = first + l->part.bits;
	for (bit = 0; bit < size * 8; bit++)
		KUNIT_EXPECT_EQ_MSG(test, object[bit / 8] >> (bit % 8) & 1,
				    bit >= first && bit < last, "%s%s: bit %u",
				    type, path, bit);
}

#define CHECK_BITS(type, member...) do {				\
	struct type *object = kunit_kzalloc(test, sizeof(*object),	\
					    GFP_KERNEL);		\
									\
	KUNIT_ASSERT_NOT_NULL(test, object);				\
	object->member = -1;						\
	check_bits(test, "struct " #type, "." #member, (u8 *)object,	\
		   sizeof(*object));					\
	kunit_kfree(test, object);					\
} while (0)

static void test_bits(struct kunit *test)
{
	need_btf(test);
	CHECK_BITS(task_struct, sched_migrated);
	CHECK_BITS(task_struct, sched_remote_wakeup);
	CHECK_BITS(task_struct, in_execve);
	CHECK_BITS(task_struct, in_iowait);
	CHECK_BITS(ksym_btf_test, odd_a);
	CHECK_BITS(ksym_btf_test, odd_b);
	CHECK_BITS(ksym_btf_test, odd_c);
	CHECK_BITS(ksym_btf_test, wide_a);
	CHECK_BITS(ksym_btf_test, wide_b);
	CHECK_BITS(ksym_btf_test, low);
	CHECK_BITS(ksym_btf_test, high);
	CHECK_BITS(ksym_btf_test, in_bits);
	CHECK_BITS(ksym_btf_test_packed, lead);
	CHECK_BITS(ksym_btf_test_packed, crossing);
	CHECK_BITS(ksym_btf_test_packed, trail);
}

/* errors */

struct bad {
	const char	*type;
	const char	*path;
	enum ksym_err	code;
	unsigned int	at;
	bool		in_path;
	/* A substring of the details, or "" for no details. */
	const char	*more;
};

static const struct bad bads[] = {
	{ "task_strcut", ".comm", KSYM_ERR_NO_TYPE, 0, false, "" },
	{ "struct task_strct", "", KSYM_ERR_NO_TYPE, 7, false, "" },
	/* Wrong keyword. */
	{ "union task_struct", "", KSYM_ERR_NO_TYPE, 6, false, "" },
	{ "struct atomic_t *", "", KSYM_ERR_NO_TYPE, 7, false, "" },
	{ "unsigned bool", "", KSYM_ERR_NO_TYPE, 0, false },
	{ "signed bool", "", KSYM_ERR_NO_TYPE, 0, false },
	{ "unsigned signed", "", KSYM_ERR_NO_TYPE, 0, false },
	{ "char int", "", KSYM_ERR_NO_TYPE, 0, false },
	{ "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq",
	  "", KSYM_ERR_NO_TYPE, 0, false, "" },
	{ "", "", KSYM_ERR_NO_TYPE, 0, false, "" },

	{ "task_struct", ".com", KSYM_ERR_NO_MEMBER, 1, true, "" },
	{ "task_struct", ".real_parent->cmom[3]", KSYM_ERR_NO_MEMBER, 14, true, "" },
	{ "task_struct", ".lock", KSYM_ERR_NO_MEMBER, 1, true, "" },
	{ "ksym_btf_test", ".in_byte[1]", KSYM_ERR_NO_MEMBER, 1, true, "" },
	{ "ksym_btf_test", ".zzzzzzzz", KSYM_ERR_NO_MEMBER, 1, true, "" },
	{ "list_head", ".zzzzzzzz", KSYM_ERR_NO_MEMBER, 1, true, "" },
	{ "ksym_btf_test", ".empty.x", KSYM_ERR_NO_MEMBER, 7, true, "" },

	{ "int", ".x", KSYM_ERR_NOT_STRUCT, 0, true, "it is: int" },
	{ "task_struct", ".comm.x", KSYM_ERR_NOT_STRUCT, 5, true,
	  "it is: an array of char" },
	{ "task_struct", ".real_parent.comm", KSYM_ERR_NOT_STRUCT, 12, true,
	  "it is: struct task_struct *" },
	{ "task_struct *", ".comm", KSYM_ERR_NOT_STRUCT, 0, true,
	  "it is: struct task_struct *" },
	{ "int *", "->x", KSYM_ERR_NOT_STRUCT, 0, true, "it is: int" },
	{ "ksym_btf_test", ".odd_a.x", KSYM_ERR_NOT_STRUCT, 6, true,
	  "it is: " },
	{ "ksym_btf_test", ".points.x", KSYM_ERR_NOT_STRUCT, 7, true,
	  "it is: an array of struct { }" },

	{ "task_struct", "->comm", KSYM_ERR_NOT_POINTER, 0, true,
	  "it is: struct task_struct" },
	{ "task_struct", ".se->vruntime", KSYM_ERR_NOT_POINTER, 3, true,
	  "it is: struct sched_entity" },

	{ "task_struct", ".pid[0]", KSYM_ERR_NOT_ARRAY, 4, true, "it is: " },
	{ "ksym_btf_test", ".table[1][1]", KSYM_ERR_NOT_ARRAY, 9, true,
	  "it is: int" },

	{ "task_struct", ".comm[16]", KSYM_ERR_INDEX_RANGE, 6, true,
	  "it has 16" },
	{ "ksym_btf_test", ".points[99999999999999999999].x",
	  KSYM_ERR_INDEX_RANGE, 8, true, "it has 4" },
	{ "ksym_btf_test", ".tail[9223372036854775807]", KSYM_ERR_INDEX_RANGE,
	  6, true, "beyond" },
	{ "char *", "[18446744073709551616]", KSYM_ERR_INDEX_RANGE, 1, true,
	  "beyond" },

	{ "list_head", ".next->next->next->next->next->prev",
	  KSYM_ERR_TOO_MANY_DEREFS, 29, true, "" },
	{ "char *****", "[0][0][0][0][1]", KSYM_ERR_TOO_MANY_DEREFS, 12, true,
	  "" },

	{ "ksym_btf_test", ".undefined->x", KSYM_ERR_INCOMPLETE_TYPE, 10, true,
	  "struct ksym_btf_test_undefined" },
	{ "ksym_btf_test", ".undefined[1]", KSYM_ERR_INCOMPLETE_TYPE, 10, true,
	  "struct ksym_btf_test_undefined" },
	{ "struct ksym_btf_test_undefined", "", KSYM_ERR_INCOMPLETE_TYPE, 7,
	  false, "struct ksym_btf_test_undefined" },
	{ "ksym_btf_test_undefined", ".x", KSYM_ERR_INCOMPLETE_TYPE, 0,
	  false, "struct ksym_btf_test_undefined" },

	{ "void", "", KSYM_ERR_NO_SIZE, 0, false, "it is: void" },
	{ "void *", "[1]", KSYM_ERR_NO_SIZE, 1, true, "it is: void" },
	{ "ksym_btf_test", ".nothing[0]", KSYM_ERR_NO_SIZE, 9, true,
	  "it is: void" },
	{ "ksym_btf_test", ".call[0]", KSYM_ERR_NO_SIZE, 6, true,
	  "it is: a function" },
	{ "ksym_btf_test", ".tail", KSYM_ERR_NO_SIZE, 1, true,
	  "it is: an array of u32" },
	{ "ksym_btf_test", ".empty", KSYM_ERR_NO_SIZE, 1, true, "it is: " },

	{ "ksym_btf_test_twice", ".moved", KSYM_ERR_AMBIGUOUS_TYPE, 0, false,
	  "4 bytes at 4, or 4 bytes at 24" },
	{ "struct ksym_btf_test_twice", "", KSYM_ERR_AMBIGUOUS_TYPE, 7, false,
	  "12 bytes at 0, or 28 bytes at 0" },
	{ "struct ksym_btf_test_shrinks", "", KSYM_ERR_AMBIGUOUS_TYPE, 7, false,
	  "4 bytes at 0, or 8 bytes at 0" },
	{ "ksym_btf_test_twice", ".gone", KSYM_ERR_NO_MEMBER, 1, true, "" },
};

static void test_bad(struct kunit *test)
{
	struct lookup *l = new_lookup(test);
	int i;

	need_btf(test);
	for (i = 0; i < ARRAY_SIZE(bads); i++) {
		const struct bad *bad = &bads[i];

		KUNIT_EXPECT_EQ_MSG(test, resolve(l, bad->type, bad->path),
				    -EINVAL, "%s %s", bad->type, bad->path);
		KUNIT_EXPECT_EQ_MSG(test, l->error.code, bad->code, "%s %s",
				    bad->type, bad->path);
		KUNIT_EXPECT_EQ_MSG(test, l->error.at % PATH_AT, bad->at, "%s %s",
				    bad->type, bad->path);
		KUNIT_EXPECT_EQ_MSG(test, l->error.at >= PATH_AT, bad->in_path,
				    "%s %s", bad->type, bad->path);
		if (!bad->more)
			continue;
		if (!*bad->more)
			KUNIT_EXPECT_STREQ_MSG(test, l->more, "",
					       "%s %s", bad->type, bad->path);
		KUNIT_EXPECT_TRUE_MSG(test, strstr(l->more, bad->more),
				      "%s %s: %s", bad->type, bad->path,
				      l->more);
	}
}

/* A module that its notifier has not seen has no BTF, only the kernel's types. */
static void test_no_btf(struct kunit *test)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	struct lookup *l = new_lookup(test);

	KUNIT_ASSERT_NOT_NULL(test, mod);
	KUNIT_EXPECT_EQ(test, resolve_in(mod, l, "no_such_type", ""), -EINVAL);
	KUNIT_EXPECT_EQ(test, l->error.code, KSYM_ERR_NO_BTF);
	KUNIT_EXPECT_EQ(test, resolve_in(mod, l, "int", ""), HAS_BTF ? 0 : -EINVAL);
	if (HAS_BTF)
		return;
	KUNIT_EXPECT_EQ(test, resolve(l, "int", ""), -EINVAL);
	KUNIT_EXPECT_EQ(test, l->error.code, KSYM_ERR_NO_BTF);
}

static int ksym_btf_test_init(struct kunit *test)
{
	/* These calls keep the functions, and so their types, in the kernel. */
	KUNIT_EXPECT_EQ(test, ksym_btf_test_one(), 4);
	KUNIT_EXPECT_EQ(test, ksym_btf_test_two(), 24);
	return 0;
}

static struct kunit_case ksym_btf_test_cases[] = {
	KUNIT_CASE(test_good),
	KUNIT_CASE(test_path_is_added),
	KUNIT_CASE(test_bits),
	KUNIT_CASE(test_signs),
	KUNIT_CASE(test_bad),
	KUNIT_CASE(test_no_btf),
	{}
};

static struct kunit_suite ksym_btf_test_suite = {
	.name		= "ksym_btf",
	.init		= ksym_btf_test_init,
	.test_cases	= ksym_btf_test_cases,
};

kunit_test_suites(&ksym_btf_test_suite);

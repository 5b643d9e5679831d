// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types and variables as DWARF describes them, read with elfutils.
 *
 * A kernel has 80 MB of it, too much to read entry by entry. A linked file has its names in
 * .debug_str, and the entries refer to them by offset: so only the units with bytes that are
 * the offset of the wanted name are read, and of them only the outermost entries.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "symbols/symbols.h"
#include "symbols/type.h"

/* An id is the offset of an entry, and which dimension of an array it is about. */
#define DIMENSIONS	8

/* Limits for what may be damaged. */
#define MAX_MODIFIERS	16
#define MAX_PARTS	65536
#define MAX_SCOPES	16

/* A file with DWARF. */
struct dwarf {
	struct type_source	source;	/* what others know of it */
	struct debuginfo	*info;	/* the file */
	Dwarf			*dwarf;	/* its debug info */
	Dwarf_Addr		bias;	/* how far the library has moved addresses */
};

static struct dwarf *to_dwarf(const struct type_source *source)
{
	return (struct dwarf *)source;
}

/* --- Types --------------------------------------------------------------- */

static bool read_number(Dwarf_Die *die, unsigned int name, uint64_t *number)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &word))
		return false;
	*number = word;
	return true;
}

static bool has_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	bool flag;

	return dwarf_attr(die, name, &attr) && !dwarf_formflag(&attr, &flag) && flag;
}

/* The entry of what something is of, without const and the like. */
static bool find_target(Dwarf_Die *die, Dwarf_Die *target)
{
	Dwarf_Die from = *die;
	Dwarf_Attribute attr;
	int i;

	for (i = 0; i < MAX_MODIFIERS; i++) {
		if (!dwarf_attr_integrate(&from, DW_AT_type, &attr) ||
		    !dwarf_formref_die(&attr, target))
			return false;
		switch (dwarf_tag(target)) {
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			from = *target;
			continue;
		default:
			return true;
		}
	}
	return false;
}

/* What it is of, as a node; void where that is not said. */
static struct type *get_target(struct type *type, Dwarf_Die *die)
{
	Dwarf_Die target;

	if (!find_target(die, &target))
		return type_get(type->source, TYPE_ID_VOID);
	return type_get(type->source, dwarf_dieoffset(&target) * DIMENSIONS);
}

/* How many elements each dimension of an array has; returns how many dimensions. */
static unsigned int read_dimensions(Dwarf_Die *die, uint64_t nr[DIMENSIONS])
{
	unsigned int dimensions = 0;
	Dwarf_Die child;
	uint64_t last;

	if (dwarf_child(die, &child))
		return 0;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type || dimensions == DIMENSIONS)
			continue;
		nr[dimensions] = 0;
		if (!read_number(&child, DW_AT_count, &nr[dimensions]) &&
		    read_number(&child, DW_AT_upper_bound, &last))
			nr[dimensions] = last + 1;
		dimensions++;
	} while (!dwarf_siblingof(&child, &child));
	return dimensions;
}

static void fill_array(struct type *type, Dwarf_Die *die)
{
	unsigned int dimension = type->id % DIMENSIONS, dimensions, i;
	uint64_t nr[DIMENSIONS], size;

	dimensions = read_dimensions(die, nr);
	size = get_target(type, die)->size;
	for (i = dimension; i < dimensions; i++)
		if (__builtin_mul_overflow(size, nr[i], &size))
			size = 0;
	type->size = dimensions ? size : 0;
	type->nr = dimension < dimensions ? nr[dimension] : 0;
}

static void fill_base(struct type *type, Dwarf_Die *die)
{
	uint64_t encoding = 0;

	read_number(die, DW_AT_encoding, &encoding);
	/* An u8 has the encoding of a character, too. */
	type->kind = encoding == DW_ATE_boolean ? TYPE_BOOL :
		     encoding == DW_ATE_float || encoding == DW_ATE_complex_float ? TYPE_FLOAT :
		     strcmp(type->name, "char") ? TYPE_INT : TYPE_CHAR;
	type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

/* TYPE_VOID ends the table: it has no tag. */
static const struct {
	enum type_kind	kind;
	int		tag;
} tags[] = {
	{ TYPE_INT,		DW_TAG_base_type },
	{ TYPE_ENUM,		DW_TAG_enumeration_type },
	{ TYPE_POINTER,		DW_TAG_pointer_type },
	{ TYPE_ARRAY,		DW_TAG_array_type },
	{ TYPE_STRUCT,		DW_TAG_structure_type },
	{ TYPE_UNION,		DW_TAG_union_type },
	{ TYPE_FUNCTION,	DW_TAG_subroutine_type },
	{ TYPE_TYPEDEF,		DW_TAG_typedef },
	{ TYPE_VOID, 0 }
};

/* Finds the entry of a type. */
static bool find_entry(const struct type *type, Dwarf_Die *die)
{
	return dwarf_offdie(to_dwarf(type->source)->dwarf, type->id / DIMENSIONS, die);
}

static void fill_type(struct type *type)
{
	Dwarf_Die die;
	size_t i = 0;

	if (!find_entry(type, &die))
		return;
	while (tags[i].tag && tags[i].tag != dwarf_tag(&die))
		i++;
	type->kind = tags[i].kind;
	type->name = type_text(dwarf_diename(&die));
	read_number(&die, DW_AT_byte_size, &type->size);
	type->incomplete = has_flag(&die, DW_AT_declaration);
	if (type->kind == TYPE_INT)
		fill_base(type, &die);
	else if (type->kind == TYPE_ARRAY)
		fill_array(type, &die);
	else if (type->kind == TYPE_POINTER)
		type->size = type->size ?: sizeof(uint64_t);
	else if (type->kind == TYPE_TYPEDEF)
		type->size = get_target(type, &die)->size;
}

/* Where a member begins, in bits. Old compilers count a bit-field's from the other end. */
static void read_place(struct type_member *member, Dwarf_Die *die)
{
	uint64_t bits, byte = 0, bit, size;

	read_number(die, DW_AT_data_member_location, &byte);
	member->bit = byte < UINT64_MAX / 8 ? 8 * byte : 0;
	if (read_number(die, DW_AT_data_bit_offset, &bit))
		member->bit = bit;
	if (!read_number(die, DW_AT_bit_size, &bits))
		return;
	member->bits = bits <= 64 ? bits : 0;
	if (read_number(die, DW_AT_bit_offset, &bit)) {
		if (!read_number(die, DW_AT_byte_size, &size))
			size = type_strip(member->type)->size;
		if (size <= 16 && bit + bits <= 8 * size)
			member->bit += 8 * size - bit - bits;
	}
}

static void open_members(struct type *type, Dwarf_Die *die)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return;
	do {
		struct type_member member = {};

		if (dwarf_tag(&child) != DW_TAG_member)
			continue;
		member.type = get_target(type, &child);
		read_place(&member, &child);
		type_add_member(type, dwarf_diename(&child), member);
	} while (type->nr < MAX_PARTS && !dwarf_siblingof(&child, &child));
}

static void open_enumerators(struct type *type, Dwarf_Die *die)
{
	struct type *base = type_strip(get_target(type, die));
	Dwarf_Die child;
	uint64_t value;

	type->is_signed = base->kind == TYPE_INT && base->is_signed;
	if (dwarf_child(die, &child))
		return;
	do {
		if (dwarf_tag(&child) != DW_TAG_enumerator ||
		    !read_number(&child, DW_AT_const_value, &value))
			continue;
		type_add_enumerator(type, dwarf_diename(&child), value);
		/* Old DWARF does not name the underlying type. */
		if (base->kind == TYPE_VOID && (int64_t)value < 0)
			type->is_signed = true;
	} while (type->nr < MAX_PARTS && !dwarf_siblingof(&child, &child));
}

static void open_type(struct type *type)
{
	uint64_t nr[DIMENSIONS];
	Dwarf_Die die;

	if (!find_entry(type, &die))
		return;
	switch (type->kind) {
	case TYPE_ARRAY:
		if (type->id % DIMENSIONS + 1 < read_dimensions(&die, nr)) {
			type->target = type_get(type->source, type->id + 1);
			break;
		}
		[[fallthrough]];
	case TYPE_POINTER:
	case TYPE_TYPEDEF:
		type->target = get_target(type, &die);
		break;
	case TYPE_ENUM:
		open_enumerators(type, &die);
		break;
	case TYPE_STRUCT:
	case TYPE_UNION:
		open_members(type, &die);
		break;
	default:
		break;
	}
}

/* --- A name, in the units that know it ------------------------------------ */

/* Looks at an entry of the wanted name; returns whether that was all that was wanted. */
typedef bool (*entry_fn)(Dwarf_Die *die, void *data);

/* Where a name may be used. */
struct name_search {
	const char	*name;	/* the name */
	size_t		size;	/* its bytes, with the 0 at the end */
	/*
	 * The units, or NULL if all of them are to be read: in files that are not linked, and
	 * with forms that refer to names in other ways
	 */
	const Elf_Data	*info;
	const char	*text;	/* the names */
	uint32_t	first;	/* the name's first offset in @text */
	uint32_t	last;	/* its last one; other names may end with it */
};

static void begin_search(struct name_search *search, const struct dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf->dwarf);
	const Elf_Data *text = elf_rawdata(debuginfo_section(elf, ".debug_str"), NULL);
	const Elf_Data *info = elf_rawdata(debuginfo_section(elf, ".debug_info"), NULL);
	const char *p, *end;

	if (!dwarf->info->linked || debuginfo_section(elf, ".debug_str_offsets") ||
	    debuginfo_section(elf, ".gnu_debugaltlink") || !text || !text->d_buf || !info ||
	    !info->d_buf)
		return;
	search->info = info;
	search->text = text->d_buf;
	search->first = UINT32_MAX;
	end = search->text + text->d_size;
	for (p = search->text; (p = memmem(p, end - p, search->name, search->size)); p++) {
		search->last = p - search->text;
		if (search->first == UINT32_MAX)
			search->first = search->last;
	}
}

/* May a unit use the name? It has bytes that are its offset, or a short one itself. */
static bool unit_may_have(const struct name_search *search, size_t begin, size_t end)
{
	const char *p, *last;
	uint32_t offset;

	if (!search->info || end > search->info->d_size)
		return true;
	p = (const char *)search->info->d_buf + begin;
	if (memmem(p, end - begin, search->name, search->size))
		return true;
	for (last = p + (end - begin) - sizeof(offset); p <= last; p++) {
		memcpy(&offset, p, sizeof(offset));
		if (offset >= search->first && offset <= search->last &&
		    !memcmp(search->text + offset, search->name, search->size))
			return true;
	}
	return false;
}

/* Looks at the entries of a name on one level; with @deep also at those in functions. */
static bool walk_entries(Dwarf_Die *parent, const char *name, bool deep, int depth, entry_fn fn,
			 void *data)
{
	const char *has;
	Dwarf_Die die;
	int tag;

	if (depth > MAX_SCOPES || dwarf_child(parent, &die))
		return false;
	do {
		has = dwarf_diename(&die);
		if (has && !strcmp(has, name) && fn(&die, data))
			return true;
		tag = dwarf_tag(&die);
		if (deep && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block) &&
		    walk_entries(&die, name, deep, depth + 1, fn, data))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/* Calls @fn with the entries of a name in all units, until it is content. */
static void walk_units(struct dwarf *dwarf, const char *name, bool deep, entry_fn fn, void *data)
{
	struct name_search search = { .name = name, .size = strlen(name) + 1 };
	Dwarf_Off offset = 0, next;
	bool done = false;
	Dwarf_Die unit;
	size_t header;

	begin_search(&search, dwarf);
	for (; !done && !dwarf_next_unit(dwarf->dwarf, offset, &next, &header, NULL, NULL, NULL,
					 NULL, NULL, NULL); offset = next) {
		/* Damaged units may lead nowhere. */
		if (next <= offset)
			break;
		if (unit_may_have(&search, offset, next) &&
		    dwarf_offdie(dwarf->dwarf, offset + header, &unit))
			done = walk_entries(&unit, name, deep, 0, fn, data);
	}
}

/* --- The whole of a type ---------------------------------------------------- */

struct wanted_type {
	int		tag;
	uint64_t	id;
};

static bool is_whole_type(Dwarf_Die *die, void *data)
{
	struct wanted_type *wanted = data;

	if (dwarf_tag(die) != wanted->tag || has_flag(die, DW_AT_declaration))
		return false;
	wanted->id = dwarf_dieoffset(die) * DIMENSIONS;
	return true;
}

static struct type *complete_type(struct type *type)
{
	struct wanted_type wanted = { .id = TYPE_ID_VOID };
	Dwarf_Die die;

	if (!*type->name || !find_entry(type, &die))
		return NULL;
	wanted.tag = dwarf_tag(&die);
	walk_units(to_dwarf(type->source), type->name, false, is_whole_type, &wanted);
	return type_get(type->source, wanted.id);
}

/* --- Variables ---------------------------------------------------------------- */

/* A variable that is looked for. */
struct wanted_variable {
	struct dwarf	*dwarf;		/* where */
	uint64_t	addr;		/* where it is in this file, if it is known; otherwise 0 */
	bool		sole;		/* there is no other of this name */
	struct type	*type;		/* its type, or NULL */
	bool		ambiguous;	/* there are several, of different types */
};

/* Where a variable is, or 0 where it is nowhere; a per-CPU one may be there. */
static bool read_address(struct dwarf *dwarf, Dwarf_Die *die, uint64_t *addr)
{
	Dwarf_Attribute attr, in_table;
	Dwarf_Op *op;
	size_t nr;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &nr) ||
	    nr != 1)
		return false;
	/* clang writes the number of an entry in a table of addresses. */
	if (op->atom == DW_OP_addr)
		*addr = op->number;
	else if (dwarf_getlocation_attr(&attr, op, &in_table) || dwarf_formaddr(&in_table, addr))
		return false;
	*addr += dwarf->bias;
	return true;
}

static bool is_same_type(struct type *a, struct type *b)
{
	char *text_a __autofree = type_declaration(a), *text_b __autofree = type_declaration(b);

	return a->size == b->size && !strcmp(text_a, text_b);
}

static bool is_wanted_variable(Dwarf_Die *die, void *data)
{
	struct wanted_variable *wanted = data;
	struct type *type;
	Dwarf_Die target;
	uint64_t addr;
	bool placed;

	if (dwarf_tag(die) != DW_TAG_variable)
		return false;
	placed = read_address(wanted->dwarf, die, &addr);
	/* A declaration says as much, but not of which of several. */
	if (!placed && !(wanted->sole && has_flag(die, DW_AT_declaration)))
		return false;
	if (placed && wanted->addr && addr != wanted->addr)
		return false;
	if (!find_target(die, &target))
		return false;
	type = type_get(&wanted->dwarf->source, dwarf_dieoffset(&target) * DIMENSIONS);
	if (!placed && (!type->size || type->incomplete))
		return false;
	if (!wanted->type)
		wanted->type = type;
	else if (!is_same_type(wanted->type, type))
		wanted->ambiguous = true;
	return wanted->sole || wanted->addr;
}

/* The type of a variable, or NULL if the file does not have it. */
struct type *dwarf_variable(struct type_source *source, const struct symbols *symbols,
			    const struct symbol *symbol)
{
	char *name __autofree = xstrdup(symbol->name), *suffix;
	struct wanted_variable wanted = { .dwarf = to_dwarf(source) };
	uint64_t slide;

	/* The symbol of a static variable in a function ends with a number. */
	suffix = strchr(name, '.');
	if (suffix)
		*suffix = '\0';
	wanted.sole = symbol->same == 1 && !suffix;
	if (!wanted.sole && wanted.dwarf->info->linked) {
		if (symbol_is_percpu(symbols, symbol))
			wanted.addr = symbol->addr;
		else if (debuginfo_slide(wanted.dwarf->info, symbols, &slide))
			wanted.addr = symbol->addr - slide;
	}
	walk_units(wanted.dwarf, name, suffix, is_wanted_variable, &wanted);
	return wanted.ambiguous ? NULL : wanted.type;
}

/* --- Files ----------------------------------------------------------------------- */

static const struct type_source_ops ops = {
	.fill		= fill_type,
	.open		= open_type,
	.complete	= complete_type,
};

/* Takes the types of a file, which must stay open. Returns NULL if the file has no DWARF. */
struct type_source *dwarf_open(struct debuginfo *info)
{
	struct dwarf *dwarf;
	Dwarf_Addr bias;
	Dwarf *found = dwfl_module_getdwarf(info->module, &bias);

	if (!found)
		return NULL;
	dwarf = xcalloc(1, sizeof(*dwarf));
	type_source_init(&dwarf->source, &ops, info->path);
	*dwarf = (struct dwarf) { dwarf->source, info, found, bias };
	return &dwarf->source;
}

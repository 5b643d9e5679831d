// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types and variables as DWARF describes them, read with elfutils.
 *
 * A kernel has 80 MB of it, too much to read entry by entry. A linked
 * file has each name once in .debug_str, and its entries refer to it by its offset: so a
 * search for these four bytes finds the units that use the name, and only those are
 * read, and of them only the outermost entries.
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

/* A name that stands in more places than this is looked for everywhere. */
#define MAX_STRINGS	16

/**
 * struct dwarf - a file with DWARF
 * @source: what others know of it
 * @info: the file
 * @dwarf: its debug info
 * @bias: how far the library has moved addresses
 */
struct dwarf {
	struct type_source	source;
	struct debuginfo	*info;
	Dwarf			*dwarf;
	Dwarf_Addr		bias;
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
static struct type *get_target(struct type_source *source, Dwarf_Die *die)
{
	Dwarf_Die target;

	if (!find_target(die, &target))
		return type_get(source, UINT64_MAX);
	return type_get(source, dwarf_dieoffset(&target) * DIMENSIONS);
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

	type->kind = TYPE_ARRAY;
	dimensions = read_dimensions(die, nr);
	size = get_target(type->source, die)->size;
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
	switch (encoding) {
	case DW_ATE_boolean:
		type->kind = TYPE_BOOL;
		break;
	case DW_ATE_float:
	case DW_ATE_complex_float:
		type->kind = TYPE_FLOAT;
		break;
	default:
		/* An u8 has the encoding of a character, too. */
		type->kind = strcmp(type->name, "char") ? TYPE_INT : TYPE_CHAR;
		type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
		break;
	}
}

static void fill_type(struct type_source *source, struct type *type)
{
	Dwarf_Die die;

	if (type->id == UINT64_MAX ||
	    !dwarf_offdie(to_dwarf(source)->dwarf, type->id / DIMENSIONS, &die))
		return;
	type->name = type_text(dwarf_diename(&die));
	read_number(&die, DW_AT_byte_size, &type->size);
	type->incomplete = has_flag(&die, DW_AT_declaration);
	switch (dwarf_tag(&die)) {
	case DW_TAG_base_type:
		fill_base(type, &die);
		break;
	case DW_TAG_enumeration_type:
		type->kind = TYPE_ENUM;
		break;
	case DW_TAG_pointer_type:
		type->kind = TYPE_POINTER;
		type->size = type->size ?: sizeof(uint64_t);
		break;
	case DW_TAG_array_type:
		fill_array(type, &die);
		break;
	case DW_TAG_structure_type:
		type->kind = TYPE_STRUCT;
		break;
	case DW_TAG_union_type:
		type->kind = TYPE_UNION;
		break;
	case DW_TAG_subroutine_type:
		type->kind = TYPE_FUNCTION;
		break;
	case DW_TAG_typedef:
		type->kind = TYPE_TYPEDEF;
		type->size = get_target(source, &die)->size;
		break;
	default:
		break;
	}
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
	struct type_member *member;
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return;
	do {
		if (dwarf_tag(&child) != DW_TAG_member)
			continue;
		type->member = xreallocarray(type->member, type->nr + 1, sizeof(*type->member));
		member = &type->member[type->nr++];
		*member = (struct type_member) {
			.name = type_text(dwarf_diename(&child)),
			.type = get_target(type->source, &child),
		};
		read_place(member, &child);
	} while (type->nr < MAX_PARTS && !dwarf_siblingof(&child, &child));
}

static bool read_constant(Dwarf_Die *die, int64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Sword sword;
	Dwarf_Word word;

	if (!dwarf_attr(die, DW_AT_const_value, &attr))
		return false;
	/* Constants of a fixed size are unsigned. */
	if (dwarf_whatform(&attr) == DW_FORM_sdata ||
	    dwarf_whatform(&attr) == DW_FORM_implicit_const) {
		if (dwarf_formsdata(&attr, &sword))
			return false;
		*value = sword;
		return true;
	}
	if (dwarf_formudata(&attr, &word))
		return false;
	*value = word;
	return true;
}

static void open_enumerators(struct type *type, Dwarf_Die *die)
{
	struct type_enumerator *enumerator;
	struct type *base;
	Dwarf_Die child;
	int64_t value;

	base = type_strip(get_target(type->source, die));
	type->is_signed = base->kind == TYPE_INT && base->is_signed;
	if (dwarf_child(die, &child))
		return;
	do {
		if (dwarf_tag(&child) != DW_TAG_enumerator || !read_constant(&child, &value))
			continue;
		type->enumerator = xreallocarray(type->enumerator, type->nr + 1,
						 sizeof(*type->enumerator));
		enumerator = &type->enumerator[type->nr++];
		enumerator->name = type_text(dwarf_diename(&child));
		enumerator->value = value;
		/* Old DWARF does not name the underlying type. */
		if (base->kind == TYPE_VOID && value < 0)
			type->is_signed = true;
	} while (type->nr < MAX_PARTS && !dwarf_siblingof(&child, &child));
}

static struct type *open_target(struct type_source *source, struct type *type)
{
	uint64_t nr[DIMENSIONS];
	Dwarf_Die die;

	if (!dwarf_offdie(to_dwarf(source)->dwarf, type->id / DIMENSIONS, &die))
		return NULL;
	if (type->kind == TYPE_ARRAY && type->id % DIMENSIONS + 1 < read_dimensions(&die, nr))
		return type_get(source, type->id + 1);
	return get_target(source, &die);
}

static void open_type(struct type_source *source, struct type *type)
{
	Dwarf_Die die;

	if (!dwarf_offdie(to_dwarf(source)->dwarf, type->id / DIMENSIONS, &die))
		return;
	if (type->kind == TYPE_ENUM)
		open_enumerators(type, &die);
	else
		open_members(type, &die);
}

/* --- A name, in the units that know it ------------------------------------ */

/* Offsets in .debug_info, in their order. */
struct offsets {
	size_t	*offset;
	size_t	nr;
};

/* Looks at an entry of the wanted name; returns whether that was all that was wanted. */
typedef bool (*entry_fn)(Dwarf_Die *die, void *data);

static Elf_Data *find_section(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, wanted))
			return elf_rawdata(section, NULL);
	}
	return NULL;
}

static void note_places(struct offsets *places, const Elf_Data *data, const void *bytes,
			size_t size)
{
	const char *begin = data->d_buf, *end = begin + data->d_size, *p = begin;

	while ((p = memmem(p, end - p, bytes, size))) {
		places->offset = xreallocarray(places->offset, places->nr + 1,
					       sizeof(*places->offset));
		places->offset[places->nr++] = p++ - begin;
	}
}

static int compare_offsets(const void *a, const void *b)
{
	size_t offset_a = *(const size_t *)a, offset_b = *(const size_t *)b;

	return offset_a < offset_b ? -1 : offset_a > offset_b;
}

/*
 * Where the strings are that may stand for a name: one that stands alone is the only
 * one, otherwise it is the end of another.
 */
static void find_strings(struct offsets *strings, const Elf_Data *data, const char *name)
{
	size_t i;

	note_places(strings, data, name, strlen(name) + 1);
	for (i = 0; i < strings->nr; i++) {
		size_t offset = strings->offset[i];

		if (offset && ((const char *)data->d_buf)[offset - 1])
			continue;
		strings->offset[0] = offset;
		strings->nr = 1;
		return;
	}
}

/*
 * Finds where a name may be used in .debug_info. Returns false if that is unknown: in
 * files that are not linked, and with forms that refer to names in other ways.
 */
static bool find_name(struct dwarf *dwarf, const char *name, struct offsets *places)
{
	Elf *elf = dwarf_getelf(dwarf->dwarf);
	const Elf_Data *info = find_section(elf, ".debug_info");
	const Elf_Data *text = find_section(elf, ".debug_str");
	struct offsets strings = {};
	bool found = false;
	size_t i;

	memset(places, 0, sizeof(*places));
	if (!dwarf->info->linked || !info || !info->d_buf || !text || !text->d_buf ||
	    find_section(elf, ".debug_str_offsets") || find_section(elf, ".gnu_debugaltlink"))
		return false;
	find_strings(&strings, text, name);
	if (strings.nr <= MAX_STRINGS) {
		for (i = 0; i < strings.nr; i++) {
			uint32_t offset = strings.offset[i];

			note_places(places, info, &offset, sizeof(offset));
		}
		/* A short one stands there itself. */
		note_places(places, info, name, strlen(name) + 1);
		if (places->nr)
			qsort(places->offset, places->nr, sizeof(*places->offset),
			      compare_offsets);
		found = true;
	}
	free(strings.offset);
	return found;
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
	Dwarf_Off offset = 0, next;
	struct offsets places;
	size_t header, i = 0;
	bool found, done = false;
	Dwarf_Die unit;

	found = find_name(dwarf, name, &places);
	while (!done && !dwarf_next_unit(dwarf->dwarf, offset, &next, &header, NULL, NULL, NULL,
					 NULL, NULL, NULL)) {
		/* Damaged units may lead nowhere. */
		if (next <= offset)
			break;
		while (i < places.nr && places.offset[i] < offset)
			i++;
		if ((!found || (i < places.nr && places.offset[i] < next)) &&
		    dwarf_offdie(dwarf->dwarf, offset + header, &unit))
			done = walk_entries(&unit, name, deep, 0, fn, data);
		offset = next;
	}
	free(places.offset);
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

static struct type *complete_type(struct type_source *source, struct type *type)
{
	struct wanted_type wanted = {
		.tag = type->kind == TYPE_STRUCT ? DW_TAG_structure_type :
		       type->kind == TYPE_UNION ? DW_TAG_union_type : DW_TAG_enumeration_type,
		.id = UINT64_MAX,
	};

	if (!*type->name)
		return NULL;
	walk_units(to_dwarf(source), type->name, false, is_whole_type, &wanted);
	return wanted.id == UINT64_MAX ? NULL : type_get(source, wanted.id);
}

/* --- Variables ---------------------------------------------------------------- */

/**
 * struct wanted_variable - a variable that is looked for
 * @dwarf: where
 * @addr: where it is in this file, if it is known; otherwise 0
 * @sole: there is no other of this name
 * @type: its type, or NULL
 * @ambiguous: there are several, of different types
 */
struct wanted_variable {
	struct dwarf	*dwarf;
	uint64_t	addr;
	bool		sole;
	struct type	*type;
	bool		ambiguous;
};

/* Where a variable is, or 0 where it is nowhere; a per-CPU one may be there. */
static bool read_address(struct dwarf *dwarf, Dwarf_Die *die, uint64_t *addr)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t nr;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &nr) ||
	    nr != 1 || op->atom != DW_OP_addr)
		return false;
	*addr = op->number + dwarf->bias;
	return true;
}

static bool is_same_type(struct type *a, struct type *b)
{
	char *text_a = type_declaration(a), *text_b = type_declaration(b);
	bool same = a->size == b->size && !strcmp(text_a, text_b);

	free(text_a);
	free(text_b);
	return same;
}

static bool is_wanted_variable(Dwarf_Die *die, void *data)
{
	struct wanted_variable *wanted = data;
	struct type *type;
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
	type = get_target(&wanted->dwarf->source, die);
	if (!placed && (!type->size || type->incomplete))
		return false;
	if (!wanted->type)
		wanted->type = type;
	else if (!is_same_type(wanted->type, type))
		wanted->ambiguous = true;
	return wanted->sole || wanted->addr;
}

/**
 * dwarf_variable - the type of a variable
 * @source: from dwarf_open()
 * @symbols: the symbol table
 * @symbol: the variable
 *
 * Return: its type, or NULL if the file does not have it.
 */
struct type *dwarf_variable(struct type_source *source, const struct symbols *symbols,
			    const struct symbol *symbol)
{
	struct wanted_variable wanted = { .dwarf = to_dwarf(source) };
	char *name = xstrdup(symbol->name), *suffix;
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
	free(name);
	return wanted.ambiguous ? NULL : wanted.type;
}

/* --- Files ----------------------------------------------------------------------- */

static const struct type_source_ops ops = {
	.fill		= fill_type,
	.target		= open_target,
	.open		= open_type,
	.complete	= complete_type,
};

/**
 * dwarf_open - take the types of a file
 * @info: the file, which must outlive the result
 *
 * Return: the source, or NULL if the file has no DWARF.
 */
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

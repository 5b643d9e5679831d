// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profile of an object: its type is flattened into fields, and each hit belongs to the
 * field, the piece and the cache line at its address.
 *
 * A debug register does not tell which bytes of its piece were accessed, so fields that
 * share a piece are one row. Structs are opened; unions and arrays are one field.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hits/profile.h"
#include "symbols/type.h"

/* No type of C is deeper. */
#define MAX_DEPTH	32

/* So many names of a row are shown. */
#define MAX_NAMES	3

static struct profile *profile_of(struct sink *sink)
{
	return container_of(sink, struct profile, sink);
}

/* --- Fields ------------------------------------------------------------------------- */

static void add_field(struct profile *profile, char *name, unsigned long long off,
		      unsigned long long size)
{
	struct profile_field *last = profile->nr ? &profile->field[profile->nr - 1] : NULL;

	if (off >= profile->size || !size) {
		free(name);
		return;
	}
	size = off + size > profile->size ? profile->size - off : size;
	if (!last || off / profile->grain > (last->off + last->size - 1) / profile->grain) {
		last = array_add(profile->field, profile->nr);
		*last = (struct profile_field) { .off = off };
	}
	strings_add_owned(&last->names, name);
	/* Bit-fields share bytes. */
	if (off + size > last->off + last->size)
		last->size = off + size - last->off;
}

/* What an unnamed union is called: a|b|c. */
static char *union_name(struct type *type)
{
	struct strings names __cleanup(strings_free) = {};
	uint64_t i;

	type_open(type);
	for (i = 0; i < type->nr && names.nr < MAX_NAMES; i++)
		if (*type->member[i].name)
			strings_add(&names, type->member[i].name);
	return strings_join(&names, "|");
}

static void add_type(struct profile *profile, struct type *type, const char *name,
		     unsigned long long off, int depth)
{
	uint64_t i;

	type = type_strip(type);
	type_open(type);
	if (type->kind == TYPE_ARRAY && !depth && type->nr) {
		for (i = 0; i < type->nr; i++) {
			char *element __autofree = xasprintf("[%llu]", (unsigned long long)i);

			add_type(profile, type->target, element, i * (type->size / type->nr), 1);
		}
		return;
	}
	if (type->kind != TYPE_STRUCT || depth > MAX_DEPTH) {
		add_field(profile, xasprintf("%s%s", name, type->kind == TYPE_ARRAY ? "[]" : ""),
			  off, type->size);
		return;
	}
	for (i = 0; i < type->nr; i++) {
		char *own __autofree = NULL, *full __autofree = NULL;
		const struct type_member *member = &type->member[i];
		struct type *inner = type_strip(member->type);

		own = *member->name || inner->kind != TYPE_UNION ? xstrdup(member->name) :
								    union_name(inner);
		full = xasprintf("%s%s%s", name, *name && *own ? "." : "", own);
		if (member->bits)
			add_field(profile, xstrdup(full), off + member->bit / 8,
				  (member->bit % 8 + member->bits + 7) / 8);
		else
			add_type(profile, inner, full, off + member->bit / 8, depth + 1);
	}
}

/** profile_name - the names of a field, and of those in the same piece: a new string */
char *profile_name(const struct profile_field *field)
{
	char *names __autofree = NULL;
	struct strings first = { field->names.text, field->names.nr };

	if (first.nr <= MAX_NAMES)
		return strings_join(&first, ", ");
	first.nr = MAX_NAMES;
	names = strings_join(&first, ", ");
	return xasprintf("%s, +%zu", names, field->names.nr - first.nr);
}

/* --- Hits --------------------------------------------------------------------------- */

static void take_hit(struct sink *sink, const struct hit *hit)
{
	struct profile *profile = profile_of(sink);
	unsigned long long off = (hit->addr - profile->base) & profile->mask;
	bool wrote = hit->access & ACCESS_WRITE;
	size_t piece = off / profile->grain, index;
	struct profile_field *field;

	if (off >= profile->size || (size_t)hit->cpu >= profile->nr_cpus)
		return;
	profile->all++;
	profile->hits[(piece * profile->nr_cpus + hit->cpu) * 2 + wrote]++;
	index = profile->field_of[piece];
	if (index == SIZE_MAX)
		return;
	field = &profile->field[index];
	field->reads += !!(hit->access & ACCESS_READ);
	field->writes += wrote;
	summary_add(&field->summary, hit);
}

static void take_lost(struct sink *sink, int cpu __maybe_unused, unsigned long long lost)
{
	profile_of(sink)->lost += lost ?: 1;
}

static void free_profile(struct sink *sink)
{
	struct profile *profile = profile_of(sink);
	size_t i;

	for (i = 0; i < profile->nr; i++) {
		strings_free(&profile->field[i].names);
		summary_free(&profile->field[i].summary);
	}
	free(profile->field);
	free(profile->field_of);
	free(profile->hits);
}

static const struct sink_ops ops = {
	.hit = take_hit, .lost = take_lost, .free = free_profile,
};

/*
 * Begins a profile of an object of @size bytes at @base, watched in pieces of @grain bytes;
 * @mask has the bits of an address that are compared. @type is NULL if unknown. For
 * sink_free().
 */
struct profile *profile_new(struct type *type, unsigned int size, unsigned int grain,
			    unsigned long long base, unsigned long long mask)
{
	struct profile *profile = sink_new(sizeof(*profile), &ops, NULL);
	size_t nr = size / grain, i, piece;

	profile->base = base;
	profile->mask = mask;
	profile->size = size;
	profile->grain = grain;
	profile->nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	profile->hits = xcalloc(nr * profile->nr_cpus * 2, sizeof(*profile->hits));
	profile->field_of = xcalloc(nr, sizeof(*profile->field_of));
	if (type)
		add_type(profile, type, "", 0, 0);
	for (i = 0; !type && i < nr; i++)
		add_field(profile, xasprintf("+%#zx", i * grain), i * grain, grain);
	memset(profile->field_of, 0xff, nr * sizeof(*profile->field_of));
	for (i = 0; i < profile->nr; i++) {
		struct profile_field *field = &profile->field[i];

		for (piece = field->off / grain; piece * grain < field->off + field->size; piece++)
			profile->field_of[piece] = i;
	}
	return profile;
}

/* Sets the coverage of the fields, from what the pieces counted before and after. */
void profile_coverage(struct profile *profile, const struct pieces *before,
		      const struct pieces *after)
{
	size_t i, piece;

	for (i = 0; i < profile->nr; i++) {
		struct profile_field *field = &profile->field[i];
		double enabled = 0, running = 0;

		for (piece = field->off / profile->grain;
		     piece * profile->grain < field->off + field->size; piece++) {
			enabled += after->enabled[piece] - before->enabled[piece];
			running += after->running[piece] - before->running[piece];
		}
		field->coverage = enabled ? running / enabled : 0;
	}
}

void pieces_free(struct pieces *pieces)
{
	free(pieces->enabled);
	free(pieces->running);
}

/* --- Cache lines -------------------------------------------------------------------- */

/** profile_nr_lines - over how many cache lines the object extends */
size_t profile_nr_lines(const struct profile *profile)
{
	return (profile->base % CACHE_LINE + profile->size + CACHE_LINE - 1) / CACHE_LINE;
}

/* The CPUs as a list: 0-2,5. A new string. */
static char *cpu_list(const bool *cpus, size_t nr)
{
	struct strings parts __cleanup(strings_free) = {};
	size_t first, i;

	for (i = 0; i < nr; i++) {
		if (!cpus[i])
			continue;
		for (first = i; i + 1 < nr && cpus[i + 1]; i++)
			;
		strings_add_owned(&parts, first == i ? xasprintf("%zu", i) :
						       xasprintf("%zu-%zu", first, i));
	}
	return strings_join(&parts, ",");
}

/* How a CPU used a field in a cache line. */
struct use {
	size_t			field;
	size_t			cpu;
	unsigned long long	hits[2];	/* as in struct profile */
};

/*
 * Finds the two CPUs that disturb each other most: one writes a field, the other one uses
 * another field, or the same if there is no such pair.
 */
static char *find_hint(const struct profile *profile, const struct use *use, size_t nr)
{
	char *written __autofree = NULL, *used __autofree = NULL;
	const struct use *writer = NULL, *other = NULL;
	unsigned long long most = 0;
	bool is_false = false;
	size_t i, j;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < nr; j++) {
			unsigned long long all = use[j].hits[0] + use[j].hits[1];
			bool differ = use[i].field != use[j].field;

			all = use[i].hits[1] < all ? use[i].hits[1] : all;
			if (use[i].cpu == use[j].cpu || differ < is_false ||
			    (differ == is_false && all <= most) || !all)
				continue;
			is_false = differ;
			most = all;
			writer = &use[i];
			other = &use[j];
		}
	}
	if (!most)
		return NULL;
	written = profile_name(&profile->field[writer->field]);
	used = profile_name(&profile->field[other->field]);
	return xasprintf("%s: CPU %zu writes %s; CPU %zu %s %s",
			 is_false ? "false sharing?" : "shared", writer->cpu, written,
			 other->cpu, other->hits[1] ? "writes" : "uses",
			 is_false ? used : "it, too");
}

/* Gets what is known of the object's cache line @index; profile_line_free() frees it. */
void profile_line(const struct profile *profile, size_t index, struct profile_line *line)
{
	bool *writers __autofree = xcalloc(profile->nr_cpus, sizeof(*writers));
	bool *others __autofree = xcalloc(profile->nr_cpus, sizeof(*others));
	struct use *use __autofree = NULL;
	unsigned int lead = profile->base % CACHE_LINE;
	size_t begin = index ? (index * CACHE_LINE - lead) / profile->grain : 0;
	size_t end = ((index + 1) * CACHE_LINE - lead) / profile->grain, piece, cpu, nr = 0;

	*line = (struct profile_line) {};
	if (end > profile->size / profile->grain)
		end = profile->size / profile->grain;
	for (piece = begin; piece < end; piece++) {
		for (cpu = 0; cpu < profile->nr_cpus; cpu++) {
			const unsigned long long *hits =
				&profile->hits[(piece * profile->nr_cpus + cpu) * 2];
			size_t field = profile->field_of[piece], i;

			line->hits += hits[0] + hits[1];
			writers[cpu] = writers[cpu] || hits[1];
			others[cpu] = others[cpu] || hits[0];
			if (field == SIZE_MAX || !(hits[0] + hits[1]))
				continue;
			for (i = 0; i < nr && (use[i].field != field || use[i].cpu != cpu); i++)
				;
			if (i == nr) {
				use = xreallocarray(use, ++nr, sizeof(*use));
				use[i] = (struct use) { .field = field, .cpu = cpu };
			}
			use[i].hits[0] += hits[0];
			use[i].hits[1] += hits[1];
		}
	}
	for (; line->first < profile->nr && (profile->field[line->first].off +
	       profile->field[line->first].size - 1) / profile->grain < begin; line->first++)
		;
	for (line->end = line->first; line->end < profile->nr &&
	     profile->field[line->end].off / profile->grain < end; line->end++)
		;
	line->writers = cpu_list(writers, profile->nr_cpus);
	line->others = cpu_list(others, profile->nr_cpus);
	line->hint = profile->percpu ? NULL : find_hint(profile, use, nr);
}

void profile_line_free(struct profile_line *line)
{
	free(line->writers);
	free(line->others);
	free(line->hint);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profile of an object: who reads and writes which field and cache line of it.
 */
#ifndef KSYMWATCH_PROFILE_H
#define KSYMWATCH_PROFILE_H

#include "hits/hits.h"

#define CACHE_LINE	64

struct type;

/**
 * struct pieces - what a watch of a long range did with each of its pieces
 * @len: length of each piece
 * @nr: their number
 * @enabled: for how long each was to be watched, in nanoseconds, over all CPUs
 * @running: for how long it was
 */
struct pieces {
	unsigned int		len;
	size_t			nr;
	unsigned long long	*enabled;
	unsigned long long	*running;
};

/**
 * struct profile_field - a field, or several that share a piece
 * @names: their names
 * @off: offset in the object
 * @size: their bytes
 * @summary: the hits by function
 * @reads: hits that read
 * @writes: hits that wrote
 * @coverage: how much of the time it was watched, from 0 to 1
 */
struct profile_field {
	struct strings		names;
	unsigned int		off;
	unsigned int		size;
	struct summary		summary;
	unsigned long long	reads;
	unsigned long long	writes;
	double			coverage;
};

/**
 * struct profile_line - a cache line of the object
 * @hits: the hits
 * @first: the first field in it
 * @end: the one after the last
 * @writers: the CPUs that wrote to it, as a list
 * @others: the CPUs that did something else
 * @hint: what CPUs disturb each other in it, or NULL
 */
struct profile_line {
	unsigned long long	hits;
	size_t			first;
	size_t			end;
	char			*writers;
	char			*others;
	char			*hint;
};

/**
 * struct profile - the profile
 * @sink: takes the hits
 * @base: address of the object; of a per-CPU one, modulo @mask
 * @mask: which bits of an address are compared
 * @percpu: each CPU has its own object, so they do not disturb each other
 * @size: size of the object
 * @grain: length of the pieces that are watched at a time
 * @nr_cpus: number of CPUs
 * @field: the fields by offset; what is between them is no field's
 * @nr: their number
 * @field_of: index of the field of each piece, or SIZE_MAX
 * @hits: for each piece and CPU, the number of hits that did not write and that did
 * @all: number of hits
 * @lost: number of those that the buffer lost, at least
 */
struct profile {
	struct sink		sink;
	unsigned long long	base;
	unsigned long long	mask;
	bool			percpu;
	unsigned int		size;
	unsigned int		grain;
	size_t			nr_cpus;
	struct profile_field	*field;
	size_t			nr;
	size_t			*field_of;
	unsigned long long	*hits;
	unsigned long long	all;
	unsigned long long	lost;
};

struct profile *profile_new(struct type *type, unsigned int size, unsigned int grain,
			    unsigned long long base, unsigned long long mask);
void profile_coverage(struct profile *profile, const struct pieces *before,
		      const struct pieces *after);
char *profile_name(const struct profile_field *field);
size_t profile_nr_lines(const struct profile *profile);
void profile_line(const struct profile *profile, size_t index, struct profile_line *line);
void profile_line_free(struct profile_line *line);
void pieces_free(struct pieces *pieces);

#endif /* KSYMWATCH_PROFILE_H */

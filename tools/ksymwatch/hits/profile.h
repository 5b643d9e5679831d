/* SPDX-License-Identifier: GPL-2.0-only */
/* The profile of an object: who reads and writes which field and cache line of it. */
#ifndef KSYMWATCH_PROFILE_H
#define KSYMWATCH_PROFILE_H

#include "hits/hits.h"

#define CACHE_LINE	64

struct type;

/* What a watch of a long range did with each of its pieces. */
struct pieces {
	unsigned int		len;		/* length of each piece */
	size_t			nr;
	unsigned long long	*enabled;	/* ns that each was to be watched, over all CPUs */
	unsigned long long	*running;	/* ns that it was watched */
};

/* A field, or several that share a piece. */
struct profile_field {
	struct strings		names;
	unsigned int		off;		/* offset in the object */
	unsigned int		size;
	struct summary		summary;	/* the hits by function */
	unsigned long long	reads;
	unsigned long long	writes;
	double			coverage;	/* how much of the time it was watched: 0 to 1 */
};

/* A cache line of the object. */
struct profile_line {
	unsigned long long	hits;
	size_t			first;		/* the first field in it */
	size_t			end;		/* the one after the last */
	char			*writers;	/* the CPUs that wrote to it, as a list */
	char			*others;	/* the CPUs that did something else */
	char			*hint;		/* what CPUs disturb each other in it, or NULL */
};

/* The profile. */
struct profile {
	struct sink		sink;
	unsigned long long	base;		/* address of the object, masked if per CPU */
	unsigned long long	mask;		/* which bits of an address are compared */
	bool			percpu;		/* the CPUs do not disturb each other */
	unsigned int		size;
	unsigned int		grain;		/* length of the pieces watched at a time */
	size_t			nr_cpus;
	struct profile_field	*field;		/* by offset; there may be gaps */
	size_t			nr;
	size_t			*field_of;	/* index of the field of each piece, or SIZE_MAX */
	unsigned long long	*hits;		/* by piece, CPU, and whether they wrote */
	unsigned long long	all;		/* number of hits */
	unsigned long long	lost;		/* hits that the buffer lost, at least */
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

/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of save and restore. */
#ifndef KSYMWATCH_SAVED_H
#define KSYMWATCH_SAVED_H

#include "backend/tracer/watches.h"

/* The watches in a file, and the number of each one's line. */
struct saved {
	struct watches	watches;
	unsigned int	*line;
};

char *saved_parse(struct saved *saved, const char *text, size_t size);
void saved_write(const char *path, const struct watches *watches);
void saved_free(struct saved *saved);
size_t lines_write(const struct strings *lines, const struct strings *shown);

#endif /* KSYMWATCH_SAVED_H */

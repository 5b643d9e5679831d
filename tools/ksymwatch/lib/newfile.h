/* SPDX-License-Identifier: GPL-2.0-only */
/* Output files that appear only when they are complete. */
#ifndef KSYMWATCH_NEWFILE_H
#define KSYMWATCH_NEWFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* An output file; there is one at a time. */
struct newfile {
	const char	*path;	/* its name as the user gave it, or NULL for stdout */
	char		*real;	/* the same without links */
	/* The temporary file beside it, or NULL if it is written in place */
	char		*part;
	FILE		*out;	/* the stream to write to */
};

char *newfile_real(const char *path, struct stat *st);
mode_t newfile_mode(const struct stat *st);
FILE *newfile_in_place(const char *path, bool append);
void newfile_open(struct newfile *file, const char *path);
void newfile_close(struct newfile *file, bool keep);
void newfile_remove(void);

#endif /* KSYMWATCH_NEWFILE_H */

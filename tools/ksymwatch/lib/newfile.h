/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output files that appear only when they are complete.
 */
#ifndef KSYMWATCH_NEWFILE_H
#define KSYMWATCH_NEWFILE_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct newfile - an output file; there is one at a time
 * @path: its name as the user gave it, or NULL for stdout
 * @real: the same without links, or NULL if the file is written in place
 * @part: the temporary file beside it
 * @out: the stream to write to
 */
struct newfile {
	const char	*path;
	char		*real;
	char		*part;
	FILE		*out;
};

void newfile_open(struct newfile *file, const char *path);
void newfile_close(struct newfile *file, bool keep);

#endif /* KSYMWATCH_NEWFILE_H */

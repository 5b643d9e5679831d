/* SPDX-License-Identifier: GPL-2.0-only */
/* What reads a trace.dat, for recording.c: plain.c what ksymwatch writes, foreign.c all else. */
#ifndef KSYMWATCH_READER_H
#define KSYMWATCH_READER_H

struct foreign;
struct hits;
struct plain;
struct tep_handle;
struct tracecmd_input;

struct plain *plain_open(const char *path, const char *folder);
struct tep_handle *plain_tep(struct plain *plain);
int plain_read(struct plain *plain, struct hits *hits);
void plain_close(struct plain *plain);

#ifdef NO_TRACECMD
/* Built without libtracecmd: STATIC=1. */
#define foreign_open(path)		((void)(path), NULL)
#define foreign_tep(foreign)		((void)(foreign), NULL)
#define foreign_read(foreign, hits)	((void)(foreign), (void)(hits), -1)
#define foreign_close(foreign)		((void)(foreign))
#define HAVE_FOREIGN			false
#else
struct foreign *foreign_open(const char *path);
struct tep_handle *foreign_tep(struct foreign *foreign);
int foreign_read(struct foreign *foreign, struct hits *hits);
void foreign_close(struct foreign *foreign);
/* libtracecmd exports it, but not in the header that is installed. */
int tracecmd_page_size(struct tracecmd_input *input);
#define HAVE_FOREIGN			true
#endif

/* The sanitizers report more about a crash, and take much memory for themselves. */
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED	true
#else
#define IS_SANITIZED	false
#endif

/* guard.c: a message instead of a crash in a library that reads a damaged file */
void guard_begin(const char *path);
void guard_end(void);

#endif /* KSYMWATCH_READER_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a trace.dat of trace-cmd, of any version and with any options.
 */
#ifndef KSYMWATCH_FOREIGN_H
#define KSYMWATCH_FOREIGN_H

struct foreign;
struct hits;

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
#define HAVE_FOREIGN			true
#endif

#endif /* KSYMWATCH_FOREIGN_H */

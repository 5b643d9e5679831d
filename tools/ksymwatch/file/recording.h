/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a trace.dat. */
#ifndef RECORDING_H
#define RECORDING_H

struct hits;
struct recording;

struct recording *recording_open(const char *path);
int recording_read(struct recording *recording, struct hits *hits);
void recording_close(struct recording *recording);

#endif /* RECORDING_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracer's watches, as ksym_trace_filter shows them. */
#ifndef KSYMWATCH_WATCHES_H
#define KSYMWATCH_WATCHES_H

#include "backend/counts.h"
#include "lib/util.h"
#include "spec/spec.h"

/* A watch. */
struct watch {
	char		*line;			/* its line, without the comment */
	struct ksym_spec spec;			/* the parsed line */
	/* The shown name: that of its event, as GRP/NAME where the group is not KSYM_GROUP */
	char		name[WATCH_NAME_LEN];
	char		*target;		/* its target as text */
	/* What a file of save says of the instances it was enabled in, or NULL */
	char		*enabled;
	/* How much of the time it was armed, or NO_COVERAGE where the line does not say */
	double		coverage;
	/* What else the kernel says of it: "done" and the like */
	struct strings	state;
	bool		ours;			/* ksymwatch made it; see owner_read() */
};

/* Maximum size of one write to ksym_trace_filter, which succeeds or fails as a whole. */
#define FILTER_MAX	4095

struct tracefs_instance;

struct watches {
	struct watch	*watch;
	size_t		nr;
	size_t		nr_ours;
};

char *watch_parse(struct watch *watch, const char *line);
void watch_free(struct watch *watch);
void watches_read(struct watches *watches);
void watches_free(struct watches *watches);
const struct watch *watches_find(const struct watches *watches, const char *name);
void watch_users(const char *name, bool top, struct strings *users);

char *full_name(const char *name);
char *event_file(const char *name, const char *file);
char *name_removal(const char *name);

char *tracer_file_read(const char *name);
int filter_write(const struct strings *lines, const struct strings *shown);
size_t filter_fit(const struct strings *lines, size_t first);
int filter_remove(const char *name);
void instance_write(struct tracefs_instance *instance, const char *file, const char *line,
		    const char *about);
char *slots_read(void);
void watch_counts(const char *event, struct counts *counts);

/* owner.c: which watches ksymwatch made, and which session uses which instance */
void owner_note(const struct strings *names);
void owner_read(struct watches *watches);
int owner_claim(char name[KSYM_EVENT_LEN]);
void owner_claim_watches(int note, const struct strings *names, struct strings *made);
int owner_release(const char *session, int note, const struct strings *made,
		  struct strings *removed);
void owner_sweep(struct strings *removed);

#endif /* KSYMWATCH_WATCHES_H */

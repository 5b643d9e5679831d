/* SPDX-License-Identifier: GPL-2.0-only */
/* A watch that follows objects, from an event that makes one to an event that ends it. */
#ifndef KSYMWATCH_FOLLOW_H
#define KSYMWATCH_FOLLOW_H

#include "spec/spec.h"

struct tracefs_instance;

/* An event, and the field in it that has the address of the object. */
struct follow_event {
	char	*group;	/* its group, or NULL for any */
	char	*event;
	/* The field as the triggers take it, with an offset or a type; NULL for any object */
	char	*field;
	/* A tracepoint probe that has what the event lacks, as GROUP/NAME, or NULL */
	char	*probe;
};

/* What a watch follows. */
struct follow {
	struct follow_event	start;		/* the event that points the watch at an object */
	const char		*filter;	/* only if its record passes, or NULL */
	/* The event that points it away; its @event is NULL if there is none */
	struct follow_event	until;
	/*
	 * The type and the member that is watched, as of an address; without a type if that is
	 * unknown
	 */
	struct ksym_target	target;
};

void follow_check(struct follow *follow);
void follow_begin(struct follow *follow, struct tracefs_instance *instance, const char *watch);

/* session_tracer.c: the next session's only watch follows this. */
void tracer_follow(struct follow *follow);

#endif /* KSYMWATCH_FOLLOW_H */

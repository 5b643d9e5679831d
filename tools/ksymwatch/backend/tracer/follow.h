/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A watch that follows objects, from an event that makes one to an event that ends it.
 */
#ifndef KSYMWATCH_FOLLOW_H
#define KSYMWATCH_FOLLOW_H

#include "spec/spec.h"

struct tracefs_instance;

/**
 * struct follow_event - an event, and the field in it that has the address of the object
 * @group: its group, or NULL for any
 * @event: its name
 * @field: the field as the triggers take it, with an offset or a type; NULL for any object
 * @probe: a tracepoint probe that has what the event lacks, as GROUP/NAME, or NULL
 */
struct follow_event {
	char	*group;
	char	*event;
	char	*field;
	char	*probe;
};

/**
 * struct follow - what a watch follows
 * @start: the event that points the watch at an object
 * @filter: only if its record passes, or NULL
 * @until: the event that points it away; its @event is NULL if there is none
 * @target: the type and the member that is watched, as of an address; without a type if
 *	that is unknown
 */
struct follow {
	struct follow_event	start;
	const char		*filter;
	struct follow_event	until;
	struct ksym_target	target;
};

void follow_check(struct follow *follow);
void follow_begin(struct follow *follow, struct tracefs_instance *instance, const char *watch);

/* session_tracer.c: the next session's only watch follows this. */
void tracer_follow(struct follow *follow);

#endif /* KSYMWATCH_FOLLOW_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPECs: the lines that make watches. The kernel's parser, ksym_parse.c, reads them; here is
 * what the tool adds to it.
 */
#ifndef KSYMWATCH_SPEC_H
#define KSYMWATCH_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "../../../kernel/trace/ksym/ksym_parse.h"

/* What separates the words of a line. */
#define BLANKS		" \t\r\v\f"

/* What names of C consist of. */
#define NAME_CHARS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* The group of the kernel's own events, of which stacks are two. */
#define FTRACE_GROUP	"ftrace"

/* The shown name of a watch: NAME or GRP/NAME. */
#define WATCH_NAME_LEN	(2 * KSYM_EVENT_LEN)

/*
 * The trace instance of a session, and the group of the watches that it makes; the second
 * session at a time has SESSION_NAME_2.
 */
#define SESSION_NAME	"ksymwatch"

/* A debug register watches so many bytes, and an x86 CPU has so many of them. */
#define REGISTER_LEN	8
#define NR_REGISTERS	(KSYM_LEN_MAX / REGISTER_LEN)

/* More than any x86 machine has. */
#define MAX_CPUS	8192

/* How an option about the SPEC before it begins, see specs_from_args(). */
#define FILTER_WORD	"--filter "
#define TRIGGER_WORD	"--trigger "

struct strings;

const char *spec_message(enum ksym_err code);
char *spec_fault_at(const char *line, size_t at, const char *message);
char *spec_fault(const char *line, const struct ksym_error *error);

int spec_parse(const char *line, struct ksym_spec *spec, struct ksym_error *error);
void spec_parse_or_die(const char *line, struct ksym_spec *spec);
bool spec_is_switch(const struct ksym_spec *spec);
char *spec_format(const struct ksym_spec *spec, const char *line);
char *spec_target(const struct ksym_target *target);
bool spec_is_option(const char *arg);
void spec_name(const struct ksym_spec *spec, char name[WATCH_NAME_LEN]);

char *cut_comment(char *line);
void specs_from_args(struct strings *specs, int argc, char **argv);

void split_event(const char *event, char group[KSYM_EVENT_LEN], char name[KSYM_EVENT_LEN]);
bool is_session_name(const char *name);
const char *shown_event(const char *event);
unsigned int register_len(unsigned long long addr, unsigned long long most);
bool is_identifier(const char *text, size_t len);
char *spec_machine_fault(const struct ksym_spec *spec, const char *line, size_t nr_cpus);
bool *parse_cpus(const char *list, size_t nr);

#endif /* KSYMWATCH_SPEC_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* How live and report show hits: the options that both have. */
#ifndef KSYMWATCH_OUTPUT_H
#define KSYMWATCH_OUTPUT_H

#include "cli/command.h"

struct json;
struct sink;
struct strings;

/* Elements for the table of options of a command. */
#define STYLE_OPTION { \
	0, "style", "STYLE", .take = output_take_style, \
	.help = "table (the default), or gdb: as gdb reports a watchpoint" \
}

#define JSON_LINES_OPTION(what) { \
	'j', "json", .flag = &output_json, .help = "print JSON, one object per " what \
}

#define JSON_OPTION	JSON_LINES_OPTION("line: hits and stacks, at the end a summary")

#define COLOUR_OPTION { \
	0, "color", "WHEN", .take = output_take_colour, \
	.help = "auto (default: on a terminal, unless NO_COLOR is set), always or never" \
}

#define BUFFER_OPTION(name) { \
	'B', "buffer", "INSTANCE", .text = &(name), \
	.help = "the buffer of this trace instance, instead of the top one" \
}

#define SRCLINE_OPTION { \
	0, "srcline", .flag = &output_srcline, \
	.help = "show source lines and inlined functions, by the kernel's debug info" \
}

#define QUIET_OPTION { \
	'q', "quiet", .flag = &quiet, .help = "do not print what is watched" \
}

extern bool output_json;
extern bool output_srcline;

void output_take_style(const struct command *cmd, const char *word);
void output_take_colour(const struct command *cmd, const char *word);
struct sink *output_sink(const struct command *cmd);
void json_counts(struct json *json, const char *name, const unsigned long long *nr, int first,
		 int end, bool zeros);
void json_coverage(struct json *json, double hits, double coverage);
void add_coverage(struct strings *cells, double hits, double coverage);

#endif /* KSYMWATCH_OUTPUT_H */

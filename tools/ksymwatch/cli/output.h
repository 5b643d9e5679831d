/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What report and live have in common: how hits are to look, colours, the pager.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <getopt.h>
#include <stdbool.h>

struct command;
struct sink;

enum output_style { STYLE_TABLE, STYLE_GDB };
enum output_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* What getopt_long() returns for the options that have no letter. */
enum output_option { OPTION_JSON = 'j', OPTION_STYLE = 256, OPTION_COLOUR, OPTION_NO_PAGER };

/**
 * struct output - how hits are to look
 * @style: as what
 * @is_styled: --style was given
 * @is_json: as JSON instead
 * @colour: with colours?
 * @no_pager: without a pager, also on a terminal
 */
struct output {
	enum output_style	style;
	bool			is_styled;
	bool			is_json;
	enum output_colour	colour;
	bool			no_pager;
};

void output_option(struct output *output, const struct command *cmd, int option,
		   const char *argument);
struct sink *output_sink(const struct output *output);

bool is_json_asked(const struct command *cmd, int argc, char **argv);
bool colour_wanted(enum output_colour colour, int fd);

void pager_start(void);

#endif /* OUTPUT_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A subcommand and its options.
 *
 * The options of a command are a table in its file. getopt_long()'s table, the usage line
 * and --help are made from it; the completion reads --help, and a test compares the man
 * page's SYNOPSIS with the usage lines.
 */
#ifndef KSYMWATCH_COMMAND_H
#define KSYMWATCH_COMMAND_H

#include <stdbool.h>

struct command;

/* An option of a command. */
struct command_option {
	char		letter;		/* its short form, or 0 */
	const char	*name;		/* its long form without the "--"; NULL ends a table */
	/* What the help calls its argument, or NULL if it takes none */
	const char	*argument;
	const char	*help;		/* what it does; may have several lines */
	bool		*flag;		/* set to true when the option is given, or NULL */
	const char	**text;		/* set to the argument, or NULL */
	/*
	 * It is about the SPEC before it, and stays among the arguments, as one of them:
	 * "--NAME ARGUMENT"
	 */
	bool		stays;
	/* Called with the argument, or with NULL if it takes none; may be NULL */
	void		(*take)(const struct command *cmd, const char *argument);
};

/* A subcommand. */
struct command {
	const char			*name;
	/* What follows the options in the usage line */
	const char			*arguments;
	const char			*summary;	/* what it does, in a line */
	const char			*help;		/* what it does, in full */
	const struct command_option	*options;	/* its options, or NULL */
	/* Further parts of the help, or NULL; ends with NULL */
	const char * const		*more;
	/* @argv[0] is the command's name; returns the exit status */
	int				(*run)(const struct command *cmd, int argc, char **argv);
};

/* Options of commands with SPECs and a session; specs_from_args() takes them. */
#define FILTER_OPTION								\
	{ 0, "filter", "FILTER", .stays = true, .help =				\
	  "only hits of the watch before it that pass, as if FILTER in its SPEC" }
#define TRIGGER_OPTION								\
	{ 0, "trigger", "TRIGGER", .stays = true, .help =			\
	  "set a trigger of ftrace on the event of the watch before it, for this\n"	\
	  "session only; with hist:... show the histogram at the end" }

/* Parts of the help of several commands. */
extern const char spec_help[];
extern const char session_help[];

int parse_options(const struct command *cmd, int argc, char **argv);
void no_arguments(const struct command *cmd, int argc, char **argv);
const char *only_file(const struct command *cmd, int argc, char **argv, const char *file);

[[gnu::noreturn, gnu::format(printf, 2, 3)]]
void die_usage(const struct command *cmd, const char *fmt, ...);

#endif /* KSYMWATCH_COMMAND_H */

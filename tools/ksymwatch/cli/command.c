// SPDX-License-Identifier: GPL-2.0-only
/* The options of a subcommand: parsing them, and its help. */
#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "lib/grid.h"
#include "lib/util.h"

/* What getopt_long() returns for the first option of a table. */
#define FIRST_OPTION	256

const char spec_help[] =
	"A SPEC is TARGET[:ACCESS] [OPTION...] [args FETCHARG...]. ACCESS is r, w or rw, by\n"
	"default w. For example:\n"
	"  panic_timeout     init_task+0x10:rw len=8     jiffies name=tick flexible cpu=0\n"
	"\n"
	"  [MODULE:]SYMBOL[@N]   a variable, of a module if given; the Nth of this name\n"
	"  SYMBOL[cpuN]          CPU N's copy of a per-CPU variable, instead of all copies\n"
	"  0xADDR                an address\n"
	"  SYMBOL+OFF            OFF bytes after SYMBOL; SYMBOL-OFF: before it\n"
	"  SYMBOL.MEMBER         a member, as in init_task.comm, if the type is known\n"
	"  (TYPE)SYMBOL.MEMBER   a member of this type: '(struct rq)runqueues.curr->on_cpu'\n"
	"  -1                    no address yet: a trigger sets it later\n"
	"  SPEC in FUNC          during each call of FUNC; the target can be arg1->MEMBER\n"
	"\n"
	"  len=N        number of bytes\n"
	"  name=NAME    name of the watch, or GRP/NAME\n"
	"  pinned       owns its debug register (the default)\n"
	"  flexible     takes turns with others in the registers that pinned watches leave\n"
	"  cpu=LIST     only on these CPUs, as in cpu=0,2-3\n"
	"  pid=N        only for this task; with inherit also for the tasks it starts\n"
	"  limit=N/ms   at most N hits per millisecond and CPU; limit=0 for no limit\n"
	"  budget=N%    at most N percent of a CPU's time (10%); budget=0 for no budget\n"
	"  count=N      stop after N hits\n"
	"  every=N      only each Nth hit; every=~N: a random one of N\n"
	"  objects=N    follow up to N objects at once; for -1, and after in\n"
	"  timeout=T    leave an object after T, as in 500ms; for -1, and after in\n"
	"  changed      only hits that changed the value\n"
	"  wrote        record the value that the instruction stored, if known\n"
	"  stack        record the kernel stack; ustack: the user stack\n"
	"  off          define the watch without arming it\n"
	"  args ...     record more with each hit, as in args c=$comm v=+8($addr):x64\n"
	"  if FILTER    only hits that pass, as in if 'old != new && comm == \"sh\"'\n"
	"  then ACTION  after the first hit: traceoff, snapshot, panic; signal=N: at each\n";

const char session_help[] =
	"@NAME in place of a SPEC uses an existing watch; without a SPEC all of them are used. The\n"
	"watches that this command makes are its own, and end with it. It ends by itself when\n"
	"the count= of all its watches is used up, and at traceoff.\n";

static bool is_end(const struct command_option *option)
{
	return !option || !option->name;
}

static void print_options(const struct command_option *options)
{
	struct grid grid = { .columns = 2 };
	const struct command_option *option;
	const char *line;

	for (option = options; !is_end(option); option++) {
		char letter[] = { '-', option->letter, ',', ' ', '\0' };

		strings_add_owned(&grid.cells, xasprintf("  %s--%s%s%s ",
							 option->letter ? letter : "", option->name,
							 option->argument ? " " : "",
							 option->argument ?: ""));
		for (line = option->help; line; line = strchr(line, '\n')) {
			if (*line == '\n') {
				strings_add(&grid.cells, "");
				line++;
			}
			strings_add_owned(&grid.cells,
					  xasprintf("%.*s", (int)strcspn(line, "\n"), line));
		}
	}
	grid_print(&grid, stdout);
}

/* Prints a word of the usage line, which goes on below the command. Frees the word. */
static int print_word(int column, char *word)
{
	int len = strlen(word);

	if (column + len > 90)
		column = printf("\n          ") - 1;
	column += printf(" %s", word);
	free(word);
	return column;
}

static void print_usage(const struct command *cmd)
{
	const struct command_option *option;
	int column = printf("usage: ksymwatch %s", cmd->name);

	for (option = cmd->options; !is_end(option); option++) {
		char letter[] = { '-', option->letter, '\0' };

		/* It is rather a part of a SPEC. */
		if (option->stays)
			continue;
		column = print_word(column, xasprintf("[%s%s%s%s]",
						      option->letter ? letter : "--",
						      option->letter ? "" : option->name,
						      option->argument ? " " : "",
						      option->argument ?: ""));
	}
	if (*cmd->arguments)
		print_word(column, xstrdup(cmd->arguments));
	putchar('\n');
}

static void print_help(const struct command *cmd)
{
	const char * const *more;

	print_usage(cmd);
	printf("\n%s", cmd->help);
	if (!is_end(cmd->options))
		putchar('\n');
	print_options(cmd->options);
	for (more = cmd->more; more && *more; more++)
		printf("\n%s", *more);
	flush_stdout();
}

/*
 * A target or a fetch argument may start with a minus and a digit. getopt_long() would
 * take it for an option, unless a blank precedes it.
 */
static bool is_number(const char *text)
{
	return text[0] == '-' && isdigit((unsigned char)text[1 + (text[1] == 'u')]);
}

static void hide_numbers(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (is_number(argv[i]))
			argv[i] = xasprintf(" %s", argv[i]);
}

static char *unhide_number(char *text)
{
	return text && *text == ' ' && is_number(text + 1) ? text + 1 : text;
}

[[gnu::noreturn]]
static void die_of_option(const struct command *cmd, const char *letters, const char *arg)
{
	if (optopt && !strncmp(arg, "--", 2) && strchr(arg, '='))
		die_usage(cmd, "option '%.*s' takes no argument", (int)strcspn(arg, "="), arg);
	/* Among several letters in one word, optind still points to the word. */
	if (optopt && !strchr(letters, optopt))
		die_usage(cmd, "unknown option '-%c'", optopt);
	die_usage(cmd, "unknown option '%s'", arg);
}

/* Takes the option for what getopt_long() returned. Returns the argument that it leaves. */
static char *take_option(const struct command *cmd, int value)
{
	const struct command_option *option = cmd->options;
	const char *argument = unhide_number(optarg);

	while (value != option->letter && value != FIRST_OPTION + (option - cmd->options))
		option++;
	if (option->flag)
		*option->flag = true;
	if (option->text)
		*option->text = argument;
	if (option->take)
		option->take(cmd, argument);
	return option->stays ? xasprintf("--%s %s", option->name, argument) : NULL;
}

/**
 * parse_options - take the options of a command, and move the other arguments to the end;
 * returns the index of the first of them. Prints the help and exits if asked to.
 */
int parse_options(const struct command *cmd, int argc, char **argv)
{
	struct option options[16] = { { "help", no_argument, NULL, 'h' } };
	/* The minus: arguments and options are returned in their order. */
	char letters[40] = "-:h", *p = letters + strlen(letters), *left;
	const struct command_option *option;
	int value, nr = 0, i;

	for (option = cmd->options, i = 0; !is_end(option); option++, i++) {
		options[i + 1] = (struct option) {
			.name = option->name,
			.has_arg = option->argument ? required_argument : no_argument,
			.val = FIRST_OPTION + i,
		};
		if (option->letter)
			p += sprintf(p, "%c%s", option->letter, option->argument ? ":" : "");
	}
	opterr = 0;
	hide_numbers(argc, argv);
	while ((value = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		left = NULL;
		switch (value) {
		case 1:
			left = optarg;
			break;
		case 'h':
			print_help(cmd);
			exit(STATUS_OK);
		case ':':
			die_usage(cmd, "option '%s' requires an argument", argv[optind - 1]);
		case '?':
			die_of_option(cmd, letters, argv[optind - 1]);
		default:
			left = take_option(cmd, value);
		}
		/* All before optind was read. */
		if (left)
			argv[1 + nr++] = left;
	}
	/* After -- there can be more. */
	memmove(argv + optind - nr, argv + 1, nr * sizeof(*argv));
	for (i = optind - nr; i < argc; i++)
		argv[i] = unhide_number(argv[i]);
	return optind - nr;
}

/* For a command that takes options only. */
void no_arguments(const struct command *cmd, int argc, char **argv)
{
	int first = parse_options(cmd, argc, argv);

	if (first < argc)
		die_usage(cmd, "unexpected argument '%s'", argv[first]);
}

/* For a command that takes one file, or by default @file; NULL if it must be given. */
const char *only_file(const struct command *cmd, int argc, char **argv, const char *file)
{
	int first = parse_options(cmd, argc, argv);

	if (first + 1 < argc)
		die_usage(cmd, "unexpected argument '%s'", argv[first + 1]);
	if (first == argc && !file)
		die_usage(cmd, "missing FILE; - is standard input or output");
	return first < argc ? argv[first] : file;
}

void die_usage(const struct command *cmd, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	if (cmd)
		err("%s: %s (see ksymwatch %s --help)", cmd->name, text, cmd->name);
	else
		err("%s (see ksymwatch --help)", text);
	free(text);
	exit(STATUS_USAGE);
}

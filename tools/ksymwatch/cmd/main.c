// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line: which subcommand, and what is common to their options.
 */
#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ksymwatch.h"
#include "symbols/resolve.h"

/* The one option that stands before the command. */
#define VMLINUX_OPTION	"--vmlinux"

#define SPEC_HELP \
	"A SPEC is TARGET[:ACCESS] [OPTION...] [args FETCHARG...]; ACCESS is r, w or rw,\n" \
	"and w where it is left out. For example:\n" \
	"  pid_max     init_task+0x10:rw len=8     jiffies name=tick flexible cpu=0\n" \
	"\n" \
	"  [MODULE:]SYMBOL[@N]   a variable, of a module; the Nth of those of this name\n" \
	"  SYMBOL[cpuN]          the copy of CPU N of a per-CPU variable, and not all\n" \
	"  0xADDR                what is at an address\n" \
	"  SYMBOL+OFF            so many bytes behind it; likewise -OFF\n" \
	"  SYMBOL.MEMBER         a member, as in init_task.comm, where the type is known\n" \
	"  (TYPE)SYMBOL.MEMBER   likewise elsewhere: '(struct rq)runqueues.curr->on_cpu'\n" \
	"  -1                    nowhere yet: a trigger tells the address later\n" \
	"\n" \
	"  len=N        how many bytes\n" \
	"  name=NAME    the name of the watch, or GRP/NAME\n" \
	"  pinned       it has its debug register for itself (the default)\n" \
	"  flexible     it takes turns with others in what the pinned ones leave\n" \
	"  cpu=LIST     on these CPUs only, as in cpu=0,2-3\n" \
	"  pid=N        only what this task does, and with inherit what it starts\n" \
	"  limit=N/ms   no more hits than that on a CPU; limit=0 for no limit\n" \
	"  budget=N%    no more of a CPU's time than that (10%%); budget=0 for any\n" \
	"  count=N      it ends after so many hits\n" \
	"  changed      only hits that changed the value\n" \
	"  wrote        with each hit what its instruction stored, where that is known\n" \
	"  stack        with each hit the kernel's stack; ustack: the task's in user space\n" \
	"  args ...     what else to record with a hit, as in args c=$comm v=+8($addr):x64\n"

#define SESSION_HELP \
	"A SPEC that is the name of a watch stands for that watch; without any SPEC, all\n" \
	"watches are taken that there are. Watches that are made for this are removed at\n" \
	"the end, those that were there stay.\n"

#define OUTPUT_HELP \
	"  --style STYLE   table (the default), or gdb for what gdb shows at a watchpoint\n" \
	"  -j, --json      JSON, an object a line: hits and stacks, at the end a summary\n" \
	"  --color WHEN    auto (the default: on a terminal, unless NO_COLOR is set), always\n" \
	"                  or never\n"

#define JSON_HELP \
	"  -j, --json   JSON, an object a line\n"

static const struct command commands[] = {
	{
		.name = "add", .run = cmd_add,
		.synopsis = "[--dry-run] SPEC...",
		.summary = "make watches",
		.help =
"Makes the watches, all of them or none. They stay until they are removed.\n"
"\n"
"  -n, --dry-run   add nothing: show which variables the SPECs name, which may be shell\n"
"                  patterns, as in 'nr_*' or 'ext4:*'\n"
"\n" SPEC_HELP,
	}, {
		.name = "rm", .run = cmd_rm,
		.synopsis = "NAME|TARGET... | --all",
		.summary = "remove watches",
		.help =
"Removes the watches of these names, whoever made them, or those that ksymwatch\n"
"made on these targets; all of them or none. This empties the trace buffers in\n"
"which they were enabled: read those first.\n"
"\n"
"  -a, --all   remove all watches that ksymwatch made, and say which others there are\n",
	}, {
		.name = "list", .run = cmd_list,
		.synopsis = "[--json]",
		.summary = "show the watches and what they counted",
		.help =
"Shows each watch with its kind, CPUs and task; its hits, how many of them changed\n"
"the value, how many accesses were not recorded; how much of the time it was armed\n"
"(COVERAGE), and an estimate of the hits had it been all the time (ESTIMATE); what\n"
"else is to be said (STATE); and the trace instances it is enabled in (top is the\n"
"one that needs no instance).\n"
"\n" JSON_HELP,
	}, {
		.name = "slots", .run = cmd_slots,
		.synopsis = "[--json]",
		.summary = "show who holds the debug registers",
		.help =
"Shows for each CPU who holds its four debug registers: the watch of that name, or\n"
"others, such as perf and debuggers; and how many are free.\n"
"\n" JSON_HELP,
	}, {
		.name = "explain", .run = cmd_explain,
		.synopsis = "[--json] [--vmlinux FILE] TARGET[:ACCESS] [OPTION...]...",
		.summary = "show what a target is, and whether it can be watched",
		.help =
"Shows the symbol, its section, address and type, what would be watched, how many\n"
"debug registers that takes and whether they are free, and the line for\n"
"ksym_trace_filter; or why it can't be watched. Makes no watch. The exit status is 0\n"
"where all of the SPECs can be watched, and otherwise 1.\n"
"\n"
"  -j, --json        a JSON object a line\n"
"  --vmlinux FILE    the kernel's debug info (DWARF)\n"
"  --btf FILE        the kernel's BTF, instead of /sys/kernel/btf/vmlinux\n"
"  --kallsyms FILE   the symbols of some kernel, instead of /proc/kallsyms\n"
"\n" SPEC_HELP,
	}, {
		.name = "save", .run = cmd_save,
		.synopsis = "FILE",
		.summary = "write the watches into a file",
		.help =
"Writes all watches, whoever made them, into FILE, or where that is - to stdout, as\n"
"lines that restore and ksym_trace_filter take. A watch of a task becomes a comment,\n"
"as the number may be another task's by then.\n",
	}, {
		.name = "restore", .run = cmd_restore,
		.synopsis = "FILE",
		.summary = "make the watches in a file",
		.help =
"Makes the watches that save wrote into FILE, or where that is - those on stdin: all\n"
"of them or none. What is there already stays as it is, and so do other watches. A\n"
"watch is enabled in the instances that it was enabled in, as far as there are such.\n",
	}, {
		.name = "live", .run = cmd_live,
		.synopsis = "[--style STYLE | --json] [SPEC...]",
		.summary = "show hits as they come",
		.help =
"Shows hits as they come until Ctrl-C (or SIGTERM, SIGHUP), then who hit what\n"
"how often. It has a trace buffer of its own and takes hits from nobody.\n"
"\n" OUTPUT_HELP "\n" SESSION_HELP "\n" SPEC_HELP,
	}, {
		.name = "record", .run = cmd_record,
		.synopsis = "[-q] [-o FILE | --to HOST:PORT] [SPEC...] [-- COMMAND [ARG...]]",
		.summary = "record hits while a command runs, or until Ctrl-C",
		.help =
"Runs the command, and writes the hits of that time, whoever did them, into a\n"
"file that trace-cmd, KernelShark and ksymwatch report read. Who hit what how\n"
"often is shown on stderr at the end. The exit status is the command's, 128+N\n"
"where signal N ended it; 127 where there is no such command, 126 where it\n"
"can't be run, and 1 where the recording failed.\n"
"\n"
"Without a command it records until Ctrl-C (or SIGTERM, SIGHUP, SIGQUIT). On a\n"
"terminal a line tells how many hits there are so far, how many were lost and how\n"
"many bytes are written.\n"
"\n"
"  -o, --output FILE   the file to write (trace.dat)\n"
"  --to HOST:PORT      send the hits to the trace-cmd listen that runs there, and\n"
"                      write no file here\n"
"  -q, --quiet         no such line, and no summary at the end\n"
"\n" SESSION_HELP "\n" SPEC_HELP,
	}, {
		.name = "doctor", .run = cmd_doctor,
		.synopsis = "[--json]",
		.summary = "show what this kernel and machine offer, and test a watch",
		.help =
"Shows a line for each thing that watching takes: ok, warn or FAIL, what there is, and\n"
"what to do about what is missing. The last one makes a watch, on a variable that\n"
"sysctl shows, reads and writes that, and looks whether it fires. The exit status is\n"
"0 where it does, whatever else is missing, and 1 where it does not.\n"
"\n"
"  -j, --json   a line of JSON for each thing\n",
	}, {
		.name = "top", .run = cmd_top,
		.synopsis = "[-d SECONDS] [-s COLUMN] [-b [-n N]] [SPEC...]",
		.summary = "show which functions hit which watches how often, live",
		.help =
"Shows a row for each watch and each function that hits it: hits in a second, hits\n"
"since it began, how many of them read, wrote, and changed the value, and the last\n"
"value. Keys sort and filter the rows, freeze them and show the stacks of one; h tells\n"
"which. It ends with q or Ctrl-C (or SIGTERM, SIGHUP, SIGQUIT).\n"
"\n"
"  -d, --delay SECONDS    the time between two refreshes (2)\n"
"  -s, --sort COLUMN      sort by this column (hits/s)\n"
"  -n, --iterations N     end after so many refreshes\n"
"  -b, --batch            print text, for a file or a script, and no stacks\n"
"  --no-stacks            record no stacks\n"
"\n" SESSION_HELP "\n" SPEC_HELP,
	}, {
		.name = "stat", .run = cmd_stat,
		.synopsis = "[-r N] [-o FILE [--append]] [--json] [SPEC...] [-- COMMAND [ARG...]]",
		.summary = "count hits while a command runs, or until Ctrl-C",
		.help =
"Runs the command, and shows on stderr what the watches counted meanwhile, whoever\n"
"did it: hits, how many of them read, wrote, did what is not known, and changed the\n"
"value; how many were missed, and why; hits in a second; how much of the time a\n"
"flexible watch was armed, and an estimate of the hits had it been all the time. The\n"
"tracer counts these: they are exact, and nothing is recorded. Without a command it\n"
"counts until Ctrl-C (or SIGTERM, SIGHUP, SIGQUIT). The exit status is that of the\n"
"command, as with ksymwatch record.\n"
"\n"
"  -r, --repeat N      run it N times: means, and how much they vary\n"
"  -o, --output FILE   show it in FILE and not on stderr\n"
"  --append            add to what is in FILE\n"
"  -j, --json          a line of JSON for each watch\n"
"\n" SESSION_HELP "\n" SPEC_HELP,
	}, {
		.name = "report", .run = cmd_report,
		.synopsis = "[--style STYLE | --json] [FILE]",
		.summary = "show a recording",
		.help =
"Shows the hits in FILE (trace.dat), which ksymwatch record or trace-cmd record\n"
"wrote, and then who hit what how often. It takes no special rights.\n"
"\n" OUTPUT_HELP
"  --no-pager      also on a terminal, don't show it by way of $KSYMWATCH_PAGER, $PAGER\n"
"                  or less\n",
	}, {
		.name = "export", .run = cmd_export,
		.synopsis = "--csv | --perfetto [-o FILE] [FILE]",
		.summary = "turn a recording into CSV, or a trace for Perfetto",
		.help =
"Writes the hits in FILE (trace.dat) in another format.\n"
"\n"
"  --csv               comma-separated values: a line that names them, and one a hit\n"
"  --perfetto          the JSON that ui.perfetto.dev and chrome://tracing open: values\n"
"                      as counters, hits as events of their tasks\n"
"  -o, --output FILE   the file to write (the standard output)\n",
	}, {
		.name = "plot", .run = cmd_plot,
		.synopsis = "[-o FILE.html] [FILE]",
		.summary = "turn a recording into a page for a browser",
		.help =
"Writes a page that shows the hits in FILE (trace.dat): values over time, and hits by\n"
"function, CPU and task. The page needs no network, nor any other file.\n"
"\n"
"  -o, --output FILE   the file to write (the standard output)\n",
	},
};

static void print_help(void)
{
	size_t i;

	puts("usage: ksymwatch [--vmlinux FILE] COMMAND [ARG...]\n"
	     "\n"
	     "Watches variables of the running kernel: who reads and writes them, and what.\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].summary);
	puts("\n"
	     "  --vmlinux FILE  before the COMMAND: the kernel's debug info, for types\n"
	     "  -h, --help      this text; that of a command with ksymwatch COMMAND --help\n"
	     "  -V, --version   the version\n"
	     "\n"
	     "It takes root, but for report, export and plot, and a kernel with\n"
	     "CONFIG_KSYM_TRACER=y; others do for what does not outlast the command. The exit\n"
	     "status is 0, 1 after a failure, 2 for a command line that is wrong; that of record\n"
	     "and stat is their command's.");
}

static void print_command_help(const struct command *cmd)
{
	printf("usage: ksymwatch %s%s%s\n\n%s", cmd->name, *cmd->synopsis ? " " : "",
	       cmd->synopsis, cmd->help);
}

static bool is_either(const char *arg, const char *a, const char *b)
{
	return !strcmp(arg, a) || !strcmp(arg, b);
}

/* Is this --OPTION=VALUE? Of an option that takes none, optopt is what it stands for. */
static bool is_long_with_value(const char *arg)
{
	return !strncmp(arg, "--", 2) && strchr(arg, '=');
}

/*
 * As getopt_long(), with our own messages. Prints the help where it is asked for; so
 * each command's options include 'h', and its short options begin with ':'.
 */
int next_option(const struct command *cmd, int argc, char **argv,
		const char *short_options, const struct option *long_options)
{
	int option;

	opterr = 0;
	option = getopt_long(argc, argv, short_options, long_options, NULL);
	switch (option) {
	case 'h':
		print_command_help(cmd);
		flush_stdout();
		exit(STATUS_OK);
	case ':':
		die_usage(cmd, "'%s' wants an argument", argv[optind - 1]);
	case '?':
		/* Of short options in a row, optind is still at the row. */
		if (optopt && !strchr(short_options, optopt) &&
		    !is_long_with_value(argv[optind - 1]))
			die_usage(cmd, "there is no option '-%c'", optopt);
		die_usage(cmd, "there is no option '%s', or not in this form",
			  argv[optind - 1]);
	default:
		/* What hide_numbers() did to an option's own argument. */
		if (optarg && optarg[0] == ' ' && optarg[1] == '-')
			optarg++;
		return option;
	}
}

/*
 * A target or a fetch argument may begin with a minus and a number. No option does, but
 * getopt_long() takes them for one, which a blank before them prevents; the tracer
 * passes over that.
 */
void hide_numbers(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (argv[i][0] == '-' && isdigit((unsigned char)argv[i][1 + (argv[i][1] == 'u')]))
			argv[i] = xasprintf(" %s", argv[i]);
}

/* For a command that has no option but --help; returns where its arguments begin. */
int parse_no_options(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{}
	};

	while (next_option(cmd, argc, argv, ":h", options) != -1)
		;
	return optind;
}

/* Returns the one FILE behind the options, or what it is called by default. */
const char *only_file(const struct command *cmd, int argc, char **argv)
{
	if (argc - optind > 1)
		die_usage(cmd, "'%s' is too much: it takes one FILE", argv[optind + 1]);
	return optind < argc ? argv[optind] : "trace.dat";
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *cmd;
	const char *vmlinux;
	int nr;

	if (argc > 1 && !strncmp(argv[1], VMLINUX_OPTION, strlen(VMLINUX_OPTION)) &&
	    strchr("=", argv[1][strlen(VMLINUX_OPTION)])) {
		/* It may stand behind a '=', too, as that of any long option. */
		vmlinux = strchr(argv[1], '=');
		nr = vmlinux ? 1 : 2;
		vmlinux = vmlinux ? vmlinux + 1 : argv[2];
		if (!vmlinux || !*vmlinux)
			die_usage(NULL, "'" VMLINUX_OPTION "' wants an argument");
		resolve_set_options(&(struct resolve_options) { .types.vmlinux = vmlinux });
		argc -= nr;
		argv += nr;
	}
	if (argc < 2)
		die_usage(NULL, "a COMMAND is missing");
	if (is_either(argv[1], "-h", "--help")) {
		print_help();
		flush_stdout();
		return STATUS_OK;
	}
	if (is_either(argv[1], "-V", "--version")) {
		puts("ksymwatch " KSYMWATCH_VERSION);
		flush_stdout();
		return STATUS_OK;
	}
	cmd = find_command(argv[1]);
	if (!cmd)
		die_usage(NULL, "there is no %s '%s'", *argv[1] == '-' ? "option" :
			  "command", argv[1]);
	return cmd->run(cmd, argc - 1, argv + 1);
}

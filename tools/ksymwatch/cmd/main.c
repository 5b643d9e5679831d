// SPDX-License-Identifier: GPL-2.0-only
/* The command line up to the subcommand. */
#include <stdlib.h>
#include <string.h>

#include "cli/signals.h"
#include "cmd/commands.h"
#include "lib/util.h"
#include "lib/version.h"
#include "symbols/resolve.h"

static const struct command * const commands[] = {
	&cmd_add, &cmd_remove, &cmd_list, &cmd_slots, &cmd_explain, &cmd_save, &cmd_restore,
	&cmd_live, &cmd_record, &cmd_follow, &cmd_hunt, &cmd_extract, &cmd_profile, &cmd_doctor,
	&cmd_top, &cmd_stat, &cmd_report, &cmd_diff, &cmd_export, &cmd_plot,
};

static void print_help(void)
{
	size_t i;

	puts("usage: ksymwatch [--vmlinux FILE] [--kallsyms FILE] COMMAND [ARG...]\n"
	     "\n"
	     "Watches variables of the running kernel: who reads and writes them, and what.\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
	puts("\n"
	     "  --vmlinux FILE   the kernel's debug info: symbols, types and source lines\n"
	     "  --kallsyms FILE  its System.map, if /proc/kallsyms has no variables\n"
	     "  -h, --help       this text; ksymwatch COMMAND --help: that of a command\n"
	     "  -V, --version    the version\n"
	     "\n"
	     "Requires root (except report, diff, export, plot). On kernels without CONFIG_KSYM_TRACER,\n"
	     "watches last only as long as the command. The exit status is 0 on success, 1 on\n"
	     "failure and 2 for a wrong command line; record and stat return their command's.");
}

static bool is_either(const char *arg, const char *a, const char *b)
{
	return !strcmp(arg, a) || !strcmp(arg, b);
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	die_usage(NULL, "unknown %s '%s'", *name == '-' ? "option" : "command", name);
}

/* The file with the kernel's debug info, if it is not where distributions put it. */
static void take_variable(void)
{
	const char *vmlinux = getenv("KSYMWATCH_VMLINUX");

	if (vmlinux && *vmlinux)
		sources.vmlinux = vmlinux;
}

/*
 * Takes the option at @argv[at], if it is one of any command. Returns the number of its
 * arguments, or 0.
 */
static int take_option(char **argv, int at)
{
	const struct {
		const char *name, **text;
	} known[] = {
		{ "--vmlinux", &sources.vmlinux },
		{ "--kallsyms", &sources.kallsyms },
	};
	const char *equals = strchr(argv[at], '='), *text;
	size_t len = strcspn(argv[at], "="), i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (len != strlen(known[i].name) || strncmp(argv[at], known[i].name, len))
			continue;
		text = equals ? equals + 1 : argv[at + 1];
		if (!text || !*text)
			die_usage(NULL, "option '%s' requires an argument", known[i].name);
		*known[i].text = text;
		return equals ? 1 : 2;
	}
	return 0;
}

/* Takes the options of any command out of the arguments. Returns how many remain. */
static int take_options(int argc, char **argv)
{
	const char *command = NULL;
	int from, to = 1, nr;

	for (from = 1; from < argc; from += nr) {
		/* explain has such options of its own, for other kernels. */
		bool end = !strcmp(argv[from], "--") ||
			   (command && !strcmp(command, cmd_explain.name));

		nr = end ? 0 : take_option(argv, from);
		if (nr)
			continue;
		nr = end ? argc - from : 1;
		if (!command && *argv[from] != '-')
			command = argv[from];
		memmove(&argv[to], &argv[from], nr * sizeof(*argv));
		to += nr;
	}
	argv[to] = NULL;
	return to;
}

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>

/* Only what is left when a command has returned is a leak, not what exit() interrupts. */
static bool returned;

int __lsan_is_turned_off(void)
{
	return !returned;
}
#endif

int main(int argc, char **argv)
{
	const struct command *cmd;
	int status = STATUS_OK;

	signals_catch_limit();
	take_variable();
	argc = take_options(argc, argv);
	if (argc < 2)
		die_usage(NULL, "missing COMMAND");
	if (is_either(argv[1], "-h", "--help")) {
		print_help();
	} else if (is_either(argv[1], "-V", "--version")) {
		puts("ksymwatch " KSYMWATCH_VERSION);
	} else {
		cmd = find_command(argv[1]);
		status = cmd->run(cmd, argc - 1, argv + 1);
	}
	flush_stdout();
#ifdef __SANITIZE_ADDRESS__
	returned = true;
#endif
	return status;
}

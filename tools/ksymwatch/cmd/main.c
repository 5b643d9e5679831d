// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line up to the subcommand.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "lib/util.h"
#include "lib/version.h"
#include "symbols/resolve.h"

/* The only option before the command. */
#define VMLINUX_OPTION	"--vmlinux"

static const struct command * const commands[] = {
	&cmd_add, &cmd_remove, &cmd_list, &cmd_slots, &cmd_explain, &cmd_save, &cmd_restore,
	&cmd_live, &cmd_record, &cmd_follow, &cmd_hunt, &cmd_doctor, &cmd_top, &cmd_stat,
	&cmd_report, &cmd_export, &cmd_plot,
};

static void print_help(void)
{
	size_t i;

	puts("usage: ksymwatch [--vmlinux FILE] COMMAND [ARG...]\n"
	     "\n"
	     "Watches variables of the running kernel: who reads and writes them, and what.\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
	puts("\n"
	     "  --vmlinux FILE  before COMMAND: the kernel's debug info, for types\n"
	     "  -h, --help      this text; ksymwatch COMMAND --help: that of a command\n"
	     "  -V, --version   the version\n"
	     "\n"
	     "Requires root (except report, export, plot). On kernels without CONFIG_KSYM_TRACER,\n"
	     "watches last only as long as the command. The exit status is 0 on success, 1 on\n"
	     "failure and 2 for a wrong command line; record and stat return their command's.");
	flush_stdout();
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

/* Returns the number of arguments that --vmlinux FILE or --vmlinux=FILE takes, or 0. */
static int take_vmlinux(int argc, char **argv)
{
	const size_t len = strlen(VMLINUX_OPTION);
	const char *vmlinux, *equals;

	if (argc < 2 || strncmp(argv[1], VMLINUX_OPTION, len) || !strchr("=", argv[1][len]))
		return 0;
	equals = strchr(argv[1], '=');
	vmlinux = equals ? equals + 1 : argv[2];
	if (!vmlinux || !*vmlinux)
		die_usage(NULL, "option '" VMLINUX_OPTION "' requires an argument");
	resolve_set_options(&(struct resolve_options) { .types.debuginfo.vmlinux = vmlinux });
	return equals ? 1 : 2;
}

int main(int argc, char **argv)
{
	int nr = take_vmlinux(argc, argv);
	const struct command *cmd;

	argc -= nr;
	argv += nr;
	if (argc < 2)
		die_usage(NULL, "missing COMMAND");
	if (is_either(argv[1], "-h", "--help")) {
		print_help();
		return STATUS_OK;
	}
	if (is_either(argv[1], "-V", "--version")) {
		puts("ksymwatch " KSYMWATCH_VERSION);
		flush_stdout();
		return STATUS_OK;
	}
	cmd = find_command(argv[1]);
	return cmd->run(cmd, argc - 1, argv + 1);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands; each is in the file of its name. */
#ifndef KSYMWATCH_COMMANDS_H
#define KSYMWATCH_COMMANDS_H

#include "cli/command.h"

extern const struct command cmd_add, cmd_remove, cmd_list, cmd_slots, cmd_explain, cmd_save,
			    cmd_restore, cmd_live, cmd_record, cmd_follow, cmd_hunt, cmd_extract,
			    cmd_profile, cmd_doctor, cmd_top, cmd_stat, cmd_report, cmd_diff,
			    cmd_export, cmd_plot;

#endif /* KSYMWATCH_COMMANDS_H */

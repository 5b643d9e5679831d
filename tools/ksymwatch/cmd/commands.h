/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The subcommands; each is in the file of its name.
 */
#ifndef KSYMWATCH_COMMANDS_H
#define KSYMWATCH_COMMANDS_H

#include "cli/command.h"

extern const struct command cmd_add;
extern const struct command cmd_remove;
extern const struct command cmd_list;
extern const struct command cmd_slots;
extern const struct command cmd_explain;
extern const struct command cmd_save;
extern const struct command cmd_restore;
extern const struct command cmd_live;
extern const struct command cmd_record;
extern const struct command cmd_extract;
extern const struct command cmd_doctor;
extern const struct command cmd_follow;
extern const struct command cmd_hunt;
extern const struct command cmd_profile;
extern const struct command cmd_top;
extern const struct command cmd_stat;
extern const struct command cmd_report;
extern const struct command cmd_diff;
extern const struct command cmd_export;
extern const struct command cmd_plot;

#endif /* KSYMWATCH_COMMANDS_H */

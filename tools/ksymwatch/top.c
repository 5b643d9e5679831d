#include "ksymwatch.h"
int cmd_top(const struct command *cmd, int argc, char **argv) { (void)cmd;(void)argc;(void)argv;return 0; }

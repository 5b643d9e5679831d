/* SPDX-License-Identifier: GPL-2.0-only */
/* The running kernel's code, for the decoder of accesses. */
#ifndef KSYMWATCH_CODE_H
#define KSYMWATCH_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct access_trap;

bool code_open(char **why);
void code_turn(void);
unsigned int code_access(const struct access_trap *trap, uint64_t time);
bool code_stored(const struct access_trap *trap, uint64_t time, uint64_t *value);
void code_close(void);

#endif /* KSYMWATCH_CODE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the target of a SPEC says.
 */
#ifndef KSYMWATCH_TARGET_H
#define KSYMWATCH_TARGET_H

#include <stdbool.h>

/**
 * struct target - [(TYPE)][MODULE:]SYMBOL[@N][[cpuN]] and +OFF or a path, taken apart
 * @nowhere: it is -1, and nothing else is set
 * @cast: the type in parentheses, or NULL
 * @module: the module, or NULL
 * @symbol: the symbol, or NULL where @addr says it all
 * @nth: the N of SYMBOL@N, or 0
 * @cpu: the N of [cpuN], or -1
 * @addr: the address, where there is no symbol
 * @off: what is added to it in bytes
 * @path: members and elements, as in .MEMBER->MEMBER[N]; "" for none
 */
struct target {
	bool			nowhere;
	char			*cast;
	char			*module;
	char			*symbol;
	unsigned long		nth;
	int			cpu;
	unsigned long long	addr;
	long long		off;
	char			*path;
};

bool target_parse(struct target *target, const char *text, char **error);
void target_free(struct target *target);
char *target_place(const struct target *target);

#endif /* KSYMWATCH_TARGET_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that stays in a system call until its standard input ends: vfork(), which
 * returns when the child exits.
 */
#include <unistd.h>

int main(void)
{
	char c;

	if (!vfork()) {
		while (read(STDIN_FILENO, &c, 1) > 0)
			;
		_exit(0);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that stays in one system call, in which it has forked, until its standard
 * input ends: that of vfork(), as long as the child has not exited.
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes debug registers for a task as a debugger does, without single steps, over and over:
 * torture_ptrace ROUNDS. Each store of the task must trap. The status is 0 if they did, 2 if
 * no register was free in any round, and 1 if a trap is missing.
 */
#define _GNU_SOURCE
#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define STORES	5
/* The first register is enabled for its task, for stores of eight bytes. */
#define ENABLE	0x90001

_Alignas(64) static long watched;
/* What gdb watches. */
int counted;
/* QEMU 7.2 keeps a trap in mind until a store to the same page does not trap. */
_Alignas(64) static long beside;

static int poke(pid_t pid, int reg, unsigned long value)
{
	return ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[reg]), value);
}

/* Returns how many stores trapped, or -1 if there was no free register. */
static int run(void)
{
	int status, i, traps = 0;
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		for (i = 1; i <= STORES; i++) {
			__atomic_store_n(&watched, i, __ATOMIC_RELAXED);
			__atomic_store_n(&beside, i, __ATOMIC_RELAXED);
		}
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	if (poke(pid, 0, (unsigned long)&watched) || poke(pid, 7, ENABLE)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return -1;
	}
	for (;;) {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		if (waitpid(pid, &status, 0) != pid)
			err(1, "waitpid");
		if (!WIFSTOPPED(status))
			return traps;
		traps += WSTOPSIG(status) == SIGTRAP;
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, traps, status = 2;

	for (traps = 1; traps <= 3; traps++)
		__atomic_store_n(&counted, traps, __ATOMIC_RELAXED);
	while (rounds-- > 0) {
		traps = run();
		if (traps < 0)
			continue;
		if (traps != STORES) {
			printf("ptrace: %d stores, but %d traps\n", STORES, traps);
			return 1;
		}
		status = 0;
	}
	return status;
}

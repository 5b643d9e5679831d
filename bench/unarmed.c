// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of "make bench", run in the virtual machine: measures what the tracer costs others
 * while nothing is armed. It runs code of the kernel that our patches touch, or code near
 * it, and prints the number of instructions of each operation, separated by tabs:
 *
 *   unarmed  NAME  LABEL  INSTRUCTIONS
 *
 * They include user space's instructions, and can be compared between two kernels. The
 * minimum of many rounds has no interrupt in it. Operations that allocate memory, such as
 * creating a task, are left out: their instructions vary a little between boots.
 */
#include <err.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/types.h>
#include <x86intrin.h>

#define ROUNDS	300

static int to_child[2], to_parent[2];
static pid_t child;

static void answer(void)
{
	char byte;

	/* The parent keeps the other end open, and kills this process at the end. */
	while (read(to_child[0], &byte, 1) == 1) {
		if (write(to_parent[1], &byte, 1) != 1)
			break;
	}
	_exit(1);
}

static void start_child(void)
{
	if (pipe(to_child) || pipe(to_parent))
		err(1, "pipe");
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child)
		answer();
}

static void stop_child(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void call(void)
{
	syscall(SYS_getppid);
}

/* Switches to the child and back. */
static void switch_twice(void)
{
	char byte = 0;

	if (write(to_child[1], &byte, 1) != 1 ||
	    read(to_parent[0], &byte, 1) != 1)
		errx(1, "the child does not answer");
}

static unsigned long traps;

static void count_trap(int signal)
{
	traps += signal == SIGTRAP;
}

static void break_point(void)
{
	asm volatile("int3");
}

/* With the trap flag, each instruction but the first raises a #DB. */
static void single_step(void)
{
	asm volatile("pushf\n\torq $0x100, (%%rsp)\n\tpopf\n\t"
		     "pushf\n\tandq $~0x100, (%%rsp)\n\tpopf"
		     : : : "memory", "cc");
}

static __u64 least(void (*work)(void))
{
	__u64 start, ticks, ret = ~0ull;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		/*
		 * What a switch takes depends on what the scheduler remembers
		 * of the switches before. After a sleep, it is always the same.
		 */
		if (i % 10 == 0)
			usleep(100);
		start = __rdtsc();
		work();
		ticks = __rdtsc() - start;
		if (ticks < ret)
			ret = ticks;
	}
	return ret;
}

static void print(const char *name, const char *label, __u64 ticks)
{
	printf("unarmed\t%s\t%s\t%llu\n", name, label, ticks);
}

int main(void)
{
	/* A forked process must not print buffered lines again. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGTRAP, count_trap);

	print("call", "a system call", least(call));
	start_child();
	print("switch", "two switches of tasks, by pipes", least(switch_twice));
	stop_child();
	print("int3", "an int3, and its signal", least(break_point));
	if (traps != ROUNDS)
		errx(1, "%lu signals of %d int3", traps, ROUNDS);
	traps = 0;
	print("step", "three single steps, and their signals",
	      least(single_step));
	if (traps != 3 * ROUNDS)
		errx(1, "%lu signals of %d times three steps", traps, ROUNDS);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * libtracecmd and libtraceevent trust a file too much: a truncated or damaged one can crash
 * them. While they read a file, a crash prints a message and exits.
 *
 * Reading the file in another process would be cleaner, but every hit would have to cross
 * the process boundary. An unfinished output is all that needs cleanup while a file is read.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/reader.h"
#include "lib/newfile.h"
#include "lib/util.h"

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT };

static char message[512];

/* Only async-signal-safe functions here. */
static void say_damaged(int signal __maybe_unused)
{
	ssize_t ignored __maybe_unused = write(STDERR_FILENO, message, strlen(message));

	newfile_remove();
	/* A pager has to show it before the shell goes on, and ends when nobody can write to it. */
	close_range(0, ~0U, 0);
	while (wait(NULL) > 0)
		;
	_exit(STATUS_FAILED);
}

/* The crash may be a stack overflow. */
static void use_another_stack(void)
{
	size_t size = 16 * sysconf(_SC_PAGESIZE);
	stack_t stack = { .ss_size = size };

	stack.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp != MAP_FAILED)
		sigaltstack(&stack, NULL);
}

/** guard_begin - from here on, take a crash for a damaged file */
void guard_begin(const char *path)
{
	const struct sigaction action = {
		.sa_handler = say_damaged,
		.sa_flags = SA_ONSTACK | SA_RESETHAND,
	};
	size_t i;

	if (IS_SANITIZED)
		return;
	snprintf(message, sizeof(message) - 1,
		 "ksymwatch: %.400s is damaged: not all of it could be read", path);
	make_printable(message);
	strcat(message, "\n");
	use_another_stack();
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* From here on, a crash is a bug. */
void guard_end(void)
{
	size_t i;

	for (i = 0; !IS_SANITIZED && i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
}

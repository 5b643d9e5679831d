// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command while the buffer of a CPU is mapped:
 *
 *	ksym_mapped per_cpu/cpu0/trace_pipe_raw COMMAND [ARG...]
 */
#include <err.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	int fd, status;

	if (argc < 3)
		errx(2, "usage: ksym_mapped FILE COMMAND [ARG...]");
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(2, "%s", argv[1]);
	/* The first page says what the others are. */
	if (mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		err(2, "mapping %s", argv[1]);
	if (!vfork()) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (wait(&status) < 0)
		err(2, "wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

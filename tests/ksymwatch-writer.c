// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes 40000 to panic_timeout in a named function; with an argument, in a thread; with two, for
 * each byte of stdin.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system call is here and not in libc, which has no frame pointers. */
static long write_panic_timeout(int fd)
{
	long ret;

	asm volatile("syscall" : "=a" (ret) : "0" (SYS_write), "D" (fd), "S" ("40000"), "d" (5L)
		     : "rcx", "r11", "memory");
	return ret;
}

static void *begin_thread(void *fd)
{
	write_panic_timeout(*(int *)fd);
	return 0;
}

int main(int argc, char **argv)
{
	int fd = open("/proc/sys/kernel/panic", O_WRONLY);
	pthread_t thread;
	char c;

	(void)argv;
	if (argc > 2) {
		/* Only a write at the start of the file counts. */
		while (read(0, &c, 1) == 1 && !lseek(fd, 0, SEEK_SET))
			write_panic_timeout(fd);
		return 0;
	}
	if (argc == 1)
		return write_panic_timeout(fd) != 5;
	return pthread_create(&thread, 0, begin_thread, &fd) || pthread_join(thread, 0);
}

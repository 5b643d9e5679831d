// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copying between descriptors inside the kernel.
 */
#include <errno.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/transfer.h"

/**
 * transfer - copy a file from an offset to its end
 * @to: where to: a file or a socket
 * @from: the file
 * @offset: the offset, which is moved on
 *
 * Return: 0 or an errno.
 */
int transfer(int to, int from, off_t *offset)
{
	struct stat st;
	ssize_t ret;

	if (fstat(from, &st))
		return errno;
	while (*offset < st.st_size) {
		/* Some file systems share the blocks then, or copy on their server. */
		ret = copy_file_range(from, offset, to, NULL, st.st_size - *offset, 0);
		/* Not every file system does this, and no socket. */
		if (ret < 0 && errno != ENOSPC && errno != EINTR)
			ret = sendfile(to, from, offset, st.st_size - *offset);
		if (!ret)
			errno = EIO;
		if (ret <= 0 && errno != EINTR)
			return errno;
	}
	return 0;
}
